// What is on screen as an SVG: one walk over what the browser has laid out, which knows no view. Real shapes and letters, so that
// any program opens it; on white paper, whatever the theme.

import { PAPER } from "../../math/names.ts";
import { escaped } from "../../math/text.ts";

const CONTROLS =
  "input, textarea, summary, [hidden], script, .hm-tip, button:not(.hm-head, table *, li *, .hm-translation *)";
const WHITE = "#ffffff";
const MARGIN = 16; // pixels around all of it
const NOTE = 20; // pixels of a line below the picture
const STEPS = 24; // of a scale of colours
const LETTERS = 7; // pixels of a letter of such a line, at most

const round = (value: number) => Math.round(100 * value) / 100;

function tag(name: string, attributes: Record<string, string | number | null | undefined>, inside = "") {
  const written = Object.entries(attributes).map(([key, value]) =>
    value == null || value === "" ? "" : ` ${key}="${escaped(String(value))}"`,
  );
  return `<${name}${written.join("")}>${inside}</${name}>`;
}

/** Elements as an SVG, with sentences below them. */
export function svgOf(elements: Element[], notes: string[] = []) {
  const { dataset } = document.documentElement;
  const { theme } = dataset;
  dataset.theme = "light"; // until this returns: nobody sees it
  try {
    const boxes = elements.map((element) => element.getBoundingClientRect()).filter(({ width }) => width);
    const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
    const width = Math.ceil(Math.max(...boxes.map((box) => box.right)) - left + 2 * MARGIN);
    const lines = notes.flatMap(
      (note) => note.match(new RegExp(`.{1,${Math.floor((width - 2 * MARGIN) / LETTERS)}}(?:\\s|$)`, "g")) ?? [],
    );
    const bottom = Math.max(...boxes.map((box) => box.bottom)) - top + MARGIN;
    const height = Math.ceil(bottom + NOTE * lines.length + MARGIN);
    const drawn = elements.map((element) => drawing(element, left - MARGIN, top - MARGIN)).join("");
    const below = lines.map((line, at) =>
      tag(
        "text",
        { x: MARGIN, y: bottom + NOTE * (at + 0.7), "font-size": 12, fill: PAPER.soft },
        escaped(line.trim()),
      ),
    );
    return tag(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        width,
        height,
        viewBox: `0 0 ${width} ${height}`,
        "font-family": "system-ui, sans-serif",
      },
      tag("rect", { width, height, fill: WHITE }) + drawn + below.join(""),
    );
  } finally {
    if (theme === undefined) delete dataset.theme;
    else dataset.theme = theme;
  }
}

/** An element and what is in it, from back to front; `left` and `top` are where the picture begins. */
function drawing(element: Element, left: number, top: number): string {
  if (element.matches(CONTROLS)) return "";
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden") return "";
  const box = element.getBoundingClientRect();
  const place = {
    x: round(box.left - left),
    y: round(box.top - top),
    width: round(box.width),
    height: round(box.height),
  };
  if (element instanceof SVGSVGElement) return vector(element, place);
  if (element instanceof HTMLMeterElement) return meter(element, style, place);
  if (element instanceof HTMLSelectElement) return letter(element.selectedOptions[0]?.text ?? "", place, style);
  const inside = [...element.childNodes]
    .sort((a, b) => depthOf(a) - depthOf(b))
    .map((child) =>
      child instanceof Element
        ? drawing(child, left, top)
        : child instanceof Text
          ? letters(child, style, left, top)
          : "",
    )
    .join("");
  const all =
    ground(element as HTMLElement, style, place) + picture(element, style, place) + generated(element, place) + inside;
  const clips =
    style.overflow !== "visible" &&
    (element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1);
  const shown = clips ? tag("svg", { ...place, viewBox: Object.values(place).join(" ") }, all) : all;
  return all && style.opacity !== "1" ? tag("g", { opacity: style.opacity }, shown) : shown;
}

/** How far in front of its siblings a part stands: names in front of what is scrolled below them. */
const depthOf = (part: Node) => (part instanceof Element && Number(getComputedStyle(part).zIndex)) || 0;

