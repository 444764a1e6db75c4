// What each head brings to an answer: twin of `FocusModel.ledger` in Python.

import type { HeadMask } from "./attention-map.ts";
import type { Layer, Matrix } from "./attention.ts";

/** What each head brings to the logit of each label, where a model draws conclusions from its output; see math/ledger.ts. */
export interface Ledger {
  labels: string[][]; // [fact, label]
  reading: Matrix; // [h * d_v, label]
  parts: Matrix; // [label, h + 2]: a column a head, the biases, the logit
  answer: Matrix; // [label, 1]: probabilities
}

/** What <head-ledger> shows, for every label: see `head_ledger` in Python. */
export interface HeadLedger {
  tokens: string[];
  headNames: string[];
  numHeads: number; // of a layer
  firstLayer?: number; // whose heads come first, where the answers are read from the last layers alone
  labels: string[][]; // [fact, label]
  answered: boolean; // else there is nothing that the model draws conclusions from
  notes?: string[];
  others: string[]; // the parts of the sum that are no heads
  parts: Matrix; // [label, part]: a column for each head and each of the others, then the logit
  without: Matrix; // [label, h]: the logit with a head off; NaN where it was not computed
  weights: Matrix; // [h, k]: what the token looks at that the answers are read from
  says: Matrix; // [h, k, label]: what a word would add with all of the weight; zeros for a head that is off
  extremes?: Record<number, string[][]>; // [h][k]: the token raised most and the one lowered most, of all that there are
}

/** What a model is asked for. */
export interface LedgerQuestion {
  sentence: string;
  answer: string; // "fact: label", a fact for its likeliest label, or nothing for the first
  head: number | null; // null is the one that adds most
  headMask?: HeadMask;
}

/** What stands behind the attention of a model: the output layer, a layer norm and the readouts of its facts. */
export interface Behind {
  numHeads: number;
  output: Layer; // weight [d, h * d_v], bias [d]
  norm: Layer;
  eps: number;
  facts: Record<string, string[]>;
  readout(fact: string): Layer; // weight [label, d], bias [label]
}

/**
 * The parts of every label's logit; `concat` are the heads' outputs for the token that the answers are read from. The layer norm's
 * division by the spread is frozen at the spread of this output; all else is linear, and `reading` is its matrix.
 */
export function ledgerOf(concat: ArrayLike<number>, { numHeads, output, norm, eps, facts, readout }: Behind): Ledger {
  const [width, inputs] = output.weight.shape;
  const column = (input: number) =>
    Float64Array.from({ length: width }, (_, d) => output.weight.values[d * inputs + input]);
  const columns = Array.from({ length: inputs }, (_, input) => column(input)); // what each number of concat adds to the output
  const bias = Float64Array.from(output.bias.values);
  const whole = bias.map((value, d) => columns.reduce((sum, each, input) => sum + concat[input] * each[d], value));
  const spread = Math.sqrt(centred(whole).reduce((sum, value) => sum + value ** 2, 0) / width + eps);
  const gain = norm.weight.values;
  const through = (vector: Float64Array) => centred(vector).map((value, d) => (value * gain[d]) / spread);
  const normed = columns.map(through);
  const rest = through(bias).map((value, d) => value + norm.bias.values[d]);

  const labels = Object.entries(facts).flatMap(([fact, names]) => names.map((name) => [fact, name]));
  const reading = { shape: [inputs, labels.length], values: new Float32Array(inputs * labels.length) };
  const parts = { shape: [labels.length, numHeads + 2], values: new Float32Array(labels.length * (numHeads + 2)) };
  const logits = labels.map(([fact, name], label) => {
    const { weight, bias: biases } = readout(fact);
    const own = facts[fact].indexOf(name);
    const direction = weight.values.subarray(own * width, (own + 1) * width);
    const heads = new Float64Array(numHeads);
    normed.forEach((vector, input) => {
      const value = dot(vector, direction);
      reading.values[input * labels.length + label] = value;
      heads[Math.floor((input * numHeads) / inputs)] += concat[input] * value;
    });
    const row = [...heads, dot(rest, direction) + biases.values[own]];
    const logit = row.reduce((sum, value) => sum + value, 0);
    parts.values.set([...row, logit], label * (numHeads + 2));
    return logit;
  });
  const answer = { shape: [labels.length, 1], values: new Float32Array(labels.length) };
  labels.forEach(([fact], label) => {
    const rivals = logits.filter((_, other) => labels[other][0] === fact);
    answer.values[label] = 1 / rivals.reduce((sum, other) => sum + Math.exp(other - logits[label]), 0);
  });
  return { labels, reading, parts, answer };
}

/** A vector less its mean. */
function centred(vector: Float64Array) {
  const mean = vector.reduce((sum, value) => sum + value, 0) / vector.length;
  return vector.map((value) => value - mean);
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at];
  return sum;
};
