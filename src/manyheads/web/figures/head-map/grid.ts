// Grid: every head of every layer at once, small, on one canvas. A button lies over each head; it enlarges it to a table.

import { difference, movedHeads } from "../../math/compared.ts";
import type { ShownMap } from "../../math/map-state.ts";
import {
  behaviourOf,
  compareHeads,
  headName,
  headNamesOf,
  headTitle,
  layerName,
  layerNamesOf,
  layersOf,
  queryName,
} from "../../math/maps.ts";
import { isAsking } from "../../math/query.ts";
import { whenIdle } from "../../doors/turns.ts";
import { BEHAVIOURS } from "../../math/names.ts";
import { capital, percent } from "../../math/text.ts";
import { arrow, fill, focusOn, h, rowsOf, setText, targetOf } from "../../views/dom.ts";
import { makeLegend } from "./legend.ts";
import type { MapHost, MapPart, PlaceName } from "./map-part.ts";
import { MatrixFigure, TABLE_CELLS } from "./matrix.ts";
import { drawRow, makeRow, secondAskers, sharedTokens } from "./paint.ts";
import { layOut, NAMES } from "./sizes.ts";
import { queryOf, restOf, secondName } from "./state.ts";
import { dress, styleOfHead } from "./switches.ts";
import { drawHead, drawTints, makeBitmap, paintBitmap, bitmapOf } from "../../views/pixels.ts";
import { travel, type Travellers } from "../../views/travel.ts";

const MOVERS = 5; // heads that are named

export class GridView implements MapPart {
  placesToggles = true; // that of the enlarged head
  #map: ShownMap | null = null;
  #large: number | null = null; // the head that was large
  #both: ShownMap[] | null = null; // the maps that are compared
  #turned = false; // the columns are the layers
  #room = 0; // pixels across, when it was drawn last
  #named = "";
  #flights = 0; // how often its heads have flown
  #drawRest = () => {}; // the heads that weren't in sight when the map came
  host: MapHost;
  placeName: PlaceName;
  canvas = h("canvas", { "aria-hidden": "true" });
  corner = h("td");
  titles = h("tr", {}, this.corner);
  body = h("tbody", {
    onclick: (event: Event) => this.#enlarge(event),
    onkeydown: (event: KeyboardEvent) => this.#move(event),
    onfocusin: (event: Event) => this.#look(event),
    onpointermove: (event: Event) => this.#look(event), // not "pointerover": heads that fly under a pointer at rest aren't pointed at
  });
  frame = h(
    "div",
    { class: "hm-grid" },
    this.canvas,
    h("table", { "aria-label": "All heads of all layers" }, h("thead", {}, this.titles), this.body),
  );
  scroll = h("div", { class: "hm-scroll", onscroll: () => this.#drawRest() }, this.frame);
  hint = h("p", { class: "hm-hint" });
  order = h("button", { type: "button", onclick: () => this.#sort() });
  kinds = h("ul", { class: "hm-kinds", "aria-label": "What heads mostly do" });
  sorting = h("div", { class: "hm-sorting", hidden: true }, this.kinds, this.order);
  paintedName = h("span", { class: "hm-head" });
  paintedHead = h("tbody", { role: "rowgroup" }, makeRow());
  row = h("table", { class: "hm-paint", role: "table" }, this.paintedHead);
  legend = makeLegend(); // of the words below, where the grid shows differences
  figure: MatrixFigure;
  overview: HTMLElement;
  detail: HTMLElement; // beside the grid where there is room, else below it
  resized: ResizeObserver;

  constructor(stage: HTMLElement, host: MapHost, placeName: PlaceName) {
    this.host = host;
    this.placeName = placeName;
    rowsOf(this.paintedHead)[0].cells[0].append(this.paintedName);
    this.figure = new MatrixFigure(host);
    this.detail = h("div", { class: "hm-detail" }, this.hint, this.row, this.legend.node, this.figure.node);
    this.overview = h("div", { class: "hm-overview" }, this.scroll, this.detail);
    stage.append(this.sorting, this.overview);
    this.resized = new ResizeObserver(
      () => this.#map && this.overview.clientWidth !== this.#room && this.#drawGrid(this.#map),
    );
    this.resized.observe(stage);
  }

  leave() {
    this.resized.disconnect();
  }

  draw(first: ShownMap, second: ShownMap | null) {
    const map = second ? difference(first, second) : first;
    this.#map = map;
    this.#both = second ? [first, second] : null;
    this.#large = this.host.state.chosen.head;
    this.#drawGrid(map);
    this.#drawDetail(map);
  }

  /** What each head mostly does, where it's known of this map; null where it isn't. */
  #behavioursOf(map: ShownMap) {
    const { behaviours } = this.host.state;
    return behaviours?.length === map.shape[0] * map.shape[1] && !map.mixed ? behaviours : null;
  }

  #isSorted(map: ShownMap) {
    return this.host.state.sorted && this.#behavioursOf(map) !== null;
  }

  /** Heads fly to their new places. */
  #sort() {
    const map = this.#map;
    if (!map) return;
    const sort = () => {
      this.host.dispatch({ type: "sort" });
      this.#drawGrid(map);
    };
    const flight = ++this.#flights;
    travel(this.#squares, sort, {
      departs: () => this.#lift(),
      arrives: () => flight === this.#flights && this.#land(),
    });
  }

