// A whole model at work: what each of its parts adds, and the answer that stands there so far. Twin of models/machine.py.

import type { HeadMask } from "./attention-map.ts";
import { average, project, type Layer, type Matrix } from "./attention.ts";
import { rowOf } from "./steps.ts";
import { valueNorms } from "./value-norms.ts";

/** Twin of `Machine` in Python, which explains it. */
export interface Machine {
  tokens: string[];
  notes: string[];
  numHeads: number; // of a layer
  parts: string[]; // "embedding", "layer 1, attention", "layer 1, feed-forward", ...
  adds: Matrix; // [part, token]
  scores: Matrix; // [part, label]; NaN, as in `ranks`, where the answer so far wasn't asked for
  labels: string[][]; // [question, label]
  ranks?: Matrix; // [part, label], where labels stand that are few of many
  among?: number; // how many there are
  places: number[]; // of the tokens that the answer is read from
  parameters: number[]; // of each part, and of what reads the answer
  unit: string;
  replaces: string[];
  inside?: Inside; // the layer that was asked for
}

/** A layer's heads: what they look at, and how much each adds to each token. */
export interface Inside {
  layer: number;
  weights: Matrix; // [h, q, k]
  adds: Matrix; // [h, token]
  names?: string[]; // of heads that were taught something
  neurons?: Neurons; // of its feed-forward part; in a language model they come with the answers so far
}

/** The neurons of a feed-forward part that add most: twin of `Neurons` in Python, which explains it. */
export interface Neurons {
  count: number; // of all
  strongest: Neuron[];
}

export interface Neuron {
  neuron: number;
  adds: number; // how long the vector is that it adds
  raises: string[][]; // [question, label], those that gain most by it
}

export const ATTENTION = "attention";
export const FEED_FORWARD = "feed-forward";

/** The names of a model's parts, of which `feedForward` says which layers have one. */
export const partNames = (feedForward: boolean[]) => [
  "embedding",
  ...feedForward.flatMap((has, layer) =>
    [ATTENTION, ...(has ? [FEED_FORWARD] : [])].map((part) => `layer ${layer + 1}, ${part}`),
  ),
];

/** The layer of a part, from 0, and which of its parts it is; null for the embedding. */
export function placeOf(name: string) {
  const found = /^layer (\d+), (.*)$/.exec(name);
  return found && { layer: Number(found[1]) - 1, part: found[2] };
}

/** Layers from which on those that aren't open have a line each. */
export const FOLDED = 8;

/** The places of the parts beside which an answer so far stands: of a layer that is folded, the last one's. */
export function readAfter(parts: string[], open: number | null) {
  const places = parts.map(placeOf);
  const isFolded = places.at(-1)!.layer >= FOLDED;
  return places.flatMap((place, part) => {
    const isLast = place?.layer !== places[part + 1]?.layer;
    return !isFolded || isLast || place?.layer === open ? [part] : [];
  });
}

/** Of a layer's row in a mask of heads or parts: the heads, and whether the feed-forward part is on. */
export const headsIn = (on: boolean[] | null | undefined, heads: number) => on?.slice(0, heads);
export const mixesIn = (on: boolean[] | null | undefined, heads: number) => on?.[heads] ?? true;

/** The mask without some parts, each [layer, part]: a head's number, -1 for the feed-forward part, -2 for all heads. Null where all are on. */
export function partMaskOf(off: number[][], layers: number, heads: number): HeadMask {
  const has = off.filter(([layer, part]) => layer < layers && part < heads);
  if (!has.length) return null;
  const isOff = (layer: number, part: number) => has.some((one) => one[0] === layer && one[1] === part);
  return Array.from({ length: layers }, (_, layer) => [
    ...Array.from({ length: heads }, (_head, head) => !isOff(layer, head) && !isOff(layer, ALL_HEADS)),
    !isOff(layer, MIXING),
  ]);
}
export const MIXING = -1;
export const ALL_HEADS = -2;

/** The norms of what is added: [part] of [t, d] -> [part, t]. */
export function normsOf(added: Matrix[]): Matrix {
  const [length] = added[0].shape;
  const values = new Float32Array(added.length * length);
  added.forEach((part, at) => {
    for (let token = 0; token < length; token++)
      values[at * length + token] = Math.sqrt(rowOf(part, token).reduce((sum, value) => sum + value ** 2, 0));
  });
  return { shape: [added.length, length], values };
}

/** The heads of a layer at work on what they read; `on` says which are on. */
export function insideOf(layer: number, weights: Matrix, V: Matrix, output: Matrix, on: boolean[] | undefined): Inside {
  const heads = weights.shape[0];
  const adds = valueNorms(average(weights, V, on ?? null), output, heads);
  return { layer, weights, adds: { shape: [heads, weights.shape[1]], values: adds } };
}

