// The journey of one asking word: its stations, and what is said at each.

import { STATION_MATRICES } from "../../math/names.ts";
import { columnOf, isOff, likeliestLabels, matrix, rowOf, formatNumber } from "../../math/steps.ts";
import type { Cell, Flow, FlowState } from "../../math/steps.ts";
import { inQuotes, percent } from "../../math/text.ts";

const LABELS: Record<string, string> = {
  words: "Words",
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

/** The facts that a model reads from its output; none where it reads none. */
export const factsOf = ({ labels = [] }: Flow) => [...new Set(labels.map(([fact]) => fact))];

/** The parts of a label's logit: [whose, how much], and their sum, the logit. */
export function partsOf(flow: Flow, label: number) {
  const row = rowOf(matrix(flow, "parts"), label);
  const names = [...flow.headNames, "biases"];
  return { parts: names.map((name, place) => ({ name, value: row[place] })), logit: row[names.length] };
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
  const values = rowOf(matrix(flow, name), query);
  const own = name === "concat" ? outputOf(flow, head, query) : values;
  return { name, row: query, column: largest(own) + (own.byteOffset - values.byteOffset) / values.BYTES_PER_ELEMENT };
}

const largest = (values: ArrayLike<number>) =>
  Array.from(values).reduce((best, value, at, all) => (value > all[best] ? at : best), 0);

/** What a station says, with its numbers. */
export function captionOf(
  flow: Flow,
  { query, head }: Pick<FlowState, "query" | "head">,
  station: string,
  fact: string,
) {
  const asks = quoted(flow, query);
  const name = flow.headNames[head];
  const scores = rowOf(flow.masked, query); // the best of those that count
  const weights = weightsOf(flow, head, query);
  const best = largest(weights);
  switch (station) {
    case "words":
      return `Every word is a list of ${flow.X.shape[1]} numbers${tellLayerBelow(flow)}. ${flow.decodes ? `Layer ${flow.layer! + 1} reads it normed. ` : ""}${asks} is going to ask.`;
    case "keys":
      return `${asks} asks with its query, and every word has a key: ${flow.Q.shape[1]} numbers each, made by ${flow.layers ? `${name} of layer ${flow.layer! + 1}` : `the head “${name}”`}${flow.rotaryBase ? " and turned by the word’s position" : ""}.${tellSharedKeys(flow, head)}`;
    case "scores":
      return `The query meets every key. The better they fit, the higher the score: ${quoted(flow, largest(scores))} gets ${formatNumber(Math.max(...scores), 2)}.`;
    case "softmax":
      return `Softmax turns the scores into weights, which fill one bar of 100\u00a0%. ${quoted(flow, best)} gets the most, ${wholePercents(weights)[best]}\u00a0%.${tellHidden(flow, query)}`;
    case "values":
      return isOff(flow, head)
        ? `Each word sends its value, as much of it as its weight. But this head is off: of what arrives, it hands on nothing.`
        : `Each word sends its value, as much of it as its weight. Added up, they are the head’s output for ${asks}.`;
    case "heads":
      return flow.headNames.length > 1 ? tellOtherHeads(flow) : "There is one head, so there is one output.";
    case "mix":
      return `The outputs are joined side by side, and the matrix Wᴼ mixes them into ${flow.output.shape[1]} numbers, ${flow.layers ? `which are added to ${asks}${flow.decodes ? " as it was before the norm" : ""}` : `the new ${asks}`}.`;
    default:
      return tellAnswer(flow, query, fact);
  }
}

/** Which heads have the same keys and values, where some do. */
function tellSharedKeys({ headNames, kvHeads = headNames.length }: Flow, head: number) {
  const size = headNames.length / kvHeads;
  const first = head - (head % size);
  return size > 1 ? ` Heads ${first + 1} to ${first + size} share their keys and values.` : "";
}

/** What the layer below did to the words, where there is one. */
function tellLayerBelow(flow: Flow) {
  if (!flow.below) return "";
  const off = offOf(flow.belowMask).map((head) => head + 1);
  const how = off.length
    ? `, with head${off.length > 1 ? "s" : ""} ${off.join(", ")} off`
    : ": there, heads let it take something in from others";
  return `, as ${belowOf(flow)} left it${how}`;
}

/** What the other heads did. */
function tellOtherHeads({ headMask, headNames }: Flow) {
  const off = offOf(headMask).map((head) => `“${headNames[head]}”`);
  return `Meanwhile the other heads did the same${off.length ? `. Switched off, these hand on nothing: ${off.join(", ")}` : ", each with its own queries, keys and values"}.`;
}

const offOf = (headMask: boolean[] | null = null) => (headMask ?? []).flatMap((on, head) => (on ? [] : [head]));

/** That a mask hides words, where it does. */
function tellHidden({ masked }: Flow, query: number) {
  const count = rowOf(masked, query).filter((score) => !Number.isFinite(score)).length;
  return count
    ? ` What the mask hides, ${count === 1 ? "a token" : `${count} tokens`}, has the score −∞ and gets nothing.`
    : "";
}

function tellAnswer(flow: Flow, query: number, fact: string) {
  if (!fact) return "Nothing is read from this output.";
  const { label, name, probability } = answerOf(flow, fact);
  const { parts, logit } = partsOf(flow, label);
  const heads = parts.slice(0, -1);
  const most = heads[largest(heads.map(({ value }) => value))];
  const read =
    query === 0
      ? "The model reads its answers from this output"
      : `The model reads its answers from ${quoted(flow, 0)} alone, not from ${quoted(flow, query)}`;
  return `${read}. ${fact[0].toUpperCase()}${fact.slice(1)}: ${name}, ${percent(probability)}. ${heads.some(({ value }) => value) ? `Of its logit, ${formatNumber(logit, 2)}, the head “${most.name}” brought ${formatNumber(most.value, 2)}` : `All heads are off, and its logit, ${formatNumber(logit, 2)}, is that of the biases`}.`;
}

/** The head's output while only a part of each word's value has arrived, 0 to 1. */
export function blend(flow: Flow, weights: ArrayLike<number>, arrived: number[]) {
  const width = flow.V.shape[1];
  return Float32Array.from({ length: width }, (_, feature) =>
    columnOf(flow.V, feature).reduce((sum, value, token) => sum + arrived[token] * weights[token] * value, 0),
  );
}
