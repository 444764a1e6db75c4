// A button that takes one step after the other, as a film. Each step is a picture that stands still, so that it plays for readers
// who ask for less motion, too, but slowly.

import { h, setText } from "./dom.ts";
import { inSight } from "./in-sight.ts";
import { wantsStillness } from "./timeline.ts";

const SLOWLY = 1000; // milliseconds for each step, at least, where less motion is asked for

/** What the button says, everywhere: what a press does. */
export const playLabel = (plays: boolean) => (plays ? "❚❚ Pause" : "▶ Play");

export class Player {
  #callOff: (() => void) | null = null; // while it plays: what ends the pause before the next step
  pause: number;
  step: () => boolean;
  node: HTMLElement;

  /** `step()` takes a step, and returns whether there is another one; the next follows after `pause` milliseconds. */
  constructor(pause: number, step: () => boolean) {
    this.pause = pause;
    this.step = step;
    this.node = h("button", { type: "button", class: "hm-play", onclick: () => this.toggle() }, playLabel(false));
  }

  toggle() {
    if (this.#callOff) this.stop();
    else this.#go();
  }

  stop() {
    this.#callOff?.();
    this.#callOff = null;
    setText(this.node, playLabel(false));
    this.#mark(false);
  }

  #go() {
    const more = this.node.isConnected && this.step();
    if (!more) return this.stop();
    setText(this.node, playLabel(true));
    this.#mark(true);
    this.#callOff = inSight(wantsStillness() ? Math.max(this.pause, SLOWLY) : this.pause, () => this.#go());
  }

  /** The figure's style follows. */
  #mark(plays: boolean) {
    this.node.closest(".head-map")?.classList.toggle("hm-playing", plays);
  }
}
