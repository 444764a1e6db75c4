// Draws every figure of built pages with the scripts that draw it live: `node dist/prerender.mjs page.html ...`.
// What an element shows follows from the data in it. What it drew is written back into the page, canvases as images.

import { readFile, writeFile } from "node:fs/promises";
import { GlobalRegistrator } from "@happy-dom/global-registrator";
import { encode } from "fast-png";
import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from "parse5";
import figures from "../shared/figures.json" with { type: "json" };

type Tree = DefaultTreeAdapterTypes.Node;
type Located = DefaultTreeAdapterTypes.Element;

GlobalRegistrator.register({ url: "https://book.invalid/", settings: { disableErrorCapturing: true } });
reflectAria();
Object.assign(document, { fullscreenEnabled: true }); // as most browsers that will show the page
document.head.innerHTML = '<style class="manyheads"></style>'; // a page that has its stylesheets
const { bitmapOf } = await import("./views/pixels.ts");
const { forgetIds } = await import("./views/dom.ts");
for (const name of Object.keys(figures)) await import(`./figures/${name}/${name}.ts`);

for (const path of process.argv.slice(2)) {
  const page = await readFile(path, "utf8");
  const parsed = parse(page, { sourceCodeLocationInfo: true });
  checkPhrases(path, parsed);
  const drawn = drawFigures(page, parsed);
  if (drawn !== page) await writeFile(path, drawn);
}
process.exit(); // whatever the figures wait for never comes

/** A page with its figures drawn. */
function drawFigures(page: string, parsed: Tree) {
  document.documentElement.dataset.content_root = /^<html[^>]* data-content_root="([^"]*)"/m.exec(page)?.[1] ?? "";
  forgetIds(); // what a page shows doesn't depend on the pages that were drawn before it
  let [drawn, end] = ["", 0];
  for (const { startOffset, endOffset } of figuresIn(parsed)) {
    drawn += page.slice(end, startOffset) + draw(page.slice(startOffset, endOffset));
    end = endOffset;
  }
  return drawn + page.slice(end);
}

/** Where the outermost figures stand in the text of a page, in their order. */
function figuresIn(node: Tree): { startOffset: number; endOffset: number }[] {
  if (defaultTreeAdapter.isElementNode(node) && node.tagName in figures) return [(node as Located).sourceCodeLocation!];
  return "childNodes" in node ? node.childNodes.flatMap(figuresIn) : [];
}

/** Stops the build at a phrase or a guess that names a figure which isn't on its page, or what that figure can't be set to. */
function checkPhrases(path: string, parsed: Tree) {
  const elements = [...elementsIn(parsed)];
  for (const { tagName, attributes, text } of elements) {
    const isGuess = tagName === "figure-guess";
    if (!isGuess && !(tagName === "span" && attributes.class === "hm-phrase")) continue;
    const [role, named] = isGuess ? ["guess", attributes.for] : ["role try", attributes["data-figure"]];
    const settings = isGuess ? (JSON.parse(text) as { sets: object }).sets : JSON.parse(attributes["data-set"]);
    if (isGuess && named === undefined) continue; // it's about no figure
    const figure =
      elements.find(({ attributes: { id } }) => id === named) ?? elements.find((element) => element.tagName === named);
    const element = figure && (customElements.get(figure.tagName) as { observedAttributes?: string[] } | undefined);
    if (!element) throw new Error(`${path}: the ${role} names the figure “${named}”, which isn’t on this page`);
    const names = ["light", ...(element.observedAttributes ?? [])];
    for (const name of Object.keys(settings))
      if (!names.includes(name))
        throw new Error(`${path}: the ${role} sets “${name}” of <${figure.tagName}>, which has ${names.join(", ")}`);
  }
}

/** All elements of a page, in their order, with what is baked into them. */
function* elementsIn(node: Tree): Generator<{ tagName: string; attributes: Record<string, string>; text: string }> {
  if (defaultTreeAdapter.isElementNode(node)) {
    const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
    yield { tagName: node.tagName, attributes, text: bakedInto(node) };
  }
  if ("childNodes" in node) for (const child of node.childNodes) yield* elementsIn(child);
}

/** The JSON that an element holds. */
function bakedInto(node: DefaultTreeAdapterTypes.Element) {
  const script = node.childNodes.find((child) => child.nodeName === "script") as Located | undefined;
  const [text] = script?.childNodes ?? [];
  return text && "value" in text ? text.value : "";
}

/** The HTML of a figure as its script draws it. */
function draw(html: string) {
  const parsed = document.createElement("template"); // so that a figure finds its data when it is connected
  parsed.innerHTML = html;
  document.body.replaceChildren(document.importNode(parsed.content, true));
  const figure = document.body.firstElementChild as HTMLElement & { flush?(): void };
  figure.flush?.();
  for (const canvas of document.body.querySelectorAll("canvas")) canvas.replaceWith(asImage(canvas));
  tidy();
  return document.body.innerHTML;
}

/** What stands for a canvas where no script runs. */
function asImage(canvas: HTMLCanvasElement) {
  const image = document.createElement("img");
  for (const { name, value } of canvas.attributes) image.setAttribute(name, value);
  image.alt = canvas.getAttribute("aria-label") ?? "";
  const bitmap = bitmapOf(canvas);
  if (bitmap)
    image.src = `data:image/png;base64,${Buffer.from(encode({ width: bitmap.width, height: bitmap.height, data: bitmap.pixels, channels: 4 }, { zlib: { level: 9 } })).toString("base64")}`;
  return image;
}

/** Writes what was typed and chosen as attributes, and leaves out those that say nothing. */
function tidy() {
  for (const node of document.body.querySelectorAll("[class='']")) node.removeAttribute("class");
  for (const node of document.body.querySelectorAll("[style='']")) node.removeAttribute("style");
  for (const box of document.body.querySelectorAll("textarea")) {
    box.textContent = box.value;
    box.readOnly = true; // nothing would answer to what is typed before the script comes
  }
  for (const box of document.body.querySelectorAll(".hm-scroll")) box.setAttribute("tabindex", "0"); // not every browser lets the keyboard scroll it
  for (const input of document.body.querySelectorAll("input"))
    if (input.type === "checkbox" || input.type === "radio") input.toggleAttribute("checked", input.checked);
    else input.setAttribute("value", input.value);
  for (const option of document.body.querySelectorAll("option")) option.toggleAttribute("selected", option.selected);
}

/** Gives elements the properties that stand for attributes of ARIA, which happy-dom lacks. */
function reflectAria() {
  for (const name of [
    "busy",
    "disabled",
    "expanded",
    "hidden",
    "invalid",
    "label",
    "pressed",
    "selected",
    "sort",
    "valueText",
  ])
    Object.defineProperty(Element.prototype, `aria${name[0].toUpperCase()}${name.slice(1)}`, {
      set(this: Element, value: string | null) {
        if (value === null) this.removeAttribute(`aria-${name.toLowerCase()}`);
        else this.setAttribute(`aria-${name.toLowerCase()}`, value);
      },
    });
}
