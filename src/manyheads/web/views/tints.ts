// How the numbers of a matrix are coloured.

import { colourOf } from "../math/maps.ts";
import { NUMBER_COLOURS, PAPER } from "../math/names.ts";
import { matrix } from "../math/steps.ts";

/** How strongly a number is tinted, −1 to 1: its share of the largest. */
export function tint(/** @type {number} */ value, /** @type {number} */ largest) {
  if (!Number.isFinite(value) || largest === 0) return 0;
  return Math.max(-1, Math.min(1, value / largest));
}

/**
 * How the numbers of one matrix are coloured: in one of two colours, so deep where a number is the largest. Weights are
 * shares of 1, and all of the head's colour.
 * @param {Steps} steps
 * @param {string} name
 */
export function palette(steps, name) {
  const { positive, negative, tint: depth } = NUMBER_COLOURS;
  if (name !== "weights") return { positive, negative, largest: largestOf(matrix(steps, name).values), depth };
  const colour = colourOf(steps.head);
  return { positive: colour, negative: colour, largest: 1, depth: PAPER.tint };
}

const largestOf = (/** @type {Float32Array} */ values) =>
  values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
