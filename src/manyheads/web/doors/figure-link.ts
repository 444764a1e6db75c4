// Links that open a figure with a state, which doors/sharing.ts writes.

import { unfold } from "../views/dom.ts";
import type { Lent } from "./phrases.ts";

/** The state that a page's "#..." gives to its first figure of a kind; null where it gives none. */
export function linkedParts(hash: string, figure: string): Record<string, string> | null {
  const { figure: named, ...parts } = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  return named === figure ? parts : null;
}

/** The first figure that a selector finds takes the parts of its state that a link names, also where the same link is pressed again. */
export function followLinks(figure: Lent, selector: string, names: readonly string[], leaves: AbortSignal) {
  const follow = () => {
    const parts = figure === document.querySelector(selector) && linkedParts(location.hash, figure.localName);
    if (!parts) return;
    figure.lend(Object.fromEntries(Object.entries(parts).filter(([name]) => names.includes(name))));
    unfold(figure);
    figure.scrollIntoView();
  };
  const pressed = ({ target }: MouseEvent) => (target as Element).closest("a")?.hash === location.hash && follow();
  addEventListener("hashchange", follow, { signal: leaves });
  document.addEventListener("click", pressed, { signal: leaves });
  follow();
}
