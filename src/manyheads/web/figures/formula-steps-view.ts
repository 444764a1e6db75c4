// What <formula-steps> and a notebook's FormulaSteps show: the path, and one of its steps with all of its matrices.

import { arithmetic } from "../math/arithmetic.js";
import { colourOf } from "../math/maps.js";
import { columnName, columnsAreWords, findMatrix, MADE_BY, MATRICES, matrix, PATH, rowName, rowOf } from "../math/steps.js";
import { readable } from "../math/text.js";
import { Announcer } from "../views/announcer.js";
import { ArithmeticSheet } from "../views/arithmetic-sheet.js";
import { chooser, field, fillOptions, sentenceBox, StatusLine } from "../views/controls.js";
import { arrow, h, setChildren, setIdle, setText, setValue, targetOf, uncover } from "../views/dom.js";
import { equation, math, mathOf, sub, symbol } from "../views/formula-mathml.js";
import { MatrixTable } from "../views/matrix-table.js";
import { Thumbnail } from "../views/thumbnail.js";

/** What may be changed in the formula. */
const TOGGLES = { causal: "Causal mask", padding: "Padding", unscaled: "No scaling" };
const TOGGLE_NAMES = /** @type {(keyof typeof TOGGLES)[]} */ (Object.keys(TOGGLES));
const PROJECTIONS = ["Wq", "Wk", "Wv"];
let instances = 0;

const whenIdle = (/** @type {() => void} */ todo) => (globalThis.requestIdleCallback ?? setTimeout)(todo);
const cancelIdle = (/** @type {number | undefined} */ handle) => (globalThis.cancelIdleCallback ?? clearTimeout)(handle ?? 0);

/**
 * The controls, the path and the matrices of one step inside `root`. `change(state, names)` is called when the reader
 * changed the named parts of the state; `painted(steps)` after every repaint. `types` says whether the sentence can be
 * another one, `computes` whether the head and the formula can.
 */
export class FormulaStepsView {
  id = `formula-steps-${++instances}`;
  /** @type {StepsState} */
  state = { sentence: "", head: 0, word: 0, step: "X", causal: false, padding: false, unscaled: false };
  /** @type {Steps | null} */
  steps = null;
  /** @type {Map<string, MatrixTable>} */
  #tables = new Map();
  /** @type {Map<string, Thumbnail>} */
  #thumbnails = new Map();
  /** The cell whose arithmetic is shown. @type {Cell | null} */
  #opened = null;
  /** The one that is shown again when the pointer leaves. @type {Cell | null} */
  #pinned = null;
  #drawn = ""; // the step and the word that were drawn last
  #written = ""; // the equation, by what it depends on
  #arranged = ""; // the names of the matrices on the stage
  #shaped = "";
  #idle = 0;
  #learnt = "Wq"; // the learnt matrix of the projections that is on display
  #announcer = new Announcer();

