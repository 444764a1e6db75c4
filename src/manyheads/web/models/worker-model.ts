// A model that computes in a worker: how the page starts it, and how it answers one request after the other.

import { again, Fault, longestWait, triesOf, WHY } from "../math/faults.ts";
import { hostOf } from "../math/host.ts";
import type { PretrainedFacts, Progress } from "./files.ts";
import type { Header } from "./head-model.ts";

export interface LoadOptions {
  base?: URL | string;
  progress?: Progress;
  patience?: number;
  signal?: AbortSignal; // a reader pauses
  opened?: (header: Header) => void | Promise<void>; // told what a reader's file is; its weights are read once that is done
}

let starts = triesOf(import.meta.url); // that failed

/** The worker's first message: a model of the book's by its name, or a reader's files and what the page calls them. */
export type FirstMessage = { load: string } | { open: File[]; name: string };

/**
 * Starts a worker, which fetches a model's files, or reads one of the reader's. `progress(done, total)` counts bytes, of all files
 * together. Fails with a `Fault`, whose message is half a sentence for the reader; a new call tries again, and what had arrived whole is
 * not fetched twice. `base` is the folder that holds the list of files; a worker that says nothing for `patience` milliseconds has failed.
 */
export async function startModel<Facts>(first: FirstMessage, options: LoadOptions) {
  const {
    base = new URL("./models/", import.meta.url),
    progress = () => {},
    patience = longestWait(),
    signal,
    opened = () => {},
  } = options;
  if (!globalThis.WebAssembly) throw new Fault(WHY.engine);
  const worker = startWorker(new URL(`./model-worker.js${again(starts)}`, import.meta.url));
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const facts = await new Promise<Facts>((resolve, reject) => {
      const wait = () => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(new Fault(WHY.absent)), patience);
      };
      wait();
      const goOn = async (header: Header) => {
        clearTimeout(timer); // a reader may have to agree
        await opened(header);
        worker.postMessage({ goesOn: true });
        wait();
      };
      signal?.addEventListener("abort", () => reject(new Fault(WHY.paused)), { once: true });
      worker.onmessage = ({ data }) => {
        wait();
        if (data.progress) progress(data.progress[0], data.progress[1]);
        else if (data.opened) void goOn(data.opened).catch(reject);
        else if (data.error) reject(new Fault(data.error));
        else resolve(data.ready);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Fault(WHY.absent)); // its script: what goes wrong inside comes as a message
      };
      worker.postMessage({ ...first, base: String(new URL(base, import.meta.url)) });
    });
    return { worker, facts };
  } catch (error) {
    if (!signal?.aborted) starts++;
    worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A worker of a script that may lie on another host, from which browsers start none: one of ours that imports it. */
export function startWorker(url: URL) {
  const hosted = hostOf(url);
  try {
    if (hosted?.host.worker) return hosted.host.worker(hosted.name);
    return new Worker(url.origin === globalThis.origin ? url : addressOf(`import ${JSON.stringify(url.href)};`), {
      type: "module",
    });
  } catch {
    throw new Fault(WHY.worker);
  }
}

/** An address for a script; in a sandboxed frame, which has no origin, browsers read no blob as a module. */
function addressOf(script: string) {
  if (globalThis.origin === "null") return `data:text/javascript,${encodeURIComponent(script)}`;
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/** What is wanted of a model. */
interface Request {
  message: object;
  signal?: AbortSignal;
  resolve: (result: any) => void;
  reject: (reason: any) => void;
}

/** What computes in a worker, one request after the other. */
export class WorkerQueue {
  #worker: Worker;
  #waiting: Request[] = []; // that the worker has not seen yet
  #running: Request | undefined; // the one that it computes
  #broken: Error | null = null; // why nothing more can be computed

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#settle(data.error ? new Fault(data.error) : null, data.result);
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

  /** Frees its memory; requests, those to come included, are rejected. */
  close() {
    this.#worker.terminate();
    this.#broken = new Fault(WHY.closed);
    this.#settle(this.#broken);
  }

  /** What the worker answers to a message, once those before are answered. */
  protected request<Result>(message: object, signal?: AbortSignal) {
    return new Promise<Result>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#waiting.push({ message, signal, resolve, reject });
      this.#next();
    });
  }

  #next() {
    this.#waiting = this.#waiting.filter(({ signal }) => !signal?.aborted);
    if (this.#broken) for (const { reject } of this.#waiting.splice(0)) reject(this.#broken);
    if (this.#running) return;
    this.#running = this.#waiting.shift();
    if (this.#running) this.#worker.postMessage(this.#running.message);
  }

  #settle(error: Error | null, result?: any) {
    const request = this.#running;
    this.#running = undefined;
    if (error) request?.reject(error);
    else request?.resolve(result);
    this.#next();
  }
}

/** What a started worker says of its model. */
export type Started = Pick<PretrainedFacts, "name" | "numLayers" | "numHeads" | "headNames" | "maxTokens">;

export class WorkerModel extends WorkerQueue {
  name: string;
  numLayers: number;
  numHeads: number;
  headNames: string[];
  maxTokens: number;

  constructor(worker: Worker, { name, numLayers, numHeads, headNames, maxTokens }: Started) {
    super(worker);
    this.name = name;
    this.numLayers = numLayers;
    this.numHeads = numHeads;
    this.headNames = headNames;
    this.maxTokens = maxTokens;
  }
}
