// <head-map>: what every head looks at, live. One renderer with two doors: the default export is for kernels
// (anywidget; Python computes), the custom element is for pages (models.js computes). The build makes one module without
// imports of this file and those it names, so that a notebook needs no bundler and a page asks for one file. Nothing
// touches the DOM while it loads, so that Node can test the parts.

import { announce, arrow, fill, focusOn, h, setText, setValue } from "./dom.js";
import { openDoor } from "./kernel-door.js";
import { decodeMap, headColour, likeliest, modelLabel, percent, readable, shownMap } from "./maps.js";
import { dressPage, whenSeenOrTouched, withResolvers } from "./page-element.js";
import { shareMenu } from "./share-menu.js";
import { frameFor, linkedState, linkTo, maskOf, OPTIONS, readPart, START, tagFor, WRITTEN, writeState } from "./state.js";
import { GridView } from "./view-grid.js";
import { LinesView } from "./view-lines.js";
import { MatrixView } from "./view-matrix.js";
import { PaintView } from "./view-paint.js";

// -------------------------------------------------------------------------------------------------- the view

const COMPUTED = ["sentence", "compare", "headMask", "model"]; // the parts of the state that a map depends on
const VIEWS = { paint: PaintView, matrix: MatrixView, grid: GridView, lines: LinesView };
const CHOICES = { special: "Special tokens", heads: "Heads", layers: "Layers" }; // what is shown of a map depends on these
const LONG = 90; // tokens; beyond, matrices become pictures
let instances = 0;

/**
 * The controls and the map inside `root`. `change(state, names)` is called when the reader changed the named parts
 * of the state; `painted(map)` after every repaint. `models` are the names a slider runs over; `computes` says
 * whether anybody can compute a new map (a map of somebody's own attentions can only be looked at). `copies` are the texts
 * that its menu can copy: {name: () => text}.
 */
