// What <head-birth> shows: a text with what was guessed below it, heads as triangles, and what was measured in training; of the
// stored training at first, then of the reader's own.

import { withOff } from "../../math/heads-off.ts";
import { headTitle, queryWeights } from "../../math/maps.ts";
import { guessedText, visible } from "../../math/repeats.ts";
import { percent } from "../../math/text.ts";
import type { Expecting } from "../../models/induction.ts";
import { grow, sentenceBox, setTyped } from "../../views/controls.ts";
import { h, setProps, setText, setValue } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import type { Host } from "../../views/host.ts";
import { Player } from "../../views/player.ts";
import { WhyThere } from "../../views/why-there.ts";
import { birthCharts, COLOURS } from "./charts.ts";
import { guessStrip } from "./guess-strip.ts";
import { headTriangle } from "./head-triangle.ts";
import { trainingPanel } from "./panel.ts";
import { explainCell, explainedPlace, isPending, namedHeads, type Action, type State } from "./state.ts";
import { save } from "./training-runner.ts";

const PAUSE = 900; // milliseconds at a checkpoint
const ROLES = ["previous", "induction"] as const;
const NAMES = { previous: "previous-token head", induction: "induction head" };

export function view(host: Host<State, Action>) {
  const { act, state: first, statusNode } = host;
  const { heads, history } = first.stored;
  const box = sentenceBox("Text", "Type a few characters, and the same again", (sentence) =>
    act({ type: "type", sentence }),
  );
  const strip = guessStrip((place) => host.dispatch({ type: "ask", place }));
  const result = h("p", { class: "hb-result" });
  const why = h("p", { class: "hb-why" });
  const whyThere = new WhyThere();
  const slider = h("input", {
    type: "range",
    min: 0,
    max: first.steps.length - 1,
    step: 1,
    "aria-label": "Training step",
    oninput: () => act({ type: "step", at: Number(slider.value) }),
  });
  const step = h("span", { class: "hb-step" });
  const player = new Player(PAUSE, () => (act({ type: "next" }), host.state.at < first.steps.length - 1));
  const toggle = headSwitch(() => act({ type: "toggle", head: heads.previous }));
  const explain = (place: number[], cell: { query: number; key: number }) => {
    host.dispatch(explainCell(place, cell));
    whyThere.open();
  };
  const triangles = ROLES.map((role) => headTriangle((cell) => explain(heads[role], cell)));
  const charts = birthCharts(history);
  const panel = trainingPanel(host, explain, () => save(host.state));
  const door = h("button", {
    type: "button",
    class: "hb-door",
    onclick: () => host.dispatch({ type: host.state.live ? "stored" : "train" }),
  });
  const tools = h(
    "div",
    { class: "hm-tools" },
    player.node,
    h("label", { class: "hm-field hb-slider" }, "Training ", slider, step),
  );
  const switches = h("div", { class: "hm-heads" }, h("span", {}, "Heads"), toggle);
  const pictures = h("div", { class: "hb-triangles" }, ...triangles.map(({ node }) => node));
  const ofStored = [tools, switches, pictures, charts.node];
  const ofOwn = [panel.controls, panel.switches, panel.triangles, panel.charts, panel.experiments];
  let drawn: Partial<State> = {}; // what stands on the screen

  function draw(state: State) {
    const { sentence, steps, at, off, live, training, map } = state;
    if (state.hidden) return;
    if (!state.plays) player.stop();
    for (const node of ofStored) node.hidden = live;
    for (const node of ofOwn) node.hidden = !live;
    setText(door, live ? "Stored training" : "Train it yourself");
    setTyped(box, sentence);
    grow(box);
    setValue(slider, String(at));
    setText(step, `step ${steps[at]}`);
    setProps(slider, { ariaValueText: `step ${steps[at]}` });
    drawSwitch(toggle, NAMES.previous, !off.length, COLOURS.previous);
    charts.draw(steps[at], state.plays);
    if (live && training) panel.draw(state, training);
    if (map && map !== drawn.map) drawMap(state, map);
    if (map) explainOne(state, map);
    drawn = state;
  }

  function drawMap(state: State, map: Expecting) {
    const { all, off, live, training } = state;
    if (live && training) panel.drawMap(state, training, map);
    else
      ROLES.forEach((role, at) => {
        const isOff = role === "previous" && off.length > 0;
        triangles[at].draw(map, heads[role], { name: NAMES[role], colour: COLOURS[role], off: isOff });
      });
    strip.draw(map.queryTokens, all);
    setText(result, resultOf(state));
  }

  /** Why the model guesses what it does at one place: where the induction head looks from the character before. */
  function explainOne(state: State, map: Expecting) {
    const { all, pressed, live, training } = state;
    const place = explainedPlace(state);
    const query = pressed?.query ?? Math.max(place - 1, 0);
    strip.mark(place);
    for (const triangle of [...triangles, panel]) triangle.mark(query);
    const named = live ? training && namedHeads(training) : heads;
    const head = named?.induction;
    const weights = head ? [...queryWeights(map, head[0], head[1], query)] : [];
    const most = weights.indexOf(Math.max(...weights));
    const cell = pressed ?? (head && place ? { layer: head[0], head: head[1], query, key: most } : null);
    whyThere.node.hidden = !cell;
    const { previous } = named ?? {};
    const colours = previous ? { [headTitle(map, previous[0], previous[1])]: COLOURS.previous } : {};
    if (cell) whyThere.ask(map, cell, colours);
    if (!place) return setText(why, "");
    const { guess: found } = all[place - 1];
    const guessed = `The guess: ${found === null ? "one that isn’t in the text" : `“${visible(found)}”`}.`;
    const character = (of: number) => `“${visible(map.queryTokens[of])}”, character ${of + 1}`;
    if (!head) return setText(why, `After ${character(query)}, no head has earned a name yet. ${guessed}`);
    setText(
      why,
      `From ${character(query)}, the induction head looks most at ${character(most)} (${percent(weights[most])}). ${guessed}`,
    );
  }

  return {
    nodes: [
      box,
      h("div", { class: "hb-bar" }, tools, panel.controls, door),
      strip.node,
      result,
      switches,
      panel.switches,
      pictures,
      panel.triangles,
      why,
      whyThere.node,
      charts.node,
      panel.charts,
      statusNode,
      panel.experiments,
    ],
    draw,
  };
}

const resultOf = ({ all, off }: State) => guessedText(all, withOff(off.length));

/** How many guesses are right at a step; null until that's known. */
export function summary(state: State) {
  const { live, training, steps, at, map } = state;
  return map && !isPending(state) ? `step ${live ? training?.step : steps[at]}: ${resultOf(state)}` : null;
}
