// Less of a map, for reading it: words, no special tokens, some of the tokens, several that ask as one. Twin of maps/choosing.py. Each function gives a new map, whose notes say what was done to it; of a map that is not there in full, the layers that are.

import type { AttentionMap } from "./attention-map.ts";
import { hasMask, isMasked, isOfShares, layersOf, queryName, queryWeights } from "./maps.ts";
import { ONLY_SPECIAL } from "./names.ts";
import { OPTIONS } from "./options.ts";
import { endsOf, spanned, writeQuery, type Query } from "./query.ts";
import { findWords, isSpecial, joined, note, percent, readable, wordStarts } from "./text.ts";

/** A map with the places that its tokens have in the one that was computed, where they're fewer. */
export type Chosen = AttentionMap & { queries?: number[]; keys?: number[] };

/** The places of tokens. */
export const placesOf = (tokens: string[]) => [...tokens.keys()];

/** A map with one more note. */
export const addNote = <Made extends AttentionMap>(map: Made, text: string): Made => ({
  ...map,
  notes: [...(map.notes ?? []), text],
});

/** Calls `visit` for each row that is there, with its layer, head and query. */
export function eachRow(
  map: AttentionMap,
  visit: (row: Float32Array, layer: number, head: number, query: number) => void,
) {
  const [, heads, queries] = map.shape;
  for (const layer of layersOf(map))
    for (let head = 0; head < heads; head++)
      for (let query = 0; query < queries; query++) visit(queryWeights(map, layer, head, query), layer, head, query);
}

const sumOf = (row: ArrayLike<number>) => {
  let sum = 0;
  for (let at = 0; at < row.length; at++) sum += row[at];
  return sum;
};

/** A map of some of its tokens; rows `scaled` to sum to 1 again, or parts of what they were. */
export function takeTokens(map: Chosen, queries: number[], keys: number[], scaled = false): Chosen {
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
    ...map,
    weights,
    kind: isOfShares(map) && !scaled ? "parts" : map.kind,
    causal: undefined,
    mask: hasMask(map) ? queries.flatMap((query) => keys.map((key) => Number(!isMasked(map, query, key)))) : undefined,
    shape: [layers, heads, queries.length, keys.length],
    queryTokens: queries.map((query) => map.queryTokens[query]),
    keyTokens: keys.map((key) => map.keyTokens[key]),
    queries: queries.map((query) => map.queries?.[query] ?? query),
    keys: keys.map((key) => map.keys?.[key] ?? key),
  };
}

/** The places of what is no special token. */
const unspecial = (tokens: string[]) => placesOf(tokens).filter((place) => !isSpecial(tokens[place]));

/**
 * The map without special tokens, rows scaled to sum to 1 again (a row that gave all to special tokens stays 0). `queries`
 * and `keys` say which tokens were kept. Where nothing else is there, they are kept, and a note says so.
 */
export function leaveOutSpecial(map: Chosen) {
  const [queries, keys] = [map.queryTokens, map.keyTokens].map(unspecial);
  return queries.length && keys.length ? takeTokens(map, queries, keys, isOfShares(map)) : addNote(map, ONLY_SPECIAL);
}

/** The map of words: what looks at their pieces is summed, what their pieces look at is averaged. */
export function mergeWords(map: Chosen): Chosen {
  const starts = [map.queryTokens, map.keyTokens].map(wordStarts);
  const [queries, keys] = starts;
  const [layers, heads, ...counts] = map.shape;
  if (queries.length === counts[0] && keys.length === counts[1]) return map;
  const [rowOf, columnOf] = [map.queryTokens, map.keyTokens].map((tokens, side) => wordOf(tokens.length, starts[side]));
  const size = queries.length * keys.length;
  const weights = new Float32Array(layers * heads * size);
  const pieces = queries.map((start, at) => (queries[at + 1] ?? counts[0]) - start); // of each word
  const sums = new Float64Array(size);
  for (const layer of layersOf(map))
    for (let head = 0; head < heads; head++) {
      sums.fill(0);
      for (let query = 0; query < counts[0]; query++) {
        const from = rowOf[query] * keys.length;
        queryWeights(map, layer, head, query).forEach((weight, key) => (sums[from + columnOf[key]] += weight));
      }
      queries.forEach((_, word) => {
        const row = sums.subarray(word * keys.length, (word + 1) * keys.length);
        const whole = isOfShares(map) ? sumOf(row) : pieces[word];
        if (whole > 0)
          weights.set(
            row.map((sum) => sum / whole),
            (layer * heads + head) * size + word * keys.length,
          );
      });
    }
  return addNote(
    {
      ...map,
      weights,
      queries,
      keys,
      causal: undefined,
      mask: hasMask(map) ? anyPiece(map, rowOf, columnOf, keys.length, size) : undefined,
      shape: [layers, heads, queries.length, keys.length],
      queryTokens: wordsOf(map.queryTokens, queries),
      keyTokens: wordsOf(map.keyTokens, keys),
    },
    OPTIONS.pieces.values.merge.note,
  );
}

