// The path through multi-head attention: its steps, its matrices, and how their numbers are written.

import type { HeadSteps, Matrix } from "./attention.ts";
import type { Ledger } from "./ledger.ts";
import { OVER_WORDS, STEPS } from "./names.ts";
import { readable } from "./text.ts";

/** What <formula-steps> shows: the matrices, their words, and what is learnt, where that is known. */
export interface Steps extends HeadSteps, Partial<Ledger> {
  tokens: string[];
  head: number;
  headNames: string[];
  notes?: string[];
  scaled: boolean;
  biased: boolean;
  parameters: Record<string, Matrix | null> | null;
}

/** What <attention-flow> shows: the steps of one head, and what all heads look at. */
export interface Flow extends Steps {
  maps: Matrix; // [h, q, k]
}

export interface StepsState {
  sentence: string;
  head: number;
  word: number;
  step: string;
  causal: boolean;
  padding: boolean;
  unscaled: boolean;
}

export interface FlowState {
  sentence: string;
  head: number;
  query: number;
  station: string;
}

/** What each step is called and says. */
const TEXTS = {
  X: { label: "Words", title: "Write every word as numbers",
    says: "One row for each word: in the book’s model what it means, and what layer 1 took into it from the other words." },
  projections: { label: "Q, K, V", title: "Look at every word in three ways",
    says: "A query says what a word looks for, a key what it offers, a value what it brings. All of X goes in." },
  scores: { label: "Scores", title: "Compare every query with every key",
    says: "A large dot product means that this key answers this query well. Dividing keeps wide heads from shouting." },
  masked: { label: "Mask", title: "Hide what may not be seen",
    says: "A hidden pair gets the score −∞. Switch on the causal mask or padding above to hide some." },
  weights: { label: "Softmax", title: "Turn every row of scores into weights",
    says: "No weight is negative and each row sums to 1: this is the map of what each word looks at." },
  context: { label: "Mix", title: "Mix the values by their weights",
    says: "Each word's new row is an average of all value rows, weighted by what the word looks at." },
  concat: { label: "Concat", title: "Put the heads side by side",
    says: "Every head has done the same with its own matrices. Nothing is added up: the columns stand side by side." },
  output: { label: "Output", title: "Let the last matrix mix the heads",
    says: "Here the heads meet: each output number draws on all columns of all heads." },
  answer: { label: "Answer", title: "Read the answer from [CLS]",
    says: "Only the output of [CLS] is read. Each head adds its part to every label’s logit, and softmax makes the logits probabilities." },
};

const STEP_NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];

/** The path through the formula; `W` among the sources is the matrix that made the open cell's matrix. */
export const PATH = STEP_NAMES.map((name) => ({ name, ...STEPS[name], ...TEXTS[name] }));

/** What each matrix is called. */
export const MATRICES: Record<string, string> = {
  X: "words",
  Wq: "learnt, makes queries",
  Wk: "learnt, makes keys",
  Wv: "learnt, makes values",
  Q: "queries",
  K: "keys",
  V: "values",
  scores: "scores",
  masked: "masked scores",
  weights: "weights",
  context: "this head’s output",
  concat: "all heads side by side",
  Wo: "learnt, mixes the heads",
  output: "output",
  reading: "learnt, reads the answer",
  parts: "parts of the logits",
  answer: "probabilities",
};

/** The learnt matrix and the bias that make another. */
export const MADE_BY: Record<string, string[]> = { Q: ["Wq", "bq"], K: ["Wk", "bk"], V: ["Wv", "bv"] };

const LEARNT = ["Wq", "Wk", "Wv", "Wo", "reading"];
const OF_LABELS = ["parts", "answer"]; // a row a label

/** Whether the rows of a matrix stand for words. */
export const rowsAreWords = (name: string) => ![...LEARNT, ...OF_LABELS].includes(name);

/** Whether the columns of a matrix stand for words. */
export const columnsAreWords = (name: string) => OVER_WORDS.includes(name);

/** A matrix of `steps` by its name; null for a learnt one that is not known. */
export const findMatrix = (steps: Steps, name: string): Matrix | null =>
  steps[name as keyof HeadSteps] ?? steps.parameters?.[name] ?? null;

/** The steps of the path whose matrices are known. */
export const pathOf = (steps: Steps) => PATH.filter(({ results }) => results.every((name) => findMatrix(steps, name)));

/** A matrix of `steps` that is known to be there. */
export function matrix(steps: Steps, name: string): Matrix {
  const found = findMatrix(steps, name);
  if (!found) throw new Error(`there is no matrix ${name}`);
  return found;
}

export const rowOf = ({ shape, values }: Matrix, row: number) => values.subarray(row * shape[1], (row + 1) * shape[1]);

export const columnOf = ({ shape, values }: Matrix, column: number) =>
  Float32Array.from({ length: shape[0] }, (_, row) => values[row * shape[1] + column]);

/** The likeliest label of each fact, by its place; that of `first` before the others. */
export function likeliestLabels({ labels = [], answer }: Steps, first = "") {
  const best = new Map<string, number>();
  labels.forEach(([fact], label) => {
    const before = best.get(fact);
    if (before === undefined || answer!.values[label] > answer!.values[before]) best.set(fact, label);
  });
  return [...best].sort(([a], [b]) => Number(b === first) - Number(a === first)).map(([, label]) => label);
}

/** A number as its cell shows it. */
export function shown(value: number) {
  const size = Math.abs(value);
  return written(value, size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
}

/** A number as the arithmetic writes it. */
export function written(value: number, digits = 4) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** What one row of a matrix stands for. */
export function rowName(steps: Steps, name: string, row: number) {
  if (rowsAreWords(name)) return readable(steps.tokens[row]);
  return OF_LABELS.includes(name) ? steps.labels?.[row].join(": ") ?? "" : String(row + 1);
}

/** What one column of a matrix stands for. */
export function columnName(steps: Steps, name: string, column: number) {
  if (columnsAreWords(name)) return readable(steps.tokens[column]);
  if (name === "answer") return "probability";
  if (name === "parts") return [...steps.headNames, "biases", "logit"][column];
  if (name === "reading") return steps.labels?.[column].join(": ") ?? "";
  if (name !== "concat") return String(column + 1);
  const width = steps.context.shape[1];
  return `head ${Math.floor(column / width) + 1}, ${(column % width) + 1}`;
}
