// What each part of a word's journey is drawn with: moments, boxes between boxes, words as far as there is room.

import { written } from "../../math/steps.ts";
import type { Cell, Flow } from "../../math/steps.ts";
import { readable } from "../../math/text.ts";
import type { Box, FlowInk } from "./ink.ts";
import type { Layout } from "./layouts.ts";
import type { Pictures } from "./pictures.ts";

/** How far something has come that begins at one moment and ends at another; it starts and stops softly. */
export function passed(at: number, from: number, to: number) {
  const share = Math.min(Math.max((at - from) / (to - from), 0), 1);
  return share * share * (3 - 2 * share);
}

export const between = (from: number, to: number, share: number) => from + (to - from) * share;
export const boxBetween = (a: Box, b: Box, share: number): Box => ({
  x: between(a.x, b.x, share),
  y: between(a.y, b.y, share),
  width: between(a.width, b.width, share),
  height: between(a.height, b.height, share),
});

/** What a moment of the journey is drawn of. */
export interface Scene {
  ink: FlowInk;
  layout: Layout;
  flow: Flow;
  pictures: Pictures;
  head: number;
  query: number;
  fact: string; // whose answer is taken apart
  weights: Float32Array;
  percents: number[]; // the weights as they are written, which sum to 100
  at: number;
}

/** The colour of a head, which the figure's style has. */
export const headFill = (head: number) => `var(--head-${head})`;

/** A word as far as there is room for it. */
export const short = (token: string, letters: number) => {
  const text = readable(token);
  return [...text].length > letters ? `${[...text].slice(0, letters - 1).join("")}…` : text;
};

/** Where the part of a word in the bar of 100 % begins, and how long it is, of 1. */
export function partsOfBar(weights: Float32Array) {
  let start = 0;
  return Array.from(weights, (weight) => {
    const part = { start, weight };
    start += weight;
    return part;
  });
}

/** The numbers of a strip: what each is, and that it opens; `first` is where the first of them stands. */
export function numbersIn(what: string, values: ArrayLike<number>, first: Cell) {
  const placeOf = (across: number) => Math.floor(across * values.length);
  return {
    about: (across: number) =>
      `${what}, number ${placeOf(across) + 1} of ${values.length}: ${written(values[placeOf(across)])}`,
    opens: (across: number): Cell => ({ ...first, column: first.column + placeOf(across) }),
  };
}
