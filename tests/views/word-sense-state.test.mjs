// The state of <word-sense>: each action gives another state, and another answer is asked for where what it is made of differs. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import {
  args,
  isBehind,
  isPending,
  isRanking,
  lifted,
  reduce,
  shownLayer,
  startWith,
} from "../../src/manyheads/web/figures/word-sense/state.ts";
import { differing } from "../../src/manyheads/web/views/host.ts";
import { pick, walk } from "./dice.mjs";

const WORDS = ["bank", "bark", "bat"];
const place = (roll) => [roll(2), roll(3)];
const rankingOf = (roll) => [0, 1, 2].map((head) => ({ place: [roll(2), head], share: 0.5, moved: 1, looks: null }));

const pushes = { tokens: ["a", "bank"], places: [1], layers: [{ weights: [], pushes: [[1, 0]], rest: 0 }] };
/** What is baked in of one sentence, and of it without its first word. */
const STORED = new Map([
  [
    "bank",
    {
      word: "bank",
      senses: ["this", "that"],
      shares: [0.5, 0.8],
      layer: 1,
      pushes,
      masked: { 0: { shares: [0.5, 0.6], layers: pushes.layers } },
    },
  ],
]);

const anyAction = (roll, state) =>
  pick(roll, [
    () => ({
      type: "take",
      parts: pick(roll, [
        { sentence: pick(roll, ["", ...WORDS]) },
        { word: pick(roll, WORDS) },
        { layer: 1 },
        { wanted: ["a"], off: [[1, 0]] },
      ]),
    }),
    () => ({ type: pick(roll, ["type", "begin"]), sentence: pick(roll, ["", ...WORDS]) }),
    () => ({ type: "word", word: pick(roll, WORDS) }),
    () => ({
      type: "lend",
      parts: pick(roll, [
        { off: [[0, 1]] },
        { sentence: pick(roll, WORDS), wanted: ["a"] },
        { sentence: "bank", off: [[0, 2]] },
        { word: pick(roll, WORDS) },
        { layer: 1 },
      ]),
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
    () => ({ type: "rank" }),
    () => ({ type: "pull", head: pick(roll, [null, 1]) }),
    () => ({ type: "stale", stale: roll(2) === 1 }),
    () => ({ type: "arrows", arrows: roll(2) === 1 }),
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
      return {
        type: "show",
        sense,
        pushes,
        words: [word, "crane"],
        ...(isRanking(state) ? { ranking: rankingOf(roll) } : {}),
      };
    },
  ])();

test("after any actions the word, its ranking and the words that are masked belong to the sentence", () => {
  walk(
    (roll) => startWith({ sentence: "bank", example: "bank", stored: roll(2) ? STORED : new Map() }),
    anyAction,
    (state, action) => ({ state: reduce(state, action) }),
    ({ before, action, after }) => {
      const asks = differing(args(before), args(after)).length > 0;
      const chosen = (state) => JSON.stringify([state.sentence, state.off, state.masked]);
      if (["off", "toggle", "mask", "want", "rank"].includes(action.type)) assert.ok(asks);
      else if (["layer", "arrows", "pull", "stale"].includes(action.type)) assert.ok(!asks);
      else if (action.type === "show") assert.equal(asks, isBehind(after));
      else if (action.type === "lose") assert.equal(asks, before.masked !== after.masked || before.ranks > 0);
      else if (chosen(before) !== chosen(after) || (action.parts ?? action).word !== undefined)
        assert.ok(asks || after.followed === before.followed);
      if (after.sense !== before.sense && action.type !== "show")
        assert.ok(!after.live && after.stored.has(after.sentence), "what is baked in answers");
      if (after.sentence !== before.sentence || action.type === "lose")
        assert.deepEqual([after.ranking, after.wanted ? [] : after.masked], [[], []]);
      if (action.type === "begin") assert.deepEqual(after.off, []);
      if (chosen(before) !== chosen(after) && !asks) assert.ok(action.type === "lose" || action.ranking);
      if (isRanking(before) && ["off", "toggle", "mask", "type", "word"].includes(action.type))
        assert.ok(!isRanking(after), "what the reader does then comes instead");
      if (action.type === "show") assert.ok(!after.stale);
      if (before.sense) assert.ok(after.sense, "what is on the scale stays until something else is");
      if (action.type === "show") assert.ok(after.word === after.sense.word && after.words.includes(after.word));
      if (after.ranking !== before.ranking && after.ranking.length)
        assert.deepEqual(after.off, [], "it was made with all heads on");
      assert.equal(new Set(after.off.map(String)).size, after.off.length, "no head is off twice");
      assert.equal(new Set(after.masked).size, after.masked.length, "no word is masked twice");
      if (action.type === "mask")
        assert.deepEqual(reduce(after, action).masked, before.masked, "masked and shown again");
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
        const back = reduce(after, action).off.map(String).sort();
        assert.deepEqual(back, before.off.map(String).sort(), "turned off and on again");
      }
    },
  );
});

