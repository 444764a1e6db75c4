// <head-map>: what every head looks at, live. One renderer with two doors: the default export is for kernels (anywidget; Python
// computes), the custom element is for pages (models.js computes). Nothing touches the DOM while it loads, so that Node can test
// the parts.

import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-door.ts";
import { define } from "../../doors/page-element.ts";
import { keepWhenSaved } from "../../doors/saved-figure.ts";
import { decodeMap } from "../../math/wire.ts";
import { announce, h } from "../../views/dom.ts";
import { HeadMapElement } from "./element.ts";
import { HeadMapView } from "./view.ts";

/** Which trait of Python's `HeadMap` holds which part of the state. */
export const TRAITS = { sentence: "sentence", compare: "compare", view: "view", layer: "layer", head: "head",
  query: "query", headMask: "head_mask", model: "model_index", weigh: "weigh", special: "special", heads: "heads", layers: "layers",
  pieces: "pieces", sinks: "sinks", scale: "scale", top: "top", first: "first", last: "last", find: "find" };

function render({ model, el }: { model: KernelModel, el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map" }));
  let view: HeadMapView | undefined;
  let requests = 0;
  const takeLayer = () => {
    const sent = model.get("_layer");
    if (sent && sent.of === view?.map?.computed) view?.addLayer(sent.layer, sent.weights, sent.compared);
  };
  const close = openDoor(model, TRAITS, ["_attention", "_compared"], {
    make: (state, change) => (view = new HeadMapView(root, state, {
      change, models: model.get("_models"), computes: model.get("_computes"), painted: (map) => announce(el, "attention", map),
      want: (layers, { computed: of }) => {
        model.set("_wanted", { of, layers, request: `${++requests} ${Math.random()}` }); // each time another, so that it is a change
        model.save_changes();
      },
    })),
    show(figure: HeadMapView) {
      const [map, compared] = [model.get("_attention"), model.get("_compared")];
      figure.show(decodeMap(map), compared && decodeMap(compared));
    },
  });
  model.on("change:_layer", takeLayer);
  const forget = keepWhenSaved(model, root);
  return () => {
    model.off("change:_layer", takeLayer);
    forget();
    close();
  };
}

export default { render };

define("head-map", HeadMapElement);
