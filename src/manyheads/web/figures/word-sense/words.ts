// The words of the sentence. Arcs lead from the one that is read to those that it looks at: as thick as their attention, in the colour of
// the sense that what it takes there pushes it to. A press masks a word.

import { fromTokens, type LayerPushes } from "../../math/senses.ts";
import { fill, h, s, setProps, setText } from "../../views/dom.ts";
import type { SentenceWord } from "./text.ts";

const THICKEST = 9; // pixels
const LEAST = 0.04; // of the thickest: below, no arc
const STRONG = 2; // a push, in log-odds, that has all of a sense's colour
const [LOW, HIGH] = [16, 40]; // pixels that an arc rises over its words

export interface DrawnWords {
  words: SentenceWord[];
  masked: number[];
  shown: LayerPushes;
  head: number | null; // the one whose arcs are drawn; null for the mean of all
}

/** `press(places)` is called with the tokens of a word, `point(place)` with the first of the one that a reader points at, null with none. */
export function makeWords(press: (places: number[]) => void, point: (place: number | null) => void) {
  const row = h("div", { class: "ws-row" });
  const arcs = s("svg", { class: "ws-arcs", "aria-hidden": "true" });
  const props = { class: "ws-words", role: "group", "aria-label": "Words that can be masked", hidden: true };
  const node = h("div", props, arcs, row);
  let drawn: DrawnWords | null = null;
  new ResizeObserver(() => layOut()).observe(node); // arcs lead to where the words are by then
  const wordOf = ({ target }: Event) =>
    drawn?.words[[...row.children].indexOf((target as Element).closest(".ws-row > *") as Element)];
  row.addEventListener("click", (event) => {
    const word = wordOf(event);
    if (word?.kind === "word") press(word.places);
  });
  for (const name of ["pointerover", "focusin"])
    row.addEventListener(name, (event) => point(wordOf(event)?.places[0] ?? null));
  for (const name of ["pointerleave", "focusout"]) row.addEventListener(name, () => point(null));

  function draw(given: DrawnWords | null) {
    drawn = given;
    setProps(node, { hidden: !given });
    if (!given) return;
    const kinds = given.words.map(({ kind }) => kind).join();
    if (node.dataset.kinds !== kinds) row.replaceChildren(...given.words.map(({ kind }) => nodeFor(kind)));
    node.dataset.kinds = kinds;
    given.words.forEach(({ text, kind, places }, at) => {
      const word = row.children[at] as HTMLElement;
      setText(word, text);
      if (kind === "word") setProps(word, { ariaLabel: text, ariaPressed: String(given.masked.includes(places[0])) });
    });
    layOut();
  }

  function layOut() {
    if (!drawn || !node.offsetWidth) return;
    const { words, shown, head } = drawn;
    const nodes = [...row.children] as HTMLElement[];
    const asker = nodes[words.findIndex(({ kind }) => kind === "asker")];
    const taken = words.map(({ places }) => fromTokens(shown, places, head));
    const most = Math.max(...taken.map(({ weight }, at) => (words[at].kind === "asker" ? 0 : weight)), 1e-9);
    const paths = fill(arcs, words.length, () => s("path"));
    words.forEach(({ kind }, at) => {
      const { weight, push } = taken[at];
      const seen = kind !== "asker" && weight >= LEAST * most;
      paths[at].setAttribute("d", seen ? arc(asker, nodes[at]) : "");
      paths[at].setAttribute("stroke-width", ((THICKEST * weight) / most).toFixed(1));
      paths[at].setAttribute("class", push > 0 ? "ws-to-second" : "ws-to-first");
      paths[at].style.setProperty("--push", `${Math.round(100 * Math.min(1, Math.abs(push) / STRONG))}%`);
    });
  }

  return { node, draw };
}

const nodeFor = (kind: SentenceWord["kind"]) =>
  kind === "word"
    ? h("button", { type: "button", class: "ws-word" })
    : h(kind === "asker" ? "b" : "span", { class: `ws-${kind}` });

/** The path from one word to another: over both where they stand on one line, else between the lines. */
function arc(from: HTMLElement, to: HTMLElement) {
  const [start, end] = [from, to].map(({ offsetLeft, offsetWidth }) => Math.round(offsetLeft + offsetWidth / 2));
  const [top, below] = [from.offsetTop, to.offsetTop - from.offsetTop];
  if (Math.abs(below) < from.offsetHeight / 2) {
    const rise = (Math.min(HIGH, LOW + 0.13 * Math.abs(end - start)) * 4) / 3;
    return `M${start} ${top}C${start} ${top - rise} ${end} ${top - rise} ${end} ${top}`;
  }
  const y = below > 0 ? [top + from.offsetHeight, to.offsetTop] : [top, to.offsetTop + to.offsetHeight];
  const middle = (y[0] + y[1]) / 2;
  return `M${start} ${y[0]}C${start} ${middle} ${end} ${middle} ${end} ${y[1]}`;
}
