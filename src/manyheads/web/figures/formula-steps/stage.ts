// The stage of <formula-steps>: the matrices of one step, and one open cell with its arithmetic.

import { arithmetic } from "../../math/arithmetic.ts";
import type { Cell } from "../../math/arithmetic.ts";
import { columnName, columnsAreWords, findMatrix, likeliestLabels, MADE_BY, MATRICES, matrix, PATH, rowName, rowOf } from "../../math/steps.ts";
import type { Steps } from "../../math/steps.ts";
import { ArithmeticSheet } from "../../views/arithmetic-sheet.ts";
import { arrow, h, setChildren, targetOf } from "../../views/dom.ts";
import { math, mathOf, sub, symbol } from "../../views/formula-mathml.ts";
import { MatrixTable, type CellNode } from "../../views/matrix-table.ts";

/** A step on the path. */
export type Step = typeof PATH[number];

/** What of a matrix is lit for the open cell: a row, a column or a cell; null where nothing is. */
type LitIn = (name: string) => { row?: number, column?: number } | null;

const PROJECTIONS = ["Wq", "Wk", "Wv"];
const LEARNT = [...PROJECTIONS, "Wo", "reading"];
const SHORT = 3; // words; of fewer, all rows are shown at once
const MIXED = 3; // values, those with the largest weights

