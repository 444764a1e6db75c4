// <blend-triangle>: what one head can make of three words, and what two can.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, heard, key, named, once, page, pointerAt, texts, tick } from "./page.mjs";
import { HOSTILE } from "./small-models.mjs";

const opened = (words = "I love coffee") =>
  draw(`<blend-triangle words="${words}" values="0.2 0.1, 0 1, 1 0"></blend-triangle>`);
const points = (figure) => [...figure.querySelectorAll(".bt-point")];
const says = (figure) => texts(figure, ".bt-says")[0];

/** Presses a key often, and gives what the page is told of the last press. */
async function pushed(figure, head, name, times = 1) {
  let told;
  for (let time = 0; time < times; time++) {
    told = once(document, "blended");
    assert.ok(key(points(figure)[head], name));
  }
  return told;
}
const near = (found, wanted) =>
  found.forEach((value, at) => assert.ok(Math.abs(value - wanted[at]) < 0.011, `${found} is not ${wanted}`));

test("arrow keys move a blend, whose weights are never below 0 and sum to 1", async () => {
  const figure = await opened();
  const { result: start } = await pushed(figure, 0, "ArrowRight");
  const { result, weights } = await pushed(figure, 0, "ArrowDown");
  near(result, [start[0], start[1] - 0.05]);
  for (const [name, times] of [
    ["ArrowUp", 40],
    ["ArrowRight", 40],
    ["ArrowDown", 40],
  ]) {
    const {
      weights: [own],
    } = await pushed(figure, 0, name, times);
    assert.ok(own.every((weight) => weight >= 0));
    assert.ok(Math.abs(own.reduce((a, b) => a + b) - 1) < 1e-9);
  }
  assert.equal(weights.length, 1);
});

test("one head stays in the triangle, and never reaches both", async () => {
  const figure = await opened();
  for (let round = 0; round < 30; round++) for (const name of ["ArrowRight", "ArrowUp"]) await pushed(figure, 0, name);
  assert.doesNotMatch(says(figure), /There!/);
  assert.match(says(figure), /^It finds thing \S+, feeling \S+\. Wanted: thing 1\.00, feeling 1\.00\.$/);
});

test("two heads keep one number each, and reach what is wanted", async () => {
  const figure = await opened();
  const [one, two] = figure.querySelectorAll('input[type="radio"]');
  assert.deepEqual(
    points(figure).map(({ hidden }) => hidden),
    [false, true],
  );
  assert.equal(texts(figure, ".bt-hint")[0], "Drag the dot.");
  tick(two);
  assert.deepEqual(
    points(figure).map(({ hidden }) => hidden),
    [false, false],
  );
  assert.match(texts(figure, ".bt-hint")[0], /^Drag both dots/);
  await pushed(figure, 0, "ArrowRight", 40);
  const { result, weights } = await pushed(figure, 1, "ArrowUp", 40);
  near(result, [1, 1]);
  assert.match(says(figure), /^Together they find thing 1\.00, feeling 1\.00\. .* There!$/);
  assert.equal(weights.length, 2);
  assert.match(
    texts(figure, ".bt-weights")[1],
    /^Head 2 keeps the feeling of I 0\u00a0%, love 100\u00a0%, coffee 0\u00a0%\.$/,
  );
  tick(one);
  assert.doesNotMatch(says(figure), /There!/);
  tick(two);
  assert.match(says(figure), /There!/, "both heads stand where they were");
});

test("a blend is dragged, and only while it is held", async () => {
  const figure = await opened();
  const [point] = points(figure);
  let held = false;
  Object.assign(point, { setPointerCapture: () => (held = true), hasPointerCapture: () => held });
  const before = says(figure);
  const move = () => point.dispatchEvent(pointerAt("pointermove", (800 * 0.1) / 1.3, (page.height * 1.1) / 1.3));
  move();
  assert.equal(says(figure), before);
  point.dispatchEvent(pointerAt("pointerdown", 0, 0));
  move();
  assert.match(says(figure), /^It finds thing 0\.\d\d, feeling 0\.\d\d/);
  assert.notEqual(says(figure), before);
});

test("its name and what is said follow the blend", async (t) => {
  const figure = await opened();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  key(points(figure)[0], "ArrowUp");
  key(points(figure)[0], "ArrowUp");
  assert.match(points(figure)[0].getAttribute("aria-label"), /^Blend of the head: thing 0\.\d\d, feeling 0\.\d\d$/);
  assert.equal(heard(figure, t.mock.timers), says(figure));
  assert.equal(named(figure, "what is wanted").getAttribute("role"), "img");
});

test("words that look like HTML are text", async () => {
  const figure = await opened(`${HOSTILE.replaceAll("<", "&lt;")} love tea`);
  assert.deepEqual([texts(figure, ".bt-word")[0], figure.querySelectorAll("img").length], [HOSTILE, 0]);
});
