// The arithmetic of a map in the page: what <head-map> shows of it. Twin of the methods of `AttentionMap` in Python.

import type { HeadStyle } from "./map-state.ts";
import type { AttentionMap, HeadMask } from "./attention-map.ts";
import { BEHAVIOURS, DEPTH, FULL, HEAD_COLOURS, NEUTRAL_COLOUR, NUMBER_COLOURS, OFF_COLOUR } from "./names.ts";
import { endsOf, isAsking, spanned, type Query } from "./query.ts";
import { isSpecial, textOf } from "./text.ts";

export const DENSE = 20; // keys; a matrix of more has small cells
const FAINT = 0.1;
const DEPTHS = 200; // from no tint to the full one; finer ones no eye sees, and a cell that stays is not drawn anew

/** How those are called that ask: a token, or the text of a span. */
export const queryName = ({ queryTokens }: Pick<AttentionMap, "queryTokens">, query: Query) =>
  typeof query === "number" ? queryTokens[query] : textOf(queryTokens, ...query);

type Rows = Pick<AttentionMap, "shape" | "weights">;

/** The weights that one query gives to all keys in one head, of a span the mean of its rows: float32 [key]. */
export function queryWeights(map: Rows, layer: number, head: number, query: Query) {
  if (typeof query !== "number") return meanOfRows(map, layer, head, query);
  const [, heads, queries, keys] = map.shape;
  const start = ((layer * heads + head) * queries + query) * keys;
  return map.weights.subarray(start, start + keys);
}

function meanOfRows(map: Rows, layer: number, head: number, [first, last]: readonly [number, number]): Float32Array {
  const sums = new Float64Array(map.shape[3]);
  for (let query = first; query <= last; query++)
    queryWeights(map, layer, head, query).forEach((weight, key) => (sums[key] += weight));
  return Float32Array.from(sums, (sum) => sum / (last + 1 - first));
}

/** The layers whose weights are there: all, unless a kernel has sent some only. */
export const layersOf = ({ shape: [layers], present }: AttentionMap) => present ?? [...Array(layers).keys()];

/** The name of a layer: "layer 1", unless the map's are not counted from there. */
export const layerName = ({ layerNames }: Pick<AttentionMap, "layerNames">, layer: number) =>
  layerNames?.[layer] ?? `layer ${layer + 1}`;

/** The names of all layers. */
export const layerNamesOf = (map: AttentionMap) =>
  Array.from({ length: map.shape[0] }, (_, layer) => layerName(map, layer));

/** The name of a head within its layer. */
export const headName = (
  { headNames, namedLayer = -1 }: Pick<AttentionMap, "headNames" | "namedLayer">,
  layer: number,
  head: number,
) => (namedLayer < 0 || namedLayer === layer ? headNames[head] : `head ${head + 1}`);

/** The names of a layer's heads. */
export const headNamesOf = (map: Pick<AttentionMap, "headNames" | "namedLayer">, layer: number) =>
  map.headNames.map((_, head) => headName(map, layer, head));

/** The name of a head, after that of its layer where there is more than one, or it has a name of its own. */
export const headTitle = (map: AttentionMap, layer: number, head: number) =>
  `${map.shape[0] > 1 || map.layerNames ? `${layerName(map, layer)}, ` : ""}${headName(map, layer, head)}`;

/** Whether the rows of a map sum to 1, or to 0. */
export const isOfShares = ({ kind = "shares" }: AttentionMap) => kind === "shares";

/** Whether a query may not look at a key, as at later words in causal attention; of a span, none of its tokens. */
export function isMasked(
  { shape, causal, mask }: Pick<AttentionMap, "shape" | "causal" | "mask">,
  query: Query,
  key: number,
) {
  const [first, last] = endsOf(query);
  if (causal || !mask) return Boolean(causal) && key > last;
  for (let place = first; place <= last; place++) if (mask[place * shape[3] + key]) return false;
  return true;
}

/** Whether some query may not look at some key. */
export const hasMask = ({ causal, mask }: AttentionMap) => Boolean(causal || mask);

/**
 * The mean over the heads that are on (of shares, for each query those that look at anything), as a map of one head:
 * [layer, head, query, key] -> [layer, 1, query, key].
 */
export function averageHeads(map: AttentionMap, mask: HeadMask = null): AttentionMap {
  const [layers, heads, queries, keys] = map.shape;
  const size = queries * keys;
  const weights = new Float32Array(layers * size);
  for (const layer of layersOf(map)) {
    const sums = new Float64Array(size);
    for (let head = 0, from = layer * heads * size; head < heads; head++, from += size)
      if (mask?.[layer]?.[head] ?? true) for (let at = 0; at < size; at++) sums[at] += map.weights[from + at];
    for (let row = 0; row < size; row += keys) {
      const sum = isOfShares(map)
        ? sums.subarray(row, row + keys).reduce((a, b) => a + b, 0)
        : (mask?.[layer]?.filter(Boolean).length ?? heads);
      if (sum !== 0) for (let at = row; at < row + keys; at++) weights[layer * size + at] = sums[at] / sum;
    }
  }
  return {
    ...map,
    shape: [layers, 1, queries, keys],
    weights,
    headNames: [mask ? "mean of the heads that are on" : `mean of ${heads} heads`],
    namedLayer: undefined,
  };
}

