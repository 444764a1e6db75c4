// <result-slider at="8">: what an experiment found for each number of heads, or whatever else its reader slides through. Of several seeds,
// a panel for each series, in it a column for each step with a dot a seed and their mean; of single values, a bar for each series. The
// values of the chosen step are written. The element holds the numbers as JSON. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { h, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { axisOf, isSingle, mean, reduce, start, textOf, written, type Action, type Axis, type State } from "./state.ts";

function view({ act, state: first, root }: Host<State, Action>) {
  const { name, steps, series } = first.results;
  const single = isSingle(first.results);
  const axis = axisOf(first.results);
  const go = (at: number) => act({ type: "go", at });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: steps.length - 1,
    step: 1,
    "aria-label": name,
    oninput: () => go(Number(slider.value)),
  });
  const step = h("b");
  const shown = series.map((_, of) => (single ? makeBar(of, first, axis) : makePanel(of, first, axis, go)));
  const nodes = [...shown.map(({ node }) => node), ...(single ? [scaleOf(axis, "rs-scale")] : [])];
  root.style.setProperty("--panels", String(series.length));

  function draw(state: State) {
    slider.value = String(state.at);
    slider.ariaValueText = steps[state.at];
    setText(step, steps[state.at]);
    for (const each of shown) each.draw(state);
  }

  return {
    nodes: [
      h("div", { class: single ? "rs-bars" : "rs-panels" }, ...nodes),
      h(
        "div",
        { class: "rs-below" },
        h("label", { class: "hm-field" }, `${name} `, slider, step),
        ...(single ? [] : [h("span", { class: "rs-key" }, "A dot is a seed, the line their mean.")]),
      ),
    ],
    draw,
  };
}

/** The values of an axis, the last with its unit. */
function scaleOf({ ticks, decimals, unit, place }: Axis, kind: string) {
  const last = ticks.length - 1;
  const values = ticks.map((tick, at) =>
    h(
      "span",
      { style: `--at: ${place(tick)}` },
      `${written(tick, decimals)}${at === last && unit ? `\u00a0${unit}` : ""}`,
    ),
  );
  return h("div", { class: kind, "aria-hidden": "true" }, ...values);
}

/** One series: the dots and means of all steps, and the mean of the chosen one as a number. */
function makePanel(of: number, { results }: State, axis: Axis, go: (step: number) => void) {
  const { name, values } = results.series[of];
  const number = h("b");
  const columns = values.map((each, step) =>
    h(
      "div",
      { class: "rs-column", onclick: () => go(step) },
      ...each.map((value, seed) => {
        const across = each.length > 1 ? seed / (each.length - 1) : 0.5;
        return h("i", { class: "rs-dot", style: `--x: ${across.toFixed(3)}; --at: ${axis.place(value)}` });
      }),
      h("i", { class: "rs-mean", style: `--at: ${axis.place(mean(each))}` }),
      h("span", {}, results.steps[step]),
    ),
  );
  const plot = h("div", { class: "rs-plot", "aria-hidden": "true" }, scaleOf(axis, "rs-axis"), ...columns);
  return {
    node: h("figure", { class: "rs-panel" }, h("figcaption", {}, h("span", {}, name), " ", number), plot),
    draw(state: State) {
      columns.forEach((column, step) => column.classList.toggle("rs-at", step === state.at));
      setText(number, textOf(state, of));
    },
  };
}

/** One series of single values: a bar from 0. */
function makeBar(of: number, { results }: State, { place }: Axis) {
  const { name, values } = results.series[of];
  const [bar, number] = [h("i"), h("b")];
  const strip = h("div", { class: "rs-strip", "aria-hidden": "true" }, bar);
  return {
    node: h("div", { class: "rs-row" }, h("span", {}, name), strip, number),
    draw(state: State) {
      bar.style.setProperty("--share", place(mean(values[state.at])));
      setText(number, textOf(state, of));
    },
  };
}

function summary(state: State) {
  const { name, steps, series } = state.results;
  return `${name} ${steps[state.at]}: ${series.map((each, of) => `${each.name} ${textOf(state, of)}`).join(", ")}`;
}

defineFigure<State, Action>("result-slider", {
  start,
  reduce,
  view,
  summary,
  events: ({ results: { steps, series }, at }) => ({
    results: { step: steps[at], values: series.map(({ values }) => values[at]) },
  }),
  attributes: ["at"],
});
