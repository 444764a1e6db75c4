// <head-ledger>: what each head adds to the logit of an answer, and from which word it came. One renderer with two doors, as
// head-map.ts: the default export is for kernels (Python computes), the custom element for pages.

import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-model.ts";
import { define, dressPage } from "../../doors/page-element.ts";
import { formulaScript, loadWithProgress, READY } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import { answeredLater } from "../../doors/task.ts";
import { partsOf, readPart, readPlain } from "../../doors/state.ts";
import { answerPlace } from "../../math/answer-parts.ts";
import type { HeadLedger, LedgerQuestion } from "../../math/ledger.ts";
import { isFile } from "../../math/families.ts";
import { FORGOT, maskOf } from "../../math/heads-off.ts";
import { rowOf } from "../../math/steps.ts";
import { decodeMatrices } from "../../math/wire.ts";
import type { FocusModel } from "../../models/focus.ts";
import { announce, h } from "../../views/dom.ts";
import { isOld, placeOf } from "./state.ts";
import { HeadLedgerView } from "./view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

const NUMBERS = ["head"];

/** The part of the state that an attribute's value stands for. */
const readWritten = (name: string, text: string | null): Record<string, any> =>
  name === "off" ? readPart(name, text) : readPlain(name, text, NUMBERS);

/** Which trait of Python's `HeadLedger` holds which part of the state. */
export const TRAITS = { sentence: "sentence", answer: "answer", head: "head", off: "off" };

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map head-ledger" }));
  return openDoor(model, root, TRAITS, ["_ledger"], {
    kind: "head-ledger",
    make: (state, change) =>
      new HeadLedgerView(root, state, {
        change,
        asks: model.get("guess"),
        painted: (ledger) => announce(root, "ledger", ledger),
      }),
    show: (view: HeadLedgerView) => view.show(decodeMatrices(model.get("_ledger"))),
    lend: (view, settings) => (view.lend(partsOf(settings, readWritten)), view.state),
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

const PARTS = ["sentence", "answer", "head", "off"]; // of the state, each an attribute

class HeadLedgerElement extends SentenceFigure<HeadLedgerView> {
  static observedAttributes = ["model", ...PARTS];
  protected parts = PARTS;
  protected computed = PARTS;
  protected numbers = NUMBERS;
  #forgot = false; // the heads that were off: they are another model's

  protected task = this.makeTask<LedgerModel>({
    load: loadLedgers,
    waits: (model) => (this.view !== null && isOld(this.view.whole) ? answeredLater(model) : null),
    offered: (old) => this.view?.markOld(old),
    job: {
      failure: "The ledger could not be computed",
      compute: ([model], signal) => {
        const { off, ...question } = (this.view as HeadLedgerView).state;
        return model.headLedger({ ...question, headMask: maskOf(off, model.numLayers, model.numHeads) }, { signal });
      },
      show: (ledger: HeadLedger) => {
        this.view?.show(ledger);
        this.tell(this.#forgot ? `${READY} ${FORGOT}` : READY);
        this.#forgot = false;
      },
    },
  });

  /** All numbers on the screen: `labels`, `parts`, `without`, `weights`, `says`. */
  get matrices() {
    return this.view?.ledger ?? null;
  }

  /**
   * What each head adds to an answer's logit, what the rest does, and the logit that they sum to; null for an answer that isn't there.
   * Of a prediction without a label it's the likeliest, and without either the one on the screen.
   */
  ledger(prediction = "", label = "") {
    const ledger = this.matrices;
    if (!ledger) return null;
    const wanted = [prediction, label].filter(Boolean).join(": ") || this.view!.state.answer;
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

  /** A file of the reader's has other heads than the model before or after it. */
  override attributeChangedCallback(name: string, before: string | null = null, after: string | null = null) {
    if (this.view && name === "model" && [before, after].some((model) => isFile(model ?? ""))) {
      this.#forgot ||= this.view.state.off.length > 0;
      this.view.update({ head: null, off: [] });
    }
    super.attributeChangedCallback(name);
  }

  protected override readPart(name: string, text: string | null) {
    return readWritten(name, text);
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "head-ledger.css");
    this.view = new HeadLedgerView(this, this.written, {
      types: this.modelNames.length > 0,
      asks: this.hasAttribute("guess"),
      change: () => this.task.run(),
      painted: (ledger) => announce(this, "ledger", ledger),
    });
    if (baked) this.view.show(decodeMatrices(baked));
    this.standBy(Boolean(baked));
  }
}

/** A model that makes ledgers: by itself where it can, else by the formula. */
async function loadLedgers(name: string, show: (text: string) => void): Promise<LedgerModel> {
  const model = await loadWithProgress(name, show);
  if ("headLedger" in model) return model as LedgerModel;
  const { headLedgerOf } = await formulaScript();
  return { numLayers: model.numLayers, numHeads: model.numHeads, headLedger: headLedgerOf(model as FocusModel) };
}

define("head-ledger", HeadLedgerElement);
