// A page in Node, by happy-dom, which lays nothing out: every element is as high as `page.height` says. Its models are those that a
// test puts into `families`.
import assert from "node:assert/strict";
import { register } from "node:module";
import { Window } from "../../src/manyheads/web/node_modules/happy-dom/lib/index.js";

const WEB = new URL("../../src/manyheads/web/", import.meta.url);

register("./site.mjs", import.meta.url);

const ADDRESS = "http://localhost/book/page.html";
const window = new Window({ url: ADDRESS, settings: { disableErrorCapturing: true } }); // an error of a figure fails its test
export const page = { height: 300, still: true, seen: true };

/** Tells at once, and whenever `resized()` is called. */
class ResizeObserver {
  static #all = new Set();
  constructor(call) {
    this.call = call;
  }
  observe() {
    ResizeObserver.#all.add(this);
    this.call();
  }
  disconnect() {
    ResizeObserver.#all.delete(this);
  }
  static resized() {
    for (const { call } of ResizeObserver.#all) call();
  }
}

/** All that is in the page is in view, unless `page.seen` says otherwise; `scrolled()` tells of a change. */
class IntersectionObserver {
  static #all = new Set();
  #observed = new Set();
  constructor(call) {
    this.call = call;
  }
  observe(target) {
    IntersectionObserver.#all.add(this);
    this.#observed.add(target);
    queueMicrotask(() => this.#tell([target]));
  }
  unobserve(target) {
    this.#observed.delete(target);
  }
  disconnect() {
    this.#observed.clear();
    IntersectionObserver.#all.delete(this);
  }
  #tell(targets) {
    const entries = targets
      .filter((target) => this.#observed.has(target))
      .map((target) => ({ target, isIntersecting: page.seen }));
    if (entries.length) this.call(entries);
  }
  static scrolled() {
    for (const each of IntersectionObserver.#all) each.#tell([...each.#observed]);
  }
}

const { Element, HTMLElement } = window;
const rectangle = () => ({ left: 0, right: 800, top: 0, bottom: page.height, width: 800, height: page.height });
HTMLElement.prototype.getBoundingClientRect = rectangle;
HTMLElement.prototype.getClientRects = function () {
  return this.isConnected && !this.closest("[hidden]") ? [rectangle()] : [];
};
HTMLElement.prototype.scrollIntoView = () => {};
const ARIA = "Busy Current Disabled Expanded Hidden Invalid Label Pressed Selected Sort ValueText";
for (const name of ARIA.split(" ")) {
  const attribute = `aria-${name.toLowerCase()}`; // happy-dom has the attributes, but not the properties
  Object.defineProperty(Element.prototype, `aria${name}`, {
    get() {
      return this.getAttribute(attribute);
    },
    set(value) {
      if (value === null) this.removeAttribute(attribute);
      else this.setAttribute(attribute, value);
    },
  });
}

const TAKEN = `
  document localStorage location history customElements Node Text Element HTMLElement HTMLButtonElement HTMLSelectElement HTMLInputElement HTMLTextAreaElement
  HTMLCanvasElement HTMLAnchorElement Event KeyboardEvent PointerEvent FocusEvent CustomEvent Image ImageData navigator`.match(
  /\w+/g,
);
export const media = {}; // by query, once it was asked for
const globals = {
  ...Object.fromEntries(TAKEN.map((name) => [name, window[name]])),
  window,
  ResizeObserver,
  IntersectionObserver,
  innerHeight: 800,
  devicePixelRatio: 1,
  addEventListener: window.addEventListener.bind(window),
  requestAnimationFrame: (call) => setTimeout(() => call(performance.now())),
  requestIdleCallback: (call) => setImmediate(call),
  cancelAnimationFrame: (frame) => clearTimeout(frame),
  CSS: { supports: () => true },
  matchMedia: (query) =>
    (media[query] ??= Object.defineProperty(new window.EventTarget(), "matches", { get: () => page.still })),
};
for (const [name, value] of Object.entries(globals))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
Object.assign(window, { setTimeout: (...wait) => setTimeout(...wait), clearTimeout: (timer) => clearTimeout(timer) }); // that tests may hold
document.getElementById = (id) => [...document.querySelectorAll("[id]")].find((node) => node.id === id) ?? null; // happy-dom's finds what is gone
document.head.innerHTML = '<style class="manyheads"></style>'; // a page that has its stylesheets

/** Puts other methods into a prototype until a test ends: tests of all files share one page. */
export function replace(t, prototype, methods) {
  const before = Object.getOwnPropertyDescriptors(prototype);
  t.after(() => {
    for (const name of Object.keys(methods)) {
      delete prototype[name];
      if (before[name]) Object.defineProperty(prototype, name, before[name]);
    }
  });
  Object.assign(prototype, methods);
}

/** Lets figures know that they are so high now. */
export function resizeTo(height) {
  page.height = height;
  ResizeObserver.resized();
}

/** Scrolls until all that is in the page is in view, or nothing. */
export function scrollTo(seen) {
  page.seen = seen;
  IntersectionObserver.scrolled();
}

// --- figures and their models

const { setTurns, Turns } = await import(`${WEB}doors/turns.ts`);
let pages = 0;
/** The scripts of the families of models, by name: {load(variant, loading), missingBytes()}. */
export const families = (globalThis.families = {});

/** A model that is here as soon as it's asked for. */
export const isHere = (model) => ({ load: () => model });

/** The script of models.ts on this page. */
export const modelsScript = (globalThis.newModels = () =>
  (globalThis.modelsOfPage ??= import(`${WEB}models/models.ts?page=${++pages}`)));

const importFigure = (name) => import(`${WEB}figures/${name}/${name}.ts`);

/** A new page with the figures of some HTML, and the models that it has, opened by a link, in view or not; gives the first figure. */
export async function draw(html, models = {}, hash = "", seen = true) {
  for (const name of Object.keys(families)) delete families[name];
  Object.assign(families, models);
  globalThis.modelsOfPage = undefined;
  setTurns(new Turns(0)); // its reader rests at once
  localStorage.clear();
  window.happyDOM.setURL(`${ADDRESS}${hash}`);
  Object.assign(page, { height: 300, still: true, seen });
  hideTab(false);
  const names = new Set(html.match(/(?<=<)[a-z]+-[a-z-]+/g));
  for (const name of names) await importFigure(name); // before they are parsed: happy-dom would connect them twice
  const parsed = document.createElement("template"); // so that a figure finds its data when it is connected
  parsed.innerHTML = html.replace(/<head-map(?![^>]* tools=)/g, '<head-map tools="open"'); // so that all of them can be pressed
  const main = document.createElement("main"); // which brings all in at once: happy-dom connects a figure before what comes after it
  main.append(document.importNode(parsed.content, true));
  document.body.replaceChildren(main);
  return document.body.querySelector([...names][0]);
}

/** The first figure of a new page, once it computes by this model, which is that of the taught heads. */
export async function drawLive(html, model, hash) {
  const figure = await draw(html, { focus: isHere(model) }, hash);
  await figure.ready;
  return figure;
}

/** Follows a link within the page; `hash` begins with "#", and is "" for none. */
export function follow(hash) {
  window.happyDOM.setURL(`${window.location.href.split("#")[0]}${hash}`);
  window.dispatchEvent(new Event("hashchange"));
}

/** Another tab comes before the page's, or goes. */
export function hideTab(hidden = true) {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** What is baked into a figure, arrays of numbers as lists. */
export const baked = (data) => {
  const written = JSON.stringify(data, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value));
  return `<script type="application/json">${written.replaceAll("<", "\\u003c")}</script>`;
};

/** Until what is under way without a clock is done. */
export const settled = () => new Promise((done) => setImmediate(done));

/** Until something is so; in vain after twenty seconds. */
export async function until(isSo, what = () => isSo) {
  for (const end = performance.now() + 20_000; !isSo(); await settled())
    if (performance.now() > end) throw new Error(`in vain: ${what()}`);
}

/** Until a figure's status reads so. */
export const says = (root, words) =>
  until(
    () => words.test(status(root)),
    () => `the status is “${status(root)}”, not ${words}`,
  );

/** The next event of a kind. */
export const once = (target, name) =>
  new Promise((done) => target.addEventListener(name, (event) => done(event.detail), { once: true }));

// --- what a reader does and sees

/** The first thing in a figure with a role or a name for those who listen: "Sentence", "Undo". */
export function named(root, name) {
  const labelled = [...root.querySelectorAll("[aria-label]")].find((node) => node.getAttribute("aria-label") === name);
  const written = () =>
    [...root.querySelectorAll("button, summary, label")].find(({ textContent }) => textContent.trim() === name);
  const found = labelled ?? written();
  if (!found) throw new Error(`nothing is called “${name}”`);
  return found.localName === "label" ? found.querySelector("input, select, textarea") : found;
}

export const press = (root, name) => named(root, name).click();

/** Types into a box, or moves a slider. */
export function type(root, name, text) {
  const box = named(root, name);
  box.value = String(text);
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Chooses from a list by value, or fills a box of one line and leaves it. */
export function choose(root, name, value) {
  const control = named(root, name);
  control.value = String(value);
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Ticks a box or a radio button, or takes the tick away. */
export function tick(input, checked = true) {
  input.checked = checked;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Presses a key; gives whether the figure took it. */
export const key = (node, name) =>
  !node.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));

/** Moves the pointer onto something, or off it; all that a pointer does is such an event. */
export function point(node, ...events) {
  document.elementsFromPoint = () => [node];
  for (const event of events.length ? events : ["pointerover", "pointermove"])
    node.dispatchEvent(new PointerEvent(event, { bubbles: event !== "pointerleave", pointerType: "mouse" }));
}

/** An event of the pointer at a place of the page. */
export const pointerAt = (event, clientX, clientY) =>
  new PointerEvent(event, { bubbles: true, pointerType: "mouse", clientX, clientY });

/** Holds that nodes are those wanted, one or several: `assert` would compare and print all that hangs together with them, for minutes. */
export function same(found, wanted, message = "other nodes") {
  const [all, others] = [found, wanted].map((nodes) => [nodes].flat());
  const written = (nodes) => nodes.map((node) => node?.outerHTML.slice(0, 80)).join(" ");
  assert.ok(
    all.length === others.length && all.every((node, at) => node === others[at]),
    `${message}: ${written(all)}, not ${written(others)}`,
  );
}

/** The texts of the cells of rows. */
export const rowsOf = (root, selector) =>
  [...root.querySelectorAll(selector)].map(({ cells }) => [...cells].map(({ textContent }) => textContent));

export const status = (root) => root.querySelector("[role=status]").textContent.trim();
export const texts = (root, selector) => [...root.querySelectorAll(selector)].map(({ textContent }) => textContent);
export const isIdle = (root, name) => named(root, name).getAttribute("aria-disabled") === "true";

/** What is said politely to those who listen, a second after a change; the clock has to be held. */
export function heard(root, timers) {
  timers.tick(1000);
  return root.querySelector("p.hm-unseen[aria-live]").textContent;
}
