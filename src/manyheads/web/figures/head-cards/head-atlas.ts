// An atlas of heads: a row for each kind, with a picture of it, and a square a head, in the column of its layer or of what it scores.

import { chooser, field, fillOptions } from "../../views/controls.ts";
import { arrow, fill, focusOn, h, setText, targetOf } from "../../views/dom.ts";
import { travel } from "../../views/travel.ts";
import { behaviourOf } from "../../math/maps.ts";
import { BEHAVIOURS } from "../../math/names.ts";
import { layerAxis, pictureOf, scoreAxis, type Axis, type Values } from "./axes.ts";

export interface AtlasHead {
  name: string;
  layer: number;
  head: number;
  kind: string | null;
}

/** The heads of a kind, by their numbers in the order of the layers, and where they stand. */
interface Row {
  heads: number[];
  track: HTMLElement;
}

export class HeadAtlas {
  #heads: AtlasHead[];
  #scores: Values[];
  #across = chooser("Across", () =>
    travel(
      () => this.#squares.map((square, head) => [String(head), square]),
      () => this.#place(),
    ),
  );
  #squares: HTMLButtonElement[];
  #rows: Row[];
  #ticks = h("div", { class: "ha-ticks", "aria-hidden": "true" });
  #says = h("p", { class: "ha-says" });
  /** Where the squares stand: [head], and by what they are walked to from left to right. */
  #axis: Axis = { places: [], ticks: [] };
  #values: number[] = [];
  readonly node: HTMLElement;

  /** `open(head)` is called when a reader presses a square. */
  constructor(heads: AtlasHead[], scores: Values[], open: (head: number) => void) {
    this.#heads = heads;
    this.#scores = scores;
    this.#squares = heads.map((_, head) => h("button", { type: "button", onclick: () => open(head) }));
    fillOptions(this.#across, ["layer", ...scores.map(({ name }) => name)], [...Array(scores.length + 1).keys()], 0);
    const kinds = [...Object.keys(BEHAVIOURS), null].filter((kind) => heads.some((each) => each.kind === kind));
    this.#rows = kinds.map((kind) => ({
      heads: [...heads.keys()].filter((at) => heads[at].kind === kind),
      track: h("div", { class: "ha-track", role: "group", "aria-label": kind ? behaviourOf(kind).label : "All heads" }),
    }));
    const rows = this.#rows.map(({ heads: all, track }, at) => rowOf(kinds[at], all.length, track));
    this.node = h(
      "div",
      { class: "head-atlas" },
      h("div", { class: "hm-tools" }, field(this.#across)),
      h("div", { class: "ha-plot", onkeydown: (event: KeyboardEvent) => this.#move(event) }, ...rows, this.#ticks),
      this.#says,
    );
    this.#place();
    this.open(0);
  }

  /** Marks the head whose card is open; it's the one that the Tab key reaches. */
  open(head: number) {
    this.#squares.forEach((square, at) => {
      square.ariaPressed = String(at === head);
      square.tabIndex = at === head ? 0 : -1;
    });
  }

  #place() {
    const score = this.#scores[Number(this.#across.value) - 1] as Values | undefined;
    const layers = this.#heads.map(({ layer }) => layer);
    this.#axis = score ? scoreAxis(score) : layerAxis(layers);
    this.#values = score ? score.values : layers;
    const { places, ticks } = this.#axis;
    const isLayer = !score && new Set(layers).size === ticks.length; // then what is left to say is which head of it
    this.#squares.forEach((square, at) => {
      const { name, layer, head } = this.#heads[at];
      square.ariaLabel = square.title = score ? `${name}: ${score.name} ${score.text(score.values[at])}` : name;
      setText(square, String(1 + (isLayer ? head : layer)));
    });
    for (const { heads, track } of this.#rows) {
      const columns = fill(track, ticks.length, () => h("div"));
      for (const column of columns) column.replaceChildren();
      for (const at of this.#inOrder(heads)) columns[places[at]].append(this.#squares[at]);
    }
    const names = fill(this.#ticks, ticks.length, () => h("span"));
    ticks.forEach((tick, column) => setText(names[column], tick));
    this.#ticks.classList.toggle("ha-scored", score !== undefined);
    this.node.style.setProperty("--columns", String(ticks.length));
    setText(
      this.#says,
      isLayer
        ? "Columns are layers. The number in a square is that of the head."
        : score
          ? "Each column is wider than the one before. The number in a square is that of its layer."
          : "Columns are layers, a few in each. The number in a square is that of its layer.",
    );
  }

  /** Heads from left to right. */
  #inOrder(heads: number[]) {
    return [...heads].sort((a, b) => this.#values[a] - this.#values[b] || a - b);
  }

  /** Arrow keys go to the next head of the kind, and to the kind above and below, to the head that stands nearest. */
  #move(event: KeyboardEvent) {
    const step = arrow(event.key);
    const at = this.#squares.indexOf(targetOf(event) as HTMLButtonElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const row = this.#rows.findIndex(({ heads }) => heads.includes(at));
    const order = this.#inOrder(this.#rows[row].heads);
    const next = step[1] ? order[order.indexOf(at) + step[1]] : this.#nearest(at, row + step[0]);
    if (next !== undefined) focusOn(this.#squares[next], this.#squares[at]);
  }

  #nearest(at: number, row: number) {
    const { places } = this.#axis;
    const far = (head: number) => Math.abs(places[head] - places[at]);
    return this.#inOrder(this.#rows[row]?.heads ?? []).sort((a, b) => far(a) - far(b))[0] as number | undefined;
  }
}

/** The row of a kind: its picture and name, which are the key to its colour, and its heads. */
function rowOf(kind: string | null, count: number, track: HTMLElement) {
  const { label, colour } = kind ? behaviourOf(kind) : { label: "All heads", colour: null };
  const name = h("span", { class: "ha-name" }, h("b", {}, label), ` ${count}`);
  return h("div", { class: "ha-row", style: colour && `--head: ${colour}` }, pictureOfKind(kind), name, track);
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
