// What <word-sense> says of a word and of the heads that decide its sense. No DOM.

import type { AttentionMap } from "../../math/attention-map.ts";
import { queryWeights } from "../../math/maps.ts";
import { isSpecial, percent, readable } from "../../math/text.ts";

/** A word, the share of its second sense after each layer, and the layer that decides. */
export interface Sense {
  word: string;
  senses: [string, string];
  shares: number[];
  layer: number;
}

/** A head, as [layer, head]; the share of the second sense without it, how far that moves the score, and the word that it looks at most. */
export interface RankedHead {
  place: number[];
  share: number;
  moved: number;
  looks: { word: string, share: number } | null;
}

/** The layer's name in the table: "embeddings", "layer 1", ... */
export const layerName = (layer: number) => (layer === 0 ? "embeddings" : `layer ${layer}`);

/** The likelier sense and its share, as text: "97 % river"; `share` is that of the second. */
export const leaning = (senses: [string, string], share: number) =>
  (share >= 0.5 ? `${percent(share)} ${senses[1]}` : `${percent(1 - share)} ${senses[0]}`);

/** In which sense a word is read, in a sentence; `off` counts the heads that are off. */
export const senseText = ({ word, senses, shares, layer }: Sense, off: number) =>
  `${word}: ${leaning(senses, shares[layer])} after ${layerName(layer)}${off ? `, with ${off} ${off === 1 ? "head" : "heads"} off` : ""}.`;

/** Towards which sense a score has moved, and how far: "money 1.2". */
export const movedTo = (senses: [string, string], moved: number) => `${senses[moved > 0 ? 1 : 0]} ${Math.abs(moved).toFixed(1)}`;

/** The word that a head looks at most from some places, and its share; special tokens and the places apart. */
export function looksAt(map: AttentionMap, [layer, head]: number[], places: number[]) {
  const shares = map.keyTokens.map((_, key) =>
    places.reduce((sum, place) => sum + queryWeights(map, layer, head, place)[key], 0) / places.length);
  const others = shares.map((share, key) => (isSpecial(map.keyTokens[key]) || places.includes(key) ? -1 : share));
  const key = others.indexOf(Math.max(...others));
  return others[key] < 0 ? null : { word: readable(map.keyTokens[key]), share: shares[key] };
}

/** What stands where none of the known words is in the sentence. */
export const unknownWord = (words: string[]) => `No word here has two senses that this book knows. Try one of these: ${words.join(", ")}. ` +
  "The last page of the appendix, “For teachers and authors”, says how to add a word.";