  #squares: Travellers = () =>
    [...this.body.querySelectorAll("button")].map((button) => [
      `${button.dataset.layer}.${button.dataset.head}`,
      button,
    ]);

  /** Each button takes its head's square off the bitmap, to fly with it. */
  #lift() {
    const { canvas } = this;
    const step = canvas.width / (this.titles.cells.length - 1);
    this.#squares().forEach(([, button], place) => {
      const square = h("canvas", { width: step, height: step });
      const columns = canvas.width / step;
      square.getContext("2d")?.drawImage(canvas, -(place % columns) * step, -Math.floor(place / columns) * step);
      button.replaceChildren(square);
    });
    canvas.getContext("2d")?.clearRect(0, 0, canvas.width, canvas.height);
    this.frame.classList.add("hm-flying");
  }

  #land() {
    const bitmap = bitmapOf(this.canvas);
    if (bitmap) paintBitmap(this.canvas, bitmap);
    for (const [, button] of this.#squares()) button.replaceChildren();
    this.frame.classList.remove("hm-flying");
  }

  /** All heads, row by row: in the order of layers, or sorted by what they do. */
  #places(map: ShownMap) {
    const [layers, heads] = map.shape;
    const count = layers * heads;
    const behaviours = this.#behavioursOf(map);
    const at = Array.from({ length: count }, (_, place) => place);
    if (behaviours && this.#isSorted(map)) {
      const rank = Object.keys(BEHAVIOURS);
      at.sort((a, b) => rank.indexOf(behaviours[a]) - rank.indexOf(behaviours[b]) || a - b);
    } else if (this.#turned) at.sort((a, b) => (a % heads) - (b % heads) || a - b);
    return at.map((place) => ({ layer: Math.floor(place / heads), head: place % heads }));
  }

  /** Says what the colours mean, and of how many heads. */
  #drawKinds(map: ShownMap) {
    const behaviours = this.#behavioursOf(map);
    this.sorting.hidden = !behaviours;
    if (!behaviours) return;
    const present = Object.keys(BEHAVIOURS).filter((name) => behaviours.includes(name));
    const items = fill(this.kinds, present.length, () => h("li"));
    present.forEach((name, at) => {
      const { label, colour } = behaviourOf(name);
      items[at].style.setProperty("--head", colour);
      setText(items[at], `${label} ${behaviours.filter((each) => each === name).length}`);
    });
    setText(this.order, this.host.state.sorted ? "Sort by layer" : "Sort by what they do");
  }

  #drawGrid(map: ShownMap) {
    const [layers, heads, queries, keys] = map.shape;
    this.#drawKinds(map);
    this.#room = this.overview.clientWidth;
    const { columns, step, most, side } = layOut(map, this.#room - NAMES);
    const isSeen = this.#inSight(side);
    this.#turned = columns !== heads;
    this.#drawButtons(map, columns);
    this.#mark();
    this.frame.classList.toggle("hm-sorted", this.#isSorted(map));
    this.frame.classList.toggle("hm-still", this.#room <= 0);
    for (const [name, value] of Object.entries({ most: `${most}px`, columns, rows: (layers * heads) / columns }))
      this.frame.style.setProperty(`--${name}`, String(value));
    this.#paintHeads(map, columns, step, isSeen);
    const small =
      layersOf(map).length < layers
        ? map.mixed
          ? "Layers that were not looked at yet are blank."
          : "Layers that were not looked at yet are small pictures of the map as it was computed, whatever is chosen above."
        : "";
    const choose = this.#large === null ? "Choose a head to enlarge it." : "";
    setText(this.hint, [this.#mostMoved(), choose, small].filter(Boolean).join(" "));
    this.hint.hidden = !this.hint.textContent;
    this.canvas.dataset.drawn = `${layers} ${heads} ${queries} ${keys}`;
  }

  /** All heads as one bitmap, `step` pixels from head to head: those in sight at once, the others when the page is idle or its reader scrolls. */
  #paintHeads(map: ShownMap, columns: number, step: number, isSeen: (row: number, column: number) => boolean) {
    const [layers, heads] = map.shape;
    const width = step * columns;
    const present = new Set(layersOf(map));
    const all = this.#places(map).map((head, place) => ({
      ...head,
      column: place % columns,
      row: Math.floor(place / columns),
    }));
    const draw = (pixels: Uint32Array, seen: boolean) => {
      for (const { layer, head, column, row } of all) {
        if (isSeen(row, column) !== seen) continue;
        const box = { x: column * step, y: row * step, width: step, height: step };
        const style = styleOfHead(this.host.state, map, layer, head);
        if (present.has(layer) || !map.pictures) drawHead(pixels, width, box, map, layer, head, style);
        else if (!map.mixed) drawTints(pixels, width, box, map, map.pictures, layer, head, style);
      }
    };
    const bitmap = makeBitmap(width, step * ((layers * heads) / columns), (pixels) => draw(pixels, true));
    paintBitmap(this.canvas, bitmap);
    const drawRest = (this.#drawRest = () => {
      if (this.#drawRest !== drawRest) return; // it's drawn, or another map came
      this.#drawRest = () => {};
      draw(new Uint32Array(bitmap.pixels.buffer), false);
      paintBitmap(this.canvas, bitmap);
    });
    if (all.every(({ row, column }) => isSeen(row, column))) this.#drawRest = () => {};
    else whenIdle(drawRest);
  }

  /** Which squares of such a side are in sight; all, where nothing is laid out. */
  #inSight(side: number) {
    const { clientWidth: width, clientHeight: height, scrollLeft: left, scrollTop: top } = this.scroll;
    const isWithin = (at: number, from: number, room: number) => (at + 1) * side > from && at * side < from + room;
    return (row: number, column: number) => !height || (isWithin(column, left, width) && isWithin(row, top, height));
  }

  /** The names of rows and columns, and a button for each head: made anew only where the grid has another shape. */
  #drawButtons(map: ShownMap, columns: number) {
    const layerNames = layerNamesOf(map).map(capital);
    const isSorted = this.#isSorted(map); // then rows and columns have no names
    const headNames = map.namedLayer === undefined ? map.headNames : headNamesOf(map, -1); // a column of heads has no name
    const [titles, names] = this.#turned ? [layerNames, headNames] : [headNames, layerNames];
    const named = JSON.stringify([titles, names, isSorted]);
    if (named !== this.#named) {
      this.#named = named;
      this.#drawTitles(titles, columns, isSorted);
      this.#drawRows(map, names, columns, isSorted);
    }
    const looked = this.#looked(map);
    for (const button of this.body.querySelectorAll("button")) {
      const { layer, head } = placeOf(button);
      button.tabIndex = layer === looked.layer && head === looked.head ? 0 : -1;
      button.ariaExpanded = String(layer === this.host.state.chosen.layer && head === this.#large);
    }
  }

  /** What columns are called; where they are many, by numbers alone, and the corner says of what. */
  #drawTitles(titles: string[], columns: number, isSorted: boolean) {
    const many = columns > 4;
    setText(this.corner, many && !isSorted ? (this.#turned ? "Layer" : "Head") : "");
    const cells = fill(this.titles, columns + 1, () => h("th", { scope: "col" }));
    titles.forEach((text, column) => {
      const [title, cell] = [many ? text.replace(/^(head|Layer) (?=\d+$)/, "") : text, cells[column + 1]];
      setText(cell, isSorted ? "" : title);
      if (isSorted)
        cell.setAttribute("role", "cell"); // without a name it heads nothing
      else cell.removeAttribute("role");
    });
  }

  #drawRows(map: ShownMap, names: string[], columns: number, isSorted: boolean) {
    const buttons = this.#places(map).map(({ layer, head }) => h("td", {}, this.#button(map, layer, head)));
    const rows = names.map((name, row) => {
      const title = isSorted ? h("th", { role: "cell" }) : h("th", { scope: "row" }, name);
      return h("tr", {}, title, ...buttons.slice(row * columns, (row + 1) * columns));
    });
    this.body.replaceChildren(...rows);
  }

  #button(map: ShownMap, layer: number, head: number) {
    const name = headTitle(map, layer, head);
    return h("button", {
      type: "button",
      tabindex: -1,
      title: name,
      "data-layer": layer,
      "data-head": head,
      "data-place": `L${layer + 1} H${head + 1}`,
      "aria-label": `Enlarge ${name}`,
    });
  }

  /** Below the grid: the head that is pointed at, painted, or the enlarged one as a matrix. */
  #drawDetail(map: ShownMap) {
    const { figure, row } = this;
    const { state } = this.host;
    const whole = state.shown!.map;
    const [, , queries, keys] = map.shape;
    const looked = this.#looked(map);
    const { layer } = this.#large === null ? looked : state.chosen;
    const present = layersOf(map).includes(layer);
    figure.node.hidden = this.#large === null || !present;
    this.overview.classList.toggle("hm-opened", !figure.node.hidden);
    row.hidden = this.#large !== null || !present;
    this.legend.draw(whole, state.chosen);
    this.legend.node.hidden = row.hidden || !this.#both;
    this.#mark();
    if (!present) return;
    const head = this.#large ?? looked.head;
    const name = headTitle(map, layer, head);
    if (this.#large !== null) {
      this.placeName(figure.title, layer, head);
      setText(figure.moved, name === headName(map, layer, head) ? "" : `of ${layerName(map, layer)}`);
      figure.draw(map, layer, head, { large: true, table: queries * keys <= TABLE_CELLS, name });
    } else {
      dress(state, this.paintedHead, layer, head);
      row.ariaLabel = `What ${name} looks at when ${queryName(whole, queryOf(state))} asks`;
      setText(this.paintedName, name);
      this.#paint(layer, head);
    }
    this.#highlight(map);
  }

  /** Frames the head whose words are painted, also once the pointer is elsewhere. */
  #mark() {
    const { layer, head } = this.#looked(this.#map!);
    const marked = this.#large === null ? `[data-layer="${layer}"][data-head="${head}"]` : null;
    for (const button of this.body.querySelectorAll(".hm-looked")) button.classList.remove("hm-looked");
    if (marked) this.body.querySelector(marked)?.classList.add("hm-looked");
  }

  /** The words of the head that is pointed at, in both sentences where two are compared. */
  #paint(layer: number, head: number) {
    const { state } = this.host;
    const { map, compared } = state.shown!;
    const query = queryOf(state);
    const { secondQuery: second, pairs } = compareHeads(map, compared, layer, query);
    const { askers } = map;
    this.row.classList.toggle("hm-plain", Boolean(compared)); // these are weights, above are differences
    const rows = fill(this.paintedHead, compared ? 2 : 1, makeRow);
    const [shared, others] = sharedTokens(pairs);
    const { shows } = drawRow(rows[0], state, map, { layer, head, query, askers, shared }).row;
    if (shows) shows.query = restOf(state);
    if (!compared || !pairs) return;
    setText(rows[1].cells[0], secondName(state));
    const asking = secondAskers(pairs, askers, compared.shape[3]);
    drawRow(rows[1], state, compared, { layer, head, query: second, askers: asking, second: true, shared: others });
  }

  /** Where two sentences are compared, the heads that moved most. */
  #mostMoved() {
    if (!this.#both) return "";
    const [first, second] = this.#both;
    const all = layersOf(first)
      .filter((layer) => layersOf(second).includes(layer))
      .flatMap((layer) => {
        return movedHeads(first, second, layer).map((share, head) => ({ name: headTitle(first, layer, head), share }));
      });
    const most = all.sort((a, b) => b.share - a.share).slice(0, MOVERS);
    return most.length
      ? `Moved most, on average: ${most.map(({ name, share }) => `${name} (${percent(share)})`).join(", ")}.`
      : "";
  }

  /** The row of the word that asks, in every head. */
  #highlight(map: ShownMap) {
    const { state } = this.host;
    const { queries } = state.shown!.map;
    const rows = [...map.queries.keys()].filter((row) => isAsking(queryOf(state), queries.indexOf(map.queries[row])));
    this.frame.classList.toggle("hm-asked", rows.length > 0);
    this.frame.style.setProperty("--asks", String((rows[0] ?? 0) / map.shape[2]));
    this.frame.style.setProperty("--queries", String(map.shape[2] / Math.max(rows.length, 1)));
  }

  /** Another word asks, or another head is looked at. */
  ask() {
    const map = this.#map;
    if (!map) return;
    if (this.#large === null) return this.#drawDetail(map);
    this.#highlight(map);
    this.figure.ask();
  }

  /** The head that is looked at, of those that there are. */
  #looked({ shape: [layers, heads] }: ShownMap) {
    const { layer, head } = this.host.state.looked;
    return { layer: Math.min(layer, layers - 1), head: Math.min(head, heads - 1) };
  }

  #look(event: Event) {
    const button = targetOf(event).closest("button");
    if (!button || !this.#map) return;
    const [place, looked] = [placeOf(button), this.#looked(this.#map)];
    if (place.layer !== looked.layer || place.head !== looked.head) this.host.dispatch({ type: "look", ...place });
  }

  #enlarge(event: Event) {
    const button = targetOf(event).closest("button");
    if (!button) return;
    const { layer, head } = placeOf(button);
    const parts = { layer, head: button.ariaExpanded === "true" ? null : head };
    this.host.act({ type: "choose", parts });
  }

  #move(event: KeyboardEvent) {
    const step = arrow(event.key);
    const cell = targetOf(event).closest("td");
    if (!step || !cell) return;
    const row = cell.parentElement as HTMLTableRowElement;
    const next = rowsOf(this.body)[row.sectionRowIndex + step[0]]?.cells[cell.cellIndex + step[1]]?.querySelector(
      "button",
    );
    if (!next) return;
    event.preventDefault();
    focusOn(next, targetOf(event));
  }
}

const placeOf = ({ dataset: { layer, head } }: HTMLElement) => ({ layer: Number(layer), head: Number(head) });
