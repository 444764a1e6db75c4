// What a <figure-guess> knows: its question, how far the guess is, and whether the figure below it is covered. No DOM.

import { isOpen, OPEN, press, tell, type Guess, type Question } from "../../views/guess.ts";

/** What `guess_html` of drawing/guess.py bakes in: the question, and attributes of the figure with their values. */
export type Baked = Question & { sets: Record<string, string> };

export interface State {
  question: Baked;
  guess: Guess;
  covered: boolean; // the figure, until its reader uses it or it has answered
}

export type Action =
  | { type: "press"; pressed: number | null; plays: boolean } // in the figure; else the answer comes at once
  | { type: "use" } // the figure
  | { type: "answer" };

export const start = (_element: unknown, baked: Baked | null): State | null =>
  baked && { question: baked, guess: OPEN, covered: true };

export function reduce(state: State, action: Action): State {
  if (action.type === "use") return awaitsUse(state) ? { ...state, covered: false } : state;
  if (action.type === "answer") return { ...state, guess: tell(state.guess), covered: false };
  const pressed = { ...state, guess: press(state.guess, action.pressed) };
  return action.plays ? pressed : reduce(pressed, { type: "answer" });
}

/** Whether the figure is uncovered as soon as its reader uses it: not while it plays. */
export const awaitsUse = ({ covered, guess }: State) => covered && isOpen(guess);
