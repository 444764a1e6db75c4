// <head-birth>: two heads come into being on the reader's own text, checkpoint by checkpoint.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import {
  baked,
  draw,
  heard,
  hideTab,
  key,
  named,
  once,
  page,
  point,
  press,
  same,
  says,
  settled,
  status,
  texts,
  tick,
  type,
  until,
} from "./page.mjs";
import { weightsOf } from "./small-models.mjs";

const STEPS = [0, 50, 100];
const HISTORY = [0, 50, 100].map((step, at) => ({
  step,
  second: 4 - at,
  right: at / 2,
  previous: [0, 0.9, 1][at],
  induction: [0, 0.1, 1][at],
}));
const MOST = 20;

/**
 * A small decoder of two layers and three heads: at its last checkpoint, it expects after a character what came after it before,
 * unless head 2 of layer 1 is off.
 */
function decoder(variant) {
  const like = (tensors, { variant }) =>
    Object.assign(decoder(tensors.grown ? "" : variant), { file: { tensors: {}, metadata: { variant } } });
  return {
    name: "induction",
    numLayers: 2,
    numHeads: 3,
    headNames: ["head 1", "head 2", "head 3"],
    like,
    attend(text, headMask) {
      if (!text)
        throw Object.assign(new Error("Type a few characters, and then the same again."), {
          name: "Fault",
          word: null,
          near: [],
        });
      const all = [...text];
      const tokens = all.slice(0, MOST);
      const grown = !variant && headMask?.[0][1] !== false;
      const earlier = (at) => tokens.slice(0, at).lastIndexOf(tokens[at]);
      const weights = weightsOf([2, 3, tokens.length, tokens.length]);
      if (grown) tokens.forEach((_, at) => (weights[(tokens.length + at) * tokens.length + Math.max(at - 1, 0)] = 2)); // the previous-token head, 1.2
      tokens.forEach((_, at) => {
        // the induction head, 2.1 counted from 1
        const row = weights.subarray(
          (3 * tokens.length + at) * tokens.length,
          (3 * tokens.length + at + 1) * tokens.length,
        );
        row.fill(0);
        row[grown && earlier(at) >= 0 ? earlier(at) + 1 : 0] = 1;
      });
      return {
        queryTokens: tokens,
        keyTokens: tokens,
        shape: [2, 3, tokens.length, tokens.length],
        weights,
        headNames: ["a", "b", "c"],
        predictions: {},
        causal: true,
        notes: all.length > MOST ? [`Only the first ${MOST} of ${all.length} characters are read.`] : [],
        guesses: tokens.map((_, at) => (grown && earlier(at) >= 0 ? tokens[earlier(at) + 1] : null)),
        losses: new Float32Array(tokens.length - 1),
      };
    },
  };
}

const TEXT = "ab ab";
const EXAMPLE = decoder("step-0").attend(TEXT);
const DATA = {
  map: EXAMPLE,
  guesses: EXAMPLE.guesses,
  steps: STEPS,
  heads: { previous: [0, 1], induction: [1, 0] },
  history: HISTORY,
};

async function opened(models = { induction: { load: decoder } }) {
  return draw(`<head-birth sentence="${TEXT}">${baked(DATA)}</head-birth>`, models);
}

async function live() {
  const figure = await opened();
  await figure.ready;
  return figure;
}
const guesses = (figure) => texts(figure, ".hb-strip span").slice(1);
const result = (figure) => texts(figure, ".hb-result")[0];
const why = (figure) => texts(figure, ".hb-why")[0];
const LAST = STEPS.length - 1;

test("an example is there before any model comes", async () => {
  const figure = await opened();
  assert.deepEqual(
    [guesses(figure), result(figure)],
    [["·", "·", "·", "·"], "Where the text repeats, 0 of 1 guesses is right."],
  );
  assert.match(status(figure), /^This is a computed example\. The model loads when you point at it or touch it\.$/);
  point(figure, "pointerenter");
  await says(figure, /^Ready/);
});

