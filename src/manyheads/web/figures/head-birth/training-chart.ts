// A chart of what was measured in a training: a line or several over its steps, and a mark at one of them.

import { fill, h, setText } from "../../views/dom.ts";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [1000, 100];

export class TrainingChart {
  #plot = h("div", { class: "hb-plot" });
  #ticks = h("div", { class: "hb-ticks", "aria-hidden": "true" });
  #lines: Element[];
  #highest: number;
  #last = 1;
  caption = h("figcaption");
  node: HTMLElement;

  /** A line of each colour; `unit` writes a value on the axis. */
  constructor(colours: string[], highest: number, unit: (value: number) => string) {
    this.#highest = highest;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    this.#lines = colours.map((colour) => {
      const line = svg.appendChild(document.createElementNS(SVG, "polyline"));
      line.setAttribute("style", `stroke: ${colour}`);
      return line;
    });
    const axis = h(
      "div",
      { class: "hb-axis", "aria-hidden": "true" },
      h("span", {}, unit(highest)),
      h("span", {}, unit(0)),
    );
    this.#plot.append(svg, h("i", { class: "hb-mark", "aria-hidden": "true" }));
    this.node = h("figure", { class: "hb-chart" }, this.caption, axis, this.#plot, this.#ticks);
  }

  /** The values of each line at each of the steps, null or NaN where nothing was measured; `ticks` are the steps written below, the last at the end. */
  draw(steps: number[], values: (number | null)[][], ticks: number[]) {
    this.#last = ticks[ticks.length - 1];
    this.#lines.forEach((line, number) => {
      const points = values[number].flatMap((value, at) =>
        value === null || Number.isNaN(value)
          ? []
          : [
              `${Math.round((WIDTH * steps[at]) / this.#last)},${(HEIGHT * (1 - Math.min(value / this.#highest, 1))).toFixed(1)}`,
            ],
      );
      line.setAttribute("points", points.join(" "));
    });
    const below = fill(this.#ticks, ticks.length, () => h("span"));
    ticks.forEach((tick, at) => {
      setText(below[at], String(tick));
      (below[at] as HTMLElement).style.setProperty("--at", (tick / this.#last).toFixed(4));
    });
  }

  mark(step: number) {
    this.#plot.style.setProperty("--at", Math.min(step / this.#last, 1).toFixed(4));
  }
}
