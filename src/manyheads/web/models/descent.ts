// What <one-step> asks for: the loss of one batch along one weight of the small decoder, and steps in which all weights go down their
// slopes. The model and the batch are those that a training in the page begins with. Twin of models/induction/descent.py. No DOM.

import type { Layer } from "../math/attention.ts";
import { linearBackward } from "../math/backward.ts";
import { Learner, type Config } from "./learner.ts";

const LAST = "next.weight"; // the matrix that the weight stands in: all layers below it stay as they are, so a curve takes no time
const NUDGE = 0.01; // up, and down

/** Where a weight stands: the loss there, and its slope, by the way back and by two nudges. */
export interface Point {
  weight: number;
  loss: number;
  slope: number;
  nudged: number;
}

/** How long a step is, and what its reader turned the weight to before it; null where they left it. */
export interface Step {
  rate: number;
  from: number | null;
}

export interface Asked {
  config: Config;
  seed: number;
  at: number; // the weight's place in its matrix
  stops: number[]; // where its reader can turn it
  tensors: Layer | null; // of the model; null for those that a training begins with
  steps: Step[];
}

export interface Descended {
  tensors: Layer;
  losses: number[]; // after each step
  lost: boolean; // whether the last one's is no number any more, so that no step followed
  here: Point;
  stops: Point[];
}

/** Takes steps, and looks around from where they lead. */
export function descend({ config, seed, at, stops, tensors, steps }: Asked): Descended {
  const learner = new Learner(config, seed);
  const batch = learner.draw();
  if (tensors) learner.tensors = tensors; // the worker's own copy
  const weights = learner.tensors[LAST].values;
  const losses: number[] = [];
  let lost = false;
  for (const { rate, from } of steps) {
    if (lost) break;
    if (from !== null) weights[at] = from;
    stepDown(learner.tensors, learner.gradientsOf(batch), rate);
    losses.push(learner.read(learner.forward(batch).out, batch).losses.all);
    lost = !Number.isFinite(losses[losses.length - 1]);
  }

  const { out } = learner.forward(batch);
  const readAt = (weight: number) => {
    weights[at] = weight;
    return learner.read(out, batch);
  };
  const pointAt = (weight: number): Point => {
    const [above, below] = [weight + NUDGE, weight - NUDGE].map((nudged) => readAt(nudged).losses.all);
    const { losses: found, dScores } = readAt(weight);
    const { dW } = linearBackward(dScores, out, learner.tensors[LAST]);
    return { weight, loss: found.all, slope: dW.values[at], nudged: (above - below) / (2 * NUDGE) };
  };
  const here = pointAt(weights[at]);
  const around = stops.map(pointAt);
  weights[at] = here.weight;
  return { tensors: learner.tensors, losses, lost, here, stops: around };
}

/** Takes every weight down its slope, by so much times the slope. */
function stepDown(tensors: Layer, slopes: Layer, rate: number) {
  for (const [name, { values }] of Object.entries(tensors))
    for (let i = 0; i < values.length; i++) values[i] -= rate * slopes[name].values[i];
}
