// <head-cards>: a table of heads to sort, an atlas of them, a head's card, and what leads to the live figure.
import assert from "node:assert/strict";
import test from "node:test";
import { layerAxis, pictureOf, scoreAxis } from "../../src/manyheads/web/figures/head-cards/axes.ts";
import { BEHAVIOURS } from "../../src/manyheads/web/math/names.ts";
import { baked, choose, draw, heard, isHere, key, named, press, same, texts } from "./page.mjs";
import { HOSTILE, mapModel } from "./small-models.mjs";

const SCORES = [
  { name: "previous", says: "to the token before", decimals: null },
  { name: "entropy", says: "bits", decimals: 1 },
];
const VALUES = [
  [0.2, 1.5],
  [0.9, 0.5],
  [0.4, 3.25],
  [0.9, 2],
  [0.1, 0],
  [0.6, 2.5],
]; // of two layers, three heads
const TOKENS = ["[CLS]", "un", "##able", HOSTILE, "[SEP]"];
const SENTENCES = [
  { text: `unable ${HOSTILE}`, tokens: TOKENS },
  { text: "tea", tokens: ["[CLS]", "tea", "[SEP]"] },
];
const example = (sentence, query, key) => [sentence, query, key, 0.5, 0.75];
const head = (scores, at) => ({
  layer: Math.floor(at / 3),
  head: at % 3,
  behaviour: at % 2 ? "previous" : "broad",
  scores,
  strongest: SCORES.map(() => [example(0, 2, 1), example(1, 1, 0)]),
  weakest: SCORES.map(() => example(1, null, 0)),
});
const DATA = { scores: SCORES, sentences: SENTENCES, heads: VALUES.map(head), causal: false };

const drawn = (data = DATA, before = "") =>
  draw(`${before}<head-cards for="it">${baked(data)}</head-cards>`, { focus: isHere(mapModel()) }).then(() =>
    document.querySelector("head-cards"),
  );
const order = (cards) =>
  texts(cards, "tbody th button").map((name) =>
    name
      .match(/\d/g)
      .map((digit) => digit - 1)
      .join("."),
  );
const sorted = (cards) =>
  [...cards.querySelectorAll("th[aria-sort]")].map((column) => [column.textContent, column.getAttribute("aria-sort")]);
const bars = (cards) =>
  [...cards.querySelectorAll(".hc-bars button")].map((bar) => [bar.textContent, bar.getAttribute("aria-pressed")]);
const title = (cards) => texts(cards, ".hc-card h3")[0];

test("each score sorts with the largest first, and again the other way round; names sort back", async () => {
  const cards = await drawn();
  assert.deepEqual(order(cards), ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]);
  press(cards, "entropy");
  assert.deepEqual(
    [order(cards), sorted(cards)],
    [["0.2", "1.2", "1.0", "0.0", "0.1", "1.1"], [["entropy", "descending"]]],
  );
  press(cards, "entropy");
  assert.deepEqual(
    [order(cards), sorted(cards)],
    [["1.1", "0.1", "0.0", "1.0", "1.2", "0.2"], [["entropy", "ascending"]]],
  );
  press(cards, "previous");
  assert.deepEqual(order(cards).slice(0, 3), ["0.1", "1.0", "1.2"], "equal ones in the order of the layers");
  press(cards, "head");
  assert.deepEqual([order(cards)[0], sorted(cards)], ["0.0", [["head", "ascending"]]]);
});

test("shares are written in per cent, numbers with their decimals", async () => {
  const cards = await drawn();
  assert.deepEqual(texts(cards, "tbody tr:first-child td"), ["20\u00a0%", "1.5"]);
});

test("the card of the strongest head is open and the table folded; another opens by its name", async () => {
  const cards = await drawn();
  assert.deepEqual([title(cards), cards.querySelector(".hc-all").open], ["Layer 1, head 2", false]);
  press(cards, "layer 2, head 3");
  assert.deepEqual([title(cards), texts(cards, '[aria-pressed="true"].hc-open').length], ["Layer 2, head 3", 1]);
  assert.equal(named(cards, "layer 2, head 3").getAttribute("aria-pressed"), "true");
  assert.deepEqual(bars(cards), [
    ["previous60\u00a0%3 of 6", "false"],
    ["entropy2.52 of 6", "true"], // in which it ranks best
  ]);
  assert.match(texts(cards, ".hc-says")[0], /^Bits\. /);
  assert.deepEqual([cards.querySelectorAll(".hc-card li a").length, texts(cards, ".hc-card ol + p a").length], [2, 1]);
});

