// Words that ask: a word of Paint asks once a pointer rests on it, or it's focused or tapped; a click or Enter lets it go on asking,
// Escape ends that.

import type { ShownMap } from "../../math/map-state.ts";
import { headName, isMasked, queryName, queryWeights } from "../../math/maps.ts";
import type { Query } from "../../math/query.ts";
import { isolated, readable, weightText } from "../../math/text.ts";
import { focusedIn, h, targetOf } from "../../views/dom.ts";
import { unpin, type MapHost } from "./map-part.ts";
import { queryOf } from "./state.ts";

const WORD = "td[data-weight]";
const REST = 250; // milliseconds that a pointer rests on the first word; from a word that asks, others take over at once
const TIP_GAP = 4; // pixels between a word and its tip

/** What a word under the pointer stands for; read out with a word that has the focus. */
export class WordTip {
  #lines = [h("span", {}, "-"), h("span", {}, "-")]; // kept with their texts: a new text node lays the whole map out anew
  node: HTMLElement;

  constructor(id: string) {
    this.node = h("div", { class: "hm-tip", role: "tooltip", id, hidden: true }, ...this.#lines);
  }

  show(word: HTMLElement, lines: string[]) {
    const { node } = this;
    if (lines.length === 0) return this.hide();
    this.#lines.forEach((span, at) => {
      span.hidden = at >= lines.length;
      (span.firstChild as Text).data = lines[at] ?? "-";
    });
    node.hidden = false;
    const room = node.parentElement!.getBoundingClientRect();
    const at = word.getBoundingClientRect();
    const middle = at.left + at.width / 2 - room.left - node.offsetWidth / 2;
    node.style.left = `${Math.max(0, Math.min(middle, room.width - node.offsetWidth))}px`;
    node.style.top = `${at.bottom - room.top + TIP_GAP}px`; // arcs are above
  }

  hide() {
    this.node.hidden = true;
  }
}

/** Listens to the words of a stage, and passes on to the host which of them asks. */
export class Asking {
  #word: HTMLElement | null = null; // pointed at, or has the focus
  #rests: { on: HTMLElement; timer: ReturnType<typeof setTimeout> } | null = null; // a word that is about to ask
  host: MapHost;
  tip: WordTip;

  constructor(stage: HTMLElement, host: MapHost, tip: WordTip) {
    this.host = host;
    this.tip = tip;
    const listeners = {
      pointermove: (event: PointerEvent) =>
        // not "pointerover": words that slide under a pointer at rest aren't pointed at
        event.pointerType !== "touch" && this.#rest(wordAt(event)),
      pointerleave: () => this.#point(host.state.dismissed ? null : focusedWord(stage)),
      focusin: (event: Event) => {
        this.#point(targetOf(event).matches(":focus-visible") ? wordAt(event) : this.#word, false);
      },
      focusout: (event: FocusEvent) => !stage.contains(event.relatedTarget as Node | null) && this.#point(null),
      click: (event: Event) => this.#pin(wordAt(event)),
      keydown: (event: KeyboardEvent) => this.#press(event),
    };
    for (const [name, listener] of Object.entries(listeners)) stage.addEventListener(name, listener as EventListener);
  }

