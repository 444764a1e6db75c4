// Phrases of a page's text that do in a figure what they say.
import assert from "node:assert/strict";
import test from "node:test";
import { drawLive, key, named, page, same, settled } from "./page.mjs";
import { mapModel, tokensOf } from "./small-models.mjs";

const phrase = (words, set, figure = "head-map") =>
  `<span class="hm-phrase" data-figure="${figure}" data-set='${JSON.stringify(set)}'>${words}</span>`;

async function opened(...phrases) {
  const html = `<head-map id="map" model="focus" sentence="hot tea now"></head-map><p>${phrases.join(" ")}</p>`;
  const map = await drawLive(html, mapModel());
  return [map, ...document.querySelectorAll(".hm-phrase")];
}

test("a phrase is a button that sets its figure, by pointer and keyboard", async () => {
  const [map, first, second, other] = await opened(
    phrase("No tea", { sentence: "no tea", off: "0.1" }),
    phrase("all on", { off: "" }, "map"),
    phrase("else", { off: "" }, "elsewhere"),
  );
  assert.deepEqual(
    [first, second, other].map((node) => [node.getAttribute("role"), node.tabIndex]),
    [
      ["button", 0],
      ["button", 0],
      [null, -1],
    ],
  );
  first.click();
  await settled();
  assert.deepEqual([map.sentence, map.off, map.attention.keyTokens], ["no tea", "0.1", tokensOf("no tea")]);
  map.type("hot");
  assert.ok(key(second, " "), "the page doesn't scroll");
  assert.deepEqual([map.sentence, map.off], ["hot", ""]);
  key(first, "Enter");
  assert.equal(map.sentence, "no tea", "again what it says, whatever was typed meanwhile");
  map.remove();
  assert.equal(first.getAttribute("role"), null, "without its figure it's text");
});

test("a phrase enlarges a head, and another shows all of them again", async () => {
  const [map, one, all] = await opened(
    phrase("one", { view: "grid", layer: "0", head: "1" }),
    phrase("all", { view: "grid", head: "" }),
  );
  const large = () => [...map.querySelectorAll('[aria-expanded="true"]')].map((button) => button.ariaLabel);
  one.click();
  await settled();
  assert.equal(large().length, 1);
  all.click();
  await settled();
  assert.deepEqual(large(), []);
});

test("pointed at or focused, it lights what it speaks of; else the whole figure", async () => {
  const [map, named1, whole] = await opened(
    phrase("the box", { light: "Sentence" }),
    phrase("no tea", { sentence: "no tea" }),
  );
  const lit = () => [...document.querySelectorAll(".hm-spoken")];
  named1.dispatchEvent(new Event("pointerenter"));
  same(lit(), named(map, "Sentence"));
  named1.dispatchEvent(new Event("pointerleave"));
  whole.dispatchEvent(new Event("focus"));
  same(lit(), map);
  whole.dispatchEvent(new Event("blur"));
  assert.equal(lit().length, 0);
});

test("what comes with the answer only is lit once it's there", async () => {
  const [map, first] = await opened(phrase("No tea", { sentence: "no tea", light: "no to tea" }));
  map.querySelector('input[value="matrix"]').click();
  first.click();
  await settled();
  const lit = [...map.querySelectorAll(".hm-spoken")];
  assert.ok(lit.length && lit.every((cell) => cell.getAttribute("aria-label").startsWith("no to tea: ")));
});

test("what was pressed stays lit for a while, though the page scrolls away from under the pointer", async (t) => {
  const [map, first] = await opened(phrase("No tea", { sentence: "no tea" }));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  first.dispatchEvent(new Event("pointerenter"));
  first.click();
  first.dispatchEvent(new Event("pointerleave"));
  assert.ok(map.classList.contains("hm-spoken"));
  t.mock.timers.tick(2000);
  assert.ok(!map.classList.contains("hm-spoken"));
});

test("where the page has scrolled to the figure, a button leads back to the text", async (t) => {
  const [, first] = await opened(phrase("No tea", { sentence: "no tea" }));
  t.after(() => Object.assign(page, { height: 300, seen: true }));
  Object.assign(page, { height: 900, seen: false }); // of 800
  let steps = 0;
  t.mock.method(history, "back", () => steps++);
  first.click();
  first.click();
  assert.equal(document.querySelectorAll(".hm-back").length, 1);
  document.querySelector(".hm-back").click();
  assert.equal(steps, 1);
  window.dispatchEvent(new Event("popstate"));
  assert.equal(document.querySelector(".hm-back"), null);
});
