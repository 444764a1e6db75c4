// Lines: the sentence twice, and a line from each word that asks to each that is looked at, as strong as the weight.

import { lineLook, lineUnit, strongest } from "../math/maps.js";
import { readable, told } from "../math/text.js";
import { arrow, fill, focusOn, h, setText, setToken, targetOf } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const HINT = "Point at a word to see its lines alone.";

/** @implements {MapPart} */
export class LinesView {
  /** @type {ShownMap | null} */
  #map = null;
  /** The word that is pointed at. @type {{ asks: boolean, index: number } | null} */
  #only = null;

  /**
   * @param {HTMLElement} stage
   * @param {MapHost} host
   */
  constructor(stage, host) {
    this.host = host;
    this.asking = h("ol", { "aria-label": "Words that ask", "data-side": "query" });
    this.lookedAt = h("ol", { "aria-label": "Words looked at", "data-side": "key" });
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.ariaHidden = "true";
    this.told = h("p", { class: "hm-hint", "aria-live": "polite" });
    const point = (/** @type {Event} */ event) => this.#point(event);
    const leave = (/** @type {PointerEvent | FocusEvent} */ event) => this.#leave(event);
    const box = h("div", { class: "hm-lines", onpointerover: point, onpointerleave: leave, onfocusin: point, onfocusout: leave,
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#move(event),
      onclick: (/** @type {Event} */ event) => this.#ask(event) },
    this.asking, this.svg, this.lookedAt);
    stage.append(h("div", { class: "hm-scroll" }, box), this.told);
  }

  draw(/** @type {ShownMap} */ map) {
    this.#map = map;
    const [, , queries, keys] = map.shape;
    if (this.#only && this.#only.index >= (this.#only.asks ? queries : keys)) this.#only = null;
    this.svg.setAttribute("viewBox", `0 0 100 ${Math.max(queries, keys)}`);
    this.svg.style.setProperty("--rows", String(Math.max(queries, keys)));
    for (const [list, tokens] of /** @type {const} */ ([[this.asking, map.queryTokens], [this.lookedAt, map.keyTokens]])) {
      const items = fill(list, tokens.length, () => h("li", {}, h("button", { type: "button", tabindex: -1 })));
      tokens.forEach((token, index) => setToken(items[index].children[0], token));
      if (!list.querySelector('[tabindex="0"]')) items[0]?.children[0].setAttribute("tabindex", "0");
    }
    this.#drawLines(map);
  }

  #drawLines(/** @type {ShownMap} */ map) {
    const only = this.#only;
    const { layer, head: chosen } = this.host.state;
    const single = chosen === null ? null : Math.min(chosen, map.shape[1] - 1);
    const lines = strongest(map, layer, { chosen: (head, query, key) =>
      (single === null || head === single) && (!only || (only.asks ? query : key) === only.index) });
    const unit = lineUnit(map, layer);
    const paths = fill(this.svg, lines.length, () => document.createElementNS(SVG, "path"));
    lines.forEach((line, index) => {
      const [from, to] = [line.query + 0.5, line.key + 0.5];
      const look = lineLook(this.host.look(map, layer, line.head), map, line, unit);
      const drawn = { d: `M0 ${from}C45 ${from} 55 ${to} 100 ${to}`, ...look };
      for (const [name, value] of Object.entries(drawn)) paths[index].setAttribute(name, value);
    });
    for (const list of [this.asking, this.lookedAt])
      [...list.children].forEach((item, index) => {
        const asks = list === this.asking;
        item.classList.toggle("hm-lit", only?.index === index && only.asks === asks);
        item.classList.toggle("hm-asks", asks && index === this.host.asked);
      });
    setText(this.told, only ? this.#tell(map, only, single) : HINT);
  }

  /**
   * What the chosen word's lines say, in words; the mean of the heads where all are shown.
   * @param {ShownMap} map
   * @param {{ asks: boolean, index: number }} only
   * @param {number | null} single
   */
  #tell(map, { asks, index }, single) {
    const [, heads, queries, keys] = map.shape;
    const [name, others] = asks ? [map.queryTokens[index], map.keyTokens] : [map.keyTokens[index], map.queryTokens];
    const chosen = single === null ? [...Array(heads).keys()] : [single];
    const weights = others.map((token, other) => {
      const [query, key] = asks ? [index, other] : [other, index];
      const sum = chosen.reduce((total, head) =>
        total + map.weights[((this.host.state.layer * heads + head) * queries + query) * keys + key], 0);
      return { token, mean: sum / chosen.length };
    });
    const most = weights.sort((a, b) => Math.abs(b.mean) - Math.abs(a.mean)).slice(0, 3);
    const listed = most.map(({ token, mean }) => `${readable(token)} (${told(map, mean)})`).join(", ");
    const who = single === null && heads > 1 ? "Mean of the heads: " : "";
    return `${who}“${readable(name)}” ${asks ? "looks most at" : "is looked at most by"} ${listed}.`;
  }

  #point(/** @type {Event} */ event) {
    const item = targetOf(event).closest("li");
    if (!item || !this.#map) return;
    this.#only = { asks: item.parentElement === this.asking, index: placeOfItem(item) };
    this.#drawLines(this.#map);
  }

  #leave(/** @type {PointerEvent | FocusEvent} */ { relatedTarget, currentTarget }) {
    const box = /** @type {Element} */ (currentTarget);
    if (box.contains(/** @type {Node | null} */ (relatedTarget)) || !this.#map) return;
    this.#only = null;
    this.#drawLines(this.#map);
  }

  #ask(/** @type {Event} */ event) {
    const item = targetOf(event).closest("li");
    if (item?.parentElement === this.asking && this.#map) this.host.set({ query: this.#map.queries[placeOfItem(item)] });
  }

  #move(/** @type {KeyboardEvent} */ event) {
    const step = arrow(event.key);
    const item = targetOf(event).closest("li");
    if (!step || !item) return;
    const [rows, columns] = step;
    const own = /** @type {HTMLElement} */ (item.parentElement);
    const list = columns === 0 ? own : columns < 0 ? this.asking : this.lookedAt;
    const next = list.children[Math.min(placeOfItem(item) + rows, list.childElementCount - 1)]?.querySelector("button");
    if (!next) return;
    event.preventDefault();
    focusOn(next, list === own ? targetOf(event) : list.querySelector('[tabindex="0"]'));
  }
}

const placeOfItem = (/** @type {Element} */ item) => [...(item.parentElement?.children ?? [])].indexOf(item);
