// A link to a term of the glossary opens a card with its entry's first sentence: where a mouse rests on the link, where the keyboard
// reaches it, and at the first tap of a finger, whose card leads on to the entry. The build bakes the sentence into the link
// (sphinxext/term_cards.py).

import { h, setProps, setText, targetOf } from "../views/dom.ts";

const LINKS = "a[data-says]";
const RESTS = 150; // milliseconds that a mouse rests on a link
const LEAVES = 300; // until the card of a link goes that a mouse has left, perhaps on its way onto the card
const GAP = 6; // pixels between a link and its card
const EDGE = 12; // from the window's edge to a card, at least

/** The link whose card is open, and whether a finger opened it; null where none is. */
export type Card = { link: HTMLAnchorElement; tapped: boolean } | null;

/** What a tap on a link makes of the open card: the first one opens the link's own, the second follows the link. */
export const tap = (card: Card, link: HTMLAnchorElement): Card =>
  card?.link === link && card.tapped ? null : { link, tapped: true };

/** Where a card of some size stands: below its link, or above where there's no room; never beyond the window. */
export function placeOf(
  link: Pick<DOMRect, "left" | "top" | "bottom">,
  card: { width: number; height: number },
  seen: { width: number; height: number },
) {
  const above = link.top - GAP - card.height;
  const below = link.bottom + GAP;
  return {
    left: Math.max(EDGE, Math.min(link.left, seen.width - EDGE - card.width)),
    top: below + card.height > seen.height && above >= 0 ? above : below,
  };
}

/** Opens cards on a page, if it has links to terms. */
export function openTermCards(page: HTMLElement) {
  if (!page.querySelector(LINKS)) return;
  const term = h("b");
  const says = h("span");
  const more = h("a", {}, "More");
  const node = h("div", { id: "term-card", class: "term-card", role: "tooltip", hidden: true }, term, says, more);
  page.append(node);
  let card: Card = null;
  let later: ReturnType<typeof setTimeout> | undefined;

  const become = (next: Card) => {
    clearTimeout(later);
    card?.link.removeAttribute("aria-describedby");
    card = next;
    setProps(node, { hidden: !card });
    if (card) draw(card);
  };
  const becomeIn = (milliseconds: number, next: Card) => {
    clearTimeout(later);
    later = setTimeout(() => become(next), milliseconds);
  };
  const draw = ({ link, tapped }: NonNullable<Card>) => {
    setText(term, link.dataset.term!);
    setText(says, link.dataset.says!);
    setProps(more, { href: link.href, hidden: !tapped });
    link.setAttribute("aria-describedby", node.id);
    const line = [...link.getClientRects()].at(-1)!; // of a link that breaks, the last
    const { clientWidth: width, clientHeight: height } = document.documentElement;
    const { left, top } = placeOf(line, node.getBoundingClientRect(), { width, height });
    const origin = document.documentElement.getBoundingClientRect();
    Object.assign(node.style, { left: `${left - origin.left}px`, top: `${top - origin.top}px` });
  };
  const linkOf = (event: Event) => targetOf(event).closest<HTMLAnchorElement>(LINKS);
  const isMouse = (event: Event) => (event as PointerEvent).pointerType !== "touch";
  let touches = false; // what the last press was made with

  const listeners: Record<string, (event: Event) => void> = {
    pointerover: (event) => {
      if (!isMouse(event)) return;
      const link = linkOf(event);
      if (link && link !== card?.link) becomeIn(RESTS, { link, tapped: false });
      else if (!card || link || node.contains(targetOf(event))) clearTimeout(later);
      else if (!card.tapped && !card.link.matches(":focus-visible")) becomeIn(LEAVES, null);
    },
    pointerdown: (event) => {
      touches = !isMouse(event);
      if (card?.tapped && !linkOf(event) && !node.contains(targetOf(event))) become(null);
    },
    click: (event) => {
      const link = linkOf(event);
      if (!link || !touches || !(event as MouseEvent).detail) return; // a key's click has no detail
      const next = tap(card, link);
      if (next) event.preventDefault();
      become(next);
    },
    focusin: (event) => {
      const link = linkOf(event);
      if (link?.matches(":focus-visible")) become({ link, tapped: false });
    },
    focusout: (event) => linkOf(event) === card?.link && !card?.tapped && become(null),
    keydown: (event) => (event as KeyboardEvent).key === "Escape" && become(null),
  };
  for (const [name, listener] of Object.entries(listeners)) page.addEventListener(name, listener);
  addEventListener("pagehide", () => become(null)); // a browser's Back may bring the page as it was left
}
