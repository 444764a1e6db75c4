// What <head-ledger> reads from its numbers: the parts of one answer, and what a head's part is made of.

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

/** What each head adds to a logit, the largest first, and the rest of the sum. */
export function partsOfAnswer({ headNames, parts }: HeadLedger, label: number) {
  const row = rowOf(parts, label);
  const heads = headNames.map((_, head) => ({ head, value: row[head] }));
  heads.sort((one, other) => Math.abs(other.value) - Math.abs(one.value));
  return { heads, biases: row[headNames.length], logit: row[headNames.length + 1] };
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

/** The labels that a word raises and lowers most where the head looks at it. */
export function extremesOf({ tokens, says }: HeadLedger, head: number, key: number) {
  const from = (head * tokens.length + key) * says.shape[2];
  const values = says.values.subarray(from, from + says.shape[2]);
  return { most: values.indexOf(Math.max(...values)), least: values.indexOf(Math.min(...values)) };
}
