// The state of <head-map>: each action gives another state, and what has to be done follows from what differs. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import {
  args,
  missingOf,
  queryOf,
  reduce,
  restOf,
  startOn,
  startWith,
} from "../../src/manyheads/web/figures/head-map/state.ts";
import { OPTION_NAMES, OPTIONS, SHOWN, START, valuesOf } from "../../src/manyheads/web/math/options.ts";
import { endsOf, isAsking } from "../../src/manyheads/web/math/query.ts";
import { shownMap } from "../../src/manyheads/web/math/shown.ts";
import { differing } from "../../src/manyheads/web/views/host.ts";
import { pick, walk } from "./dice.mjs";
import { maskOf } from "../../src/manyheads/web/math/heads-off.ts";
import { NEW } from "../../src/manyheads/web/math/history.ts";
import { makeMap, weightsOf } from "./small-models.mjs";

const TOKENS = ["[CLS]", "tea", "or", "coffee", "[SEP]"];
const SELF = { queryTokens: TOKENS, keyTokens: TOKENS };
const layer = () => ({ weights: weightsOf([1, 3, 5, 5]) });

/** What a change comes to: the layers that are fetched then, or another map, a painting, another token that asks, or nothing. */
function cameTo(before, after) {
  const asks = differing(args(before), args(after));
  const layers = asks.includes("layers") ? after.requested.at(-1) : [];
  const names = differing(before, after);
  const all = {
    map: asks.some((name) => name !== "layers"),
    layers: missingOf(after).length > 0,
    paint: names.includes("shown"),
    ask: names.includes("pointed"),
  };
  return { needs: Object.keys(all).find((name) => all[name]) ?? "nothing", layers };
}

/** A state that actions are done to, one after the other; `last` is what the last one came to. */
function figure(parts = {}, options = {}) {
  const own = { state: startWith(parts, options), last: null };
  own.do = (type, rest = {}) => {
    const before = own.state;
    own.state = reduce(before, { type, ...rest });
    own.last = cameTo(before, own.state);
    return own.last;
  };
  own.choose = (chosen, rest) => own.do("choose", { parts: chosen, when: 0, ...rest });
  return own;
}

test("what a map depends on calls for another; the rest is painted; without a map there is nothing to do", () => {
  const own = figure({ sentence: "tea" });
  assert.equal(own.choose({ view: "matrix" }).needs, "nothing");
  own.do("show", { map: makeMap(SELF) });
  const needs = {
    sentence: "teas",
    compare: "milk",
    headMask: maskOf([[0, 2]], 2, 3),
    model: 1,
    view: "lines",
    layer: 1,
    query: 2,
    special: "dim",
  };
  for (const [name, value] of Object.entries(needs))
    assert.equal(
      own.choose({ [name]: value }).needs,
      ["sentence", "compare", "headMask", "model"].includes(name) ? "map" : "paint",
      name,
    );
  const given = figure({}, { computes: false });
  given.do("show", { map: makeMap(SELF) });
  assert.equal(
    given.choose({ headMask: needs.headMask }).needs,
    "paint",
    "a map that nobody computes again is all there is",
  );
});

test("another map is called for once, also by what is chosen again; what a page says again calls for none", () => {
  const own = figure({ sentence: "tea" });
  own.do("show", { map: makeMap({ ...SELF, valueNorms: null }) });
  assert.equal(own.choose({ sentence: "tea" }).needs, "map", "what is seen may answer to something else");
  assert.equal(own.do("take", { parts: { sentence: "tea", off: [[0, 1]] } }).needs, "map");
  assert.equal(own.do("take", { parts: { sentence: "tea", off: [[0, 1]] } }).needs, "paint");
  assert.equal(own.choose({ weigh: "written" }).needs, "map", "the model has to be asked for norms");
  assert.equal(own.choose({ view: "matrix" }).needs, "nothing", "they are on their way");
});

test("a token asks while it is pointed at; a pinned one keeps asking; unpinned, the first asks again", () => {
  const own = figure();
  own.do("show", { map: makeMap(SELF) });
  assert.deepEqual([own.do("point", { query: 3 }).needs, queryOf(own.state), restOf(own.state)], ["ask", 3, 0]);
  assert.deepEqual([own.do("point", { query: null }).needs, queryOf(own.state)], ["ask", 0]);
  own.do("pin", { query: 2 });
  assert.equal(own.do("point", { query: 3 }).needs, "nothing");
  assert.deepEqual([queryOf(own.state), own.state.pinned, own.state.chosen.query], [2, true, 2]);
  own.do("pin", { query: 2 });
  assert.deepEqual([queryOf(own.state), own.state.pinned, own.state.chosen.query], [0, false, 0]);
  own.do("undo");
  assert.ok(own.state.pinned, "what was pinned is pinned again");
});

