// What <next-word> shows: the text so far, the likeliest next words as bars, what reshapes them, and where a head looks.

import { readPart } from "../../doors/state.ts";
import { isAmong, wholeLayers } from "../../math/heads-off.ts";
import { queryWeights } from "../../math/maps.ts";
import { NEUTRAL_COLOUR } from "../../math/names.ts";
import type { Choice } from "../../math/sampling.ts";
import { directionOf, isUnfinished, joined, percent, visible } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions, grow, lineBox, sentenceBox, StatusLine } from "../../views/controls.ts";
import { fill, h, setIdle, setText, setValue } from "../../views/dom.ts";
import { HeadGroups } from "../../views/head-groups.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { playLabel } from "../../views/player.ts";
import { reduce, startWith, type Action, type Asked, type State } from "./state.ts";

const PACE = 90; // milliseconds between words that are written on, so that they can be read

/** What the build says of the model: the likeliest words of the example, lists of heads by name. */
export interface Example {
  words: [string, number][];
  lists: Record<string, string>; // "18.6 17.3", layer.head from 0
  numLayers: number;
  numHeads: number;
}

export interface NextWordHost {
  changed: (names: (keyof Asked)[]) => void; // of the state: another answer is needed
  painted: () => void; // the bars
}

export class NextWordView {
  state: State;
  #host: NextWordHost;
  #lists: Record<string, number[][]>;
  #pace: ReturnType<typeof setTimeout> | null = null;
  #text = sentenceBox("Text so far", "Type the start of a text", (text) => this.#act({ type: "set", parts: { text } }), true);
  #bars = h("ol", { class: "nw-bars", "aria-label": "Likeliest next words" });
  #on = h("button", { type: "button", onclick: () => this.#act({ type: "play" }) });
  #back = h("button", { type: "button", onclick: () => this.#act({ type: "back" }) }, "Undo");
  #groups = new HeadGroups((off) => this.#act({ type: "set", parts: { off } }));
  #switches: HTMLElement[]; // of the chosen layer
  #layer = chooser("Layer", (layer) => this.dispatch({ type: "look", parts: { layer: Number(layer) } }));
  #head = chooser("Head", (head) => this.dispatch({ type: "look", parts: { head: Number(head) } }));
  #words = h("p", { class: "nw-words", role: "group", "aria-label": "What the head looks at" });
  #status = new StatusLine();
  #announcer = new Announcer();

