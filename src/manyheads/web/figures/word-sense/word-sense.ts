// <word-sense sentence="..." word="bank">: in which sense the encoder reads an ambiguous word, layer by layer, live; which
// heads decide it. The encoder and the axes between the senses come when the reader asks. No DOM while the module loads, as
// in head-map.ts.

import { define, dressPage } from "../../doors/page-element.ts";
import { loadWithProgress, modelsScript, READY } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import { maskOf } from "../../doors/state.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { rankedHeads, SenseAxes, shareOf, wordPlaces } from "../../math/senses.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { announce } from "../../views/dom.ts";
import { looksAt, unknownWord, type RankedHead, type Sense } from "./text.ts";
import { WordSenseView } from "./view.ts";

const PARTS = ["sentence", "word"]; // of the state, each an attribute

class WordSenseElement extends SentenceFigure<WordSenseView, HeadModel> {
  static observedAttributes = PARTS;
  protected parts = PARTS;
  protected numbers = [];
  protected computed = []; // the view asks
  #axes: SenseAxes | null = null;
  #example = ""; // the sentence that is baked in

  protected override task = {
    failure: "The sense could not be computed",
    compute: ([encoder]: HeadModel[], signal: AbortSignal) => this.#attend(encoder, this.view!.state.off, signal),
    show: (map: AttentionMap) => this.#take(map),
  };

  /** What is on the scale: { word, senses, shares: of the second sense after each layer, layer: the one that decides }. */
  get sense() {
    return this.view?.state.sense ?? null;
  }

  /** Writes a sentence into the figure as its reader does by typing it. */
  type(sentence: string) {
    this.view?.update({ sentence });
  }

  protected override get modelNames() {
    return ["encoder"];
  }

  protected override get waits() {
    return this.sentence !== this.#example;
  }

  protected override async load(name: string, show: (text: string) => void) {
    const { loadSenses } = await modelsScript();
    this.#axes ??= new SenseAxes(await loadSenses());
    return loadWithProgress(name, show);
  }

  protected draw(baked: Sense | null) {
    dressPage("head-map.css", "word-sense.css");
    this.#example = this.sentence;
    const shown = baked && { sense: baked, words: [baked.word], word: baked.word };
    this.view = new WordSenseView(this, { ...this.written, ...shown }, { compute: () => this.update(), rank: () => this.#rank() });
    this.begin(Boolean(baked));
  }

  // --- computing

  async #attend(encoder: HeadModel, off: number[][], signal: AbortSignal) {
    return encoder.attend(this.sentence, maskOf(off, encoder.numLayers, encoder.numHeads), { signal, states: true });
  }

  #take(map: AttentionMap, ranking?: RankedHead[]) {
    const axes = this.#axes as SenseAxes;
    const present = axes.among(map.queryTokens);
    const wanted = axes.known(this.view!.state.word);
    const word = present.find((one) => one === wanted) ?? present[0];
    if (!word) {
      this.view!.dispatch({ type: "lose" });
      return this.showStatus(unknownWord(axes.words.map((one) => one.word)));
    }
    const shares = (axes.scores(map, word) as number[]).map(shareOf);
    const sense = { word: word.word, senses: word.senses, shares, layer: axes.layer };
    this.view!.dispatch({ type: "show", sense, words: present.map((one) => one.word), ranking });
    this.showStatus([READY, ...(map.notes ?? [])].join(" "));
    announce(this, "sense", sense);
  }

  #rank() {
    const axes = this.#axes as SenseAxes;
    const word = axes.known(this.sense?.word ?? "");
    if (!word) return;
    this.run({
      failure: "The heads could not be ranked",
      compute: async ([encoder], signal): Promise<[AttentionMap, RankedHead[]]> => {
        const scoreIn = (map: AttentionMap) => (axes.scores(map, word) as number[])[axes.layer];
        const whole = await this.#attend(encoder, [], signal);
        const scores: number[][] = [];
        for (let layer = 0; layer < encoder.numLayers; layer++) {
          if (!signal.aborted) this.showStatus(`Turning off the heads of layer ${layer + 1}, one by one.`);
          scores.push([]);
          for (let head = 0; head < encoder.numHeads; head++) scores[layer].push(scoreIn(await this.#attend(encoder, [[layer, head]], signal)));
        }
        const score = scoreIn(whole);
        const places = wordPlaces(whole.queryTokens, word.tokens);
        return [whole, rankedHeads(score, scores).map(({ place, moved }) => ({ place, moved, share: shareOf(score + moved), looks: looksAt(whole, place, places) }))];
      },
      show: ([map, ranking]) => this.#take(map, ranking),
    });
  }
}

define("word-sense", WordSenseElement);
