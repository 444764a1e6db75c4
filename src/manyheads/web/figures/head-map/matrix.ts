// Matrix: a query × key table per head, small multiples; one of them large on demand.

import { difference, movedHeads } from "../../math/compared.ts";
import type { ShownMap } from "../../math/map-state.ts";
import { cellTint, DENSE, fullWeight, headName, isMasked, queryWeights } from "../../math/maps.ts";
import { answerKey } from "../../math/shown.ts";
import { isAsking } from "../../math/query.ts";
import { directionOf, isSpecial, percent } from "../../math/text.ts";
import type { ShownRowElement } from "./asking.ts";
import { fill, h, rowsOf, setText, setToken, setWeight, targetOf } from "../../views/dom.ts";
import { figuresOf, HeadFigure } from "./head-figure.ts";
import type { MapHost, MapPart, PlaceName } from "./map-part.ts";
import { lettersOf } from "./sizes.ts";
import { queryOf, secondName } from "./state.ts";
import { styleOfHead } from "./switches.ts";
import { drawHead, makeBitmap, paintBitmap } from "../../views/pixels.ts";

export const TABLE_CELLS = 8192; // so many, all heads together, are tables; more are bitmaps
const PRESSED = 20; // pixels of a side that can be pressed
const SMALL_SIDE = 256; // pixels of a small bitmap, at most

