// <formula-steps>: the path, its steps, and every cell open to its arithmetic.
import assert from "node:assert/strict";
import test from "node:test";
import { baked, choose, draw, heard, isHere, isIdle, key, named, point, press, same, says, status, texts, tick, type } from "./page.mjs";
import { focusModel, HEADS, HOSTILE, tokensOf } from "./small-models.mjs";

const SENTENCE = "hot tea or cold milk";
async function live(attributes = "", model = focusModel()) {
  const figure = await draw(`<formula-steps model="focus" sentence="${SENTENCE}" ${attributes}></formula-steps>`, { focus: isHere(model) });
  await figure.ready;
  return figure;
}

const chosen = (figure) => figure.querySelector('[role="tab"][aria-selected="true"]').textContent;
const table = (figure, name) => figure.querySelector(`[data-matrix="${name}"] table`);
const cell = (figure, name, row, column) => table(figure, name).querySelectorAll("tbody tr")[row].querySelectorAll("td")[column];
const rowsShown = (figure, name) => [...table(figure, name).querySelectorAll("tbody tr")].filter(({ hidden }) => !hidden).map((row) => row.cells[0].textContent);
const sheet = (figure) => figure.querySelector(".fs-arithmetic");
const number = (text) => Number(text.replace("−", "-"));
const sumOf = ({ shape: [, columns], values }, row) => values.slice(row * columns, (row + 1) * columns).reduce((a, b) => a + b);

test("a sentence that is typed or set is computed, painted and told to the page", async () => {
  const figure = await live();
  let told;
  figure.parentElement.addEventListener("steps", ({ detail }) => (told = detail));
  type(figure, "Sentence", "cold tea");
  assert.equal(told, figure.steps);
  assert.deepEqual(figure.steps.tokens, tokensOf("cold tea"));
  figure.sentence = "tea";
  assert.deepEqual([figure.steps.tokens, named(figure, "Sentence").value], [tokensOf("tea"), "tea"]);
  assert.deepEqual(figure.steps.weights.shape, [3, 3]);
  assert.equal(status(figure), "Ready: computed in this page as you type.");
});

test("the steps have the matrices of the chosen head, whose weights sum to 1", async () => {
  const figure = await live('head="1"');
  const { X, Q, scores, weights, context, concat, output, head } = figure.steps;
  assert.equal(head, 1);
  assert.deepEqual([X, Q, scores, weights, context, concat, output].map(({ shape }) => shape), [[7, 6], [7, 2], [7, 7], [7, 7], [7, 2], [7, 6], [7, 6]]);
  for (let row = 0; row < 7; row++) assert.ok(Math.abs(sumOf(weights, row) - 1) < 1e-5);
});

test("Back, Next and arrow keys walk the path, and stop at its ends", async () => {
  const figure = await live();
  const names = ["1 Words", "2 Q, K, V", "3 Scores", "4 Mask", "5 Softmax", "6 Mix", "7 Concat", "8 Output", "9 Answer"];
  assert.deepEqual([isIdle(figure, "← Back"), isIdle(figure, "Next →")], [true, false]);
  const seen = [chosen(figure)];
  for (let step = 0; step < 9; step++) {
    press(figure, "Next →");
    seen.push(chosen(figure));
  }
  assert.deepEqual(seen, [...names, names[8]]);
  assert.deepEqual([isIdle(figure, "← Back"), isIdle(figure, "Next →")], [false, true]);
  figure.querySelector('[aria-selected="true"]').focus();
  for (const [pressed, name] of [["ArrowLeft", names[7]], ["Home", names[0]], ["ArrowLeft", names[0]], ["End", names[8]], ["ArrowRight", names[8]]]) {
    key(document.activeElement, pressed);
    assert.deepEqual([chosen(figure), document.activeElement.textContent], [name, name]);
  }
  assert.equal(figure.querySelectorAll('[role="tab"][tabindex="0"]').length, 1);
  assert.equal(figure.querySelector("[role=tabpanel]").getAttribute("aria-labelledby"), figure.querySelector('[aria-selected="true"]').id);
});

test("the asking word's row is shown, all rows on request", async () => {
  const figure = await live('step="scores"');
  assert.deepEqual(rowsShown(figure, "scores"), ["[CLS]"]);
  choose(figure, "Asked by", 2);
  assert.deepEqual([rowsShown(figure, "Q"), rowsShown(figure, "scores")], [["tea"], ["tea"]]);
  press(figure, "All rows");
  assert.equal(named(figure, "All rows").getAttribute("aria-pressed"), "true");
  assert.deepEqual(rowsShown(figure, "scores"), tokensOf(SENTENCE));
  press(figure, "All rows");
  assert.deepEqual(rowsShown(figure, "scores"), ["tea"]);
});

