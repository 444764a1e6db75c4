// All that a <head-map> knows, as one value; every change of it is a pure function. No DOM.

import type { StateParts } from "../../doors/state.ts";
import type { AttentionMap, Mattered, Predictions } from "../../math/attention-map.ts";
import { fitQuery } from "../../math/choosing.ts";
import { isFile, modelLabel, readsText } from "../../math/families.ts";
import { maskOf, offIn } from "../../math/heads-off.ts";
import { NEW, record, stepped, type History } from "../../math/history.ts";
import { keep, lend } from "../../math/lent.ts";
import { isMasked, isOfParts, layersOf } from "../../math/maps.ts";
import type { MapState, ShownMap } from "../../math/map-state.ts";
import { FULL } from "../../math/names.ts";
import { COMPUTED, SHOWN, START } from "../../math/options.ts";
import { endsOf, isSameQuery, spanned, type Query } from "../../math/query.ts";
import type { AttentionEdge } from "../../math/score-parts.ts";
import { lacksNorms, missingLayers, placesOfRows, queryRow, shownMap } from "../../math/shown.ts";
import { withLayer, type WireWeights } from "../../math/wire.ts";
import type { HeadModel } from "../../models/head-model.ts";

const PLACES = ["layer", "head", "query"] as const;
const UNASKED: State["without"] = { map: null, found: [] };
const WHOLE: StateParts = { off: [] }; // what begins with an example
export const DIFFERENCES = ["matrix", "grid"]; // views that show how two sentences differ

/** What is shown of the maps, and what it was made from. */
interface Shown {
  map: ShownMap;
  compared: ShownMap | null;
  from: unknown[];
}

/** All that a map knows. Another `shown` is another painting; where another map is on its way, what is shown stays. */
export interface State {
  chosen: MapState;
  places: string[]; // what a link may call the map
  example: string; // the sentence whose map the page brought
  models: string[]; // the names of those to choose from; none of a map that a kernel computes
  beside: string; // the name of a model whose map of the same sentence this one is compared with; "" where none is
  readsText: boolean; // what they read; else drawings
  behaviours: string[] | null; // what each head of each layer mostly does, by the names of names.json
  computes: boolean; // false for a map that answers to no sentence, and can only be looked at
  fetches: boolean; // layers that aren't here come when they are wanted
  home: Query | string; // who asks while nobody is pinned
  unfound: string; // why the words that were to ask can't
  layer: number | null; // that somebody chose last: a map with fewer layers, or another one, doesn't make it forgotten
  pinned: boolean;
  pointed: Query | null; // the token that somebody points at, or drags over from another, among those shown
  lookedAt: { second: boolean; key: number } | null; // in Lines, the same of the words looked at, in the first or second sentence
  dismissed: boolean; // by Escape, until the focus moves: the word that has it doesn't ask
  map: AttentionMap | null;
  compared: AttentionMap | null;
  computedBy: string; // a model's name; "" where the page brought it
  shown: Shown | null;
  requests: number; // how often its reader chose what a map is computed from, be it the same again: what's seen may answer to something else
  requested: number[][]; // layers, as they were requested
  later: Partial<Pick<MapState, (typeof PLACES)[number]>>; // for the map to come: the one on screen may be smaller
  off: number[][] | null; // the heads that are to be off in it, as [layer, head]
  forgot: boolean; // the heads that were off: the model that computes now has others
  lent: StateParts; // what stood there before a guess, a phrase or a link
  madeWith: string; // the file, not open, that the link was made with which led here
  model: HeadModel | null; // that computes
  words: string[]; // the only ones that it knows
  history: History<Kept>;
  refused: boolean; // the sentence
  stale: boolean; // the map is not that of what the reader typed
  allOn: { of: string; predictions: Predictions }; // what was predicted with all heads on, and of what
  looked: { layer: number; head: number }; // in the grid: the head that is pointed at, or was last
  sorted: boolean; // the grid, by what heads do, where that's known
  explained: { map: AttentionMap; edge: AttentionEdge } | null; // why does a head look there?
  without: { map: AttentionMap | null; found: Mattered[] }; // what the first sources of a map are for, as far as its model has answered
}