/** A colour as any program knows it: some browsers write mixed ones as color(srgb 0.5 0.5 0.5 / 0.9). */
function plain(colour: string) {
  const mixed = colour.match(/^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?\)$/);
  return mixed ? `rgba(${mixed.slice(1, 4).map((part) => Math.round(255 * Number(part)))}, ${mixed[4] ?? 1})` : colour;
}

const seen = (colour: string) => !/^transparent$|^rgba\(.*, 0\)$/.test(plain(colour));

/** Its colour, its borders, and the line below a word. */
function ground(element: HTMLElement, style: CSSStyleDeclaration, { x, y, width, height }: Box) {
  const ring = style.boxShadow.match(/([a-z]+\([^()]*\)) 0px 0px 0px ([\d.]+)px(?: inset)?$/); // of several, the outer one
  const framed =
    parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== "none" && style.borderTop === style.borderBottom;
  const fill = seen(style.backgroundColor) ? plain(style.backgroundColor) : null;
  const weight = element.dataset.weight;
  const parts = [];
  if (fill || framed || ring || weight !== undefined)
    parts.push(
      tag("rect", {
        x,
        y,
        width,
        height,
        rx: parseFloat(style.borderTopLeftRadius) || null,
        fill: fill ?? "none",
        "data-weight": weight,
        stroke: framed ? plain(style.borderTopColor) : ring && plain(ring[1]),
        "stroke-width": framed ? parseFloat(style.borderTopWidth) : ring?.[2],
      }),
    );
  const side = parseFloat(style.borderLeftWidth);
  if (side > 2 && seen(style.borderLeftColor))
    parts.push(tag("rect", { x, y, width: side, height, fill: plain(style.borderLeftColor) }));
  if (!framed && parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== "none")
    parts.push(tag("rect", { x, y, width, height: 1, fill: plain(style.borderTopColor) }));
  const line = style.backgroundImage.match(/^linear-gradient\((rgb[^)]*\)), \1\)/);
  const size = style.backgroundSize.split(/[ ,]+/)[1] ?? "";
  const share = parseFloat(size) / (size.endsWith("px") ? height : 100);
  const scale = style.backgroundImage.match(/^linear-gradient\(90deg, (.*)\)$/)?.[1].match(/(?:rgba?|color)\([^)]*\)/g);
  if (scale) parts.push(...steps(scale.map(plain), { x, y, width, height }));
  if (line && share > 0)
    parts.push(
      tag("rect", { x, y: round(y + height * (1 - share)), width, height: round(height * share), fill: line[1] }),
    );
  return parts.join("");
}

/** A scale of colours, from left to right, in steps. */
function steps(colours: string[], { x, y, width, height }: Box) {
  const numbers = colours
    .map((colour) => (colour.match(/[\d.]+/g) ?? []).map(Number))
    .map(([r, g, b, a = 1]) => [r, g, b, a]);
  const clear = numbers.map(([r, g, b, a], at) =>
    a ? [r, g, b, a] : [...(numbers[at + 1] ?? numbers[at - 1]).slice(0, 3), 0],
  );
  return Array.from({ length: STEPS }, (_, at) => {
    const along = (at / (STEPS - 1)) * (clear.length - 1);
    const [from, to, share] = [clear[Math.floor(along)], clear[Math.ceil(along)], along % 1];
    const [r, g, b, opacity] = from.map((part, channel) => part + (to[channel] - part) * share);
    return tag("rect", {
      x: round(x + (width * at) / STEPS),
      y,
      width: round(width / STEPS + 0.2),
      height,
      fill: `rgb(${[r, g, b].map(Math.round)})`,
      "fill-opacity": round(opacity),
    });
  });
}

