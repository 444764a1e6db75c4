// Less of a map, for reading it: words, no sinks, some of the tokens, the strongest weights. Twin of maps/choosing.py. Each
// function gives a new map, whose notes say what was done to it; of a map that is not there in full, the layers that are.

import { isMasked, isOfShares, layersOf, queryWeights } from "./maps.ts";
import { ONLY_SPECIAL, SINK } from "./names.ts";
import { isSpecial, note, percent, readable, wordStarts } from "./text.ts";

/** @typedef {AttentionMap & { queries?: number[], keys?: number[] }} Chosen */

/** The places of tokens. */
export const placesOf = (/** @type {string[]} */ tokens) => [...tokens.keys()];

/**
 * A map with one more note.
 * @template {AttentionMap} Map
 * @param {Map} map
 * @param {string} text
 * @returns {Map}
 */
export const noted = (map, text) => ({ ...map, notes: [...(map.notes ?? []), text] });

/**
 * Calls `visit` for each row that is there, with its layer, head and query.
 * @param {AttentionMap} map
 * @param {(row: Float32Array, layer: number, head: number, query: number) => void} visit
 */
export function eachRow(map, visit) {
  const [, heads, queries] = map.shape;
  for (const layer of layersOf(map))
    for (let head = 0; head < heads; head++)
      for (let query = 0; query < queries; query++) visit(queryWeights(map, layer, head, query), layer, head, query);
}

const sumOf = (/** @type {ArrayLike<number>} */ row) => {
  let sum = 0;
  for (let at = 0; at < row.length; at++) sum += row[at];
  return sum;
};

/**
 * A map of some of its tokens; rows `scaled` to sum to 1 again, or parts of what they were.
 * @param {Chosen} map
 * @param {number[]} queries
 * @param {number[]} keys
 * @param {boolean} [scaled]
 * @returns {Chosen}
 */
export function taken(map, queries, keys, scaled = false) {
  const [layers, heads] = map.shape;
  const weights = new Float32Array(layers * heads * queries.length * keys.length);
  for (const layer of layersOf(map))
    for (let head = 0; head < heads; head++) {
      let at = (layer * heads + head) * queries.length * keys.length;
      for (const query of queries) {
        const row = queryWeights(map, layer, head, query);
        let sum = scaled ? 0 : 1;
        if (scaled) for (const key of keys) sum += row[key];
        for (const key of keys) weights[at++] = sum > 0 ? row[key] / sum : 0;
      }
    }
  return {
    ...map, weights,
    kind: isOfShares(map) && !scaled ? "parts" : map.kind,
    mask: map.mask && queries.flatMap((query) => keys.map((key) => Number(!isMasked(map, query, key)))),
    shape: [layers, heads, queries.length, keys.length],
    queryTokens: queries.map((query) => map.queryTokens[query]),
    keyTokens: keys.map((key) => map.keyTokens[key]),
    queries: queries.map((query) => map.queries?.[query] ?? query),
    keys: keys.map((key) => map.keys?.[key] ?? key),
  };
}

/** The places of what is no special token. */
const unspecial = (/** @type {string[]} */ tokens) => placesOf(tokens).filter((place) => !isSpecial(tokens[place]));

/**
 * The map without special tokens, rows scaled to sum to 1 again (a row that gave all to special tokens stays 0). `queries`
 * and `keys` say which tokens were kept. Where nothing else is there, they are kept, and a note says so.
 * @param {Chosen} map
 */
export function withoutSpecial(map) {
  const [queries, keys] = [map.queryTokens, map.keyTokens].map(unspecial);
  return queries.length && keys.length ? taken(map, queries, keys, isOfShares(map)) : noted(map, ONLY_SPECIAL);
}

/**
 * The map of words: what looks at their pieces is summed, what their pieces look at is averaged.
 * @param {Chosen} map
 * @returns {Chosen}
 */
export function mergePieces(map) {
  const starts = [map.queryTokens, map.keyTokens].map(wordStarts);
  const [queries, keys] = starts;
  const [layers, heads, ...counts] = map.shape;
  if (queries.length === counts[0] && keys.length === counts[1]) return map;
  const [rowOf, columnOf] = [map.queryTokens, map.keyTokens].map((tokens, side) => wordOf(tokens.length, starts[side]));
  const size = queries.length * keys.length;
  const weights = new Float32Array(layers * heads * size);
  const sums = new Float64Array(size);
  const divisor = queries.map((start, at) => (queries[at + 1] ?? counts[0]) - start);
  for (const layer of layersOf(map))
    for (let head = 0; head < heads; head++) {
      sums.fill(0);
      for (let query = 0; query < counts[0]; query++) {
        const row = queryWeights(map, layer, head, query);
        for (let key = 0; key < counts[1]; key++) sums[rowOf[query] * keys.length + columnOf[key]] += row[key];
      }
      for (let word = 0; word < queries.length; word++) {
        const row = sums.subarray(word * keys.length, (word + 1) * keys.length);
        const by = isOfShares(map) ? sumOf(row) : divisor[word];
        if (by > 0) for (let key = 0; key < keys.length; key++) weights[(layer * heads + head) * size + word * keys.length + key] = row[key] / by;
      }
    }
  return noted({
    ...map, weights, queries, keys,
    mask: map.mask && anyPiece(map, rowOf, columnOf, keys.length, size),
    shape: [layers, heads, queries.length, keys.length],
    queryTokens: wordsOf(map.queryTokens, queries),
    keyTokens: wordsOf(map.keyTokens, keys),
  }, note("merged"));
}

