// What <slice-or-project> shows: W^Q as one matrix or pulled apart, what each head reads of a word, and the queries that come of it.

import type { Matrix } from "../../math/attention.ts";
import { colourOf } from "../../math/maps.ts";
import { NUMBER_COLOURS } from "../../math/names.ts";
import { choose, lend, type Change } from "../../math/lent.ts";
import type { ProjectionWay, Projections, ProjectionsState } from "../../math/projections.ts";
import { rowOf, formatNumber } from "../../math/steps.ts";
import { readable } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions, sentenceBox, setTyped, StatusLine, type Told } from "../../views/controls.ts";
import { fill, h, nextId, setText } from "../../views/dom.ts";
import { inkOf, makeBitmap, paintBitmap } from "../../views/pixels.ts";
import { tint } from "../../views/tints.ts";

export interface ProjectionsOptions {
  change: () => void; // the reader chose another sentence or word
  painted: (made: Projections) => void;
}

type Lendable = Partial<ProjectionsState>;

const SAME = 1e-6; // what rounding may change
const FIRST = 2; // so many numbers of each query are written

/** In the order of the switch: what each way is called there and in the table, and what it does, in words. */
const WAYS: Record<ProjectionWay, { label: string; column: string; says: (sizes: Sizes) => string }> = {
  wide: {
    label: "One wide matrix",
    column: "wide, then cut",
    says: ({ d, width, part }) =>
      `One matrix of ${d} × ${width} makes ${width} numbers of the word’s ${d}. They are cut afterwards: each head is dealt ${part}.`,
  },
  narrow: {
    label: "Narrow ones",
    column: "narrow",
    says: ({ d, part }) => `Each head has its own matrix of ${d} × ${part}, and reads all ${d} numbers of the word.`,
  },
  sliced: {
    label: "Cut the input: a bug",
    column: "input cut",
    says: ({ d, heads }) =>
      `Each head gets only ${d / heads} of the word’s ${d} numbers. The faded part of its matrix is never used.`,
  },
};
const WAY_NAMES = Object.keys(WAYS) as ProjectionWay[];

interface Sizes {
  d: number; // of the word
  width: number; // of all queries side by side
  part: number; // of one head's query
  heads: number;
}

export class SliceOrProjectView {
  state: ProjectionsState = { sentence: "", word: 0, way: "wide" };
  made: Projections | null = null;
  #lent: Lendable = {}; // what stood there before a phrase or a link
  #options: ProjectionsOptions;
  #sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => this.#ask({ sentence }));
  #word = chooser("Asked by", (word) => this.#ask({ word: Number(word) }));
  #ways: HTMLElement;
  #says = h("p", { class: "sp-says" });
  #stage = h("div", { class: "sp-stage", role: "img" });
  #title = h("caption");
  #rows = h("tbody");
  #differences = WAY_NAMES.slice(1).map(() => h("td"));
  #table: HTMLElement;
  #status = new StatusLine();
  #announcer = new Announcer();

  constructor(root: HTMLElement, state: Partial<ProjectionsState>, options: ProjectionsOptions) {
    this.#options = options;
    Object.assign(this.state, state);
    const group = nextId("sp-way");
    this.#ways = h(
      "fieldset",
      { class: "hm-views", "aria-label": "How the queries are made" },
      ...WAY_NAMES.map((way) =>
        h(
          "label",
          {},
          h("input", {
            type: "radio",
            name: group,
            value: way,
            checked: way === this.state.way,
            onchange: () => this.#turn(way),
          }),
          h("span", {}, WAYS[way].label),
        ),
      ),
    );
    const heads = ["head", ...WAY_NAMES.map((way) => WAYS[way].column)].map((text) => h("th", { scope: "col" }, text));
    this.#table = h(
      "table",
      {},
      this.#title,
      h("thead", {}, h("tr", {}, ...heads)),
      this.#rows,
      h(
        "tfoot",
        {},
        h("tr", {}, h("th", { scope: "row", colspan: 2 }, "largest difference of all"), ...this.#differences),
      ),
    );
    root.replaceChildren(
      this.#sentence,
      h("div", { class: "hm-tools" }, field(this.#word), this.#ways),
      this.#says,
      this.#stage,
      this.#table,
      this.#status.node,
      this.#announcer.node,
    );
    setTyped(this.#sentence, this.state.sentence);
  }

  /** Takes over what a phrase or a link sets. */
  lend(given: Lendable) {
    this.#take(lend<Lendable>(this.state, this.#lent, given, given.sentence === undefined ? null : {}));
  }

  #take({ parts, lent }: Change<Lendable>) {
    this.update(parts);
    this.#lent = lent;
  }

  /** Takes over parts of the state that changed elsewhere. */
  update(state: Partial<ProjectionsState>) {
    Object.assign(this.state, state);
    setTyped(this.#sentence, this.state.sentence);
  }

  show(made: Projections) {
    this.made = made;
    this.#draw(made);
    this.#options.painted(made);
  }

  /** Says how things stand; `act`, if given, is what a button after the text does. */
  setStatus(...[text, ...rest]: Told) {
    this.#status.tell([text, ...(this.made?.notes ?? [])].join(" "), ...rest);
  }

  #ask(state: Partial<ProjectionsState>) {
    this.#announcer.changed();
    this.#take(choose<Lendable>(this.state, this.#lent, state, state.sentence !== undefined));
    this.#options.change();
  }

  #turn(way: ProjectionWay) {
    this.#announcer.changed();
    this.state.way = way;
    if (this.made) this.#draw(this.made);
  }

