// The heads of a map: a switch for each, and the style of whatever shows a head.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { HeadStyle, ShownMap } from "../../math/map-state.ts";
import { behaviourOf, colourOf, headName, headTitle, layerName } from "../../math/maps.ts";
import { h, setChildren, setText } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import type { MapHost, PlaceName } from "./map-part.ts";
import { drawnLayers } from "./patches.ts";
import { isOn, toggled, type State } from "./state.ts";

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
export const styleOfHead = ({ chosen, behaviours }: State, map: ShownMap, layer: number, head: number): HeadStyle => ({
  colour: colourOfHead(map, behaviours, layer, head),
  off: !map.mixed && !isOn(chosen, layer, head),
  dim: chosen.special === "dim",
  scale: chosen.scale,
});

/** Dresses what shows a head in its colour. */
export function dress({ chosen, behaviours, shown }: State, node: HTMLElement, layer: number, head: number) {
  const { map } = shown!;
  node.style.setProperty("--head", colourOfHead(map, behaviours, layer, head));
  node.classList.toggle("hm-off", !map.mixed && !isOn(chosen, layer, head));
  node.dataset.head = String(head);
}

/** The switches of a layer. */
interface SwitchRow {
  title: HTMLElement; // in the bar
  switches: HTMLElement[];
}

/** The layers whose heads have switches. */
const layersWith = ({ shown, chosen }: State) => (shown ? drawnLayers(shown.map, chosen) : [chosen.layer]);

/** The switches of a map; `bar` holds them where the view has no place for them. */
export function makeSwitches(host: MapHost) {
  const bar = h("div", { class: "hm-heads", hidden: true });
  const rows: SwitchRow[] = []; // a layer each; kept over repaints, so that no switch loses the focus

  /** Puts a head's name into `place`: its switch, or plain text where the rows are no single head's. */
  const placeName: PlaceName = (place, layer, head) => {
    const { mixed, headNames } = host.state.shown!.map;
    const present = place.firstElementChild;
    if (!mixed) {
      const node = rows[layersWith(host.state).indexOf(layer)].switches[head];
      if (present !== node) place.replaceChildren(node);
      return;
    }
    const name = present?.tagName === "SPAN" ? present : h("span", { class: "hm-head" });
    if (present !== name) place.replaceChildren(name);
    setText(name, headNames[head]);
  };

  /** One switch per head that is drawn; they stand in the bar unless the view places them, which it can't where rows are `mixed`. */
  function draw(state: State, map: AttentionMap, inView: boolean) {
    const layers = layersWith(state);
    rows.length = Math.min(rows.length, layers.length);
    while (rows.length < layers.length) rows.push({ title: h("span"), switches: [] });
    rows.forEach((row, at) => drawRow(row, state, map, at));
    bar.hidden = inView && !state.shown?.map.mixed;
    const all = rows.flatMap(({ title, switches }) => [title, ...switches]);
    setChildren(bar, bar.hidden ? [] : all);
  }

  function drawRow({ title, switches }: SwitchRow, state: State, map: AttentionMap, row: number) {
    const { chosen, behaviours } = state;
    const all = layersWith(state);
    const layer = all[row];
    const [layers, heads] = map.shape;
    switches.length = Math.min(switches.length, heads);
    while (switches.length < heads) switches.push(makeSwitch(row, switches.length));
    setText(title, layers > 1 || map.layerNames ? `Heads of ${layerName(map, layer)}` : "Heads");
    switches.forEach((each, head) => {
      const name = headName(map, layer, head);
      const whole = all.length > 1 ? headTitle(map, layer, head) : name;
      const colour = colourOfHead(map, behaviours, layer, head);
      drawSwitch(each, name, isOn(chosen, layer, head), colour, whole);
      each.dataset.short = /^head (\d+)$/.exec(name)?.[1] ?? name;
    });
  }

  const makeSwitch = (row: number, head: number) =>
    headSwitch(() => {
      const { map, chosen } = host.state;
      if (!map) return;
      const headMask = toggled(chosen, map.shape, layersWith(host.state)[row], head);
      host.act({ type: "choose", parts: { headMask } });
    });

  return { bar, placeName, draw };
}
