// One small menu for what a map can leave the page as: a link, a tag, a frame; a picture or a table.

import { closeOnEscape } from "../../views/controls.ts";
import { h } from "../../views/dom.ts";
import type { MapOnScreen } from "../../math/map-state.ts";
import { copying } from "../../doors/copy-menu.ts";
import { download } from "../../doors/download.ts";
import { svgOf } from "./svg.ts";
import { csvOf, fileName } from "./save.ts";

const SHARPNESS = 2; // pixels of the PNG to one of the SVG
const LARGEST_SIDE = 8192; // pixels; browsers draw nothing on a canvas that is much larger

/** What a map gives the menu: what is on screen, whether all of it has come, and what is said of it. */
export interface Shareable extends MapOnScreen {
  complete: boolean;
  readsText: boolean; // what its models read; else drawings
  file: string; // the reader's own that computed it, where one did
  elements: Element[];
  notes: string[];
}

/** The menu of a map. `copies` are the texts it can copy: {name: () => text}; none in a notebook, whose page has no address. */
export function shareMenu(view: Shareable, copies: Record<string, () => string> = {}) {
  const { buttons, copied } = copying(copies);
  const save = (kind: string, make: () => Blob | Promise<Blob | null>) => async () => {
    copied.hidden = true;
    const made = view.complete && (await make());
    if (made) download(made, fileName(view, kind));
  };
  const svg = () => svgOf(view.elements, [...(view.file ? [`Computed by ${view.file}.`] : []), ...view.notes]);
  const saves = {
    SVG: save("svg", () => new Blob([svg()], { type: "image/svg+xml" })),
    PNG: save("png", () => pngOf(svg())),
    CSV: save("csv", () => new Blob(csvOf(view), { type: "text/csv" })),
  };
  const saving = Object.entries(saves).map(([name, act]) =>
    h("button", { type: "button", "aria-label": `Save as ${name}`, onclick: act }, name),
  );
  return h(
    "details",
    { class: "hm-menu", onkeydown: closeOnEscape },
    h("summary", {}, buttons.length ? "Share or save" : "Save"),
    ...(buttons.length ? [h("p", {}, h("span", {}, "Copy"), ...buttons)] : []),
    h("p", {}, h("span", {}, "Save as"), ...saving),
    copied,
  );
}

/** A picture's pixels, drawn from its SVG. */
async function pngOf(svg: string): Promise<Blob | null> {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = h("canvas");
  const scale = Math.min(SHARPNESS, LARGEST_SIDE / Math.max(picture.width, picture.height));
  Object.assign(canvas, { width: Math.round(scale * picture.width), height: Math.round(scale * picture.height) });
  pencil(canvas).drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** What draws on a canvas; in a browser it is always to be had. */
const pencil = (canvas: HTMLCanvasElement) => canvas.getContext("2d") as CanvasRenderingContext2D;
