// What <head-map> and a notebook's HeadMap show, and how it follows its state.

import { START } from "../doors/state.js";
import { colourOf, headColour, isOfParts, layersOf } from "../math/maps.js";
import { FULL } from "../math/names.js";
import { askedRow, askersOf, missingLayers, SHOWN, shownMap } from "../math/shown.js";
import { isSpecial, mostHeads, readable } from "../math/text.js";
import { setLayer } from "../math/wire.js";
import { Announcer, summaryOf } from "../views/announcer.js";
import { Asking, WordTip } from "../views/asking.js";
import { StatusLine } from "../views/controls.js";
import { arrow, focusOn, h, keepFocus, setText, targetOf } from "../views/dom.js";
import { GridView } from "../views/grid.js";
import { Legend } from "../views/legend.js";
import { LinesView } from "../views/lines.js";
import { MatrixView } from "../views/matrix.js";
import { PaintView } from "../views/paint.js";
import { PredictionsView } from "../views/predictions.js";
import { SteadyHeight } from "../views/steady-height.js";
import { TranslationLine } from "../views/translation.js";
import { MapControls } from "./head-map-controls.js";
import { isFound } from "./head-map-more.js";

/** @type {Record<string, new (stage: HTMLElement, host: MapHost) => MapPart>} */
const PARTS = { paint: PaintView, matrix: MatrixView, grid: GridView, lines: LinesView };
const DIFFERENCES = ["matrix", "grid"]; // views that show how two sentences differ
const TYPED = ["sentence", "compare"];
const STILL = ["headMask", "query", "find", "head"]; // parts of the state that may change while a figure keeps its height
const LONG = 90; // tokens; beyond, matrices become pictures
let instances = 0;

/** The parts of the state that a map depends on. @type {(keyof MapState)[]} */
export const COMPUTED = ["sentence", "compare", "headMask", "model"];

/**
 * The controls and the map inside `root`. `change(state, names)` is called when the reader changed the named parts
 * of the state; `painted(map)` after every repaint. `models` are the names a slider runs over; `computes` says
 * whether anybody can compute a new map (a map of somebody's own attentions can only be looked at). `copies` are the texts
 * that its menu can copy: {name: () => text}; `examples` sentences to press, with "|" between them; `guide` names three first steps. `want(layers, map)` asks for layers of a map that is not there in full.
 * @implements {MapHost}
 */