  constructor(root: HTMLElement, parts: Partial<State>, { words, lists, numLayers, numHeads }: Example, host: NextWordHost) {
    this.#host = host;
    const named = Object.entries(lists).map(([name, heads]) => [name, readPart("off", heads).off ?? []] as const);
    const [[layer, head] = [0, 0]] = named[0]?.[1] ?? [];
    this.#lists = { ...Object.fromEntries(named), ...wholeLayers(numLayers, numHeads) };
    this.state = startWith({ layer, head, ...parts }, [numLayers, numHeads], words);
    const [layers, heads] = this.state.size.map((count) => [...Array(count).keys()]);
    const numbers = (places: number[]) => places.map((at) => String(at + 1));
    fillOptions(this.#layer, numbers(layers), layers, layer);
    fillOptions(this.#head, numbers(heads), heads, head);
    this.#switches = heads.map((each) => headSwitch(() => this.#act({ type: "toggle", head: each })));
    const topK = chooser("Top-k", (count) => this.#act({ type: "shape", parts: { topK: Number(count) } }));
    fillOptions(topK, ["all", "1", "3", "10", "40"], [0, 1, 3, 10, 40], 0);
    const seed = lineBox("Seed", { type: "number", min: 0, step: 1, value: 1 }, (text) => this.dispatch({ type: "seed", seed: Math.max(0, Math.floor(Number(text)) || 0) }));
    const hides = h("input", { type: "checkbox", onchange: () => this.dispatch({ type: "look", parts: { hidesFirst: hides.checked } }) });
    root.replaceChildren(this.#status.node, this.#text,
      h("div", { class: "hm-tools nw-writing" }, h("button", { type: "button", onclick: () => this.#act({ type: "write", id: null }) }, "Write a word"), this.#on, this.#back),
      this.#bars,
      h("div", { class: "hm-tools" }, this.#slider("Temperature", "temperature", 0, 2, 0.1), field(topK), this.#slider("Top-p", "topP", 0.05, 1, 0.05), field(seed)),
      h("div", { class: "hm-tools" }, field(this.#groups.node), field(this.#layer)),
      h("div", { class: "hm-heads" }, ...this.#switches),
      h("div", { class: "nw-map" },
        h("div", { class: "hm-tools" }, field(this.#head), h("label", { class: "hm-field" }, hides, " Hide the first token")), this.#words),
      this.#announcer.node);
    this.#drawControls();
    this.#drawBars();
  }

  /** Changes the state, and does what then has to be done. */
  dispatch(action: Action) {
    const { state, needs, changed, message } = reduce(this.state, action);
    this.state = state;
    this.#drawControls();
    if (needs === "draw") this.#drawBars();
    if (needs === "draw" || needs === "look") this.#drawWords();
    if (needs === "draw") this.#painted();
    if (message) this.setStatus(message);
    if (changed) this.#host.changed(changed);
    if (state.left && !state.waits && !this.#pace) this.#pace = setTimeout(() => (this.#pace = null, this.dispatch({ type: "go on" })), PACE);
  }

  /** The reader did. */
  #act(action: Action) {
    this.#announcer.changed();
    this.dispatch(action);
  }

  /** Takes over parts of the state that changed elsewhere. */
  update(parts: Asked) {
    this.dispatch({ type: "take", parts });
  }

  setStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell(text, act, name);
  }

  #painted() {
    const words = this.state.shown!.next.slice(0, 3);
    this.#announcer.drawn(() => `Likeliest next: ${words.map(({ word, probability }) => `${word.trim()}, ${percent(probability)}`).join("; ")}.`);
    this.#host.painted();
  }

  #slider(name: string, part: keyof Choice, min: number, max: number, step: number) {
    const number = h("span", { class: "nw-number" }, "1");
    const input = h("input", { type: "range", min, max, step, value: 1, "aria-label": name, oninput: () => {
      setText(number, input.value);
      this.#act({ type: "shape", parts: { [part]: Number(input.value) } });
    } });
    return h("label", { class: "hm-field" }, `${name} `, input, number);
  }

  // --- drawing

  #drawControls() {
    const { text, off, layer, head, plays, earlier, stale } = this.state;
    if (this.#text.value !== text) {
      this.#text.value = text;
      grow(this.#text);
      this.#text.scrollTop = this.#text.scrollHeight; // where it was written
    }
    setText(this.#on, playLabel(plays));
    setIdle(this.#back, !earlier.length);
    this.#groups.draw(this.#lists, off);
    setValue(this.#layer, String(layer));
    setValue(this.#head, String(head));
    this.#switches.forEach((node, each) => drawSwitch(node, `head ${each + 1}`, !isAmong(off, [layer, each]), NEUTRAL_COLOUR));
    this.#bars.classList.toggle("hm-stale", stale); // they don't answer to the text above them
  }

  #drawBars() {
    const { bars, answer, vocabulary } = this.state;
    const begun = answer?.tail.map((id) => vocabulary!.wordOf(id)) ?? []; // the first bytes of a character
    const items = fill(this.#bars, bars.length, (at) => h("li", {}, h("button", { type: "button", onclick: () => this.#act({ type: "write", id: this.state.bars[at].id }) }),
      h("span", { class: "nw-bar" }, h("i"), h("i")), h("span", { class: "nw-share" })));
    bars.forEach(({ word, share, before }, at) => {
      const [button, bar, number] = items[at].children as unknown as HTMLElement[];
      const made = joined([...begun, word]);
      const label = begun.length && !isUnfinished(made) ? `${visible(word)} ${made.trim()}` : visible(word);
      setText(button, label);
      setIdle(button, !answer);
      button.ariaLabel = `Write “${label.replace(/^\u2423(?!$)/, "")}”, ${percent(share)}`;
      bar.style.setProperty("--share", share.toFixed(4));
      bar.style.setProperty("--before", (before ?? 0).toFixed(4));
      bar.classList.toggle("nw-compared", before !== null);
      setText(number, before === null ? percent(share) : `${percent(share)}, all heads on: ${percent(before)}`);
    });
  }

  /** Where the chosen head looks from the last token. */
  #drawWords() {
    const { answer, layer, head, hidesFirst } = this.state;
    if (!answer) return;
    const { map } = answer.now;
    const tokens = map.keyTokens;
    const row = Float32Array.from(queryWeights(map, layer, head, map.queryTokens.length - 1)); // the last asks
    if (hidesFirst) row[0] = 0;
    const most = Math.max(...row, 1e-9);
    const words = fill(this.#words, tokens.length, () => h("span"));
    this.#words.dir = directionOf(tokens);
    tokens.forEach((token, at) => {
      const word = words[at] as HTMLElement;
      setText(word, visible(token));
      word.style.setProperty("--share", (row[at] / (hidesFirst ? most : Math.max(most, 0.4))).toFixed(3));
      word.title = percent(row[at]);
      word.ariaLabel = `${token.trim()}: ${percent(row[at])}`;
      word.setAttribute("role", "img");
    });
  }
}
