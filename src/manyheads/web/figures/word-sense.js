// <word-sense sentence="..." word="bank">: in which sense the encoder reads an ambiguous word, layer by layer, live; which
// heads decide it. The encoder and the axes between the senses come when the reader asks. No DOM while the module loads, as
// in head-map.js.

import { bakedInto, dressPage, readyAfter, whenSeen, withResolvers } from "../doors/page-element.js";
import { failedTo, LOADING, loadTold, modelsScript, notLoaded, READY } from "../doors/page-models.js";
import { queryWeights } from "../math/maps.js";
import { maskWithout, rankedHeads, SenseAxes, shareOf, wordPlaces } from "../math/senses.js";
import { isSpecial, percent, readable } from "../math/text.js";
import { grow, sentenceBox, StatusLine } from "../views/controls.js";
import { Announcer } from "../views/announcer.js";
import { announce, fill, h, setText, setValue } from "../views/dom.js";

// ------------------------------------------------------------------------------------------------ pure part

/** @typedef {import("../math/senses.js").AmbiguousWord} AmbiguousWord */
/** @typedef {AttentionMap & { states?: Matrix }} MapWithStates */
/** @typedef {{ layer: number, head: number, moved: number }} RankedHead */

const LISTED = 12; // heads in the list
export const COUNTS = [1, 2, 4, 8, 16]; // of the heads that matter most, so many can be turned off

/** The layer's name in the table: "embeddings", "layer 1", ... */
export const layerName = (/** @type {number} */ layer) => (layer === 0 ? "embeddings" : `layer ${layer}`);

/**
 * The likelier sense and its share, as text: "97 % river".
 * @param {[string, string]} senses
 * @param {number} share of the second
 */
export const leaning = (senses, share) => (share >= 0.5 ? `${percent(share)} ${senses[1]}` : `${percent(1 - share)} ${senses[0]}`);

/**
 * In which sense a word is read, in a sentence.
 * @param {Sense} sense
 * @param {number} off how many heads are
 */
export const senseSaid = ({ word, senses, shares, layer }, off) =>
  `${word}: ${leaning(senses, shares[layer])} after ${layerName(layer)}${off ? `, with ${off} ${off === 1 ? "head" : "heads"} off` : ""}.`;

/**
 * Towards which sense a score has moved, and how far: "money 1.2".
 * @param {[string, string]} senses
 * @param {number} moved
 */
export const movedTo = (senses, moved) => `${senses[moved > 0 ? 1 : 0]} ${Math.abs(moved).toFixed(1)}`;

/**
 * The word that a head looks at most from some places, and its share; special tokens and the places apart.
 * @param {MapWithStates} map
 * @param {{ layer: number, head: number }} head
 * @param {number[]} places
 */
export function looksAt(map, { layer, head }, places) {
  const shares = map.keyTokens.map((_, key) =>
    places.reduce((sum, place) => sum + queryWeights(map, layer, head, place)[key], 0) / places.length);
  const others = shares.map((share, key) => (isSpecial(map.keyTokens[key]) || places.includes(key) ? -1 : share));
  const key = others.indexOf(Math.max(...others));
  return others[key] < 0 ? null : { word: readable(map.keyTokens[key]), share: shares[key] };
}

/**
 * What is said where none of the known words stands in the sentence.
 * @param {string[]} words
 */
export const unknownWord = (words) => `No word here has two senses that this book knows. Try one of these: ${words.join(", ")}. ` +
  "The page “For teachers and authors” says how to add a word.";

// ------------------------------------------------------------------------------------------------ the element

/** @typedef {{ word: string, senses: [string, string], shares: number[], layer: number }} Sense */

