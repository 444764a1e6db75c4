// What <word-sense> says of a word and of what decides its sense. No DOM.

import type { AttentionMap } from "../../math/attention-map.ts";
import { queryWeights } from "../../math/maps.ts";
import { withOff } from "../../math/heads-off.ts";
import { fromTokens, headPushes, shareOf, type LayerPushes, type SensePushes } from "../../math/senses.ts";
import { isSpecial, percent, readable, wordStarts } from "../../math/text.ts";

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
  looks: { word: string; share: number } | null;
}

/** A word of a sentence, by its tokens. */
export interface SentenceWord {
  text: string;
  places: number[];
  kind: "word" | "mark" | "asker"; // a mark can't be masked, nor can the word that is read
}

/** The layer's name in the table: "embeddings", "layer 1", ... */
export const layerName = (layer: number) => (layer === 0 ? "embeddings" : `layer ${layer}`);

/** The likelier sense and its share, as text: "97 % river"; `share` is that of the second. */
export const leaning = (senses: [string, string], share: number) =>
  share >= 0.5 ? `${percent(share)} ${senses[1]}` : `${percent(1 - share)} ${senses[0]}`;

/** In which sense a word is read, in a sentence; `off` counts the heads that are off. */
export const senseText = ({ word, senses, shares, layer }: Sense, off: number) =>
  `${word}: ${leaning(senses, shares[layer])} after ${layerName(layer)}${off ? `, ${withOff(off)}` : ""}.`;

/** Towards which sense a score has moved, and how far: "money 1.2". */
export const movedTo = (senses: [string, string], moved: number) =>
  `${senses[moved > 0 ? 1 : 0]} ${Math.abs(moved).toFixed(1)}`;

/** The word that a head looks at most from some places, and its share; special tokens and the places apart. */
export function looksAt(map: AttentionMap, [layer, head]: number[], places: number[]) {
  const shares = map.keyTokens.map(
    (_, key) => places.reduce((sum, place) => sum + queryWeights(map, layer, head, place)[key], 0) / places.length,
  );
  const others = shares.map((share, key) => (isSpecial(map.keyTokens[key]) || places.includes(key) ? -1 : share));
  const key = others.indexOf(Math.max(...others));
  return others[key] < 0 ? null : { word: readable(map.keyTokens[key]), share: shares[key] };
}

/** What stands where none of the known words is in the sentence. */
export const unknownWord = (words: string[]) =>
  `No word here has two senses that this book knows. Try one of these: ${words.join(", ")}. ` +
  "The last page of the appendix, “For teachers and authors”, says how to add a word.";

/** The score after a layer: that of all its arrows, or without those of some heads. */
export const scoreWithout = (layer: LayerPushes, heads: number[] = []) =>
  headPushes(layer).reduce((sum, push, head) => sum + (heads.includes(head) ? 0 : push), layer.rest);

/** The words of a sentence, without special tokens. */
export function wordsIn({ tokens, places }: SensePushes): SentenceWord[] {
  const starts = wordStarts(tokens);
  return starts
    .map((start, at) => {
      const own = Array.from({ length: (starts[at + 1] ?? tokens.length) - start }, (_, step) => start + step);
      const text = own.map((place) => readable(tokens[place])).join("");
      const kind = own.some((place) => places.includes(place))
        ? ("asker" as const)
        : /[\p{L}\p{N}]/u.test(text)
          ? ("word" as const)
          : ("mark" as const);
      return { text, places: own, kind };
    })
    .filter(({ places: [place] }) => !isSpecial(tokens[place]));
}

const FAR = 2; // log-odds that push far
const FELT = 0.7; // that are felt: twice the odds
const LITTLE = 0.2;

/** How far something is pushed, and where to, in words. */
function pushText([first, second]: [string, string], push: number, what: string) {
  const size = Math.abs(push);
  if (size < LITTLE) return `hardly pushes ${what}`;
  const far = size >= FAR ? "far " : size >= FELT ? "" : "a little ";
  return `pushes ${what} ${far}towards ${push > 0 ? second : first}`;
}

const towards = (senses: [string, string], push: number) => {
  const size = Math.abs(push);
  return `${pushText(senses, push, "it")}${size < LITTLE ? "" : `, by ${size.toFixed(1)}`}`;
};

/** How far what a word takes from another pushes it, for who hasn't opened the arrows; `where` may name a layer. */
export function pushedText({ word, senses }: Sense, where: string, shown: LayerPushes, { text, places }: SentenceWord) {
  const { push } = fromTokens(shown, places);
  return `${where}“${text}” ${pushText(senses, push, `“${word}”`)}.`;
}

/** How much attention the word gives to another and how far that pushes it, in a layer; in one head, or in all. */
export function takenText(
  { word, senses }: Sense,
  layer: number,
  shown: LayerPushes,
  { text, places }: SentenceWord,
  head: number | null,
) {
  const { weight, push } = fromTokens(shown, places, head);
  const where = head === null ? `In layer ${layer + 1}` : `In head ${head + 1} of layer ${layer + 1}`;
  return `${where}, “${word}” gives “${text}” ${percent(weight)} of its attention. What it takes from there ${towards(senses, push)}.`;
}

/** What one head does, in a layer. */
export const headText = ({ senses }: Sense, shown: LayerPushes, head: number) =>
  `Head ${head + 1} ${towards(senses, headPushes(shown)[head])}.`;

/** The word that pushes most, in a layer; null where nothing does. */
export function strongest(shown: LayerPushes, words: SentenceWord[], head: number | null) {
  const others = words.filter(({ kind }) => kind === "word");
  const pushes = others.map(({ places }) => Math.abs(fromTokens(shown, places, head).push));
  return others[pushes.indexOf(Math.max(...pushes))] ?? null;
}

const listed = (names: string[]) => names.join(", ").replace(/, ([^,]*)$/, " and $1");

interface Changes {
  masked: string[];
  isBehind: boolean; // the model hasn't read the sentence with those masked
  off: number[]; // heads of the layer
  pending: number[]; // those of them that were on when the model read it
  alone: number | null; // the score without the arrow of the last
}

/** What came of the words that are masked and of the heads that are off; `after` may name the layer. */
export function changedText(
  { senses }: Sense,
  after: string,
  shown: LayerPushes,
  { masked, isBehind, off, pending, alone }: Changes,
) {
  const to = (score: number) => leaning(senses, shareOf(score));
  const heads = `${off.length > 1 ? "heads" : "head"} ${listed(off.map((head) => String(head + 1)))}`;
  if (isBehind)
    return masked.length
      ? `The model hasn't read the sentence with ${listedInQuotes(masked)} masked.`
      : "The model hasn't read the sentence with all of its words.";
  if (pending.length)
    return `Without ${pending.length > 1 ? "those arrows" : "that arrow"}, the others lead to ${to(scoreWithout(shown, pending))}. The model itself may read otherwise without ${heads}.`;
  const without = off.length ? `${masked.length ? " and without" : "Without"} ${heads}` : "";
  const sum = alone === null ? "" : ` Taking away the arrow alone would leave ${to(alone)}.`;
  return `${masked.length ? `With ${listedInQuotes(masked)} masked` : ""}${without}, the model reads ${to(scoreWithout(shown))}${after}.${sum}`;
}

const listedInQuotes = (words: string[]) => listed(words.map((text) => `“${text}”`));