/** The same of what is learned in a layer, and what it reads. */
export const insideLayer = (layer: number, X: Matrix, learned: Layer, weights: Matrix, on: boolean[] | undefined) =>
  insideOf(layer, weights, project(X, X, learned, weights.shape[0])[2], learned["output.weight"], on);

const STRONGEST = 5; // neurons that are shown
export const RAISED = 3; // answers to a question that each is said to raise
const LEAST = 0.001; // by which it's worth saying

/** The neurons that add most to some tokens in the mean: `active` [t, neuron], how long what each writes is, and what each `raises`, as `raisedBy` finds it. */
export function neuronsOf(active: Matrix, lengths: ArrayLike<number>, raises: (neuron: number) => string[][]): Neurons {
  const [tokens, count] = active.shape;
  const adds = Float64Array.from({ length: count }, (_, neuron) => {
    let sum = 0;
    for (let at = neuron; at < active.values.length; at += count) sum += active.values[at];
    return Math.abs(sum / tokens) * lengths[neuron];
  });
  const strongest = [...adds.keys()].sort((one, other) => adds[other] - adds[one]).slice(0, STRONGEST);
  const shown = strongest.filter((neuron) => adds[neuron] > 0);
  return { count, strongest: shown.map((neuron) => ({ neuron, adds: adds[neuron], raises: raises(neuron) })) };
}

/** What the part adds to some tokens without one of its neurons: `mixed` [t, d], `active` [t, neuron], `weight` [d, neuron]. */
export function withoutNeuron(mixed: Matrix, active: Matrix, weight: Matrix, neuron: number): Matrix {
  const [width, count] = weight.shape;
  const values = mixed.values.map(
    (value, at) =>
      value - active.values[Math.floor(at / width) * count + neuron] * weight.values[(at % width) * count + neuron],
  );
  return { shape: mixed.shape, values };
}

/** How long the columns of a matrix are. */
export function columnLengths({ shape: [, columns], values }: Matrix) {
  const squares = new Float64Array(columns);
  values.forEach((value, at) => (squares[at % columns] += value ** 2));
  return squares.map(Math.sqrt);
}

/** Of each question the labels that gain most, the most first. */
export function raisedBy(labels: string[][], gains: ArrayLike<number>) {
  const sorted = [...labels.keys()].filter((at) => gains[at] > LEAST).sort((one, other) => gains[other] - gains[one]);
  const before = (question: string, place: number) =>
    sorted.slice(0, place).filter((at) => labels[at][0] === question).length;
  return sorted.filter((at, place) => before(labels[at][0], place) < RAISED).map((at) => labels[at]);
}

/** How many numbers training made. */
export const sizeOf = (...tensors: Matrix[]) =>
  tensors.reduce((all, { shape }) => all + shape.reduce((size, side) => size * side, 1), 0);

/** Rows of several matrices, one below the other. */
export function stackedRows(rows: ArrayLike<number>[]): Matrix {
  const width = rows[0].length;
  const values = new Float32Array(rows.length * width);
  rows.forEach((row, at) => values.set(row, at * width));
  return { shape: [rows.length, width], values };
}

// ------------------------------------------------------------------------------------------- the answer so far

/** The place of an answer among the labels: of a question, or without one of the first, its likeliest at the end; -1 where nothing is answered. */
export function answerIn({ labels, scores }: Machine, answer: string) {
  if (!labels.length) return -1;
  const exact = labels.findIndex((pair) => pair.join(": ") === answer);
  if (exact >= 0) return exact;
  const question = labels.some(([name]) => name === answer) ? answer : labels[0][0];
  const last = rowOf(scores, scores.shape[0] - 1);
  return rivalsIn(labels, question).reduce((best, label) => (last[label] > last[best] ? label : best));
}

/** The places of all answers to a question. */
export const rivalsIn = (labels: string[][], question: string) =>
  labels.flatMap(([name], place) => (name === question ? [place] : []));

/** After each part: the answer's score, where it stands among all answers, 1 for the first, and the place of the likeliest. */
export function soFar({ labels, scores, ranks }: Machine, answer: number) {
  const rivals = answer < 0 ? [] : rivalsIn(labels, labels[answer][0]);
  return Array.from({ length: rivals.length && scores.shape[0] }, (_, part) => {
    const row = rowOf(scores, part);
    const best = rivals.reduce((one, other) => (row[other] > row[one] ? other : one));
    const above = rivals.filter((other) => row[other] > row[answer]).length;
    return { score: row[answer], standing: ranks ? rowOf(ranks, part)[answer] : 1 + above, best };
  });
}
