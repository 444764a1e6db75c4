// The four views of a map, on unequal axes: what stands in each, and what a reader's press, key or pointer does there.
import assert from "node:assert/strict";
import test from "node:test";
import { choose, key, named, page, point, press, replace, same, settled, status, texts, tick, type } from "./page.mjs";
import { hold, show } from "./map-view.mjs";
import { HEADS, HOSTILE, KEYS, makeMap, QUERIES } from "./small-models.mjs";
import { csvOf, onScreen } from "../../src/manyheads/web/figures/head-map/save.ts";
import { bitmapOf } from "../../src/manyheads/web/views/pixels.ts";
import { percent } from "../../src/manyheads/web/math/text.ts";
import { queryWeights } from "../../src/manyheads/web/math/maps.ts";

const RESTED = 300; // milliseconds, after which a word that is pointed at asks

const BEHAVIOURS = ["broad", "previous", "other", "same", "previous", "broad"]; // of the heads, layer by layer
const SELF = { keyTokens: QUERIES }; // who asks is who is looked at
const choice = (root, view) => tick(root.querySelector(`input[value="${view}"]`));
const asking = (root) =>
  root
    .querySelector(".hm-paint")
    .getAttribute("aria-label")
    .match(/when (.*) asks/)[1];
const asker = (root) => root.querySelector(".hm-asker").textContent;
const word = (root, text, head = 0) =>
  [...root.querySelectorAll("tbody")[head].querySelectorAll("td")].find(({ textContent }) => textContent === text);

for (const view of ["paint", "matrix", "grid", "lines"])
  test(`${view}: tokens and names of heads that look like HTML are text`, () => {
    const { root } = show(
      { view },
      {
        queryTokens: [...QUERIES.slice(0, 4), HOSTILE],
        keyTokens: [...KEYS.slice(0, 6), HOSTILE],
        headNames: ["kind", "mood", HOSTILE],
        layerNames: ["first", HOSTILE],
        notes: [HOSTILE],
        predictions: { [HOSTILE]: { [HOSTILE]: 1 } },
      },
    );
    assert.equal(root.querySelectorAll("img, script").length, 0);
    assert.ok(root.textContent.includes(HOSTILE));
    assert.ok([...root.querySelectorAll("select option")].some(({ textContent }) => textContent === HOSTILE));
  });

// --- Paint

test("paint: a row a head, a cell a key, with the weights of the token that asks", () => {
  const { root, map } = show({ layer: 1, query: 3 });
  const rows = root.querySelectorAll(".hm-paint tr");
  assert.deepEqual(
    [...rows].map((row) => row.cells.length),
    [8, 8, 8],
  );
  rows.forEach((row, head) => hold([...row.cells].slice(1), queryWeights(map, 1, head, 3)));
  assert.deepEqual(texts(rows[0], "th button"), ["kind"]);
  assert.equal(rows[0].cells[5].textContent, "able", "a piece without its marks");
  assert.equal(rows[0].cells[5].getAttribute("aria-label").slice(0, 14), "un to ##able: ");
});

test("paint: a word that slides under a pointer at rest asks nothing", () => {
  const { root } = show({}, SELF);
  point(word(root, "tea", 1), "pointerover");
  assert.equal(asker(root), "[CLS]");
});

test("paint: a word that the pointer crosses asks nothing, one that it rests on does, and then at once the next", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { root } = show({}, SELF);
  point(word(root, "hot"));
  t.mock.timers.tick(60);
  point(root.querySelector(".hm-stage"), "pointerleave");
  t.mock.timers.tick(RESTED);
  assert.equal(asker(root), "[CLS]");
  point(word(root, "hot"));
  t.mock.timers.tick(RESTED);
  assert.equal(asker(root), "hot");
  point(word(root, "tea"));
  assert.equal(asker(root), "tea");
});

test("paint: a word that a pointer rests on asks until the pointer leaves, and a tip says what it gets", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { root, map } = show({}, SELF);
  point(word(root, "tea", 1));
  t.mock.timers.tick(RESTED);
  assert.equal(asker(root), "tea");
  hold([...root.querySelectorAll(".hm-paint tr")[1].cells].slice(1), queryWeights(map, 0, 1, 2));
  const tip = root.querySelector("[role=tooltip]");
  assert.ok(!tip.hidden);
  const [first, second] = texts(tip, "span");
  assert.match(first, /^mood: \[CLS\] gives tea \d/);
  assert.match(second, /^tea looks most at \S+, \d/);
  assert.equal(word(root, "tea", 1).getAttribute("aria-describedby"), tip.id);
  point(root.querySelector(".hm-stage"), "pointerleave");
  assert.deepEqual([asker(root), tip.hidden], ["[CLS]", true]);
});

