// What <next-word> shows: the text with the next word as a ghost behind it, the likeliest words as bars, the heads, and in the text
// where one of them looks.

import { readPart } from "../../doors/state.ts";
import { isAmong } from "../../math/heads-off.ts";
import { queryWeights } from "../../math/maps.ts";
import { NEUTRAL_COLOUR } from "../../math/names.ts";
import type { Choice } from "../../math/sampling.ts";
import { directionOf, isUnfinished, joined, percent, visible } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import {
  chooser,
  field,
  fillOptions,
  lineBox,
  OFFER,
  sentenceBox,
  setTyped,
  StatusLine,
  type Told,
} from "../../views/controls.ts";
import { fill, h, setIdle, setProps, setText } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { inSight } from "../../views/in-sight.ts";
import { makePanel } from "../../views/panel.ts";
import { playLabel } from "../../views/player.ts";
import { WhyThere } from "../../views/why-there.ts";
import { HeadSquares } from "./head-squares.ts";
import {
  conditionsOf,
  isWaiting,
  isWhole,
  reduce,
  startWith,
  type Action,
  type Asked,
  type State,
  type Stored,
} from "./state.ts";

const PACE = 140; // milliseconds between words that are written on, so that they can be read
const SEEN = 4; // bars at first: the likeliest word and three rivals
const STRONG = 0.4; // of attention, which is coloured most
const LONG = 20_000; // characters: a text of more is not written a second time at every keystroke, and its box is seen itself

/** What the build says of the model: answers that are stored, lists of heads by name. */
export interface Example {
  stored: (Omit<Stored, "off"> & { off: string })[]; // "18.6 17.3", layer.head from 0
  lists: Record<string, string>;
  numLayers: number;
  numHeads: number;
}

/** The heads that a text names: "23.4 16.0", or as a list of them is called. */
export const headsIn = (text: string | null, lists: Record<string, string> = {}) =>
  readPart("off", lists[text ?? ""] ?? text).off ?? [];

export interface NextWordHost {
  changed: (names: (keyof Asked)[]) => void; // of the state: another answer is needed
  painted: () => void; // the bars
}

