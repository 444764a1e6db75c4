// The pencil of <attention-flow>: shapes are asked for anew at every frame, and only what changed is written to the page.

import { cellText, type Cell } from "../../math/steps.ts";
import { isolated } from "../../math/text.ts";
import { h, s, setText } from "../../views/dom.ts";
import { paintBitmap, type Box, type Bitmap } from "../../views/pixels.ts";

const LAYERS = ["bands", "shapes", "texts"] as const; // from back to front

/** What an object is when somebody points at it; `across` and `down` say where in it, from 0 to 1. */
export type About = string | ((across: number, down: number) => string);

/** The number that an object is, whose arithmetic opens at a press. */
export type Opens = Cell | ((across: number, down: number) => Cell);

/** What an object says and does. */
export interface Answers {
  about?: About;
  press?: string; // what a press chooses
  opens?: Opens;
}

interface ShapeOptions extends Answers {
  opacity?: number;
  kind?: string;
  fill?: string;
  thick?: number; // of a line
}

interface Shape extends Answers {
  node: SVGElement | HTMLCanvasElement;
  drawn: number;
  attributes: Record<string, string>; // as they are in the page
  bitmap?: Bitmap;
}

export class FlowInk {
  node = h("div", { class: "af-scene" });
  #svg = s("svg", { "aria-hidden": "true" }); // its name says it in words
  #layers = Object.fromEntries(LAYERS.map((name) => [name, s("g")]));
  #strips = h("div", { class: "af-strips" });
  #shapes = new Map<string, Shape>();
  #frame = 0;
  #last: Partial<Record<string, Element>> = {}; // what this frame drew last in each layer
  #size = { width: 1, height: 1 };

  constructor(label: string) {
    this.node.setAttribute("role", "img");
    this.#svg.append(this.#layers.bands, this.#layers.shapes);
    const front = s("svg", { "aria-hidden": "true" }, this.#layers.texts);
    this.#svg.classList.add("af-back");
    this.node.classList.add(label);
    this.node.append(this.#svg, this.#strips, front);
  }

  /** Begins a frame of this size. */
  begin(width: number, height: number) {
    this.#frame++;
    this.#last = {};
    if (this.#size.width === width && this.#size.height === height) return;
    this.#size = { width, height };
    for (const svg of [this.#svg, this.#layers.texts.parentElement!])
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.node.style.aspectRatio = `${width} / ${height}`;
    for (const shape of this.#shapes.values()) shape.attributes = {};
  }

  /** Takes away what this frame did not ask for. */
  end() {
    for (const [key, { node, drawn }] of this.#shapes)
      if (drawn !== this.#frame) {
        node.remove();
        this.#shapes.delete(key);
      }
  }

  text(key: string, x: number, y: number, text: string, { opacity = 1, kind = "", ...answers }: ShapeOptions = {}) {
    if (opacity < 0.02) return;
    const shape = this.#shape(key, "texts", "text", answers);
    setText(shape.node, isolated(text));
    this.#write(shape, {
      transform: `translate(${round(x)} ${round(y)})`,
      opacity: round(opacity),
      class: `af-text ${kind}`.trim(),
      ...pressOf(answers),
    });
  }

  rect(key: string, { x, y, width, height }: Box, { opacity = 1, kind = "", fill, ...answers }: ShapeOptions = {}) {
    if (opacity < 0.02) return;
    this.#write(this.#shape(key, "shapes", "rect", answers), {
      x: round(x),
      y: round(y),
      width: round(Math.max(width, 0)),
      height: round(Math.max(height, 0)),
      opacity: round(opacity),
      class: kind || undefined,
      fill,
      ...pressOf(answers),
    });
  }

  path(key: string, d: string, { opacity = 1, kind = "", fill, thick, ...answers }: ShapeOptions = {}) {
    if (opacity < 0.02) return;
    this.#write(this.#shape(key, "bands", "path", answers), {
      d,
      opacity: round(opacity),
      class: kind || undefined,
      fill,
      "stroke-width": thick === undefined ? undefined : round(thick),
      ...pressOf(answers),
    });
  }

  /** Numbers as colours in a box. */
  strip(key: string, { x, y, width, height }: Box, bitmap: Bitmap, { opacity = 1, ...answers }: ShapeOptions = {}) {
    if (opacity < 0.02 || width < 0.5) return;
    const shape = this.#shape(key, "strips", "canvas", answers);
    if (shape.bitmap !== bitmap) paintBitmap(shape.node as HTMLCanvasElement, bitmap);
    shape.bitmap = bitmap;
    const of = (value: number, whole: number) => `${((100 * value) / whole).toFixed(3)}%`;
    const size = this.#size;
    this.#write(shape, {
      style: `left:${of(x, size.width)};top:${of(y, size.height)};width:${of(width, size.width)};height:${of(height, size.height)};opacity:${round(opacity)}`,
      ...pressOf(answers),
    });
  }

  /** What is under the pointer, in words; the strips lie above all shapes. */
  aboutAt(event: MouseEvent): string | null {
    return this.#found(event, "about");
  }

  /** The number under the pointer, as a figure's state has it. */
  cellAt(event: MouseEvent): string | null {
    const cell = this.#found(event, "opens");
    return cell && cellText(cell);
  }

  #found<Kind extends "about" | "opens", Found = Exclude<NonNullable<Shape[Kind]>, (...at: any[]) => unknown>>(
    event: MouseEvent,
    kind: Kind,
  ): Found | null {
    for (const node of document.elementsFromPoint(event.clientX, event.clientY)) {
      const shape = this.#shapes.get((node as HTMLElement).dataset?.key ?? "");
      const answer = shape?.node === node && shape[kind];
      if (!answer) continue;
      if (typeof answer !== "function") return answer as Found;
      const { left, top, width, height } = node.getBoundingClientRect();
      return answer(clip((event.clientX - left) / width), clip((event.clientY - top) / height)) as Found;
    }
    return null;
  }

  #shape(key: string, layer: (typeof LAYERS)[number] | "strips", tag: string, answers: Answers) {
    let shape = this.#shapes.get(key);
    if (!shape) {
      const node = tag === "canvas" ? h("canvas", { "aria-hidden": "true" }) : s(tag as "rect");
      node.dataset.key = key;
      const before = this.#last[layer];
      if (before)
        before.after(node); // what is asked for later covers what was asked for before, whichever came first to the page
      else (layer === "strips" ? this.#strips : this.#layers[layer]).prepend(node);
      shape = { node, drawn: 0, attributes: {} };
      this.#shapes.set(key, shape);
    }
    this.#last[layer] = shape.node;
    shape.drawn = this.#frame;
    Object.assign(shape, { about: answers.about, opens: answers.opens });
    return shape;
  }

  #write({ node, attributes: before }: Shape, attributes: Record<string, string | undefined>) {
    for (const [name, value] of Object.entries(attributes)) {
      if (before[name] === value) continue;
      if (value === undefined) node.removeAttribute(name);
      else node.setAttribute(name, value);
      before[name] = value as string;
    }
  }
}

/** How the page knows what a press does. */
const pressOf = ({ press, opens }: Answers) => ({ "data-press": press ?? (opens ? "cell" : undefined) });

const clip = (share: number) => Math.min(Math.max(share, 0), 0.9999);
const round = (value: number) => String(Math.round(100 * value) / 100);
