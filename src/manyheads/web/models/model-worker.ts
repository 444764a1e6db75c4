// What a pretrained model does off the page's thread: fetch its files and keep them, read a text, compute.

import { importScript, reasonOf } from "../math/faults.ts";
import { DecoderReader } from "./decoder-model.ts";
import { DecoderTokens } from "./decoder-tokens.ts";
import { DecoderWeights } from "./decoder-weights.ts";
import { EncoderEngine } from "./encoder-engine.ts";
import { encoderAnswer } from "./encoder-model.ts";
import { readAs, readJson } from "./files.ts";
import type { Listed, ListedDecoder } from "./files.ts";
import { describe, readGguf } from "./gguf.ts";
import { DecoderFile } from "./gguf-decoder.ts";
import { asInPython, tokenizerOf } from "./gguf-tokens.ts";
import code from "./kernel.wasm";
import { fetchManifest, listOf, obtainAll, Store } from "./kept-files.ts";
import type { Tokenizer } from "./tokenizers.min.mjs";

/** A model that takes in its files, one after the other, and gives the function that answers the page. */
interface Arriving {
  put(part: string, contents: Uint8Array<ArrayBuffer>): void;
  start(tokenizer: Tokenizer): {
    facts: object;
    answer: (request: any) => { result: object; transfer?: ArrayBufferLike[] };
  };
}

/** How each is made from its list of files. */
const MODELS: Record<string, (listed: any) => Promise<Arriving>> = { encoder, decoder };
const AT_ONCE = 6; // files on their way

/** What a worker has where a page has `window`. */
const worker: any = globalThis;
let answer: ReturnType<Arriving["start"]>["answer"];

worker.onmessage = async ({ data }: MessageEvent) => {
  try {
    if (data.load) worker.postMessage({ ready: await load(data.load, data.base) });
    else if (data.open) worker.postMessage({ ready: await open(data.open, data.name) });
    else {
      const { result, transfer } = answer(data);
      worker.postMessage({ result }, transfer);
    }
  } catch (error) {
    worker.postMessage({ error: reasonOf(error) });
  }
};

async function load(name: string, base: string) {
  const store = new Store(name);
  const script = tokenizersScript();
  const listed = await fetchManifest(new URL(listOf(name), base), store);
  const model = await MODELS[name](listed);
  const { Tokenizer } = await script;
  let started: ReturnType<Arriving["start"]> | undefined;
  await obtainAll(listed, listOf(name), {
    base,
    store,
    atOnce: AT_ONCE,
    progress,
    take: (part, contents) =>
      readAs(contents, (bytes) => {
        if (part === "tokenizer") started = model.start(new Tokenizer(asInPython(readJson(bytes)), {}));
        else model.put(part, bytes);
      }),
  });
  answer = started!.answer;
  return started!.facts;
}

/** Opens a reader's file as a decoder. */
async function open(file: File, name: string) {
  const script = tokenizersScript();
  const gguf = await readGguf(file);
  const model = new DecoderFile(gguf, name);
  worker.postMessage({ opened: describe(gguf, file.size) });
  const written = tokenizerOf(gguf.facts, model.facts.vocabularySize);
  const weights = await model.load(file, code, progress);
  const { Tokenizer } = await script;
  const tokens = new DecoderTokens(new Tokenizer(written.json, {}), model.facts, written);
  const started = answering(weights, tokens, written.ends);
  answer = started.answer;
  return started.facts;
}

/** What cuts texts into tokens; it may come while something else is awaited. */
function tokenizersScript(): Promise<typeof import("./tokenizers.min.mjs")> {
  const script = importScript("./tokenizers.min.mjs", import.meta.url);
  script.catch(() => {});
  return script;
}

const progress = (...bytes: [done: number, total: number]) => worker.postMessage({ progress: bytes });

async function encoder(listed: Listed): Promise<Arriving> {
  const engine = await EncoderEngine.create(listed, code);
  const { name, numLayers, numHeads, headNames, maxTokens } = listed;
  return {
    put: (_, contents) => engine.put(contents),
    start: (tokenizer) => ({
      facts: { name, numLayers, numHeads, headNames, maxTokens },
      answer: (question) => encoderAnswer(engine, tokenizer, listed, question),
    }),
  };
}

async function decoder(listed: ListedDecoder): Promise<Arriving> {
  const weights = await DecoderWeights.create(listed, code);
  return {
    put: (part, contents) => weights.put(part, contents, listed),
    start: (tokenizer) => answering(weights, new DecoderTokens(tokenizer, listed), listed.endTokens),
  };
}

/** A decoder that answers, and what the page has to know of it. */
function answering(weights: DecoderWeights, tokens: DecoderTokens, endTokens: number[]): ReturnType<Arriving["start"]> {
  const { name, numLayers, numHeads, headNames, maxTokens } = weights.facts;
  const reader = new DecoderReader(weights, tokens);
  return {
    facts: { name, numLayers, numHeads, headNames, maxTokens, endTokens, words: tokens.words },
    answer: (question) => reader.answer(question),
  };
}
