// One causal head as a triangle with its text along both sides: rows ask, columns are looked at.

import type { AttentionMap } from "../math/attention-map.ts";
import { visible } from "../math/repeats.ts";
import { fill, h, setText } from "./dom.ts";
import { drawHead, makePicture, paintPixels } from "./pixels.ts";

const SIDE = 384; // pixels of the picture, about
const DENSE = 32; // characters; of more, none can be read

export class HeadTriangle {
  #name: string;
  #colour: string;
  #state = h("span", { class: "hb-state" });
  #canvas = h("canvas", { role: "img" });
  #asks = h("i", { class: "hb-asks", "aria-hidden": "true" });
  #rows = h("ol", { class: "hb-rows", "aria-hidden": "true" });
  #columns = h("ol", { class: "hb-columns", "aria-hidden": "true" });
  #frame = h("div", { class: "hb-frame" }, this.#rows, h("div", { class: "hb-picture" }, this.#canvas, this.#asks), this.#columns);
  node: HTMLElement;

  constructor(name: string, colour: string) {
    this.#name = name;
    this.#colour = colour;
    this.node = h("figure", { class: "hb-triangle" }, h("figcaption", {}, h("b", {}, name), " ", this.#state), this.#frame);
    this.node.style.setProperty("--head", this.#colour);
  }

  draw(map: AttentionMap, [layer, head]: number[], off: boolean) {
    const { queryTokens: characters } = map;
    const size = characters.length * Math.max(1, Math.floor(SIDE / characters.length));
    const look = { colour: this.#colour, off, dim: false, scale: "absolute" as const };
    paintPixels(this.#canvas, makePicture(size, size, (pixels) =>
      drawHead(pixels, size, { left: 0, top: 0, width: size, height: size }, { ...map, causal: false }, layer, head, look))); // what is masked stays blank
    this.#canvas.ariaLabel = `${this.#name}: rows ask, columns are looked at; ${characters.length} characters`;
    setText(this.#state, `layer ${layer + 1}, head ${head + 1}${off ? ", off" : ""}`);
    this.node.classList.toggle("hb-off", off);
    this.node.classList.toggle("hb-dense", characters.length > DENSE);
    this.#frame.style.setProperty("--count", String(characters.length));
    for (const side of [this.#rows, this.#columns]) {
      const letters = fill(side, characters.length, () => h("li"));
      characters.forEach((character, at) => setText(letters[at], visible(character)));
    }
  }

  /** The query and key that a press on the picture means; null beside it, and where nobody looks. */
  cellAt({ target, clientX, clientY }: MouseEvent) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const count = this.#rows.childElementCount;
    if (target !== this.#canvas) return null;
    const [key, query] = [Math.floor((clientX - left) / width * count), Math.floor((clientY - top) / height * count)];
    return key >= 0 && key <= query && query < count ? { query, key } : null;
  }

  /** Another character asks: its row stands out. */
  ask(query: number) {
    this.#asks.style.setProperty("--row", String(query));
  }
}
