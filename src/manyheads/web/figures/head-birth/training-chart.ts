// A chart of what was measured in a training: a line or several over its steps, and a mark at one of them.

import { fill, h, s, setText } from "../../views/dom.ts";

const [WIDTH, HEIGHT] = [1000, 100];

/** A line of each colour; `unit` writes a value on the axis, up to the `highest`. */
export function trainingChart(colours: string[], highest: number, unit: (value: number) => string) {
  const lines = colours.map((colour) => s("polyline", { style: `stroke: ${colour}` }));
  const view = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const svg = s("svg", view, ...lines);
  const caption = h("figcaption");
  const unseen = { "aria-hidden": "true" };
  const axis = h("div", { class: "hb-axis", ...unseen }, h("span", {}, unit(highest)), h("span", {}, unit(0)));
  const plot = h("div", { class: "hb-plot" }, h("i", { class: "hb-mark", ...unseen }));
  plot.prepend(svg);
  const below = h("div", { class: "hb-ticks", ...unseen });
  let last = 1; // step on the axis

  /** The values of each line at each of the steps, null or NaN where nothing was measured; `ticks` are the steps written below, the last at the end. */
  function draw(steps: number[], values: (number | null)[][], ticks: number[]) {
    last = ticks[ticks.length - 1];
    const [across, up] = [WIDTH / last, HEIGHT / highest];
    lines.forEach((line, number) => {
      const points = values[number].flatMap((value, at) =>
        value === null || Number.isNaN(value)
          ? []
          : [`${Math.round(across * steps[at])},${(HEIGHT - up * Math.min(value, highest)).toFixed(1)}`],
      );
      line.setAttribute("points", points.join(" "));
    });
    const places = fill(below, ticks.length, () => h("span"));
    ticks.forEach((tick, at) => {
      setText(places[at], String(tick));
      places[at].style.setProperty("--at", (tick / last).toFixed(4));
    });
  }

  const mark = (step: number) => plot.style.setProperty("--at", Math.min(step / last, 1).toFixed(4));

  return { node: h("figure", { class: "hb-chart" }, caption, axis, plot, below), caption, draw, mark };
}
