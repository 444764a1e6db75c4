// The renderer's pure part, in Node: no DOM is needed, and none may be touched by the import.
import assert from "node:assert/strict";
import test from "node:test";
import { alignTokens, attentionMoved, decodeMap, isPiece, isSpecial, modelLabel, percent, queryWeights }
  from "../src/manyheads/web/head-map.js";

test("a query's weights are its own, on unequal axes", () => {
  const shape = [2, 3, 5, 7];
  const weights = Float32Array.from({ length: 2 * 3 * 5 * 7 }, (_, index) => index);
  const row = queryWeights({ shape, weights }, 1, 2, 3);
  assert.deepEqual([...row], [0, 1, 2, 3, 4, 5, 6].map((key) => ((1 * 3 + 2) * 5 + 3) * 7 + key));
});

test("weights arrive as numbers, bytes or codes", () => {
  const floats = Float32Array.of(9, 0.25, 0.75);
  const view = new DataView(floats.buffer, 4);
  assert.deepEqual([...decodeMap({ weights: [0.25, 0.75] }).weights], [0.25, 0.75]);
  assert.deepEqual([...decodeMap({ weights: view }).weights], [0.25, 0.75]);
  assert.deepEqual([...decodeMap({ weights: btoa("\x00\xff") }).weights], [0, 1]);
});

test("sentences are aligned by what they share", () => {
  assert.deepEqual(alignTokens(["a", "b", "c", "d"], ["a", "x", "c", "d"]), [[0, 0], [2, 2], [3, 3]]);
  assert.deepEqual(alignTokens(["a", "b"], ["z", "a", "b", "b"]), [[0, 1], [1, 2]]);
  assert.deepEqual(alignTokens([], ["a"]), []);
});

test("attention that stays where it was has not moved", () => {
  const pairs = [[0, 0], [1, 1]];
  assert.equal(attentionMoved([0.5, 0.5], [0.5, 0.5], pairs), 0);
  assert.equal(attentionMoved([1, 0], [0, 1], pairs), 1);
  assert.equal(attentionMoved([0.25, 0.75], [0.25, 0.75], [[0, 0]]), 0.75);
});

test("marks of the tokenizer are told from words", () => {
  assert.ok(isPiece("##able") && !isPiece("##") && !isPiece("able"));
  assert.ok(["[CLS]", "[SEP]", "<s>", "</s>", "<|endoftext|>"].every(isSpecial) && !isSpecial("cls"));
});

test("percents and model names are for people", () => {
  assert.deepEqual([0, 0.034, 0.5, 1].map(percent), ["0 %", "3.4 %", "50 %", "100 %"]);
  assert.deepEqual(["focus", "focus/untaught", "focus/step-40"].map(modelLabel), ["taught", "untaught", "step 40"]);
});
