// <head-birth sentence="a7kq3xwma7kq3x">: two heads of the small decoder come into being on the reader's own text, checkpoint by
// checkpoint; without the first of them, the second is blind. No DOM while the module loads, as in head-map.ts.

import { LiveFigure } from "../../doors/live-figure.ts";
import { define, dressPage, takeEarly, whenTouched } from "../../doors/page-element.ts";
import { EXAMPLE_SHOWN, READY } from "../../doors/page-models.ts";
import { maskOf } from "../../doors/state.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import { queryWeights } from "../../math/maps.ts";
import { guessed, guessedText, visible } from "../../math/repeats.ts";
import { percent } from "../../math/text.ts";
import { decodeMap } from "../../math/wire.ts";
import type { HeadModel } from "../../models/head-model.ts";
import type { Expecting } from "../../models/induction.ts";
import { Announcer } from "../../views/announcer.ts";
import { grow, sentenceBox, StatusLine } from "../../views/controls.ts";
import { announce, h, setText, setValue } from "../../views/dom.ts";
import { GuessStrip } from "../../views/guess-strip.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { HeadTriangle } from "../../views/head-triangle.ts";
import { Player } from "../../views/player.ts";
import { BirthCharts, COLOURS, type Measured } from "./charts.ts";

/** What is baked in: the map of the first checkpoint, all checkpoints, which heads training made, and what was measured on the way. */
interface Baked {
  map: unknown;
  guesses: (string | null)[];
  steps: number[];
  heads: { previous: number[], induction: number[] };
  history: Measured[];
}

const PAUSE = 900; // milliseconds at a checkpoint

class HeadBirthElement extends LiveFigure {
  static observedAttributes = ["sentence"];
  #baked: Baked | null = null;
  #shown: Expecting | null = null;
  #asked: number | null = null; // the place that the reader chose; else the first that can be known

  #box = sentenceBox("Text", "Type a few characters, and the same again", () => this.#typed());
  #strip = new GuessStrip((place) => this.#ask(place));
  #result = h("p", { class: "hb-result" });
  #why = h("p", { class: "hb-why" });
  #slider = h("input", { type: "range", min: 0, value: 0, step: 1, "aria-label": "Training step", oninput: () => (this.#player.stop(), this.#slid()) });
  #step = h("span", { class: "hb-step" });
  #player = new Player(PAUSE, () => this.#next());
  #off = false; // the head before
  #switch = headSwitch(() => this.#toggle());
  #triangles = { previous: new HeadTriangle("previous-token head", COLOURS.previous), induction: new HeadTriangle("induction head", COLOURS.induction) };
  #charts: BirthCharts | null = null;
  #status = new StatusLine();
  #announcer = new Announcer();