  /**
   * @param {HTMLElement} root
   * @param {Partial<StepsState>} state
   * @param {{ change: (state: StepsState, names: string[]) => void, painted?: (steps: Steps) => void, types?: boolean,
   *   computes?: boolean }} options
   */
  constructor(root, state, { change, painted = () => {}, types = true, computes = true }) {
    this.change = change;
    this.painted = painted;

    this.sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => this.#set({ sentence }));
    this.head = chooser("Head", (head) => this.#set({ head: Number(head) }));
    this.word = chooser("Word", (word) => this.#set({ word: Number(word) }));
    this.toggles = TOGGLE_NAMES.map((name) => ({ name, box: this.#toggle(name) }));
    const tools = h("div", { class: "hm-tools" }, field(this.word));
    if (computes) {
      const toggles = this.toggles.map(({ name, box }) => h("label", { class: "hm-field" }, box, TOGGLES[name]));
      tools.prepend(field(this.head));
      tools.append(h("fieldset", { class: "fs-toggles", "aria-label": "Change the formula" }, ...toggles));
    }

    this.tabs = PATH.map((step, index) => this.#tab(step, index));
    const path = h("div", { class: "fs-path", role: "tablist", "aria-label": "Steps",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#moveStep(event, true) }, ...this.tabs);

    this.title = h("p", { class: "fs-title" });
    this.back = h("button", { type: "button", class: "fs-go", onclick: () => this.#go(-1) }, "← Back");
    this.next = h("button", { type: "button", class: "fs-go", onclick: () => this.#go(1) }, "Next →");
    this.equation = h("div", { class: "fs-equation", tabindex: 0, role: "group", "aria-label": "Equation" });
    this.says = h("p", { class: "fs-says" });
    this.shapes = h("p", { class: "fs-shapes" });
    this.sources = h("div", { class: "fs-sources" });
    this.results = h("div", { class: "fs-results" });
    this.stage = this.#stage();
    const region = instances > 1 ? `Arithmetic ${instances}` : "Arithmetic";
    this.sheet = new ArithmeticSheet(this.id, region, () => this.#cell(this.#opened)?.focus({ preventScroll: true }),
      (term) => this.#walkTo(term));
    this.panel = h("div", { class: "fs-step", role: "tabpanel", id: `${this.id}-step`,
      onkeydown: (/** @type {KeyboardEvent} */ event) => targetOf(event).classList.contains("fs-go") && this.#moveStep(event, false) },
    h("div", { class: "fs-bar" }, this.title, h("span", {}, ...(document.fullscreenEnabled ? [this.#fullScreen(root), " "] : []), this.back, " ", this.next)),
    this.equation, this.says, this.shapes, this.stage, this.sheet.node);

    this.status = new StatusLine();
    root.replaceChildren(...(types ? [h("div", {}, this.sentence)] : []), tools, path, this.panel, h("div", {}, legend(), this.status.node, this.#announcer.node));
    this.update(state);
  }

  /** Takes over parts of the state that changed elsewhere, and repaints what it has. */
  update(/** @type {Partial<StepsState>} */ state) {
    const parts = /** @type {const} */ (["step", "word", "head"]);
    if (parts.some((part) => part in state && state[part] !== this.state[part])) this.#pinned = null;
    Object.assign(this.state, state);
    if (!PATH.some(({ name }) => name === this.state.step)) this.state.step = "X";
    setValue(this.sentence, this.state.sentence);
    for (const { name, box } of this.toggles) box.checked = this.state[name];
    if (this.steps) this.#draw(this.steps);
  }

  show(/** @type {Steps} */ steps) {
    this.steps = steps;
    this.#draw(steps);
  }

  /**
   * Tells the reader how things stand; `act`, if given, is what a button after the text does.
   * @param {string} text
   * @param {() => void} [act]
   */
  setStatus(text, act) {
    this.status.tell([text, ...(this.steps?.notes ?? [])].join(" "), act);
  }

  /** Paints what is out of view, at once; else it waits until the browser has nothing better to do. */
  flush() {
    for (const table of this.#tables.values()) table.flush();
  }

  #set(/** @type {Partial<StepsState>} */ state) {
    this.#announcer.changed();
    this.update(state);
    this.change(this.state, Object.keys(state));
  }

  #go(/** @type {number} */ by) {
    const next = PATH[PATH.indexOf(this.#step) + by];
    if (next) this.#set({ step: next.name });
  }

  // --- what there is to draw on

  /** The button that gives the figure the whole screen, and takes it back. */
  #fullScreen(/** @type {HTMLElement} */ root) {
    const refused = () => this.status.tell("This browser does not give the figure the whole screen.");
    const button = h("button", { type: "button", class: "fs-go",
      onclick: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen().catch(refused)) }, "Full screen");
    root.addEventListener("fullscreenchange", () => setText(button, document.fullscreenElement ? "Leave full screen" : "Full screen"));
    return button;
  }

  #toggle(/** @type {keyof typeof TOGGLES} */ name) {
    return h("input", { type: "checkbox",
      onchange: (/** @type {Event} */ event) => this.#set({ [name]: /** @type {HTMLInputElement} */ (targetOf(event)).checked }) });
  }

  /**
   * @param {typeof PATH[number]} step
   * @param {number} index
   */
  #tab(step, index) {
    const pictures = step.results.map((name) => {
      const thumbnail = new Thumbnail(name);
      this.#thumbnails.set(name, thumbnail);
      return thumbnail.canvas;
    });
    return h("button", { type: "button", role: "tab", id: `${this.id}-${step.name}`, "aria-controls": `${this.id}-step`,
      onclick: () => this.#set({ step: step.name }) },
    h("span", { class: "fs-thumbs" }, ...pictures), h("span", {}, `${index + 1} ${step.label}`));
  }

  #stage() {
    const open = (/** @type {PointerEvent} */ event) => {
      const at = event.pointerType === "mouse" && cellAt(event);
      if (at) this.#open(at);
    };
    const pin = (/** @type {Event} */ event) => {
      const at = cellAt(event);
      if (at) this.#pin(at, targetOf(event));
    };
    return h("div", { class: "fs-stage",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#moveCell(event),
      onfocusin: pin,
      onfocusout: (/** @type {Event} */ event) => targetOf(event).removeAttribute("aria-label"),
      onpointerover: open,
      onpointerleave: () => this.#pinned && this.#open(this.#pinned),
    }, this.sources, this.results);
  }

  // --- painting

  #draw(/** @type {Steps} */ steps) {
    const { state } = this;
    state.head = Math.min(state.head, steps.headNames.length - 1);
    state.word = Math.min(state.word, steps.tokens.length - 1);
    fillOptions(this.head, steps.headNames, [...steps.headNames.keys()], state.head);
    fillOptions(this.word, steps.tokens.map(readable), [...steps.tokens.keys()], state.word);
    this.panel.style.setProperty("--head", colourOf(steps.head));
    for (const thumbnail of this.#thumbnails.values()) thumbnail.paint(steps);
    this.#drawStep(steps);
    const pinned = this.#valid(steps, this.#pinned) ?? this.#first(steps);
    this.#pinned = pinned;
    const drawn = `${state.step} ${state.word}`;
    const moved = drawn !== this.#drawn;
    this.#drawn = drawn;
    this.#open(pinned, moved);
    this.sheet.describe();
    this.#announcer.drawn(() => `${this.title.textContent} ${this.sheet.describe()}`);
    this.painted(steps);
    cancelIdle(this.#idle);
    this.#idle = whenIdle(() => this.flush());
  }

  /** The cell that is open before the reader opens one: of the chosen word, the one with the largest number. */
  #first(/** @type {Steps} */ steps) {
    const [name] = this.#step.results;
    const [rows, columns] = matrix(steps, name).shape;
    const row = Math.min(this.state.word, rows - 1);
    const values = rowOf(matrix(steps, columnsAreWords(name) ? "weights" : name), row);
    return { name, row, column: Math.min(values.indexOf(Math.max(...values)), columns - 1) };
  }

  /**
   * The cell, if it is one of those on display.
   * @param {Steps} steps
   * @param {Cell | null} cell
   */
  #valid(steps, cell) {
    const shape = cell && findMatrix(steps, cell.name)?.shape;
    return shape && cell.row < shape[0] && cell.column < shape[1] && this.#names(steps).includes(cell.name) ? cell : null;
  }

  get #step() {
    return PATH.find(({ name }) => name === this.state.step) ?? PATH[0];
  }

  /** The matrices on display; the learnt one of the projections is that of the last cell that was made by one. */
  #names(/** @type {Steps} */ steps) {
    const { sources, results } = this.#step;
    const open = this.#opened?.name ?? "";
    const made = MADE_BY[open]?.[0] ?? open;
    if (PROJECTIONS.includes(made)) this.#learnt = made;
    const names = [...sources.map((name) => (name === "W" ? this.#learnt : name)), ...results];
    return names.filter((name) => findMatrix(steps, name));
  }

  #table(/** @type {string} */ name) {
    const table = this.#tables.get(name) ?? new MatrixTable(name);
    this.#tables.set(name, table);
    return table;
  }

  #drawStep(/** @type {Steps} */ steps) {
    const step = this.#step;
    const index = PATH.indexOf(step);
    this.tabs.forEach((tab, place) => {
      tab.ariaSelected = String(place === index);
      tab.tabIndex = place === index ? 0 : -1;
    });
    this.panel.setAttribute("aria-labelledby", this.tabs[index].id);
    setIdle(this.back, index === 0);
    setIdle(this.next, index === PATH.length - 1);
    setText(this.title, step.title);
    setText(this.says, step.says);
    const { head, headNames: { length: heads }, biased, scaled } = steps;
    const written = `${step.name} ${head} ${biased} ${scaled}`;
    if (this.#written !== written) this.equation.innerHTML = equation(step.name, { head, heads, biased, scaled });
    this.#written = written;
    this.stage.dataset.step = step.name;
    this.#arrange(steps);
  }

  /** Puts the step's tables into the stage, painted, and their shapes into words. */
  #arrange(/** @type {Steps} */ steps) {
    const { results } = this.#step;
    const names = this.#names(steps);
    this.#arranged = names.join();
    const sources = names.filter((name) => !results.includes(name));
    for (const name of names) this.#table(name).measure();
    for (const [box, wanted] of /** @type {const} */ ([[this.sources, sources], [this.results, results]])) {
      setChildren(box, wanted.map((name) => this.#table(name).figure));
      for (const name of wanted) this.#table(name).paint(steps);
    }
    const size = (/** @type {string} */ name) => `${symbol(name, steps.head)} ${matrix(steps, name).shape.join(" × ")}`;
    const { tokens, headNames, X, Q } = steps;
    const words = `${mathOf("n")} = ${tokens.length} words and marks, ${mathOf("d")} = ${X.shape[1]}, ${mathOf("h")} = ${headNames.length}, `
      + `${math(sub("d", "k"), false)} = ${Q.shape[1]}`;
    const shaped = `${sources.map(size).join(", ")}${sources.length ? " → " : ""}${results.map(size).join(", ")}; ${words}`;
    if (this.#shaped !== shaped) this.shapes.innerHTML = this.#shaped = shaped;
  }

  // --- the open cell

  #cell(/** @type {Cell | null} */ at) {
    return at && this.#tables.get(at.name)?.cells[at.row]?.[at.column]?.node;
  }

  /**
   * @param {Cell} at
   * @param {HTMLElement} node
   */
  #pin(at, node) {
    if (!this.steps) return;
    this.#pinned = { ...at };
    this.#open(this.#pinned, true);
    this.sheet.describe();
    const { name, row, column } = at;
    const [from, to] = [rowName(this.steps, name, row), columnName(this.steps, name, column)];
    node.ariaLabel = `${MATRICES[name]}, ${from}, ${to}: ${node.textContent}`;
    node.setAttribute("aria-describedby", this.sheet.describedBy);
    this.#table(name).table.querySelector('td[tabindex="0"]')?.setAttribute("tabindex", "-1");
    node.setAttribute("tabindex", "0");
    requestAnimationFrame(() => uncover(node, this.sheet.node)); // the browser scrolls to what has the focus after this
  }

  /**
   * Writes out the cell's arithmetic and lights what it was made of.
   * @param {Cell} at
   * @param {boolean} [reveal]
   */
  #open(at, reveal = false) {
    const { steps } = this;
    if (!steps) return;
    this.#cell(this.#opened)?.classList.remove("fs-open", "fs-landed");
    this.stage.querySelectorAll(".fs-now").forEach((node) => node.classList.remove("fs-now"));
    this.#opened = at;
    const names = this.#names(steps);
    if (names.join() !== this.#arranged) this.#arrange(steps);
    const told = arithmetic(steps, at.name, at.row, at.column);
    this.sheet.write(told, steps.head, at.name === "weights" ? at.column : -1);
    const lit = new Map(told.lit.map((what) => [what.name, what]));
    const litIn = (/** @type {string} */ name) => lit.get(name) ?? (name === at.name ? at : null);
    for (const name of names) {
      const shown = this.#table(name);
      shown.light(litIn(name));
      if (!shown.table.querySelector('td[tabindex="0"]')) shown.table.querySelector("td")?.setAttribute("tabindex", "0");
    }
    this.#cell(at)?.classList.add("fs-open");
    for (const [name, thumbnail] of this.#thumbnails) thumbnail.light(litIn(name));
    if (!reveal) return;
    for (const name of names) { // after all that is written: it asks for the layout
      const what = litIn(name);
      if (what) this.#table(name).reveal(what.row, what.column);
    }
  }

  /** Marks what a walk through the open cell's arithmetic multiplies now; at its end, the cell where the result lands. */
  #walkTo(/** @type {number} */ term) {
    if (!this.steps || !this.#opened) return;
    const { name, row, column } = this.#opened;
    this.stage.querySelectorAll(".fs-now").forEach((node) => node.classList.remove("fs-now"));
    this.#cell(this.#opened)?.classList.toggle("fs-landed", term < 0);
    if (term < 0) return;
    for (const { name: source, row: line = term, column: place = term } of arithmetic(this.steps, name, row, column).lit) {
      this.#cell({ name: source, row: line, column: place })?.classList.add("fs-now");
      if (this.#tables.get(source)?.cells[line]?.[place]) this.#table(source).reveal(line, place);
    }
  }

  // --- the keyboard

  /**
   * @param {KeyboardEvent} event
   * @param {boolean} follow
   */
  #moveStep(event, follow) {
    /** @type {Record<string, number | undefined>} */
    const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -PATH.length, End: PATH.length };
    const by = moves[event.key];
    if (!by) return;
    event.preventDefault();
    const at = PATH.indexOf(this.#step) + by;
    this.#set({ step: PATH[Math.min(Math.max(at, 0), PATH.length - 1)].name });
    if (follow) this.tabs[PATH.indexOf(this.#step)].focus();
  }

  #moveCell(/** @type {KeyboardEvent} */ event) {
    const at = cellAt(event);
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.sheet.node.focus({ preventScroll: true });
    }
    const by = arrow(event.key);
    if (!by) return;
    event.preventDefault();
    this.#cell({ name: at.name, row: at.row + by[0], column: at.column + by[1] })?.focus();
  }
}

/** Where the cell is that an event came from; undefined where it came from none. */
function cellAt(/** @type {Event} */ event) {
  /** @type {import("../views/matrix-table.js").CellNode | null | undefined} */
  const cell = targetOf(event).closest?.("td");
  return cell?.at;
}

const legend = () =>
  h("p", { class: "fs-legend" }, h("span", { class: "fs-scale", "aria-hidden": "true" }),
    "Blue is negative, red is positive, blank is zero; the colour is strongest at the matrix’s largest number. ",
    h("span", { class: "fs-scale fs-shares", "aria-hidden": "true" }), "Weights: blank 0, full 1. Tables round to two digits, the arithmetic to four.");
