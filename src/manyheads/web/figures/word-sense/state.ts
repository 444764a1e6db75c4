// All that a <word-sense> knows, as one value; every change of it is a pure function. No DOM.

import { isAmong, toggledIn } from "../../math/heads-off.ts";
import { keep, lend } from "../../math/lent.ts";
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
  lent: Partial<Own>; // what stood there before a guess, a phrase or a link
  alone: number | null; // the score that is left without the arrow of the head that was turned off last, all else as it was
}

/** What can be lent beside a sentence; the places that are masked are those of a sentence, and go with it. */
type Own = Pick<State, "word" | "layer" | "off">;
export type Lendable = Partial<Own & Pick<State, "sentence" | "wanted">>;

export type Action =
  | { type: "take"; parts: Partial<Pick<State, "sentence" | "word">> } // what was found out about the heads no longer holds
  | { type: "type" | "begin"; sentence: string } // by the reader; "begin" with an example, and all heads on
  | { type: "lend"; parts: Lendable } // by a guess, a phrase or a link
  | { type: "word"; word: string } // by the reader
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
  lent: {},
  alone: null,
  ...parts,
});

const WHOLE = { off: [] as number[][] }; // what begins with an example
const UNKNOWN = { ranking: [], alone: null }; // of the heads
const ANEW = { ...UNKNOWN, masked: [], wanted: null }; // in another sentence, or of another word

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
  const step = (parts: Partial<State>, needs: Step["needs"]): Step => ({ state: { ...state, ...parts }, needs });
  const own = (parts: Partial<Own>) => keep<Partial<Own>>(ownParts(state), state.lent, parts); // what is lent still, once the reader has set these
  switch (action.type) {
    case "take":
      return step({ ...action.parts, ...ANEW }, "compute");
    case "want":
      return step({ ...ANEW, wanted: action.words }, "compute");
    case "type":
      return step({ ...state.lent, ...ANEW, sentence: action.sentence, lent: {} }, "compute");
    case "begin":
      return step({ ...state.lent, ...WHOLE, ...ANEW, sentence: action.sentence, lent: {} }, "compute");
    case "lend": {
      const whole = action.parts.sentence === undefined ? null : WHOLE;
      const { parts, lent } = lend<Lendable>(ownParts(state), state.lent, action.parts, whole);
      const { wanted = null } = parts;
      const masks = whole || wanted ? { ...ANEW, wanted } : { alone: null };
      return step({ ...parts, ...masks, lent }, "compute");
    }
    case "word":
      return step({ word: action.word, ...ANEW, lent: own({ word: action.word }) }, "compute");
    case "layer":
      return step({ layer: action.layer, alone: null, lent: own({ layer: action.layer }) }, "draw");
    case "off":
      return step({ off: action.off, alone: null, lent: own({ off: action.off }) }, "compute");
    case "toggle": {
      const off = toggledIn(state.off, action.place);
      return step({ off, alone: scoreLeft({ ...state, off }), lent: own({ off }) }, "compute");
    }
    case "mask": {
      const masked = maskedAfter(state.masked, action.places);
      return step({ masked, wanted: null, ...UNKNOWN }, "compute");
    }
    case "lose":
      return step({ ...ANEW, found: false }, "draw");
    case "show": {
      const { sense, pushes, words, ranking } = action;
      const shown = { sense, pushes, words, word: sense.word, found: true, read: state.masked };
      const parts = ranking ? { ...shown, ...WHOLE, alone: null, ranking, lent: own(WHOLE) } : shown;
      if (!state.wanted) return step(parts, "draw");
      const masked = placesOfWords(state.wanted, pushes);
      return step({ ...parts, wanted: null, masked }, masked.length ? "compute" : "draw");
    }
  }
}

/** The parts of a state that can be lent. */
const ownParts = ({ word, layer, off }: State): Own => ({ word, layer, off });

/** The score without the heads that are off now, where what is shown still counts them; null where that isn't known. */
function scoreLeft(state: State) {
  const left = lifted(state);
  return left.length && !isBehind(state) ? scoreWithout(state.pushes!.layers[shownLayer(state)]!, left) : null;
}

/** The masked places with those of one word, or without them where it has its mask. */
const maskedAfter = (masked: number[], places: number[]) =>
  places.some((place) => masked.includes(place))
    ? masked.filter((place) => !places.includes(place))
    : [...masked, ...places].sort((a, b) => a - b);

/** Where the wanted words stand. */
const placesOfWords = (wanted: string[], pushes: SensePushes | null) =>
  (pushes ? wordsIn(pushes) : [])
    .filter(({ text, kind }) => kind === "word" && wanted.includes(text.toLowerCase()))
    .flatMap(({ places }) => places);
