// Twin of attention.py: the same numbers, in plain JavaScript, in the same order. No DOM.
//
// A matrix is {shape: [rows, columns], values: Float32Array}, row by row. A `layer` holds the tensors of the torch
// module's state_dict by their own names: "query.weight" and "key.weight" [h * d_k, d], "value.weight" [h * d_v, d],
// "output.weight" [d, h * d_v], each head by head; and, where the module has them, "query.bias" to "output.bias", and
// "query.gain" and "key.gain", of the RMSNorm that queries and keys go through: [d_k], each head's, or [h * d_k], all together. A mask
// is a flat array, q * k long or h * q * k; not 0 = this query may attend to this key. A query that may attend to no key
// gets zero weights.
//
// Axes: h head   q query position   k key position   d width. Maps are [h, q, k]; queries, keys, values and contexts of
// all heads lie side by side, [q, h * d].

import { rotated, type Rotary } from "./rotary.ts";

/** Numbers row by row. */
export interface Matrix {
  shape: number[]; // most often [rows, columns]
  values: Float32Array;
}

/** The tensors of one torch module by the names of its state_dict. */
export type Layer = Record<string, Matrix>;

/** The matrices on the path through one head; `steps` of attention.ts makes them. */
export interface HeadSteps {
  X: Matrix;
  Q: Matrix;
  K: Matrix;
  V: Matrix;
  scores: Matrix;
  masked: Matrix;
  weights: Matrix;
  context: Matrix;
  concat: Matrix;
  output: Matrix;
  XWq?: Matrix; // queries and keys before they are normed and turned, where they are
  XWk?: Matrix;
}

type Mask = ArrayLike<unknown> | null;

export interface AttentionOptions {
  numHeads: number;
  keys?: Matrix;
  mask?: Mask;
  headMask?: Mask;
  scaled?: boolean;
  cap?: number; // to which scores are bent, where they are
  rotaryBase?: Rotary | null; // queries and keys are turned by their positions
  normEpsilon?: number; // of the norm of queries and keys, where they are normed
}

/** Let every position look at itself and back, never ahead: [q * k], 1 or 0. */
export function causalMask(length: number) {
  return Uint8Array.from({ length: length * length }, (_, at) => Number(at % length <= Math.floor(at / length)));
}

/** Compare every query with every key: Q K^T / sqrt(d_k), or Q K^T * scale. Q [q, h * d_k], K [k, h * d_k] -> [h, q, k]. */
export function attentionScores(Q: Matrix, K: Matrix, options: { numHeads?: number; scale?: number | null } = {}) {
  const { numHeads = 1, scale = null } = options;
  const [queries, width] = Q.shape;
  const keys = K.shape[0];
  const part = width / numHeads;
  const scores = new Float32Array(numHeads * queries * keys);
  for (let head = 0; head < numHeads; head++)
    products(
      Q.values,
      head * part,
      width,
      K.values,
      head * part,
      width,
      scores,
      head * queries * keys,
      keys,
      queries,
      keys,
      part,
    );
  const factor = scale ?? 1 / Math.sqrt(part);
  for (let i = 0; i < scores.length; i++) scores[i] *= factor;
  return { shape: [numHeads, queries, keys], values: scores };
}

/** A score or a logit that a cap keeps smaller (Gemma 2, arXiv:2408.00118). */
export const bent = (value: number, cap: number) => (cap ? cap * Math.tanh(value / cap) : value);

/** By what a value is multiplied where it's bent. */
export const bend = (value: number, cap: number) => (value ? bent(value, cap) / value : 1);

/** The scores with -Infinity where the mask is 0; the same scores where there is no mask. */
export function hide(scores: Matrix, mask: Mask) {
  const [heads, queries, keys] = scores.shape;
  if (!mask) return scores;
  if (mask.length !== queries * keys && mask.length !== heads * queries * keys)
    throw new RangeError(`the mask must hold ${queries} × ${keys} numbers, or ${heads} times that, got ${mask.length}`);
  const hidden = scores.values.slice();
  for (let i = 0, at = 0; i < hidden.length; i++, at = (at + 1) % mask.length) if (!mask[at]) hidden[i] = -Infinity;
  return { shape: scores.shape, values: hidden };
}

