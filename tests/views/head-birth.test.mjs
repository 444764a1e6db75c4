// <head-birth>: two heads come into being on the reader's own text, checkpoint by checkpoint.
import assert from "node:assert/strict";
import test from "node:test";
import { baked, draw, heard, key, named, once, page, point, press, same, says, status, texts, tick, type, until } from "./page.mjs";
import { weightsOf } from "./small-models.mjs";

const STEPS = [0, 50, 100];
const HISTORY = [0, 50, 100].map((step, at) => ({ step, second: 4 - at, right: at / 2, previous: [0, 0.9, 1][at], induction: [0, 0.1, 1][at] }));
const MOST = 20;

/**
 * A small decoder of two layers and three heads: at its last checkpoint, it expects after a character what came after it before,
 * unless head 2 of layer 1 is off.
 */
function decoder(variant) {
  return { name: "induction", numLayers: 2, numHeads: 3, headNames: ["head 1", "head 2", "head 3"], attend(text, headMask) {
    if (!text) throw Object.assign(new Error("Type a few characters, and then the same again."), { name: "Fault", word: null, near: [] });
    const all = [...text];
    const tokens = all.slice(0, MOST);
    const grown = !variant && headMask?.[0][1] !== false;
    const earlier = (at) => tokens.slice(0, at).lastIndexOf(tokens[at]);
    const weights = weightsOf([2, 3, tokens.length, tokens.length]);
    tokens.forEach((_, at) => { // the induction head, 2.1 counted from 1
      const row = weights.subarray((3 * tokens.length + at) * tokens.length, (3 * tokens.length + at + 1) * tokens.length);
      row.fill(0);
      row[grown && earlier(at) >= 0 ? earlier(at) + 1 : 0] = 1;
    });
    return { queryTokens: tokens, keyTokens: tokens, shape: [2, 3, tokens.length, tokens.length], weights, headNames: ["a", "b", "c"], predictions: {}, causal: true,
      notes: all.length > MOST ? [`Only the first ${MOST} of ${all.length} characters are read.`] : [],
      guesses: tokens.map((_, at) => (grown && earlier(at) >= 0 ? tokens[earlier(at) + 1] : null)), losses: new Float32Array(tokens.length - 1) };
  } };
}

const TEXT = "ab ab";
const EXAMPLE = decoder("step-0").attend(TEXT);
const DATA = { map: { ...EXAMPLE, weights: [...EXAMPLE.weights] }, guesses: EXAMPLE.guesses, steps: STEPS, heads: { previous: [0, 1], induction: [1, 0] }, history: HISTORY };

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
  assert.deepEqual([guesses(figure), result(figure)], [["·", "·", "·", "·"], "Where the text repeats, 0 of 1 guesses is right."]);
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
  assert.deepEqual([result(figure), named(figure, "Training step").getAttribute("aria-valuetext"), texts(figure, ".hb-step")[0]],
    ["Where the text repeats, 3 of 3 guesses are right.", "step 100", "step 100"]);
  assert.deepEqual(guesses(figure), ["·", "·", "·", "·", "e", "a", "!"]);
  assert.equal(figure.querySelectorAll(".hb-strip .hb-right").length, 3);
});

test("without the previous-token head the induction head is blind", async () => {
  const figure = await live();
  type(figure, "Training step", LAST);
  assert.equal(why(figure), "From “a”, character 4, the induction head looks most at “b”, character 2 (100 %). The guess: “b”.");
  press(figure, "previous-token head");
  assert.equal(why(figure), "From “a”, character 4, the induction head looks most at “a”, character 1 (100 %). The guess: one that isn’t in the text.");
  assert.equal(result(figure), "Where the text repeats, 0 of 1 guesses is right.");
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
  same([...cells].filter(({ tabIndex }) => tabIndex === 0), cells[4]);
  assert.equal(key(cells[4], "ArrowRight"), false, "there is none after the last");
});

test("the reader predicts before the answer shows", async () => {
  const figure = await live();
  const curves = figure.querySelectorAll(".hb-chart")[1];
  assert.ok(curves.classList.contains("hb-hidden"));
  press(figure, "The induction head");
  assert.equal(texts(figure, ".hb-answer")[0],
    "You predicted: the induction head. In this training the previous-token head was half grown at step 50, the induction head at step 100.");
  assert.ok(!curves.classList.contains("hb-hidden") && figure.querySelector(".hb-question").hidden);
  same(document.activeElement, figure.querySelector(".hb-answer"));
  type(figure, "Training step", 1);
  assert.equal(texts(figure, ".hb-chart figcaption")[1], "Attention where the head’s name says: previous-token 90 %, induction 10 %");
});

for (const [still, pause] of [[false, 900], [true, 1000]]) test(`Play goes through all of the training; less motion: ${still}`, async (t) => {
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

test("a text that a page or another figure sets is read", async () => {
  const figure = await live();
  figure.sentence = "xyxy";
  assert.deepEqual([named(figure, "Text").value, figure.attention.queryTokens], ["xyxy", ["x", "y", "x", "y"]]);
  figure.type("zz");
  assert.deepEqual([figure.sentence, figure.attention.queryTokens], ["zz", ["z", "z"]]);
});

test("what was typed while the models come is what is read", async () => {
  const loads = [];
  const figure = await opened({ induction: { load: (variant) => new Promise((done) => loads.push(() => done(decoder(variant)))) } });
  figure.wake();
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

test("a cell of a triangle that's pressed says who wrote what its head compares", async () => {
  const asked = [];
  const tells = (variant) => {
    const model = decoder(variant);
    const attend = (...text) => ({ ...model.attend(...text), scoreParts: (cell) => (asked.push(cell), { parts: ["embedding", "layer 1, b"], pairs: Float64Array.of(1, 2, 0, 0) }) });
    return { ...model, attend };
  };
  const figure = await opened({ induction: { load: tells } });
  await figure.ready;
  const [previous] = figure.querySelectorAll(".hb-triangle canvas");
  const at = (query, hit) => previous.dispatchEvent(new PointerEvent("click", { bubbles: true, clientX: (hit + 0.5) * 160, clientY: (query + 0.5) * 60 }));
  at(1, 3);
  assert.equal(figure.querySelector(".why-there").open, false, "there is no looking ahead");
  at(4, 2);
  assert.deepEqual(asked.at(-1), { layer: 0, head: 1, query: 4, key: 2 });
  assert.match(texts(figure, ".wt-lead")[0], /^In layer 1, b, the score of “b” with “␣” is \+3\.00\. In the key, what layer 1, b wrote counts most: \+2\.00\.$/);
  point(figure.querySelectorAll(".hb-strip li")[4]);
  assert.deepEqual(asked.at(-1), { layer: 1, head: 0, query: 3, key: 0 }, "then again where the induction head looks most");
});
