// A translation over its sentence, as a translator wrote it, word by word, and beams between: each French word's heads to the English
// words that they looked at. A word's button lets it ask, and its own beams stand out.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { ShownMap } from "../../math/map-state.ts";
import { offIn, withOff } from "../../math/heads-off.ts";
import { headName, queryWeights } from "../../math/maps.ts";
import { isAsking, type Query } from "../../math/query.ts";
import { isSpecial } from "../../math/text.ts";
import { fill, h, s, setText, setToken } from "../../views/dom.ts";
import type { MapHost } from "./map-part.ts";
import { queryOf } from "./state.ts";
import { styleOfHead } from "./switches.ts";

const STEP = 70; // milliseconds from word to word, for readers who do not ask for less motion
const [GAP, BELOW] = [8, 12]; // pixels between labels, and from a word to the line that its label stands on
const [LEAST, THICKEST] = [0.05, 9]; // a weight that has a beam, and pixels of a weight of 1

export class Translation {
  #host: MapHost;
  #wrote = false; // words that are there at once don't come one after the other
  #map: ShownMap | null = null; // whose beams are drawn
  #drawn: Beam[] = [];
  #french = h("p", { class: "hm-translation", "aria-label": "Translation" });
  #beams = s("g");
  #labels = s("g"); // which heads look at a word
  #svg = s("svg");
  #off = h("small"); // how many heads are off
  #english = h("p", { class: "hm-translated", "aria-hidden": "true" }); // the rows below say it
  node = h(
    "div",
    { class: "hm-loom", hidden: true },
    h("div", { class: "hm-french" }, this.#french, this.#off),
    this.#svg,
    this.#english,
  );

  constructor(host: MapHost) {
    this.#host = host;
    this.#french.addEventListener("pointerleave", () => host.dispatch({ type: "point", query: null }));
    this.#svg.append(this.#beams, this.#labels);
    this.#svg.ariaHidden = "true";
    new ResizeObserver(() => this.#drawBeams()).observe(this.node);
  }

  draw({ written, queryTokens, keyTokens }: AttentionMap, shown: ShownMap, query: Query) {
    this.node.hidden = written === undefined;
    this.#map = null;
    if (written === undefined) return;
    setText(this.#off, withOff(offIn(this.#host.state.chosen.headMask).length));
    const words = queryTokens.slice(0, -1);
    const asks = spelt(words.join("")) === spelt(written.replace(/\.$/, ""));
    this.node.classList.toggle("hm-written", !asks);
    if (!asks) return setText(this.#french, written); // English words ask
    this.#write(words, query);
    const english = fill(this.#english, keyTokens.length, () => h("span"));
    keyTokens.forEach((token, key) => setToken(english[key], token));
    if (shown.mixed || shown.shape[3] !== keyTokens.length || shown.shape[2] !== queryTokens.length)
      return this.#svg.classList.add("hm-none");
    this.#svg.classList.remove("hm-none");
    this.#map = shown;
    this.#drawBeams();
  }

  /** Another word asks: its beams stand out. */
  ask() {
    const asking = queryOf(this.#host.state);
    const asks = ({ query }: Beam) => isAsking(asking, query);
    [...this.#beams.children].forEach((path, at) => path.classList.toggle("hm-lit", asks(this.#drawn[at])));
    const names = new Map<number, Beam[]>();
    if ((this.#map?.shape[1] ?? 1) > 1)
      for (const beam of this.#drawn.filter(asks)) names.set(beam.key, [...(names.get(beam.key) ?? []), beam]);
    this.#name([...names.values()]);
  }

  /** Below each word that is looked at, by which heads. */
  #name(words: Beam[][]) {
    const labels = fill(this.#labels, words.length, () => s("text"));
    words.forEach((beams, at) => setText(labels[at], beams.map(({ name }) => name).join(", ")));
    const widths = [...labels].map((label) => (label as SVGTextElement).getComputedTextLength?.() ?? 0);
    const middles = words.map((beams) => beams.reduce((sum, { x }) => sum + x, 0) / beams.length);
    const lines = [...new Set(words.map(([{ below }]) => below))];
    for (const line of lines) {
      const own = [...words.keys()].filter((at) => words[at][0].below === line);
      const places = pushApart(
        own.map((at) => ({ middle: middles[at], width: widths[at] })),
        this.node.clientWidth,
      );
      own.forEach((at, each) => {
        labels[at].setAttribute("x", places[each].toFixed(1));
        labels[at].setAttribute("y", (line + BELOW).toFixed(1));
      });
    }
  }

  #write(words: string[], query: Query) {
    const [french, host] = [this.#french, this.#host];
    if (french.firstChild?.nodeType === Node.TEXT_NODE) french.replaceChildren();
    const buttons = fill(french, words.length, (at) =>
      h("button", {
        type: "button",
        lang: "fr",
        onclick: ({ shiftKey }: MouseEvent) =>
          host.act(
            shiftKey
              ? { type: "widen", to: host.state.shown!.map.queries.indexOf(at) }
              : { type: "choose", parts: { query: at } },
          ),
        onpointerover: () => host.dispatch({ type: "point", query: host.state.shown!.map.queries.indexOf(at) }),
      }),
    );
    const first = this.#wrote ? words.findIndex((word, at) => buttons[at].textContent !== word) : -1;
    this.#wrote = true;
    words.forEach((word, at) => {
      const button = buttons[at];
      if (first >= 0 && at >= first) {
        button.style.setProperty("--wait", `${(at - first) * STEP}ms`);
        button.classList.remove("hm-new");
        void button.offsetWidth; // so that the words come again, one after the other
        button.classList.add("hm-new");
      }
      setText(button, word);
      button.classList.toggle("hm-elided", word.endsWith("'") || words[at + 1] === ",");
      button.ariaPressed = String(isAsking(query, at));
    });
  }

  /** A beam for each weight that is seen, in its head's colour, as thick as it is large. */
  #drawBeams() {
    const map = this.#map;
    if (!map) return;
    const own = this.node.getBoundingClientRect();
    if (own.width === 0) return; // it isn't laid out
    const placesOf = (line: Element) => Array.from(line.children, (word) => word.getBoundingClientRect());
    const [french, english] = [this.#french, this.#english].map(placesOf);
    const { state } = this.#host;
    const { layer } = state.chosen;
    const heads = map.shape[1];
    const below = (word: DOMRect) =>
      Math.max(...english.filter(({ top }) => top < word.bottom).map(({ bottom }) => bottom)); // of all on its line
    const paths: { from: number[]; beam: Beam }[] = french.flatMap((from, query) =>
      Array.from({ length: heads }, (_, head) => {
        const { colour, off } = styleOfHead(state, map, layer, head);
        const name = headName(map, layer, head);
        const at = (box: DOMRect) => box.left - own.left + (box.width * (head + 1)) / (heads + 1); // beside those of the other heads
        return [...queryWeights(map, layer, head, query)].flatMap((weight, key) =>
          off || weight < LEAST
            ? []
            : {
                from: [at(from), from.bottom - own.top],
                beam: {
                  ...{ query, key, name, colour, weight },
                  ...{ x: at(english[key]), y: english[key].top - own.top, below: below(english[key]) - own.top },
                },
              },
        );
      }).flat(),
    );
    this.#drawn = paths.map(({ beam }) => beam);
    const nodes = fill(this.#beams, paths.length, () => s("path"));
    paths.forEach(({ from: [left, top], beam: { key, colour, weight, x, y } }, at) => {
      const bend = (top + y) / 2;
      const drawn = {
        d: `M${left.toFixed(1)} ${top.toFixed(1)}C${left.toFixed(1)} ${bend.toFixed(1)} ${x.toFixed(1)} ${bend.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)}`,
        stroke: colour,
        "stroke-width": (THICKEST * weight).toFixed(1),
      };
      for (const [name, value] of Object.entries(drawn)) nodes[at].setAttribute(name, value);
      nodes[at].classList.toggle("hm-nothing", isSpecial(map.keyTokens[key]));
    });
    this.ask();
  }
}

/** A weight that is drawn, and where its beam ends. */
interface Beam {
  query: number;
  key: number;
  name: string;
  colour: string;
  weight: number;
  x: number;
  y: number;
  below: number; // of its word
}

/** The middles of labels on a line, moved as little as it takes for none to lie on another, or beyond the line. */
export function pushApart(labels: { middle: number; width: number }[], room: number) {
  const order = [...labels.keys()].sort((a, b) => labels[a].middle - labels[b].middle);
  const places: number[] = labels.map(({ middle }) => middle);
  let end = -GAP; // of the labels to the left
  for (const at of order) {
    const half = labels[at].width / 2;
    places[at] = Math.max(labels[at].middle, end + GAP + half);
    end = places[at] + half;
  }
  let start = room + GAP; // of those to the right
  for (const at of order.reverse()) {
    const half = labels[at].width / 2;
    places[at] = Math.min(places[at], start - GAP - half);
    start = places[at] - half;
  }
  return places;
}

/** A text without its spaces and capitals, to tell whether two are the same. */
const spelt = (text: string) => text.replace(/\s/g, "").toLowerCase();
