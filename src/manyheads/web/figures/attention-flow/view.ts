// What <attention-flow> and a notebook's AttentionFlow show: one asking word's journey, with Play, a scrubber and named stations.

import { captionOf, factsOf, stationAt, STATIONS } from "../../math/flow.ts";
import { colourOf } from "../../math/maps.ts";
import type { Flow, FlowState } from "../../math/steps.ts";
import { readable } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions, sentenceBox, StatusLine } from "../../views/controls.ts";
import { h, setIdle, setText, setValue, targetOf } from "../../views/dom.ts";
import { narrow, wide } from "../../views/flow-layouts.ts";
import { FlowScene } from "../../views/flow-scene.ts";
import { playLabel } from "../../views/player.ts";
import { Timeline } from "../../views/timeline.ts";

const LAST = STATIONS.length - 1;
const HINT = "Point at anything to see what it is, with its number.";
const STEP = 0.01; // of the scrubber

export interface FlowOptions {
  change: (state: FlowState, names: string[]) => void; // the reader changed the named parts
  painted?: (flow: Flow) => void; // after what is shown was computed anew
  arrived?: (station: string) => void;
  types?: boolean; // whether the sentence can be another one
  numbers?: (state: FlowState, step: string) => string; // the address of the same step in <formula-steps>
  menu?: HTMLElement; // what stands beside the controls
}

export class AttentionFlowView {
  state: FlowState = { sentence: "", head: 0, query: 0, station: STATIONS[0].name };
  flow: Flow | null = null;
  #options: FlowOptions;
  #fact = ""; // the one that the reader chose to take apart
  #sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => this.#set({ sentence }));
  #head = chooser("Head", (head) => this.#set({ head: Number(head) }));
  #query = chooser("Asked by", (query) => this.#set({ query: Number(query) }));
  #scenes = [new FlowScene(wide), new FlowScene(narrow)];
  #title = h("b");
  #caption = h("span");
  #pointed = h("p", { class: "af-pointed" }, HINT);
  #play = h("button", { type: "button", class: "hm-play af-play", onclick: () => (this.#time.plays ? this.#time.pause() : this.#time.play()) }, playLabel(false));
  #back = h("button", { type: "button", class: "fs-go", onclick: () => this.#time.go(Math.ceil(this.#time.at - STEP) - 1) }, "← Back");
  #next = h("button", { type: "button", class: "fs-go", onclick: () => this.#time.go(Math.floor(this.#time.at + STEP) + 1) }, "Next →");
  #scrubber = h("input", { type: "range", min: 0, max: LAST, step: STEP, "aria-label": "Journey", oninput: () => this.#time.jump(Number(this.#scrubber.value)) });
  #stops = STATIONS.map(({ label }, place) => h("button", { type: "button", tabindex: -1, onclick: () => this.#time.jump(place) }, label));
  #numbers = h("a", { class: "af-numbers" }, "Open the numbers");
  #status = new StatusLine();
  #announcer = new Announcer();
  #time: Timeline;
  #shown = -1; // the station whose caption stands

