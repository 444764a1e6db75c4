// One matrix of the formula as a real table.

import type { Cell } from "../math/arithmetic.ts";
import { alpha, colourOf } from "../math/maps.ts";
import { columnName, MATRICES, matrix, rowName, rowsAreWords, shown } from "../math/steps.ts";
import type { Steps } from "../math/steps.ts";
import { fill, h, rowsOf, setText } from "./dom.ts";
import { symbol } from "./formula-mathml.ts";
import { palette, tint } from "./tints.ts";

const CARDS = 4; // columns; a line of more is written as cards

/** A cell's node knows where it is. */
export type CellNode = HTMLTableCellElement & { at?: Cell };

/** Rows and columns, each from, to before. */
interface Window {
  rows: [number, number];
  columns: [number, number];
}

/**
 * A repaint touches only what changed, and first what is in view; `flush` paints the rest. Numbers that arrive while somebody
 * types thus cost what can be seen of them.
 */
export class MatrixTable {
  cells: { node: CellNode, letters: Text, text: string, ground: string }[][] = [];
  #view: Window | null = null; // what is in view, where that is known
  #steps: Steps | null = null;
  #late = false; // something out of view is still to be painted
  #captioned = "";
  #named: string | null = null;
  #lit = { nodes: [] as Element[], key: "" };
  #only: number[] | null = null; // the rows that are shown; all, where none are named

  name: string;
  caption = h("figcaption");
  head = h("tr", {}, h("th", { role: "cell" })); // the corner heads nothing
  body = h("tbody");
  table = h("table", {}, h("thead", {}, this.head), this.body);
  scroll = h("div", { class: "hm-scroll", onscroll: () => this.flush() }, this.table);
  figure: HTMLElement;

  constructor(name: string) {
    this.name = name;
    this.figure = h("figure", { class: "fs-matrix", "data-matrix": name }, this.caption, this.scroll);
  }

  /** Notes which rows and columns are in view; to be called before anything is written, since it asks for the layout. */
  measure() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.scroll;
    const first = this.cells[0]?.[0]?.node;
    this.#view = null;
    if (this.#only) this.#view = { rows: [Math.min(...this.#only), Math.max(...this.#only) + 1], columns: [0, this.cells[0]?.length ?? 0] };
    if (this.#only || !clientWidth || !first?.offsetWidth) return;
    const [wide, high] = [first.offsetWidth, first.offsetHeight];
    this.#view = {
      rows: [Math.floor(scrollTop / high), Math.ceil((scrollTop + clientHeight) / high)],
      columns: [Math.floor(scrollLeft / wide), Math.ceil((scrollLeft + clientWidth) / wide)],
    };
  }

  /** Shows only some rows, all where none are named; long ones as cards, each under the name of its column, which need no room to the side. */
  only(rows: number[] | null) {
    this.#only = rows;
    const [line] = this.cells;
    this.figure.classList.toggle("fs-cards", rows !== null && (line?.length ?? 0) > CARDS);
    [...rowsOf(this.body)].forEach((row, place) => (row.hidden = rows !== null && !rows.includes(place)));
    const steps = this.#steps;
    if (!rows || !steps) return;
    for (const row of rows)
      this.cells[row]?.forEach(({ node }, column) => {
        const name = columnName(steps, this.name, column);
        if (node.dataset.column !== name) node.dataset.column = name;
      });
  }

  paint(steps: Steps) {
    const before = this.#steps;
    this.#steps = steps;
    this.#captions(steps);
    const { shape: [rows, columns], values } = matrix(steps, this.name);
    if (before && matrix(before, this.name).values === values && before.head === steps.head) return;
    const grown = this.#resize(rows, columns);
    this.#late = Boolean(this.#view) && !grown;
    this.#write(steps, this.#late && this.#view ? this.#view : { rows: [0, rows], columns: [0, columns] });
  }

