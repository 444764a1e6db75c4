// <head-map> with a model that reads drawings: nothing in it is about sentences.
import assert from "node:assert/strict";
import test from "node:test";
import { baked, draw, heard, isHere, once, press, says, status, texts } from "./page.mjs";
import { show } from "./map-view.mjs";
import { drawingModel, makeMap, mapModel } from "./small-models.mjs";

const { copiesOf } = await import("../../src/manyheads/web/figures/head-map/attributes.ts");
const { fileName } = await import("../../src/manyheads/web/figures/head-map/save.ts");
const { START } = await import("../../src/manyheads/web/math/options.ts");
const { bitmapOf } = await import("../../src/manyheads/web/views/pixels.ts");

const STROKE = "16_8-16_24";
const TAG = `<head-map model="drawing" view="picture" sentence="${STROKE}"`;

async function live() {
  const map = await draw(`${TAG}></head-map>`, { drawing: isHere(drawingModel()) });
  await map.ready;
  return map;
}

const darkest = (map) => Math.min(...bitmapOf(map.querySelector(".hm-photo canvas")).pixels);

test("there is nothing to type into, nothing to compare, and what it says fits", async () => {
  const map = await live();
  assert.equal(map.querySelectorAll("textarea.hm-sentence").length, 0);
  assert.ok(!texts(map, "button").includes("Compare"));
  assert.equal(status(map), "Ready: computed in your browser.");
  assert.ok(!/sentence|type/i.test(map.textContent));
});

test("a notebook’s map of a reader’s own model of drawings has nothing to type into, whatever the model is called", () => {
  const boxes = (options) =>
    show({}, {}, { models: ["mine.safetensors"], ...options }).root.querySelectorAll("textarea.hm-sentence");
  assert.deepEqual([boxes({ readsText: false }).length, boxes({}).length], [0, 2]);
});

test("a drawing that a page gives is computed at once, told with what is filled, painted, heard, and undone", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const map = await live();
  assert.equal(darkest(map), 0);
  const painted = once(document, "attention");
  map.type("");
  assert.equal((await painted).filled.length, 32 * 32);
  assert.deepEqual([map.sentence, darkest(map)], ["", 255]);
  assert.equal(heard(map, t.mock.timers), "Places shut in: 0, 75\u00a0%.");
  press(map, "Undo");
  assert.deepEqual([map.sentence, darkest(map)], [STROKE, 0]);
});

test("a text that is no drawing is refused, and the last drawing stays", async () => {
  const map = await live();
  map.sentence = "coffee or tea?";
  assert.equal(status(map), "This text is no drawing. What you see is the last drawing that could be read.");
  assert.equal(darkest(map), 0);
});

test("what is baked in is ink as well: a dark theme turns it over", async () => {
  const tokens = ["[CLS]", "patch 1,1"];
  const picture = {
    src: "data:image/png;base64,AAAA",
    rows: 1,
    columns: 1,
    width: 32,
    height: 32,
    keyStart: 1,
    queryStart: 1,
  };
  const data = baked(makeMap({ queryTokens: tokens, keyTokens: tokens, picture }));
  const map = await draw(`${TAG}>${data}</head-map>`, {}, "", false);
  assert.ok(map.querySelector(".hm-sights").classList.contains("hm-inked"));
  await says(map, /^This is a computed example\./);
});

test("a press on a sentence of a table goes to the map before it that reads sentences", async () => {
  const table = "<table><tr><th>type this</th></tr><tbody><tr><td><em>a cup of tea</em></td></tr></tbody></table>";
  const map = await draw(`<head-map model="focus" sentence="hot tea"></head-map>${TAG}></head-map>${table}`, {
    focus: isHere(mapModel()),
    drawing: isHere(drawingModel()),
  });
  await map.ready;
  press(document, "a cup of tea");
  assert.equal(map.sentence, "a cup of tea");
  assert.equal(document.querySelectorAll("head-map")[1].sentence, STROKE);
});

test("files are named after what it reads; tag and frame make the figure that it is shared as", () => {
  const chosen = { ...START, view: "picture", sentence: STROKE };
  assert.equal(fileName({ state: chosen, readsText: false }, "svg"), "drawing-picture.svg");
  const element = document.createElement("div");
  element.setAttribute("model", "drawing");
  const copies = copiesOf(element, "1", () => ({ chosen, map: null }));
  assert.match(
    copies.tag(),
    /head-map\.js"><\/script>\n<head-map model="drawing" sentence="16_8-16_24" view="picture">/,
  );
  element.setAttribute("shared-as", "drawing-board");
  assert.match(copies.tag(), /drawing-board\.js"><\/script>\n<drawing-board model="drawing" sentence="16_8-16_24"/);
  assert.match(copies.frame(), /embed\.html\?figure=drawing-board&#38;model=drawing&#38;sentence=16_8-16_24/);
});
