// The path through multi-head attention, its matrices, and how each of their numbers came about.

import { readable } from "./maps.js";

/** The path through the formula; `W` among the sources is the matrix that made the open cell's matrix. */
export const STEPS = [
  { name: "X", label: "Words", title: "Write every word as numbers", sources: [], results: ["X"],
    says: "One row per word. What a word means and where it stands, as the model has learnt to write it." },
  { name: "projections", label: "Q, K, V", title: "Look at every word in three ways", sources: ["X", "W"], results: ["Q", "K", "V"],
    says: "A query says what a word looks for, a key what it offers, a value what it brings. All of X goes in." },
  { name: "scores", label: "Scores", title: "Compare every query with every key", sources: ["Q", "K"], results: ["scores"],
    says: "A large dot product: this key answers this query well. Dividing keeps wide heads from shouting." },
  { name: "masked", label: "Mask", title: "Hide what may not be seen", sources: ["scores"], results: ["masked"],
    says: "A hidden pair gets the score −∞. Switch on the causal mask or padding above to hide some." },
  { name: "weights", label: "Softmax", title: "Turn every row of scores into shares", sources: ["masked"], results: ["weights"],
    says: "No share is negative and each row sums to 1: this is the map of what each word looks at." },
  { name: "context", label: "Mix", title: "Mix the values by their shares", sources: ["weights", "V"], results: ["context"],
    says: "Each word's new row is an average of all value rows, weighted by what the word looks at." },
  { name: "concat", label: "Concat", title: "Put the heads side by side", sources: ["context"], results: ["concat"],
    says: "Every head has done the same with its own matrices. Nothing is added up: the columns stand in a row." },
  { name: "output", label: "Output", title: "Let the last matrix mix the heads", sources: ["concat", "Wo"], results: ["output"],
    says: "Here the heads meet: each output number draws on all columns of all heads." },
];

/** What each matrix is called, what a row and a column of it stand for, and how it is coloured. */
export const MATRICES = {
  X: { words: "words", rows: "words" },
  Wq: { words: "learnt, makes queries" }, Wk: { words: "learnt, makes keys" }, Wv: { words: "learnt, makes values" },
  Q: { words: "queries", rows: "words" }, K: { words: "keys", rows: "words" }, V: { words: "values", rows: "words" },
  scores: { words: "scores", rows: "words", columns: "words" },
  masked: { words: "masked scores", rows: "words", columns: "words" },
  weights: { words: "weights", rows: "words", columns: "words", shares: true },
  context: { words: "this head’s output", rows: "words" },
  concat: { words: "all heads side by side", rows: "words" },
  Wo: { words: "learnt, mixes the heads" },
  output: { words: "output", rows: "words" },
};
export const MADE_BY = { Q: ["Wq", "bq"], K: ["Wk", "bk"], V: ["Wv", "bv"] };

/** The matrices of `steps` by name, the learnt ones too, where they are known. */
export const matrix = (steps, name) => steps[name] ?? steps.parameters?.[name] ?? null;
export const rowOf = ({ shape, values }, row) => values.subarray(row * shape[1], (row + 1) * shape[1]);
const columnOf = ({ shape, values }, column) => Float32Array.from({ length: shape[0] }, (_, row) => values[row * shape[1] + column]);
const multiply = (a, b) => Array.from(a, (value, index) => value * b[index]);
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Reads what Python wrote: each matrix as {shape, values}, values as numbers or as bytes of float32. */
export function decodeSteps(written) {
  const decode = (value) => {
    if (!value?.shape) return value;
    let { shape, values } = value;
    if (typeof values === "string") values = Uint8Array.from(atob(values), (char) => char.charCodeAt(0));
    if (ArrayBuffer.isView(values))
      values = new Float32Array(values.buffer.slice(values.byteOffset, values.byteOffset + values.byteLength));
    return { shape, values: Float32Array.from(values) };
  };
  const all = (object) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, decode(value)]));
  return { ...all(written), parameters: written.parameters ? all(written.parameters) : null };
}

/** A number as its cell shows it, and as the arithmetic writes it. */
export function shown(value) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const size = Math.abs(value);
  return written(value, size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
}
export function written(value, digits = 4) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** What one row or column of a matrix stands for. */
export function axisName(steps, name, axis, index) {
  if (MATRICES[name][axis] === "words") return readable(steps.tokens[index]);
  if (name === "concat" && axis === "columns") {
    const width = steps.context.shape[1];
    return `head ${Math.floor(index / width) + 1}, ${(index % width) + 1}`;
  }
  return String(index + 1);
}

