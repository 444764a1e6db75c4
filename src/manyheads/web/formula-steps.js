// <formula-steps>: every matrix of multi-head attention for the reader's sentence, every cell open to its arithmetic.
// One renderer with two doors, as head-map.js: the default export is for kernels (Python computes), the custom element
// for pages (models.js and formula-model.js compute). The build makes one module without imports of this file and those
// it names. Nothing touches the DOM while it loads.

import { announce, arrow, fill, h, setText } from "./dom.js";
import { MADE_BY, MATRICES, STEPS, arithmetic, axisName, decodeSteps, matrix, rowOf, written } from "./formula-arithmetic.js";
import { equation, math, mathOf, sub, symbol } from "./formula-mathml.js";
import { openDoor } from "./kernel-door.js";
import { HEAD_COLOURS, readable } from "./maps.js";
import { MatrixTable, Thumbnail } from "./matrix-table.js";
import { dressPage, whenSeenOrTouched, withResolvers } from "./page-element.js";

// -------------------------------------------------------------------------------------------------- the view

const TOGGLES = { causal: "Causal mask", padding: "Padding", unscaled: "No scaling" };
let instances = 0;

const whenIdle = (todo) => (globalThis.requestIdleCallback ?? setTimeout)(todo);
const cancelIdle = (handle) => (globalThis.cancelIdleCallback ?? clearTimeout)(handle);

/**
 * The controls, the path and the matrices of one step inside `root`. `change(state, names)` is called when the reader
 * changed the named parts of the state; `painted(steps)` after every repaint. `types` says whether the sentence can be
 * another one, `computes` whether the head and the formula can.
 */
export class FormulaStepsView {
  constructor(root, state, { change, painted = () => {}, types = true, computes = true }) {
    this.state = { sentence: "", head: 0, word: 0, step: "X", causal: false, padding: false, unscaled: false };
    Object.assign(this, { change, painted, types, computes, steps: null, opened: null, pinned: null });
    this.id = `formula-steps-${++instances}`;
    this.tables = new Map();
    this.thumbnails = new Map();
    root.replaceChildren(...this.#controls(), this.#path(), this.#panel(), this.#footer());
    this.update(state);
  }

  /** Takes over parts of the state that changed elsewhere, and repaints what it has. */
  update(state) {
    const moved = ["step", "word", "head"].some((part) => part in state && state[part] !== this.state[part]);
    Object.assign(this.state, state);
    if (!STEPS.some(({ name }) => name === this.state.step)) this.state.step = "X";
    if (this.sentence.value !== this.state.sentence) this.sentence.value = this.state.sentence;
    for (const [name, box] of Object.entries(this.toggles)) box.checked = this.state[name];
    if (moved) this.pinned = null;
    if (this.steps) this.#draw();
  }

  show(steps) {
    this.steps = steps;
    this.#draw();
  }

  /** Tells the reader how things stand; `retry`, if given, is what the "Try again" button does. */
  say(text, retry) {
    const told = [text, ...(this.steps?.notes ?? [])].join(" ");
    if (this.status.firstChild?.textContent !== told || retry)
      this.status.replaceChildren(told, ...(retry ? [" ", h("button", { type: "button", onclick: retry }, "Try again")] : []));
  }

  #set(state) {
    this.update(state);
    this.change(this.state, Object.keys(state));
  }

