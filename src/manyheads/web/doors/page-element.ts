// What the custom elements of pages share: how they are defined and dressed, what is baked into them, when they wake.

import type { AttentionMap, HeadMask } from "../math/attention-map.ts";
import { hostHere } from "../math/host.ts";
import type { HeadModel } from "../models/head-model.ts";
import { h } from "../views/dom.ts";
import { ARRIVED, elementNamed } from "./named.ts";
import { answerPhrases } from "./phrases.ts";
import type { Task } from "./task.ts";
import { ABOUT_TO_COME } from "./turns.ts";

/** HTMLElement, where there is a DOM: in Node the pure parts of a figure's module load without one. */
const PageElement: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** Makes a figure an element of this page: not in a notebook, where anywidget loads it and Python computes. */
export function define(name: string, element: CustomElementConstructor) {
  if (globalThis.customElements && !customElements.get(name) && !/^(blob|data):/.test(import.meta.url))
    customElements.define(name, element);
}

/** Adds stylesheets that lie beside this module on the site to a page that does not have them, in files or in itself. */
export function dressPage(...names: string[]) {
  if (hostHere() || document.querySelector("style.manyheads")) return;
  for (const name of names) {
    const href = new URL(`./${name}`, import.meta.url).href;
    if (![...document.styleSheets].some((sheet) => sheet.href?.split("?")[0] === href))
      document.head.append(h("link", { rel: "stylesheet", href }));
  }
}

/**
 * A figure of a page. It draws itself once, from the JSON that it holds alone, so that it can also be drawn where nobody
 * sees it; the JSON stays in it. What it listens to outside of itself, it listens to while it is in the page.
 */
export abstract class Figure<View = unknown> extends PageElement {
  #drawn = false;
  #leaves = new AbortController();
  #view: View | null = null;
  #waits: AbortController | null = null; // while it stands as the build drew it
  /** Whether it may stand as the build drew it until it's about to come into view, or somebody asks for its view. */
  protected drawsLate = false;
  /** What it computes, if it does. */
  protected task: Task<any> | null = null;

  /** Draws the figure from what is baked into it; null where nothing is. */
  protected abstract draw(baked: any): void;

  /** Listens to what is outside of the figure, once it's drawn, until it leaves the page. */
  protected listen(_leaves: AbortSignal) {}

  /** Lends it values of its attributes, until its reader begins something new. Where nothing new can begin, they stay. */
  lend(settings: Record<string, string>) {
    for (const [name, value] of Object.entries(settings)) this.setAttribute(name, value);
  }

  /** What draws it; null before it's in a page. */
  protected get view(): View | null {
    this.drawNow();
    return this.#view;
  }

  protected set view(view: View | null) {
    this.#view = view;
  }

  connectedCallback() {
    this.#leaves = new AbortController();
    const { signal } = this.#leaves;
    if (this.#drawn) this.listen(signal);
    else if (this.drawsLate && this.#isDrawnByBuild && !location.hash) this.#drawLate(signal);
    else this.#draw();
    answerPhrases(this, signal);
    if (this.hasAttribute("for")) document.addEventListener(ARRIVED, () => this.#lookAgain(), { signal });
    this.task?.enter();
  }

  /** In a notebook, the figure that this one speaks of may come later, or anew. */
  #lookAgain() {
    this.#leaves.abort();
    this.connectedCallback();
  }

  disconnectedCallback() {
    this.#leaves.abort();
    this.task?.leave();
  }

  /** Whether it stands as the build drew it. */
  protected get isAsBuilt() {
    return this.#waits !== null && !this.#waits.signal.aborted;
  }

  /** Draws it, where that waits. */
  protected drawNow() {
    if (this.isAsBuilt) this.#draw();
  }

  #drawLate(leaves: AbortSignal) {
    this.#waits = new AbortController();
    const { signal } = this.#waits;
    leaves.addEventListener("abort", () => this.#waits?.abort(), { signal });
    whenSeen(this, signal, () => this.drawNow(), ABOUT_TO_COME);
    addEventListener("hashchange", () => this.drawNow(), { signal }); // a link may name it
    matchMedia("print").addEventListener("change", () => this.drawNow(), { signal }); // paper is narrower than the build's drawing
    this.addEventListener(
      "focusin",
      ({ target }) => {
        const { localName } = target as Element;
        const name = nameOf(target as Element);
        this.drawNow();
        if (name)
          [...this.querySelectorAll<HTMLElement>(localName)]
            .find((each) => nameOf(each) === name)
            ?.focus({ preventScroll: true });
      },
      { signal },
    );
  }

  #draw() {
    this.#drawn = true;
    this.#waits?.abort();
    this.classList.add("head-map", this.localName); // the styles of all figures, and its own
    const data = this.#data;
    this.draw(data ? JSON.parse(data.textContent ?? "") : null);
    if (data && data.parentNode !== this) this.append(data);
    this.listen(this.#leaves.signal);
  }

  /** Whether the build has drawn it, with the very view that draws it live. */
  get #isDrawnByBuild() {
    return this.classList.contains("head-map") && this.#data !== undefined && this.childElementCount > 1;
  }

  get #data() {
    return [...this.children].find((child) => child.matches('script[type="application/json"]'));
  }
}

/** What a control is called by who hears it. */
const nameOf = (control: Element) => control.getAttribute("aria-label") ?? control.textContent;

/** A <head-map>, as other figures of a page see it. */
export interface LiveMap extends HTMLElement {
  readonly ready: Promise<void>;
  readonly settled: Promise<void>; // once its last answer is here
  readonly attention: AttentionMap | null;
  readonly computedBy: string; // a model's name
  readonly models: string[]; // their names
  model: string; // the name of the chosen one
  sentence: string;
  query: number;
  headMask: HeadMask;
  readonly enlarged: { layer: number; head: number } | null;
  off: string; // the heads that are off: "0.3 5.11", layer.head
  type(sentence: string): void; // as its reader does
  begin(sentence: string): void; // an example, with all heads on
  lend(settings: Record<string, string>): void; // values of attributes, until its reader begins something new
}

/** The <head-map> with an id in the same book. */
export const mapById = (id: string | null, from: Element) => (id ? (elementNamed(id, from) as LiveMap | null) : null);

/** Sets properties anew that somebody set before the element's script came: they hide the element's own. */
export function takeEarly<Element extends HTMLElement>(element: Element, ...names: (keyof Element)[]) {
  for (const name of names) {
    if (!Object.hasOwn(element, name)) continue;
    const value = element[name];
    delete element[name];
    element[name] = value;
  }
}

/** Fulfilled once a map computes, for figures that lean on one. */
export async function mapReady(map: LiveMap | null) {
  await customElements.whenDefined("head-map");
  await map?.ready;
}

/** The heads that are off in a map, for a model that has as many; null for all on. */
export function headsOff(map: LiveMap | null, { numHeads }: HeadModel) {
  const mask = map?.headMask;
  return mask?.[0].length === numHeads ? mask : null;
}

/** Calls `start` when the reader first points at the element, touches it or moves the focus into it. */
export function whenTouched(element: Element, start: () => void) {
  const touched = new AbortController();
  for (const touch of ["pointerenter", "pointerdown", "focusin"])
    element.addEventListener(touch, () => (touched.abort(), start()), { signal: touched.signal });
}

/** Calls `start` when the element scrolls into view, or so near to it, once, unless `ends` comes first. */
export function whenSeen(element: Element, ends: AbortSignal, start: () => void, rootMargin = "0px") {
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      start();
    },
    { rootMargin },
  );
  seen.observe(element);
  ends.addEventListener("abort", () => seen.disconnect());
}
