// The pure parts of <head-pruning>, in Node.
import assert from "node:assert/strict";
import test from "node:test";
import { cosine, nearestOf, prunedText, sentenceVector } from "../../src/manyheads/web/figures/head-pruning.ts";

test("the vector of a sentence is the mean over its words of the last layer", () => {
  const states = { shape: [2, 3, 2], values: Float32Array.of(9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6) };
  assert.deepEqual([...sentenceVector(states)], [3, 4]);
});

test("the cosine knows directions, not lengths, and nothing is alike to nothing", () => {
  assert.equal(cosine([1, 2], [2, 4]).toFixed(6), "1.000000");
  assert.equal(cosine([1, 0], [0, 3]), 0);
  assert.equal(cosine([1, 0], [-1, 0]), -1);
  assert.equal(cosine([0, 0], [1, 1]), 0);
});

test("the nearest sentence is the one at the smallest angle", () => {
  const others = [{ text: "Long.", vector: [9, 9] }, { text: "Tea.", vector: [0, 1] }];
  assert.deepEqual(nearestOf([0.1, 2], others).text, "Tea.");
});

test("what is pruned is said with the last head, counted from 1", () => {
  assert.equal(prunedText(["0.3", "5.11"], 0), "0 of 2 heads pruned.");
  assert.equal(prunedText(["0.3", "5.11"], 2), "2 of 2 heads pruned, layer 6, head 12 last.");
});
