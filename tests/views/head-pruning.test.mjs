// <head-pruning>: its pure parts, and what its reader sees.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, heard, named, once, texts, type, until } from "./page.mjs";
import { HOSTILE, mapModel } from "./small-models.mjs";
import {
  cosine,
  nearestOf,
  prunedText,
  sentenceVector,
} from "../../src/manyheads/web/figures/head-pruning/head-pruning.ts";

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
  const others = [
    { text: "Long.", vector: [9, 9] },
    { text: "Tea.", vector: [0, 1] },
  ];
  assert.deepEqual(nearestOf([0.1, 2], others).text, "Tea.");
});

test("what is pruned is said with the last head, counted from 1", () => {
  assert.equal(prunedText(["0.3", "5.11"], 0), "0 of 2 heads pruned.");
  assert.equal(prunedText(["0.3", "5.11"], 2), "2 of 2 heads pruned, layer 6, head 12 last.");
});

// --- the figure

const HTML = `<head-map id="it" model="encoder" sentence="hot tea"></head-map>
  <head-pruning for="it" order="0.1 1.2 0.0" others="cold tea|${HOSTILE.replaceAll("<", "&lt;")}"></head-pruning>`;

/** An encoder of two layers and three heads, whose vectors turn with each head that is off. */
const encoder = () => {
  const model = mapModel();
  const { attend } = model;
  model.attend = async (sentence, headMask, options) => {
    const map = attend(sentence, headMask);
    const [words, off] = [map.queryTokens.length, (headMask ?? []).flat().filter((on) => !on).length];
    const angle = off * 0.4 + (sentence.startsWith("hot") ? 0 : 1);
    const values = Float32Array.from({ length: 3 * words * 2 }, (_, at) =>
      at % 2 ? Math.sin(angle) : Math.cos(angle),
    );
    return options.states ? { ...map, states: { shape: [3, words, 2], values } } : map;
  };
  return { load: () => model, missingBytes: async () => 1e6 };
};

async function pruning() {
  const map = await draw(HTML, { encoder: encoder() });
  const figure = document.querySelector("head-pruning");
  assert.match(texts(figure, ".hp-left")[0], /^Load the encoder below/);
  const measured = once(document, "pruned");
  map.ready;
  await figure.ready;
  assert.deepEqual(await measured, { count: 0, similarity: figure.similarity });
  return { map, figure };
}

async function prune(figure, count) {
  type(figure, "Heads pruned", count);
  await until(() => figure.pruned === count);
}

test("nothing is pruned at first, and the sentence is like itself", async () => {
  const { figure } = await pruning();
  assert.equal(
    texts(figure, ".hp-left")[0].split(". ")[0],
    "Cosine of the sentence's vector to that with all heads: 1.00",
  );
  assert.equal(named(figure, "Heads pruned").getAttribute("aria-valuetext"), "0 of 3 heads pruned.");
});

test("the slider turns heads of the map off, in its order, and says what is left", async () => {
  const { map, figure } = await pruning();
  const told = once(document, "pruned");
  await prune(figure, 2);
  assert.equal((await told).count, 2);
  assert.deepEqual(
    [map.off, texts(figure, ".hp-pruned")[0]],
    ["0.1 1.2", "2 of 3 heads pruned, layer 2, head 3 last."],
  );
  assert.ok(Math.abs(figure.similarity - Math.cos(0.8)) < 1e-6);
  assert.match(
    texts(figure, ".hp-left")[0],
    /^Cosine .*: 0\.70\. Of 2 others, it's nearest to “cold tea” \(0\.98\)\.$/,
  );
  await prune(figure, 0);
  assert.deepEqual([map.off, figure.similarity], ["", 1]);
});

test("another sentence in the map is measured with the heads that are pruned", async () => {
  const { map, figure } = await pruning();
  await prune(figure, 1);
  type(map, "Sentence", "cold milk");
  await until(() => figure.sentence === "cold milk");
  assert.deepEqual([figure.pruned, Math.abs(figure.similarity - Math.cos(0.4)) < 1e-6], [1, true]);
});

test("what a move came to is said once", async (t) => {
  const { figure } = await pruning();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await prune(figure, 1);
  await prune(figure, 3);
  assert.equal(heard(figure, t.mock.timers), `${texts(figure, ".hp-pruned")[0]} ${texts(figure, ".hp-left")[0]}`);
});

test("a sentence that looks like HTML is text", async () => {
  const { figure } = await pruning();
  await prune(figure, 3);
  assert.equal(figure.querySelectorAll("img").length, 0);
});