test("a score that is pressed says what it is, and where the head scores most", async () => {
  const cards = await drawn();
  named(cards, "Scores").querySelector("button").click();
  assert.deepEqual(
    bars(cards).map(([, pressed]) => pressed),
    ["true", "false"],
  );
  assert.match(texts(cards, ".hc-says")[0], /^To the token before\. /);
});

test("an example marks the token that asks, and says where it looks; words that look like HTML are text", async () => {
  const cards = await drawn();
  const [first] = cards.querySelectorAll(".hc-card ol li");
  assert.deepEqual(
    [texts(first, "mark"), first.textContent],
    [["able"], `unable ${HOSTILE} 75\u00a0%, most at un (50\u00a0%)`],
  );
  assert.equal(cards.querySelectorAll("img").length, 0);
});

const MAP = '<head-map id="it" model="focus" sentence="hot tea"></head-map>';

test("the title of a card turns the live map to it; an example brings its sentence and who asks", async () => {
  const cards = await drawn(DATA, MAP);
  const map = document.querySelector("#it");
  await map.ready;
  press(cards, "layer 2, head 2");
  cards.querySelector(".hc-card h3 a").click();
  assert.deepEqual([map.enlarged, map.querySelector("input:checked").value], [{ layer: 1, head: 1 }, "matrix"]);
  cards.querySelectorAll(".hc-card ol a")[1].click();
  assert.deepEqual([map.sentence, map.query, map.attention.keyTokens], ["tea", 1, ["[CLS]", "tea", "[SEP]"]]);
});

test("arrow keys walk the rows; the table is one stop of Tab", async () => {
  const cards = await drawn();
  const stops = () => texts(cards, "tbody button:not([tabindex='-1'])");
  assert.deepEqual(stops(), ["layer 1, head 1"]);
  cards.querySelector("tbody button").focus();
  for (const arrow of ["ArrowDown", "ArrowDown"]) assert.ok(key(document.activeElement, arrow));
  same(document.activeElement, cards.querySelectorAll("tbody button")[2]);
  assert.deepEqual(stops(), ["layer 1, head 3"]);
  assert.equal(key(document.activeElement, "ArrowRight"), false);
});

const rows = (cards) =>
  [...cards.querySelectorAll(".ha-track")].map((track) => [
    track.getAttribute("aria-label"),
    ...[...track.children].map((column) => texts(column, "button").join(" ")),
  ]);

test("a row of the atlas is a kind with its picture, a column a layer, and a square says which head", async () => {
  const cards = await drawn();
  assert.deepEqual(rows(cards), [
    ["the word before", "2", "1 3"],
    ["broad", "1 3", "2"],
  ]);
  assert.deepEqual(texts(cards, ".ha-name"), ["the word before 3", "broad 3"]);
  const [picture] = cards.querySelectorAll(".ha-row .ha-picture");
  assert.deepEqual(
    [...picture.children].flatMap((cell, at) => (cell.hasAttribute("style") ? at : [])),
    [6, 13, 20, 27, 34], // each word looks at the one before
  );
});

test("across a score, heads stand where they score, and squares say of which layer", async () => {
  const cards = await drawn();
  choose(cards, "Across", 1);
  const [before] = rows(cards);
  assert.deepEqual([before[10], before[12]], ["2", "1 2"], "0.6 and 0.9, by the root of their parts of the most");
  assert.ok(named(cards, "layer 2, head 1: previous 90\u00a0%"));
});

test("a square opens its card, is the one stop of Tab, and arrow keys walk the kind and to the next kind", async () => {
  const cards = await drawn();
  const squares = [...cards.querySelectorAll(".ha-track button")];
  const square = (name) => squares.find((each) => each.getAttribute("aria-label") === name);
  square("layer 2, head 1").click();
  assert.deepEqual([title(cards), square("layer 2, head 1").getAttribute("aria-pressed")], ["Layer 2, head 1", "true"]);
  same(
    squares.filter(({ tabIndex }) => tabIndex === 0),
    square("layer 2, head 1"),
  );
  square("layer 2, head 1").focus();
  key(document.activeElement, "ArrowRight");
  same(document.activeElement, square("layer 2, head 3"));
  key(document.activeElement, "ArrowDown");
  same(document.activeElement, square("layer 2, head 2"), "in the same column");
  key(document.activeElement, "ArrowLeft");
  same(document.activeElement, square("layer 1, head 3"));
});

