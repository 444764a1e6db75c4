// <head-cards>: makes the table of head cards sortable, shows a head's examples, and leads to the live map. The element
// holds the table, and the examples as JSON; `for` is the id of the <head-map>. No DOM while the module loads, as in
// head-map.js.

import { h } from "./dom.js";
import { isPiece, percent, readable } from "./maps.js";

// ------------------------------------------------------------------------------------------------ pure part

/** The order of values, largest or smallest first; those that are equal keep their order. */
export function order(values, descending) {
  const sign = descending ? -1 : 1;
  return values.map((_, at) => at).sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

/** Which place a value takes among all, the largest first: 1, 2, ... */
export const rank = (values, value) => 1 + values.filter((other) => other > value).length;

/** A score as the table writes it; equal to `shown` in cardtable.py. */
export const shown = ({ name, share }, value) =>
  share ? percent(value) : value.toFixed(name === "effect" ? 4 : 1);

// ------------------------------------------------------------------------------------------------ the element

function defineElement() {
  class HeadCardsElement extends HTMLElement {
    connectedCallback() {
      if (this.card) return;
      this.data = JSON.parse(this.querySelector('script[type="application/json"]').textContent);
      this.table = this.querySelector("table");
      this.rows = [...this.table.tBodies[0].rows]; // in the order of the data, however they are sorted
      this.columns = [...this.table.tHead.rows[0].cells];
      this.columns.forEach((column, at) => column.replaceChildren(
        h("button", { type: "button", onclick: () => this.sort(at) }, column.textContent)));
      this.rows.forEach((row, at) => row.cells[0].append(
        h("button", { type: "button", class: "hc-open", "aria-pressed": "false", onclick: () => this.open(at) }, "card")));
      this.card = h("section", { class: "hc-card", "aria-live": "polite" });
      this.append(this.card);
      document.addEventListener("click", ({ target }) => { // links in the page's text lead there, too
        const link = target.closest?.(`a[data-layer][href="#${this.getAttribute("for")}"]`);
        if (link) this.lead(link);
      });
      this.open(order(this.#column(1), true)[0]);
    }

    /** The values of a column; the first is that of the names, in the order of layers and heads. */
    #column(at) {
      return this.data.heads.map(({ scores }, head) => (at === 0 ? head : scores[at - 1]));
    }

    /** Sorts by a column: scores with the largest first, names from the first layer on; again, the other way round. */
    sort(at) {
      const was = this.columns[at].ariaSort;
      const descending = was ? was === "ascending" : at > 0;
      for (const column of this.columns) column.ariaSort = null;
      this.columns[at].ariaSort = descending ? "descending" : "ascending";
      this.table.tBodies[0].append(...order(this.#column(at), descending).map((head) => this.rows[head]));
    }

    /** Shows the card of one head below the table. */
    open(head) {
      this.rows.forEach((row, at) => {
        row.querySelector(".hc-open").ariaPressed = String(at === head);
        row.classList.toggle("hc-opened", at === head);
      });
      const { layer, head: place } = this.rows[head].querySelector("a").dataset;
      const { scores, strongest, weakest } = this.data.heads[head];
      const ranks = scores.map((value, at) => rank(this.#column(at + 1), value));
      const best = ranks.indexOf(Math.min(...ranks));
      const blocks = this.data.scores.map((score, at) => {
        const block = h("details", at === best ? { open: "" } : {},
          h("summary", {}, h("b", {}, score.name), ` ${shown(score, scores[at])} `,
            h("small", {}, `${score.says}; ${ranks[at]} of ${this.rows.length}`)),
          h("ol", {}, ...strongest[at].map((example) => this.#example(example, score, layer, place))),
          h("p", {}, "and least here: ", ...this.#example(weakest[at], score, layer, place).childNodes));
        return block;
      });
      this.card.replaceChildren(
        h("h3", {}, `Layer ${Number(layer) + 1}, head ${Number(place) + 1}`), ...blocks);
    }

    #example([at, query, key, weight, value], score, layer, head) {
      const { text, tokens } = this.data.sentences[at];
      const words = tokens.flatMap((token, place) => {
        if (place === 0 || place === tokens.length - 1) return [];
        const word = readable(token);
        return [isPiece(token) || place === 1 ? "" : " ", place === query ? h("mark", {}, word) : word];
      });
      const link = h("a", { href: `#${this.getAttribute("for")}`, "data-layer": layer, "data-head": head }, ...words);
      link.dataset.sentence = text;
      if (query !== null) link.dataset.query = query;
      const looks = query === null ? "" : `, most at ${readable(tokens[key])} (${percent(weight)})`;
      return h("li", {}, link, h("small", {}, ` ${shown(score, value)}${looks}`));
    }

    /** Turns the live map to what a link names; the browser itself goes there. */
    lead({ dataset: { layer, head, sentence, query } }) {
      const map = document.getElementById(this.getAttribute("for"));
      if (!map) return;
      this.waiting?.abort();
      const said = Object.entries({ view: "matrix", layer, head, sentence }).filter(([, value]) => value !== undefined);
      for (const [name, value] of said) map.setAttribute(name, value);
      if (query === undefined) return;
      const { tokens } = this.data.sentences.find(({ text }) => text === sentence);
      const ask = () => {
        if (String(map.attention?.queryTokens) !== String(tokens)) return false;
        const chooser = map.querySelector('select[aria-label="Asked by"]');
        chooser.value = query;
        chooser.dispatchEvent(new Event("change"));
        return true;
      };
      if (ask()) return;
      this.waiting = new AbortController(); // until the map of that sentence is there
      map.addEventListener("attention", () => queueMicrotask(() => this.waiting.signal.aborted || (ask() && this.waiting.abort())),
        { signal: this.waiting.signal });
    }
  }

  customElements.define("head-cards", HeadCardsElement);
}

if (globalThis.customElements && !customElements.get("head-cards")) defineElement();
