// What a <softmax-scale> knows: random numbers, and how many of each key count. The maths is that of attention.ts. No DOM.

import { softmax } from "../../math/attention.ts";
import { uniform } from "../../math/sampling.ts";

export const WIDTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
export const KEYS = 8;
const LONGEST = WIDTHS[WIDTHS.length - 1];

export interface State {
  seed: number;
  numbers: Float32Array; // a query's, then each key's
  reach: number; // of the bars: the largest score of the widest keys, so that bars grow with the width
  at: number; // the place of the width among all
}

export type Action = { type: "widen"; at: number } | { type: "roll" };

export const start = () => rolled(1, WIDTHS.indexOf(64));

export const reduce = (state: State, action: Action) =>
  action.type === "roll" ? rolled(state.seed + 1, state.at) : { ...state, at: action.at };

/** With the random numbers of a seed. */
function rolled(seed: number, at: number): State {
  const numbers = normals((KEYS + 1) * LONGEST, seed);
  return { seed, numbers, reach: Math.max(...scoresOf(numbers, LONGEST).map(Math.abs)), at };
}

/** The scores at the width that is chosen, and their weights without the scale and with it. */
export function weighed({ numbers, at }: State) {
  const width = WIDTHS[at];
  const scores = scoresOf(numbers, width);
  const weightsOf = (values: Float32Array) => softmax({ shape: [1, KEYS], values }).values;
  return {
    width,
    scores,
    unscaled: weightsOf(scores),
    scaled: weightsOf(scores.map((score) => score / Math.sqrt(width))),
  };
}

/** Independent standard normal numbers, the same for the same seed (Box and Muller). */
export const normals = (count: number, seed: number) =>
  Float32Array.from(
    { length: count },
    (_, at) => Math.sqrt(-2 * Math.log(1 - uniform(seed, 2 * at))) * Math.cos(2 * Math.PI * uniform(seed, 2 * at + 1)),
  );

/** The dot products of one query with every key, of which only the first `width` numbers count. */
export function scoresOf(numbers: Float32Array, width: number) {
  return Float32Array.from({ length: KEYS }, (_, key) => {
    let score = 0;
    for (let i = 0; i < width; i++) score += numbers[i] * numbers[(key + 1) * LONGEST + i];
    return score;
  });
}
