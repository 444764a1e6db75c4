// What the custom elements of pages share: their style, a promise that they compute, and when they wake.

import { h } from "./dom.js";

/** Adds stylesheets that lie beside this module to a page that does not have them. */
export function dressPage(...names) {
  for (const name of names) {
    const href = new URL(`./${name}`, import.meta.url).href;
    if (![...document.styleSheets].some((sheet) => sheet.href?.split("?")[0] === href))
      document.head.append(h("link", { rel: "stylesheet", href }));
  }
}

/** A promise and what fulfils it, as Promise.withResolvers, which browsers have known since 2024 only. */
export function withResolvers() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

/** Calls `start` when the element scrolls into view or the reader touches it: several times, perhaps. */
export function whenSeenOrTouched(element, start) {
  for (const touch of ["pointerdown", "focusin"]) element.addEventListener(touch, () => start(), { once: true });
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    start();
  });
  seen.observe(element);
}