/**
 * Attention rollout (Abnar & Zuidema 2020): how much of each input token reaches each position by a layer, if every
 * layer passes on half of what it had and half of what its heads, on average, look at: R_l = (A_l + I) / 2 · R_(l-1), rows
 * scaled to sum to 1. A map of one head; layer l holds R_l. For self-attention only: as many queries as keys.
 */
export function rollOut(map: AttentionMap): AttentionMap {
  const { weights: mean, shape } = averageHeads(map);
  const [layers, , queries, keys] = shape;
  if (queries !== keys) throw new Error(`rollout needs as many queries as keys, got ${queries} and ${keys}`);
  const weights = new Float32Array(mean.length);
  let before = Float64Array.from({ length: keys * keys }, (_, at) => Number(at % (keys + 1) === 0)); // R_0 = I
  for (let layer = 0; layer < layers; layer++) {
    const now = new Float64Array(keys * keys);
    for (let query = 0; query < keys; query++) {
      const row = mean.subarray((layer * keys + query) * keys, (layer * keys + query + 1) * keys);
      const sum = row.reduce((a, b) => a + b, 1);
      for (let through = 0; through < keys; through++) {
        const share = (row[through] + Number(through === query)) / sum;
        if (share > 0)
          for (let key = 0; key < keys; key++) now[query * keys + key] += share * before[through * keys + key];
      }
    }
    weights.set(now, layer * keys * keys);
    before = now;
  }
  return { ...map, shape, weights, headNames: ["rollout"], namedLayer: undefined };
}

/** The colour of a head, by its name: its own where it is a taught one. */
export const colourOf = (name = "") =>
  Object.hasOwn(HEAD_COLOURS, name) ? HEAD_COLOURS[name as keyof typeof HEAD_COLOURS] : NEUTRAL_COLOUR;

/** What is said of what a head mostly does, and its colour. */
export function behaviourOf(name: string) {
  const [label, colour] = BEHAVIOURS[Object.hasOwn(BEHAVIOURS, name) ? (name as keyof typeof BEHAVIOURS) : "other"];
  return { label, colour };
}

/** The colour of a weight: its head's, or where weights may be below 0, that of its sign. */
export function weightColour({ kind }: Pick<AttentionMap, "kind">, { colour, off }: HeadStyle, weight: number) {
  if (off) return OFF_COLOUR;
  return kind === "signed" ? NUMBER_COLOURS[weight < 0 ? "negative" : "positive"] : colour;
}

/**
 * The weight that has the full colour in a row: the same for every map of shares; of other numbers, the largest of the layer; on the
 * relative scale, the largest of the row.
 */
export function fullWeight(
  map: AttentionMap & { full?: number },
  layer: number,
  weights: ArrayLike<number>,
  { scale, dim = false }: Partial<HeadStyle>,
) {
  if (scale === "relative") return largestWeight(weights, map.keyTokens, dim);
  if (map.full) return map.full;
  return isOfParts(map) ? FULL : lineUnit(map, layer);
}

/** Whether the weights of a map are shares of a head's attention. */
export const isOfParts = ({ kind = "shares" }: Pick<AttentionMap, "kind">) => kind === "shares" || kind === "parts";

/** How deep a weight is tinted, 0 to 1: its share of the one that has the full colour. */
export const tintShare = (weight: number, full: number) => (full > 0 ? Math.min(Math.abs(weight) / full, 1) : 0);

/**
 * How a cell shows a weight: its colour, how opaque that is, and how much of an underline says it again, both 0 to 1. Where
 * special tokens are dimmed, theirs are faint.
 */
export function cellTint(
  map: Pick<AttentionMap, "kind">,
  style: HeadStyle,
  weight: number,
  full: number,
  special: boolean,
) {
  const share = Math.round(DEPTHS * tintShare(weight, full)) / DEPTHS;
  const faint = style.dim && special;
  return {
    colour: weightColour(map, style, weight),
    opacity: share * (faint ? FAINT : DEPTH),
    underline: faint ? 0 : share,
  };
}

/** An opacity as the last two digits of a colour. */
export const alpha = (opacity: number) =>
  Math.round(255 * opacity)
    .toString(16)
    .padStart(2, "0");

interface StrongestOptions {
  most?: number;
  least?: number;
  chosen?: (head: number, query: number, key: number) => boolean;
}

/**
 * The strongest weights of one layer, at most `most` and none below `least`, weakest first so that they are drawn first.
 * `chosen(head, query, key)` says which count. The defaults are those of Lines.
 */
export function strongest(map: AttentionMap, layer: number, options: StrongestOptions = {}) {
  const { most = 800, least = 0.01 * lineUnit(map, layer), chosen = () => true } = options;
  const {
    shape: [, heads, queries, keys],
    weights,
  } = map;
  const size = queries * keys;
  const start = layer * heads * size;
  const found = [];
  for (let at = 0; at < heads * size; at++) {
    const weight = weights[start + at];
    if (!(Math.abs(weight) >= least) || weight === 0) continue;
    const [head, query, key] = [Math.floor(at / size), Math.floor((at % size) / keys), at % keys];
    if (chosen(head, query, key)) found.push({ head, query, key, weight });
  }
  return found.sort((a, b) => Math.abs(a.weight) - Math.abs(b.weight)).slice(-most);
}