export class HeadMapView {
  constructor(root, state, { change, painted = () => {}, models = [], computes = true, copies = {} }) {
    this.state = { ...START };
    Object.assign(this, { change, painted, models, computes, map: null, compared: null, shown: null, baseline: null });
    this.id = `head-map-${++instances}`;
    this.toggles = [];
    this.barName = h("span");
    this.bar = h("div", { class: "hm-heads", hidden: true }, this.barName);
    this.stage = h("div", { class: "hm-stage", onkeydown: moveFocus });
    root.replaceChildren(...this.#controls(copies), this.bar, this.stage, ...this.#footer());
    this.update(state);
  }

  /** Takes over parts of the state; repaints the map it has, unless a part changed that calls for another map. */
  update(state) {
    const stale = Object.keys(state).some((key) => COMPUTED.includes(key) && state[key] !== this.state[key]);
    if (Object.keys(CHOICES).some((key) => key in state && state[key] !== this.state[key])) this.shown = null;
    Object.assign(this.state, state);
    const { sentence, compare, view, model } = this.state;
    setValue(this.sentence, sentence);
    setValue(this.compare, compare ?? "");
    this.compareRow.hidden = compare === null;
    this.comparer.ariaExpanded = String(compare !== null);
    setText(this.comparer, compare === null ? "Compare" : "Stop comparing");
    for (const radio of this.views) radio.checked = radio.value === view;
    for (const name of Object.keys(CHOICES)) setValue(this.choices[name].select, this.state[name]);
    setValue(this.model, String(model));
    setText(this.modelName, modelLabel(this.models[model] ?? ""));
    if (!this.map) return;
    if (stale) this.#drawToggles();
    else this.#draw();
  }

  /** Shows a map and, where two sentences are compared, the second one's. */
  show(map, compared = null) {
    Object.assign(this, { map, compared, shown: null });
    this.#draw();
  }

  /** Tells the reader how things stand; `action` is what a button after the text does. */
  say(text, action = null, name = "Try again") {
    this.said = [text, action, name];
    const tokens = this.map?.keyTokens.length ?? 0;
    const long = `This text is long (${tokens} tokens): large matrices are pictures, and only the strongest lines are drawn.`;
    const maps = [this.map, this.compared, this.shown?.map].filter(Boolean);
    const notes = new Set(maps.flatMap((map) => map.notes ?? []));
    const told = [text, ...notes, ...(tokens > LONG ? [long] : [])].join(" ");
    const button = this.status.querySelector("button");
    if (button && action && button.textContent === name) {
      button.onclick = action;
      setText(this.status.firstChild, `${told} `);
    } else if (this.status.textContent !== told || button || action) {
      const next = action ? [`${told} `, h("button", { type: "button" }, name)] : [told];
      this.status.replaceChildren(...next);
      if (action) next[1].onclick = action;
    }
  }

  // --- what the views ask for

  /** The reader chose parts of the state. */
  set(state) {
    this.update(state);
    this.change(this.state, Object.keys(state));
  }

  /** The place of the asking token among those shown. */
  get asked() {
    return Math.max(this.shown.map.queries.indexOf(this.state.query), 0);
  }

  /** How a head is drawn: in which colour, whether it is off, whether special tokens are dimmed. */
  look(map, layer, head) {
    const off = !map.mixed && !this.#isOn(layer, head);
    return { colour: headColour(map, head), off, dim: this.dim };
  }

  /** Whether special tokens are dimmed. */
  get dim() {
    return this.state.special === "dim";
  }

  dress(node, layer, head) {
    const { colour, off } = this.look(this.shown.map, layer, head);
    node.style.setProperty("--head", colour);
    node.classList.toggle("hm-off", off);
  }

  /** Puts a head's name, which is its switch where heads are shown one by one, into `place`. */
  placeName(place, head) {
    const { mixed, headNames } = this.shown.map;
    if (!mixed) {
      if (place.firstChild !== this.toggles[head]) place.replaceChildren(this.toggles[head]);
      return;
    }
    if (!place.firstChild || place.firstChild.tagName === "BUTTON") place.replaceChildren(h("span", { class: "hm-head" }));
    setText(place.firstChild, headNames[head]);
  }

  // --- controls

  #controls(copies) {
    const box = (key, label, placeholder) =>
      h("input", { type: "text", class: "hm-sentence", "aria-label": label, placeholder, autocomplete: "off",
        autocapitalize: "off", spellcheck: "false", oninput: (event) => this.set({ [key]: event.target.value }) });
    const chooser = (key, label, read) => {
      const select = h("select", { "aria-label": label, onchange: (event) => this.set({ [key]: read(event.target.value) }) });
      return { select, field: h("label", { class: "hm-field" }, `${label} `, select) };
    };
    this.sentence = box("sentence", "Sentence", "Type a sentence");
    this.compare = box("compare", "Compare with", "Type a second sentence");
    this.compareRow = h("div", {}, this.compare);
    this.views = Object.keys(VIEWS).map((view) =>
      h("input", { type: "radio", name: `${this.id}-view`, value: view, onchange: () => this.set({ view }) }));
    this.query = chooser("query", "Asked by", Number);
    this.layer = chooser("layer", "Layer", Number);
    this.head = chooser("head", "Head", (value) => (value === "all" ? null : Number(value)));
    this.choices = {};
    for (const [name, label] of Object.entries(CHOICES)) {
      this.choices[name] = chooser(name, label, String);
      fillOptions(this.choices[name], OPTIONS[name], OPTIONS[name], this.state[name]);
    }
    this.comparer = h("button", { type: "button", class: "hm-comparer", "aria-expanded": "false",
      onclick: () => this.set({ compare: this.state.compare === null ? this.state.sentence : null }) });
    this.model = h("input", { type: "range", min: 0, max: Math.max(this.models.length - 1, 0), "aria-label": "Model",
      oninput: (event) => this.set({ model: Number(event.target.value) }) });
    this.modelName = h("span", { class: "hm-model-name" });
    const capital = (word) => word[0].toUpperCase() + word.slice(1);
    const tools = h("div", { class: "hm-tools" },
      h("fieldset", { class: "hm-views", "aria-label": "View" },
        ...this.views.map((radio) => h("label", {}, radio, h("span", {}, capital(radio.value))))),
      this.query.field, this.layer.field, this.head.field);
    if (this.models.length > 1) tools.append(h("label", { class: "hm-field hm-model" }, "Model ", this.model, this.modelName));
    const more = h("div", { class: "hm-tools" }, ...Object.values(this.choices).map(({ field }) => field));
    if (this.computes) (this.models.length > 1 ? more : tools).append(this.comparer); // each row on one line of a wide page
    more.append(shareMenu(this, copies));
    if (!this.computes) return [tools, more];
    return [h("div", {}, this.sentence), this.compareRow, tools, more];
  }

