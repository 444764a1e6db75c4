// The card of one head: its picture, a bar for each score, and the sentences in which the pressed score is largest.

import type { AttentionMap } from "../../math/attention-map.ts";
import { behaviourOf, layersOf } from "../../math/maps.ts";
import { NEUTRAL_COLOUR } from "../../math/names.ts";
import { capital, isolated, percent, readable, visible, wordsOf } from "../../math/text.ts";
import { fill, h, setProps, setText } from "../../views/dom.ts";
import { drawHead, makeBitmap, paintBitmap } from "../../views/pixels.ts";
import { pictureOfKind } from "./head-atlas.ts";
import { nameOf, rank, shareOf, shown, type Data, type Example, type Head, type Score } from "./data.ts";

const SHARP = 4; // pixels of the picture to a weight, at least
const SIDE = 160;

export class HeadCard {
  #data: Data;
  #figure: string; // the id of the figure that links lead to
  #columns: number[][]; // of each score, all heads' values
  #head: Head;
  #canvas = h("canvas", { "aria-hidden": "true" });
  #picture = h("div", { class: "hc-picture" });
  #link = h("a");
  #kind = h("small");
  #bars: HTMLButtonElement[];
  #says = h("p", { class: "hc-says" });
  #examples = h("ol");
  #least = h("p");
  readonly node: HTMLElement;

  /** `pressed(text)` is called when a reader pressed a score, with what that came to. */
  constructor(data: Data, figure: string, pressed: (text: string) => void) {
    this.#data = data;
    this.#figure = figure;
    this.#head = data.heads[0];
    this.#columns = data.scores.map((_, at) => data.heads.map(({ scores }) => scores[at]));
    this.#bars = data.scores.map(({ name }, at) =>
      h(
        "button",
        { type: "button", onclick: () => pressed(this.#show(at)) },
        h("span", {}, name),
        h("i"),
        h("b"),
        h("small"),
      ),
    );
    this.node = h(
      "section",
      { class: "hc-card" },
      h("header", {}, this.#picture, h("h3", {}, this.#link), this.#kind),
      h("div", { class: "hc-bars", role: "group", "aria-label": "Scores" }, ...this.#bars),
      this.#says,
      this.#examples,
      this.#least,
    );
  }

  /** Shows a head, and the score in which it ranks best; says so. */
  open(head: Head, map: AttentionMap | null) {
    this.#head = head;
    const { layer, head: number, behaviour, scores } = head;
    this.node.style.setProperty("--head", colourOf(head));
    setText(this.#link, capital(nameOf(head)));
    Object.assign(this.#link, { href: `#${this.#figure}` });
    Object.assign(this.#link.dataset, { layer, head: number });
    setText(this.#kind, behaviour === null ? "" : behaviourOf(behaviour).label);
    const ranks = scores.map((value, at) => rank(this.#columns[at], value));
    this.#bars.forEach((bar, at) => {
      const [, column, value, place] = bar.children as HTMLCollectionOf<HTMLElement>;
      const score = this.#data.scores[at];
      column.style.setProperty("--share", shareOf(score, this.#columns[at], scores[at]).toFixed(3));
      setText(value, shown(score, scores[at]));
      setText(place, `${ranks[at]} of ${this.#data.heads.length}`);
    });
    this.draw(map);
    return `${capital(nameOf(head))}: ${this.#show(ranks.indexOf(Math.min(...ranks)))}`;
  }

  /** The head's map on the sentence of the figure above, where that has these heads; else what its kind does. */
  draw(map: AttentionMap | null) {
    const { layer, head, behaviour } = this.#head;
    const [layers, heads, queries, keys] = map?.shape ?? [0, 0, 0, 0];
    const isThere = layer < layers && head < heads && layers * heads === this.#data.heads.length;
    if (!map || !isThere || !layersOf(map).includes(layer)) {
      this.#picture.replaceChildren(pictureOfKind(behaviour));
      return;
    }
    this.#picture.replaceChildren(this.#canvas);
    const step = Math.max(SHARP, Math.floor(SIDE / Math.max(queries, keys)));
    const [width, height] = [step * keys, step * queries];
    const box = { x: 0, y: 0, width, height };
    const style = { colour: colourOf(this.#head), off: false, dim: false, scale: "absolute" } as const;
    const bitmap = makeBitmap(width, height, (pixels) => drawHead(pixels, width, box, map, layer, head, style));
    paintBitmap(this.#canvas, bitmap);
  }

  /** Shows the examples of a score, and says what the score is. */
  #show(at: number) {
    const score = this.#data.scores[at];
    const value = this.#head.scores[at];
    const { strongest, weakest } = this.#head;
    this.#bars.forEach((bar, place) => setProps(bar, { ariaPressed: String(place === at) }));
    const place = `${rank(this.#columns[at], value)} of ${this.#data.heads.length}`;
    const text = `${score.name} ${shown(score, value)}, ${score.says}; ${place}`;
    this.#says.replaceChildren(h("b", {}, capital(score.says)), ". Strongest here:");
    const items = fill(this.#examples, strongest[at].length, () => h("li"));
    strongest[at].forEach((example, item) => items[item].replaceChildren(...this.#example(example, score)));
    this.#least.replaceChildren(...(weakest.length ? ["And least here: ", ...this.#example(weakest[at], score)] : []));
    return text;
  }

  /** A sentence as a link to the live figure, and what the head does there. */
  #example([at, query, key, weight, value]: Example, score: Score) {
    const { causal, sentences } = this.#data;
    const { layer, head } = this.#head;
    const { text, tokens } = sentences[at];
    const words = wordsOf(tokens);
    const seen = causal && query !== null ? query + 1 : words.length; // what comes later, the head doesn't see
    const link = h(
      "a",
      {
        href: `#${this.#figure}`,
        "data-layer": layer,
        "data-head": head,
        "data-query": query,
        "data-sentence": causal ? words.slice(0, seen).join("") : text,
        "data-off": causal && score.name === "loss" && `${layer}.${head}`,
      },
      ...words.slice(0, seen).flatMap((word, place) => (place === query ? marked(word) : [oneLine(word)])),
      seen < words.length ? " \u2026" : "",
    );
    const next = score.name === "loss" && query !== null ? ` before \u201c${quoted(tokens[query + 1])}\u201d` : "";
    const looks = query === null ? "" : `, most at ${quoted(tokens[key])} (${percent(weight)})`;
    return [link, h("small", {}, ` ${shown(score, value)}${next}${looks}`)];
  }
}

const colourOf = ({ behaviour }: Head) => (behaviour === null ? NEUTRAL_COLOUR : behaviourOf(behaviour).colour);

/** A word of a sentence, in one line with the others. */
const oneLine = (word: string) => word.replace(/\n/g, "\u21b5");

/** The token that asks; the space before it stays outside. */
function marked(word: string) {
  const inner = word.trimStart();
  return inner
    ? [oneLine(word.slice(0, word.length - inner.length)), h("mark", {}, oneLine(inner))]
    : [h("mark", {}, visible(word))];
}

/** A token by itself. */
const quoted = (token: string) => isolated(readable(token).trim() || visible(token));
