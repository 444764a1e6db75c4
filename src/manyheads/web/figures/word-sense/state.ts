// All that a <word-sense> knows, as one value; every change of it is a pure function. No DOM.

import { isAmong, toggledIn } from "../../math/heads-off.ts";
import { keep, lend } from "../../math/lent.ts";
import { headPushes, type LayerPushes, type SensePushes } from "../../math/senses.ts";
import { differing } from "../../views/host.ts";
import { scoreWithout, wordsIn, type RankedHead, type Sense } from "./text.ts";

/** What is baked in of a sentence, and of each masking of one of its words, by the places of its tokens. */
export interface Stored extends Sense {
  pushes?: SensePushes;
  masked?: Record<string, { shares: number[]; layers: (LayerPushes | null)[] }>;
}

/** What the encoder reads in a sentence. A ranking is made with all heads on. */
interface Reading {
  sense: Sense;
  pushes: SensePushes | null;
  words: string[];
  ranking?: RankedHead[];
}

export interface State {
  sentence: string;
  word: string; // the one that is read, if the sentence has it
  followed: string; // the one that the encoder follows first: that which was read when this sentence came, or that was chosen since
  words: string[]; // those that the book knows, of the last sentence that had any
  sense: Sense | null; // on the scale
  pushes: SensePushes | null; // what makes it, where that is known
  found: boolean | null; // whether the sentence has a known word; null until it is read
  single: boolean; // one layer is shown, and no tools
  layer: number | null; // whose arcs and arrows are shown, from 1; null: of the one that decides
  arrows: boolean; // whether what each head adds is shown
  ranks: number; // how often the reader had the heads of this sentence ranked
  ranking: RankedHead[]; // the most important first
  off: number[][]; // heads, as [layer, head]
  masked: number[]; // places of tokens that no word may look at
  wanted: string[] | null; // words that are masked wherever they stand, in small letters
  of: ReturnType<typeof args> | null; // what is shown answers to these
  lent: Partial<Own>; // what stood there before a guess, a phrase or a link
  alone: number | null; // the score that is left without the arrow of the head that was turned off last, all else as it was
  pointed: Pointed;
  pulled: number | null; // the head whose arrow is held away from its place
  stored: ReadonlyMap<string, Stored>; // what is baked in, by its sentence
  example: string; // the sentence that is drawn first
  live: boolean; // the encoder has answered: what is baked in serves no more
  stale: boolean; // a model is only offered, and what was chosen waits for it
}

/** The word that the reader points at, by its first token, or the head. */
interface Pointed {
  word: number | null;
  head: number | null;
}

/** What can be lent beside a sentence; the places that are masked are those of a sentence, and go with it. */
type Own = Pick<State, "word" | "layer" | "arrows" | "off">;
type Parts = Partial<Own & Pick<State, "sentence" | "wanted" | "pointed">>;

export type Action =
  | { type: "take" | "lend"; parts: Parts } // from an attribute; by a guess, a phrase or a link
  | { type: "type" | "begin"; sentence: string } // by the reader; "begin" with an example, and all heads on
  | { type: "word"; word: string } // by the reader
  | { type: "layer"; layer: number | null }
  | { type: "arrows"; arrows: boolean } // shown, by the reader
  | { type: "off"; off: number[][] }
  | { type: "toggle"; place: number[] }
  | { type: "mask"; places: number[] } // of one word, or off with its mask
  | { type: "want"; words: string[] } // these masked and no others
  | { type: "rank" }
  | { type: "point"; at: Pointed }
  | { type: "pull"; head: number | null }
  | ({ type: "show" } & Reading)
  | { type: "lose" } // no word of the sentence is known
  | { type: "stale"; stale: boolean };

const NONE: number[] = []; // of the words is masked
const WHOLE = { off: [] as number[][] }; // what begins with an example
const UNKNOWN = { ranks: 0, ranking: [], alone: null }; // of the heads
const NOWHERE: Pointed = { word: null, head: null };
const ANEW = { ...UNKNOWN, masked: NONE, wanted: null, pointed: NOWHERE }; // in another sentence, or of another word