  #go(by) {
    const next = STEPS[STEPS.findIndex(({ name }) => name === this.state.step) + by];
    if (next) this.#set({ step: next.name });
  }

  #controls() {
    this.sentence = h("input", { type: "text", class: "hm-sentence", "aria-label": "Sentence", placeholder: "Type a sentence",
      autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      oninput: (event) => this.#set({ sentence: event.target.value }) });
    const chooser = (key, label) =>
      h("select", { "aria-label": label, onchange: (event) => this.#set({ [key]: Number(event.target.value) }) });
    this.head = chooser("head", "Head");
    this.word = chooser("word", "Word");
    this.toggles = Object.fromEntries(Object.keys(TOGGLES).map((name) =>
      [name, h("input", { type: "checkbox", onchange: (event) => this.#set({ [name]: event.target.checked }) })]));
    const field = (label, box) => h("label", { class: "hm-field" }, `${label} `, box);
    const toggles = Object.entries(this.toggles).map(([name, box]) => h("label", { class: "hm-field" }, box, TOGGLES[name]));
    const tools = h("div", { class: "hm-tools" }, field("Word", this.word));
    if (this.computes) {
      tools.prepend(field("Head", this.head));
      tools.append(h("fieldset", { class: "fs-toggles", "aria-label": "Change the formula" }, ...toggles));
    }
    return this.types ? [h("div", {}, this.sentence), tools] : [tools];
  }

  #path() {
    this.tabs = STEPS.map((step, index) => {
      const pictures = step.results.map((name) => {
        this.thumbnails.set(name, new Thumbnail(name));
        return this.thumbnails.get(name).canvas;
      });
      return h("button", { type: "button", role: "tab", id: `${this.id}-${step.name}`, "aria-controls": `${this.id}-step`,
        onclick: () => this.#set({ step: step.name }) },
        h("span", { class: "fs-thumbs" }, ...pictures), h("span", {}, `${index + 1} ${step.label}`));
    });
    return h("div", { class: "fs-path", role: "tablist", "aria-label": "Steps", onkeydown: (event) => this.#moveStep(event) }, ...this.tabs);
  }

  #panel() {
    this.back = h("button", { type: "button", class: "fs-go", onclick: () => this.#go(-1) }, "← Back");
    this.next = h("button", { type: "button", class: "fs-go", onclick: () => this.#go(1) }, "Next →");
    this.title = h("p", { class: "fs-title" });
    this.equation = h("div", { class: "fs-equation", tabindex: 0, role: "group", "aria-label": "Equation" });
    this.says = h("p", { class: "fs-says" });
    this.shapes = h("p", { class: "fs-shapes" });
    this.sources = h("div", { class: "fs-sources" });
    this.results = h("div", { class: "fs-results" });
    const nearest = (event) => event.target.closest?.("td")?.at;
    this.stage = h("div", { class: "fs-stage",
      onkeydown: (event) => this.#moveCell(event),
      onfocusin: (event) => nearest(event) && this.#pin(event.target),
      onfocusout: (event) => event.target.removeAttribute("aria-label"),
      onpointerover: (event) => event.pointerType === "mouse" && nearest(event) && this.#open(nearest(event)),
      onpointerleave: () => this.pinned && this.#open(this.pinned),
    }, this.sources, this.results);
    this.asks = h("p", { class: "fs-asks", id: `${this.id}-asks`, "aria-live": "polite" });
    this.terms = h("table", { class: "fs-terms" }, h("thead", {}, h("tr", {}, h("th"))), h("tbody"));
    this.sums = h("p", { class: "fs-sums", id: `${this.id}-sums`, "aria-live": "polite" });
    this.sheet = h("div", { class: "fs-arithmetic", role: "region", "aria-label": "Arithmetic", tabindex: -1,
      onkeydown: (event) => event.key === "Escape" && this.#cell(this.opened)?.focus({ preventScroll: true }) },
    this.asks, h("div", { class: "hm-scroll", tabindex: 0, role: "group", "aria-label": "Terms" }, this.terms), this.sums);
    return this.panel = h("div", { class: "fs-step", role: "tabpanel", id: `${this.id}-step`,
      onkeydown: (event) => event.target.classList.contains("fs-go") && this.#moveStep(event, false) },
    h("div", { class: "fs-bar" }, this.title, h("span", {}, this.back, " ", this.next)),
    this.equation, this.says, this.shapes, this.stage, this.sheet);
  }

  #footer() {
    this.status = h("p", { role: "status", class: "hm-status" });
    return h("div", {},
      h("p", { class: "fs-legend" }, h("span", { class: "fs-scale", "aria-hidden": "true" }),
        "Blue is negative, red positive, blank zero; strongest at the matrix’s largest number. ",
        h("span", { class: "fs-scale fs-shares", "aria-hidden": "true" }), "Weights: blank 0, full 1. Tables round to two digits, the arithmetic to four."),
      this.status);
  }

  // --- painting

  #draw() {
    const { steps, state } = this;
    state.head = Math.min(state.head, steps.headNames.length - 1);
    state.word = Math.min(state.word, steps.tokens.length - 1);
    this.#options(this.head, steps.headNames, state.head);
    this.#options(this.word, steps.tokens.map(readable), state.word);
    this.panel.style.setProperty("--head", HEAD_COLOURS[steps.head % HEAD_COLOURS.length]);
    for (const thumbnail of this.thumbnails.values()) thumbnail.paint(steps);
    this.#drawStep();
    this.pinned = this.#valid(this.pinned) ?? this.#first();
    this.#open(this.#valid(this.pinned), this.drawn !== state.step || this.drawnWord !== state.word);
    [this.drawn, this.drawnWord] = [state.step, state.word];
    this.painted(steps);
    cancelIdle(this.idle);
    this.idle = whenIdle(() => this.flush());
  }

  /** Paints what is out of view, at once; else it waits until the browser has nothing better to do. */
  flush() {
    for (const table of this.tables.values()) table.flush();
  }

  #options(select, names, chosen) {
    const options = fill(select, names.length, (index) => h("option", { value: index }));
    names.forEach((name, index) => setText(options[index], name));
    select.value = chosen;
  }

  /** The cell that is open before the reader opens one: of the chosen word, the one with the largest number. */
  #first() {
    const [name] = this.#step.results;
    const [rows, columns] = matrix(this.steps, name).shape;
    const row = Math.min(this.state.word, rows - 1);
    const values = rowOf(matrix(this.steps, MATRICES[name].columns === "words" ? "weights" : name), row);
    return { name, row, column: Math.min(values.indexOf(Math.max(...values)), columns - 1) };
  }

  #valid(cell) {
    const shape = cell && matrix(this.steps, cell.name)?.shape;
    return shape && cell.row < shape[0] && cell.column < shape[1] && this.#names().includes(cell.name) ? cell : null;
  }

  get #step() {
    return STEPS.find(({ name }) => name === this.state.step);
  }

  /** The matrices on display; the learnt one of the projections is that of the open cell. */
  #names() {
    const { sources, results } = this.#step;
    const made = MADE_BY[this.opened?.name]?.[0] ?? this.opened?.name;
    const learnt = ["Wk", "Wv"].includes(made) ? made : "Wq";
    return [...sources.map((name) => (name === "W" ? learnt : name)), ...results].filter((name) => matrix(this.steps, name));
  }

  #table(name) {
    if (!this.tables.has(name)) this.tables.set(name, new MatrixTable(name));
    return this.tables.get(name);
  }

  #drawStep() {
    const { steps, state } = this;
    const step = this.#step;
    const index = STEPS.indexOf(step);
    this.tabs.forEach((tab, place) => {
      tab.ariaSelected = String(place === index);
      tab.tabIndex = place === index ? 0 : -1;
    });
    this.panel.setAttribute("aria-labelledby", this.tabs[index].id);
    this.back.disabled = index === 0;
    this.next.disabled = index === STEPS.length - 1;
    setText(this.title, step.title);
    setText(this.says, step.says);
    const { biased } = steps;
    const key = `${step.name} ${steps.head} ${biased} ${steps.scaled}`;
    if (this.written !== key) {
      this.written = key;
      this.equation.innerHTML = equation(step.name, { head: steps.head, heads: steps.headNames.length, biased, scaled: steps.scaled });
    }
    this.stage.dataset.step = state.step;
    this.#arrange();
  }

  /** Puts the step's tables into the stage, painted, and their shapes into words. */
  #arrange() {
    const names = this.#names();
    const { results } = this.#step;
    for (const name of names) this.#table(name).measure();
    for (const [box, wanted] of [[this.sources, names.filter((name) => !results.includes(name))], [this.results, results]]) {
      const figures = wanted.map((name) => this.#table(name).figure);
      if (figures.length !== box.childElementCount || figures.some((figure, place) => box.children[place] !== figure))
        box.replaceChildren(...figures);
      for (const name of wanted) this.#table(name).paint(this.steps);
    }
    const size = (name) => `${symbol(name, this.steps.head)} ${matrix(this.steps, name).shape.join(" × ")}`;
    const { tokens, headNames, X, Q } = this.steps;
    const words = `${mathOf("n")} = ${tokens.length} words and marks, ${mathOf("d")} = ${X.shape[1]}, ${mathOf("h")} = ${headNames.length}, `
      + `${math(sub("d", "k"), false)} = ${Q.shape[1]}`;
    const text = `${names.filter((name) => !results.includes(name)).map(size).join(", ")}${names.length > results.length ? " → " : ""}`
      + `${results.map(size).join(", ")}; ${words}`;
    if (this.shaped !== text) this.shapes.innerHTML = this.shaped = text;
  }

  // --- the open cell

  #cell(at) {
    return at && this.tables.get(at.name)?.cells[at.row]?.[at.column]?.node;
  }

  #pin(node) {
    this.pinned = { ...node.at };
    this.#open(this.pinned, true);
    const { name, row, column } = node.at;
    const [from, to] = [axisName(this.steps, name, "rows", row), axisName(this.steps, name, "columns", column)];
    node.ariaLabel = `${MATRICES[name].words}, ${from}, ${to}: ${node.textContent}`;
    node.setAttribute("aria-describedby", `${this.id}-asks ${this.id}-sums`);
    const table = this.#table(name);
    table.table.querySelector('td[tabindex="0"]')?.setAttribute("tabindex", -1);
    node.setAttribute("tabindex", 0);
  }

  /** Writes out the cell's arithmetic and lights what it was made of. */
  #open(at, reveal = false) {
    this.#cell(this.opened)?.classList.remove("fs-open");
    this.opened = at;
    if (this.#step.sources.includes("W")) this.#arrange();
    const { rows, columns, title, results, lit } = arithmetic(this.steps, at.name, at.row, at.column);
    this.asks.innerHTML = symbol(at.name, this.steps.head);
    this.asks.append(` ${title[0].toUpperCase()}${title.slice(1)}`);
    this.#write(rows, columns, MATRICES[at.name].shares ? at.column : -1);
    this.sums.replaceChildren(...results.map(([words, value]) => h("span", {}, `${words} = `, h("b", {}, written(value)))));
    const sources = new Map(lit.map((what) => [what.name, what]));
    for (const name of this.#names()) {
      const what = sources.get(name) ?? (name === at.name ? { row: at.row, column: at.column } : null);
      this.#table(name).light(what);
      const table = this.#table(name).table;
      if (!table.querySelector('td[tabindex="0"]')) table.querySelector("td")?.setAttribute("tabindex", 0);
      if (reveal && what) this.#table(name).reveal(what.row, what.column);
    }
    this.#cell(at)?.classList.add("fs-open");
    for (const [name, thumbnail] of this.thumbnails)
      thumbnail.light(sources.get(name) ?? (name === at.name ? at : null));
  }

  #write(rows, columns, marked) {
    this.terms.parentNode.hidden = rows.length === 0;
    const heads = fill(this.terms.tHead.rows[0], columns.length + 1, () => h("th", { scope: "col" }));
    columns.forEach((column, index) => setText(heads[index + 1], column));
    const lines = fill(this.terms.tBodies[0], rows.length, () => h("tr", {}, h("th", { scope: "row" })));
    rows.forEach(({ label, values }, line) => {
      setText(lines[line].firstChild, label);
      const cells = fill(lines[line], columns.length + 1, () => h("td"));
      for (let index = 0; index < columns.length; index++) {
        setText(cells[index + 1], written(values[index]));
        cells[index + 1].classList.toggle("fs-lit", index === marked);
      }
    });
  }

  // --- the keyboard

  #moveStep(event, follow = true) {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -STEPS.length, End: STEPS.length }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = STEPS.indexOf(this.#step);
    this.#set({ step: STEPS[Math.min(Math.max(at + by, 0), STEPS.length - 1)].name });
    if (follow) this.tabs[STEPS.indexOf(this.#step)].focus();
  }

  #moveCell(event) {
    const at = event.target.at;
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.sheet.focus({ preventScroll: true });
    }
    const by = arrow(event.key);
    const next = by && this.#cell({ name: at.name, row: at.row + by[0], column: at.column + by[1] });
    if (by) event.preventDefault();
    if (next) next.focus();
  }
}

// -------------------------------------------------------------------------------- the first door: kernels

const TRAITS = { sentence: "sentence", head: "head", word: "word", step: "step", causal: "causal", padding: "padding", unscaled: "unscaled" };

function render({ model, el }) {
  const root = el.appendChild(h("div", { class: "head-map formula-steps" }));
  return openDoor(model, TRAITS, ["_steps"], {
    make: (state, change) => new FormulaStepsView(root, state, {
      change, types: model.get("_types"), painted: (steps) => announce(el, "steps", steps),
    }),
    show(view) { // what is learnt comes apart from the steps, once
      view.show(decodeSteps({ ...model.get("_steps"), parameters: model.get("_parameters") }));
      view.say(model.get("_status"));
    },
  });
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const FLAGS = ["causal", "padding", "unscaled"];
const ATTRIBUTES = ["model", "sentence", "head", "word", "step", ...FLAGS];

function defineElement() {
  class FormulaStepsElement extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    #view;
    #engine = null;
    #loading = null;
    #ready = withResolvers();

    /** Fulfilled once the element computes for itself; asking for it starts the loading. */
    get ready() {
      this.#start();
      return this.#ready.promise;
    }

    /** All matrices on the path: {tokens, head, X, Q, K, V, scores, masked, weights, context, concat, output, ...}. */
    get steps() {
      return this.#view?.steps ?? null;
    }

    /** Paints the cells out of view now; they follow by themselves as soon as the browser is idle. */
    flush() {
      this.#view?.flush();
    }

    get sentence() {
      return this.#view?.state.sentence ?? this.getAttribute("sentence") ?? "";
    }

    set sentence(text) {
      this.setAttribute("sentence", text);
    }

    connectedCallback() {
      if (this.#view) return;
      dressPage("head-map.css", "formula-steps.css");
      const baked = this.querySelector('script[type="application/json"]');
      this.classList.add("head-map", "formula-steps");
      const status = this.querySelector(".hm-status")?.textContent ?? "";
      const live = this.hasAttribute("model");
      this.#view = new FormulaStepsView(this, this.#attributes(), {
        types: live,
        computes: live,
        change: (_, names) => names.some((name) => ["sentence", "head", ...FLAGS].includes(name)) && this.#compute(),
        painted: (steps) => announce(this, "steps", steps),
      });
      if (baked) this.#view.show(decodeSteps(JSON.parse(baked.textContent)));
      if (!live) {
        this.#view.say(status);
        return this.#ready.resolve();
      }
      this.#view.say("This is a computed example. The model loads when you touch a control.");
      whenSeenOrTouched(this, () => this.#start());
    }

    attributeChangedCallback(name) {
      if (!this.#view) return;
      if (name === "model") this.#engine = this.#loading = null;
      this.#view.update(this.#attributes());
      this.#compute();
    }

    #attributes() {
      const state = {};
      for (const name of ["sentence", "step"]) if (this.hasAttribute(name)) state[name] = this.getAttribute(name);
      for (const name of ["head", "word"]) if (this.hasAttribute(name)) state[name] = Number(this.getAttribute(name)) || 0;
      for (const name of FLAGS) state[name] = this.hasAttribute(name);
      return state;
    }

    #start() {
      if (this.hasAttribute("model") && !this.#loading) this.#compute();
    }

    /** What turns a state into steps; progress goes to the status line. */
    async #load(name) {
      const beside = (module) => import(new URL(`./${module}`, import.meta.url));
      const [{ loadModel }, { stepsOf }] = await Promise.all([beside("models.js"), beside("formula-model.js")]);
      return stepsOf(await loadModel(name, (done, total) =>
        this.#view.say(`Loading the model: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB.`)));
    }

    /** Computes and shows the steps of the present state; the last keystroke wins. */
    async #compute() {
      if (!this.#engine) {
        if (this.#loading) return; // whoever waits for it computes what is wanted then
        this.#view.say("Loading the model.");
        const loading = (this.#loading = this.#load(this.getAttribute("model")));
        try {
          const engine = await loading;
          if (loading !== this.#loading) return;
          this.#engine = engine;
        } catch (error) {
          if (loading !== this.#loading) return;
          this.#loading = null;
          this.#view.say(`The model could not be loaded: ${error.message} What you see stays.`, () => this.#compute());
          return;
        }
      }
      // No await on this path: with the model loaded, all is repainted before the keystroke's event returns.
      this.#view.show(this.#engine(this.#view.state));
      this.#view.say("Ready: computed in this page as you type.");
      this.#ready.resolve();
    }
  }

  customElements.define("formula-steps", FormulaStepsElement);
}

if (globalThis.customElements && !customElements.get("formula-steps")) defineElement();
