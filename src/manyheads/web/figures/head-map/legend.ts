// What the colours of a map mean, from none to the full one.

import type { MapState, ShownMap } from "../../math/map-state.ts";
import { legendOf } from "../../math/shown.ts";
import { h, setText } from "../../views/dom.ts";

export class Legend {
  #from = h("span");
  #to = h("span");
  node = h("p", { class: "hm-legend" }, this.#from, h("i", { "aria-hidden": "true" }), this.#to);

  draw(map: ShownMap, state: MapState) {
    const [from, to] = legendOf(map, state);
    setText(this.#from, from);
    setText(this.#to, to);
    this.node.hidden = state.view === "lines";
  }
}
