// What a board knows, as one value: the drawing and the heads that are off, as they are in its map, what undoes what was drawn here, the
// model's answer, and how far a reader has come with what is asked. No DOM.

import type { SeenMap } from "../../doors/leaning.ts";
import { offIn } from "../../math/heads-off.ts";
import { NEW, record, stepped, type History } from "../../math/history.ts";
import { likeliest } from "../../math/maps.ts";
import { readDrawing, readStrokes, SIDE, writeStrokes, type Stroke } from "../../math/strokes.ts";
import type { DrawingMap } from "../../models/drawing.ts";
import { doneWith, GOALS, progressOf } from "./goals.ts";
import { fareIn, headIn, questionOf, verdictOn, type Head } from "./guess.ts";
import { lookAt, type Answer, type Look } from "./look.ts";
import { COLUMNS } from "./paper.ts";

/** A drawing, and what the model makes of it. */
export interface Answered {
  text: string;
  map: DrawingMap;
  answer: Answer;
  look: Look;
  isWhole: boolean; // with all heads on
}

/** What a reader guessed, of which drawing, and what became of it once the model has answered. */
interface Guess {
  patch: number;
  text: string;
  most: number | null; // the patch that the head looks at most
  verdict: string;
}

/** The answer to the drawing that the page brought. */
export type Baked = Pick<Answered, "text" | "isWhole"> & Pick<Answer, "filled">;

export interface State {
  text: string; // the drawing
  off: number; // heads
  query: number;
  baked: Baked | null;
  answered: Answered | null; // last
  before: string | null; // what was on the paper when the pen came down; null while it's up
  points: Stroke; // under the pen
  pen: { at: number[]; down: boolean }; // that of the keyboard, in dots
  history: History<string>;
  whole: Answered | null; // the last drawing that all heads answered
  pointed: number | null; // the query that somebody points at in the map
  considered: number | null; // the patch that a guess may be
  head: Head | null; // of whose patch a guess is wanted
  guess: Guess | null;
  goal: (typeof GOALS)[string] | null;
  progress: string; // towards the goal
  done: boolean;
}

export type Action =
  | { type: "begin" } // the pen comes down
  | { type: "move"; points: Stroke } // what it has drawn since, at every move
  | { type: "draw"; text: string } // the same once a frame, with what was on the paper
  | { type: "change"; text: string; when: number; ready?: boolean } // to what the reader puts on the paper, or what stands ready; the pen is up then
  | { type: "undo" }
  | { type: "pick"; patch: number }
  | { type: "consider"; patch: number }
  | { type: "step"; pen: State["pen"] } // of the keyboard
  | { type: "point"; query: number | null }
  | { type: "take" | "lend"; parts: Record<string, string> } // of the map; from outside; by a guess, a phrase or a link
  | { type: "follow"; map: SeenMap };

/** From attributes; `done` is whether the goal was reached before. */
export function startWith(
  { guess, goal }: Record<"guess" | "goal", string | null>,
  done: boolean,
  baked: Baked | null = null,
): State {
  const wanted = GOALS[goal ?? ""] ?? null;
  return {
    ...{ text: "", off: 0, query: 0, baked, answered: null, before: null, history: NEW, whole: null },
    ...{ points: [], pen: { at: [SIDE / 2, SIDE / 2], down: false } },
    ...{ pointed: null, considered: null, head: headIn(guess), guess: null, goal: wanted },
    progress: wanted && done ? doneWith(wanted) : "",
    done: wanted !== null && done,
  };
}

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "begin":
      return { ...state, before: state.text };
    case "move":
      return { ...state, points: action.points };
    case "draw":
      return { ...state, text: action.text };
    case "change": {
      const before = state.before ?? state.text;
      const { text, when } = action;
      const history = text === before ? state.history : record(state.history, before, ["drawing"], when);
      return { ...state, text, before: null, points: [], history };
    }
    case "undo": {
      const done = stepped(state.history, state.text, true);
      return done ? { ...state, text: done.found, history: done.history } : { ...state, text: withoutLast(state.text) };
    }
    case "pick":
      return judged({
        ...state,
        guess: { patch: action.patch, text: state.text, most: null, verdict: "" },
        considered: null,
      });
    case "consider":
      return { ...state, considered: action.patch };
    case "step":
      return { ...state, pen: action.pen };
    case "point":
      return { ...state, pointed: action.query };
    case "follow":
      return judged(follow(state, action.map));
    default:
      return state; // what the map makes of it follows
  }
}

