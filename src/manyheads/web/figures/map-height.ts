// When a map keeps its height: while somebody types, so that the page below stays where it is.

import { SteadyHeight } from "../views/steady-height.ts";

const TYPED = ["sentence", "compare"];
const STILL = ["headMask", "query", "find", "head"]; // may change while the height is kept

export class MapHeight extends SteadyHeight {
  /** The reader is about to change parts of the state; `tokens` are on display. */
  beforeChoice(change: Partial<MapState>, before: MapState, tokens: number) {
    const names = Object.keys(change);
    if (names.every(isTyped)) {
      if (!addsSentence(change, before)) this.keep(tokens);
    } else if (names.includes("model")) this.keepAtLeast();
    else if (!names.every(isStill)) this.release();
  }

  /** The reader is about to undo a change of the named parts, or to do it again. */
  beforeUndo(names: string[]) {
    if (!names.every((name) => isTyped(name) || isStill(name))) this.release();
  }

  /** Parts of the state are about to change: a map of two sentences needs another height than a map of one. */
  beforeUpdate(change: Partial<MapState>, before: MapState) {
    if (addsSentence(change, before)) this.release();
  }
}

const isTyped = (name: string) => TYPED.includes(name);
const isStill = (name: string) => STILL.includes(name);

/** Whether a second sentence comes or goes. */
const addsSentence = ({ compare }: Partial<MapState>, before: MapState) =>
  compare !== undefined && (compare === null) !== (before.compare === null);
