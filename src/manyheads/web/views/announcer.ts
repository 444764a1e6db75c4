// Says once, politely, what a reader's change came to, when nothing more has changed for a while: for those who listen.

import type { AttentionMap } from "../math/attention-map.ts";
import type { MapState } from "../math/map-state.ts";
import { headName, headNamesOf, likeliest, queryWeights } from "../math/maps.ts";
import type { Query } from "../math/query.ts";
import { capital, isolated, percent, readable, weightText } from "../math/text.ts";
import { h, setText } from "./dom.ts";

const QUIET = 1000; // milliseconds without a change

export class Announcer<Shown = unknown> {
  node = h("p", { class: "hm-unseen", "aria-live": "polite" });
  #waits = false; // for the change to be drawn
  #before?: Shown; // what stood here before the reader changed it
  #timer?: ReturnType<typeof setTimeout>;

  /** The reader changed something. */
  changed() {
    this.#waits = true;
  }

  /** The change is drawn, and `shown` stands here now; `summary(before)` is called after the pause, with what stood here; it's "" where more is to come. */
  drawn(summary: (before?: Shown) => string, shown?: Shown) {
    if (!this.#waits) {
      this.#before = shown;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const text = summary(this.#before);
      if (!text) return;
      this.#waits = false;
      if (this.node.isConnected) setText(this.node, text);
      this.#before = shown;
    }, QUIET);
  }
}

/** Answers by what they're about: those that differ from before, each as a sentence; what is new or gone is none. */
export const changesOf = (before: Record<string, string>, now: Record<string, string>) =>
  Object.keys(now)
    .filter((name) => name in before && before[name] !== now[name])
    .map((name) => ({ name, text: `${name}: ${now[name]}, was ${before[name]}` }));

const answersIn = ({ predictions = {} }: Pick<AttentionMap, "predictions">) =>
  Object.fromEntries(Object.entries(predictions).map(([name, labels]) => [name, likeliest(labels)[0]]));

/**
 * A map in a sentence or two: what is predicted, and where the heads look that it rests on; else where the chosen head looks. What
 * differs from the map before comes first, and stands alone where the text is the same.
 */
export function summaryOf(
  map: AttentionMap,
  { layer, head, query }: Pick<MapState, "layer" | "head"> & { query: Query },
  before: AttentionMap = map,
) {
  const looks = (which: number) => {
    const weights = queryWeights(map, layer, which, query);
    const most = weights.indexOf(Math.max(...weights));
    return `${headName(map, layer, which)} head: most on ${isolated(readable(map.keyTokens[most]))}, ${weightText(map, weights[most])}`;
  };
  const withHead = (name: string, text: string) => {
    const of = headNamesOf(map, layer).indexOf(name);
    return [text, ...(of >= 0 ? [looks(of)] : [])];
  };
  const changed = changesOf(answersIn(before), answersIn(map));
  const isSameText = changed.length > 0 && String(before.keyTokens) === String(map.keyTokens);
  const others = Object.entries(isSameText ? {} : (map.predictions ?? {}))
    .filter(([name]) => !changed.some((each) => each.name === name))
    .flatMap(([name, labels]) => {
      const [label, share] = likeliest(labels);
      return withHead(name, `${name}: ${label}, ${percent(share)}`);
    });
  const predicted = [...changed.flatMap(({ name, text }) => withHead(name, text)), ...others];
  const parts = [
    ...(map.written ? [map.written.replace(/\.$/, "")] : []),
    ...(predicted.length ? predicted : [looks(head ?? 0)]),
  ];
  return parts.map((text) => `${capital(text)}.`).join(" ");
}
