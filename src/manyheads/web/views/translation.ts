// The text that a translator wrote, word by word: a word's button lets it ask.

import type { AttentionMap } from "../math/attention-map.ts";
import { fill, h, setText } from "./dom.ts";

const STEP = 70; // milliseconds from word to word, for readers who do not ask for less motion

export class TranslationLine {
  #drawn = false; // words that are there at once don't come one after the other
  node = h("p", { class: "hm-translation", "aria-label": "Translation", hidden: true });
  ask: (query: number) => void;
  point: (query: number | null) => void;

  constructor(ask: (query: number) => void, point: (query: number | null) => void) {
    this.ask = ask;
    this.point = point;
    this.node.addEventListener("pointerleave", () => point(null));
  }

  draw({ written, queryTokens }: AttentionMap, query: number) {
    const { node } = this;
    node.hidden = written === undefined;
    if (written === undefined) return;
    const words = queryTokens.slice(0, -1);
    const asks = spelt(words.join("")) === spelt(written.replace(/\.$/, ""));
    if (!asks) return setText(node, written); // English words ask
    if (node.firstChild?.nodeType === Node.TEXT_NODE) node.replaceChildren();
    const buttons = fill(node, words.length, (at) =>
      h("button", { type: "button", lang: "fr", onclick: () => this.ask(at), onpointerover: () => this.point(at) }));
    const first = this.#drawn ? words.findIndex((word, at) => buttons[at].textContent !== word) : -1;
    this.#drawn = true;
    words.forEach((word, at) => {
      const button = buttons[at];
      if (first >= 0 && at >= first) {
        button.style.setProperty("--wait", `${(at - first) * STEP}ms`);
        button.classList.remove("hm-new");
        void button.offsetWidth; // so that the words come again, one after the other
        button.classList.add("hm-new");
      }
      setText(button, word);
      button.classList.toggle("hm-elided", word.endsWith("'") || words[at + 1] === ",");
      button.ariaPressed = String(at === query);
    });
  }
}

/** A text without its spaces and capitals, to tell whether two are the same. */
const spelt = (text: string) => text.replace(/\s/g, "").toLowerCase();
