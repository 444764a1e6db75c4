// What draws: a finger, a pen, a mouse, or keys. It makes points of what they do, and tells at most once a frame.

import { SIDE, type Stroke } from "../../math/strokes.ts";
import { arrow } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { COLUMNS, PATCH } from "./paper.ts";
import { isPicking, withStroke, type Action, type State } from "./state.ts";

type Point = Stroke[number];

const NEAR = 0.5; // dots; a point that's nearer to the one before says nothing

export class Pen {
  #paper: HTMLElement;
  #host: Host<State, Action>;
  #points: Stroke = [];
  #pointer: number | null = null; // that draws
  #byTouch = false; // a finger, or a hand that comes before its pen
  #tip: Point | null = null; // where it is, if that isn't yet a point
  #byKeys = false; // the pen of the keyboard is down
  #frame = 0;
  #rests = 0; // until when the page rests

  /** As long as its figure is in the page. */
  constructor(paper: HTMLElement, host: Host<State, Action>, leaves: AbortSignal) {
    this.#paper = paper;
    this.#host = host;
    const listeners = {
      pointerdown: (event: PointerEvent) => this.#down(event),
      pointermove: (event: PointerEvent) => this.#move(event),
      pointerup: (event: PointerEvent) => event.pointerId === this.#pointer && this.lift(),
      pointercancel: (event: PointerEvent) => event.pointerId === this.#pointer && this.cancel(),
      contextmenu: (event: Event) => event.preventDefault(), // a finger that rests before it draws
      keydown: (event: KeyboardEvent) => this.#press(event) && event.preventDefault(),
      blur: () => this.#byKeys && this.lift(),
    };
    for (const [name, listener] of Object.entries(listeners))
      paper.addEventListener(name, listener as EventListener, { signal: leaves });
    leaves.addEventListener("abort", () => this.lift());
  }

  /** Whether a patch is to be picked, and nothing drawn. */
  get #picks() {
    return isPicking(this.#host.state);
  }

  /** Whether it draws. */
  get #isDown() {
    return this.#byKeys || this.#pointer !== null;
  }

  /** Ends the stroke. */
  lift() {
    if (!this.#isDown) return;
    const text = withStroke(this.#host.state, this.#drawn);
    this.#forget();
    this.#end(text);
  }

  /** Takes the stroke back. */
  cancel() {
    if (!this.#isDown) return;
    this.#forget();
    const { before, text } = this.#host.state;
    this.#end(before ?? text);
  }

  #end(text: string) {
    this.#host.act({ type: "change", text, when: performance.now() });
  }

  #forget() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#pointer = this.#tip = null;
    this.#byKeys = this.#byTouch = false;
  }

  /** The stroke, up to where the pen is. */
  get #drawn() {
    return [...this.#points, ...(this.#tip ? [this.#tip] : [])];
  }

  // --- a finger, a pen, a mouse

  #down(event: PointerEvent) {
    if (event.button !== 0 || event.ctrlKey || !event.isPrimary) return; // another finger draws nothing
    if (this.#byTouch && event.pointerType === "pen") this.cancel();
    if (this.#pointer !== null) return;
    const point = this.#pointOf(event);
    if (this.#picks) return this.#pick(point);
    this.lift();
    this.#pointer = event.pointerId;
    this.#byTouch = event.pointerType === "touch";
    this.#paper.setPointerCapture(event.pointerId);
    this.#begin(point);
  }

  #move(event: PointerEvent) {
    if (this.#picks) return this.#consider(this.#pointOf(event));
    if (event.pointerId !== this.#pointer) return;
    const events = event.getCoalescedEvents?.() ?? [];
    for (const each of events.length ? events : [event]) this.#add(this.#pointOf(each));
    this.#changed();
  }

  /** Where on the paper, in shares of it; beyond its edge, on the edge. */
  #pointOf({ clientX, clientY }: PointerEvent): Point {
    const { left, top, width, height } = this.#paper.getBoundingClientRect();
    return rounded([(clientX - left) / width, (clientY - top) / height]);
  }

  // --- keys

  /** Whether a key does something here. */
  #press({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent) {
    if (altKey) return false;
    if (ctrlKey || metaKey) return key.toLowerCase() === "z" && !shiftKey && this.#undo();
    const step = arrow(key);
    if (step) return this.#step(step, shiftKey || this.#picks ? PATCH : 1);
    if (key === " " || key === "Enter") return this.#toggle();
    if (key === "Backspace") return this.#undo();
    if (key === "Delete") return this.#clear();
    if (key !== "Escape" || !this.#byKeys) return false;
    this.lift();
    return this.#show();
  }

  #step([down, across]: number[], dots: number) {
    const { at } = this.#host.state.pen;
    this.#show({ at: at.map((place, axis) => Math.min(Math.max(place + dots * [across, down][axis], 0), SIDE)) });
    if (this.#picks) this.#consider(this.#place);
    if (this.#byKeys) {
      this.#add(this.#place);
      this.#changed();
    }
    return true;
  }

  /** Puts the pen down, or lifts it; or picks the patch below it. */
  #toggle() {
    if (this.#picks) this.#pick(this.#place);
    else if (this.#byKeys) this.lift();
    else if (!this.#isDown) {
      this.#byKeys = true;
      this.#begin(this.#place);
    }
    return this.#show();
  }

  #undo() {
    if (this.#isDown) this.cancel();
    else this.#host.act({ type: "undo" });
    return true;
  }

  #clear() {
    this.cancel();
    clear(this.#host);
    return true;
  }

  get #place() {
    return rounded(this.#host.state.pen.at.map((dots) => dots / SIDE) as Point);
  }

  #show({ at }: { at: number[] } = this.#host.state.pen) {
    this.#host.act({ type: "step", pen: { at, down: this.#byKeys } });
    return true;
  }

  #pick(point: Point) {
    this.#host.act({ type: "pick", patch: patchOf(point) });
  }

  #consider(point: Point) {
    this.#host.act({ type: "consider", patch: patchOf(point) });
  }

  // --- the stroke

  #begin(point: Point) {
    this.#points = [point];
    this.#tip = null;
    this.#host.act({ type: "begin" });
    this.#changed();
  }

  #add(point: Point) {
    const [[x, y], last] = [point, this.#points.at(-1)!];
    const isNear = SIDE * Math.hypot(x - last[0], y - last[1]) < NEAR;
    this.#tip = isNear && (x !== last[0] || y !== last[1]) ? point : null;
    if (!isNear) this.#points.push(point);
  }

  #changed() {
    this.#host.act({ type: "move", points: this.#drawn });
    if (!this.#frame) this.#later();
  }

  /** Not before the page has rested as long as the last answer took, so that the pen never waits for the model. */
  #later() {
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const began = performance.now();
      if (began < this.#rests) return this.#later();
      this.#host.act({ type: "draw", text: withStroke(this.#host.state, this.#drawn) });
      this.#rests = 2 * performance.now() - began;
    });
  }
}

/** Clears the paper. */
export const clear = ({ act, state }: Host<State, Action>) =>
  state.text && act({ type: "change", text: "", when: performance.now() });

/** In tenths of a dot, as a drawing's text has them. */
const rounded = (point: Point) =>
  point.map((share) => Math.round(10 * SIDE * Math.min(Math.max(share, 0), 1)) / 10 / SIDE) as Point;

/** The patch that a point lies in, counted row by row. */
function patchOf(point: Point) {
  const [column, row] = point.map((share) => Math.min(Math.floor(share * COLUMNS), COLUMNS - 1));
  return row * COLUMNS + column;
}
