// Which token comes next: from scores to probabilities, and from probabilities to a draw that a seed decides. Twin of
// models/decoder/sampling.py.

import { LONE_BYTES, LONGEST_WORD } from "./names.ts";

const BYTES = new RegExp(LONE_BYTES, "g");

export interface Choice {
  temperature: number; // 0 is greedy
  topK: number; // 0 for all
  topP: number; // 1 for all
}

/** Tokens that may come next, the likeliest first, and their probabilities, which sum to 1. */
export interface NextTokens {
  ids: number[];
  shares: Float64Array;
}

/** What `probabilities` of Python gives for scores [token]. */
export function probabilities(scores: ArrayLike<number>, { temperature, topK, topP }: Choice): NextTokens {
  const order = Array.from({ length: scores.length }, (_, id) => id).sort((a, b) => scores[b] - scores[a] || a - b);
  let ids = order.slice(0, temperature === 0 ? 1 : topK || order.length);
  const powers = Float64Array.from(ids, (id) => Math.exp((scores[id] - scores[ids[0]]) / (temperature || 1)));
  let shares = scaled(powers);
  if (topP < 1) {
    let [sum, kept] = [0, 0];
    while (kept < ids.length && sum < topP) sum += shares[kept++];
    ids = ids.slice(0, kept);
    shares = scaled(shares.slice(0, kept));
  }
  return { ids, shares };
}

/** The token at which the shares, added up, first exceed a number from 0 to 1. */
export function drawn({ ids, shares }: NextTokens, uniform: number) {
  let sum = 0;
  const place = ids.findIndex((_, at) => (sum += shares[at]) > uniform);
  return ids[place < 0 ? ids.length - 1 : place];
}

/** Whether a text that is being written has come into a word, or white space, that doesn't end. */
export function isEndless(tokens: string[]) {
  const last = tokens.slice(-LONGEST_WORD);
  return last.length === LONGEST_WORD && !/\s\S/.test(last.join("").replace(BYTES, "."));
}

/** Numbers from 0 to 1, the same for the same seed as in Python (mulberry32). */
export function uniforms(seed: number) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function scaled(powers: Float64Array) {
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}
