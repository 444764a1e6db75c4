// All that a <head-birth> knows, as one value; every change of it is a pure function. No DOM.

import { inductionScores, previousScores } from "./births.ts";
import { toggledIn } from "../../math/heads-off.ts";
import { keep, lend } from "../../math/lent.ts";
import { guessed, type Guessed } from "../../math/repeats.ts";
import type { AttentionEdge } from "../../math/score-parts.ts";
import type { Expecting } from "../../models/induction.ts";
import type { Report } from "../../models/training.ts";
import { OPEN, press, tell, type Guess } from "../../views/guess.ts";
import { EXPERIMENTS, PLAIN, type Experiment } from "./experiments.ts";

export interface State {
  sentence: string;
  steps: number[]; // of the stored training, at which it was kept
  at: number; // which of them
  guess: Guess; // of what the stored training will show
  shownAt: number; // the step at which it does
  live: boolean; // whether the reader's own training is shown, instead of the stored one
  training: Training | null; // the reader's own
  asked: number; // the experiment whose outcome the reader may predict, from 0; -1 for none
  off: number[][]; // heads, as [layer, head]
  lent: Partial<Own>; // what stood there before a phrase or a link
  map: Expecting | null; // the one that is shown
  all: Guessed[]; // the guesses in it
  chosen: number | null; // the character that the reader points at; else the first that can be known
  pressed: AttentionEdge | null; // of a triangle, to be explained; else where the induction head looks most from the chosen character
}

/** A head as [layer, head], and how much of its attention goes where its name says. */
interface Found {
  place: number[];
  score: number;
}

/** A training in the page, and what it came to so far. */
export interface Training {
  number: number; // how many there were before it
  seed: number;
  experiment: Experiment;
  predicted: string; // what its reader expected of the experiment
  until: number; // the step at which it rests
  runs: boolean;
  step: number;
  pace: number; // milliseconds a step, as far as is known
  points: Point[];
  heads: { previous: Found | null; induction: Found | null }; // the strongest on the reader's text; one that has its name keeps it
  turned: number | null; // the first measured step at which both gave half of their attention where their names say
  unseen: { from: number; to: number } | null; // the steps that it took in a hidden tab, until its reader stops or starts it
}

/** The losses of the last steps, and the scores of the strongest heads on the reader's text, where it repeats. */
export interface Point {
  step: number;
  first: number;
  second: number;
  previous: number | null;
  induction: number | null;
}

/** What can be lent beside a text. */
type Own = Pick<State, "at" | "live" | "off">;
export type Lendable = Partial<Pick<State, "sentence" | "off">> & { step?: number };

export type Action =
  | { type: "take"; parts: Partial<Pick<State, "sentence" | "off">> }
  | { type: "type" | "begin"; sentence: string } // by the reader; "begin" with an example, and all heads on
  | { type: "lend"; parts: Lendable } // by a phrase or a link
  | { type: "step"; at: number }
  | { type: "next" } // from the last step to the first
  | { type: "guess"; pressed: number | null } // and is to be shown
  | { type: "toggle"; head: number[] }
  | { type: "ask"; place: number; pressed?: State["pressed"] }
  | { type: "show"; map: Expecting }
  | { type: "train"; until?: number } // starts, or goes on
  | { type: "pause" }
  | { type: "reset"; seed?: number; experiment?: Experiment; predicted?: string; runs?: boolean }
  | { type: "stored" } // shows the stored training again
  | { type: "consider"; experiment: number } // before it's run
  | { type: "report"; number: number; report: Pick<Report, "step" | "loss" | "pace">; hidden?: boolean } // whether its tab is
  | { type: "seen" }; // its tab, again

/**
 * What has to be done after a change: compute, draw the map, say what one of its characters rests on, show what may be predicted, or start and stop the training as the state says.
 */
export interface Step {
  state: State;
  needs: "compute" | "draw" | "ask" | "reveal" | "train" | "nothing";
}

const HALF = 0.5; // of its attention where its name says: from there on, a head has the name
const WHOLE = { off: [] as number[][] }; // what begins with an example
const SEEDS = 10; // that were tried for what the experiments say

