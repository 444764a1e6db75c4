// <head-map>: what every head looks at, live in a page.

import { LiveFigure, together, type Refusal, type Task } from "../../doors/live-figure.ts";
import { dressPage, takeEarly, whenTouched } from "../../doors/page-element.ts";
import { EXAMPLE_SHOWN, LOADING, OFFERED, READY } from "../../doors/page-models.ts";
import { readPart, writeState, type StateParts } from "../../doors/state.ts";
import { makePressable } from "../../doors/worth-trying.ts";
import type { AttentionMap, HeadMask } from "../../math/attention-map.ts";
import { isOnRequest } from "../../math/families.ts";
import type { MapState } from "../../math/map-state.ts";
import { decodeMap } from "../../math/wire.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { announce } from "../../views/dom.ts";
import { NONE } from "../../views/suggestions.ts";
import { COMPUTED, HeadMapView } from "./view.ts";
import { ATTRIBUTES, MapAttributes } from "./attributes.ts";

/** A map, and that of the sentence it is compared with. */
type Maps = [AttentionMap, AttentionMap | null];

const STAYS = "What you see is the last sentence that could be read.";

export class HeadMapElement extends LiveFigure {
  static observedAttributes = ATTRIBUTES;
  #view: HeadMapView | null = null;
  #attributes: MapAttributes | null = null;
  #models: string[] = []; // as the view knows them
  #computedBy = "";
  #example = ""; // the sentence whose map is baked in
  #still: number[] | null = null; // the shape of a map that no model computes

  protected override task: Task<HeadModel, Maps> = {
    failure: "The map could not be computed",
    compute: ([model], signal) => this.#compute(model, signal),
    show: (maps) => this.#show(maps),
  };

  // --- what a page can ask and set

  /** The map on display: {queryTokens, keyTokens, shape, weights, headNames, predictions}. */
  get attention() {
    return this.#view?.map ?? null;
  }

  /** The name of the model that computed it; "" where the page brought it. */
  get computedBy() {
    return this.#computedBy;
  }

  get sentence() {
    return this.#view?.state.sentence ?? this.getAttribute("sentence") ?? "";
  }

  set sentence(text: string) {
    this.setAttribute("sentence", text);
  }

  /** The heads that are off, as the attribute names them: "0.3 5.11". */
  get off() {
    const written = this.#view ? writeState(this.#view.state, "") : [];
    return written.find(([name]) => name === "off")?.[1] ?? "";
  }

  set off(heads: string) {
    this.setAttribute("off", heads);
  }

  /** The names of its models. */
  get models() {
    return this.#attributes?.models ?? [];
  }

