// Words that a model knows, offered beside the box while a reader types one of them: buttons that finish the word.

import { LONGEST_TOKEN } from "../../math/names.ts";
import { arrow, fill, h, setText, targetOf } from "../../views/dom.ts";

const MOST_OFFERED = 8;
export const NONE: string[] = [];

export class WordSuggestions {
  words = NONE;
  box: HTMLTextAreaElement;
  node: HTMLElement;

  constructor(box: HTMLTextAreaElement) {
    this.box = box;
    this.node = h("div", {
      class: "hm-offered",
      role: "group",
      "aria-label": "Words it knows",
      "aria-live": "polite",
      hidden: true,
      onpointerdown: (event: Event) => event.preventDefault(), // the box keeps the focus, and a phone its keyboard
      onclick: (event: Event) => this.#take(targetOf(event).closest("button")),
      onkeydown: (event: KeyboardEvent) => this.#move(event),
      onfocusout: (event: FocusEvent) => this.#left(event),
    });
    box.addEventListener("input", () => this.#offer(completions(box.value, this.words)));
    box.addEventListener("keydown", (event) => this.#enter(event));
    box.addEventListener("focusout", (event) => this.#left(event));
  }

  #offer(words: string[]) {
    const buttons = fill(this.node, words.length, () => h("button", { type: "button" }));
    words.forEach((word, at) => setText(buttons[at], word));
    this.node.hidden = words.length === 0;
  }

  /** The last word becomes the one of a button. */
  #take(button: HTMLButtonElement | null) {
    if (!button) return;
    const { box } = this;
    const end = box.value.length;
    box.setRangeText(button.textContent ?? "", end - begun(box.value).length, end, "end");
    box.focus();
    box.dispatchEvent(new Event("input", { bubbles: true }));
    this.#offer(NONE);
  }

  /** From the box into the words beside it, or out of them with Escape. */
  #enter(event: KeyboardEvent) {
    if (this.node.hidden) return;
    if (event.key === "Escape") this.#offer(NONE);
    if (!["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    (this.node.firstElementChild as HTMLElement).focus();
  }

  #move(event: KeyboardEvent) {
    const step = arrow(event.key);
    if (!step && event.key !== "Escape") return;
    event.preventDefault();
    const buttons = [...this.node.children] as HTMLElement[];
    const to = step ? buttons.indexOf(targetOf(event)) + step[0] + step[1] : -1;
    (buttons[Math.min(to, buttons.length - 1)] ?? this.box).focus();
    if (!step) this.#offer(NONE);
  }

  #left({ relatedTarget }: FocusEvent) {
    const to = relatedTarget as Node | null;
    if (to !== this.box && !this.node.contains(to)) this.#offer(NONE);
  }
}

/** The word that a text ends with, as far as it was typed; the end of one that's longer than any that is known. */
const begun = (typed: string) => /[^\s]*$/.exec(typed.slice(-LONGEST_TOKEN))?.[0] ?? "";

/** The words that the last one of a text, begun, may become. */
export function completions(typed: string, words: string[]) {
  const start = begun(typed).toLowerCase();
  return start ? words.filter((word) => word.startsWith(start) && word !== start).slice(0, MOST_OFFERED) : NONE;
}
