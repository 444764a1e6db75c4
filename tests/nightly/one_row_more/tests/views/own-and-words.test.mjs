// An option and a view that were added as CONTRIBUTING says.
import assert from "node:assert/strict";
import test from "node:test";
import { choose, texts, tick } from "./page.mjs";
import { show } from "./map-view.mjs";

const WORDS = ["hot", "tea", "now"];
const MAP = { queryTokens: WORDS, keyTokens: WORDS, shape: [1, 1, 3, 3], headNames: ["one"] };

test("what a token gives itself goes from the map on screen, whose rows then sum to 1 again", () => {
  const { root } = show({ view: "matrix" }, MAP);
  const weights = () => [...root.querySelectorAll("td[data-weight]")].map(({ dataset }) => Number(dataset.weight));
  const before = weights();
  choose(root, "Own weight", "remove");
  const scaled = before.map((weight, at) => (at % 4 ? weight / (1 - before[4 * Math.floor(at / 3)]) : 0));
  weights().forEach((weight, at) => assert.ok(Math.abs(weight - scaled[at]) < 1e-4));
  assert.match(root.textContent, /What a token gives itself is left out\./);
  choose(root, "Own weight", "keep");
  assert.deepEqual(weights(), before);
});

test("the view is among the others, and says what the asking word looks at", () => {
  const { root } = show({ own: "remove" }, MAP);
  tick(root.querySelector("input[value=words]"));
  assert.match(texts(root, ".hm-words")[0], /^hot looks at (tea|now)$/);
});
