// Which sense an ambiguous word has: its vectors laid on the axes between its senses. Twin of models/senses/head_model.py.

import type { Safetensors } from "../models/files.ts";
import type { Matrix } from "./attention.ts";
import { isPiece } from "./text.ts";

type AmbiguousWord = { word: string, senses: [string, string], forms: string[], tokens: string[][] };

/** The share of a word's second sense, of a score. */
export const shareOf = (score: number) => 1 / (1 + Math.exp(-score));

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

  /** How far each layer's vector of a word is on the side of its second sense; null where the word is not there. */
  scores({ queryTokens, states }: { queryTokens: string[], states?: Matrix }, word: AmbiguousWord) {
    const places = wordPlaces(queryTokens, word.tokens);
    if (!states || !places.length) return null;
    const [layers, tokens, width] = states.shape;
    const at = this.words.indexOf(word);
    return Array.from({ length: layers }, (_, layer) => {
      let score = this.#offsets.values[at * layers + layer];
      for (const place of places) {
        const from = (layer * tokens + place) * width;
        const along = (at * layers + layer) * width;
        for (let i = 0; i < width; i++) score += states.values[from + i] * this.#directions.values[along + i] / places.length;
      }
      return score;
    });
  }
}

/** Where one of a word's forms first stands, as whole words: its places among the tokens. */
export function wordPlaces(tokens: string[], forms: string[][]): number[] {
  for (let start = 0; start < tokens.length; start++) {
    const form = forms.find((pieces) => pieces.every((piece, at) => tokens[start + at] === piece) &&
      !isPiece(tokens[start + pieces.length] ?? ""));
    if (form) return form.map((_, at) => start + at);
  }
  return [];
}

/**
 * Heads by what their absence does, most first; `moved` is the change of the score, which is `whole` with all heads and
 * `without[layer][head]` without one.
 */
export const rankedHeads = (whole: number, without: number[][]) =>
  without.flatMap((heads, layer) => heads.map((score, head) => ({ place: [layer, head], moved: score - whole })))
    .sort((a, b) => Math.abs(b.moved) - Math.abs(a.moved));
