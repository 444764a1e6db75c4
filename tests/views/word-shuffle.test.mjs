// <word-shuffle>: its pure parts, and what its reader sees.
import assert from "node:assert/strict";
import test from "node:test";
import { maskOf } from "../../src/manyheads/web/math/heads-off.ts";
import { draw, isIdle, page, press, replace, says, status, texts, type, until } from "./page.mjs";
import { HOSTILE, mapModel, slowModel } from "./small-models.mjs";
import { conclusions, largestChange, shuffled, wordsOf } from "../../src/manyheads/web/figures/word-shuffle/state.ts";

test("words and signs come apart, letters of any script stay together", () => {
  assert.deepEqual(wordsOf("Tea, please!"), ["Tea", ",", "please", "!"]);
  assert.deepEqual(wordsOf("  I don't know naïve שלום  "), ["I", "don't", "know", "naïve", "שלום"]);
  assert.deepEqual(wordsOf(" "), []);
});

test("another order has the same words and is another order, also than the one that is shown, if there is one", () => {
  const words = ["a", "b", "b"];
  for (let round = 0; round < 50; round++) {
    const order = shuffled(words);
    assert.notDeepEqual(order, words);
    assert.deepEqual([...order].sort(), words);
    assert.deepEqual(shuffled(words, ["b", "a", "b"]), ["b", "b", "a"]);
    assert.deepEqual(shuffled(["a", "b"], ["b", "a"]), ["b", "a"]);
  }
  assert.deepEqual(shuffled(["b", "b"]), ["b", "b"]);
  assert.deepEqual(shuffled([]), []);
});

// Two heads, three tokens, one of them twice; weights that all differ.
const tokens = ["a", "b", "b"];
const weights = Float32Array.from({ length: 18 }, (_, at) => at / 18);
const map = { queryTokens: tokens, weights, predictions: {} };

/** The map with tokens, rows and columns in another order; `order` says which old place comes to each new one. */
function permuted(order) {
  const moved = weights.map(
    (_, at) => weights[Math.floor(at / 9) * 9 + order[Math.floor(at / 3) % 3] * 3 + order[at % 3]],
  );
  return { queryTokens: order.map((place) => tokens[place]), weights: moved };
}

test("a map that is only permuted has not changed", () => {
  assert.equal(largestChange(map, permuted([1, 0, 2])), 0);
  assert.equal(largestChange(map, map), 0);
});

test("the largest change is found, and in the second head too", () => {
  const other = permuted([1, 2, 0]);
  other.weights[17] += 0.5;
  assert.ok(Math.abs(largestChange(map, other) - 0.5) < 1e-6);
});

test("maps of different tokens are not compared", () => {
  assert.equal(largestChange(map, { queryTokens: ["a", "b", "c"], weights }), null);
  assert.equal(largestChange(map, { queryTokens: ["a", "b"], weights: weights.slice(0, 8) }), null);
});

test("conclusions that change are named, others are not", () => {
  const one = { predictions: { mood: { good: 0.9, bad: 0.1 }, kind: { tea: 1 } } };
  const other = { predictions: { mood: { good: 0.4, bad: 0.6 }, kind: { tea: 1 } } };
  assert.deepEqual(conclusions(one, other), ["mood: good, then bad"]);
});

// --- the figure

const HTML =
  '<head-map id="it" models="focus focus/no-order" sentence="Hot tea, please!"></head-map><word-shuffle for="it"></word-shuffle>';

/** A model for which the order counts, and one for which it doesn't. */
const focus = (make) => ({
  load: (variant) =>
    make({
      attend: (sentence) => {
        const tokens = wordsOf(sentence);
        const order = variant === "no-order" ? [...tokens].sort() : tokens;
        const weights = tokens.flatMap((asks) =>
          tokens.map((word) => (order.indexOf(word) + order.indexOf(asks) + 1) / 100),
        );
        const first = variant === "no-order" ? "any" : (tokens[0] ?? "none");
        return {
          queryTokens: tokens,
          keyTokens: tokens,
          shape: [1, 1, tokens.length, tokens.length],
          weights: Float32Array.from(weights),
          headNames: ["a"],
          notes: [],
          predictions: { first: { [first]: 1 } },
        };
      },
    }),
});

async function shuffling(make = mapModel) {
  const map = await draw(HTML, { focus: focus(make) });
  const figure = document.querySelector("word-shuffle");
  await figure.ready;
  return { map, figure };
}
const changes = (figure) => texts(figure, ".ws-changes li");
const isGuessing = (figure) => changes(figure).join().endsWith(": –"); // nothing is said of a shuffle

async function shuffle(map, figure) {
  const before = map.sentence;
  press(figure, "Shuffle the words");
  await until(() => map.sentence !== before && !isGuessing(figure));
}

for (const [how, make] of [
  ["at once", mapModel],
  ["later", slowModel],
])
  test(`words are shuffled into the map, and each model's change is told, where models answer ${how}`, async () => {
    const { map, figure } = await shuffling(make);
    await shuffle(map, figure);
    assert.deepEqual(map.sentence.split(" ").sort(), ["!", ",", "Hot", "please", "tea"]);
    const [ordered, orderless] = changes(figure);
    assert.match(ordered, /^taught: a weight changes by [1-9][\d.]*\u00a0%\. /);
    assert.equal(orderless, "no order: no weight changes. No conclusion changes.");
    assert.ok(ordered.includes(map.sentence.startsWith("Hot ") ? "No conclusion changes." : "First: Hot, then "));
  });

