// What <head-ledger> reads from its numbers: the parts of one answer, and what a head's part is made of.

import type { HeadLedger } from "./ledger.ts";
import { rowOf } from "./steps.ts";

/** The place of an answer among the labels: "fact: label", a fact for its likeliest label, or nothing for the first. */
export function answerPlace({ labels, parts }: HeadLedger, answer: string) {
  const exact = labels.findIndex((names) => names.join(": ") === answer);
  if (exact >= 0) return exact;
  const wanted = answer.split(": ")[0];
  const fact = labels.some(([name]) => name === wanted) ? wanted : labels[0][0];
  const logit = (label: number) => rowOf(parts, label)[parts.shape[1] - 1];
  return labels.reduce((best, [name], label) => (name === fact && (best < 0 || logit(label) > logit(best)) ? label : best), -1);
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
  return [...names.keys()].sort((one, other) => isLast(one) - isLast(other) || Math.abs(row[other]) - Math.abs(row[one])).slice(0, MOST);
}

/** The parts of a logit that have a row, in its order; `rest` are the others, and their sum. */
export function partsOfAnswer({ headNames, others, parts }: HeadLedger, label: number, rows: number[]) {
  const row = rowOf(parts, label);
  const all = [...headNames, ...others].map((name, at): Part => ({ name, head: at < headNames.length ? at : null, value: row[at] }));
  const small = all.filter((_, part) => !rows.includes(part));
  return { parts: rows.map((part) => all[part]), rest: { count: small.length, value: small.reduce((sum, { value }) => sum + value, 0) }, logit: row[all.length] };
}

/** How far the logit moves when the head is off. */
export const withoutHead = ({ parts, without }: HeadLedger, label: number, head: number) =>
  rowOf(without, label)[head] - rowOf(parts, label)[parts.shape[1] - 1];

/** For each word: the head's weight, and what it adds to the logit from there. */
export function ofWords({ tokens, weights, says }: HeadLedger, label: number, head: number) {
  return tokens.map((_, key) => {
    const weight = rowOf(weights, head)[key];
    return { weight, adds: weight * says.values[(head * tokens.length + key) * says.shape[2] + label] };
  });
}

/** What a word raises and what it lowers most where the head looks at it: a label, or one of all tokens. */
export function extremesOf({ tokens, says, labels, extremes }: HeadLedger, head: number, key: number) {
  if (extremes) return extremes[head]?.[key];
  const from = (head * tokens.length + key) * says.shape[2];
  const values = says.values.subarray(from, from + says.shape[2]);
  return [Math.max(...values), Math.min(...values)].map((value) => labels[values.indexOf(value)][1]);
}
