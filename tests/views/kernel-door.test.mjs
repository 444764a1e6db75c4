// The door of a figure to a kernel, in Node, with a model such as each notebook gives.
import assert from "node:assert/strict";
import test from "node:test";
import { NO_ANSWER } from "../../src/manyheads/web/doors/kernel-answers.ts";
import { openDoor } from "../../src/manyheads/web/doors/kernel-door.ts";
import { keptOf } from "../../src/manyheads/web/doors/saved-notebook.ts";
import { mayMatch } from "../../src/manyheads/web/doors/saved-figure.ts";
import headMap from "../../src/manyheads/web/figures/head-map/head-map.ts";
import { START } from "../../src/manyheads/web/math/options.ts";
import { named, press, settled, status, texts } from "./page.mjs";
import { makeMap } from "./small-models.mjs";

/** A model as marimo has it: `on` and `off` know one event a time, and what it is told it keeps until it is saved. */
class Model {
  listeners = [];
  saved = 0;

  constructor(traits) {
    this.traits = { ...traits };
  }

  get(name) {
    return this.traits[name];
  }

  set(name, value) {
    this.traits[name] = value;
    this.#tell(name);
  }

  save_changes() {
    this.saved++;
  }

  on(event, listener) {
    this.listeners.push([event, listener]);
  }

  off(event, listener) {
    this.listeners = this.listeners.filter(([name, one]) => name !== event || one !== listener);
  }

  /** Python changed traits, one after the other. */
  hear(traits) {
    for (const [name, value] of Object.entries(traits)) this.set(name, value);
  }

  #tell(name) {
    for (const [event, listener] of this.listeners) if (event === `change:${name}`) listener();
  }
}

/** A door to a kernel that hasn't answered anything yet; `asks` are the traits that it computes from. */
function opened({ asks = [], ...more } = {}) {
  const model = new Model({
    sentence: "Tea?",
    head_mask: null,
    layer: 0,
    _attention: "a",
    _compared: null,
    _status: "Ready.",
    _asks: asks,
    _asked: 0,
    _answered: 0,
  });
  Object.assign(model, more);
  const seen = { updates: [], shown: [], said: [], old: [] };
  const view = {
    update: (state) => seen.updates.push(state),
    setStatus: (text) => seen.said.push(text),
    markOld: (old) => seen.old.push(old),
  };
  const root = document.body.appendChild(document.createElement("div"));
  const close = openDoor(
    model,
    root,
    { sentence: "sentence", headMask: "head_mask", layer: "layer" },
    ["_attention", "_compared"],
    {
      kind: "head-map",
      make: (state, change) => Object.assign(view, { state, change }),
      show: () => seen.shown.push([model.get("_attention"), model.get("_compared")]),
      lend: ({ state }, settings) => ({ ...state, ...settings }),
    },
  );
  return { model, root, view, close, seen };
}

test("it shows and says what is there, and each thing that Python computes", () => {
  const { model, seen } = opened();
  assert.deepEqual(seen, { updates: [], shown: [["a", null]], said: ["Ready."], old: [] });
  model.hear({ _attention: "b" });
  model.hear({ _compared: "c" });
  assert.deepEqual(seen.shown.slice(1), [
    ["b", null],
    ["b", "c"],
  ]);
});

test("it says what went wrong where there is no new map", () => {
  const { model, seen } = opened();
  model.hear({ _status: "The map could not be computed." });
  assert.deepEqual(seen.said, ["Ready.", "The map could not be computed."]);
  assert.equal(seen.shown.length, 1);
});

test("it takes over each trait that Python sets", () => {
  const { model, seen } = opened();
  model.hear({ sentence: "Coffee?", head_mask: [[true]] });
  assert.deepEqual(seen.updates.at(-1), { sentence: "Coffee?", headMask: [[true]], layer: 0 });
  assert.equal(seen.updates.length, 2);
});

test("it tells Python what the reader chose, and is not told so itself", () => {
  const { model, view, seen } = opened();
  view.change({ sentence: "Milk?", headMask: [[false]] }, ["sentence", "headMask"]);
  assert.deepEqual([model.get("sentence"), model.get("head_mask"), model.saved], ["Milk?", [[false]], 1]);
  assert.deepEqual(seen.updates, []);
});

test("it closes", () => {
  const { model, close } = opened();
  close();
  assert.deepEqual(model.listeners, []);
});

