// <head-cards>: an atlas of heads, the card of one with its examples, and, folded, a table of all to sort. The element holds them
// all as JSON; `for` is the id of a <head-map>, or of a <next-word>, whose heads see no more of a text than stands before
// the word to be written. No DOM while the module loads, as in head-map.ts.

import { define, Figure, mapById } from "../../doors/page-element.ts";
import { behaviourOf } from "../../math/maps.ts";
import { capital, isolated, percent, readable, visible, wordsOf } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { HeadAtlas } from "./head-atlas.ts";
import { arrow, focusOn, h, setText, targetOf } from "../../views/dom.ts";

// ------------------------------------------------------------------------------------------------ pure part

/** The order of values, largest or smallest first; those that are equal keep their order. */
export function order(values: number[], descending: boolean) {
  const sign = descending ? -1 : 1;
  return values.map((_, at) => at).sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

/** Which place a value takes among all, the largest first: 1, 2, ... */
export const rank = (values: number[], value: number) => 1 + values.filter((other) => other > value).length;

/** A score as the table writes it; as `shown` in models/cards.py. */
export const shown = ({ decimals }: Pick<Score, "decimals">, value: number) =>
  decimals === null ? percent(value) : value.toFixed(decimals);

// ------------------------------------------------------------------------------------------------ the element

/** What models/cards.py bakes in. */
interface Data {
  scores: Score[];
  sentences: { text: string; tokens: string[] }[];
  heads: Head[];
  causal: boolean;
}
/** `decimals` are those shown of a number; null where the score is a part of attention. */
type Score = { name: string; says: string; decimals: number | null };
type Head = {
  layer: number;
  head: number;
  behaviour: string | null;
  scores: number[];
  strongest: Example[][];
  weakest: Example[];
};
type Example = [sentence: number, query: number | null, key: number, weight: number, value: number];

const LONG = 100; // heads; of more, a table shows the first
const FIRST = 20;

class HeadCardsElement extends Figure {
  protected override drawsLate = true;
  #data: Data = { scores: [], sentences: [], heads: [], causal: false };
  #order: number[] = [];
  #opened = -1;
  /** Those rows of the table that have been shown, in the order of the data, however they are sorted. */
  #rows: HTMLTableRowElement[] = [];
  #largest: number[] = [];
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
  #card = h("section", { class: "hc-card" });
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
    this.#largest = baked.scores.map(({ decimals }, at) => (decimals === null ? 1 : Math.max(...this.#column(at + 1))));
    const columns = baked.scores.map((score, at) => ({
      name: score.name,
      values: this.#column(at + 1),
      text: (value: number) => shown(score, value),
    }));
    const colours = baked.heads.map(({ behaviour }) => (behaviour ? behaviourOf(behaviour).colour : null));
    this.#atlas = new HeadAtlas(
      baked.heads.map(nameOf),
      columns,
      colours,
      (at) => (this.#announcer.changed(), this.#open(at)),
    );
    const table = h("table", { "aria-label": "Head cards" }, h("thead", {}, h("tr", {}, ...this.#columns)), this.#body);
    this.replaceChildren(
      this.#atlas.node,
      this.#card,
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
        onclick: () => {
          this.#announcer.changed();
          this.#open(at);
          this.#card.scrollIntoView({ block: "nearest" });
        },
      },
      nameOf(this.#data.heads[at]),
    );
    const cells = scores.map((value, score) =>
      h(
        "td",
        { style: `--share:${Math.max(0, value / this.#largest[score]).toFixed(3)}` },
        shown(this.#data.scores[score], value),
      ),
    );
    return h("tr", { class: at === this.#opened && "hc-opened" }, h("th", { scope: "row" }, open), ...cells);
  }

  protected override listen(leaves: AbortSignal) {
    this.addEventListener(
      "click",
      (event) => {
        const link = targetOf(event).closest?.<HTMLAnchorElement>(`a[data-layer][href="#${this.getAttribute("for")}"]`);
        if (link) this.#lead(link);
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

  /** Shows the card of one head, whose name leads to its map. */
  #open(at: number) {
    this.#opened = at;
    this.#atlas?.open(at);
    this.#rows.forEach((row, place) => {
      row.classList.toggle("hc-opened", place === at);
      row.querySelector(".hc-open")?.setAttribute("aria-pressed", String(place === at));
    });
    const opened = this.#data.heads[at];
    const { scores, strongest, weakest } = opened;
    const ranks = scores.map((value, score) => rank(this.#column(score + 1), value));
    const best = ranks.indexOf(Math.min(...ranks));
    const blocks = this.#data.scores.map((score, which) =>
      h(
        "details",
        which === best ? { open: "" } : {},
        h(
          "summary",
          {},
          h("b", {}, score.name),
          ` ${shown(score, scores[which])} `,
          h("small", {}, `${score.says}; ${ranks[which]} of ${this.#data.heads.length}`),
        ),
        h("ol", {}, ...strongest[which].map((example) => h("li", {}, ...this.#example(example, score, opened)))),
        ...(weakest.length ? [h("p", {}, "and least here: ", ...this.#example(weakest[which], score, opened))] : []),
      ),
    );
    const title = capital(nameOf(opened));
    const link = h(
      "a",
      { href: `#${this.getAttribute("for")}`, "data-layer": opened.layer, "data-head": opened.head },
      title,
    );
    this.#card.replaceChildren(h("h3", {}, link), ...blocks);
    this.#announcer.drawn(() => `${title}: ${blocks[best].firstElementChild?.textContent}`);
  }

  /** A sentence as a link to the live figure, and what the head does there. */
  #example([at, query, key, weight, value]: Example, score: Score, { layer, head }: Head) {
    const { causal, sentences } = this.#data;
    const { text, tokens } = sentences[at];
    const words = wordsOf(tokens);
    const seen = causal && query !== null ? query + 1 : words.length; // what comes later, the head doesn't see
    const link = h(
      "a",
      {
        href: `#${this.getAttribute("for")}`,
        "data-layer": layer,
        "data-head": head,
        "data-query": query,
        "data-sentence": causal ? words.slice(0, seen).join("") : text,
        "data-off": causal && score.name === "loss" && `${layer}.${head}`,
      },
      ...words.slice(0, seen).flatMap((word, place) => (place === query ? marked(word) : [oneLine(word)])),
      seen < words.length ? " \u2026" : "",
    );
    const next = score.name === "loss" && query !== null ? ` before \u201c${quoted(tokens[query + 1])}\u201d` : "";
    const looks = query === null ? "" : `, most at ${quoted(tokens[key])} (${percent(weight)})`;
    return [link, h("small", {}, ` ${shown(score, value)}${next}${looks}`)];
  }

  /** Turns the live figure to what a link names; the browser itself goes there. */
  #lead({ dataset: { layer, head, sentence, query, off } }: HTMLAnchorElement) {
    const figure = mapById(this.getAttribute("for"));
    if (!figure) return;
    const text = this.#data.causal ? { text: sentence, off: sentence && (off ?? "") } : { view: "matrix", sentence };
    for (const [name, value] of Object.entries({ layer, head, ...text }))
      if (value !== undefined) figure.setAttribute(name, value);
    if (query !== undefined && !this.#data.causal) figure.query = Number(query);
  }
}

const nameOf = ({ layer, head }: { layer: number; head: number }) => `layer ${layer + 1}, head ${head + 1}`;

/** A word of a sentence, in one line with the others. */
const oneLine = (word: string) => word.replace(/\n/g, "\u21b5");

/** The token that asks; the space before it stays outside. */
function marked(word: string) {
  const inner = word.trimStart();
  return inner
    ? [oneLine(word.slice(0, word.length - inner.length)), h("mark", {}, oneLine(inner))]
    : [h("mark", {}, visible(word))];
}

/** A token by itself. */
const quoted = (token: string) => isolated(readable(token).trim() || visible(token));

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
