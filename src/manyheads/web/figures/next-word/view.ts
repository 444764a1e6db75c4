// What <next-word> shows: the text so far, the likeliest next words as bars, what reshapes them, and where a head looks.

import { maskOf, offOf, readPart } from "../../doors/state.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { queryWeights } from "../../math/maps.ts";
import { NEUTRAL_COLOUR } from "../../math/names.ts";
import { descending, type Choice, type NextTokens } from "../../math/sampling.ts";
import { directionOf, isUnfinished, joined, percent, visible } from "../../math/text.ts";
import type { Draft } from "../../models/head-model.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions, grow, lineBox, sentenceBox, StatusLine } from "../../views/controls.ts";
import { fill, h, setIdle, setText, setValue } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { playLabel } from "../../views/player.ts";

const BARS = 10;

/** What the build says of the model: the likeliest words of the example, lists of heads by name. */
export interface Example {
  words: [string, number][];
  lists: Record<string, string>; // "18.6 17.3", layer.head from 0
  numLayers: number;
  numHeads: number;
}

export interface NextWordState extends Draft {
  off: number[][]; // [layer, head], from 0
  seed: number;
}

export interface NextWordHost {
  typed: () => void;
  reshaped: () => void; // temperature, top-k, top-p
  cut: () => void; // heads were turned off or on
  write: (id: number | null) => void; // a word that was pressed, or a drawn one
  writeOn: () => void;
  back: () => void;
}

interface Shown {
  next: NextTokens;
  logits: Float32Array; // [token]
  before: NextTokens | null; // with all heads on
  map: AttentionMap;
  wordOf: (id: number) => string;
  begun: string[]; // tokens with the first bytes of a character
  canGoBack: boolean;
}

