// What was measured while the small decoder was trained: the loss; and, once the reader has predicted it, how its two heads grew.

import { behaviourOf } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { h, setText } from "../../views/dom.ts";
import { TrainingChart } from "./training-chart.ts";

/** The head before looks as many a real head does, and has their colour. */
export const COLOURS = { previous: behaviourOf("previous").colour, induction: behaviourOf("induction").colour };

/** One measurement: the loss and the share that is right of the second copy, and the scores of the two heads. */
export interface Measured {
  step: number;
  second: number;
  right: number;
  previous: number;
  induction: number;
}

const ANSWERS = ["The previous-token head", "The induction head", "Both at once"];
const HIGHEST = { loss: 4.5, score: 1 };
const TICKS = 100; // steps between two

export class BirthCharts {
  #history: Measured[];
  #loss: TrainingChart;
  #heads: TrainingChart;
  #question: HTMLElement;
  answer = h("p", { class: "hb-answer", tabindex: -1 }); // to what the reader predicted
  node: HTMLElement;

  /** `predict(head)` is called with the reader's prediction. */
  constructor(history: Measured[], predict: (head: string) => void) {
    this.#history = history;
    this.#loss = new TrainingChart(["var(--hm-ink)"], HIGHEST.loss, String);
    this.#heads = new TrainingChart([COLOURS.previous, COLOURS.induction], HIGHEST.score, percent);
    const steps = history.map(({ step }) => step);
    const ticks = steps.filter((step) => step % TICKS === 0);
    const values = (name: keyof Measured) => history.map((measured) => measured[name]);
    this.#loss.draw(steps, [values("second")], ticks);
    this.#heads.draw(steps, [values("previous"), values("induction")], ticks);
    this.#question = h(
      "fieldset",
      { class: "hb-question" },
      h("legend", {}, "Predict: which head will appear first?"),
      ...ANSWERS.map((text) => h("button", { type: "button", onclick: () => predict(text) }, text)),
    );
    this.node = h(
      "div",
      { class: "hb-charts" },
      this.#loss.node,
      h("div", { class: "hb-heads" }, this.#heads.node, this.#question),
      this.answer,
    );
  }

  /** Shows where a step is, and what was measured then; how the heads grew, once the reader has predicted it. */
  draw(step: number, predicted: string) {
    const { second, right, previous, induction } = this.#history.find((measured) => measured.step === step) as Measured;
    this.#loss.mark(step);
    this.#heads.mark(step);
    setText(
      this.#loss.caption,
      `Loss on the second copy of test sequences, all heads on: ${second.toFixed(2)} nats, ${percent(right)} right`,
    );
    this.#heads.caption.replaceChildren(
      "Attention where the head’s name says: ",
      h("b", { style: `--head: ${COLOURS.previous}` }, `previous-token ${percent(previous)}`),
      ", ",
      h("b", { style: `--head: ${COLOURS.induction}` }, `induction ${percent(induction)}`),
    );
    this.#heads.node.classList.toggle("hb-hidden", !predicted);
    this.#question.hidden = predicted !== "";
    if (predicted)
      setText(
        this.answer,
        `You predicted: ${predicted.toLowerCase()}. In this training the previous-token head was half grown at step ${this.#halfway("previous")}, the induction head at step ${this.#halfway("induction")}.`,
      );
  }

  /** The first step measured with half of what a score gains: twin of `birth` in measures.py. */
  #halfway(name: "previous" | "induction") {
    const [first, last] = [this.#history[0], this.#history[this.#history.length - 1]];
    return (this.#history.find((measured) => measured[name] >= (first[name] + last[name]) / 2) as Measured).step;
  }
}
