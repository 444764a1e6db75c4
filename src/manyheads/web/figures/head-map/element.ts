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
import { namesWith, type OptionName } from "../../math/options.ts";
import { withWord } from "../../math/text.ts";
import { decodeMap } from "../../math/wire.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { announce } from "../../views/dom.ts";
import { ATTRIBUTES, copiesOf, linkedOf, modelsOf, placesOf, readLent, writtenOf } from "./attributes.ts";
import { HeadMapView } from "./view.ts";

/** A map, and that of the sentence it is compared with. */
type Maps = [AttentionMap, AttentionMap | null];

/** What stays on screen where one can't be read. */
const stays = (what: string) => `What you see is the last ${what} that could be read.`;

export class HeadMapElement extends Figure<HeadMapView> implements LiveMap {
  static observedAttributes = ATTRIBUTES;
  protected override drawsLate = true;
  #places: string[] = []; // what a link may call this map
  #models: string[] = []; // as the view knows them
  #model: HeadModel | null = null; // that computes
  #computedBy = "";
  #example = ""; // the sentence whose map is baked in
  #wakesWhenSeen = false; // to offer a model, or to show what is not shown yet

  protected override task = new Task(this, {
    models: () => (this.model ? [this.model] : []),
    tell: (...told) => this.view?.setStatus(...told),
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
    return this.#computedBy;
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
    else if (name !== this.model) this.view?.choose({ model });
  }

  /** [layer][head] -> whether it is on; null where all are. */
  get headMask(): HeadMask {
    return this.#chosen?.headMask ?? null;
  }

  set headMask(headMask: HeadMask) {
    this.view?.choose({ headMask });
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
    this.view?.choose({ query });
    if (this.#models.length) this.view?.update({ query });
  }

  /** Writes a sentence into the map as its reader does by typing it. */
  type(sentence: string) {
    this.view?.choose({ sentence });
  }

  /** Begins with an example: all heads are on. */
  begin(sentence: string) {
    this.view?.dispatch({ type: "begin", sentence });
  }

  override lend(settings: Record<string, string>) {
    this.view?.dispatch({ type: "lend", parts: readLent(settings, this.models) });
  }

  /**
   * Reads a GGUF file of the reader's as the map's model; fulfilled once it reads the sentence with it. What could not be done is told,
   * and rejected, and what was shown stays.
   */
  async open(file: File) {
    this.drawNow();
    const { name } = await openFile(file, { tell: (...told) => this.view?.setStatus(...told) });
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
    const view = this.#makeView(writtenOf(this));
    if (baked) view.show(decodeMap(baked), baked.compared ? decodeMap(baked.compared) : null);
    const linked = linkedOf(this, this.#places);
    if (!this.#models.length) {
      if (linked) view.dispatch({ type: "lend", parts: linked });
      return view.setStatus(baked?.status ?? "");
    }
    view.update(writtenOf(this)); // the map to come may have more layers, heads and tokens than the one that's baked in
    makePressable();
    this.#example = this.getAttribute("sentence") ?? "";
    view.setStatus(this.#onRequest ? OFFERED : EXAMPLE_SHOWN);
    if (linked) view.dispatch({ type: "lend", parts: linked });
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
    return this.#models.some((name) => isOnRequest(name));
  }

  #makeView(parts: StateParts) {
    this.#models = this.models;
    this.#model = null; // the view doesn't know it
    const view: HeadMapView = new HeadMapView(this, parts, {
      models: this.#models,
      readsText: this.#models.every(readsText),
      computes: this.#models.length > 0,
      copies: copiesOf(this, this.#places[0], () => view.state),
      examples: this.getAttribute("examples") ?? "",
      tools: this.getAttribute("tools") !== "none",
      behaviours: this.#models.some(isFile) ? null : (this.getAttribute("behaviours")?.split(" ") ?? null), // of the page's own model
      compute: () => this.task.run(),
      painted: (map) => announce(this, "attention", map),
      asked: (query) => announce(this, "ask", query),
    });
    this.view = view;
    if (this.#onRequest) view.statusFirst(); // what it offers comes before what is shown
    return view;
  }

  protected override listen(leaves: AbortSignal) {
    if (this.#wakesWhenSeen) whenSeen(this, leaves, () => this.task.wake());
    addEventListener(
      "hashchange",
      () => {
        const linked = linkedOf(this, this.#places);
        if (linked) this.view?.dispatch({ type: "lend", parts: linked });
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
  #changeModels(before: HeadMapView) {
    if (String(this.models) === String(this.#models)) return this.models.some(isFile) ? this.task.run() : undefined; // another file of that name
    const { chosen, map, compared, madeWith } = before.state;
    const model = Math.max(this.models.indexOf(this.#models[chosen.model]), 0);
    const linked = this.models.includes(madeWith) ? linkedOf(this, this.#places) : null; // now its heads are there
    const parts = { ...chosen, model, ...linked, sentence: chosen.sentence };
    before.leave();
    const view = this.#makeView(parts);
    if (map) view.show(map, compared);
    if (linked) view.update(parts); // for the map to come
    if (this.#models.length) view.setStatus(LOADING);
    this.task.run();
  }

  // --- computing

  #compute(model: HeadModel, signal: AbortSignal) {
    const view = this.view as HeadMapView;
    if (model !== this.#model || view.state.off) {
      const { numLayers, numHeads, vocabulary } = model;
      view.dispatch({ type: "model", numLayers, numHeads, vocabulary });
    }
    this.#model = model;
    signal.throwIfAborted(); // it lacks heads that were to be off, so that another map was asked for
    const { sentence, compare, headMask, weigh } = view.state.chosen;
    const attend = (text: string) => model.attend(text, headMask, { signal, norms: weigh === "written" });
    return together<AttentionMap | null>([attend(sentence), compare === null ? null : attend(compare)]) as
      Maps | Promise<Maps>;
  }

  #show([map, compared]: Maps) {
    this.#computedBy = this.model;
    this.view?.show(map, compared, readyWith(this.#model));
  }

  /** Says why a sentence gets no map, unless its last word is still being typed; offers the likeliest of the words that an unknown one may be. */
  #refuse({ message, word, near }: Refusal) {
    const view = this.view as HeadMapView;
    const {
      chosen: { sentence },
      words,
    } = view.state;
    if (word && sentence.toLowerCase().endsWith(word) && words.some((known) => known.startsWith(word)))
      return view.setStatus(stays(this.#reads));
    const mended = word && near.length ? withWord(sentence, word, near[0]) : null;
    const act = mended === null ? null : () => view.choose({ sentence: mended });
    view.dispatch({
      type: "say",
      refused: true,
      message: { text: `${message} ${stays(this.#reads)}`, act, name: `Use “${near[0]}”` },
    });
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "head-map": HeadMapElement;
  }
}
