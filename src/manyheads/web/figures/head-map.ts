// <head-map>: what every head looks at, live. One renderer with two doors: the default export is for kernels
// (anywidget; Python computes), the custom element is for pages (models.js computes). widgets/one_module.py makes one module
// without imports of this file and those it names, so that a notebook needs no bundler and a page asks for one file. Nothing
// touches the DOM while it loads, so that Node can test the parts.

import { openDoor } from "../doors/kernel-door.js";
import { bakedInto, dressPage, mayDefine, readyAfter, whenSeen, whenTouched, withResolvers } from "../doors/page-element.js";
import { EXAMPLE_SHOWN, failedTo, LOADING, loadTold, modelsScript, notLoaded, READY } from "../doors/page-models.js";
import { keepWhenSaved } from "../doors/saved-figure.js";
import { makePressable } from "../doors/worth-trying.js";
import { frameFor, linkedState, linkTo, maskOf, readPart, tagFor, WRITTEN, writeState } from "../doors/state.js";
import { isOnRequest } from "../math/families.ts";
import { decodeMap } from "../math/wire.js";
import { announce, h } from "../views/dom.js";
import { NONE } from "../views/suggestions.js";
import { COMPUTED, HeadMapView } from "./head-map-view.js";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `HeadMap` holds which part of the state. */
export const TRAITS = { sentence: "sentence", compare: "compare", view: "view", layer: "layer", head: "head",
  query: "query", headMask: "head_mask", model: "model_index", special: "special", heads: "heads", layers: "layers",
  pieces: "pieces", sinks: "sinks", scale: "scale", top: "top", first: "first", last: "last", find: "find" };

