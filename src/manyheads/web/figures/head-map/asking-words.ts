// Words that ask where they aren't looked at: a text that looks at a picture.

import type { ShownMap } from "../../math/map-state.ts";
import { fill, h, setToken, targetOf } from "../../views/dom.ts";
import type { MapHost } from "./map-part.ts";
import { queryOf } from "./state.ts";

export class AskingWords {
  host: MapHost;
  node = h("div", {
    class: "hm-askers",
    role: "group",
    "aria-label": "Words that ask",
    hidden: true,
    onclick: (event: Event) => this.#at(event, (query) => this.host.act({ type: "pin", query })),
    onpointermove: (event: PointerEvent) =>
      event.pointerType !== "touch" && this.#at(event, (query) => this.host.dispatch({ type: "point", query })),
    onpointerleave: () => this.host.dispatch({ type: "point", query: null }),
  });

  constructor(host: MapHost) {
    this.host = host;
  }

  draw(map: ShownMap, askers: (number | null)[]) {
    const known = new Set(askers);
    this.node.hidden = map.queryTokens.every((_, query) => known.has(query));
    const buttons = fill(this.node, this.node.hidden ? 0 : map.queryTokens.length, () =>
      h("button", { type: "button" }),
    );
    map.queryTokens.forEach((token, query) => buttons[query] && setToken(buttons[query], token));
    this.mark();
  }

  mark() {
    const asking = queryOf(this.host.state);
    [...this.node.children].forEach((button, query) => (button.ariaPressed = String(query === asking)));
  }

  #at(event: Event, act: (query: number) => void) {
    const button = targetOf(event).closest("button");
    if (button) act([...this.node.children].indexOf(button));
  }
}
