// <head-map>: what every head looks at, live. One renderer with two doors: the default export is for kernels
// (anywidget; Python computes), the custom element is for pages (models.js computes). No imports, so that a
// notebook needs no bundler. The module touches no DOM while it loads, so that Node can test the pure part.

// ------------------------------------------------------------------------------------------------ pure part

/** The heads' colours; the first four are the notes' own. Equal to `HEAD_COLOURS` in maps.py. */
export const HEAD_COLOURS = [
  "#8DB600", "#FF8C00", "#8D4E85", "#007FFF", "#D7263D", "#009688",
  "#B8860B", "#5B5BD6", "#8B5A2B", "#E0529C", "#4F7C8A", "#6B8E23",
];

/** Reads a map that Python wrote: weights as numbers, as bytes of float32, or as base64 of codes c for (c / 255)². */
export function decodeMap(written) {
  let { weights } = written;
  if (typeof weights === "string")
    weights = Float32Array.from(atob(weights), (char) => (char.charCodeAt(0) / 255) ** 2);
  else if (weights instanceof DataView)
    weights = new Float32Array(weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.byteLength));
  return { ...written, weights: Float32Array.from(weights) };
}

/** The weights that one query gives to all keys in one head: float32 [key]. */
export function queryWeights({ shape, weights }, layer, head, query) {
  const [, heads, queries, keys] = shape;
  const start = ((layer * heads + head) * queries + query) * keys;
  return weights.subarray(start, start + keys);
}

/** Pairs up two token lists by their longest common subsequence: [[i, j], ...]. */
export function alignTokens(a, b) {
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  return pairs;
}

/**
 * The share of a head's attention that lands elsewhere in the second sentence, 0 to 1: total variation distance,
 * where a word that only one of the sentences has counts as elsewhere.
 */
export function attentionMoved(rowA, rowB, pairs) {
  let stayed = 0;
  for (const [i, j] of pairs) stayed += Math.min(rowA[i], rowB[j]);
  return Math.max(0, 1 - stayed);
}

/** "##able" is the rest of a word: shown without the marks and joined to what comes before. */
export const isPiece = (token) => token.startsWith("##") && token.length > 2;
export const isSpecial = (token) => /^(\[(CLS|SEP|PAD|MASK)\]|<\/?s>|<\|.*\|>)$/.test(token);
export const percent = (weight) => `${(100 * weight).toFixed(weight > 0 && weight < 0.0995 ? 1 : 0)} %`;

