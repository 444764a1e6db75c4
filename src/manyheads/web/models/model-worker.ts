// What a pretrained model does off the page's thread: fetch its files and keep them, read a text, compute.

import { importScript, reasonOf } from "../math/faults.ts";
import { wordPlaces } from "../math/senses.ts";
import { DecoderEngine } from "./decoder-engine.ts";
import { decoderFlow, ledgerOf, nextWord, whyThere } from "./decoder-model.ts";
import { DecoderTokens } from "./decoder-tokens.ts";
import { DecoderWeights } from "./decoder-weights.ts";
import { encoderFlow, EncoderEngine } from "./encoder-engine.ts";
import { readAs, readJson } from "./files.ts";
import type { FollowedWord } from "./head-model.ts";
import type { DecoderFacts, PretrainedFacts } from "./files.ts";
import code from "./kernel.wasm";
import { fetchManifest, listOf, obtainAll, Store } from "./kept-files.ts";
import { encoderTokens } from "./tokens.ts";
import type { Tokenizer } from "./tokenizers.min.mjs";

/** A model that takes in its files, one after the other, and gives the function that answers the page. */
interface Arriving {
  put(part: string, contents: Uint8Array<ArrayBuffer>): void;
  start(tokenizer: Tokenizer): { facts: object, answer: (request: any) => { result: object, transfer?: ArrayBufferLike[] } };
}

/** How each is made from its list of files. */
const MODELS: Record<string, (listed: any) => Promise<Arriving>> = { encoder, decoder };
const AT_ONCE = 3; // files on their way

/** What a worker has where a page has `window`. */
const worker: any = globalThis;
let answer: ReturnType<Arriving["start"]>["answer"];

worker.onmessage = async ({ data }: MessageEvent) => {
  try {
    if (data.load) worker.postMessage({ ready: await load(data.load, data.base) });
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
  const script = importScript("./tokenizers.min.mjs", import.meta.url);
  script.catch(() => {}); // awaited below
  const listed = await fetchManifest(new URL(listOf(name), base), store);
  const model = await MODELS[name](listed);
  let vocabulary = new Uint8Array();
  await obtainAll(listed, listOf(name), {
    base, store, atOnce: AT_ONCE,
    progress: (...progress) => worker.postMessage({ progress }),
    take: (part, contents) => {
      if (part === "tokenizer") vocabulary = contents;
      else readAs(contents, (bytes) => model.put(part, bytes));
    },
  });
  const { Tokenizer } = await script;
  const started = model.start(readAs(vocabulary, (file) => new Tokenizer(readJson(file), {})));
  answer = started.answer;
  return started.facts;
}

async function encoder(listed: PretrainedFacts): Promise<Arriving> {
  const engine = await EncoderEngine.create(listed, code);
  const { name, numLayers, numHeads, headNames, maxTokens } = listed;
  return {
    put: (_, contents) => engine.put(contents),
    start: (tokenizer) => ({
      facts: { name, numLayers, numHeads, headNames, maxTokens },
      answer({ sentence, headMask, states: wantsStates, masked, follow, flow }) {
        const { ids, tokens, notes } = encoderTokens(tokenizer, sentence, maxTokens);
        if (flow) return { result: encoderFlow(engine, ids, { tokens, notes, headNames }, flow, headMask) };
        const found = followedIn(tokens, follow);
        const { weights: { shape, values: weights }, states, pushes } = engine.read(ids, headMask, masked, found);
        const map = { queryTokens: tokens, keyTokens: tokens, shape, weights, headNames, predictions: {}, notes, ...(found && { pushes: { ...pushes, word: found.word } }) };
        if (!wantsStates) return { result: map, transfer: [weights.buffer] };
        return { result: { ...map, states }, transfer: [weights.buffer, states.values.buffer] };
      },
    }),
  };
}

/** The first of some words that stands among the tokens, and where. */
function followedIn(tokens: string[], words: FollowedWord[]) {
  const places = words.map(({ tokens: forms }) => wordPlaces(tokens, forms));
  const word = places.findIndex((found) => found.length > 0);
  return word < 0 ? null : { word, places: places[word], directions: words[word].directions };
}

async function decoder(listed: DecoderFacts): Promise<Arriving> {
  const weights = await DecoderWeights.create(listed, code);
  const { name, numLayers, numHeads, headNames, maxTokens, endTokens } = listed;
  return {
    put: (part, contents) => weights.put(part, contents),
    start(tokenizer) {
      const [tokens, engine] = [new DecoderTokens(tokenizer, listed), new DecoderEngine(weights)];
      return {
        facts: { name, numLayers, numHeads, headNames, maxTokens, endTokens, words: tokens.words },
        answer({ ledger, text, headMask, masked, cell, flow }) {
          if (flow) return { result: decoderFlow(engine, weights, tokens, flow, headMask) };
          if (ledger) return { result: ledgerOf(engine, tokens, listed, ledger) };
          if (cell) {
            const found = whyThere(engine, tokens, text, cell, headMask);
            return { result: found, transfer: [found.pairs.buffer] };
          }
          const result = nextWord(engine, tokens, listed, text, headMask, masked);
          return { result, transfer: [result.logits.buffer, result.map.weights.buffer] };
        },
      };
    },
  };
}
