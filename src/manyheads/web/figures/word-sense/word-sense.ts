// <word-sense sentence="..." word="bank" layer="1">: in which sense the encoder reads an ambiguous word, layer by layer, live; what each
// of a layer's heads takes from each word; which heads decide. With a `layer`, that one alone is shown, and no tools. `masked="fish some"`
// masks words, `off="0.4"` turns heads off, as layer.head from 0. The encoder and the axes between the senses come when the reader asks;
// until then, what one masked word comes to may be baked in, and other sentences that phrases of the page set. No DOM while the module loads, as in head-map.ts.

import { define, dressPage } from "../../doors/page-element.ts";
import { loadWithProgress, modelsScript, READY } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import { readPart } from "../../doors/state.ts";
import { answeredLater } from "../../doors/task.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { maskOf } from "../../math/heads-off.ts";
import { rankedHeads, SenseAxes, shareOf, wordPlaces, type LayerPushes, type SensePushes } from "../../math/senses.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { announce } from "../../views/dom.ts";
import { looksAt, unknownWord, type RankedHead, type Sense } from "./text.ts";
import { WordSenseView } from "./view.ts";

const PARTS = ["sentence", "word", "layer", "masked", "off"]; // of the state, each an attribute

type Baked = Sense & {
  pushes?: SensePushes;
  masked?: Record<string, { shares: number[]; layers: (LayerPushes | null)[] }>; // by the places of the masked word's tokens
};

type Stored = Baked & { others?: Record<string, Baked> }; // by their sentences

const senseOf = ({ word, senses, shares, layer }: Baked): Sense => ({ word, senses, shares, layer });

class WordSenseElement extends SentenceFigure<WordSenseView> {
  static observedAttributes = PARTS;
  protected parts = PARTS;
  protected numbers = ["layer"];
  protected computed = []; // the view asks
  #axes: SenseAxes | null = null;
  #example = ""; // the sentence that is drawn first
  #stored = new Map<string, Baked>(); // what is baked in, by its sentence
  #isLive = false; // the encoder has answered

  protected task = this.makeTask<HeadModel>({
    load: async (...loading) => {
      const { loadSenses } = await modelsScript();
      this.#axes ??= new SenseAxes(await loadSenses());
      return loadWithProgress(...loading);
    },
    waits: (model) => {
      if (this.#isOther) return answeredLater(model);
      return this.#baked !== null && !this.#known ? answeredLater(model, "This") : null;
    },
    offered: (old) => this.view?.markOld(old && this.#isOther),
    job: {
      failure: "The sense could not be computed",
      compute: ([encoder], signal) => this.#attend(encoder, this.view!.state.off, signal),
      show: (map: AttentionMap) => this.#take(map),
    },
  });

  /** What is on the scale: { word, senses, shares: of the second sense after each layer, layer: the one that decides }. */
  get sense() {
    return this.view?.state.sense ?? null;
  }

  /** Begins with an example: all heads are on. */
  begin(sentence: string) {
    this.view?.dispatch({ type: "begin", sentence });
  }

  protected override readPart(name: string, text: string | null) {
    if (name === "off") return readPart(name, text);
    if (name === "masked" && text !== null) return { wanted: text.toLowerCase().split(/\s+/).filter(Boolean) };
    return super.readPart(name, text);
  }

  protected override get modelNames() {
    return ["encoder"];
  }

  /** What is baked in of its sentence. */
  get #baked() {
    return this.#stored.get(this.sentence) ?? null;
  }

  /** Whether its sentence is one that nothing is baked in of. */
  get #isOther() {
    return this.sentence !== this.#example && !this.#baked;
  }

