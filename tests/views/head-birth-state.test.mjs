// The state of <head-birth>: each action gives another state, and another answer is asked for where what it is made of differs. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import { EXPERIMENTS } from "../../src/manyheads/web/figures/head-birth/experiments.ts";
import {
  args,
  explainedPlace,
  isTold,
  namedHeads,
  reduce,
  startWith,
} from "../../src/manyheads/web/figures/head-birth/state.ts";
import { differing } from "../../src/manyheads/web/views/host.ts";
import { pick, walk } from "./dice.mjs";

const step = (state, action) => ({ state: reduce(state, action) });
const asksFor = (before, after) => differing(args(before), args(after)).length > 0;

const STEPS = [0, 50, 100];
const TEXTS = ["", "a", "ab", "abab", "aaaa"];
const HEADS = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
];

/** A map of two layers of two heads; in head 2 of layer 1 all look at the character before, in head 1 of layer 2 at what followed earlier. */
function mapOf(text, grown = true) {
  const count = text.length;
  const weights = new Float32Array(4 * count * count);
  const put = (at, query, key) => (weights[(at * count + query) * count + key] = 1);
  [...text].forEach((character, query) => {
    put(1, query, grown ? Math.max(query - 1, 0) : query);
    put(2, query, grown ? text.lastIndexOf(character, query - 1) + 1 : query);
  });
  return {
    queryTokens: [...text],
    guesses: Array(count).fill("b"),
    headNames: ["head 1", "head 2"],
    shape: [2, 2, count, count],
    weights,
  };
}

const anyAction = (roll, state) =>
  pick(roll, [
    () => ({ type: "take", parts: pick(roll, [{ sentence: pick(roll, TEXTS) }, { step: roll(120) }, { off: [] }]) }),
    () => ({ type: pick(roll, ["type", "begin"]), sentence: pick(roll, TEXTS) }),
    () => ({ type: "lend", parts: pick(roll, [{ sentence: "ab", step: roll(120) }, { off: [[0, 0]] }]) }),
    () => ({ type: "step", at: roll(STEPS.length) }),
    () => ({ type: "next" }),
    () => ({ type: "toggle", head: pick(roll, HEADS) }),
    () => ({ type: "ask", place: 1 + roll(4) }),
    () => ({ type: "show", map: mapOf(pick(roll, TEXTS), roll(2)) }),
    () => ({ type: "train", until: pick(roll, [undefined, 5, 50]) }),
    () => ({ type: pick(roll, ["pause", "stored", "end"]) }),
    () => ({ type: "consider", experiment: roll(EXPERIMENTS.length) }),
    () => ({
      type: "reset",
      seed: pick(roll, [undefined, 3]),
      experiment: pick(roll, [undefined, EXPERIMENTS[1]]),
      runs: roll(2) > 0,
    }),
    () => ({
      type: "report",
      number: roll(3),
      report: { step: (state.training?.step ?? -1) + 1 + 100 * roll(2), loss: { first: 3, second: 2 }, pace: 60 },
    }),
    () => ({ type: "look", hidden: roll(3) === 0 }),
  ])();

test("after any actions the step is one of the training's, and the character that is explained stands in the text", () => {
  const start = () => startWith({ sentence: "abab" }, STEPS);
  walk(start, anyAction, step, ({ before, action, after }) => {
    const computed = ["sentence", "at", "off", "live"].some((name) => before[name] !== after[name]);
    const waits = after.hidden && after.of !== null;
    if (waits && before.hidden) assert.ok(!asksFor(before, after) || action.type === "show", "nobody sees it");
    if (!waits && computed) assert.ok(asksFor(before, after));
    if (["ask", "show", "consider"].includes(action.type) && !waits) assert.ok(!asksFor(before, after));
    if (action.type === "next" || after.plays !== before.plays) assert.equal(after.plays, action.type === "next");
    assert.ok(after.at >= 0 && after.at < STEPS.length);
    assert.equal(after.map, action.map ?? before.map, "what is shown stays until another map comes");
    const shown = after.map?.queryTokens.length ?? 0;
    assert.equal(after.all.length, Math.max(shown - 1, 0));
    assert.ok(explainedPlace(after) <= after.all.length && (explainedPlace(after) > 0 || !after.all.length));
    if (after.chosen === null && after.all.some(({ known }) => known))
      assert.ok(after.all[explainedPlace(after) - 1].known, "the first that can be known");
  });
});

