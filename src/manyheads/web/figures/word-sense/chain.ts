// What makes the score of a layer, as arrows tip to tail: first the word itself, then each head by what it writes. An arrow can be
// pressed or pulled out, which turns its head off; keys and fingers do that by the heads' switches.

import { headPushes, type LayerPushes } from "../../math/senses.ts";
import { fill, h, setText } from "../../views/dom.ts";

const NEAR = 6; // pixels that a hand shakes in a press
const FAR = 26; // pixels from its place at which an arrow is out

export interface DrawnChain {
  word: string;
  shown: LayerPushes;
  out: number[]; // heads whose arrows are not in the sum
  lit: number | null; // the head that a reader points at
}

const amountOf = (push: number) =>
  Math.abs(push) < 0.05 ? "0.0" : `${push < 0 ? "\u2212" : "+"}${Math.abs(push).toFixed(1)}`;

export class Chain {
  #names = h("div", { class: "ws-names" });
  #plot = h("div", { class: "ws-plot" });
  #amounts = h("div", { class: "ws-amounts" });
  node = h(
    "tr",
    { class: "ws-chain", "aria-hidden": "true" },
    h("td", {}, this.#names),
    h("td", {}, this.#plot),
    h("td", {}, this.#amounts),
  );
  #pull: { head: number; x: number; y: number; far: boolean; moved: boolean } | null = null;
  #host: { toggle(head: number): void; point(head: number | null): void; redraw(): void };

  constructor(host: { toggle(head: number): void; point(head: number | null): void; redraw(): void }) {
    this.#host = host;
    const headOf = ({ target }: Event) =>
      [...this.#plot.children].indexOf((target as Element).closest(".ws-step") as Element) - 1;
    this.#plot.addEventListener(
      "pointerover",
      (event) => !this.#pull && host.point(headOf(event) < 0 ? null : headOf(event)),
    );
    this.#plot.addEventListener("pointerleave", () => !this.#pull && host.point(null));
    this.#plot.addEventListener("pointerdown", (event) => {
      const head = headOf(event);
      if (head < 0 || event.button !== 0 || event.pointerType === "touch") return; // rows are too low for a finger
      event.preventDefault();
      this.#plot.setPointerCapture(event.pointerId);
      this.#pull = { head, x: event.clientX, y: event.clientY, far: false, moved: false };
    });
    this.#plot.addEventListener("pointermove", (event) => this.#move(event));
    this.#plot.addEventListener("pointerup", () => this.#drop());
    this.#plot.addEventListener("pointercancel", () => this.#drop(true));
  }

  /** The head whose arrow is being held away from its place. */
  get pulled() {
    return this.#pull?.far ? this.#pull.head : null;
  }

  draw({ word, shown, out, lit }: DrawnChain) {
    const pushes = [shown.rest, ...headPushes(shown)];
    const steps = fill(this.#plot, pushes.length, () => h("div", { class: "ws-step" }, h("i")));
    const [names, amounts] = [this.#names, this.#amounts].map((part) => fill(part, pushes.length, () => h("span")));
    let at = 0;
    pushes.forEach((push, place) => {
      const isOut = out.includes(place - 1);
      const step = steps[place] as HTMLElement;
      step.className = [
        "ws-step",
        push < 0 ? "ws-back" : "",
        place ? "" : "ws-own",
        isOut ? "ws-out" : "",
        place && place - 1 === lit ? "ws-lit" : "",
      ]
        .filter(Boolean)
        .join(" ");
      const ends = {
        from: at,
        to: at + push,
        low: Math.min(at, at + push),
        size: Math.abs(push),
        on: isOut ? at : at + push,
      };
      for (const [name, value] of Object.entries(ends)) step.style.setProperty(`--${name}`, value.toFixed(3));
      setText(names[place], place ? `head ${place}` : word);
      setText(amounts[place], amountOf(push));
      if (!isOut) at += push;
    });
  }

  #move({ clientX, clientY }: PointerEvent) {
    if (!this.#pull) return;
    const [x, y] = [clientX - this.#pull.x, clientY - this.#pull.y];
    const far = Math.hypot(x, y) > FAR;
    this.#pull.moved ||= Math.hypot(x, y) > NEAR;
    const arrow = this.#plot.children[this.#pull.head + 1].firstElementChild as HTMLElement;
    if (this.#pull.moved) arrow.style.transform = `translate(${x}px, ${y}px)`;
    if (far === this.#pull.far) return;
    this.#pull.far = far;
    this.#host.redraw();
  }

  #drop(undo = false) {
    if (!this.#pull) return;
    const { head, moved, far } = this.#pull;
    this.#pull = null;
    (this.#plot.children[head + 1].firstElementChild as HTMLElement).style.transform = "";
    if (!undo && (far || !moved)) this.#host.toggle(head);
    else this.#host.redraw();
  }
}