/** How the slider names a model: "focus" is the taught one, "focus/step-40" reads "step 40". */
export const modelLabel = (name) => (name === "focus" ? "taught" : name.replace(/^focus\//, "").replace("-", " "));

const likeliest = (labels) => Object.entries(labels).reduce((best, next) => (next[1] > best[1] ? next : best));

// ------------------------------------------------------------------------------------------- building blocks

function h(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {}))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Gives `parent` exactly `count` children: reuses those it has, makes the missing ones. Returns them. */
function fill(parent, count, make) {
  while (parent.childElementCount > count) parent.lastElementChild.remove();
  while (parent.childElementCount < count) parent.append(make(parent.childElementCount));
  return parent.children;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const setValue = (input, value) => {
  if (input.value !== value) input.value = value;
};

/** Shows a token as the reader wrote it; the classes carry what its marks said. */
function setToken(node, token) {
  setText(node, isPiece(token) ? token.slice(2) : token);
  node.classList.toggle("hm-piece", isPiece(token));
  node.classList.toggle("hm-special", isSpecial(token));
}

/** One weight in its cell: the tint goes by `share`, the weight over the largest of its row. */
function setWeight(cell, weight, largest, from, to) {
  const shown = weight.toFixed(4);
  if (cell.dataset.weight !== shown) {
    cell.dataset.weight = shown;
    cell.dataset.percent = percent(weight);
    cell.style.setProperty("--share", largest > 0 ? (weight / largest).toFixed(3) : "0");
  }
  const label = `${from} to ${to}: ${cell.dataset.percent}`;
  if (cell.ariaLabel !== label) cell.ariaLabel = label;
}

// -------------------------------------------------------------------------------------------------- the view

const COMPUTED = ["sentence", "compare", "headMask", "model"]; // the parts of the state that a map depends on
const VIEWS = { paint: "Paint", matrix: "Matrix" };
let instances = 0;

/**
 * The controls and the map inside `root`. `change(state, names)` is called when the reader changed the named parts
 * of the state; `painted(map)` after every repaint. `models` are the names a slider runs over; `computes` says
 * whether anybody can compute a new map (a map of somebody's own attentions can only be looked at).
 */
export class HeadMapView {
  constructor(root, state, { change, painted = () => {}, models = [], computes = true }) {
    this.state = { sentence: "", compare: null, view: "paint", layer: 0, head: null, query: 0, headMask: null, model: 0 };
    Object.assign(this, { change, painted, models, computes, map: null, compared: null, baseline: null });
    this.id = `head-map-${++instances}`;
    this.toggles = [];
    this.stage = h("div", { class: "hm-stage", onkeydown: (event) => this.#moveFocus(event) });
    root.replaceChildren(...this.#controls(), this.stage, ...this.#footer());
    this.update(state);
  }

  /** Takes over parts of the state; repaints the map it has, unless a part changed that calls for another map. */
  update(state) {
    const stale = Object.keys(state).some((key) => COMPUTED.includes(key) && state[key] !== this.state[key]);
    Object.assign(this.state, state);
    const { sentence, compare, view, model } = this.state;
    setValue(this.sentence, sentence);
    setValue(this.compare, compare ?? "");
    this.compareRow.hidden = compare === null;
    this.comparer.ariaExpanded = String(compare !== null);
    setText(this.comparer, compare === null ? "Compare" : "Stop comparing");
    for (const radio of this.views) radio.checked = radio.value === view;
    setValue(this.model, String(model));
    setText(this.modelName, modelLabel(this.models[model] ?? ""));
    if (!this.map) return;
    if (stale) this.#drawToggles(this.map.shape[1]);
    else this.#draw();
  }

  /** Shows a map and, where two sentences are compared, the second one's. */
  show(map, compared = null) {
    this.map = map;
    this.compared = compared;
    this.#draw();
  }

  /** Tells the reader how things stand; `retry`, if given, is what the "Try again" button does. */
  say(text, retry) {
    const told = [text, ...(this.map?.notes ?? []), ...(this.compared?.notes ?? [])].join(" ");
    if (this.status.firstChild?.textContent !== told || retry)
      this.status.replaceChildren(told, ...(retry ? [" ", h("button", { type: "button", onclick: retry }, "Try again")] : []));
  }

  #set(state) {
    this.update(state);
    this.change(this.state, Object.keys(state));
  }

  #controls() {
    const box = (key, label, placeholder) =>
      h("input", { type: "text", class: "hm-sentence", "aria-label": label, placeholder, autocomplete: "off",
        autocapitalize: "off", spellcheck: "false", oninput: (event) => this.#set({ [key]: event.target.value }) });
    const chooser = (key, label) =>
      h("select", { "aria-label": label, onchange: (event) => this.#set({ [key]: Number(event.target.value) }) });
    this.sentence = box("sentence", "Sentence", "Type a sentence");
    this.compare = box("compare", "Compare with", "Type a second sentence");
    this.compareRow = h("div", {}, this.compare);
    this.views = Object.keys(VIEWS).map((view) =>
      h("input", { type: "radio", name: `${this.id}-view`, value: view, onchange: () => this.#set({ view }) }));
    this.query = chooser("query", "Asked by");
    this.layer = chooser("layer", "Layer");
    this.layerField = h("label", { class: "hm-field" }, "Layer ", this.layer);
    this.comparer = h("button", { type: "button", class: "hm-comparer", "aria-expanded": "false",
      onclick: () => this.#set({ compare: this.state.compare === null ? this.state.sentence : null }) });
    this.model = h("input", { type: "range", min: 0, max: Math.max(this.models.length - 1, 0), "aria-label": "Model",
      oninput: (event) => this.#set({ model: Number(event.target.value) }) });
    this.modelName = h("span", { class: "hm-model-name" });
    const tools = h("div", { class: "hm-tools" },
      h("fieldset", { class: "hm-views", "aria-label": "View" },
        ...this.views.map((radio) => h("label", {}, radio, h("span", {}, VIEWS[radio.value])))),
      h("label", { class: "hm-field" }, "Asked by ", this.query), this.layerField);
    if (this.models.length > 1) tools.append(h("label", { class: "hm-field hm-model" }, "Model ", this.model, this.modelName));
    if (!this.computes) return [tools];
    tools.append(this.comparer);
    return [h("div", {}, this.sentence), this.compareRow, tools];
  }

  #footer() {
    this.predictions = h("dl", { class: "hm-predictions", "aria-label": "Predictions" });
    this.status = h("p", { role: "status", class: "hm-status" });
    return [this.predictions, this.status];
  }

  // --- painting

  #draw() {
    const { map, state } = this;
    const [layers, heads, queries] = map.shape;
    state.layer = Math.min(state.layer, layers - 1);
    state.query = Math.min(state.query, queries - 1);
    if (state.head !== null) state.head = Math.min(state.head, heads - 1);
    this.#options(this.query, map.queryTokens.map((token) => (isPiece(token) ? token.slice(2) : token)), state.query);
    this.#options(this.layer, Array.from({ length: layers }, (_, layer) => String(layer + 1)), state.layer);
    this.layerField.hidden = layers === 1;
    this.#drawToggles(heads);
    if (this.drawn !== state.view) {
      this.stage.replaceChildren();
      this.drawn = state.view;
    }
    if (state.view === "matrix") this.#drawMatrix();
    else this.#drawPaint();
    this.#tabStop();
    this.#drawPredictions();
    this.painted(map);
  }

  #options(select, names, chosen) {
    const options = fill(select, names.length, (index) => h("option", { value: index }));
    names.forEach((name, index) => setText(options[index], name));
    select.value = chosen;
  }

  /** One toggle per head, kept over repaints so that it never loses the focus; the views place them. */
  #drawToggles(heads) {
    const { map, state } = this;
    this.toggles.length = Math.min(this.toggles.length, heads);
    while (this.toggles.length < heads) {
      const head = this.toggles.length;
      this.toggles.push(this.computes
        ? h("button", { type: "button", class: "hm-head", onclick: () => this.#toggle(head) })
        : h("span", { class: "hm-head" }));
    }
    this.toggles.forEach((toggle, head) => {
      setText(toggle, map.headNames[head]);
      if (this.computes) toggle.ariaPressed = String(this.#isOn(head));
    });
  }

  #isOn(head) {
    return this.state.headMask?.[this.state.layer]?.[head] ?? true;
  }

  #toggle(head) {
    const [layers, heads] = this.map.shape;
    const mask = Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, index) => this.state.headMask?.[layer]?.[index] ?? true));
    mask[this.state.layer][head] = !mask[this.state.layer][head];
    this.#set({ headMask: mask.flat().every(Boolean) ? null : mask });
  }

  #dress(node, head) {
    node.style.setProperty("--head", HEAD_COLOURS[head % HEAD_COLOURS.length]);
    node.classList.toggle("hm-off", !this.#isOn(head));
  }

  /** The sentence once per head, every token tinted by the weight that the asking token gives it. */
  #drawPaint() {
    const { map, compared, state } = this;
    const heads = map.shape[1];
    const pairs = compared && alignTokens(map.keyTokens, compared.keyTokens);
    const moved = this.toggles.map((_, head) => pairs && attentionMoved(
      queryWeights(map, state.layer, head, state.query),
      queryWeights(compared, state.layer, head, Math.min(state.query, compared.shape[2] - 1)), pairs));
    const order = this.toggles.map((_, head) => head);
    if (pairs) order.sort((a, b) => moved[b] - moved[a]);
    const [table] = fill(this.stage, 1, () => h("table", { class: "hm-paint", role: "table" }));
    table.ariaLabel = `What each head looks at when ${map.queryTokens[state.query]} asks`;
    const bodies = fill(table, heads, () => h("tbody", { role: "rowgroup" }));
    order.forEach((head, place) => {
      const body = bodies[place];
      this.#dress(body, head);
      const rows = fill(body, pairs ? 2 : 1, () => h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" })));
      if (rows[0].cells[0].firstChild !== this.toggles[head]) rows[0].cells[0].replaceChildren(this.toggles[head]);
      this.#paintRow(rows[0], map, head, pairs && new Set(pairs.map(([i]) => i)));
      if (pairs) {
        setText(rows[1].cells[0], `moved ${percent(moved[head])}`);
        this.#paintRow(rows[1], compared, head, new Set(pairs.map(([, j]) => j)));
      }
    });
  }

  #paintRow(row, map, head, shared) {
    const { layer, query } = this.state;
    const asks = Math.min(query, map.shape[2] - 1);
    const weights = queryWeights(map, layer, head, asks);
    const largest = Math.max(...weights);
    while (row.cells.length > weights.length + 1) row.lastElementChild.remove();
    while (row.cells.length < weights.length + 1) row.append(h("td", { role: "cell", tabindex: -1 }));
    weights.forEach((weight, key) => {
      const cell = row.cells[key + 1];
      setToken(cell, map.keyTokens[key]);
      cell.classList.toggle("hm-only", Boolean(shared) && !shared.has(key));
      setWeight(cell, weight, largest, map.queryTokens[asks], map.keyTokens[key]);
    });
  }

  /** A query × key table per head, small multiples; one of them large on demand. */
  #drawMatrix() {
    const { map, state } = this;
    const [, heads, queries, keys] = map.shape;
    const figures = fill(this.stage, heads, (head) =>
      h("figure", { class: "hm-matrix" },
        h("figcaption", {}, h("button", { type: "button", class: "hm-enlarge",
          onclick: () => this.#set({ head: this.state.head === head ? null : head }) })),
        h("div", { class: "hm-scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th"))), h("tbody")))));
    for (let head = 0; head < heads; head++) {
      const figure = figures[head];
      const large = state.head === head;
      const [caption, scroll] = figure.children;
      const [table] = scroll.children;
      this.#dress(figure, head);
      figure.style.setProperty("--keys", keys);
      figure.classList.toggle("hm-large", large);
      figure.classList.toggle("hm-dense", keys > 20);
      if (caption.firstChild !== this.toggles[head]) caption.prepend(this.toggles[head]);
      setText(caption.lastChild, large ? "Shrink" : "Enlarge");
      caption.lastChild.ariaLabel = `${large ? "Shrink" : "Enlarge"} ${map.headNames[head]}`;
      table.ariaLabel = `${map.headNames[head]}: rows ask, columns are looked at`;
      const columns = fill(table.tHead.rows[0], keys + 1, () => h("th", { scope: "col" }, h("span")));
      for (let key = 0; key < keys; key++) setToken(columns[key + 1].firstChild, map.keyTokens[key]);
      const rows = fill(table.tBodies[0], queries, () => h("tr", {}, h("th", { scope: "row" })));
      for (let query = 0; query < queries; query++) {
        const weights = queryWeights(map, state.layer, head, query);
        const largest = Math.max(...weights);
        const cells = rows[query].children;
        rows[query].classList.toggle("hm-asks", query === state.query);
        setToken(cells[0], map.queryTokens[query]);
        while (cells.length > keys + 1) rows[query].lastElementChild.remove();
        while (cells.length < keys + 1) rows[query].append(h("td", { tabindex: -1 }));
        for (let key = 0; key < keys; key++)
          setWeight(cells[key + 1], weights[key], largest, map.queryTokens[query], map.keyTokens[key]);
      }
    }
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
      if (head >= 0) this.#dress(items[index], head);
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

  // --- the keyboard: one tab stop per table, arrow keys between cells

  #tabStop() {
    for (const table of this.stage.querySelectorAll("table"))
      if (!table.querySelector('td[tabindex="0"]')) table.querySelector("td")?.setAttribute("tabindex", 0);
  }

  #moveFocus(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const cell = event.target.closest?.("td[data-weight]");
    if (!step || !cell) return;
    const rows = [...cell.closest("table").querySelectorAll("tr:has(td)")];
    const row = rows[rows.indexOf(cell.parentElement) + step[0]];
    const next = row?.cells[cell.cellIndex + step[1]];
    if (next?.tagName !== "TD") return;
    event.preventDefault();
    cell.setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  }
}

// -------------------------------------------------------------------------------- the first door: kernels

const TRAITS = { sentence: "sentence", compare: "compare", view: "view", layer: "layer", head: "head",
  query: "query", headMask: "head_mask", model: "model_index" };

/** anywidget's door: traits are the state, Python computes `_attention` and `_compared`. */
function render({ model, el }) {
  const root = el.appendChild(h("div", { class: "head-map" }));
  const traits = () => Object.fromEntries(Object.entries(TRAITS).map(([key, trait]) => [key, model.get(trait)]));
  const view = new HeadMapView(root, traits(), {
    models: model.get("_models"),
    computes: model.get("_computes"),
    change(state, names) {
      for (const name of names) model.set(TRAITS[name], state[name]);
      model.save_changes();
    },
    painted: (map) => el.dispatchEvent(new CustomEvent("attention", { bubbles: true, composed: true, detail: map })),
  });
  const show = () => {
    const [map, compared] = [model.get("_attention"), model.get("_compared")];
    view.show(decodeMap(map), compared && decodeMap(compared));
    view.say(model.get("_status"));
  };
  const update = () => view.update(traits());
  const events = Object.values(TRAITS).map((trait) => `change:${trait}`).join(" ");
  model.on("change:_attention change:_compared", show);
  model.on(events, update);
  show();
  return () => {
    model.off("change:_attention change:_compared", show);
    model.off(events, update);
  };
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const ATTRIBUTES = ["model", "models", "sentence", "compare", "view", "layer", "head"];

function defineElement() {
  /** Adds the stylesheet beside this module to a page that does not have it. */
  function dressPage() {
    const href = new URL("./head-map.css", import.meta.url).href;
    if (![...document.styleSheets].some((sheet) => sheet.href?.split("?")[0] === href))
      document.head.append(h("link", { rel: "stylesheet", href }));
  }

  class HeadMapElement extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    #view;
    #baked;
    #ready = Promise.withResolvers ? Promise.withResolvers() : withResolvers();
    #engines = new Map();
    #wanted = 0;

    /** Fulfilled once the element computes for itself; asking for it starts the loading. */
    get ready() {
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
      dressPage();
      const baked = this.querySelector('script[type="application/json"]');
      this.#baked = baked && decodeMap(JSON.parse(baked.textContent));
      const said = this.querySelector(".hm-status")?.textContent ?? "";
      this.classList.add("head-map");
      this.#view = new HeadMapView(this, Object.assign({}, ...ATTRIBUTES.map((name) => this.#attribute(name))), {
        models: this.#models,
        computes: this.#models.length > 0,
        change: (_, names) => names.some((name) => COMPUTED.includes(name)) && this.#compute(),
        painted: (map) => this.dispatchEvent(new CustomEvent("attention", { bubbles: true, composed: true, detail: map })),
      });
      if (this.#baked) this.#view.show(this.#baked);
      if (!this.#models.length) {
        this.#view.status.textContent = said;
        return this.#ready.resolve();
      }
      this.#view.say("This is a computed example. The model loads when you touch a control.");
      this.addEventListener("pointerdown", () => this.#start(), { once: true });
      this.addEventListener("focusin", () => this.#start(), { once: true });
      const seen = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) {
          seen.disconnect();
          this.#start();
        }
      });
      seen.observe(this);
    }

    attributeChangedCallback(name) {
      if (!this.#view) return;
      this.#view.update(this.#attribute(name));
      if (COMPUTED.includes(name)) this.#compute();
    }

    get #models() {
      return (this.getAttribute("models") ?? this.getAttribute("model") ?? "").split(/\s+/).filter(Boolean);
    }

    /** The part of the state that an attribute stands for. */
    #attribute(name) {
      const value = this.getAttribute(name);
      if (name === "compare") return { compare: value };
      if (value === null || name.startsWith("model")) return {};
      return { [name]: name === "layer" || name === "head" ? Number(value) : value };
    }

    #start() {
      if (this.#models.length && !this.#engines.size) this.#compute();
    }

    /** The engine of the chosen model; loads it, with progress in the status line, the first time. */
    async #load(name) {
      const { loadModel } = await import(new URL("./models.js", import.meta.url)).catch(() => {
        throw new Error("a script did not arrive.");
      });
      return loadModel(name, (done, total) =>
        this.#view.say(`Loading the model: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB.`));
    }

    /** Computes and shows the map of the present state; the last keystroke wins. */
    async #compute() {
      const name = this.#models[this.#view.state.model];
      const wanted = ++this.#wanted;
      let engine = this.#engines.get(name);
      if (engine === undefined || engine instanceof Promise) {
        if (!engine) {
          this.#view.say("Loading the model.");
          engine = this.#load(name);
          this.#engines.set(name, engine);
        }
        try {
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
      // No await on this path: with the model loaded, the map is repainted before the keystroke's event returns.
      const { headMask } = this.#view.state;
      if (headMask && headMask[0].length !== engine.numHeads) this.#view.update({ headMask: null });
      const attend = (text) => (text === null ? null : engine.attend(text, this.#view.state.headMask));
      this.#view.show(attend(this.#view.state.sentence), attend(this.#view.state.compare));
      this.#view.say("Ready: computed in this page as you type.");
      this.#ready.resolve();
    }
  }

  customElements.define("head-map", HeadMapElement);
}

function withResolvers() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

if (globalThis.customElements && !customElements.get("head-map")) defineElement();
