// <exercise-list>: what was answered rightly in this browser is marked, counted and erased.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, isIdle, press, status, texts } from "./page.mjs";

const { keepAnswers } = await import("../../src/manyheads/web/doors/progress.ts");

const item = (name, checked) =>
  `<li class="${checked ? "exercise-checked" : ""}"><p><a href="chapter.html#${name}">${name}</a></p></li>`;
const HTML = `<exercise-list>
  <p class="exercise-page">Chapter</p><ul>${item("one", true)}${item("by-hand", false)}${item("two", true)}</ul>
  <p class="exercise-page">Another</p><ul>${item("three", true)}</ul></exercise-list>`;

/** The list as a reader finds it who has answered some exercises. */
async function listed(answers) {
  const list = await draw(HTML);
  for (const [name, right] of Object.entries(answers)) keepAnswers(name, { typed: ["x"], right });
  const again = document.createElement("exercise-list");
  again.innerHTML = list.innerHTML;
  list.replaceWith(again);
  return again;
}
const marked = (list) => [...list.querySelectorAll(".el-right a")].map(({ textContent }) => textContent);

test("nothing is answered at first", async () => {
  const list = await listed({});
  assert.deepEqual([marked(list), isIdle(list, "Erase my answers")], [[], true]);
  assert.equal(status(list), "0 of 3 answered in this browser");
});

test("what is right is ticked and counted in its chapter and in all; what is wrong is only counted", async () => {
  const list = await listed({ one: true, two: false, three: true });
  assert.deepEqual(marked(list), ["one", "three"]);
  assert.deepEqual(
    [...list.querySelectorAll(".el-tick")].map((tick) => [tick.textContent, tick.getAttribute("aria-label")]),
    [
      ["✓", "answered"],
      ["", "open"],
      ["✓", "answered"],
    ],
    "those that no page checks have none",
  );
  assert.deepEqual(texts(list, ".exercise-page .el-done"), ["1 of 2", "1 of 1"]);
  const bars = [...list.querySelectorAll(".el-bar")].map(({ style }) => style.getPropertyValue("--done"));
  assert.deepEqual(bars, ["0.6667", "0.5000", "1.0000"]);
  assert.equal(status(list), "2 of 3 answered in this browser, 1 tried");
});

test("answers are erased by a press, once and for all", async () => {
  const list = await listed({ one: true });
  press(list, "Erase my answers");
  assert.deepEqual([marked(list), localStorage.length], [[], 0]);
  assert.match(status(list), /^0 of 3 /);
});

test("an exercise that the book no longer has is not marked", async () => {
  const list = await listed({ gone: true, constructor: true });
  assert.deepEqual(marked(list), []);
});

test("it stands once, also where the build has drawn it before", async () => {
  const list = await listed({});
  assert.deepEqual([list.querySelectorAll("[role=status]").length, list.querySelectorAll(".el-tick").length], [1, 3]);
  assert.equal([...list.querySelectorAll("button")].length, 1);
});
