// Behind "More": the heads most alike the one that is looked at, and sums over chosen layers, heads and tokens.

import { similarHeads, totals } from "../math/heads.js";
import { layersOf } from "../math/maps.js";
import { percent, readable } from "../math/text.js";
import { field, chooser, fillOptions } from "../views/controls.js";
import { fill, h, keepFocus, setText } from "../views/dom.js";

const SUMMED = ["Layers", "Heads", "Words that ask", "Words looked at"];
const MOST = 12; // rows of a list of sums, the largest

/** @typedef {import("./head-map-view.js").HeadMapView} View */

/** The heads that look most alike one, as buttons that lead to them. */
export class SimilarHeads {
  constructor(/** @type {View} */ host) {
    this.host = host;
    this.of = chooser("Heads most alike", (value) => host.set({ head: value === "" ? null : Number(value) }));
    this.list = h("span", { class: "hm-similar" });
    this.rest = h("button", { type: "button", hidden: true, onclick: () => host.fetchAll() });
    this.node = h("div", { class: "hm-menu-row" }, field(this.of), this.list, this.rest);
  }

  draw(/** @type {AttentionMap} */ map, /** @type {MapState} */ { layer, head }) {
    const [layers, heads] = map.shape;
    fillOptions(this.of, ["choose a head", ...map.headNames], ["", ...map.headNames.keys()], head ?? "");
    const found = head === null || layers * heads < 2 ? [] : similarHeads(map, layer, Math.min(head, heads - 1));
    const buttons = fill(this.list, found.length, () => h("button", { type: "button" }));
    found.forEach((each, at) => {
      const name = `${layers > 1 ? `layer ${each.layer + 1}, ` : ""}${map.headNames[each.head]}`;
      setText(buttons[at], `${name}: ${map.kind && map.kind !== "shares" ? each.apart.toPrecision(3) : percent(each.apart)} apart`);
      buttons[at].onclick = () => this.host.set({ layer: each.layer, head: each.head });
    });
    const missing = layers - layersOf(map).length;
    this.rest.hidden = missing === 0 || Boolean(map.final) || head === null;
    setText(this.rest, `Look in the other ${missing} layers, too`);
  }
}

/** Sums along layers, heads and words; a button of one list chooses what the others sum. */
export class LinkedSums {
  /** @type {import("../math/heads.js").Chosen4} */
  chosen = [null, null, null, null];
  /** The map whose places are chosen. */
  #of = "";

  constructor(/** @type {View} */ host) {
    this.host = host;
    this.lists = SUMMED.map((name) => ({ body: h("tbody"), note: h("p", { class: "hm-hint" }), name }));
    this.told = h("p", { class: "hm-hint", "aria-live": "polite" });
    this.tables = this.lists.map(({ name, body, note }) =>
      h("div", {}, h("table", { "aria-label": `Sums: ${name}` }, h("caption", {}, name), body), note));
    this.box = h("div", { class: "hm-sum-lists" });
    this.node = h("details", { class: "hm-sums", ontoggle: () => host.map && this.draw(host.map) },
      h("summary", {}, "Sums"), this.told, this.box);
  }

  draw(/** @type {AttentionMap} */ map) {
    const tables = this.node.open ? this.tables : []; // those that somebody looks at
    if (this.box.childElementCount !== tables.length) this.box.replaceChildren(...tables);
    if (!this.node.open) return;
    const of = JSON.stringify([map.shape, map.queryTokens, map.keyTokens]);
    if (of !== this.#of) this.chosen = [null, null, null, null];
    this.#of = of;
    const sums = totals(map, this.chosen);
    const numbered = (/** @type {string[]} */ tokens) => tokens.map((token, place) => `${readable(token)} (${place + 1})`);
    const names = [[...sums[0].keys()].map((layer) => `layer ${layer + 1}`), map.headNames, numbered(map.queryTokens), numbered(map.keyTokens)];
    this.lists.forEach((list, axis) => this.#drawList(list, axis, names[axis], sums[axis]));
    const missing = map.shape[0] - layersOf(map).length;
    setText(this.told, `Of the map as it was computed, in true values: each number is the sum over what is chosen in the other lists (all, where nothing is).${
      missing ? ` ${missing} layers are not here yet and count as 0.` : ""}`);
  }

  /**
   * The largest sums of an axis and what is chosen on it, in the order of the map.
   * @param {{ body: HTMLElement, note: HTMLElement }} list
   * @param {number} axis
   * @param {string[]} names
   * @param {Float64Array} sums
   */
  #drawList({ body, note }, axis, names, sums) {
    const chosen = this.chosen[axis];
    const largest = new Set([...sums.keys()].sort((a, b) => Math.abs(sums[b]) - Math.abs(sums[a])).slice(0, MOST));
    const places = [...sums.keys()].filter((place) => largest.has(place) || chosen?.includes(place));
    const most = Math.max(...sums.map(Math.abs), 0);
    const rows = fill(body, places.length, () => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button" })), h("td")));
    places.forEach((place, at) => {
      const button = /** @type {HTMLButtonElement} */ (rows[at].querySelector("button"));
      const cell = /** @type {HTMLElement} */ (rows[at].querySelector("td"));
      setText(button, names[place]);
      button.ariaPressed = String(Boolean(chosen?.includes(place)));
      button.onclick = () => this.#toggle(axis, place);
      setText(cell, sums[place].toFixed(2).replace("-", "\u2212"));
      cell.style.setProperty("--share", String(most > 0 ? Math.abs(sums[place]) / most : 0));
      cell.dataset.sum = sums[place].toFixed(4);
    });
    setText(note, places.length < sums.length ? `The ${MOST} largest of ${sums.length}.` : "");
  }

  /**
   * @param {number} axis
   * @param {number} place
   */
  #toggle(axis, place) {
    const before = this.chosen[axis] ?? [];
    const after = before.includes(place) ? before.filter((other) => other !== place) : [...before, place];
    this.chosen[axis] = after.length ? after : null;
    const { map } = this.host;
    if (map) keepFocus(this.node, () => this.node.querySelector("summary"), () => this.draw(map));
  }
}