test("a text typed twice is guessed once the heads are there", async () => {
  const figure = await live();
  const told = once(document, "attention");
  type(figure, "Text", "tea!tea!");
  assert.equal(await told, figure.attention);
  assert.equal(result(figure), "Where the text repeats, 0 of 3 guesses are right.");
  type(figure, "Training step", LAST);
  assert.deepEqual(
    [result(figure), named(figure, "Training step").getAttribute("aria-valuetext"), texts(figure, ".hb-step")[0]],
    ["Where the text repeats, 3 of 3 guesses are right.", "step 100", "step 100"],
  );
  assert.deepEqual(guesses(figure), ["·", "·", "·", "·", "e", "a", "!"]);
  assert.equal(figure.querySelectorAll(".hb-strip .hb-right").length, 3);
});

test("without the previous-token head the induction head is blind", async () => {
  const figure = await live();
  type(figure, "Training step", LAST);
  assert.equal(
    why(figure),
    "From “a”, character 4, the induction head looks most at “b”, character 2 (100\u00a0%). The guess: “b”.",
  );
  press(figure, "previous-token head");
  assert.equal(
    why(figure),
    "From “a”, character 4, the induction head looks most at “a”, character 1 (100\u00a0%). The guess: one that isn’t in the text.",
  );
  assert.equal(result(figure), "Where the text repeats, 0 of 1 guesses is right, with one head off.");
  assert.deepEqual(texts(figure, ".hb-state"), ["layer 1, head 2, off", "layer 2, head 1"]);
  press(figure, "previous-token head");
  assert.equal(result(figure), "Where the text repeats, 1 of 1 guesses is right.");
});

test("each guess has its reason, by pointer and by keys, and says itself to those who listen", async () => {
  const figure = await live();
  type(figure, "Training step", LAST);
  const cells = figure.querySelectorAll(".hb-strip li");
  point(cells[2]);
  assert.match(why(figure), /^From “b”, character 2, /);
  cells[3].focus();
  assert.ok(key(cells[2], "ArrowRight") || key(cells[3], "ArrowRight"));
  assert.equal(document.activeElement.getAttribute("aria-label"), "b, guessed b: right");
  same(
    [...cells].filter(({ tabIndex }) => tabIndex === 0),
    cells[4],
  );
  assert.equal(key(cells[4], "ArrowRight"), false, "there is none after the last");
});

test("in a film the curves end where the training is; else they are whole", async (t) => {
  const figure = await live();
  const curves = figure.querySelectorAll(".lc-chart")[1];
  const grows = () => curves.classList.contains("hb-grows");
  assert.ok(!grows());
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(figure, "▶ Play");
  assert.deepEqual([texts(figure, ".hb-step")[0], grows()], ["step 50", true]);
  type(figure, "Training step", 1);
  assert.ok(!grows());
  assert.equal(
    texts(figure, ".lc-chart figcaption")[1],
    "Attention where the head’s name says: previous-token 90\u00a0%, induction 10\u00a0%",
  );
});

for (const [still, pause] of [
  [false, 900],
  [true, 1000],
])
  test(`Play goes through all of the training; less motion: ${still}`, async (t) => {
    const figure = await live();
    const step = () => texts(figure, ".hb-step")[0];
    t.mock.timers.enable({ apis: ["setTimeout"] });
    page.still = still;
    press(figure, "▶ Play");
    assert.equal(step(), "step 50");
    t.mock.timers.tick(pause);
    assert.deepEqual([step(), Boolean(named(figure, "▶ Play"))], ["step 100", true]);
    press(figure, "▶ Play");
    type(figure, "Training step", 1);
    t.mock.timers.tick(9000);
    assert.equal(step(), "step 50", "a hand on the slider ends the film");
  });

