// The steps of multi-head attention: their matrices, and how their numbers are written.

import type { HeadSteps, Matrix } from "./attention.ts";
import type { Ledger } from "./ledger.ts";
import type { Rotary } from "./rotary.ts";

/** The matrices of one head, their words, and what is learned, where that is known. */
export interface Steps extends HeadSteps, Partial<Ledger> {
  tokens: string[];
  head: number;
  headNames: string[];
  notes?: string[];
  scaled: boolean;
  biased: boolean;
  rotaryBase?: Rotary; // by which queries and keys are turned, where they are
  normEpsilon?: number; // of the norm that they go through before, where they do
  norms?: string; // of a decoder's layer: whether parts are normed "before" they read, "after" they have written, or "both"
  cap?: number; // to which scores are bent, where they are
  kvHeads?: number; // groups of heads that share keys and values, where there are fewer than heads
  decodes?: boolean; // a decoder's: no token ever looks ahead
  headMask?: boolean[] | null; // false for each head of the layer that is off
  parameters: Record<string, Matrix | null> | null;
}

/** What <attention-flow> shows: the steps of one head, and what all heads look at, here and in the layer below. */
export interface Flow extends Steps {
  maps: Matrix; // [h, q, k]
  below?: Matrix; // [h, q, k] of the layer below, where there is one
  belowMask?: boolean[] | null; // and false for each head of that layer that is off
  layer?: number; // which one it is, from 0; the second, where there's nothing to choose
  layers?: number; // how many can be chosen
  above?: Flow; // through the head of the layer above that an answer rests on, where the journey goes on to it: [CLS] asks there
}

/** What may be changed in the formula. */
export interface Changes {
  causal: boolean;
  padding: boolean;
  unscaled: boolean;
}

export interface FlowState extends Changes {
  sentence: string;
  layer: number;
  head: number;
  query: number;
  answer: string; // the fact that the journey ends in, where it begins in the layer below; "" elsewhere
  station: string;
  cell: string; // the one whose arithmetic is open: "scores 3 8"; "" where none is
}

/** A number of a matrix. */
export interface Cell {
  name: string;
  row: number;
  column: number;
}

/** What each matrix is called. */
export const MATRICES: Record<string, string> = {
  X: "words",
  Wq: "learned, makes queries",
  Wk: "learned, makes keys",
  Wv: "learned, makes values",
  XWq: "queries, not turned yet",
  XWk: "keys, not turned yet",
  Q: "queries",
  K: "keys",
  V: "values",
  scores: "scores",
  masked: "masked scores",
  weights: "weights",
  context: "this head’s output",
  concat: "all heads side by side",
  Wo: "learned, mixes the heads",
  output: "output",
  reading: "learned, reads the answer",
  parts: "parts of the logits",
  answer: "probabilities",
};

/** The learned matrix and the bias that make another. */
export const MADE_BY: Record<string, string[]> = {
  Q: ["Wq", "bq"],
  K: ["Wk", "bk"],
  V: ["Wv", "bv"],
  XWq: ["Wq", "bq"],
  XWk: ["Wk", "bk"],
};

/** A matrix of `steps` by its name; null for a learned one that is not known. */
export const findMatrix = (steps: Steps, name: string): Matrix | null =>
  steps[name as keyof HeadSteps] ?? steps.parameters?.[name] ?? null;

/** A matrix of `steps` that is known to be there. */
export function matrix(steps: Steps, name: string): Matrix {
  const found = findMatrix(steps, name);
  if (!found) throw new Error(`there is no matrix ${name}`);
  return found;
}

/** Whether a decoder's layer is normed before its heads read, or after they've written. */
export const isNormed = ({ decodes, norms = "before" }: Pick<Steps, "decodes" | "norms">, when: "before" | "after") =>
  Boolean(decodes) && [when, "both"].includes(norms);

/** Whether a head is off, and hands on nothing. */
export const isOff = ({ headMask }: Pick<Steps, "headMask">, head: number) => headMask?.[head] === false;

/** The token that an answer rests on: the one that its head in the layer above looks at most when [CLS] asks; null where there's none. */
export function askerOf({ above }: Pick<Flow, "above">) {
  if (!above) return null;
  const keys = above.tokens.length;
  const weights = above.maps.values.subarray(above.head * keys * keys, above.head * keys * keys + keys);
  return weights.indexOf(Math.max(...weights));
}

export const rowOf = ({ shape, values }: Matrix, row: number) => values.subarray(row * shape[1], (row + 1) * shape[1]);

export const columnOf = ({ shape, values }: Matrix, column: number) =>
  Float32Array.from({ length: shape[0] }, (_, row) => values[row * shape[1] + column]);

/** A cell as a figure's state has it, "scores 3 8"; null where the matrix or the place isn't there. */
export function cellAt(steps: Steps, text: string): Cell | null {
  const [, name, row, column] = /^(\w+) (\d+) (\d+)$/.exec(text) ?? [];
  const shape = name in MATRICES ? findMatrix(steps, name)?.shape : null;
  return shape && Number(row) < shape[0] && Number(column) < shape[1]
    ? { name, row: Number(row), column: Number(column) }
    : null;
}

export const cellText = ({ name, row, column }: Cell) => `${name} ${row} ${column}`;

/** The likeliest label of each fact, by its place; that of `first` before the others. */
export function likeliestLabels({ labels = [], answer }: Steps, first = "") {
  const best = new Map<string, number>();
  labels.forEach(([fact], label) => {
    const before = best.get(fact);
    if (before === undefined || answer!.values[label] > answer!.values[before]) best.set(fact, label);
  });
  return [...best].sort(([a], [b]) => Number(b === first) - Number(a === first)).map(([, label]) => label);
}

/** A number as the arithmetic writes it. */
export function formatNumber(value: number, digits = 4) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}
