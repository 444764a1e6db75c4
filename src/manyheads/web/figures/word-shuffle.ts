// <word-shuffle for="ID">: puts the words of the <head-map> with that id into another order, and says what this changes in
// each of the map's models. No DOM while the module loads, as in head-map.js.

import { failedTo, LOADING, modelsScript } from "../doors/page-models.js";
import { likeliest } from "../math/maps.js";
import { modelLabel } from "../math/families.ts";
import { percent } from "../math/text.ts";
import { StatusLine } from "../views/controls.js";
import { h, setIdle } from "../views/dom.js";

// ------------------------------------------------------------------------------------------------ pure part

/** The words and signs of a text: "Tea, please!" gives ["Tea", ",", "please", "!"]. @returns {string[]} */
export const wordsOf = (/** @type {string} */ text) => text.match(/[\p{L}\p{M}\p{N}'’]+|[^\s\p{L}\p{M}\p{N}'’]/gu) ?? [];

/**
 * The same words in another order, if they have one (Fisher and Yates); `random` gives numbers from 0 to 1.
 * @param {string[]} words
 * @returns {string[]}
 */
export function shuffled(words, random = Math.random) {
  if (new Set(words).size < 2) return words;
  const order = [...words];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order.some((word, at) => word !== words[at]) ? order : shuffled(words, random);
}

/**
 * Where each token of one order stands in the other, the second of its kind where the second is; null if some is missing.
 * @param {string[]} tokens
 * @param {string[]} others
 */
function places(tokens, others) {
  /** Token -> its places in the other order. @type {Map<string, number[]>} */
  const waiting = new Map();
  others.forEach((token, place) => waiting.set(token, [...(waiting.get(token) ?? []), place]));
  const found = tokens.flatMap((token) => waiting.get(token)?.shift() ?? []);
  return found.length === tokens.length && tokens.length === others.length ? found : null;
}

/**
 * The largest change of any weight between two maps of the same tokens in different order; null if they differ.
 * @param {Pick<AttentionMap, "queryTokens" | "weights">} one
 * @param {Pick<AttentionMap, "queryTokens" | "weights">} other
 */
export function largestChange(one, other) {
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

/**
 * What the two maps conclude differently: ["sentiment: positive, then negative", ...].
 * @param {Pick<AttentionMap, "predictions">} one
 * @param {Pick<AttentionMap, "predictions">} other
 */
export const conclusions = (one, other) => Object.keys(one.predictions)
  .map((name) => [name, likeliest(one.predictions[name])[0], likeliest(other.predictions[name])[0]])
  .filter(([, before, after]) => before !== after)
  .map(([name, before, after]) => `${name}: ${before}, then ${after}`);

// ------------------------------------------------------------------------------------------------ the element

function defineElement() {
  class WordShuffleElement extends HTMLElement {
    #typed = ""; // the sentence in the reader's order
    #given = ""; // and in ours
    #back = h("button", { type: "button", onclick: () => (this.#map.sentence = this.#typed) }, "Back in order");
    #rows = h("tbody");
    #status = new StatusLine();
    #changes = h("table", {}, h("thead", {}, h("tr", {},
      ...["Model", "Largest change of a weight", "Conclusions that change"].map((text) => h("th", { scope: "col" }, text)))), this.#rows);

    /** The map that it listens to. @type {HeadMapElement | null} */
    #heard = null;

    connectedCallback() {
      this.#heard = this.#map;
      this.#heard?.addEventListener("attention", this.#hear);
      if (this.#changes.isConnected) return;
      this.classList.add("head-map", "word-shuffle");
      const shuffle = h("button", { type: "button", onclick: () => this.#tryToShuffle() }, "Shuffle the words");
      this.replaceChildren(h("p", {}, shuffle, " ", this.#back), h("div", { "aria-live": "polite" }, this.#changes), this.#status.node);
      this.#take();
    }

    disconnectedCallback() {
      this.#heard?.removeEventListener("attention", this.#hear);
    }

    #hear = () => {
      if (this.#map.sentence !== this.#given) this.#take();
    };

    get #map() {
      return /** @type {HeadMapElement} */ (document.getElementById(this.getAttribute("for") ?? ""));
    }

    /** The reader's own sentence, in the reader's own order. */
    #take() {
      this.#typed = this.#given = this.#map.sentence;
      this.#inOrder(true);
    }

    #inOrder(/** @type {boolean} */ yes) {
      setIdle(this.#back, yes);
      this.#changes.hidden = yes;
    }

    async #tryToShuffle() {
      this.#status.tell(LOADING);
      try {
        await this.#shuffle();
        this.#status.tell("");
      } catch (error) {
        this.#status.tell(failedTo("The words could not be shuffled", error), () => this.#tryToShuffle());
      }
    }

    async #shuffle() {
      const { loadModel } = await modelsScript();
      const names = (this.#map.getAttribute("models") ?? "").split(" ");
      const models = await Promise.all(names.map((name) => loadModel(name)));
      this.#given = shuffled(wordsOf(this.#typed)).join(" ");
      this.#rows.replaceChildren(...models.map((model, at) => {
        const [one, other] = [this.#typed, this.#given].map((sentence) => /** @type {AttentionMap} */ (model.attend(sentence)));
        const change = largestChange(one, other);
        const changed = conclusions(one, other).join("; ");
        return h("tr", {}, h("th", { scope: "row" }, modelLabel(names[at])),
          h("td", {}, change === null ? "too long a text" : percent(change)), h("td", {}, changed || "none"));
      }));
      this.#inOrder(false);
      this.#map.sentence = this.#given;
    }
  }

  customElements.define("word-shuffle", WordShuffleElement);
}

if (globalThis.customElements && !customElements.get("word-shuffle")) defineElement();
