// The models that a page can run, by name. Their files lie on the site below this module; each is fetched once however many
// elements ask.

import { Fault, importScript } from "../math/faults.ts";
import { download, readAs, readJson, readSafetensors, unpacked } from "./files.ts";
import { FocusModel } from "./focus.ts";

const FOCUS = /^focus(?:\/([a-z]+(?:-\d+)?))?$/;
const TRANSLATOR = /^translator(?:\/(untaught|heads-1))?(?:\/(first|english|french))?$/;
const MUSEUM = /^focus\/(causal|bug-[a-z]+)$/;

const cache = new Map<string, Promise<any>>();
const listeners = new Map<string, Set<Progress>>(); // by model
const arrivals = new Map<string, { promise: Promise<void>, fulfil: () => void, loaded: boolean }>(); // by model

/** The model called `name`; `progress(done, total)` counts bytes. */
export async function loadModel(name: string, progress: Progress = () => {}): Promise<HeadModel> {
  const waiting = listeners.get(name) ?? new Set();
  listeners.set(name, waiting.add(progress));
  try {
    const make = () => makeOnce(name, (...bytes) => waiting.forEach((listener) => listener(...bytes)));
    const made = make();
    let model = await made;
    if (model.broken) {
      if (cache.get(`model ${name}`) === made) cache.delete(`model ${name}`); // else another figure did
      model = await make();
    }
    Object.assign(arrival(name), { loaded: true }).fulfil();
    return model;
  } finally {
    waiting.delete(progress);
  }
}

/** The axes between the senses of ambiguous words, a file of senses/model.py; math/senses.ts reads it. */
export const loadSenses = () => once("senses", () => fetchTensors("senses.safetensors.gz"));

/** Fulfilled once anybody on the page has loaded the model. */
export const whenLoaded = (name: string) => arrival(name).promise;

/** How many bytes the model would have to fetch, of those that a reader should be asked for. */
export async function missingBytes(name: string) {
  return name === "encoder" && !arrival(name).loaded ? (await siteModule("encoder.js")).missingBytes() : 0;
}

function arrival(name: string) {
  const known = arrivals.get(name);
  if (known) return known;
  let fulfil = () => {};
  const promise = new Promise<void>((done) => (fulfil = done));
  const made = { promise, fulfil, loaded: false };
  arrivals.set(name, made);
  return made;
}

function makeOnce(name: string, progress: Progress): Promise<HeadModel> {
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

async function loadTranslator(variant: string, attention: string, progress: Progress) {
  const file = `translator-${variant}.safetensors.gz`;
  const [{ Translator }, weights] = await Promise.all([siteModule("translator.js"), once(file, () => fetchTensors(file, progress))]);
  return new Translator(weights, attention);
}

const loadTaught = async (progress: Progress) => (await loadModel("focus", progress)) as FocusModel;

/** What `make` promises, made once; a failure is forgotten, so that a reader can try again. */
function once<Made>(key: string, make: () => Promise<Made>): Promise<Made> {
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

const siteModule = (name: string) => importScript(`./${name}`, import.meta.url);

const fetchTensors = async (name: string, progress?: Progress) => readAs(await fetchFile(name, progress), readSafetensors);

/** The bytes of one file of this site, unpacked. */
async function fetchFile(name: string, progress: Progress = () => {}) {
  const url = new URL(`./models/${name}`, import.meta.url);
  const onProgress = (done: number, total: number) => total && progress(Math.min(done, total), total);
  return unpacked(await download(url, { onProgress }));
}
