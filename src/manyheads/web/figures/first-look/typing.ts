// A sentence that types itself: first without one of its words, then that word is put in.

import { inSight } from "../../views/in-sight.ts";

const [LETTER, LATER, REST] = [60, 95, 1100]; // milliseconds before a letter, before one of the word, and between the two

/** What stands in the box after each key, and the milliseconds before it: [[text, wait], ...]; nothing where the word isn't in the sentence. */
export function keystrokes(sentence: string, word: string): [string, number][] {
  const at = sentence.indexOf(`${word} `);
  if (!word || at < 0) return [];
  const [before, after] = [sentence.slice(0, at), sentence.slice(at + word.length + 1)];
  const whole = before + after;
  const first = Array.from(whole, (_, place): [string, number] => [whole.slice(0, place + 1), LETTER]);
  const then = Array.from(word, (_, place): [string, number] => [
    `${before}${word.slice(0, place + 1)} ${after}`,
    place ? LATER : REST,
  ]);
  return [...first, ...then];
}

/** Waits, in a hidden tab until it's seen; false where it was stopped meanwhile. */
export const wait = (milliseconds: number, stops: AbortSignal) =>
  new Promise<boolean>((done) => {
    if (stops.aborted) return done(false);
    const stopped = () => (callOff(), done(false));
    const callOff = inSight(milliseconds, () => (stops.removeEventListener("abort", stopped), done(true)));
    stops.addEventListener("abort", stopped);
  });
