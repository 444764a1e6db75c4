// The state of <word-points> and where its labels have room. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import { boxOf, dotAt, drawnAt, NOWHERE, roomFor } from "../../src/manyheads/web/figures/word-points/labels.ts";
import {
  args,
  followed,
  followedWord,
  isPending,
  lastLayer,
  reduce,
  start,
  summary,
  wordsToFollow,
} from "../../src/manyheads/web/figures/word-points/state.ts";
import { differing } from "../../src/manyheads/web/views/host.ts";
import { dice, pick, walk } from "./dice.mjs";

/** Words as they're baked in: two layers of three numbers, near the first landmark. */
const written = (...words) => ({
  words,
  places: words.map((_, at) => [0, 0, 1000 * at, -1000]),
  near: words.map((_, at) => [at % 2, 1 - (at % 2)]),
});
const BAKED = {
  landmarks: written("river", "tea"),
  directions: [
    [1, 0, 0],
    [0, 1, 0],
  ],
  poles: ["left", "right"],
  heads: 2,
  readings: Object.entries({ "the bank": ["the", "bank"], "my bank": ["my", "bank"], "": [] }).map(
    ([sentence, words]) => ({ sentence, off: [], masked: [], ...written(...words) }),
  ),
};
const SENTENCES = ["the bank", "my bank", "", "a new one"];
const begin = (parts = {}) => start(null, BAKED, { sentence: "the bank", other: "my bank", word: "bank", ...parts });
const point = (text) => ({ text, places: [[0, 0], [1, 1]], near: [[0], [1]] }); // prettier-ignore

const show = (shown) => ({ type: "show", shown, whole: shown });

const anyAction = (roll) =>
  pick(roll, [
    () => ({ type: "type", part: pick(roll, ["sentence", "other"]), text: pick(roll, SENTENCES) }),
    () => ({ type: "word", word: pick(roll, ["bank", "Tea", "nowhere"]) }),
    () => ({ type: "layer", layer: roll(5) - 1 }),
    () => ({ type: pick(roll, ["take", "lend"]), parts: { sentence: pick(roll, SENTENCES), layer: roll(4) } }),
    () => ({ type: "lend", parts: pick(roll, [{ layer: 1 }, { word: "tea" }, { other: "the bank", word: "the" }]) }),
    () => show([[point("a"), point("new")], pick(roll, [[], [point("bank")]])]),
    () => ({ type: "toggle", head: roll(2) }),
    () => ({ type: "mask", word: pick(roll, ["bank", "the"]) }),
    () => ({ type: "lend", parts: pick(roll, [{ off: [[0, 1]] }, { masked: ["my"], sentence: "my bank" }]) }),
    () => ({ type: "stale", stale: roll(2) === 1 }),
  ])();

test("after any actions one word is followed wherever it is, at a layer that is there, and an answer is to what was asked", () => {
  walk(
    () => begin(),
    anyAction,
    (state, action) => ({ state: reduce(state, action) }),
    ({ before, action, after }) => {
      const asks = differing(args(before), args(after)).length > 0;
      if (["word", "layer", "show", "stale"].includes(action.type)) assert.ok(!asks);
      assert.ok(Number.isInteger(after.layer) && after.layer >= 0 && after.layer <= lastLayer(after));
      const word = followedWord(after);
      assert.ok(wordsToFollow(after).includes(word));
      const found = followed(after);
      assert.ok(found.length >= 1 && found.every((each) => each.point.text === word));
      assert.equal(new Set(found.map(({ of }) => of)).size, found.length);
      if (after.shown !== before.shown) assert.ok(!isPending(after), "what is shown anew answers to what stands there");
      if (action.type === "show") assert.ok(!after.stale && after.live);
      assert.equal(summary(after) === null, isPending(after));
      if (action.type === "type") assert.deepEqual([after[action.part], after.lent], [action.text, {}]);
    },
  );
});

test("what is baked in answers until the encoder has, and only where both sentences are", () => {
  const other = reduce(begin(), { type: "type", part: "sentence", text: "my bank" });
  assert.deepEqual(
    other.shown[0].map(({ text }) => text),
    ["my", "bank"],
  );
  const unknown = reduce(other, { type: "type", part: "other", text: "a new one" });
  assert.deepEqual([isPending(unknown), unknown.shown === other.shown], [true, true]);
  const none = reduce(unknown, { type: "type", part: "other", text: "" });
  assert.deepEqual([isPending(none), none.shown[1]], [false, []]);
  const live = reduce(none, show([[point("new")], []]));
  assert.ok(isPending(reduce(live, { type: "type", part: "sentence", text: "the bank" })));
});

