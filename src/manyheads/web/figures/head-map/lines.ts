// Lines: the sentence twice, and a line from the word that asks to each that it looks at, as strong as the weight. Of two
// sentences, side by side, or where there's no room for that, one below the other.

import type { HeadStyle, ShownMap } from "../../math/map-state.ts";
import { forQuery } from "../../math/choosing.ts";
import { compareHeads, headName, lineStyle, lineUnit, queryName, queryWeights, strongest } from "../../math/maps.ts";
import { endsOf, isAsking, type Query } from "../../math/query.ts";
import { answerKey } from "../../math/shown.ts";
import { capital, isolated, readable, weightText } from "../../math/text.ts";
import { arrow, fill, focusOn, h, s, setText, setToken, targetOf } from "../../views/dom.ts";
import { unpin, type MapHost, type MapPart } from "./map-part.ts";
import { secondAskers } from "./paint.ts";
import { queryOf, restOf, secondName } from "./state.ts";
import { styleOfHead } from "./switches.ts";

const BESIDE = 0.5; // of a row, over which the heads' lines to one word lie side by side

export class LinesView implements MapPart {
  #maps: { map: ShownMap; compared: ShownMap | null } | null = null;
  host: MapHost;
  panels: LinesPanel[];

  constructor(stage: HTMLElement, host: MapHost) {
    this.host = host;
    this.panels = [new LinesPanel(host, false), new LinesPanel(host, true)];
    stage.append(h("div", { class: "hm-pair" }, ...this.panels.map(({ node }) => node)));
  }

  draw(map: ShownMap, compared: ShownMap | null) {
    const {
      host,
      panels: [first, second],
    } = this;
    this.#maps = { map, compared };
    const { pairs } = compareHeads(map, compared, host.state.chosen.layer, restOf(host.state));
    const askers = map.queryTokens.map((_, query) => query);
    first.take(map, askers, pairs && new Set(pairs.map(([i]) => i)));
    second.node.hidden = !compared || !pairs;
    if (compared && pairs)
      second.take(compared, secondAskers(pairs, askers, compared.shape[2]), new Set(pairs.map(([, j]) => j)));
    this.ask();
  }

  /** The place among those that ask of a word; null where it's only looked at. */
  askerAt = (node: Element) =>
    this.panels.find((panel) => panel.asking.contains(node))?.askerOf(node.closest("li")!) ?? null;

  /** Another word asks. */
  ask() {
    if (!this.#maps) return;
    const {
      host,
      panels: [first, second],
    } = this;
    const { map, compared } = this.#maps;
    const { layer } = host.state.chosen;
    const [query, rest] = [queryOf(host.state), restOf(host.state)];
    first.draw(query, rest);
    if (compared)
      second.draw(
        compareHeads(map, compared, layer, query).secondQuery,
        compareHeads(map, compared, layer, rest).secondQuery,
      );
  }
}

/** One sentence and its lines. */
class LinesPanel {
  #map: ShownMap | null = null;
  #askers: (number | null)[] = []; // the words as they ask in the first sentence
  #second: boolean;
  host: MapHost;
  asking: HTMLElement;
  lookedAt: HTMLElement;
  svg = s("svg");
  summary = h("p", { class: "hm-hint" });
  node: HTMLElement;

  constructor(host: MapHost, second: boolean) {
    const which = second ? ` in the ${secondName(host.state)}` : "";
    this.host = host;
    this.#second = second;
    this.asking = h("ol", { "aria-label": `Words that ask${which}`, "data-side": "query" });
    this.lookedAt = h("ol", { "aria-label": `Words looked at${which}`, "data-side": "key" });
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.ariaHidden = "true";
    const point = (event: Event) => this.#point(event);
    const leave = (event: PointerEvent | FocusEvent) => this.#leave(event);
    const box = h(
      "div",
      {
        class: "hm-lines",
        onpointerover: point,
        onpointerleave: leave,
        onfocusin: point,
        onfocusout: leave,
        onkeydown: (event: KeyboardEvent) => this.#press(event),
        onclick: (event: Event) => this.#ask(event),
      },
      this.asking,
      this.svg,
      this.lookedAt,
    );
    this.node = h("div", {}, this.summary, h("div", { class: "hm-scroll" }, box));
  }

  /** Shows the words of a map; `shared` are those that both sentences have. */
  take(map: ShownMap, askers: (number | null)[], shared: Set<number> | null) {
    this.#map = map;
    this.#askers = askers;
    const [, , queries, keys] = map.shape;
    this.svg.setAttribute("viewBox", `0 0 100 ${Math.max(queries, keys)}`);
    this.node.style.setProperty("--rows", String(Math.max(queries, keys)));
    const answer = answerKey(map);
    for (const [list, tokens] of [
      [this.asking, map.queryTokens],
      [this.lookedAt, map.keyTokens],
    ] as const) {
      const items = fill(list, tokens.length, () => h("li", {}, h("button", { type: "button", tabindex: -1 })));
      tokens.forEach((token, index) => {
        setToken(items[index].children[0], token, index === (list === this.lookedAt ? answer : map.askers?.[answer]));
        items[index].classList.toggle("hm-only", list === this.lookedAt && Boolean(shared) && !shared?.has(index));
      });
      if (!list.querySelector('[tabindex="0"]')) items[0]?.children[0].setAttribute("tabindex", "0");
    }
  }

