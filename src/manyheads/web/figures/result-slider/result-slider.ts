// <result-slider at="8">: what an experiment found for each number of heads, or whatever else its reader slides through. Of several seeds,
// a panel for each series, in it a column for each step with a dot a seed and their mean; of single values, a bar for each series. The
// values of the chosen step are written. The element holds the numbers as JSON. No DOM while the module loads, as in head-map.ts.

import { define, Figure } from "../../doors/page-element.ts";
import { Announcer } from "../../views/announcer.ts";
import { announce, h, setText } from "../../views/dom.ts";

/** What `slider` of the book's sliding.py bakes in: values are [step][seed]. */
interface Results {
  name: string; // of what is slid through
  steps: string[];
  series: { name: string; values: number[][] }[];
  unit: string;
  digits: number;
  start: number;
}

const TICKS = 4; // of an axis, about

/** Round values on an axis that holds `least` and `most`, its ends among them. */
export function ticksOf(least: number, most: number) {
  const rough = (most - least || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const written = (value: number, digits: number) => value.toFixed(digits).replace("-", "\u2212");

const placeOn = (ticks: number[]) => (value: number) =>
  ((value - ticks[0]) / (ticks[ticks.length - 1] - ticks[0])).toFixed(4);

/** The values of an axis, the last with its unit. */
function axisOf(ticks: number[], unit: string) {
  const decimals = Math.max(...ticks.map((tick) => (String(tick).split(".")[1] ?? "").length));
  return ticks.map((tick, at) =>
    h(
      "span",
      { style: `--at: ${placeOn(ticks)(tick)}` },
      `${written(tick, decimals)}${at === ticks.length - 1 && unit ? `\u00a0${unit}` : ""}`,
    ),
  );
}

/** The mean of each step as it's written. */
const meansOf = (values: number[][], { unit, digits }: Results) =>
  values.map((each) => `${written(mean(each), digits)}${unit && `\u00a0${unit}`}`);

class ResultSliderElement extends Figure {
  static observedAttributes = ["at"];
  #slider = h("input", { type: "range", min: 0, step: 1, oninput: () => this.#move() });
  #at = h("b");
  #shown: (Panel | Bar)[] = [];
  #results: Results = { name: "", steps: [], series: [], unit: "", digits: 0, start: 0 };
  #announcer = new Announcer();

  protected draw(baked: Results | null) {
    if (!baked) return;
    this.#results = baked;
    const all = baked.series.flatMap(({ values }) => values.flat());
    const ticks = ticksOf(Math.min(0, ...all), Math.max(...all));
    const choose = (step: number) => ((this.#slider.value = String(step)), this.#move());
    const isSingle = baked.series.every(({ values }) => values.every(({ length }) => length === 1));
    this.#shown = baked.series.map((each) =>
      isSingle ? new Bar(each, baked, ticks) : new Panel(each, baked, ticks, choose),
    );
    this.#slider.max = String(baked.steps.length - 1);
    this.#slider.value = String(baked.start);
    this.#slider.ariaLabel = baked.name;
    this.style.setProperty("--panels", String(baked.series.length));
    const axis = h("div", { class: "rs-scale", "aria-hidden": "true" }, ...axisOf(ticks, baked.unit));
    this.replaceChildren(
      h(
        "div",
        { class: isSingle ? "rs-bars" : "rs-panels" },
        ...this.#shown.map(({ node }) => node),
        ...(isSingle ? [axis] : []),
      ),
      h(
        "div",
        { class: "rs-below" },
        h("label", { class: "hm-field" }, `${baked.name} `, this.#slider, this.#at),
        ...(isSingle ? [] : [h("span", { class: "rs-key" }, "A dot is a seed, the line their mean.")]),
      ),
      this.#announcer.node,
    );
    this.#paint();
  }

  attributeChangedCallback(_: string, before: string | null, step: string | null) {
    const at = this.#results.steps.indexOf(step ?? "");
    if (before === step || at < 0) return;
    this.#slider.value = String(at);
    this.#move();
  }

  #move() {
    this.#announcer.changed();
    this.#paint();
  }

  #paint() {
    const { steps, series, name } = this.#results;
    const at = Number(this.#slider.value);
    setText(this.#at, steps[at]);
    this.#slider.ariaValueText = steps[at];
    for (const each of this.#shown) each.show(at);
    this.#announcer.drawn(() => `${name} ${steps[at]}: ${this.#shown.map(({ text }) => text).join(", ")}`);
    announce(this, "results", { step: steps[at], values: series.map(({ values }) => values[at]) });
  }
}

/** One series: the dots and means of all steps, and the mean of the chosen one as a number. */
class Panel {
  #name: string;
  #means: string[];
  #columns: HTMLElement[];
  #number = h("b");
  readonly node: HTMLElement;

  constructor(
    { name, values }: Results["series"][0],
    results: Results,
    ticks: number[],
    choose: (step: number) => void,
  ) {
    this.#name = name;
    this.#means = meansOf(values, results);
    const place = placeOn(ticks);
    this.#columns = values.map((each, step) =>
      h(
        "div",
        { class: "rs-column", onclick: () => choose(step) },
        ...each.map((value, seed) => {
          const across = each.length > 1 ? seed / (each.length - 1) : 0.5;
          return h("i", { class: "rs-dot", style: `--x: ${across.toFixed(3)}; --at: ${place(value)}` });
        }),
        h("i", { class: "rs-mean", style: `--at: ${place(mean(each))}` }),
        h("span", {}, results.steps[step]),
      ),
    );
    const plot = h(
      "div",
      { class: "rs-plot", "aria-hidden": "true" },
      h("div", { class: "rs-axis" }, ...axisOf(ticks, results.unit)),
      ...this.#columns,
    );
    this.node = h("figure", { class: "rs-panel" }, h("figcaption", {}, h("span", {}, name), " ", this.#number), plot);
  }

  get text() {
    return `${this.#name} ${this.#number.textContent}`;
  }

  show(at: number) {
    this.#columns.forEach((column, step) => column.classList.toggle("rs-at", step === at));
    setText(this.#number, this.#means[at]);
  }
}

/** One series of single values: a bar from 0. */
class Bar {
  #name: string;
  #values: number[];
  #means: string[];
  #place: (value: number) => string;
  #bar = h("i");
  #number = h("b");
  readonly node: HTMLElement;

  constructor({ name, values }: Results["series"][0], results: Results, ticks: number[]) {
    this.#name = name;
    this.#values = values.map(mean);
    this.#means = meansOf(values, results);
    this.#place = placeOn(ticks);
    const strip = h("div", { class: "rs-strip", "aria-hidden": "true" }, this.#bar);
    this.node = h("div", { class: "rs-row" }, h("span", {}, name), strip, this.#number);
  }

  get text() {
    return `${this.#name} ${this.#number.textContent}`;
  }

  show(at: number) {
    this.#bar.style.setProperty("--share", this.#place(this.#values[at]));
    setText(this.#number, this.#means[at]);
  }
}

define("result-slider", ResultSliderElement);
