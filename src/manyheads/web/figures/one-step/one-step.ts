// <one-step dials="weight step rate">: what a step of training is. A weight of the untrained small decoder to turn, and how the loss of one
// batch changes with it; then steps of all weights down their slopes. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { trainingScript } from "../../doors/page-models.ts";
import type { Descended } from "../../models/descent.ts";
import type { Descent } from "../../models/training.ts";
import { reduce, standing, start, stepsToSee, type Action, type State } from "./state.ts";
import { summary, view } from "./view.ts";

/** How far it has come: its step, and where the weight stands. */
const progressOf = (state: State) => {
  const { weight, loss, slope } = standing(state);
  return { step: state.seen.losses.length - 1, weight, loss, slope };
};

defineFigure<State, Action, Descent, Descended>("one-step", {
  start,
  reduce,
  view,
  summary,
  args: ({ steps }) => ({ steps }),
  events: (state) => ({ step: progressOf(state) }),
  properties: { training: progressOf },
  styles: ["one-step.css"],
  late: true,
  work: {
    models: ({ state }) => (stepsToSee(state).length ? ["induction"] : []), // what a weight's turn shows is baked in
    load: async () => (await trainingScript()).descentOfPage(),
    notLoaded: "The steps could not be computed",
    failure: "The steps could not be computed",
    compute: ([descent], { state }, signal) => {
      const { begins, seen } = state;
      const { seed, at, stops } = begins;
      const asked = { seed, at, stops: stops.map(({ weight }) => weight), tensors: seen.tensors };
      return descent.descend({ ...asked, steps: stepsToSee(state) }, signal);
    },
    answer: (found) => ({ type: "show", found }),
    tells: () => "",
  },
});
