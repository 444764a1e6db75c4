// A button that takes one step after the other, as a film. Each step is a picture that stands still, so that it plays for readers
// who ask for less motion, too, but slowly.

import { h, setText } from "./dom.ts";
import { wantsStillness } from "./timeline.ts";

const SLOWLY = 1000; // milliseconds for each step, at least, where less motion is asked for

export class Player {
  #timer = 0;
  label: string;
  pause: number;
  step: () => boolean;
  node: HTMLElement;

  /** `step()` takes a step, and returns whether there is another one; the next follows after `pause` milliseconds. */
  constructor(label: string, pause: number, step: () => boolean) {
    this.label = label;
    this.pause = pause;
    this.step = step;
    this.node = h("button", { type: "button", class: "hm-play", onclick: () => this.toggle() }, label);
  }

  toggle() {
    if (this.#timer) this.stop();
    else this.#go();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    setText(this.node, this.label);
    this.#mark(false);
  }

  #go() {
    const more = this.node.isConnected && this.step();
    if (!more) return this.stop();
    setText(this.node, "Pause");
    this.#mark(true);
    this.#timer = window.setTimeout(() => this.#go(), wantsStillness() ? Math.max(this.pause, SLOWLY) : this.pause);
  }

  /** The figure's style follows. */
  #mark(plays: boolean) {
    this.node.closest(".head-map")?.classList.toggle("hm-playing", plays);
  }
}
