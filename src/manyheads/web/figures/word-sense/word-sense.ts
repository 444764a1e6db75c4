// <word-sense sentence="..." word="bank">: in which sense the encoder reads an ambiguous word, layer by layer, live; which
// heads decide it. The encoder and the axes between the senses come when the reader asks. No DOM while the module loads, as
// in head-map.ts.

import { LiveFigure } from "../../doors/live-figure.ts";
import { define, dressPage, takeEarly } from "../../doors/page-element.ts";
import { loadWithProgress, modelsScript, OFFERED, READY } from "../../doors/page-models.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { maskWithout, rankedHeads, SenseAxes, shareOf, wordPlaces } from "../../math/senses.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, grow, sentenceBox, StatusLine } from "../../views/controls.ts";
import { announce, fill, h, setText, setValue } from "../../views/dom.ts";
import { SenseHeads, type RankedHead } from "./heads.ts";
import { layerName, leaning, senseText, unknownWord, type HeadPlace, type Sense } from "./text.ts";

/** A map with all heads on, the score of the word in it, and the heads by what their absence does to that. */
type Ranked = { map: AttentionMap, score: number, ranking: RankedHead[] };

class WordSenseElement extends LiveFigure {
  static observedAttributes = ["sentence", "word"];
  #axes: SenseAxes | null = null;
  #sense: Sense | null = null;
  #drawn = false;
  #example = ""; // the sentence that is baked in

  #box = sentenceBox("Sentence", "Type a sentence", () => this.#changed());
  #words = chooser("Word", () => this.#changed());
  #heads = new SenseHeads(() => this.update());
  #rank = h("button", { type: "button", disabled: true, onclick: () => this.#rankHeads() }, "Rank the heads");
  #ends = h("p", { class: "ws-ends", "aria-hidden": "true" }, h("b"), h("b"));
  #rows = h("tbody");
  #status = new StatusLine();
  #announcer = new Announcer();

  protected override task = {
    failure: "The sense could not be computed",
    compute: ([encoder]: HeadModel[], signal: AbortSignal) => this.#attend(encoder, this.#heads.off, signal),
    show: (map: AttentionMap) => this.#take(map),
  };

  /** What is on the scale: { word, senses, shares: of the second sense after each layer, layer: the one that decides }. */
  get sense() {
    return this.#sense;
  }

  get sentence() {
    return this.#box.value;
  }

  set sentence(text: string) {
    this.setAttribute("sentence", text);
  }

  /** Writes a sentence into the figure as its reader does by typing it. */
  type(sentence: string) {
    this.#announcer.changed();
    this.#write(sentence);
  }

  protected get modelNames() {
    return ["encoder"];
  }

  protected override get waits() {
    return this.#box.value !== this.#example;
  }

  protected override async load(name: string, show: (text: string) => void) {
    const { loadSenses } = await modelsScript();
    this.#axes ??= new SenseAxes(await loadSenses());
    return loadWithProgress(name, show);
  }

  protected draw(baked: Sense | null) {
    this.#drawn = true;
    dressPage("head-map.css", "word-sense.css");
    this.#box.value = this.#example = this.getAttribute("sentence") ?? "";
    const scales = h("table", { class: "ws-scales", "aria-label": "The sense after each layer" }, this.#rows);
    this.replaceChildren(this.#status.node, this.#box,
      h("div", { class: "hm-tools" }, field(this.#words), field(this.#heads.chooser), this.#rank),
      this.#ends, scales, this.#heads.table, this.#announcer.node);
    grow(this.#box);
    if (baked) this.#show(baked, [baked.word]);
    this.showStatus(OFFERED);
    for (const change of ["input", "click"]) this.addEventListener(change, () => this.#announcer.changed());
    this.wakesWhenSeen = true; // to offer the encoder
    takeEarly<WordSenseElement>(this, "sentence");
  }

  attributeChangedCallback(name: string, _: string | null, text: string | null) {
    if (!this.#drawn) return;
    if (name === "sentence") return this.#write(text ?? "");
    this.#words.value = text ?? "";
    this.#changed();
  }

  #write(sentence: string) {
    setValue(this.#box, sentence);
    grow(this.#box);
    this.#changed();
  }

  /** Another sentence or word: what was found out about the heads no longer holds. */
  #changed() {
    this.#heads.reset();
    this.update();
  }

  // --- computing

  async #attend(encoder: HeadModel, off: HeadPlace[], signal: AbortSignal) {
    const mask = maskWithout(off, encoder.numLayers, encoder.numHeads);
    return encoder.attend(this.#box.value, mask, { signal, states: true });
  }

  #take(map: AttentionMap) {
    const axes = this.#axes as SenseAxes;
    const present = axes.among(map.queryTokens);
    const wanted = axes.known(this.#words.value || (this.getAttribute("word") ?? ""));
    const word = present.find((one) => one === wanted) ?? present[0];
    this.#rank.disabled = !word;
    this.classList.toggle("ws-old", !word);
    if (!word) {
      this.#heads.reset();
      this.showStatus(unknownWord(axes.words.map((one) => one.word)));
      return;
    }
    const shares = (axes.scores(map, word) as number[]).map(shareOf);
    const sense = { word: word.word, senses: word.senses, shares, layer: axes.layer };
    this.#show(sense, present.map((one) => one.word));
    this.#announcer.drawn(() => senseText(sense, this.#heads.off.length));
    this.showStatus([READY, ...(map.notes ?? [])].join(" "));
    announce(this, "sense", sense);
  }

  #rankHeads() {
    const axes = this.#axes as SenseAxes;
    const word = axes.known(this.#sense?.word ?? "");
    if (!word) return;
    this.run({
      failure: "The heads could not be ranked",
      compute: async ([encoder], signal): Promise<Ranked> => {
        const without = async (off: HeadPlace[]) => {
          const map = await this.#attend(encoder, off, signal);
          return { map, score: (axes.scores(map, word) as number[])[axes.layer] };
        };
        const whole = await without([]);
        const scores: number[][] = [];
        for (let layer = 0; layer < encoder.numLayers; layer++) {
          if (!signal.aborted) this.showStatus(`Turning off the heads of layer ${layer + 1}, one by one.`);
          scores.push([]);
          for (let head = 0; head < encoder.numHeads; head++) scores[layer].push((await without([{ layer, head }])).score);
        }
        return { ...whole, ranking: rankedHeads(whole.score, scores) };
      },
      show: ({ map, score, ranking }) => {
        this.#heads.reset(ranking);
        this.#heads.list(map, word.senses, score, wordPlaces(map.queryTokens, word.tokens));
        this.#take(map);
      },
    });
  }

  // --- drawing

  #show(sense: Sense, choices: string[]) {
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
      const row = rows[layer];
      row.classList.toggle("ws-deciding", layer === deciding);
      const scale = row.cells[1].firstElementChild as HTMLElement;
      scale.style.setProperty("--share", share.toFixed(4));
      scale.setAttribute("aria-valuenow", share.toFixed(4));
      scale.setAttribute("aria-valuetext", leaning(senses, share));
      setText(row.cells[2], leaning(senses, share));
    });
    this.#heads.mark();
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell(text, act, name);
  }
}

define("word-sense", WordSenseElement);
