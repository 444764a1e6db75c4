// What stands on the edge of a map, the views, an arrow that undoes and the button "Tools"; and what this opens: the layer, how much is
// shown, a second sentence, and what can leave the page. It opens over the page, beside the map or below it, and moves nothing.

import type { MapState } from "../../math/map-state.ts";
import { layerName, layersOf } from "../../math/maps.ts";
import { namesWith, OPTIONS, START, type Option, type OptionName } from "../../math/options.ts";
import { changesSomething } from "../../math/shown.ts";
import { chooser, field, fillOptions } from "../../views/controls.ts";
import { h, setIdle, setProps, setText } from "../../views/dom.ts";
import { makePanel } from "../../views/panel.ts";
import { undo, type MapHost } from "./map-part.ts";
import { drawnLayers } from "./patches.ts";
import type { State } from "./state.ts";
import { makeTool } from "./tool.ts";
import { ViewIcons } from "./view-icons.ts";

/** Labels of the tools, with the options that each of them sets. */
const LABELLED = new Map<string, OptionName[]>();
for (const name of namesWith("label")) {
  const { label = "" }: Option = OPTIONS[name];
  LABELLED.set(label, [...(LABELLED.get(label) ?? []), name]);
}

export class Tools {
  /** What stands on the map's edge. */
  readonly edge: HTMLElement;
  /** What the button opens. */
  readonly node: HTMLElement;
  #button: HTMLButtonElement;
  #undo: HTMLElement;
  #views: ViewIcons;
  #layer: HTMLSelectElement;
  #compare: HTMLElement;
  #tools: { names: OptionName[]; node: HTMLElement; draw(state: State): void }[];

  /** `share` is the menu of what can leave the page; where its reader types no sentence, there is none to compare with another. */
  constructor(id: string, host: MapHost, { types, share }: { types: boolean; share: HTMLDetailsElement }) {
    const choose = (parts: Partial<MapState>) => host.act({ type: "choose", parts });
    this.#undo = h(
      "button",
      { type: "button", class: "hm-undo", "aria-label": "Undo", title: "Undo", onclick: () => undo(host, true) },
      "\u21b6",
    );
    this.#views = new ViewIcons(id, host);
    this.#layer = chooser("Layer", (value) => choose({ layer: Number(value) }));
    this.#compare = h("button", {
      type: "button",
      class: "hm-comparer",
      onclick: () => {
        const { compare, sentence } = host.state.chosen;
        choose({ compare: compare === null ? sentence : null });
      },
    });
    this.#tools = [...LABELLED].map(([label, names]) => ({ names, ...makeTool(label, names, choose) }));
    const fields = [field(this.#layer), ...this.#tools.map(({ node }) => node), ...(types ? [this.#compare] : [])];
    const panel = makePanel("Tools", [h("div", { class: "hm-fields" }, ...fields), share], () => {
      share.open = false;
    });
    this.#button = panel.button;
    this.node = panel.node;
    this.edge = h("div", { class: "hm-edge" }, this.#undo, this.#views.node, this.#button);
  }

  /** The icon of the chosen view. */
  get view() {
    return this.#views.chosen;
  }

  draw(state: State) {
    const { chosen, map, shown, history } = state;
    this.#views.draw(state);
    setIdle(this.#undo, history.past.length === 0);
    const isSet = (names: OptionName[]) => names.some((name) => chosen[name] !== START[name]);
    const used = this.#tools.filter(({ names }) => isSet(names)).length;
    setProps(this.#button, { ariaLabel: used ? `Tools (${used} set)` : "Tools" });
    this.#button.dataset.set = used ? String(used) : ""; // beside its corner, so that nothing moves
    setText(this.#compare, chosen.compare === null ? "Compare" : "Stop comparing");
    if (!map || !shown) return;
    const layers = [...Array(map.shape[0]).keys()];
    fillOptions(
      this.#layer,
      layers.map((layer) => layerName(map, layer).replace(/^layer /, "")),
      layers,
      chosen.layer,
    );
    for (const option of this.#layer.options)
      option.disabled = Boolean(map.final) && !layersOf(map).includes(Number(option.value));
    this.#layer.parentElement!.hidden = layers.length === drawnLayers(shown.map, chosen).length; // it would change nothing
    for (const { names, node, draw } of this.#tools) {
      draw(state);
      node.hidden =
        !names.some((name) => changesSomething(map, chosen, name)) && !isSet(names) && !node.matches(":focus-within");
    }
  }
}
