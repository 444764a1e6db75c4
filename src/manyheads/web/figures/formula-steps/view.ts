// What <formula-steps> and a notebook's FormulaSteps show: the path, and one of its steps with all of its matrices.

import { colourOf } from "../../math/maps.ts";
import { PATH, pathOf } from "../../math/steps.ts";
import type { Steps, StepsState } from "../../math/steps.ts";
import { isolated, readable } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions, sentenceBox, StatusLine } from "../../views/controls.ts";
import { h, keepHeight, nextId, setIdle, setText, setValue, targetOf } from "../../views/dom.ts";
import { equation } from "../../views/formula-mathml.ts";
import { Thumbnail } from "../../views/thumbnail.ts";
import { StepsStage, type Step } from "./stage.ts";

/** What may be changed in the formula. */
const TOGGLES = { causal: "Causal mask", padding: "Padding", unscaled: "No scaling" };
const TOGGLE_NAMES = Object.keys(TOGGLES) as (keyof typeof TOGGLES)[];

const whenIdle = (todo: () => void): number => (globalThis.requestIdleCallback ?? setTimeout)(todo) as number;
const cancelIdle = (handle: number) => (globalThis.cancelIdleCallback ?? clearTimeout)(handle);

/** What the arithmetic of the figure with this id is called: "Arithmetic 2" of a second one. */
const stageName = (id: string) => `Arithmetic ${id.split("-").at(-1)}`.replace(/ 1$/, "");

export interface StepsOptions {
  change: (state: StepsState, names: string[]) => void; // the reader changed the named parts
  painted?: (steps: Steps) => void; // after every repaint
  types?: boolean; // whether the sentence can be another one
  computes?: boolean; // whether the head and the formula can
}

