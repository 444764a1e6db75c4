// The states of figures that lean on a map: what holds after any actions. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import * as kinds from "../../src/manyheads/web/figures/attention-kinds/state.ts";
import * as look from "../../src/manyheads/web/figures/first-look/state.ts";
import * as museum from "../../src/manyheads/web/figures/museum-piece/state.ts";
import * as shuffle from "../../src/manyheads/web/figures/word-shuffle/state.ts";
import { maskOf } from "../../src/manyheads/web/math/heads-off.ts";
import { pick, walk } from "./dice.mjs";
import { makeMap } from "./small-models.mjs";

const walkOf = ({ reduce }, start, anyAction, check) =>
  walk(start, anyAction, (state, action) => ({ state: reduce(state, action) }), check);

/** A map of so many words, with what comes out of the attention. */
const mapOf = (count, mood = 0.8) => {
  const words = ["a", "b", "c"].slice(0, count);
  const made = makeMap({ keyTokens: words, queryTokens: words, predictions: { mood: { good: mood, bad: 1 - mood } } });
  return { ...made, output: { shape: [count, 2], values: new Float32Array(2 * count).fill(mood) } };
};
const MAPS = [mapOf(1), mapOf(2), mapOf(2, 0.4), mapOf(3)];

/** What a map with such models shows: the one that is chosen may not have come yet. */
const seen = (roll, models, attention = pick(roll, MAPS)) => ({
  ...{ attention, models, model: pick(roll, models), computedBy: pick(roll, models), headMask: null, sentence: "" },
});

test("a bug is never on before its map is there, and what it changes is shown only while it's on", () => {
  const anyAction = (roll, state) =>
    pick(roll, [
      { type: "switch", on: roll(2) === 1 },
      { type: "follow", map: seen(roll, ["focus", "focus/bug"]) },
      ...(museum.isOn(state) ? [{ type: "show", maps: [pick(roll, MAPS), pick(roll, MAPS)] }] : []),
    ]);
  walkOf(museum, museum.start, anyAction, ({ before, action, after }) => {
    if (museum.isOn(after)) assert.equal(after.map.computedBy, "focus/bug");
    if (after.rows) assert.ok(museum.isOn(after));
    for (const [, right, wrong] of after.rows ?? []) assert.notEqual(right, wrong);
    if (action.type === "switch") assert.deepEqual([after.on, after.map], [action.on, before.map]);
    if (action.type === "follow") assert.equal(after.on, action.map.model === "focus/bug");
  });
});

test("what a kind changes is said of that kind alone, once its map is there, and caches grow with the text", () => {
  const cache = (each, most = null) => ({ each, most, always: 0 });
  const caches = { "multi-head": cache(12), linear: cache(0), "sliding-window": cache(12, 2) };
  const models = Object.keys(caches).map(kinds.modelOf);
  const anyAction = (roll, state) =>
    pick(roll, [
      { type: pick(roll, ["choose", "take", "lend"]), parts: { kind: pick(roll, [...Object.keys(caches), "none"]) } },
      { type: "take", parts: { sentence: "a b" } },
      { type: "follow", map: seen(roll, models) },
      ...(kinds.comparedOf(state) ? [{ type: "show", plain: pick(roll, MAPS) }] : []),
    ]);
  walkOf(
    kinds,
    (roll) => kinds.startWith(caches, seen(roll, models)),
    anyAction,
    ({ before, action, after }) => {
      const { kind, changes } = after;
      assert.ok(kind in caches);
      if (changes)
        assert.ok(kinds.summary(after).startsWith(`${kinds.nameOf(kind)}: `) && kinds.summary(after).endsWith(changes));
      if (changes.startsWith("Compared")) assert.equal(kinds.comparedOf(after), after.map);
      if (changes.startsWith("This is plain")) assert.equal(kind, "multi-head");
      if (kind !== before.kind) assert.ok(!changes.startsWith("Compared"), "of the kind before");
      if (action.type === "follow") assert.equal(kinds.modelOf(kind), action.map.model);
      if (action.type === "show" && changes !== before.changes)
        assert.deepEqual(after.map.keyTokens, action.plain.keyTokens);
      const [plain, linear, window] = Object.keys(caches).map((each) => kinds.keptOf(after, each).long);
      assert.ok(linear === 0 && window <= plain && plain <= 1);
    },
  );
});