test("paint: a click lets a word go on asking, a second one or Escape ends that", () => {
  const { root, view } = show({}, SELF);
  word(root, "tea").click();
  point(word(root, "hot"));
  assert.deepEqual([asking(root), view.state.pinned], ["tea", true]);
  key(word(root, "tea"), "Escape");
  assert.deepEqual([asking(root), view.state.pinned], ["[CLS]", false]);
  word(root, "hot").click();
  word(root, "hot").click();
  assert.equal(view.state.pinned, false);
});

test("paint: arrow keys walk the cells, which are one stop of Tab; Enter lets the word ask", () => {
  const { root, view } = show({}, SELF);
  const stop = () => root.querySelectorAll('td[tabindex="0"]');
  stop()[0].focus();
  for (const arrow of ["ArrowRight", "ArrowRight", "ArrowDown"]) assert.ok(key(document.activeElement, arrow));
  assert.deepEqual(
    [stop().length, document.activeElement.textContent, document.activeElement.closest("tbody").dataset.head],
    [1, "tea", "1"],
  );
  assert.ok(key(document.activeElement, "Enter"));
  assert.deepEqual([view.state.chosen.query, view.state.pinned], [2, true]);
  assert.equal(document.activeElement.textContent, "tea", "the focus stays");
  for (let step = 0; step < 9; step++) key(document.activeElement, "ArrowLeft");
  assert.equal(document.activeElement.textContent, "[CLS]", "and never leaves the words");
});

const inReach = (events, own, target) => {
  for (const event of events)
    target.dispatchEvent(new PointerEvent(event, { bubbles: true, pointerType: "mouse", ...own }));
};
/** Presses the mouse on the first of some nodes, moves over the others, and lets go at the last. */
function drag(...nodes) {
  inReach(["pointerdown"], {}, nodes[0]);
  for (const node of nodes) inReach(["pointerover", "pointermove"], {}, node);
  inReach(["pointerup"], {}, nodes.at(-1));
}
const shiftClick = (node) => node.dispatchEvent(new PointerEvent("click", { bubbles: true, shiftKey: true }));
const meanOf = (map, layer, head, [first, last]) =>
  map.keyTokens.map((_, key) => {
    const rows = Array.from(
      { length: last + 1 - first },
      (_row, at) => queryWeights(map, layer, head, first + at)[key],
    );
    return rows.reduce((sum, weight) => sum + weight, 0) / rows.length;
  });

test("paint: words that are dragged over ask as one, seen meanwhile and once the mouse lets go; another click ends it", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { root, view, map } = show({}, SELF);
  point(word(root, "un"));
  inReach(["pointerdown"], {}, word(root, "un"));
  point(word(root, "tea"));
  point(word(root, "hot"));
  t.mock.timers.tick(RESTED);
  const own = () => [...root.querySelectorAll(".hm-paint tr")[1].cells].slice(1);
  hold(own(), meanOf(map, 0, 1, [1, 3]));
  assert.deepEqual([view.state.pinned, status(root)], [false, ""]);
  inReach(["pointerup"], {}, word(root, "hot"));
  assert.deepEqual([view.state.chosen.query, view.state.pinned, asking(root)], [[1, 3], true, "hot tea un"]);
  hold(own(), meanOf(map, 0, 1, [1, 3]));
  assert.deepEqual(texts(root, "tbody:first-of-type td.hm-asker"), ["hot", "tea", "un"]);
  assert.equal(status(root), "“hot tea un” asks as one: you see the mean of its 3 rows, whose attention adds up to 3.");
  assert.match(word(root, "tea").ariaLabel, /^hot tea un to tea: /);
  word(root, "able").click();
  assert.deepEqual([view.state.chosen.query, status(root)], [4, ""]);
  drag(word(root, "hot"), word(root, "tea"), word(root, "hot"));
  assert.equal(view.state.chosen.query, 4, "back on its first word, a press is a click, or nothing");
  key(word(root, "hot"), "Escape");
  assert.equal(asking(root), "[CLS]");
});