  #footer() {
    this.predictions = h("dl", { class: "hm-predictions", "aria-label": "Predictions" });
    this.status = h("p", { role: "status", class: "hm-status" });
    return [this.predictions, this.status];
  }

  // --- painting

  #draw() {
    const { map, state } = this;
    const [layers, heads, queries, keys] = map.shape;
    state.layer = Math.min(state.layer, layers - 1);
    state.query = Math.min(state.query, queries - 1);
    if (state.head !== null) state.head = Math.min(state.head, heads - 1);
    this.shown ??= { map: shownMap(map, state), compared: this.compared && shownMap(this.compared, state) };
    const shown = this.shown.map;
    fillOptions(this.query, shown.queryTokens.map(readable), shown.queries, shown.queries[this.asked]);
    fillOptions(this.layer, Array.from({ length: layers }, (_, layer) => layer + 1), [...Array(layers).keys()], state.layer);
    fillOptions(this.head, ["all", ...map.headNames], ["all", ...map.headNames.keys()], state.head ?? "all");
    this.layer.field.hidden = layers === 1;
    this.head.field.hidden = state.view !== "lines" || shown.mixed;
    this.choices.heads.field.hidden = heads === 1 || (state.layers === "rollout" && layers > 1);
    this.choices.layers.field.hidden = layers === 1 || queries !== keys;
    if (this.drawn !== state.view) {
      this.view?.leave?.();
      this.stage.replaceChildren();
      this.view = new (VIEWS[state.view] ?? PaintView)(this.stage, this);
      this.drawn = state.view;
    }
    this.#drawToggles();
    this.stage.classList.toggle("hm-dim", this.dim);
    this.view.draw(shown, this.shown.compared);
    for (const table of this.stage.querySelectorAll("table"))
      if (!table.querySelector('td[tabindex="0"]')) table.querySelector("td[data-weight]")?.setAttribute("tabindex", 0);
    this.#drawPredictions();
    if (this.said) this.say(...this.said);
    this.painted(map);
  }

  /** One toggle per head, kept over repaints so that it never loses the focus; the view or, else, the bar places them. */
  #drawToggles() {
    const { map, state, bar } = this;
    const heads = map.shape[1];
    this.toggles.length = Math.min(this.toggles.length, heads);
    while (this.toggles.length < heads) {
      const head = this.toggles.length;
      this.toggles.push(this.computes
        ? h("button", { type: "button", class: "hm-head", onclick: () => this.#toggle(head) })
        : h("span", { class: "hm-head" }));
    }
    this.toggles.forEach((toggle, head) => {
      setText(toggle, map.headNames[head]);
      toggle.style.setProperty("--head", headColour(map, head));
      if (!this.computes) return;
      toggle.ariaLabel = map.headNames[head];
      toggle.ariaPressed = String(this.#isOn(state.layer, head));
    });
    bar.hidden = !this.computes || Boolean(this.view?.placesToggles && !this.shown?.map.mixed);
    setText(this.barName, map.shape[0] > 1 ? `Heads of layer ${state.layer + 1}` : "Heads");
    if (!bar.hidden && (bar.childElementCount !== heads + 1 || this.toggles.some(({ parentElement }) => parentElement !== bar)))
      bar.replaceChildren(this.barName, ...this.toggles);
  }

  #isOn(layer, head) {
    return this.state.headMask?.[layer]?.[head] ?? true;
  }

  #toggle(head) {
    const [layers, heads] = this.map.shape;
    const mask = Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, index) => this.#isOn(layer, index)));
    mask[this.state.layer][head] = !mask[this.state.layer][head];
    this.set({ headMask: mask.flat().every(Boolean) ? null : mask });
  }

  /** The likeliest label of each prediction and, when heads are off, what it was with all of them on. */
  #drawPredictions() {
    const { map, state } = this;
    const key = `${state.model} ${state.sentence}`;
    if (!state.headMask) this.baseline = { key, predictions: map.predictions };
    const before = state.headMask && this.baseline?.key === key ? this.baseline.predictions : {};
    const names = Object.keys(map.predictions ?? {});
    this.predictions.hidden = names.length === 0;
    const items = fill(this.predictions, names.length, () => h("div", {}, h("dt"), h("dd", {}, h("b"), h("span"), h("meter", { max: 1 }), h("small"))));
    names.forEach((name, index) => {
      const [label, probability] = likeliest(map.predictions[name]);
      const [term, value] = items[index].children;
      const [best, share, meter, was] = value.children;
      const head = map.headNames.indexOf(name);
      if (head >= 0) {
        items[index].style.setProperty("--head", headColour(map, head));
        items[index].classList.toggle("hm-off", !this.#isOn(state.layer, head));
      }
      items[index].dataset.prediction = name;
      setText(term, name);
      setText(best, label);
      setText(share, percent(probability));
      meter.value = probability;
      meter.ariaLabel = `${name}: ${label}`;
      const [wasLabel, wasProbability] = before[name] ? likeliest(before[name]) : [];
      setText(was, wasLabel ? `all heads on: ${wasLabel} ${percent(wasProbability)}` : "");
    });
  }
}

