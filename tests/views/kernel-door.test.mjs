// The door of a figure to a kernel, in Node, with a model such as each notebook gives.
import assert from "node:assert/strict";
import test from "node:test";
import { openDoor } from "../../src/manyheads/web/doors/kernel-door.ts";

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

function opened() {
  const model = new Model({ sentence: "Tea?", head_mask: null, _attention: "a", _compared: null, _status: "Ready." });
  const seen = { updates: [], shown: [], said: [] };
  const view = { update: (state) => seen.updates.push(state), setStatus: (text) => seen.said.push(text) };
  const close = openDoor(model, null, { sentence: "sentence", headMask: "head_mask" }, ["_attention", "_compared"], {
    make: (state, change) => Object.assign(view, { state, change }),
    show: () => seen.shown.push([model.get("_attention"), model.get("_compared")]),
  });
  return { model, view, close, seen };
}

test("it shows and says what is there, and each thing that Python computes", () => {
  const { model, seen } = opened();
  assert.deepEqual(seen, { updates: [], shown: [["a", null]], said: ["Ready."] });
  model.hear({ _attention: "b" });
  model.hear({ _compared: "c" });
  assert.deepEqual(seen.shown.slice(1), [["b", null], ["b", "c"]]);
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
  assert.deepEqual(seen.updates.at(-1), { sentence: "Coffee?", headMask: [[true]] });
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
