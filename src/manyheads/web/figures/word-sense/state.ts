// All that a <word-sense> knows, as one value; every change of it is a pure function. No DOM.

import { toggledIn } from "../../math/heads-off.ts";
import type { RankedHead, Sense } from "./text.ts";

export interface State {
  sentence: string;
  word: string; // the one that is read, if the sentence has it
  words: string[]; // those that the book knows, of the last sentence that had any
  sense: Sense | null; // on the scale
  found: boolean | null; // whether the sentence has a known word; null until it is read
  ranking: RankedHead[]; // the most important first, once the reader asked for it
  off: number[][]; // heads, as [layer, head]
}

export type Action =
  | { type: "take", parts: Partial<Pick<State, "sentence" | "word">> } // what was found out about the heads no longer holds
  | { type: "off", off: number[][] }
  | { type: "toggle", place: number[] }
  | { type: "show", sense: Sense, words: string[], ranking?: RankedHead[] } // a ranking is made with all heads on
  | { type: "lose" }; // no word of the sentence is known

/** What has to be done after a change: read the sentence, or draw. */
export interface Step {
  state: State;
  needs: "compute" | "draw";
}

export const startWith = (parts: Partial<State>): State => ({ sentence: "", word: "", words: [], sense: null, found: null, ranking: [], off: [], ...parts });

const ALL_ON = { ranking: [], off: [] };

export function reduce(state: State, action: Action): Step {
  switch (action.type) {
    case "take": return { state: { ...state, ...action.parts, ...ALL_ON }, needs: "compute" };
    case "off": return { state: { ...state, off: action.off }, needs: "compute" };
    case "toggle": return { state: { ...state, off: toggledIn(state.off, action.place) }, needs: "compute" };
    case "lose": return { state: { ...state, ...ALL_ON, found: false }, needs: "draw" };
    case "show": {
      const { sense, words, ranking } = action;
      return { state: { ...state, sense, words, word: sense.word, found: true, ...(ranking && { ranking, off: [] }) }, needs: "draw" };
    }
  }
}
