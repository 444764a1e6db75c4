// <softmax-scale>: what softmax makes of scores that grow with the width.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, heard, named, once, press, texts, type } from "./page.mjs";

/** A row of the table: the scores, the weights without the scale, and with it. */
const row = (figure, at) =>
  [...figure.querySelectorAll("tbody tr")[at].querySelectorAll("td")].map(({ textContent }) =>
    Number(textContent.replace("−", "-")),
  );
const levels = (figure, at) =>
  [...figure.querySelectorAll("tbody tr")[at].querySelectorAll("td")].map(({ style }) =>
    Number(style.getPropertyValue("--share")),
  );

test("the water of each row sums to 1, and the widest keys leave all to one without the scale", async () => {
  const figure = await draw("<softmax-scale></softmax-scale>");
  const told = once(document, "weights");
  type(figure, "Width d_k", 9);
  const { width, scores, unscaled, scaled } = await told;
  assert.deepEqual([width, named(figure, "Width d_k").getAttribute("aria-valuetext")], [512, "dₖ = 512"]);
  for (const at of [1, 2]) assert.ok(Math.abs(levels(figure, at).reduce((a, b) => a + b) - 1) < 0.001);
  levels(figure, 1).forEach((level, key) => assert.ok(Math.abs(level - row(figure, 1)[key]) < 0.006));
  row(figure, 0).forEach((score, key) => assert.ok(Math.abs(score - scores[key]) < 0.06));
  assert.ok(Math.max(...unscaled) > 0.9 && Math.max(...scaled) < 0.8);
  assert.equal(
    texts(figure, ".hm-status")[0],
    `The largest weight is ${Math.max(...unscaled).toFixed(2)} without scaling, ${Math.max(...scaled).toFixed(2)} with it.`,
  );
});

test("a score has a bar on its side of 0, which grows as the keys do", async () => {
  const figure = await draw("<softmax-scale></softmax-scale>");
  const bars = () => [...figure.querySelectorAll(".sc-scores td")];
  const lengths = () => bars().map(({ style }) => Number(style.getPropertyValue("--score")));
  const long = (all) => all.reduce((sum, length) => sum + length, 0);
  bars().forEach((bar, key) => assert.equal(bar.classList.contains("sc-below"), row(figure, 0)[key] < 0));
  const [first, second] = lengths().map((length, key) => length / Math.abs(row(figure, 0)[key]));
  assert.ok(Math.abs(first - second) < 0.002, "one scale");
  const before = long(lengths());
  type(figure, "Width d_k", 9);
  assert.ok(long(lengths()) > 2 * before);
  assert.ok(Math.max(...lengths()) <= 1);
});

test("at width 1, dividing by its root changes nothing", async () => {
  const figure = await draw("<softmax-scale></softmax-scale>");
  type(figure, "Width d_k", 0);
  assert.deepEqual(levels(figure, 1), levels(figure, 2));
});

test("other numbers are drawn by a press; a wider key is the same numbers and more", async () => {
  const figure = await draw("<softmax-scale></softmax-scale>");
  const before = row(figure, 0);
  press(figure, "Draw others");
  const after = row(figure, 0);
  assert.notDeepEqual(after, before);
  type(figure, "Width d_k", 9);
  type(figure, "Width d_k", 6);
  assert.deepEqual(row(figure, 0), after);
});

test("what a move came to is said once", async (t) => {
  const figure = await draw("<softmax-scale></softmax-scale>");
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const width of [7, 8, 0]) type(figure, "Width d_k", width);
  assert.equal(heard(figure, t.mock.timers), texts(figure, ".hm-status")[0]);
});
