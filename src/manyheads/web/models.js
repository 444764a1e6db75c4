// The models a page can run, by name. Files lie beside this module; each is fetched once however many elements
// ask, and those that arrive gzipped are unpacked here, since not every host compresses what it sends.

import { FocusModel } from "./focus.js";

const FOCUS = /^focus(?:\/([a-z]+(?:-\d+)?))?$/;
const MUSEUM = /^focus\/(causal|bug-[a-z]+)$/;
const cache = new Map();
const listeners = new Map(); // model -> all who want to be told of its progress
const arrivals = new Map(); // model -> a promise that it is loaded, what fulfils it, and whether it is

/**
 * The model called `name`, ready to `attend(sentence, headMask, { signal })`, which gives a map or a promise of one;
 * `progress(done, total)` is told of bytes.
 */
export async function loadModel(name, progress = () => {}) {
  if (!listeners.has(name)) listeners.set(name, new Set());
  const told = listeners.get(name).add(progress);
  try {
    const make = () => makeOnce(name, (...bytes) => told.forEach((tell) => tell(...bytes)));
    const made = make();
    let model = await made;
    if (model.broken) {
      if (cache.get(`model ${name}`) === made) cache.delete(`model ${name}`); // else another figure did
      model = await make();
    }
    Object.assign(arrival(name), { here: true }).fulfil();
    return model;
  } finally {
    told.delete(progress);
  }
}

/** Fulfilled once anybody on the page has loaded the model. */
export const whenLoaded = (name) => arrival(name).promise;

/** How many bytes the model would have to fetch, of those that a reader should be asked for. */
export async function missingBytes(name) {
  return name === "encoder" && !arrival(name).here ? (await import("./encoder.js")).missingBytes() : 0;
}

function arrival(name) {
  if (!arrivals.has(name)) {
    let fulfil;
    const promise = new Promise((done) => (fulfil = done));
    arrivals.set(name, { promise, fulfil, here: false });
  }
  return arrivals.get(name);
}

function makeOnce(name, progress) {
  return once(`model ${name}`, async () => {
    if (name === "encoder") return (await import("./encoder.js")).Encoder.load({ progress });
    const piece = MUSEUM.exec(name)?.[1];
    if (piece) return (await import("./bugs.js")).museumModel(await loadModel("focus", progress), piece);
    const variant = FOCUS.exec(name);
    if (!variant) throw new Error(`There is no model called “${name}” on this page.`);
    const [words, tokenizer, weights] = await Promise.all([
      once("words", () => fetchTensors("focus-words.safetensors.gz", progress)),
      once("tokenizer", loadTokenizer),
      fetchTensors(`focus-${variant[1] ?? "taught"}.safetensors.gz`),
    ]);
    return new FocusModel(weights, words, tokenizer);
  });
}

/** What `make` promises, made once; a failure is forgotten, so that a reader can try again. */
function once(key, make) {
  if (!cache.has(key)) cache.set(key, make().catch((error) => (cache.delete(key), Promise.reject(error))));
  return cache.get(key);
}

async function loadTokenizer() {
  const [{ Tokenizer }, file] = await Promise.all([import("./tokenizers.min.mjs"), fetchFile("tokenizer.json.gz")]);
  return new Tokenizer(JSON.parse(new TextDecoder().decode(file)), {});
}

async function fetchTensors(name, progress) {
  const bytes = await fetchFile(name, progress);
  try {
    return readSafetensors(bytes);
  } catch {
    throw new Error(`${name} is not the file it should be.`);
  }
}

/** The bytes of one file of this site, unpacked. */
async function fetchFile(name, progress = () => {}) {
  const url = new URL(`./models/${name}`, import.meta.url);
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new Error(`the network did not bring ${name}.`);
  }
  if (!response.ok) throw new Error(`${name} is missing (status ${response.status}).`);
  const total = Number(response.headers.get("content-length"));
  let done = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      done += chunk.length;
      if (total) progress(Math.min(done, total), total);
      controller.enqueue(chunk);
    },
  });
  try {
    const bytes = await collect(response.body.pipeThrough(counted));
    const gzipped = bytes[0] === 0x1f && bytes[1] === 0x8b; // else the host unpacked it on the way
    return gzipped ? await collect(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))) : bytes;
  } catch {
    throw new Error(`${name} arrived incomplete.`);
  }
}

const collect = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());

const ARRAYS = { F32: Float32Array, I8: Int8Array };

/** Reads a safetensors file: `{tensors: {name: {shape, values}}, metadata}`. */
export function readSafetensors(bytes) {
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const { __metadata__: metadata = {}, ...entries } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [from, to] }] of Object.entries(entries)) {
    if (!ARRAYS[dtype]) throw new Error(`tensor ${name} has type ${dtype}, which this page does not read.`);
    tensors[name] = { shape, values: new ARRAYS[dtype](bytes.slice(start + from, start + to).buffer) };
  }
  return { tensors, metadata };
}
