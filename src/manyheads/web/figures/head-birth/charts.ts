// What was measured while the small decoder was trained: the loss, and how its two heads grew.

import { behaviourOf } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { h, setText } from "../../views/dom.ts";
import { lineChart } from "../../views/line-chart.ts";

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

const RANGES = { loss: [0, 4.5], score: [0, 1] };
const TICKS = 100; // steps between two

export function birthCharts(history: Measured[]) {
  const loss = lineChart(["var(--hm-ink)"]);
  const heads = lineChart([COLOURS.previous, COLOURS.induction], percent);
  const steps = history.map(({ step }) => step);
  const ticks = steps.filter((step) => step % TICKS === 0);
  const values = (name: keyof Measured) => history.map((measured) => measured[name]);
  loss.draw(steps, [values("second")], ticks, RANGES.loss);
  heads.draw(steps, [values("previous"), values("induction")], ticks, RANGES.score);

  /** Shows where a step is, and what was measured then; in a film, how the heads grew up to there. */
  function draw(step: number, plays: boolean) {
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
    heads.node.classList.toggle("hb-grows", plays);
  }

  return { node: h("div", { class: "hb-charts" }, loss.node, heads.node), draw };
}
