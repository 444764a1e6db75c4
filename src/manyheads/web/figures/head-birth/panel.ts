// What stands in a <head-birth> while the reader's own training is shown: its controls, every head as a triangle, how far it has
// come, and the experiments that can be predicted and run.

import { isAmong } from "../../math/heads-off.ts";
import { OFF_COLOUR } from "../../math/names.ts";
import { percent } from "../../math/text.ts";
import type { Expecting } from "../../models/induction.ts";
import { fill, h, keepFocus, setChildren, setProps, setText } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import type { Host } from "../../views/host.ts";
import { lineChart } from "../../views/line-chart.ts";
import { headTriangle } from "./head-triangle.ts";
import { COLOURS } from "./charts.ts";
import { EXPERIMENTS } from "./experiments.ts";
import { isTold, namedHeads, type Action, type State, type Training } from "./state.ts";

const NATS = [0, 4.5]; // on the chart
const NAMES = { previous: "previous-token head", induction: "induction head" };
const SLOW = 250; // milliseconds a step, from which on a reader waits long
const LEAST = 200; // steps on the axis
const SIDE = 128; // pixels of a triangle, which is drawn twenty times a second

/** `explain(place, cell)` is called with a cell of a head that's pressed. */
export function trainingPanel(
  host: Host<State, Action>,
  explain: (place: number[], cell: { query: number; key: number }) => void,
  save: () => void,
) {
  const runs = () => host.state.training?.runs;
  const change = (action: Action) => host.dispatch(action);
  const play = h("button", {
    type: "button",
    class: "hm-play",
    onclick: () => change({ type: runs() ? "pause" : "train" }),
  });
  const step = h("span", { class: "hb-step" });
  const what = h("span", { class: "hb-what" });
  const controls = h(
    "div",
    { class: "hm-tools hb-tools" },
    play,
    h("span", {}, step, what),
    h("button", { type: "button", onclick: () => change({ type: "reset", runs: true }) }, "Start over"),
    h("button", { type: "button", onclick: save }, "Save"),
  );
  const heads = ownHeads(host, explain);
  const charts = ownCharts();
  const buttons = EXPERIMENTS.map(({ name }, experiment) =>
    h("button", { type: "button", onclick: () => consider(experiment) }, name),
  );
  const legend = h("legend");
  const answers = h("div");
  const question = h("fieldset", { class: "hb-question" }, legend, answers);
  const answer = h("p", { class: "hb-answer", tabindex: -1 });
  const experiments = h(
    "section",
    { class: "hb-experiments" },
    h("p", {}, "Change one thing. Predict what will come of it, then see."),
    h("div", { class: "hb-list" }, ...buttons),
    question,
    answer,
  );

  /** A question that opens gets the focus: what was pressed leads there. */
  function consider(experiment: number) {
    change({ type: "consider", experiment });
    if (host.state.considered >= 0) (answers.firstElementChild as HTMLElement).focus({ preventScroll: true });
  }

  function run(at: number) {
    const experiment = EXPERIMENTS[host.state.considered];
    change({ type: "reset", experiment, predicted: experiment.answers[at], runs: true });
    answer.focus({ preventScroll: true }); // the question is gone
  }

  /** The controls and the experiments. */
  function draw({ considered }: State, training: Training) {
    const { seed, experiment } = training;
    setText(play, training.runs ? "❚❚ Pause" : training.step ? "▶ Go on" : "▶ Train");
    setText(step, `step ${training.step}`);
    setText(what, experiment.name && experiment !== EXPERIMENTS[0] ? experiment.name : `seed ${seed}`);
    buttons.forEach((button, at) =>
      setProps(button, { ariaPressed: String(at === considered || EXPERIMENTS[at] === experiment) }),
    );
    question.hidden = considered < 0;
    if (considered >= 0) {
      const texts = EXPERIMENTS[considered].answers;
      setText(legend, EXPERIMENTS[considered].question);
      const nodes = fill(answers, texts.length, (at) => h("button", { type: "button", onclick: () => run(at) }));
      texts.forEach((text, at) => setText(nodes[at], text));
    }
    setText(answer, answerOn(training));
  }

  /** The heads on the reader's text, and what has been measured up to now. */
  function drawMap({ off }: State, training: Training, map: Expecting) {
    heads.draw(map, training, off);
    charts.draw(training);
  }

  const { switches, triangles, mark } = heads;
  return { controls, switches, triangles, charts: charts.node, experiments, draw, drawMap, mark };
}

