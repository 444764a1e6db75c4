// The language model in the page: SmolLM2 with 270 heads. This side talks to a worker; model-worker.ts fetches, checks and
// computes. The files are made by models/decoder/page_files.py.

import { missingBytesOf } from "./kept-files.ts";
import type { Loading } from "./models.ts";
import { startModel, WorkerModel, type LoadOptions } from "./worker-model.ts";

/** What a started worker says of its model. */
export type Started = Pick<DecoderFacts, "name" | "numLayers" | "numHeads" | "headNames" | "maxTokens" | "endTokens"> & { words: string[] };

/** The decoder; `models.ts` calls this. */
export const load = (_variant: string, { progress, signal }: Loading): Promise<DecoderModel> => Decoder.load({ progress, signal });

export const missingBytes = () => missingBytesOf("decoder");

export class Decoder extends WorkerModel implements DecoderModel {
  name = "decoder";
  numLayers: number;
  numHeads: number;
  headNames: string[];
  maxTokens: number;
  endTokens: number[];
  #words: string[];

  /** Fetches the model and starts it, as `startModel` says. */
  static async load(options: LoadOptions = {}) {
    const { worker, facts } = await startModel<Started>("decoder", options);
    return new Decoder(worker, facts);
  }

  constructor(worker: Worker, { numLayers, numHeads, headNames, maxTokens, endTokens, words }: Started) {
    super(worker);
    this.numLayers = numLayers;
    this.numHeads = numHeads;
    this.headNames = headNames;
    this.maxTokens = maxTokens;
    this.endTokens = endTokens;
    this.#words = words;
  }

  next(text: string, headMask: HeadMask = null, { signal }: { signal?: AbortSignal } = {}) {
    return this.request<NextWord>({ text: String(text), headMask }, signal);
  }

  /** The map of a text; an aborted `signal` rejects it, as with the encoder. */
  async attend(text: string, headMask: HeadMask = null, options: { signal?: AbortSignal } = {}) {
    return (await this.next(text, headMask, options)).map;
  }

  headLedger({ sentence, answer, head }: LedgerState, { signal }: { signal?: AbortSignal } = {}) {
    return this.request<HeadLedger>({ ledger: { sentence, answer, head } }, signal);
  }

  wordOf(id: number) {
    return this.#words[id];
  }
}
