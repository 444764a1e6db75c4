// The view of a map that has a picture: what stands over its patches, and who asks.
import assert from "node:assert/strict";
import test from "node:test";
import { key, named, point, pointerAt, press, same, texts, tick } from "./page.mjs";
import { hold, show as showMap } from "./map-view.mjs";
import { HEADS, makeMap, weightsOf } from "./small-models.mjs";
import { queryWeights } from "../../src/manyheads/web/math/maps.ts";

const { queryOf } = await import("../../src/manyheads/web/figures/head-map/state.ts");
const { csvOf, onScreen } = await import("../../src/manyheads/web/figures/head-map/save.ts");
const { bitmapOf } = await import("../../src/manyheads/web/views/pixels.ts");

const PATCHES = ["patch 1,1", "patch 1,2", "patch 1,3", "patch 2,1", "patch 2,2", "patch 2,3"];
const PLACES = ["[CLS]", "register 1", ...PATCHES];
const SRC = "data:image/png;base64,AAAA";
const picture = { src: SRC, rows: 2, columns: 3, width: 60, height: 40, keyStart: 2, queryStart: 2 };

/** A map of so many heads that its layers stand one by one. */
const show = (state = {}, changes = {}, options = {}) => showFew(state, { shape: [5, 3, 8, 8], ...changes }, options);

const showFew = (state = {}, changes = {}, options = {}) =>
  showMap(
    { view: "picture", ...state },
    { queryTokens: PLACES, keyTokens: PLACES, picture, ...changes },
    { computes: false, ...options },
  );

const cellsOf = (root, part, head = 0) =>
  [...root.querySelectorAll(".hm-sight")][head].querySelectorAll(`.hm-${part} td`);
const places = (count, from = 0) => Array.from({ length: count }, (_, at) => from + at);
const asking = (root) =>
  [...root.querySelectorAll(".hm-asker")].map((cell) => cell.getAttribute("aria-label").match(/ to (.*):/)[1]);

test("a picture a head: a cell a patch, row by row, and the other places above it", () => {
  const { root, map } = show({ layer: 1, query: 4 });
  assert.deepEqual(texts(root, ".hm-sight figcaption .hm-head"), HEADS);
  assert.ok(root.querySelector(".hm-sights").style.getPropertyValue("--photo").includes(SRC));
  HEADS.forEach((_, head) => {
    assert.equal([...cellsOf(root, "places", head)].map(({ textContent }) => textContent).join(), "[CLS],register 1");
    hold(cellsOf(root, "places", head), queryWeights(map, 1, head, 4).subarray(0, 2));
    hold(cellsOf(root, "patches", head), queryWeights(map, 1, head, 4).subarray(2));
  });
  assert.deepEqual(
    [...root.querySelector(".hm-sight .hm-patches").children].map((row) => row.cells.length),
    [3, 3],
  );
  assert.deepEqual(asking(root), ["patch 1,3", "patch 1,3", "patch 1,3"]);
  const share = queryWeights(map, 1, 0, 4)
    .subarray(2)
    .reduce((a, b) => a + b);
  assert.equal(root.querySelector(".hm-share").textContent, `${Math.round(100 * share)}\u00a0% on the picture`);
});

test("a patch that a pointer rests on asks, one that is pressed goes on asking, and so does a special place", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told = [];
  const { root, map, view } = show({}, {}, { change: ({ query }) => told.push(query) });
  const patch = () => cellsOf(root, "patches")[4]; // patch 2,2
  point(patch());
  t.mock.timers.tick(300);
  assert.equal(queryOf(view.state), 6);
  assert.ok(root.querySelector(".hm-tip").textContent.startsWith("kind: [CLS] gives patch 2,2 "));
  hold(cellsOf(root, "patches", 2), queryWeights(map, 0, 2, 6).subarray(2));
  patch().click();
  assert.deepEqual(told, [6]);
  assert.ok(view.state.pinned);
  cellsOf(root, "places")[1].click();
  assert.deepEqual(told, [6, 1]);
  assert.deepEqual(asking(root), Array(3).fill("register 1"));
});

