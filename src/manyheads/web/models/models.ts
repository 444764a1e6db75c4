// The models that a page can run, by name. Their files lie on the site below this module, in the folder of its version; each is
// fetched once however many elements ask.

import { familyOf, isFile, modelLabel, nameOfFiles } from "../math/families.ts";
import { Fault, importScript } from "../math/faults.ts";
import { bytesOf, checked, download, onceMore, readAs, readJson, readSafetensors } from "./files.ts";
import type { ModelFile, Progress } from "./files.ts";
import type { DecoderModel, HeadModel, Opening } from "./head-model.ts";

/** What the script of a family gets to load a model with. */
export interface Loading {
  progress: Progress;
  signal: AbortSignal;
  loadModel: typeof loadModel;
  loadTokenizer: typeof loadTokenizer;
  once: typeof once;
  fetchTensors: typeof fetchTensors;
  siteScript: typeof siteScript;
}

/** The script of a family of models: `models/<module>.ts`. */
interface FamilyScript {
  load(variant: string, loading: Loading): Promise<HeadModel>;
  missingBytes?(): Promise<number>;
  open?(files: File[], name: string, options: Opening): Promise<OpenedModel>;
}

/** The model of a reader's file or files. */
type OpenedModel = DecoderModel & { close(): void };

const cache = new Map<string, Promise<any>>();
let openedModels: OpenedModel[] = [];
const pauses = new Map<string, AbortController>(); // by model, while it loads
const listeners = new Map<string, Set<Progress>>(); // by model
const arrivals = new Map<string, { promise: Promise<void>; fulfil: () => void; loaded: boolean }>(); // by model

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

/**
 * Opens a language model of the reader's: a GGUF file, all parts of one, or a folder of Hugging Face's. From then on `loadModel` knows it
 * by its `name`, until another one is opened, unless that is to stand `beside` it: what is closed gives its memory back.
 */
export async function openModel(files: File[], options: Opening) {
  const { open } = await familyScript("decoder");
  const stays = (each: OpenedModel) => options.beside && !each.broken;
  const name = nameOfFiles(files);
  const isTwice = openedModels.some((each) => stays(each) && each.name === name);
  const model = await open!(files, isTwice ? `${name}-2` : name, options);
  for (const before of openedModels)
    if (!stays(before)) {
      cache.delete(`model ${before.name}`);
      before.close();
    }
  openedModels = [...openedModels.filter(stays), model];
  cache.set(`model ${model.name}`, Promise.resolve(model));
  return model;
}

/** Stops the loading of a model that comes on request; the next `loadModel` goes on with what has arrived. */
export const pauseLoading = (name: string) => pauses.get(name)?.abort();

/** The axes between the senses of ambiguous words, a file of senses/head_model.py; math/senses.ts reads it. */
export const loadSenses = () => once("senses", () => fetchTensors("senses.safetensors.gz"));

/** Fulfilled once anybody on the page has loaded the model. */
export const whenLoaded = (name: string) => arrival(name).promise;

/** How many bytes the model would have to fetch, of those that a reader should be asked for. */
export async function missingBytes(name: string) {
  const family = familyOf(name);
  if (!family?.onRequest || arrival(name).loaded) return 0;
  const { missingBytes: missing } = await familyScript(family.module);
  return missing ? missing() : 0;
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
    if (isFile(name)) throw new Fault(`${modelLabel(name)} isn’t open any more. Open its file again.`);
    const family = familyOf(name);
    if (!family) throw new Fault(`There is no model called “${name}” here.`);
    const { load } = await familyScript(family.module);
    const pause = new AbortController();
    pauses.set(name, pause);
    return load(family.variant, {
      progress,
      signal: pause.signal,
      loadModel,
      loadTokenizer,
      once,
      fetchTensors,
      siteScript,
    });
  });
}

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

/** The tokenizer of the focus models and the encoder. */
async function loadTokenizer() {
  const [{ Tokenizer }, bytes] = await Promise.all([siteScript("tokenizers.min.mjs"), fetchFile("tokenizer.json.gz")]);
  return readAs(bytes, (file) => new Tokenizer(readJson(file), {}));
}

const siteScript = (name: string) => importScript(`./${name}`, import.meta.url);

const familyScript = (module: string): Promise<FamilyScript> => siteScript(`${module}.js`);

const fetchTensors = async (name: string, progress?: Progress) =>
  readAs(await fetchFile(name, progress), readSafetensors);

const modelUrl = (name: string) => new URL(`./models/${name}`, import.meta.url);

/** What this build says of the files of its models, by their names: sphinxext/assets.py lists them. */
const fetchList = () =>
  once("files", async (): Promise<Record<string, ModelFile>> =>
    readAs(await bytesOf(await download(modelUrl("files.json"))), readJson),
  );

/** The bytes of one file of this build, unpacked. */
function fetchFile(name: string, progress: Progress = () => {}) {
  const onProgress = (done: number, total: number) => total && progress(Math.min(done, total), total);
  return onceMore(async () => {
    try {
      const [packed, list] = await Promise.all([download(modelUrl(name), { onProgress }), fetchList()]);
      return await checked(packed, list[name]);
    } catch (error) {
      cache.delete("files"); // it may be what is wrong
      throw error;
    }
  });
}