/**
 * How a cell came about: `rows` of numbers over `columns`, then `results`, pairs of words and number, the last of
 * them the cell's value; `lit` names the rows, columns and cells it was made of.
 */
export function arithmetic(steps, name, row, column) {
  const value = matrix(steps, name).values[row * matrix(steps, name).shape[1] + column];
  const word = (index) => `“${readable(steps.tokens[index])}”`;
  const numbers = (count) => Array.from({ length: count }, (_, index) => String(index + 1));
  const dot = (a, b, columns, then = []) => {
    const products = multiply(a.values, b.values);
    const rows = [a, b, { label: "product", values: products }];
    return { rows, columns, results: [["sum of the products", sum(products)], ...then] };
  };
  const project = (source, parameters, titles) => {
    const [W, b] = parameters.map((parameter) => matrix(steps, parameter));
    const lit = [{ name: source, row }, { name: parameters[0], column }];
    if (!W) return { results: [["the learnt matrix arrives with the model", value]], lit };
    const then = b ? [[`plus the bias ${written(b.values[column])}`, value]] : [];
    const [a, w] = [rowOf(matrix(steps, source), row), columnOf(W, column)];
    return { ...dot({ label: titles[0], values: a }, { label: titles[1], values: w }, numbers(a.length), then), lit };
  };
  const explain = {
    X: () => ({ title: `${word(row)}, feature ${column + 1}`, results: [["the path begins here", value]] }),
    scores: () => {
      const [, width] = steps.Q.shape;
      const then = steps.scaled === false ? [] : [[`divided by √${width}`, value]];
      return {
        title: `how well the key of ${word(column)} answers the query of ${word(row)}`,
        ...dot({ label: `query of ${word(row)}`, values: rowOf(steps.Q, row) },
          { label: `key of ${word(column)}`, values: rowOf(steps.K, column) }, numbers(width), then),
        lit: [{ name: "Q", row }, { name: "K", row: column }],
      };
    },
    masked: () => ({
      title: `may ${word(row)} look at ${word(column)}?`,
      results: [[Number.isFinite(value) ? "yes; its score"
        : `no, that ${steps.tokens[column] === "[PAD]" ? "is padding" : "comes later"}; its score`, value]],
      lit: [{ name: "scores", row, column }],
    }),
    weights: () => {
      const scores = rowOf(steps.masked, row);
      const most = Math.max(...scores);
      const less = Array.from(scores, (score) => score - most);
      const exponentials = less.map(Math.exp);
      const total = sum(exponentials);
      return {
        title: `the share of its attention that ${word(row)} gives to ${word(column)}`,
        columns: steps.tokens.map(readable),
        rows: [{ label: "score s", values: scores }, { label: "s less the largest", values: less },
          { label: "e to that power", values: exponentials }],
        results: [["sum of the exponentials", total],
          [`${written(exponentials[column])} divided by the sum`, value]],
        lit: [{ name: "masked", row }],
      };
    },
    context: () => ({
      title: `${word(row)} after looking, feature ${column + 1}`,
      ...dot({ label: "weight", values: rowOf(steps.weights, row) },
        { label: `value, feature ${column + 1}`, values: columnOf(steps.V, column) }, steps.tokens.map(readable)),
      lit: [{ name: "weights", row }, { name: "V", column }],
    }),
    concat: () => {
      const width = steps.context.shape[1];
      const [head, feature] = [Math.floor(column / width), column % width];
      return {
        title: `${word(row)}, column ${column + 1} of ${steps.concat.shape[1]}`,
        results: [[`copied from head ${head + 1}, feature ${feature + 1}`, value]],
        lit: head === steps.head ? [{ name: "context", row, column: feature }] : [],
      };
    },
    output: () => ({
      title: `${word(row)} after all heads, feature ${column + 1}`,
      ...project("concat", ["Wo", "bo"], [`${word(row)}, all heads`, `column ${column + 1}`]),
    }),
  };
  for (const [made, parameters] of Object.entries(MADE_BY))
    explain[made] = () => ({
      title: `${{ Q: "query", K: "key", V: "value" }[made]} of ${word(row)}, feature ${column + 1}`,
      ...project("X", parameters, [word(row), `column ${column + 1}`]),
    });
  const learnt = () => ({ title: `row ${row + 1}, column ${column + 1}`, results: [["learnt, the same for every sentence", value]] });
  return { name, row, column, value, rows: [], columns: [], lit: [], ...(explain[name] ?? learnt)() };
}
