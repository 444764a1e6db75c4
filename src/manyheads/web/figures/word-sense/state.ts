// All that a <word-sense> knows, as one value; every change of it is a pure function. No DOM.

import { isAmong, toggledIn } from "../../math/heads-off.ts";
import { headPushes, type SensePushes } from "../../math/senses.ts";
import { scoreWithout, wordsIn, type RankedHead, type Sense } from "./text.ts";

export interface State {
  sentence: string;
  word: string; // the one that is read, if the sentence has it
  words: string[]; // those that the book knows, of the last sentence that had any
  sense: Sense | null; // on the scale
  pushes: SensePushes | null; // what makes it, where that is known
  found: boolean | null; // whether the sentence has a known word; null until it is read
  layer: number | null; // whose arrows are shown, from 1; null: of the one that decides
  ranking: RankedHead[]; // the most important first, once the reader asked for it
  off: number[][]; // heads, as [layer, head]
  masked: number[]; // places of tokens that no word may look at
  read: number[]; // those that were masked in what is shown
  wanted: string[] | null; // words that are masked once the sentence is read, in small letters
  alone: number | null; // the score that is left without the arrow of the head that was turned off last, all else as it was
}

export type Action =
  | { type: "take"; parts: Partial<Pick<State, "sentence" | "word">> } // what was found out about the heads no longer holds
  | { type: "layer"; layer: number | null }
  | { type: "off"; off: number[][] }
  | { type: "toggle"; place: number[] }
  | { type: "mask"; places: number[] } // of one word, or off with its mask
  | { type: "want"; words: string[] } // these masked and no others
  | { type: "show"; sense: Sense; pushes: SensePushes | null; words: string[]; ranking?: RankedHead[] } // a ranking is made with all heads on
  | { type: "lose" }; // no word of the sentence is known

/** What has to be done after a change: read the sentence, or draw. */
export interface Step {
  state: State;
  needs: "compute" | "draw";
}

export const startWith = (parts: Partial<State>): State => ({
  sentence: "",
  word: "",
  words: [],
  sense: null,
  pushes: null,
  found: null,
  layer: null,
  ranking: [],
  off: [],
  masked: [],
  read: [],
  wanted: null,
  alone: null,
  ...parts,
});

const ALL_ON = { ranking: [], off: [], alone: null };

/** The layer whose arrows are shown, from 0. */
export const shownLayer = ({ layer, sense, pushes }: State) =>
  Math.min(Math.max((layer ?? sense?.layer ?? 1) - 1, 0), (pushes?.layers.length ?? 1) - 1);

/** Whether what is shown was read with other words masked. */
export const isBehind = ({ masked, read }: State) => String(masked) !== String(read);

/** Heads of the shown layer that are off, though what is shown was read with them on. */
export function lifted(state: State) {
  const layer = shownLayer(state);
  const shown = state.pushes?.layers[layer];
  return shown
    ? headPushes(shown).flatMap((push, head) => (push !== 0 && isAmong(state.off, [layer, head]) ? [head] : []))
    : [];
}

export function reduce(state: State, action: Action): Step {
  switch (action.type) {
    case "take":
      return { state: { ...state, ...action.parts, ...ALL_ON, masked: [], wanted: null }, needs: "compute" };
    case "want":
      return { state: { ...state, masked: [], wanted: action.words, ranking: [], alone: null }, needs: "compute" };
    case "layer":
      return { state: { ...state, layer: action.layer, alone: null }, needs: "draw" };
    case "off":
      return { state: { ...state, off: action.off, alone: null }, needs: "compute" };
    case "toggle": {
      const after = { ...state, off: toggledIn(state.off, action.place) };
      const left = lifted(after);
      return {
        state: {
          ...after,
          alone: left.length && !isBehind(state) ? scoreWithout(after.pushes!.layers[shownLayer(after)]!, left) : null,
        },
        needs: "compute",
      };
    }
    case "mask": {
      const has = action.places.some((place) => state.masked.includes(place));
      const masked = has
        ? state.masked.filter((place) => !action.places.includes(place))
        : [...state.masked, ...action.places].sort((a, b) => a - b);
      return { state: { ...state, masked, wanted: null, ranking: [], alone: null }, needs: "compute" };
    }
    case "lose":
      return { state: { ...state, ...ALL_ON, masked: [], wanted: null, found: false }, needs: "draw" };
    case "show": {
      const { sense, pushes, words, ranking } = action;
      const shown = {
        ...state,
        sense,
        pushes,
        words,
        word: sense.word,
        found: true,
        read: state.masked,
        ...(ranking && { ranking, off: [], alone: null }),
      };
      if (!state.wanted) return { state: shown, needs: "draw" };
      const masked = pushes
        ? wordsIn(pushes).filter(({ text, kind }) => kind === "word" && state.wanted!.includes(text.toLowerCase()))
        : [];
      return {
        state: { ...shown, wanted: null, masked: masked.flatMap(({ places }) => places) },
        needs: masked.length ? "compute" : "draw",
      };
    }
  }
}
