// The models that a page can run, by name. Their files lie on the site below this module; each is fetched once however many
// elements ask.

import { Fault, importScript } from "../math/faults.ts";
import { download, readAs, readJson, readSafetensors, unpacked } from "./files.ts";
import { FocusModel } from "./focus.ts";

const FOCUS = /^focus(?:\/([a-z]+(?:-\d+)?))?$/;
const TRANSLATOR = /^translator(?:\/(untaught|heads-1))?(?:\/(first|english|french))?$/;
const MUSEUM = /^focus\/(causal|bug-[a-z]+)$/;

/** @type {Map<string, Promise<any>>} */
const cache = new Map();
/** Model -> all who want to be told of its progress. @type {Map<string, Set<Progress>>} */
const listeners = new Map();
/** Model -> a promise that it is loaded, what fulfils it, and whether it is. @type {Map<string, Arrival>} */
const arrivals = new Map();

/** @typedef {{ promise: Promise<void>, fulfil: () => void, here: boolean }} Arrival */

/**
 * The model called `name`; `progress(done, total)` is told of bytes.
 * @param {string} name
 * @param {Progress} [progress]
 * @returns {Promise<HeadModel>}
 */
export async function loadModel(name, progress = () => {}) {
  const told = listeners.get(name) ?? new Set();
  listeners.set(name, told.add(progress));
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

/** The axes between the senses of ambiguous words, a file of senses/model.py; math/senses.js reads it. */
export const loadSenses = () => once("senses", () => fetchTensors("senses.safetensors.gz"));

/** Fulfilled once anybody on the page has loaded the model. */
export const whenLoaded = (/** @type {string} */ name) => arrival(name).promise;

/** How many bytes the model would have to fetch, of those that a reader should be asked for. */
export async function missingBytes(/** @type {string} */ name) {
  return name === "encoder" && !arrival(name).here ? (await siteModule("encoder.js")).missingBytes() : 0;
}

function arrival(/** @type {string} */ name) {
  const known = arrivals.get(name);
  if (known) return known;
  let fulfil = () => {};
  /** @type {Promise<void>} */
  const promise = new Promise((done) => (fulfil = done));
  const made = { promise, fulfil, here: false };
  arrivals.set(name, made);
  return made;
}

/**
 * @param {string} name
 * @param {Progress} progress
 * @returns {Promise<HeadModel>}
 */
function makeOnce(name, progress) {
  return once(`model ${name}`, async () => {
    if (name === "encoder") return (await siteModule("encoder.js")).Encoder.load({ progress });
    if (name === "focus/no-order") return (await loadTaught(progress)).withoutOrder();
    const translator = TRANSLATOR.exec(name);
    if (translator) return loadTranslator(translator[1] ?? "taught", translator[2] ?? "cross", progress);
    const piece = MUSEUM.exec(name)?.[1];
    if (piece) return (await siteModule("bugs.js")).museumModel(await loadTaught(progress), piece);
    const variant = FOCUS.exec(name);
    if (!variant) throw new Fault(`There is no model called “${name}” on this page.`);
    const [words, tokenizer, weights] = await Promise.all([
      once("words", () => fetchTensors("focus-words.safetensors.gz", progress)),
      once("tokenizer", loadTokenizer),
      fetchTensors(`focus-${variant[1] ?? "taught"}.safetensors.gz`),
    ]);
    return new FocusModel(weights, words, tokenizer);
  });
}

/**
 * @param {string} variant
 * @param {string} attention
 * @param {Progress} progress
 */
async function loadTranslator(variant, attention, progress) {
  const file = `translator-${variant}.safetensors.gz`;
  const [{ Translator }, weights] = await Promise.all([siteModule("translator.js"), once(file, () => fetchTensors(file, progress))]);
  return new Translator(weights, attention);
}

const loadTaught = async (/** @type {Progress} */ progress) => /** @type {FocusModel} */ (await loadModel("focus", progress));

/**
 * What `make` promises, made once; a failure is forgotten, so that a reader can try again.
 * @template Made
 * @param {string} key
 * @param {() => Promise<Made>} make
 * @returns {Promise<Made>}
 */
function once(key, make) {
  const known = cache.get(key);
  if (known) return known;
  const made = make().catch((error) => {
    cache.delete(key);
    throw error;
  });
  cache.set(key, made);
  return made;
}

async function loadTokenizer() {
  const [{ Tokenizer }, bytes] = await Promise.all([siteModule("tokenizers.min.mjs"), fetchFile("tokenizer.json.gz")]);
  return readAs(bytes, (file) => new Tokenizer(readJson(file), {}));
}

const siteModule = (/** @type {string} */ name) => importScript(`./${name}`, import.meta.url);

/**
 * @param {string} name
 * @param {Progress} [progress]
 */
const fetchTensors = async (name, progress) => readAs(await fetchFile(name, progress), readSafetensors);

/**
 * The bytes of one file of this site, unpacked.
 * @param {string} name
 * @param {Progress} [progress]
 */
async function fetchFile(name, progress = () => {}) {
  const url = new URL(`./models/${name}`, import.meta.url);
  const told = (/** @type {number} */ done, /** @type {number} */ total) => total && progress(Math.min(done, total), total);
  return unpacked(await download(url, { told }));
}
