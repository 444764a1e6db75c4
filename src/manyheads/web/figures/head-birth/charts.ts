// What was measured while the small decoder was trained: the loss, and how its two heads grew.

import { behaviourOf } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { h, setText } from "../../views/dom.ts";
import type { Question } from "../../views/guess.ts";
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

/** What its reader may guess, and what is said then. */
const ASKED = {
  question: "Which head will appear first?",
  answers: ["the previous-token head", "the induction head", "both at once"],
};
const TOGETHER = 10; // steps; heads that are half grown so near to each other appear at once
const HIGHEST = { loss: 4.5, score: 1 };
const TICKS = 100; // steps between two

export class BirthCharts {
  #history: Measured[];
  #loss: TrainingChart;
  #heads: TrainingChart;
  /** Which head will be half grown first, and at which step the last of them is. */
  readonly question: Question;
  readonly shownAt: number;
  node: HTMLElement;

  constructor(history: Measured[]) {
    this.#history = history;
    this.#loss = new TrainingChart(["var(--hm-ink)"], HIGHEST.loss, String);
    this.#heads = new TrainingChart([COLOURS.previous, COLOURS.induction], HIGHEST.score, percent);
    const steps = history.map(({ step }) => step);
    const ticks = steps.filter((step) => step % TICKS === 0);
    const values = (name: keyof Measured) => history.map((measured) => measured[name]);
    this.#loss.draw(steps, [values("second")], ticks);
    this.#heads.draw(steps, [values("previous"), values("induction")], ticks);
    const [previous, induction] = [this.#halfway("previous"), this.#halfway("induction")];
    const right = Math.abs(previous - induction) < TOGETHER ? 2 : Number(induction < previous);
    const says = `In this training it was half grown at step ${[previous, induction, previous][right]}, the ${right === 1 ? "previous-token" : "induction"} head at step ${right === 1 ? previous : induction}.`;
    this.question = { ...ASKED, right, says };
    this.shownAt = Math.max(previous, induction);
    this.node = h("div", { class: "hb-charts" }, this.#loss.node, this.#heads.node);
  }

  /** Shows where a step is, and what was measured then; how the heads grew up to there, or in `all` of the training. */
  draw(step: number, all: boolean) {
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
    this.#heads.node.classList.toggle("hb-grows", !all);
  }

  /** The first step measured with half of what a score gains: twin of `birth` in measures.py. */
  #halfway(name: "previous" | "induction") {
    const [first, last] = [this.#history[0], this.#history[this.#history.length - 1]];
    return (this.#history.find((measured) => measured[name] >= (first[name] + last[name]) / 2) as Measured).step;
  }
}
