// <softmax-scale>: random queries and keys of growing width, and what softmax makes of their scores, with and without the division by
// √d_k: bars that grow with the width, and water in eight columns, one for each key, that drains into one. The maths is that of attention.ts. Nothing touches the DOM
// while the module loads.

import { define, Figure } from "../../doors/page-element.ts";
import { softmax } from "../../math/attention.ts";
import { uniform } from "../../math/sampling.ts";
import { Announcer } from "../../views/announcer.ts";
import { announce, h } from "../../views/dom.ts";

export const WIDTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const KEYS = 8;
const LEAST = 0.005; // a weight that isn't written as 0

/** Independent standard normal numbers, the same for the same seed (Box and Muller). */
export const normals = (count: number, seed: number) =>
  Float32Array.from(
    { length: count },
    (_, at) => Math.sqrt(-2 * Math.log(1 - uniform(seed, 2 * at))) * Math.cos(2 * Math.PI * uniform(seed, 2 * at + 1)),
  );

/** The dot products of one query with every key, of which only the first `width` numbers count. */
export function scoresOf(numbers: Float32Array, width: number) {
  const longest = WIDTHS[WIDTHS.length - 1];
  return Float32Array.from({ length: KEYS }, (_, key) => {
    let score = 0;
    for (let i = 0; i < width; i++) score += numbers[i] * numbers[(key + 1) * longest + i];
    return score;
  });
}

/** A cell for each key. */
const cells = (make: (key: number) => HTMLElement) => Array.from({ length: KEYS }, (_, key) => make(key));

const column = () => h("td", {}, h("i"), h("span"));

class SoftmaxScaleElement extends Figure {
  #seed = 1;
  #numbers = new Float32Array();
  #scores = cells(column);
  #reach = 1; // of their bars: the largest score of the widest keys, so that bars grow with the width
  /** Without the scale and with it, a column of water for each key. */
  #water = [cells(column), cells(column)];
  #width = h("input", {
    type: "range",
    min: 0,
    max: WIDTHS.length - 1,
    value: 6,
    "aria-label": "Width d_k",
    oninput: () => (this.#announcer.changed(), this.#paint()),
  });
  #again = h("button", { type: "button", onclick: () => (this.#announcer.changed(), this.#roll()) }, "Draw others");
  #widthText = h("span");
  #largest = h("p", { class: "hm-status" });
  #announcer = new Announcer();

  protected draw() {
    const row = (name: string, of: HTMLElement[], kind = "") =>
      h("tr", { class: kind }, h("th", { scope: "row" }, name), ...of);
    const table = h(
      "table",
      { "aria-label": "Scores and weights of eight random keys" },
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col" }, "key"), ...cells((key) => h("th", { scope: "col" }, String(key + 1)))),
      ),
      h(
        "tbody",
        {},
        row("q · k", this.#scores, "sc-scores"),
        row("softmax(q · k)", this.#water[0], "sc-water"),
        row("softmax(q · k / √dₖ)", this.#water[1], "sc-water"),
      ),
    );
    this.replaceChildren(
      h(
        "div",
        { class: "hm-tools" },
        h("label", { class: "hm-field" }, "Width ", this.#width, this.#widthText),
        this.#again,
      ),
      table,
      this.#largest,
      this.#announcer.node,
    );
    this.#roll();
  }

  /** Takes other random numbers. */
  #roll() {
    this.#numbers = normals((KEYS + 1) * WIDTHS[WIDTHS.length - 1], this.#seed++);
    this.#reach = Math.max(...scoresOf(this.#numbers, WIDTHS[WIDTHS.length - 1]).map(Math.abs));
    this.#paint();
  }

  #paint() {
    const width = WIDTHS[Number(this.#width.value)];
    this.#widthText.textContent = this.#width.ariaValueText = `dₖ = ${width}`;
    const scores = scoresOf(this.#numbers, width);
    const weightsOf = (values: Float32Array) => softmax({ shape: [1, KEYS], values }).values;
    const both = [weightsOf(scores), weightsOf(scores.map((score) => score / Math.sqrt(width)))];
    this.#scores.forEach((cell, key) => {
      cell.style.setProperty("--score", Math.min(Math.abs(scores[key]) / this.#reach, 1).toFixed(4));
      cell.classList.toggle("sc-below", scores[key] < 0);
      cell.querySelector("span")!.textContent = scores[key].toFixed(1).replace("-", "−");
    });
    both.forEach((weights, which) =>
      weights.forEach((weight, key) => {
        const cell = this.#water[which][key];
        cell.style.setProperty("--share", weight.toFixed(4));
        cell.querySelector("span")!.textContent = weight < LEAST ? "0" : weight.toFixed(2);
        cell.classList.toggle("sc-dry", weight < LEAST);
      }),
    );
    const [raw, scaled] = both.map((weights) => Math.max(...weights).toFixed(2));
    this.#largest.textContent = `The largest weight is ${raw} without scaling, ${scaled} with it.`;
    this.#announcer.drawn(() => this.#largest.textContent ?? "");
    announce(this, "weights", { width, scores, unscaled: both[0], scaled: both[1] });
  }
}

define("softmax-scale", SoftmaxScaleElement);