export const startWith = (parts: Partial<State>): State => ({
  sentence: "",
  word: "",
  followed: parts.word ?? "",
  words: [],
  sense: null,
  pushes: null,
  found: null,
  single: typeof parts.layer === "number",
  layer: null,
  arrows: false,
  ...WHOLE,
  ...ANEW,
  of: null,
  lent: {},
  pulled: null,
  stored: new Map(),
  example: "",
  live: false,
  stale: false,
  ...parts,
});

/** What an answer is made of. */
export const args = (state: State) => ({
  sentence: state.sentence,
  followed: state.followed,
  masked: state.masked,
  wanted: state.wanted,
  ranks: state.ranks,
  off: isRanking(state) ? WHOLE.off : state.off,
});

/** Whether the reader waits for a ranking of the heads. */
export const isRanking = ({ ranks, ranking }: State) => ranks > 0 && !ranking.length;

/** Whether what is shown answers to something else than was chosen by now. */
export const isPending = (state: State) => !state.of || differing(state.of, args(state)).length > 0;

/** Whether the sentence is one that nothing is baked in of. */
export const isOther = ({ sentence, example, stored }: State) => sentence !== example && !stored.has(sentence);

/** The layer whose arrows are shown, from 0. */
export const shownLayer = ({ layer, sense, pushes }: State) =>
  Math.min(Math.max((layer ?? sense?.layer ?? 1) - 1, 0), (pushes?.layers.length ?? 1) - 1);

/** Whether what is shown was read with other words masked. */
export const isBehind = ({ masked, of }: State) => String(masked) !== String(of?.masked ?? NONE);

/** Heads of the shown layer that are off, though what is shown was read with them on. */
export function lifted(state: State) {
  const layer = shownLayer(state);
  const pushes = state.pushes?.layers[layer];
  return pushes
    ? headPushes(pushes).flatMap((push, head) => (push !== 0 && isAmong(state.off, [layer, head]) ? [head] : []))
    : [];
}

export const reduce = (state: State, action: Action): State => withStored(change(state, action));

function change(state: State, action: Action): State {
  const own = (parts: Partial<Own>) => keep<Partial<Own>>(ownParts(state), state.lent, parts); // what is lent still, once the reader has set these
  switch (action.type) {
    case "take":
      return taken(state, action.parts);
    case "lend": {
      const { off, pointed, ...parts } = action.parts;
      const first = Object.keys(parts).length ? withStored(lendParts(state, parts)) : state; // what is baked in has all heads on
      const heads = { ...(off && { off }), ...opened(action.parts) };
      const after = Object.keys(heads).length ? lendParts(first, heads) : first;
      return pointed ? { ...after, pointed } : after;
    }
    case "type":
      return begun({ ...state, ...state.lent, sentence: action.sentence, lent: {} });
    case "begin":
      return begun({ ...state, ...state.lent, ...WHOLE, sentence: action.sentence, lent: {} });
    case "word":
      return begun({ ...state, word: action.word, lent: own({ word: action.word }) });
    case "want":
      return { ...begun(state), wanted: action.words };
    case "layer":
      return { ...state, layer: action.layer, alone: null, lent: own({ layer: action.layer }) };
    case "arrows":
      return { ...state, arrows: action.arrows, lent: own({ arrows: action.arrows }) };
    case "off":
      return turned(state, action.off, null);
    case "toggle": {
      const off = toggledIn(state.off, action.place);
      return turned(state, off, scoreLeft({ ...state, off }));
    }
    case "mask":
      return { ...state, ...UNKNOWN, masked: maskedAfter(state.masked, action.places), wanted: null };
    case "rank":
      return { ...(state.ranking.length ? turned(state, WHOLE.off, null) : state), ranks: state.ranks + 1 };
    case "point":
      return { ...state, pointed: action.at };
    case "pull":
      return { ...state, pulled: action.head };
    case "lose":
      return { ...state, ...UNKNOWN, masked: NONE, found: false };
    case "show":
      return { ...shown(state, action), live: true };
    case "stale":
      return { ...state, stale: action.stale };
  }
}