export class HeadMapView {
  id = `head-map-${++instances}`;
  /** @type {MapState} */
  state = { ...START };
  /** @type {AttentionMap | null} */
  map = null;
  /** @type {AttentionMap | null} */
  compared = null;
  /** What is shown of both; null until it is drawn. @type {MapHost["shown"] | null} */
  #shown = null;
  /** @type {MapPart | null} */
  #part = null;
  #drawn = ""; // the name of that view
  /** The layers that were asked for. @type {Set<number>} */
  #asked = new Set();
  #waiting = false; // for some of them
  /** The place, among the tokens shown, of the one that asks while nobody points at another. */
  rest = 0;
  /** The place of the one that is pointed at. @type {number | null} */
  #pointed = null;
  pinned = false; // the asking token goes on asking, whatever is pointed at
  /** Which tokens looked at also ask, for each map shown. @type {WeakMap<ShownMap, (number | null)[] | null>} */
  #askers = new WeakMap();
  #home = 0; // the token that asks when none is pinned, by its place in the computed map
  /** The head whose row is lit. @type {number | null} */
  #lit = null;
  /** @type {HTMLElement[]} */
  #toggles = [];
  /** What was said last, to be said again with a map's notes. @type {Parameters<StatusLine["tell"]> | null} */
  #said = null;
  #status = new StatusLine();
  #announcer = new Announcer();
  #predictions = new PredictionsView((head) => this.light(head));
  #translation = new TranslationLine((query) => this.set({ query }),
    (query) => this.point(query === null || !this.#shown ? null : this.#shown.map.queries.indexOf(query)));
  #legend = new Legend();
  #tip = new WordTip(`${this.id}-tip`);

  /**
   * @param {HTMLElement} root
   * @param {Partial<MapState>} state
   * @param {{ change: (state: MapState, names: string[]) => void, painted?: (map: AttentionMap) => void, models?: string[],
   *   computes?: boolean, copies?: Record<string, () => string>, examples?: string, guide?: boolean, want?: ((layers: number[], map: AttentionMap) => void) | null }} options
   */
  constructor(root, state, { change, painted = () => {}, models = [], computes = true, copies = {}, want = null, examples = "", guide = false }) {
    this.root = root;
    this.want = want;
    this.change = change;
    this.painted = painted;
    this.computes = computes;
    this.mostHeads = mostHeads(models);
    this.controls = new MapControls(this, { models, computes, copies, examples, guide });
    this.barName = h("span");
    this.bar = h("div", { class: "hm-heads", hidden: true }, this.barName);
    this.stage = h("div", { class: "hm-stage hm-live", onkeydown: moveFocus });
    this.asking = new Asking(this.stage, this, this.#tip);
    this.height = new SteadyHeight(root);
    this.body = h("div", { class: "hm-body" }, this.bar, this.stage, h("div", { class: "hm-key" }, this.controls.asked, this.#legend.node), this.#predictions.node, ...(this.controls.guide ? [this.controls.guide.node] : []), this.#tip.node);
    root.replaceChildren(...this.controls.nodes, this.#translation.node, this.body, this.#status.node, this.#announcer.node);
    this.#home = state.query ?? START.query;
    this.update(state);
  }

  /** Takes over parts of the state; repaints the map it has, unless a part changed that calls for another map. */
  update(/** @type {Partial<MapState>} */ state) {
    const changes = (/** @type {(keyof MapState)[]} */ names) => names.some((name) => name in state && state[name] !== this.state[name]);
    const stale = this.computes && changes(COMPUTED);
    if (changes([...SHOWN, "layer", "view"])) this.#shown = null;
    Object.assign(this.state, state);
    this.controls.update(this.state);
    if (!this.map) return;
    if (stale) this.#drawToggles(this.map);
    else this.#draw(this.map);
  }

  /**
   * Shows a map and, where two sentences are compared, the second one's.
   * @param {AttentionMap} map
   * @param {AttentionMap | null} [compared]
   */
  show(map, compared = null) {
    [this.map, this.compared, this.#shown] = [map, compared, null];
    this.#stale(false);
    this.#asked.clear();
    if (!this.want) for (const each of [map, compared]) if (each?.there) each.final = true;
    this.#draw(map);
  }

  /**
   * Says why there is no map of what the reader typed; the last one stays, greyed.
   * @param {string} text
   * @param {(() => void) | null} [act]
   * @param {string} [name]
   */
  refuse(text, act = null, name = "") {
    this.#stale(true);
    this.#said = null;
    this.#status.tell(text, act, name);
  }

  #stale(/** @type {boolean} */ stale) {
    for (const node of [this.#translation.node, this.stage]) node.classList.toggle("hm-stale", stale);
  }

  /**
   * Takes a layer that was asked for.
   * @param {number} layer
   * @param {ArrayBufferView} weights
   * @param {ArrayBufferView} [compared]
   */
  addLayer(layer, weights, compared) {
    if (!this.map) return;
    setLayer(this.map, layer, weights);
    if (this.compared && compared) setLayer(this.compared, layer, compared);
    this.#shown = null;
    if (this.#waiting || this.state.view === "grid" || this.controls.more.node.open) this.#draw(this.map);
  }

  /** Asks for all layers that are not there yet. */
  fetchAll() {
    const there = this.map && layersOf(this.map);
    if (there && this.want) this.want([...Array(this.map?.shape[0]).keys()].filter((layer) => !there.includes(layer)), /** @type {AttentionMap} */ (this.map));
  }

  /** Asks for layers that what is shown needs; whether they are still to come. */
  #waitsFor(/** @type {AttentionMap} */ map) {
    const missing = missingLayers(map, this.state);
    const asked = missing.filter((layer) => !this.#asked.has(layer));
    if (asked.length && this.want) this.want(asked, map);
    asked.forEach((layer) => this.#asked.add(layer));
    this.#waiting = missing.length > 0;
    this.stage.inert = this.#waiting;
    this.stage.ariaBusy = String(this.#waiting);
    if (this.#waiting && this.#said) this.say(...this.#said);
    return this.#waiting;
  }

  /** Whether what is on screen is what was chosen. */
  get complete() {
    return this.map !== null && !this.#waiting;
  }

  /**
   * Tells the reader how things stand; `act` is what a button after the text does.
   * @param {string} text
   * @param {(() => void) | null} [act]
   * @param {string} [name]
   */
  say(text, act = null, name = "Try again") {
    this.#said = [text, act, name];
    const tokens = this.map?.keyTokens.length ?? 0;
    const long = `This text is long (${tokens} tokens): large matrices are shown as pictures, and only the strongest lines are drawn.`;
    const notes = new Set([this.map, this.compared, this.#shown?.map].flatMap((map) => map?.notes ?? []));
    const missing = this.#waiting && this.map ? missingLayers(this.map, this.state).map((layer) => layer + 1) : [];
    const waits = missing.length ? [`Layer ${missing.join(", ")} of ${this.map?.shape[0]} is on its way; what you see is what was shown before.`] : [];
    this.#status.tell([text, ...waits, ...this.#tellInstead(), ...notes, ...(tokens > LONG ? [long] : [])].join(" "), act, name);
  }

  /** Who asks, where the one that asked is not shown. */
  #tellInstead() {
    const { map, state } = this;
    const shown = this.#shown?.map;
    if (!map || !shown || state.special !== "remove" || shown.queries.includes(state.query) || !isSpecial(map.queryTokens[state.query])) return [];
    return [`${map.queryTokens[state.query]} is not shown; “${readable(shown.queryTokens[this.rest])}” asks instead.`];
  }

  /** Moves the line that tells how things stand up to the sentences: what it offers comes before what is shown. */
  sayAbove() {
    this.controls.compareRow.after(this.#status.node);
  }

  // --- who asks

  /** The place of the asking token among those shown. */
  get asked() {
    return this.#pointed ?? this.rest;
  }

  /** Somebody points at a token, by its place among those shown; at none. */
  point(/** @type {number | null} */ place) {
    const pointed = this.pinned || (place ?? 0) < 0 ? null : place;
    if (pointed === this.#pointed || !this.map) return;
    this.#pointed = pointed;
    this.controls.tellAsked(this.shown.map.queries[this.asked]);
    if (pointed !== null) this.controls.guide?.note(["query"]);
    this.#part?.ask?.();
  }

  /** A token goes on asking; none, or the same once more, and the first asks again. */
  pin(/** @type {number | null} */ place) {
    const again = place === null || (this.pinned && place === this.rest);
    if (again && !this.pinned) return this.point(null);
    this.#pointed = null;
    if (again) return this.set({ query: this.#home }, false);
    this.set({ query: this.shown.map.queries[place] });
  }

  /** The places as those that ask of the tokens looked at; null where others ask. */
  askersOf(/** @type {ShownMap} */ map) {
    if (!this.map) return null;
    let askers = this.#askers.get(map);
    if (askers === undefined) this.#askers.set(map, (askers = askersOf(map, this.map)));
    return askers;
  }

  /** The place among the tokens looked at of one that asks; -1 where it is not there. */
  keyOf(/** @type {ShownMap} */ map, /** @type {number} */ asked) {
    return this.askersOf(map)?.indexOf(asked) ?? -1;
  }

  /** Lights what shows a head. */
  light(/** @type {number | null} */ head) {
    this.#lit = head;
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (this.stage.querySelectorAll("[data-head]")))
      node.classList.toggle("hm-lit", head !== null && Number(node.dataset.head) === head);
  }

  // --- what the views ask for

  /** The reader chose parts of the state; a `query` that was chosen goes on asking if `pinned`. */
  set(/** @type {Partial<MapState>} */ state, pinned = true) {
    const names = Object.keys(state);
    if (names.every((name) => TYPED.includes(name)) && typeof (state.sentence ?? state.compare) === "string") this.height.keep(this.map?.keyTokens.length ?? 0);
    else if (names.includes("model")) this.height.keepAtLeast();
    else if (!names.every((name) => STILL.includes(name))) this.height.release();
    if (state.query !== undefined) this.pinned = pinned;
    this.controls.undo.note(names);
    this.controls.guide?.note(names);
    this.#announcer.changed();
    this.update(state);
    this.change(this.state, names);
  }

  /** The state as it was before, or after, what the reader did. */
  restore(/** @type {MapState} */ state) {
    const names = /** @type {(keyof MapState)[]} */ (Object.keys(state)).filter((name) => state[name] !== this.state[name]);
    this.pinned = state.query !== this.#home;
    if (!names.every((name) => TYPED.includes(name) || STILL.includes(name))) this.height.release();
    this.update(state);
    this.change(this.state, names);
  }

  /** What is shown of the maps. */
  get shown() {
    if (!this.map) throw new Error("there is no map yet");
    return (this.#shown ??= { map: shownMap(this.map, this.state), compared: this.compared && shownMap(this.compared, this.state) });
  }


  /** What is drawn: of two sentences, Matrix and Grid show the difference. */
  get drawn() {
    const { map, compared } = this.shown;
    if (!compared || !DIFFERENCES.includes(this.state.view)) return map;
    return { ...map, kind: "signed", full: isOfParts(map) ? FULL : undefined };
  }

  /**
   * How a head is drawn.
   * @param {ShownMap} map
   * @param {number} layer
   * @param {number} head
   */
  look(map, layer, head) {
    const off = !map.mixed && !this.#isOn(layer, head);
    return { colour: headColour(map, head), off, dim: this.dim, scale: this.state.scale };
  }

  /** Whether special tokens are dimmed. */
  get dim() {
    return this.state.special === "dim";
  }

  /**
   * Gives what shows a head its colour.
   * @param {HTMLElement} node
   * @param {number} layer
   * @param {number} head
   */
  dress(node, layer, head) {
    const { colour, off } = this.look(this.shown.map, layer, head);
    node.style.setProperty("--head", colour);
    node.classList.toggle("hm-off", off);
    node.dataset.head = String(head);
    node.classList.toggle("hm-lit", head === this.#lit);
  }

  /**
   * Puts a head's name, which is its switch where heads are shown one by one, into `place`.
   * @param {HTMLElement} place
   * @param {number} head
   */
  placeName(place, head) {
    const { mixed, headNames } = this.shown.map;
    const there = place.firstElementChild;
    if (!mixed) {
      if (there !== this.#toggles[head]) place.replaceChildren(this.#toggles[head]);
      return;
    }
    const name = there?.tagName === "SPAN" ? there : h("span", { class: "hm-head" });
    if (there !== name) place.replaceChildren(name);
    setText(name, headNames[head]);
  }

  // --- painting

  /** Repaints; what has the focus keeps it, or the name of the view gets it. */
  #draw(/** @type {AttentionMap} */ map) {
    keepFocus(this.root, () => this.controls.views.find((radio) => radio.checked), () => this.#drawAll(map));
  }

  #drawAll(/** @type {AttentionMap} */ map) {
    const { state, stage } = this;
    const [layers, heads, queries] = map.shape;
    state.layer = Math.min(state.layer, layers - 1);
    if (state.query >= queries) state.query = 0;
    if (state.head !== null) state.head = Math.min(state.head, heads - 1);
    if (map.final && !layersOf(map).includes(state.layer)) state.layer = layersOf(map)[0];
    if (this.#waitsFor(map)) return;
    const { map: shown, compared } = this.shown;
    this.rest = askedRow(shown, state.query, map.queryTokens);
    if (this.#pointed !== null && this.#pointed >= shown.queryTokens.length) this.#pointed = null;
    this.controls.offer(map, shown, state, this.rest);
    if (!this.#part || this.#drawn !== state.view) {
      this.#part?.leave?.();
      stage.replaceChildren();
      this.#part = new (PARTS[state.view] ?? PaintView)(stage, this);
      this.#drawn = state.view;
    }
    this.#drawToggles(map);
    stage.classList.toggle("hm-dim", this.dim);
    this.body.classList.toggle("hm-signed", this.drawn.kind === "signed");
    stage.classList.toggle("hm-pinned", this.pinned);
    this.height.fit(map.keyTokens.length);
    this.#legend.draw(this.drawn, state);
    this.#translation.draw(map, state.query);
    this.#predictions.draw(map, this.compared, state, (head) => this.#isOn(state.layer, head));
    this.#part.draw(shown, compared); // asks where words are: after all that may move them
    this.#mark(state.find);
    this.asking.refresh();
    for (const table of stage.querySelectorAll("table"))
      if (!table.querySelector('td[tabindex="0"]')) table.querySelector("td[data-weight]")?.setAttribute("tabindex", "0");
    if (this.#said) this.say(...this.#said);
    this.#announcer.drawn(() => summaryOf(map, state));
    this.painted(map);
  }

  /** One toggle per head, kept over repaints so that it never loses the focus; the view or, else, the bar places them. */
  #drawToggles(/** @type {AttentionMap} */ map) {
    const { state, bar } = this;
    const toggles = this.#toggles;
    const heads = map.shape[1];
    toggles.length = Math.min(toggles.length, heads);
    while (toggles.length < heads) toggles.push(this.#makeToggle(toggles.length));
    toggles.forEach((toggle, head) => {
      setText(toggle, map.headNames[head]);
      toggle.style.setProperty("--head", colourOf(head));
      toggle.ariaLabel = map.headNames[head];
      toggle.ariaPressed = String(this.#isOn(state.layer, head));
    });
    bar.hidden = Boolean(this.#part?.placesToggles && !this.shown.map.mixed);
    setText(this.barName, map.shape[0] > 1 ? `Heads of layer ${state.layer + 1}` : "Heads");
    if (!bar.hidden && (bar.childElementCount !== heads + 1 || toggles.some(({ parentElement }) => parentElement !== bar)))
      bar.replaceChildren(this.barName, ...toggles);
  }

  /** Marks the tokens that are searched. */
  #mark(/** @type {string} */ sought) {
    for (const node of this.stage.querySelectorAll(".hm-paint td, .hm-matrix th, .hm-lines li button"))
      node.classList.toggle("hm-found", isFound(node.textContent ?? "", sought));
  }

  #makeToggle(/** @type {number} */ head) {
    return h("button", { type: "button", class: "hm-head", onclick: () => this.#toggle(head) });
  }

  /**
   * @param {number} layer
   * @param {number} head
   */
  #isOn(layer, head) {
    return this.state.headMask?.[layer]?.[head] ?? true;
  }

  #toggle(/** @type {number} */ head) {
    if (!this.map) return;
    const [layers, heads] = this.map.shape;
    const ofLayer = (/** @type {number} */ layer) => Array.from({ length: heads }, (_, index) => this.#isOn(layer, index));
    const mask = Array.from({ length: layers }, (_, layer) => ofLayer(layer));
    mask[this.state.layer][head] = !mask[this.state.layer][head];
    this.set({ headMask: mask.flat().every(Boolean) ? null : mask });
  }
}

/** Arrow keys move between the cells of a table, which is one tab stop. */
function moveFocus(/** @type {KeyboardEvent} */ event) {
  const step = arrow(event.key);
  /** @type {HTMLTableCellElement | null} */
  const cell = targetOf(event).closest("td[data-weight]");
  if (!step || !cell) return;
  const table = /** @type {HTMLTableElement} */ (cell.closest("table"));
  const rows = [...table.querySelectorAll("tr")].filter((row) => row.querySelector("td"));
  const at = rows.findIndex((row) => row === cell.parentElement);
  const next = rows[at + step[0]]?.cells[cell.cellIndex + step[1]];
  if (next?.tagName !== "TD") return;
  event.preventDefault();
  focusOn(next, cell);
}
