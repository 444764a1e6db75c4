// The paper as a picture: its patches, what the model fills, where that is wrong, the strokes, who asks, and where the pen of the keyboard is.

import type { Stroke } from "../../math/strokes.ts";
import { PEN, SIDE } from "../../math/strokes.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { FILLED, MISSED } from "./look.ts";
import { s } from "../../views/dom.ts";

export const PATCH = 4; // dots to a side
export const COLUMNS = SIDE / PATCH;
const MANY = 40; // dots
const COMES_UP = { duration: 250, easing: "ease-out", fill: "backwards" } as const;

/** What lies on the paper; patches are counted row by row. */
export interface OnPaper {
  strokes: Stroke[];
  ink: ArrayLike<number> | null; // where the drawing came as dots
  filled: ArrayLike<number> | null; // in colour
  wrong: ArrayLike<number> | null;
  asks: number | null; // patch
  guess: number | null; // patch
  most: number | null; // patch, that the head of the guess looks at most
}

/** Strokes as a path; one of one point is a dot. */
export const pathOf = (strokes: Stroke[]) =>
  strokes
    .map((points) => {
      const [first, ...rest] = points.map(([x, y]) => `${inDots(x)} ${inDots(y)}`);
      return `M${first}${rest.length ? `L${rest.join(" ")}` : "h0"}`;
    })
    .join("");

const inDots = (share: number) => Math.round(10 * SIDE * share) / 10;

/** The dots of which something is so, as one path of what lies side by side in each row. */
export function dotsPath(dots: ArrayLike<number>, isSo: (value: number) => boolean) {
  let path = "";
  for (let row = 0; row < SIDE; row++)
    for (let from = 0; from < SIDE; from++) {
      let to = from;
      while (to < SIDE && isSo(dots[row * SIDE + to])) to++;
      if (to > from) path += `M${from} ${row}h${to - from}v1h${from - to}z`;
      from = to;
    }
  return path;
}

const grid = Array.from(
  { length: COLUMNS - 1 },
  (_, at) => `M${PATCH * (at + 1)} 0v${SIDE}M0 ${PATCH * (at + 1)}h${SIDE}`,
);

/** `id` is one that nothing else of the page has. */
export function makePaper(id: string) {
  const path = (name: string, attributes: Record<string, string | number> = {}) =>
    s("path", { class: `db-${name}`, ...attributes });
  const frame = (name: string) => s("rect", { class: `db-${name}`, width: PATCH, height: PATCH, rx: 0.3 });
  const ink = { "stroke-width": PEN };
  const parts = {
    grid: path("grid", { d: grid.join("") }),
    filled: path("filled"),
    open: path("open", { fill: `url(#${id}-open)` }),
    missed: path("missed", { fill: `url(#${id}-missed)` }),
    dots: path("dots"),
    strokes: path("strokes", ink),
    pen: path("strokes", ink),
    most: frame("most"),
    guess: frame("guess"),
    asks: s("g", {}, frame("halo"), frame("asks")),
    tip: s(
      "g",
      { class: "db-tip" },
      s("circle", { r: PEN / 2 }),
      path("cross", { d: "M-2.4 0h1.2M1.2 0h1.2M0 -2.4v1.2M0 1.2v1.2" }),
    ),
  };
  const hatch = (name: string, angle: number) =>
    s(
      "pattern",
      {
        id: `${id}-${name}`,
        class: `db-hatch-${name}`,
        width: 1.1,
        height: 1.1,
        patternUnits: "userSpaceOnUse",
        patternTransform: `rotate(${angle})`,
      },
      s("path", { d: "M.3 0v1.1" }),
    );
  const node = s(
    "svg",
    { viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" },
    s("defs", {}, hatch("open", 45), hatch("missed", -45)),
    ...Object.values(parts),
  );
  let count = 0; // dots that are filled

  return {
    node,
    /** Draws all but the stroke under the pen. What is filled all at once comes up in a moment. */
    draw({ strokes, ink: dark, filled, wrong, asks, guess, most }: OnPaper) {
      setPath(parts.filled, filled ? dotsPath(filled, Boolean) : "");
      const before = count;
      count = filled ? Array.from(filled).filter(Boolean).length : 0;
      if (count > before + MANY && !wantsStillness()) parts.filled.animate?.({ opacity: [0] }, COMES_UP);
      setPath(parts.open, wrong ? dotsPath(wrong, (dot) => dot === FILLED) : "");
      setPath(parts.missed, wrong ? dotsPath(wrong, (dot) => dot === MISSED) : "");
      setPath(parts.dots, dark ? dotsPath(dark, (share) => share >= 0.5) : "");
      setPath(parts.strokes, pathOf(strokes));
      placeAt(parts.asks, asks);
      placeAt(parts.guess, guess);
      placeAt(parts.most, most === guess ? null : most);
    },
    /** Draws the stroke under the pen. */
    drawPen: (points: Stroke) => setPath(parts.pen, points.length ? pathOf([points]) : ""),
    /** Moves the pen of the keyboard, in dots. */
    moveTip: ([x, y]: number[]) => parts.tip.setAttribute("transform", `translate(${x} ${y})`),
  };
}

function setPath(part: SVGElement, d: string) {
  if (part.getAttribute("d") !== d) part.setAttribute("d", d);
}

function placeAt(part: SVGElement, patch: number | null) {
  part.toggleAttribute("hidden", patch === null);
  if (patch === null) return;
  part.setAttribute("transform", `translate(${PATCH * (patch % COLUMNS)} ${PATCH * Math.floor(patch / COLUMNS)})`);
}

/** A drawing as small as a button. */
export const thumbnail = (strokes: Stroke[]) =>
  s(
    "svg",
    { viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" },
    s("path", { class: "db-strokes", d: pathOf(strokes), "stroke-width": PEN }),
  );