  /** What is baked in of the words that are masked now; null where nothing is. */
  get #known() {
    const { word, masked, off } = this.view!.state;
    const baked = this.#baked;
    if (!baked || word !== baked.word || off.length) return null;
    const [sense, { pushes = null, masked: known = {} }] = [senseOf(baked), baked];
    if (!masked.length) return { sense, pushes };
    const found = known[masked.join(" ")];
    return found
      ? { sense: { ...sense, shares: found.shares }, pushes: pushes && { ...pushes, layers: found.layers } }
      : null;
  }

  protected draw(baked: Stored | null) {
    dressPage("head-map.css", "word-sense.css");
    this.#example = this.sentence;
    if (baked) this.#stored = new Map([[this.sentence, baked], ...Object.entries(baked.others ?? {})]);
    const shown = baked && {
      sense: senseOf(baked),
      pushes: baked.pushes ?? null,
      words: [baked.word],
      word: baked.word,
    };
    const { wanted, off, ...written } = this.written;
    this.view = new WordSenseView(
      this,
      { ...written, ...shown },
      { compute: () => this.#answer(), rank: () => this.#rank() },
    );
    this.standBy(Boolean(baked));
    if (wanted || off) this.view.update({ wanted, off });
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    const watch = new ResizeObserver(() => this.view?.layOut());
    watch.observe(this);
    leaves.addEventListener("abort", () => watch.disconnect());
  }

  // --- computing

  /** Shows what is known, and has the encoder answer. */
  #answer() {
    const known = this.#isLive ? null : this.#known;
    if (known) {
      this.view!.dispatch({ type: "show", words: [known.sense.word], ...known });
      announce(this, "sense", known.sense);
    }
    this.task.run();
  }

  async #attend(encoder: HeadModel, off: number[][], signal: AbortSignal, follows = true) {
    const { masked, word } = this.view!.state;
    const follow = follows ? this.#axes!.followed(this.#axes!.known(word)) : [];
    return encoder.attend(this.sentence, maskOf(off, encoder.numLayers, encoder.numHeads), {
      signal,
      states: true,
      masked,
      follow,
    });
  }

  #take(map: AttentionMap, ranking?: RankedHead[]) {
    const axes = this.#axes as SenseAxes;
    const present = axes.among(map.queryTokens);
    const wanted = axes.known(this.view!.state.word);
    const word = present.find((one) => one === wanted) ?? present[0];
    if (!word) {
      this.view!.dispatch({ type: "lose" });
      return this.tell(unknownWord(axes.words.map((one) => one.word)));
    }
    this.#isLive = true;
    const shares = (axes.scores(map, word) as number[]).map(shareOf);
    const sense = { word: word.word, senses: word.senses, shares, layer: axes.layer };
    this.view!.dispatch({
      type: "show",
      sense,
      pushes: axes.pushes(map, word),
      words: present.map((one) => one.word),
      ranking,
    });
    this.tell([READY, ...(map.notes ?? [])].join(" "));
    announce(this, "sense", sense);
  }

  #rank() {
    const axes = this.#axes as SenseAxes;
    const word = axes.known(this.sense?.word ?? "");
    if (!word) return;
    this.task.run({
      failure: "The heads could not be ranked",
      compute: async ([encoder], signal): Promise<[AttentionMap, RankedHead[]]> => {
        const scoreIn = (map: AttentionMap) => (axes.scores(map, word) as number[])[axes.layer];
        const whole = await this.#attend(encoder, [], signal);
        const scores: number[][] = [];
        for (let layer = 0; layer < encoder.numLayers; layer++) {
          if (!signal.aborted) this.tell(`Turning off the heads of layer ${layer + 1}, one by one.`);
          scores.push([]);
          for (let head = 0; head < encoder.numHeads; head++)
            scores[layer].push(scoreIn(await this.#attend(encoder, [[layer, head]], signal, false)));
        }
        const score = scoreIn(whole);
        const places = wordPlaces(whole.queryTokens, word.tokens);
        return [
          whole,
          rankedHeads(score, scores).map(({ place, moved }) => ({
            place,
            moved,
            share: shareOf(score + moved),
            looks: looksAt(whole, place, places),
          })),
        ];
      },
      show: ([map, ranking]) => this.#take(map, ranking),
    });
  }
}

define("word-sense", WordSenseElement);
