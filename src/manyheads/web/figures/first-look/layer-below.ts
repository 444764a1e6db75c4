// What stands below the map of <first-look>: what a head of the first layer finds for the word that an answer rests on, the answer, and
// the switch of that head.

import { whenSeen } from "../../doors/page-element.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { alpha, colourOf, headName, headTitle, likeliest, queryWeights } from "../../math/maps.ts";
import { DEPTH } from "../../math/names.ts";
import { directionOf, isolated, isSpecial, percent, readable } from "../../math/text.ts";
import { fill, h, setChildren, setText, setToken } from "../../views/dom.ts";

// ------------------------------------------------------------------------------------------------ pure part

const FIRST = 0; // layer
const HALF = 0.5; // of the attention: below it, no one word is found

/** The place of the largest of some weights. */
const most = (weights: Float32Array) => weights.indexOf(Math.max(...weights));

/** What a head of layer 1 finds for the word that the head named `answer` looks at most when `[CLS]` asks; null where it's no one word. */
export function foundBelow(map: AttentionMap, head: number, answer: string) {
  const asker = most(queryWeights(map, map.namedLayer ?? 0, map.headNames.indexOf(answer), 0));
  const weights = queryWeights(map, FIRST, head, asker);
  const place = most(weights);
  return { asker, weights, found: weights[place] < HALF ? null : place };
}

/** What that is, in a sentence. */
export function finding(
  map: AttentionMap,
  { asker, found }: { asker: number; found: number | null },
  answer: string,
  on: boolean,
) {
  const quoted = (place: number) => `“${isolated(readable(map.keyTokens[place]))}”`;
  if (isSpecial(map.keyTokens[asker])) return `The ${answer} head finds no word here.`;
  if (found === null && !on) return "The head one layer below is off.";
  const finds = `finds ${found === null ? "no one word" : quoted(found)} for ${quoted(asker)}`;
  return on ? `One layer below, a head ${finds}.` : `The head that ${finds} is off.`;
}

// ------------------------------------------------------------------------------------------------ the view

const NAMESPACE = "http://www.w3.org/2000/svg";
const SWING = { duration: 1400, easing: "ease-out" };
const [LOW, SLOPE, HIGH] = [10, 0.12, 26]; // pixels that the arc rises: at least, for each pixel of its width, at most

export class LayerBelow {
  readonly node: HTMLElement;
  readonly head: number;
  readonly answer: string; // the name of a prediction, and of the head that was taught for it
  #says = h("p", { class: "fl-says" });
  #name = h("span", { class: "fl-name" });
  #path = document.createElementNS(NAMESPACE, "path");
  #words = h("span", { class: "fl-tokens" });
  #row: HTMLElement;
  #switch: HTMLButtonElement;
  #label = h("b");
  #share = h("span");
  #between: [HTMLElement, HTMLElement] | null = null; // the arc's ends

