// Small tools for what the views draw: nodes that are kept from one repaint to the next.

import { alpha } from "../math/maps.ts";
import { isPiece, isSpecial, readable, told } from "../math/text.ts";

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
 * Makes `nodes` all that is in `parent`. Those that are in it stay where they are: whoever is moved loses the focus.
 * @param {Element} parent
 * @param {Element[]} nodes
 */
export function setChildren(parent, nodes) {
  for (const child of [...parent.children]) if (!nodes.includes(child)) child.remove();
  nodes.forEach((node, place) => parent.children[place] !== node && parent.insertBefore(node, parent.children[place] ?? null));
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
 * @param {Element & { token?: string }} node
 * @param {string} token
 */
export function setToken(node, token) {
  if (node.token === token) return;
  node.token = token;
  setText(node, readable(token));
  node.classList.toggle("hm-piece", isPiece(token));
  node.classList.toggle("hm-special", isSpecial(token));
}

/** @typedef {ReturnType<typeof import("../math/maps.ts").cellLook>} CellLook */
/** A cell, and what it shows. @typedef {HTMLElement & { shown?: string, percent?: string, ground?: string, named?: string }} WeightCell */

/**
 * One weight of a map in its cell, tinted as `look` says; a masked one is no weight.
 * @param {WeightCell} cell
 * @param {ShownMap} map
 * @param {number} weight
 * @param {CellLook} look
 * @param {string} from
 * @param {string} to
 * @param {boolean} [masked]
 */
export function setWeight(cell, map, weight, look, from, to, masked = false) {
  setTint(cell, weight, look, masked);
  const text = masked ? "masked" : map.top && weight === 0 ? "left out" : told(map, weight);
  if (cell.percent !== text) cell.dataset.percent = cell.percent = text;
  const label = `${from} to ${to}: ${text}`;
  if (cell.named !== label) cell.ariaLabel = cell.named = label;
}

/**
 * A weight and its tint alone.
 * @param {WeightCell} cell
 * @param {number} weight
 * @param {CellLook} look
 * @param {boolean} masked
 */
export function setTint(cell, weight, { colour, opacity }, masked) {
  const shown = weight.toFixed(4);
  if (cell.shown !== shown) {
    cell.dataset.weight = cell.shown = shown;
    cell.classList.toggle("hm-minus", Number(shown) < 0);
  }
  cell.classList.toggle("hm-masked", masked);
  const ground = colour + alpha(opacity);
  if (cell.ground !== ground) cell.style.backgroundColor = cell.ground = ground;
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

/**
 * Says whether a button does nothing at present. It is never disabled: a disabled button loses the focus.
 * @param {HTMLElement} button
 * @param {boolean} idle
 */
export const setIdle = (button, idle) => {
  button.ariaDisabled = String(idle);
};

/** What has the focus in a part of a page or of a shadow tree. @param {HTMLElement} root */
export function focusedIn(root) {
  const { activeElement } = /** @type {Document | ShadowRoot} */ (root.getRootNode());
  return root.contains(activeElement) ? /** @type {HTMLElement | null} */ (activeElement) : null;
}

/**
 * Draws, and gives the focus back to what had it; where that went or is hidden now, to what `instead` gives.
 * @param {HTMLElement} root
 * @param {() => HTMLElement | null | undefined} instead
 * @param {() => void} draw
 */
export function keepFocus(root, instead, draw) {
  const held = focusedIn(root);
  draw();
  if (!held) return;
  const there = held.getClientRects().length > 0 && !held.closest("[inert]");
  const keeper = there ? held : instead();
  if (keeper && !keeper.matches(":focus")) keeper.focus({ preventScroll: true });
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

/**
 * Scrolls what holds both, the page or a notebook, until `cover`, which sticks to the bottom of the screen, hides nothing of `node`.
 * @param {Element} node
 * @param {Element} cover
 */
export function uncover(node, cover) {
  const [box, over] = [node.getBoundingClientRect(), cover.getBoundingClientRect()];
  const beside = box.right <= over.left || box.left >= over.right || box.bottom <= over.top || box.top >= over.bottom;
  for (let at = beside ? null : cover.parentElement; at; at = at.parentElement) {
    const before = at.scrollTop;
    at.scrollTop += box.bottom - over.top;
    if (at.scrollTop !== before) return;
  }
}
