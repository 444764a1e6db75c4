// <head-pruning for="ID" order="1.10 0.4 ...">: a slider that prunes the heads of the encoder's <head-map> with that id, in an
// order, and says what is left of the sentence's vector. No DOM while the module loads, as in head-map.js.

import { failedTo, modelsScript } from "../doors/page-models.js";
import { maskOf } from "../doors/state.js";
import { Announcer } from "../views/announcer.js";
import { StatusLine } from "../views/controls.js";
import { announce, h, setText } from "../views/dom.js";

// ------------------------------------------------------------------------------------------------ pure part

/**
 * The vector of a sentence: the mean over its words of what the last layer makes of them.
 * @param {Matrix} states [layer + 1, word, width]
 */
export function sentenceVector({ shape: [layers, words, width], values }) {
  const last = values.subarray((layers - 1) * words * width);
  return Float64Array.from({ length: width }, (_, column) => {
    let sum = 0;
    for (let word = 0; word < words; word++) sum += last[word * width + column];
    return sum / words;
  });
}

/**
 * The cosine of the angle between two vectors; 0 where one of them is nothing.
 * @param {ArrayLike<number>} one
 * @param {ArrayLike<number>} other
 */
export function cosine(one, other) {
  let [product, own, its] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    product += one[at] * other[at];
    own += one[at] ** 2;
    its += other[at] ** 2;
  }
  return product / Math.sqrt(own * its) || 0;
}

/**
 * What is pruned, in words: "12 of 72 heads pruned, layer 2, head 5 last."
 * @param {string[]} order as in the attribute `off` of a map, "layer.head"
 * @param {number} count
 */
export function prunedText(order, count) {
  const text = `${count} of ${order.length} heads pruned`;
  if (!count) return `${text}.`;
  const [layer, head] = order[count - 1].split(".").map(Number);
  return `${text}, layer ${layer + 1}, head ${head + 1} last.`;
}

// ------------------------------------------------------------------------------------------------ the element

function defineElement() {
  class HeadPruningElement extends HTMLElement {
    #wanted = 0; // counts what was to be measured: the last move wins
    /** What was asked of the encoder, to be given up. @type {AbortController | undefined} */
    #asking;
    /** The vector with all heads, and of which sentence. @type {{ sentence: string, vector: Float64Array } | undefined} */
    #whole;
    #slider = h("input", { type: "range", min: 0, value: 0, step: 1, "aria-label": "Heads pruned" });
    #said = h("span", { class: "hp-said" });
    #left = h("p", { class: "hp-left" });
    #status = new StatusLine();
    #announcer = new Announcer();
    /** The map that it listens to. @type {HeadMapElement | null} */
    #heard = null;

    /** What was measured last: of which sentence, with how many heads pruned, and how alike its vector is to that with all. */
    sentence = "";
    pruned = 0;
    similarity = NaN;

    connectedCallback() {
      this.#heard = this.#map;
      this.#heard?.addEventListener("attention", this.#hear);
      if (this.#said.isConnected) return;
      this.classList.add("head-map", "head-pruning");
      this.#slider.max = String(this.#order.length);
      this.replaceChildren(h("label", { class: "hm-field" }, "Prune ", this.#slider), this.#said, this.#left, this.#status.node, this.#announcer.node);
      this.#slider.addEventListener("input", () => this.#prune());
      this.#sayPruned();
      setText(this.#left, "Load the encoder above to see what is left of the sentence.");
      this.#measure();
    }

    disconnectedCallback() {
      this.#heard?.removeEventListener("attention", this.#hear);
      this.#asking?.abort();
    }

    #hear = () => this.#measure();

    get #order() {
      return (this.getAttribute("order") ?? "").split(" ").filter(Boolean);
    }

    get #off() {
      return this.#order.slice(0, Number(this.#slider.value));
    }

    get #map() {
      return /** @type {HeadMapElement} */ (document.getElementById(this.getAttribute("for") ?? ""));
    }

    #prune() {
      this.#announcer.changed();
      this.#sayPruned();
      this.#map.setAttribute("off", this.#off.join(" "));
    }

    /** Beside the slider, whose value it is to those who listen. */
    #sayPruned() {
      const said = prunedText(this.#order, this.#off.length);
      setText(this.#said, said);
      this.#slider.ariaValueText = said;
    }

    /** Once the map computes, for the encoder is there then: it is fetched at the map's offer, not here. */
    async #measure() {
      if (!this.#map.computedBy) return;
      const wanted = ++this.#wanted;
      this.#asking?.abort();
      const { signal } = (this.#asking = new AbortController());
      const { sentence } = this.#map;
      const off = this.#off;
      try {
        const encoder = await (await modelsScript()).loadModel("encoder");
        const vectorWithout = async (/** @type {string[]} */ heads) => {
          const places = heads.map((place) => place.split(".").map(Number));
          const mask = maskOf(places, encoder.numLayers, encoder.numHeads);
          const { states } = await /** @type {any} */ (encoder).attend(sentence, mask, { signal, states: true });
          return sentenceVector(states);
        };
        if (this.#whole?.sentence !== sentence) this.#whole = { sentence, vector: await vectorWithout([]) };
        const left = cosine(this.#whole.vector, await vectorWithout(off));
        if (wanted !== this.#wanted) return;
        Object.assign(this, { sentence, pruned: off.length, similarity: left });
        this.style.setProperty("--share", Math.max(0, left).toFixed(3));
        setText(this.#left, `Cosine of the sentence's vector to that with all heads: ${left.toFixed(2)}.`);
        this.#status.tell("");
        this.#announcer.drawn(() => `${this.#said.textContent} ${this.#left.textContent}`);
        announce(this, "pruned", { count: off.length, similarity: left });
      } catch (error) {
        if (wanted === this.#wanted && !signal.aborted)
          this.#status.tell(failedTo("What is left could not be measured", error), () => this.#measure());
      }
    }
  }

  customElements.define("head-pruning", HeadPruningElement);
}

if (globalThis.customElements && !customElements.get("head-pruning")) defineElement();
