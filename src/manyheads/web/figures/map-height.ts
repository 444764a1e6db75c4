// When a map keeps its height: while somebody types, and from one view to the next, so that the page below stays where it is.

import { SteadyHeight } from "../views/steady-height.ts";

const TYPED = ["sentence", "compare"];
const STILL = ["headMask", "query", "find", "head", "view", "model"]; // may change while the height is kept
const ENLARGING = ["matrix", "grid"]; // views in which a chosen head is large

/** Whether one head is large: it takes the room that it needs. */
export const isLarge = ({ head, view }: Pick<MapState, "head" | "view">) => head !== null && ENLARGING.includes(view);

export class MapHeight extends SteadyHeight {
  #room: HTMLElement; // where the view stands

  constructor(root: HTMLElement, room: HTMLElement) {
    super(root);
    this.#room = room;
  }

  /** The reader is about to change parts of the state; `tokens` are on display. */
  beforeChoice(change: Partial<MapState>, before: MapState, tokens: number) {
    const names = Object.keys(change);
    if (names.every(isTyped)) {
      if (!addsSentence(change, before)) this.keep(tokens);
    } else if (!names.every(isStill)) this.release();
  }

  /** The reader is about to undo a change of the named parts, or to do it again. */
  beforeUndo(names: string[]) {
    if (!names.every((name) => isTyped(name) || isStill(name))) this.release();
  }

  /** Parts of the state are about to change: views share the room of the first, models that of the one with most heads. */
  beforeUpdate(change: Partial<MapState>, before: MapState) {
    const after = { ...before, ...change };
    if (addsSentence(change, before) || isLarge(after) !== isLarge(before)) this.release();
    if (addsSentence(change, before)) this.#free();
    else if (after.view !== before.view && !isLarge(before)) this.#give("height");
    else if (after.model !== before.model) this.#give("minHeight");
  }

  override widthChanged() {
    this.release();
    this.#free();
  }

  /** Gives the view the height that it has at present, exactly or at least. */
  #give(bound: "height" | "minHeight") {
    const { clientHeight } = this.#room;
    if (!clientHeight) return;
    this.#free();
    this.#room.style[bound] = `${clientHeight}px`;
    this.#room.classList.toggle("hm-kept", bound === "height");
  }

  #free() {
    this.#room.style.height = this.#room.style.minHeight = "";
    this.#room.classList.remove("hm-kept");
  }
}

const isTyped = (name: string) => TYPED.includes(name);
const isStill = (name: string) => STILL.includes(name);

/** Whether a second sentence comes or goes. */
const addsSentence = ({ compare }: Partial<MapState>, before: MapState) =>
  compare !== undefined && (compare === null) !== (before.compare === null);
