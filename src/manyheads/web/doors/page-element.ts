// What the custom elements of pages share: their style, a promise that they compute, and when they wake.

import { h } from "../views/dom.js";

/** Whether a figure may become an element of this page: not in a notebook, where anywidget loads it and Python computes. */
export const mayDefine = (/** @type {string} */ name) =>
  Boolean(globalThis.customElements) && !customElements.get(name) && !/^(blob|data):/.test(import.meta.url);

/** Adds stylesheets that lie beside this module on the site to a page that does not have them, in files or in itself. */
export function dressPage(/** @type {string[]} */ ...names) {
  if (document.querySelector("style.manyheads")) return;
  for (const name of names) {
    const href = new URL(`./${name}`, import.meta.url).href;
    if (![...document.styleSheets].some((sheet) => sheet.href?.split("?")[0] === href))
      document.head.append(h("link", { rel: "stylesheet", href }));
  }
}

/** A promise and what fulfils it, as Promise.withResolvers, which browsers have known since 2024 only. */
export function withResolvers() {
  let resolve = () => {};
  /** @type {Promise<void>} */
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

/**
 * Asks a figure to compute once something is there; one that is gone by then is not kept for that.
 * @param {Promise<void>} there
 * @param {HTMLElement & { readonly ready: Promise<void> }} element
 */
export function readyAfter(there, element) {
  const figure = new WeakRef(element);
  there.then(() => figure.deref()?.ready);
}

/** What Python baked into an element; null where it baked nothing. */
export function bakedInto(/** @type {Element} */ element) {
  const script = element.querySelector('script[type="application/json"]');
  return script && JSON.parse(script.textContent ?? "");
}

/**
 * Calls `start` when the reader first points at the element, touches it or moves the focus into it.
 * @param {Element} element
 * @param {() => void} start
 */
export function whenTouched(element, start) {
  const touched = new AbortController();
  for (const touch of ["pointerenter", "pointerdown", "focusin"])
    element.addEventListener(touch, () => (touched.abort(), start()), { signal: touched.signal });
}

/**
 * Calls `start` when the element scrolls into view, once; gives what ends the watch, for when the element leaves the page.
 * @param {Element} element
 * @param {() => void} start
 */
export function whenSeen(element, start) {
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    start();
  });
  seen.observe(element);
  return () => seen.disconnect();
}