test("paint: with shift, a press or a step of the arrow keys takes more words, or fewer", () => {
  const { root, view } = show({}, SELF);
  const press = (text, query) => {
    shiftClick(word(root, text));
    assert.deepEqual(view.state.chosen.query, query, text);
  };
  press("tea", 2);
  press("able", [2, 4]);
  press("[CLS]", [0, 4]);
  press("hot", [1, 4]);
  press("able", [1, 4]);
  const step = (arrow, query) => {
    const held = { key: arrow, shiftKey: true, bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", held));
    assert.deepEqual(view.state.chosen.query, query, `${arrow} to ${document.activeElement.textContent}`);
  };
  word(root, "hot").focus();
  step("ArrowRight", [2, 4]);
  step("ArrowLeft", [1, 4]);
  word(root, "tea").focus();
  step("ArrowRight", [2, 3]);
  step("ArrowRight", [2, 4]);
  step("ArrowLeft", [2, 3]);
  step("ArrowLeft", 2);
  step("ArrowLeft", [1, 2]);
  step("ArrowDown", [1, 2]);
});

test("paint: a finger that rests on a word widens, one that scrolls doesn't, and neither is a tap", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { root, view } = show({}, SELF);
  const finger = { pointerType: "touch", clientX: 5, clientY: 5 };
  word(root, "tea").click();
  inReach(["pointerdown"], finger, word(root, "able"));
  t.mock.timers.tick(600);
  assert.deepEqual(view.state.chosen.query, [2, 4]);
  const menu = new Event("contextmenu", { bubbles: true, cancelable: true });
  assert.equal(word(root, "able").dispatchEvent(menu), false, "no menu comes over it");
  inReach(["pointerup"], finger, word(root, "able"));
  word(root, "able").click();
  assert.deepEqual(view.state.chosen.query, [2, 4], "the click that follows is of the same press");
  inReach(["pointerdown"], finger, word(root, "hot"));
  inReach(["pointermove"], { ...finger, clientY: 40 }, word(root, "tea"));
  t.mock.timers.tick(600);
  inReach(["pointerdown", "pointercancel"], finger, word(root, "hot"));
  t.mock.timers.tick(600);
  assert.deepEqual(view.state.chosen.query, [2, 4]);
  word(root, "hot").click();
  assert.equal(view.state.chosen.query, 1);
});

test("matrix and grid: the rows of all that ask as one stand out, and are dragged over", () => {
  const { root, view } = show({ view: "matrix" });
  const cells = (row) => root.querySelectorAll(`.hm-matrix tbody tr:nth-child(${row}) td`)[2];
  drag(cells(4), cells(3), cells(2));
  assert.deepEqual(view.state.chosen.query, [1, 3]);
  assert.deepEqual(texts(root, ".hm-matrix:first-of-type .hm-asks th"), ["hot", "tea", "un"]);
  shiftClick(cells(5));
  assert.deepEqual(view.state.chosen.query, [1, 4]);
  view.choose({ view: "grid" });
  const { style } = root.querySelector(".hm-asked");
  assert.deepEqual(
    ["--asks", "--queries"].map((name) => Number(style.getPropertyValue(name))),
    [1 / 5, 5 / 4],
  );
  view.choose({ special: "remove", pieces: "merge" });
  assert.equal(root.querySelector(".hm-asked").style.getPropertyValue("--queries"), "1", "all words that are left ask");
});

test("lines: of words that ask as one, a line leads from their middle, as strong as the mean", () => {
  const { root, view, map } = show({ view: "lines", head: 1 });
  const items = root.querySelectorAll('[data-side="query"] li');
  drag(items[1], items[2], items[4]);
  assert.deepEqual(view.state.chosen.query, [1, 4]);
  assert.deepEqual(texts(root, '[data-side="query"] .hm-asks.hm-lit'), ["hot", "tea", "un", "able"]);
  const paths = [...root.querySelectorAll(".hm-lines svg path")].map((path) => path.getAttribute("d"));
  assert.ok(paths.length && paths.every((path) => path.startsWith("M0 3C")), String(paths));
  const most = Math.max(...meanOf(map, 0, 1, [1, 4]));
  const hint = root.querySelector(".hm-stage .hm-hint").textContent;
  assert.equal(hint.match(/^“hot tea unable” looks most at .*? \((.*?)\)/)[1], percent(most));
  const held = { key: "ArrowDown", shiftKey: true, bubbles: true, cancelable: true };
  items[0].firstChild.focus();
  items[0].firstChild.dispatchEvent(new KeyboardEvent("keydown", held));
  assert.deepEqual(view.state.chosen.query, [0, 1]);
});

test("two sentences: what asks as one is the same words in the second; its file has one row a head", () => {
  const other = ["[CLS]", "cold", "hot", "nice", "tea", "un", "##able"];
  const compared = makeMap({ queryTokens: other, keyTokens: other, seed: 5 });
  const { root, view, map } = show({ query: [1, 2] }, SELF, {}, compared);
  const rows = root.querySelectorAll(".hm-paint tr");
  hold([...rows[2].cells].slice(1), meanOf(map, 0, 1, [1, 2]));
  hold([...rows[3].cells].slice(1), meanOf(compared, 0, 1, [2, 4]));
  const lines = csvOf(onScreen(view.state)).join("").trim().split("\n");
  assert.equal(lines.length, 1 + 3 * (5 + 7));
  assert.equal(lines[6].split(",").slice(0, 5).join(), "0,0,0,0,hot nice tea");
});

