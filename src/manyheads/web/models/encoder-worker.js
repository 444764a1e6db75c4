// What the encoder does off the page's thread: fetch its files and keep them, read a sentence, compute.

import { EMPTY } from "../math/names.js";
import { fileUrl, MANIFEST, openCache } from "./encoder-files.js";
import { collect, counted, readSafetensors, unpacked } from "./files.js";
import * as ort from "./ort.wasm.bundle.min.mjs";
import { Tokenizer } from "./tokenizers.min.mjs";

/** @typedef {EncoderFacts & { files: Record<string, EncoderFile> }} Manifest */
/** @typedef {{ columns: number, base: number, low: ArrayLike<number>, high: ArrayLike<number>, step: Float32Array }} Rounded */
/** @typedef {EncoderFile & { url: URL, done: number }} Download */

/** @type {Manifest} */
let manifest;
/** @type {Tokenizer} */
let tokenizer;
/** @type {ort.InferenceSession} */
let session;
/** @type {Rounded} */
let words;
/** Milliseconds. @type {number} */
let patience;

/** What a worker has where a page has `window`. @type {any} */
const worker = globalThis;

worker.onmessage = async (/** @type {MessageEvent} */ { data }) => {
  try {
    if (data.load) worker.postMessage({ ready: await load(data.load, data.patience) });
    else {
      const map = await attend(data.sentence, data.headMask, data.states);
      worker.postMessage({ map }, [map.weights.buffer, ...(map.states ? [map.states.values.buffer] : [])]);
    }
  } catch (error) {
    worker.postMessage({ error: /** @type {Error} */ (error).message });
  }
};

// ---------------------------------------------------------------------------------------------------- computing

/**
 * @param {string} base
 * @param {number} milliseconds
 * @returns {Promise<EncoderFacts>}
 */
async function load(base, milliseconds) {
  patience = milliseconds;
  const cache = await openCache();
  manifest = await fetchManifest(new URL(MANIFEST, base), cache);
  const files = ["graph", "weights", "runtime", "tokenizer"].map((part) => {
    const facts = manifest.files[part];
    return { ...facts, url: fileUrl(facts, base), done: 0 };
  });
  const sum = (/** @type {"done" | "packed"} */ key) => files.reduce((total, file) => total + file[key], 0);
  const progress = () => worker.postMessage({ progress: [sum("done"), sum("packed")] });
  const [graph, weights, runtime, vocabulary] = await Promise.all(files.map((file) => obtain(file, cache, progress)));
  await dropOthers(cache, base, files);

  ort.env.logLevel = "error";
  Object.assign(ort.env.wasm, { numThreads: 1, wasmBinary: runtime.buffer });
  const { words: embeddings, ...matrices } = readMatrices(weights);
  words = embeddings;
  const externalData = Object.entries(matrices).map(([path, matrix]) => ({ path, data: new Uint8Array(rows(matrix).buffer) }));
  session = await ort.InferenceSession.create(graph, { externalData, logSeverityLevel: 3 });
  tokenizer = new Tokenizer(JSON.parse(new TextDecoder().decode(vocabulary)), {});
  const { name, numLayers, numHeads, headNames, maxTokens } = manifest;
  return { name, numLayers, numHeads, headNames, maxTokens };
}

/**
 * @param {string} sentence
 * @param {HeadMask} headMask
 * @param {boolean} wantsStates
 */
async function attend(sentence, headMask, wantsStates) {
  const { numLayers, numHeads, headNames } = manifest;
  const { ids, tokens, notes } = tokenize(sentence);
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
    weights: /** @type {Float32Array} */ (attentions.data),
    headNames,
    predictions: {},
    notes,
    states: states && { shape: [...states.dims], values: /** @type {Float32Array} */ (states.data) },
  };
}

/**
 * The matrices that sphinxext/onnx_export.py has rounded, by name.
 * @param {Uint8Array} file
 * @returns {Record<string, Rounded>}
 */
function readMatrices(file) {
  const { tensors, metadata } = readSafetensors(file);
  const base = Number(metadata.base);
  const names = Object.keys(tensors).filter((name) => name.startsWith("low.")).map((name) => name.slice("low.".length));
  return Object.fromEntries(names.map((name) => {
    const [low, high, step] = ["low", "high", "step"].map((part) => tensors[`${part}.${name}`]);
    return [name, { columns: low.shape[1], base, low: low.values, high: high.values, step: step.values }];
  }));
}

/**
 * Rows of a rounded matrix, all of them unless told which: float32 [row, column].
 * @param {Rounded} matrix
 * @param {Iterable<number>} [which]
 */
