// A list of groups of heads that are turned off together. It says which of them is off, or that others are.

import { areSame } from "../../math/heads-off.ts";
import { chooser, fillOptions } from "../../views/controls.ts";

const OTHERS = "those switched off";

export class HeadGroups {
  #groups: Record<string, number[][]> = {};
  node: HTMLSelectElement;

  /** `turnOff(heads)` is called with the group that the reader chose, which takes the place of what was off. */
  constructor(turnOff: (off: number[][]) => void) {
    this.node = chooser("Heads off", (name) => this.#groups[name] && turnOff(this.#groups[name]));
  }

  /** Lists groups of heads, as [layer, head] by name, and says which of them is off. */
  draw(groups: Record<string, number[][]>, off: number[][]) {
    this.#groups = { none: [], ...groups };
    const names = Object.keys(this.#groups);
    const chosen = names.find((name) => areSame(this.#groups[name], off)) ?? OTHERS;
    const listed = chosen === OTHERS ? [...names, OTHERS] : names;
    fillOptions(this.node, listed, listed, chosen);
  }
}
