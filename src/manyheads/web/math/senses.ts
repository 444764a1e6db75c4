// Which sense an ambiguous word has: its vectors laid on the axes between its senses. Twin of models/senses/head_model.py.

import type { Safetensors } from "./wire.ts";
import type { AttentionMap } from "./attention-map.ts";
import type { Matrix } from "./attention.ts";
import { queryWeights } from "./maps.ts";
import { isPiece } from "./text.ts";

/** How a word comes to its score after a layer: what it looks at and what pushes it, [head][key], and the rest, all in log-odds. */
export interface LayerPushes {
  weights: number[][];
  pushes: number[][];
  rest: number; // its own vector and the biases
}

/** The same for layers, as far as they are there; the tokens, and the places of the word among them. */
export interface SensePushes {
  tokens: string[];
  places: number[];
  layers: (LayerPushes | null)[];
}

type AmbiguousWord = { word: string; senses: [string, string]; forms: string[]; tokens: string[][] };

/** The share of a word's second sense, of a score. */
export const shareOf = (score: number) => 1 / (1 + Math.exp(-score));

/** The score of a share: its log-odds. */
export const scoreOf = (share: number) => Math.log(share / (1 - share));

const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** How far each head pushes. */
export const headPushes = ({ pushes }: LayerPushes) => pushes.map(sumOf);

/** How far what is taken from some tokens pushes, and how much attention they get: of one head, or of all, whose attention is averaged. */
export function fromTokens({ weights, pushes }: LayerPushes, tokens: number[], head: number | null = null) {
  const of = (rows: number[][]) =>
    sumOf((head === null ? rows : [rows[head]]).flatMap((row) => tokens.map((token) => row[token])));
  return { weight: of(weights) / (head === null ? weights.length : 1), push: of(pushes) };
}

export class SenseAxes {
  words: AmbiguousWord[];
  layer: number; // that decides; 0 is the embeddings
  #directions: Matrix; // [word · layer, width]
  #offsets: Matrix; // [word, layer]

  /** From the file that models/senses/head_model.py writes. */
  constructor({ tensors: { directions, offsets }, metadata }: Safetensors) {
    this.words = JSON.parse(metadata.words);
    this.layer = Number(metadata.layer);
    this.#directions = directions;
    this.#offsets = offsets;
  }

  /** The ambiguous word that this is a form of, if it is known. */
  known(text: string) {
    const tidy = text.trim().toLowerCase();
    return this.words.find(({ forms }) => forms.includes(tidy));
  }

  /** The known words that stand among the tokens, each once. */
  among(tokens: string[]) {
    return this.words.filter((word) => wordPlaces(tokens, word.tokens).length > 0);
  }

  /** All words, as the encoder follows them: that one first, if it is there. */
  followed(first: AmbiguousWord | undefined) {
    const layers = this.#directions.shape[0] / this.words.length;
    const size = layers * this.#directions.shape[1];
    return this.#inOrder(first).map((word) => {
      const at = this.words.indexOf(word) * size;
      return { tokens: word.tokens, directions: this.#directions.values.slice(at, at + size) };
    });
  }

  #inOrder(first: AmbiguousWord | undefined) {
    return first ? [first, ...this.words.filter((word) => word !== first)] : this.words;
  }

  /** What pushes a word in each layer of a map that followed it; null of one that didn't. */
  pushes(map: AttentionMap, word: AmbiguousWord): SensePushes | null {
    const places = wordPlaces(map.queryTokens, word.tokens);
    if (!map.pushes || !places.length) return null;
    const offset = this.words.indexOf(word) * (map.shape[0] + 1);
    const layers = map.pushes.values.map((pushes, layer) => ({
      pushes,
      rest: map.pushes!.rest[layer] + this.#offsets.values[offset + layer + 1],
      weights: pushes.map((row, head) =>
        row.map((_, key) => sumOf(places.map((place) => queryWeights(map, layer, head, place)[key])) / places.length),
      ),
    }));
    return { tokens: map.queryTokens, places, layers };
  }

  /** How far each layer's vector of a word is on the side of its second sense; null where the word is not there. */
  scores({ queryTokens, states }: { queryTokens: string[]; states?: Matrix }, word: AmbiguousWord) {
    const places = wordPlaces(queryTokens, word.tokens);
    if (!states || !places.length) return null;
    const [layers, tokens, width] = states.shape;
    const at = this.words.indexOf(word);
    return Array.from({ length: layers }, (_, layer) => {
      let score = this.#offsets.values[at * layers + layer];
      for (const place of places) {
        const from = (layer * tokens + place) * width;
        const along = (at * layers + layer) * width;
        for (let i = 0; i < width; i++)
          score += (states.values[from + i] * this.#directions.values[along + i]) / places.length;
      }
      return score;
    });
  }
}

/** Where one of a word's forms first stands, as whole words: its places among the tokens. */
export function wordPlaces(tokens: string[], forms: string[][]): number[] {
  for (let start = 0; start < tokens.length; start++) {
    const form = forms.find(
      (pieces) =>
        pieces.every((piece, at) => tokens[start + at] === piece) && !isPiece(tokens[start + pieces.length] ?? ""),
    );
    if (form) return form.map((_, at) => start + at);
  }
  return [];
}

/**
 * Heads by what their absence does, most first; `moved` is the change of the score, which is `whole` with all heads and
 * `without[layer][head]` without one.
 */
export const rankedHeads = (whole: number, without: number[][]) =>
  without
    .flatMap((heads, layer) => heads.map((score, head) => ({ place: [layer, head], moved: score - whole })))
    .sort((a, b) => Math.abs(b.moved) - Math.abs(a.moved));