test("each picture is one tab stop: arrows move over patches and to the places above, Enter asks", () => {
  const { root, view } = show();
  const [first] = cellsOf(root, "patches", 1);
  assert.equal(root.querySelectorAll('.hm-sight td[tabindex="0"]').length, 3);
  first.focus();
  key(first, "ArrowDown");
  key(document.activeElement, "ArrowRight");
  key(document.activeElement, "ArrowRight");
  same(document.activeElement, cellsOf(root, "patches", 1)[5]);
  for (const name of ["ArrowUp", "ArrowUp"]) key(document.activeElement, name);
  same(document.activeElement, cellsOf(root, "places", 1)[1]); // the last of a shorter row
  key(document.activeElement, "Enter");
  assert.equal(view.state.chosen.query, 1);
});

test("a head is enlarged, switched off, and averaged", () => {
  const { root, view } = show();
  named(root, "Enlarge mood").click();
  assert.deepEqual(
    [...root.querySelectorAll(".hm-sight")].map((node) => node.classList.contains("hm-large")),
    [false, true, false],
  );
  press(root, "mood");
  assert.ok(root.querySelectorAll(".hm-sight")[1].classList.contains("hm-off"));
  view.choose({ heads: "average" });
  assert.deepEqual(texts(root, ".hm-sight figcaption .hm-head"), ["mean of the heads that are on"]);
});

test("on the relative scale the strongest patch has the full colour, whatever special places get", () => {
  const weights = Float32Array.from(
    { length: 8 * 8 },
    (_, at) => [0.9, 0.04, 0.01, 0.02, 0.01, 0.01, 0.005, 0.005][at % 8],
  );
  const { root } = show({ scale: "relative" }, { shape: [1, 1, 8, 8], headNames: ["one"], weights });
  const depths = [...cellsOf(root, "patches")].map(({ style }) => style.backgroundColor.slice(-2));
  assert.deepEqual([depths[1], depths[0], depths[0]], ["eb", depths[2], "75"]);
  assert.ok(root.querySelector(".hm-legend").textContent.includes("the largest weight on the picture"));
});

test("without special tokens the patches stay in their places; a token that isn't shown has no weight", () => {
  const { root, view } = show({ special: "remove" });
  assert.equal(cellsOf(root, "places").length, 0);
  assert.equal(cellsOf(root, "patches").length, 6);
  assert.deepEqual(
    [...cellsOf(root, "patches")].map((cell) => cell.getAttribute("aria-label").match(/ to (.*):/)[1]),
    PATCHES,
  );
  view.choose({ special: "keep", first: 3 });
  assert.deepEqual(
    [...cellsOf(root, "patches")].map((cell) => cell.getAttribute("aria-label") === "not shown"),
    [true, false, false, false, false, false],
  );
  view.choose({ first: 0 });
  assert.equal(root.querySelectorAll(".hm-gone").length, 0);
});

test("many words stand once, with the mean of the heads that are on; a word asks", () => {
  const words = ["<s>", "What", "is", "it", "?", "A", "red", "house", "."];
  const tokens = [...words.slice(0, 2), ...PATCHES.map((name) => ` ${name}`), ...words.slice(2)];
  const { root, view, map } = show({ query: 14 }, { queryTokens: tokens, keyTokens: tokens, shape: [2, 3, 15, 15] });
  assert.deepEqual(texts(root, ".hm-words td"), words);
  assert.equal(root.querySelector(".hm-words .hm-head").textContent, "mean of 3 heads");
  const mean = (at) => [0, 1, 2].reduce((sum, head) => sum + queryWeights(map, 0, head, 14)[at], 0) / 3;
  hold(root.querySelectorAll(".hm-words td"), [0, 1, ...places(7, 8)].map(mean));
  assert.equal(cellsOf(root, "places").length, 0);
  root.querySelectorAll(".hm-words td")[2].click();
  assert.equal(view.state.chosen.query, 8);
  view.choose({ head: 2 });
  assert.equal(root.querySelector(".hm-words .hm-head").textContent, "rest");
});

test("words that look at a picture ask, where they aren't looked at", () => {
  const { root, view } = show(
    {},
    { queryTokens: ["a", "red", "house"], shape: [5, 3, 3, 8], picture: { ...picture, queryStart: null } },
  );
  const buttons = root.querySelectorAll(".hm-askers button");
  assert.deepEqual(texts(root, ".hm-askers button"), ["a", "red", "house"]);
  buttons[2].click();
  assert.equal(view.state.chosen.query, 2);
  assert.equal(root.querySelectorAll(".hm-asker").length, 0);
  cellsOf(root, "patches")[0].click(); // looked at only
  assert.equal(view.state.chosen.query, 2);
});

