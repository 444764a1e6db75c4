// <attention-flow>: the journey of one asking word, from its vector to the model's answer. One renderer with two doors, as
// head-map.ts: the default export is for kernels (Python computes), the custom element for pages.

import { copyMenu } from "../../doors/copy-menu.ts";
import { figureFrame, figureLink, figureTag } from "../../doors/figure-link.ts";
import { openDoor, type KernelModel } from "../../doors/kernel-door.ts";
import { define, dressPage } from "../../doors/page-element.ts";
import { loadFormula, READY } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import { STATIONS } from "../../math/flow.ts";
import type { Flow, FlowState } from "../../math/steps.ts";
import { decodeSteps } from "../../math/wire.ts";
import { announce, h } from "../../views/dom.ts";
import { AttentionFlowView } from "./view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `AttentionFlow` holds which part of the state. */
export const TRAITS = { sentence: "sentence", head: "head", query: "query", station: "station" };

function render({ model, el }: { model: KernelModel, el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map attention-flow" }));
  return openDoor(model, root, TRAITS, ["_flow"], {
    make: (state, change): AttentionFlowView => {
      const view: AttentionFlowView = new AttentionFlowView(root, state, {
        change, painted: (flow) => announce(el, "steps", flow), arrived: () => change(view.state, ["station"]),
      });
      return view;
    },
    show: (view: AttentionFlowView) => view.show(decodeSteps(model.get("_flow")) as Flow),
  });
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const PARTS = ["sentence", "head", "query", "station"]; // of the state, each an attribute
const COMPUTED = ["sentence", "head"]; // those that the numbers depend on
const FIGURE = "attention-flow";

type FlowModel = ((state: FlowState) => Flow) & { broken?: boolean };

class AttentionFlowElement extends SentenceFigure<AttentionFlowView, FlowModel> {
  static observedAttributes = ["model", ...PARTS];
  protected parts = PARTS;
  protected computed = COMPUTED;
  protected numbers = ["head", "query"];

  protected override task = {
    failure: "The journey could not be computed",
    compute: ([flowOf]: FlowModel[]) => flowOf((this.view as AttentionFlowView).state),
    show: (flow: Flow) => {
      this.view?.show(flow);
      this.showStatus(READY);
    },
  };

  /** The names of the stations, in their order. */
  get stations() {
    return STATIONS.map(({ name }) => name);
  }

  get station() {
    return this.view?.state.station ?? this.getAttribute("station") ?? STATIONS[0].name;
  }

  set station(name: string) {
    this.setAttribute("station", name);
  }

  /** As `steps` of <formula-steps>, and what all heads look at: `maps`. */
  get steps() {
    return this.view?.flow ?? null;
  }

  protected override load(name: string, show: (text: string) => void): Promise<FlowModel> {
    return loadFormula(({ flowOf }) => flowOf, name, show);
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "attention-flow.css");
    const folder = new URL("../", import.meta.url); // its attention-flow.js leads to that of each version
    const { content_root: top = new URL("../../", folder).href } = document.documentElement.dataset; // pages of the book say it
    const parts = (): Record<string, string | number> => ({ model: this.getAttribute("model") ?? "", ...(this.view as AttentionFlowView).state });
    const menu = copyMenu({
      link: () => figureLink(location.href, FIGURE, parts()),
      tag: () => figureTag(folder, FIGURE, parts()),
      frame: () => figureFrame(folder, FIGURE, "One word on its way through attention", parts()),
    });
    this.view = new AttentionFlowView(this, this.written, {
      types: this.modelNames.length > 0,
      menu,
      change: (_, names) => names.some((name) => COMPUTED.includes(name)) && this.update(),
      painted: (flow) => announce(this, "steps", flow),
      arrived: (station) => announce(this, "station", station),
      numbers: ({ sentence, head, query }, step) =>
        figureLink(`${top}book/formula.html`, "formula-steps", { sentence, head, word: query, step }),
    });
    this.view.update({});
    if (baked) this.view.show(decodeSteps(baked) as Flow);
    this.begin(Boolean(baked), "station");
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    this.followLinks(leaves);
  }
}

define(FIGURE, AttentionFlowElement);
