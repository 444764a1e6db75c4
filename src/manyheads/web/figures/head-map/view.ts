// What <head-map> and a notebook's HeadMap show, and how it follows its state.

import { START } from "../../doors/state.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import type { MapState, ShownMap } from "../../math/map-state.ts";
import { isOfParts, layersOf } from "../../math/maps.ts";
import { FULL, VIEWS } from "../../math/names.ts";
import { SHOWN, shownMap } from "../../math/shown.ts";
import { mostHeads } from "../../math/families.ts";
import { setLayer } from "../../math/wire.ts";
import { Announcer, summaryOf } from "../../views/announcer.ts";
import { keepFocus, nextId } from "../../views/dom.ts";
import type { MapHost } from "../../views/map-part.ts";
import { MapControls } from "./controls.ts";
import { MapFocus } from "./focus.ts";
import { MapHeads } from "./switches.ts";
import { MapHeight } from "./height.ts";
import { MapLayers, type RequestLayers } from "./layers.ts";
import { MapStage } from "./stage.ts";
import { MapStatus, notesOf } from "./status.ts";

const DIFFERENCES = ["matrix", "grid"]; // views that show how two sentences differ

/** The parts of the state that a map depends on. */
export const COMPUTED: (keyof MapState)[] = ["sentence", "compare", "headMask", "model"];

export interface HeadMapOptions {
  change: (state: MapState, names: string[]) => void; // the reader changed the named parts
  painted?: (map: AttentionMap) => void; // after every repaint
  models?: string[]; // names, for a slider to run over
  computes?: boolean; // false for a map of somebody's own attentions, which can only be looked at
  copies?: Record<string, () => string>; // texts that the menu can copy
  examples?: string; // sentences to press, with "|" between them
  guide?: boolean; // names three first steps
  behaviours?: string[] | null; // what each head mostly does: its colour, and its place in the grid
  want?: RequestLayers | null; // for a map that doesn't bring all of its layers
}

/** The controls and the map inside `root`. */
export class HeadMapView implements MapHost {
  readonly id = nextId("head-map");
  readonly state: MapState = { ...START };
  readonly controls: MapControls;
  readonly mostHeads: number;
  map: AttentionMap | null = null;
  compared: AttentionMap | null = null;
  #root: HTMLElement;
  #change: HeadMapOptions["change"];
  #painted: (map: AttentionMap) => void;
  #computes: boolean;
  #shown: MapHost["shown"] | null = null; // null until something asks for it
  #focus: MapFocus;
  #heads: MapHeads;
  readonly behaviours: string[] | null;
  #layers: MapLayers;
  #stage: MapStage;
  #status = new MapStatus();
  #announcer = new Announcer();
  #height: MapHeight;

