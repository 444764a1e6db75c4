// Words that a model knows, offered below the box while a reader types one of them: buttons that finish the word.

import { arrow, fill, h, setText, targetOf } from "./dom.ts";

const MOST_OFFERED = 8;
/** @type {string[]} */
export const NONE = [];

export class WordSuggestions {
  words = NONE;

  /** @param {HTMLTextAreaElement} box */
  constructor(box) {
    this.box = box;
    this.node = h("div", { class: "hm-offered", role: "group", "aria-label": "Words it knows", "aria-live": "polite", hidden: true,
      onpointerdown: (/** @type {Event} */ event) => event.preventDefault(), // the box keeps the focus, and a phone its keyboard
      onclick: (/** @type {Event} */ event) => this.#take(targetOf(event).closest("button")),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#move(event),
      onfocusout: (/** @type {FocusEvent} */ event) => this.#left(event) });
    box.addEventListener("input", () => this.#offer(completions(box.value, this.words)));
    box.addEventListener("keydown", (event) => this.#enter(event));
    box.addEventListener("focusout", (event) => this.#left(event));
  }

  /** @param {string[]} words */
  #offer(words) {
    const buttons = fill(this.node, words.length, () => h("button", { type: "button" }));
    words.forEach((word, at) => setText(buttons[at], word));
    this.node.hidden = words.length === 0;
  }

  /** The last word becomes the one of a button. */
  #take(/** @type {HTMLButtonElement | null} */ button) {
    if (!button) return;
    const { box } = this;
    const end = box.value.length;
    box.setRangeText(button.textContent ?? "", end - begun(box.value).length, end, "end");
    box.focus();
    box.dispatchEvent(new Event("input", { bubbles: true }));
    this.#offer(NONE);
  }

  /** From the box down into the words, or out of them with Escape. */
  #enter(/** @type {KeyboardEvent} */ event) {
    if (this.node.hidden) return;
    if (event.key === "Escape") this.#offer(NONE);
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    /** @type {HTMLElement} */ (this.node.firstElementChild).focus();
  }

  #move(/** @type {KeyboardEvent} */ event) {
    const step = arrow(event.key);
    if (!step && event.key !== "Escape") return;
    event.preventDefault();
    const buttons = /** @type {HTMLElement[]} */ ([...this.node.children]);
    const to = step ? buttons.indexOf(targetOf(event)) + step[0] + step[1] : -1;
    (buttons[Math.min(to, buttons.length - 1)] ?? this.box).focus();
    if (!step) this.#offer(NONE);
  }

  #left(/** @type {FocusEvent} */ { relatedTarget }) {
    const to = /** @type {Node | null} */ (relatedTarget);
    if (to !== this.box && !this.node.contains(to)) this.#offer(NONE);
  }
}

/** The word that a text ends with, as far as it was typed. */
const begun = (/** @type {string} */ typed) => /[^\s]*$/.exec(typed)?.[0] ?? "";

/**
 * The words that the last one of a text, begun, may become.
 * @param {string} typed
 * @param {string[]} words
 */
export function completions(typed, words) {
  const start = begun(typed).toLowerCase();
  return start ? words.filter((word) => word.startsWith(start) && word !== start).slice(0, MOST_OFFERED) : NONE;
}