  protected override task = {
    failure: "The text could not be read",
    compute: (models: HeadModel[]) => {
      const model = models[Number(this.#slider.value)];
      return model.attend(this.#box.value, this.#mask(model)) as Expecting;
    },
    show: (map: Expecting) => {
      this.#show(map);
      this.showStatus([READY, ...(map.notes ?? [])].join(" "));
      announce(this, "attention", map);
    },
  };

  /** The map that is shown, with the guesses. */
  get attention() {
    return this.#shown;
  }

  get sentence() {
    return this.#box.value;
  }

  set sentence(text: string) {
    this.setAttribute("sentence", text);
  }

  /** Writes a text into the figure as its reader does by typing it. */
  type(text: string) {
    this.#write(text);
    this.#typed();
  }

  protected get modelNames() {
    const { steps = [] } = this.#baked ?? {};
    return steps.map((step, at) => (at === steps.length - 1 ? "induction" : `induction/step-${step}`));
  }

  protected draw(baked: Baked) {
    this.#baked = baked;
    dressPage("head-map.css", "head-birth.css");
    this.#box.value = this.getAttribute("sentence") ?? "";
    this.#slider.max = String(baked.steps.length - 1);
    this.#charts = new BirthCharts(baked.history, () => this.#announcer.changed());
    this.replaceChildren(this.#box,
      h("div", { class: "hm-tools" }, this.#player.node, h("label", { class: "hm-field hb-slider" }, "Training ", this.#slider, this.#step)),
      this.#strip.node, this.#result,
      h("div", { class: "hm-heads" }, h("span", {}, "Heads"), this.#switch),
      h("div", { class: "hb-triangles" }, this.#triangles.previous.node, this.#triangles.induction.node), this.#why,
      this.#charts.node, this.#status.node, this.#announcer.node);
    grow(this.#box);
    this.#drawSwitch();
    this.#show({ ...decodeMap(baked.map), guesses: baked.guesses, losses: new Float32Array() });
    this.showStatus(EXAMPLE_SHOWN);
    whenTouched(this, () => this.wake());
    takeEarly<HeadBirthElement>(this, "sentence");
  }

  attributeChangedCallback(_: string, __: string | null, text: string | null) {
    if (!this.#baked) return;
    this.#write(text ?? "");
    this.#typed();
  }

  #write(text: string) {
    setValue(this.#box, text);
    grow(this.#box);
  }

  #typed() {
    this.#asked = null;
    this.#changed();
  }

  #slid() {
    this.#mark();
    this.#changed();
  }

  #toggle() {
    this.#off = !this.#off;
    this.#drawSwitch();
    this.#changed();
  }

  #drawSwitch() {
    drawSwitch(this.#switch, "previous-token head", !this.#off, COLOURS.previous);
  }

  #changed() {
    this.#announcer.changed();
    this.update();
  }

  /** Goes to the next checkpoint, from the last to the first; whether there is another. */
  #next() {
    const last = Number(this.#slider.max);
    const at = Number(this.#slider.value);
    this.#slider.value = String(at === last ? 0 : at + 1);
    this.#slid();
    return Number(this.#slider.value) < last;
  }

  #mask({ numLayers, numHeads }: HeadModel): HeadMask {
    return this.#off ? maskOf([(this.#baked as Baked).heads.previous], numLayers, numHeads) : null;
  }

  #ask(place: number) {
    this.#asked = place;
    this.#point();
  }

  // --- drawing

  /** Where in the training the reader is. */
  #mark() {
    const step = (this.#baked as Baked).steps[Number(this.#slider.value)];
    const text = `step ${step}`;
    setText(this.#step, text);
    this.#slider.ariaValueText = text;
    this.#charts?.mark(step);
  }

  #show(map: Expecting) {
    const { heads } = this.#baked as Baked;
    this.#shown = map;
    const all = guessed(map.queryTokens, map.guesses);
    this.#triangles.previous.draw(map, heads.previous, this.#off);
    this.#triangles.induction.draw(map, heads.induction, false);
    this.#strip.draw(map.queryTokens, all);
    setText(this.#result, guessedText(all));
    this.#mark();
    this.#point();
    this.#announcer.drawn(() => `${this.#step.textContent}: ${guessedText(all)}`);
  }

  /** Why the model guesses what it does at one place: where the induction head looks from the character before. */
  #point() {
    const { induction: [layer, head] } = (this.#baked as Baked).heads;
    const map = this.#shown as Expecting;
    const all = guessed(map.queryTokens, map.guesses);
    const first = all.findIndex(({ known }) => known) + 1;
    const place = Math.min(this.#asked ?? (first || all.length), all.length);
    this.#strip.ask(place);
    const query = Math.max(place - 1, 0);
    for (const triangle of Object.values(this.#triangles)) triangle.ask(query);
    if (!place) return setText(this.#why, "");
    const weights = queryWeights(map, layer, head, query);
    const most = weights.indexOf(Math.max(...weights));
    const { guess } = all[place - 1];
    const named = (at: number) => `“${visible(map.queryTokens[at])}”, character ${at + 1}`;
    setText(this.#why, `From ${named(query)}, the induction head looks most at ${named(most)} (${percent(weights[most])}). The guess: ${guess === null ? "one that isn’t in the text" : `“${visible(guess)}”`}.`);
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell(text, act, name);
  }
}

define("head-birth", HeadBirthElement);
