// <head-cards>: an atlas of heads, the card of one with its examples, and, folded, a table of all to sort. The element holds them
// all as JSON; `for` is the id of a <head-map>, or of a <next-word>, whose heads see no more of a text than stands before
// the word to be written. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { mapById } from "../../doors/page-element.ts";
import { setFigure } from "../../doors/phrases.ts";
import { hostHere } from "../../math/host.ts";
import { arrow, focusOn, h, setProps, setText, targetOf } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { nameOf, shareOf, shown } from "./data.ts";
import { makeAtlas } from "./head-atlas.ts";
import { makeCard } from "./head-card.ts";
import { FIRST, reduce, rowsOf, start, summary, valuesOf, type Action, type State } from "./state.ts";

function view(host: Host<State, Action>) {
  const parts = [makeAtlas(host), makeCard(host), makeTable(host)];
  return {
    nodes: parts.map(({ node }) => node),
    draw: (state: State, before: State | null) => parts.forEach((part) => part.draw(state, before)),
  };
}

/** All heads, or the first of them, to sort. */
function makeTable(host: Host<State, Action>) {
  const { data } = host.state;
  const columns = [{ name: "head", says: null }, ...data.scores].map(({ name, says }, column) => {
    const sort = () => host.dispatch({ type: "sort", column });
    return h("th", { scope: "col", title: says }, h("button", { type: "button", onclick: sort }, name));
  });
  const body = h("tbody", { onkeydown: moveInTable });
  const fold = () => host.update({ whole: !host.state.whole });
  const more = h("button", { type: "button", class: "hc-more", onclick: fold });
  const table = h("table", { "aria-label": "Head cards" }, h("thead", {}, h("tr", {}, ...columns)), body);
  const node = h(
    "details",
    { class: "hc-all" },
    h("summary", {}, `All ${data.heads.length} heads in a table`),
    h("div", { class: "hc-scroll", tabindex: 0, role: "region", "aria-label": "Scores of all heads" }, table),
    ...(host.state.whole ? [] : [more]),
  );
  const rows: HTMLTableRowElement[] = []; // by head, once they've been shown

  function makeRow(head: number) {
    const open = () => host.act({ type: "open", head });
    const cells = data.scores.map((score, at) => {
      const value = data.heads[head].scores[at];
      const share = shareOf(score, valuesOf(data, at + 1), value).toFixed(3);
      return h("td", { style: `--share:${share}` }, shown(score, value));
    });
    const button = h("button", { type: "button", class: "hc-open", onclick: open }, nameOf(data.heads[head]));
    return h("tr", {}, h("th", { scope: "row" }, button), ...cells);
  }

  function draw(state: State, before: State | null) {
    const isNew = state.sorted !== before?.sorted || state.whole !== before.whole;
    if (!isNew && state.opened === before.opened) return;
    if (isNew) {
      const way = state.sorted?.descending ? "descending" : "ascending";
      columns.forEach((column, at) => setProps(column, { ariaSort: state.sorted?.column === at ? way : null }));
      const all = rowsOf(state).map((head) => (rows[head] ??= makeRow(head)));
      all.forEach((row, place) => (stopOf(row).tabIndex = place === 0 ? 0 : -1));
      body.replaceChildren(...all);
      setText(more, state.whole ? `Show the first ${FIRST}` : `Show all ${data.heads.length} heads`);
    }
    rows.forEach((row, head) => {
      row.classList.toggle("hc-opened", head === state.opened);
      stopOf(row).ariaPressed = String(head === state.opened);
    });
  }

  return { node, draw };
}

/** What of a row has the focus. */
const stopOf = (row: Element) => row.querySelector("button") as HTMLButtonElement;

/** Arrow keys move between the rows, of which one is a stop of the Tab key. */
function moveInTable(event: KeyboardEvent) {
  const row = targetOf(event).closest("tr");
  const step = arrow(event.key)?.[0];
  if (!step || !row) return;
  const rows = [...(row.parentElement as HTMLElement).children];
  const next = rows[rows.indexOf(row) + step];
  if (!next) return;
  event.preventDefault();
  stopOf(row).tabIndex = -1;
  stopOf(next).tabIndex = 0;
  focusOn(stopOf(next), null);
}

const liveOf = ({ root, state }: Host<State, Action>) => mapById(state.figure, root);

/** Follows what the live figure shows, and leads to it. */
function listen(host: Host<State, Action>, leaves: AbortSignal) {
  const live = liveOf(host);
  const show = () => host.update({ map: live?.attention ?? null });
  live?.addEventListener("attention", show, { signal: leaves });
  show();
  const press = (event: Event) => {
    const link = targetOf(event).closest?.<HTMLAnchorElement>(`a[data-layer][href="#${host.state.figure}"]`);
    if (link && lead(host, link) && hostHere()) event.preventDefault(); // a notebook has no such address
  };
  host.root.addEventListener("click", press, { signal: leaves });
}

/** Turns the live figure to what a link names; the browser itself goes there. */
function lead(host: Host<State, Action>, { dataset: { layer, head, sentence, query, off } }: HTMLAnchorElement) {
  const figure = liveOf(host);
  if (!figure) return false;
  const { causal } = host.state.data;
  const settings = causal ? { text: sentence, off: sentence && (off ?? "") } : { view: "matrix", sentence, query };
  const given = Object.entries({ layer, head, ...settings }).filter(([, value]) => value !== undefined);
  setFigure(figure, Object.fromEntries(given) as Record<string, string>);
  if (hostHere()) figure.scrollIntoView({ block: "nearest" });
  return true;
}

defineFigure<State, Action>("head-cards", { start, reduce, view, summary, listen, late: true });
