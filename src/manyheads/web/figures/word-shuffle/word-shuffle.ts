// <word-shuffle for="ID">: puts the words of the <head-map> with that id into another order, and says what this changes in
// each of the map's models. No DOM while the module loads, as in head-map.ts.

import { LiveFigure, together } from "../../doors/live-figure.ts";
import { define, headsOff, mapById, mapReady } from "../../doors/page-element.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { likeliest } from "../../math/maps.ts";
import { modelLabel } from "../../math/families.ts";
import { percent } from "../../math/text.ts";
import { StatusLine } from "../../views/controls.ts";
import { h, setIdle } from "../../views/dom.ts";

// ------------------------------------------------------------------------------------------------ pure part

/** The words and signs of a text: "Tea, please!" gives ["Tea", ",", "please", "!"]. */
export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}'’]+|[^\s\p{L}\p{M}\p{N}'’]/gu) ?? [];

/** The same words in another order, if they have one (Fisher and Yates); `random` gives numbers from 0 to 1. */
export function shuffled(words: string[], random = Math.random): string[] {
  if (new Set(words).size < 2) return words;
  const order = [...words];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order.some((word, at) => word !== words[at]) ? order : shuffled(words, random);
}

/** Where each token of one order stands in the other, the second of its kind where the second is; null if some is missing. */
function places(tokens: string[], others: string[]) {
  const placesOf = new Map<string, number[]>(); // in the other order
  others.forEach((token, place) => placesOf.set(token, [...(placesOf.get(token) ?? []), place]));
  const found = tokens.flatMap((token) => placesOf.get(token)?.shift() ?? []);
  return found.length === tokens.length && tokens.length === others.length ? found : null;
}

type Weights = Pick<AttentionMap, "queryTokens" | "weights">;
type Predicted = Pick<AttentionMap, "predictions">;

/** The largest change of any weight between two maps of the same tokens in different order; null if the tokens differ. */
export function largestChange(one: Weights, other: Weights) {
  const to = places(one.queryTokens, other.queryTokens);
  if (!to) return null;
  const count = to.length;
  let largest = 0;
  one.weights.forEach((weight, at) => {
    const [key, query, map] = [at % count, Math.floor(at / count) % count, Math.floor(at / count / count)];
    largest = Math.max(largest, Math.abs(weight - other.weights[(map * count + to[query]) * count + to[key]]));
  });
  return largest;
}

/** What the two maps conclude differently: ["sentiment: positive, then negative", ...]. */
export const conclusions = (one: Predicted, other: Predicted) => Object.keys(one.predictions)
  .map((name) => [name, likeliest(one.predictions[name])[0], likeliest(other.predictions[name])[0]])
  .filter(([, before, after]) => before !== after)
  .map(([name, before, after]) => `${name}: ${before}, then ${after}`);

// ------------------------------------------------------------------------------------------------ the element

const FAILURE = "The words could not be shuffled";

/** A sentence as its reader wrote it, and shuffled. */
type Orders = { written: string, shuffled: string };

class WordShuffleElement extends LiveFigure {
  /** What the map shows; null where the words stand in their reader's order. */
  #orders: Orders | null = null;
  #back = h("button", { type: "button", onclick: () => this.#restore() }, "Undo");
  #rows = h("tbody");
  #changes = h("table", {}, h("thead", {}, h("tr", {},
    ...["Model", "Largest change of a weight", "Conclusions that change"].map((text) => h("th", { scope: "col" }, text)))), this.#rows);
  #status = new StatusLine();
  protected override notLoaded = FAILURE;

  /** Fulfilled once its map computes. */
  override get ready() {
    return mapReady(this.#map);
  }

  protected get modelNames() {
    return this.#map?.models ?? []; // its script may come later
  }

  protected draw() {
    const shuffle = h("button", { type: "button", onclick: () => this.#shuffle() }, "Shuffle the words");
    this.replaceChildren(h("p", {}, shuffle, " ", this.#back), h("div", { "aria-live": "polite" }, this.#changes), this.#status.node);
    this.#show(null);
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    const follow = () => this.#map?.sentence !== this.#orders?.shuffled && this.#show(null);
    this.#map?.addEventListener("attention", follow, { signal: leaves });
  }

  get #map() {
    return mapById(this.getAttribute("for"));
  }

  #show(orders: Orders | null) {
    this.#orders = orders;
    setIdle(this.#back, !orders);
    this.#changes.hidden = !orders;
  }

  #restore() {
    if (this.#map && this.#orders) this.#map.sentence = this.#orders.written;
  }

  #shuffle() {
    const written = this.#orders?.written ?? this.#map?.sentence ?? "";
    const orders = { written, shuffled: shuffled(wordsOf(written)).join(" ") };
    this.run({
      failure: FAILURE,
      compute: (models) => together(models.flatMap((model) => [orders.written, orders.shuffled].map((text) => model.attend(text, headsOff(this.#map, model))))),
      show: (maps) => this.#compare(orders, maps),
    });
  }

  /** Says what changes in each model: `maps` are its two, one model after the other. */
  #compare(orders: Orders, maps: AttentionMap[]) {
    this.#rows.replaceChildren(...this.modelNames.map((name, at) => {
      const [one, other] = [maps[2 * at], maps[2 * at + 1]];
      const change = largestChange(one, other);
      const changed = conclusions(one, other).join("; ");
      return h("tr", {}, h("th", { scope: "row" }, modelLabel(name)),
        h("td", {}, change === null ? "too long a text" : percent(change)), h("td", {}, changed || "none"));
    }));
    this.showStatus("");
    this.#show(orders);
    if (this.#map) this.#map.sentence = orders.shuffled;
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell(text, act, name);
  }
}

define("word-shuffle", WordShuffleElement);