export class NextWordView {
  state: NextWordState = { text: "", tail: [], off: [], seed: 1 };
  shown: { text: string, off: string, next: { word: string, probability: number, logit: number }[] } | null = null;
  #host: NextWordHost;
  #map: AttentionMap | null = null;
  #size: [layers: number, heads: number];
  #text = sentenceBox("Text so far", "Type the start of a text", (text) => {
    this.state.text = text;
    this.#announcer.changed();
    this.#host.typed();
  }, true);
  #bars = h("ol", { class: "nw-bars", "aria-label": "Likeliest next words" });
  #write = h("button", { type: "button", onclick: () => this.#pressed(() => this.#host.write(null)) }, "Write a word");
  #on = h("button", { type: "button", onclick: () => this.#pressed(() => this.#host.writeOn()) }, playLabel(false));
  #back = h("button", { type: "button", onclick: () => this.#pressed(() => this.#host.back()) }, "Undo");
  #temperature = this.#slider("Temperature", 0, 2, 0.1, 1);
  #topP = this.#slider("Top-p", 0.05, 1, 0.05, 1);
  #topK = chooser("Top-k", () => this.#reshaped());
  #seed = lineBox("Seed", { type: "number", min: 0, step: 1, value: 1 }, (seed) => (this.state.seed = Math.max(0, Math.floor(Number(seed)) || 0)));
  #heads = chooser("Heads off", (off) => this.#cut(off));
  #switches: HTMLElement[]; // of the chosen layer
  #layer = chooser("Layer", () => (this.#drawSwitches(), this.#drawWords()));
  #head = chooser("Head", () => this.#drawWords());
  #first = h("input", { type: "checkbox", onchange: () => this.#drawWords() });
  #words = h("p", { class: "nw-words", role: "group", "aria-label": "What the head looks at" });
  #status = new StatusLine();
  #announcer = new Announcer();

  constructor(root: HTMLElement, state: Partial<NextWordState>, { lists, numLayers, numHeads }: Example, host: NextWordHost) {
    this.#host = host;
    this.#size = [numLayers, numHeads];
    const layers = [...Array(numLayers).keys()];
    const heads = [...Array(numHeads).keys()];
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1));
    fillOptions(this.#topK, ["all", "1", "3", "10", "40"], [0, 1, 3, 10, 40], 0);
    const whole = layers.map((layer) => heads.map((head) => `${layer}.${head}`).join(" "));
    fillOptions(this.#heads, ["none", ...Object.keys(lists), "those switched off", ...numbers(numLayers).map((number) => `all of layer ${number}`)],
      ["", ...Object.values(lists), "own", ...whole], "");
    const [first = "0.0"] = Object.values(lists)[0]?.split(" ") ?? [];
    fillOptions(this.#layer, numbers(numLayers), layers, first.split(".")[0]);
    fillOptions(this.#head, numbers(numHeads), heads, first.split(".")[1]);
    this.#switches = heads.map((head) => headSwitch(() => this.#toggle(head)));
    root.replaceChildren(this.#status.node, this.#text,
      h("div", { class: "hm-tools nw-writing" }, this.#write, this.#on, this.#back),
      this.#bars,
      h("div", { class: "hm-tools" }, this.#temperature.node, field(this.#topK), this.#topP.node, field(this.#seed)),
      h("div", { class: "hm-tools" }, field(this.#heads), field(this.#layer)),
      h("div", { class: "hm-heads" }, ...this.#switches),
      h("div", { class: "nw-map" },
        h("div", { class: "hm-tools" }, field(this.#head), h("label", { class: "hm-field" }, this.#first, " Hide the first token")), this.#words),
      this.#announcer.node);
    this.update(state);
    setIdle(this.#back, true);
  }

  get choice(): Choice {
    return { temperature: Number(this.#temperature.input.value), topK: Number(this.#topK.value), topP: Number(this.#topP.input.value) };
  }

  /** [layer][head] -> whether it is on; null where all are. */
  get headMask() {
    return maskOf(this.state.off, ...this.#size);
  }

  set writing(writes: boolean) {
    setText(this.#on, playLabel(writes));
  }

  /** Takes over parts of the state that changed elsewhere. */
  update(state: Partial<NextWordState>) {
    Object.assign(this.state, state);
    if (this.#text.value !== this.state.text) {
      this.#text.value = this.state.text;
      grow(this.#text);
      this.#text.scrollTop = this.#text.scrollHeight; // where it was written
    }
    const off = offOf(this.headMask);
    const listed = [...this.#heads.options].some(({ value }) => value === off);
    setValue(this.#heads, listed ? off : "own");
    this.#drawSwitches();
  }

  /** Chooses the head of the map; null leaves the layer or the head as it is. */
  aim(layer: string | null, head: string | null) {
    if (layer !== null) setValue(this.#layer, layer);
    this.#drawSwitches();
    if (head !== null) setValue(this.#head, head);
    this.#drawWords();
  }

  /** What the build computed, before the model is here. */
  showExample(words: [string, number][]) {
    this.#drawBars(words.map(([word, share], id) => ({ id, word, share, before: null })), [], true);
  }

  show({ next, logits, before, map, wordOf, begun, canGoBack }: Shown) {
    this.#map = map;
    const earlier = new Map(before ? before.ids.map((id, at) => [id, before.shares[at]]) : []);
    const likeliest = this.choice.temperature === 0 ? descending(logits) : []; // what isn't written keeps its row, and the figure its height
    const ids = [...new Set([...next.ids.slice(0, BARS), ...likeliest.slice(0, BARS)])].slice(0, BARS);
    const rows = ids.map((id, at) => ({ id, word: wordOf(id), share: next.shares[at] ?? 0, before: before && (earlier.get(id) ?? 0) }));
    this.shown = { text: this.state.text, off: offOf(this.headMask), next: rows.slice(0, next.ids.length).map(({ id, word, share }) => ({ word, probability: share, logit: logits[id] })) };
    this.markOld(false);
    this.#drawBars(rows, begun, false);
    setIdle(this.#back, !canGoBack);
    this.#drawWords();
    this.#announcer.drawn(() => `Likeliest next: ${rows.slice(0, Math.min(next.ids.length, 3)).map(({ word, share }) => `${word.trim()}, ${percent(share)}`).join("; ")}.`);
  }

  /** Greys the bars that don't answer to the text above them. */
  markOld(old: boolean) {
    this.#bars.classList.toggle("hm-stale", old);
  }

  setStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell(text, act, name);
  }

  // --- what the reader does

  #pressed(act: () => void) {
    this.#announcer.changed();
    act();
  }

  #reshaped() {
    this.#announcer.changed();
    this.#host.reshaped();
  }

  #cut(off: string) {
    if (off === "own") return this.#switches[0].focus();
    this.#turnOff(readPart("off", off).off ?? []);
  }

  #turnOff(off: number[][]) {
    this.#announcer.changed();
    this.update({ off });
    this.#host.cut();
  }

  /** Turns a head of the chosen layer off, or on again. */
  #toggle(head: number) {
    const layer = Number(this.#layer.value);
    const rest = this.state.off.filter((one) => one[0] !== layer || one[1] !== head);
    this.#turnOff(rest.length < this.state.off.length ? rest : [...rest, [layer, head]]);
  }

  #drawSwitches() {
    const layer = this.headMask?.[Number(this.#layer.value)];
    this.#switches.forEach((node, head) => drawSwitch(node, `head ${head + 1}`, layer?.[head] ?? true, NEUTRAL_COLOUR));
  }

  #slider(name: string, min: number, max: number, step: number, value: number) {
    const number = h("span", { class: "nw-number" }, String(value));
    const input = h("input", { type: "range", min, max, step, value, "aria-label": name, oninput: () => {
      setText(number, input.value);
      this.#reshaped();
    } });
    return { input, node: h("label", { class: "hm-field" }, `${name} `, input, number) };
  }

  // --- drawing

  #drawBars(rows: { id: number, word: string, share: number, before: number | null }[], begun: string[], idle: boolean) {
    const items = fill(this.#bars, rows.length, () => h("li", {}, h("button", { type: "button", onclick: (event: Event) =>
      this.#pressed(() => this.#host.write(Number((event.currentTarget as HTMLElement).dataset.id))) }),
    h("span", { class: "nw-bar" }, h("i"), h("i")), h("span", { class: "nw-share" })));
    rows.forEach(({ id, word, share, before }, at) => {
      const [button, bar, number] = items[at].children as unknown as HTMLElement[];
      button.dataset.id = String(id);
      const made = joined([...begun, word]);
      const label = begun.length && !isUnfinished(made) ? `${visible(word)} ${made.trim()}` : visible(word);
      setText(button, label);
      setIdle(button, idle);
      button.ariaLabel = `Write “${label.replace(/^\u2423(?!$)/, "")}”, ${percent(share)}`;
      bar.style.setProperty("--share", share.toFixed(4));
      bar.style.setProperty("--before", (before ?? 0).toFixed(4));
      bar.classList.toggle("nw-compared", before !== null);
      setText(number, before === null ? percent(share) : `${percent(share)}, all heads on: ${percent(before)}`);
    });
  }

  /** Where the chosen head looks from the last token. */
  #drawWords() {
    const map = this.#map;
    if (!map) return;
    const tokens = map.keyTokens;
    const row = Float32Array.from(queryWeights(map, Number(this.#layer.value), Number(this.#head.value), map.queryTokens.length - 1)); // the last asks
    if (this.#first.checked) row[0] = 0;
    const most = Math.max(...row, 1e-9);
    const words = fill(this.#words, tokens.length, () => h("span"));
    this.#words.dir = directionOf(tokens);
    tokens.forEach((token, at) => {
      const word = words[at] as HTMLElement;
      setText(word, visible(token));
      word.style.setProperty("--share", (row[at] / (this.#first.checked ? most : Math.max(most, 0.4))).toFixed(3));
      word.title = percent(row[at]);
      word.ariaLabel = `${token.trim()}: ${percent(row[at])}`;
      word.setAttribute("role", "img");
    });
  }
}
