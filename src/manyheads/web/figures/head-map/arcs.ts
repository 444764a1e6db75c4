// Arcs over the words of Paint, from the one that asks to those that it looks at: in the head's colour, the thicker, the more.

import type { ShownMap } from "../../math/map-state.ts";
import { lineStyle, lineUnit, queryWeights } from "../../math/maps.ts";
import { endsOf, type Query } from "../../math/query.ts";
import type { State } from "./state.ts";
import { styleOfHead } from "./switches.ts";
import { s } from "../../views/dom.ts";

const [MOST_ARCS, LEAST_ARC] = [8, 0.03]; // arcs of a row; the least share of the thickest that has one
const [LOW, HIGH] = [9, 22]; // pixels an arc rises over its words
const NOTHING = { d: "" }; // a path that is not seen

/** A row of words on screen; `from` is the place in it of the word that asks. */
export interface PaintedRow {
  row: HTMLTableRowElement;
  map: ShownMap;
  layer: number;
  head: number;
  query: Query;
  from: number;
}

export class Arcs {
  node = s("svg", { class: "hm-arcs", "aria-hidden": "true" });
  #places = new Map<ShownMap, number[][]>(); // where its words are in each of its rows: [key][left, top, width]

  /** Words have moved. */
  forget() {
    this.#places.clear();
  }

  draw(rows: PaintedRow[], state: State) {
    const drawn = rows.length ? this.#arcsOf(rows, state) : [];
    const { node } = this; // as many paths as rows may have, kept: one more or less, and the whole map is laid out anew
    while (node.childElementCount < rows.length * MOST_ARCS) node.append(s("path"));
    [...node.children].forEach((path, at) => {
      for (const [name, value] of Object.entries(drawn[at] ?? NOTHING)) path.setAttribute(name, value);
    });
  }

  /** The attributes of the rows' arcs. */
  #arcsOf(rows: PaintedRow[], state: State): Record<string, string>[] {
    const own = this.node.getBoundingClientRect();
    return rows.flatMap(({ row, map, layer, head, query, from }) => {
      const style = styleOfHead(state, map, layer, head);
      if (style.off || from < 0) return [];
      const weights = queryWeights(map, layer, head, query);
      const unit = lineUnit(map, layer);
      const keys = [...weights.keys()]
        .filter((key) => Math.abs(weights[key]) >= LEAST_ARC * unit)
        .sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a]))
        .slice(0, MOST_ARCS);
      if (keys.length === 0) return [];
      const words = this.#wordsOf(map, row);
      const { left, top } = row.getBoundingClientRect();
      const seen = (word: number) => words[word][2] > 0; // a first minute has no special tokens
      return keys
        .filter((key) => seen(key) && seen(from))
        .map((key) => ({
          d: arc(words[from], words[key], left - own.left, top - own.top),
          ...lineStyle(style, map, { query: endsOf(query)[0], key, weight: weights[key] }, unit),
          "stroke-opacity": (0.3 + 0.6 * Math.sqrt(Math.abs(weights[key]) / unit)).toFixed(2),
        }));
    });
  }

  #wordsOf(map: ShownMap, row: HTMLTableRowElement) {
    const known = this.#places.get(map);
    if (known) return known;
    const { left, top } = row.getBoundingClientRect();
    const words = [...row.cells].slice(1).map((cell) => {
      const at = cell.getBoundingClientRect();
      return [at.left - left, at.top - top, at.width];
    });
    this.#places.set(map, words);
    return words;
  }
}

/** The path of an arc from word to word, each [left, top, width] in its row, which is at x, y. */
function arc(from: number[], to: number[], x: number, y: number) {
  const [start, end] = [from, to].map(([left, top, width]) => [x + left + width / 2, y + top + 2]);
  const rise = Math.min(HIGH, LOW + 0.04 * Math.abs(end[0] - start[0]));
  if (from === to) return `M${start[0] - 5} ${start[1]}c-6 -${HIGH / 2} 16 -${HIGH / 2} 10 0`;
  const [first, second] = [start, end].map(
    ([across, down]) => `${Math.round(across)} ${Math.round(down - rise * 1.3)}`,
  );
  return `M${Math.round(start[0])} ${Math.round(start[1])}C${first} ${second} ${Math.round(end[0])} ${Math.round(end[1])}`;
}
