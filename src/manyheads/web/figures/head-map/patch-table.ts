// The places of one head as cells: a row of those that aren't patches, and the patches, row by row.

import type { ShownMap } from "../../math/map-state.ts";
import { cellTint, isMasked, queryName, queryWeights } from "../../math/maps.ts";
import { isAsking, isSameQuery, type Query } from "../../math/query.ts";
import { answerKey } from "../../math/shown.ts";
import { isSpecial } from "../../math/text.ts";
import { fill, h, rowsOf, setTint, setToken, setWeight } from "../../views/dom.ts";
import type { ShownRowElement } from "./asking.ts";
import type { MapHost } from "./map-part.ts";
import { fullOnPicture } from "./patches.ts";
import { queryOf, restOf, type State } from "./state.ts";
import { styleOfHead } from "./switches.ts";

/** What is drawn of one head. */
export interface Drawn {
  map: ShownMap;
  layer: number;
  head: number;
  name: string;
  patches: (number | null)[]; // the keys that they are
  scale: (number | null)[]; // the keys of which the largest has the full colour, on the relative scale
  askers: (number | null)[]; // by key, those that can ask
}

export class CellTable {
  host: MapHost;
  places = h("tbody", { class: "hm-places", role: "rowgroup" }, h("tr", { role: "row" }));
  patches = h("tbody", { class: "hm-patches", role: "rowgroup" });
  node = h("table", { class: "hm-cells", role: "table" }, this.places, this.patches);
  #drawn: Drawn | null = null;
  #query: Query = 0; // when it was painted last

  constructor(host: MapHost) {
    this.host = host;
  }

  /** Draws these keys as places and, with so many `columns`, all patches; none without. */
  draw(drawn: Drawn, others: number[], columns: number, label: string) {
    const { state } = this.host;
    this.#drawn = drawn;
    this.#query = restOf(state);
    this.node.ariaLabel = label;
    this.places.hidden = others.length === 0;
    drawCells(rowsOf(this.places)[0], others, drawn, state, true);
    const rows = fill(this.patches, columns ? drawn.patches.length / columns : 0, () => h("tr", { role: "row" }));
    this.patches.style.setProperty("--columns", String(columns));
    const between = drawn.map.picture?.places; // pictures that stand side by side
    [...rows].forEach((row, at) => {
      drawCells(row as ShownRowElement, drawn.patches.slice(at * columns, (at + 1) * columns), drawn, state, false);
      [...row.cells].forEach((cell, column) =>
        cell.classList.toggle("hm-between", between?.[at * columns + column] === null),
      );
    });
    this.ask();
  }

  /** Another place asks. */
  ask() {
    const { state } = this.host;
    const query = queryOf(state);
    const rows = [...rowsOf(this.places), ...rowsOf(this.patches)] as ShownRowElement[];
    const { askers } = this.#drawn ?? {};
    if (this.#drawn && !isSameQuery(query, this.#query)) for (const row of rows) tintCells(row, this.#drawn, state);
    this.#query = query;
    for (const { cells, shows } of rows)
      shows?.keys?.forEach((key, at) =>
        cells[at].classList.toggle("hm-asker", key !== null && isAsking(query, askers?.[key] ?? null)),
      );
  }
}

/** What the resting place gives to these keys; null has no weight, though the focus passes over it. */
function drawCells(row: ShownRowElement, keys: (number | null)[], drawn: Drawn, state: State, named: boolean) {
  const { map, layer, head, askers } = drawn;
  const query = restOf(state);
  row.shows = { map, layer, head, query, keys, askers };
  const cells = fill(row, keys.length, makeCell) as HTMLCollectionOf<HTMLTableCellElement>;
  const { weights, tintOf } = tintsOf(drawn, state, query);
  const answer = named ? answerKey(map) : -1;
  keys.forEach((key, at) => {
    const gone = cells[at].classList.contains("hm-gone");
    if (gone !== (key === null)) cells[at].replaceWith(gone ? makeCell() : makeGone());
    if (key === null) return;
    const [cell, token] = [cells[at], map.keyTokens[key]];
    if (named) setToken(cell, token, key === answer);
    cell.classList.toggle("hm-faint", isSpecial(token));
    setWeight(cell, map, weights[key], tintOf(key), queryName(map, query), token, isMasked(map, query, key));
  });
}

/** The tints of a row alone. */
function tintCells({ cells, shows }: ShownRowElement, drawn: Drawn, state: State) {
  const query = queryOf(state);
  const { weights, tintOf } = tintsOf(drawn, state, query);
  shows?.keys?.forEach((key, at) => {
    if (key !== null) setTint(cells[at], weights[key], tintOf(key), isMasked(drawn.map, query, key));
  });
}

/** The weights of a query, and how each is tinted. */
function tintsOf({ map, layer, head, scale }: Drawn, state: State, query: Query) {
  const weights = queryWeights(map, layer, head, query);
  const style = styleOfHead(state, map, layer, head);
  const full = fullOnPicture(map, layer, weights, style, scale);
  return { weights, tintOf: (key: number) => cellTint(map, style, weights[key], full, isSpecial(map.keyTokens[key])) };
}

const makeCell = () => h("td", { role: "cell", tabindex: -1 });
const makeGone = () =>
  h("td", { role: "cell", tabindex: -1, class: "hm-gone", "data-weight": "", "aria-label": "not shown" });
