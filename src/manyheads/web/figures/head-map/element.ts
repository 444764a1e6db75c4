// <head-map>: what every head looks at, live in a page.

import { openFile } from "../../doors/open-file.ts";
import { dressPage, Figure, takeEarly, whenSeen, whenTouched, type LiveMap } from "../../doors/page-element.ts";
import { EXAMPLE_SHOWN, LOADING, OFFERED, readyWith } from "../../doors/page-models.ts";
import { readPart, type StateParts } from "../../doors/state.ts";
import { answeredLater, Task, together, type Refusal } from "../../doors/task.ts";
import { makePressable } from "../../doors/worth-trying.ts";
import type { AttentionMap, HeadMask } from "../../math/attention-map.ts";
import { isFile, isOnRequest, readsText } from "../../math/families.ts";
import { offOf } from "../../math/heads-off.ts";
import type { MapState } from "../../math/map-state.ts";
import { namesWith, type OptionName } from "../../math/options.ts";
import { withWord } from "../../math/text.ts";
import { decodeMap } from "../../math/wire.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { offerBelowSentence } from "../../views/controls.ts";
import { ATTRIBUTES, copiesOf, linkedOf, modelsOf, placesOf, readLent, writtenOf } from "./attributes.ts";
import { startWith, type State } from "./state.ts";
import { mapFigure, type MapFigure } from "./view.ts";

/** A map, and that of the sentence it is compared with. */
type Maps = [AttentionMap, AttentionMap | null];

/** What stays on screen where one can't be read. */
const stays = (what: string) => `What you see is the last ${what} that could be read.`;

export class HeadMapElement extends Figure<MapFigure> implements LiveMap {
  static observedAttributes = ATTRIBUTES;
  protected override drawsLate = true;
  #places: string[] = []; // what a link may call this map
  #model: HeadModel | null = null; // that computes
  #example = ""; // the sentence whose map is baked in
  #wakesWhenSeen = false; // to offer a model, or to show what is not shown yet

  protected override task = new Task(this, {
    models: () => (this.model ? [this.model] : []),
    tell: (...message) => this.view?.setStatus(...message),
    waits: (model) => (this.sentence === this.#example ? null : answeredLater(model)),
    offered: (old) => this.view?.markOld(old),
    refuse: (refusal) => this.#refuse(refusal),
    job: {
      failure: "The map could not be computed",
      compute: ([model], signal) => this.#compute(model, signal),
      show: (maps: Maps) => this.#show(maps),
    },
  });

  /** Fulfilled once the map computes for itself; asking for it starts the loading. */
  get ready() {
    this.drawNow();
    return this.task.ready;
  }

  // --- what a page can ask and set

  get #chosen() {
    return this.view?.state.chosen ?? null;
  }

  /** The map on display: {queryTokens, keyTokens, shape, weights, headNames, predictions}. */
  get attention() {
    return this.view?.state.map ?? null;
  }

  /** The name of the model that computed it; "" where the page brought it. */
  get computedBy() {
    return (this.isAsBuilt ? null : this.view?.state.computedBy) ?? "";
  }

