// The state of <word-sense>: each action gives another state and says what has to be done. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import { isBehind, lifted, reduce, shownLayer, startWith } from "../../src/manyheads/web/figures/word-sense/state.ts";
import { pick, walk } from "./dice.mjs";

const WORDS = ["bank", "bark", "bat"];
const place = (roll) => [roll(2), roll(3)];
const rankingOf = (roll) => [0, 1, 2].map((head) => ({ place: [roll(2), head], share: 0.5, moved: 1, looks: null }));

const anyAction = (roll) =>
  pick(roll, [
    () => ({
      type: "take",
      parts: pick(roll, [{ sentence: pick(roll, ["", ...WORDS]) }, { word: pick(roll, WORDS) }]),
    }),
    () => ({ type: pick(roll, ["type", "begin"]), sentence: pick(roll, ["", ...WORDS]) }),
    () => ({ type: "word", word: pick(roll, WORDS) }),
    () => ({
      type: "lend",
      parts: pick(roll, [{ off: [[0, 1]] }, { sentence: pick(roll, WORDS), wanted: ["a"] }, { layer: 1 }]),
    }),
    () => ({
      type: "off",
      off: pick(roll, [
        [],
        [
          [0, 1],
          [1, 2],
        ],
        [
          [0, 0],
          [0, 1],
          [0, 2],
        ],
      ]),
    }),
    () => ({ type: "toggle", place: place(roll) }),
    () => ({ type: "toggle", place: place(roll) }),
    () => ({ type: "lose" }),
    () => ({ type: "layer", layer: roll(3) || null }),
    () => ({ type: "want", words: pick(roll, [[], ["a"]]) }),
    () => ({ type: "mask", places: pick(roll, [[1], [4], [5, 6]]) }),
    () => {
      const word = pick(roll, WORDS);
      const sense = { word, senses: ["this", "that"], shares: [0.5, roll(9) / 9], layer: 1 };
      const pushes = roll(3)
        ? {
            tokens: ["a", word],
            places: [1],
            layers: [0, 1].map(() => ({ weights: [], pushes: [0, 1, 2].map(() => [roll(3), 1]), rest: 1 })),
          }
        : null;
      return { type: "show", sense, pushes, words: [word, "crane"], ...(roll(2) ? { ranking: rankingOf(roll) } : {}) };
    },
  ])();

test("after any actions the word, its ranking and the words that are masked belong to the sentence", () => {
  walk(
    () => startWith({ sentence: "bank" }),
    anyAction,
    reduce,
    ({ before, action, after, needs }) => {
      const asked = (state) => JSON.stringify([state.sentence, state.word, state.off, state.masked]);
      if (["take", "type", "begin", "lend", "word", "off", "toggle", "mask", "want"].includes(action.type))
        assert.equal(needs, "compute");
      else assert.equal(needs, action.type === "show" && isBehind(after) ? "compute" : "draw");
      if (after.sentence !== before.sentence || action.type === "lose")
        assert.deepEqual([after.ranking, after.masked], [[], []]);
      if (action.type === "begin") assert.deepEqual(after.off, []);
      if (asked(before) !== asked(after) && needs === "draw")
        assert.ok(action.type === "lose" || action.ranking || after.word !== before.word);
      if (before.sense) assert.ok(after.sense, "what is on the scale stays until something else is");
      if (action.type === "show") assert.ok(after.word === after.sense.word && after.words.includes(after.word));
      if (after.ranking !== before.ranking && after.ranking.length)
        assert.deepEqual(after.off, [], "it was made with all heads on");
      assert.equal(new Set(after.off.map(String)).size, after.off.length, "no head is off twice");
      assert.equal(new Set(after.masked).size, after.masked.length, "no word is masked twice");
      if (action.type === "mask")
        assert.deepEqual(reduce(after, action).state.masked, before.masked, "masked and shown again");
      if (action.type === "show")
        assert.ok(
          !isBehind(after) || before.wanted?.length,
          "what is shown was read with these words masked, or those are masked that were wanted",
        );
      if (lifted(after).length)
        assert.ok(
          lifted(after).every((head) => after.off.some(([layer, one]) => layer === shownLayer(after) && one === head)),
        );
      if (action.type === "toggle") {
        const back = reduce(after, action).state.off.map(String).sort();
        assert.deepEqual(back, before.off.map(String).sort(), "turned off and on again");
      }
    },
  );
});

test("a word that the sentence lacks is read again once it's back", () => {
  const lost = reduce(startWith({ sentence: "the bank", word: "bank" }), { type: "lose" }).state;
  assert.deepEqual([lost.word, lost.found], ["bank", false]);
});
