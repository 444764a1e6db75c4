// <exercise-list>: what was answered rightly in this browser is marked, counted and erased.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, press, status, texts } from "./page.mjs";

const { keepAnswers } = await import("../../src/manyheads/web/doors/progress.ts");

const HTML = `<exercise-list><table><tbody>
  ${["one", "two", "three"].map((name) => `<tr><td><a href="chapter.html#${name}">${name}</a></td></tr>`).join("")}
  </tbody></table></exercise-list>`;

/** The list as a reader finds it who has answered some exercises. */
async function listed(answers) {
  const list = await draw(HTML);
  for (const [name, right] of Object.entries(answers)) keepAnswers(name, { typed: ["x"], right });
  const again = document.createElement("exercise-list");
  again.innerHTML = list.innerHTML;
  list.replaceWith(again);
  return again;
}
const marked = (list) => [...list.querySelectorAll(".el-done")].map((mark) => mark.previousElementSibling.textContent);

test("nothing is answered at first", async () => {
  const list = await listed({});
  assert.deepEqual(marked(list), []);
  assert.match(status(list), /^You have answered none of them/);
});

test("what is right is marked, what is wrong is only counted", async () => {
  const list = await listed({ one: true, two: false, three: true });
  assert.deepEqual([marked(list), texts(list, ".el-done")[0]], [["one", "three"], " ✓ answered"]);
  assert.equal(status(list), "In this browser you have answered 2 of them rightly, of 3 that you tried in fields.");
});

test("answers are erased by a press, once and for all", async () => {
  const list = await listed({ one: true });
  press(list, "Erase my answers");
  assert.deepEqual([marked(list), localStorage.length], [[], 0]);
  assert.match(status(list), /^You have answered none of them/);
});

test("an exercise that the book no longer has is not marked", async () => {
  const list = await listed({ gone: true, constructor: true });
  assert.deepEqual(marked(list), []);
});

test("it stands once, also where the build has drawn it before", async () => {
  const list = await listed({});
  assert.equal(list.querySelectorAll("[role=status]").length, 1);
  assert.equal([...list.querySelectorAll("button")].length, 1);
});
