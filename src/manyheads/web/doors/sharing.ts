// What a figure leaves the page as: a link to it as it stands, a tag that shows it on any page, a frame for pages that allow no scripts of
// others. A state is [name, value] pairs. No DOM.

import { escaped } from "../math/text.ts";

/** The figures that can stand alone in `embed.html`: what it is called there, and how high its frame is until the page around it knows. */
export const ALONE: Record<string, { title: string; height: string }> = {
  "head-map": { title: "What each head looks at", height: "32rem" },
  "attention-flow": { title: "One word on its way through attention", height: "44rem" },
  "drawing-board": { title: "Draw, and see what each head looks at", height: "44rem" },
};

/** What `embed.html` calls its height in pixels when it sends it to the page around it. */
export const HEIGHT = "manyHeadsHeight";
const FIT = `<script>addEventListener("message", ({ source, data }) => document.querySelectorAll("iframe").forEach((frame) =>
  frame.contentWindow === source && data?.${HEIGHT} && (frame.style.height = data.${HEIGHT} + "px")))</script>`;

/** Pairs of what a state holds. */
export const pairsOf = (parts: Record<string, string | number>) =>
  Object.entries(parts).map(([name, value]) => [name, String(value)]);

/** The address of a page with the state of a figure on it. It stands behind the "#", which no browser sends to a server. */
export function linkTo(address: string, pairs: string[][]) {
  const url = new URL(address);
  url.hash = String(new URLSearchParams(pairs));
  return url.href;
}

/** A text for HTML that may be read in any encoding: pages forget to name theirs. */
const inAscii = (text: string) => text.replace(/[^\0-\x7f]/gu, (sign) => `&#${sign.codePointAt(0)};`);

/** What shows a figure on any page; `folder` is where the scripts lie. */
export function tagFor(folder: URL | string, figure: string, pairs: string[][]) {
  const attributes = pairs.map(([name, value]) => ` ${name}="${inAscii(escaped(value))}"`).join("");
  return `<script type="module" src="${escaped(new URL(`${figure}.js`, folder).href)}"></script>\n<${figure}${attributes}></${figure}>`;
}

/** The same as a page within a page, for where the tag's scripts are not allowed; a script of its own makes it as high as the figure. */
export function frameFor(folder: URL | string, figure: string, pairs: string[][]) {
  const { title, height } = ALONE[figure];
  const url = new URL("../../embed.html", folder);
  url.search = String(new URLSearchParams(figure === "head-map" ? pairs : [["figure", figure], ...pairs]));
  return `<iframe src="${escaped(url.href)}" title="${title}" allow="clipboard-write" loading="lazy" style="width: 100%; height: ${height}; border: 0"></iframe>\n${FIT}`;
}
