// What <head-map> shows and how it follows its state, in Node.
import assert from "node:assert/strict";
import test from "node:test";
import { resizeTo } from "./page.mjs";

const { HeadMapView } = await import("../../src/manyheads/web/figures/head-map/view.ts");

const TOKENS = ["[CLS]", "tea", "or", "coffee", "[SEP]"];

/** Two layers, three heads; layers that are not `present` are still to come. */
function makeMap(present) {
  const weights = Float32Array.from({ length: 6 * 25 }, (_, at) => ((at * 7) % 11) / 55);
  return { queryTokens: TOKENS, keyTokens: TOKENS, shape: [2, 3, 5, 5], weights, headNames: ["a", "b", "c"], predictions: {}, notes: ["A note."],
    ...(present && { present }) };
}

/** A figure with a map; `changes` are the names of the parts that its reader changed. */
function makeFigure(state = {}, options = {}) {
  const root = document.createElement("div");
  const changes = [];
  const view = new HeadMapView(root, state, { change: (_, names) => changes.push(names), ...options });
  const status = () => root.querySelector("[role=status]").textContent;
  const press = (name) => root.querySelector(`[aria-label="${name}"]`).click();
  return { root, view, changes, status, press };
}

const isHeld = (root) => root.classList.contains("hm-held");

test("typing keeps the height; a second sentence that comes or goes releases it", () => {
  const { root, view } = makeFigure({ sentence: "tea or coffee" });
  view.show(makeMap());
  view.set({ sentence: "tea or coffee?" });
  assert.ok(isHeld(root));
  assert.equal(root.style.maxHeight, "324px");

  const button = root.querySelector(".hm-comparer");
  button.click();
  view.show(makeMap(), makeMap());
  assert.equal(view.state.compare, "tea or coffee?");
  assert.ok(!isHeld(root) && root.style.maxHeight === "", "two sentences have room");

  resizeTo(530);
  view.set({ compare: "tea or milk?" });
  assert.equal(root.style.maxHeight, "554px", "typed into the second box, it keeps the height of two");
  button.click();
  assert.equal(view.state.compare, null);
  assert.ok(!isHeld(root), "and that goes with the second sentence");
  resizeTo(300);
});

test("undo and an attribute that take the second sentence away release the height as well", () => {
  const { root, view, press } = makeFigure({ sentence: "tea" });
  view.show(makeMap());
  view.set({ compare: "coffee" });
  view.set({ sentence: "teas" });
  assert.ok(isHeld(root));
  press("Undo");
  assert.ok(isHeld(root), "the sentence is as if it was typed");
  press("Undo");
  assert.equal(view.state.compare, null);
  assert.ok(!isHeld(root));

  view.set({ compare: "milk" });
  view.set({ compare: "milk?" });
  assert.ok(isHeld(root));
  view.update({ compare: null });
  assert.ok(!isHeld(root));
});

test("a figure that another one replaced no longer sees to the height", () => {
  const { root, view } = makeFigure({ sentence: "tea" });
  view.show(makeMap());
  view.set({ sentence: "teas" });
  view.leave();
  assert.ok(!isHeld(root));
  Object.defineProperty(root, "clientWidth", { value: 800 });
  const next = new HeadMapView(root, { sentence: "teas" }, { change() {} });
  next.show(makeMap());
  next.set({ sentence: "tea" });
  resizeTo(310);
  assert.ok(isHeld(root));
  resizeTo(300);
});

test("a token asks while it is pointed at; a pinned one keeps asking; unpinned, the first asks again", () => {
  const { root, view, changes } = makeFigure();
  view.show(makeMap());
  const chosen = () => root.querySelector('[aria-label="Asked by"]').value;
  view.point(3);
  assert.deepEqual([view.query, view.rest, chosen()], [3, 0, "3"]);
  view.point(null);
  assert.deepEqual([view.query, chosen()], [0, "0"]);
  view.pin(2);
  view.point(3);
  assert.deepEqual([view.query, view.pinned, view.state.query], [2, true, 2]);
  view.pin(2);
  assert.deepEqual([view.query, view.pinned, view.state.query], [0, false, 0]);
  assert.deepEqual(changes, [["query"], ["query"]], "pointing changes nothing");
});