/** Turns each row of scores into shares that sum to 1; a row of nothing but -Infinity becomes zeros. */
export function softmax({ shape, values }: Matrix) {
  const width = shape[shape.length - 1];
  const shares = new Float32Array(values.length);
  for (let start = 0; start < values.length; start += width) {
    const end = start + width;
    let largest = -Infinity;
    for (let i = start; i < end; i++) if (values[i] > largest) largest = values[i];
    if (largest === -Infinity) continue;
    let sum = 0;
    for (let i = start; i < end; i++) sum += shares[i] = Math.exp(values[i] - largest);
    for (let i = start; i < end; i++) shares[i] /= sum;
  }
  return { shape, values: shares };
}

/**
 * Average the values by the weights: weights [h, q, k], V [k, h * d_v] -> context [q, h * d_v]. `headMask` holds false
 * for each head that is off: its columns are zero.
 */
export function average(weights: Matrix, V: Matrix, headMask: Mask = null) {
  const [heads, queries, keys] = weights.shape;
  if (headMask && headMask.length !== heads)
    throw new RangeError(`headMask must have ${heads} entries, one for each head, got ${headMask.length}`);
  const width = V.shape[1];
  const part = width / heads;
  const columns = transpose(V).values; // [h * d_v, k]
  const context = new Float32Array(queries * width);
  for (let head = 0; head < heads; head++) {
    if (headMask && !headMask[head]) continue;
    const [map, own] = [head * queries * keys, head * part];
    products(weights.values, map, keys, columns, own * keys, keys, context, own, width, queries, part, keys);
  }
  return { shape: [queries, width], values: context };
}

/** Equation 1 for every head, softmax(Q K^T / sqrt(d_k)) V. `scaled: false` leaves out sqrt(d_k). */
export function attend(Q: Matrix, K: Matrix, V: Matrix, options: Partial<Omit<AttentionOptions, "keys">> = {}) {
  const { numHeads = 1, mask = null, headMask = null, scaled = true, cap = 0 } = options;
  const scores = attentionScores(Q, K, { numHeads, scale: scaled ? null : 1 });
  if (cap) scores.values.forEach((score, at) => (scores.values[at] = bent(score, cap)));
  const masked = hide(scores, mask);
  const weights = softmax(masked);
  const context = average(weights, V, headMask);
  return { scores, masked, weights, context };
}

/** The queries of X, the keys and values of Y: [q, h * d_k], [k, h * d_k], [k, h * d_v], as the learned matrices make them. */
function projected(X: Matrix, Y: Matrix, layer: Layer, numHeads: number) {
  for (const name of ["query.weight", "value.weight"]) {
    const width = layer[name].shape[0];
    if (!Number.isInteger(width / numHeads))
      throw new RangeError(`numHeads must divide the width ${width}, got ${numHeads}`);
  }
  return [
    linear(X, layer["query.weight"], layer["query.bias"]),
    linear(Y, layer["key.weight"], layer["key.bias"]),
    linear(Y, layer["value.weight"], layer["value.bias"]),
  ];
}

/** The same, with queries and keys normed where the layer norms them, and turned where there is a base. */
export function project(
  X: Matrix,
  Y: Matrix,
  layer: Layer,
  numHeads: number,
  placing: Pick<AttentionOptions, "rotaryBase" | "normEpsilon"> = {},
) {
  const [Q, K, V] = projected(X, Y, layer, numHeads);
  return [place(Q, layer["query.gain"], numHeads, placing), place(K, layer["key.gain"], numHeads, placing), V];
}

/** Norms each head's part of each row, or all of it, and turns each head's part by the row's position: see rotary.ts. */
function place(
  straight: Matrix,
  gain: Matrix | undefined,
  numHeads: number,
  { rotaryBase, normEpsilon = 1e-6 }: Pick<AttentionOptions, "rotaryBase" | "normEpsilon">,
): Matrix {
  if (!rotaryBase && !gain) return straight;
  const {
    shape: [rows, width],
    values,
  } = straight;
  const placed = values.slice();
  const each = (length: number, change: (part: Float32Array, row: number) => ArrayLike<number>) => {
    for (let from = 0; from < placed.length; from += length)
      placed.set(change(placed.subarray(from, from + length), Math.floor(from / width)), from);
  };
  if (gain) each(gain.values.length, (part) => rmsNorm(part, gain.values, normEpsilon));
  if (rotaryBase) each(width / numHeads, (part, row) => rotated(part, row, rotaryBase));
  return { shape: [rows, width], values: placed };
}

