// Draws each chapter's first figure as a small picture: `node dist/thumbnails.mjs SITE FOLDER page ...`, for the pages' names. What
// the build drew of the figure stands in an SVG with the styles that it needs, once in the colours of each theme.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultTreeAdapter as tree, parse, type DefaultTreeAdapterTypes } from "parse5";
import figures from "../shared/figures.json" with { type: "json" };

type Tree = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const [WIDTH, HEIGHT] = [640, 360];
const HTML = "http://www.w3.org/1999/xhtml";
const OTHERS = [["svg"], ["pre"]]; // what stands for the figure of a page that has none
const LEFT_OUT = ["script", "datalist"];
const STYLES = fileURLToPath(new URL(".", import.meta.url)); // beside this script
/* What a reader would press is left out, and what says how things stand. */
const OWN = `.page { box-sizing: border-box; width: ${WIDTH}px; height: ${HEIGHT}px; overflow: hidden; font: 16px/1.4 system-ui, sans-serif; background: #fff; color: #1d2329; }
[data-theme=dark] .page { background: #15191e; color: #e8eaed; }
.page textarea { font-family: inherit !important; }
.page > * { margin: 0 !important; border: 0 !important; border-radius: 0 !important; min-height: ${HEIGHT}px; padding: 14px 18px !important; }
:is(.hm-start, .hm-heads, .hm-sorting, .hm-tooler, .hm-panel, .hm-menu, .hm-status, .hm-model, .hm-unseen, .hm-tip, [hidden]) { display: none !important; }
.page pre { font: 15px/1.45 ui-monospace, monospace; white-space: pre; } .page > svg { width: 100%; height: auto; }
.page .k, .page .kn, .page .o { color: #976590; } .page .nf, .page .nc, .page .fm { color: #0073e8; } .page .c1, .page .sd { color: #4a8500; } .page .mi, .page .s2 { color: #be5c00; }`;

const [site, folder, ...names] = process.argv.slice(2);
for (const name of names) {
  const found = figureOf(parse(await readFile(join(site, `${name}.html`), "utf8")));
  if (!found) throw new Error(`${name} has nothing to draw a picture of`);
  const styles = await stylesOf(found);
  for (const theme of ["light", "dark"]) {
    const path = join(site, folder, `${name}-${theme}.svg`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, pictureOf(found, styles, theme));
  }
}

/** The first figure in the text of a page. */
function figureOf(page: Tree): Element | undefined {
  const article = all(page).find(({ tagName }) => tagName === "article");
  const elements = article ? all(article) : [];
  return [Object.keys(figures), ...OTHERS]
    .map((kinds) => elements.find(({ tagName }) => kinds.includes(tagName)))
    .find(Boolean);
}

/** An element and all in it, in the order of the page. */
function all(node: Tree): Element[] {
  const inside = "childNodes" in node ? node.childNodes.flatMap(all) : [];
  return tree.isElementNode(node) ? [node, ...inside] : inside;
}

function attribute(node: Element, name: string) {
  return node.attrs.find((each) => each.name === name)?.value ?? "";
}

/** The rules for a figure that may concern something in it. */
async function stylesOf(figure: Element) {
  const elements = all(figure);
  const classes = new Set(elements.flatMap((each) => attribute(each, "class").split(/\s+/)));
  const kinds = ["head-map", ...elements.map(({ tagName }) => tagName).filter((name) => name in figures)];
  const sheets = await Promise.all(
    [...new Set(kinds)].map((name) => readFile(`${STYLES}${name}.css`, "utf8").catch(() => "")),
  );
  return sheets.map((sheet) => rulesFor(sheet, classes)).join("");
}

/** The rules of a stylesheet whose selectors name no other classes than these; those in parentheses may be others. */
function rulesFor(sheet: string, classes: Set<string>): string {
  return blocks(sheet)
    .map(([head, body]) => {
      if (/^@(media|container)/.test(head)) {
        const rules = /print|coarse|scripting|prefers|forced/.test(head) ? "" : rulesFor(body, classes);
        return rules && `${head}{${rules}}`;
      }
      const parts = head
        .replace(/\((?:[^()]|\([^()]*\))*\)/g, "")
        .split(",")
        .map((part) => [...part.matchAll(/\.([\w-]+)/g)].map(([, name]) => name));
      return !head.startsWith("@") && parts.some((needed) => needed.every((name) => classes.has(name)))
        ? `${head}{${body}}`
        : "";
    })
    .join("");
}

/** The blocks of a stylesheet without comments: [[what stands before the brace, what stands in it], ...]. */
function blocks(sheet: string) {
  const found: [string, string][] = [];
  for (let start = 0, open = sheet.indexOf("{"); open >= 0; open = sheet.indexOf("{", start)) {
    let end = open + 1;
    for (let depth = 1; depth > 0 && end < sheet.length; end++)
      depth += sheet[end] === "{" ? 1 : sheet[end] === "}" ? -1 : 0;
    found.push([sheet.slice(start, open).trim(), sheet.slice(open + 1, end - 1)]);
    start = end;
  }
  return found;
}

function pictureOf(figure: Element, styles: string, theme: string) {
  const page = `<html xmlns="${HTML}" data-theme="${theme}"><body style="margin:0"><div class="page">${written(figure, HTML)}</div></body></html>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"><style>${escaped(styles + OWN)}</style>` +
    `<foreignObject width="${WIDTH}" height="${HEIGHT}">${page}</foreignObject></svg>`
  );
}

function escaped(text: string) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}

/** A node as XML; `around` is the namespace of what it stands in. */
function written(node: Tree, around: string): string {
  if (tree.isTextNode(node)) return escaped(node.value);
  if (!tree.isElementNode(node) || LEFT_OUT.includes(node.tagName)) return "";
  const space = node.namespaceURI === around ? [] : [{ name: "xmlns", value: node.namespaceURI as string }];
  const attributes = [...space, ...node.attrs.filter(({ name }) => name !== "xmlns" && !name.includes(":"))].map(
    ({ name, value }) => ` ${name}="${escaped(value).replace(/"/g, "&quot;")}"`,
  );
  return `<${node.tagName}${attributes.join("")}>${node.childNodes.map((child) => written(child, node.namespaceURI)).join("")}</${node.tagName}>`;
}