  constructor(root: HTMLElement, state: Partial<MapState>, options: HeadMapOptions) {
    const { change, painted = () => {}, models = [], computes = true, copies = {}, want = null, examples = "", guide = false, behaviours = null } = options;
    this.#root = root;
    this.behaviours = behaviours;
    this.#heads = new MapHeads(this, behaviours);
    this.#change = change;
    this.#painted = painted;
    this.#computes = computes;
    this.mostHeads = mostHeads(models);
    this.controls = new MapControls(this, { models, computes, copies, examples, guide });
    this.#focus = new MapFocus(this, state.query ?? START.query, () => this.#queryMoved());
    this.#layers = new MapLayers(want);
    this.#stage = new MapStage(this, this.#heads, [this.controls.queryField, this.controls.headField], this.controls.guide);
    this.#height = new MapHeight(root, this.#stage.room);
    root.replaceChildren(...this.controls.nodes, ...this.#stage.nodes, this.#status.node, this.#announcer.node);
    this.update(state);
  }

  /** Another figure takes its place in the same root. */
  leave() {
    this.#stage.leave();
    this.#height.leave();
  }

  // --- the state

  /** Takes over parts of the state; repaints the map it has, unless a part changed that calls for another map. */
  update(state: Partial<MapState>) {
    const changes = (names: (keyof MapState)[]) => names.some((name) => name in state && state[name] !== this.state[name]);
    const outdated = this.#computes && changes(COMPUTED);
    if (changes([...SHOWN, "layer", "view"])) this.#shown = null;
    this.#height.beforeUpdate(state, this.state);
    Object.assign(this.state, state);
    this.controls.update(this.state);
    if (!this.map) return;
    if (outdated) this.#stage.drawToggles(this.map);
    else this.#draw(this.map);
  }

  /** The reader chose parts of the state; a query that was chosen keeps asking if `pinned`. */
  set(state: Partial<MapState>, pinned = true) {
    const names = Object.keys(state);
    this.#height.beforeChoice(state, this.state, this.map?.keyTokens.length ?? 0);
    if (state.query !== undefined) this.#focus.pinned = pinned;
    this.controls.undo.note(names);
    this.controls.guide?.note(names);
    this.#announcer.changed();
    this.update(state);
    this.#change(this.state, names);
  }

  /** Goes back, or forth, to the state before, or after, what the reader did. */
  restore(state: MapState) {
    const names = (Object.keys(state) as (keyof MapState)[]).filter((name) => state[name] !== this.state[name]);
    this.#focus.restore(state.query);
    this.#height.beforeUndo(names);
    this.update(state);
    this.#change(this.state, names);
  }

  // --- the map

  /** Shows a map and, where two sentences are compared, the second one's. */
  show(map: AttentionMap, compared: AttentionMap | null = null) {
    [this.map, this.compared, this.#shown] = [map, compared, null];
    this.#stage.stale = false;
    this.#layers.take([map, compared]);
    this.#draw(map);
  }

  /** Greys the map while it isn't that of what the reader typed. */
  set stale(stale: boolean) {
    this.#stage.stale = stale;
  }

  /** Says why what the reader typed gets no map; the last one stays, greyed. */
  refuse(text: string, act: (() => void) | null = null, name = "") {
    this.#stage.stale = true;
    this.#status.refuse({ text, act, name });
  }

  /** Takes a layer that was requested. */
  addLayer(layer: number, weights: ArrayBufferView, compared?: ArrayBufferView) {
    if (!this.map) return;
    setLayer(this.map, layer, weights);
    if (this.compared && compared) setLayer(this.compared, layer, compared);
    this.#shown = null;
    if (this.#layers.waiting || this.state.view === "grid" || this.controls.more.node.open) this.#draw(this.map);
  }

  /** Requests all layers that are still to come. */
  fetchAll() {
    if (this.map) this.#layers.requestAll(this.map);
  }

  /** Whether what is on screen is what was chosen. */
  get complete() {
    return this.map !== null && !this.#layers.waiting;
  }

  // --- the status

  /** Says how things stand, and goes on saying so with the notes of later maps; `act` is what a button after the text does. */
  setStatus(text: string, act: (() => void) | null = null, name = "Try again") {
    this.#status.set({ text, act, name }, this.#notes());
  }

  /** Moves the status up to the sentences: what it offers comes before what is shown. */
  statusFirst() {
    this.controls.compareRow.after(this.#status.node);
  }

  #notes() {
    const { map, compared, state, rest } = this;
    return notesOf({ map, compared, shown: this.#shown?.map, state, missing: this.#layers.missing, rest });
  }

  // --- what the views ask for

  /** What is shown of the maps. */
  get shown() {
    if (!this.map) throw new Error("there is no map yet");
    return (this.#shown ??= { map: shownMap(this.map, this.state), compared: this.compared && shownMap(this.compared, this.state) });
  }

  /** What is drawn: of two sentences, Matrix and Grid show the difference. */
  get drawn(): ShownMap {
    const { map, compared } = this.shown;
    if (!compared || !DIFFERENCES.includes(this.state.view)) return map;
    return { ...map, kind: "signed", full: isOfParts(map) ? FULL : undefined };
  }

  /** Whether special tokens are dimmed. */
  get dim() {
    return this.state.special === "dim";
  }

  get query() {
    return this.#focus.query;
  }

  get rest() {
    return this.#focus.rest;
  }

  get pinned() {
    return this.#focus.pinned;
  }

  point = (position: number | null) => this.#focus.point(position);
  pin = (position: number | null) => this.#focus.pin(position);
  askersOf = (map: ShownMap) => this.#focus.askersOf(map);
  keyOf = (map: ShownMap, query: number) => this.#focus.keyOf(map, query);
  look = (map: ShownMap, layer: number, head: number) => this.#heads.look(map, layer, head);
  dress = (node: HTMLElement, layer: number, head: number) => this.#heads.dress(node, layer, head);
  placeName = (place: HTMLElement, head: number) => this.#heads.placeName(place, head);

  /** Somebody points at another token, or at none. */
  #queryMoved() {
    this.controls.showQuery(this.shown.map.queries[this.query]);
    if (this.#focus.isPointed) this.controls.guide?.note(["query"]);
    this.#stage.ask();
  }

  // --- drawing

  /** Repaints; what has the focus keeps it, or the name of the view gets it. */
  #draw(map: AttentionMap) {
    keepFocus(this.#root, () => this.controls.keeper, () => this.#drawAll(map));
  }

  #drawAll(map: AttentionMap) {
    const { state } = this;
    fitState(state, map);
    this.#layers.require(map, state);
    this.#stage.busy = this.#layers.waiting;
    if (this.#layers.waiting) return this.#status.refresh(this.#notes());
    const { map: shown, compared } = this.shown;
    this.#focus.follow(shown, map, state.query);
    this.controls.offer(map, shown, state, this.rest);
    this.#stage.open(state.view);
    this.#stage.drawToggles(map);
    this.#height.fit(map.keyTokens.length);
    this.#stage.drawSurroundings(map, this.compared);
    this.#stage.drawView(shown, compared);
    this.#status.refresh(this.#notes());
    this.#announcer.drawn(() => summaryOf(map, state));
    this.#painted(map);
  }
}

/** Where a map lacks the chosen layer, head or query, another takes its place; where it lacks a picture, the first view. */
function fitState(state: MapState, map: AttentionMap) {
  const [layers, heads, queries] = map.shape;
  state.layer = Math.min(state.layer, layers - 1);
  if (map.final && !layersOf(map).includes(state.layer)) state.layer = layersOf(map)[0];
  if (state.head !== null) state.head = Math.min(state.head, heads - 1);
  if (state.query >= queries) state.query = 0;
  if (state.view === "picture" && !map.picture) state.view = VIEWS[0];
}
