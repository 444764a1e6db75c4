// What <first-look> shows of a map: the word that an answer rests on, the word that a head of the layer below finds for it, where the
// two stand in the sentence, and which way the answer leans.

import type { AttentionMap } from "../../math/attention-map.ts";
import { queryWeights } from "../../math/maps.ts";
import { inQuotes, isSpecial, readable } from "../../math/text.ts";

const FIRST = 0; // layer
const HALF = 0.5; // of the attention: below it, no one word is found
const WORDS = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu;

/** The place of the largest of some weights. */
const most = (weights: Float32Array) => weights.indexOf(Math.max(...weights));

export interface Found {
  answers: Float32Array; // what the head named after the answer gives each token when [CLS] asks
  asker: number | null; // the word that gets most of it; null where a special token does
  weights: Float32Array; // what the head below gives each token when that word asks
  found: number | null; // the word that gets most of these; null where it's no one word
}

/** What the head of layer 1 finds for the word that the head named `answer` looks at most. */
export function foundBelow(map: AttentionMap, head: number, answer: string): Found {
  const answers = queryWeights(map, map.namedLayer ?? 0, map.headNames.indexOf(answer), 0);
  const place = most(answers);
  const weights = queryWeights(map, FIRST, head, place);
  const found = most(weights);
  const isWord = (token: number) => !isSpecial(map.keyTokens[token]);
  const finds = isWord(place) && isWord(found) && found !== place && weights[found] >= HALF;
  return { answers, asker: isWord(place) ? place : null, weights, found: finds ? found : null };
}

/** The same in a sentence. */
export function finding(map: AttentionMap, below: Found, answer: string, on: boolean, sentence: string) {
  const { asker, found } = below;
  const word = (place: number) => inQuotes(wordAt(sentence, map.keyTokens, place));
  if (asker === null) return `The ${answer} head finds no word here.`;
  if (found === null) return on ? `The head finds no one word for ${word(asker)}.` : "The head is off.";
  const finds = `finds ${word(found)} for ${word(asker)}`;
  return on ? `A head ${finds}.` : `The head that ${finds} is off.`;
}

/** The word of a sentence that a token is part of, as it's written there: *don't*, of which a model reads *don*, an apostrophe and *t*. */
function wordAt(sentence: string, tokens: string[], place: number) {
  const range = rangesOf(sentence, tokens)[place];
  if (!range) return tokens[place];
  const words = [...sentence.matchAll(WORDS)];
  const around = words.find(({ index, 0: word }) => index <= range[0] && range[1] <= index + word.length);
  return around?.[0] ?? tokens[place];
}

/** Letters as models have them that don't tell large ones from small: small, without accents. */
const plain = (letters: string) =>
  letters
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "");

/** Where each token stands in its sentence, from a letter up to another; null for one that isn't written there as it is. */
export function rangesOf(sentence: string, tokens: string[]): ([number, number] | null)[] {
  let text = "";
  const starts: number[] = []; // by the place in `text`, that in the sentence
  for (let at = 0; at < sentence.length; at++)
    for (const letter of plain(sentence[at])) {
      text += letter;
      starts.push(at);
    }
  let after = 0;
  return tokens.map((token) => {
    const word = plain(readable(token));
    const place = isSpecial(token) || !word ? -1 : text.indexOf(word, after);
    if (place < 0) return null;
    after = place + word.length;
    return [starts[place], starts[after - 1] + 1];
  });
}

/** Which way an answer leans whose labels are a scale: from -1, all on the first of them, to 1, all on the last. */
export function lean(labels: Record<string, number>) {
  const shares = Object.values(labels);
  return shares.reduce((sum, share, place) => sum + share * ((2 * place) / (shares.length - 1) - 1), 0);
}
