// Whatever is typed into a figure: it's answered, it stays in its box as it was typed, and it's text.
import assert from "node:assert/strict";
import test from "node:test";
import { drawLive, key, named, same, status, type } from "./page.mjs";
import { focusModel, HOSTILE, makeMap, mapModel } from "./small-models.mjs";

const TEXTS = {
  nothing: "",
  blanks: " \u00a0 ",
  "ten thousand letters": "x".repeat(10_000),
  "ten thousand characters": "tea ".repeat(2500),
  markup: `${HOSTILE} <script>alert(1)</script> &lt;b&gt; \${x} {{y}}`,
  "other scripts": "אני אוהב תה 喝茶 🍵👩‍👩‍👧 e\u0301",
  "signs that nobody sees": "a\u200b\u202e\u0000\ufeffb \ud83c",
};

for (const [figure, make] of Object.entries({
  "head-map": mapModel,
  "attention-flow": focusModel,
  "head-ledger": focusModel,
  "slice-or-project": focusModel,
  "whole-model": focusModel,
}))
  test(`<${figure}> answers any text, and names of heads that look like HTML are text`, async () => {
    const model = Object.assign(make(), { headNames: [HOSTILE, "mood", "rest"] });
    const element = await drawLive(`<${figure} model="focus" sentence="hot tea"></${figure}>`, model);
    for (const [name, text] of Object.entries(TEXTS)) {
      type(element, "Sentence", text);
      assert.deepEqual([named(element, "Sentence").value, element.sentence], [text, text], name);
      assert.match(status(element), /^Ready: computed in your browser as you type\./, name);
      assert.equal(element.querySelectorAll("img, script").length, 0, name);
    }
    type(element, "Sentence", HOSTILE);
    assert.ok(element.textContent.includes(HOSTILE));
  });

for (const view of ["paint", "matrix", "grid", "lines"])
  test(`${view} shows a map of no words, and one of a word alone`, async () => {
    const map = await drawLive(`<head-map model="focus" sentence="" view="${view}"></head-map>`, mapModel());
    for (const [text, tokens] of [
      ["", 2],
      ["tea", 3],
    ]) {
      map.sentence = text;
      assert.equal(map.attention.keyTokens.length, tokens);
      assert.ok(map.querySelector(".hm-stage td, .hm-stage li, .hm-grid button"));
    }
  });

for (const view of ["paint", "matrix"])
  test(`words that run from right to left do so in ${view}`, async () => {
    const map = await drawLive(`<head-map model="focus" sentence="אני אוהב תה" view="${view}"></head-map>`, mapModel());
    const cells = () => [...map.querySelectorAll("td[data-weight]")];
    assert.equal(map.querySelector(".hm-stage table").dir, "rtl");
    cells()[0].focus();
    key(cells()[0], "ArrowLeft");
    same(document.activeElement, cells()[1], "the next is to the left");
    map.sentence = "hot tea";
    assert.equal(map.querySelector(".hm-stage table").dir, "ltr");
  });

test("a box runs as its first letter does, whoever writes into it", async () => {
  const map = await drawLive('<head-map model="focus" sentence="אני אוהב תה"></head-map>', mapModel());
  const box = named(map, "Sentence");
  assert.equal(box.dir, "rtl");
  for (const [text, runs] of [
    ["hot tea", "ltr"],
    ["1. أحب tea", "rtl"],
    ["🍵", "ltr"],
  ]) {
    type(map, "Sentence", text);
    assert.equal(box.dir, runs, text);
  }
});

test("of a paste with lines each break is one space, and no other space is lost", async () => {
  const map = await drawLive('<head-map model="focus" sentence=""></head-map>', mapModel());
  type(map, "Sentence", ` hot  tea \n\r\n \t or${" ".repeat(100_000)}coffee\n`);
  assert.equal(named(map, "Sentence").value, ` hot  tea or${" ".repeat(100_000)}coffee `);
});

test("a word of another direction turns no sentence round", async () => {
  const map = await drawLive('<head-map model="focus" sentence="אוהב" view="lines"></head-map>', mapModel());
  assert.match(map.querySelector(".hm-stage .hm-hint").textContent, /\u2068אוהב\u2069 \(\d+\u00a0%\)/);
});

test("a long text says that matrices become pictures", async () => {
  const tokens = Array.from({ length: 91 }, (_, at) => `w${at}`);
  const map = await drawLive(
    '<head-map model="focus" sentence="long"></head-map>',
    mapModel({
      attend: () => makeMap({ shape: [1, 1, 2, 91], queryTokens: ["a", "b"], keyTokens: tokens, headNames: ["kind"] }),
    }),
  );
  assert.match(
    status(map),
    /This text is long \(91 tokens\): large matrices are shown as pictures, and only the strongest lines are drawn\.$/,
  );
});
