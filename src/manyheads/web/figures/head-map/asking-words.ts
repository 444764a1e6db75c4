// Words that ask where they aren't looked at: a text that looks at a picture.

import type { ShownMap } from "../../math/map-state.ts";
import { isAsking } from "../../math/query.ts";
import { fill, h, setToken, targetOf } from "../../views/dom.ts";
import type { MapHost } from "./map-part.ts";
import { queryOf } from "./state.ts";

export function makeAskingWords(host: MapHost) {
  const at = (event: Event, does: (query: number) => void) => {
    const button = targetOf(event).closest("button");
    if (button) does([...node.children].indexOf(button));
  };
  const node: HTMLElement = h("div", {
    class: "hm-askers",
    role: "group",
    "aria-label": "Words that ask",
    hidden: true,
    onclick: (event: Event) => at(event, (query) => host.act({ type: "pin", query })),
    onpointermove: (event: PointerEvent) =>
      event.pointerType !== "touch" && at(event, (query) => host.dispatch({ type: "point", query })),
    onpointerleave: () => host.dispatch({ type: "point", query: null }),
  });

  function draw(map: ShownMap, askers: (number | null)[]) {
    const known = new Set(askers);
    node.hidden = map.queryTokens.every((_, query) => known.has(query));
    const buttons = fill(node, node.hidden ? 0 : map.queryTokens.length, () => h("button", { type: "button" }));
    map.queryTokens.forEach((token, query) => buttons[query] && setToken(buttons[query], token));
    mark();
  }

  function mark() {
    const asking = queryOf(host.state);
    [...node.children].forEach((button, query) => (button.ariaPressed = String(isAsking(asking, query))));
  }

  return { node, draw, mark };
}