/** Python answers all that it was asked, and says so in the trait that it has dealt with. */
const answer = (model, traits = {}) => model.hear({ ...traits, _answered: model.get("_asked") });

test("a kernel that doesn't answer is told of, once, and until it does; what was asked for is then old", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { model, view, seen, close } = opened({ asks: ["sentence"] });
  answer(model);
  view.change({ sentence: "Milk?" }, ["sentence"]);
  t.mock.timers.tick(1000);
  view.change({ sentence: "Milk!" }, ["sentence"]);
  assert.deepEqual([seen.said.at(-1), seen.old], ["Ready.", []]);
  t.mock.timers.tick(1000); // two seconds after the first: a second key gives a dead kernel no time
  assert.deepEqual([seen.said.at(-1), seen.old], [NO_ANSWER, [true]]);
  model.hear({ _answered: model.get("_asked") - 1 });
  assert.deepEqual([seen.said.at(-1), seen.old], [NO_ANSWER, [true]], "the last key is not answered");
  answer(model, { _attention: "b" });
  assert.deepEqual([seen.said.at(-1), seen.old], ["Ready.", [true, false]]);
  t.mock.timers.tick(9000);
  assert.equal(seen.said.at(-1), "Ready.");
  close();
});

test("where no kernel answers as a figure opens, it says so, and greys nothing until something is asked", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { view, seen, close } = opened({ asks: ["sentence"] });
  t.mock.timers.tick(2000);
  assert.deepEqual([seen.said, seen.old], [["Ready.", NO_ANSWER], [false]]);
  view.change({ layer: 1 }, ["layer"]);
  assert.deepEqual(seen.old, [false], "what the page can show by itself isn't old");
  view.change({ sentence: "Milk?" }, ["sentence"]);
  assert.deepEqual(seen.old, [false, true]);
  close();
});

test("attentions that were given ask nobody", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { model, view, seen } = opened();
  view.change({ layer: 1 }, ["layer"]);
  t.mock.timers.tick(2000);
  assert.deepEqual([model.get("_asked"), seen.said], [0, ["Ready."]]);
});

test("where a kernel ends, the figure asks whether it is still there", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const statusChanged = {
    connect: (listener) => (statusChanged.tell = listener),
    disconnect: () => delete statusChanged.tell,
  };
  const saveState = { connect() {}, disconnect() {} };
  const { model, seen, close } = opened({
    asks: ["sentence"],
    widget_manager: { context: { sessionContext: { statusChanged }, saveState } },
  });
  answer(model);
  statusChanged.tell(null, "busy");
  t.mock.timers.tick(2000);
  assert.equal(seen.said.at(-1), "Ready.");
  statusChanged.tell(null, "autorestarting");
  t.mock.timers.tick(2000);
  assert.equal(seen.said.at(-1), NO_ANSWER);
  close();
  assert.equal(statusChanged.tell, undefined);
});

const link = (figure, settings) => `<a href="#try:${figure}:${encodeURIComponent(JSON.stringify(settings))}">Press</a>`;

function pressed(html) {
  const text = document.body.appendChild(document.createElement("p"));
  text.innerHTML = html;
  text.querySelector("a").click();
  return text;
}

test("a link of the notebook's text lends a figure what it says, and Python gets what is new of it", () => {
  document.body.replaceChildren();
  const { model, root } = opened({ asks: ["sentence"] });
  assert.equal(pressed(link("head-map", { sentence: "Coffee?" })).textContent, "Press");
  assert.deepEqual([model.get("sentence"), model.get("_asked")], ["Coffee?", 2]);
  assert.equal(model.listeners.filter(([name]) => name === "change:layer").length, 1);
  assert.ok(root.classList.contains("hm-spoken"));
  root.id = "mine";
  pressed(link("mine", { sentence: "Milk?" }));
  assert.equal(model.get("sentence"), "Milk?");
});

test("a link whose figure isn't there says what to do, until one comes", () => {
  document.body.replaceChildren();
  const text = pressed(link("head-map", { sentence: "Coffee?" }));
  text.querySelector("a").click();
  assert.equal(text.textContent, "Press Run the cell of its figure first.");
  opened();
  assert.equal(text.textContent.trim(), "Press");
});

