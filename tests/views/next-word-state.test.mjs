// The state of <next-word>: each action gives another state, and what differs in it asks the model. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import {
  args,
  isWaiting,
  isWhole,
  maskIn,
  reduce,
  startWith,
  storedFor,
} from "../../src/manyheads/web/figures/next-word/state.ts";
import { differing } from "../../src/manyheads/web/views/host.ts";
import { pick, walk } from "./dice.mjs";
import { weightsOf } from "./small-models.mjs";

const WORDS = [" tea", " milk", "<F0 9F>", "<8D B5>", "<|end|>"];
const vocabulary = { endTokens: [4], wordOf: (id) => WORDS[id] };
const map = { queryTokens: ["a"], keyTokens: ["a"], shape: [2, 3, 1, 1], weights: weightsOf([2, 3, 1, 1]) };

const BOTH = [
  [0, 1],
  [1, 0],
];

/** What a model would say of a state: every word may come, one most. */
function answerTo({ text, tail, off = [], masked = false }, roll = () => 0) {
  const logits = () =>
    Float32Array.from(WORDS, (_, id) => (id === (text.length + tail.length) % WORDS.length ? 2 : roll(3) / 2));
  return {
    type: "answer",
    answer: {
      tail,
      now: { ids: [], logits: logits(), map },
      whole: isWhole({ off, masked }) ? null : logits(),
      vocabulary,
    },
  };
}

const anyAction = (roll, state) =>
  pick(roll, [
    () => answerTo(state, roll),
    () => answerTo(state, roll),
    () => ({ type: pick(roll, ["go on", "go on", "play", "stop", "back"]) }),
    () => ({ type: "write", bar: roll(2) ? roll(WORDS.length + 1) : null }),
    () => ({ type: "try", bar: roll(2) ? roll(3) : null }),
    () => ({
      type: pick(roll, ["set", "take"]),
      parts: pick(roll, [
        { text: pick(roll, ["", "a cup"]) },
        { off: [] },
        { masked: roll(2) === 1 },
        {
          off: [
            [roll(4), roll(4)],
            [0, 0],
          ],
        },
      ]),
    }),
    () => ({ type: "type", text: pick(roll, ["", "a cup"]) }),
    () => ({
      type: "lend",
      parts: pick(roll, [
        { off: [[1, 1]] },
        { text: "a cup", temperature: 0.5 },
        { layer: 1, head: roll(4), looks: true },
        { off: pick(roll, ["both", "1.2", ""]) },
      ]),
    }),
    () => ({ type: "take", parts: { text: "a cup of", tail: [2], off: [] } }), // a kernel's
    () => ({ type: "toggle", heads: pick(roll, [[[1, roll(3)]], BOTH]) }),
    () => ({
      type: "look",
      parts: pick(roll, [
        { layer: roll(3) },
        { head: roll(5) - 1 },
        { hidesFirst: true },
        { layer: pick(roll, [NaN, 0.5]) },
      ]),
    }),
    () => ({
      type: "shape",
      parts: pick(roll, [{ temperature: roll(3) }, { topK: roll(4) }, { topP: (1 + roll(4)) / 4 }]),
    }),
    () => ({ type: "seed", seed: roll(3) }),
    () => ({ type: "stale", stale: roll(2) === 1 }),
    () => ({ type: roll(8) ? "go on" : "lose" }),
  ])();

/** A story of two words, as a page has it without a model. */
const STORED = [
  {
    text: "a cup",
    off: [],
    masked: false,
    temperature: 1,
    words: [
      [" milk", 0.6],
      [" chai", 0.4],
    ],
    seed: 1,
    drawn: 1,
  },
  { text: "a cup chai", off: [], masked: false, temperature: 1, words: [[" the", 0.9]] },
];