/** Models that a page gives. */
export interface Given {
  models: string[];
  model: number; // of these, that an attribute of its own names; -1 where none does
  beside: string;
  behaviours: string[] | null; // of the page's own model
  linked: StateParts | null; // what the page's address says
}

/** What is undone, and done again. */
type Kept = Pick<State, "chosen" | "off" | "lent">;

export type Action =
  | { type: "choose"; parts: Partial<MapState>; when?: number; home?: boolean } // the reader did; `home` lets no query be pinned
  | { type: "begin"; sentence: string; when?: number } // the reader pressed an example
  | { type: "lend"; parts: StateParts } // by a guess, a phrase or a link
  | { type: "undo" | "redo" }
  | { type: "point"; query: Query | null; lookedAt?: State["lookedAt"]; dismissed?: boolean } // a token among those shown, or none
  | { type: "widen"; to: number; from?: number } // to a token among those shown, from the one that has the focus
  | { type: "pin"; query: Query | null; edge?: AttentionEdge | null } // and its edge is explained
  | { type: "explain"; edge: AttentionEdge } // of what is shown
  | { type: "look"; layer: number; head: number } // at a head in the grid
  | { type: "sort" } // the grid, otherwise
  | { type: "take"; parts: StateParts & { given?: Given } } // from outside: attributes, links, a kernel's traits
  | { type: "model"; numLayers: number; numHeads: number; vocabulary?: string[]; model?: HeadModel } // which is about to compute
  | { type: "show"; map: AttentionMap; compared?: AttentionMap | null; computedBy?: string }
  | { type: "without"; map: AttentionMap; found?: Mattered | null } // its model is asked, or answers about the next source; null where it can't
  | { type: "layer"; layer: number; map: WireWeights; compared?: WireWeights }
  | { type: "refuse" } // a sentence: the last map stays, greyed
  | { type: "stale"; stale: boolean };

export function startWith(
  { off, madeWith = "", ...parts }: StateParts,
  {
    places = [],
    models = [],
    beside = "",
    readsText: reads = true,
    behaviours = null,
    computes = true,
    fetches = false,
    computedBy = "",
  }: Partial<State> = {},
): State {
  return {
    chosen: { ...START, ...parts, layer: parts.layer ?? 0 },
    places,
    example: (computes && parts.sentence) || "",
    models,
    beside,
    readsText: reads,
    behaviours,
    computes,
    fetches,
    home: parts.query ?? START.query,
    layer: parts.layer ?? null,
    unfound: "",
    pinned: false,
    pointed: null,
    lookedAt: null,
    dismissed: false,
    map: null,
    compared: null,
    computedBy,
    shown: null,
    requests: 0,
    requested: [],
    later: {},
    off: off ?? null,
    forgot: false,
    lent: {},
    madeWith,
    model: null,
    words: [],
    history: NEW,
    refused: false,
    stale: false,
    allOn: { of: "", predictions: {} },
    looked: { layer: parts.layer ?? 0, head: parts.head ?? 0 },
    sorted: true,
    explained: null,
    without: UNASKED,
  };
}

/** At first on a page. */
export const startOn = (parts: StateParts, given: Given, places: string[]) =>
  startWith(parts, { ...factsOf(given), places });

const factsOf = ({ models, beside, behaviours }: Given) => ({
  models,
  beside,
  readsText: models.every(readsText),
  computes: models.length > 0,
  behaviours: models.some(isFile) ? null : behaviours,
});

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "choose":
      return choose(state, action.parts, action.when, action.home);
    case "begin":
      return write(state, { ...state.lent, ...WHOLE }, action.sentence, action.when);
    case "lend":
      return lendParts(state, action.parts);
    case "undo":
    case "redo":
      return restore(state, action.type === "undo");
    case "point": {
      const { query, lookedAt = state.lookedAt, dismissed = state.dismissed } = action;
      return point({ ...state, lookedAt, dismissed }, query);
    }
    case "widen":
      return widen(state, action.to, action.from);
    case "pin":
      return pin(action.edge ? explain(state, action.edge) : state, action.query);
    case "explain":
      return explain(state, action.edge);
    case "look":
      return { ...state, looked: { layer: action.layer, head: action.head } };
    case "sort":
      return { ...state, sorted: !state.sorted };
    case "take": {
      const { given, ...parts } = action.parts;
      return given ? takeModels(state, given) : take(state, parts);
    }
    case "model":
      return fitToModel(state, action);
    case "show":
      return show(state, action);
    case "without":
      return learn(state, action.map, action.found);
    case "layer":
      return addLayer(state, action);
    case "refuse":
      return { ...state, refused: true, stale: true };
    case "stale":
      return { ...state, stale: action.stale };
  }
}

