// A chart of what was measured in a training: a line or several over its steps, and a mark at one of them.

import { h } from "./dom.ts";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [1000, 100];

/** A line: its colour and its values, one for each step measured. */
interface Line {
  colour: string;
  values: number[];
}

export class TrainingChart {
  #mark = h("i", { class: "hb-mark", "aria-hidden": "true" });
  #last: number;
  caption = h("figcaption");
  node: HTMLElement;

  /** `steps` are those measured, `ticks` those written below, `unit` writes a value on the axis. */
  constructor(steps: number[], lines: Line[], highest: number, ticks: number[], unit: (value: number) => string) {
    this.#last = steps[steps.length - 1];
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    for (const { colour, values } of lines) {
      const line = svg.appendChild(document.createElementNS(SVG, "polyline"));
      const points = values.map((value, at) => `${(WIDTH * steps[at]) / this.#last},${(HEIGHT * (1 - value / highest)).toFixed(1)}`);
      line.setAttribute("points", points.join(" "));
      line.setAttribute("style", `stroke: ${colour}`);
    }
    const axis = h("div", { class: "hb-axis", "aria-hidden": "true" }, h("span", {}, unit(highest)), h("span", {}, unit(0)));
    const below = h("div", { class: "hb-ticks", "aria-hidden": "true" }, ...ticks.map((tick) =>
      h("span", { style: `--at: ${(tick / this.#last).toFixed(4)}` }, String(tick))));
    this.node = h("figure", { class: "hb-chart" }, this.caption, axis, h("div", { class: "hb-plot" }, svg, this.#mark), below);
  }

  mark(step: number) {
    this.#mark.style.setProperty("--at", (step / this.#last).toFixed(4));
  }
}
