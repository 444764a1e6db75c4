// One matrix of the formula as a small picture in the path: a pixel per number, what is lit framed.

import { matrix } from "../math/steps.ts";
import { h } from "./dom.ts";
import { pencil, rgb } from "./pixels.ts";
import { palette, tint } from "./tints.ts";

export class Thumbnail {
  constructor(name: string) {
    this.name = name;
    this.canvas = h("canvas", { class: "fs-thumb", "data-thumb": name, width: 128, height: 80, "aria-hidden": "true" });
    this.pixels = h("canvas");
  }

  paint(steps: Steps) {
    const { shape: [rows, columns], values } = matrix(steps, this.name);
    const { largest, ...colours } = palette(steps, this.name);
    const [positive, negative] = [rgb(colours.positive), rgb(colours.negative)];
    Object.assign(this.pixels, { width: columns, height: rows });
    const image = new ImageData(columns, rows);
    for (let index = 0, at = 0; index < values.length; index++) {
      const share = tint(values[index], largest);
      const [red, green, blue] = share < 0 ? negative : positive;
      image.data[at++] = red;
      image.data[at++] = green;
      image.data[at++] = blue;
      image.data[at++] = 255 * Math.abs(share);
    }
    pencil(this.pixels).putImageData(image, 0, 0);
  }

  /** The picture, and a frame around a row, a column or a cell. */
  light(what: { row?: number, column?: number } | null) {
    const { width, height } = this.canvas;
    const { width: columns, height: rows } = this.pixels;
    const picture = pencil(this.canvas);
    picture.clearRect(0, 0, width, height);
    picture.imageSmoothingEnabled = false;
    picture.drawImage(this.pixels, 0, 0, width, height);
    if (!what) return;
    const { row = 0, column = 0 } = what;
    const [tall, wide] = [what.row === undefined ? rows : 1, what.column === undefined ? columns : 1];
    for (const [strokeStyle, lineWidth] of [["#fff", 7], ["#000", 3]] as const) { // seen on light and on dark
      Object.assign(picture, { strokeStyle, lineWidth });
      picture.strokeRect(column / columns * width, row / rows * height, Math.max(wide / columns * width, 3), Math.max(tall / rows * height, 3));
    }
  }
}
