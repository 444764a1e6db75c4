// Why a head looks where it looks: its score of a query and a key, as a sum over who wrote what the two are made of. Twin of
// models/composing.py, which says what it means.

import { bend } from "./attention.ts";
import type { Norm } from "./read-back.ts";
import { rotated, type Rotary } from "./rotary.ts";

/** From a query to a key in a head, all numbered from 0. */
export interface AttentionEdge {
  layer: number;
  head: number;
  query: number;
  key: number;
}

/** A score taken apart. */
export interface ScoreParts {
  parts: string[]; // what wrote into both vectors
  pairs: Float64Array; // [part of the query, part of the key], what each adds with each; their sum is the score
  score?: number; // as the model has it, if it rounds
}

/** What a vector is made of: numbers by the name of who wrote them. */
export type VectorParts = Record<string, ArrayLike<number>>;

/** One side of a score: a vector in its parts, the head's rows of the matrix that reads it, [d_k][d], and its position. */
export interface Side {
  parts: VectorParts;
  rows: ArrayLike<number>[];
  place: number;
  bias?: ArrayLike<number>; // [d_k]
  norm?: Norm & { spread?: number }; // [d_k], that what is read goes through; its spread, where other heads count for it
}

/** The pairs of a query and a key that were read through one norm, or none, turned by their positions where they are, and bent by a cap. */
export function scoreParts(
  norm: Norm | null,
  query: Side,
  key: Side,
  rotary: Rotary | null = null,
  cap = 0,
): ScoreParts {
  const [queries, keys] = [query, key].map(({ parts, rows, place, bias, norm: own }) => {
    const matrix = rows.map((row) => Float64Array.from(row));
    const read = Object.entries(through(norm, parts)).map(([name, vector]) => [
      name,
      matrix.map((row) => dot(row, vector)),
    ]);
    const all: VectorParts = Object.fromEntries(read);
    if (bias) all.biases = Array.from(bias, (value, at) => value + (all.biases?.[at] ?? 0));
    return Object.entries(through(own ?? null, all)).map(([name, features]) => ({
      name,
      features: rotary ? rotated(features, place, rotary) : Float64Array.from(features),
    }));
  });
  const scale = 1 / Math.sqrt(query.rows.length);
  const pairs = new Float64Array(queries.length * keys.length);
  queries.forEach((one, at) =>
    keys.forEach((other, place) => (pairs[at * keys.length + place] = scale * dot(one.features, other.features))),
  );
  const by = bend(sum(pairs), cap);
  return { parts: queries.map(({ name }) => name), pairs: pairs.map((pair) => pair * by) };
}

/** The parts of a vector through a norm that is frozen at the spread of their sum; without one, they stay as they are. */
export function through(norm: (Norm & { spread?: number }) | null, vectors: VectorParts): Record<string, Float64Array> {
  const parts = Object.entries(vectors).map(([name, vector]) => [name, Float64Array.from(vector)] as const);
  if (!norm) return Object.fromEntries(parts);
  const { weight, bias, eps } = norm;
  const width = weight.length;
  const whole = new Float64Array(width);
  for (const [, part] of parts) {
    if (bias) {
      // a LayerNorm, which also takes away the mean
      const mean = part.reduce((sum, value) => sum + value, 0) / width;
      for (let d = 0; d < width; d++) part[d] -= mean;
    }
    for (let d = 0; d < width; d++) whole[d] += part[d];
  }
  const spread = norm.spread ?? Math.sqrt(dot(whole, whole) / width + eps);
  for (const [, part] of parts) for (let d = 0; d < width; d++) part[d] *= weight[d] / spread;
  const normed: Record<string, Float64Array> = Object.fromEntries(parts);
  if (bias) normed.biases = Float64Array.from(bias, (value, d) => value + (normed.biases?.[d] ?? 0));
  return normed;
}

/** Two parts, and what they add together. */
export interface Pair {
  query: string;
  key: string;
  value: number;
}

/** The pairs that add or take away most, the largest first; how many others there are, and what these and rounding add. */
export function topPairs({ parts, pairs, score = sum(pairs) }: ScoreParts, count: number) {
  const top: number[] = [];
  pairs.forEach((value, place) => {
    const size = Math.abs(value);
    if (top.length === count && size <= Math.abs(pairs[top[count - 1]])) return;
    const before = top.findIndex((other) => Math.abs(pairs[other]) < size);
    top.splice(before < 0 ? top.length : before, 0, place);
    top.length = Math.min(top.length, count);
  });
  const shown = top.map((place): Pair => ({
    query: parts[Math.floor(place / parts.length)],
    key: parts[place % parts.length],
    value: pairs[place],
  }));
  return { top: shown, others: pairs.length - top.length, rest: score - sum(shown.map(({ value }) => value)), score };
}

/** Whose part of the key adds most, with all that the query is made of. */
export function writerOfKey({ parts, pairs }: ScoreParts) {
  const sums = parts.map((_, key) => sum(parts.map((__, query) => pairs[query * parts.length + key])));
  const most = sums.indexOf(Math.max(...sums));
  return { part: parts[most], value: sums[most] };
}

/** Of two vectors of one type alone, which is several times as fast as of any. */
function dot(one: Float64Array, other: Float64Array) {
  let [even, odd] = [0, 0]; // two sums at once take less time than one after the other
  let at = 0;
  for (; at + 1 < one.length; at += 2) {
    even += one[at] * other[at];
    odd += one[at + 1] * other[at + 1];
  }
  if (at < one.length) even += one[at] * other[at];
  return even + odd;
}

const sum = (values: ArrayLike<number>) => {
  let total = 0;
  for (let at = 0; at < values.length; at++) total += values[at];
  return total;
};
