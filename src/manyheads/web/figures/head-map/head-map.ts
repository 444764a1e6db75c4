// <head-map>: what every head looks at, live. One renderer with two doors: the default export is for kernels (anywidget; Python
// computes), the custom element is for pages (models.js computes). Nothing touches the DOM while it loads, so that Node can test
// the parts.

import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-model.ts";
import type { Mattered, Source } from "../../math/attention-map.ts";
import { Fault } from "../../math/faults.ts";
import { OPTION_NAMES } from "../../math/options.ts";
import { decodeMap, type WireWeights } from "../../math/wire.ts";
import { h } from "../../views/dom.ts";
import { differing } from "../../views/host.ts";
import { readLent } from "./attributes.ts";
import "./element.ts";
import { startWith } from "./state.ts";
import { mapFigure, type MapFigure } from "./view.ts";

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

/** What each source of the `of`-th map is for, or why that can't be told. */
interface SourcesMessage {
  of: number;
  mattered: Mattered[];
  refused?: string;
}

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map" }));
  const models: string[] = model.get("_models");
  let figure: MapFigure | undefined;
  let answers = (_: SourcesMessage) => {};
  const take = (message: LayerMessage | SourcesMessage) => {
    if (message.of !== figure?.state.map?.computed) return;
    if ("mattered" in message) return answers(message);
    const {
      layer,
      maps: [map, compared],
    } = message;
    figure?.dispatch({ type: "layer", layer, map, compared });
  };
  let isAnswered = () => {}; // asks Python to say when it has dealt with what it was sent
  const withoutEach = (sources: Source[]) => {
    const message = new Promise<SourcesMessage>((done) => (answers = done));
    model.send({ of: figure!.state.map!.computed, sources: sources.map(({ places }) => places) });
    isAnswered();
    return sources.map(async (_, at) => {
      const { mattered, refused } = await message;
      if (refused) throw new Fault(refused);
      return mattered[at];
    });
  };
  const close = openDoor(model, root, TRAITS, ["_attention", "_compared"], {
    kind: "head-map",
    make(parts, change, ask) {
      isAnswered = ask;
      const [computes, readsText] = [model.get("_computes"), model.get("_reads") === "text"];
      const state = startWith(parts, {
        models,
        beside: model.get("_beside") ?? "",
        computes,
        readsText,
        fetches: true,
      });
      const host: MapFigure = mapFigure(
        root,
        state,
        { examples: model.get("examples") ?? "" },
        {
          changed: ({ chosen: before }, { chosen: after }) => change(after, differing(before, after)),
          ask(_, names) {
            if (!names.includes("layers")) return; // Python computes what follows from a change
            model.send({ of: host.state.map!.computed, layers: host.state.requested.at(-1) });
            ask();
          },
        },
      );
      return (figure = host);
    },
    show(host) {
      const [map, compared] = [model.get("_attention"), model.get("_compared")];
      host.dispatch({
        type: "show",
        map: { ...decodeMap(map), withoutEach },
        compared: compared && decodeMap(compared),
      });
    },
    lend: (host, settings) => (host.lend(readLent(settings, models)), host.state.chosen),
  });
  model.on("msg:custom", take);
  return () => {
    model.off("msg:custom", take);
    close();
  };
}

export default { render };
