// One matrix, as a table of numbers and as a small picture.

import { fill, h, setText } from "./dom.js";
import { MATRICES, axisName, matrix, shown } from "./formula-arithmetic.js";
import { symbol } from "./formula-mathml.js";
import { HEAD_COLOURS } from "./maps.js";

export const NEGATIVE = "#2979D9";
export const POSITIVE = "#D9482B";

/** How strongly a cell is tinted, −1 to 1: shares of 1 as they are, others by the largest number of their matrix. */
export function tint(value, largest) {
  if (!Number.isFinite(value) || largest === 0) return 0;
  return Math.max(-1, Math.min(1, value / largest));
}
const largestOf = (values) => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);

const alpha = (share) => Math.round(255 * share).toString(16).padStart(2, "0");

/** How the numbers of one matrix are coloured: a share of `depth` in one of two colours, for each number. */
function palette(steps, name) {
  const { values } = matrix(steps, name);
  if (!MATRICES[name].shares) return { colours: [POSITIVE, NEGATIVE], largest: largestOf(values), depth: 0.5 };
  return { colours: Array(2).fill(HEAD_COLOURS[steps.head % HEAD_COLOURS.length]), largest: 1, depth: 0.62 };
}

/**
 * One matrix as a real table. A repaint touches only what changed, and first what is in view; `flush` paints the rest.
 * Numbers that arrive while somebody types thus cost what can be seen of them.
 */
export class MatrixTable {
  constructor(name) {
    this.name = name;
    this.caption = h("figcaption");
    this.head = h("tr", {}, h("th"));
    this.body = h("tbody");
    this.table = h("table", {}, h("thead", {}, this.head), this.body);
    this.scroll = h("div", { class: "hm-scroll", onscroll: () => this.flush() }, this.table);
    this.figure = h("figure", { class: "fs-matrix", "data-matrix": name }, this.caption, this.scroll);
    this.cells = [];
    this.view = null;
    this.steps = null;
    this.late = false;
    this.lit = { nodes: [], what: null };
  }

