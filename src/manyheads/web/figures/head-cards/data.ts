// What models/cards.py bakes into <head-cards>, and how its numbers are compared and written. Pure: no DOM.

import { percent } from "../../math/text.ts";

export interface Data {
  scores: Score[];
  sentences: { text: string; tokens: string[] }[];
  heads: Head[];
  causal: boolean;
}
/** `decimals` are those shown of a number; null where the score is a part of attention. */
export type Score = { name: string; says: string; decimals: number | null };
export type Head = {
  layer: number;
  head: number;
  behaviour: string | null;
  scores: number[];
  strongest: Example[][];
  weakest: Example[];
};
export type Example = [sentence: number, query: number | null, key: number, weight: number, value: number];

export const nameOf = ({ layer, head }: { layer: number; head: number }) => `layer ${layer + 1}, head ${head + 1}`;

/** The order of values, largest or smallest first; those that are equal keep their order. */
export function order(values: number[], descending: boolean) {
  const sign = descending ? -1 : 1;
  return values.map((_, at) => at).sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

/** A score as the table writes it; as `shown` in models/cards.py. */
export const shown = ({ decimals }: Pick<Score, "decimals">, value: number) =>
  decimals === null ? percent(value) : value.toFixed(decimals);

/** A value's share of the largest that a bar shows: of a part of attention all of it, of a number that of any head. */
export function shareOf({ decimals }: Pick<Score, "decimals">, values: number[], value: number) {
  return Math.max(0, value / (decimals === null ? 1 : Math.max(...values)));
}
