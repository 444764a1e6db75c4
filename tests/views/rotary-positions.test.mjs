// <rotary-positions>: moved alone the score changes, moved together it stays.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, heard, named, once, texts, tick, type } from "./page.mjs";

const opened = () => draw("<rotary-positions></rotary-positions>");
const [QUERY, KEY] = ["Position of the query", "Position of the key"];
const positions = (figure) => [QUERY, KEY].map((name) => Number(named(figure, name).value));
const score = (figure) => texts(figure, ".rp-score")[0];

async function move(figure, name, to) {
  const told = once(document, "turned");
  type(figure, name, to);
  return told;
}

test("moved alone, the score changes and the place is said", async () => {
  const figure = await opened();
  assert.match(score(figure), /^The key is 3 words before the query\. Score: \d/);
  const there = await move(figure, KEY, 5);
  assert.match(score(figure), /^The key is where the query is\. Score: 4\.00$/);
  const after = await move(figure, KEY, 6);
  assert.match(score(figure), /^The key is 1 word after the query\./);
  assert.ok(after.score < there.score);
  assert.deepEqual([after.query, after.key], [5, 6]);
});

test("moved together, the score stays while the arrows turn", async () => {
  const figure = await opened();
  const before = score(figure);
  const turn = () => figure.querySelector(".rp-query").style.getPropertyValue("--turn");
  const turned = turn();
  tick(named(figure, "Move both"));
  await move(figure, QUERY, 9);
  assert.deepEqual([positions(figure), score(figure)], [[9, 6], before]);
  assert.notEqual(turn(), turned);
});

test("together, neither goes further than the other can", async () => {
  const figure = await opened();
  tick(named(figure, "Move both"));
  await move(figure, QUERY, 0);
  assert.deepEqual(positions(figure), [3, 0]);
  await move(figure, KEY, 20);
  assert.deepEqual(positions(figure), [20, 17]);
});

test("the score of every distance has a bar; the present one is marked", async () => {
  const figure = await opened();
  const bars = [...figure.querySelectorAll(".rp-bars i")];
  assert.deepEqual([bars.length, bars.findIndex((bar) => bar.classList.contains("rp-now"))], [41, 17]);
  assert.equal(figure.querySelectorAll(".rp-now").length, 1);
});

test("what a move came to is said once", async (t) => {
  const figure = await opened();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const at of [3, 4, 5]) type(figure, KEY, at);
  assert.equal(heard(figure, t.mock.timers), score(figure));
});
