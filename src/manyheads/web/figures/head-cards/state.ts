// What <head-cards> knows: the heads, the card that is open, how the atlas and the table stand, and what the live figure shows. No DOM.

import type { AttentionMap } from "../../math/attention-map.ts";
import { layersOf } from "../../math/maps.ts";
import { BEHAVIOURS } from "../../math/names.ts";
import { capital } from "../../math/text.ts";
import { layerAxis, scoreAxis, type Axis } from "./axes.ts";
import { nameOf, order, shown, type Data } from "./data.ts";

const LONG = 100; // heads; of more, a table shows the first
export const FIRST = 20;

/** Columns are numbered as the table's: that of the names, in the order of layers and heads, then one for each score. */
export interface State {
  data: Data;
  figure: string; // the id of the live one
  opened: number; // the head whose card is open
  score: number; // the column whose examples it shows
  named: boolean; // the head was opened, and not only its score pressed
  sorted: { column: number; descending: boolean } | null; // by the reader; else in the order of the names
  whole: boolean; // all rows are shown
  across: number; // the column that the atlas goes by: at first, by layers
  map: AttentionMap | null; // what the live figure shows
}

export type Action =
  | { type: "open"; head: number }
  | { type: "press"; score: number }
  | { type: "sort"; column: number } // scores with the largest first, names from the first layer on; again, the other way round
  | { type: "take"; parts: Partial<Pick<State, "whole" | "across" | "map">> };

/** With the card of the strongest head. */
export function start(element: Pick<HTMLElement, "getAttribute">, data: Data | null): State | null {
  if (!data) return null;
  const figure = element.getAttribute("for") ?? "";
  const sorted = data.heads.length > LONG ? { column: 1, descending: true } : null;
  const state = { data, figure, opened: 0, score: 1, named: true, sorted, whole: !sorted, across: 0, map: null };
  return reduce(state, { type: "open", head: order(valuesOf(data, 1), true)[0] });
}

export function reduce(state: State, action: Action): State {
  if (action.type === "open")
    return { ...state, opened: action.head, score: bestOf(state.data, action.head), named: true };
  if (action.type === "press") return { ...state, score: action.score, named: false };
  if (action.type === "take") return { ...state, ...action.parts };
  const { column } = action;
  const descending = state.sorted?.column === column ? !state.sorted.descending : column > 0;
  return { ...state, sorted: { column, descending } };
}

/** The values of a column, of each head. */
export const valuesOf = ({ heads }: Data, column: number) =>
  heads.map(({ scores }, head) => (column === 0 ? head : scores[column - 1]));

/** Which place a head takes by a score, the largest first: 1, 2, ... */
export const rankOf = (data: Data, head: number, column: number) =>
  1 + valuesOf(data, column).filter((value) => value > data.heads[head].scores[column - 1]).length;

/** The score in which a head ranks best. */
function bestOf(data: Data, head: number) {
  const ranks = data.scores.map((_, at) => rankOf(data, head, at + 1));
  return 1 + ranks.indexOf(Math.min(...ranks));
}

/** The heads of the rows that the table shows, in their order. */
export const rowsOf = ({ data, sorted, whole }: State) =>
  order(valuesOf(data, sorted?.column ?? 0), sorted?.descending ?? false).slice(0, whole ? data.heads.length : FIRST);

/** The map of the open head, where the live figure has these heads. */
export function mapOfOpened({ data: { heads }, opened, map }: State) {
  const { layer, head } = heads[opened];
  const isOfThese = map && map.shape[0] * map.shape[1] === heads.length;
  return isOfThese && layer < map.shape[0] && head < map.shape[1] && layersOf(map).includes(layer) ? map : null;
}

/** What the card says, for those who listen. */
export function summary({ data, opened, score, named }: State) {
  const [head, shows] = [data.heads[opened], data.scores[score - 1]];
  const place = `${rankOf(data, opened, score)} of ${data.heads.length}`;
  const text = `${shows.name} ${shown(shows, head.scores[score - 1])}, ${shows.says}; ${place}`;
  return named ? `${capital(nameOf(head))}: ${text}` : text;
}

/** The rows of the atlas: the heads of each kind, in the order of the layers. */
export const kindsOf = ({ heads }: Data) =>
  [...Object.keys(BEHAVIOURS), null]
    .map((kind) => ({ kind, heads: [...heads.keys()].filter((at) => heads[at].behaviour === kind) }))
    .filter(({ heads: all }) => all.length);

/** Where heads stand in the atlas, and their order from left to right. */
export function axisOf({ data, across }: State): Axis & { inOrder(heads: number[]): number[] } {
  const values = across ? valuesOf(data, across) : data.heads.map(({ layer }) => layer);
  const axis = across
    ? scoreAxis({ values, text: (value) => shown(data.scores[across - 1], value) })
    : layerAxis(values);
  return { ...axis, inOrder: (heads) => [...heads].sort((a, b) => values[a] - values[b] || a - b) };
}

/** Where an arrow key leads: to the next head of the kind, or to the kind above or below, to the head that stands nearest. */
export function headBeside(state: State, head: number, [down, right]: [rows: number, columns: number]) {
  const kinds = kindsOf(state.data);
  const row = kinds.findIndex(({ heads }) => heads.includes(head));
  const { places, inOrder } = axisOf(state);
  const ordered = inOrder(kinds[row + down]?.heads ?? []);
  if (right) return ordered[ordered.indexOf(head) + right];
  const far = (other: number) => Math.abs(places[other] - places[head]);
  return ordered.sort((a, b) => far(a) - far(b))[0];
}
