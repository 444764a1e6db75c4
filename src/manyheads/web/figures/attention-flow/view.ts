// What <attention-flow> and a notebook's AttentionFlow show: one asking word's journey, with Play and named stations; and, where its
// reader presses a number, the arithmetic that made it.

import { captionOf, pictureOf } from "./captions.ts";
import { answersOf, endingOf, factsOf, flowAt, mainCell, stationAt, STATIONS } from "./stations.ts";
import { choose, lend, type Change } from "../../math/lent.ts";
import { colourOf } from "../../math/maps.ts";
import { DEPTH, FLAGS, OFF_COLOUR } from "../../math/names.ts";
import { askerOf, cellAt, cellText, isOff } from "../../math/steps.ts";
import type { Changes, Flow, FlowState } from "../../math/steps.ts";
import { readable } from "../../math/text.ts";
import { Announcer, changesOf } from "../../views/announcer.ts";
import { ArithmeticSheet } from "./arithmetic-sheet.ts";
import {
  chooser,
  closeOnEscape,
  field,
  fillOptions,
  sentenceBox,
  setTyped,
  StatusLine,
  type Told,
} from "../../views/controls.ts";
import { h, setProps, setText, targetOf } from "../../views/dom.ts";
import { narrow, wide } from "./layouts.ts";
import { FlowScene } from "./scene.ts";
import { playLabel } from "../../views/player.ts";
import { readingTime, Timeline } from "../../views/timeline.ts";
import { Track } from "./track.ts";

const LAST = STATIONS.length - 1;
const HINT = "Point at anything to see what it is. Press it, and its arithmetic opens.";
const NEAR = 0.02; // of a station: it is there
const CHOSEN = ["layer", "head", "query", ...FLAGS]; // what is drawn as chosen before it's computed
const CHANGES: Record<keyof Changes, string> = { causal: "Causal mask", padding: "Padding", unscaled: "No scaling" };

type Lendable = Partial<FlowState>;

export interface FlowOptions {
  change: (state: FlowState, names: string[]) => void; // the reader changed the named parts
  painted?: (flow: Flow) => void; // after what is shown was computed anew
  arrived?: (station: string) => void;
  turn?: (layer: number, head: number) => void; // the reader turns a head off, or on again
  menu?: HTMLElement; // what stands beside the controls
}

