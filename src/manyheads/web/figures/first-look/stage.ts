// The stage of <first-look>: the sentence in the middle; below it an arc to the word that a head of layer 1 finds, with the switch of
// that head; above it the way to the answer, on a dial.

import { whenSeen } from "../../doors/page-element.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { withOff } from "../../math/heads-off.ts";
import { colourOf, headName, likeliest } from "../../math/maps.ts";
import { DEPTH } from "../../math/names.ts";
import { percent } from "../../math/text.ts";
import { fill, h, setText } from "../../views/dom.ts";
import { finding, foundBelow, lean, rangesOf, type Found } from "./found.ts";

const FIRST = 0; // layer
const NAMESPACE = "http://www.w3.org/2000/svg";
const [LOW, SLOPE, HIGH] = [18, 0.16, 58]; // pixels that the arc hangs: at least, for each pixel of its width, at most
const [THIN, THICK] = [1, 5]; // pixels of an arc: at no weight, and what a weight of 1 adds
const QUARTER = 90; // degrees that the needle swings to either side
const PULSE = { duration: 1400, easing: "ease-out" };

export interface Shown {
  map: AttentionMap;
  sentence: string;
  on: boolean; // the head of layer 1
  answers: boolean; // the head that the answer rests on
  off: number; // heads
}

function drawn<Name extends keyof SVGElementTagNameMap>(name: Name, attributes: Record<string, string | number> = {}) {
  const node = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}

export class Stage {
  readonly node: HTMLElement;
  readonly switch: HTMLButtonElement;
  readonly head: number;
  readonly answer: string; // the name of a prediction, and of the head that was taught for it
  #label = h("b");
  #share = h("span");
  #ends = [h("span"), h("span")]; // of the dial
  #off = h("small"); // how many heads are off
  #needle = drawn("path", { d: "M0 0V-50", class: "fl-needle" });
  #dial: HTMLElement;
  #marks = h("div", { class: "fl-marks fl-middle" });
  #says = h("p", { class: "fl-says fl-middle" });
  #act: HTMLElement;
  #arcs = drawn("svg", { class: "fl-arcs", "aria-hidden": "true" });
  #down = drawn("path", { class: "fl-down", pathLength: 1 });
  #up = drawn("path", { class: "fl-up", pathLength: 1 });
  #words: (HTMLElement | null)[] = []; // by token, what lies under it
  #found: Found | null = null;