test("Play comes through all steps and begins anew", () => {
  let state = startWith({}, STEPS);
  const passed = STEPS.map(() => (state = reduce(state, { type: "next" })).at);
  assert.deepEqual(passed, [1, 2, 0]);
});

test("whatever its reader does, a training runs only where it's shown and has steps to go, and only heads that look there are named", () => {
  const start = () => reduce(startWith({ sentence: "abab" }, STEPS), { type: "train" });
  walk(start, anyAction, step, ({ before, action, after }) => {
    const { training } = after;
    if (training.runs) assert.ok(after.live && training.step < training.until && !training.ended);
    if (before.training.runs !== training.runs && !after.hidden) assert.ok(asksFor(before, after));
    if (action.type === "report" && before.of && after.hidden) assert.ok(!asksFor(before, after), "nobody sees it");
    if (action.type === "report" && after.live && !after.hidden && before.training.step !== training.step)
      assert.ok(asksFor(before, after));
    if (training.unseen) assert.ok(training.unseen.from < training.unseen.to && training.unseen.to <= training.step);
    if (action.type === "report" && action.number !== before.training.number)
      assert.equal(after, before, "of one that was replaced");
    if (training.number !== before.training.number)
      assert.deepEqual([training.step, training.points, training.turned], [0, [], null]);
    const steps = training.points.map(({ step }) => step);
    assert.deepEqual(
      steps,
      [...steps].sort((a, b) => a - b),
    );
    const { previous, induction } = namedHeads(training);
    assert.ok(training.turned !== null || (previous === null && induction === null));
    assert.ok([String(previous), String(induction)].every((place) => ["null", "0,1", "1,0"].includes(place)));
  });
});

test("a training rests where it's told, and goes on from there without an end", () => {
  const act = (state, ...actions) => actions.reduce((now, action) => reduce(now, action), state);
  const report = (step) => ({ type: "report", number: 0, report: { step, loss: { first: 3, second: 1 }, pace: 60 } });
  const rests = act(startWith({}, STEPS), { type: "train" }, report(0), report(500));
  assert.deepEqual([rests.training.runs, isTold(rests.training)], [false, true]);
  assert.deepEqual(
    [
      act(rests, { type: "train" }).training.until,
      act(rests, { type: "train" }, { type: "stored" }).training.points.length,
    ],
    [Infinity, 1],
  );
});

test("a head keeps its name while its reader turns off another, or types what repeats nowhere", () => {
  const act = (state, ...actions) => actions.reduce((now, action) => reduce(now, action), state);
  const born = act(
    startWith({ sentence: "abab" }, STEPS),
    { type: "train" },
    { type: "report", number: 0, report: { step: 90, loss: { first: 3, second: 1 }, pace: 60 } },
    { type: "show", map: mapOf("abab") },
  );
  assert.deepEqual([born.training.turned, namedHeads(born.training)], [90, { previous: [0, 1], induction: [1, 0] }]);
  const blind = act(born, { type: "toggle", head: [0, 1] }, { type: "show", map: mapOf("abab", false) });
  const single = act(born, { type: "show", map: mapOf("xyz") });
  for (const state of [blind, single]) assert.deepEqual(namedHeads(state.training).induction, [1, 0]);
});

test("of two heads that do the same, the one that has the name keeps it", () => {
  const act = (state, ...actions) => actions.reduce((now, action) => reduce(now, action), state);
  const other = mapOf("abab");
  other.weights.copyWithin(3 * 16, 2 * 16, 3 * 16); // head 2 of layer 2 looks where head 1 does
  const rival = {
    ...other,
    weights: other.weights.map((weight, at) => (at >= 2 * 16 && at < 3 * 16 ? 0.8 * weight : weight)),
  };
  const state = act(
    startWith({ sentence: "abab" }, STEPS),
    { type: "train" },
    { type: "report", number: 0, report: { step: 90, loss: { first: 3, second: 1 }, pace: 60 } },
    { type: "show", map: mapOf("abab") },
    { type: "show", map: rival },
  );
  assert.deepEqual(
    [namedHeads(state.training).induction, state.training.heads.induction.score.toFixed(1)],
    [[1, 0], "0.8"],
  );
});
