// The state of <attention-flow>: each action gives another state. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import {
  argsOf,
  cellOf,
  chosenOf,
  lastOf,
  reduce,
  startWith,
  stationOf,
  stepsOf,
  wantedOf,
} from "../../src/manyheads/web/figures/attention-flow/state.ts";
import { STATIONS } from "../../src/manyheads/web/figures/attention-flow/stations.ts";
import { cellAt } from "../../src/manyheads/web/math/steps.ts";
import { pick, walk } from "./dice.mjs";

const NAMES = STATIONS.map(({ name }) => name);
const CELLS = ["", "X 0 0", "scores 2 1", "weights 4 4", "answer 1 0"];
const SENTENCES = ["hot tea", "milk", "cold tea or milk"];
const SETS = [...SENTENCES.map((sentence) => ({ sentence })), { sentence: "no tea", head: 2, station: "softmax" }];
const ASKS_NOTHING = ["show", "follow", "stale", "fact", "open", "play", "pause", "go", "seek", "jump", "meet"];

/** A journey of some words and heads, perhaps in one of three layers, or on to an answer in the layer above. */
function journey(roll, above) {
  const [words, heads] = [2 + roll(5), 1 + roll(4)];
  const matrix = (rows, columns) => ({ shape: [rows, columns] });
  const values = Float32Array.from({ length: heads * words * words }, () => roll(99) / 99);
  return {
    tokens: Array.from({ length: words }, (_, token) => `word ${token}`),
    headNames: Array.from({ length: heads }, (_, head) => `head ${head}`),
    head: roll(heads),
    X: matrix(words, 6),
    scores: matrix(words, words),
    weights: matrix(words, words),
    answer: matrix(4, 1),
    maps: { shape: [heads, words, words], values },
    ...pick(roll, [{}, { layer: roll(3), layers: 3 }]),
    ...(above && { above }),
  };
}

const map = (roll) => ({
  sentence: pick(roll, SENTENCES),
  query: roll(6),
  leads: roll(2) === 1,
  enlarged: pick(roll, [null, { layer: roll(3), head: roll(6) }]),
  headMask: pick(roll, [null, [[true, false]]]),
});

const parts = (roll) =>
  pick(roll, [
    ...SETS,
    { head: roll(9) },
    { layer: roll(9) },
    { query: roll(9) },
    { causal: roll(2) === 1 },
    { station: pick(roll, NAMES) },
    { cell: pick(roll, CELLS) },
  ]);

const anyAction = (roll) =>
  pick(roll, [
    () => ({ type: pick(roll, ["choose", "take", "lend"]), parts: parts(roll) }),
    () => ({ type: pick(roll, ["choose", "take", "lend"]), parts: parts(roll) }),
    () => ({ type: "show", flow: journey(roll, roll(3) ? null : journey(roll)) }),
    () => ({ type: "hear", map: map(roll), pointed: pick(roll, [null, roll(6)]) }),
    () => ({ type: "open", trail: [pick(roll, CELLS.slice(1)), pick(roll, CELLS.slice(1))] }),
    () => ({ type: "go", to: roll(12) - 2 }),
    () => ({ type: pick(roll, ["seek", "jump"]), at: roll(900) / 100 - 1 }),
    () => ({ type: pick(roll, ["play", "pause", "follow"]) }),
    () => ({ type: "meet", query: roll(6) }),
    () => ({ type: "turn", headMask: pick(roll, [null, [[false, true]]]) }),
  ])();

const start = (roll) =>
  startWith({ sentence: "tea", station: pick(roll, NAMES), cell: pick(roll, CELLS), answer: pick(roll, ["", "mood"]) });

test("after any actions, what is chosen is within the journey, a station is named by its moment, and what is open is there", () => {
  walk(
    start,
    anyAction,
    (state, action) => ({ state: reduce(state, action) }),
    ({ before, action, after }) => {
      const { flow, at, to, plays, trail } = after;
      const { layer, head, query, station } = chosenOf(after);
      if (flow) {
        assert.ok(head < flow.headNames.length && query < flow.tokens.length && layer < (flow.layers ?? 1));
        for (const cell of trail) assert.ok(cellAt(stepsOf(after), cell), cell);
      }
      const place = NAMES.indexOf(station);
      assert.ok(place - at < 1 && at - place < 0.021, `${station} at ${at}`);
      assert.ok(at >= 0 && (!flow || at <= lastOf(after)));
      assert.ok(to === null || (!plays && to !== at && to >= 0 && to <= lastOf(after)), "it travels, or plays");
      if (station === stationOf(before)) return;
      assert.equal(after.arrived, station);
      const brought = action.parts ? { ...before.lent, ...action.parts }.cell : "";
      assert.ok(["", brought].includes(cellOf(after)), "what was open closes as the journey goes on");
      assert.ok(trail.length <= 1);
    },
  );
});

test("with another sentence all goes back that was lent, unless the reader has set it since", () => {
  walk(
    start,
    anyAction,
    (state, action) => ({ state: reduce(state, action) }),
    ({ before, action, after }) => {
      if (action.type !== "lend" && stationOf(after) !== stationOf(before))
        assert.ok(!("station" in after.lent), "whoever goes to a station stays there");
      if (action.type === "open") assert.ok(!("cell" in after.lent));
      if (action.type !== "choose") return;
      const set = Object.keys(action.parts);
      for (const name of set) assert.ok(!(name in after.lent), `${name} is the reader's`);
      if (!set.includes("sentence")) return;
      assert.deepEqual(after.lent, {});
      const { station, cell, ...lent } = before.lent;
      for (const [name, value] of Object.entries({ ...lent, ...action.parts }))
        if (name !== "station") assert.equal(after.chosen[name], value, name);
      const wanted = action.parts.station ?? station;
      if (wanted && (!after.flow || NAMES.indexOf(wanted) <= lastOf(after))) assert.equal(stationOf(after), wanted);
    },
  );
});

test("an answer and a frame of the film ask for no other; what the map shows comes after what is chosen here", () => {
  walk(
    start,
    anyAction,
    (state, action) => ({ state: reduce(state, action) }),
    ({ before, action, after }) => {
      if (ASKS_NOTHING.includes(action.type)) assert.deepEqual(argsOf(after), argsOf(before), action.type);
      if (action.type === "seek") {
        assert.equal(after.chosen, before.chosen);
        assert.equal(after.to, after.at === before.to ? null : before.to, "it travels until it's there");
      }
      if (action.parts?.sentence) assert.equal(wantedOf(after).sentence, action.parts.sentence);
      if (action.type === "hear") {
        assert.equal(after.chosen, before.chosen, "it waits for its turn");
        assert.equal(wantedOf(after).sentence, action.map.sentence);
        const { chosen, seen, follows } = reduce(after, { type: "follow" });
        assert.deepEqual([chosen.sentence, seen.query, follows], [action.map.sentence, action.map.query, false]);
      }
    },
  );
});
