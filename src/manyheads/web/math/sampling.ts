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
export function probabilities(scores: Float32Array, { temperature, topK, topP }: Choice): NextTokens {
  const order = descending(scores);
  let ids = order.slice(0, temperature === 0 ? 1 : topK || order.length);
  const powers = new Float64Array(ids.length);
  for (let at = 0; at < ids.length; at++)
    powers[at] = Math.exp((scores[ids[at]] - scores[ids[0]]) / (temperature || 1));
  let shares = scaled(powers);
  if (topP < 1) {
    let [sum, kept] = [0, 0];
    while (kept < ids.length && sum < topP) sum += shares[kept++];
    ids = ids.slice(0, kept);
    shares = scaled(shares.slice(0, kept));
  }
  return { ids, shares };
}

const MOST_IDS = 2 ** 20;

/**
 * The places of scores, from the highest on; of equal ones, the first comes first. They are sorted as numbers that hold a score's
 * bits and its place, since a browser sorts fifty thousand numbers several times as fast as by a function that compares.
 */
export function descending(scores: Float32Array) {
  const bits = new Uint32Array(scores.map((score) => 0 - score).buffer);
  const keys = new Float64Array(bits.length);
  for (let id = 0; id < bits.length; id++)
    keys[id] = (bits[id] >>> 31 ? ~bits[id] >>> 0 : bits[id] + 2 ** 31) * MOST_IDS + id;
  keys.sort();
  const ids: number[] = [];
  for (let at = 0; at < keys.length; at++) ids.push(keys[at] - Math.floor(keys[at] / MOST_IDS) * MOST_IDS);
  return ids;
}

/** The token at which the shares, added up, first exceed a number from 0 to 1. */
export function drawn({ ids, shares }: NextTokens, number: number) {
  let sum = 0;
  const place = ids.findIndex((_, at) => (sum += shares[at]) > number);
  return ids[place < 0 ? ids.length - 1 : place];
}

/** Whether a text that is being written has come into a word, or white space, that doesn't end. */
export function isEndless(tokens: string[]) {
  const last = tokens.slice(-LONGEST_WORD);
  return last.length === LONGEST_WORD && !/\s\S/.test(last.join("").replace(BYTES, "."));
}

/** The number from 0 to 1 that a seed gives after so many others, the same as in Python (mulberry32). */
export function uniform(seed: number, after: number) {
  const state = (seed + Math.imul(after + 1, 0x6d2b79f5)) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

function scaled(powers: Float64Array) {
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}
