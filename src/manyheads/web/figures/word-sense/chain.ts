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

/** `pull(head)` is called with the head whose arrow is held away from its place, or null; `point(head)` with the one that a reader points at. */
export function makeChain(acts: {
  toggle(head: number): void;
  point(head: number | null): void;
  pull(head: number | null): void;
}) {
  const [names, plot, amounts] = ["ws-names", "ws-plot", "ws-amounts"].map((name) => h("div", { class: name }));
  const cells = [names, plot, amounts].map((part) => h("td", {}, part));
  const node = h("tr", { class: "ws-chain", "aria-hidden": "true" }, ...cells);
  let hand: { head: number; x: number; y: number; far: boolean; moved: boolean } | null = null; // that holds an arrow
  const headOf = ({ target }: Event) =>
    [...plot.children].indexOf((target as Element).closest(".ws-step") as Element) - 1;
  const arrowOf = (head: number) => plot.children[head + 1].firstElementChild as HTMLElement;
  plot.addEventListener("pointerleave", () => hand || acts.point(null));
  plot.addEventListener("pointerdown", (event) => {
    const head = headOf(event);
    if (head < 0 || event.button !== 0 || event.pointerType === "touch") return; // rows are too low for a finger
    event.preventDefault();
    plot.setPointerCapture(event.pointerId);
    hand = { head, x: event.clientX, y: event.clientY, far: false, moved: false };
  });
  plot.addEventListener("pointermove", (event) => {
    if (!hand) return acts.point(headOf(event) < 0 ? null : headOf(event)); // not where arrows open below a pointer at rest
    const { clientX, clientY } = event;
    const { head, far } = hand;
    const [x, y] = [clientX - hand.x, clientY - hand.y];
    const distance = Math.hypot(x, y);
    hand = { ...hand, far: distance > FAR, moved: hand.moved || distance > NEAR };
    if (hand.moved) arrowOf(head).style.transform = `translate(${x}px, ${y}px)`;
    if (hand.far !== far) acts.pull(hand.far ? head : null);
  });
  plot.addEventListener("pointerup", () => drop());
  plot.addEventListener("pointercancel", () => drop(true));

  function drop(undo = false) {
    if (!hand) return;
    const { head, moved, far } = hand;
    hand = null;
    arrowOf(head).style.transform = "";
    if (!undo && (far || !moved)) acts.toggle(head);
    else acts.pull(null);
  }

  function draw({ word, shown, out, lit }: DrawnChain) {
    const pushes = [shown.rest, ...headPushes(shown)];
    const steps = fill(plot, pushes.length, () => h("div", { class: "ws-step" }, h("i")));
    for (const part of [names, amounts]) fill(part, pushes.length, () => h("span"));
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
      setText(names.children[place], place ? `head ${place}` : word);
      setText(amounts.children[place], amountOf(push));
      if (!isOut) at += push;
    });
  }

  return { node, draw };
}
