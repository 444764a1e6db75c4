// <drawing-board>: paper to draw on, and a live map of what each head of the drawing model makes of it. The drawing and the heads that
// are off are the map's: the board holds the stroke under the pen, and what undoes what was drawn here.

import { ready as READY } from "../../../shared/drawing.json";
import { defineFigure } from "../../doors/define-figure.ts";
import { followMap, MAP_INSIDE, mapIn, seenOf } from "../../doors/leaning.ts";
import type { LiveMap } from "../../doors/page-element.ts";
import { setFigure } from "../../doors/phrases.ts";
import { keepAnswers, readProgress } from "../../doors/progress.ts";
import { WRITTEN } from "../../doors/state.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import { writeStrokes, type Stroke } from "../../math/strokes.ts";
import { announce } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { view } from "./board.ts";
import type { Head } from "./guess.ts";
import { Pen } from "./pen.ts";
import { currentOf, reduce, startWith, strokesOf, type Action, type State } from "./state.ts";

const exerciseOf = (board: Element) => board.getAttribute("exercise") ?? "";

function start(board: HTMLElement, baked: { filled: string } | null) {
  const map = mapIn(board);
  const [guess, goal] = ["guess", "goal"].map((name) => board.getAttribute(name));
  const wasRight = readProgress()[exerciseOf(board)]?.right === true;
  return startWith(
    { guess, goal },
    wasRight,
    baked && {
      text: map.getAttribute("sentence") ?? "",
      filled: Uint8Array.from(baked.filled, Number),
      isWhole: !map.hasAttribute("off"),
    },
  );
}

/** The drawing that stands ready by a name, else the one that is written. */
const drawingOf = (text: string) => (READY as Record<string, string>)[text] ?? text;

function listen(host: Host<State, Action>, leaves: AbortSignal) {
  const { root } = host;
  new Pen(root.querySelector<HTMLElement>(".db-paper")!, host, leaves);
  const point = ({ detail }: CustomEventInit<number | null>) => host.dispatch({ type: "point", query: detail ?? null });
  mapIn(root).addEventListener("ask", point, { signal: leaves });
  followMap(host, leaves)(); // the map may have drawn by now
}

/** Puts a drawing on the paper of a map; one that stood `ready` begins something new, with all heads on. */
function write(map: LiveMap, text: string, ready = false) {
  if (!map.type) map.sentence = text;
  else if (ready) map.begin(text);
  else map.type(text);
}

/** The picture of a head in a map. */
const sightOf = (map: LiveMap, { layer, head }: Head) =>
  map.querySelectorAll(".hm-sight-row")[layer]?.querySelectorAll(".hm-sight")[head];

/** Keeps that the goal was reached with a drawing, and says so. */
function reach(board: Element, text: string) {
  const exercise = board.getAttribute("exercise");
  if (exercise) keepAnswers(exercise, { typed: [text], right: true });
  announce(board, "answer", { exercise, right: true });
}

/** Hands on to the map what is set of it, and takes over what that makes of it, where it may not say so. */
function set(host: Host<State, Action>, { type, parts }: Extract<Action, { type: "take" | "lend" }>) {
  const map = mapIn(host.root);
  if (type === "lend") setFigure(map, parts);
  else for (const [name, text] of Object.entries(parts)) map.setAttribute(name, text);
  host.follow({ type: "follow", map: seenOf(map) });
}

defineFigure<State, Action>("drawing-board", {
  start,
  reduce,
  view,
  attributes: WRITTEN, // of the map
  read: (name, text) => (text === null ? {} : { [name]: drawingOf(text) }),
  properties: {
    ...MAP_INSIDE,
    strokes: (_, { root }) => strokesOf(seenOf(mapIn(root)).sentence), // [[[x, y], ...], ...] from 0 to 1; empty where it came as dots
    answer: (state) => currentOf(state)?.answer ?? null, // what the model says of it; null as long as it hasn't
    attention: (_, { root }) => mapIn(root).attention ?? null,
    headMask: (_, { root }) => mapIn(root).headMask ?? null,
  },
  sets: {
    strokes: (host, strokes: Stroke[]) => host.update({ sentence: writeStrokes(strokes) }),
    headMask: ({ root }, headMask: HeadMask) => (mapIn(root).headMask = headMask),
  },
  styles: ["drawing-board.css"],
  late: true,
  listen,
  effect: (host) => (action, before) => {
    const { root, state } = host;
    const { head, guess, done, text } = state;
    const map = mapIn(root);
    if (head && guess?.verdict && !before.guess?.verdict) sightOf(map, head)?.classList.add("hm-lit");
    if (done && !before.done) reach(root, text);
    if (action.type === "draw" || (action.type === "undo" && text !== before.text)) write(map, text);
    else if (action.type === "change") write(map, text, action.ready);
    else if ("parts" in action) set(host, action);
  },
});