test("a map opens on the layer whose heads have names; a chosen layer outlives a map that lacks it", () => {
  const own = figure();
  const named = makeMap({ ...SELF, namedLayer: 1 });
  own.do("show", { map: named });
  assert.equal(own.state.chosen.layer, 1);
  own.do("show", { map: makeMap({ ...SELF, shape: [1, 3, 5, 5] }) });
  assert.equal(own.state.chosen.layer, 0);
  own.do("show", { map: named });
  assert.equal(own.state.chosen.layer, 1, "nobody chose the other");
  own.choose({ layer: 0 });
  own.do("show", { map: named });
  assert.equal(own.state.chosen.layer, 0);
  assert.equal(figure({ layer: 0 }).state.chosen.layer, 0);
});

test("where special tokens are removed, positions are those among the words", () => {
  const own = figure({ special: "remove" });
  own.do("show", { map: makeMap(SELF) });
  own.do("pin", { query: 2 });
  assert.equal(own.state.chosen.query, 3);
  own.do("show", { map: makeMap({ queryTokens: TOKENS.slice(0, 2), keyTokens: TOKENS }) });
  assert.equal(queryOf(own.state), 0, "a map that lacks the token lets the first one ask");
});

test("a layer is fetched once, and drawn when it comes", () => {
  const own = figure({}, { fetches: true });
  own.do("show", { map: makeMap({ ...SELF, present: [0] }) });
  assert.deepEqual([own.last.needs, missingOf(own.state)], ["paint", []]);
  assert.deepEqual([own.choose({ layer: 1 }).needs, own.last.layers], ["layers", [1]]);
  assert.deepEqual(own.choose({ scale: "relative" }).layers, [], "it is on its way");
  const before = own.state.map;
  assert.equal(own.do("layer", { layer: 1, map: layer() }).needs, "paint");
  assert.deepEqual([missingOf(own.state), own.state.map.present, before.present], [[], [0, 1], [0]]);
  assert.equal(own.do("layer", { layer: 0, map: layer() }).needs, "nothing", "nobody waits for it");
});

test("where no layer comes, one that is there takes the place of the chosen one", () => {
  const own = figure({ layer: 0 });
  own.do("show", { map: makeMap({ ...SELF, present: [1] }) });
  assert.deepEqual([own.state.chosen.layer, own.last.needs], [1, "paint"]);
});

test("layer, head and query wait for a map that has them, unless the reader chooses others; so do heads that are off", () => {
  const own = figure({ sentence: "tea" });
  own.do("show", { map: makeMap({ ...SELF, shape: [1, 3, 5, 5] }) });
  own.do("take", {
    parts: {
      layer: 1,
      query: 9,
      head: 2,
      off: [
        [1, 0],
        [7, 7],
      ],
    },
  });
  own.choose({ head: 0 });
  assert.deepEqual([own.state.chosen.layer, own.state.chosen.query, own.state.chosen.headMask], [0, 0, null]);
  own.do("model", { numLayers: 2, numHeads: 3 });
  assert.deepEqual(own.state.chosen.headMask, maskOf([[1, 0]], 2, 3));
  own.do("show", { map: makeMap({ queryTokens: [...TOKENS, ...TOKENS], keyTokens: TOKENS }) });
  assert.deepEqual([own.state.chosen.layer, own.state.chosen.query, own.state.chosen.head], [1, 9, 0]);
  own.do("model", { numLayers: 1, numHeads: 8 });
  assert.deepEqual(
    [own.state.chosen.headMask, own.state.forgot],
    [null, true],
    "a mask of another model is forgotten, and that is said",
  );
  own.choose({ view: "grid" });
  assert.equal(own.state.forgot, false);
});

test("a place that waits for a map doesn't come after what its reader has undone", () => {
  const own = figure();
  own.do("show", { map: makeMap(SELF) });
  own.do("pin", { query: 2 });
  own.do("take", { parts: { query: 9 } });
  own.do("undo");
  own.do("show", { map: makeMap({ queryTokens: [...TOKENS, ...TOKENS], keyTokens: TOKENS }) });
  assert.equal(own.state.chosen.query, 0);
});

