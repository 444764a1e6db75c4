// <growing-cache words="The capital of ..." layers="30" width="64" heads="3">: keys and values of a text that is written word by
// word. With a cache, each new word's are computed once and kept; without, all are computed again: two walls, a brick for each
// time that a word's were computed. One wall stands on the words, the other hangs below them. No DOM while the module loads.

import { defineFigure } from "../../doors/define-figure.ts";
import { chooser, field, fillOptions } from "../../views/controls.ts";
import { fill, h, setIdle, setText } from "../../views/dom.ts";
import { guessView, isOpen } from "../../views/guess.ts";
import type { Host } from "../../views/host.ts";
import { Player } from "../../views/player.ts";
import { bytesOf, isWhole, reduce, start, sumOf, withCache, without, type Action, type State } from "./state.ts";

const PAUSE = 700; // milliseconds for each word, when it writes on
const LENGTHS = [1_000, 100_000]; // of texts, to compare
const WALLS = { "With a cache": withCache, Without: without };

function view(host: Host<State, Action>) {
  const { act, state: first, root } = host;
  const all = first.words.length;
  const question = {
    question: `${all} words, one after the other: how many bricks will it take without a cache?`,
    answers: [all, sumTo(all), all * all].map(String),
    right: 1,
    says: `For each new word, all words so far are computed again. With a cache it takes ${all}.`,
  };
  const guess = guessView(question, (pressed) => {
    if (!isOpen(host.state.guess)) return;
    player.stop();
    act({ type: "guess", pressed });
    player.toggle();
  });
  /** Whether there is another word after this one. */
  const write = () => (act({ type: "write" }), !isWhole(host.state));
  const restart = () => (player.stop(), act({ type: "restart" }));
  const player = new Player(PAUSE, write);
  const writes = h("button", { type: "button", onclick: write }, "Write a word");
  const over = h("button", { type: "button", onclick: restart }, "Start over");
  const heads = chooser("Heads of keys and values", (value) => act({ type: "share", heads: Number(value) }));
  const groups = [...new Set([1, first.heads, 3 * first.heads])];
  fillOptions(heads, groups.map(String), groups, first.heads);
  const walls = Object.entries(WALLS).map(([name, bricks]) => makeWall(name, bricks));
  const size = h("p", { class: "gc-size" });
  root.style.setProperty("--words", String(all));

  function draw(state: State) {
    const { count } = state;
    guess.draw(state.guess);
    for (const wall of walls) wall.draw(state);
    setIdle(writes, isWhole(state));
    setIdle(over, count === 1);
    const long = LENGTHS.map(
      (tokens) => `${tokens.toLocaleString("en")} tokens would take ${megabytes(bytesOf(state, tokens))}`,
    );
    const written = count === 1 ? "this word" : `these ${count} words`;
    setText(size, `The cache of ${written} takes ${megabytes(bytesOf(state, count))}; ${long.join(", ")}.`);
  }

  return {
    nodes: [
      guess.node,
      h("div", { class: "hm-tools" }, writes, player.node, over, field(heads)),
      h("div", { class: "gc-walls" }, ...walls.map(({ node }) => node), size),
    ],
    draw,
  };
}

/** 1 + 2 + ... + count. */
const sumTo = (count: number) => (count * (count + 1)) / 2;

/** A text as a wall: for each word, a brick for each time that its keys and values were computed. Those of the last word stand out. */
function makeWall(name: string, bricksOf: typeof withCache) {
  const written = h("ol", {});
  const sum = h("span");
  const title = h("p", {}, h("b", { class: "gc-name" }, name), ": ", sum);
  return {
    node: h("section", { class: "gc-row" }, title, written),
    draw(state: State) {
      const bricks = bricksOf(state);
      const items = fill(written, bricks.length, () =>
        h("li", {}, h("span", { class: "gc-bricks", "aria-hidden": "true" }), h("span")),
      );
      bricks.forEach(([count, isNew], at) => {
        const [wall, word] = items[at].children;
        const laid = fill(wall, count, () => h("i"));
        [...laid].forEach((brick, course) => brick.classList.toggle("gc-new", isNew && course === count - 1));
        setText(word, state.words[at]);
        items[at].ariaLabel = `${state.words[at]}: ${isNew ? "computed" : "kept"}`;
      });
      setText(sum, sumOf(bricks));
    },
  };
}

const megabytes = (bytes: number) =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6).toLocaleString("en")} MB`;

defineFigure<State, Action>("growing-cache", {
  start,
  reduce,
  view,
  summary: (state) =>
    Object.entries(WALLS)
      .map(([name, bricks]) => `${name}: ${sumOf(bricks(state))}`)
      .join(" "),
  events: (state) => ({ written: { count: state.count, bytes: bytesOf(state, state.count) } }),
});