  /** The tip follows a repaint. */
  refresh() {
    if (this.#word?.isConnected) this.#describe(this.#word);
    else this.#point(null);
  }

  /** A word asks once the pointer rests on it: not where it only crosses the words on its way. */
  #rest(word: HTMLElement | null) {
    if (!word || this.#word) return this.#point(word);
    if (this.#rests?.on === word) return;
    clearTimeout(this.#rests?.timer);
    this.#rests = { on: word, timer: setTimeout(() => word.isConnected && this.#point(word), REST) };
  }

  #point(word: HTMLElement | null, dismissed = this.host.state.dismissed) {
    clearTimeout(this.#rests?.timer);
    this.#rests = null;
    if (word === this.#word && dismissed === this.host.state.dismissed) return;
    this.#word?.removeAttribute("aria-describedby");
    this.#word = word;
    this.host.dispatch({ type: "point", query: word && this.#asker(word), dismissed });
    if (!word) return this.tip.hide();
    this.#describe(word);
    word.setAttribute("aria-describedby", this.tip.node.id);
  }

  #describe(word: HTMLElement) {
    const place = placeOfWord(word);
    if (!place) return this.tip.hide();
    const { map, layer, head, query, key } = place;
    const weight = queryWeights(map, layer, head, query)[key];
    const share = isMasked(map, query, key) ? "nothing: masked" : weightText(map, weight);
    const weighs = `${headName(map, layer, head)}: ${name(queryName(map, query))} gives ${name(map.keyTokens[key])} ${share}`;
    this.tip.show(word, [weighs, ...this.#looks(place)]);
  }

  /** Where the word itself looks, while it asks; in a table of all that ask, its row says so. */
  #looks({ map, layer, head, query, own, asker, second }: WordPlace): string[] {
    if (asker === null || own !== undefined || second || asker === query || asker !== queryOf(this.host.state))
      return [];
    const weights = queryWeights(map, layer, head, asker);
    const most = weights.reduce((best, weight, key) => (Math.abs(weight) > Math.abs(weights[best]) ? key : best), 0);
    return [
      `${name(map.queryTokens[asker])} looks most at ${name(map.keyTokens[most])}, ${weightText(map, weights[most])}`,
    ];
  }

  /** The place among those that ask of a word; null where it is only looked at. */
  #asker(word: HTMLElement) {
    return placeOfWord(word)?.asker ?? null;
  }

  #pin(word: HTMLElement | null) {
    const place = word && placeOfWord(word);
    if (!place) return;
    const { asker } = place;
    const { query } = place;
    const edge = place.map === this.host.state.shown!.map && typeof query === "number" ? { ...place, query } : null;
    if (asker === null) return edge && this.host.dispatch({ type: "explain", edge });
    this.host.act({ type: "pin", query: asker, edge });
    const pointed = this.host.state.pinned ? word : null;
    if (pointed !== this.#word) this.#point(pointed);
    else this.refresh();
  }

  #press(event: KeyboardEvent) {
    const word = wordAt(event);
    if (event.key === "Escape" && (this.host.state.pinned || this.#word)) {
      event.stopPropagation();
      this.#point(null, true);
      unpin(this.host);
    } else if (word && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.#pin(word);
    }
  }
}

/** What a row of words shows. */
export interface ShownRow {
  map: ShownMap;
  layer: number;
  head: number;
  query: Query;
  keys?: (number | null)[]; // by cell, what it shows of the map; null for none. Else a cell a key, after the row's name
  askers?: (number | null)[] | null; // its words as they would ask, by place in the first of two maps
  own?: number; // instead: the place of the row itself, a word that asks
  second?: boolean;
}
export type ShownRowElement = HTMLTableRowElement & { shows?: ShownRow };
type WordPlace = Omit<ShownRow, "askers" | "keys"> & { key: number; asker: number | null };

/** The place among those that ask of the word that a node is in; null where it can't ask. */
export function askerOfWord(node: Element) {
  const word = node.closest<HTMLElement>(WORD);
  return (word && placeOfWord(word)?.asker) ?? null;
}

function placeOfWord(word: HTMLElement): WordPlace | null {
  const cell = word as HTMLTableCellElement;
  const row = cell.parentElement as ShownRowElement | null;
  if (!row?.shows) return null;
  const { askers, keys, ...place } = row.shows;
  const key = keys ? keys[cell.cellIndex] : cell.cellIndex - 1;
  if (key === null) return null;
  return { ...place, key, asker: askers === undefined ? (place.own ?? null) : (askers?.[key] ?? null) };
}

const name = (token: string) => isolated(readable(token));
const wordAt = (event: Event) => targetOf(event).closest(WORD) as HTMLElement | null;
const focusedWord = (stage: HTMLElement) =>
  (focusedIn(stage)?.closest(`${WORD}:focus-visible`) ?? null) as HTMLElement | null;
