// Small tools for what the views draw: nodes that are kept from one repaint to the next.

import { isPiece, isSpecial, readable, told } from "../math/text.js";

/**
 * A new element. Of `props`, those that begin with "on" listen; true is an attribute without a value, false and null none.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [props]
 * @param {(Node | string)[]} children
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/**
 * Gives `parent` exactly `count` children: reuses those it has, makes the missing ones. Returns them.
 * @template {Element} Child
 * @param {Element} parent
 * @param {number} count
 * @param {(index: number) => Child} make
 * @returns {HTMLCollectionOf<Child>}
 */
export function fill(parent, count, make) {
  while (parent.childElementCount > count) parent.lastElementChild?.remove();
  while (parent.childElementCount < count) parent.append(make(parent.childElementCount));
  return /** @type {HTMLCollectionOf<any>} */ (parent.children);
}

/**
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * @param {{ value: string }} input
 * @param {string} value
 */
export const setValue = (input, value) => {
  if (input.value !== value) input.value = value;
};

/**
 * Shows a token as the reader wrote it; the classes carry what its marks said.
 * @param {Element} node
 * @param {string} token
 */
export function setToken(node, token) {
  setText(node, readable(token));
  node.classList.toggle("hm-piece", isPiece(token));
  node.classList.toggle("hm-special", isSpecial(token));
}

/**
 * One weight of a map in its cell, tinted as deep as `share` says; a masked one is no weight.
 * @param {HTMLElement & { share?: string }} cell
 * @param {ShownMap} map
 * @param {number} weight
 * @param {number} tinted
 * @param {string} from
 * @param {string} to
 * @param {boolean} [masked]
 */
export function setWeight(cell, map, weight, tinted, from, to, masked = false) {
  const shown = weight.toFixed(4);
  const text = masked ? "masked" : map.top && weight === 0 ? "left out" : told(map, weight);
  if (cell.dataset.weight !== shown) cell.dataset.weight = shown;
  if (cell.dataset.percent !== text) cell.dataset.percent = text;
  cell.classList.toggle("hm-minus", weight < 0);
  cell.classList.toggle("hm-masked", masked);
  const share = tinted.toFixed(3);
  if (cell.share !== share) cell.style.setProperty("--share", (cell.share = share));
  const label = `${from} to ${to}: ${cell.dataset.percent}`;
  if (cell.ariaLabel !== label) cell.ariaLabel = label;
}

/**
 * Makes one of a group the one that Tab reaches, and moves the focus there.
 * @param {HTMLElement} node
 * @param {Element | null} before
 */
export function focusOn(node, before) {
  before?.setAttribute("tabindex", "-1");
  node.setAttribute("tabindex", "0");
  node.focus();
}

/** The element that an event came from; never a text node, for the events that views listen to. */
export const targetOf = (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target);

/**
 * Tells the page, also out of shadow trees, what a figure now shows.
 * @param {EventTarget} node
 * @param {string} name
 * @param {unknown} detail
 */
export const announce = (node, name, detail) =>
  node.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));

/** @type {Record<string, [rows: number, columns: number] | undefined>} */
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** The step of an arrow key over rows and columns; undefined for any other key. */
export const arrow = (/** @type {string} */ key) => ARROWS[key];
