// The journey of one asking word: its stations, and the numbers that each is about.

import { STATION_MATRICES } from "../../math/names.ts";
import { columnOf, likeliestLabels, matrix, rowOf } from "../../math/steps.ts";
import type { Cell, Flow, FlowState } from "../../math/steps.ts";
import { inQuotes } from "../../math/text.ts";

const LABELS: Record<string, string> = {
  words: "Words",
  project: "Project",
  keys: "Keys",
  scores: "Scores",
  softmax: "Softmax",
  values: "Values",
  heads: "Heads",
  mix: "Mix",
  answer: "Answer",
};

/** The stations, in their order. */
export const STATIONS = Object.keys(STATION_MATRICES).map((name) => ({ name, label: LABELS[name] }));

/** The place of a station by its name; the first for any other. */
export const stationAt = (name: string) =>
  Math.max(
    0,
    STATIONS.findIndex((station) => station.name === name),
  );

/** What the layer below is called. */
export const belowOf = ({ layer = 1 }: Flow) => `layer ${layer}`;

/** What a head is called: by its name, or where it has none, by its number and that of its layer. */
export const titleOf = ({ layer, headNames }: Flow, head: number) =>
  layer === undefined ? `the head “${headNames[head]}”` : `${headNames[head]} of layer ${layer + 1}`;

export const quoted = (flow: Flow, token: number) => inQuotes(flow.tokens[token]);

/** What the asking word gives to each word, in one head. */
export function weightsOf(
  {
    maps: {
      shape: [, queries, keys],
      values,
    },
  }: Flow,
  head: number,
  query: number,
) {
  const start = (head * queries + query) * keys;
  return values.subarray(start, start + keys);
}

/** Parts of a whole in whole per cent, rounded so that they sum to 100: what lost most by rounding down gets what is left. */
export function wholePercents(parts: ArrayLike<number>) {
  const exact = Array.from(parts, (part) => 100 * part);
  const rounded = exact.map(Math.floor);
  const left = Math.round(exact.reduce((sum, part) => sum + part, 0)) - rounded.reduce((sum, part) => sum + part, 0);
  const lost = [...exact.keys()].sort((a, b) => exact[b] - rounded[b] - (exact[a] - rounded[a]));
  for (const place of lost.slice(0, left)) rounded[place]++;
  return rounded;
}

/** The output of one head for a token: its part of what is joined. */
export function outputOf({ concat, headNames }: Flow, head: number, query: number) {
  const width = concat.shape[1] / headNames.length;
  return rowOf(concat, query).subarray(head * width, (head + 1) * width);
}

/** The answer to a fact: its likeliest label's place among all labels, and its probability. */
export function answerOf(flow: Flow, fact: string) {
  const { labels = [], answer } = flow;
  const [label] = likeliestLabels(flow, fact);
  return { label, name: labels[label][1], probability: answer!.values[label] };
}

/** The flow in which the answers are read: that of the layer above, where the journey goes on to it. */
export const endingOf = (flow: Flow) => flow.above ?? flow;

/** The flow whose numbers a station shows. */
export const flowAt = (flow: Flow, station: string) => (station === "answer" ? endingOf(flow) : flow);

/** The facts whose answers are shown: all that are read, or, where the journey goes on to one in the layer above, that one; none where nothing is read. */
export function factsOf(flow: Flow) {
  const { labels = [], headNames, head } = endingOf(flow);
  const facts = [...new Set(labels.map(([fact]) => fact))];
  return flow.above ? facts.filter((fact) => fact === headNames[head]) : facts;
}

/** The answer to each of them. */
export const answersOf = (flow: Flow) =>
  Object.fromEntries(factsOf(flow).map((fact) => [fact, answerOf(endingOf(flow), fact).name]));

/** The parts of a label's logit: [whose, how much], and their sum, the logit. */
export function partsOf(flow: Flow, label: number) {
  const row = rowOf(matrix(flow, "parts"), label);
  const names = [...flow.headNames, "biases"];
  return { parts: names.map((name, place) => ({ name, value: row[place] })), logit: row[names.length] };
}

/**
 * What the learned matrices make of two words: the query of the one that asks, the key and the value of the one that it looks at most.
 * A query or key that its position turns is the one before the turn.
 */
export function projectionsOf(flow: Flow, { query, head }: Pick<FlowState, "query" | "head">) {
  const best = largest(weightsOf(flow, head, query));
  return [
    { what: "query", token: query, learned: "Wq", made: flow.XWq ? "XWq" : "Q" },
    { what: "key", token: best, learned: "Wk", made: flow.XWk ? "XWk" : "K" },
    { what: "value", token: best, learned: "Wv", made: "V" },
  ];
}

/** The number of a station to begin with: that of the asking word which is largest. */
export function mainCell(
  flow: Flow,
  { query, head }: Pick<FlowState, "query" | "head">,
  station: string,
  fact: string,
): Cell {
  if (station === "answer" && fact) return { name: "answer", row: answerOf(flow, fact).label, column: 0 };
  const name = station === "answer" ? "output" : STATION_MATRICES[station as keyof typeof STATION_MATRICES][0];
  if (station === "project") {
    const [, { made, token }] = projectionsOf(flow, { query, head });
    return { name: made, row: token, column: largest(rowOf(matrix(flow, made), token)) };
  }
  const values = rowOf(matrix(flow, name), query);
  const own = name === "concat" ? outputOf(flow, head, query) : values;
  return { name, row: query, column: largest(own) + (own.byteOffset - values.byteOffset) / values.BYTES_PER_ELEMENT };
}

/** The place of the largest of some numbers. */
export const largest = (values: ArrayLike<number>) =>
  Array.from(values).reduce((best, value, at, all) => (value > all[best] ? at : best), 0);

/** The head's output while only a part of each word's value has arrived, 0 to 1. */
export function blend(flow: Flow, weights: ArrayLike<number>, arrived: number[]) {
  const width = flow.V.shape[1];
  return Float32Array.from({ length: width }, (_, feature) =>
    columnOf(flow.V, feature).reduce((sum, value, token) => sum + arrived[token] * weights[token] * value, 0),
  );
}