test("paint: where others ask than are looked at, no word of a row asks", () => {
  const { root, view } = show();
  word(root, "now").click();
  assert.deepEqual([view.state.chosen.query, view.state.pinned], [0, false]);
});

test("paint: a masked weight is no zero", () => {
  const { root } = show({ query: 1 }, { ...SELF, causal: true });
  const cell = word(root, "tea");
  assert.ok(cell.classList.contains("hm-masked"));
  assert.equal(cell.getAttribute("aria-label"), "hot to tea: masked");
  assert.ok(!word(root, "[CLS]").classList.contains("hm-masked"));
});

test("a prediction that is pointed at lights the row of its head", () => {
  const { root } = show({}, { predictions: { mood: { good: 0.9, bad: 0.1 }, taste: { sweet: 1 } } });
  const lit = () => [...root.querySelectorAll(".hm-lit")].map(({ dataset }) => dataset.head);
  assert.deepEqual(texts(root, ".hm-predictions dd b"), ["good", "sweet"]);
  assert.equal(root.querySelector("meter").getAttribute("aria-label"), "mood: good");
  point(root.querySelector('[data-prediction="mood"]'));
  assert.deepEqual(lit(), ["1"]);
  point(root.querySelector('[data-prediction="taste"]'));
  assert.deepEqual(lit(), [], "no head is named so");
});

// --- Matrix

test("matrix: a table a head with headers, and the row of the token that asks", () => {
  const { root, view, map } = show({ view: "matrix", layer: 1 });
  const tables = root.querySelectorAll("figure table");
  assert.deepEqual(
    [...tables].map((table) => table.getAttribute("aria-label")),
    HEADS.map((head) => `${head}: rows ask, columns are looked at`),
  );
  assert.deepEqual([texts(tables[0], "thead th").length, texts(tables[0], "tbody th").length], [8, 5]);
  hold(tables[2].querySelectorAll("td"), [...map.weights.subarray(5 * 35, 6 * 35)]);
  view.dispatch({ type: "pin", query: 3 });
  assert.deepEqual(texts(root, "tr.hm-asks th"), ["un", "un", "un"]);
});

test("matrix: a head is enlarged, told so, and shrunk again", () => {
  const { root, view } = show({ view: "matrix" });
  press(root, "Enlarge mood");
  assert.deepEqual([view.state.chosen.head, root.querySelectorAll(".hm-large").length], [1, 1]);
  press(root, "Shrink mood");
  assert.deepEqual([view.state.chosen.head, root.querySelectorAll(".hm-large").length], [null, 0]);
});

test("matrix: a row's own word asks where its cell is pressed", () => {
  const { root, view } = show({ view: "matrix" });
  root.querySelectorAll("figure")[1].querySelectorAll("tbody tr")[2].cells[7].click();
  assert.deepEqual([view.state.chosen.query, view.state.pinned], [2, true]);
});

test("matrix: where squares are too small to be pressed, a press enlarges their head", () => {
  const { root, view } = show({ view: "matrix" });
  const cell = root.querySelectorAll("figure")[1].querySelector("td");
  let side = 14;
  Object.defineProperty(cell, "clientWidth", { get: () => side });
  cell.click();
  assert.deepEqual([view.state.chosen.head, view.state.pinned], [1, false]);
  cell.click();
  assert.equal(view.state.pinned, true, "in the large one, its word asks");
  view.choose({ head: null });
  view.dispatch({ type: "pin", query: null });
  side = 20;
  cell.click();
  assert.deepEqual([view.state.chosen.head, view.state.pinned], [null, true]);
});

test("matrix: large ones are pictures that say so", () => {
  const tokens = Array.from({ length: 53 }, (_, at) => `w${at}`);
  const { root } = show({ view: "matrix" }, { queryTokens: tokens, keyTokens: tokens });
  assert.equal(root.querySelectorAll("figure table").length, 0);
  assert.equal(
    root.querySelector("canvas[role=img]").getAttribute("aria-label"),
    "kind: rows ask, columns are looked at. 53 by 53 weights; for numbers, choose Paint and who asks.",
  );
});

test("matrix: of two sentences it shows the second less the first, and how far each head moved", () => {
  const compared = makeMap({ seed: 5 });
  const { root, map } = show({ view: "matrix", compare: "other" }, {}, {}, compared);
  const figures = [...root.querySelectorAll("figure")];
  figures.forEach((figure, head) =>
    hold(
      figure.querySelectorAll("td"),
      [...map.weights.subarray(head * 35, (head + 1) * 35)].map(
        (weight, at) => compared.weights[head * 35 + at] - weight,
      ),
    ),
  );
  for (const moved of texts(root, ".hm-moved")) assert.match(moved, /^moved [1-9][\d.]*\u00a0% on average$/);
  const below = [...root.querySelectorAll("td[data-weight]")].filter(({ dataset }) => dataset.weight < 0);
  same([...root.querySelectorAll("td.hm-minus")], below);
  assert.match(root.querySelector(".hm-legend").textContent, /more in the second, or beyond/);
});

