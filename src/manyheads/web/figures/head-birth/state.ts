// All that a <head-birth> knows, as one value; every change of it is a pure function. No DOM.

import { inductionScores, previousScores } from "./births.ts";
import { toggledIn } from "../../math/heads-off.ts";
import { guessed, type Guessed } from "../../math/repeats.ts";
import type { AttentionEdge } from "../../math/score-parts.ts";
import type { Expecting } from "../../models/induction.ts";
import type { Report } from "../../models/training.ts";
import { EXPERIMENTS, PLAIN, type Experiment } from "./experiments.ts";

export interface State {
  sentence: string;
  steps: number[]; // of the stored training, at which it was kept
  at: number; // which of them
  live: boolean; // whether the reader's own training is shown, instead of the stored one
  training: Training | null; // the reader's own
  asked: number; // the experiment whose outcome the reader may predict, from 0; -1 for none
  off: number[][]; // heads, as [layer, head]
  map: Expecting | null; // the one that is shown
  all: Guessed[]; // the guesses in it
  chosen: number | null; // the character that the reader points at; else the first that can be known
  pressed: AttentionEdge | null; // of a triangle, to be explained; else where the induction head looks most from the chosen character
  predicted: string; // which head appears first in the stored training, as the reader predicted it
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

export type Action =
  | { type: "take"; parts: Partial<Pick<State, "sentence">> }
  | { type: "step"; at: number }
  | { type: "next" } // from the last step to the first
  | { type: "toggle"; head: number[] }
  | { type: "ask"; place: number; pressed?: State["pressed"] }
  | { type: "predict"; head: string }
  | { type: "show"; map: Expecting }
  | { type: "train"; until?: number } // starts, or goes on
  | { type: "pause" }
  | { type: "reset"; seed?: number; experiment?: Experiment; predicted?: string; runs?: boolean }
  | { type: "stored" } // shows the stored training again
  | { type: "consider"; experiment: number } // before it's run
  | { type: "report"; number: number; report: Pick<Report, "step" | "loss" | "pace">; hidden?: boolean } // whether its tab is
  | { type: "seen" }; // its tab, again

/**
 * What has to be done after a change: compute, draw the map, say what one of its characters rests on, show what was predicted or
 * may be, or start and stop the training as the state says.
 */
export interface Step {
  state: State;
  needs: "compute" | "draw" | "ask" | "reveal" | "train" | "nothing";
}

const HALF = 0.5; // of its attention where its name says: from there on, a head has the name
const SEEDS = 10; // that were tried for what the experiments say

export const startWith = (parts: Partial<State>, steps: number[]): State => ({
  sentence: "",
  at: 0,
  live: false,
  training: null,
  asked: -1,
  off: [],
  map: null,
  all: [],
  chosen: null,
  pressed: null,
  predicted: "",
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
  const { training } = state;
  switch (action.type) {
    case "take":
      return { state: { ...state, ...action.parts, chosen: null, pressed: null }, needs: "compute" };
    case "step":
      return { state: { ...state, at: action.at }, needs: "compute" };
    case "next":
      return { state: { ...state, at: (state.at + 1) % state.steps.length }, needs: "compute" };
    case "toggle":
      return { state: { ...state, off: toggledIn(state.off, action.head) }, needs: "compute" };
    case "ask":
      return { state: { ...state, chosen: action.place, pressed: action.pressed ?? null }, needs: "ask" };
    case "predict":
      return { state: { ...state, predicted: action.head }, needs: "reveal" };
    case "show":
      return { state: shown(state, action.map), needs: "draw" };
    case "stored":
      return {
        state: { ...state, live: false, off: [], asked: -1, training: training && { ...training, runs: false } },
        needs: "train",
      };
    case "consider":
      return {
        state: { ...state, asked: action.experiment === state.asked ? -1 : action.experiment },
        needs: "reveal",
      };
    case "pause":
      return { state: { ...state, training: training && { ...training, runs: false, unseen: null } }, needs: "train" };
    case "train": {
      const { live, off } = state;
      const going = training ?? newTraining(0, 0, PLAIN, "", true);
      const until = action.until ?? (going.step < going.until ? going.until : Infinity); // who goes on after the end sets none
      return {
        state: {
          ...state,
          live: true,
          off: live ? off : [],
          training: { ...going, until, runs: going.step < until, unseen: null },
        },
        needs: "train",
      };
    }
    case "reset": {
      const { experiment = training?.experiment ?? PLAIN, predicted = "", runs = false } = action;
      const seed =
        action.seed ??
        (experiment === EXPERIMENTS[0]
          ? ((training?.seed ?? 0) + 1) % SEEDS
          : experiment === training?.experiment
            ? training.seed
            : 0);
      const begun = newTraining((training?.number ?? -1) + 1, seed, experiment, predicted, runs);
      return { state: { ...state, live: true, off: [], asked: -1, training: begun }, needs: "train" };
    }
    case "report": {
      if (!training || action.number !== training.number) return { state, needs: "nothing" };
      const { report, hidden = false } = action;
      return {
        state: { ...state, training: reported(training, report, hidden) },
        needs: state.live && !hidden ? "compute" : "nothing",
      };
    }
    case "seen":
      return { state, needs: state.live && training && isUnseen(training) ? "compute" : "nothing" };
  }
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
