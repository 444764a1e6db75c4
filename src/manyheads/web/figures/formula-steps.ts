// <formula-steps>: every matrix of multi-head attention for the reader's sentence, every cell open to its arithmetic.
// One renderer with two doors, as head-map.js: the default export is for kernels (Python computes), the custom element
// for pages (models.js and formula-model.js compute). Nothing touches the DOM while it loads.

import { openDoor } from "../doors/kernel-door.js";
import { bakedInto, dressPage, mayDefine, whenSeen, whenTouched, withResolvers } from "../doors/page-element.js";
import { EXAMPLE_SHOWN, failedTo, formulaScript, LOADING, loadTold, notLoaded, READY } from "../doors/page-models.js";
import { keepWhenSaved } from "../doors/saved-figure.js";
import { FLAGS } from "../math/names.js";
import { decodeSteps } from "../math/wire.js";
import { announce, h } from "../views/dom.js";
import { FormulaStepsView } from "./formula-steps-view.js";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `FormulaSteps` holds which part of the state. */
export const TRAITS = { sentence: "sentence", head: "head", word: "word", step: "step", causal: "causal", padding: "padding", unscaled: "unscaled" };

/** @param {{ model: KernelModel, el: HTMLElement }} cell */
function render({ model, el }) {
  const root = el.appendChild(h("div", { class: "head-map formula-steps" }));
  const close = openDoor(model, TRAITS, ["_steps"], {
    make: (state, change) => new FormulaStepsView(root, state, {
      change, types: model.get("_types"), painted: (steps) => announce(el, "steps", steps),
    }),
    show(/** @type {FormulaStepsView} */ view) { // what is learnt comes apart from the steps, once
      view.show(decodeSteps({ ...model.get("_steps"), parameters: model.get("_parameters") }));
    },
  });
  const forget = keepWhenSaved(model, root);
  return () => (close(), forget());
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const ATTRIBUTES = ["model", "sentence", "head", "word", "step", ...FLAGS];
const COMPUTED = ["sentence", "head", ...FLAGS]; // the parts of the state that the steps depend on

/** @typedef {(state: StepsState) => Steps} Engine */

function defineElement() {
  class FormulaStepsElement extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    /** @type {FormulaStepsView | undefined} */
    #view;
    /** What turns a state into steps. @type {Engine | null} */
    #engine = null;
    /** @type {Promise<Engine> | null} */
    #loading = null;
    #ready = withResolvers();
    #watches = false; // for being seen
    #unwatch = () => {};

    /** Fulfilled once the element computes for itself; asking for it starts the loading. */
    get ready() {
      this.#start();
      return this.#ready.promise;
    }

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

    set sentence(text) {
      this.setAttribute("sentence", text);
    }

    connectedCallback() {
      if (this.#view) return this.#watch();
      dressPage("head-map.css", "formula-steps.css");
      const baked = bakedInto(this);
      this.classList.add("head-map", "formula-steps");
      const told = /** @type {HTMLElement | null} */ (this.querySelector(".hm-status"));
      const status = told?.dataset.said ?? told?.textContent ?? "";
      const live = this.hasAttribute("model");
      const view = (this.#view = new FormulaStepsView(this, this.#attributes(), {
        types: live,
        computes: live,
        change: (_, names) => names.some((name) => COMPUTED.includes(name)) && this.#compute(),
        painted: (steps) => announce(this, "steps", steps),
      }));
      if (baked) view.show(decodeSteps(baked));
      if (!live) {
        view.say(status);
        return this.#ready.resolve();
      }
      view.say(EXAMPLE_SHOWN);
      whenTouched(this, () => this.#start());
      this.#watches = !baked;
      this.#watch();
    }

    #watch() {
      if (this.#watches) this.#unwatch = whenSeen(this, () => this.#start());
    }

    disconnectedCallback() {
      this.#unwatch();
    }

    attributeChangedCallback(/** @type {string} */ name) {
      if (!this.#view) return;
      if (name === "model") this.#engine = this.#loading = null;
      this.#view.update(this.#attributes());
      this.#compute();
    }

    /** @returns {Partial<StepsState>} */
    #attributes() {
      /** @type {Record<string, string | number | boolean>} */
      const state = {};
      for (const name of ["sentence", "step"]) if (this.hasAttribute(name)) state[name] = this.getAttribute(name) ?? "";
      for (const name of ["head", "word"]) if (this.hasAttribute(name)) state[name] = Number(this.getAttribute(name)) || 0;
      for (const name of FLAGS) state[name] = this.hasAttribute(name);
      return state;
    }

    #start() {
      if (this.hasAttribute("model") && !this.#loading) this.#compute();
    }

    /**
     * @param {FormulaStepsView} view
     * @returns {Promise<Engine>}
     */
    async #load(view) {
      const name = this.getAttribute("model") ?? "";
      const { stepsOf } = await formulaScript(); // one after the other: progress would write over what is said of a fault
      const model = await loadTold(name, (text) => view.say(text));
      return stepsOf(/** @type {import("../models/focus.js").FocusModel} */ (model));
    }

    /** Computes and shows the steps of the present state; the last keystroke wins. */
    async #compute() {
      const view = this.#view;
      if (!view) return;
      if (!this.#engine) {
        if (this.#loading) return; // whoever waits for it computes what is wanted then
        view.say(LOADING);
        const loading = (this.#loading = this.#load(view));
        try {
          const engine = await loading;
          if (loading !== this.#loading) return;
          this.#engine = engine;
        } catch (error) {
          if (loading !== this.#loading) return;
          this.#loading = null;
          view.say(notLoaded(error), () => this.#compute());
          return;
        }
      }
      // No await on this path: with the model loaded, all is repainted before the keystroke's event returns.
      try {
        view.show(this.#engine(view.state));
      } catch (error) {
        view.say(failedTo("The steps could not be computed", error), () => this.#compute());
        return;
      }
      view.say(READY);
      this.#ready.resolve();
    }
  }

  customElements.define("formula-steps", FormulaStepsElement);
}

if (mayDefine("formula-steps")) defineElement();