// --- Grid

test("grid: a button a head, one stop of Tab, walked by arrows and pressed to enlarge", () => {
  const { root, view, map } = show({ view: "grid" });
  const buttons = [...root.querySelectorAll(".hm-grid button")];
  assert.deepEqual(buttons.map((button) => button.getAttribute("aria-label")).slice(2, 4), [
    "Enlarge layer 1, rest",
    "Enlarge layer 2, kind",
  ]);
  const stops = () => buttons.filter(({ tabIndex }) => tabIndex === 0);
  same(stops(), buttons[0]);
  buttons[0].focus();
  for (const arrow of ["ArrowDown", "ArrowRight"]) assert.ok(key(document.activeElement, arrow));
  same([document.activeElement, ...stops()], [buttons[4], buttons[4]]);
  hold(root.querySelectorAll(".hm-detail > .hm-paint td"), queryWeights(map, 1, 1, 0));
  buttons[4].click();
  assert.deepEqual(
    [view.state.chosen.layer, view.state.chosen.head, buttons[4].getAttribute("aria-expanded")],
    [1, 1, "true"],
  );
  hold(root.querySelectorAll(".hm-large td"), [...map.weights.subarray(4 * 35, 5 * 35)]);
  buttons[4].click();
  assert.equal(view.state.chosen.head, null);
});

test("grid: heads are sorted by what they mostly do, and a press puts them back into their layers", () => {
  const { root } = show({ view: "grid" }, {}, { behaviours: BEHAVIOURS });
  const order = () =>
    [...root.querySelectorAll(".hm-grid button")].map(({ dataset }) => `${dataset.layer}.${dataset.head}`).join(" ");
  assert.equal(order(), "0.1 1.1 1.0 0.0 1.2 0.2");
  assert.deepEqual(texts(root, ".hm-kinds li"), ["the word before 2", "the word itself 1", "broad 2", "other 1"]);
  press(root, "Sort by layer");
  assert.equal(order(), "0.0 0.1 0.2 1.0 1.1 1.2");
  assert.ok(named(root, "Sort by what they do"));
});

test("grid: sorted heads fly to their places, or with less motion are there at once", async (t) => {
  const { root } = show({ view: "grid" }, {}, { behaviours: BEHAVIOURS });
  const squares = () => [...root.querySelectorAll(".hm-grid button")];
  const names = () =>
    squares()
      .map(({ dataset }) => dataset.place)
      .join(", ");
  const { getBoundingClientRect } = HTMLElement.prototype;
  let flights = [];
  let land;
  const finished = new Promise((done) => (land = done));
  replace(t, HTMLElement.prototype, {
    getBoundingClientRect() {
      return { ...getBoundingClientRect.call(this), left: 60 * squares().indexOf(this) };
    },
    animate([{ transform }]) {
      flights.push(`${this.dataset.place} ${transform}`);
      return { cancel() {}, finished };
    },
  });
  page.still = false;
  press(root, "Sort by layer");
  assert.deepEqual(flights, [
    "L1 H1 translate(180px, 0px)",
    "L1 H2 translate(-60px, 0px)",
    "L1 H3 translate(180px, 0px)",
    "L2 H1 translate(-60px, 0px)",
    "L2 H2 translate(-180px, 0px)",
    "L2 H3 translate(-60px, 0px)",
  ]);
  assert.ok(root.querySelector(".hm-flying button canvas"));
  land();
  await settled();
  assert.ok(!root.querySelector(".hm-flying, .hm-grid button canvas"));
  [page.still, flights] = [true, []];
  press(root, "Sort by what they do");
  assert.deepEqual([flights, names()], [[], "L1 H2, L2 H2, L2 H1, L1 H1, L2 H3, L1 H3"]);
});

