// The states of figures that ask no model: what holds after any actions. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import * as blend from "../../src/manyheads/web/figures/blend-triangle/state.ts";
import * as cache from "../../src/manyheads/web/figures/growing-cache/state.ts";
import * as slider from "../../src/manyheads/web/figures/result-slider/state.ts";
import * as rotary from "../../src/manyheads/web/figures/rotary-positions/state.ts";
import * as softmax from "../../src/manyheads/web/figures/softmax-scale/state.ts";
import { pick, walk } from "./dice.mjs";

/** An element with such attributes, as far as a state reads it. */
const element = (attributes) => ({ getAttribute: (name) => attributes[name] ?? null });
const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
const walkOf = ({ reduce }, start, anyAction, check) =>
  walk(start, anyAction, (state, action) => ({ state: reduce(state, action) }), check);

test("a key and a query stay among the positions; moved together, they stay as far apart", () => {
  const move = (roll) => ({ type: "move", arrow: pick(roll, rotary.ARROWS), to: roll(rotary.LAST + 1) });
  const join = (roll) => ({ type: "join", together: roll(2) === 1 });
  walkOf(
    rotary,
    rotary.start,
    (roll) => pick(roll, [move, move, join])(roll),
    ({ before, after }) => {
      for (const arrow of rotary.ARROWS) assert.ok(after[arrow] >= 0 && after[arrow] <= rotary.LAST);
      if (before.together) assert.equal(after.key - after.query, before.key - before.query);
    },
  );
});

test("a cache computes each word once, and without one each is computed for every word after it", () => {
  const start = (roll) =>
    cache.start(element({ words: "a b c d e f".slice(0, 2 * roll(6) + 1), layers: "2", width: "4", heads: "3" }));
  const anyAction = (roll) =>
    pick(roll, [
      { type: "write" },
      { type: "write" },
      { type: "restart" },
      { type: "guess", pressed: pick(roll, [null, 0, 2]) },
      { type: "share", heads: 1 + roll(9) },
    ]);
  walkOf(cache, start, anyAction, ({ before, after }) => {
    const { count, words, guess } = after;
    assert.ok(count >= 1 && count <= words.length);
    const laid = (bricks) => sum(bricks.map(([number]) => number));
    assert.deepEqual([laid(cache.withCache(after)), laid(cache.without(after))], [count, (count * (count + 1)) / 2]);
    assert.equal(cache.bytesOf(after, 1), 2 * 2 * after.heads * 4 * 2);
    if (before.guess.stage !== "open") assert.equal(guess.pressed, before.guess.pressed, "the first guess counts");
    if (guess.stage === "plays") assert.ok(count < words.length || words.length === 1, "the last word answers");
  });
});

test("a result is shown of one of its steps, whatever is named", () => {
  const results = { name: "", steps: ["1", "2", "8"], series: [], unit: "", digits: 0, start: 1 };
  const anyAction = (roll) =>
    pick(roll, [
      { type: "go", at: roll(3) },
      { type: "take", parts: { at: pick(roll, ["1", "8", "3", ""]) } },
    ]);
  walkOf(
    slider,
    () => slider.start(null, results),
    anyAction,
    ({ before, action, after }) => {
      const wanted = action.type === "go" ? results.steps[action.at] : action.parts.at;
      const known = results.steps.includes(wanted);
      assert.equal(results.steps[after.at], known ? wanted : results.steps[before.at]);
    },
  );
});

test("the weights of a blend are never below 0 and sum to 1; one head reaches nothing outside of the triangle", () => {
  const start = () => blend.start(element({ words: "I love coffee", values: "0.2 0.1, 0 1, 1 0" }));
  const anyAction = (roll) =>
    pick(roll, [
      { type: "choose", both: roll(2) === 1 },
      { type: "move", head: roll(2), to: [roll(20) / 10 - 0.5, roll(20) / 10 - 0.5] },
    ]);
  walkOf(blend, start, anyAction, ({ after }) => {
    for (const weights of after.heads) {
      assert.ok(Math.min(...weights) >= 0);
      assert.ok(Math.abs(sum(weights) - 1) < 1e-9);
    }
    assert.ok(after.both || !blend.isReached(after));
  });
});

test("the numbers of a key stay as its width changes, and the weights of each row sum to 1", () => {
  const anyAction = (roll) => (roll(20) ? { type: "widen", at: roll(softmax.WIDTHS.length) } : { type: "roll" });
  const first = softmax.start();
  walkOf(
    softmax,
    () => first,
    anyAction,
    ({ before, action, after }) => {
      assert.equal(before.numbers === after.numbers, action.type === "widen");
      const { scores, unscaled, scaled, width } = softmax.weighed(after);
      for (const weights of [unscaled, scaled]) assert.ok(Math.abs(sum(weights) - 1) < 1e-5);
      assert.ok(Math.max(...scores.map(Math.abs)) <= (width === 512 ? after.reach : Infinity));
    },
  );
});
