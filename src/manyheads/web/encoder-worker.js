// What the encoder does off the page's thread: fetch its files and keep them, read a sentence, compute.

import { CACHE, fileUrl } from "./encoder.js";
import * as ort from "./ort.wasm.bundle.min.mjs";
import { readSafetensors } from "./models.js";
import { Tokenizer } from "./tokenizers.min.mjs";

let manifest, tokenizer, session, words, patience;

self.onmessage = async ({ data }) => {
  try {
    if (data.load) self.postMessage({ ready: await load(data.load, data.patience) });
    else {
      const map = await attend(data.sentence, data.headMask);
      self.postMessage({ map }, [map.weights.buffer, map.hidden.values.buffer]);
    }
  } catch (error) {
    self.postMessage({ error: error.message });
  }
};

// ---------------------------------------------------------------------------------------------------- computing

async function load(base, milliseconds) {
  patience = milliseconds;
  const cache = await openCache();
  manifest = await fetchManifest(new URL("encoder.json", base), cache);
  const files = ["graph", "weights", "runtime", "tokenizer"].map((part) => {
    const facts = manifest.files[part];
    return { ...facts, url: fileUrl(facts, base), done: 0 };
  });
  const sum = (key) => files.reduce((sum, file) => sum + file[key], 0);
  const progress = () => self.postMessage({ progress: [sum("done"), sum("packed")] });
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

async function attend(sentence, headMask) {
  const { numLayers, numHeads, headNames } = manifest;
  const { ids, tokens, notes } = tokenize(sentence);
  const mask = Float32Array.from({ length: numLayers * numHeads }, (_, index) =>
    headMask?.[Math.floor(index / numHeads)]?.[index % numHeads] === false ? 0 : 1);
  const { attentions, hidden } = await session.run({
    words: new ort.Tensor("float32", rows(words, ids), [ids.length, words.columns]),
    head_mask: new ort.Tensor("float32", mask, [numLayers, numHeads]),
  });
  return {
    queryTokens: tokens,
    keyTokens: tokens,
    shape: [...attentions.dims],
    weights: attentions.data,
    headNames,
    predictions: {},
    notes,
    hidden: { shape: [...hidden.dims], values: hidden.data },
  };
}

/** The matrices that export.py has rounded: {name: {columns, base, low, high, step}}. */
function readMatrices(file) {
  const { tensors, metadata } = readSafetensors(file);
  const names = Object.keys(tensors).filter((name) => name.startsWith("low."));
  return Object.fromEntries(names.map((low) => {
    const name = low.slice("low.".length);
    const [high, step] = [tensors[`high.${name}`].values, tensors[`step.${name}`].values];
    return [name, { columns: tensors[low].shape[1], base: Number(metadata.base), low: tensors[low].values, high, step }];
  }));
}

/** Rows of a rounded matrix, all of them unless told which: float32 [row, column]. */
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

function tokenize(sentence) {
  const { maxTokens } = manifest;
  let { ids } = tokenizer.encode(tidy(sentence));
  const notes = [];
  if (ids.length === 2) notes.push("Type a sentence to see what each head looks at.");
  if (ids.length > maxTokens) {
    notes.push(`This model reads at most ${maxTokens} tokens; the last ${ids.length - maxTokens} are left out.`);
    ids = [...ids.slice(0, maxTokens - 1), ids.at(-1)];
  }
  return { ids, tokens: ids.map((id) => tokenizer.id_to_token(id)), notes };
}

/** What the tokenizer does otherwise than Python's: half characters, Greek final sigma, rare Chinese characters. */
const tidy = (text) =>
  text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll("Σ", "σ")
    .replace(/[\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu, " $& ");

// ----------------------------------------------------------------------------------------------------- fetching

/** The browser's store for what was fetched; null where it has none for us (no https, private windows). */
const openCache = () => self.caches?.open(CACHE).catch(() => null);

/** Asked for at each visit, so that a newer book is noticed; without a network the kept one serves. */
async function fetchManifest(url, cache) {
  try {
    const text = new TextDecoder().decode(await download(url, "encoder.json", { cache: "no-cache" }));
    const read = JSON.parse(text);
    await keep(cache, url, text);
    return read;
  } catch (error) {
    const kept = await cache?.match(url);
    if (kept) return kept.json();
    throw error instanceof SyntaxError ? new Error("encoder.json is not the file it should be.") : error;
  }
}

/** The contents of one file, from the cache or from the site, unpacked and checked. */
async function obtain(file, cache, progress) {
  const told = (done) => {
    file.done = Math.min(done, file.packed);
    progress();
  };
  const kept = await cache?.match(file.url);
  const keptContents = kept && (await unpack(await collect(kept.body), file).catch(() => null));
  if (keptContents) {
    told(file.packed);
    return keptContents;
  }
  const packed = await download(file.url, file.name, {}, told);
  const contents = await unpack(packed, file);
  await keep(cache, file.url, packed);
  return contents;
}

/** The bytes of one file of the site; one that stands still for longer than our patience is given up. */
async function download(url, name, options, told = () => {}) {
  const controller = new AbortController();
  let done = 0;
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), patience);
  };
  const count = new TransformStream({
    transform(chunk, stream) {
      wait();
      told((done += chunk.length));
      stream.enqueue(chunk);
    },
  });
  try {
    wait();
    const response = await fetch(url, { ...options, signal: controller.signal }).catch(() => {
      throw new Error(`the network did not bring ${name}.`);
    });
    if (!response.ok) throw new Error(`${name} is missing (status ${response.status}).`);
    return await collect(response.body.pipeThrough(count)).catch(() => {
      throw new Error(`${name} arrived incomplete.`);
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Unpacks what is gzipped (some hosts do it on the way) and makes sure that it is what the build made. */
async function unpack(packed, { name, sha256, bytes }) {
  const gzipped = packed[0] === 0x1f && packed[1] === 0x8b;
  const contents = gzipped
    ? await collect(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).catch(() => {
        throw new Error(`${name} arrived incomplete.`);
      })
    : packed;
  // Without https there is no crypto.subtle; gzip's own checksum and the length then have to do.
  const hash = self.crypto.subtle && (await crypto.subtle.digest("SHA-256", contents));
  if (contents.length !== bytes || (hash && hex(hash) !== sha256)) throw new Error(`${name} is not the file it should be.`);
  return contents;
}

const collect = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A full disk is no reason to stop: the file is fetched again next time. */
const keep = (cache, url, body) => cache?.put(url, new Response(body)).catch(() => {});

/** Forgets what an older build of this book left. */
async function dropOthers(cache, base, files) {
  const wanted = new Set([new URL("encoder.json", base).href, ...files.map(({ url }) => url.href)]);
  for (const { url } of (await cache?.keys()) ?? []) if (url.startsWith(base) && !wanted.has(url)) await cache.delete(url);
}
