// A page in Node, by happy-dom, which lays nothing out: every element is as high as `page.height` says.
import { Window } from "../../src/manyheads/web/node_modules/happy-dom/lib/index.js";

const window = new Window({ url: "http://localhost/" });
export const page = { height: 300 };

/** Tells at once, and whenever `resized()` is called. */
class ResizeObserver {
  static #all = new Set();
  constructor(call) {
    this.call = call;
  }
  observe() {
    ResizeObserver.#all.add(this);
    this.call();
  }
  disconnect() {
    ResizeObserver.#all.delete(this);
  }
  static resized() {
    for (const { call } of ResizeObserver.#all) call();
  }
}

window.HTMLElement.prototype.getBoundingClientRect = () => ({ left: 0, right: 800, top: 0, bottom: page.height, width: 800, height: page.height });
const { document, localStorage, Node, Text, HTMLElement, Event, KeyboardEvent, CustomEvent } = window;
Object.assign(globalThis, { window, document, localStorage, Node, Text, HTMLElement, Event, KeyboardEvent, CustomEvent, ResizeObserver,
  CSS: { supports: () => true }, matchMedia: () => ({ matches: true }), innerHeight: 800, devicePixelRatio: 1 });

/** Lets figures know that they are so high now. */
export function resizeTo(height) {
  page.height = height;
  ResizeObserver.resized();
}
