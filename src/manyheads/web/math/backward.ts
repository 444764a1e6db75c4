// The way back through attention.ts, by hand: from how a loss changes with an output to how it changes with what the output was
// made of. dX stands for the gradient of the loss with respect to X, and has the shape of X. No DOM.
//
// Axes: h head   q query position   k key position   t position   d width.

import { linear, transpose, type Matrix } from "./attention.ts";

/** Back through linear, y = x W^T: dy [t, out], x [t, in], W [out, in] -> dx [t, in], dW [out, in]. */
export function linearBackward(dy: Matrix, x: Matrix, weight: Matrix) {
  return { dx: linear(dy, transpose(weight)), dW: linear(transpose(dy), transpose(x)) };
}

/** What attend was given for a text, and the weights [h, q, k] that it gave. */
export interface Attended {
  Q: Matrix;
  K: Matrix;
  V: Matrix;
  weights: Matrix;
  headMask?: boolean[]; // false for a head that is off, which changes nothing
}

/** Back through attend: from the gradient of the contexts [q, h * d_v] to those of queries, keys and values. */
export function attendBackward(dContext: Matrix, { Q, K, V, weights, headMask }: Attended) {
  const heads = weights.shape[0];
  const [dQ, dK, dV] = [Q, K, V].map(zerosLike);
  for (let head = 0; head < heads; head++) {
    if (headMask && !headMask[head]) continue;
    const [q, k, v, dC] = [Q, K, V, dContext].map((all) => columnsOf(all, head, heads));
    const A = mapOf(weights, head); // [q, k]
    const dA = linear(dC, v); // dC V^T, [q, k]
    const dS = softmaxBackward(dA, A, 1 / Math.sqrt(q.shape[1])); // [q, k]
    putColumns(dV, head, heads, linear(transpose(A), transpose(dC))); // A^T dC, [k, d_v]
    putColumns(dQ, head, heads, linear(dS, transpose(k))); // dS K, [q, d_k]
    putColumns(dK, head, heads, linear(transpose(dS), transpose(q))); // dS^T Q, [k, d_k]
  }
  return { dQ, dK, dV };
}

/** Back through softmax(S * scale), all [q, k]: dS = A (dA - mean) * scale, the mean of dA weighted by A. */
export function softmaxBackward(dA: Matrix, A: Matrix, scale = 1): Matrix {
  const [rows, width] = A.shape;
  const dS = new Float32Array(rows * width);
  for (let start = 0; start < dS.length; start += width) {
    let mean = 0;
    for (let i = start; i < start + width; i++) mean += A.values[i] * dA.values[i];
    for (let i = start; i < start + width; i++) dS[i] = A.values[i] * (dA.values[i] - mean) * scale;
  }
  return { shape: A.shape, values: dS };
}

/** Back through layerNorm: dy, x [t, d] -> dx [t, d], and the gradients of gain and bias [d]. */
export function layerNormBackward(dy: Matrix, x: Matrix, gain: Matrix, eps = 1e-5) {
  const [rows, width] = x.shape;
  const [dx, dGain, dBias] = [zerosLike(x), zerosLike(gain), zerosLike(gain)];
  const normed = new Float64Array(width);
  for (let row = 0, at = 0; row < rows; row++, at += width) {
    let [mean, variance, along, sum] = [0, 0, 0, 0];
    for (let d = 0; d < width; d++) mean += x.values[at + d] / width;
    for (let d = 0; d < width; d++) variance += (x.values[at + d] - mean) ** 2 / width;
    const spread = Math.sqrt(variance + eps);
    for (let d = 0; d < width; d++) {
      const slope = dy.values[at + d];
      normed[d] = (x.values[at + d] - mean) / spread;
      dGain.values[d] += slope * normed[d];
      dBias.values[d] += slope;
      sum += (slope * gain.values[d]) / width;
      along += (slope * gain.values[d] * normed[d]) / width;
    }
    for (let d = 0; d < width; d++)
      dx.values[at + d] = (dy.values[at + d] * gain.values[d] - sum - normed[d] * along) / spread;
  }
  return { dx, dGain, dBias };
}

/** The map of one head: [h, q, k] -> [q, k]. */
function mapOf({ shape: [, queries, keys], values }: Matrix, head: number): Matrix {
  const size = queries * keys;
  return { shape: [queries, keys], values: values.subarray(head * size, (head + 1) * size) };
}

/** The columns of one head, of those of all heads side by side: [t, h * d] -> [t, d]. */
function columnsOf({ shape: [rows, width], values }: Matrix, head: number, heads: number): Matrix {
  const part = width / heads;
  const own = new Float32Array(rows * part);
  for (let row = 0; row < rows; row++)
    own.set(values.subarray(row * width + head * part, row * width + (head + 1) * part), row * part);
  return { shape: [rows, part], values: own };
}

function putColumns(all: Matrix, head: number, heads: number, { shape: [rows, part], values }: Matrix) {
  for (let row = 0; row < rows; row++)
    all.values.set(values.subarray(row * part, (row + 1) * part), (row * heads + head) * part);
}

const zerosLike = ({ shape, values }: Matrix): Matrix => ({ shape, values: new Float32Array(values.length) });
