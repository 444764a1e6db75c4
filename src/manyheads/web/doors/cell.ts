// What figures in the cells of a notebook share, whoever computes them: their names, the links of the text that speak of them, the keys.

import { h } from "../views/dom.ts";
import { ARRIVED, figureNamed } from "./named.ts";
import { lightUp, setFigure } from "./phrases.ts";

const LINK = "#try:"; // and the name of a figure, ":" and what is set of it: sphinxext/notebook_prose.py writes such links
const ANSWERED = Symbol.for("manyheads.links"); // in documents where they are answered: each widget has a copy of this script

/** Lets a cell's figure have its keys, and links of the text reach it; returns what ends that. */
export function settle(root: HTMLElement) {
  const leaves = new AbortController();
  window.addEventListener("keydown", (event) => keepKey(root, event), { capture: true, signal: leaves.signal });
  answerLinks();
  document.dispatchEvent(new Event(ARRIVED));
  return () => leaves.abort();
}

/** Lets a plain key do what it does in the figure: JupyterLab would cut the cell at an X. It looks at the very element with the focus. */
function keepKey(root: HTMLElement, { target, key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) {
  if (!(target instanceof HTMLElement) || !root.contains(target)) return;
  const isOfNotebook = ctrlKey || metaKey || altKey || (shiftKey && key === "Enter"); // it saves, or runs the cell
  if (isOfNotebook) delete target.dataset.lmSuppressShortcuts;
  else target.dataset.lmSuppressShortcuts = "true";
}

/** Links of the notebook's text do in a figure what they say. */
function answerLinks() {
  const page = document as { [ANSWERED]?: true };
  if (page[ANSWERED]) return;
  page[ANSWERED] = true;
  document.addEventListener("click", (event) => press(event), { capture: true });
}

function press(event: MouseEvent) {
  const link = (event.target as Element).closest?.<HTMLAnchorElement>(`a[href*="${LINK}"]`);
  const [, name, written] = link?.hash.match(/^#try:([^:]+):(.*)$/) ?? [];
  if (!link || !name) return;
  event.preventDefault();
  event.stopPropagation();
  const figure = figureNamed(decodeURIComponent(name), link);
  if (!figure) return tellMissing(link);
  const { light, ...settings }: Record<string, string> = JSON.parse(decodeURIComponent(written));
  setFigure(figure, settings);
  figure.scrollIntoView({ block: "nearest" });
  lightUp(figure, settings, light);
}

const NOT_RUN = "Run the cell of its figure first.";

/** Says beside a link that its figure isn't there, until one comes. */
function tellMissing(link: HTMLElement) {
  if (link.nextElementSibling?.matches(".manyheads-told")) return;
  const missing = h("small", { class: "manyheads-told", role: "status" }, ` ${NOT_RUN}`);
  link.after(missing);
  document.addEventListener(ARRIVED, () => missing.remove(), { once: true });
}
