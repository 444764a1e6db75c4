// The pretrained encoder in the page: 72 heads that nobody taught. This side talks to a worker, so that typing never
// stutters; encoder-worker.ts fetches, checks and computes. The files are made by sphinxext/onnx_export.py.

import { again, Fault, LONGEST_WAIT, triesOf, WHY } from "../math/faults.ts";
import { fileUrl, MANIFEST, Store } from "./encoder-files.ts";
import { download, readAs, readJson } from "./files.ts";
import type { Loading } from "./models.ts";

/** The encoder; `models.ts` calls this. */
export const load = (_variant: string, { progress }: Loading) => Encoder.load({ progress });

/** How many bytes a first sentence would have to fetch: 0 where an earlier visit kept all files. */
export async function missingBytes(base = new URL("./models/", import.meta.url)) {
  const store = new Store();
  const url = new URL(MANIFEST, base);
  const kept = await store.match(url);
  const bytes = await download(url, { cache: "no-cache" }).catch(async (fault) => {
    if (!kept) throw fault;
    return new Uint8Array(await kept.arrayBuffer());
  });
  const all = readAs(bytes, (file) => Object.values<EncoderFile>(readJson(file).files));
  const missing = await Promise.all(all.map(async (file) => ((await store.match(fileUrl(file, base))) ? 0 : file.packed)));
  return missing.reduce((a, b) => a + b);
}

let starts = triesOf(import.meta.url); // that failed

/** A worker of a script that may lie on another host, from which browsers start none: one of ours that imports it. */
function startWorker(url: URL) {
  try {
    return new Worker(url.origin === globalThis.origin ? url : addressOf(`import ${JSON.stringify(url.href)};`), { type: "module" });
  } catch {
    throw new Fault(WHY.worker);
  }
}

/** An address for a script; in a sandboxed frame, which has no origin, browsers read no blob as a module. */
function addressOf(script: string) {
  if (globalThis.origin === "null") return `data:text/javascript,${encodeURIComponent(script)}`;
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/** A sentence whose map is wanted. */
interface Request {
  sentence: string;
  headMask: HeadMask;
  states: boolean;
  signal?: AbortSignal;
  resolve: (map: any) => void;
  reject: (reason: any) => void;
}

interface LoadOptions {
  base?: URL | string;
  progress?: Progress;
  patience?: number;
}

export class Encoder {
  name: string;
  numLayers: number;
  numHeads: number;
  headNames: string[];
  maxTokens: number;
  #worker: Worker;
  #waiting: Request[] = []; // that the worker has not seen yet
  #running: Request | undefined; // the one that it computes
  #broken: Error | null = null; // why nothing more can be computed

  /**
   * Fetches the model and starts it. `progress(done, total)` counts bytes, of all files together. Fails with a `Fault`,
   * whose message is half a sentence for the reader; a new call tries again, and what had arrived whole is not fetched
   * twice. `base` is the folder that holds `encoder.json`; a worker that says nothing for `patience` milliseconds has failed.
   */
  static async load(options: LoadOptions = {}) {
    const { base = new URL("./models/", import.meta.url), progress = () => {}, patience = LONGEST_WAIT } = options;
    if (!globalThis.WebAssembly) throw new Fault(WHY.engine);
    const worker = startWorker(new URL(`./encoder-worker.js${again(starts)}`, import.meta.url));
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const facts = await new Promise<EncoderFacts>((resolve, reject) => {
        const wait = () => {
          clearTimeout(timer);
          timer = setTimeout(() => reject(new Fault(WHY.absent)), patience);
        };
        wait();
        worker.onmessage = ({ data }) => {
          wait();
          if (data.progress) progress(data.progress[0], data.progress[1]);
          else if (data.error) reject(new Fault(data.error));
          else resolve(data.ready);
        };
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Fault(WHY.absent)); // its script: what goes wrong inside comes as a message
        };
        worker.postMessage({ load: String(new URL(base, import.meta.url)) });
      });
      return new Encoder(worker, facts);
    } catch (error) {
      starts++;
      worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  constructor(worker: Worker, { name, numLayers, numHeads, headNames, maxTokens }: EncoderFacts) {
    this.name = name;
    this.numLayers = numLayers;
    this.numHeads = numHeads;
    this.headNames = headNames;
    this.maxTokens = maxTokens;
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#settle(data.error ? new Fault(data.error) : null, data.map);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#broken = new Fault(WHY.stopped);
      this.#settle(this.#broken);
    };
  }

  /** Whether nothing more can be computed, since the worker stopped or was closed. */
  get broken() {
    return this.#broken !== null;
  }

  /**
   * A promise of the map of a sentence; where `states` is true, with `states`, the words' vectors after each layer, the
   * embeddings first: [layer + 1, query, width]. `headMask[layer][head]` is false for a head that is off, null for all on.
   *
   * The worker computes one request after the other. A caller that no longer wants one says so: the promise of an
   * aborted `signal` is rejected at once with its reason, by default an AbortError, and if its turn has not come it is
   * never computed. So the last keystroke wins where each aborts the one before:
   *
   *     controller?.abort();
   *     controller = new AbortController();
   *     const map = await encoder.attend(sentence, null, { signal: controller.signal });
   */
  attend(sentence: string, headMask: HeadMask = null, options: { signal?: AbortSignal, states?: boolean } = {}) {
    const { signal, states = false } = options;
    return new Promise<AttentionMap & { states?: Matrix }>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#waiting.push({ sentence, headMask, states, signal, resolve, reject });
      this.#next();
    });
  }

  /** Frees the model's memory; requests, those to come included, are rejected. */
  close() {
    this.#worker.terminate();
    this.#broken = new Fault(WHY.closed);
    this.#settle(this.#broken);
  }

  #next() {
    this.#waiting = this.#waiting.filter(({ signal }) => !signal?.aborted);
    if (this.#broken) for (const { reject } of this.#waiting.splice(0)) reject(this.#broken);
    if (this.#running) return;
    this.#running = this.#waiting.shift();
    if (!this.#running) return;
    const { sentence, headMask, states } = this.#running;
    this.#worker.postMessage({ sentence: String(sentence), headMask, states });
  }

  #settle(error: Error | null, map?: AttentionMap) {
    const request = this.#running;
    this.#running = undefined;
    if (error) request?.reject(error);
    else request?.resolve(map);
    this.#next();
  }
}