test("a pointed cell's arithmetic is written out, and adds up to what the cell says", async () => {
  const figure = await live('step="scores"');
  press(figure, "All rows");
  const open = cell(figure, "scores", 3, 2);
  point(open);
  assert.match(texts(figure, ".fs-asks")[0], /how well the key of “tea” answers the query of “or”|“tea”.*“or”/);
  const products = [...figure.querySelectorAll(".fs-terms tbody tr")].map((row) => number(row.cells[3].textContent));
  assert.equal(products.length, 2);
  const sums = texts(figure, ".fs-sums b").map(number);
  assert.ok(Math.abs(products.reduce((a, b) => a + b) - sums[0]) < 2e-4);
  assert.ok(Math.abs(sums.at(-1) - number(open.textContent)) < 0.006);
  same([...figure.querySelectorAll("td.fs-open")], open);
});

test("by keys a cell is reached, opened, read, and left again", async () => {
  const figure = await live('step="scores"');
  press(figure, "All rows");
  table(figure, "scores").querySelector('td[tabindex="0"]').focus();
  for (const pressed of [...Array(7).fill("ArrowLeft"), "ArrowDown", "ArrowRight", "ArrowRight"]) key(document.activeElement, pressed);
  const at = document.activeElement;
  same(at, cell(figure, "scores", 1, 2));
  assert.match(at.getAttribute("aria-label"), /^scores, hot, tea: −?\d/);
  assert.match(document.getElementById(at.getAttribute("aria-describedby")).textContent, /“tea”.*“hot”/);
  assert.equal(table(figure, "scores").querySelectorAll('td[tabindex="0"]').length, 1);
  key(at, "Enter");
  same(document.activeElement, sheet(figure));
  key(sheet(figure), "Escape");
  same(document.activeElement, at);
});

test("what the pointer opens goes when it leaves; what the keyboard opened comes back", async () => {
  const figure = await live('step="scores"');
  press(figure, "All rows");
  cell(figure, "scores", 1, 1).focus();
  point(cell(figure, "scores", 4, 4));
  same([...figure.querySelectorAll("td.fs-open")], cell(figure, "scores", 4, 4));
  point(figure.querySelector(".fs-stage"), "pointerleave");
  same([...figure.querySelectorAll("td.fs-open")], cell(figure, "scores", 1, 1));
});

test("the mask, padding and no scaling change what is computed, and the formula", async () => {
  const figure = await live('step="masked"');
  const scaled = [...figure.steps.scores.values];
  tick(named(figure, "Causal mask"));
  assert.equal(figure.steps.weights.values[1], 0, "the first word sees no later one");
  press(figure, "All rows");
  assert.equal(cell(figure, "masked", 0, 1).textContent, "−∞");
  tick(named(figure, "Causal mask"), false);
  tick(named(figure, "Padding"));
  assert.deepEqual([figure.steps.tokens.length, figure.steps.tokens.at(-1), figure.steps.weights.values[9]], [10, "[PAD]", 0]);
  tick(named(figure, "Padding"), false);
  tick(named(figure, "No scaling"));
  figure.steps.scores.values.forEach((score, at) => assert.ok(Math.abs(score - scaled[at] * Math.SQRT2) < 1e-4));
  press(figure, "3 Scores");
  assert.equal(figure.querySelectorAll(".fs-equation msqrt").length, 0);
});

test("flags, head, word and step are attributes as well", async () => {
  const figure = await live('causal head="2" word="3" step="weights"');
  assert.deepEqual([named(figure, "Causal mask").checked, named(figure, "Head").value, named(figure, "Asked by").value, chosen(figure)], [true, "2", "3", "5 Softmax"]);
  figure.setAttribute("step", "nowhere");
  assert.equal(chosen(figure), "1 Words");
  figure.removeAttribute("causal");
  assert.notEqual(figure.steps.weights.values[1], 0);
});

test("the parts of each answer are the heads' and sum to its logit", async () => {
  const figure = await live('step="answer"');
  assert.equal(rowsShown(figure, "parts").length, 2, "the likeliest label of each fact");
  for (const row of [...table(figure, "parts").querySelectorAll("tbody tr")]) {
    const numbers = [...row.cells].slice(1).map(({ textContent }) => number(textContent));
    assert.ok(Math.abs(numbers.slice(0, -1).reduce((a, b) => a + b) - numbers.at(-1)) < 0.03);
  }
});

test("without a word there is no answer, and every other step is answered calmly", async () => {
  const figure = await live('step="answer"');
  type(figure, "Sentence", "");
  assert.equal(figure.querySelectorAll('[role="tab"]:not([hidden])').length, 8);
  for (const tab of [...figure.querySelectorAll('[role="tab"]:not([hidden])')]) {
    tab.click();
    assert.ok(figure.querySelector("td.fs-open"), tab.textContent);
  }
  assert.deepEqual(figure.steps.tokens, ["[CLS]", "[SEP]"]);
});