test("any text is answered: none, a character, far too many, and such as has no shape", async () => {
  const figure = await live();
  type(figure, "Text", "");
  assert.match(status(figure), /Type a few characters, and then the same again\./);
  assert.deepEqual(guesses(figure).length, 4, "what was shown stays");
  type(figure, "Text", "x");
  assert.deepEqual([result(figure), why(figure)], ["Nothing repeats yet: type the same again.", ""]);
  type(figure, "Text", "0123456789".repeat(1000));
  assert.match(status(figure), /Only the first 20 of 10000 characters are read\.$/);
  type(figure, "Text", "<b> \u0007<b>🦊🦊");
  assert.deepEqual(texts(figure, ".hb-strip b"), ["<", "b", ">", "␣", "␣", "<", "b", ">", "🦊", "🦊"]);
  assert.equal(figure.querySelectorAll(".hb-strip img, .hb-strip b b").length, 0);
});

test("a text that a page or a table of its sets is read", async () => {
  const figure = await live();
  figure.sentence = "xyxy";
  assert.deepEqual([named(figure, "Text").value, figure.attention.queryTokens], ["xyxy", ["x", "y", "x", "y"]]);
  figure.begin("zz");
  assert.deepEqual([figure.sentence, figure.attention.queryTokens], ["zz", ["z", "z"]]);
});

test("a page sets a step of the stored training and heads that are off, also while the reader's own is shown", async () => {
  const figure = await live();
  const shown = () => [texts(figure, ".hb-step")[0], result(figure), texts(figure, ".hb-state")[0]];
  figure.setAttribute("step", "100");
  figure.setAttribute("off", "0.1");
  assert.deepEqual(shown(), [
    "step 100",
    "Where the text repeats, 0 of 1 guesses is right, with one head off.",
    "layer 1, head 2, off",
  ]);
  figure.setAttribute("off", "");
  assert.deepEqual(shown(), ["step 100", "Where the text repeats, 1 of 1 guesses is right.", "layer 1, head 2"]);
  press(figure, "Train it yourself");
  figure.setAttribute("step", "99");
  assert.deepEqual([shown()[0], named(figure, "Training step").closest("[hidden]")], ["step 50", null]);
});

test("what was typed while the models come is what is read", async () => {
  const loads = [];
  const figure = await opened({
    induction: { load: (variant) => new Promise((done) => loads.push(() => done(decoder(variant)))) },
  });
  point(figure, "pointerenter");
  await until(() => loads.length === STEPS.length);
  type(figure, "Text", "yes");
  for (const come of loads) come();
  await says(figure, /^Ready/);
  assert.deepEqual(figure.attention.queryTokens, ["y", "e", "s"]);
});

test("what a move came to is said once", async (t) => {
  const figure = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const at of [1, LAST]) type(figure, "Training step", at);
  assert.equal(heard(figure, t.mock.timers), "step 100: Where the text repeats, 1 of 1 guesses is right.");
});

test("what a phrase sets is heard as well", async (t) => {
  const figure = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  figure.lend({ step: "100" });
  assert.equal(heard(figure, t.mock.timers), "step 100: Where the text repeats, 1 of 1 guesses is right.");
});

test("what a change comes to is heard once it's answered, and not what stood there before", async (t) => {
  const loads = [];
  const figure = await opened({
    induction: { load: (variant) => new Promise((done) => loads.push(() => done(decoder(variant)))) },
  });
  point(figure, "pointerenter");
  await until(() => loads.length === STEPS.length);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  type(figure, "Text", "yes");
  assert.equal(heard(figure, t.mock.timers), "");
  t.mock.timers.reset();
  for (const come of loads) come();
  await says(figure, /^Ready/);
});

// --- the reader's own training

/** What a figure starts as a worker: it notes what it's asked, and reports what a test says. */
class FakeWorker {
  static all = [];
  asked = [];
  ends = false;
  constructor() {
    FakeWorker.all.push(this);
  }
  postMessage(message) {
    this.asked.push(message);
    if (message.start) this.report(0);
  }
  report(step, { grown = false, pace = 60, headMask = null, first = 3.5 } = {}) {
    this.onmessage({ data: { step, loss: { first, second: grown ? 0.2 : 3 }, tensors: { grown }, headMask, pace } });
  }
  get runs() {
    return this.asked.findLast(({ run }) => run)?.run.until > 0;
  }
  terminate() {
    this.ends = true;
  }
}
globalThis.Worker = FakeWorker;

