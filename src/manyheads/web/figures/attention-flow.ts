// <attention-flow>: the journey of one asking word, from its vector to the model's answer. One renderer with two doors, as
// head-map.ts: the default export is for kernels (Python computes), the custom element for pages.

import { copyMenu } from "../doors/copy-menu.ts";
import { figureFrame, figureLink, figureTag, linkedParts } from "../doors/figure-link.ts";
import { openDoor } from "../doors/kernel-door.ts";
import { LiveFigure } from "../doors/live-figure.ts";
import { define, dressPage, takeEarly, whenTouched } from "../doors/page-element.ts";
import { EXAMPLE_SHOWN, formulaScript, loadWithProgress, READY } from "../doors/page-models.ts";
import { keepWhenSaved } from "../doors/saved-figure.ts";
import { STATIONS } from "../math/flow.ts";
import { decodeSteps } from "../math/wire.ts";
import type { FocusModel } from "../models/focus.ts";
import { announce, h } from "../views/dom.ts";
import { AttentionFlowView } from "./attention-flow-view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `AttentionFlow` holds which part of the state. */
export const TRAITS = { sentence: "sentence", head: "head", query: "query", station: "station" };

function render({ model, el }: { model: KernelModel, el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map attention-flow" }));
  const close = openDoor(model, TRAITS, ["_flow"], {
    make: (state, change): AttentionFlowView => {
      const view: AttentionFlowView = new AttentionFlowView(root, state, {
        change, painted: (flow) => announce(el, "steps", flow), arrived: () => change(view.state, ["station"]),
      });
      return view;
    },
    show: (view: AttentionFlowView) => view.show(decodeSteps(model.get("_flow")) as Flow),
  });
  const forget = keepWhenSaved(model, root);
  return () => (close(), forget());
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const PARTS = ["sentence", "head", "query", "station"]; // of the state, each an attribute
const COMPUTED = ["sentence", "head"]; // those that the numbers depend on
const FIGURE = "attention-flow";

type FlowModel = ((state: FlowState) => Flow) & { broken?: boolean };

class AttentionFlowElement extends LiveFigure<FlowModel> {
  static observedAttributes = ["model", ...PARTS];
  #view: AttentionFlowView | null = null;

  protected override task = {
    failure: "The journey could not be computed",
    compute: ([flowOf]: FlowModel[]) => flowOf((this.#view as AttentionFlowView).state),
    show: (flow: Flow) => {
      this.#view?.show(flow);
      this.showStatus(READY);
    },
  };

  /** The names of the stations, in their order. */
  get stations() {
    return STATIONS.map(({ name }) => name);
  }

  get station() {
    return this.#view?.state.station ?? this.getAttribute("station") ?? STATIONS[0].name;
  }

  set station(name: string) {
    this.setAttribute("station", name);
  }

  /** As `steps` of <formula-steps>, and what all heads look at: `maps`. */
  get steps() {
    return this.#view?.flow ?? null;
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

  protected override async load(name: string, show: (text: string) => void): Promise<FlowModel> {
    const [{ flowOf }, model] = await Promise.all([formulaScript(), loadWithProgress(name, show)]);
    return flowOf(model as FocusModel);
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "attention-flow.css");
    const folder = new URL(".", import.meta.url);
    const parts = (): Record<string, string | number> => ({ model: this.getAttribute("model") ?? "", ...(this.#view as AttentionFlowView).state });
    const menu = copyMenu({
      link: () => figureLink(location.href, FIGURE, parts()),
      tag: () => figureTag(folder, FIGURE, parts()),
      frame: () => figureFrame(folder, FIGURE, "One word on its way through attention", parts()),
    });
    this.#view = new AttentionFlowView(this, Object.assign({}, ...PARTS.map((name) => this.#part(name))), {
      types: this.modelNames.length > 0,
      menu,
      change: (_, names) => names.some((name) => COMPUTED.includes(name)) && this.update(),
      painted: (flow) => announce(this, "steps", flow),
      arrived: (station) => announce(this, "station", station),
      numbers: ({ sentence, head, query }, step) =>
        figureLink(new URL("../../book/formula.html", folder).href, "formula-steps", { sentence, head, word: query, step }),
    });
    this.#view.update({});
    if (baked) this.#view.show(decodeSteps(baked) as Flow);
    this.showStatus(EXAMPLE_SHOWN);
    whenTouched(this, () => this.wake());
    this.wakesWhenSeen = !baked;
    takeEarly<AttentionFlowElement>(this, "sentence", "station");
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    const follow = () => {
      const parts = this === document.querySelector(FIGURE) && linkedParts(location.hash, FIGURE);
      if (!parts) return;
      for (const [name, value] of Object.entries(parts)) if (PARTS.includes(name)) this.setAttribute(name, value);
      this.scrollIntoView();
    };
    addEventListener("hashchange", follow, { signal: leaves });
    follow();
  }

  attributeChangedCallback(name: string) {
    if (!this.#view) return;
    if (name !== "model") this.#view.update(this.#part(name));
    if (name === "model" || COMPUTED.includes(name)) this.update();
  }

  /** The part of the state that an attribute writes. */
  #part(name: string): Partial<FlowState> {
    const text = this.getAttribute(name);
    if (text === null) return {};
    return { [name]: name === "head" || name === "query" ? Number(text) || 0 : text };
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#view?.setStatus(text, act, name);
  }
}

define(FIGURE, AttentionFlowElement);