  constructor(head: number, answer: string, press: () => void, doors: HTMLElement[]) {
    this.head = head;
    this.answer = answer;
    this.#arcs.append(this.#down, this.#up);
    const dial = drawn("svg", { viewBox: "-66 -60 132 66", "aria-hidden": "true" });
    dial.append(drawn("path", { d: "M-58 0A58 58 0 0 1 58 0" }), this.#needle, drawn("circle", { r: 5 }));
    this.#dial = h("div", { class: "fl-dial" }, dial);
    this.switch = h("button", { type: "button", class: "fl-switch", onclick: press });
    this.#act = h("div", { class: "fl-act" }, this.switch);
    const below = h("div", { class: "fl-below" }, this.#act, this.#says, h("div", { class: "fl-doors" }, ...doors));
    this.node = h(
      "section",
      { class: "fl-stage", "aria-label": "One arc" },
      h(
        "div",
        { class: "fl-answer" },
        h("p", { class: "fl-verdict fl-middle" }, h("span", {}, answer), this.#label, this.#share),
        h("div", { class: "fl-scale" }, this.#ends[0], this.#dial, this.#ends[1], this.#off),
      ),
      h("div", { class: "fl-ground", "aria-hidden": "true" }, this.#marks),
      below,
      this.#arcs,
    );
  }

  /** Shows a map; gives whether its answer is another one than before. */
  draw({ map, sentence, on, answers, off }: Shown) {
    const below = foundBelow(map, this.head, this.answer);
    const { node } = this;
    node.style.setProperty("--head", colourOf(headName(map, FIRST, this.head)));
    node.style.setProperty("--answer", colourOf(this.answer));
    node.classList.toggle("fl-off", !on);
    node.classList.toggle("fl-mute", !answers);
    node.classList.toggle("fl-finds", below.found !== null);
    node.classList.remove("fl-waits");
    this.#found = below;
    setText(this.#says, finding(map, below, this.answer, on));
    setText(this.switch, on ? "Turn this head off" : "Turn it on again");
    this.#mark(map, sentence, below);
    this.place();
    return this.#tell(map.predictions[this.answer], withOff(off));
  }

  /** Shows what the answer is; gives whether it's another one than before. */
  #tell(labels: Record<string, number>, off: string) {
    const [label, share] = likeliest(labels);
    const names = Object.keys(labels);
    [names[0], names.at(-1)!].forEach((name, end) => {
      setText(this.#ends[end], name);
      this.#ends[end].classList.toggle("fl-likeliest", name === label);
    });
    this.#needle.style.transform = `rotate(${(QUARTER * lean(labels)).toFixed(1)}deg)`;
    const swung = this.#label.textContent !== "" && this.#label.textContent !== label;
    setText(this.#label, label);
    setText(this.#share, percent(share));
    setText(this.#off, off);
    return swung;
  }

  /** Lays a ground under each word of the sentence that is looked at. */
  #mark({ keyTokens }: AttentionMap, sentence: string, { answers, asker, weights, found }: Found) {
    const ranges = rangesOf(sentence, keyTokens);
    const known = ranges.flatMap((range, token) => (range ? [{ range, token }] : []));
    const parts: { text: string; token: number | null }[] = [];
    let at = 0;
    for (const { range, token } of known) {
      parts.push({ text: sentence.slice(at, range[0]), token: null }, { text: sentence.slice(...range), token });
      at = range[1];
    }
    parts.push({ text: `${sentence.slice(at)}\u200b`, token: null }); // a line that ends in a break has its height
    this.#words = ranges.map(() => null);
    const spans = fill(this.#marks, parts.length, () => h("span"));
    parts.forEach(({ text, token }, place) => {
      const span = spans[place];
      setText(span, text);
      span.className = token === null ? "" : token === found ? "fl-found" : token === asker ? "fl-asker" : "fl-word";
      span.style.setProperty("--answered", token === null ? "0" : (DEPTH * answers[token]).toFixed(3));
      span.style.setProperty("--weight", found === null ? "0" : (DEPTH * weights[found]).toFixed(3));
      if (token !== null) this.#words[token] = span;
    });
    const finds = found === null ? 0 : weights[found];
    this.#marks.style.setProperty("--found", (DEPTH * finds).toFixed(3));
    this.#down.style.strokeWidth = String(THIN + THICK * finds);
    this.#up.style.strokeWidth = String(THIN + THICK * (asker === null ? 0 : answers[asker]));
  }

  /** Draws the arcs between the words where they are now. */
  place() {
    const { asker = null, found = null } = this.#found ?? {};
    const box = (token: number | null) => (token === null ? null : boxIn(this.node, this.#words[token]));
    const [from, to, dial] = [box(found), box(asker), boxIn(this.node, this.#dial)];
    setPath(this.#down, from && to ? hanging(from, to) : "");
    setPath(this.#up, to && dial ? rising(to, dial) : "");
    const middle = this.node.offsetWidth / 2;
    const room = Math.max(0, middle - this.#act.offsetWidth / 2);
    const shift = from && to ? (from.x + to.x) / 2 - middle : 0;
    this.#act.style.setProperty("--shift", `${Math.min(room, Math.max(-room, shift)).toFixed(0)}px`);
  }

  /** Shows what is found: its arc grows. */
  light() {
    for (const path of [this.#down, this.#up])
      path.animate?.([{ strokeDashoffset: 1 }, { strokeDashoffset: 0 }], PULSE);
  }

  /** Shows that the answer is another one now. */
  swing() {
    this.#label.parentElement?.animate?.(
      [{ backgroundColor: "var(--hm-flash)" }, { backgroundColor: "transparent" }],
      PULSE,
    );
  }

  /** Invites to press the switch, once it's seen. */
  invite(ends: AbortSignal) {
    whenSeen(this.switch, ends, () =>
      this.switch.animate?.([{ boxShadow: "0 0 0 0 var(--hm-ink)" }, { boxShadow: "0 0 0 12px transparent" }], {
        ...PULSE,
        iterations: 3,
      }),
    );
  }
}

interface Box {
  x: number;
  top: number;
  bottom: number;
}

/** Where a part of the stage is seen in it; null where it isn't laid out. */
function boxIn(stage: HTMLElement, node: HTMLElement | null): Box | null {
  if (!node?.offsetWidth) return null;
  const [{ left, top }, box] = [stage, node].map((each) => each.getBoundingClientRect());
  return { x: (box.left + box.right) / 2 - left, top: box.top - top, bottom: box.bottom - top };
}

const setPath = (path: SVGPathElement, d: string) => path.getAttribute("d") !== d && path.setAttribute("d", d);

/** From one word to another: below both where they stand on one line, else from the upper one down to the lower. */
function hanging(from: Box, to: Box) {
  if (Math.abs(from.bottom - to.bottom) > 2) {
    const [start, end] = from.top < to.top ? [from.bottom, to.top] : [from.top, to.bottom];
    return `M${from.x} ${start}C${from.x} ${(start + end) / 2} ${to.x} ${(start + end) / 2} ${to.x} ${end}`;
  }
  const depth = Math.min(HIGH, LOW + SLOPE * Math.abs(to.x - from.x)) * (4 / 3); // the curve reaches three quarters of it
  const start = from.bottom + 1;
  return `M${from.x} ${start}C${from.x} ${start + depth} ${to.x} ${start + depth} ${to.x} ${start}`;
}

/** From a word up to the pivot of the dial. */
function rising(word: Box, dial: Box) {
  const [start, end] = [word.top - 1, dial.bottom - 2];
  const middle = (start + end) / 2;
  return `M${word.x} ${start}C${word.x} ${middle} ${dial.x} ${middle} ${dial.x} ${end}`;
}
