// A chart of lines over one axis, such as what was measured at the steps of a training, and a mark at one place of it.

import { fill, h, s, setText } from "./dom.ts";

const [WIDTH, HEIGHT] = [1000, 100];
const unseen = { "aria-hidden": "true" };

/** A line of each colour; `unit` writes a value at either end of the axis. */
export function lineChart(colours: string[], unit: (value: number) => string = String) {
  const lines = colours.map((colour) => s("polyline", { style: `stroke: ${colour}` }));
  const view = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", ...unseen };
  const caption = h("figcaption");
  const ends = [h("span"), h("span")];
  const plot = h("div", { class: "lc-plot" }, s("svg", view, ...lines), h("i", { class: "lc-mark", ...unseen }));
  const below = h("div", { class: "lc-ticks", ...unseen });
  let [first, last] = [0, 1]; // on the axis

  /**
   * The values of each line at places of the axis, null or NaN where there is none. `ticks` are the places written below, the first and the last
   * at its ends; `range` are the lowest and the highest value, beyond which a line runs along the edge.
   */
  function draw(places: number[], values: (number | null)[][], ticks: number[], [lowest, highest]: number[]) {
    [first, last] = [ticks[0], ticks[ticks.length - 1]];
    [highest, lowest].forEach((value, end) => setText(ends[end], unit(value)));
    const [across, up] = [WIDTH / (last - first), HEIGHT / (highest - lowest)];
    lines.forEach((line, number) => {
      const points = values[number].flatMap((value, at) =>
        value === null || Number.isNaN(value)
          ? []
          : [
              `${Math.round(across * (places[at] - first))},${(HEIGHT - up * (Math.max(lowest, Math.min(value, highest)) - lowest)).toFixed(1)}`,
            ],
      );
      line.setAttribute("points", points.join(" "));
    });
    const nodes = fill(below, ticks.length, () => h("span"));
    ticks.forEach((tick, at) => {
      setText(nodes[at], String(tick).replace("-", "−"));
      nodes[at].style.setProperty("--at", placeOf(tick));
    });
  }

  /** Where a place of the axis stands, from 0 to 1. */
  const placeOf = (place: number) => Math.max(0, Math.min((place - first) / (last - first), 1)).toFixed(4);

  const mark = (place: number) => plot.style.setProperty("--at", placeOf(place));

  const axis = h("div", { class: "lc-axis", ...unseen }, ...ends);
  return { node: h("figure", { class: "lc-chart" }, caption, axis, plot, below), caption, plot, draw, mark };
}
