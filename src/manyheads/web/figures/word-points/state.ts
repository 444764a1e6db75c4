// All that a <word-points> knows, as one value; every change of it is a pure function. No DOM.

import { toggledIn } from "../../math/heads-off.ts";
import { keep, lend } from "../../math/lent.ts";
import { lostOf, pointsOf, type WordPoint, type WrittenPoints } from "../../math/points.ts";
import { percent } from "../../math/text.ts";
import { differing } from "../../views/host.ts";

/** What models/points/page_data.py bakes in. */
export interface Baked {
  landmarks: WrittenPoints;
  directions: number[][];
  poles: string[];
  heads: number;
  readings: (WrittenPoints & Reading)[];
}

/** A sentence that is read, without heads, as [layer, head], and with words that none looks at. */
interface Reading {
  sentence: string;
  off: number[][];
  masked: string[];
}

export interface State {
  sentence: string;
  other: string; // the sentence beside it
  word: string; // the one that is followed
  layer: number; // 0 is the embeddings
  switches: boolean; // whether heads and words can be taken away
  off: number[][]; // heads, as [layer, head] from 0
  masked: string[]; // words that no word looks at
  heads: number; // of a layer
  landmarks: WordPoint[];
  directions: number[][]; // of the plane
  poles: string[]; // what lies to the left and to the right
  shown: Shown; // the words of both sentences
  whole: Shown; // the same with all heads on and no word masked
  of: Asked | null; // what is shown answers to these
  stored: ReadonlyMap<string, WordPoint[]>; // what is baked in, by `nameOf`
  live: boolean; // the encoder has answered: what is baked in serves no more
  stale: boolean; // a model is only offered, and what was typed waits for it
  lent: Partial<Own>; // what stood there before a phrase or a link
}

type Shown = [WordPoint[], WordPoint[]];
type Asked = ReturnType<typeof args>;
type Own = Pick<State, "other" | "word" | "layer" | "switches" | "off" | "masked">;
type Parts = Partial<Own & Pick<State, "sentence">>;

export type Action =
  | { type: "take" | "lend"; parts: Parts } // from an attribute; by a phrase or a link
  | { type: "type"; part: "sentence" | "other"; text: string } // by the reader
  | { type: "word"; word: string }
  | { type: "layer"; layer: number }
  | { type: "toggle"; head: number } // of the layer
  | { type: "mask"; word: string } // or off with its mask
  | { type: "show"; shown: Shown; whole: Shown }
  | { type: "stale"; stale: boolean };

const ALL = { off: [] as number[][], masked: [] as string[] }; // is there

/** A reading by what was asked. */
const nameOf = ({ sentence, off, masked }: Reading) => JSON.stringify([sentence, off, masked]);

export function start(_: unknown, baked: Baked | null, written: Parts): State | null {
  if (!baked) return null;
  const { landmarks, directions, poles, heads, readings } = baked;
  const state: State = {
    sentence: "",
    other: "",
    word: "",
    layer: 0,
    switches: false,
    ...ALL,
    heads,
    landmarks: pointsOf(landmarks),
    directions,
    poles,
    shown: [[], []],
    whole: [[], []],
    of: null,
    stored: new Map(readings.map((reading) => [nameOf(reading), pointsOf(reading)])),
    live: false,
    stale: false,
    lent: {},
  };
  return reduce(state, { type: "take", parts: written });
}

/** What an answer is made of. */
export const args = ({ sentence, other, off, masked }: State) => ({ sentence, other, off, masked });

/** Whether what is shown answers to other sentences than those that stand there. */
export const isPending = (state: State) => !state.of || differing(state.of, args(state)).length > 0;

/** Whether nothing is baked in of one of the sentences. */
export const isOther = (state: State) => !storedOf({ ...state, ...ALL });

/** The last layer. */
export const lastLayer = ({ landmarks }: State) => landmarks[0].places.length - 1;

export function reduce(state: State, action: Action): State {
  const after = change(state, action);
  if (after.live || !isPending(after)) return after;
  const [shown, whole] = [storedOf(after), storedOf({ ...after, ...ALL })];
  return shown && whole ? { ...after, shown, whole, of: args(after) } : after;
}

function change(state: State, action: Action): State {
  const chosen = (parts: Partial<Own>) => {
    const lent = keep<object>(ownParts(state), state.lent, parts); // what is lent still, once the reader has set these
    return { ...state, ...parts, lent };
  };
  switch (action.type) {
    case "take":
      return withParts(state, opened(action.parts));
    case "lend": {
      const whole = action.parts.sentence === undefined ? null : { ...ALL, switches: false };
      const { parts, lent } = lend<Parts>(ownParts(state), state.lent, opened(action.parts), whole);
      return { ...withParts(state, parts), lent };
    }
    case "type":
      return { ...state, ...state.lent, [action.part]: action.text, lent: {} };
    case "word":
      return chosen({ word: action.word });
    case "layer":
      return chosen({ layer: inReach(state, action.layer) });
    case "toggle":
      return state.layer
        ? chosen({ off: toggledIn(state.off, [state.layer - 1, action.head]), switches: true })
        : state;
    case "mask": {
      const left = state.masked.filter((word) => word !== action.word);
      return chosen({ masked: left.length < state.masked.length ? left : [...left, action.word], switches: true });
    }
    case "show":
      return { ...state, shown: action.shown, whole: action.whole, of: args(state), live: true, stale: false };
    case "stale":
      return { ...state, stale: action.stale };
  }
}

