// Controls that few readers need at first: attention or what is written, special tokens, heads and layers, words instead of pieces, sinks, the scale, the strongest
// weights, some of the tokens, a search. They stand behind "More", which counts how many of them are in use.

import { isKept, keep } from "../../doors/kept.ts";
import { START } from "../../doors/state.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { received, sinksOf } from "../../math/choosing.ts";
import type { MapState, ShownMap } from "../../math/map-state.ts";
import { isOfShares } from "../../math/maps.ts";
import { CHOICES } from "../../math/names.ts";
import { canRollOut, isWeighed } from "../../math/shown.ts";
import { readable, wordStarts } from "../../math/text.ts";
import { canWeigh } from "../../math/value-norms.ts";
import { chooser, closeOnEscape, field, fillOptions, lineBox } from "../../views/controls.ts";
import { h, setText, setValue } from "../../views/dom.ts";
import { LinkedSums, SimilarHeads } from "./heads.ts";
import type { HeadMapView } from "./view.ts";

type Choice = "weigh" | "special" | "heads" | "layers" | "pieces" | "sinks" | "scale";
const CHOICE_LABELS: [Choice, string][] = [["special", "Special tokens"], ["weigh", "Show"], ["heads", "Heads"], ["layers", "Layers"],
  ["pieces", "Word pieces"], ["sinks", "Sinks"], ["scale", "Scale"]];
const OPTION_LABELS: Partial<Record<Choice, string[]>> = { weigh: ["attention", "amount written"] };
const PARTS_OF_MORE: (keyof MapState)[] = [...CHOICE_LABELS.map(([name]) => name), "top", "first", "last", "find"];
const KEPT = "manyheads.more"; // in the browser: whether the reader had it open
const MOST_LISTED = 8; // positions of tokens that are found

/** Whether a token has in it what the reader searches. */
export const isFound = (token: string, sought: string) =>
  sought.trim() !== "" && readable(token).toLowerCase().includes(sought.trim().toLowerCase());

export class MoreControls {
  readonly node: HTMLDetailsElement;
  #host: HeadMapView;
  #choices: { name: Choice, select: HTMLSelectElement, label: HTMLElement }[];
  #top: HTMLInputElement;
  #first: HTMLInputElement;
  #last: HTMLInputElement;
  #find: HTMLInputElement;
  #findStatus = h("span", { "aria-live": "polite" });
  #summary = h("summary", {}, "More");
  #similar: SimilarHeads;
  #sums: LinkedSums;

