// A button, and what it opens over the page: beside its figure where there's room, from below on a phone. Nothing moves, and what is
// pressed in it shows at once. The browser closes it by Escape or a press outside, and gives the focus back.

import { h } from "./dom.ts";

/** `closed` is called whenever it has closed. */
export function makePanel(name: string, parts: HTMLElement[], closed = () => {}) {
  const button = h("button", { type: "button", class: "hm-tooler", "aria-haspopup": "dialog" }, name);
  const first = () =>
    [...node.querySelectorAll<HTMLElement>("select, input, button, summary")].find((each) => each.checkVisibility());
  const node: HTMLElement = h(
    "div",
    {
      class: "hm-panel",
      popover: "auto",
      role: "dialog",
      "aria-label": name,
      onkeydown: (event: KeyboardEvent) => event.key === "Escape" && event.stopPropagation(), // the browser's, and no shortcut of the page
      ontoggle: ({ target, newState }: ToggleEvent) => {
        if (target !== node) return; // what is unfolded in it
        if (newState === "open") first()?.focus({ preventScroll: true });
        else closed();
      },
    },
    ...parts,
  );
  button.popoverTargetElement = node; // not by an id, which a figure as it was built may still have
  return { button, node };
}