  /** Paints what was not in view. */
  flush() {
    if (!this.#late || !this.#steps) return;
    this.#late = false;
    const [rows, columns] = matrix(this.#steps, this.name).shape;
    this.#write(this.#steps, { rows: [0, rows], columns: [0, columns] });
  }

  #write(steps: Steps, { rows: [fromRow, toRow], columns: [fromColumn, toColumn] }: Window) {
    const { shape: [rows, columns], values } = matrix(steps, this.name);
    const { positive, negative, largest, depth } = palette(steps, this.name);
    for (let row = fromRow; row < Math.min(toRow, rows); row++)
      for (let column = fromColumn; column < Math.min(toColumn, columns); column++) {
        const cell = this.cells[row][column];
        const value = values[row * columns + column];
        const text = shown(value);
        if (cell.text !== text) {
          cell.letters.data = cell.text = text;
          cell.node.classList.toggle("fs-hidden", text === "−∞");
        }
        const share = tint(value, largest);
        const ground = (share < 0 ? negative : positive) + alpha(Math.abs(share) * depth);
        if (cell.ground !== ground) cell.node.style.backgroundColor = cell.ground = ground;
      }
  }

  #captions(steps: Steps) {
    const { name } = this;
    const { shape } = matrix(steps, name);
    const key = `${steps.head} ${shape}`;
    if (this.#captioned !== key) {
      this.#captioned = key;
      this.caption.innerHTML = `${symbol(name, steps.head)} <span>${MATRICES[name]}</span> <small>${shape.join(" × ")}</small>`;
      this.table.ariaLabel = `${MATRICES[name]}, ${shape[0]} rows, ${shape[1]} columns`;
      const heads = fill(this.head, shape[1] + 1, () => h("th", { scope: "col" }, h("span")));
      fill(this.body, shape[0], () => h("tr", {}, h("th", { scope: "row" })));
      const part = steps.context.shape[1];
      if (name === "concat")
        for (let column = 0; column < shape[1]; column++) heads[column + 1].style.borderTopColor = colourOf(steps.headNames[Math.floor(column / part)]);
      this.#named = null;
    }
    const named = rowsAreWords(name) ? steps.tokens.join(" ") : String(steps.labels);
    if (this.#named === named) return;
    this.#named = named;
    [...rowsOf(this.body)].forEach(({ cells }, row) => setText(cells[0], rowName(steps, name, row)));
    [...this.head.cells].slice(1).forEach((head, column) =>
      setText(head.children[0], name === "concat" ? String(column + 1) : columnName(steps, name, column)));
  }

  /** Makes room for the numbers; returns whether there are new cells. */
  #resize(rows: number, columns: number) {
    let grown = false;
    this.cells.length = Math.min(this.cells.length, rows);
    for (let row = 0; row < rows; row++) {
      const cells = (this.cells[row] ??= []);
      while (cells.length > columns) cells.pop()?.node.remove();
      while (cells.length < columns) {
        const node: CellNode = h("td", { tabindex: -1 });
        const letters = document.createTextNode("");
        node.append(letters);
        node.at = { name: this.name, row, column: cells.length };
        rowsOf(this.body)[row].append(node);
        cells.push({ node, letters, text: "", ground: "" });
        grown = true;
      }
    }
    return grown;
  }

  /** Lights a row, a column or a cell; nothing without `what`. */
  light(what: { row?: number, column?: number } | null) {
    const { row, column } = what ?? {};
    const key = what ? `${row} ${column} ${this.cells.length} ${this.cells[0]?.length}` : "";
    if (this.#lit.key === key) return;
    for (const node of this.#lit.nodes) node.classList.remove("fs-lit", "fs-row", "fs-column");
    const nodes: Element[] = [];
    if (what) {
      for (const cells of row === undefined ? this.cells : [this.cells[row]])
        for (const { node } of column === undefined ? cells : [cells[column]]) nodes.push(node);
      if (row !== undefined) nodes.push(rowsOf(this.body)[row].cells[0]);
      if (column !== undefined) nodes.push(this.head.children[column + 1]);
      const run = row === undefined ? "fs-column" : column === undefined ? "fs-row" : "fs-lit";
      for (const node of nodes) node.classList.add("fs-lit", run);
    }
    this.#lit = { nodes, key };
  }

  /** Scrolls inside its own frame, never the page, until the cell can be seen. */
  reveal(row: number | undefined, column: number | undefined) {
    const { scroll } = this;
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = this.cells[row ?? 0][column ?? 0].node;
    const left = offsetLeft - rowsOf(this.body)[row ?? 0].cells[0].offsetWidth;
    const top = offsetTop - this.head.offsetHeight;
    if (column !== undefined && (left < scroll.scrollLeft || offsetLeft + offsetWidth > scroll.scrollLeft + scroll.clientWidth))
      scroll.scrollLeft = left - 2 * offsetWidth;
    if (row !== undefined && (top < scroll.scrollTop || offsetTop + offsetHeight > scroll.scrollTop + scroll.clientHeight))
      scroll.scrollTop = top - 2 * offsetHeight;
  }
}
