// <head-ledger>: what each head adds to the logit of an answer, and from which word it came. One renderer with two doors, as
// head-map.ts: the default export is for kernels (Python computes), the custom element for pages.

import { defineFigure } from "../../doors/define-figure.ts";
import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-model.ts";
import { formulaScript, loadWithProgress } from "../../doors/page-models.ts";
import { partsOf, readPart, readPlain } from "../../doors/state.ts";
import { answeredLater } from "../../doors/task.ts";
import { answerPlace } from "../../math/answer-parts.ts";
import { maskOf } from "../../math/heads-off.ts";
import type { HeadLedger, LedgerQuestion } from "../../math/ledger.ts";
import { rowOf } from "../../math/steps.ts";
import { decodeMatrices } from "../../math/wire.ts";
import type { FocusModel } from "../../models/focus.ts";
import { h } from "../../views/dom.ts";
import { differing, Host } from "../../views/host.ts";
import { isOld, placeOf, reduce, startWith, type Action, type State } from "./state.ts";
import { notesOf, summary, view } from "./view.ts";

const FIGURE = {
  reduce,
  view,
  summary,
  events: ({ ledger }: State) => ({ ledger }),
  args: ({ chosen }: State) => chosen,
  notes: notesOf,
};

/** The part of the state that an attribute's value stands for. */
const read = (name: string, text: string | null) =>
  name === "off" ? readPart(name, text) : readPlain(name, text, ["head"]);

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `HeadLedger` holds which part of the state. */
export const TRAITS = { sentence: "sentence", answer: "answer", head: "head", off: "off" };

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map head-ledger" }));
  return openDoor(model, root, TRAITS, ["_ledger"], {
    kind: "head-ledger",
    make: (parts, change) =>
      new Host(root, startWith(parts, { asks: model.get("guess") }), FIGURE, {
        changed: ({ chosen: before }, { chosen: after }) => change(after, differing(before, after)),
      }),
    show: (host) => host.dispatch({ type: "show", ledger: decodeMatrices(model.get("_ledger")) }),
    lend: (host, settings) => (host.lend(partsOf(settings, read)), host.state.chosen),
  });
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

interface LedgerModel {
  broken?: boolean;
  numLayers: number;
  numHeads: number; // of a layer
  headLedger(question: LedgerQuestion, options?: { signal?: AbortSignal }): HeadLedger | Promise<HeadLedger>;
}

/** A model that makes ledgers: by itself where it can, else by the formula. */
async function loadLedgers(name: string, show: (text: string) => void): Promise<LedgerModel> {
  const model = await loadWithProgress(name, show);
  if ("headLedger" in model) return model as LedgerModel;
  const { headLedgerOf } = await formulaScript();
  return { numLayers: model.numLayers, numHeads: model.numHeads, headLedger: headLedgerOf(model as FocusModel) };
}

/**
 * What each head adds to an answer's logit, what the rest does, and the logit that they sum to; null for an answer that isn't there.
 * Of a prediction without a label it's the likeliest, and without either the one on the screen.
 */
function ledgerOf({ ledger, chosen }: State, prediction = "", label = "") {
  if (!ledger) return null;
  const wanted = [prediction, label].filter(Boolean).join(": ") || chosen.answer;
  const place = answerPlace(ledger, wanted);
  if (label && ledger.labels[place].join(": ") !== wanted) return null;
  const row = rowOf(ledger.parts, place);
  const heads = ledger.headNames.map((_, at) => {
    const [layer, head] = placeOf(ledger, at);
    return { layer, head, value: row[at] };
  });
  const rest = ledger.others.reduce((sum, _, at) => sum + row[heads.length + at], 0);
  return { heads, rest, logit: row[row.length - 1] };
}

defineFigure<State, Action, LedgerModel, HeadLedger>("head-ledger", {
  ...FIGURE,
  start(element, baked, parts) {
    const settings = { asks: element.hasAttribute("guess"), types: element.hasAttribute("model") };
    const state = startWith(parts, settings);
    return baked ? reduce(state, { type: "show", ledger: decodeMatrices(baked) }) : state;
  },
  attributes: ["sentence", "answer", "head", "off"],
  read,
  properties: {
    sentence: ({ chosen }) => chosen.sentence,
    matrices: ({ ledger }) => ledger, // all numbers on the screen: `labels`, `parts`, `without`, `weights`, `says`
    ledger: (state) => (prediction?: string, label?: string) => ledgerOf(state, prediction, label),
  },
  styles: ["head-ledger.css"],
  late: true,
  work: {
    load: loadLedgers,
    failure: "The ledger could not be computed",
    compute([model], { state }, signal) {
      const { off, ...question } = state.chosen;
      return model.headLedger({ ...question, headMask: maskOf(off, model.numLayers, model.numHeads) }, { signal });
    },
    answer: (ledger) => ({ type: "show", ledger }),
    waits: (state, model) => (isOld(state) ? answeredLater(model) : null),
    loses: { type: "lose" },
  },
});
