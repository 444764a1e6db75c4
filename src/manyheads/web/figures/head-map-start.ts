// A reader's first minute with a map: sentences to press, three things to do, and what was done undone.

import { History } from "../doors/history.js";
import { isKept, keep } from "../doors/kept.js";
import { h, setIdle, setText } from "../views/dom.js";

const STEPS_DONE = "manyheads.guide"; // in the browser: the first steps were taken, or skipped
/** What there is to do, and which part of the state tells that it was done. */
const FIRST_STEPS = [["sentence", "Change a word"], ["headMask", "Switch a head off"], ["query", "Ask from a word"]];

/** @typedef {import("./head-map-view.js").HeadMapView} View */

/** Sentences to press, as an attribute names them: "Hot tea? | Cold tea." */
export function examplesRow(/** @type {View} */ host, /** @type {string} */ examples) {
  const sentences = examples.split("|").map((text) => text.trim()).filter(Boolean);
  const buttons = sentences.map((sentence) => h("button", { type: "button", onclick: () => host.set({ sentence }) }, sentence));
  return h("div", { class: "hm-start", role: "group", "aria-label": "Sentences to try" }, h("span", {}, "Type your own, or press:"), ...buttons);
}

/** Three things to do first; each is ticked off when it was done. */
export class FirstSteps {
  #done = new Set();
  #items = FIRST_STEPS.map(([, name]) => h("li", {}, name));
  #list = h("ol", {}, ...this.#items);
  #button = h("button", { type: "button", onclick: () => this.#turn() });
  node = h("div", { class: "hm-guide", role: "group", "aria-label": "First steps" }, this.#list, this.#button);

  constructor() {
    this.#show(!isKept(STEPS_DONE));
  }

  /** The reader changed parts of the state. */
  note(/** @type {string[]} */ names) {
    if (this.#list.hidden) return;
    FIRST_STEPS.forEach(([part], at) => {
      if (!names.includes(part) || this.#done.has(part)) return;
      this.#done.add(part);
      this.#items[at].classList.add("hm-done");
      this.#items[at].ariaLabel = `${FIRST_STEPS[at][1]}: done`;
    });
    if (this.#done.size < FIRST_STEPS.length) return;
    keep(STEPS_DONE, true);
    setText(this.#button, "Done. Hide");
  }

  #turn() {
    const shown = Boolean(this.#list.hidden);
    if (shown) {
      this.#done.clear();
      for (const item of this.#items) {
        item.classList.remove("hm-done");
        item.removeAttribute("aria-label");
      }
    }
    keep(STEPS_DONE, !shown);
    this.#show(shown);
  }

  #show(/** @type {boolean} */ shown) {
    this.#list.hidden = !shown;
    setText(this.#button, shown ? "Skip" : "Show the first steps");
  }
}

/** Two buttons that step back and forth through what the reader did. */
export class UndoButtons {
  /** @type {History<MapState>} */
  #history = new History();
  #back = stepButton("Undo", "\u21b6", () => this.#go(true));
  #forth = stepButton("Redo", "\u21b7", () => this.#go(false));
  nodes = [this.#back, this.#forth];

  constructor(/** @type {View} */ host) {
    this.host = host;
    this.#tell();
  }

  /** The reader is about to change the named parts of the state. */
  note(/** @type {string[]} */ names) {
    this.#history.note({ ...this.host.state }, names);
    this.#tell();
  }

  #go(/** @type {boolean} */ back) {
    const found = this.#history.step({ ...this.host.state }, back);
    if (found) this.host.restore(found);
    this.#tell();
  }

  #tell() {
    setIdle(this.#back, this.#history.past.length === 0);
    setIdle(this.#forth, this.#history.future.length === 0);
  }
}

/**
 * @param {string} name
 * @param {string} sign
 * @param {() => void} act
 */
const stepButton = (name, sign, act) => h("button", { type: "button", class: "hm-undo", "aria-label": name, title: name, onclick: act }, sign);