test("where special tokens are removed, positions are those among the words, and the status names who asks instead", () => {
  const { view, status } = makeFigure({ special: "remove" });
  view.show(makeMap());
  view.setStatus("Ready.");
  assert.equal(status(), "Ready. [CLS] is not shown; “tea” asks instead. A note.");
  view.pin(2);
  assert.equal(view.state.query, 3);
  assert.equal(status(), "Ready. A note.");
  view.show({ ...makeMap(), queryTokens: TOKENS.slice(0, 2), shape: [2, 3, 2, 5], weights: new Float32Array(60) });
  assert.equal(view.query, 0, "a map that lacks the token lets the first one ask");
});

test("a layer is requested once, the status says what is to come, and it is drawn when it comes", () => {
  const requests = [];
  const { root, view, status } = makeFigure({}, { want: (layers) => requests.push(layers) });
  view.show(makeMap([0]));
  view.setStatus("Ready.");
  assert.ok(view.complete);
  view.set({ layer: 1 });
  view.set({ scale: "relative" });
  assert.deepEqual(requests, [[1]]);
  assert.ok(!view.complete && root.querySelector(".hm-stage").inert);
  assert.match(status(), /^Ready\. Layer 2 of 2 is on its way/);
  view.addLayer(1, new Float32Array(75).fill(0.2));
  assert.ok(view.complete && !root.querySelector(".hm-stage").inert);
  assert.doesNotMatch(status(), /on its way/);
  assert.equal(root.querySelector("td[data-weight]").dataset.weight, "0.2000");
});

test("how much is written is drawn in a grid of all layers; it isn't offered where some can't come, or no norms are known", () => {
  const pictures = { shape: [2, 3, 1, 1], tints: new Int8Array(6) };
  const written = { ...makeMap([0]), valueNorms: Float32Array.from({ length: 30 }, (_, at) => at), pictures };
  const requests = [];
  const { root, view } = makeFigure({ view: "grid" }, { want: (layers) => requests.push(layers) });
  const more = root.querySelector("details.hm-more");
  const isOffered = () => !root.querySelector('select[aria-label="Show"]').closest("label").hidden;
  more.open = true;
  view.show(written);
  view.setStatus("Ready.");
  assert.deepEqual([isOffered(), requests], [true, []]);
  view.set({ weigh: "written" });
  assert.deepEqual(requests, [[1]]);
  view.addLayer(1, new Float32Array(75).fill(0.2));
  assert.ok(view.complete);
  const { weights, kind } = view.shown.map;
  assert.equal(kind, "amounts");
  assert.equal(weights[75 + 25 + 7], Math.fround(Math.fround(0.2) * ((1 * 3 + 1) * 5 + 2))); // layer 2, head 2, the third key
  view.set({ weigh: "attention" });
  view.show({ ...makeMap([0]), valueNorms: written.valueNorms, pictures, final: true });
  assert.ok(!isOffered());
  view.show(makeMap());
  assert.ok(!isOffered());
});

test("where nobody sends more layers, one that is present takes the place of the chosen one", () => {
  const { view } = makeFigure({ layer: 0 });
  view.show(makeMap([1]));
  assert.equal(view.state.layer, 1);
  assert.ok(view.complete);
});

test("a sentence that is refused greys the last map until another one comes", () => {
  const { root, view, status } = makeFigure();
  view.show(makeMap());
  view.setStatus("Ready.");
  view.refuse("That word is unknown.", () => {}, "Use “tea”");
  assert.equal(status(), "That word is unknown. Use “tea”");
  assert.ok(root.querySelector(".hm-stage").classList.contains("hm-stale"));
  view.show(makeMap());
  assert.ok(!root.querySelector(".hm-stage").classList.contains("hm-stale"));
});

test("a head's toggle switches it off and on; Undo takes it back", () => {
  const { root, view, changes, press } = makeFigure({ layer: 1 });
  view.show(makeMap());
  const toggle = root.querySelectorAll("button.hm-head")[1];
  toggle.click();
  assert.deepEqual(view.state.headMask, [[true, true, true], [true, false, true]]);
  assert.equal(toggle.ariaPressed, "false");
  toggle.click();
  assert.equal(view.state.headMask, null, "all on is no mask");
  press("Undo");
  assert.equal(toggle.ariaPressed, "false");
  assert.deepEqual(changes, [["headMask"], ["headMask"], ["headMask"]]);
});