test("every kind of head has a picture of its own", () => {
  const drawn = Object.keys(BEHAVIOURS)
    .filter((kind) => kind !== "first") // that of a decoder's, what [CLS] is to an encoder
    .map((kind) => JSON.stringify(pictureOf(kind)));
  assert.ok(drawn.every((picture) => /0\.[2-9]|1/.test(picture)));
  assert.equal(new Set(drawn).size, drawn.length);
  assert.equal(pictureOf(null), null);
});

test("there are no more columns than fit a phone, and the last begins below the largest value", () => {
  assert.deepEqual(layerAxis([0, 1, 29]), {
    places: [0, 0, 9],
    ticks: ["1–3", "", "7–9", "", "13–15", "", "19–21", "", "25–27", ""],
  });
  const text = (value) => value.toFixed(2);
  const { places, ticks } = scoreAxis({ name: "loss", values: [-1, 0, 3], text });
  assert.deepEqual(
    [places, ticks.filter(Boolean)],
    [
      [0, 6, 11],
      ["-1.00", "-0.56", "0.78", "3.00"],
    ],
  );
  assert.deepEqual(scoreAxis({ name: "none", values: [0, 0], text }).places, [0, 0]);
});

test("the card draws the head on the sentence of its figure, and its kind where that has other heads", async () => {
  const cards = await drawn(DATA, MAP);
  const map = document.querySelector("#it");
  await map.ready;
  assert.equal(map.attention.shape[0] * map.attention.shape[1], 6);
  press(cards, "layer 2, head 2");
  assert.equal(cards.querySelectorAll(".hc-picture canvas").length, 1);
  const other = await drawn({ ...DATA, heads: DATA.heads.slice(0, 5) }, MAP);
  await document.querySelector("#it").ready;
  assert.equal(other.querySelectorAll(".hc-picture .ha-picture i").length, 36);
});

test("of more than a hundred heads the first twenty are shown, all on request", async () => {
  const heads = Array.from({ length: 120 }, (_, at) => ({
    ...head([(at % 60) / 60, at], at),
    layer: Math.floor(at / 3),
  }));
  const cards = await drawn({ ...DATA, heads });
  const rows = () => cards.querySelectorAll("tbody tr").length;
  assert.deepEqual([rows(), sorted(cards)], [20, [["previous", "descending"]]]);
  press(cards, "Show all 120 heads");
  assert.equal(rows(), 120);
  press(cards, "Show the first 20");
  assert.equal(rows(), 20);
});

test("of a decoder a head sees no more of a text than stands before the word to come; a loss turns it off", async () => {
  const tokens = [" Once", " upon", " a", " time"];
  const heads = [{ ...head([0.5], 0), strongest: [[example(0, 1, 0)]], weakest: [] }];
  const cards = await drawn(
    {
      scores: [{ name: "loss", says: "without it", decimals: 2 }],
      sentences: [{ text: "Once upon a time", tokens }],
      heads,
      causal: true,
    },
    '<next-word id="it" text="Tea"></next-word>',
  );
  const link = cards.querySelector(".hc-card ol a");
  assert.deepEqual(
    [link.textContent, link.parentElement.textContent],
    [" Once upon …", " Once upon … 0.75 before “a”, most at Once (50\u00a0%)"],
  );
  link.click();
  const figure = document.querySelector("#it");
  assert.deepEqual(
    [figure.text, texts(figure, ".nw-off span")[0], texts(figure, ".nw-chosen[aria-pressed=true]").length],
    [" Once upon", "Off: head 1 of layer 1.", 0],
  );
});

test("what a card came to is said once", async (t) => {
  const cards = await drawn();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(cards, "layer 1, head 1");
  press(cards, "layer 2, head 3");
  assert.equal(heard(cards, t.mock.timers), "Layer 2, head 3: entropy 2.5, bits; 2 of 6");
});
