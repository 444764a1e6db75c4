// The heads of a map: a switch for each, and the style of whatever shows a head.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { HeadStyle, ShownMap } from "../../math/map-state.ts";
import { behaviourOf, colourOf, headName, layerName } from "../../math/maps.ts";
import { h, setText } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { isOn, toggled, type Action, type State } from "./state.ts";

/** The colour of a head: that of what it mostly does, where it's known, else that of its name. */
export function colourOfHead(
  map: Pick<AttentionMap, "shape" | "headNames" | "namedLayer"> & { mixed?: boolean },
  behaviours: string[] | null,
  layer: number,
  head: number,
) {
  const known = map.mixed ? undefined : behaviours?.[layer * map.shape[1] + head];
  return known ? behaviourOf(known).colour : colourOf(headName(map, layer, head));
}

/** How a head is drawn. */
export const styleOfHead = (
  { chosen }: State,
  behaviours: string[] | null,
  map: ShownMap,
  layer: number,
  head: number,
): HeadStyle => ({
  colour: colourOfHead(map, behaviours, layer, head),
  off: !map.mixed && !isOn(chosen, layer, head),
  dim: chosen.special === "dim",
  scale: chosen.scale,
});

export class Switches {
  /** Holds the switches where the view has no place for them. */
  readonly bar: HTMLElement;
  #dispatch: (action: Action) => void;
  #behaviours: string[] | null;
  #switches: HTMLElement[] = []; // kept over repaints, so that none loses the focus
  #title = h("span");
  #state: State | null = null;

  constructor(dispatch: (action: Action) => void, behaviours: string[] | null) {
    this.#dispatch = dispatch;
    this.#behaviours = behaviours;
    this.bar = h("div", { class: "hm-heads", hidden: true }, this.#title);
  }

  /** Puts a head's name into `place`: its switch, or plain text where the rows are no single head's. */
  placeName(place: HTMLElement, { mixed, headNames }: ShownMap, head: number) {
    const present = place.firstElementChild;
    if (!mixed) {
      if (present !== this.#switches[head]) place.replaceChildren(this.#switches[head]);
      return;
    }
    const name = present?.tagName === "SPAN" ? present : h("span", { class: "hm-head" });
    if (present !== name) place.replaceChildren(name);
    setText(name, headNames[head]);
  }

  /** One switch per head; they stand in the bar unless the view places them, which it can't where rows are `mixed`. */
  draw(state: State, map: AttentionMap, inView: boolean) {
    this.#state = state;
    const { chosen, shown } = state;
    const { bar } = this;
    const switches = this.#switches;
    const [layers, heads] = map.shape;
    switches.length = Math.min(switches.length, heads);
    while (switches.length < heads) switches.push(this.#make(switches.length));
    switches.forEach((each, head) =>
      drawSwitch(
        each,
        headName(map, chosen.layer, head),
        isOn(chosen, chosen.layer, head),
        colourOfHead(map, this.#behaviours, chosen.layer, head),
      ),
    );
    bar.hidden = inView && !shown?.map.mixed;
    setText(this.#title, layers > 1 || map.layerNames ? `Heads of ${layerName(map, chosen.layer)}` : "Heads");
    const moved = bar.childElementCount !== heads + 1 || switches.some(({ parentElement }) => parentElement !== bar);
    if (!bar.hidden && moved) bar.replaceChildren(this.#title, ...switches);
  }

  #make(head: number) {
    return headSwitch(() => {
      const { map, chosen } = this.#state ?? {};
      if (map && chosen) this.#dispatch({ type: "choose", parts: { headMask: toggled(chosen, map.shape, head) } });
    });
  }
}
