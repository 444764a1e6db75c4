// A training in the page, as a figure holds it: what it asks of its worker, what it hears from it, and the model as a file.

import type { HeadMask } from "../math/attention-map.ts";
import type { Layer } from "../math/attention.ts";
import { again, triesOf } from "../math/faults.ts";
import type { Safetensors } from "../math/wire.ts";
import type { Asked, Descended } from "./descent.ts";
import type { Change, Config } from "./learner.ts";
import { startWorker, WorkerQueue } from "./worker-model.ts";
import CONFIG from "../../shared/training.json";

/** How far a training has come: the mean losses since the last report, in nats, and the weights. */
export interface Report {
  step: number;
  loss: { first: number; second: number }; // of each sequence's first copy, and of those after it
  tensors: Layer;
  headMask: HeadMask; // of the heads that don't take part yet
  pace: number; // milliseconds that one of the first ten steps took; 0 before
}

export class Training {
  #worker: Worker;

  /** Draws the weights and reports them; throws a `Fault` where no worker starts. */
  constructor(config: Config, seed: number, change: Change, hear: (report: Report) => void, failed: () => void) {
    this.#worker = trainingWorker();
    this.#worker.onmessage = ({ data }) => hear(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      failed();
    };
    this.#worker.postMessage({ start: { config, seed, change } });
  }

  /** Learns up to a step, and reports every so many milliseconds. */
  run(until: number, every: number) {
    this.#worker.postMessage({ run: { until, every } });
  }

  /** Rests after the step that it's taking. */
  pause() {
    this.run(0, 0);
  }

  /** Ends it, and frees its memory. */
  close() {
    this.#worker.terminate();
  }
}

const trainingWorker = () =>
  startWorker(new URL(`./training-worker.js${again(triesOf(import.meta.url))}`, import.meta.url));

/** The untrained model as <one-step> asks it, one request after the other. */
export class Descent extends WorkerQueue {
  constructor() {
    super(trainingWorker());
  }

  descend(asked: Omit<Asked, "config">, signal: AbortSignal) {
    return this.request<Descended>({ descend: { ...asked, config: CONFIG } }, signal);
  }
}

let descent: Descent | undefined;

/** The one that all figures of a page ask; another one where it has stopped. */
export const descentOfPage = () => (descent && !descent.broken ? descent : (descent = new Descent()));

/** A safetensors file, as `InductionModel.load` of Python reads it: twin of `readSafetensors`. */
export function writeSafetensors({ tensors, metadata }: Safetensors) {
  let end = 0;
  const entries = Object.entries(tensors).map(
    ([
      name,
      {
        shape,
        values: { byteLength },
      },
    ]) => [name, { dtype: "F32", shape, data_offsets: [end, (end += byteLength)] }],
  );
  const header = new TextEncoder().encode(JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(entries) }));
  const start = 8 + Math.ceil(header.length / 8) * 8; // numbers begin at a multiple of their size
  const bytes = new Uint8Array(start + end).fill(0x20, 8, start); // the header is filled up with spaces
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - 8), true);
  bytes.set(header, 8);
  let at = start;
  for (const { values } of Object.values(tensors)) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return bytes;
}
