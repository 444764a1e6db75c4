// The heads of a map: a toggle for each, and how whatever shows a head looks.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { MapState, ShownMap } from "../../math/map-state.ts";
import { behaviourOf, headColour, layerName } from "../../math/maps.ts";
import { h, setText } from "../../views/dom.ts";
import type { Look } from "../../views/map-part.ts";

interface HeadsHost {
  map: AttentionMap | null;
  shown: { map: ShownMap };
  state: MapState;
  dim: boolean;
  set(state: Partial<MapState>): void;
}

export class MapHeads {
  #host: HeadsHost;
  #behaviours: string[] | null;
  #toggles: HTMLElement[] = []; // kept over repaints, so that none loses the focus
  #highlighted: number | null = null;
  #title = h("span");
  /** Holds the toggles where the view has no place for them. */
  readonly bar = h("div", { class: "hm-heads", hidden: true }, this.#title);

  /** `behaviours` colour the heads, layer by layer; else each has the colour of its number. */
  constructor(host: HeadsHost, behaviours: string[] | null) {
    this.#host = host;
    this.#behaviours = behaviours;
  }

  isOn(layer: number, head: number) {
    return this.#host.state.headMask?.[layer]?.[head] ?? true;
  }

  /** How a head is drawn. */
  look(map: ShownMap, layer: number, head: number): Look {
    const { dim, state } = this.#host;
    return { colour: this.#colour(map, layer, head), off: !map.mixed && !this.isOn(layer, head), dim, scale: state.scale };
  }

  #colour(map: { mixed?: boolean, shape: number[] }, layer: number, head: number) {
    const known = map.mixed ? undefined : this.#behaviours?.[layer * map.shape[1] + head];
    return known ? behaviourOf(known).colour : headColour(map, head);
  }

  /** Gives a node that shows a head its colour. */
  dress(node: HTMLElement, layer: number, head: number) {
    const { colour, off } = this.look(this.#host.shown.map, layer, head);
    node.style.setProperty("--head", colour);
    node.classList.toggle("hm-off", off);
    node.dataset.head = String(head);
    node.classList.toggle("hm-lit", head === this.#highlighted);
  }

  /** Highlights what shows a head within `stage`; null for none. */
  highlight(head: number | null, stage: HTMLElement) {
    this.#highlighted = head;
    for (const node of stage.querySelectorAll<HTMLElement>("[data-head]"))
      node.classList.toggle("hm-lit", head !== null && Number(node.dataset.head) === head);
  }

  /** Puts a head's name into `place`: its toggle, or plain text where the rows are no single head's. */
  placeName(place: HTMLElement, head: number) {
    const { mixed, headNames } = this.#host.shown.map;
    const present = place.firstElementChild;
    if (!mixed) {
      if (present !== this.#toggles[head]) place.replaceChildren(this.#toggles[head]);
      return;
    }
    const name = present?.tagName === "SPAN" ? present : h("span", { class: "hm-head" });
    if (present !== name) place.replaceChildren(name);
    setText(name, headNames[head]);
  }

  /** One toggle per head; they stand in the bar unless the view places them. */
  draw(map: AttentionMap, inView: boolean) {
    const { bar } = this;
    const { state } = this.#host;
    const toggles = this.#toggles;
    const [layers, heads] = map.shape;
    toggles.length = Math.min(toggles.length, heads);
    while (toggles.length < heads) toggles.push(this.#makeToggle(toggles.length));
    toggles.forEach((toggle, head) => {
      setText(toggle, map.headNames[head]);
      toggle.style.setProperty("--head", this.#colour(map, state.layer, head));
      toggle.ariaLabel = map.headNames[head];
      toggle.ariaPressed = String(this.isOn(state.layer, head));
    });
    bar.hidden = inView && !this.#host.shown.map.mixed;
    setText(this.#title, layers > 1 || map.layerNames ? `Heads of ${layerName(map, state.layer)}` : "Heads");
    const moved = bar.childElementCount !== heads + 1 || toggles.some(({ parentElement }) => parentElement !== bar);
    if (!bar.hidden && moved) bar.replaceChildren(this.#title, ...toggles);
  }

  #makeToggle(head: number) {
    return h("button", { type: "button", class: "hm-head", onclick: () => this.#toggle(head) });
  }

  #toggle(head: number) {
    const { map, state } = this.#host;
    if (!map) return;
    const [layers, heads] = map.shape;
    const rowOf = (layer: number) => Array.from({ length: heads }, (_, at) => this.isOn(layer, at));
    const mask = [...Array(layers).keys()].map(rowOf);
    mask[state.layer][head] = !mask[state.layer][head];
    this.#host.set({ headMask: mask.flat().every(Boolean) ? null : mask });
  }
}