  get sentence() {
    return (this.isAsBuilt ? null : this.#chosen?.sentence) ?? this.getAttribute("sentence") ?? "";
  }

  set sentence(text: string) {
    this.setAttribute("sentence", text);
  }

  /** The heads that are off, as the attribute names them: "0.3 5.11". */
  get off() {
    return offOf(this.headMask);
  }

  set off(heads: string) {
    this.setAttribute("off", heads);
  }

  /** The names of its models. */
  get models() {
    return modelsOf(this);
  }

  /** The name of the model that is chosen. */
  get model() {
    return this.models[this.#chosen?.model ?? 0] ?? "";
  }

  set model(name: string) {
    const model = this.models.indexOf(name);
    if (model < 0) this.setAttribute("model", name);
    else if (name !== this.model) this.#choose({ model });
  }

  /** [layer][head] -> whether it is on; null where all are. */
  get headMask(): HeadMask {
    return this.#chosen?.headMask ?? null;
  }

  set headMask(headMask: HeadMask) {
    this.#choose({ headMask });
  }

  /** The head that is shown alone, or large; null where none is. */
  get enlarged() {
    const { layer = 0, head = null } = this.#chosen ?? {};
    return head === null ? null : { layer, head };
  }

  /** The token that asks, by its place in the map; in the map to come, where one is computed. */
  get query() {
    return this.#chosen?.query ?? 0;
  }

  set query(query: number) {
    this.#choose({ query });
    if (this.view?.state.computes) this.view.update({ query });
  }

  #choose(parts: Partial<MapState>) {
    this.view?.act({ type: "choose", parts });
  }

  /** Writes a sentence into the map as its reader does by typing it. */
  type(sentence: string) {
    this.#choose({ sentence });
  }

  /** Begins with an example: all heads are on. */
  begin(sentence: string) {
    this.view?.act({ type: "begin", sentence });
  }

  override lend(settings: Record<string, string>) {
    this.view?.lend(readLent(settings, this.models));
  }

  /**
   * Reads a GGUF file of the reader's as the map's model; fulfilled once it reads the sentence with it. What could not be done is told,
   * and rejected, and what was shown stays.
   */
  async open(file: File) {
    this.drawNow();
    const { name } = await openFile(file, { tell: (...message) => this.view?.setStatus(...message) });
    this.removeAttribute("models");
    this.setAttribute("model", name);
    await this.task.settled;
  }

  /** Gives the focus to what a reader sets the map by first. */
  override focus(options?: FocusOptions) {
    this.querySelector<HTMLElement>("input, textarea")?.focus(options);
  }

  // --- its life

  protected draw(baked: any) {
    dressPage("head-map.css");
    this.#places = placesOf(this);
    const host = this.#makeHost(writtenOf(this));
    if (baked) {
      const compared = baked.compared ? decodeMap(baked.compared) : null;
      host.dispatch({ type: "show", map: decodeMap(baked), compared });
    }
    const linked = linkedOf(this, this.#places);
    const { computes } = host.state;
    if (computes) host.update(writtenOf(this)); // the map to come may have more layers, heads and tokens than the one that's baked in
    this.#example = computes ? (this.getAttribute("sentence") ?? "") : "";
    host.setStatus(!computes ? (baked?.status ?? "") : this.#onRequest ? OFFERED : EXAMPLE_SHOWN);
    if (linked) host.lend(linked);
    if (!computes) return;
    makePressable();
    whenTouched(this, () => this.task.wake());
    takeEarly<HeadMapElement>(this, "sentence", "model", "headMask", "off", "query");
    this.#wakesWhenSeen = this.#onRequest || linked !== null || !baked;
  }

  /** What its reader calls that which its model reads. */
  get #reads() {
    return readsText(this.model) ? "sentence" : "drawing";
  }

  /** Whether some of its models are fetched on request only. */
  get #onRequest() {
    return this.models.some(isOnRequest);
  }

  #makeHost(parts: StateParts, computedBy = "") {
    const { models } = this;
    const behaviours = this.getAttribute("behaviours")?.split(" ") ?? null;
    const state = startWith(parts, {
      models,
      readsText: models.every(readsText),
      computes: models.length > 0,
      behaviours: models.some(isFile) ? null : behaviours, // of the page's own model
      computedBy,
    });
    const options = {
      examples: this.getAttribute("examples") ?? "",
      tools: this.getAttribute("tools") !== "none",
      copies: (now: () => State) => copiesOf(this, this.#places[0], now),
    };
    this.#model = null; // the state doesn't know it
    this.view = mapFigure(this, state, options, { ask: () => this.task.run() });
    if (this.#onRequest) offerBelowSentence(this); // what it offers comes before what is shown
    return this.view;
  }

  protected override listen(leaves: AbortSignal) {
    if (this.#wakesWhenSeen) whenSeen(this, leaves, () => this.task.wake());
    addEventListener(
      "hashchange",
      () => {
        const linked = linkedOf(this, this.#places);
        if (linked) this.view?.lend(linked);
      },
      { signal: leaves },
    );
  }

  attributeChangedCallback(name: string, _: string | null, text: string | null) {
    const { isAsBuilt } = this; // then it's drawn with the attribute as it is now
    if (!this.view) return;
    const isAmong = name === "model" && this.hasAttribute("models") && this.models.includes(text ?? "");
    if (isAmong) this.model = text!;
    else if (name === "model" || name === "models") this.#changeModels(this.view);
    else if (!isAsBuilt) this.view.update(readPart(name, text));
    else if (namesWith("computed").includes(name as OptionName) || name === "off") this.task.run();
  }

  /** Draws the controls anew for other models, and goes on with the one that was chosen, if it is among them. */
  #changeModels(before: MapFigure) {
    const { models, chosen, map, compared, computedBy, madeWith } = before.state;
    if (String(this.models) === String(models)) return this.models.some(isFile) ? this.task.run() : undefined; // another file of that name
    const model = Math.max(this.models.indexOf(models[chosen.model]), 0);
    const linked = this.models.includes(madeWith) ? linkedOf(this, this.#places) : null; // now its heads are there
    const parts = { ...chosen, model, ...linked, sentence: chosen.sentence };
    before.leave();
    const host = this.#makeHost(parts, computedBy);
    if (map) host.dispatch({ type: "show", map, compared });
    if (linked) host.update(parts); // for the map to come
    if (host.state.computes) host.setStatus(LOADING);
    this.task.run();
  }

  // --- computing

  #compute(model: HeadModel, signal: AbortSignal) {
    const host = this.view!;
    if (model !== this.#model || host.state.off) {
      const { numLayers, numHeads, vocabulary } = model;
      host.dispatch({ type: "model", numLayers, numHeads, vocabulary });
    }
    this.#model = model;
    signal.throwIfAborted(); // it lacks heads that were to be off, so that another map was asked for
    const { sentence, compare, headMask, weigh } = host.state.chosen;
    const attend = (text: string) => model.attend(text, headMask, { signal, norms: weigh === "written" });
    return together<AttentionMap | null>([attend(sentence), compare === null ? null : attend(compare)]) as
      Maps | Promise<Maps>;
  }

  #show([map, compared]: Maps) {
    this.view!.dispatch({ type: "show", map, compared, computedBy: this.model });
    this.view!.setStatus(readyWith(this.#model));
  }

  /** Says why a sentence gets no map, unless its last word is still being typed; offers the likeliest of the words that an unknown one may be. */
  #refuse({ message, word, near }: Refusal) {
    const host = this.view!;
    const { chosen, words } = host.state;
    const { sentence } = chosen;
    if (word && sentence.toLowerCase().endsWith(word) && words.some((known) => known.startsWith(word)))
      return host.setStatus(stays(this.#reads));
    const mended = word && near.length ? withWord(sentence, word, near[0]) : null;
    const act = mended === null ? null : () => this.#choose({ sentence: mended });
    host.dispatch({ type: "refuse" });
    host.setStatus(`${message} ${stays(this.#reads)}`, act, `Use “${near[0]}”`);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "head-map": HeadMapElement;
  }
}
