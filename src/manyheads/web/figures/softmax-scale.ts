// <softmax-scale>: random queries and keys of growing width, and what softmax makes of their scores, with and without
// the division by √d_k. The maths is that of attention.js. Nothing touches the DOM while the module loads.

import { softmax } from "../math/attention.js";
import { Announcer } from "../views/announcer.js";
import { h } from "../views/dom.js";

export const WIDTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const KEYS = 8;

/**
 * Independent standard normal numbers, the same for the same seed (mulberry32, then Box and Muller).
 * @param {number} count
 * @param {number} seed
 */
export function normals(count, seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Float32Array.from({ length: count }, () =>
    Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()));
}

/**
 * The dot products of one query with every key, of which only the first `width` numbers count.
 * @param {Float32Array} numbers
 * @param {number} width
 */
export function scoresOf(numbers, width) {
  const longest = WIDTHS[WIDTHS.length - 1];
  return Float32Array.from({ length: KEYS }, (_, key) => {
    let score = 0;
    for (let i = 0; i < width; i++) score += numbers[i] * numbers[(key + 1) * longest + i];
    return score;
  });
}

function defineElement() {
  class SoftmaxScaleElement extends HTMLElement {
    #seed = 1;
    #numbers = new Float32Array();
    /** The table's rows, one for each key. @type {HTMLTableRowElement[]} */
    #rows = [];
    #width = h("input", { type: "range", min: 0, max: WIDTHS.length - 1, value: 6, "aria-label": "Width d_k" });
    #named = h("span");
    #said = h("p", { class: "hm-status" });
    #announcer = new Announcer();

    connectedCallback() {
      if (this.#rows.length) return;
      this.classList.add("head-map", "softmax-scale");
      const again = h("button", { type: "button" }, "Draw others");
      this.#rows = Array.from({ length: KEYS }, (_, key) =>
        h("tr", {}, h("th", { scope: "row" }, `key ${key + 1}`), h("td", {}), h("td", { class: "bar" }), h("td", { class: "bar" })));
      const heads = ["key", "q · k", "softmax(q · k)", "softmax(q · k / √dₖ)"].map((text) => h("th", { scope: "col" }, text));
      const table = h("table", { "aria-label": "Scores and weights of eight random keys" },
        h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...this.#rows));
      this.replaceChildren(h("div", { class: "hm-tools" },
        h("label", { class: "hm-field" }, "Width ", this.#width, this.#named), again), table, this.#said, this.#announcer.node);
      this.#width.addEventListener("input", () => (this.#announcer.changed(), this.#draw()));
      again.addEventListener("click", () => (this.#announcer.changed(), this.#redraw()));
      this.#redraw();
    }

    #redraw() {
      this.#numbers = normals((KEYS + 1) * WIDTHS[WIDTHS.length - 1], this.#seed++);
      this.#draw();
    }

    #draw() {
      const width = WIDTHS[Number(this.#width.value)];
      this.#named.textContent = this.#width.ariaValueText = `dₖ = ${width}`;
      const scores = scoresOf(this.#numbers, width);
      const shares = (/** @type {Float32Array} */ values) => softmax({ shape: [1, KEYS], values }).values;
      const both = [shares(scores), shares(scores.map((score) => score / Math.sqrt(width)))];
      this.#rows.forEach(({ cells }, key) => {
        cells[1].textContent = scores[key].toFixed(1).replace("-", "−");
        both.forEach((weights, which) => {
          cells[which + 2].textContent = weights[key].toFixed(2);
          cells[which + 2].style.setProperty("--share", weights[key].toFixed(3));
        });
      });
      const [raw, scaled] = both.map((weights) => Math.max(...weights).toFixed(2));
      this.#said.textContent = `The largest weight is ${raw} without scaling, ${scaled} with it.`;
      this.#announcer.drawn(() => this.#said.textContent ?? "");
      this.dispatchEvent(new CustomEvent("weights", { bubbles: true, detail: { width, scores, unscaled: both[0], scaled: both[1] } }));
    }
  }

  customElements.define("softmax-scale", SoftmaxScaleElement);
}

if (globalThis.customElements && !customElements.get("softmax-scale")) defineElement();