// --- what is chosen

function choose(state: State, parts: Partial<MapState>, when = performance.now(), home = false): State {
  const { sentence, ...others } = parts;
  if (sentence !== undefined) return write(state, { ...state.lent, ...others }, sentence, when);
  const names = Object.keys(parts) as (keyof MapState)[];
  const later = Object.fromEntries(Object.entries(state.later).filter(([name]) => !(name in parts)));
  const { headMask, ...rest } = parts;
  const own = ownParts(state);
  return follow(state, {
    ...state,
    later,
    refused: false,
    forgot: false,
    chosen: { ...state.chosen, ...parts },
    layer: parts.layer ?? state.layer,
    off: headMask === undefined ? state.off : null,
    lent: keep<StateParts>(own, state.lent, headMask === undefined ? rest : { ...rest, off: offIn(headMask) }),
    pinned: "query" in parts ? !home : state.pinned,
    requests: state.requests + Number(names.some((name) => COMPUTED.includes(name))),
    history: record(state.history, keptOf(state), names, when),
  });
}

/** Another sentence of the reader's begins, with what goes back. */
function write(state: State, back: StateParts, sentence: string, when = performance.now()): State {
  const start = taken(state, back);
  return follow(state, {
    ...start,
    refused: false,
    forgot: false,
    chosen: { ...start.chosen, mattered: START.mattered, sentence },
    lent: {},
    requests: state.requests + 1,
    history: record(state.history, keptOf(state), ["sentence"], when),
  });
}

/** What a guess, a phrase or a link sets; with a sentence, something new begins. */
function lendParts(state: State, given: StateParts): State {
  const whole = given.sentence === undefined ? null : WHOLE;
  const { parts, lent } = lend<StateParts>(ownParts(state), state.lent, given, whole);
  const requests = state.requests + Number("madeWith" in given); // where a link leads, a model is awaited
  return take({ ...state, lent, requests }, parts);
}

/** The parts of a state that can be lent. */
function ownParts({ chosen: { headMask, ...parts }, off }: State): StateParts {
  return { ...parts, off: off ?? offIn(headMask) };
}

const keptOf = ({ chosen, off, lent }: State): Kept => ({ chosen, off, lent });

function restore(state: State, back: boolean): State {
  const done = stepped(state.history, keptOf(state), back);
  if (!done) return state;
  const { chosen } = done.found;
  return follow(state, {
    ...state,
    ...done.found,
    layer: chosen.layer,
    history: done.history,
    later: {},
    pinned: !isSameQuery(chosen.query, state.home),
  });
}

/** Takes parts over from outside. */
const take = (state: State, parts: StateParts): State => follow(state, taken(state, parts));

/** With parts from outside. Of heads that are to be off, only a map or its model tells which there are; a model may have others than the map that a page brought. */
function taken(state: State, { off, madeWith = state.madeWith, ...parts }: StateParts): State {
  const later = { ...state.later };
  for (const name of PLACES) if (name in parts) Object.assign(later, { [name]: parts[name] });
  const after = {
    ...state,
    later,
    chosen: { ...state.chosen, ...parts },
    layer: parts.layer ?? state.layer,
    madeWith,
    off: off ?? state.off,
  };
  if (off) after.chosen.headMask = null;
  return state.map ? markOff(after, state.map) : after;
}

