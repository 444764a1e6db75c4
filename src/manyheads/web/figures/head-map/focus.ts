// Which token asks: the one that was chosen or, while somebody points at another, that one.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { MapState, ShownMap } from "../../math/map-state.ts";
import { queryRow, askersOf } from "../../math/shown.ts";

interface FocusHost {
  map: AttentionMap | null;
  shown: { map: ShownMap };
  set(state: Partial<MapState>, pinned?: boolean): void;
}

/** Positions are those among the tokens shown, except for `query` in the state and `home`, which count in the computed map. */
export class MapFocus {
  /** The token that asks while nobody points at another. */
  rest = 0;
  /** Whether it keeps asking, whatever is pointed at. */
  pinned = false;
  #pointed: number | null = null;
  #askers = new WeakMap<ShownMap, (number | null)[] | null>();
  #host: FocusHost;
  #home: number;
  #changed: () => void;

  /** `home` is the query that asks when none is pinned; `changed()` is called when somebody points at another token, or at none. */
  constructor(host: FocusHost, home: number, changed: () => void) {
    this.#host = host;
    this.#home = home;
    this.#changed = changed;
  }

  /** The token that asks at present. */
  get query() {
    return this.#pointed ?? this.rest;
  }

  get isPointed() {
    return this.#pointed !== null;
  }

  /** Somebody points at a token, or at none. */
  point(position: number | null) {
    const pointed = this.pinned || (position ?? 0) < 0 ? null : position;
    if (pointed === this.#pointed || !this.#host.map) return;
    this.#pointed = pointed;
    this.#changed();
  }

  /** Lets a token keep asking. For none, or for the one that is pinned, the pin goes. */
  pin(position: number | null) {
    if (position === null || (this.pinned && position === this.rest)) return this.#unpin();
    this.#pointed = null;
    this.#host.set({ query: this.#host.shown.map.queries[position] });
  }

  #unpin() {
    if (!this.pinned) return this.point(null);
    this.#pointed = null;
    this.#host.set({ query: this.#home }, false);
  }

  /** Undo and redo: a query other than the first one was pinned. */
  restore(query: number) {
    this.pinned = query !== this.#home;
  }

  /** Follows what is shown now, which may have lost the token that asked. */
  follow(shown: ShownMap, map: AttentionMap, query: number) {
    this.rest = queryRow(shown, query, map.queryTokens);
    if (this.query >= shown.queryTokens.length) this.#pointed = null;
  }

  /** For each token looked at, its position among those that ask; null where others ask than are looked at. */
  askersOf(shown: ShownMap) {
    if (!this.#host.map) return null;
    let askers = this.#askers.get(shown);
    if (askers === undefined) this.#askers.set(shown, (askers = askersOf(shown, this.#host.map)));
    return askers;
  }

  /** The position among the tokens looked at of one that asks; -1 if it isn't one of them. */
  keyOf(shown: ShownMap, query: number) {
    return this.askersOf(shown)?.indexOf(query) ?? -1;
  }
}
