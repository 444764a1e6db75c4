// <softmax-scale>: random queries and keys of growing width, and what softmax makes of their scores, with and without the division by
// √d_k: bars that grow with the width, and water in eight columns, one for each key, that drains into one. Nothing touches the DOM while
// the module loads.

import { defineFigure } from "../../doors/define-figure.ts";
import { h, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { KEYS, reduce, start, weighed, WIDTHS, type Action, type State } from "./state.ts";

const LEAST = 0.005; // a weight that isn't written as 0

/** A cell for each key. */
const cells = (make: (key: number) => HTMLElement) => Array.from({ length: KEYS }, (_, key) => make(key));

const column = () => h("td", {}, h("i"), h("span"));

function view({ act }: Host<State, Action>) {
  const slider = h("input", {
    type: "range",
    min: 0,
    max: WIDTHS.length - 1,
    "aria-label": "Width d_k",
    oninput: () => act({ type: "widen", at: Number(slider.value) }),
  });
  const width = h("span");
  const scores = cells(column);
  const water = [cells(column), cells(column)]; // without the scale and with it
  const largest = h("p", { class: "hm-status" });
  const row = (name: string, of: HTMLElement[], kind: string) =>
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
      row("q · k", scores, "sc-scores"),
      row("softmax(q · k)", water[0], "sc-water"),
      row("softmax(q · k / √dₖ)", water[1], "sc-water"),
    ),
  );
  const again = h("button", { type: "button", onclick: () => act({ type: "roll" }) }, "Draw others");
  const tools = h("div", { class: "hm-tools" }, h("label", { class: "hm-field" }, "Width ", slider, width), again);

  function draw(state: State) {
    const made = weighed(state);
    slider.value = String(state.at);
    slider.ariaValueText = `dₖ = ${made.width}`;
    setText(width, slider.ariaValueText);
    scores.forEach((cell, key) => {
      const score = made.scores[key];
      cell.style.setProperty("--score", Math.min(Math.abs(score) / state.reach, 1).toFixed(4));
      cell.classList.toggle("sc-below", score < 0);
      setText(cell.lastElementChild!, score.toFixed(1).replace("-", "−"));
    });
    [made.unscaled, made.scaled].forEach((weights, which) =>
      weights.forEach((weight, key) => {
        const cell = water[which][key];
        cell.style.setProperty("--share", weight.toFixed(4));
        cell.classList.toggle("sc-dry", weight < LEAST);
        setText(cell.lastElementChild!, weight < LEAST ? "0" : weight.toFixed(2));
      }),
    );
    setText(largest, summary(state));
  }

  return { nodes: [tools, table, largest], draw };
}

function summary(state: State) {
  const { unscaled, scaled } = weighed(state);
  const [raw, divided] = [unscaled, scaled].map((weights) => Math.max(...weights).toFixed(2));
  return `The largest weight is ${raw} without scaling, ${divided} with it.`;
}

defineFigure<State, Action>("softmax-scale", {
  start,
  reduce,
  view,
  summary,
  events: (state) => ({ weights: weighed(state) }),
});