/** Goes on with the model that was chosen, if it is among those that a page gives. */
function takeModels(state: State, given: Given): State {
  const { models, model, beside, linked } = given;
  const { chosen, map, compared, computedBy, places, example, requests, madeWith } = state;
  if (String(models) === String(state.models)) {
    if (beside !== state.beside) return take({ ...state, beside }, {});
    if (model >= 0) return take(state, { model });
    return models.some(isFile) ? { ...state, requests: requests + 1 } : state; // another file of that name
  }
  const link = models.includes(madeWith) ? linked : null; // now its heads are there
  const same = Math.max(models.indexOf(state.models[chosen.model]), 0);
  const parts = { ...chosen, model: same, ...link, sentence: chosen.sentence };
  const start = { ...startWith(parts, { ...factsOf(given), places, computedBy }), example };
  const shown = map ? show(start, { type: "show", map, compared }) : start;
  return link ? take(shown, parts) : shown; // for the map to come
}

/** With the heads off that wait for a map; where a model is to compute, they go on waiting for it. */
function markOff(state: State, { shape }: AttentionMap): State {
  const masked = withMask(state, shape);
  return state.computes ? { ...masked, off: state.off } : masked;
}

/** With the heads off that waited for a map, or a model, of this shape. */
function withMask(state: State, [layers, heads]: number[]): State {
  return state.off
    ? { ...state, off: null, chosen: { ...state.chosen, headMask: maskOf(state.off, layers, heads) } }
    : state;
}

/** A mask of other layers and heads than the model's is forgotten. */
function fitToModel(
  state: State,
  { numLayers, numHeads, vocabulary = [], model }: Extract<Action, { type: "model" }>,
): State {
  const masked = { ...withMask(state, [numLayers, numHeads]), model: model ?? null, words: vocabulary };
  const { headMask } = masked.chosen;
  const fits = !headMask || (headMask.length === numLayers && headMask[0].length === numHeads);
  if (fits) return masked;
  const lent = "model" in state.lent ? { off: offIn(headMask), ...state.lent } : state.lent; // they come back with their model
  return { ...masked, lent, forgot: true, chosen: { ...masked.chosen, headMask: null } };
}

// --- who asks

/** The token that asks while nobody points at another, among those shown. */
export const restOf = ({ shown, map, chosen }: State) =>
  shown && map ? queryRow(shown.map, chosen.query, map.queryTokens) : 0;

/** Who asks while nobody points at another, by their places in the computed map. */
export const askingOf = ({ chosen, map }: State) => fitQuery(chosen.query, map?.queryTokens ?? []).query;

/** The token that asks at present. */
export const queryOf = (state: State) => state.pointed ?? restOf(state);

/** Where a token is pinned, or several are dragged over, others are pointed at in vain. */
function point(state: State, query: Query | null): State {
  const single = typeof query === "number";
  if (!state.shown || (single && typeof state.pointed === "object" && state.pointed)) return state;
  const pointed = query === null || endsOf(query)[0] < 0 || (single && state.pinned) ? null : query;
  return String(pointed) === String(state.pointed) ? state : { ...state, pointed };
}

const hasRows = ({ shape }: ShownMap, rows: Query) => endsOf(rows)[1] < shape[2];

/** Lets a token, or several as one, keep asking. For none, or for those that are pinned, the pin goes. */
function pin(state: State, query: Query | null): State {
  const unpins = query === null || (state.pinned && isSameQuery(query, restOf(state)));
  if (unpins && !state.pinned) return point(state, null);
  if (!state.shown || !state.map || !hasRows(state.shown.map, query ?? 0)) return state;
  const still = { ...state, pointed: null };
  const parts = { query: unpins ? state.home : placesOfRows(state.shown.map, query, state.map.queryTokens) };
  return choose(still, parts, performance.now(), unpins);
}

/** Lets all ask as one up to a token: from the end of those that ask that is further away, or where the focus is on one of them, from the other end. */
function widen(state: State, to: number, from?: number): State {
  const [first, last] = endsOf(state.pinned ? restOf(state) : (from ?? to));
  const far = to - first > last - to ? first : last;
  const anchor = from === first ? last : from === last ? first : (from ?? far);
  const asks = spanned(Math.min(anchor, to), Math.max(anchor, to));
  return state.pinned && isSameQuery(asks, restOf(state)) ? state : pin(state, asks);
}

