// A button that takes one step after the other, as a film; who asks for less motion gets one step a press.

import { h, setText } from "./dom.ts";

export const [PLAY, PAUSE] = ["▶ Play", "❚❚ Pause"];

const wantsStillness = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Player {
  #timer = 0;
  pause: number;
  step: () => boolean;
  node: HTMLElement;

  /** `step()` takes a step, and returns whether there is another one; the next follows after `pause` milliseconds. */
  constructor(pause: number, step: () => boolean) {
    this.pause = pause;
    this.step = step;
    this.node = h("button", { type: "button", class: "hm-play", onclick: () => this.toggle() }, PLAY);
  }

  toggle() {
    if (this.#timer) this.stop();
    else this.#go();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    setText(this.node, PLAY);
    this.#mark(false);
  }

  #go() {
    const more = this.node.isConnected && this.step();
    if (!more || wantsStillness()) return this.stop();
    setText(this.node, PAUSE);
    this.#mark(true);
    this.#timer = window.setTimeout(() => this.#go(), this.pause);
  }

  /** The figure's style follows. */
  #mark(plays: boolean) {
    this.node.closest(".head-map")?.classList.toggle("hm-playing", plays);
  }
}
