// A reader's first minute with a map: sentences to press, three things to do, and what was done undone.

import { isKept, keep } from "../../doors/kept.ts";
import { History } from "../../math/history.ts";
import type { MapState } from "../../math/map-state.ts";
import { FIRST_STEPS } from "../../math/names.ts";
import { h, setIdle, setText } from "../../views/dom.ts";
import type { HeadMapView } from "./view.ts";

/** What to do, by the part of the state that changes when it's done. */
const STEPS = [["sentence", "Change a word"], ["headMask", "Switch a head off"], ["query", "Ask from a word"]];

/** Sentences to press, as an attribute names them: "Hot tea? | Cold tea." */
export function examplesRow(host: HeadMapView, examples: string) {
  const sentences = examples.split("|").map((text) => text.trim()).filter(Boolean);
  const buttons = sentences.map((sentence) => h("button", { type: "button", onclick: () => host.set({ sentence }) }, sentence));
  return h("div", { class: "hm-start", role: "group", "aria-label": "Sentences to try" }, h("span", {}, "Type your own, or press:"), ...buttons);
}

/**
 * Three things to do first; each is ticked off once it's done. Until all are, or the reader skips them, the page shows no more of
 * the map than they need: `data-first-minute` is on the page's root, set as early as sphinxext/assets.py can.
 */
export class FirstSteps {
  #done = new Set<string>();
  #items = STEPS.map(([, name]) => h("li", {}, name));
  #list = h("ol", {}, ...this.#items);
  /** Stands above what the model concludes. */
  readonly caption = h("p", { class: "hm-caption" }, "From what they found in the whole sentence:");
  #button = h("button", { type: "button", onclick: () => this.#turn() });
  readonly node = h("div", { class: "hm-guide", role: "group", "aria-label": "First steps" }, this.#list, this.#button);

  #begin: () => void;

  /** `begin()` shows the map as the steps need it. */
  constructor(begin: () => void) {
    this.#begin = begin;
    this.#show(!isKept(FIRST_STEPS));
  }

  /** The reader changed parts of the state. */
  note(names: string[]) {
    if (this.#list.hidden) return;
    STEPS.forEach(([part, name], at) => {
      if (!names.includes(part) || this.#done.has(part)) return;
      this.#done.add(part);
      this.#items[at].classList.add("hm-done");
      this.#items[at].ariaLabel = `${name}: done`;
    });
    if (this.#done.size < STEPS.length) return;
    keep(FIRST_STEPS, true);
    setText(this.#button, "Done. Show me more");
  }

  #turn() {
    const show = Boolean(this.#list.hidden);
    if (show) {
      this.#begin();
      this.#startOver();
    }
    keep(FIRST_STEPS, !show);
    document.documentElement.toggleAttribute("data-first-minute", show);
    this.#show(show);
  }

  #startOver() {
    this.#done.clear();
    for (const item of this.#items) {
      item.classList.remove("hm-done");
      item.removeAttribute("aria-label");
    }
  }

  #show(shown: boolean) {
    this.#list.hidden = !shown;
    setText(this.#button, shown ? "Skip" : "Show the first steps");
  }
}

/** Two buttons that step back and forth through what the reader did; the keys that undo in a box do the same. */
export class UndoButtons {
  #host: HeadMapView;
  #history = new History<MapState>();
  #back = stepButton("Undo", "\u21b6", () => this.go(true));
  #forth = stepButton("Redo", "\u21b7", () => this.go(false));
  readonly nodes = [this.#back, this.#forth];

  constructor(host: HeadMapView) {
    this.#host = host;
    this.#refresh();
  }

  /** The reader is about to change the named parts of the state. */
  note(names: string[]) {
    this.#history.note({ ...this.#host.state }, names);
    this.#refresh();
  }

  /** Steps back, or forth. */
  go(back: boolean) {
    const found = this.#history.step({ ...this.#host.state }, back);
    if (found) this.#host.restore(found);
    this.#refresh();
  }

  #refresh() {
    setIdle(this.#back, this.#history.past.length === 0);
    setIdle(this.#forth, this.#history.future.length === 0);
  }
}

const stepButton = (name: string, sign: string, act: () => void) =>
  h("button", { type: "button", class: "hm-undo", "aria-label": name, title: name, onclick: act }, sign);
