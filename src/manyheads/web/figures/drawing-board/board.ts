// What stands around the paper: what is to be done, what is shut in, and what draws besides the pen.

import { ready as READY } from "../../../shared/drawing.json";
import { readStrokes, SIDE } from "../../math/strokes.ts";
import { capital } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { arrow, focusOn, h, setIdle, setProps, setText, targetOf } from "../../views/dom.ts";
import { COLUMNS, Paper, thumbnail, type OnPaper } from "./paper.ts";
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

export class Board {
  readonly paper: Paper;
  readonly pen: Pen;
  readonly node: HTMLElement;
  #sheet: HTMLElement;
  #question = h("b");
  #progress = h("span", { role: "status" });
  #task = h("p", { class: "db-task" }, this.#question, " ", this.#progress);
  #says = h("p", { class: "db-says", role: "status" });
  #hand = h("span", {}, BY_HAND);
  #keys: HTMLElement;
  #undo: HTMLElement;
  #clear: HTMLElement;
  #announcer = new Announcer();

  /** `start(text)` puts a ready drawing on the paper. */
  constructor(id: string, host: PenHost & { start(text: string): void }) {
    this.paper = new Paper(id);
    this.#keys = h("span", { id: `${id}-keys`, class: "db-by-keys" }, BY_KEYS);
    this.#sheet = h(
      "div",
      { class: "db-paper", role: "application", tabindex: 0, "aria-label": "Paper", "aria-describedby": `${id}-keys` },
      this.paper.node,
    );
    this.pen = new Pen(this.#sheet, host);
    this.paper.moveTip([SIDE / 2, SIDE / 2]);
    const button = (name: string, act: () => void) =>
      h("button", { type: "button", "aria-label": `${name} drawing`, onclick: act }, name); // the map has an Undo of its own
    this.#undo = button("Undo", () => host.undo());
    this.#clear = button("Clear", () => host.clear());
    const starts = Object.entries(READY).map(([name, text]) =>
      h(
        "button",
        { type: "button", "aria-label": capital(name), title: capital(name), onclick: () => host.start(text) },
        thumbnail(readStrokes(text)),
      ),
    );
    this.node = h(
      "div",
      { class: "db-board" },
      this.#task,
      this.#sheet,
      this.#says,
      toolbar("db-ready", "Ready drawings", starts),
      toolbar("db-acts", "What is on the paper", [this.#undo, this.#clear]),
      h("p", { class: "db-hint" }, this.#hand, this.#keys),
      this.#announcer.node,
    );
  }

  draw(shown: Shown) {
    const { task, progress, done, says, picks } = shown;
    this.paper.draw(shown);
    setText(this.#question, task);
    setText(this.#progress, progress);
    setProps(this.#task, { hidden: !task && !progress });
    this.#task.classList.toggle("db-done", done);
    setText(this.#says, says);
    setText(this.#hand, picks ? "" : BY_HAND);
    setText(this.#keys, picks ? PICKS_BY_KEYS : BY_KEYS);
    this.node.classList.toggle("db-picking", picks);
    setIdle(this.#undo, !shown.undoable);
    setIdle(this.#clear, shown.empty);
  }

  /** Moves the pen of the keyboard, and tells now and then where it is. */
  movePen(at: number[], down: boolean) {
    this.paper.moveTip(at);
    this.#sheet.classList.toggle("db-down", down);
    this.#tellLater(`Pen ${down ? "down" : "up"}, ${at[0]} across and ${at[1]} down.`);
  }

  /** Tells now and then which patch may be picked. */
  tellPatch(patch: number) {
    this.#tellLater(`Row ${Math.floor(patch / COLUMNS) + 1}, column ${(patch % COLUMNS) + 1}.`);
  }

  #tellLater(text: string) {
    this.#announcer.changed();
    this.#announcer.drawn(() => text);
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
