// The second depth of <attention-flow>: one number with the arithmetic that made it. Each number in there opens in turn.

import { arithmetic, sourceOf } from "./arithmetic.ts";
import { alpha } from "../../math/maps.ts";
import { cellAt, cellText, matrix, MATRICES, formatNumber } from "../../math/steps.ts";
import type { Cell, Steps } from "../../math/steps.ts";
import { arrow, fill, focusedIn, h, nextId, rowsOf, setIdle, setText, targetOf } from "../../views/dom.ts";
import { equationOf, symbol } from "./formula-mathml.ts";
import { palette, tint } from "../../views/tints.ts";

type Arithmetic = ReturnType<typeof arithmetic>;

/** A number in the sheet knows which cell it is. */
type CellButton = HTMLButtonElement & { cell?: Cell };

export class ArithmeticSheet {
  #trail: Cell[] = []; // from the one that was pressed in the journey to the one that is open
  #steps: Steps | null = null;
  #crumbs = h("span", { class: "af-crumbs" });
  #before = h("button", { type: "button", "aria-label": "Previous number", onclick: () => this.#step(0, -1) }, "‹");
  #after = h("button", { type: "button", "aria-label": "Next number", onclick: () => this.#step(0, 1) }, "›");
  #question = h("p", { class: "af-question", id: nextId("arithmetic") });
  #equation = h("div", { class: "af-equation" });
  #shape = h("p", { class: "af-shape" });
  #sums = h("p", { class: "af-sums" });
  #columns = h("tr", {}, h("th", { role: "cell" }));
  #lines = h("tbody");
  #terms = h(
    "div",
    {
      class: "hm-scroll af-terms",
      role: "group",
      "aria-label": "Terms",
      onkeydown: (event: KeyboardEvent) => this.#move(event),
    },
    h("table", {}, h("thead", {}, this.#columns), this.#lines),
  );
  node = h(
    "div",
    {
      class: "af-sheet",
      role: "region",
      "aria-label": "Arithmetic",
      "aria-describedby": this.#question.id,
      tabindex: -1,
      hidden: true,
      onclick: (event: MouseEvent) => this.#press(event),
      onkeydown: (event: KeyboardEvent) => this.#key(event),
    },
    h("div", { class: "af-sheet-bar" }, this.#crumbs, h("span", {}, this.#before, this.#after)),
    h("div", { class: "af-why" }, this.#question, this.#equation, this.#sums, this.#shape),
    this.#terms,
  );
  #opened: (cell: string) => void;

  /** `opened(cell)` is called when its reader opened another cell; with "" when it was closed. */
  constructor(opened: (cell: string) => void) {
    this.#opened = opened;
  }

  /** The cell that is open, "" for none. */
  get cell() {
    const cell = this.#trail.at(-1);
    return cell ? cellText(cell) : "";
  }

  /** Opens a cell of the journey, or none. */
  show(steps: Steps, cell: Cell | null) {
    this.#trail = cell ? [cell] : [];
    this.draw(steps);
  }

  /** Writes what is open with these numbers; what isn't among them closes. */
  draw(steps: Steps) {
    this.#steps = steps;
    const gone = this.#trail.findIndex((cell) => !cellAt(steps, cellText(cell)));
    if (gone >= 0) this.#trail.length = gone;
    const cell = this.#trail.at(-1);
    this.node.hidden = !cell;
    if (cell) this.#write(steps, arithmetic(steps, cell.name, cell.row, cell.column));
  }

  // --- what its reader does

  /** Goes to a place on the trail: 0 is the journey itself. */
  #go(trail: Cell[]) {
    this.#trail = trail;
    if (this.#steps) this.draw(this.#steps);
    this.#opened(this.cell);
    if (trail.length && !focusedIn(this.node)) this.node.focus({ preventScroll: true }); // what had it went with its number
  }

  #press(event: MouseEvent) {
    const button = targetOf(event).closest<CellButton>("button");
    if (!button || button === this.#before || button === this.#after) return;
    const level = [...this.#crumbs.children].indexOf(button);
    if (level >= 0) return this.#go(this.#trail.slice(0, level));
    if (button.cell) this.#go([...this.#trail, button.cell]);
  }

  /** The number beside the open one: in its row, or where a row has one alone, in its column. */
  #beside(rows: number, columns: number): Cell | null {
    const open = this.#trail.at(-1);
    if (!open || !this.#steps) return null;
    const {
      shape: [height, width],
    } = matrix(this.#steps, open.name);
    const [row, column] = width === 1 ? [open.row + columns, 0] : [open.row + rows, open.column + columns];
    return row >= 0 && row < height && column >= 0 && column < width ? { name: open.name, row, column } : null;
  }

  #step(rows: number, columns: number) {
    const cell = this.#beside(rows, columns);
    if (cell) this.#go([...this.#trail.slice(0, -1), cell]);
  }

  #key(event: KeyboardEvent) {
    const by = arrow(event.key);
    if (event.key === "Escape") this.#go(this.#trail.slice(0, -1));
    else if (by && !event.defaultPrevented) this.#step(...by);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the journey stays where it is
  }

  /** Arrow keys go from number to number of the terms, of which Tab reaches one. */
  #move(event: KeyboardEvent) {
    const by = arrow(event.key);
    const place = targetOf(event).closest("td");
    if (!by || !place) return;
    event.preventDefault();
    const lines = rowsOf(this.#lines);
    const line = lines[[...lines].indexOf(place.parentElement as HTMLTableRowElement) + by[0]];
    const next = line?.cells[place.cellIndex + by[1]]?.querySelector("button");
    if (!next) return;
    targetOf(event).tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  // --- writing

  #write(steps: Steps, open: Arithmetic) {
    const { name, row, column, title, results } = open;
    this.#question.innerHTML = symbol(name, steps.head);
    this.#question.append(` ${title[0].toUpperCase()}${title.slice(1)}`);
    const {
      head,
      headNames: { length: heads },
      biased,
      scaled,
      rotaryBase,
    } = steps;
    this.#equation.innerHTML = equationOf(name, { head, heads, biased, scaled, turned: Boolean(rotaryBase) });
    const { shape } = matrix(steps, name);
    setText(this.#shape, `Number ${column + 1} in row ${row + 1} of ${shape.join(" × ")}: ${MATRICES[name]}.`);
    const source = open.rows.length ? null : sourceOf(steps, open, 0, 0);
    this.#sums.replaceChildren(
      ...results.map(([words, value]) =>
        h("span", {}, `${words} = `, source ? numberButton(source, value) : h("b", {}, formatNumber(value))),
      ),
    );
    this.#writeTerms(steps, open, name === "weights" ? column : -1);
    this.#writeCrumbs(head);
    setIdle(this.#before, !this.#beside(0, -1));
    setIdle(this.#after, !this.#beside(0, 1));
  }

  #writeCrumbs(head: number) {
    const buttons = fill(this.#crumbs, this.#trail.length, () => h("button", { type: "button" }));
    ["← Journey", ...this.#trail.slice(0, -1)].forEach((step, level) => {
      if (typeof step === "string") setText(buttons[level], step);
      else buttons[level].innerHTML = symbol(step.name, head);
    });
  }

  /** A line for each term, as one adds up on paper. */
  #writeTerms(steps: Steps, open: Arithmetic, marked: number) {
    const { rows, columns } = open;
    this.#terms.hidden = rows.length === 0;
    const heads = fill(this.#columns, rows.length + 1, () => h("th", { scope: "col" }));
    rows.forEach(({ label }, place) => setText(heads[place + 1], label));
    const lines = fill(this.#lines, columns.length, () => h("tr", {}, h("th", { scope: "row" })));
    const palettes = rows.map(({ values }, line) => paletteOf(steps, open.lit[line]?.name, values));
    columns.forEach((name, term) => {
      const { cells } = lines[term];
      setText(cells[0], name);
      fill(lines[term], rows.length + 1, () => h("td"));
      lines[term].classList.toggle("af-lit", term === marked);
      rows.forEach(({ values }, line) => {
        const [cell, value] = [cells[line + 1], values[term]];
        const source = sourceOf(steps, open, line, term);
        const share = tint(value, palettes[line].largest);
        cell.style.backgroundColor =
          (share < 0 ? palettes[line].negative : palettes[line].positive) +
          alpha(Math.abs(share) * palettes[line].depth);
        if (!source) return cell.replaceChildren(formatNumber(value));
        const button = (cell.firstElementChild ?? h("button", { type: "button" })) as CellButton;
        button.cell = source;
        button.tabIndex = term === 0 && line === 0 ? 0 : -1;
        setText(button, formatNumber(value));
        if (cell.firstChild !== button) cell.replaceChildren(button); // where text stood, it goes
      });
    });
  }
}

const numberButton = (cell: Cell, value: number) =>
  Object.assign(h("button", { type: "button" }, formatNumber(value)), { cell });

/** How the numbers of a line are tinted: as in their matrix, else by the largest of them. */
function paletteOf(steps: Steps, name: string | undefined, values: ArrayLike<number>) {
  if (name) return palette(steps, name);
  const own = Array.from(values).reduce(
    (most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most),
    0,
  );
  return { ...palette(steps, "X"), largest: own };
}
