// Grid: every head of every layer at once, small, on one canvas. A button lies over each head; it enlarges it to a table.

import { arrow, fill, focusOn, h, setText } from "./dom.js";
import { drawHead, onCanvas } from "./pixels.js";
import { drawFigure, makeFigure, TABLE_CELLS } from "./view-matrix.js";
import { drawRow, makeRow } from "./view-paint.js";

const [SMALLEST, NARROW] = [24, 40]; // pixels of a head's side: the least; below which layers become columns
const LARGEST = { side: 150, row: 760 };
const SIDE = 60; // the names of the rows, as in head-map.css

export class GridView {
  constructor(stage, host) {
    this.host = host;
    this.cursor = { layer: host.state.layer, head: host.state.head ?? 0 };
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.head = h("tr", {}, h("td"));
    this.body = h("tbody", { onclick: (event) => this.#enlarge(event), onkeydown: (event) => this.#move(event),
      onfocusin: (event) => this.#look(event), onpointerover: (event) => this.#look(event) });
    this.table = h("table", { "aria-label": "All heads of all layers" }, h("thead", {}, this.head), this.body);
    this.frame = h("div", { class: "hm-grid" }, this.canvas, this.table);
    this.row = h("table", { class: "hm-paint", role: "table" }, h("tbody", { role: "rowgroup" }, makeRow()));
    this.row.rows[0].cells[0].append(h("span", { class: "hm-head" }));
    this.figure = makeFigure();
    this.figure.firstChild.firstChild.className = "hm-head";
    this.hint = h("p", { class: "hm-hint" });
    this.scroll = h("div", { class: "hm-scroll" }, this.frame);
    stage.append(this.scroll, this.hint, this.row, this.figure);
    this.resized = new ResizeObserver(() => this.map && this.#drawGrid());
    this.resized.observe(stage);
  }

  leave() {
    this.resized.disconnect();
  }

  draw(map) {
    this.map = map;
    const [layers, heads] = map.shape;
    const { layer, head } = this.host.state;
    if (layer !== this.layer || head !== this.large) Object.assign(this.cursor, { layer }, head === null ? {} : { head });
    [this.layer, this.large] = [layer, head];
    this.cursor = { layer: Math.min(this.cursor.layer, layers - 1), head: Math.min(this.cursor.head, heads - 1) };
    this.#drawGrid();
    this.#drawDetail();
  }

  #drawGrid() {
    const { map, host, canvas } = this;
    const [layers, heads, queries, keys] = map.shape;
    const room = this.scroll.clientWidth - SIDE;
    if (room <= 0) return; // not laid out yet; the observer will call again
    const side = (columns) => Math.floor(Math.min(room / columns, LARGEST.side, Math.max(LARGEST.row / columns, 40)));
    const [most, least] = [Math.max(layers, heads), Math.min(layers, heads)];
    const columns = side(most) < NARROW ? least : most;
    this.turned = columns !== heads; // the columns are the layers
    const size = Math.max(side(columns), SMALLEST);
    this.#drawButtons(columns);
    this.frame.style.setProperty("--size", `${size}px`);
    this.frame.style.setProperty("--columns", columns);
    const scale = Math.min(devicePixelRatio || 1, 2);
    const step = Math.round(size * scale);
    const gap = Math.max(2, Math.round(2 * scale));
    onCanvas(canvas, step * columns, step * (layers * heads / columns), (pixels) => {
      for (let layer = 0; layer < layers; layer++)
        for (let head = 0; head < heads; head++) {
          const [row, column] = this.turned ? [head, layer] : [layer, head];
          const place = { left: column * step + gap, top: row * step + gap, width: step - 2 * gap, height: step - 2 * gap };
          drawHead(pixels, canvas.width, place, map, layer, head, host.look(map, layer, head));
        }
    });
    setText(this.hint, this.large === null ? "Choose a head to enlarge it." : "");
    this.hint.hidden = this.large !== null;
    canvas.dataset.drawn = `${layers} ${heads} ${queries} ${keys}`;
  }

  /** The names of rows and columns, and a button for each head: made anew only where the grid has another shape. */
  #drawButtons(columns) {
    const { map, turned } = this;
    const [layers, heads] = map.shape;
    const layerNames = Array.from({ length: layers }, (_, layer) => `Layer ${layer + 1}`);
    const names = [turned ? layerNames : map.headNames, turned ? map.headNames : layerNames];
    const short = (name, column) => (columns > 4 ? name.replace(/^(head|Layer) (?=\d+$)/, column ? "" : "$&") : name);
    const key = JSON.stringify(names);
    if (key !== this.key) {
      this.key = key;
      setText(this.head.firstChild, columns > 4 ? (turned ? "Layer" : "Head") : "");
      const titles = fill(this.head, columns + 1, () => h("th", { scope: "col" }));
      names[0].forEach((name, column) => setText(titles[column + 1], short(name, true)));
      this.body.replaceChildren(...names[1].map((name, row) => h("tr", {}, h("th", { scope: "row" }, name),
        ...names[0].map((_, column) => {
          const [layer, head] = turned ? [column, row] : [row, column];
          return h("td", {}, h("button", { type: "button", tabindex: -1, title: this.#name(layer, head),
            "data-layer": layer, "data-head": head, "aria-label": `Enlarge ${this.#name(layer, head)}` }));
        }))));
    }
    for (const button of this.body.querySelectorAll("button")) {
      const { layer, head } = button.dataset;
      button.tabIndex = Number(layer) === this.cursor.layer && Number(head) === this.cursor.head ? 0 : -1;
      button.ariaExpanded = String(Number(layer) === this.host.state.layer && Number(head) === this.large);
    }
  }

  #name(layer, head) {
    return `${this.map.shape[0] > 1 ? `layer ${layer + 1}, ` : ""}${this.map.headNames[head]}`;
  }

