// The state of <head-ledger>: each action gives another state. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import { headOf, isOn, reduce, startWith } from "../../src/manyheads/web/figures/head-ledger/state.ts";

/** A ledger of some heads of two layers and three others, whose parts are random. */
function ledger(random, perLayer) {
  const headNames = Array.from({ length: 2 * perLayer }, (_, head) => `head ${head}`);
  const others = ["embedding", "MLP", "biases"];
  const labels = [
    ["kind", "tea"],
    ["kind", "milk"],
    ["mood", "good"],
  ];
  const width = headNames.length + others.length + 1;
  return {
    headNames,
    numHeads: perLayer,
    others,
    labels,
    answered: random() < 0.9,
    parts: { shape: [3, width], values: Float32Array.from({ length: 3 * width }, () => random() - 0.5) },
  };
}

test("after any actions each part has one row at most, each head that is off has one, and switching moves none", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const below = (count) => Math.floor(random() * count);
  for (let run = 0; run < 500; run++) {
    let state = startWith({ sentence: "tea" });
    for (let step = 0; step < 20; step++) {
      const count = state.ledger?.headNames.length ?? 4;
      const action = [
        () => ({ type: "show", ledger: ledger(random, 1 + below(8)) }),
        () => ({ type: "switch", head: below(count) }),
        () => ({
          type: "choose",
          parts: [
            { sentence: "milk" },
            { answer: "kind" },
            { answer: "mood: good" },
            { head: below(99) },
            {
              off: [
                [0, 0],
                [9, 9],
              ],
            },
          ][below(5)],
        }),
      ][below(3)]();
      const before = Object.freeze({ ...state });
      state = reduce(before, action);
      const { rows, ledger: numbers, chosen } = state;
      if (!numbers?.answered) continue;
      const all = numbers.headNames.length + numbers.others.length;
      assert.ok(
        new Set(rows).size === rows.length && rows.every((part) => part < all) && rows.length >= Math.min(10, all),
        `run ${run}`,
      );
      assert.ok(headOf(state) < numbers.headNames.length && headOf(state) >= 0);
      if (action.type === "switch") {
        assert.deepEqual(rows, before.rows);
        assert.equal(isOn(state, action.head), !isOn(before, action.head));
        assert.deepEqual(
          reduce(reduce(state, action), action).chosen.off.map(String).sort(),
          chosen.off.map(String).sort(),
        );
      }
      if (action.type === "choose" && !action.parts.off)
        numbers.headNames.forEach((_, head) => assert.ok(isOn(state, head) || rows.includes(head)));
    }
  }
});
