// The pure parts of <word-shuffle>, in Node.
import assert from "node:assert/strict";
import test from "node:test";
import { conclusions, largestChange, shuffled, wordsOf } from "../../src/manyheads/web/figures/word-shuffle.ts";

test("words and signs come apart, letters of any script stay together", () => {
  assert.deepEqual(wordsOf("Tea, please!"), ["Tea", ",", "please", "!"]);
  assert.deepEqual(wordsOf("  I don't know naïve שלום  "), ["I", "don't", "know", "naïve", "שלום"]);
  assert.deepEqual(wordsOf(" "), []);
});

test("another order has the same words and is another order, if there is one", () => {
  const words = ["a", "b", "b"];
  for (let round = 0; round < 50; round++) {
    const order = shuffled(words);
    assert.notDeepEqual(order, words);
    assert.deepEqual([...order].sort(), words);
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
  const moved = weights.map((_, at) => weights[Math.floor(at / 9) * 9 + order[Math.floor(at / 3) % 3] * 3 + order[at % 3]]);
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