test("heads that a page turns off are off in the map that it brings, and still wait for the model, which may have more", () => {
  const own = figure({ sentence: "tea" });
  const off = [
    [0, 2],
    [1, 0],
  ];
  own.do("take", { parts: { off } });
  own.do("show", { map: makeMap({ ...SELF, shape: [1, 3, 5, 5] }) });
  assert.deepEqual(own.state.chosen.headMask, maskOf([[0, 2]], 1, 3));
  own.do("take", { parts: { off } });
  assert.deepEqual(own.state.chosen.headMask, maskOf([[0, 2]], 1, 3));
  own.do("model", { numLayers: 2, numHeads: 3 });
  assert.deepEqual([own.state.chosen.headMask, own.state.forgot], [maskOf(off, 2, 3), false]);
});

test("a sentence that is refused makes the last map stale until another one comes", () => {
  const own = figure();
  own.do("show", { map: makeMap(SELF) });
  own.do("refuse");
  assert.deepEqual([own.state.stale, own.state.refused], [true, true]);
  own.do("show", { map: makeMap(SELF) });
  assert.equal(own.state.stale, false);
});

test("what is shown of a map depends on nothing but the options whose rows say so", () => {
  const read = new Set();
  const watched = (chosen) => new Proxy(chosen, { get: (state, name) => (read.add(name), state[name]) });
  for (const name of OPTION_NAMES)
    for (const value of valuesOf(name) ?? []) shownMap(makeMap({}), watched({ ...START, layer: 0, [name]: value }));
  for (const name of read)
    assert.ok(SHOWN.includes(name), `shownMap reads "${name}": give its row in shared/options.json "shown": true`);
  for (const name of SHOWN)
    assert.ok(read.has(name), `shownMap doesn't read "${name}": drop "shown" from its row in shared/options.json`);
});

// --- any sequence of actions

const SOME = [TOKENS, TOKENS.slice(0, 3), ["[CLS]", "un", "##able", "[SEP]"]];

const scoreParts = () => null;
const MATTERED = { answer: " tea", probability: 0.5, without: 0.25 };

function anyAction(roll, { map, shown }) {
  const name = pick(roll, OPTION_NAMES);
  const value = {
    choice: () => pick(roll, valuesOf(name)),
    text: () => pick(roll, ["", "tea", "hot tea"]),
    query: () => pick(roll, [roll(7), [roll(3), 3 + roll(4)], "tea", "or coffee", "##able", "mate", ""]),
    place: () => (OPTIONS[name].start === null && roll(3) === 0 ? null : roll(7)),
  }[OPTIONS[name].kind]();
  const headMask = roll(2) ? null : [0, 1].map(() => [0, 1, 2].map(() => roll(2) === 1));
  const [queryTokens, keyTokens] = [pick(roll, SOME), pick(roll, SOME)];
  const present = roll(3) ? {} : { present: [roll(2)] };
  return pick(roll, [
    () => ({ type: "choose", parts: { [name]: value }, when: 300 * roll(9) }),
    () => ({ type: "choose", parts: { headMask }, when: 0 }),
    () => ({
      type: pick(roll, ["take", "lend"]),
      parts: { [name]: value, ...(roll(3) ? {} : { off: [[roll(3), roll(4)]] }) },
    }),
    () => ({ type: "begin", sentence: pick(roll, ["", "tea"]) }),
    () => ({ type: pick(roll, ["undo", "redo"]) }),
    () => ({ type: pick(roll, ["point", "pin"]), query: roll(4) ? roll(5) : null }),
    () => ({ type: "point", query: null, lookedAt: shown && { second: false, key: roll(shown.map.keyTokens.length) } }),
    () => ({ type: pick(roll, ["point", "pin"]), query: [roll(2), 2 + roll(2)] }),
    () => ({ type: "widen", to: roll(3), ...(roll(2) && { from: roll(3) }) }),
    () => ({ type: "pin", query: roll(3), edge: { layer: roll(2), head: roll(3), query: roll(3), key: roll(3) } }),
    () => ({ type: "model", numLayers: 2, numHeads: 3 }),
    () => ({ type: "show", map: { ...makeMap({ queryTokens, keyTokens, seed: roll(99), ...present }), scoreParts } }),
    () => ({ type: "layer", layer: roll(2), map: { weights: weightsOf([1, ...(map?.shape.slice(1) ?? [3, 5, 5])]) } }),
    () => ({ type: "refuse" }),
    () => ({ type: "without", map: map ?? {}, ...pick(roll, [{}, { found: null }, { found: MATTERED }]) }),
    () => ({ type: "look", layer: roll(2), head: roll(3) }),
    () => ({ type: "sort" }),
  ])();
}

