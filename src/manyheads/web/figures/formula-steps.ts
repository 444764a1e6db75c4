// <formula-steps>: every matrix of multi-head attention for the reader's sentence, every cell open to its arithmetic.
// One renderer with two doors, as head-map.ts: the default export is for kernels (Python computes), the custom element
// for pages (models.js and formula-model.js compute). Nothing touches the DOM while it loads.

import { linkedParts } from "../doors/figure-link.ts";
import { openDoor } from "../doors/kernel-door.ts";
import { LiveFigure } from "../doors/live-figure.ts";
import { define, dressPage, takeEarly, whenTouched } from "../doors/page-element.ts";
import { EXAMPLE_SHOWN, formulaScript, loadWithProgress, READY } from "../doors/page-models.ts";
import { keepWhenSaved } from "../doors/saved-figure.ts";
import { FLAGS } from "../math/names.ts";
import { decodeSteps } from "../math/wire.ts";
import type { FocusModel } from "../models/focus.ts";
import { announce, h } from "../views/dom.ts";
import { FormulaStepsView } from "./formula-steps-view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `FormulaSteps` holds which part of the state. */
export const TRAITS = { sentence: "sentence", head: "head", word: "word", step: "step", causal: "causal", padding: "padding", unscaled: "unscaled" };

function render({ model, el }: { model: KernelModel, el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map formula-steps" }));
  const close = openDoor(model, TRAITS, ["_steps"], {
    make: (state, change) => new FormulaStepsView(root, state, {
      change, types: model.get("_types"), painted: (steps) => announce(el, "steps", steps),
    }),
    show(view: FormulaStepsView) { // what is learnt comes apart from the steps, once
      view.show(decodeSteps({ ...model.get("_steps"), parameters: model.get("_parameters") }));
    },
  });
  const forget = keepWhenSaved(model, root);
  return () => (close(), forget());
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const PARTS = ["sentence", "head", "word", "step", ...FLAGS]; // of the state, each an attribute
const COMPUTED = ["sentence", "head", ...FLAGS]; // those that the steps depend on

/** What turns a state into steps. */
type StepsModel = ((state: StepsState) => Steps) & { broken?: boolean };

class FormulaStepsElement extends LiveFigure<StepsModel> {
  static observedAttributes = ["model", ...PARTS];
  #view: FormulaStepsView | null = null;
  #live = false; // as the view knows it

  protected override task = {
    failure: "The steps could not be computed",
    compute: ([stepsOf]: StepsModel[]) => stepsOf((this.#view as FormulaStepsView).state),
    show: (steps: Steps) => {
      this.#view?.show(steps);
      this.showStatus(READY);
    },
  };

  /** All matrices on the path: {tokens, head, X, Q, K, V, scores, masked, weights, context, concat, output, ...}. */
  get steps() {
    return this.#view?.steps ?? null;
  }

  /** Paints the cells out of view now; they follow by themselves as soon as the browser is idle. */
  flush() {
    this.#view?.flush();
  }

  get sentence() {
    return this.#view?.state.sentence ?? this.getAttribute("sentence") ?? "";
  }

  set sentence(text: string) {
    this.setAttribute("sentence", text);
  }

  protected get modelNames() {
    return [this.getAttribute("model") ?? ""].filter(Boolean);
  }

  protected override async load(name: string, show: (text: string) => void): Promise<StepsModel> {
    const [{ stepsOf }, model] = await Promise.all([formulaScript(), loadWithProgress(name, show)]);
    return stepsOf(model as FocusModel);
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "formula-steps.css");
    const status = baked?.status ?? "";
    const view = this.#makeView(Object.assign({}, ...PARTS.map((name) => this.#part(name))));
    if (baked) view.show(decodeSteps(baked));
    this.showStatus(this.#live ? EXAMPLE_SHOWN : status);
    whenTouched(this, () => this.wake());
    this.wakesWhenSeen = this.#live && !baked;
    takeEarly<FormulaStepsElement>(this, "sentence");
  }

  /** The first of a page opens where a link leads. */
  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    const follow = () => {
      const first = document.querySelector(`${this.localName}[model]`);
      const parts = this === first && linkedParts(location.hash, this.localName);
      if (!parts) return;
      for (const [name, value] of Object.entries(parts)) if (PARTS.includes(name)) this.setAttribute(name, value);
      this.scrollIntoView();
    };
    addEventListener("hashchange", follow, { signal: leaves });
    follow();
  }

  #makeView(state: Partial<StepsState>) {
    this.#live = this.modelNames.length > 0;
    return (this.#view = new FormulaStepsView(this, state, {
      types: this.#live,
      computes: this.#live,
      change: (_, names) => names.some((name) => COMPUTED.includes(name)) && this.update(),
      painted: (steps) => announce(this, "steps", steps),
    }));
  }

  attributeChangedCallback(name: string) {
    if (!this.#view) return;
    if (name !== "model") this.#view.update(this.#part(name));
    else if (this.#live !== this.modelNames.length > 0) {
      const { state, steps } = this.#view;
      this.#makeView(state);
      if (steps) this.#view.show(steps);
    }
    if (name === "model" || COMPUTED.includes(name)) this.update();
  }

  /** The part of the state that an attribute writes. */
  #part(name: string): Partial<StepsState> {
    const text = this.getAttribute(name);
    if (FLAGS.includes(name)) return { [name]: text !== null };
    if (text === null) return {};
    return { [name]: name === "head" || name === "word" ? Number(text) || 0 : text };
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#view?.setStatus(text, act, name);
  }
}

define("formula-steps", FormulaStepsElement);
