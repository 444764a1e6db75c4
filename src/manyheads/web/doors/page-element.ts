// What the custom elements of pages share: how they are dressed, when they wake, and the maps that they lean on.

import type { AttentionMap, HeadMask } from "../math/attention-map.ts";
import { hostHere } from "../math/host.ts";
import type { Query } from "../math/query.ts";
import type { HeadModel } from "../models/head-model.ts";
import { h } from "../views/dom.ts";
import { elementNamed } from "./named.ts";

/** Adds stylesheets that lie beside this module on the site to a page that does not have them, in files or in itself. */
export function dressPage(...names: string[]) {
  const host = hostHere();
  if (host) return names.forEach((name) => host.style?.(name).catch(() => {})); // one that a figure brings later, as it stands without until then
  if (document.querySelector("style.manyheads")) return;
  for (const name of names) {
    const href = new URL(`./${name}`, import.meta.url).href;
    if (![...document.styleSheets].some((sheet) => sheet.href?.split("?")[0] === href))
      document.head.append(h("link", { rel: "stylesheet", href }));
  }
}

/** A <head-map>, as other figures of a page see it. */
export interface LiveMap extends HTMLElement {
  readonly ready: Promise<void>;
  readonly settled: Promise<void>; // once its last answer is here
  readonly attention: AttentionMap | null;
  readonly compared: AttentionMap | null;
  readonly computedBy: string; // a model's name
  readonly models: string[]; // their names
  model: string; // the name of the chosen one
  sentence: string;
  query: Query | string; // who asks; a text until a map is here in which it is found
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
