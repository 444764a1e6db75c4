// What is shown of a map, by what its reader chose.

import type { AttentionMap } from "./attention-map.ts";
import type { Chosen } from "./choosing.ts";
import { mergeWords, addNote, fitQuery, placesOf, takeBetween, leaveOutSpecial } from "./choosing.ts";
import type { MapState, ShownMap, ShownState } from "./map-state.ts";
import { averageHeads, isOfParts, isOfShares, layersOf, lineUnit, rollOut } from "./maps.ts";
import { FULL, LEGEND } from "./names.ts";
import { OPTIONS } from "./options.ts";
import { endsOf, spanned, type Query } from "./query.ts";
import { amount, percent, wordStarts } from "./text.ts";
import { canWeigh, weighByNorms } from "./value-norms.ts";

/** Whether those that ask are those that are looked at. */
export const isAlike = ({ queryTokens, keyTokens }: AttentionMap) =>
  queryTokens.length === keyTokens.length && queryTokens.every((token, place) => token === keyTokens[place]);

/** What no colour and the full colour mean in what is shown: [from, to]. */
export function legendOf(
  map: AttentionMap & { full?: number; weighed?: boolean },
  { view, scale, layer }: Pick<MapState, "view" | "scale" | "layer">,
) {
  const { kind = "shares" } = map;
  if (map.full && scale !== "relative") return LEGEND.difference.map((text) => text.replace("{full}", percent(FULL)));
  if (view === "picture" && scale === "relative") return LEGEND.picture;
  const name =
    isOfParts(map) || scale === "relative" ? scale : kind === "signed" ? "signed" : map.weighed ? "written" : "amounts";
  const full = isOfParts(map) ? percent(FULL) : amount(lineUnit(map, layer));
  return LEGEND[name as keyof typeof LEGEND].map((text) => text.replace("{full}", full));
}

/** Whether attention rollout can be shown of a map. */
export const canRollOut = (map: AttentionMap) =>
  isAlike(map) && isOfShares(map) && !(map.final && layersOf(map).length < map.shape[0]);

/** Whether how much is written is to be shown. A rollout is one of attention. */
const weighs = (map: AttentionMap, { weigh, layers }: Pick<MapState, "weigh" | "layers">) =>
  weigh === "written" && canWeigh(map) && !(layers === "rollout" && canRollOut(map));

/** Whether it is shown. */
export const isWeighed = (map: AttentionMap, state: Pick<MapState, "weigh" | "layers">) =>
  map.valueNorms !== null && weighs(map, state);

/** Whether the model has to be asked for norms. */
export const lacksNorms = (map: AttentionMap | null, state: Pick<MapState, "weigh" | "layers">) =>
  map?.valueNorms === null && weighs(map, state);

const FEW_HEADS = 12;

/** Whether a map has so few heads that all layers may stand side by side as pictures. */
export const areFewHeads = ({ shape: [layers, heads] }: Pick<AttentionMap, "shape">) => layers * heads <= FEW_HEADS;

/** What of the state says which layers are needed. */
type LayersState = Pick<MapState, "view" | "layer" | "layers" | "weigh">;

/**
 * The layers that what is shown needs: all of a rollout, of a few heads as pictures, and of a grid that has no small ones, which
 * are of attention; else the one looked at.
 */
export function neededLayers(map: AttentionMap, state: LayersState) {
  const { view, layer, layers } = state;
  const all = [...Array(map.shape[0]).keys()];
  if (layers === "rollout" && canRollOut(map)) return all;
  if (view === "picture" && areFewHeads(map)) return map.final ? layersOf(map) : all;
  return view === "grid" && (!map.pictures || isWeighed(map, state)) ? all : [Math.min(layer, all.length - 1)];
}

/** The layers that are still to come. */
export function missingLayers(map: AttentionMap, state: LayersState) {
  const present = layersOf(map);
  return neededLayers(map, state).filter((layer) => !present.includes(layer));
}

