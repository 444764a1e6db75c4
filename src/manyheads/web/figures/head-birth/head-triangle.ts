// One causal head as a triangle with its text along both sides: rows ask, columns are looked at.

import type { AttentionMap } from "../../math/attention-map.ts";
import { visible } from "../../math/repeats.ts";
import { fill, h, setText } from "../../views/dom.ts";
import { drawHead, makeBitmap, paintBitmap } from "../../views/pixels.ts";

const SIDE = 384; // pixels of the bitmap, about; a browser enlarges them
const DENSE = 32; // characters; of more, none can be read

/** What a head is called, "" for none, its colour, and whether it's off. */
interface Looks {
  name: string;
  colour: string;
  off: boolean;
}

/** `press(cell)` is called with the query and key of a cell that's pressed. */
export function headTriangle(press: (cell: { query: number; key: number }) => void, side = SIDE) {
  const title = h("b");
  const state = h("span", { class: "hb-state" });
  /** What is masked can't be pressed. */
  const onclick = ({ clientX, clientY }: MouseEvent) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const count = rows.childElementCount;
    const [key, query] = [
      Math.floor(((clientX - left) / width) * count),
      Math.floor(((clientY - top) / height) * count),
    ];
    if (key >= 0 && key <= query && query < count) press({ query, key });
  };
  const canvas = h("canvas", { role: "img", onclick });
  const row = h("i", { class: "hb-asks", "aria-hidden": "true" });
  const rows = h("ol", { class: "hb-rows", "aria-hidden": "true" });
  const columns = h("ol", { class: "hb-columns", "aria-hidden": "true" });
  const frame = h("div", { class: "hb-frame" }, rows, h("div", { class: "hb-picture" }, canvas, row), columns);
  const node = h("figure", { class: "hb-triangle" }, h("figcaption", {}, title, " ", state), frame);

  function draw(map: AttentionMap, [layer, head]: number[], { name, colour, off }: Looks) {
    const { queryTokens: characters } = map;
    const size = characters.length * Math.max(1, Math.floor(side / characters.length));
    const style = { colour, off, dim: false, scale: "absolute" as const };
    const box = { x: 0, y: 0, width: size, height: size };
    const whole = { ...map, causal: false }; // what is masked stays blank
    const bitmap = makeBitmap(size, size, (pixels) => drawHead(pixels, size, box, whole, layer, head, style));
    paintBitmap(canvas, bitmap);
    const place = `layer ${layer + 1}, head ${head + 1}`;
    canvas.ariaLabel = `${name || place}: rows ask, columns are looked at; ${characters.length} characters`;
    setText(title, name || place);
    setText(state, [...(name ? [place] : []), ...(off ? ["off"] : [])].join(", "));
    node.style.setProperty("--head", colour);
    node.classList.toggle("hb-off", off);
    node.classList.toggle("hb-dense", characters.length > DENSE);
    frame.style.setProperty("--count", String(characters.length));
    for (const edge of [rows, columns]) {
      const letters = fill(edge, characters.length, () => h("li"));
      characters.forEach((character, at) => setText(letters[at], visible(character)));
    }
  }

  /** Another character asks: its row stands out. */
  const mark = (query: number) => row.style.setProperty("--row", String(query));

  return { node, draw, mark };
}