  constructor(head: number, answer: string, press: () => void) {
    this.head = head;
    this.answer = answer;
    this.#path.setAttribute("pathLength", "1"); // so that it can grow
    const arcs = document.createElementNS(NAMESPACE, "svg");
    arcs.ariaHidden = "true";
    arcs.append(this.#path);
    this.#row = h("div", { class: "fl-words", role: "img" }, arcs, this.#words);
    this.#switch = h("button", { type: "button", class: "fl-switch", onclick: press });
    this.node = h(
      "section",
      { class: "fl-look", "aria-label": "One layer below" },
      this.#says,
      h("div", { class: "fl-row" }, this.#name, this.#row),
      h(
        "div",
        { class: "fl-act" },
        this.#switch,
        h("p", { class: "fl-verdict" }, h("span", {}, answer), this.#label, this.#share),
      ),
    );
  }

  /** Shows a map; gives whether its answer is another one than before. */
  draw(map: AttentionMap, on: boolean) {
    const { head, answer } = this;
    const below = foundBelow(map, head, answer);
    const { asker, weights, found } = below;
    const colour = colourOf(headName(map, FIRST, head));
    this.node.style.setProperty("--head", colour);
    this.node.classList.toggle("fl-off", !on);
    this.node.classList.remove("fl-waits");
    setText(this.#says, finding(map, below, answer, on));
    setText(this.#name, headTitle(map, FIRST, head));
    setText(this.#switch, on ? "Turn this head off" : "Turn it on again");
    this.#words.dir = directionOf(map.keyTokens);
    const words = fill(this.#words, map.keyTokens.length, () => h("span"));
    map.keyTokens.forEach((token, key) => {
      setToken(words[key], token);
      words[key].style.backgroundColor = colour + alpha(DEPTH * weights[key]);
      words[key].classList.toggle("fl-found", key === found);
      words[key].classList.toggle("fl-asker", key === asker);
    });
    const token = (place: number) => readable(map.keyTokens[place]);
    const looks = found === null ? "at no one word" : `at ${token(found)}, ${percent(weights[found])}`;
    this.#row.ariaLabel = `${headTitle(map, FIRST, head)}: ${token(asker)} looks ${looks}`;
    const isArc = found !== null && found !== asker && !isSpecial(map.keyTokens[asker]);
    this.#between = isArc ? [words[asker], words[found]] : null;
    this.place();
    const [label, share] = likeliest(map.predictions[answer]);
    const swung = this.#label.textContent !== "" && this.#label.textContent !== label;
    setText(this.#label, label);
    setText(this.#share, percent(share));
    return swung;
  }

  /** Draws the arc from the word that asks to the one that is found, where they are now. */
  place() {
    const [from, to] = this.#between ?? [];
    const isOneLine = from?.offsetTop === to?.offsetTop;
    this.#path.setAttribute("d", from && to && isOneLine && from.offsetWidth ? arc(from, to) : "");
  }

  /** Lights up what was found, here and in the rows of words above, and the arc to it grows. */
  light(rows: Iterable<HTMLTableRowElement>) {
    const [from, to] = this.#between ?? [];
    if (!from || !to) return;
    const place = [...this.#words.children].indexOf(to);
    for (const word of [to, ...Array.from(rows, ({ cells }) => cells[place + 1])])
      word?.animate?.([{ boxShadow: "0 0 0 2px var(--fl-swing)" }, { boxShadow: "0 0 0 10px transparent" }], {
        ...SWING,
        iterations: 2,
      });
    this.#path.animate?.([{ strokeDashoffset: 1 }, { strokeDashoffset: 0 }], SWING);
  }

  /** Shows that the answer is another one now. */
  swing(...others: (Element | null)[]) {
    for (const node of [this.#label.parentElement, ...others])
      node?.animate?.(
        [
          { backgroundColor: "color-mix(in srgb, var(--fl-swing) 65%, transparent)" },
          { backgroundColor: "transparent" },
        ],
        SWING,
      );
  }

  /** Invites to press the switch, once it's seen: on a phone it is below. */
  invite(ends: AbortSignal) {
    whenSeen(this.#switch, ends, () =>
      this.#switch.animate?.([{ boxShadow: "0 0 0 0 var(--hm-accent)" }, { boxShadow: "0 0 0 12px transparent" }], {
        ...SWING,
        iterations: 3,
      }),
    );
  }

  /** Takes the place of what the build drew, and stands after the map. */
  putAfter(map: Element) {
    const parent = map.parentElement as HTMLElement;
    setChildren(parent, [
      ...[...parent.children].filter((child) => !child.matches(".fl-look") || child === this.node),
      this.node,
    ]);
  }
}

function arc(from: HTMLElement, to: HTMLElement) {
  const [start, end] = [from, to].map((word) => word.offsetLeft + word.offsetWidth / 2);
  const rise = Math.min(HIGH, LOW + SLOPE * Math.abs(end - start));
  const top = from.offsetTop + 2;
  return `M${start} ${top}C${start} ${top - rise} ${end} ${top - rise} ${end} ${top}`;
}
