// <head-cards>: makes the table of head cards sortable, shows a head's examples, and leads to the live map. The element
// holds the table, and the examples as JSON; `for` is the id of the <head-map>. No DOM while the module loads, as in
// head-map.js.

import { bakedInto } from "../doors/page-element.js";
import { isPiece, percent, readable } from "../math/text.js";
import { Announcer } from "../views/announcer.js";
import { arrow, focusOn, h, targetOf } from "../views/dom.js";

// ------------------------------------------------------------------------------------------------ pure part

/**
 * The order of values, largest or smallest first; those that are equal keep their order.
 * @param {number[]} values
 * @param {boolean} descending
 */
export function order(values, descending) {
  const sign = descending ? -1 : 1;
  return values.map((_, at) => at).sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

/**
 * Which place a value takes among all, the largest first: 1, 2, ...
 * @param {number[]} values
 * @param {number} value
 */
export const rank = (values, value) => 1 + values.filter((other) => other > value).length;

/**
 * A score as the table writes it; as `shown` in models/head_cards_table.py.
 * @param {{ name: string, share: boolean }} score
 * @param {number} value
 */
export const shown = ({ name, share }, value) =>
  share ? percent(value) : value.toFixed(name === "effect" ? 4 : 1);

// ------------------------------------------------------------------------------------------------ the element

/**
 * What models/head_cards_table.py bakes in.
 * @typedef {{ name: string, says: string, share: boolean }} Score
 * @typedef {[sentence: number, query: number | null, key: number, weight: number, value: number]} Example
 * @typedef {{ scores: number[], strongest: Example[][], weakest: Example[] }} Head
 * @typedef {{ scores: Score[], sentences: { text: string, tokens: string[] }[], heads: Head[] }} Data
 */

function defineElement() {
  class HeadCardsElement extends HTMLElement {
    /** @type {Data} */
    #data = { scores: [], sentences: [], heads: [] };
    /** The table's rows in the order of the data, however they are sorted. @type {HTMLTableRowElement[]} */
    #rows = [];
    /** @type {HTMLTableCellElement[]} */
    #columns = [];
    #card = h("section", { class: "hc-card" });
    #announcer = new Announcer();
    /** Waits for the map of a sentence. @type {AbortController | undefined} */
    #waiting;

    connectedCallback() {
      document.addEventListener("click", this.#follow);
      const table = this.querySelector("table");
      if (this.#card.isConnected || !table?.tHead) return;
      this.#data = bakedInto(this);
      this.#rows = [...table.tBodies[0].rows];
      this.#columns = [...table.tHead.rows[0].cells];
      this.#columns.forEach((column, at) => column.replaceChildren(
        h("button", { type: "button", onclick: () => this.#sort(at) }, column.textContent ?? "")));
      this.#rows.forEach((row, at) => {
        const name = `card of ${row.cells[0].textContent?.trim()}`;
        row.cells[0].append(h("button", { type: "button", class: "hc-open", "aria-pressed": "false", "aria-label": name,
          onclick: () => (this.#announcer.changed(), this.#open(at)) }, "card"));
        for (const stop of stops(row)) stop.tabIndex = at === 0 ? 0 : -1;
      });
      table.tBodies[0].addEventListener("keydown", moveInTable);
      this.append(this.#card, this.#announcer.node);
      this.#open(order(this.#column(1), true)[0]);
    }

    disconnectedCallback() {
      document.removeEventListener("click", this.#follow);
      this.#waiting?.abort();
    }

    /** Links in the page's text lead there, too. */
    #follow = (/** @type {Event} */ event) => {
      /** @type {HTMLAnchorElement | null} */
      const link = targetOf(event).closest?.(`a[data-layer][href="#${this.getAttribute("for")}"]`);
      if (link) this.#lead(link);
    };

    /** The values of a column; the first is that of the names, in the order of layers and heads. */
    #column(/** @type {number} */ at) {
      return this.#data.heads.map(({ scores }, head) => (at === 0 ? head : scores[at - 1]));
    }

    /** Sorts by a column: scores with the largest first, names from the first layer on; again, the other way round. */
    #sort(/** @type {number} */ at) {
      const was = this.#columns[at].ariaSort;
      const descending = was ? was === "ascending" : at > 0;
      for (const column of this.#columns) column.ariaSort = null;
      this.#columns[at].ariaSort = descending ? "descending" : "ascending";
      this.#rows[0].parentElement?.append(...order(this.#column(at), descending).map((head) => this.#rows[head]));
    }

    /** Shows the card of one head below the table. */
    #open(/** @type {number} */ head) {
      this.#rows.forEach((row, at) => {
        row.classList.toggle("hc-opened", at === head);
        row.querySelector(".hc-open")?.setAttribute("aria-pressed", String(at === head));
      });
      const { layer, head: place } = this.#rows[head].querySelector("a")?.dataset ?? {};
      const { scores, strongest, weakest } = this.#data.heads[head];
      const ranks = scores.map((value, at) => rank(this.#column(at + 1), value));
      const best = ranks.indexOf(Math.min(...ranks));
      const item = (/** @type {Example} */ example, /** @type {Score} */ score) => this.#example(example, score, layer, place);
      const blocks = this.#data.scores.map((score, at) =>
        h("details", at === best ? { open: "" } : {},
          h("summary", {}, h("b", {}, score.name), ` ${shown(score, scores[at])} `,
            h("small", {}, `${score.says}; ${ranks[at]} of ${this.#rows.length}`)),
          h("ol", {}, ...strongest[at].map((example) => item(example, score))),
          h("p", {}, "and least here: ", ...item(weakest[at], score).childNodes)));
      const title = `Layer ${Number(layer) + 1}, head ${Number(place) + 1}`;
      this.#card.replaceChildren(h("h3", {}, title), ...blocks);
      this.#announcer.drawn(() => `${title}: ${blocks[best].firstElementChild?.textContent}`);
    }

    /**
     * @param {Example} example
     * @param {Score} score
     * @param {string | undefined} layer
     * @param {string | undefined} head
     */
    #example([at, query, key, weight, value], score, layer, head) {
      const { text, tokens } = this.#data.sentences[at];
      const words = tokens.flatMap((token, place) => {
        if (place === 0 || place === tokens.length - 1) return [];
        const word = readable(token);
        return [isPiece(token) || place === 1 ? "" : " ", place === query ? h("mark", {}, word) : word];
      });
      const link = h("a", { href: `#${this.getAttribute("for")}`, "data-layer": layer, "data-head": head }, ...words);
      link.dataset.sentence = text;
      if (query !== null) link.dataset.query = String(query);
      const looks = query === null ? "" : `, most at ${readable(tokens[key])} (${percent(weight)})`;
      return h("li", {}, link, h("small", {}, ` ${shown(score, value)}${looks}`));
    }

    /** Turns the live map to what a link names; the browser itself goes there. */
    #lead(/** @type {HTMLAnchorElement} */ { dataset: { layer, head, sentence, query } }) {
      const map = /** @type {HeadMapElement | null} */ (document.getElementById(this.getAttribute("for") ?? ""));
      if (!map) return;
      this.#waiting?.abort();
      for (const [name, value] of Object.entries({ view: "matrix", layer, head, sentence }))
        if (value !== undefined) map.setAttribute(name, value);
      if (query === undefined) return;
      const tokens = this.#data.sentences.find(({ text }) => text === sentence)?.tokens;
      const ask = () => {
        if (String(map.attention?.queryTokens) !== String(tokens)) return false;
        const chooser = /** @type {HTMLSelectElement} */ (map.querySelector('select[aria-label="Asked by"]'));
        chooser.value = query;
        chooser.dispatchEvent(new Event("change"));
        return true;
      };
      if (ask()) return;
      const waiting = (this.#waiting = new AbortController()); // until the map of that sentence is there
      const { signal } = waiting;
      map.addEventListener("attention", () => queueMicrotask(() => signal.aborted || (ask() && waiting.abort())), { signal });
    }
  }

  customElements.define("head-cards", HeadCardsElement);
}

/** What of a row can have the focus. @returns {HTMLElement[]} */
const stops = (/** @type {Element} */ row) => [...row.querySelectorAll(/** @type {"a"} */ ("a, button"))];

/** Arrow keys move between the rows, of which one is a stop of the Tab key, and within a row. */
function moveInTable(/** @type {KeyboardEvent} */ event) {
  const step = arrow(event.key);
  const row = /** @type {HTMLTableRowElement | null} */ (targetOf(event).closest("tr"));
  if (!step || !row) return;
  const at = stops(row).indexOf(targetOf(event));
  const rows = [.../** @type {HTMLElement} */ (row.parentElement).children];
  const next = rows[rows.indexOf(row) + step[0]];
  const to = next && stops(next)[at + step[1]];
  if (!to) return;
  event.preventDefault();
  for (const stop of stops(row)) stop.tabIndex = -1;
  for (const stop of stops(next)) stop.tabIndex = 0;
  focusOn(to, null);
}

if (globalThis.customElements && !customElements.get("head-cards")) defineElement();