/** Another sentence is read, or another word: what was found out about the heads no longer holds. */
const begun = (state: State): State => ({ ...state, ...ANEW, followed: state.word });

/** Where a phrase, a link or an attribute turns heads off or points at one, it's to be seen. */
const opened = ({ off, pointed }: Parts) => (off?.length || pointed ? { arrows: true } : {});

function taken(state: State, { wanted, pointed, ...given }: Parts) {
  const { layer, arrows, off, ...parts } = { ...opened({ pointed, ...given }), ...given };
  const actions: Action[] = [
    ...(layer === undefined ? [] : [{ type: "layer" as const, layer }]),
    ...(arrows === undefined ? [] : [{ type: "arrows" as const, arrows }]),
    ...(wanted ? [{ type: "want" as const, words: wanted }] : []),
    ...(off ? [{ type: "off" as const, off }] : []),
    ...(pointed ? [{ type: "point" as const, at: pointed }] : []),
  ];
  return actions.reduce(change, Object.keys(parts).length ? begun({ ...state, ...parts }) : state);
}

function lendParts(state: State, given: Parts): State {
  const whole = given.sentence === undefined ? null : WHOLE;
  const { parts, lent } = lend<Parts>(ownParts(state), state.lent, given, whole);
  const { wanted = null } = parts;
  const after = { ...state, ...parts, lent, alone: null, ranks: ranksMade(state) };
  return whole || wanted ? { ...begun(after), wanted } : { ...after, followed: parts.word ?? state.followed };
}

/** A ranking that isn't made yet isn't waited for once other heads are off. */
const ranksMade = (state: State) => (isRanking(state) ? 0 : state.ranks);

function turned(state: State, off: number[][], alone: number | null): State {
  const lent = keep<Partial<Own>>(ownParts(state), state.lent, { off });
  return { ...state, off, alone, lent, pulled: null, ranks: ranksMade(state) };
}

/** What is read is shown; the words that are wanted are masked where they stand in it. */
function shown(state: State, { sense, pushes, words, ranking }: Reading): State {
  const ranked = ranking ? { ...turned(state, WHOLE.off, null), ranks: state.ranks, ranking } : state;
  const after = { ...ranked, sense, pushes, words, word: sense.word, found: true, stale: false };
  const masked = state.wanted ? placesOfWords(state.wanted, pushes) : state.masked;
  return { ...after, of: args(after), masked: String(masked) === String(state.masked) ? state.masked : masked };
}

/** What is baked in is shown, where that answers to what was chosen, until the encoder has answered. */
function withStored(state: State): State {
  const known = !state.live && isPending(state) ? storedReading(state) : null;
  return known ? withStored(shown(state, known)) : state;
}

/** What is baked in of the words that are masked; null where nothing is. */
function storedReading(state: State): Reading | null {
  const { word, masked, off } = state;
  const baked = state.stored.get(state.sentence);
  if (!baked || word !== baked.word || off.length || isRanking(state)) return null;
  const { pushes = null, shares } = baked;
  const found = masked.length ? baked.masked?.[masked.join(" ")] : { shares, layers: pushes?.layers ?? [] };
  if (!found) return null;
  const sense = { ...senseOf(baked), shares: found.shares };
  return { words: [word], sense, pushes: pushes && { ...pushes, layers: found.layers } };
}

export const senseOf = ({ word, senses, shares, layer }: Sense): Sense => ({ word, senses, shares, layer });

/** The parts of a state that can be lent. */
const ownParts = ({ word, layer, arrows, off }: State): Own => ({ word, layer, arrows, off });

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