/** The controls, the path and the matrices of one step inside `root`. */
export class FormulaStepsView {
  state: StepsState = { sentence: "", head: 0, word: 0, step: "X", causal: false, padding: false, unscaled: false };
  steps: Steps | null = null;
  #change: StepsOptions["change"];
  #painted: NonNullable<StepsOptions["painted"]>;
  #id = nextId("formula-steps");
  #sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => this.#set({ sentence }));
  #head = chooser("Head", (head) => this.#set({ head: Number(head) }));
  #word = chooser("Asked by", (word) => this.#set({ word: Number(word) }));
  #toggles = TOGGLE_NAMES.map((name) => ({ name, box: this.#toggle(name) }));
  #thumbnails = new Map<string, Thumbnail>();
  #tabs = PATH.map((step, index) => this.#tab(step, index));
  #title = h("p", { class: "fs-title" });
  #all = h("button", { type: "button", class: "fs-go", "aria-pressed": "false", onclick: () => this.#showAll(this.#all.ariaPressed !== "true") }, "All rows");
  #lead = h("p", { class: "fs-lead" });
  #back = h("button", { type: "button", class: "fs-go", onclick: () => this.#go(-1) }, "← Back");
  #next = h("button", { type: "button", class: "fs-go", onclick: () => this.#go(1) }, "Next →");
  #equation = h("div", { class: "fs-equation", tabindex: 0, role: "group", "aria-label": "Equation" });
  #equationOf = ""; // what it depends on, as it was written last
  #text = h("p", { class: "fs-says" });
  #stage = new StepsStage(this.#id, stageName(this.#id), (lit) => {
    for (const [name, thumbnail] of this.#thumbnails) thumbnail.light(lit(name));
  });
  #panel: HTMLElement;
  #status = new StatusLine();
  #announcer = new Announcer();
  #idle = 0;

  constructor(root: HTMLElement, state: Partial<StepsState>, { change, painted = () => {}, types = true, computes = true }: StepsOptions) {
    this.#change = change;
    this.#painted = painted;
    const tools = h("div", { class: "hm-tools" }, field(this.#word));
    if (computes) {
      const toggles = this.#toggles.map(({ name, box }) => h("label", { class: "hm-field" }, box, TOGGLES[name]));
      tools.prepend(field(this.#head));
      tools.append(h("fieldset", { class: "fs-toggles", "aria-label": "Change the formula" }, ...toggles));
    }
    const path = h("div", { class: "fs-path", role: "tablist", "aria-label": "Steps",
      onkeydown: (event: KeyboardEvent) => this.#move(event, true) }, ...this.#tabs);
    const buttons = [this.#all, " ", ...(document.fullscreenEnabled ? [this.#fullScreen(root), " "] : []), this.#back, " ", this.#next];
    this.#panel = h("div", { class: "fs-step", role: "tabpanel", id: `${this.#id}-step`,
      onkeydown: (event: KeyboardEvent) => targetOf(event).classList.contains("fs-go") && this.#move(event, false) },
    h("div", { class: "fs-bar" }, this.#title, h("span", {}, ...buttons)), this.#equation, this.#text, ...this.#stage.nodes);
    root.replaceChildren(...(types ? [h("div", {}, this.#sentence)] : []), tools, this.#lead, path, this.#panel,
      h("div", {}, legend(), this.#status.node, this.#announcer.node));
    this.update(state);
  }

  /** Takes over parts of the state that changed elsewhere, and repaints what it has. */
  update(state: Partial<StepsState>) {
    const parts = ["step", "word", "head"] as const;
    if (parts.some((part) => part in state && state[part] !== this.state[part])) this.#stage.unpin();
    Object.assign(this.state, state);
    if (!PATH.some(({ name }) => name === this.state.step)) this.state.step = "X";
    setValue(this.#sentence, this.state.sentence);
    for (const { name, box } of this.#toggles) box.checked = this.state[name];
    if (this.steps) this.#draw(this.steps);
  }

  show(steps: Steps) {
    this.steps = steps;
    this.#draw(steps);
  }

  /** Says how things stand; `act`, if given, is what a button after the text does. */
  setStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell([text, ...(this.steps?.notes ?? [])].join(" "), act, name);
  }

  /** Paints what is out of view, at once; else it waits until the browser has nothing better to do. */
  flush() {
    this.#stage.flush();
  }

  #set(state: Partial<StepsState>) {
    this.#announcer.changed();
    if ("step" in state) keepHeight(this.#panel); // what follows it stays where it is from step to step
    this.update(state);
    this.#change(this.state, Object.keys(state));
  }

  /** The steps that there are: a model that concludes nothing has no answer. */
  get #path() {
    return this.steps ? pathOf(this.steps) : PATH;
  }

  get #step() {
    return this.#path.find(({ name }) => name === this.state.step) ?? PATH[0];
  }

  #go(by: number) {
    const next = this.#path[this.#path.indexOf(this.#step) + by];
    if (next) this.#set({ step: next.name });
  }

  /** Arrow keys go along the path; the focus follows them, if it is on the path. */
  #move(event: KeyboardEvent, follow: boolean) {
    const moves: Record<string, number | undefined> = { ArrowLeft: -1, ArrowRight: 1, Home: -PATH.length, End: PATH.length };
    const by = moves[event.key];
    if (!by) return;
    event.preventDefault();
    const path = this.#path;
    const at = path.indexOf(this.#step) + by;
    this.#set({ step: path[Math.min(Math.max(at, 0), path.length - 1)].name });
    if (follow) this.#tabs[PATH.indexOf(this.#step)].focus();
  }

  /** Shows all rows of every matrix, and what is learnt, or the asking word's row alone. */
  #showAll(all: boolean) {
    this.#all.ariaPressed = String(all);
    this.#panel.classList.toggle("fs-all", all);
    this.#stage.showAll(all);
  }

  // --- the controls

  /** The button that gives the figure the whole screen, and takes it back. */
  #fullScreen(root: HTMLElement) {
    const refused = () => this.#status.tell("This browser does not give the figure the whole screen.");
    const button = h("button", { type: "button", class: "fs-go fs-full",
      onclick: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen().catch(refused)) }, "Full screen");
    root.addEventListener("fullscreenchange", () => setText(button, document.fullscreenElement ? "Leave full screen" : "Full screen"));
    return button;
  }

  #toggle(name: keyof typeof TOGGLES): HTMLInputElement {
    return h("input", { type: "checkbox", onchange: (event: Event) => this.#set({ [name]: (targetOf(event) as HTMLInputElement).checked }) });
  }

  #tab(step: Step, index: number): HTMLButtonElement {
    const pictures = step.results.map((name) => {
      const thumbnail = new Thumbnail(name);
      this.#thumbnails.set(name, thumbnail);
      return thumbnail.canvas;
    });
    return h("button", { type: "button", role: "tab", id: `${this.#id}-${step.name}`, "aria-controls": `${this.#id}-step`,
      onclick: () => this.#set({ step: step.name }) },
    h("span", { class: "fs-thumbs" }, ...pictures), h("span", {}, `${index + 1} ${step.label}`));
  }

  // --- painting

  #draw(steps: Steps) {
    const { state } = this;
    state.head = Math.min(state.head, steps.headNames.length - 1);
    state.word = Math.min(state.word, steps.tokens.length - 1);
    fillOptions(this.#head, steps.headNames, [...steps.headNames.keys()], state.head);
    fillOptions(this.#word, steps.tokens.map(readable), [...steps.tokens.keys()], state.word);
    this.#panel.style.setProperty("--head", colourOf(steps.headNames[state.head]));
    for (const thumbnail of this.#thumbnails.values()) thumbnail.paint(steps);
    this.#drawStep(steps);
    this.#all.hidden = steps.tokens.length <= 3; // they are all there
    this.#stage.draw(steps, this.#step, state.word);
    this.#announcer.drawn(() => `${this.#title.textContent} ${this.#stage.describe()}`);
    this.#painted(steps);
    cancelIdle(this.#idle);
    this.#idle = whenIdle(() => this.flush());
  }

  #drawStep(steps: Steps) {
    const step = this.#step;
    const index = PATH.indexOf(step);
    this.#tabs.forEach((tab, place) => {
      tab.ariaSelected = String(place === index);
      tab.tabIndex = place === index ? 0 : -1;
      tab.hidden = place >= this.#path.length;
    });
    this.#panel.setAttribute("aria-labelledby", this.#tabs[index].id);
    setIdle(this.#back, index === 0);
    setIdle(this.#next, index === this.#path.length - 1);
    setText(this.#title, step.title);
    setText(this.#text, step.says);
    setText(this.#lead, `Follow “${isolated(readable(steps.tokens[this.state.word]))}” through the head “${steps.headNames[steps.head]}”, in ${this.#path.length} steps. `
      + "Point at a number, and the arithmetic says where it comes from.");
    const { head, headNames: { length: heads }, biased, scaled } = steps;
    const of = `${step.name} ${head} ${biased} ${scaled}`;
    if (this.#equationOf !== of) this.#equation.innerHTML = equation(step.name, { head, heads, biased, scaled });
    this.#equationOf = of;
  }
}

const legend = () =>
  h("p", { class: "fs-legend" }, h("span", { class: "fs-scale", "aria-hidden": "true" }),
    "Blue is negative, red is positive, blank is zero; the colour is strongest at the matrix’s largest number. ",
    h("span", { class: "fs-scale fs-shares", "aria-hidden": "true" }), "Weights: blank 0, full 1. Tables round to two digits, the arithmetic to four.");
