// What a drawing shuts in, by a flood fill, and how the model's answer differs from it; in numbers, and in a sentence. No DOM.

import { ink as INK } from "../../../shared/drawing.json";
import { withOff } from "../../math/heads-off.ts";
import { shutIn, SIDE } from "../../math/strokes.ts";

/** What the model says: how many places are shut in, where 3 is 3 or more, and which dots of the paper, row by row. */
export interface Answer {
  places: number;
  filled: Uint8Array;
}

/** How an answer is judged; all numbers but that of places are dots. */
export interface Look {
  places: number; // that are shut in
  largest: number; // of them
  filled: number; // by the model
  open: number; // of these, that nothing shuts in
  missed: number; // places of which the model fills less than half
  largestMissed: number; // of them
  painted: Uint8Array; // dots: the filled ones, and what of the ink lies beside them
  wrong: Uint8Array; // for each dot: FILLED, MISSED, or 0 where it's right
}

export const [FILLED, MISSED] = [1, 2]; // though it's open; not, though it's shut in
export const CLEAR = 20; // dots: fewer at the edge of a stroke are no mistake that a reader sees
const MOST = 3; // that the model counts

/** Compares an answer with what the ink shuts in. */
export function lookAt(ink: ArrayLike<number>, { filled }: Answer): Look {
  const truth = shutIn(ink);
  const count = Math.max(...truth);
  const dots = new Array<number>(count + 1).fill(0); // of each place, 0 for what is open
  const full = dots.slice(); // of these, by the model
  truth.forEach((place, dot) => {
    if (ink[dot] >= INK) return;
    dots[place]++;
    full[place] += filled[dot];
  });
  const isMissed = dots.map((size, place) => place > 0 && 2 * full[place] < size);
  const largestOf = (isOne: (place: number) => boolean) =>
    dots.reduce((most, size, place) => (place && isOne(place) ? Math.max(most, size) : most), 0);
  const wrongAt = (place: number, dot: number) => {
    if (isMissed[place]) return filled[dot] ? 0 : MISSED;
    return !place && filled[dot] && full[0] >= CLEAR && ink[dot] < INK ? FILLED : 0;
  };
  const isPainted = (dot: number) =>
    filled[dot] || (ink[dot] >= INK && [dot - SIDE, dot - 1, dot + 1, dot + SIDE].some((beside) => filled[beside]));
  return {
    places: count,
    largest: largestOf(() => true),
    filled: full.reduce((sum, size) => sum + size),
    open: full[0],
    missed: isMissed.filter(Boolean).length,
    largestMissed: largestOf((place) => isMissed[place]),
    painted: truth.map((_, dot) => Number(isPainted(dot))),
    wrong: truth.map(wrongAt),
  };
}

const NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
export const inWords = (count: number) => NUMBERS[count] ?? String(count);

/** "Two places are shut in", or that nothing is. */
export function truthOf({ places }: Pick<Look, "places">) {
  if (!places) return "Nothing is shut in";
  const number = inWords(places);
  return `${number[0].toUpperCase()}${number.slice(1)} ${places === 1 ? "place is" : "places are"} shut in`;
}

/** What is shut in, and what the model makes of it with so many heads off, in a sentence. */
export function sentenceOf(look: Look, { places }: Answer, off = 0) {
  const mistakes = [];
  if (look.missed) mistakes.push(`leaves ${missedOf(look)} empty`);
  if (look.open >= CLEAR) mistakes.push(`fills ${look.open} dots${look.places ? " that are open" : ""}`);
  if (places !== Math.min(look.places, MOST))
    mistakes.push(`counts ${places < MOST ? inWords(places) : "three or more"}`);
  const last = mistakes.pop();
  if (!last) return `${truthOf(look)}${off ? `, as the model says ${withOff(off)}` : ""}.`;
  return `${truthOf(look)}, but ${off ? `${withOff(off)}, ` : ""}the model ${mistakes.length ? `${mistakes.join(", ")} and ` : ""}${last}.`;
}

const missedOf = ({ places, missed }: Look) =>
  missed < places ? inWords(missed) : places === 1 ? "it" : places === 2 ? "both" : "them";
