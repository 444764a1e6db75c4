// What the model looked at, and over it the weights of one head: as cells, or where those would be too many, as pixels.

import type { PatchPicture } from "../../math/attention-map.ts";
import { cellTint, isOfParts, queryName, queryWeights } from "../../math/maps.ts";
import { percent, weightText } from "../../math/text.ts";
import { h, setText } from "../../views/dom.ts";
import { inkOf, makeBitmap, paintBitmap } from "../../views/pixels.ts";
import { HeadFigure } from "./head-figure.ts";
import type { MapHost } from "./map-part.ts";
import { fullOnPicture, sumOnPicture } from "./patches.ts";
import { CellTable, type Drawn } from "./patch-table.ts";
import { queryOf, restOf } from "./state.ts";
import { styleOfHead } from "./switches.ts";

const [GREY, OPAQUE] = [0x010101, 0xff000000]; // of a pixel

export class Sight extends HeadFigure {
  cells: CellTable;
  canvas = h("canvas", {
    role: "img",
    onpointermove: (event: PointerEvent) => event.pointerType !== "touch" && this.#point(this.#patchAt(event)),
    onpointerleave: () => this.#point(null),
    onclick: (event: PointerEvent) => this.#pin(this.#patchAt(event)),
  });
  here = h("i", { class: "hm-here", "aria-hidden": "true" }); // around the patch that asks
  photo = h("div", { class: "hm-photo" });
  ink = h("canvas", { "aria-hidden": "true" }); // on it, of a picture that is drawn
  seen: HTMLElement;
  share = h("p", { class: "hm-share" }); // of its attention that goes to patches
  #drawn: Drawn | null = null;

  constructor(host: MapHost) {
    const cells = new CellTable(host);
    const seen = h("div", { class: "hm-seen" }, cells.node);
    super(host, "hm-sight", seen);
    seen.prepend(this.photo);
    seen.append(this.share);
    this.seen = seen;
    this.cells = cells;
  }

  draw(drawn: Drawn, others: number[], { large, table }: { large: boolean; table: boolean }) {
    const { map, layer, head, name } = drawn;
    const { columns, ...picture } = map.picture as PatchPicture;
    this.#drawn = drawn;
    this.frame(layer, head, large, name);
    this.cells.draw(
      drawn,
      others,
      table ? columns : 0,
      `${name}: what ${queryName(map, restOf(this.host.state))} looks at`,
    );
    this.#drawInk(picture);
    this.cells.node.hidden = !table && others.length === 0;
    for (const node of [this.canvas, this.here])
      if (table) node.remove();
      else if (!node.isConnected) this.seen.append(node);
    this.canvas.ariaLabel = `${name}: the weights of ${drawn.patches.length} patches. For numbers, enlarge it.`;
    this.ask();
  }

  /** Another place asks. */
  ask() {
    if (!this.#drawn) return;
    const { map, layer, head, patches } = this.#drawn;
    const weights = queryWeights(map, layer, head, queryOf(this.host.state));
    this.cells.ask();
    setText(this.share, isOfParts(map) ? `${percent(sumOnPicture(weights, patches))} on the picture` : "");
    if (this.canvas.isConnected) this.#paint(this.#drawn, weights);
  }

  /** Ink on paper, as the PNG has it that the build brings. */
  #drawInk({ ink, width, height }: Pick<PatchPicture, "ink" | "width" | "height">) {
    if (!ink) return this.ink.remove();
    if (!this.ink.isConnected) this.photo.append(this.ink);
    paintBitmap(
      this.ink,
      makeBitmap(width, height, (pixels) => {
        for (let at = 0; at < pixels.length; at++) pixels[at] = (GREY * Math.round(255 * (1 - ink[at]))) | OPAQUE;
      }),
    );
  }

  #paint({ map, layer, head, patches, scale, askers }: Drawn, weights: Float32Array) {
    const { state } = this.host;
    const { rows, columns } = map.picture as PatchPicture;
    const query = queryOf(state);
    const asking = patches.findIndex((key) => key !== null && askers[key] === query); // of a span, none stands out
    this.here.hidden = asking < 0;
    const [top, left] = [Math.floor(asking / columns) / rows, (asking % columns) / columns];
    const box = { left, top, width: 1 / columns, height: 1 / rows };
    for (const [name, share] of Object.entries(box)) this.here.style.setProperty(name, `${100 * share}%`);
    const style = styleOfHead(state, map, layer, head);
    const full = fullOnPicture(map, layer, weights, style, scale);
    paintBitmap(
      this.canvas,
      makeBitmap(columns, rows, (pixels) =>
        patches.forEach((key, patch) => {
          if (key === null) return;
          const { colour, opacity } = cellTint(map, style, weights[key], full, false);
          pixels[patch] = inkOf(colour) | (Math.round(255 * opacity) << 24);
        }),
      ),
    );
  }

  /** The key of the patch under the pointer, where that is one that can ask or be looked at. */
  #patchAt({ clientX, clientY }: PointerEvent) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const { rows, columns } = this.#drawn?.map.picture as PatchPicture;
    const [column, row] = [((clientX - left) / width) * columns, ((clientY - top) / height) * rows].map(Math.floor);
    return this.#drawn?.patches[Math.min(row, rows - 1) * columns + Math.min(column, columns - 1)] ?? null;
  }

  #point(key: number | null) {
    if (!this.#drawn) return;
    const { map, layer, head, name, askers } = this.#drawn;
    this.host.dispatch({ type: "point", query: key === null ? null : askers[key] });
    if (key === null) return;
    const rest = restOf(this.host.state);
    const weight = queryWeights(map, layer, head, rest)[key];
    this.canvas.title = `${name}: ${queryName(map, rest)} gives ${map.keyTokens[key]} ${weightText(map, weight)}`;
  }

  #pin(key: number | null) {
    const asker = key === null ? null : this.#drawn?.askers[key];
    if (asker != null) this.host.act({ type: "pin", query: asker });
  }
}
