// Why a head looks there: a score as bars that sum to it.
import assert from "node:assert/strict";
import test from "node:test";
import { texts } from "./page.mjs";

const { WhyThere } = await import("../../src/manyheads/web/views/why-there.ts");
const { scoreParts } = await import("../../src/manyheads/web/math/score-parts.ts");

const MAP = { queryTokens: ["a", " b"], keyTokens: ["a", " b"], headNames: ["head 1", "head 2"] };
const CELL = { layer: 1, head: 1, query: 1, key: 0 };
const FOUND = {
  parts: ["embedding", "layer 1, head 2", "biases"],
  pairs: Float64Array.of(0.5, 6, 0, -1.5, 0.25, 0, 0, 0.125, 0.0625),
};

function asked(scoreParts) {
  const view = new WhyThere();
  document.body.replaceChildren(view.node);
  view.ask({ ...MAP, scoreParts }, CELL, { "layer 1, head 2": "#123456" });
  return view;
}
const lead = ({ node }) => texts(node, ".wt-lead")[0];
const rows = ({ node }) =>
  [...node.querySelectorAll("tbody tr")].map((row) =>
    [...row.children].filter((cell) => !cell.hidden).map((cell) => cell.textContent),
  );

test("the largest pairs are named, and with the others they sum to the score", () => {
  const view = asked(() => FOUND);
  assert.deepEqual(rows(view), [], "nothing is computed before it's opened");
  view.open();
  assert.equal(
    lead(view),
    "In layer 2, head 2, the score of “␣b” with “a” is +5.44. In the key, what layer 1, head 2 wrote counts most: +6.38.",
  );
  assert.deepEqual(texts(view.node, "thead th"), ["Query “␣b”", "Key “a”", "add to the score"]);
  assert.deepEqual(rows(view), [
    ["embedding", "layer 1, head 2", "", "+6.00"],
    ["layer 1, head 2", "embedding", "", "−1.50"],
    ["embedding", "embedding", "", "+0.500"],
    ["layer 1, head 2", "layer 1, head 2", "", "+0.250"],
    ["biases", "layer 1, head 2", "", "+0.125"],
    ["4 other pairs", "", "+0.063"],
    ["Score", "", "+5.44"],
  ]);
  const bars = [...view.node.querySelectorAll("tbody i")].map(({ style }) =>
    [style.getPropertyValue("--from"), style.getPropertyValue("--length")].map(Number),
  );
  const ends = FOUND.pairs.length && [6, 4.5, 5, 5.25, 5.375, 5.4375];
  bars.slice(0, -1).forEach(([from, length], at) => {
    const right = Math.max(ends[at], ends[at - 1] ?? 0);
    assert.ok(Math.abs((from + length) * 6 - right) < 1e-3, `bar ${at} ends where it should`);
  });
  assert.deepEqual(bars.at(-1), [0, 0.9063]);
  assert.equal(view.node.querySelectorAll(".wt-minus").length, 1);
});

test("where the model rounds, its own score is shown, and rounding is named", () => {
  const view = asked(() => ({ ...FOUND, score: 5.45 }));
  view.open();
  assert.match(lead(view), / is \+5\.45\. /);
  assert.deepEqual(rows(view).slice(-2), [
    ["4 other pairs and rounding", "", "+0.075"],
    ["Score", "", "+5.45"],
  ]);
});

test("a worker's answer comes later, and one to an earlier question is not shown", async () => {
  const answers = [];
  const view = asked(() => new Promise((done) => answers.push(done)));
  view.open();
  view.ask({ ...MAP, scoreParts: () => new Promise((done) => answers.push(done)) }, { ...CELL, head: 0 });
  answers[1](FOUND);
  await null;
  answers[0]({ ...FOUND, pairs: FOUND.pairs.map((value) => -value) });
  await new Promise((done) => setTimeout(done));
  assert.match(lead(view), /^In layer 2, head 1, the score of “␣b” with “a” is \+5\.44\./);
});

test("an example that no model computed says what it waits for", () => {
  const view = asked(undefined);
  view.open();
  assert.equal(lead(view), "The model has to load first.");
  assert.equal(view.node.querySelector("table"), null);
});

test("a pair is the product of what a head reads of two parts, through a norm frozen at their sum", () => {
  const norm = { weight: [1, 2], eps: 0 };
  const rows = [
    [1, 0],
    [0, 1],
  ];
  const query = { parts: { embedding: [3, 0], "layer 1, MLP": [0, 4] }, rows, place: 0 };
  const { parts, pairs } = scoreParts(norm, query, query);
  const spread = (9 + 16) / 2;
  assert.deepEqual(parts, ["embedding", "layer 1, MLP"]);
  [9, 0, 0, 64].forEach((value, at) => assert.ok(Math.abs(pairs[at] - value / spread / Math.SQRT2) < 1e-12));
});
