// Picture: what the model looked at, once per head, and over it the weights that the asking place gives to its patches. Above
// it stand the other places: special tokens or, in a vision-language model, words.

import type { PatchPicture } from "../../math/attention-map.ts";
import type { ShownMap } from "../../math/map-state.ts";
import { cellTint, headName, isMasked, isOfParts, queryWeights } from "../../math/maps.ts";
import { askersByKey, FEW_PLACES, fullOnPicture, meanOfLayer, otherKeys, patchKeys, sumOnPicture } from "./patches.ts";
import { isSpecial, percent, weightText } from "../../math/text.ts";
import type { ShownRowElement } from "./asking.ts";
import { fill, h, rowsOf, setText, setTint, setToken, setWeight, targetOf } from "../../views/dom.ts";
import { figuresOf, HeadFigure } from "./head-figure.ts";
import type { MapHost, MapPart } from "./map-part.ts";
import { scrollToFocus } from "./matrix.ts";
import { inkOf, makeBitmap, paintBitmap } from "../../views/pixels.ts";

const MOST_CELLS = 4096; // so many, all heads together, are tables; more are bitmaps, which follow the pointer faster

/** What is drawn of one head. */
interface Drawn {
  map: ShownMap;
  layer: number;
  head: number;
  patches: (number | null)[]; // the keys that they are
  scale: (number | null)[]; // the keys of which the largest has the full colour, on the relative scale
  askers: (number | null)[]; // by key, those that can ask
}

export class PictureView implements MapPart {
  placesToggles = true;
  host: MapHost;
  figures: SightFigure[] = [];
  asking: AskingWords;
  words: CellTable; // of one head, or of the mean of those that are on
  wordsName = h("span", { class: "hm-head" });
  wordsRow: HTMLElement;
  box = h("div", { class: "hm-sights", onfocusin: scrollToFocus });

  constructor(stage: HTMLElement, host: MapHost) {
    this.host = host;
    this.asking = new AskingWords(host);
    this.words = new CellTable(host);
    this.wordsRow = h("div", { class: "hm-words" }, this.wordsName, this.words.node);
    stage.append(this.asking.node, this.wordsRow, this.box);
  }

  draw(map: ShownMap) {
    const { host, box } = this;
    const { layer, head: chosen } = host.state;
    const {
      picture,
      shape: [, heads],
    } = map;
    if (!picture) return;
    const [patches, others, askers] = [patchKeys(map), otherKeys(map), askersByKey(map, host.askersOf(map))];
    const few = others.length <= FEW_PLACES;
    box.style.setProperty("--photo", `url("${picture.src}")`);
    box.style.setProperty("--shape", `${picture.width} / ${picture.height}`);
    this.asking.draw(map, askers);
    this.wordsRow.hidden = few;
    if (!few) this.#drawWords(map, others, askers);
    figuresOf(this.figures, box, heads, () => new SightFigure(host)).forEach((figure, head) => {
      const large = chosen === head;
      const table = patches.length * (large ? 1 : heads) <= MOST_CELLS;
      host.placeName(figure.title, head);
      figure.draw({ map, layer, head, patches, scale: patches, askers }, few ? others : [], { large, table });
    });
  }

  /** One row of words, for the head that is large, or for all that are on. */
  #drawWords(map: ShownMap, others: number[], askers: (number | null)[]) {
    const { host, wordsRow, words } = this;
    const { layer, head: chosen, headMask } = host.state;
    const [shown, head] =
      chosen === null && map.shape[1] > 1 ? [meanOfLayer(map, layer, headMask), 0] : [map, chosen ?? 0];
    const name = headName(shown, layer, head);
    setText(this.wordsName, name);
    wordsRow.style.setProperty("--head", host.styleOf(shown, layer, head).colour);
    const scale = others.filter((key) => !isSpecial(map.keyTokens[key])); // they rest on special tokens
    words.draw(
      { map: shown, layer, head, patches: [], scale, askers },
      others,
      0,
      `${name}: what ${map.queryTokens[host.rest]} looks at beside the picture`,
    );
  }

  /** Another place asks. */
  ask() {
    this.asking.mark();
    if (!this.wordsRow.hidden) this.words.ask();
    for (const figure of this.figures) figure.ask();
  }
}

/** The picture of one head. */
class SightFigure extends HeadFigure {
  cells: CellTable;
  canvas = h("canvas", {
    role: "img",
    onpointermove: (event: PointerEvent) => event.pointerType !== "touch" && this.#point(this.#patchAt(event)),
    onpointerleave: () => this.#point(null),
    onclick: (event: PointerEvent) => this.#pin(this.#patchAt(event)),
  });
  here = h("i", { class: "hm-here", "aria-hidden": "true" }); // around the patch that asks
  seen: HTMLElement;
  share = h("p", { class: "hm-share" }); // of its attention that goes to patches
  #drawn: Drawn | null = null;

