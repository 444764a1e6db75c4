// Says once, politely, what a reader's change came to, when nothing more has changed for a while: for those who listen.

import type { AttentionMap } from "../math/attention-map.ts";
import type { MapState } from "../math/map-state.ts";
import { headName, headNamesOf, likeliest, queryWeights } from "../math/maps.ts";
import { isolated, percent, readable } from "../math/text.ts";
import { h, setText } from "./dom.ts";

const QUIET = 1000; // milliseconds without a change

export class Announcer {
  node = h("p", { class: "hm-unseen", "aria-live": "polite" });
  #waits = false; // for the change to be drawn
  #timer?: ReturnType<typeof setTimeout>;

  /** The reader changed something. */
  changed() {
    this.#waits = true;
  }

  /** The change is drawn; `summary()` is called after the pause. */
  drawn(summary: () => string) {
    if (!this.#waits) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#waits = false;
      if (this.node.isConnected) setText(this.node, summary());
    }, QUIET);
  }
}

/** A map in a sentence or two: what is predicted, and where the heads look that it rests on; else where the chosen head looks. */
export function summaryOf(map: AttentionMap, { layer, head, query }: Pick<MapState, "layer" | "head" | "query">) {
  const looks = (which: number) => {
    const weights = queryWeights(map, layer, which, query);
    const most = weights.indexOf(Math.max(...weights));
    return `${headName(map, layer, which)} head: most on ${isolated(readable(map.keyTokens[most]))}, ${weights[most].toFixed(2)}`;
  };
  const predicted = Object.entries(map.predictions ?? {}).flatMap(([name, labels]) => {
    const [label, share] = likeliest(labels);
    const of = headNamesOf(map, layer).indexOf(name);
    return [`${name}: ${label}, ${percent(share)}`, ...(of >= 0 ? [looks(of)] : [])];
  });
  const parts = [
    ...(map.written ? [map.written.replace(/\.$/, "")] : []),
    ...(predicted.length ? predicted : [looks(head ?? 0)]),
  ];
  return parts.map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`).join(" ");
}
