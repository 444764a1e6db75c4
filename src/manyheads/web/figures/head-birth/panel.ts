// What stands in a <head-birth> while the reader's own training is shown: its controls, every head as a triangle, how far it has
// come, and the experiments that can be predicted and run.

import { isAmong } from "../../math/heads-off.ts";
import { OFF_COLOUR } from "../../math/names.ts";
import { percent } from "../../math/text.ts";
import type { Expecting } from "../../models/induction.ts";
import { fill, h, keepFocus, setChildren, setProps, setText } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { HeadTriangle } from "./head-triangle.ts";
import { TrainingChart } from "./training-chart.ts";
import { COLOURS } from "./charts.ts";
import { EXPERIMENTS } from "./experiments.ts";
import { askedFor, isTold, namedHeads, type Action, type State, type Training } from "./state.ts";

const HIGHEST = 4.5; // nats on the chart
const NAMES = { previous: "previous-token head", induction: "induction head" };
const SLOW = 250; // milliseconds a step, from which on a reader waits long
const LEAST = 200; // steps on the axis
const SIDE = 128; // pixels of a triangle, which is drawn twenty times a second

export class TrainingPanel {
  #dispatch: (action: Action) => void;
  #play = h("button", {
    type: "button",
    class: "hm-play",
    onclick: () => this.#dispatch({ type: this.#runs ? "pause" : "train" }),
  });
  #runs = false;
  #step = h("span", { class: "hb-step" });
  #what = h("span", { class: "hb-what" });
  controls: HTMLElement;
  #switches: HTMLButtonElement[] = [];
  #triangles: HeadTriangle[] = [];
  switches = h("div", { class: "hm-heads", role: "group", "aria-label": "Heads" });
  triangles = h("div", { class: "hb-triangles hb-all" });
  #loss = new TrainingChart(["var(--hm-soft)", "var(--hm-ink)"], HIGHEST, String);
  #heads = new TrainingChart([COLOURS.previous, COLOURS.induction], 1, percent);
  #buttons = EXPERIMENTS.map(({ name }, experiment) =>
    h("button", { type: "button", onclick: () => this.#dispatch({ type: "consider", experiment }) }, name),
  );
  #legend = h("legend");
  #answers = h("div");
  #question = h("fieldset", { class: "hb-question" }, this.#legend, this.#answers);
  answer = h("p", { class: "hb-answer", tabindex: -1 });
  charts = h("div", { class: "hb-charts" }, this.#loss.node, this.#heads.node);
  experiments: HTMLElement;

  constructor(dispatch: (action: Action) => void, save: () => void) {
    this.#dispatch = dispatch;
    const again = () => dispatch({ type: "reset", runs: true });
    this.controls = h(
      "div",
      { class: "hm-tools hb-tools" },
      this.#play,
      h("span", {}, this.#step, this.#what),
      h("button", { type: "button", onclick: again }, "Start over"),
      h("button", { type: "button", onclick: save }, "Save"),
    );
    this.experiments = h(
      "section",
      { class: "hb-experiments" },
      h("p", {}, "Change one thing. Predict what will come of it, then see."),
      h("div", { class: "hb-list" }, ...this.#buttons),
      this.#question,
      this.answer,
    );
  }

  /** The controls and the experiments. */
  draw({ training, asked }: State) {
    if (!training) return;
    const { runs, step, seed, experiment } = training;
    this.#runs = runs;
    setText(this.#play, runs ? "❚❚ Pause" : step ? "▶ Go on" : "▶ Train");
    setText(this.#step, `step ${step}`);
    setText(this.#what, experiment.name && experiment !== EXPERIMENTS[0] ? experiment.name : `seed ${seed}`);
    this.#buttons.forEach((button, at) =>
      setProps(button, { ariaPressed: String(at === asked || EXPERIMENTS[at] === experiment) }),
    );
    this.#question.hidden = asked < 0;
    if (asked >= 0) this.#drawQuestion(asked);
    this.#drawAnswer(training);
  }

  #drawQuestion(asked: number) {
    const experiment = EXPERIMENTS[asked];
    setText(this.#legend, experiment.question);
    const run = (predicted: string) => {
      this.#dispatch({ type: "reset", experiment, predicted, runs: true });
      this.answer.focus({ preventScroll: true }); // the question is gone
    };
    const answers = fill(this.#answers, experiment.answers.length, () => h("button", { type: "button" }));
    experiment.answers.forEach((text, at) => {
      setText(answers[at], text);
      (answers[at] as HTMLButtonElement).onclick = () => run(text);
    });
  }

  #drawAnswer(training: Training) {
    const { experiment, predicted, turned } = training;
    const asWas = (turned !== null) === experiment.turns;
    const says = !isTold(training)
      ? ""
      : asWas
        ? experiment.says
        : "That went another way here than in our trainings: what we saw isn’t sure to happen.";
    setText(this.answer, predicted ? `You predicted: ${predicted.toLowerCase()}. ${says}` : says);
  }

  /** A question that opens gets the focus: what was pressed leads there. */
  reveal({ asked }: State) {
    if (asked >= 0) (this.#answers.firstElementChild as HTMLElement).focus({ preventScroll: true });
  }

  /** The heads on the reader's text, and what has been measured up to now. */
  drawMap({ training, off }: State, map: Expecting) {
    if (!training) return;
    const {
      headNames: { length: heads },
      shape: [layers],
    } = map;
    const named = namedHeads(training);
    while (this.#triangles.length < layers * heads) this.#add();
    setChildren(
      this.triangles,
      this.#triangles.slice(0, layers * heads).map(({ node }) => node),
    );
    keepFocus(
      this.switches,
      () => this.#switches[0],
      () => setChildren(this.switches, this.#switches.slice(0, layers * heads)),
    );
    this.triangles.style.setProperty("--heads", String(heads));
    this.#triangles.slice(0, layers * heads).forEach((triangle, at) => {
      const place = [Math.floor(at / heads), at % heads];
      const role = (["previous", "induction"] as const).find((each) => String(named[each]) === String(place));
      const [name, colour] = role ? [NAMES[role], COLOURS[role]] : ["", OFF_COLOUR];
      triangle.call(name, colour);
      triangle.draw(map, place, isAmong(off, place));
      triangle.pressed = (cell) => this.#dispatch(askedFor(place, cell));
      drawSwitch(
        this.#switches[at],
        name || `layer ${place[0] + 1}, head ${place[1] + 1}`,
        !isAmong(off, place),
        colour,
      );
      this.#switches[at].onclick = () => this.#dispatch({ type: "toggle", head: place });
    });
    this.#drawCharts(training);
  }

  ask(query: number) {
    for (const triangle of this.#triangles) triangle.ask(query);
  }

  #add() {
    this.#triangles.push(new HeadTriangle("", OFF_COLOUR, SIDE));
    this.#switches.push(headSwitch(() => {}));
  }

  #drawCharts({ points, step, experiment: { onlyText } }: Training) {
    const steps = points.map((point) => point.step);
    const end = Math.max(LEAST, Math.ceil(step / 100) * 100);
    const every = end > 600 ? 200 : 100;
    const ticks = Array.from({ length: Math.floor(end / every) + 1 }, (_, at) => at * every)
      .filter((tick) => tick < end)
      .concat(end);
    this.#loss.draw(steps, [points.map(({ first }) => first), points.map(({ second }) => second)], ticks);
    this.#heads.draw(steps, [points.map(({ previous }) => previous), points.map(({ induction }) => induction)], ticks);
    for (const chart of [this.#loss, this.#heads]) chart.mark(step);
    const last = points[points.length - 1];
    const nats = (loss?: number) => (loss === undefined || Number.isNaN(loss) ? "–" : loss.toFixed(2));
    setText(
      this.#loss.caption,
      onlyText
        ? `Loss on your text, in nats: where it repeats ${nats(last?.second)}, before that (grey) ${nats(last?.first)}`
        : `Loss on new sequences, in nats: second copy ${nats(last?.second)}, first copy (grey) ${nats(last?.first)}`,
    );
    const score = (of?: number | null) => (of == null ? "–" : percent(of));
    this.#heads.caption.replaceChildren(
      "Attention on your text: ",
      h("b", { style: `--head: ${COLOURS.previous}` }, `character before ${score(last?.previous)}`),
      ", ",
      h("b", { style: `--head: ${COLOURS.induction}` }, `what followed earlier ${score(last?.induction)}`),
    );
  }
}

/** How a training goes, in a sentence. */
export function statusOf(training: Training) {
  const { unseen } = training;
  const went =
    unseen &&
    `While this tab was hidden, the training went on as fast as the browser let it, from step ${unseen.from} to step ${unseen.to}.`;
  return [went, stateOf(training)].filter(Boolean).join(" ");
}

function stateOf({ step, until, runs, pace, points, turned }: Training) {
  const before = points[points.findIndex((point) => point.step === turned) - 1];
  const at = before?.previous === null ? "By" : "At"; // what wasn't measured may have been there earlier
  if (turned !== null)
    return `${at} step ${turned}, both heads were there.${runs ? "" : step >= until ? " The training rests." : " Paused."}`;
  if (runs && pace > SLOW)
    return "Each step takes this device a while, so the heads will keep you waiting. The stored training shows the same birth at once.";
  return runs
    ? "It learns from random sequences; your text is only watched."
    : step >= until
      ? "The training rests."
      : "Paused.";
}