export class AttentionFlowView {
  state: FlowState = {
    sentence: "",
    layer: 0,
    head: 0,
    query: 0,
    answer: "",
    station: STATIONS[0].name,
    cell: "",
    causal: false,
    padding: false,
    unscaled: false,
  };
  flow: Flow | null = null;
  #lent: Lendable = {}; // what stood there before a guess, a phrase or a link
  #options: FlowOptions;
  #fact = ""; // the one that the reader chose to take apart
  #sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => this.#set({ sentence }));
  #layer = chooser("Layer", (layer) => this.#set({ layer: Number(layer) }));
  #layers = field(this.#layer);
  #head = chooser("Head", (head) => this.#set({ head: Number(head) }));
  #query = chooser("Asked by", (query) => this.#set({ query: Number(query) }));
  #scenes = [new FlowScene(wide), new FlowScene(narrow)];
  #sheet = new ArithmeticSheet((cell) => this.#opened(cell));
  #title = h("b");
  #caption = h("span");
  #pointed = h("p", { class: "af-pointed" }, HINT);
  #play = h(
    "button",
    {
      type: "button",
      class: "hm-play af-play",
      onclick: () => (this.#time.plays ? this.#time.pause() : this.#time.play()),
    },
    playLabel(false),
  );
  #track = new Track({
    go: (station) => this.#time.go(station),
    walk: (by) => this.#time.go(this.#time.station + by),
    seek: (at) => this.#time.jump(at),
  });
  #switch = h("button", { type: "button", class: "af-switch", hidden: true, onclick: () => this.#turn() });
  #numbers = h("button", { type: "button", class: "af-numbers", onclick: () => this.#openMain() }, "Numbers");
  #boxes = FLAGS.map((name) =>
    h("input", {
      type: "checkbox",
      name,
      onchange: (event: Event) => this.#set({ [name]: (targetOf(event) as HTMLInputElement).checked }),
    }),
  );
  #status = new StatusLine();
  #announcer = new Announcer<Record<string, string>>(); // of answers
  #time: Timeline;
  #stage: HTMLElement;
  #changes: HTMLElement; // of the formula
  #shown = -1; // the station whose caption stands

  constructor(root: HTMLElement, state: Partial<FlowState>, options: FlowOptions) {
    this.#options = options;
    Object.assign(this.state, state);
    this.#time = new Timeline(
      LAST,
      stationAt(this.state.station),
      () => this.#paint(false),
      () => this.#played(),
      () => readingTime(this.#caption.textContent),
    );
    this.#stage = h(
      "div",
      {
        class: "af-stage",
        onpointermove: (event: PointerEvent) => this.#point(event),
        onpointerleave: () => setText(this.#pointed, HINT),
        onclick: (event: PointerEvent) => this.#press(event),
      },
      ...this.#scenes.map(({ node }) => node),
      this.#sheet.node,
    );
    this.#changes = h(
      "details",
      { class: "af-menu af-changes", onkeydown: closeOnEscape },
      h("summary", {}, "What if"),
      h(
        "div",
        { class: "af-panel" },
        ...this.#boxes.map((box) => h("label", {}, box, ` ${CHANGES[box.name as keyof Changes]}`)),
      ),
    );
    const transport = h(
      "div",
      { class: "af-transport" },
      this.#play,
      this.#track.node,
      this.#pointed,
      this.#switch,
      this.#numbers,
      this.#changes,
      ...(options.menu ? [options.menu] : []),
    );
    const tools = h("div", { class: "hm-tools" }, this.#layers, field(this.#head), field(this.#query));
    root.replaceChildren(
      h("div", { class: "af-sentence" }, this.#sentence),
      tools,
      h("p", { class: "af-caption" }, this.#title, " ", this.#caption),
      this.#stage,
      transport,
      this.#status.node,
      this.#announcer.node,
    );
    root.addEventListener("keydown", (event) => this.#key(event));
    setTyped(this.#sentence, this.state.sentence);
    this.#played();
  }

  /** Takes over parts of the state whose numbers are on their way. */
  take(state: Partial<FlowState>) {
    Object.assign(this.state, state);
    setTyped(this.#sentence, this.state.sentence);
  }

  /** Takes over what a guess, a phrase or a link sets. */
  lend(given: Lendable) {
    const whole = given.sentence === undefined ? null : {};
    this.#change(lend<Lendable>(this.state, this.#lent, given, whole));
  }

  #change({ parts, lent }: Change<Lendable>) {
    this.update(parts);
    this.#lent = lent;
  }

  /** Takes over parts of the state that changed elsewhere. */
  update(state: Partial<FlowState>) {
    const { station, ...rest } = state;
    this.take(rest);
    if (station !== undefined && STATIONS[this.#place].name !== station) this.#time.jump(stationAt(station));
    if (this.flow && Object.keys(rest).some((name) => CHOSEN.includes(name))) this.#draw(this.flow);
    if ("cell" in state) this.#show(this.state.cell);
  }

  show(flow: Flow) {
    const asker = askerOf(flow);
    const asks = this.flow ? askerOf(this.flow) : 0;
    if (asker !== null && this.state.query === asks) this.state.query = asker; // unless the reader has another word ask
    this.flow = flow;
    this.#draw(flow);
    this.#show(this.state.cell);
    this.#options.painted?.(flow);
  }

  /** Greys what doesn't answer to what was chosen. */
  markOld(old: boolean) {
    this.#stage.classList.toggle("hm-stale", old);
  }

  /** What comes of the reader's act is to be said. */
  changed() {
    this.#announcer.changed();
  }

  /** Stands at a moment: stations count from 0, and 2.5 is between two. */
  seek(at: number) {
    this.#time.jump(at);
  }

  /** Says how things stand; `act`, if given, is what a button after the text does. */
  setStatus(...[text, ...rest]: Told) {
    this.#status.tell([text, ...(this.flow?.notes ?? [])].join(" "), ...rest);
  }

  /** The station whose caption stands: the one that it is at, or on its way to. */
  get #place() {
    return Math.max(0, Math.ceil(this.#time.at - NEAR));
  }

  #set(given: Lendable) {
    const change = choose<Lendable>(this.state, this.#lent, given, given.sentence !== undefined);
    this.#announcer.changed();
    this.#change(change);
    this.#options.change(this.state, Object.keys(change.parts));
  }

  // --- what the reader does

  #key(event: KeyboardEvent) {
    if (targetOf(event).matches("textarea, select, input, summary") || this.#sheet.node.contains(targetOf(event)))
      return;
    const { station } = this.#time;
    const places: Record<string, number | undefined> = {
      ArrowRight: station + 1,
      ArrowLeft: station - 1,
      Home: 0,
      End: this.#time.last,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    this.#time.go(place);
  }

  #turn() {
    const { layer = 0, head } = this.flow!;
    this.#options.turn?.(layer, head);
  }

  #scene(event: Event) {
    return this.#scenes.find(({ node }) => node.contains(event.target as Node));
  }

  #point(event: PointerEvent) {
    setText(this.#pointed, this.#scene(event)?.ink.aboutAt(event) ?? HINT);
  }

  #press(event: PointerEvent) {
    const scene = this.#scene(event);
    if (!scene) return;
    this.#point(event);
    const [what, ...rest] = (targetOf(event).dataset?.press ?? "").split(" ");
    if (what === "query") return this.#set({ query: Number(rest[0]) });
    if (what === "head") return this.#set({ head: Number(rest[0]) });
    if (what === "fact") {
      this.#fact = rest.join(" ");
      return this.#paint(true);
    }
    const cell = scene.ink.cellAt(event);
    if (!cell) return;
    const { left, top, width, height } = scene.node.getBoundingClientRect();
    this.#open(
      cell,
      `${Math.round((100 * (event.clientX - left)) / width)}% ${Math.round((100 * (event.clientY - top)) / height)}%`,
    );
  }

  // --- the second depth

  #openMain() {
    if (!this.flow) return;
    const { station } = this.state;
    const flow = flowAt(this.flow, station);
    const query = flow === this.flow ? this.state.query : 0;
    this.#open(cellText(mainCell(flow, { head: flow.head, query }, station, this.#factOf(this.flow))), "50% 50%");
  }

  /** Opens a number for the reader; it grows `from` where it was pressed. */
  #open(cell: string, from: string) {
    this.#time.pause(); // wherever it is on its way
    this.#sheet.node.style.transformOrigin = from;
    this.#set({ cell });
    this.#sheet.node.focus({ preventScroll: true });
  }

  #opened(cell: string) {
    this.#time.pause();
    this.state.cell = cell;
    this.#tell();
    if (!cell) this.#numbers.focus({ preventScroll: true });
    this.#options.change(this.state, ["cell"]);
  }

  #show(cell: string) {
    if (!this.flow) return;
    const flow = flowAt(this.flow, this.state.station);
    if (cell && cell === this.#sheet.cell) this.#sheet.draw(flow);
    else this.#sheet.show(flow, cellAt(flow, cell));
    this.state.cell = this.#sheet.cell;
    this.#tell();
  }

  // --- painting

  #draw(flow: Flow) {
    const { state } = this;
    state.head = Math.min(state.head, flow.headNames.length - 1);
    state.query = Math.min(state.query, flow.tokens.length - 1);
    const { layers = 0 } = flow;
    state.layer = Math.min(state.layer, Math.max(layers - 1, 0));
    this.#layers.hidden = !layers;
    fillOptions(
      this.#layer,
      Array.from({ length: layers }, (_, layer) => String(layer + 1)),
      [...Array(layers).keys()],
      state.layer,
    );
    this.#time.last = layers ? LAST - 1 : LAST; // of many layers, one reads no answer
    if (this.#time.at > this.#time.last) this.#time.jump(this.#time.last);
    fillOptions(this.#head, flow.headNames, [...flow.headNames.keys()], state.head);
    fillOptions(this.#query, flow.tokens.map(readable), [...flow.tokens.keys()], state.query);
    for (const box of this.#boxes) {
      box.checked = state[box.name as keyof Changes];
      box.parentElement!.hidden = box.name === "causal" && Boolean(flow.decodes); // it never looks ahead
    }
    this.#changes.hidden = Boolean(flow.above);
    this.#switch.hidden = !flow.above || !this.#options.turn;
    setText(this.#switch, `Turn ${flow.headNames[flow.head]} ${isOff(flow, flow.head) ? "on" : "off"}`);
    for (const { node } of this.#scenes) {
      colourHeads(node, "head", flow);
      colourHeads(node, "answer", endingOf(flow));
    }
    this.#paint(true);
  }

  /** The fact whose answer is taken apart: the chosen one, else that of the head, else the first. */
  #factOf(flow: Flow) {
    const facts = factsOf(flow);
    return [this.#fact, flow.headNames[flow.head], facts[0]].find((fact) => facts.includes(fact)) ?? "";
  }

  /** Draws this moment: in every layout, or only in the one that is seen. */
  #paint(all: boolean) {
    const { flow, state } = this;
    const { at } = this.#time;
    this.#arrive();
    this.#track.draw(at, this.#place, this.#time.last);
    if (!flow) return;
    const fact = this.#factOf(flow);
    const { head } = flow; // what is chosen may still be computed
    const { query } = state;
    const still = Number.isInteger(at);
    for (const scene of this.#scenes)
      if (all || still || scene.node.getClientRects().length) scene.draw(flow, { head, query }, fact, at);
    const station = STATIONS[this.#place];
    const asked = { head, query };
    this.#tell();
    if (all || still) {
      const ariaLabel = pictureOf(flow, asked, station.name, fact);
      for (const { node } of this.#scenes) setProps(node, { ariaLabel });
    }
    const answers = answersOf(flow);
    this.#announcer.drawn((before = {}) => {
      const changes = changesOf(before, answers).map(({ text }) => `${text[0].toUpperCase()}${text.slice(1)}.`);
      return [...changes, `${station.label}.`, this.#caption.textContent].join(" ");
    }, answers);
  }

  /** What its station says, of the number that is open where one is. */
  #tell() {
    const { flow, state } = this;
    if (!flow) return;
    const asked = { head: flow.head, query: state.query };
    const { name } = STATIONS[this.#place];
    setText(this.#caption, captionOf(flow, asked, name, this.#factOf(flow), cellAt(flow, state.cell)));
  }

  /** Names the station, once. */
  #arrive() {
    const place = this.#place;
    if (place === this.#shown) return;
    const first = this.#shown < 0;
    this.#shown = place;
    const { name, label } = STATIONS[place];
    this.state.station = name;
    delete this.#lent.station; // whoever goes there stays there
    setText(this.#title, `${place + 1} ${label}`);
    if (first) return;
    if (this.#sheet.cell && this.flow) {
      // the journey goes on
      this.state.cell = "";
      this.#sheet.show(this.flow, null);
    }
    this.#announcer.changed();
    this.#options.arrived?.(name);
  }

  #played() {
    setText(this.#play, playLabel(Boolean(this.#time?.plays)));
    if (this.#shown < 0) this.#arrive();
  }
}

/** Gives a node the colours of a flow's heads, as deep as letters can be read on; of one that is off, the colour of what is off. */
function colourHeads(node: HTMLElement, kind: "head" | "answer", flow: Flow) {
  const deep = (colour: string) => `color-mix(in srgb, ${colour} ${100 * DEPTH}%, var(--hm-paper))`;
  const colour = (head: number) => (isOff(flow, head) ? OFF_COLOUR : colourOf(flow.headNames[head]));
  flow.headNames.forEach((_, head) => node.style.setProperty(`--${kind}-${head}`, deep(colour(head))));
  if (kind === "head") node.style.setProperty("--head", colour(flow.head));
}