  /** Draws the lines of the word that asks, or those to the one that is pointed at; `rest` asks while none is. */
  draw(query: Query, rest: Query) {
    const map = this.#map;
    if (!map) return;
    const { state } = this.host;
    const { lookedAt } = state;
    const only = lookedAt?.second === this.#second ? lookedAt.key : null;
    const { layer, head: chosen } = state.chosen;
    const single = chosen === null ? null : Math.min(chosen, map.shape[1] - 1);
    const styles = Array.from({ length: map.shape[1] }, (_, head) => styleOfHead(state, map, layer, head));
    const isMean = only === null && typeof query !== "number";
    const [drawnOf, row] = isMean ? [forQuery(map, query), 0] : [map, query];
    const lines = strongest(drawnOf, layer, {
      chosen: (head, asks, key) =>
        !styles[head].off && (single === null || head === single) && (only === null ? asks === row : key === only),
    });
    const middle = (endsOf(query)[0] + endsOf(query)[1]) / 2;
    const paths = fill(this.svg, lines.length, () => s("path"));
    const unit = lineUnit(map, layer);
    lines.forEach((line, index) => {
      const from = isMean ? { ...line, query: middle } : line;
      const drawn = { d: this.#curve(from, single === null), ...lineStyle(styles[line.head], drawnOf, line, unit) };
      for (const [name, value] of Object.entries(drawn)) paths[index].setAttribute(name, value);
    });
    this.#mark(only, query, rest);
    setText(this.summary, this.#summarize(map, only === null ? { query } : { key: only }, single, styles));
  }

  /** From a word to another, where several heads have lines beside each other. */
  #curve({ head, query, key }: { head: number; query: number; key: number }, several: boolean) {
    const [, heads] = this.#map!.shape;
    const beside = several ? (BESIDE * (head - (heads - 1) / 2)) / Math.max(heads - 1, 1) : 0;
    const [from, to] = [query, key].map((place) => place + 0.5 + beside);
    return `M0 ${from}C45 ${from} 55 ${to} 100 ${to}`;
  }

  /** Marks the words whose lines are drawn, and the one that asks. */
  #mark(only: number | null, query: Query, rest: Query) {
    [...this.asking.children].forEach((item, index) => {
      item.classList.toggle("hm-lit", only === null && isAsking(query, index));
      item.classList.toggle("hm-asks", isAsking(rest, index));
    });
    [...this.lookedAt.children].forEach((item, index) => item.classList.toggle("hm-lit", index === only));
  }

  /** What the chosen word's lines say, in words; the mean of the heads that are on where all are shown. */
  #summarize(map: ShownMap, of: { query: Query } | { key: number }, single: number | null, styles: HeadStyle[]) {
    const [, heads] = map.shape;
    const { layer } = this.host.state.chosen;
    const asks = "query" in of;
    const [name, others] = asks ? [queryName(map, of.query), map.keyTokens] : [map.keyTokens[of.key], map.queryTokens];
    const chosen = single === null ? [...Array(heads).keys()].filter((head) => !styles[head].off) : [single];
    if (chosen.length === 0) return "All heads are off.";
    const rows = chosen.map((head) =>
      asks
        ? queryWeights(map, layer, head, of.query)
        : others.map((_, query) => queryWeights(map, layer, head, query)[of.key]),
    );
    const weights = others.map((token, other) => ({
      token,
      mean: rows.reduce((sum, row) => sum + row[other], 0) / rows.length,
    }));
    const most = weights.sort((a, b) => Math.abs(b.mean) - Math.abs(a.mean)).slice(0, 3);
    const listed = most.map(({ token, mean }) => `${isolated(readable(token))} (${weightText(map, mean)})`).join(", ");
    const mean = chosen.length === heads ? "Mean of the heads: " : `Mean of the ${chosen.length} heads that are on: `;
    const who =
      single !== null || heads === 1
        ? ""
        : chosen.length === 1
          ? `${capital(headName(map, layer, chosen[0]))}: `
          : mean;
    return `${who}“${isolated(readable(name))}” ${asks ? "looks most at" : "is looked at most by"} ${listed}.`;
  }

  /** The place in the first sentence of one of the words that ask. */
  askerOf = (item: Element) => this.#askers[placeOfItem(item)] ?? null;

  #point(event: Event) {
    const item = targetOf(event).closest("li");
    if (!item || !this.#map) return;
    const asks = item.parentElement === this.asking;
    this.#show(asks ? null : placeOfItem(item), asks ? this.askerOf(item) : null);
  }

  #leave({ relatedTarget, currentTarget }: PointerEvent | FocusEvent) {
    const box = currentTarget as Element;
    if (box.contains(relatedTarget as Node | null) || !this.#map) return;
    this.#show(null, null);
  }

  #show(only: number | null, asks: number | null) {
    const lookedAt = only === null ? null : { second: this.#second, key: only };
    this.host.dispatch({ type: "point", query: asks, lookedAt });
  }

  #ask(event: Event) {
    const item = targetOf(event).closest("li");
    const asker = item?.parentElement === this.asking ? this.askerOf(item) : null;
    if (asker != null) this.host.act({ type: "pin", query: asker });
  }

  #press(event: KeyboardEvent) {
    if (event.key === "Escape") return unpin(this.host);
    const step = arrow(event.key);
    const item = targetOf(event).closest("li");
    if (!step || !item) return;
    const [rows, columns] = step;
    const own = item.parentElement!;
    const list = columns === 0 ? own : columns < 0 ? this.asking : this.lookedAt;
    const next = list.children[Math.min(placeOfItem(item) + rows, list.childElementCount - 1)]?.querySelector("button");
    if (!next) return;
    event.preventDefault();
    focusOn(next, list === own ? targetOf(event) : list.querySelector('[tabindex="0"]'));
  }
}

const placeOfItem = (item: Element) => [...(item.parentElement?.children ?? [])].indexOf(item);
