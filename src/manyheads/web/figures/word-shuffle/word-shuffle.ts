// <word-shuffle for="ID">: asks whether attention notices when the words of the <head-map> with that id stand in another order,
// shuffles them, and says what this changes in each of the map's models. It stands above the map. No DOM while the module loads, as in head-map.ts.

import { define, Figure, headsOff, mapById, mapReady } from "../../doors/page-element.ts";
import { Task, together } from "../../doors/task.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { likeliest } from "../../math/maps.ts";
import { modelLabel } from "../../math/families.ts";
import { capital, percent } from "../../math/text.ts";
import { StatusLine } from "../../views/controls.ts";
import { h, setIdle } from "../../views/dom.ts";
import { guessView, isOpen, OPEN, press, tell } from "../../views/guess.ts";

// ------------------------------------------------------------------------------------------------ pure part

/** The words and signs of a text: "Tea, please!" gives ["Tea", ",", "please", "!"]. */
export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}'’]+|[^\s\p{L}\p{M}\p{N}'’]/gu) ?? [];

/** The same words in another order, if they have one, and not in the one that is shown already, if they have a third (Fisher and Yates). */
export function shuffled(words: string[], shown = words): string[] {
  if (new Set(words).size < 2) return words;
  const order = [...words];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  const differsFrom = (known: string[]) => order.some((word, at) => word !== known[at]);
  const isNew = differsFrom(words) && (differsFrom(shown) || words.length === 2);
  return isNew ? order : shuffled(words, shown);
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
export const conclusions = (one: Predicted, other: Predicted) =>
  Object.keys(one.predictions)
    .map((name) => [name, likeliest(one.predictions[name])[0], likeliest(other.predictions[name])[0]])
    .filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => `${name}: ${before}, then ${after}`);

/** Which of the answers a shuffle bears out. */
function noticed(one: AttentionMap, other: AttentionMap) {
  const change = largestChange(one, other);
  return change === null ? null : conclusions(one, other).length ? 2 : Number(percent(change) !== percent(0));
}

/** What a shuffle changes in a model, as a sentence. */
function changesOf(one: AttentionMap, other: AttentionMap) {
  const change = largestChange(one, other);
  if (change === null) return "the text is too long for it.";
  const weights = percent(change) === percent(0) ? "no weight changes" : `a weight changes by ${percent(change)}`;
  return `${weights}. ${conclusions(one, other).map(capital).join("; ") || "No conclusion changes"}.`;
}

// ------------------------------------------------------------------------------------------------ the element

const ASKED = {
  question: "Shuffle the words: does attention notice?",
  answers: ["no", "yes, some weights change", "yes, and a conclusion turns"],
  right: null,
  says: "",
};
const FAILURE = "The words could not be shuffled";

/** A sentence as its reader wrote it, and shuffled. */
type Orders = { original: string; shuffled: string };

class WordShuffleElement extends Figure {
  /** What the map shows; null where the words stand in their reader's order. */
  #orders: Orders | null = null;
  #guess = OPEN;
  #guessed = guessView(ASKED, (pressed) => isOpen(this.#guess) && this.#play(pressed));
  #back = h("button", { type: "button", onclick: () => this.#restore() }, "Undo");
  #changes = h("ul", { class: "ws-changes", "aria-live": "polite" });
  #status = new StatusLine();
  protected override task = new Task(this, {
    models: () => this.#models,
    tell: (...told) => this.#status.tell(...told),
    notLoaded: FAILURE,
  });

  /** Fulfilled once its map computes. */
  get ready() {
    return mapReady(this.#map);
  }

  get #models() {
    return this.#map?.models ?? []; // its script may come later
  }

  protected draw() {
    const shuffle = h("button", { type: "button", onclick: () => this.#shuffle() }, "Shuffle the words");
    this.replaceChildren(this.#guessed.node, h("p", {}, shuffle, " ", this.#back), this.#changes, this.#status.node);
    this.#guessed.draw(this.#guess);
    this.#show(null);
  }

  protected override listen(leaves: AbortSignal) {
    const follow = () => this.#map?.sentence !== this.#orders?.shuffled && this.#show(null);
    this.#map?.addEventListener("attention", follow, { signal: leaves });
  }

  get #map() {
    return mapById(this.getAttribute("for"), this);
  }

  #show(orders: Orders | null) {
    this.#orders = orders;
    setIdle(this.#back, !orders);
    if (!orders) this.#tell(() => "–");
  }

  /** A line for each model, which keeps its place. */
  #tell(changes: (at: number) => string) {
    this.#changes.replaceChildren(
      ...this.#models.map((name, at) => h("li", {}, h("b", {}, modelLabel(name)), `: ${changes(at)}`)),
    );
  }

  #restore() {
    if (this.#orders) this.#write(this.#orders.original);
  }

  #play(pressed: number | null) {
    this.#guess = press(this.#guess, pressed);
    this.#guessed.draw(this.#guess);
    this.#shuffle();
  }

  #shuffle() {
    const shown = this.#map?.sentence ?? "";
    const original = this.#orders?.original ?? shown;
    const orders = { original, shuffled: shuffled(wordsOf(original), wordsOf(shown)).join(" ") };
    this.task.run({
      failure: FAILURE,
      compute: (models) =>
        together(
          models.flatMap((model) =>
            [orders.original, orders.shuffled].map((text) => model.attend(text, headsOff(this.#map, model))),
          ),
        ),
      show: (maps) => this.#compare(orders, maps),
    });
  }

  /** Says what changes in each model: `maps` are its two, one model after the other. */
  #compare(orders: Orders, maps: AttentionMap[]) {
    this.#tell((at) => changesOf(maps[2 * at], maps[2 * at + 1]));
    const right = noticed(maps[0], maps[1]);
    this.#guess = tell(this.#guess);
    this.#guessed.draw(this.#guess, { right, says: right === 0 ? "The first model doesn’t know the order." : "" });
    this.#status.tell("");
    this.#show(orders);
    this.#write(orders.shuffled);
  }

  /** Puts the words of the map into an order. The one that asks goes on asking, wherever it is then. */
  #write(text: string) {
    const map = this.#map;
    if (!map) return;
    const [before, asks] = [map.attention?.queryTokens ?? [], map.query];
    const drawn = new AbortController();
    map.addEventListener(
      "attention",
      () => {
        drawn.abort();
        const query = places(before, map.attention?.queryTokens ?? [])?.[asks] ?? asks;
        if (query !== asks) map.query = query;
      },
      { signal: drawn.signal },
    );
    map.sentence = text;
  }
}

define("word-shuffle", WordShuffleElement);
