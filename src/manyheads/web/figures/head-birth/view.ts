// What <head-birth> shows: a text with what was guessed below it, heads as triangles, and what was measured in training; of the
// stored training at first, then of the reader's own.

import { withOff } from "../../math/heads-off.ts";
import { headTitle, queryWeights } from "../../math/maps.ts";
import { guessedText, visible } from "../../math/repeats.ts";
import { percent } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { grow, sentenceBox, setTyped, StatusLine, type Told } from "../../views/controls.ts";
import { h, setProps, setText, setValue } from "../../views/dom.ts";
import { guessView, isOpen } from "../../views/guess.ts";
import { GuessStrip } from "./guess-strip.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { HeadTriangle } from "./head-triangle.ts";
import { Player } from "../../views/player.ts";
import { WhyThere } from "../../views/why-there.ts";
import { BirthCharts, COLOURS, type Measured } from "./charts.ts";
import { TrainingPanel } from "./panel.ts";
import { askedFor, askedOf, namedHeads, reduce, startWith, type Action, type Lendable, type State } from "./state.ts";

/** What the view asks of its element: another map, a training that runs as the state says, the model as a file. */
export interface BirthHost {
  compute(): void;
  train(): void;
  save(): void;
}

/** Which heads training made, as [layer, head], the steps at which it was kept, and what was measured on the way. */
export interface StoredTraining {
  heads: { previous: number[]; induction: number[] };
  steps: number[];
  history: Measured[];
}

const PAUSE = 900; // milliseconds at a checkpoint

