// What each part of a decoder adds to the logits that are read from its last token: twin of `read_back` in models/attributing.py.

import { bend, type Matrix } from "./attention.ts";

/** What a layer writes into the last token's vector. */
export interface LayerWrites {
  weights: Float32Array[]; // [h][k], what the token looks at
  values: Float32Array[][]; // [h][k], what is there
  /** What each number of the heads' outputs, side by side, adds along some directions of the vector, through W^O: [direction][h * d_v]. */
  back(directions: Float64Array[]): Float64Array[];
  biases?: ArrayLike<number>; // of W^O
  mlp: Float32Array | null;
  isOn(head: number): boolean; // a head that is off adds nothing
}

/** A norm: without a bias, one that only divides by the spread. */
export interface Norm {
  weight: ArrayLike<number>;
  bias?: ArrayLike<number>;
  eps: number;
}

/** The arrays of a ledger, but for the logits without a head; `embedding` is the vector before the first layer, `whole` after the last. */
export function readBack(
  layers: LayerWrites[],
  embedding: ArrayLike<number>,
  whole: ArrayLike<number>,
  norm: Norm,
  readouts: ArrayLike<number>[],
  cap = 0, // to which logits are bent: what that does to each is a factor, which is held still as the norm's is
) {
  const through = readouts.map((readout) => {
    const direction = reading(norm, whole, readout);
    const by = bend(dot(whole, direction), cap);
    return direction.map((value) => value * by);
  });
  const along = (vector: ArrayLike<number>) => through.map((direction) => dot(vector, direction));
  const others: Record<string, number[]> = { embedding: along(embedding) };
  const heads: number[][] = []; // [layer * h][label]
  const weights: number[] = [];
  const says: number[] = [];
  layers.forEach((layer, number) => {
    const back = layer.back(through);
    layer.weights.forEach((row, head) => {
      const sums = readouts.map(() => 0);
      layer.values[head].forEach((value, key) =>
        back.forEach((direction, label) => {
          const from = head * value.length;
          const said = layer.isOn(head) ? dot(value, direction.subarray(from, from + value.length)) : 0;
          says.push(said);
          sums[label] += row[key] * said;
        }),
      );
      heads.push(sums);
      weights.push(...row);
    });
    if (layer.mlp) others[`layer ${number + 1}, MLP`] = along(layer.mlp);
  });
  const written = layers.flatMap(({ biases }) => (biases ? [along(biases)] : []));
  if (norm.bias || written.length)
    others.biases = readouts.map(
      (readout, label) =>
        (norm.bias ? dot(norm.bias, readout) : 0) + written.reduce((sum, logits) => sum + logits[label], 0),
    );
  const parts = readouts.flatMap((_, label) => {
    const row = [...heads, ...Object.values(others)].map((part) => part[label]);
    return [...row, row.reduce((sum, part) => sum + part, 0)];
  });
  const count = weights.length / heads.length;
  return {
    others: Object.keys(others),
    parts: matrix([readouts.length, parts.length / readouts.length], parts),
    weights: matrix([heads.length, count], weights),
    says: matrix([heads.length, count, readouts.length], says),
  };
}

/** What a vector adds to a logit through a norm whose spread is that of `whole`. */
function reading({ weight, bias, eps }: Norm, whole: ArrayLike<number>, readout: ArrayLike<number>) {
  const mean = (values: ArrayLike<number>) =>
    bias ? Array.from(values).reduce((sum, value) => sum + value, 0) / values.length : 0;
  const direction = Float64Array.from(readout, (value, d) => value * weight[d]);
  const [middle, middleOfWhole] = [mean(direction), mean(whole)];
  const spread = Math.sqrt(
    Array.from(whole).reduce((sum, value) => sum + (value - middleOfWhole) ** 2, 0) / whole.length + eps,
  );
  return direction.map((value) => (value - middle) / spread);
}

export const matrix = (shape: number[], values: ArrayLike<number>): Matrix => ({
  shape,
  values: Float32Array.from(values),
});

export function dot(one: ArrayLike<number>, other: ArrayLike<number>) {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at] * other[at];
  return sum;
}
