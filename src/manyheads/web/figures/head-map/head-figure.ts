// One head among others: its name over what is drawn of it, and a button that enlarges and shrinks it.

import { h, setText } from "../../views/dom.ts";
import type { MapHost } from "./map-part.ts";
import { dress } from "./switches.ts";

export class HeadFigure {
  host: MapHost;
  title = h("span");
  button = h("button", { type: "button", class: "hm-enlarge" });
  moved = h("span", { class: "hm-moved" });
  caption = h("figcaption", {}, this.title, this.moved, this.button);
  node: HTMLElement;

  constructor(host: MapHost, className: string, ...drawn: Node[]) {
    this.host = host;
    this.node = h("figure", { class: className }, this.caption, ...drawn);
  }

  /** Dresses it as a head, of which the button says whether it's large. */
  protected frame(layer: number, head: number, large: boolean, name: string) {
    const { host, node, button } = this;
    dress(host.state, node, layer, head);
    node.classList.toggle("hm-large", large);
    setText(button, large ? "Shrink" : "Enlarge");
    button.ariaLabel = `${large ? "Shrink" : "Enlarge"} ${name}`;
    button.onclick = () => host.act({ type: "choose", parts: { layer, head: large ? null : head } });
  }
}

/** So many figures as a map has heads, in `box`; those that were there are kept. */
export function figuresOf<Made extends HeadFigure>(figures: Made[], box: HTMLElement, heads: number, make: () => Made) {
  while (figures.length > heads) figures.pop()?.node.remove();
  while (figures.length < heads) {
    const figure = make();
    figures.push(figure);
    box.append(figure.node);
  }
  return figures;
}
