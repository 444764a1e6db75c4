// The renderer's pure part, in Node.
import assert from "node:assert/strict";
import test from "node:test";
import { leaveOutSpecial } from "../../src/manyheads/web/math/choosing.ts";
import {
  alignTokens,
  attentionMoved,
  averageHeads,
  queryWeights,
  strongest,
} from "../../src/manyheads/web/math/maps.ts";
import { START } from "../../src/manyheads/web/math/options.ts";
import { shownMap } from "../../src/manyheads/web/math/shown.ts";
import { drawHead } from "../../src/manyheads/web/views/pixels.ts";
import { makeMap } from "./small-models.mjs";

test("a query's weights are its own, on unequal axes", () => {
  const shape = [2, 3, 5, 7];
  const weights = Float32Array.from({ length: 2 * 3 * 5 * 7 }, (_, index) => index);
  const row = queryWeights({ shape, weights }, 1, 2, 3);
  assert.deepEqual(
    [...row],
    [0, 1, 2, 3, 4, 5, 6].map((key) => ((1 * 3 + 2) * 5 + 3) * 7 + key),
  );
});

test("sentences are aligned by what they share", () => {
  assert.deepEqual(alignTokens(["a", "b", "c", "d"], ["a", "x", "c", "d"]), [
    [0, 0],
    [2, 2],
    [3, 3],
  ]);
  assert.deepEqual(alignTokens(["a", "b"], ["z", "a", "b", "b"]), [
    [0, 1],
    [1, 2],
  ]);
  assert.deepEqual(alignTokens([], ["a"]), []);
});

test("attention that stays where it was has not moved", () => {
  const pairs = [
    [0, 0],
    [1, 1],
  ];
  assert.equal(attentionMoved([0.5, 0.5], [0.5, 0.5], pairs), 0);
  assert.equal(attentionMoved([1, 0], [0, 1], pairs), 1);
  assert.equal(attentionMoved([0.25, 0.75], [0.25, 0.75], [[0, 0]]), 0.75);
});

/** A map of a sentence with special tokens at its ends. */
function example(length = 5) {
  const tokens = ["[CLS]", "tea", "or", "coffee", "[SEP]"].slice(0, length);
  return makeMap({ queryTokens: tokens, keyTokens: tokens });
}

test("what is shown is aggregated first and stripped of special tokens last; the computed map stays", () => {
  const map = example();
  const before = [...map.weights];
  const shown = shownMap(map, { ...START, view: "grid", heads: "average", special: "remove" });
  assert.deepEqual(shown.weights, leaveOutSpecial(averageHeads(map)).weights);
  assert.ok(shown.mixed && !shownMap(map, START).mixed);
  assert.deepEqual([...map.weights], before);
});

test("the strongest lines are few, of one layer, weakest first", () => {
  const lines = strongest(example(), 1, { most: 4, least: 0.01 });
  const all = [...example().weights.subarray(75)].sort((a, b) => a - b);
  assert.deepEqual(
    lines.map(({ weight }) => weight),
    all.slice(-4),
  );
  for (const { head, query, key, weight } of lines) assert.equal(queryWeights(example(), 1, head, query)[key], weight);
  assert.ok(
    strongest(example(), 0, { most: 99, least: 0, chosen: (head) => head === 2 }).every(({ head }) => head === 2),
  );
});

test("pixels show each weight, and where there are fewer pixels, the largest of several", () => {
  const look = { colour: "#102030", off: false, dim: false, scale: "absolute" };
  const map = {
    ...example(4),
    shape: [1, 1, 4, 4],
    weights: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1),
  };
  const draw = (side) => {
    const pixels = new Uint32Array(side * side);
    drawHead(pixels, side, { x: 0, y: 0, width: side, height: side }, map, 0, 0, look);
    return [...pixels].map((pixel) => pixel >>> 24);
  };
  assert.deepEqual(draw(2), [255, 0, 0, 255]);
  assert.deepEqual(draw(4), [255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255]);
  const eight = draw(8);
  for (let y = 0; y < 8; y++)
    for (let x = 0; x < 8; x++) assert.equal(eight[8 * y + x], 255 * Number(y >> 1 === x >> 1));
});

test("dimmed special tokens leave the tint to the words", () => {
  const tokens = ["[CLS]", "tea", "or"];
  const map = {
    queryTokens: tokens,
    keyTokens: tokens,
    shape: [1, 1, 3, 3],
    weights: Float32Array.of(1, 0, 0, 0.8, 0.1, 0.1, 0.9, 0.1, 0),
  };
  const pixels = new Uint32Array(9);
  drawHead(pixels, 3, { x: 0, y: 0, width: 3, height: 3 }, map, 0, 0, {
    colour: "#000000",
    off: false,
    dim: true,
    scale: "relative",
  });
  assert.deepEqual(
    [...pixels].map((pixel) => pixel >>> 24),
    [0, 0, 0, 51, 255, 255, 51, 255, 0],
  );
});