/** Whether any piece of a word may look at any piece of another: the mask of words. */
function anyPiece(map: AttentionMap, rowOf: Uint32Array, columnOf: Uint32Array, width: number, size: number) {
  const mask = Array(size).fill(0);
  rowOf.forEach((row, query) =>
    columnOf.forEach((column, key) => (mask[row * width + column] ||= Number(!isMasked(map, query, key)))),
  );
  return mask;
}

/** Which word each of so many tokens is of. */
export function wordOf(count: number, starts: number[]) {
  const words = new Uint32Array(count);
  starts.forEach((start, word) => words.fill(word, start));
  return words;
}

/** The words that begin at these places. */
const wordsOf = (tokens: string[], starts: number[]) =>
  starts.map((start, at) =>
    joined([tokens[start], ...tokens.slice(start + 1, starts[at + 1] ?? tokens.length).map(readable)]),
  );

/**
 * The tokens from `first` to `last`, places in the map that was computed, `count` of them; of the queries, too, where they
 * are the same, `alike`. Weights stay as they were.
 */
export function takeBetween(
  map: Chosen,
  { first, last }: { first: number; last: number | null },
  count: number,
  alike: boolean,
) {
  const from = Math.min(first, count - 1);
  const to = Math.max(Math.min(last ?? count - 1, count - 1), from);
  const inside = (place: number) => from <= place && place <= to;
  const { queries = placesOf(map.queryTokens), keys = placesOf(map.keyTokens) } = map;
  const asking = placesOf(map.queryTokens).filter((at) => !alike || inside(queries[at]));
  const lookedAt = placesOf(map.keyTokens).filter((at) => inside(keys[at]));
  if ((from === 0 && to === count - 1) || !asking.length || !lookedAt.length) return map;
  const part = takeTokens(map, asking, lookedAt);
  const range = { first: from + 1, last: to + 1, count };
  if (part.kind !== "parts") return addNote(part, note("betweenAny", range));
  let [whole, kept] = [0, 0];
  const askingRows = new Set(asking);
  eachRow(map, (row, _, __, query) => askingRows.has(query) && (whole += sumOf(row)));
  eachRow(part, (row) => (kept += sumOf(row)));
  return addNote(part, note("between", { ...range, share: percent(whole > 0 ? Math.max(1 - kept / whole, 0) : 0) }));
}

const MOST_PLACES = 6; // of a text that stands at more, these are named

/** Who asks of a map with such tokens: what is left of a span, else the first; `refused` says why a text can't. */
export function fitQuery(query: Query | string, tokens: string[]): { query: Query; refused?: string } {
  if (typeof query !== "string") {
    const [first, last] = endsOf(query);
    return { query: first < tokens.length ? spanned(first, Math.min(last, tokens.length - 1)) : 0 };
  }
  const found = findWords(tokens, query);
  if (found.length === 1) return { query: spanned(...found[0]) };
  if (!found.length) return { query: 0, refused: note("nowhere", { words: query }) };
  const named = found.slice(0, MOST_PLACES).map((span) => writeQuery(spanned(...span)));
  const places = named.join(", ") + (found.length > MOST_PLACES ? ", …" : "");
  return { query: 0, refused: note("twice", { words: query, count: found.length, places }) };
}

/** A map of one query, of a span the mean of its rows; of the layers that are there. */
export function forQuery<Of extends AttentionMap>(map: Of, query: Query): Of {
  const [layers, heads, , keys] = map.shape;
  const weights = new Float32Array(layers * heads * keys);
  for (const layer of layersOf(map))
    for (let head = 0; head < heads; head++)
      weights.set(queryWeights(map, layer, head, query), (layer * heads + head) * keys);
  return {
    ...map,
    weights,
    shape: [layers, heads, 1, keys],
    causal: undefined,
    mask: hasMask(map) ? map.keyTokens.map((_, key) => Number(!isMasked(map, query, key))) : undefined,
    queryTokens: [queryName(map, query)],
  };
}

/** The rows of a span that are there, of all heads and layers. */
const eachOf = (map: AttentionMap, first: number, last: number) =>
  layersOf(map).flatMap((layer) =>
    map.headNames.flatMap((_, head) =>
      Array.from({ length: last + 1 - first }, (_row, at) => queryWeights(map, layer, head, first + at)),
    ),
  );

/** What is said of those that ask as one. */
export function asOne(map: AttentionMap, query: Query) {
  const [first, last] = endsOf(query);
  if (first === last) return [];
  const rows = eachOf(map, first, last);
  const addsUp = isOfShares(map) && rows.every((row) => row.some(Boolean)); // one that looks at nothing adds nothing
  return [note(addsUp ? "asOne" : "asOneAny", { words: queryName(map, query), count: last + 1 - first })];
}
