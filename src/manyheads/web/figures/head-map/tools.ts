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
import { makeViewIcons } from "./view-icons.ts";

/** Labels of the tools, with the options that each of them sets. */
const LABELLED = new Map<string, OptionName[]>();
for (const name of namesWith("label")) {
  const { label = "" }: Option = OPTIONS[name];
  LABELLED.set(label, [...(LABELLED.get(label) ?? []), name]);
}

/**
 * `edge` is what stands on the map's edge, `node` what its button opens. `share` is the menu of what can leave the page; where its reader
 * types no sentence, there is none to compare with another.
 */
export function makeTools(id: string, host: MapHost, { types, share }: { types: boolean; share: HTMLDetailsElement }) {
  const choose = (parts: Partial<MapState>) => host.act({ type: "choose", parts });
  const undoes = h(
    "button",
    { type: "button", class: "hm-undo", "aria-label": "Undo", title: "Undo", onclick: () => undo(host, true) },
    "\u21b6",
  );
  const views = makeViewIcons(id, host);
  const layer = chooser("Layer", (value) => choose({ layer: Number(value) }));
  const compares = h("button", {
    type: "button",
    class: "hm-comparer",
    onclick: () => {
      const { compare, sentence } = host.state.chosen;
      choose({ compare: compare === null ? sentence : null });
    },
  });
  const tools = [...LABELLED].map(([label, names]) => ({ names, ...makeTool(label, names, choose) }));
  const fields = [field(layer), ...tools.map((tool) => tool.node), ...(types ? [compares] : [])];
  const panel = makePanel("Tools", [h("div", { class: "hm-fields" }, ...fields), share], () => {
    share.open = false;
  });
  const { button, node } = panel;
  const edge = h("div", { class: "hm-edge" }, undoes, views.node, button);

  function draw(state: State) {
    const { chosen, map, shown, history, beside } = state;
    views.draw(state);
    setIdle(undoes, history.past.length === 0);
    const isSet = (names: OptionName[]) => names.some((name) => chosen[name] !== START[name]);
    const used = tools.filter(({ names }) => isSet(names)).length;
    setProps(button, { ariaLabel: used ? `Tools (${used} set)` : "Tools" });
    button.dataset.set = used ? String(used) : ""; // beside its corner, so that nothing moves
    compares.hidden = beside !== "";
    setText(compares, chosen.compare === null ? "Compare" : "Stop comparing");
    if (!map || !shown) return;
    const layers = [...Array(map.shape[0]).keys()];
    fillOptions(
      layer,
      layers.map((each) => layerName(map, each).replace(/^layer /, "")),
      layers,
      chosen.layer,
    );
    for (const option of layer.options)
      option.disabled = Boolean(map.final) && !layersOf(map).includes(Number(option.value));
    layer.parentElement!.hidden = layers.length === drawnLayers(shown.map, chosen).length; // it would change nothing
    for (const tool of tools) {
      const { names } = tool;
      const isOffered = isSet(names) || names.some((name) => changesSomething(map, chosen, name));
      tool.draw(state);
      tool.node.hidden = !isOffered && !tool.node.matches(":focus-within");
    }
  }

  return { edge, node, draw, view: views.chosen };
}