/** Numbers at length 1 on average, then times `gains` (Zhang and Sennrich 2019, arXiv:1910.07467). */
export function rmsNorm(values: Float32Array, gains: Float32Array, epsilon: number) {
  let sum = 0;
  for (let at = 0; at < gains.length; at++) sum += values[at] ** 2;
  const by = 1 / Math.sqrt(sum / gains.length + epsilon);
  return gains.map((gain, at) => values[at] * by * gain);
}

/**
 * Section 3.2.2, `MultiHeadAttention.forward`: X [q, d] -> output [q, d], weights [h, q, k].
 *
 * `keys` [k, d] is the text that is looked at, X itself unless given. `headMask` holds false for each head that is off:
 * its part of the concatenation is zero, its weights are there all the same. `scaled: false` leaves out sqrt(d_k).
 */
export function multiHeadAttention(X: Matrix, layer: Layer, { keys = X, ...options }: AttentionOptions) {
  const [Q, K, V] = project(X, keys, layer, options.numHeads, options);
  const { weights, context } = attend(Q, K, V, options);
  return { output: linear(context, layer["output.weight"], layer["output.bias"]), weights };
}

/** `AttentionBlock.forward`: attention, the query added again, layer norm. X [q, d] -> output [q, d], weights [h, q, k]. */
export function attentionBlock(X: Matrix, block: Layer, options: AttentionOptions) {
  const { output, weights } = multiHeadAttention(X, partOf(block, "attention."), options);
  return { output: layerNorm(added(X, output), partOf(block, "norm.")), weights };
}

/** The tensors of a part of a module, by the names they have inside it. */
export const partOf = (tensors: Layer, prefix: string) =>
  Object.fromEntries(
    Object.entries(tensors)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, tensor]) => [name.slice(prefix.length), tensor]),
  );

export const added = (a: Matrix, b: Matrix) => ({
  shape: a.shape,
  values: a.values.map((value, at) => value + b.values[at]),
});

/** Zero for what is below zero, in place. */
export function relu(x: Matrix) {
  x.values.forEach((value, index) => (x.values[index] = Math.max(0, value)));
  return x;
}

/** As nn.LayerNorm: each row with mean 0 and variance 1, then a gain and a bias for each column. */
export function layerNorm({ shape, values }: Matrix, { weight: gain, bias }: Layer, eps = 1e-5) {
  const [rows, width] = shape;
  const out = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    let mean = 0;
    let variance = 0;
    for (let d = 0; d < width; d++) mean += values[start + d] / width;
    for (let d = 0; d < width; d++) variance += (values[start + d] - mean) ** 2 / width;
    const spread = Math.sqrt(variance + eps);
    for (let d = 0; d < width; d++)
      out[start + d] = ((values[start + d] - mean) / spread) * gain.values[d] + bias.values[d];
  }
  return { shape, values: out };
}

type StepsOptions = Omit<AttentionOptions, "keys"> & { head?: number };

/** Everything on the way through one head, by name, as `steps` of attention.py; `masked` has -Infinity where hidden. */
export const steps = (X: Matrix, layer: Layer, options: StepsOptions) => stepsAndMaps(X, layer, options).steps;

/** The same, and what all heads look at, [h, q, k]. */
export function stepsAndMaps(X: Matrix, layer: Layer, options: StepsOptions): { steps: HeadSteps; maps: Matrix } {
  const { numHeads, head = 0, mask = null, headMask = null, scaled = true, cap, rotaryBase } = options;
  if (!(Number.isInteger(head) && head >= 0 && head < numHeads))
    throw new RangeError(`head must be a whole number from 0 to ${numHeads - 1}, got ${head}`);
  const [XWq, XWk, V] = projected(X, X, layer, numHeads);
  const Q = place(XWq, layer["query.gain"], numHeads, options);
  const K = place(XWk, layer["key.gain"], numHeads, options);
  const { scores, masked, weights, context } = attend(Q, K, V, { numHeads, mask, headMask, scaled, cap });
  const columns = ({ shape: [rows, width], values }: Matrix) => {
    const part = width / numHeads;
    const own = new Float32Array(rows * part);
    for (let row = 0, from = head * part; row < rows; row++, from += width)
      own.set(values.subarray(from, from + part), row * part);
    return { shape: [rows, part], values: own };
  };
  const map = ({ shape: [, rows, width], values }: Matrix) => {
    const size = rows * width;
    return { shape: [rows, width], values: values.slice(head * size, (head + 1) * size) };
  };
  const own = {
    X,
    Q: columns(Q),
    K: columns(K),
    V: columns(V),
    scores: map(scores),
    masked: map(masked),
    weights: map(weights),
    context: columns(context),
    ...(rotaryBase && { XWq: columns(XWq), XWk: columns(XWk) }),
    concat: context,
    output: linear(context, layer["output.weight"], layer["output.bias"]),
  };
  return { steps: own, maps: weights };
}

