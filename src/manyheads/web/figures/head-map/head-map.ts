// <head-map>: what every head looks at, live. One renderer with two doors: the default export is for kernels (anywidget; Python
// computes), the custom element is for pages (models.js computes). Nothing touches the DOM while it loads, so that Node can test
// the parts.

import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-model.ts";
import { define } from "../../doors/page-element.ts";
import { OPTION_NAMES } from "../../math/options.ts";
import { decodeMap, type WireWeights } from "../../math/wire.ts";
import { announce, h } from "../../views/dom.ts";
import { readLent } from "./attributes.ts";
import { HeadMapElement } from "./element.ts";
import { HeadMapView } from "./view.ts";

/** Which trait of Python's `HeadMap` holds which part of the state. */
export const TRAITS = {
  ...Object.fromEntries(OPTION_NAMES.map((name) => [name, name])),
  headMask: "head_mask",
  model: "model_index",
};

/** A layer of the `of`-th map, as a kernel sends it, and that of the sentence it is compared with. */
interface LayerMessage {
  of: number;
  layer: number;
  maps: [WireWeights, WireWeights?];
}

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map" }));
  const models: string[] = model.get("_models");
  let view: HeadMapView | undefined;
  const takeLayer = ({ of, layer, maps: [map, compared] }: LayerMessage) => {
    if (of === view?.state.map?.computed) view?.dispatch({ type: "layer", layer, map, compared });
  };
  const close = openDoor(model, root, TRAITS, ["_attention", "_compared"], {
    kind: "head-map",
    make: (state, change, ask) =>
      (view = new HeadMapView(root, state, {
        change,
        models,
        examples: model.get("examples") ?? "",
        computes: model.get("_computes"),
        readsText: model.get("_reads") === "text",
        painted: (map) => announce(root, "attention", map),
        fetch: (layers, { computed: of }) => (model.send({ of, layers }), ask()),
      })),
    show(figure: HeadMapView) {
      const [map, compared] = [model.get("_attention"), model.get("_compared")];
      figure.show(decodeMap(map), compared && decodeMap(compared));
    },
    lend: (figure: HeadMapView, settings) => (
      figure.dispatch({ type: "lend", parts: readLent(settings, models) }),
      figure.state.chosen
    ),
  });
  model.on("msg:custom", takeLayer);
  return () => {
    model.off("msg:custom", takeLayer);
    close();
  };
}

export default { render };

define("head-map", HeadMapElement);
