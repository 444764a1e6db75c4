// <result-slider>: what an experiment found, for the number of heads or whatever else its reader slides through: a dot a seed, and
// the mean; a bar where there is a single value. The element holds the numbers as JSON. No DOM while the module loads, as in head-map.ts.

import { define, Figure } from "../../doors/page-element.ts";
import { Announcer } from "../../views/announcer.ts";
import { announce, fill, h, setText } from "../../views/dom.ts";

/** What `slider` of the book's sliding.py bakes in: values are [step][seed]. */
interface Results {
  name: string; // of what is slid through
  steps: string[];
  series: { name: string; values: number[][] }[];
  unit: string;
  digits: number;
  start: number;
}

class ResultSliderElement extends Figure {
  #slider = h("input", { type: "range", min: 0, step: 1, oninput: () => (this.#announcer.changed(), this.#paint()) });
  #at = h("b");
  #rows: Strip[] = [];
  #results: Results = { name: "", steps: [], series: [], unit: "", digits: 0, start: 0 };
  #announcer = new Announcer();

  protected draw(baked: Results | null) {
    if (!baked) return;
    this.#results = baked;
    const all = baked.series.flatMap(({ values }) => values.flat());
    const [least, most] = [Math.min(0, ...all), Math.max(...all)];
    const format = (value: number) =>
      `${value.toFixed(baked.digits).replace("-", "\u2212")}${baked.unit && ` ${baked.unit}`}`;
    this.#rows = baked.series.map(
      ({ name, values }) =>
        new Strip(
          name,
          values.every(({ length }) => length === 1),
          (value) => (value - least) / (most - least || 1),
          format,
        ),
    );
    this.#slider.max = String(baked.steps.length - 1);
    this.#slider.value = String(baked.start);
    this.#slider.ariaLabel = baked.name;
    this.replaceChildren(
      h("label", { class: "hm-field" }, `${baked.name} `, this.#slider, this.#at),
      ...this.#rows.map(({ node }) => node),
      this.#announcer.node,
    );
    this.#paint();
  }

  #paint() {
    const { steps, series, name } = this.#results;
    const at = Number(this.#slider.value);
    setText(this.#at, steps[at]);
    this.#slider.ariaValueText = steps[at];
    series.forEach(({ values }, row) => this.#rows[row].draw(values[at]));
    this.#announcer.drawn(() => `${name} ${steps[at]}: ${this.#rows.map(({ text }) => text).join(", ")}`);
    announce(this, "results", { step: steps[at], values: series.map(({ values }) => values[at]) });
  }
}

/** One series: a dot a seed, the mean as a line and a number; or a bar, of a single value. */
class Strip {
  #name: string;
  #place: (value: number) => number;
  #format: (value: number) => string;
  #dots = h("div", { class: "rs-dots" });
  #mean = h("i", { class: "rs-mean" });
  #number = h("b");
  readonly node: HTMLElement;

  constructor(name: string, isBar: boolean, place: (value: number) => number, format: (value: number) => string) {
    this.#name = name;
    this.#place = place;
    this.#format = format;
    this.node = h(
      "div",
      { class: "rs-row" },
      h("span", {}, name),
      h("div", { class: isBar ? "rs-strip rs-bar" : "rs-strip", "aria-hidden": "true" }, this.#dots, this.#mean),
      this.#number,
    );
  }

  get text() {
    return `${this.#name} ${this.#number.textContent}`;
  }

  draw(values: number[]) {
    const dots = fill(this.#dots, values.length, () => h("i"));
    values.forEach((value, at) => dots[at].style.setProperty("--x", this.#place(value).toFixed(4)));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    this.#mean.style.setProperty("--x", this.#place(mean).toFixed(4));
    setText(this.#number, this.#format(mean));
  }
}

define("result-slider", ResultSliderElement);