test("after any actions the state fits its map, and what is shown is what was chosen; what is undone is done again", () => {
  const start = (roll) => startWith({ sentence: "tea" }, { computes: roll(2) === 1, fetches: roll(2) === 1 });
  const step = (before, action) => {
    const state = reduce(before, action);
    return { state, ...cameTo(before, state) };
  };
  walk(start, anyAction, step, ({ before, action, after, needs, layers }) => {
    const { chosen, map, shown, pinned, pointed, explained } = after;
    if (needs === "map") assert.ok(after.computes);
    if (action.type === "begin" || (action.type === "choose" && "sentence" in action.parts))
      assert.deepEqual([after.lent, chosen.mattered], [{}, "unasked"]);
    if (after.without.found.length) assert.equal(before.without.map, after.without.map);
    assert.ok(layers.every((each) => missingOf(after).includes(each)) && (after.fetches || !layers.length));
    if (after.requests !== before.requests) assert.ok(["choose", "begin", "pin"].includes(action.type));
    if (before.chosen.layer !== chosen.layer) assert.equal(after.looked.layer, chosen.layer);
    if (before.chosen.view !== chosen.view) assert.ok(after.sorted, "another view opens sorted");
    if (shown && !chosen.headMask && needs === "paint") assert.equal(after.allOn.predictions, map.predictions);
    if (after.lookedAt) assert.ok(after.lookedAt.key < shown.map.keyTokens.length);
    if (explained) assert.equal(explained.map.queryTokens.join("\n"), map.queryTokens.join("\n"));
    if (needs === "paint") {
      const [all, heads, queries] = map.shape;
      assert.ok(chosen.layer < all && (chosen.head ?? 0) < heads);
      assert.ok(
        typeof chosen.query !== "string" && endsOf(chosen.query)[1] < queries,
        JSON.stringify([chosen.query, queries]),
      );
      assert.notEqual(chosen.view, "picture");
      assert.deepEqual(missingOf(after), []);
      assert.deepEqual(shown.map, shownMap(map, chosen));
      assert.ok(endsOf(queryOf(after))[1] < shown.map.queryTokens.length);
    }
    if (pinned) assert.ok(typeof pointed !== "number" || action.type !== "point");
    if (
      action.type === "widen" &&
      pinned &&
      before.shown &&
      before.shown === shown &&
      action.to < before.shown.map.shape[2]
    )
      assert.ok(isAsking(restOf(after), action.to), "the word that was pressed asks");
    if (map || !after.history.past.length) return;
    const undone = reduce(after, { type: "undo" });
    assert.deepEqual(reduce(undone, { type: "redo" }).chosen, chosen);
  });
});

const MODELS = [[], ["focus"], ["focus", "focus/untaught"], ["focus/untaught"], ["file/mine"]];
const LINK = { sentence: "coffee", view: "matrix", model: 0, madeWith: "", off: [[0, 1]] };

test("other models leave the sentence and the map; the one that was chosen goes on where it's among them, and a file of the same name asks again", () => {
  const given = (roll) => {
    const models = pick(roll, MODELS);
    const beside = pick(roll, ["", "file/other"]);
    return { models, model: roll(models.length + 1) - 1, beside, behaviours: ["other"], linked: LINK };
  };
  const anyChange = (roll, state) =>
    roll(2) ? anyAction(roll, state) : { type: "take", parts: { given: given(roll) } };
  const start = (roll) => startOn({ sentence: "tea", madeWith: pick(roll, ["", "file/mine"]) }, given(roll), ["1"]);
  const step = (before, action) => ({ state: reduce(before, action) });
  walk(start, anyChange, step, ({ before, action, after }) => {
    const { models, chosen } = after;
    assert.deepEqual([after.places, after.example], [before.places, before.example]);
    assert.deepEqual([after.computes, chosen.model < Math.max(models.length, 1)], [models.length > 0, true]);
    assert.deepEqual(after.behaviours, models.includes("file/mine") ? null : ["other"]);
    if (action.type !== "take" || !action.parts.given) return;
    assert.equal(after.beside, action.parts.given.beside);
    assert.deepEqual([chosen.sentence, after.map?.weights], [before.chosen.sentence, before.map?.weights]);
    const same = before.models[before.chosen.model];
    if (String(models) === String(before.models)) {
      assert.equal(
        after.requests - before.requests,
        Number(models.includes("file/mine") && action.parts.given.model < 0 && after.beside === before.beside),
      );
    } else {
      assert.deepEqual(after.history, NEW);
      if (models.includes(same)) assert.equal(models[chosen.model], same);
      const isFound = before.madeWith && models.includes(before.madeWith);
      assert.deepEqual([after.madeWith, isFound ? chosen.view : LINK.view], ["", LINK.view]);
    }
  });
});
