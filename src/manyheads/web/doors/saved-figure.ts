// A figure in a saved notebook: as it stood, in HTML that needs neither script nor kernel. JupyterLab says when it is about to
// save; what is then put into the notebook's metadata, the server moves to where the figure is (binder/jupyter/).

import { h } from "../views/dom.ts";

const STOOD = "This is how it stood when it was saved. Run the cell, and it answers again.";
const USELESS = ".hm-tooler, .hm-panel, .hm-menu, .hm-tip, .hm-start, [type=range]";
const REPLACED = "input, textarea, select, canvas, button, [role=status]";

/** What stands for an element where nothing can be typed, chosen or drawn. */
function still(node: Element) {
  if (node instanceof HTMLCanvasElement) return h("img", { src: node.toDataURL(), alt: node.ariaLabel ?? "", class: node.className, style: node.style.cssText });
  if (node instanceof HTMLSelectElement) return h("b", {}, node.selectedOptions[0]?.text ?? "");
  if (node instanceof HTMLButtonElement) return h("span", { class: node.className, style: node.style.cssText }, ...node.cloneNode(true).childNodes);
  if (node instanceof HTMLTextAreaElement) return h("p", { class: node.className }, node.value);
  if (!(node instanceof HTMLInputElement)) return h("p", { class: "hm-status" }, STOOD);
  if (node.type === "text") return h("p", { class: node.className }, node.value);
  return h("input", { type: node.type, checked: node.checked, disabled: true });
}

/** A figure as it stands, as HTML with its style. */
export function standing(figure: HTMLElement, style: string) {
  const copy = figure.cloneNode(true) as HTMLElement;
  const live = figure.querySelectorAll(REPLACED);
  copy.querySelectorAll(REPLACED).forEach((node, place) => node.replaceWith(still(live[place])));
  for (const node of copy.querySelectorAll(USELESS)) node.remove();
  for (const node of copy.querySelectorAll("[tabindex]")) node.removeAttribute("tabindex");
  return `${copy.outerHTML}<style>${style}</style>`;
}
