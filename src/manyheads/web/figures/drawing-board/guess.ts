// A reader's guess of the patch that a head looks at most, and what became of it. No DOM.

import type { DrawingMap } from "../../models/drawing.ts";
import { queryWeights } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";

/** A head, counted from 0. */
export interface Head {
  layer: number;
  head: number;
}

/** The head that an attribute names: "1.2"; null where it names none. */
export function headIn(text: string | null): Head | null {
  const [, layer, head] = /^(\d+)\.(\d+)$/.exec(text ?? "") ?? [];
  return layer ? { layer: Number(layer), head: Number(head) } : null;
}

const nameOf = ({ layer, head }: Head) => `head ${head + 1} of layer ${layer + 1}`;

/** What the reader is asked. */
export const questionOf = (head: Head) =>
  `The framed patch asks. Tap the patch that ${nameOf(head)} will look at most.`;

const LITTLE = 0.005; // of a weight

/** Which patch has most of the weight, and how far from it the guess is, in patches. */
interface Fare {
  most: number;
  weight: number; // of the guess
  largest: number;
  apart: number;
}

export function fareOf(weights: ArrayLike<number>, guess: number, columns: number): Fare {
  const all = Array.from(weights);
  const most = all.indexOf(Math.max(...all));
  const [down, across] = [(patch: number) => Math.floor(patch / columns), (patch: number) => patch % columns];
  const apart = Math.max(...[down, across].map((place) => Math.abs(place(most) - place(guess))));
  return { most, weight: all[guess], largest: all[most], apart };
}

/** How a guess fared among the weights that the patch that asks, at `query`, gives to all patches. */
export function fareIn({ shape, weights, picture }: DrawingMap, { layer, head }: Head, query: number, guess: number) {
  const { keyStart, rows, columns } = picture;
  const given = queryWeights({ shape, weights }, layer, head, query);
  return fareOf(given.subarray(keyStart, keyStart + rows * columns), guess, columns);
}

/** The same in words. */
export function verdictOn({ most, weight, largest, apart }: Fare, head: Head, columns: number) {
  const name = nameOf(head);
  if (!apart) return `Right: that is the patch that ${name} looks at most, with a weight of ${percent(weight)}.`;
  const [row, column] = [Math.floor(most / columns) + 1, (most % columns) + 1];
  const where = apart === 1 ? "a patch beside yours" : `row ${row}, column ${column}`;
  const yours = weight < LITTLE ? "hardly anything" : percent(weight);
  return `${apart === 1 ? "Close" : "Not there"}: ${name} looks most at ${where}, with ${percent(largest)}. Yours gets ${yours}.`;
}
