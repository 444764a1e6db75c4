// What a frame of the film is drawn of, and what its halves draw with.

import { quoted } from "./stations.ts";
import { formatNumber } from "../../math/steps.ts";
import type { Cell, Flow } from "../../math/steps.ts";
import { readable } from "../../math/text.ts";
import type { Box } from "../../views/pixels.ts";
import type { Answers, FlowInk } from "./ink.ts";
import type { Layout } from "./layouts.ts";
import { between, type Done } from "./moments.ts";
import type { FlowStrips } from "./strips.ts";

export interface Frame {
  at: number; // in stations from 0; what is between two is on its way
  done: Done;
  ink: FlowInk;
  layout: Layout;
  wide: boolean; // else it's a phone's
  flow: Flow;
  strips: FlowStrips;
  head: number;
  query: number;
  facts: string[]; // whose answers are shown
  fact: string; // the one whose answer is taken apart
  weights: Float32Array;
  percents: number[]; // the weights as they are written, which sum to 100
}

export const boxBetween = (a: Box, b: Box, share: number): Box => ({
  x: between(a.x, b.x, share),
  y: between(a.y, b.y, share),
  width: between(a.width, b.width, share),
  height: between(a.height, b.height, share),
});

/** The middle of a token's row. */
export const middleOf = ({ layout: { top, row } }: Frame, token: number) => top + (token + 0.5) * row;

export const LETTER = 6.9; // how wide one is, about

/** The colour of a head, which the figure's style has; and of one of the layer that the answers are read from. */
export const headFill = (head: number) => `var(--head-${head})`;
export const answerFill = (head: number) => `var(--answer-${head})`;

/** A word as far as there is room for it. */
export function shorten(token: string, letters: number) {
  const text = [...readable(token)];
  return text.length > letters ? `${text.slice(0, letters - 1).join("")}…` : text.join("");
}

/** Where the part of a word in the bar of 100 % begins, and how long it is, of 1. */
export function partsOfBar(weights: Float32Array) {
  let start = 0;
  return Array.from(weights, (weight) => {
    const part = { start, weight };
    start += weight;
    return part;
  });
}

/** What numbers say and open where they are pointed at: `cellAt` is the one that lies there, from 0 to 1, and `tell` says it. */
export const answerAt = (cellAt: (across: number, down: number) => Cell, tell: (cell: Cell) => string): Answers => ({
  about: (across, down) => tell(cellAt(across, down)),
  opens: cellAt,
});

/** The same of a row of numbers, of which the first is the cell `first`. */
export function answerInRow(what: string, values: ArrayLike<number>, first: Cell) {
  return answerAt(
    (across) => ({ ...first, column: first.column + Math.floor(across * values.length) }),
    ({ column }) => {
      const place = column - first.column;
      return `${what}, number ${place + 1} of ${values.length}: ${formatNumber(values[place])}`;
    },
  );
}

/** The numbers of a matrix with a row a word: what each is, and that it opens. */
export function answerInMatrix(flow: Flow, name: "X" | "K" | "V", what: string) {
  const [rows, columns] = flow[name].shape;
  return answerAt(
    (across, down) => ({ name, row: Math.floor(down * rows), column: Math.floor(across * columns) }),
    ({ row, column }) => {
      const value = flow[name].values[row * columns + column];
      return `${what} of ${quoted(flow, row)}, number ${column + 1} of ${columns}: ${formatNumber(value)}`;
    },
  );
}
