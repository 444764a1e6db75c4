// The exercises that check themselves: what a reader is to draw, and how far they've come. The truth is a flood fill's. No DOM.

import { CLEAR, inWords, truthOf, type Look } from "./look.ts";

/** What is on the board. */
export interface Tried {
  strokes: number;
  look: Look;
  off: number; // heads
  whole: number | null; // dots of this drawing that are filled with all heads on; null where that isn't known
}

interface Goal {
  task: string;
  /** What is missing yet; null where it's reached. */
  missing(tried: Tried): string | null;
  done: string;
}

const FEW = 4; // dots that a model fills which fills nothing

const HEADS_ON = "a head is off, and the whole model is to be fooled.";
const WHOLE = "turn all heads on first, to see what the whole model fills.";

/** That one head is off, and that it makes the difference. */
function headMissing({ off, whole }: Tried) {
  if (off !== 1) return off ? `${inWords(off)} heads are off, and it should be one.` : "all heads are on.";
  return whole === null ? WHOLE : null;
}

export const GOALS: Record<string, Goal> = {
  "two-at-once": {
    task: "Shut in two places with one stroke.",
    missing: ({ strokes, look }) =>
      strokes === 1 && look.places >= 2
        ? null
        : strokes > 1
          ? `these are ${inWords(strokes)} strokes.`
          : `your stroke shuts in ${look.places ? "one place" : "nothing"}.`,
    done: "One stroke, two places.",
  },
  "fooled-open": {
    task: "Draw something open that the model fills.",
    missing({ look, off }) {
      if (off) return HEADS_ON;
      if (look.places) return `${lower(truthOf(look))}, and it should be open.`;
      return look.filled < CLEAR ? "the model isn’t fooled: it fills hardly anything." : null;
    },
    done: "It’s open, and the model fills it.",
  },
  "fooled-shut": {
    task: "Shut in a place that the model leaves empty.",
    missing({ look, off }) {
      if (off) return HEADS_ON;
      if (look.largest < CLEAR) return look.places ? "that place is too small to count." : `${lower(truthOf(look))}.`;
      return look.largestMissed < CLEAR ? "the model isn’t fooled: it fills what is shut in." : null;
    },
    done: "It’s shut, and the model leaves it empty.",
  },
  "fills-open": {
    task: "Find the head without which an open drawing is filled.",
    missing(tried) {
      const { look, whole } = tried;
      if (look.places) return `${lower(truthOf(look))}, and it should be open.`;
      const head = headMissing(tried);
      if (head) return head;
      if (look.filled < CLEAR) return "without this head, hardly anything is filled.";
      return whole! < FEW ? null : "the whole model fills this drawing as well.";
    },
    done: "Without this head, the model fills what is open.",
  },
  "never-fills": {
    task: "Find the head without which nothing is filled.",
    missing(tried) {
      const { look, whole } = tried;
      if (look.largest < CLEAR) return look.places ? "that place is too small to count." : `${lower(truthOf(look))}.`;
      const head = headMissing(tried);
      if (head) return head;
      if (look.filled >= FEW) return "without this head, something is still filled.";
      return whole! >= CLEAR ? null : "the whole model fills nothing here either.";
    },
    done: "Without this head, the model fills nothing.",
  },
};

const lower = (sentence: string) => sentence[0].toLowerCase() + sentence.slice(1);

/** How far a reader has come. */
export function progressOf(goal: Goal, tried: Tried) {
  const missing = tried.strokes ? goal.missing(tried) : "the paper is empty.";
  return missing === null ? { done: true, says: doneWith(goal) } : { done: false, says: `Not yet: ${missing}` };
}

/** What stays said. */
export const doneWith = ({ done }: Goal) => `Done. ${done}`;