  /** The head under the cursor as one painted row; the enlarged one as a matrix. */
  #drawDetail() {
    const { map, host, figure, row } = this;
    const [, , queries, keys] = map.shape;
    figure.hidden = this.large === null;
    row.hidden = this.large !== null;
    const { layer } = this.large === null ? this.cursor : host.state;
    const head = Math.min(this.large ?? this.cursor.head, map.shape[1] - 1);
    const name = this.#name(layer, head);
    if (this.large !== null) {
      setText(figure.firstChild.firstChild, name);
      drawFigure(figure, host, map, layer, head, { large: true, table: queries * keys <= TABLE_CELLS, name });
    } else {
      host.dress(row.tBodies[0], layer, head);
      row.ariaLabel = `What ${name} looks at when ${map.queryTokens[host.asked]} asks`;
      setText(row.rows[0].cells[0].firstChild, name);
      drawRow(row.rows[0], host, map, layer, head, host.asked);
    }
  }

  #look({ target }) {
    const { layer, head } = target.closest("button")?.dataset ?? {};
    if (layer === undefined) return;
    this.cursor = { layer: Number(layer), head: Number(head) };
    if (this.large === null) this.#drawDetail();
  }

  #enlarge({ target }) {
    const { layer, head } = target.closest("button")?.dataset ?? {};
    if (layer === undefined) return;
    const open = target.ariaExpanded === "true";
    this.host.set({ layer: Number(layer), head: open ? null : Number(head) });
    if (!open) this.figure.firstChild.scrollIntoView({ block: "nearest" }); // CSS leaves room for some rows
  }

  #move(event) {
    const step = arrow(event.key);
    const cell = event.target.closest("td");
    const next = step && cell?.parentElement.parentElement.rows[cell.parentElement.sectionRowIndex + step[0]]
      ?.cells[cell.cellIndex + step[1]]?.querySelector("button");
    if (!next) return;
    event.preventDefault();
    focusOn(next, event.target);
  }
}
