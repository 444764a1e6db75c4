// What the encoder does off the page's thread: fetch its files and keep them, read a sentence, compute.

import { Fault, importScript, reasonOf, WHY } from "../math/faults.ts";
import { FILES } from "./encoder.ts";
import { readAs, readJson, readSafetensors } from "./files.ts";
import { fetchManifest, obtainAll, Store } from "./kept-files.ts";
import { encoderTokens } from "./tokens.ts";
import type { Tokenizer } from "./tokenizers.min.mjs";
import type { InferenceSession } from "./ort.wasm.bundle.min.mjs";

type Manifest = EncoderFacts & { files: Record<string, ModelFile> };
type Rounded = { columns: number, base: number, low: ArrayLike<number>, high: ArrayLike<number>, step: Float32Array };

let manifest: Manifest;
let tokenizer: Tokenizer;
let ort: typeof import("./ort.wasm.bundle.min.mjs");
let session: InferenceSession;
let words: Rounded;

/** What a worker has where a page has `window`. */
const worker: any = globalThis;

worker.onmessage = async ({ data }: MessageEvent) => {
  try {
    if (data.load) worker.postMessage({ ready: await load(data.load) });
    else {
      const map = await attend(data.sentence, data.headMask, data.states);
      worker.postMessage({ result: map }, [map.weights.buffer, ...(map.states ? [map.states.values.buffer] : [])]);
    }
  } catch (error) {
    worker.postMessage({ error: reasonOf(error) });
  }
};

// ---------------------------------------------------------------------------------------------------- computing

async function load(base: string): Promise<EncoderFacts> {
  const store = new Store(FILES.store);
  const scripts = Promise.all(["./ort.wasm.bundle.min.mjs", "./tokenizers.min.mjs"].map((name) => importScript(name, import.meta.url)));
  scripts.catch(() => {}); // awaited below
  manifest = await fetchManifest(new URL(FILES.list, base), store);
  const contents: Record<string, Uint8Array<ArrayBuffer>> = {};
  const obtained = obtainAll(manifest, FILES.list, {
    base, store, progress: (...progress) => worker.postMessage({ progress }), take: (part, bytes) => (contents[part] = bytes),
  });
  const [[runner, { Tokenizer }]] = await Promise.all([scripts, obtained]);
  const { graph, weights, runtime, tokenizer: vocabulary } = contents;

  tokenizer = readAs(vocabulary, (file) => new Tokenizer(readJson(file), {}));
  const { words: embeddings, ...matrices } = readAs(weights, readMatrices);
  words = embeddings;
  const externalData = Object.entries(matrices).map(([path, matrix]) => ({ path, data: new Uint8Array(rows(matrix).buffer) }));
  ort = runner;
  ort.env.logLevel = "error";
  Object.assign(ort.env.wasm, { numThreads: 1, wasmBinary: runtime.buffer });
  session = await ort.InferenceSession.create(graph, { externalData, logSeverityLevel: 3 }).catch(() => {
    throw new Fault(globalThis.WebAssembly ? WHY.start : WHY.engine);
  });
  const { name, numLayers, numHeads, headNames, maxTokens } = manifest;
  return { name, numLayers, numHeads, headNames, maxTokens };
}

async function attend(sentence: string, headMask: HeadMask, wantsStates: boolean) {
  const { numLayers, numHeads, headNames } = manifest;
  const { ids, tokens, notes } = encoderTokens(tokenizer, sentence, manifest.maxTokens);
  const mask = Float32Array.from({ length: numLayers * numHeads }, (_, index) =>
    headMask?.[Math.floor(index / numHeads)]?.[index % numHeads] === false ? 0 : 1);
  const { attentions, states } = await session.run({
    words: new ort.Tensor("float32", rows(words, ids), [ids.length, words.columns]),
    head_mask: new ort.Tensor("float32", mask, [numLayers, numHeads]),
  }, wantsStates ? ["attentions", "states"] : ["attentions"]);
  return {
    queryTokens: tokens,
    keyTokens: tokens,
    shape: [...attentions.dims],
    weights: attentions.data as Float32Array,
    headNames,
    predictions: {},
    notes,
    states: states && { shape: [...states.dims], values: states.data as Float32Array },
  };
}

/** The matrices that sphinxext/onnx_export.py has rounded, by name. */
function readMatrices(file: Uint8Array): Record<string, Rounded> {
  const { tensors, metadata } = readSafetensors(file);
  const base = Number(metadata.base);
  const names = Object.keys(tensors).filter((name) => name.startsWith("low.")).map((name) => name.slice("low.".length));
  return Object.fromEntries(names.map((name) => {
    const [low, high, step] = ["low", "high", "step"].map((part) => tensors[`${part}.${name}`]);
    return [name, { columns: low.shape[1], base, low: low.values, high: high.values, step: step.values }];
  }));
}

/** Rows of a rounded matrix, all of them unless `which` names some: float32 [row, column]. */
function rows({ columns, base, low, high, step }: Rounded, which: Iterable<number> = step.keys()) {
  const chosen = [...which];
  const values = new Float32Array(chosen.length * columns);
  chosen.forEach((row, place) => {
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      values[place * columns + column] = step[row] * (low[at] + base * high[at]);
    }
  });
  return values;
}
