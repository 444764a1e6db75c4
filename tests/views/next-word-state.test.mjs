// The state of <next-word>: each action gives another state and says what has to be done. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import {
  isWaiting,
  isWhole,
  maskIn,
  reduce,
  startWith,
  storedFor,
} from "../../src/manyheads/web/figures/next-word/state.ts";
import { pick, walk } from "./dice.mjs";
import { weightsOf } from "./small-models.mjs";

const WORDS = [" tea", " milk", "<F0 9F>", "<8D B5>", "<|end|>"];
const vocabulary = { endTokens: [4], wordOf: (id) => WORDS[id] };
const map = { queryTokens: ["a"], keyTokens: ["a"], shape: [2, 3, 1, 1], weights: weightsOf([2, 3, 1, 1]) };

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
      ]),
    }),
    () => ({ type: "toggle", head: roll(3) }),
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
    () => startWith({ text: "a cup", stored: STORED }, [2, 3]),
    anyAction,
    reduce,
    ({ before, action, after, needs, changed, message }) => {
      assert.ok(needs !== "compute" || changed);
      if (changed?.length)
        assert.ok(
          isWaiting(after) || (!after.answer && storedFor(after)),
          "it waits for a model, or has an answer that is stored",
        );
      if (["text", "tail"].some((name) => before[name] !== after[name]))
        assert.ok(action.type === "take" || changed.includes("text"));
      if (before.off !== after.off) assert.ok(action.type === "take" || changed.includes("off"));
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
        const back = reduce(after, { type: "back" }).state;
        for (const name of ["text", "tail", "draws", "earlier"]) assert.deepEqual(back[name], before[name], name);
      }
      assert.ok(!/<F0|<8D/.test(after.text), "the text has no half of a character");
      if (message) assert.deepEqual([after.left, after.plays, after.text], [0, false, before.text]);
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
      if (needs === "draw" && after.answer) {
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
    const { state: after } = reduce(now, action);
    return isWaiting(after) ? reduce(after, answerTo(after)).state : after;
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
  let { state } = reduce(begun(), { type: "set", parts: { text: "a cup of" } });
  state = reduce(state, draw).state;
  assert.deepEqual([state.text, state.left], ["a cup of", 1]);
  assert.ok(done(state, answerTo(state), { type: "go on" }).earlier.length, "it's written once the answer has come");
});

test("a word that doesn't end is written no further, and its reader is told; another press goes on with it", () => {
  const unending = { endTokens: [], wordOf: () => "a" };
  const answered = (state) => {
    const { answer } = answerTo(state);
    return reduce(state, { type: "answer", answer: { ...answer, vocabulary: unending } }).state;
  };
  let step = reduce(begun(), { type: "play" });
  while (step.needs === "compute") step = reduce(answered(step.state), { type: "go on" });
  assert.match(step.message, /a word that doesn’t end/);
  assert.deepEqual([step.state.plays, step.state.left, step.state.phase], [false, 0, "still"]);
  assert.equal(reduce(step.state, draw).needs, "compute");
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
  state = reduce(state, { type: "play" }).state;
  assert.deepEqual([state.text, state.phase, state.bars[0].word, state.draws], ["a cup chai", "writing", " the", 1]);
  const end = reduce(state, { type: "go on" });
  assert.deepEqual(
    [end.state.text, end.state.phase, end.needs, end.state.plays],
    ["a cup chai", "asking", "compute", true],
  );
  state = reduce(end.state, answerTo(end.state)).state;
  assert.ok(reduce(state, { type: "go on" }).state.text.startsWith("a cup chai "));
});

test("what is stored is for its own heads, settings and seed", () => {
  const off = [{ ...STORED[0], off: [[1, 2]], words: [[" the", 0.5, 0.1]] }, ...STORED];
  const begun = startWith({ text: "a cup", stored: off }, [2, 3]);
  const turned = reduce(begun, { type: "set", parts: { off: [[1, 2]] } });
  assert.deepEqual([turned.state.bars[0].before, turned.state.phase], [0.1, "still"]);
  for (const action of [
    { type: "set", parts: { masked: true } },
    { type: "shape", parts: { temperature: 2 } },
    { type: "set", parts: { text: "a" } },
  ]) {
    const { state } = reduce(begun, action);
    assert.deepEqual([state.phase, state.bars], ["asking", begun.bars], "the bars stay, and wait");
  }
  const seeded = reduce(begun, { type: "seed", seed: 2 }).state;
  assert.equal(reduce(seeded, draw).state.text, "a cup");
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
  let state = reduce(startWith({ text: "a", off: [[0, 0]] }, [2, 3]), { type: "answer", answer }).state;
  assert.deepEqual(
    state.bars.slice(0, 5).map(({ id }) => id),
    [0, 1, 2, 11, 3],
  );
  for (const parts of [{ temperature: 0 }, { topK: 1 }, { topP: 0.1 }]) {
    state = reduce(state, { type: "shape", parts }).state;
    assert.deepEqual([state.bars.length, state.bars[1].share, state.shown.next.length], [10, 0, 1]);
  }
});
