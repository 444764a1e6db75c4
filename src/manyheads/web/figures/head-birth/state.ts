// All that a <head-birth> knows, as one value; every change of it is a pure function. No DOM.

import { guessed, type Guessed } from "../../math/repeats.ts";
import type { Cell } from "../../math/score-parts.ts";
import type { Expecting } from "../../models/induction.ts";

export interface State {
  sentence: string;
  steps: number[]; // of the training, at which it was kept
  at: number; // which of them
  off: boolean; // the previous-token head
  map: Expecting | null; // the one that is shown
  all: Guessed[]; // the guesses in it
  chosen: number | null; // the character that the reader points at; else the first that can be known
  pressed: Cell | null; // of a triangle, to be explained; else where the induction head looks most from the chosen character
  predicted: string; // which head appears first, as the reader predicted it
}

export type Action =
  | { type: "take", parts: Partial<Pick<State, "sentence">> }
  | { type: "step", at: number }
  | { type: "next" } // from the last step to the first
  | { type: "toggle" }
  | { type: "ask", place: number, pressed?: State["pressed"] }
  | { type: "predict", head: string }
  | { type: "show", map: Expecting };

/** What has to be done after a change: compute, draw the map, say what one of its characters rests on, or show what was measured. */
export interface Step {
  state: State;
  needs: "compute" | "draw" | "ask" | "reveal";
}

export const startWith = (parts: Partial<State>, steps: number[]): State =>
  ({ sentence: "", at: 0, off: false, map: null, all: [], chosen: null, pressed: null, predicted: "", ...parts, steps });

export function reduce(state: State, action: Action): Step {
  switch (action.type) {
    case "take": return { state: { ...state, ...action.parts, chosen: null, pressed: null }, needs: "compute" };
    case "step": return { state: { ...state, at: action.at }, needs: "compute" };
    case "next": return { state: { ...state, at: (state.at + 1) % state.steps.length }, needs: "compute" };
    case "toggle": return { state: { ...state, off: !state.off }, needs: "compute" };
    case "ask": return { state: { ...state, chosen: action.place, pressed: action.pressed ?? null }, needs: "ask" };
    case "predict": return { state: { ...state, predicted: action.head }, needs: "reveal" };
    case "show": return { state: { ...state, map: action.map, all: guessed(action.map.queryTokens, action.map.guesses) }, needs: "draw" };
  }
}

/** The character that is explained, among those shown; 0 where there is none to guess. */
export function askedOf({ all, chosen }: State) {
  const first = all.findIndex(({ known }) => known) + 1;
  return Math.min(chosen ?? (first || all.length), all.length);
}
