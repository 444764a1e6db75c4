// A menu of what can be copied of a figure: a link to it, a tag, a frame.

import { closeOnEscape } from "../views/controls.ts";
import { h } from "../views/dom.ts";

/** What a text is good for. */
const MEANING = {
  link: "It leads to this figure as it stands.",
  tag: "Put it into the HTML of a page of yours, and the figure is live there.",
  frame: "Put it into a page that allows no scripts of others: it shows the figure in a frame.",
};

/** The menu; each copy is written when it is asked for. */
export function copyMenu(copies: Record<keyof typeof MEANING, () => string>) {
  const text = h("textarea", { readonly: true, rows: 3, spellcheck: "false", hidden: true, onfocus: () => text.select() });
  const hint = h("span", { "aria-live": "polite" });
  const copy = async (name: keyof typeof MEANING) => {
    text.value = copies[name]();
    text.ariaLabel = name;
    text.hidden = false;
    try {
      await navigator.clipboard.writeText(text.value);
      hint.textContent = `Copied. ${MEANING[name]}`;
    } catch { // not allowed here, or no https
      text.focus();
      hint.textContent = `Copy the marked text. ${MEANING[name]}`;
    }
  };
  const buttons = (Object.keys(MEANING) as (keyof typeof MEANING)[]).map((name) => h("button", { type: "button", "aria-label": `Copy ${name}`, onclick: () => copy(name) }, name));
  return h("details", { class: "af-menu", onkeydown: closeOnEscape }, h("summary", {}, "Share"), h("span", {}, "Copy ", ...buttons), text, hint);
}
