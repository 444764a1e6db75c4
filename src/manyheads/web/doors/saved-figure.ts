// A figure as it stands, in HTML that needs neither script nor kernel.

import { h } from "../views/dom.ts";

const STOOD = "This is how it stood when it was saved. Run the cell, and it answers again.";
const USELESS =
  ".hm-edge, .hm-panel, .hm-menu, .hm-tip, .hm-start, .hm-enlarge, .hm-play, .af-numbers, .af-changes, .af-pointed, .hl-show, .nw-writing, [type=range]";
const REPLACED = "input, textarea, select, canvas, [role=status]";

/** What stands for an element where nothing can be typed, chosen or drawn. */
function still(node: Element) {
  if (node instanceof HTMLCanvasElement)
    return h("img", {
      src: node.toDataURL(),
      alt: node.ariaLabel ?? "",
      class: node.className,
      style: node.style.cssText,
    });
  if (node instanceof HTMLSelectElement) return h("b", {}, node.selectedOptions[0]?.text ?? "");
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
  for (const node of copy.querySelectorAll("button")) node.disabled = true;
  for (const node of copy.querySelectorAll("[tabindex]")) node.removeAttribute("tabindex");
  copy.classList.remove("gs-covered"); // no answer will uncover it
  return `${copy.outerHTML}<style>${usedOf(style, copy)}</style>`;
}

/** What a figure uses of a stylesheet, so that a notebook of many figures stays small. What another theme or paper asks for is among it. */
function usedOf(style: string, figure: HTMLElement) {
  const classes = new Set([figure, ...figure.querySelectorAll("*")].flatMap(({ classList }) => [...classList]));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return textOf(sheet.cssRules, classes);
}

function textOf(rules: CSSRuleList, classes: Set<string>): string {
  return [...rules].map((rule) => ruleFor(rule, classes)).join("");
}

function ruleFor(rule: CSSRule, classes: Set<string>) {
  if (rule instanceof CSSStyleRule) return mayMatch(rule.selectorText, classes) ? rule.cssText : "";
  if (!(rule instanceof CSSGroupingRule)) return rule.cssText;
  const inside = textOf(rule.cssRules, classes);
  return inside && `${rule.cssText.slice(0, rule.cssText.indexOf("{"))}{${inside}}`;
}

/** Whether a selector asks for no class but these; what it says in parentheses isn't looked at. */
export function mayMatch(selector: string, classes: Set<string>) {
  let outside = selector;
  while (/\([^()]*\)/.test(outside)) outside = outside.replace(/\([^()]*\)/g, "");
  return outside.split(",").some((each) => [...each.matchAll(/\.([\w-]+)/g)].every(([, name]) => classes.has(name)));
}