/** The weight whose line is the thickest: 1 of shares, else the largest of the layer. */
export function lineUnit(map: AttentionMap, layer: number) {
  if (isOfParts(map)) return 1;
  const known = LARGEST_OF_LAYERS.get(map) ?? [];
  LARGEST_OF_LAYERS.set(map, known);
  return (known[layer] ??= largestOfLayer(map, layer));
}

const LARGEST_OF_LAYERS = new WeakMap<AttentionMap, number[]>();

function largestOfLayer({ shape: [, heads, queries, keys], weights }: AttentionMap, layer: number) {
  const size = heads * queries * keys;
  return weights
    .subarray(layer * size, (layer + 1) * size)
    .reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
}

/**
 * How the line of a weight is drawn: the stronger, the thicker and the less transparent; below 0, dashed. `look` is that of
 * its head, `unit` the weight whose line is the thickest.
 */
export function lineStyle(
  style: HeadStyle,
  map: AttentionMap,
  line: { query: number; key: number; weight: number },
  unit: number,
) {
  const { query, key, weight } = line;
  const faint = style.dim && (isSpecial(map.queryTokens[query]) || isSpecial(map.keyTokens[key]));
  const strength = tintShare(weight, unit);
  return {
    stroke: weightColour(map, style, weight),
    "stroke-width": (1 + 3.5 * strength).toFixed(2),
    "stroke-opacity": ((0.08 + 0.92 * strength) * (faint ? 0.2 : 1)).toFixed(3),
    "stroke-dasharray": weight < 0 ? "6 4" : "none",
  };
}

/** The largest weight of a row, to which the others are tinted; of the words' alone where special tokens are dimmed. */
export function largestWeight(weights: ArrayLike<number>, tokens: string[], dim: boolean) {
  let largest = 0;
  for (let key = 0; key < weights.length; key++)
    if (Math.abs(weights[key]) > largest && !(dim && isSpecial(tokens[key]))) largest = Math.abs(weights[key]);
  return largest;
}

/** Pairs up two token lists by their longest common subsequence: [[i, j], ...]. */
export function alignTokens(a: string[], b: string[]) {
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;)
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  return pairs;
}

/**
 * The share of a head's attention that lands elsewhere in the second map, 0 to 1: total variation distance, half of what the rows differ
 * by, where a word that only one of the maps has, and what a row lacks to 1, count as well.
 */
export function attentionMoved(rowA: ArrayLike<number>, rowB: ArrayLike<number>, pairs: number[][]) {
  let [differs, restA, restB, sumA, sumB] = [0, 0, 0, 0, 0];
  for (let i = 0; i < rowA.length; i++) sumA += rowA[i];
  for (let j = 0; j < rowB.length; j++) sumB += rowB[j];
  for (const [i, j] of pairs) {
    differs += Math.abs(rowA[i] - rowB[j]);
    restA += rowA[i];
    restB += rowB[j];
  }
  const unpaired = sumA - restA + (sumB - restB);
  return Math.min(Math.max((differs + unpaired + Math.abs(sumA - sumB)) / 2, 0), 1);
}

interface Compared {
  moved: number[];
  pairs: number[][] | null;
  secondQuery: Query;
}

/**
 * Two maps head by head, for one query: {moved: [head] -> share, pairs: the tokens that both have, secondQuery: the query's
 * place in the second}. Nothing moved without a second map, or where weights are no shares.
 */
export function compareHeads(map: AttentionMap, compared: AttentionMap | null, layer: number, query: Query): Compared {
  if (!compared) return { moved: [], pairs: null, secondQuery: query };
  const pairs = alignTokens(map.keyTokens, compared.keyTokens);
  const alike = map.queryTokens === map.keyTokens ? pairs : alignTokens(map.queryTokens, compared.queryTokens);
  const both = alike.filter(([i]) => isAsking(query, i)).map(([, j]) => j);
  const secondQuery = both.length ? spanned(both[0], both.at(-1)!) : Math.min(endsOf(query)[0], compared.shape[2] - 1);
  if ([map, compared].some(({ kind = "shares" }) => kind === "amounts" || kind === "signed"))
    return { moved: [], pairs, secondQuery };
  const moved = Array.from({ length: map.shape[1] }, (_, head) =>
    perMille(
      attentionMoved(queryWeights(map, layer, head, query), queryWeights(compared, layer, head, secondQuery), pairs),
    ),
  );
  return { moved, pairs, secondQuery };
}

/** A share as it's told: a head that moved as little as rounding does hasn't moved. */
export const perMille = (share: number) => Math.round(1000 * share) / 1000;

/** The label with the largest probability, and that. */
export const likeliest = (labels: Record<string, number>) =>
  Object.entries(labels).reduce((best, next) => (next[1] > best[1] ? next : best));
