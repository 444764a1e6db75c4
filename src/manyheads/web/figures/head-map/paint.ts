// Paint: the sentence once per head, every token tinted by the weight that the asking token gives it.

import type { ShownMap } from "../../math/map-state.ts";
import { cellTint, compareHeads, fullWeight, headNamesOf, isMasked, queryName, queryWeights } from "../../math/maps.ts";
import { mostHeads } from "../../math/families.ts";
import { isAsking, isSameQuery, type Query } from "../../math/query.ts";
import { answerKey, keyOf } from "../../math/shown.ts";
import { directionOf, isSpecial, percent } from "../../math/text.ts";
import { Arcs, type PaintedRow } from "./arcs.ts";
import type { ShownRowElement } from "./asking.ts";
import { type CellTint, fill, h, setText, setToken, setTint, setWeight } from "../../views/dom.ts";
import type { MapHost, MapPart, PlaceName } from "./map-part.ts";
import { queryOf, restOf, type State } from "./state.ts";
import { dress, styleOfHead } from "./switches.ts";
import { travel, type Travellers } from "../../views/travel.ts";

const FEW_ROWS = 12; // so many are painted at once; of more, those on screen first
const UNSEEN = 120; // milliseconds until the others are
const THICKEST = 4; // pixels
const SWING = 12; // pixels that words fly above or below each other
const GLIDING = 120; // cells; the tints of more change at once

interface DrawnRow extends PaintedRow {
  row: ShownRowElement;
  second: boolean;
}

export class PaintView implements MapPart {
  placesToggles = true;
  #rows: DrawnRow[] = [];
  #maps: { map: ShownMap; compared: ShownMap | null } | null = null;
  #query: Query = 0; // when the words were painted last
  #arcs = new Arcs();
  #later?: ReturnType<typeof setTimeout>; // paints the rows that are not on screen
  host: MapHost;
  placeName: PlaceName;
  table = h("table", { class: "hm-paint", role: "table" });
  resized: ResizeObserver;

