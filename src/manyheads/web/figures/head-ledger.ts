// <head-ledger>: what each head adds to the logit of an answer, and from which word it came. One renderer with two doors, as
// head-map.ts: the default export is for kernels (Python computes), the custom element for pages.

import { openDoor } from "../doors/kernel-door.ts";
import { LiveFigure } from "../doors/live-figure.ts";
import { define, dressPage, takeEarly, whenTouched } from "../doors/page-element.ts";
import { EXAMPLE_SHOWN, formulaScript, loadWithProgress, OFFERED, READY } from "../doors/page-models.ts";
import { keepWhenSaved } from "../doors/saved-figure.ts";
import { isOnRequest } from "../math/families.ts";
import { decodeMatrices } from "../math/wire.ts";
import type { FocusModel } from "../models/focus.ts";
import { announce, h } from "../views/dom.ts";
import { HeadLedgerView } from "./head-ledger-view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `HeadLedger` holds which part of the state. */
export const TRAITS = { sentence: "sentence", answer: "answer", head: "head" };

function render({ model, el }: { model: KernelModel, el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map head-ledger" }));
  const close = openDoor(model, TRAITS, ["_ledger"], {
    make: (state, change) => new HeadLedgerView(root, state, { change, painted: (ledger) => announce(el, "ledger", ledger) }),
    show: (view: HeadLedgerView) => view.show(decodeMatrices(model.get("_ledger"))),
  });
  const forget = keepWhenSaved(model, root);
  return () => (close(), forget());
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

interface LedgerModel {
  broken?: boolean;
  headLedger(state: LedgerState, options?: { signal?: AbortSignal }): HeadLedger | Promise<HeadLedger>;
}

class HeadLedgerElement extends LiveFigure<LedgerModel> {
  static observedAttributes = ["model", "sentence", "answer", "head"];
  #view: HeadLedgerView | null = null;

  protected override task = {
    failure: "The ledger could not be computed",
    compute: ([model]: LedgerModel[], signal: AbortSignal) => model.headLedger((this.#view as HeadLedgerView).state, { signal }),
    show: (ledger: HeadLedger) => {
      this.#view?.show(ledger);
      this.showStatus(READY);
    },
  };

  /** The numbers on the screen: `labels`, `parts`, `without`, `weights`, `says`. */
  get ledger() {
    return this.#view?.ledger ?? null;
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

  protected override async load(name: string, show: (text: string) => void): Promise<LedgerModel> {
    const model = await loadWithProgress(name, show);
    if ("headLedger" in model) return model as LedgerModel;
    const { headLedgerOf } = await formulaScript();
    return { headLedger: headLedgerOf(model as FocusModel) };
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "head-ledger.css");
    this.#view = new HeadLedgerView(this, this.#state, {
      types: this.modelNames.length > 0,
      change: () => this.update(),
      painted: (ledger) => announce(this, "ledger", ledger),
    });
    if (baked) this.#view.show(decodeMatrices(baked));
    const onRequest = this.modelNames.some(isOnRequest);
    this.showStatus(onRequest ? OFFERED : EXAMPLE_SHOWN);
    whenTouched(this, () => this.wake());
    this.wakesWhenSeen = onRequest || !baked; // to offer a model, or to show what is not shown yet
    takeEarly<HeadLedgerElement>(this, "sentence");
  }

  attributeChangedCallback() {
    if (!this.#view) return;
    this.#view.update(this.#state);
    this.update();
  }

  /** What the attributes say. */
  get #state(): LedgerState {
    const head = this.getAttribute("head");
    return { sentence: this.getAttribute("sentence") ?? "", answer: this.getAttribute("answer") ?? "", head: head === null ? null : Number(head) || 0 };
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#view?.setStatus(text, act, name);
  }
}

define("head-ledger", HeadLedgerElement);
