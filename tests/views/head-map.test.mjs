// The renderer's pure part, in Node.
import assert from "node:assert/strict";
import test from "node:test";
import { withoutSpecial } from "../../src/manyheads/web/math/choosing.ts";
import { modelLabel } from "../../src/manyheads/web/math/families.ts";
import {
  alignTokens,
  attentionMoved,
  averageHeads,
  queryWeights,
  rollout,
  strongest,
} from "../../src/manyheads/web/math/maps.ts";
import { START } from "../../src/manyheads/web/math/options.ts";
import { shownMap } from "../../src/manyheads/web/math/shown.ts";
import { isPiece, isSpecial, percent } from "../../src/manyheads/web/math/text.ts";
import { decodeMap } from "../../src/manyheads/web/math/wire.ts";
import { drawHead } from "../../src/manyheads/web/views/pixels.ts";

test("a query's weights are its own, on unequal axes", () => {
  const shape = [2, 3, 5, 7];
  const weights = Float32Array.from({ length: 2 * 3 * 5 * 7 }, (_, index) => index);
  const row = queryWeights({ shape, weights }, 1, 2, 3);
  assert.deepEqual(
    [...row],
    [0, 1, 2, 3, 4, 5, 6].map((key) => ((1 * 3 + 2) * 5 + 3) * 7 + key),
  );
});

test("weights arrive as numbers or digits", () => {
  assert.deepEqual([...decodeMap({ weights: [0.25, 0.75] }).weights], [0.25, 0.75]);
  assert.deepEqual([...decodeMap({ shape: [1, 1, 1, 2], weights: "!}}" }).weights], [0, 1]);
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

test("marks of the tokenizer are told from words", () => {
  assert.ok(isPiece("##able") && !isPiece("##") && !isPiece("able"));
  assert.ok(["[CLS]", "[SEP]", "<s>", "</s>", "<|endoftext|>"].every(isSpecial) && !isSpecial("cls"));
});

test("percents and model names are for people", () => {
  assert.deepEqual([0, 0.034, 0.5, 1].map(percent), ["0\u00a0%", "3.4\u00a0%", "50\u00a0%", "100\u00a0%"]);
  assert.deepEqual(["focus", "focus/untaught", "focus/step-40"].map(modelLabel), ["taught", "untaught", "step 40"]);
});

/** Two layers, three heads, tokens with special ones at the ends; rows sum to 1. */
function example(length = 5) {
  const tokens = ["[CLS]", "tea", "or", "coffee", "[SEP]"].slice(0, length);
  const weights = Float32Array.from({ length: 6 * length * length }, (_, at) => ((at * 7) % 11) + 1);
  for (let row = 0; row < weights.length; row += length) {
    const sum = weights.subarray(row, row + length).reduce((a, b) => a + b);
    for (let at = row; at < row + length; at++) weights[at] /= sum;
  }
  return {
    queryTokens: tokens,
    keyTokens: tokens,
    shape: [2, 3, length, length],
    weights,
    headNames: ["a", "b", "c"],
    notes: [],
  };
}

const rowSums = ({ weights, shape: [, , , keys] }) =>
  Array.from({ length: weights.length / keys }, (_, row) =>
    weights.subarray(row * keys, (row + 1) * keys).reduce((a, b) => a + b),
  );

test("special tokens go, and rows sum to 1 again", () => {
  const { shape, keyTokens, queries, weights, ...map } = withoutSpecial(example());
  assert.deepEqual(
    [shape, keyTokens, queries],
    [
      [2, 3, 3, 3],
      ["tea", "or", "coffee"],
      [1, 2, 3],
    ],
  );
  for (const sum of rowSums({ weights, shape })) assert.ok(Math.abs(sum - 1) < 1e-6);
  const [before, after] = [queryWeights(example(), 1, 2, 3), queryWeights({ shape, weights }, 1, 2, 2)];
  assert.ok(Math.abs(after[0] / after[2] - before[1] / before[3]) < 1e-6, "shares among words stay");
  assert.deepEqual(map.notes, []);
});

test("where all tokens are special, they stay and the map says so", () => {
  const map = withoutSpecial(example(1));
  assert.deepEqual([map.keyTokens, map.notes], [["[CLS]"], ["There are only special tokens, so they are kept."]]);
});

test("rows that gave all to special tokens are 0, not NaN", () => {
  const map = { ...example(2), weights: Float32Array.from({ length: 24 }, (_, at) => Number(at % 2 === 0)) };
  assert.deepEqual([...withoutSpecial(map).weights], [0, 0, 0, 0, 0, 0]);
});

test("the heads' mean and rollout are maps of one head, whose rows sum to 1", () => {
  for (const map of [averageHeads(example()), rollout(example())]) {
    assert.deepEqual(map.shape, [2, 1, 5, 5]);
    for (const sum of rowSums(map)) assert.ok(Math.abs(sum - 1) < 1e-6);
  }
  assert.throws(() => rollout({ ...example(), shape: [2, 3, 3, 5] }), /3 and 5/);
});

test("what is shown is aggregated first and stripped of special tokens last; the computed map stays", () => {
  const map = example();
  const before = [...map.weights];
  const shown = shownMap(map, { ...START, view: "grid", heads: "average", special: "remove" });
  assert.deepEqual(shown.weights, withoutSpecial(averageHeads(map)).weights);
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
