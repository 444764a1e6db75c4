// The state of <next-word>: each action gives another state and says what has to be done. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import { maskIn, reduce, startWith } from "../../src/manyheads/web/figures/next-word/state.ts";
import { pick, walk } from "./dice.mjs";
import { weightsOf } from "./small-models.mjs";

const WORDS = [" tea", " milk", "<F0 9F>", "<8D B5>", "<|end|>"];
const vocabulary = { endTokens: [4], wordOf: (id) => WORDS[id] };
const map = { queryTokens: ["a"], keyTokens: ["a"], shape: [2, 3, 1, 1], weights: weightsOf([2, 3, 1, 1]) };

/** What a model would say of a state: every word may come, one most. */
function answerTo({ text, tail, off }, roll = () => 0) {
  const logits = () => Float32Array.from(WORDS, (_, id) => (id === (text.length + tail.length) % WORDS.length ? 2 : roll(3) / 2));
  return { type: "answer", answer: { tail, now: { ids: [], logits: logits(), map }, allOn: off.length ? logits() : null }, vocabulary };
}

const anyAction = (roll, state) => pick(roll, [
  () => answerTo(state, roll),
  () => answerTo(state, roll),
  () => ({ type: pick(roll, ["go on", "go on", "play", "stop", "back"]) }),
  () => ({ type: "write", id: roll(2) ? roll(WORDS.length) : null }),
  () => ({ type: pick(roll, ["set", "take"]), parts: pick(roll, [{ text: pick(roll, ["", "a cup"]) }, { off: [] }, { off: [[roll(4), roll(4)], [0, 0]] }]) }),
  () => ({ type: "toggle", head: roll(3) }),
  () => ({ type: "look", parts: pick(roll, [{ layer: roll(3) }, { head: roll(5) - 1 }, { hidesFirst: true }, { layer: pick(roll, [NaN, 0.5]) }]) }),
  () => ({ type: "shape", parts: pick(roll, [{ temperature: roll(3) }, { topK: roll(4) }, { topP: (1 + roll(4)) / 4 }]) }),
  () => ({ type: "seed", seed: roll(3) }),
  () => ({ type: "stale", stale: roll(2) === 1 }),
])();

test("after any actions what is written follows from an answer, and every step of it can be undone", () => {
  walk(() => startWith({ text: "a cup" }, [2, 3]), anyAction, reduce, ({ before, action, after, needs, changed, message }) => {
    assert.equal(needs === "compute", changed !== undefined);
    if (changed?.length) assert.ok(after.waits);
    if (["text", "tail"].some((name) => before[name] !== after[name])) assert.ok(action.type === "take" || changed.includes("text"));
    if (before.off !== after.off) assert.ok(action.type === "take" || changed.includes("off"));
    if (after.shown?.text !== before.shown?.text) assert.equal(action.type, "answer", "bars say which text they answer to");

    const wrote = after.earlier.length > before.earlier.length;
    if (wrote) {
      assert.ok(before.answer && ["write", "play", "go on"].includes(action.type));
      if (action.id === undefined || action.id === null) {
        assert.ok(!before.waits && after.draws === before.draws + 1, "drawn from what comes after this text");
        assert.ok(after.left || !after.tail.length, "a word that is drawn has whole characters");
      }
      assert.ok(after.text === before.text ? after.tail.length === before.tail.length + 1 : after.text.startsWith(before.text) && !after.tail.length);
      const back = reduce(after, { type: "back" }).state;
      for (const name of ["text", "tail", "draws", "earlier"]) assert.deepEqual(back[name], before[name], name);
    }
    assert.ok(!/<F0|<8D/.test(after.text), "the text has no half of a character");
    if (message) assert.deepEqual([after.left, after.plays, after.text], [0, false, before.text]);
    if (after.plays) assert.ok(after.left > 0 || after.waits, "what plays goes on, or waits");
    if (["stop", "back", "set"].includes(action.type) && !action.parts?.off && before.earlier.length) assert.equal(after.left, 0);

    assert.ok(after.off.every(([layer, head]) => layer < 2 && head < 3) && Number.isInteger(after.layer) && after.layer < 2 && after.head >= 0 && after.head < 3);
    assert.equal(maskIn(after) === null, after.off.length === 0);
    if (needs === "draw") {
      const { bars, shown, choice } = after;
      assert.equal(new Set(bars.map(({ id }) => id)).size, bars.length);
      const sum = shown.next.reduce((all, { probability }) => all + probability, 0);
      assert.ok(Math.abs(sum - 1) < 1e-6 && (choice.temperature > 0 || shown.next.length === 1)); // fewer words than bars
      assert.equal(bars.every((bar) => bar.before !== null), after.answer.allOn !== null);
    }
  });
});

/** Does actions one after the other, each answered at once. */
const done = (state, ...actions) => actions.reduce((now, action) => {
  const { state: after } = reduce(now, action);
  return after.waits ? reduce(after, answerTo(after)).state : after;
}, state);

const begun = () => done(startWith({ text: "a" }, [2, 3]), answerTo({ text: "a", tail: [], off: [] }), { type: "seed", seed: 3 });
const draw = { type: "write", id: null };

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
