// The state of <head-ledger>: each action gives another state. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import { headOf, isOn, reduce, startWith } from "../../src/manyheads/web/figures/head-ledger/state.ts";
import { pick, walk } from "./dice.mjs";

const OFF = { off: [0, 9].map((at) => [at, at]) };

/** A ledger of some heads of two layers and three others, whose parts are random. */
function ledger(roll) {
  const perLayer = 1 + roll(8);
  const headNames = Array.from({ length: 2 * perLayer }, (_, head) => `head ${head}`);
  const others = ["embedding", "MLP", "biases"];
  const width = headNames.length + others.length + 1;
  return {
    headNames,
    numHeads: perLayer,
    others,
    labels: [
      ["kind", "tea"],
      ["kind", "milk"],
      ["mood", "good"],
    ],
    answered: roll(10) > 0,
    parts: { shape: [3, width], values: Float32Array.from({ length: 3 * width }, () => roll(99) / 99 - 0.5) },
  };
}

const anyAction = (roll, { ledger: numbers }) =>
  pick(roll, [
    () => ({ type: "show", ledger: ledger(roll) }),
    () => ({ type: "switch", head: roll(numbers?.headNames.length ?? 4) }),
    () => ({
      type: pick(roll, ["choose", "take", "lend"]),
      parts: pick(roll, [{ sentence: "milk" }, { answer: "kind" }, { answer: "mood: good" }, { head: roll(99) }, OFF]),
    }),
  ])();

test("after any actions each part has one row at most, each head that is off has one, and switching moves none", () => {
  const start = () => startWith({ sentence: "tea" });
  walk(
    start,
    anyAction,
    (state, action) => ({ state: reduce(state, action) }),
    ({ before, action, after }) => {
      const { rows, ledger: numbers, chosen } = after;
      if (!numbers?.answered) return;
      const all = numbers.headNames.length + numbers.others.length;
      assert.equal(new Set(rows).size, rows.length);
      assert.ok(rows.every((part) => part < all) && rows.length >= Math.min(10, all));
      assert.ok(headOf(after) < numbers.headNames.length && headOf(after) >= 0);
      if (action.type === "switch") {
        assert.deepEqual(rows, before.rows);
        assert.equal(isOn(after, action.head), !isOn(before, action.head));
        const again = reduce(reduce(after, action), action);
        assert.deepEqual(again.chosen.off.map(String).sort(), chosen.off.map(String).sort());
      }
      if (action.parts && !action.parts.off)
        numbers.headNames.forEach((_, head) => assert.ok(isOn(after, head) || rows.includes(head)));
    },
  );
});
