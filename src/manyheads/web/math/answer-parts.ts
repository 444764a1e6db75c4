// What <head-ledger> reads from its numbers: the parts of one answer, and what a head's part is made of.

import { addingUp } from "./adding-up.ts";
import type { HeadLedger } from "./ledger.ts";
import { rowOf } from "./steps.ts";

/** The place of an answer among the labels: "fact: label", a fact for its likeliest label, or nothing for the first. */
export function answerPlace({ labels, parts }: HeadLedger, answer: string) {
  const exact = labels.findIndex((names) => names.join(": ") === answer);
  if (exact >= 0) return exact;
  const wanted = answer.split(": ")[0];
  const fact = labels.some(([name]) => name === wanted) ? wanted : labels[0][0];
  const logit = (label: number) => rowOf(parts, label)[parts.shape[1] - 1];
  return labels.reduce(
    (best, [name], label) => (name === fact && (best < 0 || logit(label) > logit(best)) ? label : best),
    -1,
  );
}

/** One part of a logit; `head` is null where it isn't a head's. */
export interface Part {
  name: string;
  head: number | null;
  value: number;
}

type Ranked = Pick<HeadLedger, "headNames" | "others" | "parts">;

const MOST = 10; // parts that have a row of their own

/** The places of the ten parts that add most to a logit or take most away, the largest first and the biases last. */
export function mostOf({ headNames, others, parts }: Ranked, label: number) {
  const row = rowOf(parts, label);
  const names = [...headNames, ...others];
  const isLast = (part: number) => Number(names[part] === "biases");
  return [...names.keys()]
    .sort((one, other) => isLast(one) - isLast(other) || Math.abs(row[other]) - Math.abs(row[one]))
    .slice(0, MOST);
}

/** The parts of a logit that have a row, in its order; `rest` are the others, and their sum. All are rounded so that they add up as they stand. */
export function partsOfAnswer({ headNames, others, parts }: HeadLedger, label: number, rows: number[]) {
  const row = rowOf(parts, label);
  const names = [...headNames, ...others];
  const logit = Math.round(100 * row[names.length]) / 100;
  const small = [...names.keys()].filter((part) => !rows.includes(part));
  const values = addingUp([...rows.map((part) => row[part]), small.reduce((sum, part) => sum + row[part], 0)], logit);
  const own = rows.map((part, at): Part => ({
    name: names[part],
    head: part < headNames.length ? part : null,
    value: values[at],
  }));
  return { parts: own, rest: { count: small.length, value: values[rows.length] }, logit };
}

/** How far the logit moves when the head is off. */
export const withoutHead = ({ parts, without }: HeadLedger, label: number, head: number) =>
  rowOf(without, label)[head] - rowOf(parts, label)[parts.shape[1] - 1];

/** For each word: the head's weight, and what it adds to the logit from there; rounded so that they add up to `whole`, which the head's part is told as. */
export function ofWords({ tokens, weights, says }: HeadLedger, label: number, head: number, whole: number) {
  const own = rowOf(weights, head);
  const adds = addingUp(
    tokens.map((_, key) => own[key] * says.values[(head * tokens.length + key) * says.shape[2] + label]),
    whole,
  );
  return tokens.map((_, key) => ({ weight: own[key], adds: adds[key] }));
}

/** One scale for all answers of a ledger and all heads: the least and the most of all numbers, with 0, and the largest that a head adds or takes away. */
export function rangeOf(ledger: HeadLedger) {
  const known = ranges.get(ledger);
  if (known) return known;
  const { parts, without, headNames } = ledger;
  const absences = without.values.map(
    (value, at) => value - rowOf(parts, Math.floor(at / without.shape[1]))[parts.shape[1] - 1],
  );
  let [least, most] = [0, 0];
  for (const value of [...parts.values, ...absences])
    if (Number.isFinite(value)) [least, most] = [Math.min(least, value), Math.max(most, value)];
  const byHead = parts.values.reduce(
    (size, value, at) => (at % parts.shape[1] < headNames.length ? Math.max(size, Math.abs(value)) : size),
    0,
  );
  const range = { least, most: most - least > 0 ? most : 1, byHead: byHead || 1 };
  ranges.set(ledger, range);
  return range;
}

const ranges = new WeakMap<HeadLedger, { least: number; most: number; byHead: number }>();

/** What a word raises and what it lowers most where the head looks at it: a label, or one of all tokens. */
export function extremesOf({ tokens, says, labels, extremes }: HeadLedger, head: number, key: number) {
  if (extremes) return extremes[head]?.[key];
  const from = (head * tokens.length + key) * says.shape[2];
  const values = says.values.subarray(from, from + says.shape[2]);
  return [Math.max(...values), Math.min(...values)].map((value) => labels[values.indexOf(value)][1]);
}
