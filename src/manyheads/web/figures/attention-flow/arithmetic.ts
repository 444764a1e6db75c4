// How each number on the path through the formula came about.

import { PADDING } from "../../math/names.ts";
import { rotated, speedsOf } from "../../math/rotary.ts";
import { columnOf, findMatrix, isNormed, isOff, MADE_BY, matrix, rowOf, formatNumber } from "../../math/steps.ts";
import type { Cell, Steps } from "../../math/steps.ts";
import { inQuotes, readable } from "../../math/text.ts";

const MANY = 64; // products: of so many, the largest stand first

/** A row, a column or a cell of a matrix. */
export interface Place {
  name: string;
  row?: number;
  column?: number;
  from?: number; // where the first term of a sum stands
  step?: number; // and how far it is from one to the next
}

/**
 * How a cell came about: rows of numbers over `columns`, then results, the last of them the cell's value; `lit` names the
 * rows, columns and cells it was made of, the first that of the first row of numbers, and so on.
 */
type Explanation = {
  title: string;
  rows?: Line[];
  columns?: string[];
  order?: number[]; // in which the terms stand, where that isn't the order of the columns
  results: Result[];
  lit?: Place[];
};
type Line = { label: string; values: ArrayLike<number> };
type Result = [words: string, value: number];

/** The arithmetic of one cell. */
export function arithmetic(steps: Steps, name: string, row: number, column: number) {
  const { shape, values } = matrix(steps, name);
  const value = values[row * shape[1] + column];
  const explained = (EXPLAIN[name] ?? explainLearnt)({ steps, name, row, column, value });
  const { columns = [] } = explained;
  return { name, row, column, value, rows: [], columns, order: [...columns.keys()], lit: [], ...explained };
}

/** The cell that a term of the arithmetic is, a number of one of its rows; null where it is none of a matrix. */
export function sourceOf(
  steps: Steps,
  { rows, lit }: Pick<ReturnType<typeof arithmetic>, "rows" | "lit">,
  line: number,
  term: number,
): Cell | null {
  const place = lit[line];
  if (!place || (rows.length > 0 && !rows[line]) || !findMatrix(steps, place.name)) return null;
  const { name, from = 0, step = 1, row = from + step * term, column = from + step * term } = place;
  return { name, row, column };
}

/** The cell to explain. */
type Explained = { steps: Steps; name: string; row: number; column: number; value: number };