/** Where each cell that is shown is one of the computed map: not of words put together or heads averaged, nor of a part of the text. */
function explain(state: State, { layer, head, query, key }: AttentionEdge): State {
  const { map, shown } = state;
  const isWhole = shown && !shown.map.mixed && shown.map.shape.every((size, axis) => size === map?.shape[axis]);
  if (!map?.scoreParts || !isWhole || isMasked(map, query, key)) return state;
  return { ...state, explained: { map, edge: { layer, head, query, key } } };
}

/** Of another map, the same edge is explained if the text is the same. */
function explainedIn(map: AttentionMap, explained: State["explained"]) {
  const isSame = map.scoreParts && explained?.map.queryTokens.join("\n") === map.queryTokens.join("\n");
  return explained && isSame ? { map, edge: explained.edge } : null;
}

/** Takes what the model of a map answers about its sources, one after the other. */
function learn(state: State, map: AttentionMap, found?: Mattered | null): State {
  if (map !== state.map || (found && map !== state.without.map)) return state;
  if (found === null) return { ...state, without: UNASKED, chosen: { ...state.chosen, mattered: START.mattered } };
  const known = answersOf(state, map);
  return { ...state, without: found ? { map, found: [...known.found, found] } : known };
}

/** What a map was asked for, with what it has answered. */
const answersOf = ({ without }: State, map: AttentionMap) => (without.map === map ? without : { map, found: [] });

// --- the maps

function show(
  state: State,
  { map, compared = null, computedBy = state.computedBy }: Extract<Action, { type: "show" }>,
) {
  const kept = (each: AttentionMap | null) => (each?.present && !state.fetches ? { ...each, final: true } : each);
  const come = {
    ...state,
    map: kept(map),
    compared: kept(compared),
    computedBy,
    requested: [],
    refused: false,
    stale: false,
    explained: explainedIn(map, state.explained),
    later: {},
    chosen: { ...state.chosen, ...state.later },
  };
  return follow(state, markOff(come, map));
}

/** Takes a layer that was fetched. */
function addLayer(
  state: State,
  { layer, map, compared }: { layer: number; map: WireWeights; compared?: WireWeights },
): State {
  if (!state.map) return state;
  const waits = missingOf(state).length > 0;
  const filled = {
    ...state,
    map: withLayer(state.map, layer, map),
    compared: state.compared && compared ? withLayer(state.compared, layer, compared) : state.compared,
  };
  return waits || state.chosen.view === "grid" ? follow(state, filled) : filled;
}

/** The layers that what is chosen needs and that are still to come. */
export const missingOf = ({ map, chosen }: State) => (map ? missingLayers(map, chosen) : []);

/** What a map is computed from, and the layers that are fetched of it: where one differs from before, another is asked for. */
export function args({
  models,
  beside,
  chosen,
  off,
  map,
  requests,
  requested,
  computes,
}: State): Record<string, unknown> {
  const of = {
    ...Object.fromEntries(COMPUTED.map((name) => [name, chosen[name]])),
    headMask: String(off ?? offIn(chosen.headMask)),
    requests,
    ...(lacksNorms(map, chosen) && { norms: true }),
  };
  return { models, beside, ...(computes && of), ...(requested.length && { layers: requested.at(-1) }) };
}

const isOther = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  Object.keys(other).some((name) => one[name] !== other[name]);

/** What follows from a change for what is shown: nothing as long as another map is on its way, or layers are. */
function follow(before: State, changed: State): State {
  const isAsBefore = before.chosen.sentence === changed.chosen.sentence && before.chosen.query === changed.chosen.query;
  const after = { ...changed, ...viewAfter(before, changed), ...(!isAsBefore && { unfound: "" }) };
  const { map, compared } = after;
  if (!map) return after;
  const isAwaited = before.map === map && after.computes;
  if (isAwaited && (isOther(args(before), args(after)) || lacksNorms(map, after.chosen)))
    return { ...after, without: answersOf(after, map) }; // nothing more is asked of this one
  const chosen = fitted(after, map);
  const [{ refused = after.unfound }, home] = [after.chosen.query, after.home].map((query) =>
    fitQuery(query, map.queryTokens),
  );
  const found = { unfound: refused, home: typeof after.home === "string" ? home.query : after.home };
  const state = { ...after, ...found, chosen, ...viewAfter(before, { ...after, chosen }) };
  const missing = missingOf(state);
  if (missing.length) return { ...state, requested: withRequest(state, missing) };
  const from = [map, compared, ...SHOWN.map((name) => state.chosen[name])];
  const same = before.shown?.from.every((each, at) => each === from[at]);
  const shown = same
    ? { ...before.shown! }
    : { from, map: shownMap(map, state.chosen), compared: compared && shownMap(compared, state.chosen) };
  const pointed = endsOf(queryOf({ ...state, shown }))[1] < shown.map.queryTokens.length ? state.pointed : null;
  const lookedAt = isShown(shown, state.lookedAt) ? state.lookedAt : null;
  const allOn = state.chosen.headMask ? state.allOn : { of: textOf(state), predictions: map.predictions };
  return { ...state, shown, pointed, lookedAt, allOn };
}

