// <next-word text="...">: what a language model would write next, as bars that its reader presses, reshapes and cuts heads from.
// `layer` and `head` choose whose weights are shown, `off` names heads that are off. The model comes when the reader asks. No DOM while the module loads, as in head-map.ts.

import { followLinks } from "../doors/figure-link.ts";
import { LiveFigure } from "../doors/live-figure.ts";
import { define, dressPage, takeEarly } from "../doors/page-element.ts";
import { OFFERED, READY } from "../doors/page-models.ts";
import { offOf } from "../doors/state.ts";
import { drawn, probabilities, uniforms, type NextTokens } from "../math/sampling.ts";
import { isUnfinished, joined } from "../math/text.ts";
import { announce } from "../views/dom.ts";
import { NextWordView, type Example } from "./next-word-view.ts";

const MODEL = "decoder";
const NOTHING: Example = { words: [], lists: {}, numLayers: 30, numHeads: 9 };
const LONGEST = 120; // words that are written on at a press
const PACE = 90; // milliseconds between them, so that they can be read

/** What the model makes of a draft with some heads off, and with all on. */
interface Answer {
  tail: number[];
  now: NextWord;
  allOn: Float32Array | null; // logits, where heads are off
}

class NextWordElement extends LiveFigure<DecoderModel> {
  static observedAttributes = ["text", "off", "layer", "head"];
  #view: NextWordView | null = null;
  #model: DecoderModel | null = null;
  #answer: Answer | null = null;
  #shaped: NextTokens | null = null; // its next words, by what the reader chose
  #whole: { draft: string, logits: Float32Array } | null = null; // with all heads on
  #tail: number[] = []; // tokens written after the text: bytes of a character that isn't whole yet
  #earlier: Draft[] = []; // to step back to
  #writing = 0; // words that are still to come
  #pace?: ReturnType<typeof setTimeout>;
  #draws = { seed: NaN, next: () => 0 };
  #example = ""; // the text that is baked in

  protected override task = {
    failure: "The next word could not be computed",
    compute: ([decoder]: DecoderModel[], signal: AbortSignal) => this.#read(decoder, signal),
    show: (answer: Answer) => this.#take(answer),
  };

  /** What is on the screen: { text, off, next }. */
  get shown() {
    return this.#view?.shown ?? null;
  }

  /** The likeliest next words as the reader shapes them: [{ word, probability, logit }]; null until they are computed. */
  get next() {
    return this.shown?.next ?? null;
  }

  /** The map of the text, as that of <head-map>; null until it is computed. */
  get attention() {
    return this.#answer?.now.map ?? null;
  }

  /** [layer][head] -> whether it is on; null where all are. */
  get headMask(): HeadMask {
    return this.#view?.headMask ?? null;
  }

  set headMask(headMask: HeadMask) {
    this.setAttribute("off", offOf(headMask));
  }

  get text() {
    return this.#view?.state.text ?? this.getAttribute("text") ?? "";
  }

  set text(text: string) {
    this.setAttribute("text", text);
  }

  /** Writes a word, as its reader does. */
  write() {
    this.#write(null);
  }

  protected get modelNames() {
    return [MODEL];
  }

  protected override get waits() {
    return this.text !== this.#example || Boolean(this.#view?.state.off.length);
  }

