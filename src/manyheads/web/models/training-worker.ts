// What a training does off the page's thread: it learns step after step, and tells the page often how far it has come. It answers
// <one-step> as well.

import { descend } from "./descent.ts";
import { Learner } from "./learner.ts";

/** What a worker has where a page has `window`. */
const worker: any = globalThis;
const FIRST = 10; // steps whose time says how fast this device is
let learner: Learner;
let until = 0; // the step at which it rests
let every = 0; // milliseconds between two reports
let busy = 0; // milliseconds that the first steps took
let runs = false;

/** Comes back here after what the page has sent, and sooner than a timer would. */
const { port1: next, port2: goOn } = new MessageChannel();

worker.onmessage = ({ data }: MessageEvent) => {
  if (data.descend) return worker.postMessage({ result: descend(data.descend) });
  if (data.start) {
    learner = new Learner(data.start.config, data.start.seed, data.start.change);
    report({ first: NaN, second: NaN });
  }
  if (!data.run) return;
  ({ until, every } = data.run);
  if (!runs && learner.step < until) next.postMessage(null);
  runs ||= learner.step < until;
};

goOn.onmessage = () => {
  const begun = performance.now();
  const sums = { first: 0, second: 0 };
  let steps = 0;
  while (learner.step < until) {
    const before = performance.now();
    learner.learn();
    if (learner.step <= FIRST) busy += performance.now() - before;
    sums.first += learner.losses.first;
    sums.second += learner.losses.second;
    steps++;
    if (performance.now() - begun >= every) break;
  }
  if (steps) report({ first: sums.first / steps, second: sums.second / steps });
  runs = learner.step < until;
  if (runs) next.postMessage(null);
};

function report(loss: { first: number; second: number }) {
  const { step, tensors, headMask } = learner;
  worker.postMessage({ step, loss, tensors, headMask, pace: step >= FIRST ? busy / FIRST : 0 });
}
