// <head-pruning for="ID" order="1.10 0.4 ..." others="One sentence.|Another.">: a slider that prunes the heads of the encoder's
// <head-map> with that id, in an order, and says what is left of the sentence's vector, and to which of the others it's nearest.
// No DOM while the module loads, as in head-map.ts.

import { define, Figure, mapById, mapReady } from "../../doors/page-element.ts";
import { maskOf } from "../../doors/state.ts";
import { Task } from "../../doors/task.ts";
import type { Matrix } from "../../math/attention.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { Announcer } from "../../views/announcer.ts";
import { StatusLine } from "../../views/controls.ts";
import { announce, h, setText } from "../../views/dom.ts";

// ------------------------------------------------------------------------------------------------ pure part

/** The vector of a sentence: the mean over its words of what the last layer makes of them; states are [layer + 1, word, width]. */
export function sentenceVector({ shape: [layers, words, width], values }: Matrix) {
  const last = values.subarray((layers - 1) * words * width);
  return Float64Array.from({ length: width }, (_, column) => {
    let sum = 0;
    for (let word = 0; word < words; word++) sum += last[word * width + column];
    return sum / words;
  });
}

/** The cosine of the angle between two vectors; 0 where one of them is nothing. */
export function cosine(one: ArrayLike<number>, other: ArrayLike<number>) {
  let [product, own, its] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    product += one[at] * other[at];
    own += one[at] ** 2;
    its += other[at] ** 2;
  }
  return product / Math.sqrt(own * its) || 0;
}

/** The one of some texts whose vector is most alike, and how much. */
export function nearestOf(vector: ArrayLike<number>, others: { text: string; vector: ArrayLike<number> }[]) {
  const [nearest] = others
    .map(({ text, vector: other }) => ({ text, similarity: cosine(vector, other) }))
    .sort((one, two) => two.similarity - one.similarity);
  return nearest;
}

/** What is pruned, in words: "12 of 72 heads pruned, layer 2, head 5 last."; `order` holds "layer.head", as a map's attribute `off`. */
export function prunedText(order: string[], count: number) {
  const text = `${count} of ${order.length} heads pruned`;
  if (!count) return `${text}.`;
  const [layer, head] = order[count - 1].split(".").map(Number);
  return `${text}, layer ${layer + 1}, head ${head + 1} last.`;
}

// ------------------------------------------------------------------------------------------------ the element

const FAILURE = "What is left could not be measured";

type Sentence = { text: string; vector: Float64Array };
/** How alike the vector of a sentence is, with so many heads pruned, to that with all of them; and the nearest other sentence. */
type Measured = { sentence: string; pruned: number; similarity: number; nearest: ReturnType<typeof nearestOf> };

class HeadPruningElement extends Figure {
  static observedAttributes = ["order"];
  /** With all heads: the sentence, and the others. */
  #whole: Sentence | null = null;
  #others: Sentence[] = [];
  #slider = h("input", {
    type: "range",
    min: 0,
    value: 0,
    step: 1,
    "aria-label": "Heads pruned",
    oninput: () => this.#prune(),
  });
  #pruned = h("span", { class: "hp-pruned" });
  #left = h("p", { class: "hp-left" }, "Load the encoder below to see what is left of the sentence.");
  #status = new StatusLine();
  #announcer = new Announcer();

  /** What was measured last. */
  sentence = "";
  pruned = 0;
  similarity = NaN;
  nearest?: ReturnType<typeof nearestOf>;

  protected override task = new Task(this, {
    models: () => (this.#map?.computedBy ? [this.#map.computedBy] : []),
    tell: (...told) => this.#status.tell(...told),
    notLoaded: FAILURE,
    progress: () => {}, // the map says so
    job: {
      failure: FAILURE,
      compute: ([encoder], signal) => this.#measure(encoder, signal),
      show: (measured: Measured) => this.#show(measured),
    },
  });

  /** Fulfilled once its map computes: the encoder is fetched at the map's offer, not here. */
  get ready() {
    return mapReady(this.#map);
  }

  protected draw() {
    this.replaceChildren(
      h("label", { class: "hm-field" }, "Prune ", this.#slider),
      this.#pruned,
      this.#left,
      this.#status.node,
      this.#announcer.node,
    );
    this.attributeChangedCallback();
  }

  attributeChangedCallback() {
    this.#slider.max = String(this.#order.length);
    this.#showPruned();
  }

  protected override listen(leaves: AbortSignal) {
    const follow = () => {
      this.task.dropBroken(); // the map has a new one
      this.task.runAfter();
    };
    this.#map?.addEventListener("attention", follow, { signal: leaves });
    follow();
  }

  get #order() {
    return (this.getAttribute("order") ?? "").split(" ").filter(Boolean);
  }

  get #off() {
    return this.#order.slice(0, Number(this.#slider.value));
  }

  get #map() {
    return mapById(this.getAttribute("for"));
  }

  #prune() {
    this.#announcer.changed();
    this.#showPruned();
    if (this.#map) this.#map.off = this.#off.join(" ");
  }

  /** Beside the slider, whose value it is to those who listen. */
  #showPruned() {
    const text = prunedText(this.#order, this.#off.length);
    setText(this.#pruned, text);
    this.#slider.ariaValueText = text;
  }

  async #measure(encoder: HeadModel, signal: AbortSignal): Promise<Measured> {
    const sentence = this.#map?.sentence ?? "";
    const off = this.#off;
    const vectorOf = async (text: string, heads: string[] = []) => {
      const places = heads.map((place) => place.split(".").map(Number));
      const mask = maskOf(places, encoder.numLayers, encoder.numHeads);
      const { states } = await encoder.attend(text, mask, { signal, states: true });
      return sentenceVector(states as Matrix);
    };
    if (!this.#others.length) {
      const texts = (this.getAttribute("others") ?? "").split("|");
      const others = [];
      for (const text of texts) others.push({ text, vector: await vectorOf(text) });
      this.#others = others;
    }
    if (this.#whole?.text !== sentence) this.#whole = { text: sentence, vector: await vectorOf(sentence) };
    const left = await vectorOf(sentence, off);
    return {
      sentence,
      pruned: off.length,
      similarity: cosine(this.#whole.vector, left),
      nearest: nearestOf(left, this.#others),
    };
  }

  #show(measured: Measured) {
    Object.assign(this, measured);
    const { pruned: count, similarity, nearest } = measured;
    this.style.setProperty("--share", Math.max(0, similarity).toFixed(3));
    setText(
      this.#left,
      `Cosine of the sentence's vector to that with all heads: ${similarity.toFixed(2)}. ` +
        `Of ${this.#others.length} others, it's nearest to “${nearest.text}” (${nearest.similarity.toFixed(2)}).`,
    );
    this.#status.tell("");
    this.#announcer.drawn(() => `${this.#pruned.textContent} ${this.#left.textContent}`);
    announce(this, "pruned", { count, similarity });
  }
}

define("head-pruning", HeadPruningElement);
