// The arithmetic of a map in the page: what <head-map> shows of it. Twin of the methods of `AttentionMap` in Python.

import { HEAD_COLOURS, MIXED_COLOUR, OFF_COLOUR, ONLY_SPECIAL } from "./names.js";
import { isSpecial } from "./text.js";

export const DENSE = 20; // keys; a matrix of more has small cells

/**
 * The weights that one query gives to all keys in one head: float32 [key].
 * @param {Pick<AttentionMap, "shape" | "weights">} map
 * @param {number} layer
 * @param {number} head
 * @param {number} query
 */
export function queryWeights({ shape, weights }, layer, head, query) {
  const [, heads, queries, keys] = shape;
  const start = ((layer * heads + head) * queries + query) * keys;
  return weights.subarray(start, start + keys);
}

/**
 * Whether a query may not look at a key, as at later words in causal attention.
 * @param {Pick<AttentionMap, "shape" | "mask">} map
 * @param {number} query
 * @param {number} key
 */
export const isMasked = ({ shape, mask }, query, key) => Boolean(mask) && !mask?.[query * shape[3] + key];

/**
 * The mean over the heads (for each query those that look at anything), as a map of one head: [layer, head, query, key]
 * -> [layer, 1, query, key].
 * @param {AttentionMap} map
 * @returns {AttentionMap}
 */
export function averageHeads(map) {
  const [layers, heads, queries, keys] = map.shape;
  const size = queries * keys;
  const sums = new Float64Array(layers * size);
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0, from = layer * heads * size; head < heads; head++, from += size)
      for (let at = 0; at < size; at++) sums[layer * size + at] += map.weights[from + at];
  for (let row = 0; row < sums.length; row += keys) {
    let sum = 0;
    for (let at = row; at < row + keys; at++) sum += sums[at];
    if (sum > 0) for (let at = row; at < row + keys; at++) sums[at] /= sum;
  }
  return { ...map, shape: [layers, 1, queries, keys], weights: Float32Array.from(sums), headNames: [`mean of ${heads} heads`] };
}

/**
 * Attention rollout (Abnar & Zuidema 2020): how much of each input token reaches each position by a layer, if every
 * layer passes on half of what it had and half of what its heads, on average, look at: R_l = (A_l + I) / 2 · R_(l-1), rows
 * scaled to sum to 1. A map of one head; layer l holds R_l. For self-attention only: as many queries as keys.
 * @param {AttentionMap} map
 * @returns {AttentionMap}
 */
export function rollout(map) {
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
        if (share > 0) for (let key = 0; key < keys; key++) now[query * keys + key] += share * before[through * keys + key];
      }
    }
    weights.set(now, layer * keys * keys);
    before = now;
  }
  return { ...map, shape, weights, headNames: ["rollout"] };
}

/**
 * The map without special tokens, rows scaled to sum to 1 again (a row that gave all to special tokens stays 0). `queries`
 * and `keys` say which tokens were kept. Where nothing else is there, they are kept, and a note says so.
 * @param {AttentionMap} map
 * @returns {AttentionMap & { queries?: number[], keys?: number[] }}
 */
export function withoutSpecial(map) {
  const [queries, keys] = [map.queryTokens, map.keyTokens].map((tokens) =>
    [...tokens.keys()].filter((index) => !isSpecial(tokens[index])));
  if (!queries.length || !keys.length) return { ...map, notes: [...(map.notes ?? []), ONLY_SPECIAL] };
  const [layers, heads] = map.shape;
  const weights = new Float32Array(layers * heads * queries.length * keys.length);
  let at = 0;
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++)
      for (const query of queries) {
        const row = queryWeights(map, layer, head, query);
        let sum = 0;
        for (const key of keys) sum += row[key];
        for (const key of keys) weights[at++] = sum > 0 ? row[key] / sum : 0;
      }
  return {
    ...map, queries, keys, weights,
    mask: map.mask && queries.flatMap((query) => keys.map((key) => Number(!isMasked(map, query, key)))),
    shape: [layers, heads, queries.length, keys.length],
    queryTokens: queries.map((query) => map.queryTokens[query]),
    keyTokens: keys.map((key) => map.keyTokens[key]),
  };
}

/**
 * What is shown of a computed map: heads each or averaged, or rolled out; special tokens kept, dimmed or removed.
 * @param {AttentionMap} map
 * @param {Pick<MapState, "heads" | "layers" | "special">} state
 * @returns {ShownMap}
 */
