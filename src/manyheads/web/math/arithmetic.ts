// How each number on the path through the formula came about.

import { PADDING } from "./names.ts";
import { columnOf, findMatrix, MADE_BY, matrix, rowOf, written } from "./steps.ts";
import { readable } from "./text.ts";

/**
 * How a cell came about: rows of numbers over `columns`, then results, the last of them the cell's value; `lit` names the
 * rows, columns and cells it was made of.
 * @typedef {{ title: string, rows?: Line[], columns?: string[], results: Result[], lit?: Place[] }} Explanation
 * @typedef {{ label: string, values: ArrayLike<number> }} Line
 * @typedef {[words: string, value: number]} Result
 */

/**
 * The arithmetic of one cell.
 * @param {Steps} steps
 * @param {string} name
 * @param {number} row
 * @param {number} column
 */
export function arithmetic(steps, name, row, column) {
  const { shape, values } = matrix(steps, name);
  const value = values[row * shape[1] + column];
  const explained = (EXPLAIN[name] ?? explainLearnt)({ steps, name, row, column, value });
  return { name, row, column, value, rows: [], columns: [], lit: [], ...explained };
}

/**
 * The cell that is asked about.
 * @typedef {{ steps: Steps, name: string, row: number, column: number, value: number }} Asked
 */

/** @type {Record<string, (asked: Asked) => Explanation>} */
const EXPLAIN = {
  X: ({ steps, row, column, value }) => ({
    title: `${word(steps, row)}, feature ${column + 1}`,
    results: [["the path begins here", value]],
  }),
  Q: (asked) => explainProjection(asked, "query"),
  K: (asked) => explainProjection(asked, "key"),
  V: (asked) => explainProjection(asked, "value"),
  scores: ({ steps, row, column, value }) => {
    const [, width] = steps.Q.shape;
    const query = { label: `query of ${word(steps, row)}`, values: rowOf(steps.Q, row) };
    const key = { label: `key of ${word(steps, column)}`, values: rowOf(steps.K, column) };
    return {
      title: `how well the key of ${word(steps, column)} answers the query of ${word(steps, row)}`,
      ...dot(query, key, numbers(width), steps.scaled === false ? [] : [[`divided by √${width}`, value]]),
      lit: [{ name: "Q", row }, { name: "K", row: column }],
    };
  },
  masked: ({ steps, row, column, value }) => {
    const why = steps.tokens[column] === PADDING.token ? "is padding" : "comes later";
    return {
      title: `may ${word(steps, row)} look at ${word(steps, column)}?`,
      results: [[Number.isFinite(value) ? "yes; its score" : `no, that ${why}; its score`, value]],
      lit: [{ name: "scores", row, column }],
    };
  },
  weights: ({ steps, row, column, value }) => {
    const scores = rowOf(steps.masked, row);
    const most = Math.max(...scores);
    const less = Array.from(scores, (score) => score - most);
    const exponentials = less.map(Math.exp);
    return {
      title: `the share of its attention that ${word(steps, row)} gives to ${word(steps, column)}`,
      columns: steps.tokens.map(readable),
      rows: [
        { label: "score s", values: scores },
        { label: "s less the largest", values: less },
        { label: "e to that power", values: exponentials },
      ],
      results: [
        ["sum of the exponentials", sumOf(exponentials)],
        [`${written(exponentials[column])} divided by the sum`, value],
      ],
      lit: [{ name: "masked", row }],
    };
  },
  context: ({ steps, row, column }) => {
    const weights = { label: "weight", values: rowOf(steps.weights, row) };
    const values = { label: `value, feature ${column + 1}`, values: columnOf(steps.V, column) };
    return {
      title: `${word(steps, row)} after looking, feature ${column + 1}`,
      ...dot(weights, values, steps.tokens.map(readable)),
      lit: [{ name: "weights", row }, { name: "V", column }],
    };
  },
  concat: ({ steps, row, column, value }) => {
    const width = steps.context.shape[1];
    const [head, feature] = [Math.floor(column / width), column % width];
    return {
      title: `${word(steps, row)}, column ${column + 1} of ${steps.concat.shape[1]}`,
      results: [[`copied from head ${head + 1}, feature ${feature + 1}`, value]],
      lit: head === steps.head ? [{ name: "context", row, column: feature }] : [],
    };
  },
  output: (asked) => ({
    title: `${word(asked.steps, asked.row)} after all heads, feature ${asked.column + 1}`,
    ...project(asked, "concat", ["Wo", "bo"], `${word(asked.steps, asked.row)}, all heads`),
  }),
};

/**
 * @param {Asked} asked
 * @param {string} made
 * @returns {Explanation}
 */
function explainProjection(asked, made) {
  const asks = word(asked.steps, asked.row);
  return { title: `${made} of ${asks}, feature ${asked.column + 1}`, ...project(asked, "X", MADE_BY[asked.name], asks) };
}

/**
 * @param {Asked} asked
 * @returns {Explanation}
 */
function explainLearnt({ row, column, value }) {
  return { title: `row ${row + 1}, column ${column + 1}`, results: [["learnt, the same for every sentence", value]] };
}

/**
 * A row of `source` times a column of what is learnt, and the bias.
 * @param {Asked} asked
 * @param {string} source
 * @param {string[]} parameters
 * @param {string} label
 */
function project({ steps, row, column, value }, source, [weight, bias], label) {
  const [W, b] = [findMatrix(steps, weight), findMatrix(steps, bias)];
  const lit = [{ name: source, row }, { name: weight, column }];
  if (!W) return { results: [/** @type {Result} */ (["the learnt matrix arrives with the model", value])], lit };
  const a = { label, values: rowOf(matrix(steps, source), row) };
  const w = { label: `column ${column + 1}`, values: columnOf(W, column) };
  return { ...dot(a, w, numbers(a.values.length), b ? [[`plus the bias ${written(b.values[column])}`, value]] : []), lit };
}

/**
 * A dot product term by term, and what becomes of it `then`.
 * @param {Line} a
 * @param {Line} b
 * @param {string[]} columns
 * @param {Result[]} [then]
 */
function dot(a, b, columns, then = []) {
  const products = Array.from(a.values, (value, index) => value * b.values[index]);
  /** @type {Result[]} */
  const results = [["sum of the products", sumOf(products)], ...then];
  return { rows: [a, b, { label: "product", values: products }], columns, results };
}

const sumOf = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => String(index + 1));

/**
 * @param {Steps} steps
 * @param {number} index
 */
const word = (steps, index) => `“${readable(steps.tokens[index])}”`;
