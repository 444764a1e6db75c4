// <one-step>: a weight to turn, and steps of all weights down their slopes, which a worker takes.
import assert from "node:assert/strict";
import test from "node:test";
import {
  baked,
  draw,
  heard,
  isIdle,
  key,
  named,
  once,
  press,
  replace,
  says,
  status,
  texts,
  type,
  until,
} from "./page.mjs";

const at = (weight) => ({ weight, loss: 3 + weight ** 2 / 4, slope: weight / 2, nudged: weight / 2 });
const DATA = { seed: 0, at: 5, count: 1234, here: at(-0.5), stops: [-4, -2, 0, 2, 4].map(at) };

function opened(t, dials = "weight step rate") {
  replace(t, globalThis, { Worker: FakeWorker });
  return draw(`<one-step dials="${dials}">${baked(DATA)}</one-step>`);
}
const caption = (figure) => texts(figure, "figcaption")[0];
const slopes = (figure) => texts(figure, ".os-slopes b");
const outcome = (figure) => texts(figure, ".os-outcome")[0];
const controls = (figure) => figure.querySelectorAll("input, button").length;

/** A worker whose steps halve the loss, or double it at a rate of 10, where the fifth is lost. */
class FakeWorker {
  static all = [];
  asked = [];
  constructor() {
    FakeWorker.all.push(this);
  }
  postMessage(message) {
    this.asked.push(message.descend);
  }
  answer() {
    const { steps, tensors, stops } = this.asked.at(-1);
    const losses = [];
    let [loss, count] = [tensors?.loss ?? 4, tensors?.count ?? 0];
    let lost = false;
    for (const { rate } of steps) {
      if (lost) break;
      losses.push((loss *= rate < 10 ? 0.5 : 2));
      lost = ++count === 5 && rate === 10;
    }
    const here = { weight: lost ? NaN : 0.25, loss, slope: 0.125, nudged: 0.125 };
    const result = { tensors: { loss, count }, losses, lost, here, stops: stops.map(at) };
    this.onmessage({ data: { result } });
  }
  terminate() {}
}

/** The worker, once it was asked for something new. */
async function worker(t, act) {
  const count = () => FakeWorker.all.at(-1)?.asked.length ?? 0;
  const before = count();
  act();
  await until(() => count() > before);
  return FakeWorker.all.at(-1);
}

test("a weight is turned, by pointer and by keys: the loss and both slopes answer, and nothing is loaded", async (t) => {
  const figure = await opened(t, "weight");
  assert.equal(caption(figure), "Weight −0.50, loss of the batch 3.063 nats");
  assert.deepEqual(slopes(figure), ["−0.250", "−0.250"]);
  assert.equal(controls(figure), 1);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told = once(document, "step");
  type(figure, "One weight", 1.9);
  assert.equal(caption(figure), "Weight 2.00, loss of the batch 4.000 nats");
  assert.deepEqual(await told, { step: 0, weight: 2, loss: 4, slope: 1 });
  assert.equal(heard(figure, t.mock.timers), "Weight 2.00: loss 4.000 nats, slope 1.000.");
  const dial = named(figure, "One weight");
  key(dial, "ArrowRight");
  key(dial, "ArrowRight");
  assert.deepEqual([figure.training.weight, dial.getAttribute("aria-valuetext")], [4, "4.00"], "it ends there");
  key(dial, "ArrowLeft");
  assert.equal(figure.training.weight, 2);
  await figure.ready;
  assert.equal(FakeWorker.all.length, 0);
});

test("steps begin where the weight was turned to, go on from where they led, and start over", async (t) => {
  const figure = await opened(t, "weight step");
  assert.deepEqual([outcome(figure), isIdle(figure, "Start over"), controls(figure)], ["", true, 4]);
  type(figure, "One weight", 2);
  const computes = await worker(t, () => press(figure, "Step"));
  assert.deepEqual(computes.asked.at(-1).steps, [{ rate: 1, from: 2 }]);
  assert.deepEqual([computes.asked.at(-1).seed, computes.asked.at(-1).at, computes.asked.at(-1).tensors], [0, 5, null]);
  computes.answer();
  await until(() => outcome(figure));
  assert.equal(outcome(figure), "Step 1: the loss fell from 4.00 to 2.00 nats.");
  await worker(t, () => press(figure, "Ten steps"));
  assert.deepEqual(computes.asked.at(-1).tensors, { loss: 2, count: 1 });
  computes.answer();
  await until(() => figure.training.step === 11);
  press(figure, "Start over");
  assert.deepEqual(
    [figure.training, outcome(figure)],
    [{ step: 0, weight: -0.5, loss: at(-0.5).loss, slope: -0.25 }, ""],
  );
});

test("a rate that is too high climbs, until the weights are no numbers, which is said, and no step is left", async (t) => {
  const figure = await opened(t);
  type(figure, "Learning rate", 4);
  const computes = await worker(t, () => press(figure, "Step"));
  computes.answer();
  await until(() => outcome(figure));
  assert.equal(outcome(figure), "Step 1: the loss climbed from 3.06 to 8.00 nats. The step was too long.");
  await worker(t, () => press(figure, "Ten steps"));
  computes.answer();
  await until(() => figure.training.step === 5);
  assert.match(
    outcome(figure),
    /^Step 5 threw the weights so far that the loss isn’t a number any more\. Start over with a lower/,
  );
  assert.deepEqual(
    [isIdle(figure, "Step"), isIdle(figure, "Ten steps"), isIdle(figure, "Start over")],
    [true, true, false],
  );
});

test("a worker that fails is told, what is seen stays, and another takes the same steps", async (t) => {
  const figure = await opened(t);
  const failing = await worker(t, () => press(figure, "Step"));
  failing.onerror(new Event("error"));
  await says(figure, /^The steps could not be computed: /);
  assert.equal(figure.training.step, 0);
  press(figure, "Try again");
  await until(() => FakeWorker.all.at(-1) !== failing && FakeWorker.all.at(-1).asked.length);
  FakeWorker.all.at(-1).answer();
  await until(() => figure.training.step === 1);
  assert.equal(status(figure), "");
});
