// <head-birth sentence="a7kq3xwma7kq3x">: two heads of the small decoder come into being on the reader's own text, checkpoint by
// checkpoint; without the first of them, the second is blind. `step` is one of the stored training's, `off` names heads that are off.
// Then the reader trains one. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { READY } from "../../doors/page-models.ts";
import { readPart, readPlain } from "../../doors/state.ts";
import { maskOf } from "../../math/heads-off.ts";
import { decodeMap } from "../../math/wire.ts";
import type { Expecting, InductionModel } from "../../models/induction.ts";
import type { Host } from "../../views/host.ts";
import { statusOf } from "./panel.ts";
import { args, reduce, startWith, type Action, type State, type StoredTraining } from "./state.ts";
import { progressOf, runTraining } from "./training-runner.ts";
import { summary, view } from "./view.ts";

/** What is baked in: the map of the first checkpoint, and what is known of the training. */
interface Baked extends StoredTraining {
  map: unknown;
  guesses: (string | null)[];
  steps: number[]; // at which it was kept
}

function start(
  element: HTMLElement,
  { map, guesses, steps, heads, history }: Baked,
  { sentence, off = [] }: any,
): State {
  const state = startWith({ sentence, off, stored: { heads, history } }, steps);
  return reduce(state, { type: "show", map: { ...decodeMap(map), guesses, losses: new Float32Array() } });
}

/** The map of the reader's text, by the checkpoint that is shown or by what the reader has trained. */
function compute(models: InductionModel[], { state }: Host<State, Action>) {
  const { sentence, at, live, off, training } = state;
  const { model, headMask } = (live && training?.trained) || { model: models[at], headMask: null };
  const mask = maskOf(off, model.numLayers, model.numHeads);
  const both = headMask && mask?.map((row, layer) => row.map((on, head) => on && headMask[layer][head]));
  return model.attend(sentence, both ?? headMask ?? mask);
}

/** Listens to whether its tab is seen, and lets what learns go with the figure. */
function listen(host: Host<State, Action>, leaves: AbortSignal) {
  const look = () => host.dispatch({ type: "look", hidden: document.hidden });
  if (document.hidden !== host.state.hidden) look();
  document.addEventListener("visibilitychange", look, { signal: leaves });
  const leave = () => host.root.isConnected || host.dispatch({ type: "end" }); // it may only be moved
  leaves.addEventListener("abort", () => queueMicrotask(leave));
}

defineFigure<State, Action, InductionModel & { broken?: boolean }, Expecting>("head-birth", {
  start,
  reduce,
  view,
  summary,
  args,
  events: ({ map }) => ({ attention: map }),
  effect: runTraining,
  listen,
  attributes: ["sentence", "step", "off"],
  read: (name, text) => (name === "off" ? readPart(name, text) : readPlain(name, text, ["step"])),
  properties: {
    sentence: ({ sentence }) => sentence,
    attention: ({ map }) => map, // the one that is shown, with the guesses
    training: progressOf,
  },
  methods: {
    begin: ({ act }, sentence: string) => act({ type: "begin", sentence }), // with an example: all heads are on
    train: (host, until?: number) => host.dispatch({ type: "train", until }), // up to a step if one is given; goes on where it was paused
    pause: (host) => host.dispatch({ type: "pause" }),
    reset: (host, seed?: number) => host.dispatch({ type: "reset", seed }), // from the random numbers of a seed; waits for `train()`
  },
  styles: ["head-birth.css"],
  late: true,
  work: {
    models: ({ state: { steps } }) =>
      steps.map((step, at) => (at === steps.length - 1 ? "induction" : `induction/step-${step}`)),
    failure: "The text could not be read",
    compute,
    answer: (map) => ({ type: "show", map }),
    tells: ({ state: { live, training } }, { notes = [] }) =>
      [live && training ? statusOf(training) : READY, ...notes].join(" "),
  },
});
