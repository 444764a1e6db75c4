// <growing-cache>: keys and values of a text that grows, with a cache and without.
import assert from "node:assert/strict";
import test from "node:test";
import { choose, draw, heard, hideTab, isIdle, named, once, page, press, texts } from "./page.mjs";
import { HOSTILE } from "./small-models.mjs";

const opened = (words = "The cup of tea") =>
  draw(`<growing-cache words="${words}" layers="2" width="10" heads="3"></growing-cache>`);
const sums = (figure) => texts(figure, ".gc-row > p > span");
const cells = (figure, row) =>
  [...figure.querySelectorAll(".gc-row")[row].querySelectorAll("li")].map((cell) => cell.getAttribute("aria-label"));

test("each word is computed once with a cache, and over and over without", async () => {
  const figure = await opened();
  for (let word = 0; word < 3; word++) press(figure, "Write a word");
  assert.deepEqual(sums(figure), [
    "keys and values of 1 word computed for the last one, 4 so far.",
    "keys and values of 4 words computed for the last one, 10 so far.",
  ]);
  assert.deepEqual(cells(figure, 0), ["The: kept", "cup: kept", "of: kept", "tea: computed"]);
  assert.ok(cells(figure, 1).every((label) => label.endsWith(": computed")));
  const walls = [...figure.querySelectorAll("ol")].map((wall) =>
    [...wall.querySelectorAll(".gc-bricks")].map(({ childElementCount }) => childElementCount),
  );
  assert.deepEqual(
    walls,
    [
      [1, 1, 1, 1],
      [4, 3, 2, 1],
    ],
    "a brick for each time",
  );
  assert.deepEqual(
    [...figure.querySelectorAll("ol")].map((wall) => wall.querySelectorAll(".gc-new").length),
    [1, 4],
  );
});

test("at the end it writes no more; it starts over", async () => {
  const figure = await opened("The cup");
  assert.deepEqual([isIdle(figure, "Write a word"), isIdle(figure, "Start over")], [false, true]);
  for (let word = 0; word < 3; word++) press(figure, "Write a word");
  assert.deepEqual(
    [cells(figure, 0).length, isIdle(figure, "Write a word"), isIdle(figure, "Start over")],
    [2, true, false],
  );
  press(figure, "Start over");
  assert.deepEqual([cells(figure, 0), isIdle(figure, "Start over")], [["The: computed"], true]);
});

test("its bytes are two numbers of two bytes for every layer, head and word", async () => {
  const figure = await opened();
  const told = once(document, "written");
  press(figure, "Write a word");
  assert.deepEqual(await told, { count: 2, bytes: 2 * 2 * 2 * 3 * 10 * 2 });
  const more = once(document, "written");
  choose(figure, "Heads of keys and values", 9);
  assert.equal((await more).bytes, 3 * 480);
  assert.match(
    texts(figure, ".gc-size")[0],
    /^The cache of these 2 words takes 1 kB; 1,000 tokens would take 720 kB, 100,000 tokens would take 72 MB\.$/,
  );
});

for (const [still, pause] of [
  [false, 700],
  [true, 1000],
])
  test(`it writes on by itself and ends; less motion: ${still}`, async (t) => {
    const figure = await opened();
    t.mock.timers.enable({ apis: ["setTimeout"] });
    page.still = still;
    press(figure, "▶ Play");
    assert.deepEqual([cells(figure, 0).length, Boolean(named(figure, "❚❚ Pause"))], [2, true]);
    t.mock.timers.tick(pause);
    t.mock.timers.tick(pause);
    assert.deepEqual([cells(figure, 0).length, Boolean(named(figure, "▶ Play"))], [4, true]);
  });

test("in a hidden tab it writes nothing, and goes on once that's seen", async (t) => {
  const figure = await opened();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(figure, "▶ Play");
  hideTab();
  t.mock.timers.tick(9000);
  assert.deepEqual([cells(figure, 0).length, Boolean(named(figure, "❚❚ Pause"))], [2, true]);
  hideTab(false);
  assert.equal(cells(figure, 0).length, 3);
});

test("paused, it stays where it is", async (t) => {
  const figure = await opened();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  page.still = false;
  press(figure, "▶ Play");
  press(figure, "❚❚ Pause");
  t.mock.timers.tick(5000);
  assert.equal(cells(figure, 0).length, 2);
});

test("what a press came to is said once, of both rows", async (t) => {
  const figure = await opened();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(figure, "Write a word");
  press(figure, "Write a word");
  assert.equal(heard(figure, t.mock.timers), `With a cache: ${sums(figure)[0]} Without: ${sums(figure)[1]}`);
});

test("words that look like HTML are text", async () => {
  const figure = await opened(HOSTILE.replaceAll("<", "&lt;"));
  assert.deepEqual([texts(figure, "li")[0], figure.querySelectorAll("img").length], [HOSTILE, 0]);
});

test("a guess plays it from the start, and is answered at the last word", async (t) => {
  const figure = await opened();
  press(figure, "Write a word");
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(figure, "16");
  t.mock.timers.tick(1000);
  assert.equal(texts(figure, ".gs-verdict")[0], "Your guess: 16.");
  t.mock.timers.tick(1000);
  assert.match(texts(figure, ".gs-verdict")[0], /^Not so: 10\. .* With a cache it takes 4\.$/);
  assert.match(sums(figure)[1], / 10 so far\.$/, "as the walls say");
});
