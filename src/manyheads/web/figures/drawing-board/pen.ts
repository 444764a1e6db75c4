// What draws: a finger, a pen, a mouse, or keys. It makes points of what they do, and tells at most once a frame.

import { SIDE, type Stroke } from "../../math/strokes.ts";
import { arrow } from "../../views/dom.ts";
import { COLUMNS, PATCH } from "./paper.ts";

type Point = Stroke[number];

/** What a board does for a pen. */
export interface PenHost {
  /** Whether a patch is to be picked, and nothing drawn. */
  picks(): boolean;
  pick(patch: number): void;
  /** A patch that may be picked: the pointer or the pen of the keyboard is over it. */
  consider(patch: number): void;
  /** The pen comes down. */
  begin(): void;
  /** The stroke under the pen, at every move. */
  show(points: Stroke): void;
  /** The same, once a frame. */
  draw(points: Stroke): void;
  /** The pen is lifted. */
  end(points: Stroke): void;
  /** What the pen has drawn since it came down is taken back. */
  cancel(): void;
  undo(): void;
  clear(): void;
  /** The pen of the keyboard has moved, or went up or down. */
  moved(at: number[], down: boolean): void;
}

const NEAR = 0.5; // dots; a point that's nearer to the one before says nothing

export class Pen {
  #paper: HTMLElement;
  #host: PenHost;
  #points: Stroke = [];
  #pointer: number | null = null; // that draws
  #byTouch = false; // a finger, or a hand that comes before its pen
  #tip: Point | null = null; // where it is, if that isn't yet a point
  #at = [SIDE / 2, SIDE / 2]; // the pen of the keyboard, in dots
  #byKeys = false; // it's down
  #frame = 0;
  #rests = 0; // until when the page rests

  constructor(paper: HTMLElement, host: PenHost) {
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
    for (const [name, listener] of Object.entries(listeners)) paper.addEventListener(name, listener as EventListener);
  }

  /** Whether it draws. */
  get isDown() {
    return this.#byKeys || this.#pointer !== null;
  }

  /** Ends the stroke. */
  lift() {
    if (!this.isDown) return;
    const points = this.#drawn;
    this.#forget();
    this.#host.end(points);
  }

  /** Takes the stroke back. */
  cancel() {
    if (!this.isDown) return;
    this.#forget();
    this.#host.cancel();
  }

  #forget() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#pointer = this.#tip = null;
    this.#byKeys = this.#byTouch = false;
  }

  /** The stroke, up to where the pen is. */
  get #drawn() {
    return this.#tip ? [...this.#points, this.#tip] : this.#points;
  }

  // --- a finger, a pen, a mouse

  #down(event: PointerEvent) {
    if (event.button !== 0 || event.ctrlKey || !event.isPrimary) return; // another finger draws nothing
    if (this.#byTouch && event.pointerType === "pen") this.cancel();
    if (this.#pointer !== null) return;
    const point = this.#pointOf(event);
    if (this.#host.picks()) return this.#host.pick(patchOf(point));
    this.lift();
    this.#pointer = event.pointerId;
    this.#byTouch = event.pointerType === "touch";
    this.#paper.setPointerCapture(event.pointerId);
    this.#begin(point);
  }

  #move(event: PointerEvent) {
    if (this.#host.picks()) return this.#host.consider(patchOf(this.#pointOf(event)));
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
    if (step) return this.#step(step, shiftKey || this.#host.picks() ? PATCH : 1);
    if (key === " " || key === "Enter") return this.#toggle();
    if (key === "Backspace") return this.#undo();
    if (key === "Delete") return this.#clear();
    if (key !== "Escape" || !this.#byKeys) return false;
    this.lift();
    return this.#report();
  }

  #step([down, across]: number[], dots: number) {
    this.#at = this.#at.map((place, axis) => Math.min(Math.max(place + dots * [across, down][axis], 0), SIDE));
    if (this.#host.picks()) this.#host.consider(patchOf(this.#place));
    if (this.#byKeys) {
      this.#add(this.#place);
      this.#changed();
    }
    return this.#report();
  }

  /** Puts the pen down, or lifts it; or picks the patch below it. */
  #toggle() {
    if (this.#host.picks()) this.#host.pick(patchOf(this.#place));
    else if (this.#byKeys) this.lift();
    else if (!this.isDown) {
      this.#byKeys = true;
      this.#begin(this.#place);
    }
    return this.#report();
  }

  #undo() {
    if (this.isDown) this.cancel();
    else this.#host.undo();
    return true;
  }

  #clear() {
    this.cancel();
    this.#host.clear();
    return true;
  }

  get #place() {
    return rounded(this.#at.map((dots) => dots / SIDE) as Point);
  }

  #report() {
    if (!this.#host.picks()) this.#host.moved(this.#at, this.#byKeys);
    return true;
  }

  // --- the stroke

  #begin(point: Point) {
    this.#points = [point];
    this.#tip = null;
    this.#host.begin();
    this.#changed();
  }

  #add(point: Point) {
    const [[x, y], last] = [point, this.#points.at(-1)!];
    const isNear = SIDE * Math.hypot(x - last[0], y - last[1]) < NEAR;
    this.#tip = isNear && (x !== last[0] || y !== last[1]) ? point : null;
    if (!isNear) this.#points.push(point);
  }

  #changed() {
    this.#host.show(this.#drawn);
    if (!this.#frame) this.#later();
  }

  /** Not before the page has rested as long as the last answer took, so that the pen never waits for the model. */
  #later() {
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const began = performance.now();
      if (began < this.#rests) return this.#later();
      this.#host.draw(this.#drawn);
      this.#rests = 2 * performance.now() - began;
    });
  }
}

/** In tenths of a dot, as a drawing's text has them. */
const rounded = (point: Point) =>
  point.map((share) => Math.round(10 * SIDE * Math.min(Math.max(share, 0), 1)) / 10 / SIDE) as Point;

/** The patch that a point lies in, counted row by row. */
function patchOf(point: Point) {
  const [column, row] = point.map((share) => Math.min(Math.floor(share * COLUMNS), COLUMNS - 1));
  return row * COLUMNS + column;
}
