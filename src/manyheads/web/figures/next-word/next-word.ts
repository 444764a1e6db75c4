// <next-word text="...">: what a language model would write next, as bars that its reader presses, reshapes and cuts heads from.
// `layer` and `head` choose whose weights are shown, `off` names heads that are off. One renderer with two doors, as head-map.ts: the
// default export is for kernels (Python computes), the custom element for pages, where the model comes when the reader asks.

import { followLinks } from "../../doors/figure-link.ts";
import { openDoor, type KernelModel } from "../../doors/kernel-door.ts";
import { LiveFigure } from "../../doors/live-figure.ts";
import { define, dressPage, takeEarly } from "../../doors/page-element.ts";
import { OFFERED, READY } from "../../doors/page-models.ts";
import { offOf, readPart } from "../../doors/state.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import { decodeMap, floats } from "../../math/wire.ts";
import type { DecoderModel } from "../../models/head-model.ts";
import { announce, h } from "../../views/dom.ts";
import { maskIn, type Answer } from "./state.ts";
import { NextWordView, type Example } from "./view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `NextWord` holds which part of the state. */
export const TRAITS = { text: "text", off: "off", tail: "_tail" };

function render({ model, el }: { model: KernelModel, el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map next-word" }));
  const words: string[] = model.get("_words");
  const { endTokens, ...example } = model.get("_example");
  const vocabulary = { endTokens, wordOf: (id: number) => words[id] };
  let view: NextWordView | undefined;
  const close = openDoor(model, root, TRAITS, ["_answer"], {
    make: (state, change) => view = new NextWordView(root, state, { words: [], ...example }, {
      changed: (names) => change(view!.state, names), painted: () => announce(el, "next", view!.state.shown?.next),
    }),
    show: () => view!.dispatch({ type: "answer", answer: decodeAnswer(model.get("_answer")), vocabulary }),
  });
  return () => (view!.dispatch({ type: "stop" }), close());
}

const decodeAnswer = ({ tail, logits, allOn, map }: any): Answer =>
  ({ tail, now: { ids: [], logits: floats(logits), map: decodeMap(map) }, allOn: allOn && floats(allOn) });

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const MODEL = "decoder";
const NOTHING: Example = { words: [], lists: {}, numLayers: 30, numHeads: 9 };

class NextWordElement extends LiveFigure<DecoderModel> {
  static observedAttributes = ["text", "off", "layer", "head"];
  #view: NextWordView | null = null;
  #whole: { draft: string, logits: Float32Array } | null = null; // with all heads on
  #example = ""; // the text that is baked in

  protected override task = {
    failure: "The next word could not be computed",
    compute: ([decoder]: DecoderModel[], signal: AbortSignal) => this.#read(decoder, signal),
    show: ([answer, vocabulary]: [Answer, DecoderModel]) => {
      this.showStatus([READY, ...(answer.now.map.notes ?? [])].join(" "));
      this.#view!.dispatch({ type: "answer", answer, vocabulary });
      announce(this, "attention", this.attention);
    },
  };

  /** What is on the screen: { text, off, next }. */
  get shown() {
    return this.#view?.state.shown ?? null;
  }

  /** The likeliest next words as the reader shapes them: [{ word, probability, logit }]; null until they are computed. */
  get next() {
    return this.shown?.next ?? null;
  }

  /** The map of the text, as that of <head-map>; null until it is computed. */
  get attention() {
    return this.#view?.state.answer?.now.map ?? null;
  }

  /** [layer][head] -> whether it is on; null where all are. */
  get headMask(): HeadMask {
    return this.#view ? maskIn(this.#view.state) : null;
  }

  set headMask(headMask: HeadMask) {
    this.setAttribute("off", offOf(headMask));
  }

  get text() {
    return this.#view?.state.text ?? this.getAttribute("text") ?? "";
  }

  set text(text: string) {
    this.setAttribute("text", text);
  }

  /** Writes a word, as its reader does. */
  write() {
    this.#view?.dispatch({ type: "write", id: null });
  }

  protected get modelNames() {
    return [MODEL];
  }

  protected override get waits() {
    return this.text !== this.#example || Boolean(this.#view?.state.off.length);
  }

  protected draw(baked: Example | null) {
    dressPage("head-map.css", "next-word.css");
    this.#example = this.getAttribute("text") ?? "";
    this.#view = new NextWordView(this, { text: this.#example, off: readOff(this.getAttribute("off")) }, baked ?? NOTHING, {
      changed: () => this.update(), painted: () => announce(this, "next", this.next),
    });
    this.#aim();
    this.showStatus(OFFERED);
    this.wakesWhenSeen = true; // to offer the model
    takeEarly<NextWordElement>(this, "text", "headMask");
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null) {
    if (!this.#view) return;
    if (name === "layer" || name === "head") this.#aim();
    else this.#view.dispatch({ type: "set", parts: name === "text" ? { text: value ?? "" } : { off: readOff(value) } });
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    followLinks(this, this.localName, NextWordElement.observedAttributes, leaves);
  }

  override disconnectedCallback() {
    this.#view?.dispatch({ type: "stop" });
    super.disconnectedCallback();
  }

  #aim() {
    const parts = ["layer", "head"].filter((name) => this.hasAttribute(name)).map((name) => [name, Number(this.getAttribute(name))]);
    this.#view?.dispatch({ type: "look", parts: Object.fromEntries(parts) });
  }

  async #read(decoder: DecoderModel, signal: AbortSignal): Promise<[Answer, DecoderModel]> {
    const { text, tail } = this.#view!.state;
    const draft = JSON.stringify({ text, tail });
    const mask = this.headMask;
    if (mask && this.#whole?.draft !== draft) this.#whole = { draft, logits: (await decoder.next({ text, tail }, null, { signal })).logits };
    const now = await decoder.next({ text, tail }, mask, { signal });
    if (!mask) this.#whole = { draft, logits: now.logits };
    return [{ tail, now, allOn: mask ? this.#whole!.logits : null }, decoder];
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#view?.setStatus(text, act, name);
  }

  protected override markOld(stale: boolean) {
    this.#view?.dispatch({ type: "stale", stale });
  }
}

/** The heads that "23.4 16.0" names, as [layer, head], from 0. */
const readOff = (text: string | null) => readPart("off", text).off ?? [];

define("next-word", NextWordElement);
