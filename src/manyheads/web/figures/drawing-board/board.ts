// What stands around the paper: what is to be done, what is shut in, and what draws besides the pen.

import { ready as READY } from "../../../shared/drawing.json";
import { readStrokes, SIDE } from "../../math/strokes.ts";
import { capital } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { arrow, focusOn, h, setIdle, setProps, setText, targetOf } from "../../views/dom.ts";
import { COLUMNS, makePaper, thumbnail, type OnPaper } from "./paper.ts";
import { Pen, type PenHost } from "./pen.ts";

/** What a board shows. */
export interface Shown extends OnPaper {
  task: string; // what its reader is to do; "" for nothing but to draw
  progress: string; // how far they've come
  done: boolean;
  says: string;
  picks: boolean; // the paper takes a guess
  undoable: boolean;
  empty: boolean;
}

const BY_HAND =
  "Draw with a finger, a pen or the mouse. The framed patch asks: tap another one in a head’s picture, and it asks.";
const BY_KEYS = "Arrow keys move the pen, with Shift by a patch. Space puts it down and lifts it, Backspace undoes.";
const PICKS_BY_KEYS = "Arrow keys move from patch to patch, Space picks one.";

export type Board = ReturnType<typeof makeBoard>;

/** `start(text)` puts a ready drawing on the paper. */
export function makeBoard(id: string, host: PenHost & { start(text: string): void }) {
  const paper = makePaper(id);
  const keys = h("span", { id: `${id}-keys`, class: "db-by-keys" }, BY_KEYS);
  const sheet = h(
    "div",
    { class: "db-paper", role: "application", tabindex: 0, "aria-label": "Paper", "aria-describedby": keys.id },
    paper.node,
  );
  const pen = new Pen(sheet, host);
  paper.moveTip([SIDE / 2, SIDE / 2]);
  const question = h("b");
  const towards = h("span", { role: "status" });
  const line = h("p", { class: "db-task" }, question, " ", towards);
  const answer = h("p", { class: "db-says", role: "status" });
  const hand = h("span", {}, BY_HAND);
  const button = (name: string, act: () => void) =>
    h("button", { type: "button", "aria-label": `${name} drawing`, onclick: act }, name); // the map has an Undo of its own
  const undo = button("Undo", () => host.undo());
  const clear = button("Clear", () => host.clear());
  const starts = Object.entries(READY).map(([name, text]) =>
    h(
      "button",
      { type: "button", "aria-label": capital(name), title: capital(name), onclick: () => host.start(text) },
      thumbnail(readStrokes(text)),
    ),
  );
  const announcer = new Announcer();
  const node = h(
    "div",
    { class: "db-board" },
    line,
    sheet,
    answer,
    toolbar("db-ready", "Ready drawings", starts),
    toolbar("db-acts", "What is on the paper", [undo, clear]),
    h("p", { class: "db-hint" }, hand, keys),
    announcer.node,
  );

  function tellLater(text: string) {
    announcer.changed();
    announcer.drawn(() => text);
  }

  return {
    node,
    pen,
    drawPen: paper.drawPen,
    draw(shown: Shown) {
      const { task, progress, done, says, picks } = shown;
      paper.draw(shown);
      setText(question, task);
      setText(towards, progress);
      setProps(line, { hidden: !task && !progress });
      line.classList.toggle("db-done", done);
      setText(answer, says);
      setText(hand, picks ? "" : BY_HAND);
      setText(keys, picks ? PICKS_BY_KEYS : BY_KEYS);
      node.classList.toggle("db-picking", picks);
      setIdle(undo, !shown.undoable);
      setIdle(clear, shown.empty);
    },
    /** Moves the pen of the keyboard, and tells now and then where it is. */
    movePen(at: number[], down: boolean) {
      paper.moveTip(at);
      sheet.classList.toggle("db-down", down);
      tellLater(`Pen ${down ? "down" : "up"}, ${at[0]} across and ${at[1]} down.`);
    },
    /** Tells now and then which patch may be picked. */
    tellPatch: (patch: number) => tellLater(`Row ${Math.floor(patch / COLUMNS) + 1}, column ${(patch % COLUMNS) + 1}.`),
  };
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
