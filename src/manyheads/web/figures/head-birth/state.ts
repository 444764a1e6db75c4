// All that a <head-birth> knows, as one value; every change of it is a pure function. No DOM.

import type { HeadMask } from "../../math/attention-map.ts";
import { inductionScores, previousScores } from "./births.ts";
import { toggledIn } from "../../math/heads-off.ts";
import { keep, lend } from "../../math/lent.ts";
import { guessed, type Guessed } from "../../math/repeats.ts";
import type { AttentionEdge } from "../../math/score-parts.ts";
import type { Expecting, InductionModel } from "../../models/induction.ts";
import type { Report } from "../../models/training.ts";
import { differing } from "../../views/host.ts";
import type { Measured } from "./charts.ts";
import { EXPERIMENTS, PLAIN, type Experiment } from "./experiments.ts";

/** What was measured in the stored training, and which heads it made, as [layer, head]. */
export interface StoredTraining {
  heads: { previous: number[]; induction: number[] };
  history: Measured[];
}

export interface State {
  sentence: string;
  stored: StoredTraining;
  steps: number[]; // of the stored training, at which it was kept
  at: number; // which of them
  plays: boolean; // whether that's the last step of a film
  live: boolean; // whether the reader's own training is shown, instead of the stored one
  training: Training | null; // the reader's own
  considered: number; // the experiment whose outcome the reader may predict, from 0; -1 for none
  off: number[][]; // heads, as [layer, head]
  lent: Partial<Own>; // what stood there before a phrase or a link
  map: Expecting | null; // the one that is shown
  of: Args | null; // what it answers to
  hidden: boolean; // whether nobody sees the tab
  all: Guessed[]; // the guesses in it
  chosen: number | null; // the character that the reader points at; else the first that can be known
  pressed: AttentionEdge | null; // of a triangle, to be explained; else where the induction head looks most from the chosen character
}

/** What a map, and what is told of it, is made of; of a training where that's shown. */
interface Args extends Pick<State, "sentence" | "at" | "live" | "off"> {
  number?: number;
  step?: number;
  until?: number;
  runs?: boolean;
}

