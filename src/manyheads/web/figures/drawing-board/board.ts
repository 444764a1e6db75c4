// What stands around the paper: what is to be done, what is shut in, and what draws besides the pen.

import { ready as READY } from "../../../shared/drawing.json";
import { mapIn } from "../../doors/leaning.ts";
import { mapReady, whenTouched } from "../../doors/page-element.ts";
import { WRITTEN } from "../../doors/state.ts";
import { readDrawing, readStrokes } from "../../math/strokes.ts";
import { capital } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { arrow, focusOn, h, nextId, setIdle, setProps, setText, targetOf } from "../../views/dom.ts";
import { differing, type Host } from "../../views/host.ts";
import { sentenceOf } from "./look.ts";
import { COLUMNS, makePaper, thumbnail } from "./paper.ts";
import { clear } from "./pen.ts";
import { asking, currentOf, isPicking, marksOn, strokesOf, taskOf, type Action, type State } from "./state.ts";

const INSIDE = 37; // the patch that asks at first: near the middle, inside of what one draws
const INVITATION = "Draw a ring, and leave a gap at first.";
const EMPTY = "The paper is empty."; // where something else is to be drawn
const LATER = "Your drawing will be answered once the model has loaded.";
const OF_PEN = ["points", "pen"];

const BY_HAND =
  "Draw with a finger, a pen or the mouse. The framed patch asks: tap another one in a head’s picture, and it asks.";
const BY_KEYS = "Arrow keys move the pen, with Shift by a patch. Space puts it down and lifts it, Backspace undoes.";
const PICKS_BY_KEYS = "Arrow keys move from patch to patch, Space picks one.";

export function view(host: Host<State, Action>) {
  const { root, act } = host;
  const id = nextId("drawing-board");
  const map = mapIn(root) ?? makeMap(root);
  map.setAttribute("shared-as", root.localName);
  const paper = makePaper(id);
  const keys = h("span", { id: `${id}-keys`, class: "db-by-keys" }, BY_KEYS);
  const sheet = h(
    "div",
    { class: "db-paper", role: "application", tabindex: 0, "aria-label": "Paper", "aria-describedby": keys.id },
    paper.node,
  );
  const question = h("b");
  const towards = h("span", { role: "status" });
  const line = h("p", { class: "db-task" }, question, " ", towards);
  const answer = h("p", { class: "db-says", role: "status" });
  const hand = h("span", {}, BY_HAND);
  const button = (name: string, onclick: () => void) =>
    h("button", { type: "button", "aria-label": `${name} drawing`, onclick }, name); // the map has an Undo of its own
  const undo = button("Undo", () => act({ type: "undo" }));
  const empty = button("Clear", () => clear(host));
  const starts = Object.entries(READY).map(([name, text]) => {
    const start = () => act({ type: "change", text, when: performance.now(), ready: true });
    const called = { "aria-label": capital(name), title: capital(name) };
    return h("button", { type: "button", ...called, onclick: start }, thumbnail(readStrokes(text)));
  });
  const announcer = new Announcer();
  const node = h(
    "div",
    { class: "db-board" },
    line,
    sheet,
    answer,
    toolbar("db-ready", "Ready drawings", starts),
    toolbar("db-acts", "What is on the paper", [undo, empty]),
    h("p", { class: "db-hint" }, hand, keys),
    announcer.node,
  );
  whenTouched(node, () => void mapReady(map)); // who comes near draws in a moment

  function tellLater(text: string) {
    announcer.changed();
    announcer.drawn(() => text);
  }

  /** The stroke under the pen, and the pen of the keyboard, which tells now and then where it is, or which patch it would pick. */
  function drawPen(state: State, before: State | null) {
    const { points, pen, considered } = state;
    const picks = isPicking(state);
    if (points !== before?.points) paper.drawPen(points);
    if (before && picks && considered !== before.considered)
      tellLater(`Row ${Math.floor(considered! / COLUMNS) + 1}, column ${(considered! % COLUMNS) + 1}.`);
    if (pen === before?.pen || picks) return;
    const { at, down } = pen;
    paper.moveTip(at);
    sheet.classList.toggle("db-down", down);
    if (before) tellLater(`Pen ${down ? "down" : "up"}, ${at[0]} across and ${at[1]} down.`);
  }

  function draw(state: State, before: State | null) {
    drawPen(state, before);
    if (before && differing(before, state).every((name) => OF_PEN.includes(name))) return;
    const { text, off, goal, history } = state;
    const current = currentOf(state);
    const strokes = strokesOf(text);
    const { task, progress, done } = taskOf(state);
    const picks = isPicking(state);
    const { painted: filled = null, wrong = null } = current?.look ?? {};
    const ink = text && !strokes.length ? inkOf(text) : null;
    paper.draw({ strokes, ink, filled, wrong, asks: asking(state), ...marksOn(state) });
    setText(question, task);
    setText(towards, progress);
    setProps(line, { hidden: !task && !progress });
    line.classList.toggle("db-done", done);
    const invitation = goal ? EMPTY : INVITATION;
    setText(answer, !text ? invitation : current ? sentenceOf(current.look, current.answer, off) : LATER);
    setText(hand, picks ? "" : BY_HAND);
    setText(keys, picks ? PICKS_BY_KEYS : BY_KEYS);
    node.classList.toggle("db-picking", picks);
    root.classList.toggle("db-guessing", picks);
    setIdle(undo, !history.past.length && !strokes.length);
    setIdle(empty, !text);
  }

  return { nodes: [node, map], draw };
}

/** The map of a board that the build hasn't given one. */
function makeMap(board: Element) {
  const given = WRITTEN.filter((name) => board.hasAttribute(name)).map((name) => [name, board.getAttribute(name)]);
  const start = { model: "drawing", view: "picture", scale: "relative", query: INSIDE, sentence: READY["open ring"] };
  if (!customElements.get("head-map"))
    document.head.append(h("script", { type: "module", src: new URL("./head-map.js", import.meta.url).href }));
  return h("head-map", { ...start, ...Object.fromEntries(given) });
}

/** The ink of a text that holds no strokes; null where it holds none either. */
function inkOf(text: string) {
  try {
    return readDrawing(text);
  } catch {
    return null; // the map says so
  }
}

/** Buttons that are one stop of the Tab key: arrow keys move from one to the next. */
function toolbar(className: string, name: string, buttons: HTMLElement[]) {
  buttons.forEach((button, at) => (button.tabIndex = at ? -1 : 0));
  const move = (event: KeyboardEvent) => {
    const step = arrow(event.key);
    const button = targetOf(event).closest("button");
    const next = step && button && buttons[buttons.indexOf(button) + step[0] + step[1]];
    if (!next) return;
    event.preventDefault();
    focusOn(next, buttons.find(({ tabIndex }) => tabIndex === 0) ?? null);
  };
  return h("div", { class: className, role: "toolbar", "aria-label": name, onkeydown: move }, ...buttons);
}
