// A sentence that types itself: first as another one, which is then changed into it. Once, to who has never been here, as soon as the
// model is here; any key or touch ends that.

import { mapIn } from "../../doors/leaning.ts";
import { mapReady } from "../../doors/page-element.ts";
import { inSight } from "../../views/in-sight.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { invite, light } from "./view.ts";

const SEEN = "manyheads-first-look"; // in this browser, once the sentence has typed itself
const [IN_TIME, THEN] = [8000, 700]; // milliseconds: for the model to come; until the switch invites
const READERS = ["pointerdown", "keydown", "input", "focusin"]; // what a reader does ends the typing

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

/** Fulfilled once the page has been painted; at once, where a browser doesn't tell. */
const painted = () =>
  new Promise<void>((done) => {
    if (!globalThis.PerformanceObserver?.supportedEntryTypes.includes("paint")) return done();
    new PerformanceObserver((_, observer) => (observer.disconnect(), done())).observe({
      type: "paint",
      buffered: true,
    });
  });

/** Has the sentence of a look type itself, until that leaves the page. */
export function typeOnce(look: HTMLElement, leaves: AbortSignal) {
  const map = mapIn(look);
  const sentence = map.getAttribute("sentence") ?? "";
  const strokes = keystrokes(sentence, look.getAttribute("first") ?? "");
  if (wantsStillness() || wasSeen() || !strokes.length || location.hash) return;
  const stops = new AbortController();
  const { signal } = stops;
  const stop = () => stops.abort();
  leaves.addEventListener("abort", stop);
  for (const name of READERS) addEventListener(name, stop, { capture: true, signal });
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin, { once: true, signal });

  async function begin() {
    await painted(); // what is read comes before the model
    if (await modelCame()) await type();
    stop();
  }

  /** Loads the model; whether it came in time, and the reader does nothing else. */
  async function modelCame() {
    if (signal.aborted || (navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return false;
    const came = await Promise.race([mapReady(map).then(() => true), wait(IN_TIME, signal).then(() => false)]);
    const { top, bottom } = look.getBoundingClientRect();
    const isSeen = !document.hidden && top < innerHeight / 2 && bottom > 0;
    return came && !signal.aborted && isSeen && map.sentence === sentence;
  }

  async function type() {
    keepSeen();
    let typed = map.sentence;
    const complete = () => map.sentence === typed && !map.contains(document.activeElement) && (map.sentence = sentence);
    signal.addEventListener("abort", complete); // half a sentence is nobody's, unless the reader goes on with it
    for (const [text, pause] of strokes) {
      if (!(await wait(pause, signal)) || map.sentence !== typed) return;
      map.sentence = typed = text;
    }
    light(look);
    if (await wait(THEN, signal)) invite(look, leaves);
  }
}

// A browser may refuse to keep anything; then the sentence types itself again.

function wasSeen() {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

function keepSeen() {
  try {
    localStorage.setItem(SEEN, "1");
  } catch {
    // it is seen again
  }
}
