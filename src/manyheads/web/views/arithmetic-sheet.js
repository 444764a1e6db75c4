// The arithmetic of the open cell, written out: what it asks, the terms in a table, what they come to.

import { written } from "../math/steps.js";
import { fill, h, setText } from "./dom.js";
import { symbol } from "./formula-mathml.js";

export class ArithmeticSheet {
  /**
   * @param {string} id
   * @param {() => void} leave
   */
  constructor(id, leave) {
    this.asks = h("p", { class: "fs-asks", id: `${id}-asks`, "aria-live": "polite" });
    this.columns = h("tr", {}, h("th"));
    this.lines = h("tbody");
    const terms = h("table", { class: "fs-terms" }, h("thead", {}, this.columns), this.lines);
    this.frame = h("div", { class: "hm-scroll", tabindex: 0, role: "group", "aria-label": "Terms" }, terms);
    this.sums = h("p", { class: "fs-sums", id: `${id}-sums`, "aria-live": "polite" });
    this.node = h("div", { class: "fs-arithmetic", role: "region", "aria-label": "Arithmetic", tabindex: -1,
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && leave() },
    this.asks, this.frame, this.sums);
  }

  /** The ids of what describes a cell that is open. */
  get describedBy() {
    return `${this.asks.id} ${this.sums.id}`;
  }

  /**
   * Writes out what `arithmetic` told; `head` is the chosen one, `marked` the column of the terms that is the cell's.
   * @param {ReturnType<import("../math/arithmetic.js").arithmetic>} told
   * @param {number} head
   * @param {number} marked
   */
  write({ name, title, rows, columns, results }, head, marked) {
    this.asks.innerHTML = symbol(name, head);
    this.asks.append(` ${title[0].toUpperCase()}${title.slice(1)}`);
    this.#writeTerms(rows, columns, marked);
    this.sums.replaceChildren(...results.map(([words, value]) => h("span", {}, `${words} = `, h("b", {}, written(value)))));
  }

  /**
   * @param {import("../math/arithmetic.js").Line[]} rows
   * @param {string[]} columns
   * @param {number} marked
   */
  #writeTerms(rows, columns, marked) {
    this.frame.hidden = rows.length === 0;
    const heads = fill(this.columns, columns.length + 1, () => h("th", { scope: "col" }));
    columns.forEach((column, index) => setText(heads[index + 1], column));
    const lines = fill(this.lines, rows.length, () => h("tr", {}, h("th", { scope: "row" })));
    rows.forEach(({ label, values }, line) => {
      const { cells } = lines[line];
      setText(cells[0], label);
      fill(lines[line], columns.length + 1, () => h("td"));
      for (let index = 0; index < columns.length; index++) {
        setText(cells[index + 1], written(values[index]));
        cells[index + 1].classList.toggle("fs-lit", index === marked);
      }
    });
  }
}