/** A figure whose training has begun, and its worker. */
async function training(act = (figure) => press(figure, "Train it yourself")) {
  const figure = await live();
  const before = FakeWorker.all.length;
  act(figure);
  await until(() => FakeWorker.all.length > before);
  return [figure, FakeWorker.all.at(-1)];
}
const heads = (figure) => texts(figure, ".hb-all figcaption b");

test("a training of one's own shows all heads on one's own text, and names two of them after the turn", async () => {
  const [figure, worker] = await training();
  assert.deepEqual(
    worker.asked[0].start.config,
    JSON.parse(await readFile(new URL("../../src/manyheads/shared/training.json", import.meta.url))),
  );
  assert.ok(worker.runs);
  worker.report(8);
  assert.deepEqual(
    [heads(figure)[1], result(figure), status(figure)],
    [
      "layer 1, head 2",
      "Where the text repeats, 0 of 1 guesses is right.",
      "It learns from random sequences; your text is only watched.",
    ],
  );
  const told = once(document, "step");
  worker.report(130, { grown: true });
  assert.deepEqual([await told, figure.training], Array(2).fill({ step: 130, loss: { first: 3.5, second: 0.2 } }));
  assert.deepEqual(
    [heads(figure)[1], heads(figure)[3], status(figure)],
    ["previous-token head", "induction head", "At step 130, both heads were there."],
  );
  type(figure, "Text", "tea!tea!");
  assert.equal(result(figure), "Where the text repeats, 3 of 3 guesses are right.");
  press(figure.querySelectorAll(".hm-heads")[1], "previous-token head");
  assert.equal(result(figure), "Where the text repeats, 0 of 3 guesses are right, with one head off.");
  assert.deepEqual(
    [figure.training.step, heads(figure)[3]],
    [130, "induction head"],
    "a text and a switch change nothing of the training",
  );
});

test("a training is paused, goes on and starts over; it rests behind the stored one, and when the figure goes", async () => {
  const [figure, worker] = await training();
  press(figure, "❚❚ Pause");
  assert.ok(!worker.runs);
  figure.train(20);
  assert.equal(worker.asked.at(-1).run.until, 20);
  worker.report(20);
  assert.deepEqual([Boolean(named(figure, "▶ Go on")), status(figure)], [true, "The training rests."]);
  press(figure, "▶ Go on");
  press(figure, "Stored training");
  assert.ok(!worker.runs && figure.querySelector(".hb-all").hidden);
  press(figure, "Train it yourself");
  assert.deepEqual([worker.runs, figure.training.step], [true, 20], "where it was");
  figure.reset(3);
  await until(() => FakeWorker.all.at(-1) !== worker);
  const second = FakeWorker.all.at(-1);
  assert.deepEqual([worker.ends, second.asked[0].start.seed, second.runs, figure.training.step], [true, 3, false, 0]);
  worker.report(40);
  assert.equal(figure.training.step, 0, "what was ended says nothing more");
  figure.train();
  figure.remove();
  await until(() => second.ends);
  document.body.append(figure);
  press(figure, "▶ Train");
  await until(() => FakeWorker.all.at(-1) !== second);
  assert.ok(FakeWorker.all.at(-1).runs);
});

test("in a hidden tab a training goes on, nothing is computed or drawn, and who comes back reads how far it came", async () => {
  const [figure, worker] = await training();
  worker.report(40);
  const every = () => worker.asked.at(-1).run.every;
  page.still = false;
  hideTab();
  assert.ok(worker.runs);
  const seldom = every();
  const [drawn, before] = [figure.outerHTML, figure.attention];
  for (const step of [80, 200]) worker.report(step, { grown: true });
  assert.deepEqual([figure.training.step, figure.outerHTML === drawn, figure.attention === before], [200, true, true]);
  hideTab(false);
  assert.ok(worker.runs && every() < seldom);
  const went =
    "While this tab was hidden, the training went on as fast as the browser let it, from step 40 to step 200.";
  assert.equal(status(figure), `${went} By step 200, both heads were there.`);
  assert.deepEqual(
    [texts(figure, ".hb-tools .hb-step")[0], result(figure)],
    ["step 200", "Where the text repeats, 1 of 1 guesses is right."],
  );
  worker.report(220, { grown: true });
  assert.equal(status(figure), `${went} By step 200, both heads were there.`, "it stays to be read");
  press(figure, "❚❚ Pause");
  assert.equal(status(figure), "By step 200, both heads were there. Paused.");
  hideTab();
  hideTab(false);
  assert.equal(status(figure), "By step 200, both heads were there. Paused.", "it didn't go on");
});

