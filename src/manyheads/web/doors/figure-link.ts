// Links that open a figure with a state: behind the "#", which no browser sends to a server.

import { escaped } from "../math/text.ts";
import type { Figure } from "./page-element.ts";

/** The address of a page with the state of its first figure of a kind. */
export function figureLink(address: string, figure: string, parts: Record<string, string | number>) {
  const pairs = [["figure", figure], ...Object.entries(parts).map(([name, value]) => [name, String(value)])];
  return `${address.split("#")[0]}#${new URLSearchParams(pairs)}`;
}

const attributesOf = (parts: Record<string, string | number>) =>
  Object.entries(parts)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");

/** What shows a figure on any page; `folder` is where the scripts lie. */
export const figureTag = (folder: URL, figure: string, parts: Record<string, string | number>) =>
  `<script type="module" src="${escaped(new URL(`${figure}.js`, folder).href)}"></script>\n<${figure}${attributesOf(parts)}></${figure}>`;

/** The same as a page within a page. */
export function figureFrame(folder: URL, figure: string, title: string, parts: Record<string, string | number>) {
  const url = new URL("../../embed.html", folder);
  url.search = String(
    new URLSearchParams({
      figure,
      ...Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, String(value)])),
    }),
  );
  return `<iframe src="${escaped(url.href)}" title="${title}" loading="lazy" style="width: 100%; height: 44rem; border: 0"></iframe>`;
}

/** The state that a page's "#..." gives to its first figure of a kind; null where it gives none. */
export function linkedParts(hash: string, figure: string): Record<string, string> | null {
  const { figure: named, ...parts } = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  return named === figure ? parts : null;
}

/** The first figure that a selector finds takes the parts of its state that a link names, also where the same link is pressed again. */
export function followLinks(figure: Figure, selector: string, names: readonly string[], leaves: AbortSignal) {
  const follow = () => {
    const parts = figure === document.querySelector(selector) && linkedParts(location.hash, figure.localName);
    if (!parts) return;
    figure.lend(Object.fromEntries(Object.entries(parts).filter(([name]) => names.includes(name))));
    figure.scrollIntoView();
  };
  const pressed = ({ target }: MouseEvent) => (target as Element).closest("a")?.hash === location.hash && follow();
  addEventListener("hashchange", follow, { signal: leaves });
  document.addEventListener("click", pressed, { signal: leaves });
  follow();
}
