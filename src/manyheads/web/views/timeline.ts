// Time in a figure that moves: a position that runs along stations, one a whole number. For readers who ask for less motion it jumps
// from one to the next by itself, and stays at each until it can be read.

const TRAVEL = 2600; // milliseconds from a station to the next, while it plays
const HURRY = 900; // at the press of a station; farther ones take a little longer
const WORD = 250; // milliseconds to read one
const SETTLES = 500; // at a station at least, so that its picture is seen at rest
const GAP = 250; // at most between two frames: where more passed, nobody saw the page, and a film waits

export const wantsStillness = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;

/** How long it takes to read a text, in milliseconds. */
export const readingTime = (text: string) => WORD * text.split(/[ \n]+/).filter(Boolean).length;

/** Where a film is, as a part of a figure's state. */
export interface Film {
  at: number; // stations count from 0, and 2.5 is between two
  to: number | null; // the station that it travels to
  plays: boolean;
}

export const still = (at: number): Film => ({ at, to: null, plays: false });

/** The station that it is at or heads for. */
export const headingOf = ({ at, to }: Film) => Math.round(to ?? at);

/** The way from where a film is to a station, or where it plays, to the next one. */
interface Way extends Film {
  to: number;
  start: number;
  lasts: number; // milliseconds
}

/**
 * Moves a film, by `seek(at)` for every frame; what this returns is called when the film is another one. `reads()` says how long what
 * a station says takes to read, from where the film sets out for it: that's when it's said.
 */
export function moveFilm(film: () => Film, seek: (at: number) => void, reads: () => number) {
  let frame = 0;
  let clock = 0; // milliseconds that were seen
  let before = 0; // when the last frame came
  let stays = 0; // until then it rests at a station
  let way: Way | null = null;

  function wayOf({ at, to, plays }: Film, start: number): Way {
    if (to !== null) return { at, to, plays, start, lasts: HURRY * Math.sqrt(Math.max(Math.abs(to - at), 0.2)) };
    return { at, to: Math.floor(at + 1e-6) + 1, plays, start, lasts: wantsStillness() ? 0 : TRAVEL * (1 - (at % 1)) };
  }

  function tick(came: number) {
    frame = 0;
    clock += Math.min(came - before, GAP);
    before = came;
    const { to, plays } = film();
    if (way?.plays !== plays || (to !== null && way.to !== to)) way = null; // it was sent elsewhere
    if (to !== null || clock >= stays) go((way ??= wayOf(film(), clock)));
    follow();
  }

  function go({ at, to, start, lasts }: Way) {
    const share = lasts ? Math.min((clock - start) / lasts, 1) : 1;
    if (share < 1) return seek(at + (to - at) * share);
    way = null;
    stays = clock + Math.max(reads() - lasts, SETTLES);
    seek(to);
  }

  function follow() {
    const { to, plays } = film();
    if (plays || to !== null) return void (frame ||= requestAnimationFrame(tick));
    cancelAnimationFrame(frame);
    [frame, stays, way] = [0, 0, null];
  }

  return follow;
}
