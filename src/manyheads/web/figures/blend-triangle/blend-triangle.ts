// <blend-triangle words="I love coffee" values="0.2 0.1, 0 1, 1 0">: what one head can make of three words, each a thing and a feeling,
// and what two can. The reader drags a head's blend; two heads keep one number each. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { colourOf } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { arrow, h, nextId, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import {
  blendsOf,
  isReached,
  reduce,
  resultOf,
  start,
  STEP,
  wantedOf,
  type Action,
  type Point,
  type State,
} from "./state.ts";

const [LEAST, MOST] = [-0.1, 1.2]; // of both axes
const KEPT = ["thing", "feeling"]; // by the first of two heads, by the second
const COLOURS = ["object", "sentiment"].map(colourOf);
const MARKS = [0, 0.5, 1]; // on both axes

function view(host: Host<State, Action>) {
  const { act, state: first } = host;
  const ways = waysOf((both) => act({ type: "choose", both }));
  const points = COLOURS.map((colour, head) => {
    const point: HTMLButtonElement = h("button", {
      type: "button",
      class: "bt-point",
      style: `--head: ${colour}`,
      onpointerdown: (event: PointerEvent) => point.setPointerCapture(event.pointerId),
      onpointermove: (event: PointerEvent) => point.hasPointerCapture(event.pointerId) && drag(head, event),
      onkeydown: (event: KeyboardEvent) => push(head, event),
    });
    return point;
  });
  const result = h("i", { class: "bt-result", "aria-hidden": "true" });
  const threads = KEPT.map((kept) => h("i", { class: `bt-thread bt-${kept}`, "aria-hidden": "true" })); // from a head to what it gives
  const marks = MARKS.flatMap((mark) =>
    [0, 1].map((axis) =>
      h(
        "small",
        { class: axis ? "bt-mark-up" : "bt-mark", style: markAt(mark, axis), "aria-hidden": "true" },
        String(mark),
      ),
    ),
  );
  const path = first.corners.map((corner) => `${place(corner, 0)} ${place(corner, 1)}`).join(", ");
  const goal = { class: "bt-wanted", style: where(wantedOf(first)), role: "img", "aria-label": "what is wanted" };
  const plot = h(
    "div",
    { class: "bt-plot" },
    h("i", { class: "bt-blends", style: `clip-path: polygon(${path})`, "aria-hidden": "true" }),
    ...first.words.map((word, at) => h("span", { class: "bt-word", style: where(first.corners[at]) }, word)),
    h("b", goal, "★"),
    ...marks,
    ...threads,
    result,
    ...points,
    h("small", { class: "bt-across", "aria-hidden": "true" }, "thing →"),
    h("small", { class: "bt-up", "aria-hidden": "true" }, "↑ feeling"),
  );
  const lines = COLOURS.map((colour) => h("p", { class: "bt-weights", style: `--head: ${colour}` }));
  const found = h("p", { class: "bt-says" });
  const hint = h("p", { class: "bt-hint" });

  function drag(head: number, { clientX, clientY }: PointerEvent) {
    const { left, bottom, width, height } = plot.getBoundingClientRect();
    const at = (share: number) => LEAST + share * (MOST - LEAST);
    act({ type: "move", head, to: [at((clientX - left) / width), at((bottom - clientY) / height)] });
  }

  function push(head: number, event: KeyboardEvent) {
    const step = arrow(event.key);
    if (!step) return;
    event.preventDefault();
    const [across, up] = blendsOf(host.state)[head];
    act({ type: "move", head, to: [across + STEP * step[1], up - STEP * step[0]] });
  }

  function draw(state: State) {
    const { both, heads, words } = state;
    const blends = blendsOf(state);
    points.forEach((point, head) => {
      point.hidden = head === 1 && !both;
      point.style.cssText = `${where(blends[head])}; --head: ${COLOURS[head]}`;
      point.ariaLabel = `Blend of ${both ? `head ${head + 1}` : "the head"}: ${describePoint(blends[head])}`;
    });
    lines.forEach((line, head) => {
      line.classList.toggle("bt-idle", head === 1 && !both); // its room stays
      const weights = words.map((word, at) => `${word} ${percent(heads[head][at])}`).join(", ");
      setText(line, `${both ? `Head ${head + 1} keeps the ${KEPT[head]} of ` : "The head looks at "}${weights}.`);
    });
    result.hidden = !both;
    result.style.cssText = where(resultOf(state));
    threads.forEach((thread, head) => {
      thread.hidden = !both;
      thread.style.cssText = `${between(blends[head], resultOf(state))}; --head: ${COLOURS[head]}`;
    });
    setText(hint, both ? "Drag both dots: each moves the diamond one way." : "Drag the dot.");
    setText(found, summary(state));
  }

  return {
    nodes: [
      h("div", { class: "hm-tools" }, ways),
      h("div", { class: "bt-room" }, plot, h("div", {}, hint, ...lines, found)),
    ],
    draw,
  };
}

/** One head or two. */
function waysOf(choose: (both: boolean) => void) {
  const group = nextId("bt-heads");
  const ways = ["One head", "Two heads"].map((name, at) => {
    const input = h("input", { type: "radio", name: group, checked: at === 0, onchange: () => choose(at === 1) });
    return h("label", {}, input, h("span", {}, name));
  });
  return h("fieldset", { class: "hm-views", "aria-label": "Heads" }, ...ways);
}

function summary(state: State) {
  const finds = `${state.both ? "Together they find" : "It finds"} ${describePoint(resultOf(state))}.`;
  return `${finds} Wanted: ${describePoint(wantedOf(state))}.${isReached(state) ? " There!" : ""}`;
}

const describePoint = ([thing, feeling]: Point) => `thing ${thing.toFixed(2)}, feeling ${feeling.toFixed(2)}`;

/** Where a point stands from the left or the top. */
const place = (point: Point, axis: 0 | 1) => {
  const share = (point[axis] - LEAST) / (MOST - LEAST);
  return `${(100 * (axis ? 1 - share : share)).toFixed(2)}%`;
};
/** Where a number of an axis stands. */
const markAt = (mark: number, axis: number) =>
  axis ? `top: ${place([mark, mark], 1)}` : `left: ${place([mark, mark], 0)}`;
/** The line from one point to another, right above or beside it. */
const between = (one: Point, other: Point) => {
  const [low, high] = [0, 1].map((end) =>
    [0, 1].map((axis) => (end ? Math.max : Math.min)(one[axis], other[axis])),
  ) as Point[];
  const part = (axis: 0 | 1) => `${((100 * (high[axis] - low[axis])) / (MOST - LEAST)).toFixed(2)}%`;
  return `left: ${place(low, 0)}; top: ${place(high, 1)}; width: ${part(0)}; height: ${part(1)}`;
};
const where = (point: Point) => `left: ${place(point, 0)}; top: ${place(point, 1)}`;

defineFigure<State, Action>("blend-triangle", {
  start,
  reduce,
  view,
  summary,
  events: (state) => ({ blended: { weights: state.heads.slice(0, state.both ? 2 : 1), result: resultOf(state) } }),
});