test("a phrase that turns a head off or points at one opens the arrows until the next sentence, a reader's press for longer", () => {
  const run = (...actions) => actions.reduce(reduce, startWith({ sentence: "the bank", word: "bank" })).arrows;
  const [off, next] = [
    { type: "lend", parts: { off: [[0, 4]] } },
    { type: "type", sentence: "a bank" },
  ];
  const open = (arrows) => ({ type: "arrows", arrows });
  assert.deepEqual([run(), run(off), run(off, next)], [false, true, false]);
  assert.deepEqual([run(off, open(true), next), run(off, open(false))], [true, false]);
  assert.deepEqual([run({ type: "toggle", place: [0, 4] }), run({ type: "lend", parts: { off: [] } })], [false, false]);
  assert.ok(run({ type: "take", parts: { off: [[0, 4]] } }), "an attribute's as well");
});

test("a head that a phrase or an attribute points at is seen until the next sentence", () => {
  const pointed = { word: null, head: 4 };
  for (const type of ["take", "lend"]) {
    const at = reduce(startWith({ sentence: "the bank", word: "bank" }), { type, parts: { pointed } });
    const next = reduce(at, { type: "type", sentence: "a bank" });
    assert.deepEqual([at.arrows, at.pointed, next.pointed.head], [true, pointed, null]);
  }
});

test("a word that the sentence lacks is read again once it's back", () => {
  const lost = reduce(startWith({ sentence: "the bank", word: "bank" }), { type: "lose" });
  assert.deepEqual([lost.word, lost.found], ["bank", false]);
});

test("what is baked in of a sentence and of its masks is shown at once, and no more once the encoder has answered", () => {
  const run = (...actions) => actions.reduce(reduce, startWith({ sentence: "the bark", word: "bark", stored: STORED }));
  const lend = { type: "lend", parts: { word: "bank", sentence: "bank", wanted: ["a"], off: [[0, 0]] } };
  const lent = run(lend);
  assert.deepEqual([lent.masked, lent.sense.shares, lifted(lent), isPending(lent)], [[0], [0.5, 0.6], [0], true]);
  const back = run(lend, { type: "off", off: [] }, { type: "mask", places: [0] });
  assert.deepEqual([back.sense.shares, isPending(back)], [[0.5, 0.8], false]);
  const shown = { type: "show", sense: { ...STORED.get("bank"), shares: [0.5, 0.7] }, pushes, words: ["bank"] };
  assert.deepEqual(run(lend, shown, { type: "off", off: [] }).sense.shares, [0.5, 0.7]);
});

test("the reader's word stays the one that is read as they type on, and no answer asks for another by naming its word", () => {
  const answer = (word) => ({
    type: "show",
    sense: { word, senses: [], shares: [], layer: 0 },
    pushes: null,
    words: [word],
  });
  const start = startWith({ sentence: "the bank", word: "bark" });
  const read = reduce(start, answer("bank"));
  assert.deepEqual([read.word, differing(args(start), args(read))], ["bank", []]);
  const typed = reduce(read, { type: "type", sentence: "the bank, the bark" });
  assert.equal(typed.followed, "bank");
  assert.ok(differing(args(typed), args(reduce(typed, { type: "word", word: "bark" }))).includes("followed"));
});