  // --- drawing

  #draw(made: Projections) {
    const {
      tokens,
      word,
      x,
      wide: {
        shape: [heads, part],
      },
    } = made;
    const { way } = this.state;
    const names = tokens.map(readable);
    fillOptions(
      this.#word,
      names,
      names.map((_, place) => place),
      word,
    );
    const says = WAYS[way].says({ d: x.shape[1], width: heads * part, part, heads });
    setText(this.#says, says);
    this.#stage.dataset.way = way;
    this.#stage.ariaLabel = says;
    this.#stage.style.setProperty("--heads", String(heads));
    this.#drawHeads(made, way);
    setText(this.#title, `The query of “${names[word]}”: the first numbers of each head’s ${part}`);
    this.#drawNumbers(made, way);
    this.#announcer.drawn(
      () =>
        `${says} ${WAY_NAMES.slice(1)
          .map((other) => `${WAYS[other].label}: ${differenceOf(made, other)} from one wide matrix`)
          .join(". ")}.`,
    );
  }

  #drawHeads(made: Projections, way: ProjectionWay) {
    const {
      headNames,
      x,
      tints,
      wide: {
        shape: [heads, part],
      },
    } = made;
    const blocks = fill(this.#stage, heads, () =>
      h(
        "div",
        { class: "sp-head" },
        h("div", { class: "sp-names" }, h("i", {}, "x"), h("span", {}, "W", h("sup", {}, "Q"), h("sub"))),
        h(
          "div",
          { class: "sp-product" },
          h("canvas", { class: "sp-x" }),
          h("canvas", { class: "sp-w" }),
          h("i", { class: "sp-before" }),
          h("i", { class: "sp-after" }),
        ),
        h("canvas", { class: "sp-q" }),
        h("span", {}),
      ),
    );
    const weight = { shape: tints.shape, values: Float32Array.from(tints.tints) };
    const largest = largestOf(made.wide.values);
    headNames.forEach((name, head) => {
      const [names, product, query, label] = blocks[head].children as unknown as [
        HTMLElement,
        HTMLElement,
        HTMLCanvasElement,
        HTMLElement,
      ];
      setText(names.querySelector("sub") as HTMLElement, way === "wide" ? "" : String(head + 1));
      blocks[head].style.setProperty("--head", colourOf(name));
      blocks[head].style.setProperty("--before", String(head / heads));
      blocks[head].style.setProperty("--after", String(1 - (head + 1) / heads));
      paint(product.children[0] as HTMLCanvasElement, { shape: [x.shape[1], 1], values: x.values });
      paint(product.children[1] as HTMLCanvasElement, columnsOf(weight, head * part, part), 127);
      paint(query, { shape: [1, part], values: rowOf(made[way], head) }, largest);
      setText(label, name);
    });
  }

  #drawNumbers(made: Projections, way: ProjectionWay) {
    const rows = fill(this.#rows, made.headNames.length, () =>
      h("tr", {}, h("th", { scope: "row" }), ...WAY_NAMES.map(() => h("td", {}, h("span"), " ", h("span"), " …"))),
    );
    made.headNames.forEach((name, head) => {
      const row = rows[head] as HTMLTableRowElement;
      row.style.setProperty("--head", colourOf(name));
      setText(row.cells[0], name);
      WAY_NAMES.forEach((each, at) => {
        const cell = row.cells[at + 1];
        cell.classList.toggle("sp-chosen", each === way);
        for (let number = 0; number < FIRST; number++)
          setText(cell.children[number], formatNumber(rowOf(made[each], head)[number], 2));
      });
    });
    this.#differences.forEach((cell, at) => setText(cell, differenceOf(made, WAY_NAMES[at + 1])));
  }
}

/** How far the queries made in one way are from those of one wide matrix, in words. */
function differenceOf(made: Projections, way: ProjectionWay) {
  const other = made[way].values;
  const difference = made.wide.values.reduce((most, value, at) => Math.max(most, Math.abs(value - other[at])), 0);
  return difference < SAME ? "under 0.000001" : formatNumber(difference, 2);
}

const largestOf = (values: Float32Array) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** Some columns of a matrix. */
const columnsOf = ({ shape: [rows, columns], values }: Matrix, from: number, count: number) => ({
  shape: [rows, count],
  values: Float32Array.from(
    { length: rows * count },
    (_, at) => values[Math.floor(at / count) * columns + from + (at % count)],
  ),
});

/** A pixel for each number of a matrix, as deep as its share of the largest. */
function paint(canvas: HTMLCanvasElement, { shape: [rows, columns], values }: Matrix, largest = largestOf(values)) {
  const [positive, negative] = [inkOf(NUMBER_COLOURS.positive), inkOf(NUMBER_COLOURS.negative)];
  paintBitmap(
    canvas,
    makeBitmap(columns, rows, (pixels) =>
      values.forEach((value, at) => {
        const share = tint(value, largest);
        pixels[at] = (share < 0 ? negative : positive) | (Math.round(255 * Math.abs(share)) << 24);
      }),
    ),
  );
}