  /** The name of the model that is chosen. */
  get model() {
    return this.models[this.#view?.state.model ?? 0] ?? "";
  }

  set model(name: string) {
    const model = this.models.indexOf(name);
    if (model < 0) this.setAttribute("model", name);
    else if (name !== this.model) this.#view?.set({ model });
  }

  /** [layer][head] -> whether it is on; null where all are. */
  get headMask(): HeadMask {
    return this.#view?.state.headMask ?? null;
  }

  set headMask(headMask: HeadMask) {
    this.#view?.set({ headMask });
  }

  /** The token that asks, by its place in the map; in the map to come, where one is computed. */
  get query() {
    return this.#view?.state.query ?? 0;
  }

  set query(query: number) {
    this.#view?.set({ query });
    if (!this.#still) this.#attributes?.postpone({ query });
  }

  /** Writes a sentence into the map as its reader does by typing it. */
  type(sentence: string) {
    this.#view?.set({ sentence });
  }

  /** Gives the focus to what a reader sets the map by first. */
  override focus(options?: FocusOptions) {
    this.querySelector<HTMLElement>("input, textarea")?.focus(options);
  }

  // --- its life

  protected get modelNames() {
    return this.model ? [this.model] : [];
  }

  protected override get waits() {
    return this.sentence !== this.#example;
  }

  protected draw(baked: any) {
    dressPage("head-map.css");
    const attributes = (this.#attributes = new MapAttributes(this));
    if (!attributes.models.length) this.#still = baked?.shape ?? null;
    const linked = attributes.linked();
    const view = this.#makeView(attributes, attributes.take(linked ?? attributes.written, this.#still));
    if (baked) view.show(decodeMap(baked), baked.compared ? decodeMap(baked.compared) : null);
    if (!this.#models.length) return view.setStatus(baked?.status ?? "");
    makePressable();
    this.#example = this.getAttribute("sentence") ?? "";
    view.setStatus(this.#onRequest ? OFFERED : EXAMPLE_SHOWN);
    whenTouched(this, () => this.wake());
    takeEarly<HeadMapElement>(this, "sentence", "model", "headMask", "off", "query");
    this.wakesWhenSeen = this.#onRequest || linked !== null || !baked; // to offer a model, or to show what is not shown yet
  }

  /** Whether some of its models are fetched on request only. */
  get #onRequest() {
    return this.#models.some((name) => isOnRequest(name));
  }

  #makeView(attributes: MapAttributes, state: Partial<MapState>) {
    this.#models = attributes.models;
    const view: HeadMapView = new HeadMapView(this, state, {
      models: this.#models,
      computes: this.#models.length > 0,
      copies: attributes.copies(() => view.state),
      examples: this.getAttribute("examples") ?? "",
      guide: this.hasAttribute("guide"),
      behaviours: this.getAttribute("behaviours")?.split(" ") ?? null,
      change: (_, names) => {
        attributes.forget(names);
        if (names.some(isComputed)) this.update();
      },
      painted: (map) => announce(this, "attention", map),
    });
    this.#view = view;
    if (this.#onRequest) view.statusFirst(); // what it offers comes before what is shown
    return view;
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    addEventListener("hashchange", () => {
      const linked = this.#attributes?.linked();
      if (linked) this.#take(linked, true);
    }, { signal: leaves });
  }

  attributeChangedCallback(name: string, _: string | null, text: string | null) {
    if (!this.#view) return;
    if (name === "model" || name === "models") this.#changeModels(this.#view);
    else this.#take(readPart(name, text), name === "off" || isComputed(name));
  }

  #take(state: StateParts, computes: boolean) {
    if (!this.#attributes) return;
    this.#view?.update(this.#attributes.take(state, this.#still));
    if (computes) this.update();
  }

  /** Draws the controls anew for other models, and goes on with the one that was chosen, if it is among them. */
  #changeModels(before: HeadMapView) {
    const { state, map, compared } = before;
    const attributes = this.#attributes;
    if (!attributes || String(attributes.models) === String(this.#models)) return;
    before.leave();
    const model = Math.max(attributes.models.indexOf(this.#models[state.model]), 0);
    const view = this.#makeView(attributes, { ...state, model });
    this.#still = this.#models.length ? null : (map?.shape ?? null);
    if (map) view.show(map, compared);
    if (this.#models.length) view.setStatus(LOADING);
    this.update();
  }

  // --- computing

  #compute(model: HeadModel, signal: AbortSignal) {
    const view = this.#view as HeadMapView;
    const headMask = this.#attributes?.maskFor(model);
    if (headMask !== undefined) view.update({ headMask });
    if (!fits(view.state.headMask, model)) view.update({ headMask: null });
    view.controls.suggestions.words = model.vocabulary ?? NONE;
    const { sentence, compare, headMask: mask } = view.state;
    const map = model.attend(sentence, mask, { signal });
    return together<AttentionMap | null>([map, compare === null ? null : model.attend(compare, mask, { signal })]) as Maps | Promise<Maps>;
  }

  #show([map, compared]: Maps) {
    const view = this.#view as HeadMapView;
    Object.assign(view.state, this.#attributes?.arrive());
    this.#computedBy = this.model;
    view.show(map, compared);
    view.setStatus(READY);
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#view?.setStatus(text, act, name);
  }

  protected override markOld(old: boolean) {
    if (this.#view) this.#view.stale = old;
  }

  /** Says why a sentence gets no map, unless its last word is still being typed; offers the likeliest of the words that an unknown one may be. */
  protected override refuse({ message, word, near }: Refusal) {
    const view = this.#view as HeadMapView;
    const { sentence } = view.state;
    if (word && sentence.toLowerCase().endsWith(word) && view.controls.suggestions.words.some((known) => known.startsWith(word)))
      return view.setStatus(STAYS);
    const at = word && near.length ? sentence.toLowerCase().indexOf(word) : -1;
    const replace = () => view.set({ sentence: sentence.slice(0, at) + near[0] + sentence.slice(at + (word ?? "").length) });
    view.refuse(`${message} ${STAYS}`, at < 0 ? null : replace, `Use “${near[0]}”`);
  }
}

const isComputed = (name: string) => (COMPUTED as string[]).includes(name);

/** Whether a mask is of the model's layers and heads. */
const fits = (mask: HeadMask, { numLayers, numHeads }: HeadModel) => !mask || (mask.length === numLayers && mask[0].length === numHeads);

declare global {
  interface HTMLElementTagNameMap {
    "head-map": HeadMapElement;
  }
}