  constructor(host: MapHost) {
    const cells = new CellTable(host);
    const seen = h("div", { class: "hm-seen" }, h("div", { class: "hm-photo" }), cells.node);
    super(host, "hm-sight", seen);
    seen.append(this.share);
    this.seen = seen;
    this.cells = cells;
  }

  draw(drawn: Drawn, others: number[], { large, table }: { large: boolean; table: boolean }) {
    const { map, layer, head } = drawn;
    const { columns } = map.picture as PatchPicture;
    const name = headName(map, layer, head);
    this.#drawn = drawn;
    this.frame(layer, head, large, name);
    this.cells.draw(drawn, others, table ? columns : 0, `${name}: what ${map.queryTokens[this.host.rest]} looks at`);
    this.cells.node.hidden = !table && others.length === 0;
    for (const node of [this.canvas, this.here])
      if (table) node.remove();
      else if (!node.isConnected) this.seen.append(node);
    this.canvas.ariaLabel = `${name}: the weights of ${drawn.patches.length} patches. For numbers, enlarge it.`;
    this.ask();
  }

  /** Another place asks. */
  ask() {
    if (!this.#drawn) return;
    const { map, layer, head, patches } = this.#drawn;
    const weights = queryWeights(map, layer, head, this.host.query);
    this.cells.ask();
    setText(this.share, isOfParts(map) ? `${percent(sumOnPicture(weights, patches))} on the picture` : "");
    if (this.canvas.isConnected) this.#paint(this.#drawn, weights);
  }

  #paint({ map, layer, head, patches, scale, askers }: Drawn, weights: Float32Array) {
    const { rows, columns } = map.picture as PatchPicture;
    const asking = patches.findIndex((key) => key !== null && askers[key] === this.host.query);
    this.here.hidden = asking < 0;
    const [top, left] = [Math.floor(asking / columns) / rows, (asking % columns) / columns];
    const box = { left, top, width: 1 / columns, height: 1 / rows };
    for (const [name, share] of Object.entries(box)) this.here.style.setProperty(name, `${100 * share}%`);
    const style = this.host.styleOf(map, layer, head);
    const full = fullOnPicture(map, layer, weights, style, scale);
    paintBitmap(
      this.canvas,
      makeBitmap(columns, rows, (pixels) =>
        patches.forEach((key, patch) => {
          if (key === null) return;
          const { colour, opacity } = cellTint(map, style, weights[key], full, false);
          pixels[patch] = inkOf(colour) | (Math.round(255 * opacity) << 24);
        }),
      ),
    );
  }

  /** The key of the patch under the pointer, where that is one that can ask or be looked at. */
  #patchAt({ clientX, clientY }: PointerEvent) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const { rows, columns } = this.#drawn?.map.picture as PatchPicture;
    const [column, row] = [((clientX - left) / width) * columns, ((clientY - top) / height) * rows].map(Math.floor);
    return this.#drawn?.patches[Math.min(row, rows - 1) * columns + Math.min(column, columns - 1)] ?? null;
  }

  #point(key: number | null) {
    if (!this.#drawn) return;
    const { map, layer, head, askers } = this.#drawn;
    this.host.point(key === null ? null : askers[key]);
    if (key === null) return;
    const weight = queryWeights(map, layer, head, this.host.rest)[key];
    this.canvas.title = `${headName(map, layer, head)}: ${map.queryTokens[this.host.rest]} gives ${map.keyTokens[key]} ${weightText(map, weight)}`;
  }

  #pin(key: number | null) {
    const asker = key === null ? null : this.#drawn?.askers[key];
    if (asker != null) this.host.pin(asker);
  }
}

/** Places of one head as cells: a row of those that aren't patches, and the patches, row by row. */
class CellTable {
  host: MapHost;
  places = h("tbody", { class: "hm-places", role: "rowgroup" }, h("tr", { role: "row" }));
  patches = h("tbody", { class: "hm-patches", role: "rowgroup" });
  node = h("table", { class: "hm-cells", role: "table" }, this.places, this.patches);
  #drawn: Drawn | null = null;
  #query = 0; // when it was painted last
  #asking: Element | null = null; // the cell of the place that asks

  constructor(host: MapHost) {
    this.host = host;
  }