export class MatrixView implements MapPart {
  placesToggles = true;
  host: MapHost;
  placeName: PlaceName;
  box = h("div", { class: "hm-matrices", onfocusin: scrollToFocus, onclick: (event: Event) => this.#enlarge(event) });
  figures: MatrixFigure[] = [];

  constructor(stage: HTMLElement, host: MapHost, placeName: PlaceName) {
    this.host = host;
    this.placeName = placeName;
    stage.append(this.box);
  }

  /** Another word asks: its rows stand out. */
  ask() {
    for (const figure of this.figures) figure.ask();
  }

  /** Where squares are too small to be pressed one by one, the whole map is what is pressed. */
  #enlarge(event: Event) {
    const cell = targetOf(event).closest("td, canvas");
    const head = this.figures.findIndex(({ scroll }) => scroll.contains(cell));
    const isSmall = cell instanceof HTMLCanvasElement || (cell && cell.clientWidth > 0 && cell.clientWidth < PRESSED);
    if (!isSmall || head < 0 || head === this.host.state.chosen.head) return;
    event.stopPropagation();
    this.host.act({ type: "choose", parts: { head } });
  }

  draw(first: ShownMap, second: ShownMap | null) {
    const { layer, head: chosen } = this.host.state.chosen;
    const map = second ? difference(first, second) : first;
    const moved = second ? movedHeads(first, second, layer) : [];
    const [, heads, queries, keys] = map.shape;
    this.box.style.setProperty("--keys", String(keys));
    this.box.classList.toggle("hm-dense", keys > DENSE);
    figuresOf(this.figures, this.box, heads, () => new MatrixFigure(this.host)).forEach((figure, head) => {
      const large = chosen === head;
      const table = queries * keys * (large ? 1 : heads) <= TABLE_CELLS;
      this.placeName(figure.title, layer, head);
      figure.draw(map, layer, head, { large, table, name: headName(map, layer, head) });
      setText(figure.moved, moved.length ? `moved ${percent(moved[head])} on average` : "");
    });
  }
}

/** What the keyboard has reached is seen whole. A mouse points at what it sees. */
export function scrollToFocus(event: Event) {
  const target = targetOf(event);
  if (target.matches(":focus-visible")) target.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** One head, as a table or as a bitmap. */
export class MatrixFigure extends HeadFigure {
  map: ShownMap | null = null;
  scroll: HTMLElement;
  columns = h("tr", {}, h("th", { role: "cell" })); // the corner heads nothing
  rows = h("tbody");
  table = h("table", {}, h("thead", {}, this.columns), this.rows);
  canvas = h("canvas", { role: "img" });

  constructor(host: MapHost) {
    const scroll = h("div", { class: "hm-scroll" });
    super(host, "hm-matrix", scroll);
    this.scroll = scroll;
  }

  draw(
    map: ShownMap,
    layer: number,
    head: number,
    { large, table, name }: { large: boolean; table: boolean; name: string },
  ) {
    const { node } = this;
    const keys = map.shape[3];
    this.map = map;
    this.frame(layer, head, large, name);
    node.style.setProperty("--keys", String(keys));
    node.style.setProperty("--letters", String(lettersOf(map.queryTokens)));
    node.classList.toggle("hm-dense", keys > DENSE);
    const label = `${name}: rows ask, columns are looked at${map.full ? `; the ${secondName(this.host.state)} less the first` : ""}`;
    const shown = table ? this.table : this.canvas;
    if (this.scroll.firstChild !== shown) this.scroll.replaceChildren(shown);
    if (table) this.#drawTable(map, layer, head, label);
    else this.#drawBitmap(map, layer, head, label, large);
  }

  /** Another word asks: its row stands out, of several all; of two sentences, only shared words have one. */
  ask() {
    const asking = queryOf(this.host.state);
    for (const row of rowsOf(this.rows) as HTMLCollectionOf<ShownRowElement>)
      row.classList.toggle("hm-asks", isAsking(asking, row.shows?.own ?? null));
  }

  #drawBitmap(map: ShownMap, layer: number, head: number, label: string, large: boolean) {
    const [, , queries, keys] = map.shape;
    this.canvas.ariaLabel = `${label}. ${queries} by ${keys} weights; for numbers, choose Paint and who asks.`;
    const [width, height] = [keys, queries].map((side) => (large ? side : Math.min(side, SMALL_SIDE)));
    paintBitmap(
      this.canvas,
      makeBitmap(width, height, (pixels) =>
        drawHead(
          pixels,
          width,
          { x: 0, y: 0, width, height },
          map,
          layer,
          head,
          styleOfHead(this.host.state, map, layer, head),
        ),
      ),
    );
  }

  #drawTable(map: ShownMap, layer: number, head: number, label: string) {
    const { table } = this;
    const { state } = this.host;
    const whole = state.shown!.map;
    const [, , queries, keys] = map.shape;
    table.ariaLabel = label;
    this.scroll.dir = table.dir = directionOf(map.keyTokens);
    const columns = fill(this.columns, keys + 1, () => h("th", { scope: "col" }, h("span")));
    const answer = answerKey(map);
    const asks = map.askers?.[answer] ?? -1;
    for (let key = 0; key < keys; key++) setToken(columns[key + 1].children[0], map.keyTokens[key], key === answer);
    const faint = map.keyTokens.map(isSpecial);
    const style = styleOfHead(state, map, layer, head);
    const rows = fill(this.rows, queries, () => h("tr", {}, h("th", { scope: "row" })));
    for (let query = 0; query < queries; query++) {
      const weights = queryWeights(map, layer, head, query);
      const full = fullWeight(map, layer, weights, style);
      const row: ShownRowElement = rows[query];
      const { cells } = row;
      row.shows = { map, layer, head, query, own: map === whole ? query : whole.queries.indexOf(map.queries[query]) };
      setToken(cells[0], map.queryTokens[query], query === asks);
      while (cells.length > keys + 1) row.lastElementChild?.remove();
      while (cells.length < keys + 1) row.append(h("td", { tabindex: -1 }));
      for (let key = 0; key < keys; key++) {
        const cell = cells[key + 1];
        const special = faint[key] || isSpecial(map.queryTokens[query]);
        cell.classList.toggle("hm-faint", special);
        setWeight(
          cell,
          map,
          weights[key],
          cellTint(map, style, weights[key], full, special),
          map.queryTokens[query],
          map.keyTokens[key],
          isMasked(map, query, key),
        );
      }
    }
    this.ask();
  }
}
