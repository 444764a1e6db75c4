// Tints of heads and matrices, where nothing is laid out and no canvas can be painted.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";

const { GridView } = await import("../../src/manyheads/web/figures/head-map/grid.ts");
const { reduce, startWith } = await import("../../src/manyheads/web/figures/head-map/state.ts");
const { bitmapOf } = await import("../../src/manyheads/web/views/pixels.ts");
const { START } = await import("../../src/manyheads/web/math/options.ts");

const [layers, heads, count] = [2, 3, 4];
const tokens = ["coffee", "or", "tea", "water"];
const map = {
  queryTokens: tokens,
  keyTokens: tokens,
  shape: [layers, heads, count, count],
  headNames: ["a", "b", "c"],
  predictions: {},
  mixed: false,
  queries: [0, 1, 2, 3],
  askers: [0, 1, 2, 3],
  weights: Float32Array.from({ length: layers * heads * count ** 2 }, (_, at) => (at % count === 0 ? 1 : 0)),
};
const state = reduce(startWith({ ...START, view: "grid" }), { type: "show", map });

test("the grid has a picture with a square for each weight", () => {
  const stage = document.createElement("div");
  new GridView(stage, { state }).draw(map, null);
  const { width, height, pixels } = bitmapOf(stage.querySelector("canvas"));
  const side = width / (heads * count); // pixels of a weight
  assert.ok(Number.isInteger(side));
  assert.equal(height, layers * count * side);
  const opacities = Array.from({ length: width * height }, (_, at) => pixels[4 * at + 3]);
  assert.ok(opacities.every((opacity, at) => opacity === (Math.floor((at % width) / side) % count === 0 ? 255 : 0)));
  assert.equal(stage.querySelector(".hm-grid").style.getPropertyValue("--size"), "", "CSS gives the size");
  assert.equal(stage.querySelectorAll(".hm-grid button").length, layers * heads);
});

test("a picture of a text that runs from right to left does so", () => {
  const stage = document.createElement("div");
  const hebrew = { ...map, keyTokens: ["[CLS]", "אני", "אוהב", "תה"] };
  new GridView(stage, { state: { ...state, shown: { map: hebrew, compared: null } } }).draw(hebrew, null);
  const { width, pixels } = bitmapOf(stage.querySelector("canvas"));
  const side = width / (heads * count);
  assert.deepEqual(
    Array.from({ length: count }, (_, column) => pixels[4 * column * side + 3]),
    [0, 0, 0, 255],
  );
});