test("a shuffle is of the words that their reader wrote, is undone by another sentence, and the first guess counts", () => {
  const models = ["focus", "focus/no-order"];
  const orders = (roll, state) =>
    shuffle.reordered(state, state.shown?.shuffled ?? pick(roll, ["", "tea", "a b", "hot tea, please"]));
  const anyAction = (roll, state) =>
    pick(roll, [
      { type: "follow", models, sentence: pick(roll, ["tea", state.shown?.shuffled ?? "tea"]) },
      { type: "shuffle", orders: orders(roll, state) },
      { type: "guess", pressed: pick(roll, [null, 0, 2]), orders: orders(roll, state) },
      { type: "undo" },
      ...(state.wanted ? [{ type: "show", maps: models.flatMap(() => [pick(roll, MAPS), pick(roll, MAPS)]) }] : []),
    ]);
  walkOf(shuffle, shuffle.start, anyAction, ({ before, action, after }) => {
    const { wanted, shown, changes, guess, right } = after;
    for (const { original, shuffled } of [wanted, shown].filter(Boolean))
      assert.deepEqual(shuffle.wordsOf(shuffled).sort(), shuffle.wordsOf(original).sort());
    assert.equal(changes.length, shown ? models.length : 0);
    if (action.type === "undo") assert.equal(shown, null);
    if (action.type === "follow") assert.equal(shown, action.sentence === before.shown?.shuffled ? before.shown : null);
    if (action.type === "shuffle" && before.shown) assert.equal(wanted.original, before.shown.original);
    if (action.type === "show")
      assert.deepEqual([shown, guess.stage], [wanted, before.guess.stage === "open" ? "open" : "shown"]);
    if (before.guess.stage !== "open") assert.equal(guess.pressed, before.guess.pressed, "the first guess counts");
    assert.ok(right === null || right in [0, 1, 2]);
  });
});

test("a door that is entered twice leads back, and the stage shows the last map that came, with its switch", () => {
  const models = ["focus"];
  const mapOfLook = (roll) => ({
    ...seen(roll, models, pick(roll, [null, ...MAPS, { ...MAPS[0], predictions: {} }])),
    headMask: maskOf(
      pick(roll, [
        [],
        [[0, 1]],
        [[1, 0]],
        [
          [0, 0],
          [1, 2],
        ],
      ]),
      2,
      3,
    ),
  });
  const anyAction = (roll) =>
    pick(roll, [
      { type: "enter", door: pick(roll, ["numbers", "heads"]) },
      { type: "press" },
      { type: "follow", map: mapOfLook(roll) },
    ]);
  walkOf(
    look,
    (roll) => look.startWith(1, "mood", mapOfLook(roll)),
    anyAction,
    ({ before, action, after }) => {
      const [shown, isPress] = [look.shownOf(after), action.type === "press"];
      assert.equal(after.face === before.face, action.type !== "enter");
      if (action.type === "enter") {
        const again = look.reduce(after, action);
        assert.ok(after.face === "stage" ? again.face === action.door : again.face === "stage");
      }
      const came = action.type === "follow" && action.map.attention !== null;
      assert.equal(after.map, came ? action.map : before.map);
      assert.equal(after.waits, isPress || (before.waits && !came));
      assert.equal(after.turns, isPress || before.turns);
      assert.equal(shown !== null, "mood" in (after.map?.attention.predictions ?? {}));
      if (shown) assert.equal(shown.on, after.map.headMask?.[0][1] ?? true);
    },
  );
});
