// <head-cards>: a table of head cards to sort, a head's examples, and what leads to the live map. The element holds them all
// as JSON; `for` is the id of the <head-map>. No DOM while the module loads, as in head-map.ts.

import { define, Figure, mapById } from "../doors/page-element.ts";
import { isPiece, percent, readable } from "../math/text.ts";
import { Announcer } from "../views/announcer.ts";
import { arrow, focusOn, h, targetOf } from "../views/dom.ts";

// ------------------------------------------------------------------------------------------------ pure part

/** The order of values, largest or smallest first; those that are equal keep their order. */
export function order(values: number[], descending: boolean) {
  const sign = descending ? -1 : 1;
  return values.map((_, at) => at).sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

/** Which place a value takes among all, the largest first: 1, 2, ... */
export const rank = (values: number[], value: number) => 1 + values.filter((other) => other > value).length;

/** A score as the table writes it; as `shown` in models/head_cards_table.py. */
export const shown = ({ name, share }: { name: string, share: boolean }, value: number) =>
  share ? percent(value) : value.toFixed(name === "effect" ? 4 : 1);

// ------------------------------------------------------------------------------------------------ the element

/** What models/head_cards_table.py bakes in. */
interface Data {
  scores: Score[];
  sentences: { text: string, tokens: string[] }[];
  heads: Head[];
}
type Score = { name: string, says: string, share: boolean };
type Head = { layer: number, head: number, scores: number[], strongest: Example[][], weakest: Example[] };
type Example = [sentence: number, query: number | null, key: number, weight: number, value: number];

class HeadCardsElement extends Figure {
  #data: Data = { scores: [], sentences: [], heads: [] };
  /** The table's rows in the order of the data, however they are sorted. */
  #rows: HTMLTableRowElement[] = [];
  #columns: HTMLTableCellElement[] = [];
  #body = h("tbody", { onkeydown: moveInTable });
  #card = h("section", { class: "hc-card" });
  #announcer = new Announcer();

  protected draw(baked: Data | null) {
    if (!baked) return;
    this.#data = baked;
    this.#columns = [{ name: "head", says: null }, ...baked.scores].map(({ name, says }, at) =>
      h("th", { scope: "col", title: says }, h("button", { type: "button", onclick: () => this.#sort(at) }, name)));
    const largest = baked.scores.map(({ share }, at) => (share ? 1 : Math.max(...this.#column(at + 1))));
    this.#rows = baked.heads.map((head, at) => this.#row(head, at, largest));
    this.#body.replaceChildren(...this.#rows);
    this.replaceChildren(h("div", { class: "hc-scroll", tabindex: 0, role: "region", "aria-label": "Scores of all heads" },
      h("table", { "aria-label": "Head cards" }, h("thead", {}, h("tr", {}, ...this.#columns)), this.#body)), this.#card, this.#announcer.node);
    this.#open(order(this.#column(1), true)[0]);
  }

  #row({ layer, head, scores }: Head, at: number, largest: number[]) {
    const name = `layer ${layer + 1}, head ${head + 1}`;
    const open = h("button", { type: "button", class: "hc-open", "aria-pressed": "false", "aria-label": `card of ${name}`,
      onclick: () => (this.#announcer.changed(), this.#open(at)) }, "card");
    const link = h("a", { href: `#${this.getAttribute("for")}`, "data-layer": layer, "data-head": head }, name);
    const cells = scores.map((value, score) =>
      h("td", { style: `--share:${(value / largest[score]).toFixed(3)}` }, shown(this.#data.scores[score], value)));
    const row = h("tr", {}, h("th", { scope: "row" }, link, open), ...cells);
    for (const stop of stops(row)) stop.tabIndex = at === 0 ? 0 : -1;
    return row;
  }

  /** Links in the page's text lead to the map as well. */
  protected override listen(leaves: AbortSignal) {
    document.addEventListener("click", (event) => {
      const link = targetOf(event).closest?.<HTMLAnchorElement>(`a[data-layer][href="#${this.getAttribute("for")}"]`);
      if (link) this.#lead(link);
    }, { signal: leaves });
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
    this.#body.append(...order(this.#column(at), descending).map((head) => this.#rows[head]));
  }

  /** Shows the card of one head below the table. */
  #open(at: number) {
    this.#rows.forEach((row, place) => {
      row.classList.toggle("hc-opened", place === at);
      row.querySelector(".hc-open")?.setAttribute("aria-pressed", String(place === at));
    });
    const opened = this.#data.heads[at];
    const { scores, strongest, weakest } = opened;
    const ranks = scores.map((value, score) => rank(this.#column(score + 1), value));
    const best = ranks.indexOf(Math.min(...ranks));
    const blocks = this.#data.scores.map((score, which) =>
      h("details", which === best ? { open: "" } : {},
        h("summary", {}, h("b", {}, score.name), ` ${shown(score, scores[which])} `,
          h("small", {}, `${score.says}; ${ranks[which]} of ${this.#rows.length}`)),
        h("ol", {}, ...strongest[which].map((example) => h("li", {}, ...this.#example(example, score, opened)))),
        h("p", {}, "and least here: ", ...this.#example(weakest[which], score, opened))));
    const title = `Layer ${opened.layer + 1}, head ${opened.head + 1}`;
    this.#card.replaceChildren(h("h3", {}, title), ...blocks);
    this.#announcer.drawn(() => `${title}: ${blocks[best].firstElementChild?.textContent}`);
  }

  /** A sentence as a link to the map, and what the head does there. */
  #example([at, query, key, weight, value]: Example, score: Score, { layer, head }: Head) {
    const { text, tokens } = this.#data.sentences[at];
    const words = tokens.flatMap((token, place) => {
      if (place === 0 || place === tokens.length - 1) return [];
      const word = readable(token);
      return [isPiece(token) || place === 1 ? "" : " ", place === query ? h("mark", {}, word) : word];
    });
    const link = h("a", { href: `#${this.getAttribute("for")}`, "data-layer": layer, "data-head": head, "data-sentence": text, "data-query": query }, ...words);
    const looks = query === null ? "" : `, most at ${readable(tokens[key])} (${percent(weight)})`;
    return [link, h("small", {}, ` ${shown(score, value)}${looks}`)];
  }

  /** Turns the live map to what a link names; the browser itself goes there. */
  #lead({ dataset: { layer, head, sentence, query } }: HTMLAnchorElement) {
    const map = mapById(this.getAttribute("for"));
    if (!map) return;
    for (const [name, value] of Object.entries({ view: "matrix", layer, head, sentence }))
      if (value !== undefined) map.setAttribute(name, value);
    if (query !== undefined) map.query = Number(query);
  }
}

/** What of a row can have the focus. */
const stops = (row: Element) => [...row.querySelectorAll<HTMLElement>("a, button")];

/** Arrow keys move between the rows, of which one is a stop of the Tab key, and within a row. */
function moveInTable(event: KeyboardEvent) {
  const step = arrow(event.key);
  const row = targetOf(event).closest("tr");
  if (!step || !row) return;
  const at = stops(row).indexOf(targetOf(event));
  const rows = [...(row.parentElement as HTMLElement).children];
  const next = rows[rows.indexOf(row) + step[0]];
  const to = next && stops(next)[at + step[1]];
  if (!to) return;
  event.preventDefault();
  for (const stop of stops(row)) stop.tabIndex = -1;
  for (const stop of stops(next)) stop.tabIndex = 0;
  focusOn(to, null);
}

define("head-cards", HeadCardsElement);
