// <softmax-scale>: random queries and keys of growing width, and what softmax makes of their scores, with and without
// the division by √d_k. The maths is that of attention.ts. Nothing touches the DOM while the module loads.

import { define, Figure } from "../../doors/page-element.ts";
import { softmax } from "../../math/attention.ts";
import { uniform } from "../../math/sampling.ts";
import { Announcer } from "../../views/announcer.ts";
import { announce, h } from "../../views/dom.ts";

export const WIDTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const KEYS = 8;

/** Independent standard normal numbers, the same for the same seed (Box and Muller). */
export const normals = (count: number, seed: number) =>
  Float32Array.from({ length: count }, (_, at) => Math.sqrt(-2 * Math.log(1 - uniform(seed, 2 * at))) * Math.cos(2 * Math.PI * uniform(seed, 2 * at + 1)));

/** The dot products of one query with every key, of which only the first `width` numbers count. */
export function scoresOf(numbers: Float32Array, width: number) {
  const longest = WIDTHS[WIDTHS.length - 1];
  return Float32Array.from({ length: KEYS }, (_, key) => {
    let score = 0;
    for (let i = 0; i < width; i++) score += numbers[i] * numbers[(key + 1) * longest + i];
    return score;
  });
}

class SoftmaxScaleElement extends Figure {
  #seed = 1;
  #numbers = new Float32Array();
  /** The table's rows, one for each key. */
  #rows = Array.from({ length: KEYS }, (_, key) =>
    h("tr", {}, h("th", { scope: "row" }, `key ${key + 1}`), h("td", {}), h("td", { class: "bar" }), h("td", { class: "bar" })));
  #width = h("input", { type: "range", min: 0, max: WIDTHS.length - 1, value: 6, "aria-label": "Width d_k",
    oninput: () => (this.#announcer.changed(), this.#paint()) });
  #again = h("button", { type: "button", onclick: () => (this.#announcer.changed(), this.#roll()) }, "Draw others");
  #widthText = h("span");
  #largest = h("p", { class: "hm-status" });
  #announcer = new Announcer();

  protected draw() {
    const heads = ["key", "q · k", "softmax(q · k)", "softmax(q · k / √dₖ)"].map((text) => h("th", { scope: "col" }, text));
    const table = h("table", { "aria-label": "Scores and weights of eight random keys" },
      h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...this.#rows));
    this.replaceChildren(h("div", { class: "hm-tools" },
      h("label", { class: "hm-field" }, "Width ", this.#width, this.#widthText), this.#again), table, this.#largest, this.#announcer.node);
    this.#roll();
  }

  /** Takes other random numbers. */
  #roll() {
    this.#numbers = normals((KEYS + 1) * WIDTHS[WIDTHS.length - 1], this.#seed++);
    this.#paint();
  }

  #paint() {
    const width = WIDTHS[Number(this.#width.value)];
    this.#widthText.textContent = this.#width.ariaValueText = `dₖ = ${width}`;
    const scores = scoresOf(this.#numbers, width);
    const weightsOf = (values: Float32Array) => softmax({ shape: [1, KEYS], values }).values;
    const both = [weightsOf(scores), weightsOf(scores.map((score) => score / Math.sqrt(width)))];
    this.#rows.forEach(({ cells }, key) => {
      cells[1].textContent = scores[key].toFixed(1).replace("-", "−");
      both.forEach((weights, which) => {
        cells[which + 2].textContent = weights[key].toFixed(2);
        cells[which + 2].style.setProperty("--share", weights[key].toFixed(3));
      });
    });
    const [raw, scaled] = both.map((weights) => Math.max(...weights).toFixed(2));
    this.#largest.textContent = `The largest weight is ${raw} without scaling, ${scaled} with it.`;
    this.#announcer.drawn(() => this.#largest.textContent ?? "");
    announce(this, "weights", { width, scores, unscaled: both[0], scaled: both[1] });
  }
}

define("softmax-scale", SoftmaxScaleElement);