/** Whether an option of how much is shown would change something of a map. */
export function changesSomething(map: AttentionMap, state: MapState, name: keyof MapState) {
  const [layers, heads] = map.shape;
  const rolled = state.layers === "rollout" && canRollOut(map);
  if (name === "weigh") return canWeigh(map) && !rolled;
  if (name === "heads") return heads > 1 && !(rolled && layers > 1);
  if (name === "layers") return layers > 1 && canRollOut(map);
  if (name === "pieces")
    return [map.queryTokens, map.keyTokens].some((tokens) => wordStarts(tokens).length < tokens.length);
  return true;
}

/**
 * What is shown of a computed map: attention, or how much is written; heads each or averaged, or rolled out; word pieces apart or merged; special tokens
 * kept or removed; some of the tokens. Of the layers that are there, those that it needs.
 */
export function shownMap(computed: AttentionMap, state: ShownState): ShownMap {
  const map = isWeighed(computed, state) ? weighByNorms(computed) : computed;
  const needed = state.view === "grid" ? layersOf(map) : neededLayers(computed, state);
  const alike = isAlike(map);
  const rolled = state.layers === "rollout" && canRollOut(map);
  let shown: Chosen = { ...map, present: layersOf(map).filter((layer) => needed.includes(layer)) };
  if (rolled) shown = rollOut(shown);
  else if (state.heads === "average") shown = averageHeads(shown, state.headMask);
  const mixed = shown.headNames !== map.headNames;
  if (state.pieces === "merge") shown = mergeWords(shown);
  if (state.special === "remove") shown = leaveOutSpecial(shown);
  shown = takeBetween(shown, state, map.shape[3], alike);
  if (state.scale === "relative") shown = addNote(shown, OPTIONS.scale.values.relative.note);
  const queries = shown.queries ?? placesOf(shown.queryTokens);
  return { ...shown, queries, mixed, askers: alike ? askersOf(queries, shown) : null };
}

/** The rows of those that ask in the computed map; of a piece of a word, that of the word; the first if none is there. */
export function queryRow(shown: ShownMap, query: Query | string, tokens: string[]): Query {
  const asks = fitQuery(query, tokens).query;
  if (shown.queries.length === tokens.length) return asks;
  const [first, last] = endsOf(asks);
  const ends = endsOfRows(shown, tokens);
  const rows = [...shown.queries.keys()].filter((row) => shown.queries[row] <= last && first <= ends[row]);
  return rows.length ? spanned(rows[0], rows.at(-1)!) : 0;
}

/** The places in the computed map of those that ask in these rows: of one row the first, of several all. */
export const placesOfRows = (shown: ShownMap, rows: Query, tokens: string[]): Query =>
  typeof rows === "number" ? shown.queries[rows] : [shown.queries[rows[0]], endsOfRows(shown, tokens)[rows[1]]];

/** The last place that each row is of: where words are merged, the last piece of the word. */
function endsOfRows({ queries }: ShownMap, tokens: string[]) {
  const starts = wordStarts(tokens);
  return queries.map(
    (place, row) =>
      Math.min(queries[row + 1] ?? tokens.length, starts.find((start) => start > place) ?? tokens.length) - 1,
  );
}

/** The places among `queries` of the tokens looked at. */
function askersOf(queries: number[], { keys, keyTokens }: Chosen) {
  const asking = new Map(queries.map((place, at) => [place, at]));
  return (keys ?? placesOf(keyTokens)).map((place) => asking.get(place) ?? null);
}

/** The key with which an answer begins, as it's shown; -1 for none, and where nothing of its prompt is shown. */
export function answerKey({ answerStart = Infinity, keys, keyTokens }: ShownMap) {
  const at = (keys ?? placesOf(keyTokens)).findIndex((place) => place >= answerStart);
  return at || -1;
}

/** Where a token that asks is looked at, of a span one in its middle; -1 where it isn't. */
export const keyOf = ({ askers }: ShownMap, query: Query) =>
  askers?.indexOf(Math.floor((endsOf(query)[0] + endsOf(query)[1]) / 2)) ?? -1;
