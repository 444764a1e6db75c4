// What <one-step> shows: the curve of the loss along one weight with its slope, and the loss after each step.

import { h, setIdle, setProps, setText, setValue } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { lineChart } from "../../views/line-chart.ts";
import {
  change,
  isFirst,
  isOver,
  MOST,
  rangeOf,
  RATES,
  standing,
  stepsToSee,
  type Action,
  type State,
} from "./state.ts";

const TANGENT = 1.3; // to either side
const TEN = 10;
const FEWEST = 10; // steps on the axis
const LARGE = 50; // nats

export function view(host: Host<State, Action>) {
  const { act, state: first } = host;
  const has = (dial: string) => first.dials.includes(dial);
  const { stops } = first.begins;
  const weights = stops.map(({ weight }) => weight);
  const [low, high] = [weights[0], weights[weights.length - 1]];
  const button = (text: string, action: Action) => h("button", { type: "button", onclick: () => act(action) }, text);

  const curve = lineChart(["var(--hm-line)", "var(--hm-pale)", "var(--hm-ink)"]);
  const dots = [h("i", { class: "os-dot", "aria-hidden": "true" }), h("i", { class: "os-dot", "aria-hidden": "true" })];
  curve.plot.append(dots[0]);
  const dial = h("input", {
    type: "range",
    min: low,
    max: high,
    step: "any",
    "aria-label": "One weight",
    oninput: () => act({ type: "turn", stop: nearest(weights, Number(dial.value)) }),
    onkeydown: (event: KeyboardEvent) => turnByKey(event),
  });
  curve.node.append(dial);
  const [nudged, slope] = [h("b"), h("b")];
  const slopes = h(
    "p",
    { class: "os-slopes" },
    "Slope here, in nats per unit: ",
    h("span", {}, nudged, " by a nudge,"),
    " ",
    h("span", {}, slope, " back through the model"),
  );

  const losses = lineChart(["var(--hm-ink)"]);
  losses.plot.append(dots[1]);
  const outcome = h("p", { class: "os-outcome" });
  const rate = h("input", {
    type: "range",
    min: 0,
    max: RATES.length - 1,
    step: 1,
    "aria-label": "Learning rate",
    oninput: () => act({ type: "rate", at: Number(rate.value) }),
  });
  const rateNow = h("b");
  const [one, ten] = [button("Step", { type: "step", count: 1 }), button("Ten steps", { type: "step", count: TEN })];
  const over = button("Start over", { type: "restart" });
  const rateField = h("label", { class: "hm-field" }, "Learning rate ", rate, rateNow);
  const tools = h("div", { class: "hm-tools" }, one, ten, over, ...(has("rate") ? [rateField] : []));

  /** An arrow goes to the next stop, as a slider whose weight stands between two doesn't. */
  function turnByKey(event: KeyboardEvent) {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const stop = nearest(weights, standing(host.state).weight) + way;
    act({ type: "turn", stop: Math.max(0, Math.min(stop, weights.length - 1)) });
  }

  function draw(state: State) {
    const { seen, begins } = state;
    const now = standing(state);
    const range = rangeOf(state);
    const lossesOf = (points: typeof stops) => points.map(({ loss }) => loss);
    const tangent = weights.map((weight) => {
      const loss = now.loss + now.slope * (weight - now.weight);
      return Math.abs(weight - now.weight) > TANGENT || loss < range[0] || loss > range[1] ? null : loss;
    });
    curve.draw(
      weights,
      [lossesOf(begins.stops), lossesOf(seen.stops), tangent],
      [low, low / 2, 0, high / 2, high],
      range,
    );
    const up = (now.loss - range[0]) / (range[1] - range[0]);
    for (const dot of dots) dot.hidden = seen.lost;
    if (!seen.lost) {
      for (const dot of dots) dot.style.setProperty("--up", Math.max(0, Math.min(up, 1)).toFixed(4));
      curve.mark(now.weight);
      setValue(dial, String(now.weight));
    }
    setProps(dial, { ariaValueText: numbers(now.weight, 2) });
    curve.caption.replaceChildren(
      "Weight ",
      h("b", {}, numbers(now.weight, 2)),
      ", loss of the batch ",
      h("b", {}, seen.lost ? "–" : nats(now.loss, 3)),
    );
    setText(nudged, numbers(now.loss > LARGE ? NaN : now.nudged, 3));
    setText(slope, numbers(now.loss > LARGE ? NaN : now.slope, 3));
    if (!has("step")) return;

    const end = Math.max(FEWEST, Math.ceil((seen.losses.length - 1) / TEN) * TEN);
    losses.draw([...seen.losses.keys()], [seen.losses], [0, end / 2, end], range);
    losses.mark(seen.losses.length - 1);
    losses.caption.replaceChildren("Loss after each step of all ", begins.count.toLocaleString("en"), " weights");
    setText(outcome, lastStep(state));
    for (const each of [one, ten]) setIdle(each, isOver(state));
    setIdle(over, isFirst(state));
    setValue(rate, String(state.rate));
    setText(rateNow, String(RATES[state.rate]));
    setProps(rate, { ariaValueText: String(RATES[state.rate]) });
  }

  const charts = h("div", { class: "os-charts" }, curve.node, ...(has("step") ? [losses.node] : []));
  return { nodes: [charts, slopes, ...(has("step") ? [tools, outcome] : [])], draw };
}

/** The place of the stop that is nearest. */
function nearest(stops: number[], value: number) {
  const far = stops.map((stop) => Math.abs(stop - value));
  return far.indexOf(Math.min(...far));
}

/** A number as people write it; "–" for what is none. */
const numbers = (value: number, digits: number) =>
  Number.isFinite(value)
    ? value
        .toFixed(digits)
        .replace(/^-(?=[0.]+$)/, "")
        .replace("-", "−")
    : "–";

/** A loss, as long as it's worth telling. */
const nats = (loss: number, digits = 2) => `${loss > LARGE ? `more than ${LARGE}` : loss.toFixed(digits)} nats`;

/** What the last step came to. */
export function lastStep(state: State) {
  const { losses, lost } = state.seen;
  const [count, by] = [losses.length - 1, change(state)];
  if (lost)
    return `Step ${count} threw the weights so far that the loss isn’t a number any more. Start over with a lower rate.`;
  if (by === null) return "";
  const [before, after] = losses.slice(-2);
  const end = count >= MOST ? ` ${MOST} steps are enough here.` : "";
  if (before > LARGE) return `Step ${count}: the loss is ${nats(after)} now.${end}`;
  const went = by < 0 ? "fell" : "climbed";
  return `Step ${count}: the loss ${went} from ${before.toFixed(2)} to ${nats(after)}.${by < 0 ? "" : " The step was too long."}${end}`;
}

/** What a change came to; nothing while steps are computed. */
export function summary(state: State) {
  if (stepsToSee(state).length) return null;
  const { weight, loss, slope } = standing(state);
  const stands = `Weight ${numbers(weight, 2)}: loss ${nats(loss, 3)}, slope ${numbers(slope, 3)}.`;
  return state.turned === null ? [lastStep(state), state.seen.lost ? "" : stands].filter(Boolean).join(" ") : stands;
}
