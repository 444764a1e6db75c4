// What a <museum-piece> knows: its switch, the map inside as it was last seen, and what the bug changes of it. No DOM.

import type { SeenMap } from "../../doors/leaning.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import type { Matrix } from "../../math/attention.ts";
import { headTitle, likeliest } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";

export interface State {
  on: boolean; // the switch
  map: SeenMap | null;
  rows: string[][] | null; // of the table, once they're known: [what, right, wrong]
}

export type Action =
  | { type: "switch"; on: boolean }
  | { type: "follow"; map: SeenMap } // in which a link may have chosen the model
  | { type: "show"; maps: PieceMap[] }; // the right one, and the one with the bug

export const start = (): State => ({ on: false, map: null, rows: null });

export function reduce(state: State, action: Action): State {
  if (action.type === "show") return { ...state, rows: differences(action.maps[0], action.maps[1]) };
  const { map } = action.type === "follow" ? action : state;
  const on = action.type === "switch" ? action.on : map!.model === map!.models[1];
  const after = { ...state, map, on };
  return isOn(after) ? after : { ...after, rows: null };
}

/** Whether the bug is on: not before the map is that of the model with the bug. */
export const isOn = ({ on, map }: State) => on && map !== null && map.computedBy === map.models[1];

/** A map of a focus model, with what comes out of the attention. */
export type PieceMap = AttentionMap & { output: Matrix };

const LEAST = 5e-4; // of its length, that an output moves: less is written as 0 %

const unbroken = (share: number) => percent(share).replace(" ", "\u00a0"); // no line ends before the sign

/** What differs between two maps of one sentence, the right one and the wrong one, in words: [[what, right, wrong], ...]. What is alike has no row. */
export function differences(right: PieceMap, wrong: PieceMap) {
  const rows = [["The weights of a row sum to", sums(right), sums(wrong)], ...weightRow(right, wrong)];
  const width = right.output.shape[1];
  const first = (map: PieceMap) => map.output.values.subarray(0, width); // the first token's
  const far = moved(first(right), first(wrong));
  if (far >= LEAST) rows.push([`The output of ${right.queryTokens[0]} moves by`, "", `${percent(far)} of its length`]);
  for (const [name, labels] of Object.entries(right.predictions))
    rows.push([
      `Prediction: ${name}`,
      ...[labels, wrong.predictions[name]].map((of) => {
        const [label, share] = likeliest(of);
        return `${label} ${unbroken(share)}`;
      }),
    ]);
  return rows.filter(([, before, after]) => before !== after);
}

function weightRow(right: AttentionMap, wrong: AttentionMap) {
  if (right.weights.length !== wrong.weights.length) return [["Heads", String(right.shape[1]), String(wrong.shape[1])]];
  const at = largestChange(right.weights, wrong.weights);
  return at < 0
    ? []
    : [
        [
          `The weight that changes most: ${placeOf(right, at)}`,
          unbroken(right.weights[at]),
          unbroken(wrong.weights[at]),
        ],
      ];
}

/** The sums of all rows of weights, as the least and the largest. */
function sums({ shape, weights }: AttentionMap) {
  const keys = shape[3];
  let [least, largest] = [Infinity, -Infinity];
  for (let row = 0; row < weights.length; row += keys) {
    const sum = weights.subarray(row, row + keys).reduce((a, b) => a + b, 0);
    [least, largest] = [Math.min(least, sum), Math.max(largest, sum)];
  }
  const [from, to] = [least.toFixed(2), largest.toFixed(2)];
  return from === to ? from : `${from} to ${to}`;
}

/** Where two lists differ most; -1 where they are the same but for rounding. */
function largestChange(a: Float32Array, b: Float32Array) {
  let [at, largest] = [-1, 1e-6];
  a.forEach((value, index) => {
    const change = Math.abs(value - b[index]);
    if (change > largest) [at, largest] = [index, change];
  });
  return at;
}

/** The head, query and key of the weight at one place. */
function placeOf(map: AttentionMap, at: number) {
  const [, heads, queries, keys] = map.shape;
  const [key, query, place] = [at % keys, Math.floor(at / keys) % queries, Math.floor(at / keys / queries)];
  return `${headTitle(map, Math.floor(place / heads), place % heads)}, ${map.queryTokens[query]} → ${map.keyTokens[key]}`;
}

/** How far b lies from a, over the length of a. */
function moved(a: Float32Array, b: Float32Array) {
  let [far, long] = [0, 0];
  a.forEach((value, index) => {
    far += (value - b[index]) ** 2;
    long += value ** 2;
  });
  return Math.sqrt(far / long);
}
