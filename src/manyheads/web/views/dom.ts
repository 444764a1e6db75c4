// Small tools for what the views draw: nodes that are kept from one repaint to the next.

import type { ShownMap } from "../math/map-state.ts";
import { alpha, type cellTint } from "../math/maps.ts";
import { isPiece, isSpecial, readable, weightText } from "../math/text.ts";

/** A new element. Of `props`, those that begin with "on" listen; true is an attribute without a value, false and null none. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Record<string, any> = {},
  ...children: (Node | string)[]
) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** A new element of a drawing. */
export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | number> = {},
  ...children: Node[]
) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

const numbers = new Map<string, number>(); // of the ids that were given, by kind

/** An id for a part of a figure, which no other of the page has: "head-map-2". */
export function nextId(kind: string) {
  const number = (numbers.get(kind) ?? 0) + 1;
  numbers.set(kind, number);
  return `${kind}-${number}`;
}

/** Begins another page, on which ids are counted anew. */
export const forgetIds = () => numbers.clear();

/** Gives `parent` exactly `count` children: reuses those it has, makes the missing ones. Returns them. */
export function fill<Child extends Element>(
  parent: Element,
  count: number,
  make: (index: number) => Child,
): HTMLCollectionOf<Child> {
  while (parent.childElementCount > count) parent.lastElementChild?.remove();
  while (parent.childElementCount < count) parent.append(make(parent.childElementCount));
  return parent.children as HTMLCollectionOf<any>;
}

/** The rows of a part of a table. */
export const rowsOf = (part: Element) => part.children as HTMLCollectionOf<HTMLTableRowElement>;

/** Makes `nodes` all that is in `parent`. Those that are in it stay where they are: whoever is moved loses the focus. */
export function setChildren(parent: Element, nodes: Node[]) {
  for (const child of [...parent.childNodes]) if (!nodes.includes(child)) child.remove();
  nodes.forEach(
    (node, place) => parent.childNodes[place] !== node && parent.insertBefore(node, parent.childNodes[place] ?? null),
  );
}

export function setText(node: Node, text: string) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets properties that differ: one that is set anew, though as it was, makes a browser look at the styles again. */
export function setProps<Kind extends Element>(node: Kind, props: Partial<Kind>) {
  for (const name of Object.keys(props) as (keyof Kind)[])
    if (node[name] !== props[name]) node[name] = props[name] as Kind[keyof Kind];
}

/** Sets a property of a node's style that differs. */
export function setStyle(node: Element, name: string, value: string) {
  const { style } = node as HTMLElement;
  if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
}

/** Draws only where something differs of what it's drawn from. */
export function whenOther<Args extends unknown[]>(draw: (...args: Args) => void) {
  let before: Args | null = null;
  return (...args: Args) => {
    if (before && args.every((arg, place) => arg === before![place])) return;
    before = args;
    draw(...args);
  };
}

/** Text with `code` and *emphasis* as nodes. */
export function markedNodes(text: string) {
  return text.split(/(`[^`]+`|\*[^*]+\*)/).map((part) => {
    if (!/^([`*])[^]+\1$/.test(part)) return part;
    return h(part[0] === "*" ? "em" : "code", {}, part.slice(1, -1));
  });
}

export const setValue = (input: { value: string }, value: string) => {
  if (input.value !== value) input.value = value;
};

/** Shows a token as the reader wrote it; its marks become classes. */
export function setToken(node: Element & { token?: string }, token: string, beginsAnswer = false) {
  node.classList.toggle("hm-answer", beginsAnswer);
  if (node.token === token) return;
  node.token = token;
  setText(node, readable(token));
  node.classList.toggle("hm-piece", isPiece(token));
  node.classList.toggle("hm-special", isSpecial(token));
}

export type CellTint = ReturnType<typeof cellTint>;
/** A cell remembers what it shows. */
type WeightCell = HTMLElement & { shown?: string; percent?: string; ground?: string; named?: string };

/** One weight of a map in its cell, tinted by `tint`; a masked one has none. */
export function setWeight(
  cell: WeightCell,
  map: ShownMap,
  weight: number,
  tint: CellTint,
  from: string,
  to: string,
  masked = false,
) {
  setTint(cell, weight, tint, masked);
  const text = masked ? "masked" : weightText(map, weight);
  if (cell.percent !== text) cell.dataset.percent = cell.percent = text;
  const label = `${from} to ${to}: ${text}`;
  if (cell.named !== label) cell.ariaLabel = cell.named = label;
}

/** A weight and its tint alone. */
export function setTint(cell: WeightCell, weight: number, { colour, opacity }: CellTint, masked: boolean) {
  const shown = weight.toFixed(4);
  if (cell.shown !== shown) {
    cell.dataset.weight = cell.shown = shown;
    cell.classList.toggle("hm-minus", Number(shown) < 0);
  }
  cell.classList.toggle("hm-masked", masked);
  const ground = colour + alpha(opacity);
  if (cell.ground !== ground) cell.style.backgroundColor = cell.ground = ground;
}

/** Makes one of a group the one that Tab reaches, and moves the focus there. */
export function focusOn(node: HTMLElement, before: Element | null) {
  before?.setAttribute("tabindex", "-1");
  node.setAttribute("tabindex", "0");
  node.focus();
}

/** Marks whether a button does nothing at present. It is never disabled: a disabled button loses the focus. */
export const setIdle = (button: HTMLElement, idle: boolean) => setProps(button, { ariaDisabled: String(idle) });

/** What has the focus in a part of a page or of a shadow tree. */
export function focusedIn(root: HTMLElement) {
  const { activeElement } = root.getRootNode() as Document | ShadowRoot;
  return root.contains(activeElement) ? (activeElement as HTMLElement | null) : null;
}

/** Draws, and gives the focus back to what had it; where that went or is hidden now, to what `instead` gives. */
export function keepFocus(root: HTMLElement, instead: () => HTMLElement | null | undefined, draw: () => void) {
  const held = focusedIn(root);
  draw();
  if (!held) return;
  const visible = held.getClientRects().length > 0 && !held.closest("[inert]");
  const keeper = visible ? held : instead();
  if (keeper && !keeper.matches(":focus")) keeper.focus({ preventScroll: true });
}

/** The element that an event came from; never a text node, for the events that views listen to. */
export const targetOf = (event: Event) => event.target as HTMLElement;

/** Announces to the page, also out of shadow trees, what a figure now shows. */
export const announce = (node: EventTarget, name: string, detail: unknown) =>
  node.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));

const ARROWS: Record<string, [rows: number, columns: number] | undefined> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/** The step of an arrow key over rows and columns; undefined for any other key. */
export const arrow = (key: string) => ARROWS[key];

/** Opens the drawers in which something lies that is to be seen. */
export function unfold(node: Element) {
  for (let drawer = node.closest("details"); drawer; drawer = drawer.parentElement!.closest("details"))
    drawer.open = true;
}
