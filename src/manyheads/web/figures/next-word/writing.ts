// How a reader writes with a language model: a word at a press or one after the other, back again, and with what is reshaped or cut.

import { drawn, isEndless, probabilities, uniforms, type NextTokens } from "../../math/sampling.ts";
import { isUnfinished, joined } from "../../math/text.ts";
import type { Draft, NextWord } from "../../models/head-model.ts";
import { NextWordView, type Example, type NextWordState } from "./view.ts";

const LONGEST = 120; // tokens that are written on at a press
const PACE = 90; // milliseconds between them, so that they can be read

/** What the model makes of a draft with some heads off, and with all on. */
export interface Answer {
  tail: number[];
  now: NextWord;
  allOn: Float32Array | null; // logits, where heads are off
}

/** What writing asks of the figure that it's in. */
interface Host {
  changed: (names: (keyof NextWordState)[]) => void; // of the state: another answer is needed
  painted: () => void;
}

/** Of a model: the tokens that end a text, and what each stands for. */
interface Vocabulary {
  endTokens: number[];
  wordOf(id: number): string;
}

export class Writing {
  readonly view: NextWordView;
  answer: Answer | null = null;
  #host: Host;
  #model: Vocabulary | null = null;
  #shaped: NextTokens | null = null; // the next words, by what the reader chose
  #earlier: Draft[] = []; // to step back to
  #left = 0; // tokens that are still to come
  #writtenOn: string[] = []; // since the press
  #pace?: ReturnType<typeof setTimeout>;
  #draws = { seed: NaN, next: () => 0 };

  constructor(root: HTMLElement, state: Partial<NextWordState>, example: Example, host: Host) {
    this.#host = host;
    this.view = new NextWordView(root, state, example, {
      typed: () => this.goTo({ text: this.view.state.text, tail: [] }),
      reshaped: () => this.#reshape(),
      cut: () => host.changed(["off"]),
      write: (id) => this.write(id),
      writeOn: () => this.#toggle(),
      back: () => this.#stepBack(),
    });
  }

  /** Takes up another draft. */
  goTo(draft: Draft) {
    this.stop();
    this.view.update(draft);
    this.#host.changed(["text", "tail"]);
  }

  stop() {
    this.#left = 0;
    this.#writtenOn = [];
  }

  /** Shows what the model makes of the draft, and goes on where words are still to come. */
  take(answer: Answer, model: Vocabulary) {
    this.answer = answer;
    this.#model = model;
    this.#reshape();
    clearTimeout(this.#pace);
    if (this.#left > 0) this.#pace = setTimeout(() => this.#left > 0 && this.#writeDrawn(), PACE);
    else this.view.writing = false;
  }

  /** Writes a word: a token that was pressed, or one that is drawn. */
  write(id: number | null) {
    this.stop();
    if (!this.#shaped) this.#host.changed([]); // the model is offered
    else if (id === null) this.#writeDrawn();
    else this.#append(id);
  }

  /** Shows the bars by what the reader chose. */
  #reshape() {
    const [answer, model] = [this.answer, this.#model];
    if (!answer || !model) return;
    const { now: { logits, map }, allOn } = answer;
    const next = this.#shaped = probabilities(logits, this.view.choice);
    const before = allOn && probabilities(allOn, this.view.choice);
    const wordOf = (id: number) => model.wordOf(id);
    this.view.show({ next, logits, before, map, wordOf, begun: answer.tail.map(wordOf), canGoBack: this.#earlier.length > 0 });
    this.#host.painted();
  }

  #toggle() {
    const goes = this.#left === 0 && this.#shaped !== null;
    this.#left = goes ? LONGEST : 0;
    this.#writtenOn = [];
    this.view.writing = goes;
    if (goes) this.#writeDrawn();
  }

  #writeDrawn() {
    const { seed } = this.view.state;
    if (this.#draws.seed !== seed) this.#draws = { seed, next: uniforms(seed) };
    const id = drawn(this.#shaped!, this.#draws.next());
    if (this.#model!.endTokens.includes(id)) return this.#end("Here the model would end the text.");
    if (isEndless(this.#writtenOn)) return this.#end("The model has written a word that doesn’t end.");
    this.#append(id);
    if (this.view.state.tail.length) this.#left ||= 1; // a word has whole characters
  }

  #end(why: string) {
    this.stop();
    this.view.writing = false;
    this.view.setStatus(why);
  }

  /** Writes a token; the text gets a character once all of its bytes are written. */
  #append(id: number) {
    const { text, tail } = this.view.state;
    this.#earlier.push({ text, tail });
    this.#left = Math.max(0, this.#left - 1);
    const longer = [...tail, id];
    const words = longer.map((each) => this.#model!.wordOf(each));
    this.#writtenOn.push(words.at(-1)!);
    if (isUnfinished(joined(words))) this.view.update({ tail: longer });
    else this.view.update({ text: text + joined(words, lossy), tail: [] });
    this.#host.changed(["text", "tail"]);
  }

  #stepBack() {
    const earlier = this.#earlier.pop();
    if (!earlier) return;
    this.#draws.seed = NaN; // the same draws again
    this.goTo(earlier);
  }
}

/** Bytes as text, with a sign in place of those that make no character. */
const lossy = (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder().decode(bytes);
