// What the decoder does off the page's thread: fetch its files and keep them, read a text, compute.

import { Fault, importScript, reasonOf, WHY } from "../math/faults.ts";
import kernel from "./decoder-kernel.wasm";
import { FILES } from "./decoder.ts";
import { DecoderEngine } from "./decoder-engine.ts";
import { ledgerOf, nextWord } from "./decoder-model.ts";
import { DecoderTokens } from "./decoder-tokens.ts";
import { DecoderWeights } from "./decoder-weights.ts";
import { readAs, readJson } from "./files.ts";
import { fetchManifest, obtainAll, Store } from "./kept-files.ts";

const AT_ONCE = 3; // files on their way
const MEMORY = "this device has too little memory for it, or this browser is too old. Use another one.";

let facts: DecoderFacts;
let tokens: DecoderTokens;
let engine: DecoderEngine;

/** What a worker has where a page has `window`. */
const worker: any = globalThis;

worker.onmessage = async ({ data }: MessageEvent) => {
  try {
    if (data.load) worker.postMessage({ ready: await load(data.load) });
    else if (data.ledger) worker.postMessage({ result: ledgerOf(engine, tokens, facts, data.ledger) });
    else {
      const result = nextWord(engine, tokens, facts, data.text, data.headMask);
      worker.postMessage({ result }, [result.logits.buffer, result.map.weights.buffer]);
    }
  } catch (error) {
    worker.postMessage({ error: reasonOf(error) });
  }
};

async function load(base: string) {
  const store = new Store(FILES.store);
  const script = importScript("./tokenizers.min.mjs", import.meta.url);
  script.catch(() => {}); // awaited below
  facts = await fetchManifest(new URL(FILES.list, base), store);
  const weights = await DecoderWeights.create(facts, kernel).catch(() => {
    throw new Fault(globalThis.WebAssembly ? MEMORY : WHY.engine);
  });
  let vocabulary = new Uint8Array();
  await obtainAll(facts, FILES.list, {
    base, store, atOnce: AT_ONCE,
    progress: (...progress) => worker.postMessage({ progress }),
    take: (part, contents) => {
      if (part === "tokenizer") vocabulary = contents;
      else weights.put(part, contents);
    },
  });
  const { Tokenizer } = await script;
  tokens = new DecoderTokens(readAs(vocabulary, (file) => new Tokenizer(readJson(file), {})), facts);
  engine = new DecoderEngine(weights);
  const { name, numLayers, numHeads, headNames, maxTokens, endTokens } = facts;
  return { name, numLayers, numHeads, headNames, maxTokens, endTokens, words: tokens.words };
}