export const startWith = (parts: Partial<State>, steps: number[]): State => ({
  sentence: "",
  at: 0,
  guess: OPEN,
  shownAt: Infinity,
  live: false,
  training: null,
  asked: -1,
  off: [],
  lent: {},
  map: null,
  all: [],
  chosen: null,
  pressed: null,
  ...parts,
  steps,
});

const newTraining = (
  number: number,
  seed: number,
  experiment: Experiment,
  predicted: string,
  runs: boolean,
): Training => ({
  number,
  seed,
  experiment,
  predicted,
  until: experiment.until,
  runs,
  step: 0,
  pace: 0,
  points: [],
  heads: { previous: null, induction: null },
  turned: null,
  unseen: null,
});

export function reduce(state: State, action: Action): Step {
  const { state: after, needs } = change(state, action);
  const isShown = !after.live && after.steps[after.at] >= after.shownAt;
  return { state: isShown ? { ...after, guess: tell(after.guess) } : after, needs };
}

function change(state: State, action: Action): Step {
  const { training } = state;
  const step = (parts: Partial<State>, needs: Step["needs"]): Step => ({ state: { ...state, ...parts }, needs });
  const own = (parts: Partial<Own>) => keep<Partial<Own>>(ownParts(state), state.lent, parts); // what is lent still, once the reader has set these
  switch (action.type) {
    case "take":
      return step({ ...action.parts, ...ANEW }, "compute");
    case "type":
      return step({ ...state.lent, ...ANEW, sentence: action.sentence, lent: {} }, "compute");
    case "begin":
      return step({ ...state.lent, ...WHOLE, ...ANEW, sentence: action.sentence, lent: {} }, "compute");
    case "lend":
      return lendParts(state, action.parts);
    case "step":
      return step({ at: action.at, lent: own({ at: action.at }) }, "compute");
    case "next":
      return change(state, { type: "step", at: (state.at + 1) % state.steps.length });
    case "guess":
      return change({ ...state, guess: press(state.guess, action.pressed) }, { type: "step", at: 0 });
    case "toggle": {
      const off = toggledIn(state.off, action.head);
      return step({ off, lent: own({ off }) }, "compute");
    }
    case "ask":
      return step({ chosen: action.place, pressed: action.pressed ?? null }, "ask");
    case "show":
      return { state: shown(state, action.map), needs: "draw" };
    case "stored":
      return step({ ...stored(state), off: [], lent: {}, asked: -1 }, "train");
    case "consider":
      return step({ asked: action.experiment === state.asked ? -1 : action.experiment }, "reveal");
    case "pause":
      return step({ training: training && { ...training, runs: false, unseen: null } }, "train");
    case "train":
      return step(
        { live: true, off: state.live ? state.off : [], lent: {}, training: goOn(training, action.until) },
        "train",
      );
    case "reset":
      return step({ live: true, off: [], lent: {}, asked: -1, training: startAnew(training, action) }, "train");
    case "report": {
      if (!training || action.number !== training.number) return { state, needs: "nothing" };
      const { report, hidden = false } = action;
      return step({ training: reported(training, report, hidden) }, state.live && !hidden ? "compute" : "nothing");
    }
    case "seen":
      return { state, needs: state.live && training && isUnseen(training) ? "compute" : "nothing" };
  }
}

const ANEW = { chosen: null, pressed: null }; // in another text

/** The parts of a state that can be lent. */
const ownParts = ({ at, live, off }: State): Own => ({ at, live, off });

/** What a phrase or a link sets. A step is one of the stored training's: the last before it if it wasn't kept. */
function lendParts(state: State, { step, ...parts }: Lendable): Step {
  const at = state.steps.findLastIndex((kept) => kept <= (step ?? 0));
  const given: Partial<State> = step === undefined ? parts : { ...parts, at: Math.max(at, 0), live: false };
  const whole = parts.sentence === undefined ? null : WHOLE;
  const { parts: all, lent } = lend<Partial<State>>(ownParts(state), state.lent, given, whole);
  const after = { ...state, ...ANEW, ...all, lent };
  return state.live && !after.live
    ? { state: { ...after, ...stored(state) }, needs: "train" }
    : { state: after, needs: "compute" };
}