export class HeadBirthView {
  state: State;
  #heads: StoredTraining["heads"];
  #host: BirthHost;
  #box = sentenceBox("Text", "Type a few characters, and the same again", (sentence) =>
    this.dispatch({ type: "type", sentence }),
  );
  #strip = new GuessStrip((place) => this.dispatch({ type: "ask", place }));
  #result = h("p", { class: "hb-result" });
  #why = h("p", { class: "hb-why" });
  #whyThere = new WhyThere();
  #slider = h("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": "Training step",
    oninput: () => (this.#player.stop(), this.dispatch({ type: "step", at: Number(this.#slider.value) })),
  });
  #step = h("span", { class: "hb-step" });
  #player = new Player(PAUSE, () => (this.dispatch({ type: "next" }), this.state.at < this.state.steps.length - 1));
  #switch = headSwitch(() => this.dispatch({ type: "toggle", head: this.#heads.previous }));
  #triangles = {
    previous: new HeadTriangle("previous-token head", COLOURS.previous),
    induction: new HeadTriangle("induction head", COLOURS.induction),
  };
  #charts: BirthCharts;
  #guess: ReturnType<typeof guessView>;
  #panel: TrainingPanel;
  #door = h("button", {
    type: "button",
    class: "hb-door",
    onclick: () => this.dispatch({ type: this.state.live ? "stored" : "train" }),
  });
  #stored: HTMLElement[]; // what is shown of the stored training
  #own: HTMLElement[]; // and of the reader's own
  #status = new StatusLine();
  #announcer = new Announcer();

  constructor(root: HTMLElement, parts: Partial<State>, { heads, steps, history }: StoredTraining, host: BirthHost) {
    this.#heads = heads;
    this.#host = host;
    this.#charts = new BirthCharts(history);
    this.state = startWith({ shownAt: this.#charts.shownAt, ...parts }, steps);
    this.#slider.max = String(steps.length - 1);
    this.#guess = guessView(this.#charts.question, (pressed) => isOpen(this.state.guess) && this.#play(pressed));
    this.#panel = new TrainingPanel(
      (action) => this.dispatch(action),
      () => host.save(),
    );
    const tools = h(
      "div",
      { class: "hm-tools" },
      this.#player.node,
      h("label", { class: "hm-field hb-slider" }, "Training ", this.#slider, this.#step),
    );
    const switches = h("div", { class: "hm-heads" }, h("span", {}, "Heads"), this.#switch);
    const triangles = h(
      "div",
      { class: "hb-triangles" },
      this.#triangles.previous.node,
      this.#triangles.induction.node,
    );
    const panel = this.#panel;
    this.#stored = [this.#guess.node, tools, switches, triangles, this.#charts.node];
    this.#own = [panel.controls, panel.switches, panel.triangles, panel.charts, panel.experiments];
    root.replaceChildren(
      this.#guess.node,
      this.#box,
      h("div", { class: "hb-bar" }, tools, panel.controls, this.#door),
      this.#strip.node,
      this.#result,
      switches,
      panel.switches,
      triangles,
      panel.triangles,
      this.#why,
      this.#whyThere.node,
      this.#charts.node,
      panel.charts,
      this.#status.node,
      panel.experiments,
      this.#announcer.node,
    );
    for (const role of ["previous", "induction"] as const)
      this.#triangles[role].pressed = (cell) => this.dispatch(askedFor(this.#heads[role], cell));
    this.#drawControls();
  }

  /** Changes the state, and does what then has to be done. */
  dispatch(action: Action) {
    const { state, needs } = reduce(this.state, action);
    this.state = state;
    if (needs === "nothing") return;
    if (needs === "train") this.#player.stop();
    if (needs === "compute" && action.type !== "report" && action.type !== "seen") this.#announcer.changed();
    if (action.type === "report") this.#panel.draw(state);
    else if (needs !== "draw" && needs !== "ask") this.#drawControls();
    if (needs === "train") this.#host.train();
    if (needs === "compute" || needs === "train") this.#host.compute();
    if (needs === "reveal") this.#reveal();
    if (needs === "draw") this.#drawMap();
    if (needs === "draw" || needs === "ask") this.#explain();
    if (action.type === "ask" && action.pressed) this.#whyThere.open();
  }

  /** Takes over another text, or other heads that are off. */
  update(parts: Partial<State>) {
    this.dispatch({ type: "take", parts });
  }

  /** Shows the stored training at a step, the last before it if it wasn't kept. */
  goTo(step: number) {
    this.#player.stop();
    const { live, steps } = this.state;
    const at = steps.findLastIndex((kept) => kept <= step);
    if (live) this.dispatch({ type: "stored" });
    this.dispatch({ type: "step", at: Math.max(at, 0) });
  }

  /** Takes over what a phrase or a link sets. */
  lend(parts: Lendable) {
    if (parts.step !== undefined) this.#player.stop();
    this.dispatch({ type: "lend", parts });
  }

  setStatus(...[text, ...rest]: Told) {
    this.#status.tell(text, ...rest);
  }

  /** What was asked of an experiment gets the focus: what was pressed leads there. */
  #reveal() {
    if (this.state.live) this.#panel.reveal(this.state);
  }

  /** Plays the stored training from its first step, for a reader who has guessed. */
  #play(pressed: number | null) {
    this.#player.stop();
    this.dispatch({ type: "guess", pressed });
    this.#player.toggle();
  }

  // --- drawing

  #drawControls() {
    const { sentence, steps, at, off, live, guess } = this.state;
    for (const node of this.#stored) node.hidden = live;
    for (const node of this.#own) node.hidden = !live;
    setText(this.#door, live ? "Stored training" : "Train it yourself");
    if (live) this.#panel.draw(this.state);
    setTyped(this.#box, sentence);
    grow(this.#box);
    setValue(this.#slider, String(at));
    const step = `step ${steps[at]}`;
    setText(this.#step, step);
    setProps(this.#slider, { ariaValueText: step });
    drawSwitch(this.#switch, "previous-token head", !off.length, COLOURS.previous);
    this.#guess.draw(guess);
    this.#charts.draw(steps[at], guess.stage === "shown");
  }

  #drawMap() {
    const { map, all, off, live, at, steps, training } = this.state;
    if (!map) return;
    if (live) {
      this.#panel.draw(this.state); // what is told of an experiment rests on the map
      this.#panel.drawMap(this.state, map);
    } else {
      this.#triangles.previous.draw(map, this.#heads.previous, off.length > 0);
      this.#triangles.induction.draw(map, this.#heads.induction, false);
    }
    this.#strip.draw(map.queryTokens, all);
    const result = guessedText(all, withOff(off.length));
    setText(this.#result, result);
    this.#announcer.drawn(() => `step ${live ? training?.step : steps[at]}: ${result}`);
  }

  /** Why the model guesses what it does at one place: where the induction head looks from the character before. */
  #explain() {
    const { map, all, pressed, live, training } = this.state;
    if (!map) return;
    const place = askedOf(this.state);
    this.#strip.ask(place);
    const query = pressed?.query ?? Math.max(place - 1, 0);
    for (const triangle of Object.values(this.#triangles)) triangle.ask(query);
    this.#panel.ask(query);
    const named = live ? training && namedHeads(training) : this.#heads;
    const head = named?.induction;
    const weights = head ? [...queryWeights(map, head[0], head[1], query)] : [];
    const most = weights.indexOf(Math.max(...weights));
    const cell = pressed ?? (head && place ? { layer: head[0], head: head[1], query, key: most } : null);
    this.#whyThere.node.hidden = !cell;
    if (cell)
      this.#whyThere.ask(
        map,
        cell,
        named?.previous ? { [headTitle(map, named.previous[0], named.previous[1])]: COLOURS.previous } : {},
      );
    if (!place) return setText(this.#why, "");
    const { guess } = all[place - 1];
    const guessed = `The guess: ${guess === null ? "one that isn’t in the text" : `“${visible(guess)}”`}.`;
    const character = (at: number) => `“${visible(map.queryTokens[at])}”, character ${at + 1}`;
    if (!head) return setText(this.#why, `After ${character(query)}, no head has earned a name yet. ${guessed}`);
    setText(
      this.#why,
      `From ${character(query)}, the induction head looks most at ${character(most)} (${percent(weights[most])}). ${guessed}`,
    );
  }
}