test("grid: heads in sight are drawn at once, the others when the page is idle or its reader scrolls", async (t) => {
  const room = { clientWidth: 200, clientHeight: 100, scrollTop: 0, scrollLeft: 0 };
  for (const [name, pixels] of Object.entries(room)) {
    const before = Object.getOwnPropertyDescriptor(HTMLElement.prototype, name);
    Object.defineProperty(HTMLElement.prototype, name, { get: () => pixels, configurable: true });
    t.after(() => {
      delete HTMLElement.prototype[name];
      if (before) Object.defineProperty(HTMLElement.prototype, name, before);
    });
  }
  const idle = [];
  t.mock.method(globalThis, "requestIdleCallback", (call) => idle.push(call));
  const { root, view } = show({ view: "grid" }, { shape: [20, 3, 5, 7] });
  const canvas = root.querySelector("canvas");
  const drawn = () => {
    const { width, height, pixels } = bitmapOf(canvas);
    const step = width / 3;
    const rows = Array.from({ length: height / step }, (_, row) =>
      pixels.subarray(4 * width * step * row).subarray(0, 4 * width * step),
    );
    return rows.map((row) => row.some(Boolean)).lastIndexOf(true) + 1;
  };
  const some = drawn();
  assert.ok(some >= 2 && some < 6, `${some} rows`);
  idle.pop()();
  assert.equal(drawn(), 20);
  view.show(makeMap({ shape: [20, 3, 5, 7], seed: 2 }));
  assert.equal(drawn(), some);
  root.querySelector(".hm-scroll").dispatchEvent(new Event("scroll"));
  assert.equal(drawn(), 20);
});

test("grid: what slides under a pointer at rest isn't pointed at, and nothing scrolls to a head that's opened", (t) => {
  replace(t, HTMLElement.prototype, { scrollIntoView: () => assert.fail("it scrolls by itself") });
  const { root } = show({ view: "grid" });
  const painted = () => {
    assert.ok(
      root.querySelector(".hm-looked").ariaLabel.endsWith(root.querySelector(".hm-detail .hm-head").textContent),
    );
    return root.querySelector(".hm-detail .hm-head").textContent;
  };
  const button = root.querySelectorAll(".hm-grid button")[4];
  point(button, "pointerover");
  assert.equal(painted(), "layer 1, kind");
  point(button, "pointermove");
  assert.equal(painted(), "layer 2, mood");
  button.click();
  assert.ok(root.querySelector(".hm-opened .hm-large"));
  press(root, "Shrink layer 2, mood");
  assert.ok(!root.querySelector(".hm-opened"));
});

test("grid: the heads' switches don't stand in a row; the enlarged head has its own", () => {
  const { root, view } = show({ view: "grid" });
  assert.ok(root.querySelector(".hm-heads").hidden);
  press(root, "Enlarge layer 2, mood");
  assert.match(root.querySelector(".hm-large figcaption").textContent, /^moodof layer 2/);
  press(root, "mood");
  assert.deepEqual(view.state.chosen.headMask?.[1], [true, false, true]);
});

test("grid: of two sentences it names the heads that moved most, and paints both", () => {
  const { root } = show({ view: "grid", compare: "other" }, {}, {}, makeMap({ seed: 5 }));
  const shares = [...root.querySelector(".hm-stage .hm-hint").textContent.matchAll(/\(([\d.]+)\u00a0%\)/g)].map(
    ([, share]) => Number(share),
  );
  assert.equal(shares.length, 5);
  assert.deepEqual(
    shares,
    [...shares].sort((a, b) => b - a),
  );
  assert.deepEqual(texts(root, ".hm-paint th").slice(1), ["second sentence"]);
});

test("of two models, the second is called by its name, in what is saved as well, and no sentence is compared", () => {
  const { root, view } = show({ view: "grid" }, {}, { beside: "file/q4", models: ["file/f16"] }, makeMap({ seed: 5 }));
  assert.deepEqual(texts(root, ".hm-paint th").slice(1), ["q4"]);
  assert.equal(root.querySelector(".hm-comparer").hidden, true);
  assert.match(csvOf(onScreen(view.state))[0], /,weight,model\n$/);
});

test("grid: where two sentences share no word, it says so, and few weights fill no large squares", () => {
  const other = makeMap({
    seed: 5,
    queryTokens: ["[CLS]", "x", "y", "z", "[SEP]"],
    keyTokens: ["[CLS]", "a", "b", "c", "d", "e", "[SEP]"],
  });
  const { root } = show({ view: "grid", compare: "other" }, {}, {}, other);
  assert.match(
    root.querySelector("[role=status]").textContent,
    /The sentences have no word in common\. What is compared are .*\[CLS\].* and .*\[SEP\]/,
  );
  assert.equal(root.querySelector(".hm-grid").style.getPropertyValue("--most"), "48px");
  assert.equal(show({ view: "grid" }).root.querySelector(".hm-grid").style.getPropertyValue("--most"), "168px");
});

// --- Lines