  /** Draws these keys as places and, with so many `columns`, all patches; none without. */
  draw(drawn: Drawn, others: number[], columns: number, label: string) {
    const { host } = this;
    this.#drawn = drawn;
    this.#query = host.rest;
    this.node.ariaLabel = label;
    this.places.hidden = others.length === 0;
    drawCells(rowsOf(this.places)[0], others, drawn, host, true);
    const rows = fill(this.patches, columns ? drawn.patches.length / columns : 0, () => h("tr", { role: "row" }));
    this.patches.style.setProperty("--columns", String(columns));
    [...rows].forEach((row, at) =>
      drawCells(row as ShownRowElement, drawn.patches.slice(at * columns, (at + 1) * columns), drawn, host, false),
    );
    this.ask();
  }

  /** Another place asks. */
  ask() {
    const { host } = this;
    const rows = [...rowsOf(this.places), ...rowsOf(this.patches)] as ShownRowElement[];
    const { askers } = this.#drawn ?? {};
    if (this.#drawn && host.query !== this.#query) for (const row of rows) tintCells(row, this.#drawn, host);
    this.#query = host.query;
    this.#asking?.classList.remove("hm-asker");
    const asks = (key: number | null) => key !== null && askers?.[key] === host.query;
    const row = rows.find(({ shows }) => shows?.keys?.some(asks));
    this.#asking = row?.cells[row.shows?.keys?.findIndex(asks) ?? -1] ?? null;
    this.#asking?.classList.add("hm-asker");
  }
}

/** What the resting place gives to these keys; null has no weight, though the focus passes over it. */
function drawCells(row: ShownRowElement, keys: (number | null)[], drawn: Drawn, host: MapHost, named: boolean) {
  const { map, layer, head, askers } = drawn;
  const query = host.rest;
  row.shows = { map, layer, head, query, keys, askers };
  const cells = fill(row, keys.length, makeCell) as HTMLCollectionOf<HTMLTableCellElement>;
  const { weights, tintOf } = tintsOf(drawn, host, query);
  keys.forEach((key, at) => {
    const gone = cells[at].classList.contains("hm-gone");
    if (gone !== (key === null)) cells[at].replaceWith(gone ? makeCell() : makeGone());
    if (key === null) return;
    const [cell, token] = [cells[at], map.keyTokens[key]];
    if (named) setToken(cell, token);
    cell.classList.toggle("hm-faint", isSpecial(token));
    setWeight(cell, map, weights[key], tintOf(key), map.queryTokens[query], token, isMasked(map, query, key));
  });
}

/** The tints of a row alone. */
function tintCells({ cells, shows }: ShownRowElement, drawn: Drawn, host: MapHost) {
  const { weights, tintOf } = tintsOf(drawn, host, host.query);
  shows?.keys?.forEach((key, at) => {
    if (key !== null) setTint(cells[at], weights[key], tintOf(key), isMasked(drawn.map, host.query, key));
  });
}

/** The weights of a query, and how each is tinted. */
function tintsOf({ map, layer, head, scale }: Drawn, host: MapHost, query: number) {
  const weights = queryWeights(map, layer, head, query);
  const style = host.styleOf(map, layer, head);
  const full = fullOnPicture(map, layer, weights, style, scale);
  return { weights, tintOf: (key: number) => cellTint(map, style, weights[key], full, isSpecial(map.keyTokens[key])) };
}

const makeCell = () => h("td", { role: "cell", tabindex: -1 });
const makeGone = () =>
  h("td", { role: "cell", tabindex: -1, class: "hm-gone", "data-weight": "", "aria-label": "not shown" });

/** Those that ask where they aren't those that are looked at: a text that looks at a picture. */
class AskingWords {
  host: MapHost;
  node = h("div", {
    class: "hm-askers",
    role: "group",
    "aria-label": "Words that ask",
    hidden: true,
    onclick: (event: Event) => this.#at(event, (query) => this.host.pin(query)),
    onpointermove: (event: PointerEvent) =>
      event.pointerType !== "touch" && this.#at(event, (query) => this.host.point(query)),
    onpointerleave: () => this.host.point(null),
  });

  constructor(host: MapHost) {
    this.host = host;
  }

  draw(map: ShownMap, askers: (number | null)[]) {
    const known = new Set(askers);
    this.node.hidden = map.queryTokens.every((_, query) => known.has(query));
    const buttons = fill(this.node, this.node.hidden ? 0 : map.queryTokens.length, () =>
      h("button", { type: "button" }),
    );
    map.queryTokens.forEach((token, query) => buttons[query] && setToken(buttons[query], token));
    this.mark();
  }

  mark() {
    [...this.node.children].forEach((button, query) => (button.ariaPressed = String(query === this.host.query)));
  }

  #at(event: Event, act: (query: number) => void) {
    const button = targetOf(event).closest("button");
    if (button) act([...this.node.children].indexOf(button));
  }
}
