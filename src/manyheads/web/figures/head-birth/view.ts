// What <head-birth> shows: a text with what was guessed below it, two heads as triangles, and what was measured in training.

import { queryWeights } from "../../math/maps.ts";
import { guessedText, visible } from "../../math/repeats.ts";
import { percent } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { grow, sentenceBox, StatusLine } from "../../views/controls.ts";
import { h, setProps, setText, setValue } from "../../views/dom.ts";
import { GuessStrip } from "../../views/guess-strip.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { HeadTriangle } from "../../views/head-triangle.ts";
import { Player } from "../../views/player.ts";
import { WhyThere } from "../../views/why-there.ts";
import { BirthCharts, COLOURS, type Measured } from "./charts.ts";
import { askedOf, reduce, startWith, type Action, type State } from "./state.ts";

/** Which heads training made, as [layer, head], the steps at which it was kept, and what was measured on the way. */
export interface Training {
  heads: { previous: number[], induction: number[] };
  steps: number[];
  history: Measured[];
}

const PAUSE = 900; // milliseconds at a checkpoint

export class HeadBirthView {
  state: State;
  #heads: Training["heads"];
  #compute: () => void;
  #box = sentenceBox("Text", "Type a few characters, and the same again", (sentence) => this.update({ sentence }));
  #strip = new GuessStrip((place) => this.dispatch({ type: "ask", place }));
  #result = h("p", { class: "hb-result" });
  #why = h("p", { class: "hb-why" });
  #whyThere = new WhyThere();
  #slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Training step",
    oninput: () => (this.#player.stop(), this.dispatch({ type: "step", at: Number(this.#slider.value) })) });
  #step = h("span", { class: "hb-step" });
  #player = new Player(PAUSE, () => (this.dispatch({ type: "next" }), this.state.at < this.state.steps.length - 1));
  #switch = headSwitch(() => this.dispatch({ type: "toggle" }));
  #triangles = { previous: new HeadTriangle("previous-token head", COLOURS.previous), induction: new HeadTriangle("induction head", COLOURS.induction) };
  #charts: BirthCharts;
  #status = new StatusLine();
  #announcer = new Announcer();

  constructor(root: HTMLElement, parts: Partial<State>, { heads, steps, history }: Training, compute: () => void) {
    this.#heads = heads;
    this.#compute = compute;
    this.state = startWith(parts, steps);
    this.#slider.max = String(steps.length - 1);
    this.#charts = new BirthCharts(history, (head) => this.dispatch({ type: "predict", head }));
    root.replaceChildren(this.#box,
      h("div", { class: "hm-tools" }, this.#player.node, h("label", { class: "hm-field hb-slider" }, "Training ", this.#slider, this.#step)),
      this.#strip.node, this.#result,
      h("div", { class: "hm-heads" }, h("span", {}, "Heads"), this.#switch),
      h("div", { class: "hb-triangles" }, this.#triangles.previous.node, this.#triangles.induction.node), this.#why, this.#whyThere.node,
      this.#charts.node, this.#status.node, this.#announcer.node);
    for (const role of ["previous", "induction"] as const) this.#triangles[role].node.addEventListener("click", (event) => this.#press(role, event));
    this.#drawControls();
  }

  /** A cell of a triangle is pressed: why does its head look there? */
  #press(role: "previous" | "induction", event: MouseEvent) {
    const cell = this.#triangles[role].cellAt(event);
    const [layer, head] = this.#heads[role];
    if (!cell) return;
    this.dispatch({ type: "ask", place: cell.query + 1, pressed: { layer, head, ...cell } });
    this.#whyThere.open();
  }

  /** Changes the state, and does what then has to be done. */
  dispatch(action: Action) {
    const { state, needs } = reduce(this.state, action);
    this.state = state;
    if (needs === "compute") this.#announcer.changed();
    if (needs === "compute" || needs === "reveal") this.#drawControls();
    if (needs === "compute") this.#compute();
    if (needs === "reveal") this.#charts.answer.focus({ preventScroll: true }); // the question is gone
    if (needs === "draw") this.#drawMap();
    if (needs === "draw" || needs === "ask") this.#explain();
  }

  /** Takes over another text. */
  update(parts: Partial<State>) {
    this.dispatch({ type: "take", parts });
  }

  setStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell(text, act, name);
  }

  // --- drawing

  #drawControls() {
    const { sentence, steps, at, off, predicted } = this.state;
    setValue(this.#box, sentence);
    grow(this.#box);
    setValue(this.#slider, String(at));
    const step = `step ${steps[at]}`;
    setText(this.#step, step);
    setProps(this.#slider, { ariaValueText: step });
    drawSwitch(this.#switch, "previous-token head", !off, COLOURS.previous);
    this.#charts.draw(steps[at], predicted);
  }

  #drawMap() {
    const { map, all, off } = this.state;
    if (!map) return;
    this.#triangles.previous.draw(map, this.#heads.previous, off);
    this.#triangles.induction.draw(map, this.#heads.induction, false);
    this.#strip.draw(map.queryTokens, all);
    setText(this.#result, guessedText(all));
    this.#announcer.drawn(() => `${this.#step.textContent}: ${guessedText(all)}`);
  }

  /** Why the model guesses what it does at one place: where the induction head looks from the character before. */
  #explain() {
    const { map, all, pressed } = this.state;
    if (!map) return;
    const [layer, head] = this.#heads.induction;
    const place = askedOf(this.state);
    this.#strip.ask(place);
    const query = pressed?.query ?? Math.max(place - 1, 0);
    for (const triangle of Object.values(this.#triangles)) triangle.ask(query);
    if (!place) return setText(this.#why, "");
    const weights = queryWeights(map, layer, head, query);
    const most = weights.indexOf(Math.max(...weights));
    const colours = { [`layer ${this.#heads.previous[0] + 1}, ${map.headNames[this.#heads.previous[1]]}`]: COLOURS.previous };
    this.#whyThere.ask(map, pressed ?? { layer, head, query, key: most }, colours);
    const { guess } = all[place - 1];
    const named = (at: number) => `“${visible(map.queryTokens[at])}”, character ${at + 1}`;
    setText(this.#why, `From ${named(query)}, the induction head looks most at ${named(most)} (${percent(weights[most])}). The guess: ${guess === null ? "one that isn’t in the text" : `“${visible(guess)}”`}.`);
  }
}
