// A list of groups of heads that are turned off together. It says which of them is off, or that others are.

import { areSame } from "../../math/heads-off.ts";
import { chooser, fillOptions } from "../../views/controls.ts";

const OTHERS = "those switched off";

/** `groups()` are the heads as [layer, head] by name; `turnOff(heads)` is called with the group that the reader chose, which takes the place of what was off. */
export function headGroups(groups: () => Record<string, number[][]>, turnOff: (off: number[][]) => void) {
  const node = chooser("Heads off", (name) => groups()[name] && turnOff(groups()[name]));

  /** Lists the groups, and says which of them is off. */
  function draw(off: number[][]) {
    const all = groups();
    const names = Object.keys(all);
    const chosen = names.find((name) => areSame(all[name], off)) ?? OTHERS;
    const listed = chosen === OTHERS ? [...names, OTHERS] : names;
    fillOptions(node, listed, listed, chosen);
  }

  return { node, draw };
}