test("after any actions what is written follows from an answer, and every step of it can be undone", () => {
  walk(
    () => startWith({ text: "a cup", stored: STORED, lists: { both: BOTH } }, [2, 3]),
    anyAction,
    (state, action) => ({ state: reduce(state, action) }),
    ({ before, action, after }) => {
      const changed = differing(args(before), args(after));
      if (changed.length && !after.tail.length && action.type !== "lose")
        assert.ok(
          isWaiting(after) || (!after.answer && storedFor(after)) || "tail" in action.parts,
          "it waits for a model, or has an answer that is stored",
        );
      if (after.phase === "asking" && !isWaiting(before))
        assert.ok(changed.length || action.type === "lose", "what is waited for was asked for");
      if (["answer", "try", "seed", "look", "stop", "stale"].includes(action.type))
        assert.deepEqual(changed, [], "nothing else asks");
      if (after.shown?.text !== before.shown?.text)
        assert.equal(action.type, "answer", "bars say which text they answer to");

      const wrote = after.earlier.length > before.earlier.length;
      if (wrote) {
        assert.ok((before.answer || storedFor(before)) && ["write", "play", "go on"].includes(action.type));
        if (typeof action.bar !== "number") {
          assert.ok(!isWaiting(before) && after.draws === before.draws + 1, "drawn from what comes after this text");
          assert.ok(after.left || !after.tail.length, "a word that is drawn has whole characters");
        }
        assert.ok(
          after.text === before.text
            ? after.tail.length === before.tail.length + 1
            : after.text.startsWith(before.text) && !after.tail.length,
        );
        const back = reduce(after, { type: "back" });
        for (const name of ["text", "tail", "draws", "earlier"]) assert.deepEqual(back[name], before[name], name);
      }
      assert.ok(!/<F0|<8D/.test(after.text), "the text has no half of a character");
      if (after.message) {
        assert.deepEqual([after.left, after.plays, after.text], [0, false, before.text]);
        assert.ok(!isWaiting(after), "what has been asked for since has an end of its own");
      }
      if (after.plays) assert.ok(after.left > 0 || isWaiting(after), "what plays goes on, or waits");
      if (!isWaiting(after)) assert.equal(after.phase === "writing", after.left > 0);
      if (
        ["stop", "back", "set"].includes(action.type) &&
        (action.type !== "set" || "text" in action.parts) &&
        before.earlier.length
      )
        assert.equal(after.left, 0);

      assert.ok(
        after.off.every(([layer, head]) => layer < 2 && head < 3) &&
          Number.isInteger(after.layer) &&
          after.layer < 2 &&
          after.head >= 0 &&
          after.head < 3,
      );
      assert.equal(maskIn(after) === null, after.off.length === 0);
      if (after.shown !== before.shown) {
        const { bars, shown, choice } = after;
        assert.equal(new Set(bars.map(({ id }) => id)).size, bars.length);
        const sum = shown.next.reduce((all, { probability }) => all + probability, 0);
        assert.ok(Math.abs(sum - 1) < 1e-6 && (choice.temperature > 0 || shown.next.length === 1)); // fewer words than bars
        assert.equal(
          bars.every((bar) => bar.before !== null),
          after.answer.whole !== null,
        );
      }
    },
  );
});

/** Does actions one after the other, each answered at once. */
const done = (state, ...actions) =>
  actions.reduce((now, action) => {
    const after = reduce(now, action);
    return isWaiting(after) ? reduce(after, answerTo(after)) : after;
  }, state);

const begun = () =>
  done(startWith({ text: "a" }, [2, 3]), answerTo({ text: "a", tail: [], off: [] }), { type: "seed", seed: 3 });
const draw = { type: "write", bar: null };

test("a seed writes the same words again; undone in the middle, the same one comes again", () => {
  const texts = (state) => [state.text, state.tail];
  const twice = [0, 1].map(() => texts(done(begun(), draw, draw, draw)));
  assert.deepEqual(twice[0], twice[1]);
  assert.deepEqual(texts(done(begun(), draw, draw, { type: "back" }, draw)), texts(done(begun(), draw, draw)));
});