export class StepsStage {
  #sources = h("div", { class: "fs-sources" });
  #results = h("div", { class: "fs-results" });
  #shapes = h("p", { class: "fs-shapes" });
  #shapesWritten = "";
  #node = h("div", { class: "fs-stage",
    onkeydown: (event: KeyboardEvent) => this.#move(event),
    onfocusin: (event: Event) => this.#pin(event),
    onfocusout: (event: Event) => targetOf(event).removeAttribute("aria-label"),
    onpointerover: (event: PointerEvent) => this.#point(event),
    onpointerleave: () => this.#pinned && this.#open(this.#pinned),
  }, this.#sources, this.#results);
  #sheet: ArithmeticSheet;
  nodes: HTMLElement[];
  #tables = new Map<string, MatrixTable>();
  #steps: Steps | null = null;
  #step: Step = PATH[0];
  #opened: Cell | null = null; // whose arithmetic is written out
  #pinned: Cell | null = null; // the one that opens again when the pointer leaves
  #drawn = ""; // the step and the word that were drawn last
  #arranged = ""; // the names of the matrices on the stage
  #all = false; // whether all rows are shown, or the asking word's
  #word = 0;
  #learnt = "Wq"; // the learnt matrix of the projections that is on display
  #opens: (litIn: LitIn) => void;

  /** `opens` is called when a cell opens. */
  constructor(id: string, region: string, opens: (litIn: LitIn) => void) {
    this.#opens = opens;
    this.#sheet = new ArithmeticSheet(id, region, () => this.#cell(this.#opened)?.focus({ preventScroll: true }), (term) => this.#walkTo(term));
    this.nodes = [this.#shapes, this.#node, this.#sheet.node];
  }

  /** Draws the matrices of a step; the cell that was open stays open, else the largest of the chosen word opens. */
  draw(steps: Steps, step: Step, word: number) {
    [this.#steps, this.#step, this.#word] = [steps, step, step.name === "answer" ? 0 : word];
    this.#node.dataset.step = step.name;
    this.#arrange(steps);
    const pinned = this.#valid(steps, this.#pinned) ?? this.#first(steps, word);
    this.#pinned = pinned;
    const drawn = `${step.name} ${word}`;
    const moved = drawn !== this.#drawn;
    this.#drawn = drawn;
    this.#open(pinned, moved);
    this.describe();
  }

  /** The arithmetic of the open cell in words. */
  describe() {
    return this.#sheet.describe();
  }

  /** What is drawn next may open another cell. */
  unpin() {
    this.#pinned = null;
  }

  /** Shows the rows of all words, and what is learnt, or only the asking word's. */
  showAll(all: boolean) {
    this.#all = all;
    if (this.#steps && this.#opened) this.draw(this.#steps, this.#step, this.#word);
  }

  /** The rows of a matrix that are shown: one query, one key, one score at first; all where the reader wants them. */
  #rows(steps: Steps, name: string): number[] | null {
    if (this.#all || steps.tokens.length <= SHORT) return null;
    const rows = [this.#word];
    const open = this.#opened;
    if (name === "parts" || name === "answer") rows.splice(0, 1, ...likeliestLabels(steps));
    if (name === "K" && this.#step.name === "scores") rows[0] = open?.name === "scores" ? open.column : open?.name === "K" ? open.row : this.#word;
    if (name === "V" && this.#step.name === "context") {
      const weights = rowOf(steps.weights, this.#word);
      rows.splice(0, 1, ...[...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, MIXED));
    }
    if (open?.name === name) rows.push(open.row);
    return rows;
  }

  /** Paints what is out of view, at once. */
  flush() {
    for (const table of this.#tables.values()) table.flush();
  }

  // --- the matrices

  /** The names of those on display; the learnt one of the projections is that of the last cell that was made by one. */
  #names(steps: Steps) {
    const { sources, results } = this.#step;
    const open = this.#opened?.name ?? "";
    const made = MADE_BY[open]?.[0] ?? open;
    if (PROJECTIONS.includes(made)) this.#learnt = made;
    const names = [...sources.map((name) => (name === "W" ? this.#learnt : name)), ...results];
    const learnt = this.#all || steps.tokens.length <= SHORT;
    return names.filter((name) => findMatrix(steps, name) && (learnt || !LEARNT.includes(name)));
  }

  #table(name: string) {
    const table = this.#tables.get(name) ?? new MatrixTable(name);
    this.#tables.set(name, table);
    return table;
  }

  /** Puts the step's tables on the stage, painted, and their shapes into words. */
  #arrange(steps: Steps) {
    const names = this.#names(steps);
    this.#arranged = names.join();
    const results = names.filter((name) => this.#step.results.includes(name));
    const sources = names.filter((name) => !results.includes(name));
    for (const name of names) this.#table(name).measure();
    for (const [box, wanted] of [[this.#sources, sources], [this.#results, results]] as const) {
      setChildren(box, wanted.map((name) => this.#table(name).figure));
      for (const name of wanted) this.#table(name).paint(steps);
    }
    const written = shapesText(steps, sources, results);
    if (this.#shapesWritten !== written) this.#shapes.innerHTML = this.#shapesWritten = written;
  }

  // --- the open cell

  #cell(at: Cell | null) {
    return at && this.#tables.get(at.name)?.cells[at.row]?.[at.column]?.node;
  }

  /** The cell that is open before the reader opens one: of the chosen word, the one with the largest number. */
  #first(steps: Steps, word: number): Cell {
    const [name] = this.#step.results;
    const [rows, columns] = matrix(steps, name).shape;
    if (name === "parts") {
      const [label] = likeliestLabels(steps, steps.headNames[steps.head]);
      return { name, row: label, column: Math.min(steps.head, columns - 1) };
    }
    const row = Math.min(word, rows - 1);
    const values = rowOf(matrix(steps, columnsAreWords(name) ? "weights" : name), row);
    return { name, row, column: Math.min(values.indexOf(Math.max(...values)), columns - 1) };
  }

  /** The cell, if it is one of those on display. */
  #valid(steps: Steps, cell: Cell | null) {
    const shape = cell && findMatrix(steps, cell.name)?.shape;
    return shape && cell.row < shape[0] && cell.column < shape[1] && this.#names(steps).includes(cell.name) ? cell : null;
  }

  #point(event: PointerEvent) {
    const at = event.pointerType === "mouse" && cellAt(event);
    if (at) this.#open(at);
  }

  #pin(event: Event) {
    const at = cellAt(event);
    if (!at || !this.#steps) return;
    const node = targetOf(event);
    this.#pinned = { ...at };
    this.#open(this.#pinned, true);
    this.#sheet.describe();
    const { name, row, column } = at;
    node.ariaLabel = `${MATRICES[name]}, ${rowName(this.#steps, name, row)}, ${columnName(this.#steps, name, column)}: ${node.textContent}`;
    node.setAttribute("aria-describedby", this.#sheet.describedBy);
    this.#table(name).table.querySelector('td[tabindex="0"]')?.setAttribute("tabindex", "-1");
    node.setAttribute("tabindex", "0");
  }

  /** Writes out the cell's arithmetic and lights what it was made of. */
  #open(at: Cell, reveal = false) {
    const steps = this.#steps;
    if (!steps) return;
    this.#cell(this.#opened)?.classList.remove("fs-open", "fs-landed");
    this.#unmarkTerms();
    this.#opened = at;
    const names = this.#names(steps);
    if (names.join() !== this.#arranged) this.#arrange(steps);
    for (const name of names) this.#table(name).only(this.#rows(steps, name));
    const written = arithmetic(steps, at.name, at.row, at.column);
    this.#sheet.write(written, steps.head, at.name === "weights" ? at.column : -1);
    const lit = new Map(written.lit.map((place) => [place.name, place]));
    const litIn = (name: string) => lit.get(name) ?? (name === at.name ? at : null);
    for (const name of names) {
      const table = this.#table(name);
      table.light(litIn(name));
      const stop = table.table.querySelector('td[tabindex="0"]'); // the one that Tab reaches
      if (stop?.closest("tr:not([hidden])")) continue;
      stop?.setAttribute("tabindex", "-1");
      table.table.querySelector("tbody tr:not([hidden]) td")?.setAttribute("tabindex", "0");
    }
    this.#cell(at)?.classList.add("fs-open");
    this.#opens(litIn);
    if (!reveal) return;
    for (const name of names) { // after all that is written: it asks for the layout
      const place = litIn(name);
      if (place) this.#table(name).reveal(place.row, place.column);
    }
  }

  /** Marks what a walk through the open cell's arithmetic multiplies now; at its end, the cell where the result lands. */
  #walkTo(term: number) {
    if (!this.#steps || !this.#opened) return;
    const { name, row, column } = this.#opened;
    this.#unmarkTerms();
    this.#cell(this.#opened)?.classList.toggle("fs-landed", term < 0);
    if (term < 0) return;
    for (const { name: source, from = 0, row: line = from + term, column: place = from + term } of arithmetic(this.#steps, name, row, column).lit) {
      const node = this.#cell({ name: source, row: line, column: place });
      node?.classList.add("fs-now");
      if (node) this.#table(source).reveal(line, place);
    }
  }

  #unmarkTerms() {
    for (const node of this.#node.querySelectorAll(".fs-now")) node.classList.remove("fs-now");
  }

  #move(event: KeyboardEvent) {
    const at = cellAt(event);
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.#sheet.node.focus({ preventScroll: true });
    }
    const by = arrow(event.key);
    if (!by) return;
    event.preventDefault();
    this.#cell({ name: at.name, row: at.row + by[0], column: at.column + by[1] })?.focus();
  }
}

/** Where the cell is that an event came from; undefined where it came from none. */
const cellAt = (event: Event) => targetOf(event).closest?.<CellNode>("td")?.at;

/** "X 5 × 32 → Q 5 × 8; n = 5 words and marks, ..." as HTML. */
function shapesText(steps: Steps, sources: string[], results: string[]) {
  const size = (name: string) => `${symbol(name, steps.head)} ${matrix(steps, name).shape.join(" × ")}`;
  const { tokens, headNames, X, Q } = steps;
  const lengths = `${mathOf("n")} = ${tokens.length} words and marks, ${mathOf("d")} = ${X.shape[1]}, ${mathOf("h")} = ${headNames.length}, `
    + `${math(sub("d", "k"), false)} = ${Q.shape[1]}`;
  return `${sources.map(size).join(", ")}${sources.length ? " → " : ""}${results.map(size).join(", ")}; ${lengths}`;
}