const withParts = (state: State, { layer = state.layer, ...parts }: Parts): State => ({
  ...state,
  ...parts,
  layer: inReach(state, layer),
});

/** Where heads are turned off or words masked, their switches are to be seen. */
const opened = (parts: Parts): Parts =>
  parts.off?.length || parts.masked?.length ? { switches: true, ...parts } : parts;

const inReach = (state: State, layer: number) => Math.min(Math.max(Math.round(layer), 0), lastLayer(state));

const ownParts = ({ other, word, layer, switches, off, masked }: State): Own => ({
  other,
  word,
  layer,
  switches,
  off,
  masked,
});

/** What is baked in of both sentences; null where nothing is. */
function storedOf({ sentence, other, stored, off, masked }: State): Shown | null {
  const words = stored.get(nameOf({ sentence, off, masked }));
  const beside = other ? stored.get(nameOf({ sentence: other, off, masked })) : [];
  return words && beside ? [words, beside] : null;
}

/** A word that is followed: of which of the sentences it is, or null for a landmark. */
export interface Followed {
  of: 0 | 1 | null;
  point: WordPoint;
  whole: WordPoint; // with all heads on and no word masked
}

/** The word that is followed; another where it's nowhere: the longest of the first sentence. */
export function followedWord({ word, shown, landmarks }: State) {
  const wanted = word.trim().toLowerCase();
  if ([...shown, landmarks].some((points) => points.some(({ text }) => text === wanted))) return wanted;
  const [first] = [...shown.flat()].sort((one, other) => other.text.length - one.text.length);
  return first?.text ?? landmarks[0].text;
}

/** Wherever that word is: where it first stands in each sentence, and alone. */
export function followed(state: State): Followed[] {
  const word = followedWord(state);
  return ([...state.shown, state.landmarks] as WordPoint[][]).flatMap((points, at) => {
    const place = points.findIndex(({ text }) => text === word);
    if (place < 0) return [];
    const point = points[place];
    return [at < 2 ? { of: at as 0 | 1, point, whole: state.whole[at][place] } : { of: null, point, whole: point }];
  });
}

/** The words of the sentences, each once. */
export const wordsToMask = ({ whole }: State) => [...new Set(whole.flat().map(({ text }) => text))];

/** What is taken away, in words; nothing where all is there. */
function takenText(state: State) {
  const heads = state.off.map(([layer, head]) => `head ${head + 1} of layer ${layer + 1}`);
  const words = state.masked.filter((word) => wordsToMask(state).includes(word)).map((word) => `“${word}”`);
  return [...heads, ...words].join(", ").replace(/, ([^,]*)$/, " and $1");
}

/** How much of its step to this layer the followed word loses with what is taken away, in words; nothing where all is there. */
export function lostText(state: State) {
  const taken = takenText(state);
  if (!taken || isPending(state)) return "";
  const { layer } = state;
  if (!layer) return `Without ${taken}: the embeddings stay as they are.`;
  const parts = followed(state)
    .filter(({ of }) => of !== null)
    .map(({ of, point, whole }, _, { length }) => {
      const [share, onPlane] = [point.lost?.[layer - 1] ?? 0, lostOf(whole.places, point.places)[layer - 1]];
      return [changed(share), length > 1 && WHERE[of!], `(on this plane ${changed(onPlane)})`]
        .filter(Boolean)
        .join(" ");
    });
  const step = `the step of “${followedWord(state)}” to layer ${layer}`;
  return parts.length ? `Without ${taken}, ${step} is ${parts.join(", ")}.` : "";
}

const changed = (share: number) =>
  share > 1 ? "turned round" : `${percent(Math.abs(share))} ${share < 0 ? "longer" : "shorter"}`;

/** All words that may be followed, each once: those of the sentences, then the landmarks. */
export const wordsToFollow = ({ shown, landmarks }: State) => [
  ...new Set([...shown.flat(), ...landmarks].map(({ text }) => text)),
];

export const layerName = (layer: number) => (layer ? `layer ${layer}` : "embeddings");

/** The nearest landmarks of a followed word, in words. */
export const nearText = ({ landmarks, layer }: State, { point }: Followed) =>
  point.near[layer].map((at) => landmarks[at].text).join(", ");

/** What the lists of the nearest are. */
export const nearTitle = ({ layer, directions }: State) =>
  `Nearest landmarks by all ${directions[0].length} numbers, ${layer ? `after layer ${layer}` : "in the embeddings"}`;

const WHERE = ["in the first sentence", "in the second"];

/** Where the followed word is, in words. */
export const summary = (state: State) =>
  isPending(state)
    ? null
    : `${lostText(state)} ${nearTitle(state)}: ${followed(state)
        .map(({ of, ...each }, at, { length }) => {
          const where = of === null ? "alone" : length > 1 ? WHERE[of] : "";
          return [`“${each.point.text}”`, where, "to", nearText(state, { of, ...each })].filter(Boolean).join(" ");
        })
        .join("; ")}.`.trimStart();