const EXPLAIN: Record<string, (cell: Explained) => Explanation> = {
  X: ({ steps, row, column, value }) => ({
    title: `${word(steps, row)}, feature ${column + 1}`,
    results: [[isNormed(steps, "before") ? "as it enters this layer, normed" : "as the layer below left it", value]],
  }),
  Q: (cell) => (cell.steps.XWq ? explainTurn(cell, "query", "XWq") : explainProjection(cell, "query")),
  K: (cell) => (cell.steps.XWk ? explainTurn(cell, "key", "XWk") : explainProjection(cell, "key")),
  XWq: (cell) => explainProjection(cell, "query"),
  XWk: (cell) => explainProjection(cell, "key"),
  V: (cell) => explainProjection(cell, "value"),
  scores: ({ steps, row, column, value }) => {
    const [, width] = steps.Q.shape;
    const query = { label: `query of ${word(steps, row)}`, values: rowOf(steps.Q, row) };
    const key = { label: `key of ${word(steps, column)}`, values: rowOf(steps.K, column) };
    return {
      title: `how well the key of ${word(steps, column)} answers the query of ${word(steps, row)}`,
      ...dot(query, key, numbers(width), scaledAndBent(steps, width, value)),
      lit: [
        { name: "Q", row },
        { name: "K", row: column },
      ],
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
      title: `the weight that ${word(steps, row)} gives to ${word(steps, column)}`,
      columns: steps.tokens.map(readable),
      rows: [
        { label: "score s", values: scores },
        { label: "s less the largest", values: less },
        { label: "e to that power", values: exponentials },
      ],
      results: [
        ["sum of the exponentials", sumOf(exponentials)],
        [`${formatNumber(exponentials[column])} divided by the sum`, value],
      ],
      lit: [{ name: scores.every(Number.isFinite) ? "scores" : "masked", row }], // what hides nothing is left out
    };
  },
  context: ({ steps, row, column, value }) => {
    const weights = { label: "weight", values: rowOf(steps.weights, row) };
    const values = { label: `value, feature ${column + 1}`, values: columnOf(steps.V, column) };
    return {
      title: `this head’s output for ${word(steps, row)}, feature ${column + 1}`,
      ...dot(
        weights,
        values,
        steps.tokens.map(readable),
        isOff(steps, steps.head) ? [["the head is off and hands on", value]] : [],
      ),
      lit: [
        { name: "weights", row },
        { name: "V", column },
      ],
    };
  },
  concat: ({ steps, row, column, value }) => {
    const width = steps.context.shape[1];
    const [head, feature] = [Math.floor(column / width), column % width];
    return {
      title: `${word(steps, row)}, column ${column + 1} of ${steps.concat.shape[1]}`,
      results: [
        [
          isOff(steps, head)
            ? `head ${head + 1} is off and hands on`
            : `copied from head ${head + 1}, feature ${feature + 1}`,
          value,
        ],
      ],
      lit: head === steps.head ? [{ name: "context", row, column: feature }] : [],
    };
  },
  output: (cell) => ({
    title: `${word(cell.steps, cell.row)} after all heads, feature ${cell.column + 1}`,
    ...project(cell, "concat", ["Wo", "bo"], `${word(cell.steps, cell.row)}, all heads`),
  }),
  reading: ({ steps, row, column, value }) => ({
    title: `what joined number ${row + 1} counts for “${steps.labels?.[column][1]}”`,
    results: [["learned; divided by the spread of this output, as the layer norm does", value]],
  }),
  parts: explainPart,
  answer: ({ steps, row, value }) => {
    const { labels = [], parts } = steps;
    const rivals = labels.flatMap(([fact], label) => (fact === labels[row][0] ? [label] : []));
    const logits = columnOf(parts!, parts!.shape[1] - 1);
    const own = rivals.map((label) => logits[label]);
    const most = Math.max(...own);
    const exponentials = own.map((logit) => Math.exp(logit - most));
    const at = rivals.indexOf(row);
    return {
      title: `the probability that the ${labels[row][0]} is “${labels[row][1]}”`,
      columns: rivals.map((label) => labels[label][1]),
      rows: [
        { label: "logit z", values: own },
        { label: "z less the largest", values: own.map((logit) => logit - most) },
        { label: "e to that power", values: exponentials },
      ],
      results: [
        ["sum of the exponentials", sumOf(exponentials)],
        [`${formatNumber(exponentials[at])} divided by the sum`, value],
      ],
      lit: [{ name: "parts", column: steps.headNames.length + 1, from: rivals[0] }],
    };
  },
};

/** What a head brings to a logit, the biases that are there without any, or the logit, their sum. */
function explainPart({ steps, row, column, value }: Explained): Explanation {
  const { headNames, concat, reading, parts } = steps;
  const label = `“${steps.labels?.[row][1]}”`;
  if (column === headNames.length)
    return { title: `what every sentence brings to the logit of ${label}`, results: [["the biases", value]] };
  if (column > headNames.length) {
    const values = rowOf(parts!, row).slice(0, -1);
    return {
      title: `the logit of ${label}`,
      columns: [...headNames, "biases"],
      rows: [{ label: "part", values }],
      results: [["sum of the parts", value]],
      lit: [{ name: "parts", row }],
    };
  }
  const width = concat.shape[1] / headNames.length;
  const [from, to] = [column * width, (column + 1) * width];
  const output = { label: `${word(steps, 0)}, ${headNames[column]}`, values: rowOf(concat, 0).slice(from, to) };
  const read = { label: `column ${row + 1} of R`, values: columnOf(reading!, row).slice(from, to) };
  return {
    title: `what the head ${headNames[column]} brings to the logit of ${label}`,
    ...dot(output, read, numbers(width)),
    lit: [
      { name: "concat", row: 0, from },
      { name: "reading", column: row, from },
    ],
  };
}

