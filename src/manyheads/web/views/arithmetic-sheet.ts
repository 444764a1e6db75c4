// The arithmetic of the open cell, written out: what it asks, the terms in a table, what they come to.

import type { arithmetic } from "../math/arithmetic.ts";
import { written } from "../math/steps.ts";
import { fill, h, rowsOf, setText } from "./dom.ts";
import { symbol } from "./formula-mathml.ts";
import { Player } from "./player.ts";

const MOST_STOPS = 16; // of a walk, at most: of more terms, several come at once
const STOP = 450;

type Arithmetic = ReturnType<typeof arithmetic>;

export class ArithmeticSheet {
  #rows: Arithmetic["rows"] = []; // the terms, of which a walk shows more and more
  #walked = 0;
  #cell = "";
  walk = new Player(STOP, () => this.#walkOn());
  soFar = h("p", { class: "fs-so-far", hidden: true });
  question = h("p", { class: "fs-asks" });
  columns = h("tr", {}, h("th", { role: "cell" }));
  lines = h("tbody");
  frame = h("div", { class: "hm-scroll", tabindex: 0, role: "group", "aria-label": "Terms" },
    h("table", { class: "fs-terms" }, h("thead", {}, this.columns), this.lines));
  sums = h("p", { class: "fs-sums" });
  description: HTMLElement; // of the open cell, whatever the mouse points at
  node: HTMLElement;
  arrive: (term: number) => void;

  /** `arrive(term)` is called for each term that a walk comes to, and with -1 when it has come to the end. */
  constructor(id: string, name: string, leave: () => void, arrive: (term: number) => void) {
    this.arrive = arrive;
    this.description = h("p", { class: "hm-unseen", id: `${id}-description` });
    this.node = h("div", { class: "fs-arithmetic", role: "region", "aria-label": name, tabindex: -1,
      onkeydown: (event: KeyboardEvent) => event.key === "Escape" && leave() },
    h("div", { class: "fs-bar" }, this.question, this.walk.node), this.frame, this.soFar, this.sums, this.description);
  }

  /** The id of what describes the cell that is open. */
  get describedBy() {
    return this.description.id;
  }

  /** Describes the open cell by what is written; returns the description. */
  describe() {
    setText(this.description, [this.question, ...this.sums.children].map(({ textContent }) => textContent?.trim()).join("; "));
    return this.description.textContent ?? "";
  }

  /** Writes out a cell's arithmetic; `head` is the chosen one, `marked` the column of the terms that is the cell's. */
  write({ name, row, column, title, rows, columns, results }: Arithmetic, head: number, marked: number) {
    const terms = rows[0]?.values.length ?? 0;
    const cell = `${name} ${row} ${column} ${terms}`;
    if (cell !== this.#cell) { // else numbers have changed, and a walk goes on
      this.walk.stop();
      this.#walked = terms;
    }
    this.#cell = cell;
    this.walk.node.hidden = terms === 0;
    this.#rows = rows;
    this.question.innerHTML = symbol(name, head);
    this.question.append(` ${title[0].toUpperCase()}${title.slice(1)}`);
    this.#writeTerms(rows, columns, marked);
    this.sums.replaceChildren(...results.flatMap(([words, value]) => [h("span", {}, `${words} = `, h("b", {}, written(value))), " "]));
    this.#showTerms(this.#walked);
  }

  /** Comes to the next terms, or to the end; returns whether it goes on. */
  #walkOn() {
    const terms = this.#rows[0].values.length;
    if (this.#walked === terms) this.#walked = 0;
    const next = Math.min(this.#walked + Math.ceil(terms / MOST_STOPS), terms);
    this.#showTerms(next);
    this.arrive(next === terms ? -1 : next - 1);
    return next < terms;
  }

  /** Shows the first terms, and what they come to so far where there are more. */
  #showTerms(count: number) {
    this.#walked = count;
    const last = this.#rows.at(-1)?.values ?? [];
    const whole = count === last.length;
    const lines = rowsOf(this.lines);
    for (let term = 0; term < last.length; term++) lines[term].classList.toggle("fs-later", term >= count);
    this.soFar.hidden = whole;
    this.sums.hidden = !whole;
    if (whole) return;
    const sum = Array.from(last).slice(0, count).reduce((total, value) => total + value, 0);
    this.soFar.replaceChildren(`after ${count} of ${last.length} terms: `, h("b", {}, written(sum)));
    const { offsetTop, offsetHeight } = lines[Math.max(count - 1, 0)];
    this.frame.scrollTop = offsetTop + offsetHeight - this.frame.clientHeight;
  }

  /** A line for each term, as one adds up on paper. */
  #writeTerms(rows: Arithmetic["rows"], columns: string[], marked: number) {
    this.frame.hidden = rows.length === 0;
    const heads = fill(this.columns, rows.length + 1, () => h("th", { scope: "col" }));
    rows.forEach(({ label }, place) => setText(heads[place + 1], label));
    const lines = fill(this.lines, columns.length, () => h("tr", {}, h("th", { scope: "row" })));
    columns.forEach((column, term) => {
      const { cells } = lines[term];
      setText(cells[0], column);
      fill(lines[term], rows.length + 1, () => h("td"));
      rows.forEach(({ values }, place) => setText(cells[place + 1], written(values[term])));
      lines[term].classList.toggle("fs-lit", term === marked);
    });
  }
}
