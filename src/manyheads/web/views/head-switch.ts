// The switch of a head, the same in every figure: named after the head, pressed while it is on. Its style is in head-map.css.

import { h, setProps, setStyle, setText } from "./dom.ts";

/** A switch; `toggle()` is called when the reader presses it. */
export const headSwitch = (toggle: (event: Event) => void): HTMLButtonElement =>
  h("button", { type: "button", class: "hm-head", onclick: toggle });

/** Names a switch, colours it and says whether its head is on; `title` is its name for those who don't see where it stands. */
export function drawSwitch(node: HTMLElement, name: string, on: boolean, colour: string, title = name) {
  setText(node, name);
  setStyle(node, "--head", colour);
  setProps(node, { ariaLabel: title, ariaPressed: String(on) });
}
