// What a <one-step> knows: a model before its training, one of its weights to turn, and the steps that its reader has taken. No DOM.

import type { Layer } from "../../math/attention.ts";
import type { Descended, Point, Step } from "../../models/descent.ts";

export const RATES = [0.1, 0.3, 1, 3, 10];
const ONE = RATES.indexOf(1);
export const MOST = 60; // steps

/** What the figure is about, as descent.py of Python made it. */
export interface Begins {
  seed: number;
  at: number; // the weight's place in its matrix
  count: number; // how many weights there are
  here: Point;
  stops: Point[]; // where the weight can be turned to
}

/** Where the steps have led so far. */
export interface Seen {
  tensors: Layer | null; // null at the start, where a training begins
  losses: number[]; // at the start, and after each step
  lost: boolean; // whether the last of them is no number any more
  here: Point; // the weight as training left it
  stops: Point[];
}

export interface State {
  dials: string[]; // what its reader can do: turn the weight, take steps, set their rate
  begins: Begins;
  seen: Seen;
  steps: Step[]; // those that were taken; more than are seen while they're computed
  turned: number | null; // the stop that its reader turned the weight to; null where training left it
  rate: number; // its place among the rates
}

export type Action =
  | { type: "turn"; stop: number }
  | { type: "step"; count: number }
  | { type: "rate"; at: number }
  | { type: "restart" }
  | { type: "show"; found: Descended };

const seenFirst = ({ here, stops }: Begins): Seen => ({ tensors: null, losses: [here.loss], lost: false, here, stops });

export function start(element: HTMLElement, begins: Begins): State {
  const dials = (element.getAttribute("dials") ?? "").split(" ");
  return { dials, begins, seen: seenFirst(begins), steps: [], turned: null, rate: ONE };
}

export function reduce(state: State, action: Action): State {
  const { begins, seen, steps, turned, rate } = state;
  switch (action.type) {
    case "turn": // what is still computed is called off
      return { ...state, steps: steps.slice(0, seen.losses.length - 1), turned: action.stop };
    case "step": {
      if (isOver(state)) return state;
      const from = turned === null ? null : seen.stops[turned];
      const next = (_: unknown, at: number): Step => ({ rate: RATES[rate], from: at || !from ? null : from.weight });
      const more = Array.from({ length: Math.min(action.count, MOST - steps.length) }, next);
      const stands = from && { here: from, losses: [...seen.losses.slice(0, -1), from.loss] };
      return { ...state, seen: { ...seen, ...stands }, steps: [...steps, ...more], turned: null };
    }
    case "rate":
      return { ...state, rate: action.at };
    case "restart":
      return { ...state, seen: seenFirst(begins), steps: [], turned: null };
    case "show": {
      const { losses, ...found } = action.found;
      const all = [...seen.losses, ...losses];
      return { ...state, seen: { ...found, losses: all }, steps: found.lost ? steps.slice(0, all.length - 1) : steps };
    }
  }
}

/** The steps that aren't computed yet. */
export const stepsToSee = ({ steps, seen }: State) => steps.slice(seen.losses.length - 1);

/** Whether there is no step to take any more. */
export const isOver = ({ steps, seen }: State) => seen.lost || steps.length >= MOST;

/** Whether nothing has changed since the start. */
export const isFirst = ({ steps, turned }: State) => !steps.length && turned === null;

/** Where the weight stands now. */
export const standing = ({ seen, turned }: State): Point => (turned === null ? seen.here : seen.stops[turned]);

/** How the last step changed the loss: below 0 where it fell; null before one, and where it's lost. */
export function change({ seen: { losses, lost } }: State) {
  const [before, after] = losses.slice(-2);
  return after === undefined || lost ? null : after - before;
}

/** The lowest and the highest loss of a chart: the curve fills it, or where there are steps it stands over 0, with room for what climbs. */
export function rangeOf({ dials, seen: { losses, stops }, begins }: State) {
  const curve = begins.stops.map(({ loss }) => loss);
  if (!dials.includes("step")) return [Math.floor(2 * Math.min(...curve)) / 2, Math.ceil(2 * Math.max(...curve)) / 2];
  const highest = Math.max(...curve, ...[...losses, ...stops.map(({ loss }) => loss)].filter(Number.isFinite));
  return [0, Math.min(Math.ceil(highest), CEILING)];
}

const CEILING = 12; // nats; what is higher runs along the edge
