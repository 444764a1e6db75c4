// One matrix of the formula as a small picture in the path: a pixel per number, what is lit framed.

import { matrix } from "../math/steps.ts";
import { h } from "./dom.ts";
import { drawn, inkOf, paintPixels } from "./pixels.ts";
import { palette, tint } from "./tints.ts";

const [WIDTH, HEIGHT] = [128, 80];
const FRAME = [[3.5, 0xffffffff], [1.5, 0xff000000]]; // pixels on both sides of its line, white below black: seen on light and on dark

export class Thumbnail {
  name: string;
  canvas: HTMLCanvasElement;
  #steps: Steps | null = null;

  constructor(name: string) {
    this.name = name;
    this.canvas = h("canvas", { class: "fs-thumb", "data-thumb": name, width: WIDTH, height: HEIGHT, "aria-hidden": "true" });
  }

  paint(steps: Steps) {
    this.#steps = steps;
  }

  /** The picture, and a frame around a row, a column or a cell. */
  light(what: { row?: number, column?: number } | null) {
    if (this.#steps) paintPixels(this.canvas, thumbnail(this.#steps, this.name, what));
  }
}

/** The picture of a matrix, stretched; `what` is framed. */
export const thumbnail = (steps: Steps, name: string, what: { row?: number, column?: number } | null) => drawn(WIDTH, HEIGHT, (pixels) => {
  const { shape: [rows, columns], values } = matrix(steps, name);
  const { largest, ...colours } = palette(steps, name);
  const [positive, negative] = [inkOf(colours.positive), inkOf(colours.negative)];
  const inks = Array.from(values, (value) => {
    const share = tint(value, largest);
    return (share < 0 ? negative : positive) | (Math.round(255 * Math.abs(share)) << 24);
  });
  for (let y = 0; y < HEIGHT; y++) {
    const row = Math.floor((y * rows) / HEIGHT) * columns;
    for (let x = 0; x < WIDTH; x++) pixels[y * WIDTH + x] = inks[row + Math.floor((x * columns) / WIDTH)];
  }
  if (!what) return;
  const [left, wide] = what.column === undefined ? [0, WIDTH] : [what.column / columns * WIDTH, Math.max(WIDTH / columns, 3)];
  const [top, high] = what.row === undefined ? [0, HEIGHT] : [what.row / rows * HEIGHT, Math.max(HEIGHT / rows, 3)];
  for (const [half, ink] of FRAME)
    for (let y = Math.max(Math.round(top - half), 0); y < Math.min(Math.round(top + high + half), HEIGHT); y++)
      for (let x = Math.max(Math.round(left - half), 0); x < Math.min(Math.round(left + wide + half), WIDTH); x++) {
        const inside = Math.min(x - left, left + wide - 1 - x, y - top, top + high - 1 - y) >= half;
        if (!inside) pixels[y * WIDTH + x] = ink;
      }
});