test("heads that are off in the map stay off", async () => {
  const models = [];
  const map = await draw(HTML, { focus: { load: () => (models.push(mapModel()), models.at(-1)) } });
  const figure = document.querySelector("word-shuffle");
  await Promise.all([figure.ready, map.ready]);
  const off = (map.headMask = maskOf([[0, 1]], 2, 3));
  const before = models.map(({ calls }) => calls.length);
  await shuffle(map, figure);
  const asked = models.flatMap(({ calls }, at) => calls.slice(before[at]));
  assert.ok(asked.length >= 4);
  for (const { headMask } of asked) assert.deepEqual(headMask, off);
});

test("undone, the words stand as they were written, and nothing is told of an order", async () => {
  const { map, figure } = await shuffling();
  assert.ok(isIdle(figure, "Undo"));
  await shuffle(map, figure);
  await shuffle(map, figure);
  assert.ok(!isIdle(figure, "Undo"));
  press(figure, "Undo");
  assert.deepEqual([map.sentence, isGuessing(figure), isIdle(figure, "Undo")], ["Hot tea, please!", true, true]);
});

test("a sentence that is typed ends the comparison, and is shuffled next", async () => {
  const { map, figure } = await shuffling();
  await shuffle(map, figure);
  type(map, "Sentence", "cold milk");
  assert.ok(isGuessing(figure));
  await shuffle(map, figure);
  assert.deepEqual(map.sentence, "milk cold");
  press(figure, "Undo");
  assert.equal(map.sentence, "cold milk");
});

test("nothing, one word and words that look like HTML are shuffled calmly", async () => {
  for (const text of ["", "tea", "tea tea", `${HOSTILE} tea`, "tea ".repeat(60)]) {
    const { map, figure } = await shuffling();
    type(map, "Sentence", text);
    press(figure, "Shuffle the words");
    await until(() => !isGuessing(figure));
    assert.deepEqual(
      [changes(figure).length, figure.querySelectorAll("img").length, map.querySelectorAll("img").length],
      [2, 0, 0],
    );
  }
});

test("a model that does not come is told, and can be asked for again", async () => {
  let fails = 1;
  const { load } = focus(mapModel);
  await draw(HTML, {
    focus: {
      load: (variant) => {
        if (variant === "no-order" && fails-- > 0) throw new TypeError("fetch failed");
        return load(variant);
      },
    },
  });
  const figure = document.querySelector("word-shuffle");
  press(figure, "Shuffle the words");
  await says(figure, /^The words could not be shuffled: something went wrong/);
  press(figure, "Try again");
  await until(() => !isGuessing(figure));
  assert.deepEqual([status(figure), changes(figure).length], ["", 2]);
});

test("the word that asks goes on asking, wherever it flies", async () => {
  const { map, figure } = await shuffling();
  const asks = () => map.attention.queryTokens[map.query];
  map.query = 3;
  for (const [act, word] of [
    ["Shuffle the words", "please"],
    ["Undo", "please"],
  ]) {
    press(figure, act);
    await until(() => (act === "Undo") === isGuessing(figure));
    assert.equal(asks(), word);
  }
});

test("shuffled words travel with their colours; with less motion, they are there at once, and look the same", async (t) => {
  const { map, figure } = await shuffling();
  map.model = "focus/no-order";
  await until(() => map.computedBy === "focus/no-order");
  const cells = () => [...map.querySelectorAll("tbody td")];
  const looks = () => Object.fromEntries(cells().map(({ textContent, style }) => [textContent, style.backgroundColor]));
  const before = looks();
  let flights = [];
  const { getBoundingClientRect } = HTMLElement.prototype;
  replace(t, HTMLElement.prototype, {
    getBoundingClientRect() {
      return { ...getBoundingClientRect.call(this), left: 10 * cells().indexOf(this) };
    },
    animate([from]) {
      flights.push([this, from]);
      return { cancel() {}, finished: Promise.resolve() };
    },
  });
  page.still = false;
  const order = cells().map(({ textContent }) => textContent);
  await shuffle(map, figure);
  assert.deepEqual(looks(), before, "in a bag of words each keeps its colour");
  for (const [cell, { transform, backgroundColor }] of flights) {
    const word = cell.textContent;
    assert.equal(backgroundColor, before[word]);
    assert.equal(transform, `translate(${10 * (order.indexOf(word) - cells().indexOf(cell))}px, 0px)`);
  }
  assert.equal(flights.length, cells().filter(({ textContent }, at) => textContent !== order[at]).length);
  [page.still, flights] = [true, []];
  press(figure, "Undo");
  assert.deepEqual([flights, cells().map(({ textContent }) => textContent), looks()], [[], order, before]);
});

for (const [answer, marked] of [
  ["no", "no, right"],
  ["yes, some weights change", "yes, some weights change, your guess, wrong"],
])
  test(`a guess shuffles, and the first model answers it; it is never asked again: ${answer}`, async () => {
    const html = HTML.replace("focus focus/no-order", "focus/no-order focus");
    const map = await draw(html, { focus: focus(mapModel) });
    const figure = document.querySelector("word-shuffle");
    await figure.ready;
    press(figure, answer);
    await until(() => !isGuessing(figure));
    assert.notEqual(map.sentence, "Hot tea, please!");
    press(figure, "Undo");
    const labels = [...figure.querySelectorAll(".gs-answers button")].map((button) =>
      button.getAttribute("aria-label"),
    );
    assert.ok(labels.includes(marked) && labels.includes("no, right"));
  });