/** What came of an experiment. */
function answerOn(training: Training) {
  const { experiment, predicted, turned } = training;
  const asWas = (turned !== null) === experiment.turns;
  const says = !isTold(training)
    ? ""
    : asWas
      ? experiment.says
      : "That went another way here than in our trainings: what we saw isn’t sure to happen.";
  return predicted ? `You predicted: ${predicted.toLowerCase()}. ${says}` : says;
}

/** Every head as a triangle, each with its switch. */
function ownHeads(host: Host<State, Action>, explain: (place: number[], cell: { query: number; key: number }) => void) {
  const all: { triangle: ReturnType<typeof headTriangle>; toggle: HTMLButtonElement }[] = [];
  const switches = h("div", { class: "hm-heads", role: "group", "aria-label": "Heads" });
  const triangles = h("div", { class: "hb-triangles hb-all" });
  const placeOf = (at: number, { length }: string[]) => [Math.floor(at / length), at % length];
  const make = (at: number) => {
    const place = () => placeOf(at, host.state.map!.headNames);
    return {
      triangle: headTriangle((cell) => explain(place(), cell), SIDE),
      toggle: headSwitch(() => host.act({ type: "toggle", head: place() })),
    };
  };

  function draw(map: Expecting, training: Training, off: number[][]) {
    const { headNames } = map;
    const named = namedHeads(training);
    const count = map.shape[0] * headNames.length;
    while (all.length < count) all.push(make(all.length));
    const shown = all.slice(0, count);
    setChildren(
      triangles,
      shown.map(({ triangle }) => triangle.node),
    );
    keepFocus(
      switches,
      () => all[0].toggle,
      () =>
        setChildren(
          switches,
          shown.map(({ toggle }) => toggle),
        ),
    );
    triangles.style.setProperty("--heads", String(headNames.length));
    shown.forEach(({ triangle, toggle }, at) => {
      const place = placeOf(at, headNames);
      const role = (["previous", "induction"] as const).find((each) => String(named[each]) === String(place));
      const [name, colour] = role ? [NAMES[role], COLOURS[role]] : ["", OFF_COLOUR];
      const isOff = isAmong(off, place);
      triangle.draw(map, place, { name, colour, off: isOff });
      drawSwitch(toggle, name || `layer ${place[0] + 1}, head ${place[1] + 1}`, !isOff, colour);
    });
  }

  const mark = (query: number) => all.forEach(({ triangle }) => triangle.mark(query));

  return { switches, triangles, draw, mark };
}

/** What has been measured of a training. */
function ownCharts() {
  const loss = lineChart(["var(--hm-soft)", "var(--hm-ink)"]);
  const heads = lineChart([COLOURS.previous, COLOURS.induction], percent);

  function draw({ points, step, experiment: { onlyText } }: Training) {
    const steps = points.map((point) => point.step);
    const end = Math.max(LEAST, Math.ceil(step / 100) * 100);
    const every = end > 600 ? 200 : 100;
    const ticks = Array.from({ length: Math.floor(end / every) + 1 }, (_, at) => at * every)
      .filter((tick) => tick < end)
      .concat(end);
    loss.draw(steps, [points.map(({ first }) => first), points.map(({ second }) => second)], ticks, NATS);
    heads.draw(
      steps,
      [points.map(({ previous }) => previous), points.map(({ induction }) => induction)],
      ticks,
      [0, 1],
    );
    for (const chart of [loss, heads]) chart.mark(step);
    const last = points[points.length - 1];
    const nats = (value?: number) => (value === undefined || Number.isNaN(value) ? "–" : value.toFixed(2));
    setText(
      loss.caption,
      onlyText
        ? `Loss on your text, in nats: where it repeats ${nats(last?.second)}, before that (grey) ${nats(last?.first)}`
        : `Loss on new sequences, in nats: second copy ${nats(last?.second)}, first copy (grey) ${nats(last?.first)}`,
    );
    const score = (of?: number | null) => (of == null ? "–" : percent(of));
    heads.caption.replaceChildren(
      "Attention on your text: ",
      h("b", { style: `--head: ${COLOURS.previous}` }, `character before ${score(last?.previous)}`),
      ", ",
      h("b", { style: `--head: ${COLOURS.induction}` }, `what followed earlier ${score(last?.induction)}`),
    );
  }

  return { node: h("div", { class: "hb-charts" }, loss.node, heads.node), draw };
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
