// <slice-or-project>: one wide projection that is cut afterwards, as many narrow ones, and the bug that cuts the input first.

import { defineFigure } from "../../doors/define-figure.ts";
import { loadFormula } from "../../doors/page-models.ts";
import { readPlain } from "../../doors/state.ts";
import type { Projections, ProjectionsState } from "../../math/projections.ts";
import { decodeMatrices, decodeTints } from "../../math/wire.ts";
import { reduce, startWith, type Action, type State } from "./state.ts";
import { summary, view } from "./view.ts";

type ProjectionsModel = ((state: ProjectionsState) => Projections) & { broken?: boolean };

/** What `projections_element` wrote. */
function decodeProjections({ tints, ...matrices }: any): Projections {
  return { ...decodeMatrices(matrices), tints: decodeTints(tints) };
}

defineFigure<State, Action, ProjectionsModel, Projections>("slice-or-project", {
  start: (_, baked, parts) => startWith(parts, baked && decodeProjections(baked)),
  reduce,
  view,
  summary,
  events: ({ made }) => ({ projections: made }),
  attributes: ["sentence", "word"],
  read: (name, text) => readPlain(name, text, ["word"]),
  properties: {
    sentence: ({ sentence }) => sentence,
    projections: ({ made }) => made, // `x`, `wide`, `narrow`, `sliced`
  },
  styles: ["slice-or-project.css"],
  args: ({ sentence, word }) => ({ sentence, word }),
  late: true,
  work: {
    load: (...loading) => loadFormula(({ projectionsOf }) => projectionsOf, ...loading),
    failure: "The queries could not be computed",
    compute: ([projectionsOf], { state }) => projectionsOf(state),
    answer: (made) => ({ type: "show", made }),
  },
  notes: ({ made }) => made?.notes ?? [],
});
