// One causal head as a triangle with its text along both sides: rows ask, columns are looked at.

import type { AttentionMap } from "../../math/attention-map.ts";
import { visible } from "../../math/repeats.ts";
import { fill, h, setText } from "../../views/dom.ts";
import { drawHead, makeBitmap, paintBitmap } from "../../views/pixels.ts";

const SIDE = 384; // pixels of the bitmap, about; a browser enlarges them
const DENSE = 32; // characters; of more, none can be read

export class HeadTriangle {
  #side: number;
  #name = "";
  #colour = "";
  #title = h("b");
  #state = h("span", { class: "hb-state" });
  #canvas = h("canvas", { role: "img" });
  #asks = h("i", { class: "hb-asks", "aria-hidden": "true" });
  #rows = h("ol", { class: "hb-rows", "aria-hidden": "true" });
  #columns = h("ol", { class: "hb-columns", "aria-hidden": "true" });
  #frame = h(
    "div",
    { class: "hb-frame" },
    this.#rows,
    h("div", { class: "hb-picture" }, this.#canvas, this.#asks),
    this.#columns,
  );
  node: HTMLElement;
  /** Is told the query and key of a cell that's pressed. */
  pressed: (cell: { query: number; key: number }) => void = () => {};

  constructor(name: string, colour: string, side = SIDE) {
    this.#side = side;
    this.node = h("figure", { class: "hb-triangle" }, h("figcaption", {}, this.#title, " ", this.#state), this.#frame);
    this.#canvas.onclick = (event) => this.#press(event);
    this.call(name, colour);
  }

  /** The head gets another name, "" for none, and its colour. */
  call(name: string, colour: string) {
    this.#name = name;
    this.#colour = colour;
    this.node.style.setProperty("--head", colour);
  }

  draw(map: AttentionMap, [layer, head]: number[], off: boolean) {
    const { queryTokens: characters } = map;
    const size = characters.length * Math.max(1, Math.floor(this.#side / characters.length));
    const style = { colour: this.#colour, off, dim: false, scale: "absolute" as const };
    const box = { x: 0, y: 0, width: size, height: size };
    const whole = { ...map, causal: false }; // what is masked stays blank
    const bitmap = makeBitmap(size, size, (pixels) => drawHead(pixels, size, box, whole, layer, head, style));
    paintBitmap(this.#canvas, bitmap);
    const place = `layer ${layer + 1}, head ${head + 1}`;
    this.#canvas.ariaLabel = `${this.#name || place}: rows ask, columns are looked at; ${characters.length} characters`;
    setText(this.#title, this.#name || place);
    setText(this.#state, [...(this.#name ? [place] : []), ...(off ? ["off"] : [])].join(", "));
    this.node.classList.toggle("hb-off", off);
    this.node.classList.toggle("hb-dense", characters.length > DENSE);
    this.#frame.style.setProperty("--count", String(characters.length));
    for (const side of [this.#rows, this.#columns]) {
      const letters = fill(side, characters.length, () => h("li"));
      characters.forEach((character, at) => setText(letters[at], visible(character)));
    }
  }

  /** What is masked can't be pressed. */
  #press({ clientX, clientY }: MouseEvent) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const count = this.#rows.childElementCount;
    const [key, query] = [
      Math.floor(((clientX - left) / width) * count),
      Math.floor(((clientY - top) / height) * count),
    ];
    if (key >= 0 && key <= query && query < count) this.pressed({ query, key });
  }

  /** Another character asks: its row stands out. */
  ask(query: number) {
    this.#asks.style.setProperty("--row", String(query));
  }
}
