// Lines: the sentence twice, and a line from each word that asks to each that is looked at, as strong as the weight.

import { arrow, fill, focusOn, h, setText, setToken } from "./dom.js";
import { lineLook, percent, readable, strongest } from "./maps.js";

const SVG = "http://www.w3.org/2000/svg";
const HINT = "Point at a word to see its lines alone.";

export class LinesView {
  constructor(stage, host) {
    this.host = host;
    this.only = null; // {side, index} of the word that is pointed at
    const words = (side, label) => h("ol", { "aria-label": label, "data-side": side });
    this.sides = [words("query", "Words that ask"), words("key", "Words looked at")];
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.ariaHidden = "true";
    this.told = h("p", { class: "hm-hint", "aria-live": "polite" });
    const box = h("div", { class: "hm-lines",
      onpointerover: (event) => this.#point(event), onpointerleave: (event) => this.#leave(event),
      onfocusin: (event) => this.#point(event), onfocusout: (event) => this.#leave(event),
      onkeydown: (event) => this.#move(event), onclick: (event) => this.#ask(event) },
    this.sides[0], this.svg, this.sides[1]);
    stage.append(h("div", { class: "hm-scroll" }, box), this.told);
  }

  draw(map) {
    this.map = map;
    const [, , queries, keys] = map.shape;
    if (this.only && this.only.index >= (this.only.side === "query" ? queries : keys)) this.only = null;
    this.svg.setAttribute("viewBox", `0 0 100 ${Math.max(queries, keys)}`);
    this.svg.style.setProperty("--rows", Math.max(queries, keys));
    [map.queryTokens, map.keyTokens].forEach((tokens, side) => {
      const items = fill(this.sides[side], tokens.length, () => h("li", {}, h("button", { type: "button", tabindex: -1 })));
      tokens.forEach((token, index) => setToken(items[index].firstChild, token));
      if (!this.sides[side].querySelector('[tabindex="0"]')) items[0]?.firstChild.setAttribute("tabindex", 0);
    });
    this.#drawLines();
  }

  #drawLines() {
    const { map, host, only } = this;
    const { layer, head: chosen } = host.state;
    const single = chosen === null ? null : Math.min(chosen, map.shape[1] - 1);
    const lines = strongest(map, layer, { chosen: (head, query, key) =>
      (single === null || head === single) && (!only || (only.side === "query" ? query : key) === only.index) });
    const paths = fill(this.svg, lines.length, () => document.createElementNS(SVG, "path"));
    lines.forEach((line, index) => {
      const [from, to] = [line.query + 0.5, line.key + 0.5];
      const drawn = { d: `M0 ${from}C45 ${from} 55 ${to} 100 ${to}`, ...lineLook(host.look(map, layer, line.head), map, line) };
      for (const [name, value] of Object.entries(drawn)) paths[index].setAttribute(name, value);
    });
    this.sides.forEach((list, side) => [...list.children].forEach((item, index) => {
      item.classList.toggle("hm-lit", only?.index === index && (only.side === "query") === (side === 0));
      item.classList.toggle("hm-asks", side === 0 && index === host.asked);
    }));
    setText(this.told, only ? this.#tell(single) : HINT);
  }

  /** What the chosen word's lines say, in words; the mean of the heads where all are shown. */
  #tell(single) {
    const { map, only, host } = this;
    const [, heads, queries, keys] = map.shape;
    const asks = only.side === "query";
    const [name, others] = asks ? [map.queryTokens[only.index], map.keyTokens] : [map.keyTokens[only.index], map.queryTokens];
    const chosen = single === null ? [...Array(heads).keys()] : [single];
    const weights = others.map((token, other) => {
      const [query, key] = asks ? [only.index, other] : [other, only.index];
      const sum = chosen.reduce((sum, head) =>
        sum + map.weights[((host.state.layer * heads + head) * queries + query) * keys + key], 0);
      return [token, sum / chosen.length];
    });
    const first = weights.sort((a, b) => b[1] - a[1]).slice(0, 3).map(([token, weight]) => `${readable(token)} (${percent(weight)})`);
    const who = single === null && heads > 1 ? "Mean of the heads: " : "";
    return `${who}“${readable(name)}” ${asks ? "looks most at" : "is looked at most by"} ${first.join(", ")}.`;
  }

  #point({ target }) {
    const item = target.closest("li");
    if (!item) return;
    this.only = { side: item.parentElement.dataset.side, index: [...item.parentElement.children].indexOf(item) };
    this.#drawLines();
  }

  #leave({ relatedTarget, currentTarget }) {
    if (currentTarget.contains(relatedTarget)) return;
    this.only = null;
    this.#drawLines();
  }

  #ask({ target }) {
    const item = target.closest('[data-side="query"] li');
    if (item) this.host.set({ query: this.map.queries[[...item.parentElement.children].indexOf(item)] });
  }

  #move(event) {
    const step = arrow(event.key);
    const item = event.target.closest("li");
    if (!step || !item) return;
    const index = [...item.parentElement.children].indexOf(item);
    const list = step[1] === 0 ? item.parentElement : this.sides[step[1] < 0 ? 0 : 1];
    const next = list.children[Math.min(index + step[0], list.childElementCount - 1)]?.firstChild;
    if (!next) return;
    event.preventDefault();
    focusOn(next, list === item.parentElement ? event.target : list.querySelector('[tabindex="0"]'));
  }
}