/**
 * Whether any piece of a word may look at any piece of another: the mask of words.
 * @param {AttentionMap} map
 * @param {Uint32Array} rowOf
 * @param {Uint32Array} columnOf
 * @param {number} width
 * @param {number} size
 */
function anyPiece(map, rowOf, columnOf, width, size) {
  const mask = Array(size).fill(0);
  rowOf.forEach((row, query) => columnOf.forEach((column, key) => (mask[row * width + column] ||= Number(!isMasked(map, query, key)))));
  return mask;
}

/**
 * Which word each of so many tokens is of.
 * @param {number} count
 * @param {number[]} starts
 */
export function wordOf(count, starts) {
  const words = new Uint32Array(count);
  starts.forEach((start, word) => words.fill(word, start));
  return words;
}

/**
 * The words that begin at these places.
 * @param {string[]} tokens
 * @param {number[]} starts
 */
const wordsOf = (tokens, starts) => starts.map((start, at) =>
  tokens[start] + tokens.slice(start + 1, starts[at + 1] ?? tokens.length).map(readable).join(""));

/**
 * The share of all attention that each token gets: the mean over heads and layers, and over queries that look. A kernel that
 * sends some layers only sends it with them.
 * @param {AttentionMap} map
 */
export function received(map) {
  if (map.received) return map.received;
  const shares = new Float64Array(map.shape[3]);
  let looking = 0;
  eachRow(map, (row) => {
    let looks = false;
    for (let key = 0; key < row.length; key++) {
      shares[key] += row[key];
      looks ||= row[key] !== 0;
    }
    looking += Number(looks);
  });
  return shares.map((share) => share / Math.max(looking, 1));
}

/**
 * The places of sinks: tokens, but special ones, that get more than `SINK` of all attention.
 * @param {string[]} tokens
 * @param {ArrayLike<number>} shares
 */
export const sinksOf = (tokens, shares) => placesOf(tokens).filter((place) => shares[place] > SINK && !isSpecial(tokens[place]));

/**
 * The map without keys that are sinks, rows scaled to sum to 1 again; `shares` is what each gets.
 * @param {Chosen} map
 * @param {ArrayLike<number>} shares
 */
export function withoutSinks(map, shares) {
  const sinks = sinksOf(map.keyTokens, shares);
  if (!sinks.length || sinks.length === map.keyTokens.length) return noted(map, note("noSinks", { share: percent(SINK) }));
  const named = sinks.map((place) => note("sink", { token: map.keyTokens[place].trim(), share: percent(shares[place]) }));
  const kept = placesOf(map.keyTokens).filter((place) => !sinks.includes(place));
  return noted(taken(map, placesOf(map.queryTokens), kept, true), note("sinks", { sinks: named.join(", ") }));
}

/**
 * The map with the `top` largest weights of each row, true as they were, and 0 elsewhere. Of equal weights the first stay; of
 * signed ones, those farthest from 0.
 * @param {Chosen} map
 * @param {number} top
 * @returns {Chosen}
 */
export function strongestOfRows(map, top) {
  const keys = map.shape[3];
  const weights = new Float32Array(map.weights.length);
  const chosen = { ...map, weights };
  let [whole, left] = [0, 0];
  eachRow(map, (row, layer, head, query) => {
    const sizes = row.map(Math.abs);
    const least = keys > top ? sizes.slice().sort()[keys - top] : 0;
    let equal = top - sizes.reduce((count, size) => count + Number(size > least), 0);
    const into = queryWeights(chosen, layer, head, query);
    for (let key = 0; key < keys; key++) {
      whole += sizes[key];
      if (sizes[key] > least || (sizes[key] === least && equal-- > 0)) into[key] = row[key];
      else left += sizes[key];
    }
  });
  const share = percent(whole > 0 ? left / whole : 0);
  return noted({ ...chosen, kind: isOfShares(map) ? "parts" : map.kind, top }, note("strongest", { top, share }));
}

/**
 * The tokens from `first` to `last`, places in the map that was computed, `count` of them; of the queries, too, where they
 * are the same, `alike`. Weights stay as they were.
 * @param {Chosen} map
 * @param {{ first: number, last: number | null }} range
 * @param {number} count
 * @param {boolean} alike
 */
export function between(map, { first, last }, count, alike) {
  const from = Math.min(first, count - 1);
  const to = Math.max(Math.min(last ?? count - 1, count - 1), from);
  const inside = (/** @type {number} */ place) => from <= place && place <= to;
  const { queries = placesOf(map.queryTokens), keys = placesOf(map.keyTokens) } = map;
  const asking = placesOf(map.queryTokens).filter((at) => !alike || inside(queries[at]));
  const lookedAt = placesOf(map.keyTokens).filter((at) => inside(keys[at]));
  if ((from === 0 && to === count - 1) || !asking.length || !lookedAt.length) return map;
  const part = taken(map, asking, lookedAt);
  const told = { first: from + 1, last: to + 1, count };
  if (part.kind !== "parts") return noted(part, note("betweenAny", told));
  let [whole, kept] = [0, 0];
  const askingRows = new Set(asking);
  eachRow(map, (row, _, __, query) => askingRows.has(query) && (whole += sumOf(row)));
  eachRow(part, (row) => (kept += sumOf(row)));
  return noted(part, note("between", { ...told, share: percent(whole > 0 ? Math.max(1 - kept / whole, 0) : 0) }));
}
