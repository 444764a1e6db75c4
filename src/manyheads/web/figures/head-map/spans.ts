// Several words ask as one: dragged over, or up to a word that is pressed with the shift key, or for long with a finger; the arrow
// keys with shift take one more, or one less.

import { arrow } from "../../views/dom.ts";
import type { MapHost } from "./map-part.ts";

const HOLD = 500; // milliseconds that a finger rests on a word
const SLIP = 10; // pixels that it may move meanwhile; more, and it scrolls

/** Listens to a stage; `askerAt` gives the place among those that ask of what a node there stands for, null for none. */
export function listenForSpans(stage: HTMLElement, host: MapHost, askerAt: (node: Element) => number | null) {
  let dragged = false; // over other words than the first
  let held = false; // by a finger, for long: what follows is no tap
  let press: {
    from: number;
    x: number;
    y: number;
    timer?: ReturnType<typeof setTimeout>;
    ends: AbortController;
  } | null = null;
  const at = ({ target }: Event) => (target instanceof Element ? askerAt(target) : null);

  function begin(event: PointerEvent) {
    const from = at(event);
    end();
    dragged = held = false;
    if (from === null || event.button !== 0) return;
    const ends = new AbortController();
    press = { from, x: event.clientX, y: event.clientY, ends };
    if (event.pointerType === "touch") press.timer = setTimeout(hold, HOLD);
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, drop, { signal: ends.signal });
  }

  function hold() {
    held = true;
    host.act({ type: "widen", to: press!.from });
    end();
  }

  function move(event: PointerEvent) {
    if (!press) return;
    if (event.pointerType === "touch") {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLIP) end();
      return;
    }
    const to = at(event);
    dragged ||= to !== null && to !== press.from;
    if (!dragged) return;
    event.stopPropagation(); // no single word asks meanwhile
    if (to === null) return;
    host.dispatch({ type: "point", query: [Math.min(press.from, to), Math.max(press.from, to)] });
  }

  function drop({ type }: Event) {
    const { pointed } = host.state;
    end();
    if (typeof pointed !== "object" || !pointed) return;
    host.dispatch({ type: "point", query: null });
    const [first, last] = pointed;
    if (type === "pointerup" && first < last) host.act({ type: "pin", query: pointed }); // back on the first word, it's a click
  }

  function end() {
    clearTimeout(press?.timer);
    press?.ends.abort();
    press = null;
  }

  function click(event: MouseEvent) {
    const to = at(event);
    if (to === null || !(event.shiftKey || held)) return;
    event.stopPropagation();
    if (!held) host.act({ type: "widen", to });
    held = false;
  }

  /** The focus has moved by then. */
  function step(event: KeyboardEvent) {
    const [from, to] = [at(event), document.activeElement && askerAt(document.activeElement)];
    if (event.shiftKey && arrow(event.key) && from !== null && to !== null && from !== to)
      host.act({ type: "widen", to, from });
  }

  const within = (event: Event) => press && dragged && event.stopPropagation();
  const listeners = {
    pointerdown: begin,
    pointermove: move,
    pointerover: within,
    pointerleave: within,
    click,
    contextmenu: (event: Event) => held && event.preventDefault(),
  };
  for (const [name, listener] of Object.entries(listeners))
    stage.addEventListener(name, listener as EventListener, { capture: true });
  stage.addEventListener("keydown", step);
}
