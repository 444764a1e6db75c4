// Which heads of the encoder are off in a <word-sense>: a list to choose from, and the heads that matter most, each with a switch.

import type { AttentionMap } from "../../math/attention-map.ts";
import { colourOf } from "../../math/maps.ts";
import { shareOf } from "../../math/senses.ts";
import { percent } from "../../math/text.ts";
import { chooser, fillOptions } from "../../views/controls.ts";
import { h } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { leaning, looksAt, movedTo, type HeadPlace } from "./text.ts";

/** A head, and how far the score moves where it is off. */
export type RankedHead = HeadPlace & { moved: number };

const LISTED = 12; // heads in the table
const [LAYERS, HEADS] = [6, 12]; // of the encoder
export const COUNTS = [1, 2, 4, 8, 16]; // of the heads that matter most, so many can be turned off

export class SenseHeads {
  off: HeadPlace[] = [];
  #ranking: RankedHead[] = []; // the most important first, once the reader asked for it
  #changed: () => void;
  #list = h("tbody");
  chooser = chooser("Heads off", (choice) => this.#choose(choice));
  table = h("table", { class: "ws-heads", "aria-label": "Heads by what their absence does" },
    h("thead", {}, h("tr", {}, ...["head", "without it", "moved", "looks most at"].map((text) => h("th", { scope: "col" }, text)))), this.#list);

  /** `changed` is called when the reader turned heads off or on. */
  constructor(changed: () => void) {
    this.#changed = changed;
    this.reset();
  }

  /** All heads are on; `ranking` is that of the sentence, where there is one. */
  reset(ranking: RankedHead[] = []) {
    this.off = [];
    this.#ranking = ranking;
    this.table.hidden = ranking.length === 0;
    const layers = Array.from({ length: LAYERS }, (_, layer) => [`layer ${layer}`, `all of layer ${layer + 1}`]);
    const counts = ranking.length ? COUNTS.map((count) => [`top ${count}`, `the ${count} that matter most here`]) : [];
    const choices = [["", "none"], ...layers, ...counts];
    fillOptions(this.chooser, choices.map(([, text]) => text), choices.map(([value]) => value), "");
  }

  #choose(choice: string) {
    const [kind, number] = choice.split(" ");
    if (kind === "top") this.off = this.#ranking.slice(0, Number(number));
    else if (kind === "layer") this.off = Array.from({ length: HEADS }, (_, head) => ({ layer: Number(number), head }));
    else this.off = [];
    this.#changed();
  }

  /** Lists the heads that matter most; `score` is that of the whole `map`, `places` those of the word. */
  list(map: AttentionMap, senses: [string, string], score: number, places: number[]) {
    this.#list.replaceChildren(...this.#ranking.slice(0, LISTED).map((one) => {
      const looks = looksAt(map, one, places);
      return h("tr", {},
        h("th", { scope: "row" }, headSwitch(() => this.#toggle(one))),
        h("td", {}, leaning(senses, shareOf(score + one.moved))),
        h("td", {}, movedTo(senses, one.moved)),
        h("td", {}, looks ? `${looks.word} ${percent(looks.share)}` : "nothing else"));
    }));
    this.mark();
  }

  /** Shows which of the listed heads are off. */
  mark() {
    this.#list.querySelectorAll("button").forEach((button, at) => {
      const one = this.#ranking[at];
      if (one) drawSwitch(button, `layer ${one.layer + 1}, head ${one.head + 1}`, !this.#isOff(one), colourOf());
    });
  }

  #isOff(one: HeadPlace) {
    return this.off.some(({ layer, head }) => layer === one.layer && head === one.head);
  }

  #toggle(one: RankedHead) {
    this.off = this.#isOff(one) ? this.off.filter(({ layer, head }) => layer !== one.layer || head !== one.head) : [...this.off, one];
    this.#changed();
  }
}
