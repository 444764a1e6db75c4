// What a reader sets a figure by: a box to type into, lists to choose from, the line that says how things stand.

import { NEW, record, stepped, type History } from "../math/history.ts";
import { directionOfText } from "../math/text.ts";
import { fill, h, setProps, setText, setValue, targetOf } from "./dom.ts";

const BREAK = /[\r\n]/;
const valueOf = (event: Event) => (targetOf(event) as HTMLInputElement).value;

/**
 * A box for a sentence, which breaks into lines and grows; `typed(text)` is called at every keystroke. A text may have `lines` of
 * its own. `undo(back)` undoes what was done, or does it again; else the box does, for its text alone: a browser's own undo goes
 * letter by letter where a page changes as one types.
 */
export function sentenceBox(
  label: string,
  placeholder: string,
  typed: (text: string) => void,
  lines = false,
  undo: ((back: boolean) => void) | null = null,
) {
  let history: History<string> = NEW;
  let before = "";
  const step =
    undo ??
    ((back: boolean) => {
      const done = stepped(history, box.value, back);
      if (!done) return;
      history = done.history;
      setTyped(box, done.found);
      typed(done.found);
    });
  const box = h("textarea", {
    rows: 1,
    dir: "ltr",
    class: "hm-sentence",
    "aria-label": label,
    placeholder,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    onkeydown: (event: KeyboardEvent) =>
      event.key === "Enter" && !lines && !event.isComposing && event.preventDefault(),
    onbeforeinput: () => (before = box.value),
    oninput: () => {
      if (!lines && BREAK.test(box.value))
        box.value = box.value.replace(/\s+/g, (space) => (BREAK.test(space) ? " " : space)); // pasted: a sentence is one line
      fit(box);
      history = record(history, before, ["sentence"], performance.now());
      before = box.value;
      typed(box.value);
    },
  });
  onUndo(box, step);
  standAboveKeyboard(box);
  return box;
}

const KEYBOARD = 0.8; // of what was seen before, at most, is left by a keyboard on the screen

/**
 * A box that a finger enters goes to the top, so that what answers is seen below it, above the keyboard that is about to come. And
 * again once that is there: a browser may have scrolled by itself, and the end of a page has room only then.
 */
function standAboveKeyboard(box: HTMLElement) {
  const toTop = () => box.scrollIntoView({ block: "start" });
  let enters = false; // a finger
  box.addEventListener(
    "pointerdown",
    ({ pointerType }) => (enters = pointerType === "touch" && !box.matches(":focus")),
  );
  box.addEventListener("click", () => enters && toTop()); // the caret is placed by now: before, the box would move from under the finger
  const seen = globalThis.visualViewport;
  if (!seen) return;
  let before = 0;
  let came = false; // the keyboard
  const height = () => seen.height * seen.scale; // a page that is zoomed in has as much
  const resized = () => {
    const now = height();
    if (now < KEYBOARD * before) {
      came = true;
      before = now;
      toTop();
    }
    before = Math.max(now, before);
  };
  /** The keyboard is gone, and a header that made room is back: a box that it would cover moves below it. */
  const went = () => box.getBoundingClientRect().bottom > 0 && box.scrollIntoView({ block: "nearest" });
  box.addEventListener("focus", () => {
    before = height();
    seen.addEventListener("resize", resized);
  });
  box.addEventListener("blur", () => {
    seen.removeEventListener("resize", resized);
    if (came) seen.addEventListener("resize", went, { once: true });
    came = false;
  });
}

/** Calls `step(back)` where a reader undoes, or does again, by keys or from a browser's menu. */
export function onUndo(box: HTMLElement, step: (back: boolean) => void) {
  const take = (event: Event, back: boolean) => {
    event.preventDefault();
    step(back);
  };
  box.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (altKey || !(ctrlKey || metaKey)) return;
    if (key.toLowerCase() === "z") take(event, !shiftKey);
    if (key === "y" && ctrlKey) take(event, false);
  });
  box.addEventListener("beforeinput", (event) => {
    if (event.inputType === "historyUndo" || event.inputType === "historyRedo")
      take(event, event.inputType === "historyUndo");
  });
}