  /** Notes which rows and columns are in view; to be called before anything is written, since it asks for the layout. */
  measure() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.scroll;
    const first = this.cells[0]?.[0]?.node;
    if (!clientWidth || !first?.offsetWidth) return (this.view = null);
    const [wide, high] = [first.offsetWidth, first.offsetHeight];
    const count = (from, size, unit) => [Math.floor(from / unit), Math.ceil((from + size) / unit)];
    this.view = { rows: count(scrollTop, clientHeight, high), columns: count(scrollLeft, clientWidth, wide) };
  }

  paint(steps) {
    const before = this.steps;
    this.steps = steps;
    this.#captions();
    const same = before && matrix(before, this.name).values === matrix(steps, this.name).values && before.head === steps.head;
    if (same) return;
    const { shape: [rows, columns] } = matrix(steps, this.name);
    const grown = this.#resize(rows, columns);
    this.late = Boolean(this.view) && !grown;
    this.#write(this.late ? this.view : { rows: [0, rows], columns: [0, columns] });
  }

  /** Paints what was not in view. */
  flush() {
    if (!this.late) return;
    this.late = false;
    const { shape: [rows, columns] } = matrix(this.steps, this.name);
    this.#write({ rows: [0, rows], columns: [0, columns] });
  }

  #write({ rows: [fromRow, toRow], columns: [fromColumn, toColumn] }) {
    const { shape: [rows, columns], values } = matrix(this.steps, this.name);
    const { colours, largest, depth } = palette(this.steps, this.name);
    for (let row = fromRow; row < Math.min(toRow, rows); row++)
      for (let column = fromColumn; column < Math.min(toColumn, columns); column++) {
        const cell = this.cells[row][column];
        const value = values[row * columns + column];
        const text = shown(value);
        if (cell.text !== text) {
          cell.node.firstChild.data = cell.text = text;
          cell.node.classList.toggle("fs-hidden", text === "−∞");
        }
        const share = tint(value, largest);
        const ground = colours[share < 0 ? 1 : 0] + alpha(Math.abs(share) * depth);
        if (cell.ground !== ground) cell.node.style.backgroundColor = cell.ground = ground;
      }
  }

  #captions() {
    const { steps, name } = this;
    const { shape } = matrix(steps, name);
    const { words, rows, columns } = MATRICES[name];
    const key = `${steps.head} ${shape}`;
    if (this.captioned !== key) {
      this.captioned = key;
      this.caption.innerHTML = `${symbol(name, steps.head)} <span>${words}</span> <small>${shape.join(" × ")}</small>`;
      this.table.ariaLabel = `${words}, ${shape[0]} rows, ${shape[1]} columns`;
      const heads = fill(this.head, shape[1] + 1, () => h("th", { scope: "col" }, h("span")));
      fill(this.body, shape[0], () => h("tr", {}, h("th", { scope: "row" })));
      for (let column = 0; column < shape[1] && name === "concat"; column++)
        heads[column + 1].style.borderTopColor = HEAD_COLOURS[Math.floor(column / steps.context.shape[1]) % HEAD_COLOURS.length];
      this.named = null;
    }
    const named = (rows ?? columns) ? steps.tokens.join(" ") : "";
    if (this.named === named) return;
    this.named = named;
    [...this.body.children].forEach((line, row) => setText(line.firstChild, axisName(steps, name, "rows", row)));
    [...this.head.children].slice(1).forEach((head, column) =>
      setText(head.firstChild, columns ? axisName(steps, name, "columns", column) : String(column + 1)));
  }

  /** Makes room for the numbers; tells whether there are new cells. */
  #resize(rows, columns) {
    let grown = false;
    this.cells.length = Math.min(this.cells.length, rows);
    for (let row = 0; row < rows; row++) {
      const cells = (this.cells[row] ??= []);
      while (cells.length > columns) cells.pop().node.remove();
      while (cells.length < columns) {
        const node = h("td", { tabindex: -1 }, "");
        node.at = { name: this.name, row, column: cells.length };
        this.body.children[row].append(node);
        cells.push({ node, text: "", ground: "" });
        grown = true;
      }
    }
    return grown;
  }

  /** Lights a row, a column or a cell; nothing without `what`. */
  light(what) {
    const { row, column } = what ?? {};
    const key = what && `${row} ${column} ${matrix(this.steps, this.name).shape}`;
    if (this.lit.key === key) return;
    for (const node of this.lit.nodes) node.classList.remove("fs-lit", "fs-row", "fs-column");
    const nodes = [];
    if (what) {
      const rows = row === undefined ? this.cells : [this.cells[row]];
      for (const cells of rows) for (const { node } of column === undefined ? cells : [cells[column]]) nodes.push(node);
      if (row !== undefined) nodes.push(this.body.children[row].firstChild);
      if (column !== undefined) nodes.push(this.head.children[column + 1]);
      const run = row === undefined ? "fs-column" : column === undefined ? "fs-row" : "fs-lit";
      for (const node of nodes) node.classList.add("fs-lit", run);
    }
    this.lit = { nodes, key };
  }

  /** Scrolls inside its own frame, never the page, until the cell can be seen. */
  reveal(row, column) {
    const { scroll } = this;
    const { node } = this.cells[row ?? 0][column ?? 0];
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = node;
    const left = offsetLeft - node.parentNode.firstChild.offsetWidth;
    const top = offsetTop - this.head.offsetHeight;
    if (column !== undefined && (left < scroll.scrollLeft || offsetLeft + offsetWidth > scroll.scrollLeft + scroll.clientWidth))
      scroll.scrollLeft = left - 2 * offsetWidth;
    if (row !== undefined && (top < scroll.scrollTop || offsetTop + offsetHeight > scroll.scrollTop + scroll.clientHeight))
      scroll.scrollTop = top - 2 * offsetHeight;
  }
}

/** One matrix as a small picture in the path: a pixel per number, what is lit framed. */
export class Thumbnail {
  constructor(name) {
    this.name = name;
    this.canvas = h("canvas", { class: "fs-thumb", "data-thumb": name, width: 128, height: 80, "aria-hidden": "true" });
    this.pixels = h("canvas");
  }

  paint(steps) {
    const { shape: [rows, columns], values } = matrix(steps, this.name);
    const { colours, largest } = palette(steps, this.name);
    const [positive, negative] = colours.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
    Object.assign(this.pixels, { width: columns, height: rows });
    const image = new ImageData(columns, rows);
    for (let index = 0, at = 0; index < values.length; index++) {
      const share = tint(values[index], largest);
      const [red, green, blue] = share < 0 ? negative : positive;
      image.data[at++] = red;
      image.data[at++] = green;
      image.data[at++] = blue;
      image.data[at++] = 255 * Math.abs(share);
    }
    this.pixels.getContext("2d").putImageData(image, 0, 0);
  }

  /** The picture, and a frame around the row, column or cell `what`. */
  light(what) {
    const { width, height } = this.canvas;
    const { width: columns, height: rows } = this.pixels;
    const picture = this.canvas.getContext("2d");
    picture.clearRect(0, 0, width, height);
    picture.imageSmoothingEnabled = false;
    picture.drawImage(this.pixels, 0, 0, width, height);
    if (!what) return;
    const { row = 0, column = 0 } = what;
    const [tall, wide] = [what.row === undefined ? rows : 1, what.column === undefined ? columns : 1];
    for (const [strokeStyle, lineWidth] of [["#fff", 7], ["#000", 3]]) { // seen on light and on dark
      Object.assign(picture, { strokeStyle, lineWidth });
      picture.strokeRect(column / columns * width, row / rows * height, Math.max(wide / columns * width, 3), Math.max(tall / rows * height, 3));
    }
  }
}