test("a press before the answer is there draws from that answer", () => {
  const state = reduce(reduce(begun(), { type: "set", parts: { text: "a cup of" } }), draw);
  assert.deepEqual([state.text, state.left], ["a cup of", 1]);
  assert.ok(done(state, answerTo(state), { type: "go on" }).earlier.length, "it's written once the answer has come");
});

test("a word that doesn't end is written no further, and its reader is told; another press goes on with it", () => {
  const unending = { endTokens: [], wordOf: () => "a" };
  const answered = (state) => {
    const { answer } = answerTo(state);
    return reduce(state, { type: "answer", answer: { ...answer, vocabulary: unending } });
  };
  let state = reduce(begun(), { type: "play" });
  while (isWaiting(state)) state = reduce(answered(state), { type: "go on" });
  assert.match(state.message, /a word that doesn’t end/);
  assert.deepEqual([state.plays, state.left, state.phase], [false, 0, "still"]);
  const longer = reduce(state, draw);
  assert.deepEqual([longer.message, differing(args(state), args(longer))], ["", ["text", "tail"]]);
});

test("without a model, a story is written as far as it's stored, then waits for one and goes on", () => {
  let state = startWith({ text: "a cup", stored: STORED }, [2, 3]);
  assert.deepEqual(
    state.bars.map(({ word, share }) => [word, share]),
    [
      [" milk", 0.6],
      [" chai", 0.4],
    ],
  );
  state = reduce(state, { type: "play" });
  assert.deepEqual([state.text, state.phase, state.bars[0].word, state.draws], ["a cup chai", "writing", " the", 1]);
  const end = reduce(state, { type: "go on" });
  assert.deepEqual(
    [end.text, end.phase, differing(args(state), args(end)), end.plays],
    ["a cup chai", "asking", ["requests"], true],
  );
  state = reduce(end, answerTo(end));
  assert.ok(reduce(state, { type: "go on" }).text.startsWith("a cup chai "));
});

test("what is stored is for its own heads, settings and seed", () => {
  const off = [{ ...STORED[0], off: [[1, 2]], words: [[" the", 0.5, 0.1]] }, ...STORED];
  const begun = startWith({ text: "a cup", stored: off }, [2, 3]);
  const turned = reduce(begun, { type: "set", parts: { off: [[1, 2]] } });
  assert.deepEqual([turned.bars[0].before, turned.phase], [0.1, "still"]);
  for (const action of [
    { type: "set", parts: { masked: true } },
    { type: "shape", parts: { temperature: 2 } },
    { type: "set", parts: { text: "a" } },
  ]) {
    const state = reduce(begun, action);
    assert.deepEqual([state.phase, state.bars], ["asking", begun.bars], "the bars stay, and wait");
  }
  const seeded = reduce(begun, { type: "seed", seed: 2 });
  assert.equal(reduce(seeded, draw).text, "a cup");
});

test("the word that would have come first has a row among the first four, and every choice has ten rows", () => {
  const many = Array.from({ length: 12 }, (_, id) => ` w${id}`);
  const scores = (best) => Float32Array.from(many, (_, id) => (id === best ? 20 : -id));
  const answer = {
    tail: [],
    now: { ids: [], logits: scores(0), map },
    whole: scores(11),
    vocabulary: { endTokens: [], wordOf: (id) => many[id] },
  };
  let state = reduce(startWith({ text: "a", off: [[0, 0]] }, [2, 3]), { type: "answer", answer });
  assert.deepEqual(
    state.bars.slice(0, 5).map(({ id }) => id),
    [0, 1, 2, 11, 3],
  );
  for (const parts of [{ temperature: 0 }, { topK: 1 }, { topP: 0.1 }]) {
    state = reduce(state, { type: "shape", parts });
    assert.deepEqual([state.bars.length, state.bars[1].share, state.shown.next.length], [10, 0, 1]);
  }
});
