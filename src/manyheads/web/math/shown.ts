// What is shown of a map, by what its reader chose. Twin of maps/shown.py.

import { between, mergePieces, noted, placesOf, received, strongestOfRows, withoutSinks, withoutSpecial, wordOf } from "./choosing.ts";
import { averageHeads, isOfParts, isOfShares, layersOf, lineUnit, rollout } from "./maps.ts";
import { DECADES, FULL, LEGEND } from "./names.ts";
import { amount, note, percent, wordStarts } from "./text.ts";

/** The parts of the state that what is shown of a map depends on. @type {(keyof MapState)[]} */
export const SHOWN = ["special", "heads", "layers", "pieces", "sinks", "scale", "top", "first", "last", "headMask"];

/**
 * Whether those that ask are those that are looked at.
 * @param {AttentionMap} map
 */
export const isAlike = ({ queryTokens, keyTokens }) =>
  queryTokens.length === keyTokens.length && queryTokens.every((token, place) => token === keyTokens[place]);

/**
 * What no colour and the full colour mean in what is shown: [from, to].
 * @param {AttentionMap & { full?: number }} map
 * @param {Pick<MapState, "scale" | "layer">} state
 */
export function legendOf(map, { scale, layer }) {
  const { kind = "shares" } = map;
  if (map.full && scale !== "relative") return LEGEND.difference.map((text) => text.replace("{full}", percent(FULL)));
  const name = isOfParts(map) || scale === "relative" ? scale : kind === "signed" ? "signed" : "amounts";
  const full = isOfParts(map) ? percent(FULL) : amount(lineUnit(map, layer));
  const [from, to] = LEGEND[/** @type {keyof typeof LEGEND} */ (name)].map((text) => text.replace("{full}", full).replace("{least}", `${100 / 10 ** DECADES} %`));
  return [from, name === "amounts" || name === "signed" ? `${to}${scale === "log" ? ", on a log scale" : ""}` : to];
}

/** Whether attention rollout can be shown of a map. */
export const canRollOut = (/** @type {AttentionMap} */ map) =>
  isAlike(map) && isOfShares(map) && !(map.final && layersOf(map).length < map.shape[0]);

/**
 * The layers that what is shown needs: all of a rollout, and of a grid that has no small pictures; else the one looked at.
 * @param {AttentionMap} map
 * @param {Pick<MapState, "view" | "layer" | "layers">} state
 */
export function neededLayers(map, { view, layer, layers }) {
  const all = [...Array(map.shape[0]).keys()];
  if (layers === "rollout" && canRollOut(map)) return all;
  return view === "grid" && !map.pictures ? all : [Math.min(layer, all.length - 1)];
}

/**
 * The layers that are still to come.
 * @param {AttentionMap} map
 * @param {Pick<MapState, "view" | "layer" | "layers">} state
 */
export function missingLayers(map, state) {
  const there = layersOf(map);
  return neededLayers(map, state).filter((layer) => !there.includes(layer));
}

/**
 * What is shown of a computed map: heads each or averaged, or rolled out; word pieces apart or merged; sinks and special tokens
 * kept or removed; some of the tokens; the strongest weights. Of the layers that are there, those that it needs.
 * @param {AttentionMap} map
 * @param {ShownState} state
 * @returns {ShownMap}
 */
export function shownMap(map, state) {
  const { heads, layers, pieces, sinks, special, scale, top } = state;
  const needed = state.view === "grid" ? layersOf(map) : neededLayers(map, state);
  const alike = isAlike(map);
  const rolled = layers === "rollout" && canRollOut(map);
  /** @type {AttentionMap & { queries?: number[], keys?: number[] }} */
  let shown = { ...map, there: layersOf(map).filter((layer) => needed.includes(layer)) };
  if (rolled) shown = rollout(shown);
  else if (heads === "average") shown = averageHeads(shown, state.headMask);
  const mixed = shown.headNames !== map.headNames;
  let shares = sinks === "hide" && isOfShares(map) ? received(map) : null; // of what was computed
  if (pieces === "merge") {
    shares = shares && summed(shares, wordStarts(map.keyTokens));
    shown = mergePieces(shown);
  }
  if (shares) shown = withoutSinks(shown, shares);
  if (special === "remove") shown = withoutSpecial(shown);
  shown = between(shown, state, map.shape[3], alike);
  if (top !== null) shown = strongestOfRows(shown, top);
  if (scale === "relative" || scale === "log") shown = noted(shown, note(scale));
  return { queries: placesOf(shown.queryTokens), ...shown, mixed };
}

/**
 * The row of a token of the computed map; of a piece of a word, that of the word; the first if it is not there.
 * @param {ShownMap} shown
 * @param {number} query
 * @param {string[]} tokens
 */
export function askedRow({ queries }, query, tokens) {
  const place = queries.indexOf(query);
  if (place >= 0) return place;
  if (query >= tokens.length) return 0;
  const start = wordStarts(tokens).findLast((at) => at <= query) ?? 0;
  return Math.max(queries.indexOf(start), 0);
}

/**
 * The places among those that ask of the tokens looked at; null where others ask than are looked at.
 * @param {ShownMap} shown
 * @param {AttentionMap} computed
 */
export function askersOf(shown, computed) {
  if (!isAlike(computed)) return null;
  const places = shown.keys ?? [...shown.keyTokens.keys()];
  const asking = new Map(shown.queries.map((place, at) => [place, at]));
  return places.map((place) => asking.get(place) ?? null);
}

/**
 * @param {ArrayLike<number>} shares
 * @param {number[]} starts
 */
function summed(shares, starts) {
  const words = new Float64Array(starts.length);
  wordOf(shares.length, starts).forEach((word, place) => (words[word] += shares[place]));
  return words;
}