/** A model that a training has made, and which of its heads take part by now. */
export interface Trained {
  model: InductionModel;
  headMask: HeadMask;
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
  ended: boolean; // nothing learns anymore: who goes on begins anew
  trained: Trained | null; // at the last step
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
type Parts = Partial<Pick<State, "sentence" | "off">> & { step?: number };

export type Action =
  | { type: "take" | "lend"; parts: Parts } // from an attribute; by a phrase or a link
  | { type: "type" | "begin"; sentence: string } // by the reader; "begin" with an example, and all heads on
  | { type: "step"; at: number }
  | { type: "next" } // in a film; from the last step to the first
  | { type: "toggle"; head: number[] }
  | { type: "ask"; place: number; pressed?: State["pressed"] }
  | { type: "show"; map: Expecting }
  | { type: "train"; until?: number } // starts, or goes on
  | { type: "pause" }
  | { type: "end" } // of what learns
  | { type: "reset"; seed?: number; experiment?: Experiment; predicted?: string; runs?: boolean }
  | { type: "stored" } // shows the stored training again
  | { type: "consider"; experiment: number } // before it's run
  | { type: "report"; number: number; report: Pick<Report, "step" | "loss" | "pace">; trained?: Trained }
  | { type: "look"; hidden: boolean }; // at another tab, or at this one again

const HALF = 0.5; // of its attention where its name says: from there on, a head has the name
const WHOLE = { off: [] as number[][] }; // what begins with an example
const SEEDS = 10; // that were tried for what the experiments say

export const startWith = (parts: Partial<State>, steps: number[]): State => ({
  sentence: "",
  stored: { heads: { previous: [], induction: [] }, history: [] },
  at: 0,
  plays: false,
  live: false,
  training: null,
  considered: -1,
  off: [],
  lent: {},
  map: null,
  of: null,
  hidden: false,
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
  ended: false,
  trained: null,
  step: 0,
  pace: 0,
  points: [],
  heads: { previous: null, induction: null },
  turned: null,
  unseen: null,
});

/** What an answer is made of. In a hidden tab, none is asked for. */
export const args = (state: State): Args => (state.hidden && state.of) || argsInSight(state);

function argsInSight({ sentence, at, live, off, training }: State): Args {
  const { number, step, until, runs } = (live && training) || {};
  return { sentence, at, live, off, number, step, until, runs };
}

/** Whether the map answers to something else than was chosen by now. */
export const isPending = (state: State) => !state.of || differing(state.of, args(state)).length > 0;

export function reduce(state: State, action: Action): State {
  const { training } = state;
  const own = (parts: Partial<Own>) => keep<Partial<Own>>(ownParts(state), state.lent, parts); // what is lent still, once the reader has set these
  switch (action.type) {
    case "take": {
      const { step, ...parts } = action.parts;
      if (step === undefined) return { ...state, ...parts, ...ANEW };
      return reduce(state.live ? reduce(state, { type: "stored" }) : state, { type: "step", at: placeOf(state, step) });
    }
    case "type":
      return { ...state, ...state.lent, ...ANEW, sentence: action.sentence, lent: {} };
    case "begin":
      return { ...state, ...state.lent, ...WHOLE, ...ANEW, sentence: action.sentence, lent: {} };
    case "lend":
      return lendParts(state, action.parts);
    case "step":
      return { ...state, at: action.at, plays: false, lent: own({ at: action.at }) };
    case "next":
      return { ...reduce(state, { type: "step", at: (state.at + 1) % state.steps.length }), plays: true };
    case "toggle": {
      const off = toggledIn(state.off, action.head);
      return { ...state, off, lent: own({ off }) };
    }
    case "ask":
      return { ...state, chosen: action.place, pressed: action.pressed ?? null };
    case "show":
      return shown(state, action.map);
    case "stored":
      return { ...state, ...stored(state), off: [], lent: {}, considered: -1 };
    case "consider":
      return { ...state, considered: action.experiment === state.considered ? -1 : action.experiment };
    case "pause":
      return { ...state, plays: false, training: training && { ...training, runs: false, unseen: null } };
    case "end":
      return training ? { ...state, training: { ...training, runs: false, unseen: null, ended: true } } : state;
    case "train": {
      const off = state.live ? state.off : [];
      return { ...state, live: true, plays: false, off, lent: {}, training: goOn(training, action.until) };
    }
    case "reset":
      return {
        ...state,
        live: true,
        plays: false,
        off: [],
        lent: {},
        considered: -1,
        training: startAnew(training, action),
      };
    case "report":
      return training?.number === action.number
        ? { ...state, training: reported(training, action, state.hidden) }
        : state;
    case "look":
      return { ...state, hidden: action.hidden };
  }
}

const ANEW = { chosen: null, pressed: null }; // in another text

/** The parts of a state that can be lent. */
const ownParts = ({ at, live, off }: State): Own => ({ at, live, off });

/** Where a step of the stored training stands: the last before it if it wasn't kept. */
const placeOf = ({ steps }: State, step: number) =>
  Math.max(
    steps.findLastIndex((kept) => kept <= step),
    0,
  );

/** What a phrase or a link sets; a step is one of the stored training's. */
function lendParts(state: State, { step, ...parts }: Parts): State {
  const given: Partial<State> = step === undefined ? parts : { ...parts, at: placeOf(state, step), live: false };
  const whole = parts.sentence === undefined ? null : WHOLE;
  const { parts: all, lent } = lend<Partial<State>>(ownParts(state), state.lent, given, whole);
  const after = { ...state, ...ANEW, ...all, lent, plays: state.plays && step === undefined };
  return state.live && !after.live ? { ...after, ...stored(state) } : after;
}

/** The stored training, while the reader's own rests. */
const stored = ({ training }: State) => ({
  live: false,
  plays: false,
  training: training && { ...training, runs: false },
});

/** A training that goes on, or a first one. Who goes on after the end sets none. */
function goOn(training: Training | null, wanted?: number): Training {
  const going = training ?? newTraining(0, 0, PLAIN, "", true);
  const until = wanted ?? (going.step < going.until ? going.until : Infinity);
  return { ...going, until, runs: going.step < until, ended: false, unseen: null };
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
  { report: { step, loss, pace }, trained }: Extract<Action, { type: "report" }>,
  hidden: boolean,
): Training {
  const point = { step, ...loss, previous: null, induction: null };
  const begins = step === 0 ? { points: [], turned: null } : { points: [...training.points, point] };
  const unseen =
    hidden && step ? { from: isUnseen(training) ? training.unseen!.from : training.step, to: step } : training.unseen;
  const runs = training.runs && step < training.until;
  return { ...training, ...begins, trained: trained ?? null, step, pace, unseen, runs };
}

/** Whether its last step was taken in a hidden tab. */
const isUnseen = ({ step, unseen }: Training) => unseen?.to === step;

/** Where all heads are on, a map also says how far they have come. */
function shown(state: State, map: Expecting): State {
  const { live, training, off } = state;
  const now = { ...state, map, of: argsInSight(state), all: guessed(map.queryTokens, map.guesses) };
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
export function explainedPlace({ all, chosen }: State) {
  const first = all.findIndex(({ known }) => known) + 1;
  return Math.min(chosen ?? (first || all.length), all.length);
}

/** That a cell of a head, [layer, head], was pressed. */
export const explainCell = ([layer, head]: number[], cell: Pick<AttentionEdge, "query" | "key">): Action => ({
  type: "ask",
  place: cell.query + 1,
  pressed: { layer, head, ...cell },
});