/** A bar that is filled by its value. */
function meter({ value, max }: HTMLMeterElement, style: CSSStyleDeclaration, { x, y, width, height }: Box) {
  const colour = style.getPropertyValue("--head") || style.getPropertyValue("--hm-accent");
  const bar = (long: number, fill: string) => tag("rect", { x, y, width: round(long), height, rx: height / 2, fill });
  return bar(width, style.getPropertyValue("--hm-line")) + bar((width * value) / max, colour.trim());
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What is a picture already: a canvas, an image, or one that the style brings. */
function picture(element: Element, { backgroundImage }: CSSStyleDeclaration, place: Box) {
  const photo = backgroundImage.match(/^url\("?(data:[^")]*)"?\)/)?.[1];
  const href =
    element instanceof HTMLCanvasElement
      ? element.toDataURL()
      : element instanceof HTMLImageElement
        ? element.src
        : photo;
  return href ? tag("image", { ...place, href, preserveAspectRatio: "none", style: "image-rendering: pixelated" }) : "";
}

/** A vector drawing as it is, with what the page's style says of its lines. */
function vector(drawn: SVGSVGElement, place: Box) {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const shapes = "path, line, rect, circle, text";
  const lines = [...drawn.querySelectorAll(shapes)];
  [...copy.querySelectorAll(shapes)].forEach((line, at) => {
    const { fill, stroke, strokeWidth, opacity, fontSize, textAnchor, paintOrder } = getComputedStyle(lines[at]);
    const looks = {
      fill,
      stroke,
      "stroke-width": strokeWidth,
      opacity,
      "vector-effect": "non-scaling-stroke",
      "paint-order": paintOrder,
      ...(line.localName === "text" ? { "font-size": fontSize, "text-anchor": textAnchor } : {}),
    };
    for (const [name, value] of Object.entries(looks)) line.setAttribute(name, value);
  });
  for (const [name, value] of Object.entries({ ...place, overflow: "visible" })) copy.setAttribute(name, String(value));
  copy.removeAttribute("class");
  return new XMLSerializer().serializeToString(copy);
}

/** What the style writes into a cell: its share. */
function generated(element: Element, { x, y, width, height }: Box) {
  const { content, fontSize, color } = getComputedStyle(element, "::before");
  const text = /^"(.*)"$/.exec(content)?.[1];
  return text
    ? tag(
        "text",
        {
          x: round(x + width / 2),
          y: round(y + height / 2),
          "text-anchor": "middle",
          "dominant-baseline": "middle",
          "font-size": fontSize,
          fill: color,
        },
        escaped(text),
      )
    : "";
}

/** A text, line by line, each where it stands. */
function letters(text: Text, style: CSSStyleDeclaration, left: number, top: number) {
  const lines: { text: string; x: number; y: number; right: number; bottom: number }[] = [];
  const range = document.createRange();
  for (const word of text.data.matchAll(/\S+\s*/g)) {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].trimEnd().length);
    const box = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (!box.width) continue;
    if (!last || Math.abs(last.y - box.top) > 2)
      lines.push({ text: word[0], x: box.left, y: box.top, right: box.right, bottom: box.bottom });
    else
      Object.assign(last, {
        text: last.text + word[0],
        x: Math.min(last.x, box.left),
        right: Math.max(last.right, box.right),
      });
  }
  return lines
    .map(({ text: line, x, y, right, bottom }) =>
      letter(
        line,
        { x: round(x - left), y: round(y - top), width: round(right - x), height: round(bottom - y) },
        style,
      ),
    )
    .join("");
}

/** One line of text in its box; what is written from top to bottom is turned. */
function letter(text: string, { x, y, width, height }: Box, style: CSSStyleDeclaration) {
  const rtl = style.direction === "rtl";
  const at =
    style.writingMode === "horizontal-tb"
      ? { x: rtl ? round(x + width) : x, y: round(y + height / 2), "dominant-baseline": "central" }
      : {
          transform: `translate(${round(x + width / 2)} ${round(y + height)}) rotate(-90)`,
          "dominant-baseline": "middle",
        };
  return tag(
    "text",
    {
      ...at,
      direction: rtl ? "rtl" : null,
      "font-size": parseFloat(style.fontSize),
      "font-weight": style.fontWeight === "400" ? null : style.fontWeight,
      fill: plain(style.color),
      "text-decoration": style.textDecorationLine === "none" ? null : style.textDecorationLine,
    },
    escaped(text.trim()),
  );
}
