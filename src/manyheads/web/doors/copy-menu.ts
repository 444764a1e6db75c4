// What can be copied of a figure: a link to it, a tag, a frame. Alone it's a menu; in share-menu.ts, a part of one.

import { closeOnEscape } from "../views/controls.ts";
import { h } from "../views/dom.ts";

/** What a text is good for, by its name. */
const MEANING: Record<string, string> = {
  link: "It leads to this figure as it stands.",
  tag: "Put it into the HTML of a page of yours, and the figure is live there.",
  frame: "Put it into a page that allows no scripts of others: it shows the figure in a frame.",
};

/** Buttons that copy texts, each written when it is asked for, and where the last one stands. */
export function copying(copies: Record<string, () => string>) {
  const text = h("textarea", { readonly: true, rows: 3, spellcheck: "false", onfocus: () => text.select() });
  const hint = h("p", { class: "hm-hint", "aria-live": "polite" });
  const copied = h("div", { hidden: true }, text, hint);
  const copy = async (name: string) => {
    text.value = copies[name]();
    text.ariaLabel = name;
    copied.hidden = false;
    hint.textContent = "";
    try {
      await navigator.clipboard.writeText(text.value);
      hint.textContent = `Copied. ${MEANING[name]}`;
    } catch {
      // not allowed here, or no https
      text.focus();
      hint.textContent = `Copy the marked text. ${MEANING[name]}`;
    }
  };
  const buttons = Object.keys(copies).map((name) =>
    h("button", { type: "button", "aria-label": `Copy ${name}`, onclick: () => copy(name) }, name),
  );
  return { buttons, copied };
}

export function copyMenu(copies: Record<string, () => string>) {
  const { buttons, copied } = copying(copies);
  return h(
    "details",
    { class: "af-menu", onkeydown: closeOnEscape },
    h("summary", {}, "Share"),
    h("div", { class: "af-panel" }, h("span", {}, "Copy ", ...buttons), copied),
  );
}
