// <rotary-positions>: a query and a key of the same word as arrows that turn with their positions, and the score of the two. Moved
// together, all arrows turn and the score stays. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { h, setText, setValue } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { ARROWS, LAST, reduce, scoreOf, SPEEDS, start, type Action, type Arrow, type State } from "./state.ts";

const DISTANCES = Array.from({ length: 2 * LAST + 1 }, (_, at) => at - LAST); // at none of them the score is negative

const degrees = (radians: number, digits = 0) => `${((radians * 180) / Math.PI).toFixed(digits)}°`;

function view({ act }: Host<State, Action>) {
  const sliders = ARROWS.map((arrow) => makeSlider(arrow, (to) => act({ type: "move", arrow, to })));
  const together = h("input", { type: "checkbox", onchange: () => act({ type: "join", together: together.checked }) });
  const dials = Array.from(SPEEDS, makeDial);
  const bars = DISTANCES.map((distance) =>
    h("i", { style: `--score: ${(scoreOf({ query: 0, key: distance }) / SPEEDS.length).toFixed(3)}` }),
  );
  const score = h("p", { class: "rp-score" });
  const chart = h(
    "div",
    { class: "rp-bars", role: "img", "aria-label": "The score at every distance: largest at 0" },
    ...bars,
  );
  const ends = h(
    "p",
    { class: "rp-ends", "aria-hidden": "true" },
    h("span", {}, `key ${LAST} before`),
    h("span", {}, "same place"),
    h("span", {}, `key ${LAST} after`),
  );
  const tools = h(
    "div",
    { class: "hm-tools" },
    ...sliders.map(({ node }) => node),
    h("label", { class: "hm-field" }, together, "Move both"),
  );

  function draw(state: State) {
    for (const part of [...sliders, ...dials]) part.draw(state);
    bars.forEach((bar, at) => bar.classList.toggle("rp-now", DISTANCES[at] === state.key - state.query));
    setText(score, summary(state));
  }

  return {
    nodes: [tools, h("div", { class: "rp-dials" }, ...dials.map(({ node }) => node)), score, chart, ends],
    draw,
  };
}

function summary(state: State) {
  const { query, key } = state;
  const apart = Math.abs(key - query);
  const place = apart
    ? `${apart} ${apart === 1 ? "word" : "words"} ${key < query ? "before" : "after"} the query`
    : "where the query is";
  return `The key is ${place}. Score: ${scoreOf(state).toFixed(2)}`;
}

/** A slider of positions with the position after it. */
function makeSlider(arrow: Arrow, moved: (to: number) => void) {
  const name = `Position of the ${arrow}`;
  const oninput = () => moved(Number(input.value));
  const input = h("input", { type: "range", min: 0, max: LAST, "aria-label": name, oninput });
  const text = h("span", { class: "rp-at" });
  return {
    node: h("label", { class: "hm-field" }, name, input, text),
    draw(state: State) {
      setValue(input, String(state[arrow]));
      setText(text, input.value);
    },
  };
}

/** A pair of features: the query's arrow, the key's, and the angle between them. */
function makeDial(speed: number) {
  const [query, key] = ARROWS.map((arrow) => h("i", { class: `rp-${arrow}` }));
  const between = h("b");
  const turns = `${degrees(speed, speed < 0.01 ? 2 : speed < 1 ? 1 : 0)} a word`;
  return {
    node: h(
      "figure",
      {},
      h("div", { class: "rp-dial", "aria-hidden": "true" }, query, key),
      h("figcaption", {}, between, h("span", {}, turns)),
    ),
    draw(state: State) {
      query.style.setProperty("--turn", `${-state.query * speed}rad`);
      key.style.setProperty("--turn", `${-state.key * speed}rad`);
      const angle = Math.acos(Math.cos((state.key - state.query) * speed)); // at most half a turn
      setText(between, `${degrees(angle, speed < 0.01 ? 1 : 0)} apart`);
    },
  };
}

defineFigure<State, Action>("rotary-positions", {
  start,
  reduce,
  view,
  summary,
  events: ({ query, key }) => ({ turned: { query, key, score: scoreOf({ query, key }) } }),
});