test("of very many patches the small pictures are pixels, and a press on one lets its patch ask", () => {
  const [side, heads] = [17, 30];
  const names = ["[CLS]", ...places(side * side).map((at) => `patch ${Math.floor(at / side) + 1},${(at % side) + 1}`)];
  const shape = [1, heads, names.length, names.length];
  const { root, view } = show(
    {},
    {
      queryTokens: names,
      keyTokens: names,
      shape,
      weights: weightsOf(shape),
      headNames: places(heads).map(String),
      picture: { ...picture, rows: side, columns: side, keyStart: 1, queryStart: 1 },
    },
  );
  const canvas = root.querySelector(".hm-seen canvas");
  assert.deepEqual([canvas.width, canvas.height, root.querySelectorAll(".hm-patches td").length], [side, side, 0]);
  canvas.dispatchEvent(pointerAt("pointermove", 799, 1)); // of 800 by 300
  assert.equal(queryOf(view.state), side);
  const { left, top } = root.querySelector(".hm-here").style;
  assert.deepEqual(
    [left, top].map((share) => Math.round((17 * parseFloat(share)) / 100)),
    [16, 0],
  );
  canvas.dispatchEvent(pointerAt("click", 1, 299));
  assert.equal(view.state.chosen.query, 1 + side * (side - 1));
  view.choose({ head: 1 });
  assert.equal(cellsOf(root, "patches", 1).length, side * side);
});

test("a map without a picture has no such view, and one that is asked for it starts with Paint", () => {
  const { root, view } = show({}, { picture: undefined });
  const radio = root.querySelector('input[value="picture"]');
  assert.ok(radio.parentElement.hidden);
  assert.ok(root.querySelector('input[value="paint"]').checked && root.querySelector(".hm-paint"));
  view.show(makeMap({ queryTokens: PLACES, keyTokens: PLACES, shape: [5, 3, 8, 8], picture }));
  assert.ok(!radio.parentElement.hidden);
  tick(radio);
  assert.equal(root.querySelectorAll(".hm-sight").length, 3);
});

test("pictures side by side: patches stand where their places say, nothing is between them, and a line is before the answer", () => {
  const beside = { ...picture, places: [0, null, 3, 1, null, 5] };
  const { root, map } = show({ layer: 1, query: 7 }, { picture: beside, answerStart: 6 });
  HEADS.forEach((_, head) => {
    const weights = queryWeights(map, 1, head, 7);
    const cells = [...cellsOf(root, "patches", head)];
    hold(
      cells.filter((_, at) => at % 3 !== 1),
      Float32Array.from([2, 5, 3, 7], (place) => weights[place]),
    );
    assert.deepEqual(
      cells.map((cell) => cell.classList.contains("hm-between")),
      [false, true, false, false, true, false],
    );
    assert.deepEqual(
      [...cellsOf(root, "places", head)].map((cell) => `${cell.textContent}${cell.classList.contains("hm-answer")}`),
      ["[CLS]false", "register 1false", "patch 1,3false", "patch 2,2true"],
    );
  });
  assert.deepEqual(asking(root), Array(3).fill("patch 2,3"));
});

test("saved as a table, it has the rows of the place that asks", () => {
  const { view } = show({ query: 4 });
  assert.equal(csvOf(onScreen(view.state)).join("").split("\n").length, 1 + 3 * 8 + 1);
});

const rowsOf = (root) => [...root.querySelectorAll(".hm-sight-row")];
const large = (root) => [...root.querySelectorAll(".hm-sight")].map((node) => node.classList.contains("hm-large"));
const isPressed = (button) => button.getAttribute("aria-pressed") === "true";

