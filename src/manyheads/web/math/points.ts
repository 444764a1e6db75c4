// Words as points on a plane of the encoder's vectors, among landmarks. Twin of models/points/plane.py.

import type { Matrix } from "./attention.ts";
import { isPiece, readable } from "./text.ts";

/**
 * A word: its [across, upwards] after each layer, the embeddings first, and its nearest landmarks after each. Where heads are off or words
 * masked, `lost` is how much of each step that takes, in all dimensions.
 */
export interface WordPoint {
  text: string;
  places: [number, number][];
  near: number[][];
  lost?: number[];
}

/** Words as models/points/page_data.py writes them. */
export interface WrittenPoints {
  words: string[];
  places: number[][];
  near: number[][];
  lost?: number[][];
}

/** What a reading of a text has: its tokens, and their vectors after each layer, [layer + 1, token, width]. */
export interface Reading {
  queryTokens: string[];
  states?: Matrix;
}

const UNIT = 10_000; // written places are whole numbers of so many parts

export const pointsOf = ({ words, places, near, lost }: WrittenPoints): WordPoint[] =>
  words.map((text, at) => {
    const layers = places[at].length / 2;
    const each = near[at].length / layers;
    return {
      text,
      places: Array.from({ length: layers }, (_, layer) => [
        places[at][2 * layer] / UNIT,
        places[at][2 * layer + 1] / UNIT,
      ]),
      near: Array.from({ length: layers }, (_, layer) => near[at].slice(layer * each, (layer + 1) * each)),
      ...(lost && { lost: lost[at] }),
    };
  });

/** The places of each word's tokens; special tokens and punctuation aren't words. */
export function wordsAt(tokens: string[]) {
  const words: number[][] = [];
  tokens.forEach((token, place) => {
    const last = words.at(-1);
    if (isPiece(token) && last?.at(-1) === place - 1) last.push(place);
    else if (/^[\p{L}\p{N}]/u.test(token)) words.push([place]);
  });
  return words;
}

/** How much of each step of a way goes where `left` is what is left of it, along the step; below 0, it grows. Twin of `lost` in plane.py. */
export function lostOf(whole: ArrayLike<number>[], left: ArrayLike<number>[]) {
  return whole.slice(1).map((end, layer) => {
    const step = minus(end, whole[layer]);
    return 1 - dot(minus(left[layer + 1], left[layer]), step) / dot(step, step);
  });
}

const textOf = (tokens: string[], places: number[]) => places.map((place) => readable(tokens[place])).join("");

/** The places of the tokens of some words, wherever they stand. */
export const placesOf = (tokens: string[], words: string[]) =>
  wordsAt(tokens).flatMap((places) => (words.includes(textOf(tokens, places)) ? places : []));

export class WordPlane {
  #directions: number[][];
  #centre: Float64Array[] = []; // of the landmarks, after each layer
  #spread: number[] = [];
  #landmarks: Float64Array[][]; // their vectors, from the centre, each of length 1: [layer][landmark]
  #nearest: number;

  /** Of the readings of each landmark alone. */
  constructor(directions: number[][], landmarks: Reading[], nearest: number) {
    this.#directions = directions;
    this.#nearest = nearest;
    const vectors = landmarks.map((reading) => vectorsOf(reading, [1]));
    this.#landmarks = vectors[0].map((_, layer) => {
      const centre = mean(vectors.map((each) => each[layer]));
      const all = vectors.map((each) => minus(each[layer], centre));
      this.#centre.push(centre);
      this.#spread.push(Math.sqrt(all.reduce((sum, each) => sum + dot(each, each), 0) / all.length));
      return all.map(longOne);
    });
  }

  /** The words of a text, without punctuation; of a reading without some heads or words, with what that takes from the `whole` one. */
  read(reading: Reading, whole?: Reading): WordPoint[] {
    const { queryTokens } = reading;
    return wordsAt(queryTokens).map((tokens) => {
      const seen = this.#seen(reading, tokens);
      const nearest = () => seen.map((vector, layer) => this.#nearestTo(vector, layer));
      let near: number[][] | null = null; // found when it's asked for: that takes longer than all the rest
      return {
        text: textOf(queryTokens, tokens),
        places: seen.map((vector, layer) => {
          const [across, upwards] = this.#directions.map((each) => dot(vector, each) / this.#spread[layer]);
          return [across, upwards];
        }),
        get near() {
          return (near ??= nearest());
        },
        ...(whole && { lost: lostOf(this.#inUnits(this.#seen(whole, tokens)), this.#inUnits(seen)) }),
      };
    });
  }

  /** A word's vector after each layer, from the landmarks' mean. */
  #seen(reading: Reading, tokens: number[]) {
    return vectorsOf(reading, tokens).map((vector, layer) => minus(vector, this.#centre[layer]));
  }

  #inUnits(seen: Float64Array[]) {
    return seen.map((vector, layer) => vector.map((value) => value / this.#spread[layer]));
  }

  #nearestTo(vector: Float64Array, layer: number) {
    const alike = this.#landmarks[layer].map((each) => dot(each, vector));
    return [...alike.keys()].sort((one, other) => alike[other] - alike[one]).slice(0, this.#nearest);
  }
}

/** A word's vector after each layer: the mean of its tokens'. */
function vectorsOf({ states }: Reading, tokens: number[]) {
  const [layers, count, width] = states!.shape;
  const row = (layer: number, token: number) => {
    const start = (layer * count + token) * width;
    return states!.values.subarray(start, start + width);
  };
  return Array.from({ length: layers }, (_, layer) => mean(tokens.map((token) => row(layer, token))));
}

function mean(vectors: ArrayLike<number>[]) {
  const sum = new Float64Array(vectors[0].length);
  for (const vector of vectors) for (let at = 0; at < sum.length; at++) sum[at] += vector[at];
  return sum.map((value) => value / vectors.length);
}

const minus = (one: ArrayLike<number>, other: ArrayLike<number>) =>
  Float64Array.from({ length: one.length }, (_, at) => one[at] - other[at]);

function longOne(vector: Float64Array) {
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((value) => value / length);
}

function dot(one: ArrayLike<number>, other: ArrayLike<number>) {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at] * other[at];
  return sum;
}
