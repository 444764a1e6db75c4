// The state that a page gives a <head-map>, by attributes and by links, and what of it has to wait for a map to come.

import { frameFor, linkedState, linkTo, maskOf, readPart, tagFor, WRITTEN, writeState, type StateParts } from "../../doors/state.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import type { MapState } from "../../math/map-state.ts";
import type { HeadModel } from "../../models/head-model.ts";
import type { HeadMapElement } from "./element.ts";

/** All attributes of a <head-map>. */
export const ATTRIBUTES = ["model", "models", ...WRITTEN];

/** The names in an attribute, with spaces between them. */
export const namesIn = (text: string | null) => (text ?? "").split(/\s+/).filter(Boolean);

export class MapAttributes {
  #element: HTMLElement;
  #places: string[] = []; // what a link may call this map: its id, how many-th on the page it is
  /** Layer, head and query for the map to come: the one on screen may be smaller. */
  #later: Partial<MapState> = {};
  /** The heads that are to be off in it, as [layer, head]. */
  #off: number[][] | null = null;

  constructor(element: HTMLElement) {
    this.#element = element;
    const maps = [...document.querySelectorAll("head-map")];
    this.#places = [...(element.id ? [element.id] : []), String(maps.indexOf(element as HeadMapElement) + 1)];
  }

  /** The names of the models. */
  get models() {
    return namesIn(this.#element.getAttribute("models") ?? this.#element.getAttribute("model"));
  }

  /** The state that all attributes write. */
  get written(): StateParts {
    return Object.assign({}, ...WRITTEN.map((name) => readPart(name, this.#element.getAttribute(name))));
  }

  /** What the page's address says of this map; null where it says nothing. Brings the map before the reader. */
  linked(): StateParts | null {
    const linked = linkedState(location.hash, this.#places);
    if (!linked) return null;
    requestAnimationFrame(() => this.#element.scrollIntoView({ block: "nearest" }));
    return { ...linked.state, model: Math.max(this.models.indexOf(linked.model ?? ""), 0) };
  }

  /** The part of a state that can be shown at once; the rest waits. Of a map that no model computes, `shape` is given: nothing waits. */
  take({ off, ...state }: StateParts, shape: number[] | null): Partial<MapState> {
    this.postpone(state);
    if (!off) return state;
    if (shape) return { ...state, headMask: maskOf(off, shape[0], shape[1]) };
    this.#off = off;
    return { ...state, headMask: null };
  }

  /** Sees to it that layer, head and query hold for the map to come as well. */
  postpone(state: Partial<MapState>) {
    for (const name of ["layer", "head", "query"] as const)
      if (name in state) Object.assign(this.#later, { [name]: state[name] });
  }

  /** The reader chose other values for the named parts. */
  forget(names: string[]) {
    for (const name of names) delete this.#later[name as keyof MapState];
    if (names.includes("headMask")) this.#off = null;
  }

  /** The mask that waited for a model; undefined where none did. */
  maskFor({ numLayers, numHeads }: HeadModel): HeadMask | undefined {
    const off = this.#off;
    this.#off = null;
    return off ? maskOf(off, numLayers, numHeads) : undefined;
  }

  /** What waited for the map that comes now. */
  arrive(): Partial<MapState> {
    const later = this.#later;
    this.#later = {};
    return later;
  }

  /** The texts that the menu can copy. */
  copies(state: () => MapState): Record<string, () => string> {
    const pairs = () => writeState(state(), this.models[state().model]);
    const link = { link: () => linkTo(location.href, this.#places[0], pairs()) };
    if (!this.models.length) return link;
    const folder = new URL("../", import.meta.url); // its head-map.js leads to that of each version
    return { ...link, tag: () => tagFor(folder, pairs()), frame: () => frameFor(folder, pairs()) };
  }
}
