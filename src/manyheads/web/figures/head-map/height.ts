// When a map keeps its height: while somebody types, and from one view to the next, so that the page below stays where it is.

import type { MapState } from "../../math/map-state.ts";

const LINE = 24; // pixels that it may grow by while somebody types
const TYPED = ["sentence", "compare"];
const STILL = ["headMask", "query", "find", "head", "view", "model"]; // may change while the height is kept
const ENLARGING = ["matrix", "grid", "picture"]; // views in which a chosen head is large

/** Whether one head is large: it takes the room that it needs. */
export const isLarge = ({ head, view }: Pick<MapState, "head" | "view">) => head !== null && ENLARGING.includes(view);

export class MapHeight {
  #root: HTMLElement;
  #room: HTMLElement; // where the view stands
  #tokens = 0; // that it had room for when it began to keep its height
  #high = 0; // pixels of the figure, when it was last laid out
  #width = 0;
  #toggled = () => this.#release();
  #resized = new ResizeObserver(() => this.#measure());

  constructor(root: HTMLElement, room: HTMLElement) {
    this.#root = root;
    this.#room = room;
    root.addEventListener("toggle", this.#toggled, true);
    this.#resized.observe(root);
  }

  /** Another figure takes its place in the same root. */
  leave() {
    this.#root.removeEventListener("toggle", this.#toggled, true);
    this.#resized.disconnect();
    this.#release();
  }

  /** The reader is about to change parts of the state; `tokens` are on display. */
  beforeChoice(change: Partial<MapState>, before: MapState, tokens: number) {
    const names = Object.keys(change);
    if (names.every(isTyped)) {
      if (!addsSentence(change, before)) this.#keep(tokens);
    } else if (!names.every(isStill)) this.#release();
  }

  /** The reader is about to undo a change of the named parts, or to do it again. */
  beforeUndo(names: string[]) {
    if (!names.every((name) => isTyped(name) || isStill(name))) this.#release();
  }

  /** Parts of the state are about to change: views share the room of the first, models that of the one with most heads. */
  beforeUpdate(change: Partial<MapState>, before: MapState) {
    const after = { ...before, ...change };
    const adds = addsSentence(change, before);
    if (adds || isLarge(after) !== isLarge(before)) this.#release();
    if (adds) this.#freeRoom();
    else if (after.view !== before.view && !isLarge(before)) this.#keepRoom("height");
    else if (after.model !== before.model) this.#keepRoom("minHeight");
  }

  /** Sets more tokens closer while the height is kept. */
  fit(tokens: number) {
    this.#root.classList.toggle("hm-tight", this.#isHeld && tokens > this.#tokens);
  }

  #measure() {
    const { clientWidth } = this.#root;
    if (clientWidth !== this.#width) {
      this.#width = clientWidth;
      this.#release();
      this.#freeRoom();
    }
    if (!this.#isHeld) this.#high = this.#root.getBoundingClientRect().height;
  }

  get #isHeld() {
    return this.#root.classList.contains("hm-held");
  }

  /** The figure keeps the height that there was, or a line more; `tokens` are those on display. */
  #keep(tokens: number) {
    if (this.#isHeld || this.#high === 0) return;
    this.#root.style.minHeight = `${this.#high}px`;
    this.#root.style.maxHeight = `${this.#high + LINE}px`;
    this.#tokens = tokens;
    this.#root.classList.add("hm-held");
  }

  #release() {
    this.#root.style.minHeight = this.#root.style.maxHeight = "";
    this.#root.classList.remove("hm-held", "hm-tight");
  }

  /** The view keeps the height that there is at present, exactly or at least. */
  #keepRoom(bound: "height" | "minHeight") {
    const { clientHeight } = this.#room;
    if (!clientHeight) return;
    this.#freeRoom();
    this.#room.style[bound] = `${clientHeight}px`;
    this.#room.classList.toggle("hm-kept", bound === "height");
  }

  #freeRoom() {
    this.#room.style.height = this.#room.style.minHeight = "";
    this.#room.classList.remove("hm-kept");
  }
}

const isTyped = (name: string) => TYPED.includes(name);
const isStill = (name: string) => STILL.includes(name);

/** Whether a second sentence comes or goes. */
const addsSentence = ({ compare }: Partial<MapState>, before: MapState) =>
  compare !== undefined && (compare === null) !== (before.compare === null);
