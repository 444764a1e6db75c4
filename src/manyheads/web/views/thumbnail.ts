// One matrix of the formula as a small picture in the path: a pixel per number, what is lit framed.

import { findMatrix, matrix } from "../math/steps.ts";
import type { Steps } from "../math/steps.ts";
import { h } from "./dom.ts";
import { inkOf, makePicture, paintPixels } from "./pixels.ts";
import { palette, tint } from "./tints.ts";

const [WIDTH, HEIGHT] = [128, 80];
const FRAME = [ // in pixels from the edge of what is lit: white below black is seen on light and on dark
  { outside: 4, inside: 3, ink: 0xffffffff },
  { outside: 2, inside: 1, ink: 0xff000000 },
];

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
    if (this.#steps && findMatrix(this.#steps, this.name)) paintPixels(this.canvas, thumbnail(this.#steps, this.name, what));
  }
}

/** The picture of a matrix, stretched; `what` is framed. */
export const thumbnail = (steps: Steps, name: string, what: { row?: number, column?: number } | null) => makePicture(WIDTH, HEIGHT, (pixels) => {
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
  const [left, right] = what.column === undefined ? [0, WIDTH] : edges(what.column, columns, WIDTH);
  const [top, bottom] = what.row === undefined ? [0, HEIGHT] : edges(what.row, rows, HEIGHT);
  for (const { outside, inside, ink } of FRAME)
    for (let y = Math.max(top - outside, 0); y < Math.min(bottom + outside, HEIGHT); y++)
      for (let x = Math.max(left - outside, 0); x < Math.min(right + outside, WIDTH); x++)
        if (Math.min(x - left, right - 1 - x, y - top, bottom - 1 - y) < inside) pixels[y * WIDTH + x] = ink;
});

/** Where the one `at` of `count` begins and ends in so many pixels. */
function edges(at: number, count: number, size: number) {
  const from = Math.round((at / count) * size);
  return [from, from + Math.max(Math.round(size / count), 3)];
}
