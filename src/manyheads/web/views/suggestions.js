// Words that a model knows, offered while a reader types one of them: the browser's own list below the box.

import { fill, h, setValue } from "./dom.js";

const MOST_OFFERED = 8;
/** @type {string[]} */
export const NONE = [];

export class WordSuggestions {
  /** @type {string[]} */
  #words = NONE;

  /**
   * @param {import("./controls.js").SentenceBox} box
   * @param {string} id
   */
  constructor(box, id) {
    this.node = h("datalist", { id });
    this.box = box;
    box.addEventListener("input", () => this.#offer(box.value));
  }

  /** @param {string[]} words */
  set words(words) {
    if (words === this.#words) return;
    this.#words = words;
    this.node.replaceChildren();
    if (words.length) this.box.setAttribute("list", this.node.id); // the box is now a combobox
    else this.box.removeAttribute("list");
  }

  #offer(/** @type {string} */ typed) {
    const texts = completions(typed, this.#words);
    const options = fill(this.node, texts.length, () => h("option"));
    texts.forEach((text, at) => setValue(/** @type {HTMLOptionElement} */ (options[at]), text));
  }
}

/**
 * The text with its last word, begun, as each of the words that it may become.
 * @param {string} typed
 * @param {string[]} words
 */
export function completions(typed, words) {
  const begun = /[^\s]*$/.exec(typed)?.[0].toLowerCase() ?? "";
  if (!begun) return [];
  const before = typed.slice(0, typed.length - begun.length);
  return words.filter((word) => word.startsWith(begun) && word !== begun).slice(0, MOST_OFFERED).map((word) => before + word);
}