function rows({ columns, base, low, high, step }, which = step.keys()) {
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

function tokenize(/** @type {string} */ sentence) {
  const { maxTokens } = manifest;
  let { ids } = tokenizer.encode(tidy(sentence));
  const notes = [];
  if (ids.length === 2) notes.push(EMPTY);
  if (ids.length > maxTokens) {
    notes.push(`This model reads at most ${maxTokens} tokens; the last ${ids.length - maxTokens} are left out.`);
    ids = [...ids.slice(0, maxTokens - 1), ids[ids.length - 1]];
  }
  return { ids, tokens: ids.map((id) => tokenizer.id_to_token(id)), notes };
}

/** What the tokenizer does otherwise than Python's: half characters, Greek final sigma, rare Chinese characters. */
const tidy = (/** @type {string} */ text) =>
  text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll("Σ", "σ")
    .replace(/[\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu, " $& ");

// ----------------------------------------------------------------------------------------------------- fetching

/**
 * Asked for at each visit, so that a newer book is noticed; without a network the kept one serves.
 * @param {URL} url
 * @param {Cache | undefined} cache
 * @returns {Promise<Manifest>}
 */
async function fetchManifest(url, cache) {
  try {
    const text = new TextDecoder().decode(await download(url, MANIFEST, { cache: "no-cache" }));
    const read = JSON.parse(text);
    await keep(cache, url, text);
    return read;
  } catch (error) {
    const kept = await cache?.match(url);
    if (kept) return kept.json();
    throw error instanceof SyntaxError ? new Error(`${MANIFEST} is not the file it should be.`) : error;
  }
}

/**
 * The contents of one file, from the cache or from the site, unpacked and checked.
 * @param {Download} file
 * @param {Cache | undefined} cache
 * @param {() => void} progress
 */
async function obtain(file, cache, progress) {
  const told = (/** @type {number} */ done) => {
    file.done = Math.min(done, file.packed);
    progress();
  };
  const kept = await cache?.match(file.url);
  const keptContents = kept && (await unpack(new Uint8Array(await kept.arrayBuffer()), file).catch(() => null));
  if (keptContents) {
    told(file.packed);
    return keptContents;
  }
  const packed = await download(file.url, file.name, {}, told);
  const contents = await unpack(packed, file);
  await keep(cache, file.url, packed);
  return contents;
}

/**
 * The bytes of one file of the site; one that stands still for longer than our patience is given up.
 * @param {URL} url
 * @param {string} name
 * @param {RequestInit} options
 * @param {(done: number) => void} [told]
 */
async function download(url, name, options, told = () => {}) {
  const controller = new AbortController();
  let timer = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = worker.setTimeout(() => controller.abort(), patience);
  };
  const tell = counted((done) => {
    wait();
    told(done);
  });
  try {
    wait();
    const response = await fetch(url, { ...options, signal: controller.signal }).catch(() => {
      throw new Error(`the network did not bring ${name}.`);
    });
    if (!response.ok || !response.body) throw new Error(`${name} is missing (status ${response.status}).`);
    return await collect(response.body.pipeThrough(tell)).catch(() => {
      throw new Error(`${name} arrived incomplete.`);
    });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Unpacks what is gzipped and makes sure that it is what the build made.
 * @param {Uint8Array<ArrayBuffer>} packed
 * @param {EncoderFile} file
 */
async function unpack(packed, { name, sha256, bytes }) {
  const contents = await unpacked(packed).catch(() => {
    throw new Error(`${name} arrived incomplete.`);
  });
  // Without https there is no crypto.subtle; gzip's own checksum and the length then have to do.
  const hash = globalThis.crypto.subtle && (await crypto.subtle.digest("SHA-256", contents));
  if (contents.length !== bytes || (hash && hex(hash) !== sha256)) throw new Error(`${name} is not the file it should be.`);
  return contents;
}

const hex = (/** @type {ArrayBuffer} */ buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * A full disk is no reason to stop: the file is fetched again next time.
 * @param {Cache | undefined} cache
 * @param {URL} url
 * @param {BodyInit} body
 */
const keep = (cache, url, body) => cache?.put(url, new Response(body)).catch(() => {});

/**
 * Forgets what an older build of this book left.
 * @param {Cache | undefined} cache
 * @param {string} base
 * @param {Download[]} files
 */
async function dropOthers(cache, base, files) {
  const wanted = new Set([new URL(MANIFEST, base).href, ...files.map(({ url }) => url.href)]);
  for (const { url } of (await cache?.keys()) ?? []) if (url.startsWith(base) && !wanted.has(url)) await cache?.delete(url);
}
