// An atlas of heads: a row for each kind, with a picture of it, and a square a head, in the column of its layer or of what it scores.

import { chooser, field, fillOptions } from "../../views/controls.ts";
import { arrow, fill, focusOn, h, setText, targetOf } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { travel } from "../../views/travel.ts";
import { behaviourOf } from "../../math/maps.ts";
import { pictureOf } from "./axes.ts";
import { nameOf, shown } from "./data.ts";
import { axisOf, headBeside, kindsOf, type Action, type State } from "./state.ts";

export function makeAtlas(host: Host<State, Action>) {
  const { heads, scores } = host.state.data;
  const open = (head: number) => host.act({ type: "open", head });
  const squares = heads.map((_, head) => h("button", { type: "button", onclick: () => open(head) }));
  const across = chooser("Across", (column) =>
    travel(
      () => squares.map((square, head) => [String(head), square]),
      () => host.update({ across: Number(column) }),
    ),
  );
  fillOptions(across, ["layer", ...scores.map(({ name }) => name)], [...Array(scores.length + 1).keys()], 0);
  const rows = kindsOf(host.state.data).map(makeRow);
  const below = h("div", { class: "ha-ticks", "aria-hidden": "true" });
  const says = h("p", { class: "ha-says" });
  const plot = h("div", { class: "ha-plot", onkeydown: move }, ...rows.map(({ node }) => node), below);
  const node = h("div", { class: "head-atlas" }, h("div", { class: "hm-tools" }, field(across)), plot, says);

  function move(event: KeyboardEvent) {
    const step = arrow(event.key);
    const at = squares.indexOf(targetOf(event) as HTMLButtonElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = headBeside(host.state, at, step);
    if (next !== undefined) focusOn(squares[next], squares[at]);
  }

  function place(state: State) {
    const { places, ticks, inOrder } = axisOf(state);
    const column = state.across;
    const score = scores[column - 1];
    const isLayer = !column && new Set(heads.map(({ layer }) => layer)).size === ticks.length; // then what is left to say is which head of it
    squares.forEach((square, at) => {
      const { layer, head, scores: values } = heads[at];
      const value = column ? `: ${score.name} ${shown(score, values[column - 1])}` : "";
      square.ariaLabel = square.title = nameOf(heads[at]) + value;
      setText(square, String(1 + (isLayer ? head : layer)));
    });
    for (const { heads: all, track } of rows) {
      const columns = fill(track, ticks.length, () => h("div"));
      const ordered = inOrder(all);
      for (let at = 0; at < ticks.length; at++)
        columns[at].replaceChildren(...ordered.filter((head) => places[head] === at).map((head) => squares[head]));
    }
    const names = fill(below, ticks.length, () => h("span"));
    ticks.forEach((tick, at) => setText(names[at], tick));
    below.classList.toggle("ha-scored", column > 0);
    node.style.setProperty("--columns", String(ticks.length));
    const legend = column
      ? "Each column is wider than the one before."
      : `Columns are layers${isLayer ? "" : ", a few in each"}.`;
    setText(says, `${legend} The number in a square is that of ${isLayer ? "the head" : "its layer"}.`);
  }

  function draw(state: State, before: State | null) {
    if (state.across !== before?.across) place(state);
    if (state.opened === before?.opened) return;
    squares.forEach((square, at) => {
      square.ariaPressed = String(at === state.opened);
      square.tabIndex = at === state.opened ? 0 : -1; // the one that the Tab key reaches
    });
  }

  return { node, draw };
}

/** The row of a kind: its picture and name, which are the key to its colour, and its heads. */
function makeRow({ kind, heads }: { kind: string | null; heads: number[] }) {
  const { label, colour } = kind ? behaviourOf(kind) : { label: "All heads", colour: null };
  const name = h("span", { class: "ha-name" }, h("b", {}, label), ` ${heads.length}`);
  const track = h("div", { class: "ha-track", role: "group", "aria-label": label });
  const style = colour && `--head: ${colour}`;
  return { heads, track, node: h("div", { class: "ha-row", style }, pictureOfKind(kind), name, track) };
}

/** What a kind of head does, as a map of six words. */
export function pictureOfKind(kind: string | null) {
  const cells = pictureOf(kind)?.flat() ?? [];
  return h(
    "span",
    { class: "ha-picture", "aria-hidden": "true" },
    ...cells.map((deep) => h("i", { style: deep > 0 && `--deep: ${deep.toFixed(2)}` })),
  );
}
