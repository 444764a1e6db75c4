// What <slice-or-project> shows: W^Q as one matrix or pulled apart, what each head reads of a word, and the queries that come of it.

import type { Matrix } from "../../math/attention.ts";
import { colourOf } from "../../math/maps.ts";
import { NUMBER_COLOURS } from "../../math/names.ts";
import type { ProjectionWay, Projections } from "../../math/projections.ts";
import { rowOf, formatNumber } from "../../math/steps.ts";
import { readable } from "../../math/text.ts";
import { chooser, field, fillOptions, sentenceBox, setTyped } from "../../views/controls.ts";
import { fill, h, nextId, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { inkOf, makeBitmap, paintBitmap } from "../../views/pixels.ts";
import { tint } from "../../views/tints.ts";
import type { Action, State } from "./state.ts";

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
const OTHERS = WAY_NAMES.slice(1);

interface Sizes {
  d: number; // of the word
  width: number; // of all queries side by side
  part: number; // of one head's query
  heads: number;
}

const sizesOf = ({ x, wide: { shape } }: Projections): Sizes => {
  const [heads, part] = shape;
  return { d: x.shape[1], width: heads * part, part, heads };
};

export function view({ act, state: first }: Host<State, Action>) {
  const sentence = sentenceBox("Sentence", "Type a sentence", (text) =>
    act({ type: "choose", parts: { sentence: text } }),
  );
  const word = chooser("Asked by", (place) => act({ type: "choose", parts: { word: Number(place) } }));
  const tools = h(
    "div",
    { class: "hm-tools" },
    field(word),
    waysOf(first.way, (way) => act({ type: "turn", way })),
  );
  const reads = h("p", { class: "sp-says" });
  const stage = h("div", { class: "sp-stage", role: "img" });
  const title = h("caption");
  const rows = h("tbody");
  const differences = OTHERS.map(() => h("td"));
  const heads = ["head", ...WAY_NAMES.map((way) => WAYS[way].column)].map((text) => h("th", { scope: "col" }, text));
  const largest = h("th", { scope: "row", colspan: 2 }, "largest difference of all");
  const table = h(
    "table",
    {},
    title,
    h("thead", {}, h("tr", {}, ...heads)),
    rows,
    h("tfoot", {}, h("tr", {}, largest, ...differences)),
  );

  function draw(state: State) {
    setTyped(sentence, state.sentence);
    const { made, way } = state;
    if (!made) return;
    const names = made.tokens.map(readable);
    fillOptions(word, names, [...names.keys()], made.word);
    const sizes = sizesOf(made);
    const text = WAYS[way].says(sizes);
    setText(reads, text);
    stage.dataset.way = way;
    stage.ariaLabel = text;
    stage.style.setProperty("--heads", String(sizes.heads));
    drawHeads(stage, made, way);
    setText(title, `The query of “${names[made.word]}”: the first numbers of each head’s ${sizes.part}`);
    drawNumbers(rows, made, way);
    differences.forEach((cell, at) => setText(cell, differenceOf(made, OTHERS[at])));
  }

  return { nodes: [sentence, tools, reads, stage, table], draw };
}

/** What a change came to: what each head reads, and how far the other queries are from these. */
export function summary({ made, way }: State) {
  if (!made) return "";
  const others = OTHERS.map((other) => `${WAYS[other].label}: ${differenceOf(made, other)} from one wide matrix`);
  return `${WAYS[way].says(sizesOf(made))} ${others.join(". ")}.`;
}

function waysOf(chosen: ProjectionWay, turn: (way: ProjectionWay) => void) {
  const group = nextId("sp-way");
  const ways = WAY_NAMES.map((way) => {
    const props = { type: "radio", name: group, value: way, checked: way === chosen, onchange: () => turn(way) };
    return h("label", {}, h("input", props), h("span", {}, WAYS[way].label));
  });
  return h("fieldset", { class: "hm-views", "aria-label": "How the queries are made" }, ...ways);
}

function drawHeads(stage: HTMLElement, made: Projections, way: ProjectionWay) {
  const { headNames, x, tints } = made;
  const { heads, part } = sizesOf(made);
  const blocks = fill(stage, heads, () =>
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

function drawNumbers(body: HTMLElement, made: Projections, way: ProjectionWay) {
  const rows = fill(body, made.headNames.length, () =>
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
