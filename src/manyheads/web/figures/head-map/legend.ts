// What the colours of a map mean, from none to the full one.

import type { MapState, ShownMap } from "../../math/map-state.ts";
import { legendOf } from "../../math/shown.ts";
import { h, setText } from "../../views/dom.ts";

export function makeLegend() {
  const [from, to] = [h("span"), h("span")];
  const node = h("p", { class: "hm-legend" }, from, h("i", { "aria-hidden": "true" }), to);
  function draw(map: ShownMap, state: MapState) {
    [from, to].forEach((end, at) => setText(end, legendOf(map, state)[at]));
    node.hidden = state.view === "lines";
  }
  return { node, draw };
}