/** The stored training, while the reader's own rests. */
const stored = ({ training }: State) => ({ live: false, training: training && { ...training, runs: false } });

/** A training that goes on, or a first one. Who goes on after the end sets none. */
function goOn(training: Training | null, wanted?: number): Training {
  const going = training ?? newTraining(0, 0, PLAIN, "", true);
  const until = wanted ?? (going.step < going.until ? going.until : Infinity);
  return { ...going, until, runs: going.step < until, unseen: null };
}

/** Another training, of the same experiment unless another is wanted. */
function startAnew(training: Training | null, action: Extract<Action, { type: "reset" }>) {
  const { experiment = training?.experiment ?? PLAIN, predicted = "", runs = false } = action;
  const seed = action.seed ?? seedOf(training, experiment);
  return newTraining((training?.number ?? -1) + 1, seed, experiment, predicted, runs);
}

/** The seed that an experiment starts with: another each time where it's about seeds, else the same as long as it's repeated. */
function seedOf(training: Training | null, experiment: Experiment) {
  if (experiment === EXPERIMENTS[0]) return ((training?.seed ?? 0) + 1) % SEEDS;
  return experiment === training?.experiment ? training.seed : 0;
}

function reported(
  training: Training,
  { step, loss, pace }: Pick<Report, "step" | "loss" | "pace">,
  hidden: boolean,
): Training {
  const point = { step, ...loss, previous: null, induction: null };
  const begins = step === 0 ? { points: [], turned: null } : { points: [...training.points, point] };
  const unseen =
    hidden && step ? { from: isUnseen(training) ? training.unseen!.from : training.step, to: step } : training.unseen;
  return { ...training, ...begins, step, pace, unseen, runs: training.runs && step < training.until };
}

/** Whether its last step was taken in a hidden tab. */
const isUnseen = ({ step, unseen }: Training) => unseen?.to === step;

/** Where all heads are on, a map also says how far they have come. */
function shown(state: State, map: Expecting): State {
  const { live, training, off } = state;
  const now = { ...state, map, all: guessed(map.queryTokens, map.guesses) };
  if (!live || !training || off.length) return now;
  const found = (scores: number[] | null, layer: number, before: Found | null): Found | null => {
    if (!scores) return before;
    const held = before && training.turned !== null ? before.place[1] : -1;
    const head = scores[held] >= HALF ? held : scores.indexOf(Math.max(...scores));
    return { place: [layer, head], score: scores[head] };
  };
  const [back, on] = [previousScores(map), inductionScores(map)];
  const heads = {
    previous: found(back, 0, training.heads.previous),
    induction: found(on, map.shape[0] - 1, training.heads.induction),
  };
  const [previous, induction] = [back && heads.previous!.score, on && heads.induction!.score];
  const points = training.points.map((point) =>
    point.step === training.step ? { ...point, previous, induction } : point,
  );
  const both = (previous ?? 0) >= HALF && (induction ?? 0) >= HALF;
  const turned = training.turned ?? (both && training.step ? training.step : null);
  return { ...now, training: { ...training, points, turned, heads } };
}

/** The heads that have a name: none before the turn, and none that looks elsewhere. */
export function namedHeads({ heads, turned }: Training) {
  const named = (found: Found | null) => (turned !== null && found && found.score >= HALF ? found.place : null);
  return { previous: named(heads.previous), induction: named(heads.induction) };
}

/** Whether a training has come to the step at which its experiment can be told. */
export const isTold = ({ experiment, step }: Training) => step >= experiment.until;

/** The character that is explained, among those shown; 0 where there is none to guess. */
export function askedOf({ all, chosen }: State) {
  const first = all.findIndex(({ known }) => known) + 1;
  return Math.min(chosen ?? (first || all.length), all.length);
}

/** That a cell of a head, [layer, head], was pressed. */
export const askedFor = ([layer, head]: number[], cell: Pick<AttentionEdge, "query" | "key">): Action => ({
  type: "ask",
  place: cell.query + 1,
  pressed: { layer, head, ...cell },
});