test("a plain key is the figure's own, and those with Control and Shift are the notebook's", () => {
  const { root, close } = opened();
  const button = root.appendChild(document.createElement("button"));
  const other = document.body.appendChild(document.createElement("button"));
  const key = (node, options) => node.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, ...options }));
  key(button, { key: "x" });
  assert.equal(button.dataset.lmSuppressShortcuts, "true");
  key(button, { key: "s", ctrlKey: true });
  assert.equal(button.dataset.lmSuppressShortcuts, undefined);
  key(button, { key: "ArrowDown" });
  key(button, { key: "Enter", shiftKey: true });
  assert.equal(button.dataset.lmSuppressShortcuts, undefined);
  key(other, { key: "x" });
  assert.equal(other.dataset.lmSuppressShortcuts, undefined);
  close();
  key(button, { key: "x" });
  assert.equal(button.dataset.lmSuppressShortcuts, undefined);
});

test("a figure that is kept takes along the rules that may match it, whatever they say in parentheses", () => {
  const classes = new Set(["head-map", "hm-grid"]);
  for (const selector of [
    ".head-map",
    ".x, .head-map .hm-grid:not(.y) > i::before",
    ":is(.a, .b) .hm-grid",
    "[data-theme] svg",
  ])
    assert.ok(mayMatch(selector, classes), selector);
  for (const selector of [".x", ".head-map .x", ".head-map:is(.hm-grid, :not(.a)).x b"])
    assert.ok(!mayMatch(selector, classes), selector);
});

test("a notebook keeps the figures that its cells show, and the boxes around them", () => {
  const html = (value) => ({ model_module: "@jupyter-widgets/controls", state: { value } });
  const box = (...parts) => ({
    model_module: "@jupyter-widgets/controls",
    state: { children: parts.map((name) => `IPY_MODEL_${name}`), layout: "IPY_MODEL_l" },
  });
  const live = { b: box("n", "s"), n: box("f2"), s: html("a slider"), l: html("a layout"), other: html("another's") };
  const figures = { f1: html("one"), f2: html("two"), gone: html("of a cell that was run again") };
  const kept = keptOf(["f1", "b", "other"], figures, live);
  assert.deepEqual(Object.keys(kept).sort(), ["b", "f1", "f2", "l", "n", "s"]);
  assert.equal(kept.f2, figures.f2);
  assert.deepEqual(
    Object.keys(keptOf(["f1", "b"], kept, {})).sort(),
    ["b", "f1", "f2", "l", "n", "s"],
    "also where the box was kept earlier",
  );
});

test("in a notebook, Python is asked what each paragraph is for, and answers, or says why it can't", async () => {
  const tokens = ["Tea", " is", " hot", ".\n\n", "Ice", ".\n\n", "What"];
  const own = { queryTokens: tokens, keyTokens: tokens, causal: true };
  const attention = (computed) => ({ ...makeMap(own), computed });
  const model = new Model({
    ...{ ...START, head_mask: null, model_index: 0, sentence: tokens.join("") },
    ...{ _models: ["mine"], _computes: true, _reads: "text", _status: "Ready.", _asks: ["sentence"] },
    ...{ _asked: 0, _answered: 0, _attention: attention(1), _compared: null },
  });
  const sent = [];
  model.send = (message) => sent.push(message);
  const hear = async (message) => {
    for (const [event, listener] of model.listeners) if (event === "msg:custom") listener(message);
    await settled();
  };
  const el = document.body.appendChild(document.createElement("div"));
  const close = headMap.render({ model, el });
  const without = "What if each weren’t there?";
  press(el, without);
  const places = [
    [0, 1, 2, 3],
    [4, 5],
  ];
  assert.deepEqual([sent, model.get("mattered")], [[{ of: 1, sources: places }], "asked"]);
  const found = [0.25, 1].map((each) => ({ answer: " tea", probability: 0.5, without: each }));
  await hear({ of: 0, mattered: found });
  assert.deepEqual(texts(el, ".hm-mattered"), ["…", "…"], "of a map that's gone");
  await hear({ of: 1, mattered: found });
  assert.deepEqual(texts(el, ".hm-mattered"), ["50\u00a0% → 25\u00a0%", "50\u00a0% → 100\u00a0%"]);
  model.hear({ _attention: attention(2) });
  assert.equal(sent.at(-1).of, 2, "of another map it's asked anew");
  await hear({ of: 2, mattered: [], refused: "no source can be masked." });
  assert.match(status(el), /^It can’t be told: no source can be masked\./);
  assert.deepEqual([model.get("mattered"), named(el, without).ariaPressed], ["unasked", "false"]);
  close();
});
