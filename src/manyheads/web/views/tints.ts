// How the numbers of a matrix are coloured.

import { colourOf } from "../math/maps.ts";
import { NUMBER_COLOURS, PAPER } from "../math/names.ts";
import { matrix } from "../math/steps.ts";
import type { Steps } from "../math/steps.ts";

/** How strongly a number is tinted, −1 to 1: its share of the largest. */
export function tint(value: number, largest: number) {
  if (!Number.isFinite(value) || largest === 0) return 0;
  return Math.max(-1, Math.min(1, value / largest));
}

/**
 * How the numbers of one matrix are coloured: in one of two colours, so deep where a number is the largest. Weights are
 * shares of 1, and all of the head's colour.
 */
export function palette(steps: Steps, name: string) {
  const { positive, negative, tint: depth } = NUMBER_COLOURS;
  if (name !== "weights") return { positive, negative, largest: largestOf(matrix(steps, name).values), depth };
  const colour = colourOf(steps.headNames[steps.head]);
  return { positive: colour, negative: colour, largest: 1, depth: PAPER.tint };
}

const largestOf = (values: Float32Array) =>
  values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
