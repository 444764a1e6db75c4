// All that a <word-points> knows, as one value; every change of it is a pure function. No DOM.

import { keep, lend } from "../../math/lent.ts";
import { pointsOf, type WordPoint, type WrittenPoints } from "../../math/points.ts";
import { differing } from "../../views/host.ts";

/** What models/points/page_data.py bakes in. */
export interface Baked {
  landmarks: WrittenPoints;
  directions: number[][];
  poles: string[];
  sentences: Record<string, WrittenPoints>;
}

export interface State {
  sentence: string;
  other: string; // the sentence beside it
  word: string; // the one that is followed
  layer: number; // 0 is the embeddings
  landmarks: WordPoint[];
  directions: number[][]; // of the plane
  poles: string[]; // what lies to the left and to the right
  shown: Shown; // the words of both sentences
  of: Asked | null; // what is shown answers to these
  stored: ReadonlyMap<string, WordPoint[]>; // what is baked in, by its sentence
  live: boolean; // the encoder has answered: what is baked in serves no more
  stale: boolean; // a model is only offered, and what was typed waits for it
  lent: Partial<Own>; // what stood there before a phrase or a link
}

type Shown = [WordPoint[], WordPoint[]];
type Asked = ReturnType<typeof args>;
type Own = Pick<State, "other" | "word" | "layer">;
type Parts = Partial<Own & Pick<State, "sentence">>;

export type Action =
  | { type: "take" | "lend"; parts: Parts } // from an attribute; by a phrase or a link
  | { type: "type"; part: "sentence" | "other"; text: string } // by the reader
  | { type: "word"; word: string }
  | { type: "layer"; layer: number }
  | { type: "show"; shown: Shown }
  | { type: "stale"; stale: boolean };

export function start(_: unknown, baked: Baked | null, written: Parts): State | null {
  if (!baked) return null;
  const { landmarks, directions, poles, sentences } = baked;
  const state: State = {
    sentence: "",
    other: "",
    word: "",
    layer: 0,
    landmarks: pointsOf(landmarks),
    directions,
    poles,
    shown: [[], []],
    of: null,
    stored: new Map(Object.entries(sentences).map(([sentence, points]) => [sentence, pointsOf(points)])),
    live: false,
    stale: false,
    lent: {},
  };
  return reduce(state, { type: "take", parts: written });
}

/** What an answer is made of. */
export const args = ({ sentence, other }: State) => ({ sentence, other });

/** Whether what is shown answers to other sentences than those that stand there. */
export const isPending = (state: State) => !state.of || differing(state.of, args(state)).length > 0;

/** The last layer. */
export const lastLayer = ({ landmarks }: State) => landmarks[0].places.length - 1;

export function reduce(state: State, action: Action): State {
  const after = change(state, action);
  const stored = !after.live && isPending(after) ? storedOf(after) : null;
  return stored ? { ...after, shown: stored, of: args(after) } : after;
}

function change(state: State, action: Action): State {
  const chosen = (parts: Partial<Own>) => {
    const lent = keep<object>(ownParts(state), state.lent, parts); // what is lent still, once the reader has set these
    return { ...state, ...parts, lent };
  };
  switch (action.type) {
    case "take":
      return withParts(state, action.parts);
    case "lend": {
      const whole = action.parts.sentence === undefined ? null : {};
      const { parts, lent } = lend<Parts>(ownParts(state), state.lent, action.parts, whole);
      return { ...withParts(state, parts), lent };
    }
    case "type":
      return { ...state, ...state.lent, [action.part]: action.text, lent: {} };
    case "word":
      return chosen({ word: action.word });
    case "layer":
      return chosen({ layer: inReach(state, action.layer) });
    case "show":
      return { ...state, shown: action.shown, of: args(state), live: true, stale: false };
    case "stale":
      return { ...state, stale: action.stale };
  }
}

const withParts = (state: State, { layer = state.layer, ...parts }: Parts): State => ({
  ...state,
  ...parts,
  layer: inReach(state, layer),
});

const inReach = (state: State, layer: number) => Math.min(Math.max(Math.round(layer), 0), lastLayer(state));

const ownParts = ({ other, word, layer }: State): Own => ({ other, word, layer });

/** What is baked in of both sentences; null where nothing is. */
function storedOf({ sentence, other, stored }: State): Shown | null {
  const words = stored.get(sentence);
  const beside = other ? stored.get(other) : [];
  return words && beside ? [words, beside] : null;
}

/** A word that is followed: of which of the sentences it is, or null for a landmark. */
export interface Followed {
  of: 0 | 1 | null;
  point: WordPoint;
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
  const found = ([...state.shown, state.landmarks] as WordPoint[][]).map((points) =>
    points.find(({ text }) => text === word),
  );
  return found.flatMap((point, at) => (point ? [{ of: at < 2 ? (at as 0 | 1) : null, point }] : []));
}

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
    : `${nearTitle(state)}: ${followed(state)
        .map(({ of, point }, at, { length }) => {
          const where = of === null ? "alone" : length > 1 ? WHERE[of] : "";
          return [`“${point.text}”`, where, "to", nearText(state, { of, point })].filter(Boolean).join(" ");
        })
        .join("; ")}.`;
