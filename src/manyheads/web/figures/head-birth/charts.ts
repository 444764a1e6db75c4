// What was measured while the small decoder was trained: the loss, and how its two heads grew.

import { behaviourOf } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { h, setText } from "../../views/dom.ts";
import type { Question } from "../../views/guess.ts";
import { trainingChart } from "./training-chart.ts";

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

/** The first step measured with half of what a score gains: twin of `birth` in measures.py. */
function halfway(history: Measured[], name: "previous" | "induction") {
  const [first, last] = [history[0], history[history.length - 1]];
  return (history.find((measured) => measured[name] >= (first[name] + last[name]) / 2) as Measured).step;
}

/** Which head will be half grown first, and at which step the last of them is. */
export function birthQuestion(history: Measured[]): { question: Question; shownAt: number } {
  const [previous, induction] = [halfway(history, "previous"), halfway(history, "induction")];
  const right = Math.abs(previous - induction) < TOGETHER ? 2 : Number(induction < previous);
  const says = `In this training it was half grown at step ${[previous, induction, previous][right]}, the ${right === 1 ? "previous-token" : "induction"} head at step ${right === 1 ? previous : induction}.`;
  return { question: { ...ASKED, right, says }, shownAt: Math.max(previous, induction) };
}

export function birthCharts(history: Measured[]) {
  const loss = trainingChart(["var(--hm-ink)"], HIGHEST.loss, String);
  const heads = trainingChart([COLOURS.previous, COLOURS.induction], HIGHEST.score, percent);
  const steps = history.map(({ step }) => step);
  const ticks = steps.filter((step) => step % TICKS === 0);
  const values = (name: keyof Measured) => history.map((measured) => measured[name]);
  loss.draw(steps, [values("second")], ticks);
  heads.draw(steps, [values("previous"), values("induction")], ticks);

  /** Shows where a step is, and what was measured then; how the heads grew up to there, or in `all` of the training. */
  function draw(step: number, all: boolean) {
    const { second, right, previous, induction } = history.find((measured) => measured.step === step) as Measured;
    loss.mark(step);
    heads.mark(step);
    setText(
      loss.caption,
      `Loss on the second copy of test sequences, all heads on: ${second.toFixed(2)} nats, ${percent(right)} right`,
    );
    heads.caption.replaceChildren(
      "Attention where the head’s name says: ",
      h("b", { style: `--head: ${COLOURS.previous}` }, `previous-token ${percent(previous)}`),
      ", ",
      h("b", { style: `--head: ${COLOURS.induction}` }, `induction ${percent(induction)}`),
    );
    heads.node.classList.toggle("hb-grows", !all);
  }

  return { node: h("div", { class: "hb-charts" }, loss.node, heads.node), draw };
}