/** Arrow keys move between the cells of a table, which is one tab stop. */
function moveFocus(event) {
  const step = arrow(event.key);
  const cell = event.target.closest?.("td[data-weight]");
  if (!step || !cell) return;
  const rows = [...cell.closest("table").querySelectorAll("tr:has(td)")];
  const next = rows[rows.indexOf(cell.parentElement) + step[0]]?.cells[cell.cellIndex + step[1]];
  if (next?.tagName !== "TD") return;
  event.preventDefault();
  focusOn(next, cell);
}

function fillOptions({ select }, names, values, chosen) {
  const options = fill(select, names.length, () => h("option"));
  names.forEach((name, index) => {
    setText(options[index], String(name));
    setValue(options[index], String(values[index]));
  });
  setValue(select, String(chosen));
}

// -------------------------------------------------------------------------------- the first door: kernels

const TRAITS = { sentence: "sentence", compare: "compare", view: "view", layer: "layer", head: "head",
  query: "query", headMask: "head_mask", model: "model_index", special: "special", heads: "heads", layers: "layers" };

function render({ model, el }) {
  const root = el.appendChild(h("div", { class: "head-map" }));
  return openDoor(model, TRAITS, ["_attention", "_compared"], {
    make: (state, change) => new HeadMapView(root, state, {
      change, models: model.get("_models"), computes: model.get("_computes"), painted: (map) => announce(el, "attention", map),
    }),
    show(view) {
      const [map, compared] = [model.get("_attention"), model.get("_compared")];
      view.show(decodeMap(map), compared && decodeMap(compared));
      view.say(model.get("_status"));
    },
  });
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const ATTRIBUTES = ["model", "models", ...WRITTEN];
const ASKED_FOR = ["encoder"]; // models so large that they come only when the reader asks

function defineElement() {
  class HeadMapElement extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    #view;
    #baked;
    #ready = withResolvers();
    #engines = new Map();
    #wanted = 0;
    #allowed = false; // to fetch a model that is asked for
    #asking = null; // aborts the sentences that are being computed
    #example; // the sentence whose map is baked in
    #places; // what a link may call this map: its id, how many-th on the page it is
    #wish = {}; // layer, head, query and heads that are off, for a map that is still to come: the one shown may be smaller

    /** Fulfilled once the element computes for itself; asking for it starts the loading. */
    get ready() {
      this.#allowed = true;
      this.#start();
      return this.#ready.promise;
    }

    /** The map on display: {queryTokens, keyTokens, shape, weights, headNames, predictions}. */
    get attention() {
      return this.#view?.map ?? null;
    }

    get sentence() {
      return this.#view?.state.sentence ?? this.getAttribute("sentence") ?? "";
    }

    set sentence(text) {
      this.setAttribute("sentence", text);
    }

    connectedCallback() {
      if (this.#view) return;
      dressPage("head-map.css");
      const baked = this.querySelector('script[type="application/json"]');
      this.#baked = baked && decodeMap(JSON.parse(baked.textContent));
      const said = this.querySelector(".hm-status")?.textContent ?? "";
      this.classList.add("head-map");
      const maps = [...document.querySelectorAll("head-map")];
      this.#places = [...(this.id ? [this.id] : []), String(maps.indexOf(this) + 1)];
      const linked = this.#linked();
      const state = linked ?? Object.assign({}, ...ATTRIBUTES.map((name) => this.#attribute(name)));
      this.#view = new HeadMapView(this, this.#wishFor(state), {
        models: this.#models,
        computes: this.#models.length > 0,
        copies: this.#copies(),
        change: (_, names) => {
          for (const name of names) delete this.#wish[name];
          if (names.some((name) => COMPUTED.includes(name))) this.#compute();
        },
        painted: (map) => announce(this, "attention", map),
      });
      if (this.#baked) this.#view.show(this.#baked);
      addEventListener("hashchange", () => {
        const linked = this.#linked();
        if (!linked) return;
        this.#view.update(this.#wishFor(linked));
        if (this.#models.length) this.#compute();
      });
      if (!this.#models.length) {
        this.#view.say(said);
        return this.#ready.resolve();
      }
      this.#example = this.getAttribute("sentence") ?? "";
      if (this.#models.some((name) => ASKED_FOR.includes(name))) this.#view.compareRow.after(this.#view.status);
      this.#view.say("This is a computed example. The model loads when you touch a control.");
      whenSeenOrTouched(this, () => this.#start());
    }

    attributeChangedCallback(name) {
      if (!this.#view) return;
      this.#view.update(this.#wishFor(this.#attribute(name)));
      if (name === "off" || COMPUTED.includes(name)) this.#compute();
    }

    /** Keeps what can only be shown of the map to come; gives the state without the heads that are off. */
    #wishFor({ off, ...state }) {
      for (const name of ["layer", "head", "query"]) if (name in state) this.#wish[name] = state[name];
      if (off) this.#wish.headMask = off;
      return off ? { ...state, headMask: null } : state;
    }

    /** What the page's address says of this map; brings the map before the reader. */
    #linked() {
      const linked = linkedState(location.hash, this.#places);
      if (!linked) return null;
      requestAnimationFrame(() => this.scrollIntoView({ block: "nearest" }));
      return { ...linked.state, model: Math.max(this.#models.indexOf(linked.model), 0) };
    }

    /** What the menu can copy. */
    #copies() {
      const state = () => writeState(this.#view.state, this.#models[this.#view.state.model]);
      const folder = new URL("./", import.meta.url);
      const link = { link: () => linkTo(location.href, this.#places[0], state()) };
      return this.#models.length ? { ...link, tag: () => tagFor(folder, state()), frame: () => frameFor(folder, state()) } : link;
    }

    get #models() {
      return (this.getAttribute("models") ?? this.getAttribute("model") ?? "").split(/\s+/).filter(Boolean);
    }

    /** The part of the state that an attribute stands for. */
    #attribute(name) {
      return name.startsWith("model") ? {} : readPart(name, this.getAttribute(name));
    }

    #start() {
      if (this.#models.length && !this.#engines.size) this.#compute();
    }

    #loader() {
      return import(new URL("./models.js", import.meta.url)).catch(() => {
        throw new Error("a script did not arrive.");
      });
    }

    /** Offers to fetch a large model, with its size; false where nothing is missing. */
    async #offers(name, wanted) {
      const { missingBytes, whenLoaded } = await this.#loader();
      const bytes = await missingBytes(name);
      if (bytes === 0) return false;
      if (wanted !== this.#wanted) return true;
      const typed = this.#view.state.sentence !== this.#example;
      this.#view.say(typed ? `What you typed is answered once the ${name} is here.` : "This is a computed example.",
        () => this.ready, `Load the ${name} (${(bytes / 1e6).toFixed(1)} MB)`);
      whenLoaded(name).then(() => this.#start()); // at the wish of another figure
      return true;
    }

    /** The engine of the chosen model; loads it, with progress in the status line, the first time. */
    async #load(name) {
      const { loadModel } = await this.#loader();
      return loadModel(name, (done, total) =>
        this.#view.say(`Loading the model: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB.`));
    }

    /** Computes and shows the map of the present state; the last keystroke wins. */
    async #compute() {
      const name = this.#models[this.#view.state.model];
      const wanted = ++this.#wanted;
      this.#asking?.abort();
      let engine = this.#engines.get(name);
      if (engine === undefined || engine instanceof Promise) {
        try {
          if (!engine && !this.#allowed && ASKED_FOR.includes(name)) {
            if ((await this.#offers(name, wanted)) || wanted !== this.#wanted) return;
          }
          if (!engine) {
            this.#view.say("Loading the model.");
            engine = this.#load(name);
            this.#engines.set(name, engine);
          }
          engine = await engine;
          this.#engines.set(name, engine);
        } catch (error) {
          this.#engines.delete(name);
          if (wanted === this.#wanted)
            this.#view.say(`The model could not be loaded: ${error.message} What you see stays.`, () => this.#compute());
          return;
        }
        if (wanted !== this.#wanted) return;
      }
      const off = this.#wish.headMask;
      if (off) this.#view.update({ headMask: maskOf(off, engine.numLayers, engine.numHeads) });
      delete this.#wish.headMask;
      const { sentence, compare, headMask } = this.#view.state;
      const fits = !headMask || (headMask.length === engine.numLayers && headMask[0].length === engine.numHeads);
      if (!fits) this.#view.update({ headMask: null });
      this.#asking = new AbortController();
      const { signal } = this.#asking;
      const attend = (text) => (text === null ? null : engine.attend(text, this.#view.state.headMask, { signal }));
      let maps = [sentence, compare].map(attend);
      // No await where the model answers at once: the map is repainted before the keystroke's event returns.
      if (maps[0] instanceof Promise) {
        const slow = setTimeout(() => this.#view.say("Computing."), 400);
        try {
          maps = await Promise.all(maps);
        } catch (error) {
          if (engine.broken) this.#engines.delete(name); // the next try makes a new one
          if (wanted === this.#wanted)
            this.#view.say(`The map could not be computed: ${error.message} What you see stays.`, () => this.#compute());
          return;
        } finally {
          clearTimeout(slow);
        }
      }
      Object.assign(this.#view.state, this.#wish);
      this.#wish = {};
      this.#view.show(...maps);
      this.#view.say("Ready: computed in this page as you type.");
      this.#ready.resolve();
    }
  }

  customElements.define("head-map", HeadMapElement);
}

if (globalThis.customElements && !customElements.get("head-map")) defineElement();
