// Phrases of a page's text that do in a figure what they say: the role `try` of sphinxext/phrases.py writes them. Without a script,
// and on paper, they are words among others.

import { h, unfold } from "../views/dom.ts";
import { figureNamed } from "./named.ts";

const LIT = "hm-spoken";
const STAYS = 2000; // milliseconds that what was changed stays lit
const PATIENCE = 20_000; // milliseconds until no answer to a press is expected any more
/** Events of figures that show something new. */
export const ANSWERS = [
  ...[
    "attention",
    "blended",
    "ledger",
    "next",
    "projections",
    "results",
    "sense",
    "station",
    "steps",
    "turned",
    "weights",
  ],
  "written",
];

/** Makes buttons of the phrases that speak of a figure, as long as it is in the page. */
export function answerPhrases(figure: HTMLElement, leaves: AbortSignal) {
  const phrases = [...document.querySelectorAll<HTMLElement>(".hm-phrase")].filter(
    (phrase) => figureNamed(phrase.dataset.figure!, phrase) === figure,
  );
  for (const phrase of phrases) answer(phrase, figure, leaves);
}

/** A figure, as `defineFigure` makes one. */
export type Lent = Element & { lend(settings: Record<string, string>): void };

/** Lends a figure values of its attributes, which then says so by the event `set`. */
export function setFigure(figure: Element, settings: Record<string, string>) {
  const set = () => {
    (figure as Lent).lend(settings);
    figure.dispatchEvent(new Event("set"));
  };
  if ("lend" in figure) set();
  else void customElements.whenDefined(figure.localName).then(set); // its script is on its way
}

/** Lights up, for a moment, what a phrase or a link speaks of. */
export function lightUp(figure: HTMLElement, settings: Record<string, string>, light?: string) {
  const { on, off } = lightOf(figure, settings, light);
  on();
  setTimeout(off, STAYS);
}

/** What turns on and off the light of what a phrase speaks of. */
function lightOf(figure: HTMLElement, settings: Record<string, string>, light = "") {
  let lit: Element[] = [];
  const off = () => {
    for (const part of lit) part.classList.remove(LIT);
    lit = [];
  };
  const on = () => {
    off();
    lit = partsOf(figure, settings, light);
    for (const part of lit) part.classList.add(LIT);
  };
  return { on, off };
}

function answer(phrase: HTMLElement, figure: HTMLElement, leaves: AbortSignal) {
  const { light, ...settings }: Record<string, string> = JSON.parse(phrase.dataset.set ?? "{}");
  const { on: lighten, off: darken } = lightOf(figure, settings, light);
  let stays: ReturnType<typeof setTimeout> | null = null; // a page that scrolls takes the phrase away from the pointer
  const leave = () => stays || darken();
  const show = () => {
    lighten();
    clearTimeout(stays ?? undefined);
    stays = setTimeout(() => {
      stays = null;
      if (!phrase.matches(":hover, :focus-visible")) darken();
    }, STAYS);
  };
  const press = () => {
    setFigure(figure, settings);
    lead(figure, phrase);
    show();
    onceAnswered(figure, show); // what it speaks of may come with the answer
  };
  const listeners = {
    click: press,
    pointerenter: lighten,
    pointerleave: leave,
    focus: lighten,
    blur: leave,
    keydown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault(); // the page would scroll
      press();
    },
  };
  for (const [name, listener] of Object.entries(listeners))
    phrase.addEventListener(name, listener as EventListener, { signal: leaves });
  phrase.setAttribute("role", "button");
  phrase.tabIndex = 0;
  leaves.addEventListener("abort", () => {
    darken();
    for (const name of ["role", "tabindex"]) phrase.removeAttribute(name);
  });
}

/** What of a figure a phrase speaks of: parts by their names for those who listen, and heads; else the whole of it. */
function partsOf(figure: HTMLElement, { layer, head, off = "" }: Record<string, string>, light = "") {
  const heads = [...off.split(" "), ...(layer && head ? [`${layer}.${head}`] : [])].map((place) => place.split("."));
  const named = light.split("|").map((name) => JSON.stringify(name.trim()));
  const selectors = [
    ...heads.filter(([, second]) => second).map(([first, second]) => `[data-layer="${first}"][data-head="${second}"]`),
    ...(light ? named.flatMap((name) => [`[aria-label=${name}]`, `[aria-label^=${name.slice(0, -1)}:"]`]) : []),
  ];
  const found = selectors.length ? [...figure.querySelectorAll(selectors.join(", "))] : [];
  return found.length ? found : [figure];
}

let expected = new AbortController();

/** Calls `then` once a figure shows something new, unless another phrase is pressed before. */
export function onceAnswered(figure: HTMLElement, then: () => void) {
  expected.abort();
  const mine = (expected = new AbortController());
  for (const name of ANSWERS) figure.addEventListener(name, () => (mine.abort(), then()), { signal: mine.signal });
  setTimeout(() => mine.abort(), PATIENCE);
}

let wayBack: HTMLElement | null = null;

/** Brings a figure before a reader who has pressed something in the text; where the page has to scroll, a button and the browser's Back lead there again. */
export function lead(figure: HTMLElement, from: Element) {
  unfold(figure);
  const { top, bottom } = figure.getBoundingClientRect();
  if (top >= 0 && bottom <= innerHeight) return;
  history.pushState(history.state, "");
  figure.scrollIntoView({ block: top < 0 ? "start" : "nearest" });
  wayBack?.remove();
  const back = h("button", { type: "button", class: "hm-back", onclick: () => history.back() }, "↩ Back to the text");
  const gone = new AbortController();
  const end = () => (back.remove(), gone.abort());
  addEventListener("popstate", end, { signal: gone.signal });
  const seen = new IntersectionObserver(
    (entries) => entries.some(({ isIntersecting }) => isIntersecting) && (seen.disconnect(), end()),
  ); // the reader has scrolled back
  requestAnimationFrame(() => seen.observe(from));
  document.body.prepend((wayBack = back));
}
