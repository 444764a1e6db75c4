// Heads that are off, as a list of [layer, head] from 0.

import type { HeadMask } from "./attention-map.ts";

/** What a reader reads whose heads that were off are forgotten. */
export const forgotten = (what = "heads") => `The ${what} that were off are another model’s: here all are on.`;

/** What is said beside an answer of how many heads are off; nothing where none is. */
export const withOff = (count: number) => (count ? `with ${count === 1 ? "one head" : `${count} heads`} off` : "");

export const isAmong = (off: number[][], [layer, head]: number[]) =>
  off.some((one) => one[0] === layer && one[1] === head);

/** The list with one more head; without it, where it is in the list. */
export const toggledIn = (off: number[][], place: number[]) =>
  isAmong(off, place) ? off.filter((one) => !isAmong([place], one)) : [...off, place];

/** Whether two lists name the same heads, in any order. */
export const areSame = (some: number[][], others: number[][]) =>
  some.every((one) => isAmong(others, one)) && others.every((one) => isAmong(some, one));

/** Some heads with those turned off, or on again, that were turned between two other lists. */
export const turnedAlike = (off: number[][], before: number[][], after: number[][]) => [
  ...off.filter((place) => isAmong(after, place) || !isAmong(before, place)),
  ...after.filter((place) => !isAmong(before, place) && !isAmong(off, place)),
];

/** The heads of each layer, by name, from 1. */
export const wholeLayers = (layers: number, heads: number): Record<string, number[][]> =>
  Object.fromEntries(
    Array.from({ length: layers }, (_, layer) => [
      `all of layer ${layer + 1}`,
      Array.from({ length: heads }, (_head, head) => [layer, head]),
    ]),
  );

/** The heads that a mask turns off. */
export const offIn = (headMask: HeadMask) =>
  (headMask ?? []).flatMap((row, layer) => row.flatMap((on, head) => (on ? [] : [[layer, head]])));

/** The same as attributes name them: "0.3 5.11". */
export const offOf = (headMask: HeadMask) =>
  offIn(headMask)
    .map((place) => place.join("."))
    .join(" ");

/** The mask that turns off those of the named heads that a model has; null where it has none of them. */
export function maskOf(off: number[][], layers: number, heads: number) {
  const mask = Array.from({ length: layers }, () => Array(heads).fill(true));
  for (const [layer, head] of off) if (layer < layers && head < heads) mask[layer][head] = false;
  return mask.flat().every(Boolean) ? null : mask;
}