test("what a phrase sets goes with the reader's next sentence; what they set by hand stays", () => {
  const run = (...actions) => actions.reduce(reduce, begin());
  const lend = { type: "lend", parts: { sentence: "my bank", other: "", word: "my", layer: 1 } };
  const of = ({ sentence, other, word, layer }) => [sentence, other, word, layer];
  assert.deepEqual(of(run(lend)), ["my bank", "", "my", 1]);
  const types = { type: "type", part: "sentence", text: "the bank" };
  assert.deepEqual(of(run(lend, types)), ["the bank", "my bank", "bank", 0]);
  assert.deepEqual(of(run(lend, { type: "layer", layer: 1 }, { type: "word", word: "tea" }, types)), ["the bank", "my bank", "tea", 1]); // prettier-ignore
});

test("a head that a phrase takes away comes back with the next sentence; those that the reader took away stay, with their switches", () => {
  const lend = { type: "lend", parts: { sentence: "my bank", layer: 1, off: [[0, 0]] } };
  const types = { type: "type", part: "sentence", text: "the bank" };
  const of = (...actions) => [lend, ...actions, types].reduce(reduce, begin());
  const { off, switches } = of();
  assert.deepEqual([off, switches], [[], false]);
  const after = of({ type: "toggle", head: 1 }, { type: "mask", word: "my" });
  assert.deepEqual([after.off, after.masked, after.switches], [[[0, 1]], ["my"], true]);
});

test("a word that's nowhere gives way to the longest, and a landmark is followed beside its namesake", () => {
  assert.equal(followedWord(begin({ word: "nowhere" })), "bank");
  assert.equal(followedWord(begin({ word: " Bank " })), "bank");
  const both = followed(reduce(begin({ word: "tea" }), show([[point("tea")], []])));
  assert.deepEqual(
    both.map(({ of }) => of),
    [0, null],
  );
  assert.match(summary(begin()), /^Nearest .* all 3 numbers, in the embeddings: “bank” in the first sentence to tea; “bank” in the second to tea\.$/); // prettier-ignore
});

test("labels never lie on one another or beyond the plane, the first get theirs first, and more room takes none away", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const roll = dice(seed);
    const dots = Array.from({ length: 80 }, () => {
      const [x, y] = drawnAt([(roll(1000) - 500) / 1000, (roll(1000) - 500) / 1000]);
      return { text: "abcdefghijkl".slice(0, 1 + roll(12)), x, y, first: roll(4) };
    });
    const rooms = roomFor(dots);
    [
      [300, 330],
      [440, 330],
      [620, 400],
    ].forEach((size, number) => {
      const boxes = dots.flatMap((dot, at) => (rooms[at].size <= number ? [boxOf(dot, rooms[at].side, size)] : []));
      for (const [at, one] of boxes.entries()) {
        assert.ok(one.left >= 0 && one.right <= size[0]);
        for (const other of boxes.slice(at + 1))
          assert.ok(one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top); // prettier-ignore
      }
    });
    const [crowded] = roomFor([...dots.map((dot) => ({ ...dot, x: 0, y: 0, first: 1 })), { ...dots[0], x: 0, y: 0, first: 0 }].reverse()); // prettier-ignore
    assert.equal(crowded.size, 0);
    assert.ok(
      rooms.some(({ size }) => size === NOWHERE),
      "eighty words are too many",
    );
  }
});

test("a press is of the nearest dot, and of none far away", () => {
  const dots = [{ text: "left", x: -1, y: 0 }, { text: "right", x: 1, y: 1 }]; // prettier-ignore
  assert.equal(dotAt(dots, [10, 50], [200, 100], 28).text, "left");
  assert.equal(dotAt(dots, [195, 4], [200, 100], 28).text, "right");
  assert.equal(dotAt(dots, [100, 50], [200, 100], 28), null);
  assert.equal(dotAt([], [0, 0], [200, 100], 28), null);
});
