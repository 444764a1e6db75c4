// Cards of terms: a link to the glossary says what its term means where a mouse rests on it, a key reaches it, or a finger taps it.
import assert from "node:assert/strict";
import test from "node:test";
import { openTermCards, placeOf, tap } from "../../src/manyheads/web/doors/term-cards.ts";
import { key } from "./page.mjs";
import { HOSTILE } from "./small-models.mjs";

const link = (term, says) =>
  `<a href="#term-${term}" data-term="${term}" data-says="${says.replaceAll('"', "&quot;")}"><span>${term}s</span></a>`;

/** A new page. */
function pageWith(html) {
  const page = document.createElement("main");
  page.innerHTML = `<p>${html}</p>`;
  document.body.replaceChildren(page);
  openTermCards(page);
  return page;
}

/** A new page with two terms, whose time a test holds. */
function opened(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = pageWith(`${link("head", "One attention of several.")} and ${link("loss", HOSTILE)}.`);
  const [head, loss] = page.querySelectorAll("a[data-says]");
  const [card, elsewhere] = [".term-card", "p"].map((selector) => page.querySelector(selector));
  return { page, head, loss, card, elsewhere, wait: (by) => t.mock.timers.tick(by) };
}

const over = (node, pointerType = "mouse") =>
  node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType }));
const pressed = (node, pointerType) => {
  node.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerType }));
  const click = new window.MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 });
  node.dispatchEvent(click);
  return click.defaultPrevented;
};
const told = (card) =>
  card.hidden ? null : [...card.querySelectorAll("b, span")].map(({ textContent }) => textContent);
const HEAD = ["head", "One attention of several."];

test("a mouse that rests on a term opens its card, which stays while the mouse is on it, and then goes", (t) => {
  const { head, loss, card, elsewhere, wait } = opened(t);
  over(head.firstElementChild);
  assert.equal(told(card), null, "it may be on its way across");
  wait(150);
  assert.deepEqual(told(card), HEAD);
  assert.equal(head.getAttribute("aria-describedby"), card.id);
  over(elsewhere);
  wait(200);
  over(card);
  wait(1000);
  assert.deepEqual(told(card), HEAD);
  over(loss);
  wait(150);
  assert.deepEqual(told(card), ["loss", HOSTILE], "texts that look like HTML are text");
  assert.equal(head.getAttribute("aria-describedby"), null);
  over(elsewhere);
  wait(300);
  assert.equal(told(card), null);
});

test("a mouse that only crosses a term opens nothing", (t) => {
  const { head, card, elsewhere, wait } = opened(t);
  over(head);
  wait(100);
  over(elsewhere);
  wait(1000);
  assert.equal(told(card), null);
});

test("a press of a mouse or a key follows the link", (t) => {
  const { head } = opened(t);
  assert.equal(pressed(head, "mouse"), false);
  head.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerType: "touch" }));
  const enter = new window.MouseEvent("click", { bubbles: true, cancelable: true });
  head.dispatchEvent(enter);
  assert.equal(enter.defaultPrevented, false);
});

test("a first tap opens the card, which leads on; a second follows the link; one elsewhere closes it", (t) => {
  const { head, loss, card, elsewhere } = opened(t);
  assert.equal(pressed(head, "touch"), true);
  assert.deepEqual(told(card), HEAD);
  const more = card.querySelector("a");
  assert.deepEqual([more.hidden, more.href], [false, head.href]);
  assert.equal(pressed(loss, "touch"), true, "another link opens its own");
  assert.equal(told(card)[0], "loss");
  assert.equal(pressed(loss, "touch"), false);
  assert.equal(told(card), null);
  pressed(head, "touch");
  pressed(elsewhere, "touch");
  assert.equal(told(card), null);
});

test("the keyboard opens a card where it reaches a term, and Escape and leaving close it", (t) => {
  const { page, head, card } = opened(t);
  head.matches = (selector) => selector === ":focus-visible" || Element.prototype.matches.call(head, selector);
  const moves = (name) => head.dispatchEvent(new FocusEvent(name, { bubbles: true }));
  moves("focusin");
  assert.deepEqual(told(card), HEAD);
  assert.ok(card.querySelector("a").hidden, "Enter leads on");
  key(page, "Escape");
  assert.equal(told(card), null);
  moves("focusin");
  moves("focusout");
  assert.equal(told(card), null);
});

test("a page that is left, and comes back by the browser's Back, has no card open", (t) => {
  const { head, card } = opened(t);
  pressed(head, "touch");
  window.dispatchEvent(new Event("pagehide"));
  assert.equal(told(card), null);
});

test("a page without terms gets nothing", () => {
  assert.equal(pageWith('<a href="#elsewhere">a link</a>').querySelector(".term-card"), null);
});

test("a card stands below its link, above it at the window's foot, and inside the window", () => {
  const seen = { width: 360, height: 740 };
  const card = { width: 200, height: 100 };
  const at = (left, top) => placeOf({ left, top, bottom: top + 20 }, card, seen);
  assert.deepEqual(at(40, 300), { left: 40, top: 326 });
  assert.deepEqual(at(300, 300), { left: 148, top: 326 });
  assert.deepEqual(at(2, 680), { left: 12, top: 574 });
  assert.deepEqual(placeOf({ left: 40, top: 20, bottom: 40 }, { width: 200, height: 900 }, seen), {
    left: 40,
    top: 46,
  });
});

test("a tap opens the card of the link that is tapped, or follows it from its own", () => {
  const [one, other] = ["one", "other"];
  assert.deepEqual(tap(null, one), { link: one, tapped: true });
  assert.deepEqual(tap({ link: one, tapped: false }, one), { link: one, tapped: true });
  assert.deepEqual(tap({ link: other, tapped: true }, one), { link: one, tapped: true });
  assert.equal(tap({ link: one, tapped: true }, one), null);
});
