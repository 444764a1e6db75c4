// The card of one head: its picture, a bar for each score, and the sentences in which the pressed score is largest.

import { behaviourOf } from "../../math/maps.ts";
import { NEUTRAL_COLOUR } from "../../math/names.ts";
import { capital, isolated, percent, readable, visible, wordsOf } from "../../math/text.ts";
import { fill, h, setProps, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { drawHead, makeBitmap, paintBitmap } from "../../views/pixels.ts";
import { pictureOfKind } from "./head-atlas.ts";
import { nameOf, shareOf, shown, type Example, type Head } from "./data.ts";
import { mapOfOpened, rankOf, valuesOf, type Action, type State } from "./state.ts";

const SHARP = 4; // pixels of the picture to a weight, at least
const SIDE = 160;

export function makeCard({ act, state: { data, figure } }: Host<State, Action>) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const picture = h("div", { class: "hc-picture" });
  const link = h("a", { href: `#${figure}` });
  const kind = h("small");
  const bars = data.scores.map(({ name }, at) =>
    h(
      "button",
      { type: "button", onclick: () => act({ type: "press", score: at + 1 }) },
      h("span", {}, name),
      h("i"),
      h("b"),
      h("small"),
    ),
  );
  const [says, examples, least] = [h("p", { class: "hc-says" }), h("ol"), h("p")];
  const node = h(
    "section",
    { class: "hc-card" },
    h("header", {}, picture, h("h3", {}, link), kind),
    h("div", { class: "hc-bars", role: "group", "aria-label": "Scores" }, ...bars),
    says,
    examples,
    least,
  );

  function draw(state: State, before: State | null) {
    const opens = state.opened !== before?.opened;
    if (opens) drawScores(state);
    if (opens || state.map !== before?.map) drawPicture(state);
    if (opens || state.score !== before?.score) drawExamples(state);
  }

  function drawScores({ opened }: State) {
    const head = data.heads[opened];
    node.style.setProperty("--head", colourOf(head));
    setText(link, capital(nameOf(head)));
    Object.assign(link.dataset, { layer: head.layer, head: head.head });
    setText(kind, head.behaviour === null ? "" : behaviourOf(head.behaviour).label);
    bars.forEach((bar, at) => {
      const [, column, value, place] = bar.children as HTMLCollectionOf<HTMLElement>;
      const [score, number] = [data.scores[at], head.scores[at]];
      column.style.setProperty("--share", shareOf(score, valuesOf(data, at + 1), number).toFixed(3));
      setText(value, shown(score, number));
      setText(place, `${rankOf(data, opened, at + 1)} of ${data.heads.length}`);
    });
  }

  /** The head's map on the sentence of the figure above, where that has these heads; else what its kind does. */
  function drawPicture(state: State) {
    const [head, map] = [data.heads[state.opened], mapOfOpened(state)];
    picture.replaceChildren(map ? canvas : pictureOfKind(head.behaviour));
    if (!map) return;
    const [, , queries, keys] = map.shape;
    const step = Math.max(SHARP, Math.floor(SIDE / Math.max(queries, keys)));
    const [width, height] = [step * keys, step * queries];
    const box = { x: 0, y: 0, width, height };
    const style = { colour: colourOf(head), off: false, dim: false, scale: "absolute" } as const;
    const bitmap = makeBitmap(width, height, (pixels) =>
      drawHead(pixels, width, box, map, head.layer, head.head, style),
    );
    paintBitmap(canvas, bitmap);
  }

  function drawExamples(state: State) {
    const at = state.score - 1;
    const { strongest, weakest } = data.heads[state.opened];
    bars.forEach((bar, place) => setProps(bar, { ariaPressed: String(place === at) }));
    says.replaceChildren(h("b", {}, capital(data.scores[at].says)), ". Strongest here:");
    const items = fill(examples, strongest[at].length, () => h("li"));
    strongest[at].forEach((example, item) => items[item].replaceChildren(...exampleOf(state, example)));
    least.replaceChildren(...(weakest.length ? ["And least here: ", ...exampleOf(state, weakest[at])] : []));
  }

  return { node, draw };
}

/** A sentence as a link to the live figure, and what the head does there. */
function exampleOf(state: State, [at, query, key, weight, value]: Example) {
  const { causal, sentences, heads, scores } = state.data;
  const { layer, head } = heads[state.opened];
  const score = scores[state.score - 1];
  const { text, tokens } = sentences[at];
  const words = wordsOf(tokens);
  const seen = causal && query !== null ? query + 1 : words.length; // what comes later, the head doesn't see
  const link = h(
    "a",
    {
      href: `#${state.figure}`,
      "data-layer": layer,
      "data-head": head,
      "data-query": query,
      "data-sentence": causal ? words.slice(0, seen).join("") : text,
      "data-off": causal && score.name === "loss" && `${layer}.${head}`,
    },
    ...words.slice(0, seen).flatMap((word, place) => (place === query ? marked(word) : [oneLine(word)])),
    seen < words.length ? " \u2026" : "",
  );
  const next = score.name === "loss" && query !== null ? ` before \u201c${wordOf(tokens[query + 1])}\u201d` : "";
  const looks = query === null ? "" : `, most at ${wordOf(tokens[key])} (${percent(weight)})`;
  return [link, h("small", {}, ` ${shown(score, value)}${next}${looks}`)];
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
const wordOf = (token: string) => isolated(readable(token).trim() || visible(token));