function defineElement() {
  class WordSenseElement extends HTMLElement {
    static observedAttributes = ["sentence"];
    #ready = withResolvers();
    #allowed = false; // to fetch the encoder
    #started = false;
    #made = false;
    #unwatch = () => {};
    #wanted = 0; // counts what was to be computed: the last keystroke wins
    /** @type {AbortController | undefined} */
    #asking;
    /** @type {any} */
    #encoder;
    /** @type {SenseAxes | undefined} */
    #axes;
    /** @type {Sense | null} */
    #sense = null;
    /** The heads that are off. @type {{ layer: number, head: number }[]} */
    #off = [];
    /** The heads by what their absence does to this sentence, once the reader asked. @type {RankedHead[]} */
    #ranking = [];

    #box = sentenceBox("Sentence", "Type a sentence", () => this.#changed());
    #words = h("select", { "aria-label": "Word" });
    #heads = h("select", { "aria-label": "Heads off" });
    #rank = h("button", { type: "button", disabled: true }, "Rank the heads");
    #ends = h("p", { class: "ws-ends", "aria-hidden": "true" }, h("b"), h("b"));
    #rows = h("tbody");
    #list = h("tbody");
    #table = h("table", { class: "ws-heads", "aria-label": "Heads by what their absence does", hidden: true },
      h("thead", {}, h("tr", {}, ...["head", "without it", "moved", "looks most at"].map((text) => h("th", { scope: "col" }, text)))), this.#list);
    #status = new StatusLine();
    /** Says a text beside the button that loads the encoder, where one waits for it. @type {((text: string) => void) | null} */
    #offer = null;
    #announcer = new Announcer();

    /** Fulfilled once the element computes for itself; asking for it starts the loading. */
    get ready() {
      this.#allowed = true;
      this.#start();
      return this.#ready.promise;
    }

    /** What is on the scale: { word, senses, shares: of the second sense after each layer, layer: the one that decides }. */
    get sense() {
      return this.#sense;
    }

    get sentence() {
      return this.#box.value;
    }

    set sentence(text) {
      this.setAttribute("sentence", text);
    }

    connectedCallback() {
      this.#unwatch = whenSeen(this, () => this.#start()); // to offer the encoder
      if (this.#made) return this.#asking?.signal.aborted ? this.#compute() : undefined; // it was moved, or removed for a while
      this.#made = true;
      dressPage("head-map.css", "word-sense.css");
      const baked = /** @type {Sense | null} */ (bakedInto(this));
      this.classList.add("head-map", "word-sense");
      this.#box.value = this.getAttribute("sentence") ?? "";
      const scales = h("table", { class: "ws-scales", "aria-label": "The sense after each layer" }, this.#rows);
      this.replaceChildren(this.#status.node, this.#box,
        h("div", { class: "hm-tools" }, h("label", { class: "hm-field" }, "Word ", this.#words),
          h("label", { class: "hm-field" }, "Heads off ", this.#heads), this.#rank),
        this.#ends, scales, this.#table, this.#announcer.node);
      grow(this.#box);
      this.#offerHeads();
      if (baked) this.#show(baked, [baked.word]);
      this.#status.tell("This is a computed example.");
      for (const change of ["input", "click"]) this.addEventListener(change, () => this.#announcer.changed());
      this.#words.addEventListener("change", () => this.#changed());
      this.#heads.addEventListener("change", () => this.#turnOff());
      this.#rank.addEventListener("click", () => this.#rankHeads());
    }

    disconnectedCallback() {
      this.#unwatch();
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.#wanted++;
        this.#asking?.abort();
      });
    }

    attributeChangedCallback(/** @type {string} */ _, /** @type {string} */ __, /** @type {string} */ value) {
      if (!this.#made) return;
      setValue(this.#box, value);
      grow(this.#box);
      this.#changed();
    }

    // --- the encoder

    async #start() {
      if (this.#encoder || (this.#started && !this.#allowed)) return;
      this.#started = true;
      try {
        const { missingBytes, whenLoaded, loadSenses } = await modelsScript();
        const bytes = this.#allowed ? 0 : await missingBytes("encoder");
        if (bytes > 0 && !this.#allowed) {
          this.#offer = (text) => this.#status.tell(text, () => this.ready, `Load the encoder (${(bytes / 1e6).toFixed(1)} MB)`);
          this.#offer("This is a computed example.");
          readyAfter(whenLoaded("encoder"), this); // at the wish of another figure
          return;
        }
        this.#offer = null;
        this.#status.tell(LOADING);
        this.#axes ??= new SenseAxes(await loadSenses());
        const encoder = await loadTold("encoder", (text) => this.#status.tell(text));
        this.#encoder = encoder;
        this.#rank.disabled = false;
        await this.#compute();
      } catch (error) {
        this.#status.tell(notLoaded(error), () => this.ready);
      }
    }

    #changed() {
      this.#off = [];
      this.#ranking = [];
      this.#offerHeads();
      if (this.#encoder) this.#compute();
      else {
        this.#start();
        this.#offer?.("Your text will be answered once the encoder has loaded.");
      }
    }

    get #mask() {
      return maskWithout(this.#off, this.#encoder.numLayers, this.#encoder.numHeads);
    }

    /** Computes and shows the present state; the last keystroke wins. */
    async #compute() {
      const wanted = ++this.#wanted;
      this.#asking?.abort();
      const { signal } = (this.#asking = new AbortController());
      try {
        const map = await this.#encoder.attend(this.#box.value, this.#mask, { signal, states: true });
        if (wanted !== this.#wanted) return;
        this.#take(map);
      } catch (error) {
        if (wanted !== this.#wanted) return;
        this.#failed("The sense could not be computed", error);
      }
    }

    /**
     * Says so, and offers another try: with a new encoder, where this one has stopped.
     * @param {string} what
     * @param {unknown} error
     */
    #failed(what, error) {
      if (this.#encoder.broken) this.#encoder = undefined;
      const again = () => (this.#encoder ? this.#compute() : this.#start());
      this.#status.tell(failedTo(what, error), again);
    }

    #take(/** @type {MapWithStates} */ map) {
      const axes = /** @type {SenseAxes} */ (this.#axes);
      const here = axes.among(map.queryTokens);
      const asked = this.#words.value || (this.getAttribute("word") ?? "");
      const word = here.find((one) => one === axes.known(asked)) ?? here[0];
      this.#rank.disabled = !word;
      this.classList.toggle("ws-old", !word);
      if (!word) {
        this.#table.hidden = true;
        this.#status.tell(unknownWord(axes.words.map((one) => one.word)));
        this.#ready.resolve();
        return;
      }
      const shares = /** @type {number[]} */ (axes.scores(map, word)).map(shareOf);
      const sense = { word: word.word, senses: word.senses, shares, layer: axes.layer };
      this.#show(sense, here.map((one) => one.word));
      this.#announcer.drawn(() => senseSaid(sense, this.#off.length));
      this.#status.tell([READY, ...(map.notes ?? [])].join(" "));
      this.#ready.resolve();
      announce(this, "sense", this.#sense);
    }

    // --- drawing

    /**
     * @param {Sense} sense
     * @param {string[]} choices
     */
    #show(sense, choices) {
      this.#sense = sense;
      const { senses, shares, layer: deciding } = sense;
      const options = fill(this.#words, choices.length, () => h("option"));
      choices.forEach((word, at) => setText(options[at], word));
      this.#words.value = sense.word;
      senses.forEach((name, at) => setText(this.#ends.children[at], name));
      const rows = fill(this.#rows, shares.length, (layer) => h("tr", {}, h("th", { scope: "row" }, layerName(layer)),
        h("td", {}, h("span", { class: "ws-scale", role: "meter", "aria-valuemin": 0, "aria-valuemax": 1, "aria-label": layerName(layer) }, h("i"))),
        h("td")));
      shares.forEach((share, layer) => {
        const row = /** @type {HTMLTableRowElement} */ (rows[layer]);
        row.classList.toggle("ws-deciding", layer === deciding);
        const scale = /** @type {HTMLElement} */ (row.cells[1].firstElementChild);
        scale.style.setProperty("--share", share.toFixed(4));
        scale.setAttribute("aria-valuenow", share.toFixed(4));
        scale.setAttribute("aria-valuetext", leaning(senses, share));
        setText(row.cells[2], leaning(senses, share));
      });
      this.#list.querySelectorAll("tr").forEach((row, at) => this.#mark(row, this.#ranking[at]));
    }

    #offerHeads() {
      const { numLayers = 6 } = this.#encoder ?? {};
      const choices = [["", "none"], ...Array.from({ length: numLayers }, (_, layer) => [`layer ${layer}`, `all of layer ${layer + 1}`]),
        ...(this.#ranking.length ? COUNTS.map((count) => [`top ${count}`, `the ${count} that matter most here`]) : [])];
      const options = fill(this.#heads, choices.length, () => h("option"));
      choices.forEach(([value, text], at) => {
        options[at].value = value;
        setText(options[at], text);
      });
      this.#heads.value = "";
      this.#table.hidden = !this.#ranking.length;
    }

    #turnOff() {
      const [kind, number] = this.#heads.value.split(" ");
      if (!this.#encoder) return this.#start();
      if (kind === "top") this.#off = this.#ranking.slice(0, Number(number));
      else if (kind === "layer")
        this.#off = Array.from({ length: this.#encoder.numHeads }, (_, head) => ({ layer: Number(number), head }));
      else this.#off = [];
      this.#compute();
    }

    // --- heads by what their absence does

    async #rankHeads() {
      const wanted = ++this.#wanted;
      const { numLayers, numHeads } = this.#encoder;
      const axes = /** @type {SenseAxes} */ (this.#axes);
      const word = /** @type {AmbiguousWord} */ (axes.known(this.#sense?.word ?? ""));
      const sentence = this.#box.value;
      this.#asking?.abort();
      const { signal } = (this.#asking = new AbortController());
      const scoreWithout = async (/** @type {{ layer: number, head: number }[]} */ off) => {
        const map = await this.#encoder.attend(sentence, maskWithout(off, numLayers, numHeads), { signal, states: true });
        return { map, score: /** @type {number[]} */ (axes.scores(map, word))[axes.layer] };
      };
      try {
        const whole = await scoreWithout([]);
        const without = [];
        for (let layer = 0; layer < numLayers; layer++) {
          this.#status.tell(`Turning off the heads of layer ${layer + 1}, one by one.`);
          const heads = [];
          for (let head = 0; head < numHeads; head++) heads.push((await scoreWithout([{ layer, head }])).score);
          without.push(heads);
        }
        if (wanted !== this.#wanted) return;
        this.#off = [];
        this.#ranking = rankedHeads(whole.score, without);
        this.#offerHeads();
        this.#listHeads(whole);
        this.#take(whole.map);
      } catch (error) {
        if (wanted === this.#wanted) this.#failed("The heads could not be ranked", error);
      }
    }

    /** Lists the heads that matter most, each with a switch. */
    #listHeads(/** @type {{ map: MapWithStates, score: number }} */ { map, score }) {
      const { senses, word } = /** @type {Sense} */ (this.#sense);
      const axes = /** @type {SenseAxes} */ (this.#axes);
      const places = wordPlaces(map.queryTokens, /** @type {AmbiguousWord} */ (axes.known(word)).tokens);
      this.#list.replaceChildren(...this.#ranking.slice(0, LISTED).map((one) => {
        const looks = looksAt(map, one, places);
        const name = `layer ${one.layer + 1}, head ${one.head + 1}`;
        const row = h("tr", {},
          h("th", { scope: "row" }, h("button", { type: "button", "aria-pressed": "true", onclick: () => this.#toggle(one) }, name)),
          h("td", {}, leaning(senses, shareOf(score + one.moved))),
          h("td", {}, movedTo(senses, one.moved)),
          h("td", {}, looks ? `${looks.word} ${percent(looks.share)}` : "nothing else"));
        this.#mark(row, one);
        return row;
      }));
    }

    #mark(/** @type {HTMLTableRowElement} */ row, /** @type {RankedHead} */ one) {
      row.querySelector("button")?.setAttribute("aria-pressed", String(!this.#off.some(({ layer, head }) => layer === one?.layer && head === one.head)));
    }

    #toggle(/** @type {RankedHead} */ one) {
      const rest = this.#off.filter(({ layer, head }) => layer !== one.layer || head !== one.head);
      this.#off = rest.length < this.#off.length ? rest : [...this.#off, one];
      this.#compute();
    }
  }

  customElements.define("word-sense", WordSenseElement);
}

if (globalThis.customElements && !customElements.get("word-sense")) defineElement();
