// A language model in the page: SmolLM2 with 270 heads, or one of the reader's. This side talks to a worker; model-worker.ts fetches,
// checks and computes. models/decoder/page_files.py cuts the book's file in pieces.

import type { HeadMask, Source } from "../math/attention-map.ts";
import type { HeadLedger, LedgerQuestion } from "../math/ledger.ts";
import { partNames, readAfter, type Machine } from "../math/machine.ts";
import { likeliest } from "../math/maps.ts";
import type { AttentionEdge, ScoreParts } from "../math/score-parts.ts";
import type { Flow, FlowState } from "../math/steps.ts";
import type { PartOfLedger } from "./decoder-model.ts";
import type { AttendOptions, DecoderModel, Draft, MachineOptions, NextWord } from "./head-model.ts";
import { missingBytesOf } from "./file-store.ts";
import type { Loading } from "./models.ts";
import { startModel, WorkerModel, type FirstMessage, type LoadOptions, type Started } from "./worker-model.ts";

/** What its worker says besides. */
type StartedDecoder = Started & { endTokens: number[]; words: string[] };

/** The book's decoder; `models.ts` calls this, and the next. */
export const load = (_variant: string, { progress, signal }: Loading): Promise<DecoderModel> =>
  Decoder.load({ progress, signal });

/** A decoder of the reader's, from a GGUF file, all parts of one, or a folder. */
export const open = (files: File[], name: string, options: LoadOptions): Promise<DecoderModel> =>
  Decoder.start({ open: files, name }, options);

const PIECE = 4; // states that are read at once

export const missingBytes = () => missingBytesOf("decoder");

export class Decoder extends WorkerModel implements DecoderModel {
  endTokens: number[];
  secondsPerWord?: number;
  #words: string[];

  /** Fetches the book's model and starts it, as `startModel` says. */
  static async load(options: LoadOptions = {}) {
    return Decoder.start({ load: "decoder" }, options);
  }

  static async start(first: FirstMessage, options: LoadOptions) {
    const { worker, facts } = await startModel<StartedDecoder>(first, options);
    return new Decoder(worker, facts);
  }

  constructor(worker: Worker, { endTokens, words, ...started }: StartedDecoder) {
    super(worker, started);
    this.endTokens = endTokens;
    this.#words = words;
  }

  async next(
    text: string | Draft,
    headMask: HeadMask = null,
    { signal, masked = [], norms = false }: Pick<AttendOptions, "signal" | "masked" | "norms"> = {},
  ) {
    const answer = await this.request<NextWord>({ text, headMask, masked, norms }, signal);
    this.secondsPerWord = answer.secondsPerWord ?? this.secondsPerWord;
    const scoreParts = (edge: AttentionEdge) => this.request<ScoreParts>({ text, headMask, edge }, signal); // until the next key
    if (masked.length) return answer;
    const withoutEach = (sources: Source[]) => {
      const { logits, map } = answer;
      const [word, probability] = likeliest(Object.values(map.predictions)[0]);
      const first = logits.reduce((best, logit, id) => (logit > logits[best] ? id : best), 0);
      let last: Promise<unknown> = Promise.resolve(); // one after the other: a key waits for one of them at most
      return sources.map(({ places }) => {
        const found = last.then(() => this.request<number>({ text, headMask, masked: places, answer: first }, signal));
        last = found;
        return found.then((without) => ({ answer: word, probability, without }));
      });
    };
    return { ...answer, map: { ...answer.map, scoreParts, withoutEach } };
  }

  /** The map of a text; an aborted `signal` rejects it, as with the encoder. */
  async attend(text: string, headMask: HeadMask = null, options: Pick<AttendOptions, "signal" | "norms"> = {}) {
    return (await this.next(text, headMask, options)).map;
  }

  /**
   * A promise of what each part adds and the next words so far, with parts off; of a `layer`, also its heads. The words so far take longer
   * than the model: `soon` has all else before them, and they're read in pieces, so that a key waits for one piece at most.
   */
  async machine(
    text: string,
    partMask: HeadMask = null,
    { layer = null, soFar = true, soon, signal }: MachineOptions = {},
  ) {
    const ask = (whole: object) => this.request<Machine>({ text, headMask: partMask, whole }, signal);
    if (!soFar) return ask({ layer, soFar });
    soon?.(await ask({ layer, soFar: false }));
    const parts = readAfter(partNames(Array(this.numLayers).fill(true)), layer);
    for (let from = 0; from < parts.length; from += PIECE) await ask({ ahead: parts.slice(from, from + PIECE) });
    return ask({ layer });
  }

  /** A promise of the journey through one head of one layer, where heads of the layers below may be off. */
  flow(state: FlowState, { signal, headMask = null }: { signal?: AbortSignal; headMask?: HeadMask } = {}) {
    return this.request<Flow>({ flow: state, headMask }, signal);
  }

  /** A promise of what every part adds to the logits of the next words. Each head that is turned off for it is a request of its own: a key waits for one of them at most. */
  async headLedger(question: LedgerQuestion, { signal }: { signal?: AbortSignal } = {}): Promise<HeadLedger> {
    const { ledger, chosen, shown } = await this.request<PartOfLedger>({ ledger: question }, signal);
    for (const off of shown) {
      const left = await this.request<number[]>({ ledger: question, without: { chosen, off } }, signal);
      left.forEach((logit, label) => (ledger.without.values[label * ledger.headNames.length + off] = logit));
    }
    return ledger;
  }

  wordOf(id: number) {
    return this.#words[id];
  }
}