export function shownMap(map, { heads, layers, special }) {
  const square = map.shape[2] === map.shape[3];
  let shown = layers === "rollout" && square ? rollout(map) : heads === "average" ? averageHeads(map) : map;
  if (special === "remove") shown = withoutSpecial(shown);
  return { queries: [...shown.queryTokens.keys()], ...shown, mixed: shown.headNames !== map.headNames };
}

/** The colour of a head, the same on every page. */
export const colourOf = (/** @type {number} */ head) => HEAD_COLOURS[head % HEAD_COLOURS.length];

/**
 * The colour of a head of a shown map.
 * @param {{ mixed?: boolean }} map
 * @param {number} head
 */
export const headColour = ({ mixed }, head) => (mixed ? MIXED_COLOUR : colourOf(head));

/**
 * The strongest weights of one layer, at most `most` and none below `least`, weakest first so that they are drawn first.
 * `chosen(head, query, key)` says which count. Unless told, as many as Lines draws.
 * @param {AttentionMap} map
 * @param {number} layer
 * @param {{ most?: number, least?: number, chosen?: (head: number, query: number, key: number) => boolean }} [which]
 */
export function strongest({ shape: [, heads, queries, keys], weights }, layer, { most = 800, least = 0.01, chosen = () => true } = {}) {
  const size = queries * keys;
  const start = layer * heads * size;
  const found = [];
  for (let at = 0; at < heads * size; at++) {
    const weight = weights[start + at];
    if (!(weight >= least)) continue;
    const [head, query, key] = [Math.floor(at / size), Math.floor((at % size) / keys), at % keys];
    if (chosen(head, query, key)) found.push({ head, query, key, weight });
  }
  return found.sort((a, b) => a.weight - b.weight).slice(-most);
}

/**
 * How the line of a weight is drawn: the stronger, the thicker and the less transparent. `look` is that of its head.
 * @param {Look} look
 * @param {AttentionMap} map
 * @param {{ query: number, key: number, weight: number }} line
 */
export function lineLook({ colour, off, dim }, { queryTokens, keyTokens }, { query, key, weight }) {
  const faint = dim && (isSpecial(queryTokens[query]) || isSpecial(keyTokens[key]));
  return {
    stroke: off ? OFF_COLOUR : colour,
    "stroke-width": (1 + 3.5 * weight).toFixed(2),
    "stroke-opacity": ((0.08 + 0.92 * weight) * (faint ? 0.2 : 1)).toFixed(3),
  };
}

/**
 * The largest weight of a row, to which the others are tinted; of the words' alone where special tokens are dimmed.
 * @param {ArrayLike<number>} weights
 * @param {string[]} tokens
 * @param {boolean} dim
 */
export function largestWeight(weights, tokens, dim) {
  let largest = 0;
  for (let key = 0; key < weights.length; key++)
    if (weights[key] > largest && !(dim && isSpecial(tokens[key]))) largest = weights[key];
  return largest;
}

/**
 * Pairs up two token lists by their longest common subsequence: [[i, j], ...].
 * @param {string[]} a
 * @param {string[]} b
 */
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
 * @param {ArrayLike<number>} rowA
 * @param {ArrayLike<number>} rowB
 * @param {number[][]} pairs
 */
export function attentionMoved(rowA, rowB, pairs) {
  let stayed = 0;
  for (const [i, j] of pairs) stayed += Math.min(rowA[i], rowB[j]);
  return Math.max(0, 1 - stayed);
}

/**
 * Two maps head by head, for one query: the heads that moved most first. {order: [head, ...], moved: [head] -> share, pairs:
 * the tokens that both have, asked: the query's place in the second}; without a second map, the heads as they are.
 * @param {AttentionMap} map
 * @param {AttentionMap | null} compared
 * @param {number} layer
 * @param {number} asked
 * @returns {{ order: number[], moved: number[], pairs: number[][] | null, asked: number }}
 */
export function compareHeads(map, compared, layer, asked) {
  const order = [...Array(map.shape[1]).keys()];
  if (!compared) return { order, moved: [], pairs: null, asked };
  const pairs = alignTokens(map.keyTokens, compared.keyTokens);
  const second = Math.min(asked, compared.shape[2] - 1);
  const moved = order.map((head) =>
    attentionMoved(queryWeights(map, layer, head, asked), queryWeights(compared, layer, head, second), pairs));
  return { order: order.sort((a, b) => moved[b] - moved[a]), moved, pairs, asked: second };
}

/**
 * The label with the largest probability, and that.
 * @param {Record<string, number>} labels
 */
export const likeliest = (labels) => Object.entries(labels).reduce((best, next) => (next[1] > best[1] ? next : best));