export class NextWordView {
  state: State;
  #host: NextWordHost;
  #lists: Record<string, number[][]>;
  #rests = false; // between two words that are written on
  #text = sentenceBox("Text so far", "Type the start of a text", (text) => this.#act({ type: "type", text }), true);
  #words = h("p", { class: "nw-words" });
  #coloured = h("span");
  #space = document.createTextNode(""); // before the next word, which may begin a line
  #ghost = h("button", {
    type: "button",
    class: "nw-ghost",
    tabindex: -1,
    "aria-hidden": "true",
    onclick: () => this.#act({ type: "write", bar: this.state.tried ?? 0 }),
  });
  #page = h("div", { class: "nw-page" }, h("div", { class: "nw-sheet" }, this.#text, this.#words));
  #conditions = h("p", { class: "nw-conditions" });
  #bars = h("ol", { class: "nw-bars", "aria-label": "Likeliest next words" });
  #more = h("ol", { class: "nw-bars", start: SEEN + 1, "aria-label": "Less likely next words" });
  #on = h("button", { type: "button", class: "hm-play", onclick: () => this.#act({ type: "play" }) });
  #back = h("button", { type: "button", onclick: () => this.#act({ type: "back" }) }, "Undo");
  #temperature = this.#slider("Temperature", "temperature", 0, 2, 0.1);
  #topP = this.#slider("Top-p", "topP", 0.05, 1, 0.05);
  #off = h("span");
  #allOn = h(
    "button",
    { type: "button", onclick: () => this.#act({ type: "set", parts: { off: [], masked: false } }) },
    "Put back",
  );
  #rest = h("details", { class: "nw-more" }, h("summary", {}, "Less likely words"), this.#more);
  #heads = new HeadSquares((parts) => this.dispatch({ type: "look", parts }));
  #switch = headSwitch(() => this.#act({ type: "toggle", head: this.state.head }));
  #whole = this.#group(() => layerOf(this.state));
  #named: HTMLButtonElement[];
  #looks = h("p", { class: "nw-looks" });
  #whyThere = new WhyThere();
  #hides = h("input", {
    type: "checkbox",
    onchange: () => this.dispatch({ type: "look", parts: { hidesFirst: this.#hides.checked } }),
  });
  #masks = h("input", {
    type: "checkbox",
    onchange: () => this.#act({ type: "set", parts: { masked: this.#masks.checked } }),
  });
  #status = new StatusLine();
  #announcer = new Announcer();

  constructor(
    root: HTMLElement,
    parts: Partial<State>,
    { stored, lists, numLayers, numHeads }: Example,
    host: NextWordHost,
  ) {
    this.#host = host;
    this.#lists = Object.fromEntries(Object.entries(lists).map(([name, heads]) => [name, headsIn(heads)]));
    const [[layer, head] = [0, 0]] = Object.values(this.#lists)[0] ?? [];
    const read = stored.map(({ off, ...one }) => ({ ...one, off: headsIn(off) }));
    this.state = startWith({ layer, head, ...parts, stored: read }, [numLayers, numHeads]);
    this.#named = Object.keys(this.#lists).map((name) => this.#group(() => this.#lists[name]));
    const topK = chooser("Top-k", (count) => this.#act({ type: "shape", parts: { topK: Number(count) } }));
    fillOptions(topK, ["all", "1", "3", "10", "40"], [0, 1, 3, 10, 40], 0);
    const seed = lineBox("Seed", { type: "number", min: 0, step: 1, value: 1 }, (text) =>
      this.dispatch({ type: "seed", seed: Math.max(0, Math.floor(Number(text)) || 0) }),
    );
    this.#status.node.classList.add(OFFER);
    this.#words.append(this.#coloured, this.#space, this.#ghost);
    this.#whyThere.node.hidden = true;
    const first = (text: string, box: HTMLElement) => h("label", { class: "nw-check" }, box, text);
    const tools = makePanel("Tools", [
      h(
        "div",
        { class: "hm-fields" },
        field(topK),
        this.#topP.node,
        field(seed),
        first("Mask the first token", this.#masks),
        first("Hide the first token’s colour", this.#hides),
      ),
    ]);
    root.replaceChildren(
      this.#page,
      h("div", { class: "nw-edge" }, this.#status.node, tools.button),
      tools.node,
      this.#conditions,
      this.#bars,
      this.#rest,
      h(
        "div",
        { class: "hm-tools nw-writing" },
        this.#on,
        h("button", { type: "button", onclick: () => this.#act({ type: "write", bar: null }) }, "Write a word"),
        this.#back,
        this.#temperature.node,
      ),
      this.#heads.node,
      this.#looks,
      h("div", { class: "hm-tools nw-switches" }, this.#switch, this.#whole, ...this.#named),
      this.#whyThere.node,
      h("p", { class: "nw-off" }, this.#off, " ", this.#allOn),
      this.#announcer.node,
    );
    this.#drawControls();
    this.#drawBars();
    this.#drawWords();
  }

  /** Changes the state, and does what then has to be done. */
  dispatch(action: Action) {
    const { state, needs, changed, message } = reduce(this.state, action);
    this.state = state;
    this.#drawControls();
    if (needs === "draw") this.#drawBars();
    this.#drawWords();
    if (needs === "draw") this.#painted();
    if (message) this.setStatus(message);
    if (changed) this.#host.changed(changed);
    if (this.state.phase !== "writing" || this.#rests) return;
    this.#rests = true;
    inSight(PACE, () => ((this.#rests = false), this.dispatch({ type: "go on" })));
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

  setStatus(...[text, ...rest]: Told) {
    this.#status.tell(text, ...rest);
  }

  /** Greys what doesn't answer to the text. */
  markOld(stale: boolean) {
    this.dispatch({ type: "stale", stale });
  }

  #painted() {
    const words = this.state.bars.slice(0, 3);
    const conditions = conditionsOf(this.state);
    this.#announcer.drawn(
      () =>
        `Likeliest next: ${words.map(({ word, share }) => `${word.trim()}, ${percent(share)}`).join("; ")}${conditions && `, ${conditions}`}.`,
    );
    if (this.state.shown) this.#host.painted();
  }

  #slider(name: string, part: keyof Choice, min: number, max: number, step: number) {
    const number = h("span", { class: "nw-number" });
    const input = h("input", {
      type: "range",
      min,
      max,
      step,
      value: 1,
      "aria-label": name,
      oninput: () => this.#act({ type: "shape", parts: { [part]: Number(input.value) } }),
    });
    const draw = () => {
      const value = String(this.state.choice[part]);
      setText(number, value);
      if (Number(input.value) !== Number(value)) input.value = value;
    };
    return { node: h("label", { class: "hm-field" }, `${name} `, input, number), draw };
  }

  /** A switch of several heads. */
  #group(heads: () => number[][]) {
    return headSwitch(() => {
      const [{ off }, group] = [this.state, heads()];
      const others = off.filter((one) => !isAmong(group, one));
      this.#act({
        type: "set",
        parts: { off: group.every((one) => isAmong(off, one)) ? others : [...others, ...group] },
      });
    });
  }

  // --- drawing

  #drawControls() {
    const { text, off, masked, layer, head, hidesFirst, plays, earlier, phase } = this.state;
    if (this.#text.value !== text) {
      setTyped(this.#text, text);
      for (const part of [this.#page, this.#text]) part.scrollTop = part.scrollHeight; // where it was written
    }
    setText(this.#on, playLabel(plays));
    setIdle(this.#back, !earlier.length);
    const conditions = conditionsOf(this.state);
    setText(this.#conditions, `Next word${conditions && `, ${conditions}`}`);
    this.#temperature.draw();
    this.#topP.draw();
    setText(this.#off, offText(this.state));
    this.#off.parentElement!.classList.toggle("nw-none", isWhole(this.state));
    const isOn = (group: number[][]) => !group.every((one) => isAmong(off, one));
    drawSwitch(this.#switch, `layer ${layer + 1}, head ${head + 1}`, isOn([[layer, head]]), NEUTRAL_COLOUR);
    drawSwitch(this.#whole, `all of layer ${layer + 1}`, isOn(layerOf(this.state)), NEUTRAL_COLOUR);
    Object.entries(this.#lists).forEach(([name, group], at) => {
      this.#named[at].hidden = this.state.isFile;
      drawSwitch(this.#named[at], name, isOn(group), NEUTRAL_COLOUR);
    });
    setProps(this.#hides, { checked: hidesFirst });
    setProps(this.#masks, { checked: masked });
    for (const list of [this.#bars, this.#more]) list.classList.toggle("hm-stale", phase === "stale"); // they don't answer to the text above them
    this.#heads.draw(this.state);
  }

  #drawBars() {
    const { bars, answer } = this.state;
    const begun = answer?.tail.map((id) => answer.vocabulary.wordOf(id)) ?? []; // the first bytes of a character
    const makeBar = (at: number) => {
      const tries = (bar: number | null) => () => this.dispatch({ type: "try", bar });
      return h(
        "li",
        {},
        h("button", {
          type: "button",
          onclick: () => this.#act({ type: "write", bar: at }),
          onpointerenter: tries(at),
          onpointerleave: tries(null),
          onfocus: tries(at),
          onblur: tries(null),
        }),
        h("span", { class: "nw-bar" }, h("i"), h("i")),
        h("span", { class: "nw-share" }),
      );
    };
    const first = fill(this.#bars, Math.min(bars.length, SEEN), makeBar);
    const items = [...first, ...fill(this.#more, bars.length - first.length, (at) => makeBar(at + SEEN))];
    bars.forEach(({ word, share, before }, at) => {
      const [button, bar, number] = items[at].children as unknown as HTMLElement[];
      const made = joined([...begun, word]);
      const label = begun.length && !isUnfinished(made) ? `${visible(word)} ${made.trim()}` : visible(word);
      setText(button, label.replace(/^\u2423(?!$)/, "")); // a word's space goes without saying
      button.ariaLabel = `Write “${button.textContent}”, ${percent(share)}`;
      bar.style.setProperty("--share", share.toFixed(4));
      bar.style.setProperty("--before", (before ?? 0).toFixed(4));
      bar.classList.toggle("nw-compared", before !== null);
      setText(number, before === null ? percent(share) : `${percent(share)}, was ${percent(before)}`);
    });
  }

  /** The text, behind which its box lies, on request in the colour of what the chosen head looks at from the last token; and the next word. */
  #drawWords() {
    const { text, tail, answer, shown, layer, head, hidesFirst, looks, bars, tried, phase } = this.state;
    const long = text.length > LONG;
    this.#page.classList.toggle("nw-long", long);
    const map = looks && !long && shown?.text === text ? answer?.now.map : undefined;
    const pieces = map && piecesOf(map.keyTokens, text);
    const end = tail.map((id) => answer!.vocabulary.wordOf(id)).join("");
    const ghost = phase === "stale" || !bars.length ? "" : bars[tried ?? 0].word;
    const isWord = /^ ?[^\s\p{C}]/u.test(ghost);
    setText(this.#space, isWord && ghost.startsWith(" ") ? " " : "\u200b"); // else a last line break would make no line
    setText(this.#ghost, isWord ? ghost.trimStart() : visible(ghost));
    this.#ghost.hidden = !ghost;
    mark(this.#words, {
      role: pieces && "group",
      "aria-label": pieces && "What the head looks at",
      "aria-hidden": !pieces && "true",
    });
    if (!isWaiting(this.state)) this.#whyThere.node.hidden = !(pieces && map?.scoreParts);
    if (!map || !pieces) {
      setText(
        this.#looks,
        !looks
          ? answer
            ? "A square is a head, a column a layer. The brighter, the less it looks at the first token. Press one to see where."
            : "A square is a head, a column a layer. Where each of them looks is seen once the model has loaded."
          : long
            ? `A text of more than ${LONG} characters takes on no colour.`
            : "The text takes on the colour of what a head looks at once the model has answered.",
      );
      this.#coloured.dir = "auto";
      if (this.#coloured.firstElementChild) this.#coloured.replaceChildren(); // words in colour
      return setText(this.#coloured, long ? "" : text + end);
    }
    const row = Float32Array.from(queryWeights(map, layer, head, map.queryTokens.length - 1)); // the last asks
    if (hidesFirst) row[0] = 0;
    const most = Math.max(...row, 1e-9);
    this.#coloured.dir = directionOf(map.keyTokens);
    if (!this.#coloured.firstElementChild) this.#coloured.replaceChildren();
    const words = fill(this.#coloured, pieces.length, () => h("span"));
    pieces.forEach(({ shown: written, token, from, to }, at) => {
      const word = words[at] as HTMLElement;
      const share = row.subarray(from, to).reduce((sum, weight) => sum + weight, 0);
      setText(word, written);
      word.style.setProperty(
        "--share",
        token ? (share / (hidesFirst ? most : Math.max(most, STRONG))).toFixed(3) : "0",
      );
      mark(word, { role: token && "img", "aria-label": token && `${token.trim()}: ${percent(share)}` });
    });
    const best = row.indexOf(Math.max(...row));
    setText(
      this.#looks,
      `From the last token, head ${head + 1} of layer ${layer + 1} looks most at “${visible(map.keyTokens[best])}”, ${percent(row[best])}${hidesFirst ? ", the first apart" : ""}.`,
    );
    if (map.scoreParts) this.#whyThere.ask(map, { layer, head, query: map.queryTokens.length - 1, key: best });
  }
}

/** The heads of the chosen layer. */
const layerOf = ({ layer, size: [, heads] }: State) => Array.from({ length: heads }, (_, head) => [layer, head]);

/** Gives a node attributes, and takes those away that are empty. */
function mark(node: Element, attributes: Record<string, string | false | null | undefined>) {
  for (const [name, value] of Object.entries(attributes))
    if (!value) node.removeAttribute(name);
    else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** A part of the text, and which tokens it is; none of what the model doesn't read. */
interface Piece {
  shown: string;
  token: string;
  from: number;
  to: number;
}

/** A text in its tokens, those of one character together; null where it can't be told apart. */
function piecesOf(tokens: string[], text: string): Piece[] | null {
  const pieces: Piece[] = [];
  let from = 0;
  for (let to = 1; to <= tokens.length; to++) {
    const token = joined(tokens.slice(from, to));
    if (isUnfinished(token) && to < tokens.length) continue;
    pieces.push({ shown: token, token, from, to });
    from = to;
  }
  const last = pieces.at(-1);
  const read = pieces.map(({ shown }) => shown).join("");
  const whole = last && isUnfinished(last.shown) ? read.slice(0, -last.shown.length) : read; // bytes that are written already
  if (!text.endsWith(whole)) return null;
  const before = text.slice(0, text.length - whole.length); // more than the model reads
  return before ? [{ shown: before, token: "", from: 0, to: 0 }, ...pieces] : pieces;
}

/** What isn't as it is in the model, from 1. */
function offText({ off, masked }: State) {
  const names = off.map(([layer, head]) => `head ${head + 1} of layer ${layer + 1}`);
  const parts = [
    ...(off.length ? [`Off: ${off.length > 3 ? `${off.length} heads` : names.join(", ")}`] : []),
    ...(masked ? [off.length ? "the first token is masked" : "The first token is masked"] : []),
  ];
  return `${parts.join("; ")}.`;
}
