// Twin of models/focus/kinds.py: other kinds of attention, which look back only and have less to keep for it. No DOM.

import KINDS from "../../shared/attention-kinds.json";
import {
  attentionScores,
  average,
  causalMask,
  linear,
  multiHeadAttention,
  project,
  type AttentionOptions,
  type Layer,
  type Matrix,
} from "./attention.ts";

/** What sets a kind apart; see shared/attention-kinds.json. */
interface Kind {
  says: string; // of it in plain words
  name?: string; // where it is called otherwise than its key
  groups?: number; // of heads that share keys and values
  waist?: number; // numbers of a word, from which all keys and values are made
  window?: number; // so many positions back, itself among them
  first?: boolean; // and the first one
  summed?: boolean; // no softmax
}

export const ATTENTION_KINDS: Record<string, Kind> = KINDS;

/** A kind of attention in place of `multiHeadAttention`. */
export function attentionOf(name: string): typeof multiHeadAttention {
  const { groups, waist, window = Infinity, first = false, summed = false } = ATTENTION_KINDS[name];
  const changed = new WeakMap<Matrix, Layer>(); // by W^K, since a layer is put together anew each time
  const change = (layer: Layer, numHeads: number) => {
    const known = changed.get(layer["key.weight"]);
    if (known) return known;
    const made = groups ? share(layer, numHeads, groups) : waist ? narrow(layer, waist) : layer;
    changed.set(layer["key.weight"], made);
    return made;
  };
  if (summed) return linearAttention;
  return (X, layer, options) =>
    multiHeadAttention(X, change(layer, options.numHeads), { ...options, mask: reach(X.shape[0], window, first) });
}

/** The layer whose heads share the means of their keys and values, in so many groups; each head still has its rows. */
export function share(layer: Layer, numHeads: number, groups: number): Layer {
  const size = numHeads / groups;
  const shared = ({ shape, values }: Matrix) => {
    const part = values.length / numHeads; // of a head
    const means = new Float32Array(values.length);
    for (let at = 0; at < values.length; at++) {
      const from = Math.floor(at / part / size) * size * part + (at % part); // in the group's first head
      for (let head = 0; head < size; head++) means[at] += values[from + head * part] / size;
    }
    return { shape, values: means };
  };
  return withKeysAndValues(layer, ["weight", "bias"], shared);
}

/** The layer whose keys and values are made from `waist` numbers of each word: the best that so few can do. */
export function narrow(layer: Layer, waist: number): Layer {
  const [keys, values] = ["key.weight", "value.weight"].map((name) => rowsOf(layer[name]));
  const down = directions([...keys, ...values]).slice(0, waist);
  const narrowed = (weight: Matrix) => ({
    shape: weight.shape,
    values: Float32Array.from(
      rowsOf(weight).flatMap((row) => {
        const short = down.map((direction) => dot(row, direction));
        return Array.from(row, (_, d) => short.reduce((sum, size, at) => sum + size * down[at][d], 0));
      }),
    ),
  });
  return withKeysAndValues(layer, ["weight"], narrowed);
}

const withKeysAndValues = (layer: Layer, parts: string[], change: (tensor: Matrix) => Matrix): Layer => {
  const names = ["key", "value"].flatMap((name) => parts.map((part) => `${name}.${part}`));
  return {
    ...layer,
    ...Object.fromEntries(names.filter((name) => layer[name]).map((name) => [name, change(layer[name])])),
  };
};

const rowsOf = ({ shape: [rows, width], values }: Matrix) =>
  Array.from({ length: rows }, (_, row) => Float64Array.from(values.subarray(row * width, (row + 1) * width)));

const dot = (a: Float64Array, b: Float64Array) => {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at];
  return sum;
};

const NOTHING = 1e-14; // beside the squares of all numbers together

/**
 * The directions in which rows have most of their length, the longest first: the right singular vectors. Two rows at a time are turned
 * until they stand at right angles, and all are gone through until none has to be turned (Jacobi).
 */
function directions(rows: Float64Array[]) {
  const nothing = NOTHING * rows.reduce((sum, row) => sum + dot(row, row), 0);
  for (let turned = true; turned;) {
    turned = false;
    for (let one = 0; one < rows.length; one++)
      for (let other = one + 1; other < rows.length; other++)
        if (setSquare(rows[one], rows[other], nothing)) turned = true;
  }
  return rows
    .map((row) => ({ row, square: dot(row, row) }))
    .filter(({ square }) => square > nothing)
    .sort((a, b) => b.square - a.square)
    .map(({ row, square }) => row.map((value) => value / Math.sqrt(square)));
}

/** Turns two rows in their plane until they stand at right angles; false where they do. */
function setSquare(a: Float64Array, b: Float64Array, nothing: number) {
  const ab = dot(a, b);
  if (Math.abs(ab) <= nothing) return false;
  const slope = (dot(b, b) - dot(a, a)) / (2 * ab);
  const tangent = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.sqrt(1 + slope * slope));
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  const sine = cosine * tangent;
  for (let at = 0; at < a.length; at++) {
    const before = a[at];
    a[at] = cosine * before - sine * b[at];
    b[at] = sine * before + cosine * b[at];
  }
  return true;
}

/** Let every position look at the last `window` positions, itself among them, and at the first if that stays: [q * k]. */
function reach(length: number, window: number, first: boolean) {
  return causalMask(length).map((shown, at) => {
    const [query, key] = [Math.floor(at / length), at % length];
    return Number(shown && (query - key < window || (first && key === 0)));
  });
}

const feature = (value: number) => (value > 0 ? value + 1 : Math.exp(value)); // ELU and 1: never negative

/** Attention without softmax: each weight is a product of features, over the sum of those so far. */
function linearAttention(X: Matrix, layer: Layer, options: AttentionOptions) {
  const { numHeads, headMask = null } = options;
  const [Q, K, V] = project(X, X, layer, numHeads, options);
  const [queries, keys] = [Q, K].map(({ shape, values }) => ({ shape, values: values.map(feature) }));
  const fit = attentionScores(queries, keys, { numHeads, scale: 1 });
  const length = X.shape[0];
  const weights = fit.values;
  for (let start = 0, query = 0; start < weights.length; start += length, query = (query + 1) % length) {
    const seen = weights.subarray(start, start + query + 1);
    const sum = seen.reduce((all, each) => all + each, 0);
    seen.forEach((each, key) => (seen[key] = each / sum));
    weights.fill(0, start + query + 1, start + length);
  }
  return { output: linear(average(fit, V, headMask), layer["output.weight"], layer["output.bias"]), weights: fit };
}
