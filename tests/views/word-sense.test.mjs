// The pure parts of <word-sense>, in Node.
import assert from "node:assert/strict";
import test from "node:test";
import { COUNTS } from "../../src/manyheads/web/figures/sense-heads.ts";
import { layerName, leaning, looksAt, movedTo, unknownWord } from "../../src/manyheads/web/figures/sense-text.ts";
import { maskWithout, rankedHeads, SenseAxes, shareOf, wordPlaces } from "../../src/manyheads/web/math/senses.ts";

// Two words, two layers, vectors of three numbers.
const words = [
  { word: "bank", senses: ["money", "river"], forms: ["bank", "banks"], tokens: [["banks"], ["bank"]] },
  { word: "bark", senses: ["dog", "tree"], forms: ["bark", "barks"], tokens: [["bark", "##s"], ["bark"]] },
];
const axes = new SenseAxes({
  tensors: {
    directions: { shape: [4, 3], values: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1) },
    offsets: { shape: [2, 2], values: Float32Array.of(10, 20, 30, 40) },
  },
  metadata: { words: JSON.stringify(words), layer: "1" },
});

test("a word is known by its forms, whatever its case", () => {
  assert.equal(axes.known(" Banks ").word, "bank");
  assert.equal(axes.known("banker"), undefined);
  assert.equal(axes.layer, 1);
});

test("a word stands where a form of it is a whole word", () => {
  assert.deepEqual(wordPlaces(["[CLS]", "a", "bark", "##s", "bark"], words[1].tokens), [2, 3]);
  assert.deepEqual(wordPlaces(["bank", "##er", "bank"], words[0].tokens), [2]);
  assert.deepEqual(wordPlaces(["bank", "##er"], words[0].tokens), []);
  assert.deepEqual(axes.among(["bark", "bank"]).map(({ word }) => word), ["bank", "bark"]);
});

test("a score is the vector laid on the axis of its own word and layer, pieces averaged", () => {
  const values = Float32Array.of(1, 2, 3, 4, 5, 6, /* layer 1 */ 10, 20, 30, 40, 50, 60);
  const map = (...queryTokens) => ({ queryTokens, states: { shape: [2, 2, 3], values } });
  assert.deepEqual(axes.scores(map("the", "bank"), axes.words[0]), [14, 70]);
  assert.deepEqual(axes.scores(map("bark", "##s"), axes.words[1]), [34.5, 145]);
  assert.equal(axes.scores(map("the", "river"), axes.words[0]), null);
});

test("shares and what is said of them", () => {
  assert.equal(shareOf(0), 0.5);
  assert.equal(leaning(["money", "river"], 0.97), "97 % river");
  assert.equal(leaning(["money", "river"], 0.2), "80 % money");
  assert.deepEqual([1.23, -0.5].map((moved) => movedTo(["money", "river"], moved)), ["river 1.2", "money 0.5"]);
  assert.deepEqual([0, 3].map(layerName), ["embeddings", "layer 3"]);
  assert.match(unknownWord(["bank", "bat"]), /Try one of these: bank, bat\. .*For teachers and authors/);
});

test("heads come in the order of what their absence does, either way", () => {
  assert.deepEqual(rankedHeads(1, [[1, 3], [-4, 1.5]]), [
    { layer: 1, head: 0, moved: -5 }, { layer: 0, head: 1, moved: 2 }, { layer: 1, head: 1, moved: 0.5 }, { layer: 0, head: 0, moved: 0 },
  ]);
  assert.equal(maskWithout([], 2, 2), null);
  assert.deepEqual(maskWithout([{ layer: 1, head: 0 }], 2, 2), [[true, true], [false, true]]);
  assert.deepEqual(COUNTS, [...COUNTS].sort((a, b) => a - b));
});

test("a head looks at words: special tokens and the word itself apart", () => {
  const map = { keyTokens: ["[CLS]", "bank", "river"], shape: [1, 1, 3, 3], weights: Float32Array.of(0, 0, 0, 0.5, 0.25, 0.25, 0, 0, 0) };
  assert.deepEqual(looksAt(map, { layer: 0, head: 0 }, [1]), { word: "river", share: 0.25 });
  assert.equal(looksAt({ ...map, keyTokens: ["[CLS]", "bank", "[SEP]"] }, { layer: 0, head: 0 }, [1]), null);
});
