// <head-cards>: an atlas of heads, the card of one with its examples, and, folded, a table of all to sort. The element holds them
// all as JSON; `for` is the id of a <head-map>, or of a <next-word>, whose heads see no more of a text than stands before
// the word to be written. No DOM while the module loads, as in head-map.ts.

import { define, Figure, mapById } from "../../doors/page-element.ts";
import { setFigure } from "../../doors/phrases.ts";
import { hostHere } from "../../math/host.ts";
import { Announcer } from "../../views/announcer.ts";
import { arrow, focusOn, h, setText, targetOf } from "../../views/dom.ts";
import { nameOf, order, shareOf, shown, type Data } from "./data.ts";
import { HeadAtlas } from "./head-atlas.ts";
import { HeadCard } from "./head-card.ts";

const LONG = 100; // heads; of more, a table shows the first
const FIRST = 20;

class HeadCardsElement extends Figure {
  protected override drawsLate = true;
  #data: Data = { scores: [], sentences: [], heads: [], causal: false };
  #order: number[] = [];
  #opened = -1;
  /** Those rows of the table that have been shown, in the order of the data, however they are sorted. */
  #rows: HTMLTableRowElement[] = [];
  #columns: HTMLTableCellElement[] = [];
  #body = h("tbody", { onkeydown: moveInTable });
  #whole = true;
  #toggle = h("button", {
    type: "button",
    class: "hc-more",
    onclick: () => {
      this.#whole = !this.#whole;
      this.#show();
    },
  });
  #card: HeadCard | null = null;
  #atlas: HeadAtlas | null = null;
  #announcer = new Announcer();

  protected draw(baked: Data | null) {
    if (!baked) return;
    this.#data = baked;
    const long = baked.heads.length > LONG;
    this.#columns = [{ name: "head", says: null }, ...baked.scores].map(({ name, says }, at) =>
      h(
        "th",
        { scope: "col", title: says, "aria-sort": long && at === 1 && "descending" },
        h("button", { type: "button", onclick: () => this.#sort(at) }, name),
      ),
    );
    this.#card = new HeadCard(baked, this.getAttribute("for") ?? "", (text) => this.#say(text));
    this.#atlas = new HeadAtlas(
      baked.heads.map(({ layer, head, behaviour }) => ({
        name: nameOf({ layer, head }),
        layer,
        head,
        kind: behaviour,
      })),
      baked.scores.map((score, at) => ({
        name: score.name,
        values: this.#column(at + 1),
        text: (value: number) => shown(score, value),
      })),
      (at) => this.#say(this.#open(at)),
    );
    const table = h("table", { "aria-label": "Head cards" }, h("thead", {}, h("tr", {}, ...this.#columns)), this.#body);
    this.replaceChildren(
      this.#atlas.node,
      this.#card.node,
      h(
        "details",
        { class: "hc-all" },
        h("summary", {}, `All ${baked.heads.length} heads in a table`),
        h("div", { class: "hc-scroll", tabindex: 0, role: "region", "aria-label": "Scores of all heads" }, table),
        ...(long ? [this.#toggle] : []),
      ),
      this.#announcer.node,
    );
    this.#whole = !long;
    const strongest = order(this.#column(1), true);
    this.#show(long ? strongest : this.#column(0));
    this.#open(strongest[0]);
  }

  /** Shows the heads of the table, or the first of them, in an order. */
  #show(heads = this.#order) {
    this.#order = heads;
    const rows = heads.slice(0, this.#whole ? heads.length : FIRST).map((at) => (this.#rows[at] ??= this.#row(at)));
    rows.forEach((row, place) => (stopOf(row).tabIndex = place === 0 ? 0 : -1));
    this.#body.replaceChildren(...rows);
    setText(this.#toggle, this.#whole ? `Show the first ${FIRST}` : `Show all ${heads.length} heads`);
  }

  #row(at: number) {
    const { scores } = this.#data.heads[at];
    const open = h(
      "button",
      {
        type: "button",
        class: "hc-open",
        "aria-pressed": String(at === this.#opened),
        onclick: () => this.#say(this.#open(at)),
      },
      nameOf(this.#data.heads[at]),
    );
    const cells = scores.map((value, score) =>
      h(
        "td",
        { style: `--share:${shareOf(this.#data.scores[score], this.#column(score + 1), value).toFixed(3)}` },
        shown(this.#data.scores[score], value),
      ),
    );
    return h("tr", { class: at === this.#opened && "hc-opened" }, h("th", { scope: "row" }, open), ...cells);
  }

  protected override listen(leaves: AbortSignal) {
    mapById(this.getAttribute("for"), this)?.addEventListener("attention", () => this.#card?.draw(this.#map), {
      signal: leaves,
    });
    this.addEventListener(
      "click",
      (event) => {
        const link = targetOf(event).closest?.<HTMLAnchorElement>(`a[data-layer][href="#${this.getAttribute("for")}"]`);
        if (link && this.#lead(link) && hostHere()) event.preventDefault(); // a notebook has no such address
      },
      { signal: leaves },
    );
  }

  /** The values of a column; the first is that of the names, in the order of layers and heads. */
  #column(at: number) {
    return this.#data.heads.map(({ scores }, head) => (at === 0 ? head : scores[at - 1]));
  }

  /** Sorts by a column: scores with the largest first, names from the first layer on; again, the other way round. */
  #sort(at: number) {
    const was = this.#columns[at].ariaSort;
    const descending = was ? was === "ascending" : at > 0;
    for (const column of this.#columns) column.ariaSort = null;
    this.#columns[at].ariaSort = descending ? "descending" : "ascending";
    this.#show(order(this.#column(at), descending));
  }

  /** Shows the card of one head, whose name leads to its map; says which. */
  #open(at: number) {
    this.#opened = at;
    this.#atlas?.open(at);
    this.#rows.forEach((row, place) => {
      row.classList.toggle("hc-opened", place === at);
      row.querySelector(".hc-open")?.setAttribute("aria-pressed", String(place === at));
    });
    return this.#card?.open(this.#data.heads[at], this.#map) ?? "";
  }

  #say(text: string) {
    this.#announcer.changed();
    this.#announcer.drawn(() => text);
  }

  /** What the live figure shows, where it is of these heads. */
  get #map() {
    return mapById(this.getAttribute("for"), this)?.attention ?? null;
  }

  /** Turns the live figure to what a link names; the browser itself goes there. */
  #lead({ dataset: { layer, head, sentence, query, off } }: HTMLAnchorElement) {
    const figure = mapById(this.getAttribute("for"), this);
    if (!figure) return false;
    const { causal } = this.#data;
    const settings = causal ? { text: sentence, off: sentence && (off ?? "") } : { view: "matrix", sentence, query };
    const given = Object.entries({ layer, head, ...settings }).filter(([, value]) => value !== undefined);
    setFigure(figure, Object.fromEntries(given) as Record<string, string>);
    if (hostHere()) figure.scrollIntoView({ block: "nearest" });
    return true;
  }
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

define("head-cards", HeadCardsElement);