/** With what is in the map. */
function follow(state: State, seen: SeenMap): State {
  const { sentence: text, query, headMask, attention } = seen;
  const isNew = attention && attention !== state.answered?.map;
  const answered = (isNew && answeredBy(seen, state.baked)) || state.answered;
  const whole = answered?.isWhole ? answered : state.whole;
  return { ...state, text, query, off: offIn(headMask).length, answered, whole };
}

/** An answer: a map that the page brought is that of the drawing it brought. */
function answeredBy({ attention, computedBy, sentence, headMask }: SeenMap, baked: Baked | null): Answered | null {
  const map = attention as DrawingMap;
  const computed = () => ({
    text: sentence,
    filled: Uint8Array.from(map.filled, (chance) => Number(chance > 0.5)),
    isWhole: !offIn(headMask).length,
  });
  const of = computedBy ? computed() : baked;
  if (!of) return null;
  const { text, filled, isWhole } = of;
  const answer = { places: parseInt(likeliest(Object.values(map.predictions)[0])[0]), filled };
  return { text, map, answer, look: lookAt(map.picture.ink ?? readDrawing(text), answer), isWhole };
}

/** The drawing with the stroke under the pen. */
export const withStroke = ({ before, text }: State, points: Stroke) =>
  writeStrokes([...strokesOf(before ?? text), points]);

/** The patch of the drawing that asks; null where another place does. */
export function asking({ pointed, query, answered }: State) {
  const patch = (pointed ?? query) - (answered?.map.picture.queryStart ?? 1);
  return patch >= 0 && patch < COLUMNS ** 2 ? patch : null;
}

/** The same without its last stroke, where it came from elsewhere. */
function withoutLast(text: string) {
  const strokes = strokesOf(text);
  return strokes.length ? writeStrokes(strokes.slice(0, -1)) : text;
}

/** The strokes of a text; none where it holds none. */
export function strokesOf(text: string): Stroke[] {
  try {
    return readStrokes(text);
  } catch {
    return [];
  }
}

/** What the model makes of the drawing that is on the paper. */
export const currentOf = ({ answered, text }: State) => (answered?.text === text ? answered : null);

/** Whether the paper waits for a guess. */
export const isPicking = ({ head, guess }: State) => head !== null && !guess;

/** With what became of a guess, and how far the reader has come; nothing is judged while the pen is down. */
function judged(state: State): State {
  const current = currentOf(state);
  if (!current || state.before !== null) return state;
  const { text, map, look } = current;
  const { head, guess, goal, query, off } = state;
  if (head && guess && !guess.verdict) {
    const fare = fareIn(map, head, query, guess.patch);
    return { ...state, guess: { ...guess, most: fare.most, verdict: verdictOn(fare, head, COLUMNS) } };
  }
  if (!goal || state.done) return state;
  const whole = state.whole?.text === text ? state.whole.look.filled : null;
  const { done, says } = progressOf(goal, { strokes: strokesOf(text).length, look, off, whole });
  return { ...state, progress: says, done };
}

/** The patches of the guess and of what the head looks at, on the drawing that it was made on. */
export function marksOn({ guess, text, considered }: State) {
  const { patch = null, most = null } = guess?.text === text ? guess : {};
  return { guess: patch ?? considered, most };
}

/** What the reader is to do, and how far they've come. */
export function taskOf({ head, guess, goal, progress, done }: State) {
  if (!head) return { task: goal?.task ?? "", progress, done };
  return { task: guess ? "" : questionOf(head), progress: guess?.verdict ?? "", done: false };
}