/** x W^T + b, as nn.Linear: x [t, in], W [out, in], b [out] -> [t, out]. */
export function linear({ shape, values }: Matrix, weight: Matrix, bias: Matrix | null = null) {
  const [outputs, inputs] = weight.shape;
  if (shape.length !== 2 || shape[1] !== inputs)
    throw new RangeError(`x must be [t, ${inputs}] for weights [${weight.shape}], got [${shape}]`);
  if (bias && bias.values.length !== outputs)
    throw new RangeError(`there must be ${outputs} biases for weights [${weight.shape}], got ${bias.values.length}`);
  const rows = shape[0];
  const out = new Float32Array(rows * outputs);
  products(values, 0, inputs, weight.values, 0, inputs, out, 0, outputs, rows, outputs, inputs);
  if (bias)
    for (let i = 0, column = 0; i < out.length; i++, column = (column + 1) % outputs) out[i] += bias.values[column];
  return { shape: [rows, outputs], values: out };
}

/**
 * out = a b^T for parts of larger matrices: each is given by its numbers, where its part starts, and how far it is from
 * row to row. Two rows and four columns at a time, which reads every number less often: twice as fast as one by one.
 */
function products(
  a: Float32Array,
  aStart: number,
  aStep: number,
  b: Float32Array,
  bStart: number,
  bStep: number,
  out: Float32Array,
  outStart: number,
  outStep: number,
  rows: number,
  columns: number,
  depth: number,
) {
  for (let row = 0; row < rows; row += 2) {
    const a0 = aStart + row * aStep;
    const a1 = row + 1 < rows ? a0 + aStep : a0;
    for (let column = 0; column < columns; column += 4) {
      const left = columns - column;
      const b0 = bStart + column * bStep;
      const b1 = left > 1 ? b0 + bStep : b0;
      const b2 = left > 2 ? b1 + bStep : b0;
      const b3 = left > 3 ? b2 + bStep : b0;
      let s00 = 0,
        s01 = 0,
        s02 = 0,
        s03 = 0; // the sums of this row
      let s10 = 0,
        s11 = 0,
        s12 = 0,
        s13 = 0; // and of the next
      for (let i = 0; i < depth; i++) {
        const x0 = a[a0 + i],
          x1 = a[a1 + i];
        const y0 = b[b0 + i],
          y1 = b[b1 + i],
          y2 = b[b2 + i],
          y3 = b[b3 + i];
        s00 += x0 * y0;
        s01 += x0 * y1;
        s02 += x0 * y2;
        s03 += x0 * y3;
        s10 += x1 * y0;
        s11 += x1 * y1;
        s12 += x1 * y2;
        s13 += x1 * y3;
      }
      // The second row first: where there is none, it is the first once more.
      let to = outStart + (a1 === a0 ? row : row + 1) * outStep + column;
      out[to] = s10;
      if (left > 1) out[to + 1] = s11;
      if (left > 2) out[to + 2] = s12;
      if (left > 3) out[to + 3] = s13;
      to = outStart + row * outStep + column;
      out[to] = s00;
      if (left > 1) out[to + 1] = s01;
      if (left > 2) out[to + 2] = s02;
      if (left > 3) out[to + 3] = s03;
    }
  }
}

/** [rows, columns] -> [columns, rows] */
export function transpose({ shape: [rows, columns], values }: Matrix) {
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) turned[column * rows + row] = values[row * columns + column];
  return { shape: [columns, rows], values: turned };
}