/** @param {{ model: KernelModel, el: HTMLElement }} cell */
function render({ model, el }) {
  const root = el.appendChild(h("div", { class: "head-map" }));
  /** @type {HeadMapView | undefined} */
  let shown;
  let asked = 0;
  const take = () => {
    const sent = model.get("_layer");
    if (sent && sent.of === shown?.map?.computed) shown?.addLayer(sent.layer, sent.weights, sent.compared);
  };
  const close = openDoor(model, TRAITS, ["_attention", "_compared"], {
    make: (state, change) => (shown = new HeadMapView(root, state, {
      change, models: model.get("_models"), computes: model.get("_computes"), painted: (map) => announce(el, "attention", map),
      want: (layers, { computed: of }) => {
        model.set("_wanted", { of, layers, asked: `${++asked} ${Math.random()}` }); // each time another, so that it is a change
        model.save_changes();
      },
    })),
    show(/** @type {HeadMapView} */ view) {
      const [map, compared] = [model.get("_attention"), model.get("_compared")];
      view.show(decodeMap(map), compared && decodeMap(compared));
    },
  });
  model.on("change:_layer", take);
  const forget = keepWhenSaved(model, root);
  return () => {
    model.off("change:_layer", take);
    forget();
    close();
  };
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

/** @typedef {import("../doors/state.js").Said} Said */

const ATTRIBUTES = ["model", "models", ...WRITTEN];
/** What a model throws that cannot read a sentence. @typedef {Error & { word?: string, near?: string[] }} Refusal */

const NO_MAP = "The map could not be computed";
const STAYS = "What you see is the last sentence that could be read.";
const PATIENCE = 400; // milliseconds until a reader is told that a map is being computed

function defineElement() {
  class HeadMapElement extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    /** @type {HeadMapView | undefined} */
    #view;
    #ready = withResolvers();
    /** @type {Map<string, HeadModel>} */
    #engines = new Map();
    /** Models that are on their way. @type {Map<string, Promise<HeadModel>>} */
    #loading = new Map();
    #wanted = 0; // counts what was to be computed: the last keystroke wins
    #watches = false; // for being seen
    #unwatch = () => {};
    #allowed = false; // to fetch a model that is asked for
    /** Aborts the sentences that are being computed. @type {AbortController | undefined} */
    #asking;
    #computedBy = "";
    #example = ""; // the sentence whose map is baked in
    /** The shape of a map that no model stands behind. @type {number[] | null} */
    #still = null;
    /** What a link may call this map: its id, how many-th on the page it is. @type {string[]} */
    #places = [];
    /** Layer, head and query for a map that is still to come: the one shown may be smaller. @type {Partial<MapState>} */
    #wish = {};
    /** The heads that are to be off in it. @type {number[][] | null} */
    #off = null;

    /** Fulfilled once the element computes for itself; asking for it starts the loading. */
    get ready() {
      this.#allowed = true;
      this.#start();
      return this.#ready.promise;
    }

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

    set sentence(text) {
      this.setAttribute("sentence", text);
    }

    connectedCallback() {
      addEventListener("hashchange", this.#follow);
      if (this.#view) return this.#resume(); // it was moved, or removed for a while
      dressPage("head-map.css");
      const baked = bakedInto(this);
      if (!this.#models.length) this.#still = baked?.shape ?? null;
      const told = /** @type {HTMLElement | null} */ (this.querySelector(".hm-status"));
      const said = told?.dataset.said ?? told?.textContent ?? ""; // without notes, if Python wrote it since they are told apart
      this.classList.add("head-map");
      const maps = [...document.querySelectorAll("head-map")];
      this.#places = [...(this.id ? [this.id] : []), String(maps.indexOf(this) + 1)];
      const linked = this.#linked();
      const state = linked ?? Object.assign({}, ...ATTRIBUTES.map((name) => this.#attribute(name)));
      const view = (this.#view = new HeadMapView(this, this.#wishFor(state), {
        models: this.#models,
        computes: this.#models.length > 0,
        copies: this.#copies(),
        examples: this.getAttribute("examples") ?? "",
        guide: this.hasAttribute("guide"),
        change: (_, names) => this.#changed(names),
        painted: (map) => announce(this, "attention", map),
      }));
      if (baked) view.show(decodeMap(baked), baked.compared ? decodeMap(baked.compared) : null);
      if (!this.#models.length) {
        view.setStatus(said);
        return this.#ready.resolve();
      }
      makePressable();
      this.#example = this.getAttribute("sentence") ?? "";
      view.setStatus(EXAMPLE_SHOWN);
      whenTouched(this, () => this.#start());
      const asked = this.#models.some((name) => isOnRequest(name));
      if (asked) view.statusFirst();
      this.#watches = asked || Boolean(linked) || !baked; // to offer it, or to show what is not there yet
      this.#watch();
    }

    #watch() {
      if (this.#watches) this.#unwatch = whenSeen(this, () => this.#start());
    }

    disconnectedCallback() {
      removeEventListener("hashchange", this.#follow);
      this.#unwatch();
      queueMicrotask(() => this.isConnected || this.#stop());
    }

    #resume() {
      this.#watch();
      if (this.#asking?.signal.aborted) this.#compute();
    }

    /** Gives up what is being computed. */
    #stop() {
      this.#wanted++;
      this.#asking?.abort();
    }

    attributeChangedCallback(/** @type {string} */ name) {
      if (!this.#view) return;
      this.#view.update(this.#wishFor(this.#attribute(name)));
      if (name === "off" || isComputed(name)) this.#compute();
    }

    // --- the state: attributes, links, what the reader chose

    /** The part of the state that an attribute stands for. */
    #attribute(/** @type {string} */ name) {
      return name.startsWith("model") ? {} : readPart(name, this.getAttribute(name));
    }

    get #models() {
      return (this.getAttribute("models") ?? this.getAttribute("model") ?? "").split(/\s+/).filter(Boolean);
    }

    /** What the page's address says of this map; brings the map before the reader. */
    #linked() {
      const linked = linkedState(location.hash, this.#places);
      if (!linked) return null;
      requestAnimationFrame(() => this.scrollIntoView({ block: "nearest" }));
      return { ...linked.state, model: Math.max(this.#models.indexOf(linked.model ?? ""), 0) };
    }

    #follow = () => {
      const linked = this.#linked();
      if (!linked) return;
      this.#view?.update(this.#wishFor(linked));
      if (this.#models.length) this.#compute();
    };

    /** Keeps what can only be shown of the map to come; gives the state without the heads that are off. */
    #wishFor(/** @type {Said} */ { off, ...state }) {
      for (const name of /** @type {const} */ (["layer", "head", "query"]))
        if (name in state) Object.assign(this.#wish, { [name]: state[name] });
      if (!off) return state;
      if (this.#still) return { ...state, headMask: maskOf(off, this.#still[0], this.#still[1]) };
      this.#off = off;
      return { ...state, headMask: null };
    }

    #changed(/** @type {string[]} */ names) {
      for (const name of names) delete this.#wish[/** @type {keyof MapState} */ (name)];
      if (names.includes("headMask")) this.#off = null;
      if (names.some(isComputed)) this.#compute();
    }

    /** What the menu can copy. @returns {Record<string, () => string>} */
    #copies() {
      const state = () => this.#view ? writeState(this.#view.state, this.#models[this.#view.state.model]) : [];
      const link = { link: () => linkTo(location.href, this.#places[0], state()) };
      if (!this.#models.length) return link;
      const folder = new URL("./", import.meta.url);
      return { ...link, tag: () => tagFor(folder, state()), frame: () => frameFor(folder, state()) };
    }

    // --- computing

    #start() {
      if (this.#models.length && !this.#engines.size && !this.#loading.size) this.#compute();
    }

    /** Computes and shows the map of the present state; the last keystroke wins. */
    async #compute() {
      const view = this.#view;
      if (!view || !this.#models.length) return;
      const wanted = ++this.#wanted;
      this.#asking?.abort();
      const name = this.#models[view.state.model];
      let engine = this.#engines.get(name);
      if (!engine) {
        engine = await this.#load(name, wanted, view);
        if (!engine || wanted !== this.#wanted) return;
      }
      if (this.#off) view.update({ headMask: maskOf(this.#off, engine.numLayers, engine.numHeads) });
      this.#off = null;
      if (!fits(view.state.headMask, engine)) view.update({ headMask: null });
      const { sentence, compare, headMask } = view.state;
      this.#asking = new AbortController();
      const options = { signal: this.#asking.signal };
      view.controls.suggestions.words = engine.vocabulary ?? NONE;
      let map, compared;
      try {
        map = engine.attend(sentence, headMask, options);
        compared = compare === null ? null : engine.attend(compare, headMask, options);
      } catch (error) {
        this.#refuse(view, /** @type {Refusal} */ (error));
        return;
      }
      // No await where the model answers at once: the map is repainted before the keystroke's event returns.
      if (map instanceof Promise) {
        const slow = setTimeout(() => view.setStatus("Computing."), PATIENCE);
        try {
          [map, compared] = await Promise.all([map, compared]);
        } catch (error) {
          if (engine.broken) this.#engines.delete(name); // the next try makes a new one
          if (wanted !== this.#wanted) return;
          view.setStatus(failedTo(NO_MAP, error), () => this.#compute());
          return;
        } finally {
          clearTimeout(slow);
        }
      }
      Object.assign(view.state, this.#wish);
      this.#wish = {};
      this.#computedBy = name;
      view.show(map, /** @type {AttentionMap | null} */ (compared));
      view.setStatus(READY);
      this.#ready.resolve();
    }

    /**
     * Tells why a sentence gets no map; offers the likeliest of the words that an unknown one may be.
     * @param {HeadMapView} view
     * @param {Refusal} refusal
     */
    #refuse(view, { name, message, word, near }) {
      if (name !== "Fault") return view.setStatus(failedTo(NO_MAP, { name }), () => this.#compute());
      this.#ready.resolve();
      const said = `${message} ${STAYS}`;
      if (!word || !near?.length) return view.refuse(said);
      const { sentence } = view.state;
      const at = sentence.toLowerCase().indexOf(word);
      view.refuse(said, at < 0 ? null : () => view.set({ sentence: sentence.slice(0, at) + near[0] + sentence.slice(at + word.length) }), `Use “${near[0]}”`);
    }

    /**
     * The engine of the chosen model, with progress in the status line; undefined where it did not come, or waits for the
     * reader to ask.
     * @param {string} name
     * @param {number} wanted
     * @param {HeadMapView} view
     */
    async #load(name, wanted, view) {
      try {
        const asks = !this.#loading.has(name) && !this.#allowed && isOnRequest(name);
        if (asks && ((await this.#offers(name, wanted, view)) || wanted !== this.#wanted)) return;
        const engine = await (this.#loading.get(name) ?? this.#fetch(name, view));
        this.#engines.set(name, engine);
        return engine;
      } catch (error) {
        if (wanted === this.#wanted) view.setStatus(notLoaded(error), () => this.#compute());
      }
    }

    /**
     * @param {string} name
     * @param {HeadMapView} view
     */
    #fetch(name, view) {
      view.setStatus(LOADING);
      const chosen = () => this.#models[view.state.model] === name; // else the line tells of another model
      const loading = loadTold(name, (text) => chosen() && view.setStatus(text));
      const end = () => this.#loading.delete(name);
      loading.then(end, end);
      this.#loading.set(name, loading);
      return loading;
    }

    /**
     * Offers to fetch a large model, with its size; false where nothing is missing.
     * @param {string} name
     * @param {number} wanted
     * @param {HeadMapView} view
     */
    async #offers(name, wanted, view) {
      const { missingBytes, whenLoaded } = await modelsScript();
      const bytes = await missingBytes(name);
      if (bytes === 0) return false;
      if (wanted !== this.#wanted) return true;
      const typed = view.state.sentence !== this.#example;
      view.setStatus(typed ? `Your text will be answered once the ${name} has loaded.` : "This is a computed example.",
        () => this.ready, `Load the ${name} (${(bytes / 1e6).toFixed(1)} MB)`);
      readyAfter(whenLoaded(name), this); // at the wish of another figure
      return true;
    }
  }

  customElements.define("head-map", HeadMapElement);
}

const isComputed = (/** @type {string} */ name) => /** @type {string[]} */ (COMPUTED).includes(name);

/**
 * Whether a mask is of the model's layers and heads.
 * @param {HeadMask} mask
 * @param {HeadModel} model
 */
const fits = (mask, { numLayers, numHeads }) => !mask || (mask.length === numLayers && mask[0].length === numHeads);

if (mayDefine("head-map")) defineElement();
