// Controls that few readers need at first: special tokens, heads and layers, words instead of pieces, sinks, the scale, the strongest
// weights, some of the tokens, a search. They stand behind "More", which tells how many of them are in use.

import { received, sinksOf } from "../math/choosing.js";
import { isOfShares } from "../math/maps.js";
import { CHOICES } from "../math/names.js";
import { canRollOut } from "../math/shown.js";
import { readable, wordStarts } from "../math/text.js";
import { chooser, closeOnEscape, field, fillOptions } from "../views/controls.js";
import { h, setText, setValue, targetOf } from "../views/dom.js";
import { isKept, keep } from "../doors/kept.js";
import { START } from "../doors/state.js";
import { LinkedSums, SimilarHeads } from "./head-map-heads.js";

/** @type {[keyof MapState & ("special" | "heads" | "layers" | "pieces" | "sinks" | "scale"), string][]} */
const MORE_LABELS = [["special", "Special tokens"], ["heads", "Heads"], ["layers", "Layers"], ["pieces", "Word pieces"], ["sinks", "Sinks"], ["scale", "Scale"]];
/** @type {(keyof MapState)[]} */
const PARTS_OF_MORE = ["special", "heads", "layers", "pieces", "sinks", "scale", "top", "first", "last", "find"];
const KEPT = "manyheads.more"; // in the browser: whether the reader had it open

/**
 * Whether a token has in it what the reader searches.
 * @param {string} token
 * @param {string} sought
 */
export const isFound = (token, sought) => sought.trim() !== "" && readable(token).toLowerCase().includes(sought.trim().toLowerCase());

export class MoreControls {
  constructor(/** @type {import("./head-map-view.js").HeadMapView} */ host) {
    this.host = host;
    this.choices = MORE_LABELS.map(([name, label]) => {
      const select = chooser(label, (value) => host.set({ [name]: value }));
      fillOptions(select, CHOICES[name], CHOICES[name], host.state[name]);
      return { name, select, label: field(select) };
    });
    this.top = numberBox("Strongest per row", (value) => host.set({ top: value }));
    this.top.placeholder = "all";
    this.first = numberBox("First token", (value) => host.set({ first: (value ?? 1) - 1 }));
    this.last = numberBox("Last token", (value) => host.set({ last: value === null || value >= Number(this.last.max) ? null : value - 1 }));
    this.find = h("input", { type: "search", "aria-label": "Find a word", autocomplete: "off", spellcheck: "false",
      oninput: () => host.set({ find: this.find.value }),
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.#askNext() });
    this.told = h("span", { class: "hm-told", "aria-live": "polite" });
    this.summary = h("summary", {}, "More");
    this.similar = new SimilarHeads(host);
    this.sums = new LinkedSums(host);
    this.node = h("details", { class: "hm-more", open: isKept(KEPT), onkeydown: closeOnEscape,
      ontoggle: () => {
        keep(KEPT, this.node.open);
        if (host.map) this.#offerOpen(host.map, host.state);
      } },
      this.summary,
      h("div", { class: "hm-menu-row" }, ...this.choices.map(({ label }) => label), field(this.top),
        h("span", {}, "Tokens ", this.first, " to ", this.last),
        h("span", {}, field(this.find), this.told)),
      this.similar.node, this.sums.node);
  }

  /** Says what the state is. */
  update(/** @type {MapState} */ state) {
    for (const { name, select } of this.choices) setValue(select, state[name]);
    setValue(this.top, String(state.top ?? ""));
    if (this.find.value !== state.find) this.find.value = state.find;
    const used = PARTS_OF_MORE.filter((name) => state[name] !== START[name]).length;
    setText(this.summary, used ? `More (${used} set)` : "More");
  }

  /**
   * Offers what a map has to choose from.
   * @param {AttentionMap} map
   * @param {ShownMap} shown
   * @param {MapState} state
   */
  offer(map, shown, state) {
    const count = map.shape[3];
    for (const [box, value] of /** @type {const} */ ([[this.first, state.first + 1], [this.last, (state.last ?? count - 1) + 1]])) {
      box.max = String(count);
      setValue(box, String(Math.min(value, count)));
    }
    this.#offerOpen(map, state);
    const places = this.#found(shown, state.find);
    const listed = places.slice(0, 8).map((at) => shown.queries[at] + 1).join(", ");
    setText(this.told, state.find.trim() === "" ? "" : places.length === 0 ? "not among the tokens shown"
      : `${places.length} of ${shown.queryTokens.length}, at ${listed}${places.length > 8 ? ", …" : ""}. Enter lets the next ask.`);
  }

  /**
   * Offers what takes long, where somebody looks.
   * @param {AttentionMap} map
   * @param {MapState} state
   */
  #offerOpen(map, state) {
    if (!this.node.open) return;
    this.#offerChoices(map, state);
    this.similar.draw(map, state);
    this.sums.draw(map);
  }

  /**
   * Hides choices that would change nothing, but not under the reader's hand.
   * @param {AttentionMap} map
   * @param {MapState} state
   */
  #offerChoices(map, state) {
    const whole = [map.queryTokens, map.keyTokens].every((tokens) => wordStarts(tokens).length === tokens.length);
    const sinkless = !isOfShares(map) || sinksOf(map.keyTokens, received(map)).length === 0;
    const [layers, heads] = map.shape;
    const useless = { special: false, heads: heads === 1 || (state.layers === "rollout" && layers > 1), layers: layers === 1 || !canRollOut(map),
      pieces: whole, sinks: sinkless && state.pieces === START.pieces, scale: false };
    for (const { name, label } of this.choices)
      label.hidden = useless[name] && (name === "heads" || state[name] === START[name]) && !label.matches(":focus-within");
  }

  #found(/** @type {ShownMap} */ shown, /** @type {string} */ sought) {
    return [...shown.queryTokens.keys()].filter((at) => isFound(shown.queryTokens[at], sought));
  }

  /** The next of the tokens that are found asks. */
  #askNext() {
    const { host } = this;
    if (!host.map) return;
    const { map } = host.shown;
    const places = this.#found(map, host.state.find);
    const next = places.find((at) => at > host.asked) ?? places[0];
    if (next !== undefined) host.set({ query: map.queries[next] });
  }
}

/**
 * A box for a number from 1 on; `chosen(null)` is called where it is empty.
 * @param {string} label
 * @param {(value: number | null) => void} chosen
 */
function numberBox(label, chosen) {
  return h("input", { type: "number", min: 1, "aria-label": label, onchange: (/** @type {Event} */ event) => {
    const value = Math.floor(Number(/** @type {HTMLInputElement} */ (targetOf(event)).value));
    chosen(value >= 1 ? value : null);
  } });
}
