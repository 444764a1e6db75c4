// A sentence that types itself: first as another one, which is then changed into it.

import { inSight } from "../../views/in-sight.ts";

const [LETTER, LATER, REST] = [60, 95, 1100]; // milliseconds before a letter, before one that changes, and between the two

/** What stands in the box after each key, and the milliseconds before it: [[text, wait], ...]; nothing where there's no first sentence. */
export function keystrokes(sentence: string, first: string): [string, number][] {
  if (!first) return [];
  const differs = (at: number) => sentence.at(at) !== first.at(at);
  const shorter = Math.min(sentence.length, first.length);
  let [start, end] = [0, 0];
  while (start < shorter && !differs(start)) start++;
  while (end < shorter - start && !differs(-1 - end)) end++;
  const [before, after] = [first.slice(0, start), first.slice(first.length - end)];
  const goes = first.slice(start, first.length - end);
  const comes = sentence.slice(start, sentence.length - end);
  const typed = Array.from(first, (_, place): [string, number] => [first.slice(0, place + 1), LETTER]);
  const changed = [
    ...Array.from(goes, (_, place) => before + goes.slice(0, -1 - place) + after),
    ...Array.from(comes, (_, place) => before + comes.slice(0, place + 1) + after),
  ];
  return [...typed, ...changed.map((text, at): [string, number] => [text, at ? LATER : REST])];
}

/** Waits, in a hidden tab until it's seen; false where it was stopped meanwhile. */
export const wait = (milliseconds: number, stops: AbortSignal) =>
  new Promise<boolean>((done) => {
    if (stops.aborted) return done(false);
    const stopped = () => (callOff(), done(false));
    const callOff = inSight(milliseconds, () => (stops.removeEventListener("abort", stopped), done(true)));
    stops.addEventListener("abort", stopped);
  });