/** Whether there's such a word among those that are looked at. */
const isShown = ({ map, compared }: Shown, at: State["lookedAt"]) =>
  at !== null && at.key < ((at.second ? compared : map)?.keyTokens.length ?? 0);

/** What a view knows. No word is looked at in one that opens. The grid: as it opens, it's sorted, and the head that is looked at is the chosen one, as it is where another is chosen. */
function viewAfter({ chosen: before }: State, { chosen, looked, sorted }: State) {
  const { layer, head, view } = chosen;
  if (view !== before.view) return { looked: { layer, head: head ?? 0 }, sorted: true, lookedAt: null };
  const moves = layer !== before.layer || head !== before.head;
  return { looked: moves ? { layer, head: head ?? looked.head } : looked, sorted };
}

const textOf = ({ chosen: { model, sentence } }: State) => `${model} ${sentence}`;

/** What was predicted with all heads on, where some are off. */
export const withAllOn = (state: State) =>
  state.chosen.headMask && state.allOn.of === textOf(state) ? state.allOn.predictions : {};

/** With a request for the layers that weren't requested before. */
function withRequest({ requested, fetches }: State, missing: number[]) {
  const layers = missing.filter((layer) => !requested.flat().includes(layer));
  return fetches && layers.length ? [...requested, layers] : requested;
}

/** Where a map lacks the chosen layer, head or query, another takes its place; where it lacks a picture, the first view. */
function fitted({ chosen, layer: wanted }: State, map: AttentionMap): MapState {
  const [layers, heads] = map.shape;
  const layer = Math.min(wanted ?? map.namedLayer ?? 0, layers - 1);
  return {
    ...chosen,
    layer: map.final && !layersOf(map).includes(layer) ? layersOf(map)[0] : layer,
    head: chosen.head === null ? null : Math.min(chosen.head, heads - 1),
    query: fitQuery(chosen.query, map.queryTokens).query,
    view: chosen.view === "picture" && !map.picture ? START.view : chosen.view,
  };
}

// --- what is told from it

/** What the map is called that this one is compared with. */
export const secondName = ({ beside }: State) => (beside ? modelLabel(beside) : "second sentence");

/** What is drawn: of two sentences, Matrix and Grid show the difference. */
export function drawnOf({ shown, chosen }: State): ShownMap | null {
  if (!shown?.compared || !DIFFERENCES.includes(chosen.view)) return shown?.map ?? null;
  return { ...shown.map, kind: "signed", full: isOfParts(shown.map) ? FULL : undefined };
}

/** Whether a head of the model is on. */
export const isOn = ({ headMask }: MapState, layer: number, head: number) => headMask?.[layer]?.[head] ?? true;

/** The mask with one head turned on or off; null where all are on. */
export function toggled(chosen: MapState, [layers, heads]: number[], layer: number, head: number) {
  const mask = Array.from({ length: layers }, (_, row) =>
    Array.from({ length: heads }, (_on, each) => isOn(chosen, row, each)),
  );
  mask[layer][head] = !mask[layer][head];
  return mask.flat().every(Boolean) ? null : mask;
}

/** The chosen head as a view opens: Lines show one at first, the first that's on; the others all, or the one that was large. */
export function headFor(view: MapState["view"], chosen: MapState) {
  if (view === "lines") return chosen.head ?? Math.max(chosen.headMask?.[chosen.layer].indexOf(true) ?? 0, 0);
  return chosen.view === "lines" ? null : chosen.head;
}
