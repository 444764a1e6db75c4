// The second depth of <attention-flow>: one number with the arithmetic that made it. Each number in there opens in turn.

import { arithmetic, sourceOf } from "./arithmetic.ts";
import { alpha } from "../../math/maps.ts";
import { cellAt, cellText, matrix, MATRICES, formatNumber } from "../../math/steps.ts";
import type { Cell, Steps } from "../../math/steps.ts";
import { arrow, fill, h, nextId, rowsOf, setIdle, setText, targetOf } from "../../views/dom.ts";
import { equationOf, symbol } from "./formula-mathml.ts";
import type { Host } from "../../views/host.ts";
import { palette, tint } from "../../views/tints.ts";
import { openCell, stepsOf, type Action, type State } from "./state.ts";

type Arithmetic = ReturnType<typeof arithmetic>;

/** A number in the sheet knows which cell it is. */
type CellButton = HTMLButtonElement & { cell?: Cell };

/** `go(trail)` opens other numbers, each from the one before; none is the journey itself. */
export function makeSheet(host: Host<State, Action>, go: (trail: string[]) => void) {
  const crumbs = h("span", { class: "af-crumbs" });
  const previous = h("button", { type: "button", "aria-label": "Previous number", onclick: () => step(0, -1) }, "‹");
  const next = h("button", { type: "button", "aria-label": "Next number", onclick: () => step(0, 1) }, "›");
  const question = h("p", { class: "af-question", id: nextId("arithmetic") });
  const equation = h("div", { class: "af-equation" });
  const shape = h("p", { class: "af-shape" });
  const sums = h("p", { class: "af-sums" });
  const terms = makeTerms();
  const node = h(
    "div",
    {
      class: "af-sheet",
      role: "region",
      "aria-label": "Arithmetic",
      "aria-describedby": question.id,
      tabindex: -1,
      hidden: true,
      onclick: press,
      onkeydown: pressKey,
    },
    h("div", { class: "af-sheet-bar" }, crumbs, h("span", {}, previous, next)),
    h("div", { class: "af-why" }, question, equation, sums, shape),
    terms.node,
  );

  // --- what its reader does

  function press(event: MouseEvent) {
    const { trail } = host.state;
    const button = targetOf(event).closest<CellButton>("button");
    if (!button || button === previous || button === next) return;
    const level = [...crumbs.children].indexOf(button);
    if (level >= 0) go(trail.slice(0, level));
    else if (button.cell) go([...trail, cellText(button.cell)]);
  }

  function step(rows: number, columns: number) {
    const { state } = host;
    const open = openCell(state);
    const cell = open && cellBeside(stepsOf(state)!, open, rows, columns);
    if (cell) go([...state.trail.slice(0, -1), cellText(cell)]);
  }

  function pressKey(event: KeyboardEvent) {
    const by = arrow(event.key);
    if (event.key === "Escape") go(host.state.trail.slice(0, -1));
    else if (by && !event.defaultPrevented) step(...by);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the journey stays where it is
  }

  // --- writing

  function draw(steps: Steps, trail: string[]) {
    const cell = cellAt(steps, trail.at(-1) ?? "");
    node.hidden = !cell;
    if (!cell) return;
    const open = arithmetic(steps, cell.name, cell.row, cell.column);
    const { name, row, column, title, results } = open;
    question.innerHTML = symbol(name, steps.head);
    question.append(` ${title[0].toUpperCase()}${title.slice(1)}`);
    const {
      head,
      headNames: { length: heads },
      biased,
      scaled,
      rotaryBase,
    } = steps;
    equation.innerHTML = equationOf(name, { head, heads, biased, scaled, turned: Boolean(rotaryBase) });
    const size = matrix(steps, name).shape.join(" × ");
    setText(shape, `Number ${column + 1} in row ${row + 1} of ${size}: ${MATRICES[name]}.`);
    const source = open.rows.length ? null : sourceOf(steps, open, 0, 0);
    sums.replaceChildren(
      ...results.map(([words, value]) =>
        h("span", {}, `${words} = `, source ? numberButton(source, value) : h("b", {}, formatNumber(value))),
      ),
    );
    terms.draw(steps, open, name === "weights" ? column : -1);
    drawCrumbs(crumbs, trail, head);
    setIdle(previous, !cellBeside(steps, cell, 0, -1));
    setIdle(next, !cellBeside(steps, cell, 0, 1));
  }

  return { node, draw };
}

/** The way from the journey to the number that is open. */
function drawCrumbs(crumbs: HTMLElement, trail: string[], head: number) {
  const buttons = fill(crumbs, trail.length, () => h("button", { type: "button" }));
  setText(buttons[0], "← Journey");
  trail.slice(0, -1).forEach((cell, level) => (buttons[level + 1].innerHTML = symbol(cell.split(" ")[0], head)));
}

/** The number beside the open one: in its row, or where a row has one alone, in its column. */
function cellBeside(steps: Steps, { name, row, column }: Cell, rows: number, columns: number): Cell | null {
  const isColumn = matrix(steps, name).shape[1] === 1;
  const [down, across] = isColumn ? [row + columns, 0] : [row + rows, column + columns];
  return cellAt(steps, cellText({ name, row: down, column: across }));
}

/** The terms of an open number: a line for each, as one adds up on paper. */
function makeTerms() {
  const labels = h("tr", {}, h("th", { role: "cell" }));
  const lines = h("tbody");
  const node = h(
    "div",
    { class: "hm-scroll af-terms", role: "group", "aria-label": "Terms", onkeydown: move },
    h("table", {}, h("thead", {}, labels), lines),
  );

  /** Arrow keys go from number to number, of which Tab reaches one. */
  function move(event: KeyboardEvent) {
    const by = arrow(event.key);
    const place = targetOf(event).closest("td");
    if (!by || !place) return;
    event.preventDefault();
    const all = rowsOf(lines);
    const line = all[[...all].indexOf(place.parentElement as HTMLTableRowElement) + by[0]];
    const next = line?.cells[place.cellIndex + by[1]]?.querySelector("button");
    if (!next) return;
    targetOf(event).tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  function draw(steps: Steps, open: Arithmetic, marked: number) {
    const { rows, columns, order } = open;
    node.hidden = rows.length === 0;
    const heads = fill(labels, rows.length + 1, () => h("th", { scope: "col" }));
    rows.forEach(({ label }, place) => setText(heads[place + 1], label));
    const terms = fill(lines, columns.length, () => h("tr", {}, h("th", { scope: "row" })));
    const palettes = rows.map(({ values }, line) => paletteOf(steps, open.lit[line]?.name, values));
    order.forEach((term, place) => {
      const { cells } = terms[place];
      setText(cells[0], columns[term]);
      fill(terms[place], rows.length + 1, () => h("td"));
      terms[place].classList.toggle("af-lit", term === marked);
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
        button.tabIndex = place === 0 && line === 0 ? 0 : -1;
        setText(button, formatNumber(value));
        if (cell.firstChild !== button) cell.replaceChildren(button); // where text stood, it goes
      });
    });
  }

  return { node, draw };
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
