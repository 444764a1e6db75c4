// The state of <head-birth>: each action gives another state and says what has to be done. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import { askedOf, reduce, startWith } from "../../src/manyheads/web/figures/head-birth/state.ts";
import { pick, walk } from "./dice.mjs";

const STEPS = [0, 50, 100];
const TEXTS = ["", "a", "ab", "abab", "aaaa"];
const mapOf = (text) => ({ queryTokens: [...text], guesses: Array(text.length).fill("b") });

const anyAction = (roll) => pick(roll, [
  () => ({ type: "take", parts: { sentence: pick(roll, TEXTS) } }),
  () => ({ type: "step", at: roll(STEPS.length) }),
  () => ({ type: pick(roll, ["next", "toggle"]) }),
  () => ({ type: "ask", place: 1 + roll(4) }),
  () => ({ type: "predict", head: "Both at once" }),
  () => ({ type: "show", map: mapOf(pick(roll, TEXTS)) }),
])();

test("after any actions the step is one of the training's, and the character that is explained stands in the text", () => {
  const start = () => startWith({ sentence: "abab" }, STEPS);
  walk(start, anyAction, reduce, ({ before, action, after, needs }) => {
    const computed = ["sentence", "at", "off"].some((name) => before[name] !== after[name]);
    if (computed) assert.equal(needs, "compute");
    assert.equal(needs === "compute", ["take", "step", "next", "toggle"].includes(action.type));
    assert.ok(after.at >= 0 && after.at < STEPS.length);
    assert.equal(after.map, action.map ?? before.map, "what is shown stays until another map comes");
    const shown = after.map?.queryTokens.length ?? 0;
    assert.equal(after.all.length, Math.max(shown - 1, 0));
    assert.ok(askedOf(after) <= after.all.length && (askedOf(after) > 0 || !after.all.length));
    if (after.chosen === null && after.all.some(({ known }) => known)) assert.ok(after.all[askedOf(after) - 1].known, "the first that can be known");
    if (before.predicted) assert.ok(after.predicted, "what was predicted stands");
  });
});

test("Play comes through all steps and begins anew", () => {
  let state = startWith({}, STEPS);
  const passed = STEPS.map(() => (state = reduce(state, { type: "next" }).state).at);
  assert.deepEqual(passed, [1, 2, 0]);
});