test("an experiment is predicted, run and told; a slow device is told of kindly", async () => {
  const [figure, worker] = await training();
  worker.report(5, { first: NaN });
  worker.report(10, { pace: 400 });
  assert.doesNotMatch(figure.outerHTML, /NaN/, "what wasn't measured isn't drawn");
  assert.match(status(figure), /^Each step takes this device a while/);
  press(figure, "Only my text");
  same(document.activeElement, named(figure, "Right guesses and the two heads"));
  press(figure, "Right guesses and the two heads");
  await until(() => FakeWorker.all.at(-1) !== worker);
  const own = FakeWorker.all.at(-1);
  assert.equal(own.asked[0].start.change.text, TEXT);
  const answer = () => texts(figure, ".hb-experiments .hb-answer")[0];
  own.report(10);
  assert.equal(answer(), "You predicted: right guesses and the two heads. ");
  own.report(1000);
  assert.match(answer(), /You predicted: right guesses and the two heads\. Its loss is next to nothing/);
  press(figure, "Start over");
  await until(() => FakeWorker.all.at(-1) !== own);
  FakeWorker.all.at(-1).report(1000, { grown: true });
  assert.match(answer(), /another way here/);
});

test("a worker that fails says so, and can be tried again", async () => {
  const [figure, worker] = await training();
  worker.onerror(new Event("error"));
  assert.match(status(figure), /^The training stopped: .* Try again$/);
  await settled();
  assert.ok(worker.ends && FakeWorker.all.at(-1) === worker, "another starts when its reader says so");
  press(figure, "Try again");
  await until(() => FakeWorker.all.at(-1) !== worker);
  type(figure, "Text", "");
  press(figure, "Only my text");
  press(figure, "Neither");
  assert.match(status(figure), /^The training stopped: type a few characters first\./);
  assert.equal(figure.training.step, 0);
  assert.ok(named(figure, "▶ Train"), "without a text there is nothing to learn");
});

test("a cell of a triangle that's pressed says who wrote what its head compares", async () => {
  const asked = [];
  const tells = (variant) => {
    const model = decoder(variant);
    const attend = (...text) => ({
      ...model.attend(...text),
      scoreParts: (cell) => (
        asked.push(cell),
        { parts: ["embedding", "layer 1, b"], pairs: Float64Array.of(1, 2, 0, 0) }
      ),
    });
    return { ...model, attend };
  };
  const figure = await opened({ induction: { load: tells } });
  await figure.ready;
  const [previous] = figure.querySelectorAll(".hb-triangle canvas");
  const at = (query, hit) =>
    previous.dispatchEvent(
      new PointerEvent("click", { bubbles: true, clientX: (hit + 0.5) * 160, clientY: (query + 0.5) * 60 }),
    );
  at(1, 3);
  assert.equal(figure.querySelector(".why-there").open, false, "there is no looking ahead");
  at(4, 2);
  assert.deepEqual(asked.at(-1), { layer: 0, head: 1, query: 4, key: 2 });
  assert.match(
    texts(figure, ".wt-lead")[0],
    /^In layer 1, b, the score of “b” with “␣” is \+3\.00\. In the key, what layer 1, b wrote counts most: \+2\.00\.$/,
  );
  point(figure.querySelectorAll(".hb-strip li")[4]);
  assert.deepEqual(
    asked.at(-1),
    { layer: 1, head: 0, query: 3, key: 0 },
    "then again where the induction head looks most",
  );
});
