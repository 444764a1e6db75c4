// What a pretrained model does off the page's thread: fetch its files and keep them, read a text, compute.

import { importScript, reasonOf } from "../math/faults.ts";
import { DecoderReader } from "./decoder-model.ts";
import { DecoderTokens } from "./decoder-tokens.ts";
import type { DecoderWeights } from "./decoder-weights.ts";
import { EncoderEngine } from "./encoder-engine.ts";
import { encoderAnswer } from "./encoder-model.ts";
import { readAs, readJson } from "./files.ts";
import type { Listed } from "./files.ts";
import { readFiles } from "./folder.ts";
import { describe, readHeader, type Gguf } from "./gguf.ts";
import { DecoderFile } from "./gguf-decoder.ts";
import { tokenizerOf } from "./gguf-tokens.ts";
import code from "./kernel.wasm";
import { fetchManifest, listOf, obtainAll, Store } from "./file-store.ts";
import type { Tokenizer } from "./tokenizers.min.mjs";

/** A model that takes in its files, as they come. */
interface Arriving {
  take(part: string, contents: Uint8Array<ArrayBuffer>): void | Promise<void>;
  start(): Started; // once all have come
}

/** What the page has to know of a model, and the function that answers it. */
interface Started {
  facts: object;
  answer: (request: any) => { result: unknown; transfer?: ArrayBufferLike[] };
}

/** How each is made from its list of files. */
const MODELS: Record<string, (listed: any, tokenizers: Tokenizers) => Promise<Arriving>> = { encoder, decoder };
type Tokenizers = typeof import("./tokenizers.min.mjs");
const AT_ONCE = 6; // files on their way

/** What a worker has where a page has `window`. */
const worker: any = globalThis;
let answer: Started["answer"];
let goOn = () => {}; // with a reader's file, once it's known what it is

worker.onmessage = async ({ data }: MessageEvent) => {
  try {
    if (data.load) worker.postMessage({ ready: await load(data.load, data.base) });
    else if (data.goesOn) goOn();
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
  const listed = await fetchManifest<Listed>(new URL(listOf(name), base), store);
  const model = await MODELS[name](listed, await script);
  await obtainAll(listed, listOf(name), { base, store, atOnce: AT_ONCE, progress, take: model.take });
  return started(model.start());
}

/** Opens a reader's files as a decoder. */
async function open(files: File[], name: string) {
  const script = tokenizersScript();
  const { gguf, file } = await readFiles(files);
  const model = new DecoderFile(gguf, name);
  const { numLayers, numHeads } = model.facts;
  const agreed = new Promise<void>((agree) => (goOn = agree));
  worker.postMessage({ opened: { line: describe(gguf, file.size), numLayers, numHeads, bytes: model.bytes } });
  await agreed;
  const reading = readingOf(gguf, model, await script);
  return started(answering(await model.load(file, code, progress), reading));
}

function started({ facts, ...model }: Started) {
  answer = model.answer;
  return facts;
}

/** What cuts texts into tokens; it may come while something else is awaited. */
function tokenizersScript(): Promise<Tokenizers> {
  const script = importScript("./tokenizers.min.mjs", import.meta.url);
  script.catch(() => {});
  return script;
}

const progress = (...bytes: [done: number, total: number]) => worker.postMessage({ progress: bytes });

async function encoder(listed: Listed, { Tokenizer }: Tokenizers): Promise<Arriving> {
  const engine = await EncoderEngine.create(listed, code);
  const { name, numLayers, numHeads, headNames, maxTokens } = listed;
  let tokenizer: Tokenizer;
  return {
    take: (part, contents) =>
      readAs(contents, (bytes) => {
        if (part === "tokenizer") tokenizer = new Tokenizer(readJson(bytes), {});
        else engine.put(bytes);
      }),
    start: () => ({
      facts: { name, numLayers, numHeads, headNames, maxTokens },
      answer: (question) => encoderAnswer(engine, tokenizer, listed, question),
    }),
  };
}

/** Its file in pieces, which follow one another as they're listed. The first, the header, says what is in the others. */
async function decoder({ files }: Pick<Listed, "files">, tokenizers: Tokenizers): Promise<Arriving> {
  const starts: Record<string, number> = {};
  let size = 0;
  for (const [part, { bytes }] of Object.entries(files)) {
    starts[part] = size;
    size += bytes;
  }
  let gguf: Gguf;
  let model: DecoderFile;
  let reading: Reading | undefined;
  return {
    async take(part, contents) {
      if (part === "header") {
        gguf = readAs(contents, (bytes) => readHeader(bytes, size));
        model = new DecoderFile(gguf, "decoder");
        return model.makeRoom(code);
      }
      readAs(contents, (bytes) => model.put(starts[part], bytes));
      reading ??= readingOf(gguf, model, tokenizers); // while the others are on their way
    },
    start: () => answering(model.finish(), reading!),
  };
}

/** How a decoder reads texts, and the tokens that end one. */
interface Reading {
  tokens: DecoderTokens;
  endTokens: number[];
}

function readingOf({ facts }: Gguf, model: DecoderFile, { Tokenizer }: Tokenizers): Reading {
  const written = tokenizerOf(facts, model.facts.vocabularySize);
  const tokens = new DecoderTokens(new Tokenizer(written.json, {}), model.facts, written);
  return { tokens, endTokens: written.ends };
}

/** A decoder that answers, and what the page has to know of it. */
function answering(weights: DecoderWeights, { tokens, endTokens }: Reading): Started {
  const { name, numLayers, numHeads, headNames, maxTokens } = weights.facts;
  const reader = new DecoderReader(weights, tokens);
  return {
    facts: { name, numLayers, numHeads, headNames, maxTokens, endTokens, words: tokens.words },
    answer: (question) => reader.answer(question),
  };
}