test("lines: one head at first, all on request, none that is off; the words say what the lines do", () => {
  const { root, view, map } = show({});
  choice(root, "lines");
  const lines = () => root.querySelectorAll(".hm-lines path").length;
  const strong = (heads) =>
    heads.flatMap((head) => [...queryWeights(map, 0, head, 0)]).filter((weight) => weight >= 0.01).length;
  assert.deepEqual([view.state.chosen.head, lines()], [0, strong([0])]);
  assert.match(root.querySelector(".hm-stage .hm-hint").textContent, /^“\[CLS\]” looks most at \S+ \(\d/);
  choose(root, "Head", "all");
  assert.equal(lines(), strong([0, 1, 2]));
  press(root, "mood");
  view.show(map);
  assert.equal(lines(), strong([0, 2]));
  assert.match(root.querySelector(".hm-stage .hm-hint").textContent, /^Mean of the 2 heads that are on: /);
});

test("lines: a word that is looked at shows who looks at it; a word that asks is pinned", () => {
  const { root, view } = show({ view: "lines", head: 1 });
  const item = (side, text) =>
    [...root.querySelectorAll(`[data-side="${side}"] button`)].find(({ textContent }) => textContent === text);
  point(item("key", "now"));
  assert.match(root.querySelector(".hm-stage .hm-hint").textContent, /^“now” is looked at most by /);
  point(item("query", "un"));
  item("query", "un").click();
  assert.deepEqual([view.state.chosen.query, view.state.pinned], [3, true]);
  assert.match(root.querySelector(".hm-stage .hm-hint").textContent, /^“un” looks most at /);
});

test("lines: arrow keys walk both lists, each one stop of Tab", () => {
  const { root } = show({ view: "lines", head: 1 });
  const [asks, looked] = ["query", "key"].map((side) => root.querySelector(`[data-side="${side}"]`));
  asks.querySelector('[tabindex="0"]').focus();
  for (const arrow of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown"]) key(document.activeElement, arrow);
  same(document.activeElement, looked.querySelectorAll("button")[3]);
  for (const list of [asks, looked]) assert.equal(list.querySelectorAll('[tabindex="0"]').length, 1);
});

// --- tools

test("special tokens go on request, in every view, and come back", () => {
  const { root, view } = show();
  choose(root, "Special tokens", "remove");
  assert.deepEqual(texts(root, "tbody:first-of-type td"), ["hot", "tea", "un", "able", "now"]);
  assert.ok(named(root, "Tools (1 set)"));
  for (const name of ["matrix", "grid", "lines"]) {
    view.choose({ view: name });
    assert.ok(!texts(root, ".hm-stage th, .hm-stage li").includes("[CLS]"));
  }
  choose(root, "Special tokens", "keep");
  assert.ok(named(root, "Tools"));
});

test("heads averaged are one row without a switch; pieces merge into a word", () => {
  const { root, view } = show();
  view.choose({ heads: "average" });
  assert.deepEqual(
    [root.querySelectorAll(".hm-paint tr").length, root.querySelectorAll(".hm-paint button").length],
    [1, 0],
  );
  assert.deepEqual(texts(root, ".hm-paint th"), ["mean of 3 heads"]);
  view.choose({ heads: "each", pieces: "merge" });
  assert.deepEqual(texts(root, "tbody:first-of-type td"), ["[CLS]", "hot", "tea", "unable", "now", "[SEP]"]);
});

test("only some of the tokens are shown, as a printer is told pages", () => {
  const { root, view } = show();
  const range = () => [view.state.chosen.first, view.state.chosen.last, named(root, "Tokens").value];
  choose(root, "Tokens", "2-4");
  assert.deepEqual(texts(root, "tbody:first-of-type td"), ["hot", "tea", "un"]);
  assert.deepEqual(range(), [1, 3, "2–4"]);
  for (const [typed, ...expected] of [
    ["3", 2, 2, "3–3"],
    ["3–", 2, null, "3–7"],
    ["9 to 2", 1, null, "2–7"],
    ["0", 0, 0, "1–1"],
    ["all", 0, null, ""],
  ]) {
    choose(root, "Tokens", typed);
    assert.deepEqual(range(), expected, typed);
  }
});

test("the button opens the tools; a map without them is only its sentence and its heads", () => {
  const { root } = show();
  const [button, panel] = [root.querySelector(".hm-tooler"), root.querySelector(".hm-panel")];
  assert.equal(panel.getAttribute("popover"), "auto");
  same(button.popoverTargetElement, panel);
  const without = show({}, {}, { tools: false }).root;
  assert.equal(without.querySelector(".hm-edge, .hm-panel"), null);
});

test("one list says what is shown of the heads, and forgets none of the ways that there are", () => {
  const { root, view } = show({}, { ...SELF, valueNorms: new Float32Array(2 * 3 * 5).fill(1) });
  const shows = () => [...named(root, "Show").options].map(({ textContent }) => textContent);
  assert.deepEqual(shows(), [
    "attention",
    "mean of the heads",
    "amount written",
    "mean amount written",
    "rollout of all layers",
  ]);
  const ways = shows();
  for (const way of ways) {
    choose(root, "Show", way);
    assert.deepEqual([named(root, "Show").value, shows()], [way, ways], "each leads to each");
  }
  view.choose({ weigh: "written", heads: "average" });
  assert.equal(named(root, "Show").value, "rollout of all layers", "what is rolled out is attention");
});

test("a choice that would change nothing isn't offered", () => {
  const offered = (changes) => {
    const { root } = show({}, changes);
    const tools = ["Show", "Word pieces"].filter((name) => !named(root, name).closest("[hidden]"));
    return [tools, texts(named(root, "Show"), "option")];
  };
  assert.deepEqual(offered(SELF), [
    ["Show", "Word pieces"],
    ["attention", "mean of the heads", "rollout of all layers"],
  ]);
  const one = { queryTokens: ["tea"], keyTokens: ["hot", "tea"], shape: [1, 1, 1, 2], headNames: ["a"] };
  assert.deepEqual(offered(one), [[], ["attention"]]);
  assert.deepEqual(offered({ ...one, valueNorms: [1, 2] }), [["Show"], ["attention", "amount written"]]);
});

// --- Sources

test("sources: what the heads give to each named part of the text, whoever asks, and the head that looks there most", () => {
  const sources = [
    { name: "drink", places: [1, 2], sizes: [1, 1] },
    { name: HOSTILE, places: [3, 4, 5], sizes: [1, 1, 2] },
  ];
  const { root, view, map } = show({ layer: 1, query: 3 }, { sources });
  const rows = () => [...root.querySelectorAll(".hm-sources li")];
  const given = (layer, head, query, { places }) =>
    places.reduce((sum, place) => sum + queryWeights(map, layer, head, query)[place], 0);
  const hasShares = (query, heads) =>
    sources.forEach((source, at) => {
      const wanted = heads.reduce((sum, head) => sum + given(1, head, query, source), 0) / heads.length;
      assert.ok(Math.abs(rows()[at].querySelector("meter").value - wanted) < 1e-6);
    });
  hasShares(3, [0, 1, 2]);
  assert.equal(rows()[1].querySelector("b").textContent, HOSTILE);
  assert.match(rows()[1].querySelector("small").textContent, /for each of its 4 tokens/);
  assert.deepEqual(texts(rows()[0], "details > p > span"), ["hot", "tea"]);
  view.choose({ query: 1, head: 2 });
  hasShares(1, [2]);
  const all = [0, 1].flatMap((layer) =>
    [0, 1, 2].map((head) => ({ layer, head, share: given(layer, head, 1, sources[1]) })),
  );
  const most = all.reduce((best, one) => (one.share > best.share ? one : best));
  rows()[1].querySelector("button").click();
  assert.deepEqual([view.state.chosen.layer, view.state.chosen.head], [most.layer, most.head]);
  hasShares(1, [most.head]);
});

test("sources: of words that are dragged over, or pressed with shift, the mean of what each gives, in all and for each token", () => {
  const tokens = ["Tea", " is", " hot", ".\n\n", "Ice", " is", "\n", " cold", ".\n\n", "What", " is", " hot"];
  const { root, map } = show({ layer: 1 }, { queryTokens: tokens, keyTokens: tokens, causal: true });
  const sources = [
    [0, 1, 2, 3],
    [4, 5, 6, 7, 8],
  ];
  const holds = (queries) =>
    sources.forEach((places, at) => {
      const given = queries.flatMap((query) =>
        [0, 1, 2].map((head) => places.reduce((sum, place) => sum + queryWeights(map, 1, head, query)[place], 0)),
      );
      const share = given.reduce((sum, each) => sum + each) / given.length;
      const row = root.querySelectorAll(".hm-sources li")[at];
      assert.equal(row.querySelector("summary > span").textContent, percent(share));
      const each = `${percent(share / places.length)} for each of its ${places.length} tokens`;
      assert.equal(row.querySelector("small").textContent, each);
    });
  holds([0]);
  drag(word(root, "What"), word(root, " is", 0), root.querySelectorAll("tbody")[0].querySelectorAll("td")[10]);
  holds([9, 10]);
  shiftClick(root.querySelectorAll("tbody")[0].querySelectorAll("td")[11]);
  holds([9, 10, 11]);
  assert.match(root.querySelector(".hm-sources > p").textContent, /^When “What is hot” asks, the heads of layer 2/);
});

test("sources: paragraphs of a text that a language model reads; of others none", () => {
  const tokens = ["Tea", " is", " hot", ".\n\n", "Ice", " is", "\n", " \n", "cold", ".", "\n", "Tea"];
  const names = ({ root }) => texts(root, ".hm-sources b");
  const own = { queryTokens: tokens, keyTokens: tokens };
  assert.deepEqual(names(show({}, { ...own, causal: true })), ["Tea is hot.", "Ice is"]);
  assert.deepEqual(names(show({}, own)), []);
  assert.ok(show({}, own).root.querySelector(".hm-sources").hidden);
});