test("each matrix is a table with headers: words name rows and columns", async () => {
  const figure = await live('step="scores"');
  const scores = table(figure, "scores");
  assert.equal(scores.getAttribute("aria-label"), "scores, 7 rows, 7 columns");
  assert.deepEqual(texts(scores, "thead th").slice(1), tokensOf(SENTENCE));
  assert.ok([...scores.querySelectorAll("thead th")].slice(1).every((head) => head.getAttribute("scope") === "col"));
  assert.ok([...scores.querySelectorAll("tbody th")].every((head) => head.getAttribute("scope") === "row"));
});

test("a walk goes through the products to the result", async (t) => {
  const figure = await live('step="scores"');
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(figure, "▶ Play");
  const soFar = figure.querySelector(".fs-so-far");
  assert.match(soFar.textContent, /^after 1 of 2 terms: −?\d/);
  assert.ok(!soFar.hidden && figure.querySelector(".fs-sums").hidden);
  t.mock.timers.tick(1000);
  assert.ok(soFar.hidden && !figure.querySelector(".fs-sums").hidden);
});

test("a focused cell keeps the focus while another sentence is computed", async () => {
  const figure = await live('step="X"');
  const held = table(figure, "X").querySelector('td[tabindex="0"]');
  held.focus();
  figure.sentence = "cold milk or hot tea";
  same(document.activeElement, held);
});

test("what typing came to is said once: the step, and the open cell", async (t) => {
  const figure = await live('step="weights"');
  t.mock.timers.enable({ apis: ["setTimeout"] });
  type(figure, "Sentence", "cold");
  type(figure, "Sentence", "cold tea");
  assert.match(heard(figure, t.mock.timers), /^Turn every row of scores into weights .*“\[CLS\]”.*= \d/);
});

test("an example by hand opens without a model, and can't be typed into", async () => {
  const { steps } = await live();
  const matrices = Object.fromEntries(Object.entries(steps).map(([name, value]) => [name, value?.shape ? { shape: value.shape, values: [...value.values] } : value]));
  const figure = await draw(`<formula-steps step="scores">${baked({ ...matrices, parameters: null, headNames: [HOSTILE], head: 0, status: "By hand." })}</formula-steps>`);
  await figure.ready;
  assert.deepEqual([chosen(figure), status(figure)], ["3 Scores", "By hand."]);
  for (const name of ["Sentence", "Head", "Causal mask"]) assert.throws(() => named(figure, name));
  press(figure, "All rows");
  point(cell(figure, "scores", 2, 2));
  assert.equal(figure.querySelectorAll(".fs-terms tbody tr").length, 2);
  assert.equal(figure.querySelectorAll("img").length, 0);
});

test("what is typed while a model fails to come is not lost", async () => {
  let tries = 0;
  const load = () => {
    if (tries++ === 0) throw new TypeError("fetch failed");
    return focusModel();
  };
  const figure = await draw('<formula-steps model="focus" sentence="tea"></formula-steps>', { focus: { load } });
  figure.wake();
  await says(figure, /^The model could not be loaded: something went wrong/);
  named(figure, "Sentence").value = "is this lost";
  named(figure, "Sentence").dispatchEvent(new Event("input", { bubbles: true }));
  await says(figure, /^Ready/);
  assert.deepEqual(figure.steps.tokens, tokensOf("is this lost"));
});

test("words that look like HTML are text, in names, tables and the arithmetic", async () => {
  const figure = await live('word="1"', Object.assign(focusModel(), { headNames: [HOSTILE, ...HEADS.slice(1)] }));
  type(figure, "Sentence", `${HOSTILE} tea`);
  for (const tab of figure.querySelectorAll('[role="tab"]')) tab.click();
  press(figure, "3 Scores");
  assert.ok(figure.querySelector(".fs-lead").textContent.includes(HOSTILE) && sheet(figure).textContent.includes(HOSTILE));
  assert.equal(figure.querySelectorAll("img").length, 0);
});

test("a step is never lower than the one before, so that what follows stays where it is", async (t) => {
  const figure = await live('step="X"');
  for (const [side, size] of [["offsetWidth", 700], ["offsetHeight", 480]]) {
    const own = Object.getOwnPropertyDescriptor(HTMLElement.prototype, side);
    Object.defineProperty(HTMLElement.prototype, side, { configurable: true, get: () => size });
    t.after(() => Object.defineProperty(HTMLElement.prototype, side, own));
  }
  press(figure, "Next →");
  assert.equal(figure.querySelector(".fs-step").style.minHeight, "480px");
});