/** A number of a query or key of which positions turn the pairs: rotary.ts. */
function explainTurn({ steps, name, row, column }: Explained, made: string, straight: string): Explanation {
  const [, width] = matrix(steps, name).shape;
  const half = width / 2;
  const pair = column % half;
  const gains = findMatrix(steps, `g${made[0]}`); // of the norm before
  const whole = gains
    ? rotated(rowOf(matrix(steps, name), row), -row, steps.rotaryBase) // turned back
    : rowOf(matrix(steps, straight), row);
  const [first, second] = [whole[pair], whole[pair + half]];
  const angle = row * speedsOf(width, steps.rotaryBase)[pair];
  const turn = column < half ? [Math.cos(angle), -Math.sin(angle)] : [Math.sin(angle), Math.cos(angle)];
  return {
    title: `${made} of ${word(steps, row)}, feature ${column + 1}, of an arrow that position ${row} turns by ${formatNumber(angle, 2)} radians`,
    ...dot(
      { label: gains ? "normed, not turned" : "not turned", values: [first, second] },
      { label: column < half ? "cos, −sin" : "sin, cos", values: turn },
      [pair, pair + half].map((at) => String(at + 1)),
    ),
    lit: [{ name: straight, row, from: pair, step: half }],
  };
}

/** What becomes of the product of a query and a key before it's a score. */
function scaledAndBent({ scaled, cap }: Steps, width: number, value: number): Result[] {
  const straight = cap ? cap * Math.atanh(value / cap) : value;
  const divided: Result[] = scaled === false ? [] : [[`divided by √${width}`, straight]];
  return cap ? [...divided, [`bent by ${cap} · tanh(… / ${cap})`, value]] : divided;
}

function explainProjection(cell: Explained, made: string): Explanation {
  const query = word(cell.steps, cell.row);
  return { title: `${made} of ${query}, feature ${cell.column + 1}`, ...project(cell, "X", MADE_BY[cell.name], query) };
}

function explainLearnt({ row, column, value }: Explained): Explanation {
  return { title: `row ${row + 1}, column ${column + 1}`, results: [["learned, the same for every sentence", value]] };
}

/** A row of `source` times a column of what is learnt, and the bias. */
function project({ steps, row, column, value }: Explained, source: string, [weight, bias]: string[], label: string) {
  const [W, b] = [findMatrix(steps, weight), findMatrix(steps, bias)];
  const lit = [
    { name: source, row },
    { name: weight, column },
  ];
  if (!W) return { results: [["the learned matrix arrives with the model", value] as Result], lit };
  const a = { label, values: rowOf(matrix(steps, source), row) };
  const w = { label: `W, column ${column + 1}`, values: columnOf(W, column) };
  return {
    ...dot(a, w, numbers(a.values.length), b ? [[`plus the bias ${formatNumber(b.values[column])}`, value]] : []),
    lit,
  };
}

/** A dot product term by term, and what becomes of it `then`. */
function dot(a: Line, b: Line, columns: string[], then: Result[] = []) {
  const products = Array.from(a.values, (value, index) => value * b.values[index]);
  const shown = { rows: [a, b, { label: "product", values: products }], columns };
  const [sum, size] = [sumOf(products), (place: number) => Math.abs(products[place])];
  if (products.length < MANY) return { ...shown, results: [["sum of the products", sum], ...then] as Result[] };
  return {
    ...shown,
    order: [...products.keys()].sort((one, other) => size(other) - size(one)),
    results: [[`sum of the ${products.length} products, the largest first`, sum], ...then] as Result[],
  };
}

const sumOf = (values: number[]) => values.reduce((total, value) => total + value, 0);

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

const word = (steps: Steps, index: number) => inQuotes(steps.tokens[index]);