  constructor(host: HeadMapView) {
    this.#host = host;
    this.#choices = CHOICE_LABELS.map(([name, text]) => {
      const select = chooser(text, (value) => host.set({ [name]: value }));
      fillOptions(select, OPTION_LABELS[name] ?? CHOICES[name], CHOICES[name], host.state[name]);
      const label = field(select);
      label.hidden = name === "weigh"; // until a map has norms: an unfolded menu is filled a moment later, and a fast Tab is there before
      return { name, select, label };
    });
    this.#top = numberBox("Strongest per row", (value) => host.set({ top: value }));
    this.#top.placeholder = "all";
    this.#first = numberBox("First token", (value) => host.set({ first: (value ?? 1) - 1 }));
    this.#last = numberBox("Last token", (value) =>
      host.set({ last: value === null || value >= Number(this.#last.max) ? null : value - 1 }));
    this.#find = h("input", { type: "search", "aria-label": "Find a word", autocomplete: "off", spellcheck: "false",
      oninput: () => host.set({ find: this.#find.value }),
      onkeydown: (event: KeyboardEvent) => event.key === "Enter" && this.#askNext() });
    this.#similar = new SimilarHeads(host);
    this.#sums = new LinkedSums(host);
    this.node = h("details", { class: "hm-more", open: isKept(KEPT), onkeydown: closeOnEscape, ontoggle: () => this.#toggled() },
      this.#summary,
      h("div", { class: "hm-menu-row" }, ...this.#choices.map(({ label }) => label), field(this.#top),
        h("span", {}, "Tokens ", this.#first, " to ", this.#last),
        h("span", {}, field(this.#find), this.#findStatus)),
      this.#similar.node, this.#sums.node);
  }

  #toggled() {
    keep(KEPT, this.node.open);
    const { map, state } = this.#host;
    if (map) this.#offerOpen(map, state);
  }

  /** Follows the state. */
  update(state: MapState) {
    for (const { name, select } of this.#choices) setValue(select, state[name]);
    setValue(this.#top, String(state.top ?? ""));
    setValue(this.#find, state.find);
    const used = PARTS_OF_MORE.filter((name) => state[name] !== START[name]).length;
    setText(this.#summary, used ? `More (${used} set)` : "More");
  }

  /** Offers what a map has to choose from. */
  offer(map: AttentionMap, shown: ShownMap, state: MapState) {
    const count = map.shape[3];
    for (const [box, value] of [[this.#first, state.first + 1], [this.#last, (state.last ?? count - 1) + 1]] as const) {
      box.max = String(count);
      setValue(box, String(Math.min(value, count)));
    }
    this.#offerOpen(map, state);
    setText(this.#findStatus, state.find.trim() === "" ? "" : foundText(shown, state.find));
  }

  /** Offers what takes long, if the reader has it open. */
  #offerOpen(map: AttentionMap, state: MapState) {
    if (!this.node.open) return;
    this.#offerChoices(map, state);
    this.#similar.draw(map, state);
    this.#sums.draw(map);
  }

  /** Hides choices that would change nothing, but not under the reader's hand. */
  #offerChoices(map: AttentionMap, state: MapState) {
    const [layers, heads] = map.shape;
    const whole = [map.queryTokens, map.keyTokens].every((tokens) => wordStarts(tokens).length === tokens.length);
    const rolled = state.layers === "rollout" && canRollOut(map);
    const sinkless = !isOfShares(map) || isWeighed(map, state) || sinksOf(map.keyTokens, received(map)).length === 0;
    const useless: Record<Choice, boolean> = {
      weigh: !canWeigh(map) || rolled,
      special: false,
      heads: heads === 1 || (state.layers === "rollout" && layers > 1),
      layers: layers === 1 || !canRollOut(map),
      pieces: whole,
      sinks: sinkless && state.pieces === START.pieces,
      scale: false,
    };
    for (const { name, label } of this.#choices)
      label.hidden = useless[name] && (name === "heads" || state[name] === START[name]) && !label.matches(":focus-within");
  }

  /** The next of the tokens that are found asks. */
  #askNext() {
    const host = this.#host;
    if (!host.map) return;
    const { map } = host.shown;
    const found = foundIn(map, host.state.find);
    const next = found.find((at) => at > host.query) ?? found[0];
    if (next !== undefined) host.set({ query: map.queries[next] });
  }
}

const foundIn = ({ queryTokens }: ShownMap, sought: string) =>
  [...queryTokens.keys()].filter((at) => isFound(queryTokens[at], sought));

/** How many of the tokens shown are found, and where. */
function foundText(shown: ShownMap, sought: string) {
  const found = foundIn(shown, sought);
  if (found.length === 0) return "not among the tokens shown";
  const listed = found.slice(0, MOST_LISTED).map((at) => shown.queries[at] + 1).join(", ");
  return `${found.length} of ${shown.queryTokens.length}, at ${listed}${found.length > MOST_LISTED ? ", …" : ""}. Enter lets the next ask.`;
}

/** A box for a number from 1 on; `chosen(null)` is called when it is emptied. */
function numberBox(label: string, chosen: (value: number | null) => void) {
  return lineBox(label, { type: "number", min: 1 }, (text) => {
    const value = Math.floor(Number(text));
    chosen(value >= 1 ? value : null);
  });
}