  constructor(root: HTMLElement, state: Partial<FlowState>, options: FlowOptions) {
    this.#options = options;
    Object.assign(this.state, state);
    this.#time = new Timeline(LAST, stationAt(this.state.station), () => this.#paint(false), () => this.#played());
    const stage = h("div", { class: "af-stage", onpointermove: (event: PointerEvent) => this.#point(event), onpointerleave: () => setText(this.#pointed, HINT),
      onclick: (event: PointerEvent) => this.#press(event) }, ...this.#scenes.map(({ node }) => node));
    const stations = h("ol", { class: "af-stops", "aria-label": "Stations" }, ...this.#stops.map((stop) => h("li", {}, stop)));
    const transport = h("div", { class: "af-transport" }, this.#play, this.#back, this.#next, this.#scrubber);
    const tools = h("div", { class: "hm-tools" }, field(this.#head), field(this.#query));
    root.replaceChildren(...(options.types === false ? [] : [h("div", { class: "af-sentence" }, this.#sentence)]), tools,
      h("p", { class: "af-caption" }, this.#title, " ", this.#caption), stage, this.#pointed, transport, stations,
      h("div", { class: "af-last" }, this.#numbers, ...(options.menu ? [options.menu] : [])), this.#status.node, this.#announcer.node);
    this.#numbers.hidden = !options.numbers;
    root.addEventListener("keydown", (event) => this.#key(event));
    this.#played();
  }

  /** Takes over parts of the state that changed elsewhere. */
  update(state: Partial<FlowState>) {
    const { station, ...rest } = state;
    Object.assign(this.state, rest);
    setValue(this.#sentence, this.state.sentence);
    if (station !== undefined && STATIONS[this.#place].name !== station) this.#time.jump(stationAt(station));
    if (this.flow) this.#draw(this.flow);
  }

  show(flow: Flow) {
    this.flow = flow;
    this.#draw(flow);
    this.#options.painted?.(flow);
  }

  /** Says how things stand; `act`, if given, is what a button after the text does. */
  setStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell([text, ...(this.flow?.notes ?? [])].join(" "), act, name);
  }

  /** The station whose caption stands: the one that it is at, or on its way to. */
  get #place() {
    return Math.ceil(this.#time.at - 2 * STEP);
  }

  #set(state: Partial<FlowState>) {
    this.#announcer.changed();
    this.update(state);
    this.#options.change(this.state, Object.keys(state));
  }

  // --- what the reader does

  #key(event: KeyboardEvent) {
    if (targetOf(event).matches("textarea, select, input:not([type=range])")) return;
    const moves: Record<string, (() => void) | undefined> = {
      ArrowRight: () => this.#time.go(Math.floor(this.#time.at + STEP) + 1),
      ArrowLeft: () => this.#time.go(Math.ceil(this.#time.at - STEP) - 1),
      Home: () => this.#time.jump(0),
      End: () => this.#time.jump(LAST),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  #scene(event: Event) {
    return this.#scenes.find(({ node }) => node.contains(event.target as Node));
  }

  #point(event: PointerEvent) {
    setText(this.#pointed, this.#scene(event)?.ink.aboutAt(event) ?? HINT);
  }

  #press(event: PointerEvent) {
    this.#point(event);
    const [what, ...rest] = (targetOf(event).dataset?.press ?? "").split(" ");
    if (what === "query") this.#set({ query: Number(rest[0]) });
    if (what === "head") this.#set({ head: Number(rest[0]) });
    if (what !== "fact") return;
    this.#fact = rest.join(" ");
    this.#paint(true);
  }

  // --- painting

  #draw(flow: Flow) {
    const { state } = this;
    state.head = Math.min(state.head, flow.headNames.length - 1);
    state.query = Math.min(state.query, flow.tokens.length - 1);
    fillOptions(this.#head, flow.headNames, [...flow.headNames.keys()], state.head);
    fillOptions(this.#query, flow.tokens.map(readable), [...flow.tokens.keys()], state.query);
    this.#scenes.forEach(({ node }) => {
      flow.headNames.forEach((name, head) => node.style.setProperty(`--head-${head}`, `color-mix(in srgb, ${colourOf(name)} var(--af-depth), var(--hm-paper))`));
      node.style.setProperty("--head", colourOf(flow.headNames[state.head]));
    });
    this.#paint(true);
  }

  /** The fact whose answer is taken apart: the chosen one, else that of the head, else the first. */
  #factOf(flow: Flow) {
    const facts = factsOf(flow);
    return [this.#fact, flow.headNames[this.state.head], facts[0]].find((fact) => facts.includes(fact)) ?? "";
  }

  /** Draws this moment: in every layout, or only in the one that is seen. */
  #paint(all: boolean) {
    const { flow, state } = this;
    const { at } = this.#time;
    setValue(this.#scrubber, String(at));
    this.#arrive();
    if (!flow) return;
    const fact = this.#factOf(flow);
    const still = Number.isInteger(at);
    for (const scene of this.#scenes) if (all || still || scene.node.getClientRects().length) scene.draw(flow, state, fact, at);
    const station = STATIONS[this.#place];
    setText(this.#caption, captionOf(flow, state, station.name, fact));
    if (this.#options.numbers) this.#numbers.href = this.#options.numbers(state, station.step);
    this.#announcer.drawn(() => `${station.label}. ${this.#caption.textContent}`);
  }

  /** Names the station, once. */
  #arrive() {
    const place = this.#place;
    if (place === this.#shown) return;
    const first = this.#shown < 0;
    this.#shown = place;
    const { name, label } = STATIONS[place];
    this.state.station = name;
    setText(this.#title, `${place + 1} ${label}`);
    this.#scrubber.ariaValueText = `${place + 1} of ${STATIONS.length}: ${label}`;
    this.#stops.forEach((stop, at) => {
      if (at === place) stop.setAttribute("aria-current", "step");
      else stop.removeAttribute("aria-current");
    });
    setIdle(this.#back, place === 0);
    setIdle(this.#next, place === LAST);
    if (first) return;
    this.#announcer.changed();
    this.#options.arrived?.(name);
  }

  #played() {
    setText(this.#play, playLabel(Boolean(this.#time?.plays)));
    if (this.#shown < 0) this.#arrive();
  }
}
