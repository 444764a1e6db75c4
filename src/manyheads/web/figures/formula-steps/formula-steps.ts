// <formula-steps>: every matrix of multi-head attention for the reader's sentence, every cell open to its arithmetic.
// One renderer with two doors, as head-map.ts: the default export is for kernels (Python computes), the custom element
// for pages (models.js and formula-model.js compute). Nothing touches the DOM while it loads.

import { openDoor, type KernelModel } from "../../doors/kernel-door.ts";
import { define, dressPage } from "../../doors/page-element.ts";
import { loadFormula, READY } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import { FLAGS } from "../../math/names.ts";
import type { Steps, StepsState } from "../../math/steps.ts";
import { decodeSteps } from "../../math/wire.ts";
import { announce, h } from "../../views/dom.ts";
import { FormulaStepsView } from "./view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `FormulaSteps` holds which part of the state. */
export const TRAITS = { sentence: "sentence", head: "head", word: "word", step: "step", causal: "causal", padding: "padding", unscaled: "unscaled" };

function render({ model, el }: { model: KernelModel, el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map formula-steps" }));
  return openDoor(model, root, TRAITS, ["_steps"], {
    make: (state, change) => new FormulaStepsView(root, state, {
      change, types: model.get("_types"), painted: (steps) => announce(el, "steps", steps),
    }),
    show(view: FormulaStepsView) { // what is learnt comes apart from the steps, once
      view.show(decodeSteps({ ...model.get("_steps"), parameters: model.get("_parameters") }));
    },
  });
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const PARTS = ["sentence", "head", "word", "step", ...FLAGS]; // of the state, each an attribute
const COMPUTED = ["sentence", "head", ...FLAGS]; // those that the steps depend on

/** What turns a state into steps. */
type StepsModel = ((state: StepsState) => Steps) & { broken?: boolean };

class FormulaStepsElement extends SentenceFigure<FormulaStepsView, StepsModel> {
  static observedAttributes = ["model", ...PARTS];
  protected parts = PARTS;
  protected computed = COMPUTED;
  protected numbers = ["head", "word"];
  #live = false; // as the view knows it

  protected override task = {
    failure: "The steps could not be computed",
    compute: ([stepsOf]: StepsModel[]) => stepsOf((this.view as FormulaStepsView).state),
    show: (steps: Steps) => {
      this.view?.show(steps);
      this.showStatus(READY);
    },
  };

  /** All matrices on the path: {tokens, head, X, Q, K, V, scores, masked, weights, context, concat, output, ...}. */
  get steps() {
    return this.view?.steps ?? null;
  }

  /** Paints the cells out of view now; they follow by themselves as soon as the browser is idle. */
  flush() {
    this.view?.flush();
  }

  protected override load(name: string, show: (text: string) => void): Promise<StepsModel> {
    return loadFormula(({ stepsOf }) => stepsOf, name, show);
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "formula-steps.css");
    const status = baked?.status ?? "";
    const view = this.#makeView(this.written);
    if (baked) view.show(decodeSteps(baked));
    this.begin(Boolean(baked) || !this.#live);
    if (!this.#live) this.showStatus(status);
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    this.followLinks(leaves);
  }

  #makeView(state: Partial<StepsState>) {
    this.#live = this.modelNames.length > 0;
    return (this.view = new FormulaStepsView(this, state, {
      types: this.#live,
      computes: this.#live,
      change: (_, names) => names.some((name) => COMPUTED.includes(name)) && this.update(),
      painted: (steps) => announce(this, "steps", steps),
    }));
  }

  override attributeChangedCallback(name: string) {
    if (this.view && name === "model" && this.#live !== this.modelNames.length > 0) {
      const { state, steps } = this.view;
      this.#makeView(state);
      if (steps) this.view.show(steps);
    }
    super.attributeChangedCallback(name);
  }

  protected override readPart(name: string) {
    return FLAGS.includes(name) ? { [name]: this.hasAttribute(name) } : super.readPart(name);
  }
}

define("formula-steps", FormulaStepsElement);