test("of few heads, all layers are there: a row a layer, each head with its weights and its own switch", () => {
  const { root, map, view } = showFew({ query: 4 });
  assert.deepEqual(texts(root, ".hm-layer"), ["layer 1", "layer 2"]);
  rowsOf(root).forEach((row, layer) => {
    assert.equal(row.getAttribute("aria-label"), `layer ${layer + 1}`);
    assert.deepEqual(texts(row, "figcaption .hm-head"), HEADS);
    HEADS.forEach((_, head) => hold(cellsOf(row, "patches", head), queryWeights(map, layer, head, 4).subarray(2)));
  });
  press(root, "layer 2, mood");
  assert.deepEqual(view.state.chosen.headMask, [
    [true, true, true],
    [true, false, true],
  ]);
  assert.deepEqual([...root.querySelectorAll("button.hm-head")].map(isPressed), [true, true, true, true, false, true]);
  assert.deepEqual(
    [...root.querySelectorAll(".hm-sight")].map((node) => node.classList.contains("hm-off")),
    [false, false, false, false, true, false],
  );
  assert.ok(root.querySelector('select[aria-label="Layer"]').parentElement.hidden);
  assert.equal(csvOf(onScreen(view.state)).join("").split("\n").length, 1 + 2 * 3 * 8 + 1);
});

test("any head of any layer is enlarged, and a patch of any asks in all", () => {
  const { root, view } = showFew();
  press(root, "Enlarge layer 2, kind");
  assert.deepEqual(large(root), [false, false, false, true, false, false]);
  press(root, "Enlarge layer 1, rest");
  assert.deepEqual(large(root), [false, false, true, false, false, false]);
  press(root, "Shrink layer 1, rest");
  assert.ok(!large(root).includes(true));
  cellsOf(rowsOf(root)[1], "patches", 2)[5].click();
  assert.deepEqual([view.state.chosen.query, view.state.pinned], [7, true]);
  assert.deepEqual(asking(root), Array(6).fill("patch 2,3"));
});

test("averaged, each layer has one picture, and the bar has all switches; other views show one layer again", () => {
  const { root, view } = showFew({ heads: "average" });
  assert.deepEqual(texts(root, ".hm-sight .hm-head"), Array(2).fill("mean of 3 heads"));
  assert.deepEqual(texts(root, ".hm-heads > *"), ["Heads of layer 1", ...HEADS, "Heads of layer 2", ...HEADS]);
  press(root, "layer 2, rest");
  assert.deepEqual(view.state.chosen.headMask[1], [true, true, false]);
  view.choose({ heads: "each", view: "matrix", layer: 1 });
  assert.ok(!root.querySelector('select[aria-label="Layer"]').parentElement.hidden);
  assert.deepEqual(
    [...root.querySelectorAll("button.hm-head")].map((node) => [node.ariaLabel, isPressed(node)]),
    [
      ["kind", true],
      ["mood", true],
      ["rest", false],
    ],
  );
});

test("layers that haven't come, and numbers that no legend holds for in all layers, are looked at one by one", () => {
  const some = showFew({ layer: 1 }, { present: [1], final: true });
  assert.deepEqual(texts(some.root, ".hm-sight .hm-head"), HEADS);
  const scores = showFew({ layer: 1 }, { kind: "amounts" });
  assert.deepEqual(texts(scores.root, ".hm-sight .hm-head"), HEADS);
});

test("a picture of ink is painted below the weights, anew with each map; a picture that comes as a file takes its place", () => {
  const dark = Float32Array.from({ length: 6 }, (_, at) => at / 5);
  const inkOf = (ink) => ({ picture: { ...picture, src: undefined, width: 3, height: 2, ink } });
  const { root, view } = showFew({}, inkOf(dark));
  const greys = () => [...root.querySelectorAll(".hm-photo canvas")].map((canvas) => [...bitmapOf(canvas).pixels]);
  const grey = (share) => [...Array(3).fill(255 - Math.round(255 * share)), 255];
  assert.deepEqual(greys(), Array(6).fill([...dark].flatMap(grey)));
  assert.ok(root.querySelector(".hm-sights").classList.contains("hm-inked"));
  assert.equal(root.querySelector(".hm-sights").style.getPropertyValue("--photo"), "none");
  view.show(makeMap({ queryTokens: PLACES, keyTokens: PLACES, ...inkOf(dark.map((share) => 1 - share)) }));
  assert.deepEqual(
    greys()[5],
    [...dark].flatMap((share) => grey(1 - share)),
  );
  view.show(makeMap({ queryTokens: PLACES, keyTokens: PLACES, picture }));
  assert.deepEqual(greys(), []);
  assert.ok(!root.querySelector(".hm-sights").classList.contains("hm-inked"));
});