  protected draw(baked: Example | null) {
    dressPage("head-map.css", "next-word.css");
    this.#example = this.getAttribute("text") ?? "";
    this.#view = new NextWordView(this, { text: this.#example, off: readOff(this.getAttribute("off")) }, baked ?? NOTHING, {
      typed: () => this.#goTo({ text: this.text, tail: [] }),
      reshaped: () => this.#reshape(),
      cut: () => this.update(),
      write: (id) => this.#write(id),
      writeOn: () => this.#toggle(),
      back: () => this.#stepBack(),
    });
    this.#aim();
    if (baked) this.#view.showExample(baked.words);
    this.showStatus(OFFERED);
    this.wakesWhenSeen = true; // to offer the model
    takeEarly<NextWordElement>(this, "text", "headMask");
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null) {
    if (!this.#view) return;
    if (name === "layer" || name === "head") return this.#aim();
    if (name === "text") return this.#goTo({ text: value ?? "", tail: [] });
    this.#view.update({ off: readOff(value) });
    this.update();
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    followLinks(this, this.localName, NextWordElement.observedAttributes, leaves);
  }

  override disconnectedCallback() {
    this.#writing = 0;
    super.disconnectedCallback();
  }

  #aim() {
    this.#view?.aim(this.getAttribute("layer"), this.getAttribute("head"));
  }

  /** Takes up another text. */
  #goTo({ text, tail }: Draft) {
    this.#writing = 0;
    this.#tail = tail;
    this.#view!.update({ text });
    this.update();
  }

  async #read(decoder: DecoderModel, signal: AbortSignal): Promise<Answer> {
    this.#model = decoder;
    const { text } = this.#view!.state;
    const tail = this.#tail;
    const draft = JSON.stringify({ text, tail });
    const mask = this.headMask;
    if (mask && this.#whole?.draft !== draft) this.#whole = { draft, logits: (await decoder.next({ text, tail }, null, { signal })).logits };
    const now = await decoder.next({ text, tail }, mask, { signal });
    if (!mask) this.#whole = { draft, logits: now.logits };
    return { tail, now, allOn: mask ? this.#whole!.logits : null };
  }

  #take(answer: Answer) {
    this.#answer = answer;
    this.showStatus([READY, ...(answer.now.map.notes ?? [])].join(" "));
    this.#reshape();
    announce(this, "attention", this.attention);
    clearTimeout(this.#pace);
    if (this.#writing > 0) this.#pace = setTimeout(() => this.#writing > 0 && this.#writeDrawn(), PACE);
    else this.#view!.writing = false;
  }

  /** Shows the bars by what the reader chose. */
  #reshape() {
    const [view, answer, model] = [this.#view!, this.#answer, this.#model];
    if (!answer || !model) return;
    const next = this.#shaped = probabilities(answer.now.logits, view.choice);
    const before = answer.allOn && probabilities(answer.allOn, view.choice);
    const wordOf = (id: number) => model.wordOf(id);
    view.show({ next, logits: answer.now.logits, before, map: answer.now.map, wordOf, begun: answer.tail.map(wordOf), canGoBack: this.#earlier.length > 0 });
    announce(this, "next", this.next);
  }

  // --- writing

  #toggle() {
    const goes = !this.#writing && this.#shaped !== null;
    this.#writing = goes ? LONGEST : 0;
    this.#view!.writing = goes;
    if (goes) this.#writeDrawn();
  }

  /** Writes a word: the one that was pressed, or one that is drawn. */
  #write(id: number | null) {
    this.#writing = 0;
    if (!this.#shaped) return this.update(); // the model is offered
    if (id === null) this.#writeDrawn();
    else this.#append(id);
  }

  #writeDrawn() {
    const { seed } = this.#view!.state;
    if (this.#draws.seed !== seed) this.#draws = { seed, next: uniforms(seed) };
    const model = this.#model!;
    const id = drawn(this.#shaped!, this.#draws.next());
    if (model.endTokens.includes(id)) {
      this.#writing = 0;
      this.#view!.writing = false;
      return this.showStatus("Here the model would end the text.");
    }
    this.#append(id);
    if (this.#tail.length) this.#writing ||= 1; // a word has whole characters
  }

  /** Writes a token; the text gets a character once all of its bytes are written. */
  #append(id: number) {
    const { text } = this.#view!.state;
    this.#earlier.push({ text, tail: this.#tail });
    this.#writing = Math.max(0, this.#writing - 1);
    this.#tail = [...this.#tail, id];
    const words = this.#tail.map((each) => this.#model!.wordOf(each));
    if (!isUnfinished(joined(words))) {
      this.#tail = [];
      this.#view!.update({ text: text + joined(words, lossy) });
    }
    this.update();
  }

  #stepBack() {
    const earlier = this.#earlier.pop();
    if (!earlier) return;
    this.#draws.seed = NaN; // the same draws again
    this.#goTo(earlier);
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#view?.setStatus(text, act, name);
  }

  protected override markOld(old: boolean) {
    this.#view?.markOld(old);
  }
}

/** Bytes as text, with a sign in place of those that make no character. */
const lossy = (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder().decode(bytes);

/** The heads that "23.4 16.0" names, as [layer, head], from 0. */
export const readOff = (text: string | null) => [...(text ?? "").matchAll(/(\d+)\.(\d+)/g)].map(([, layer, head]) => [Number(layer), Number(head)]);

define("next-word", NextWordElement);