/** Gives a box another text; the caret of one that is typed into stands behind what changed. */
export function setTyped(box: HTMLTextAreaElement, text: string) {
  const old = box.value;
  if (old === text) return;
  const least = Math.min(old.length, text.length);
  let same = 0; // at the end
  while (same < least && old.at(-1 - same) === text.at(-1 - same)) same++;
  box.value = text;
  if (box.matches(":focus")) box.setSelectionRange(text.length - same, text.length - same);
  fit(box);
}

/** Suits a box to its text. By `dir="auto"` Chromium would look anew at each line of a paste for where all of them run. */
function fit(box: HTMLTextAreaElement) {
  setProps(box, { dir: directionOfText(box.value) });
  grow(box);
}

/**
 * A box of one line; `entered(text)` is called when its reader leaves it or presses Enter, and perhaps twice: in a cell of
 * JupyterLab, Enter changes no box.
 */
export function lineBox(label: string, props: Record<string, any>, entered: (text: string) => void) {
  const tell = () => entered(box.value);
  const box = h("input", {
    "aria-label": label,
    ...props,
    onchange: tell,
    onkeydown: ({ key }: KeyboardEvent) => key === "Enter" && tell(),
  });
  return box;
}

/** As high as its text, in browsers that do not see to it. */
export function grow(box: HTMLTextAreaElement) {
  if (CSS.supports("field-sizing", "content") || !box.scrollHeight) return; // or it isn't laid out
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
}

/** A list; `chosen(value)` is called when the reader chose from it. */
export const chooser = (label: string, chosen: (value: string) => void) =>
  h("select", { "aria-label": label, onchange: (event: Event) => chosen(valueOf(event)) });

/** A control with its label before it. */
export const field = (control: HTMLElement) =>
  h("label", { class: "hm-field" }, `${control.getAttribute("aria-label")} `, control);

/** Gives a list its options. */
export function fillOptions(
  select: HTMLSelectElement,
  names: string[],
  values: (string | number)[],
  chosen: string | number,
) {
  const options = fill(select, names.length, () => h("option"));
  names.forEach((name, index) => {
    setText(options[index], name);
    setValue(options[index], String(values[index]));
  });
  setValue(select, String(chosen));
}

/** Escape closes what is unfolded, and its name gets the focus. */
export function closeOnEscape(event: KeyboardEvent) {
  const menu = event.currentTarget as HTMLDetailsElement;
  if (event.key !== "Escape" || !menu.open) return;
  event.preventDefault(); // what it stands in stays open
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

/** The class of a status that stands below the sentence, and keeps room for a button. */
export const OFFER = "hm-offer";

/** Where a figure has to load its model, this is offered right below the sentence, above what is shown: there it's seen by who types. */
export function offerBelowSentence(root: HTMLElement) {
  const status = root.querySelector(".hm-status");
  const box = ".hm-sentence"; // the last, where two are compared
  const part = [...root.children].findLast((child) => child.matches(box) || child.querySelector(box));
  if (status?.parentElement !== root || !part) return; // a view has put it where it belongs
  part.after(status);
  status.classList.add(OFFER);
}

/** How things stand: a text; what a button after it does, and is called; and how much is here of what is loading, from 0 to 1. */
export type Message = [text: string, act?: (() => void) | null, name?: string, loaded?: number];

/** The line that says how things stand. */
export class StatusLine {
  #text = document.createTextNode("");
  node = h("p", { role: "status", class: "hm-status", tabindex: -1 }, this.#text);
  #button: HTMLButtonElement | null = null;
  #bar: HTMLProgressElement | null = null;

  /** Shows a text; `act` is what a button after it does, which keeps the focus over repaints, and leaves it to the line. */
  tell(...[text, act = null, name = "Try again", loaded]: Message) {
    if (this.#button?.textContent !== (act ? name : undefined)) {
      if (this.#button?.matches(":focus")) this.node.focus({ preventScroll: true });
      this.#button?.remove();
      this.#button = act && h("button", { type: "button" }, name);
      if (this.#button) this.node.append(this.#button);
    }
    if (this.#button) this.#button.onclick = act;
    if ((loaded === undefined) !== (this.#bar === null)) {
      this.#bar?.remove();
      this.#bar = loaded === undefined ? null : h("progress", { "aria-label": "Loaded" });
      if (this.#bar) this.#text.after(this.#bar);
    }
    if (this.#bar) this.#bar.value = loaded ?? 0;
    setText(this.#text, act ? `${text} ` : text);
  }
}