  constructor(stage: HTMLElement, host: MapHost, placeName: PlaceName) {
    this.host = host;
    this.placeName = placeName;
    stage.append(h("div", { class: "hm-painted" }, this.table, this.#arcs.node));
    this.resized = new ResizeObserver(() => this.#moved());
    this.resized.observe(this.table);
  }

  leave() {
    this.resized.disconnect();
    clearTimeout(this.#later);
  }

  draw(map: ShownMap, compared: ShownMap | null) {
    const before = this.#maps;
    const paint = () => this.#paint(map, compared);
    if (before && isReordered(before.map.keyTokens, map.keyTokens)) {
      travel(this.#words, paint, {
        carries: ["backgroundColor", "backgroundSize"],
        swings: SWING,
        departs: () => this.#arcs.node.classList.add("hm-away"),
        arrives: () => this.#land(),
      });
    } else if (before && !before.compared !== !compared) travel(this.#heads, paint);
    else paint();
  }

  /** Words are where they belong, and arcs lead to them again. */
  #land() {
    this.#arcs.node.classList.remove("hm-away");
    this.#moved();
  }

  /** The words of each row, so that the second "can" of one order is the second one of another. */
  #words: Travellers = () =>
    this.#rows.flatMap(({ row, map, head, second }) => {
      const seen = new Map<string, number>();
      return map.keyTokens.map((token, key): [string, HTMLElement] => {
        const number = (seen.get(token) ?? 0) + 1;
        seen.set(token, number);
        return [`${head} ${second} ${number} ${token}`, row.cells[key + 1]];
      });
    });

  #heads: Travellers = () => [...this.table.tBodies].map((body, head) => [String(head), body]);

  #paint(map: ShownMap, compared: ShownMap | null) {
    const { table } = this;
    const { state } = this.host;
    const { layer } = state.chosen;
    const rest = restOf(state);
    const { moved, pairs, secondQuery: other } = compareHeads(map, compared, layer, rest);
    const { askers } = map;
    const [shared, others] = sharedTokens(pairs);
    const second = pairs && compared && secondAskers(pairs, askers, compared.shape[3]);
    table.ariaLabel = `What each head looks at when ${queryName(map, rest)} asks`;
    const [, heads] = map.shape;
    const most = Math.max(...moved);
    const bodies = fill(table, heads, () => h("tbody", { role: "rowgroup" }));
    this.#rows = [];
    [...bodies].forEach((body, head) => {
      dress(state, body, layer, head);
      const rows = fill(body, pairs ? 2 : 1, makeRow);
      this.placeName(rows[0].cells[0], layer, head);
      this.#rows.push(drawRow(rows[0], state, map, { layer, head, query: rest, askers, shared }));
      if (!compared || !pairs) return;
      setText(rows[1].cells[0], moved.length ? `moved ${percent(moved[head])}` : "");
      rows[1].cells[0].classList.toggle("hm-most", most > 0 && moved[head] === most);
      const row = { layer, head, query: other, askers: second, second: true, shared: others };
      this.#rows.push(drawRow(rows[1], state, compared, row));
    });
    table.dir = directionOf(map.keyTokens);
    table.style.setProperty("--keys", String(map.shape[3]));
    table.style.setProperty("--letters", String(Math.max(...headNamesOf(map, layer).map((name) => name.length))));
    table.classList.toggle("hm-close", mostHeads(state.models) > 0 && !map.mixed);
    table.classList.toggle("hm-gliding", this.#rows.length * map.shape[3] <= GLIDING);
    clearTimeout(this.#later);
    this.#maps = { map, compared };
    this.#query = rest;
    this.#arcs.forget();
    if (isSameQuery(queryOf(state), rest)) this.#drawArcs();
    else this.ask();
  }

  /** Paints what another word looks at. */
  ask() {
    const { state } = this.host;
    if (!this.#maps) return;
    const { map, compared } = this.#maps;
    const query = queryOf(state);
    const other = compareHeads(map, compared, state.chosen.layer, query).secondQuery;
    this.#rows = this.#rows.map((row) => ({ ...row, query: row.second ? other : query }));
    for (const row of this.#rows) row.from = keyOf(row.map, row.query);
    const seen = near(this.#rows);
    this.#arcs.draw(this.#hasArcs ? seen.filter(isFirst) : [], state); // reads where words are before any is painted
    if (isSameQuery(query, this.#query)) return;
    this.#query = query;
    for (const row of seen) tintRow(row, state);
    clearTimeout(this.#later);
    if (seen.length < this.#rows.length)
      this.#later = setTimeout(() => this.#rows.forEach((row) => tintRow(row, state)), UNSEEN);
  }

  /** Whether somebody wants to know who asks. */
  get #hasArcs() {
    const { state } = this.host;
    return state.pinned || !isSameQuery(queryOf(state), restOf(state));
  }

  #moved() {
    this.#arcs.forget();
    this.#drawArcs();
  }

  #drawArcs() {
    this.#arcs.draw(this.#hasArcs ? near(this.#rows).filter(isFirst) : [], this.host.state);
  }
}

/** Whether a text is another one of the same words. */
const isReordered = (before: string[], after: string[]) =>
  before.length === after.length &&
  before.some((token, at) => token !== after[at]) &&
  String([...before].sort()) === String([...after].sort());

/** Whether a row is of the first sentence: arcs of the second one would strike its words through. */
const isFirst = ({ second }: DrawnRow) => !second;

/** The rows that are on screen, where there are many. */
function near(rows: DrawnRow[]) {
  if (rows.length <= FEW_ROWS) return rows;
  const seen = rows.findIndex(({ row }) => row.getBoundingClientRect().bottom > 0);
  const below = rows.findIndex(({ row }, at) => at > seen && row.getBoundingClientRect().top > innerHeight);
  return rows.slice(Math.max(seen, 0), below < 0 ? rows.length : below);
}

/** The tokens of each of two sentences that both have, by their pairs; null where none are compared. */
export const sharedTokens = (pairs: number[][] | null) =>
  [0, 1].map((side) => pairs && new Set(pairs.map((pair) => pair[side])));

/** The words of the second sentence as they would ask in the first. */
export function secondAskers(pairs: number[][], askers: (number | null)[] | null, count: number) {
  const second: (number | null)[] = Array(count).fill(null);
  for (const [i, j] of pairs) second[j] = askers?.[i] ?? null;
  return second;
}

export const makeRow = () => h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }));

/** One head's weights on all tokens; `shared`, where two sentences are compared, are the tokens that both have. */
export function drawRow(
  row: ShownRowElement,
  state: State,
  map: ShownMap,
  {
    layer,
    head,
    query,
    askers,
    second = false,
    shared = null,
  }: {
    layer: number;
    head: number;
    query: Query;
    askers: (number | null)[] | null;
    second?: boolean;
    shared?: Set<number> | null;
  },
): DrawnRow {
  const weights = queryWeights(map, layer, head, query);
  const style = styleOfHead(state, map, layer, head);
  const full = fullWeight(map, layer, weights, style);
  const [from, name] = [keyOf(map, query), queryName(map, query)];
  const answer = answerKey(map);
  row.shows = { map, layer, head, query, askers, second };
  while (row.cells.length > weights.length + 1) row.lastElementChild?.remove();
  while (row.cells.length < weights.length + 1) row.append(h("td", { role: "cell", tabindex: -1 }));
  weights.forEach((weight, key) => {
    const cell = row.cells[key + 1];
    const token = map.keyTokens[key];
    setToken(cell, token, key === answer);
    const special = isSpecial(token);
    cell.classList.toggle("hm-only", Boolean(shared) && !shared?.has(key));
    cell.classList.toggle("hm-faint", special);
    cell.classList.toggle("hm-asker", isAsking(query, map.askers?.[key] ?? null));
    const shown = cellTint(map, style, weight, full, special);
    setWeight(cell, map, weight, shown, name, token, isMasked(map, query, key));
    underline(cell, shown);
  });
  return { row, map, layer, head, query, from, second };
}

/** Shows a weight a second time, in thickness. */
function underline(cell: HTMLElement & { underlined?: number }, tint: CellTint) {
  if (cell.underlined === tint.underline) return;
  cell.underlined = tint.underline;
  cell.style.backgroundSize = `100% ${THICKEST * tint.underline}px, auto`; // below 0, the hatching comes second
}

/** The tints of a row alone, and who asks. */
function tintRow({ row, map, layer, head, query }: DrawnRow, state: State) {
  const weights = queryWeights(map, layer, head, query);
  const style = styleOfHead(state, map, layer, head);
  const full = fullWeight(map, layer, weights, style);
  const { cells } = row;
  weights.forEach((weight, key) => {
    const shown = cellTint(map, style, weight, full, isSpecial(map.keyTokens[key]));
    setTint(cells[key + 1], weight, shown, isMasked(map, query, key));
    underline(cells[key + 1], shown);
    cells[key + 1].classList.toggle("hm-asker", isAsking(query, map.askers?.[key] ?? null));
  });
}
