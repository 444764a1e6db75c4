// Behind "More": the heads most alike the one that is looked at, and sums over chosen layers, heads and tokens.

import type { AttentionMap } from "../../math/attention-map.ts";
import { similarHeads, totals } from "../../math/heads.ts";
import type { MapState } from "../../math/map-state.ts";
import { headTitle, layerNamesOf, layersOf } from "../../math/maps.ts";
import { percent, readable } from "../../math/text.ts";
import { chooser, field, fillOptions } from "../../views/controls.ts";
import { fill, h, keepFocus, setText } from "../../views/dom.ts";
import type { HeadMapView } from "./view.ts";

const AXES = ["Layers", "Heads", "Words that ask", "Words looked at"];
const MOST = 12; // rows of a list of sums, the largest

/** The heads that look most alike one, as buttons that lead to them. */
export class SimilarHeads {
  #host: HeadMapView;
  #chooser: HTMLSelectElement;
  #list = h("span", { class: "hm-similar" });
  #others: HTMLButtonElement;
  readonly node: HTMLElement;

  constructor(host: HeadMapView) {
    this.#host = host;
    this.#chooser = chooser("Heads most alike", (value) => host.set({ head: value === "" ? null : Number(value) }));
    this.#others = h("button", { type: "button", hidden: true, onclick: () => host.fetchAll() });
    this.node = h("div", { class: "hm-menu-row" }, field(this.#chooser), this.#list, this.#others);
  }

  draw(map: AttentionMap, { layer, head }: MapState) {
    const [layers, heads] = map.shape;
    fillOptions(this.#chooser, ["choose a head", ...map.headNames], ["", ...map.headNames.keys()], head ?? "");
    const found = head === null || layers * heads < 2 ? [] : similarHeads(map, layer, Math.min(head, heads - 1));
    const buttons = fill(this.#list, found.length, () => h("button", { type: "button" }));
    found.forEach((each, at) => {
      setText(buttons[at], `${headTitle(map, each.layer, each.head)}: ${map.kind && map.kind !== "shares" ? each.apart.toPrecision(3) : percent(each.apart)} apart`);
      buttons[at].onclick = () => this.#host.set({ layer: each.layer, head: each.head });
    });
    const missing = layers - layersOf(map).length;
    this.#others.hidden = missing === 0 || Boolean(map.final) || head === null;
    setText(this.#others, `Look in the other ${missing} layers as well`);
  }
}

/** The sums along one axis, as a table. */
interface SumList {
  node: HTMLElement;
  body: HTMLElement;
  note: HTMLElement;
}

/** Sums along layers, heads and words; a button of one list chooses what the others sum. */
export class LinkedSums {
  readonly node: HTMLDetailsElement;
  #host: HeadMapView;
  #chosen: (number[] | null)[] = AXES.map(() => null); // null for all
  #mapKey = ""; // of the map whose positions are chosen
  #lists = AXES.map(makeList);
  #note = h("p", { class: "hm-hint", "aria-live": "polite" });
  #box = h("div", { class: "hm-sum-lists" });

  constructor(host: HeadMapView) {
    this.#host = host;
    this.node = h("details", { class: "hm-sums", ontoggle: () => host.map && this.draw(host.map) },
      h("summary", {}, "Sums"), this.#note, this.#box);
  }

  draw(map: AttentionMap) {
    const tables = this.node.open ? this.#lists.map(({ node }) => node) : [];
    if (this.#box.childElementCount !== tables.length) this.#box.replaceChildren(...tables);
    if (!this.node.open) return;
    const key = JSON.stringify([map.shape, map.queryTokens, map.keyTokens]);
    if (key !== this.#mapKey) this.#chosen = AXES.map(() => null);
    this.#mapKey = key;
    const sums = totals(map, this.#chosen);
    const names = axisNames(map);
    this.#lists.forEach((list, axis) => this.#drawList(list, axis, names[axis], sums[axis]));
    const missing = map.shape[0] - layersOf(map).length;
    setText(this.#note, `Of the map as it was computed, in true values: each number is the sum over what is chosen in the other lists (all, where nothing is).${
      missing ? ` ${missing} layers are not here yet and count as 0.` : ""}`);
  }

  /** The largest sums of an axis and what is chosen on it, in the order of the map. */
  #drawList({ body, note }: SumList, axis: number, names: string[], sums: Float64Array) {
    const chosen = this.#chosen[axis];
    const largest = new Set([...sums.keys()].sort((a, b) => Math.abs(sums[b]) - Math.abs(sums[a])).slice(0, MOST));
    const listed = [...sums.keys()].filter((position) => largest.has(position) || chosen?.includes(position));
    const most = Math.max(...sums.map(Math.abs), 0);
    const rows = fill(body, listed.length, () => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button" })), h("td")));
    listed.forEach((position, at) => {
      const button = rows[at].querySelector("button") as HTMLButtonElement;
      const cell = rows[at].querySelector("td") as HTMLElement;
      setText(button, names[position]);
      button.ariaPressed = String(Boolean(chosen?.includes(position)));
      button.onclick = () => this.#toggle(axis, position);
      setText(cell, sums[position].toFixed(2).replace("-", "\u2212"));
      cell.style.setProperty("--share", String(most > 0 ? Math.abs(sums[position]) / most : 0));
      cell.dataset.sum = sums[position].toFixed(4);
    });
    setText(note, listed.length < sums.length ? `The ${MOST} largest of ${sums.length}.` : "");
  }

  #toggle(axis: number, position: number) {
    const before = this.#chosen[axis] ?? [];
    const after = before.includes(position) ? before.filter((other) => other !== position) : [...before, position];
    this.#chosen[axis] = after.length ? after : null;
    const { map } = this.#host;
    if (map) keepFocus(this.node, () => this.node.querySelector("summary"), () => this.draw(map));
  }
}

function makeList(name: string): SumList {
  const [body, note] = [h("tbody"), h("p", { class: "hm-hint" })];
  return { node: h("div", {}, h("table", { "aria-label": `Sums: ${name}` }, h("caption", {}, name), body), note), body, note };
}

/** What stands on each axis of a map, in the order of its shape. */
function axisNames(map: AttentionMap) {
  const numbered = (tokens: string[]) => tokens.map((token, position) => `${readable(token)} (${position + 1})`);
  return [layerNamesOf(map), map.headNames, numbered(map.queryTokens), numbered(map.keyTokens)];
}
