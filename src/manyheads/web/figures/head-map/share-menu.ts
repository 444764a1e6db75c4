// One small menu for what a map can leave the page as: a link, a tag, a frame; a picture or a table.

import { closeOnEscape } from "../../views/controls.ts";
import { h } from "../../views/dom.ts";
import { isFile, modelLabel } from "../../math/families.ts";
import { copying } from "../../doors/copy-menu.ts";
import { download } from "../../doors/download.ts";
import { svgOf } from "./svg.ts";
import type { MapHost } from "./map-part.ts";
import { csvOf, fileName, onScreen } from "./save.ts";
import { missingOf, type State } from "./state.ts";
import { notesOf } from "./status.ts";

const SHARPNESS = 2; // pixels of the PNG to one of the SVG
const LARGEST_SIDE = 8192; // pixels; browsers draw nothing on a canvas that is much larger

/** The reader's own files that computed a map, where some did. */
const filesOf = ({ models, beside, chosen }: State) =>
  [models[chosen.model] ?? "", beside].filter(isFile).map(modelLabel);

/**
 * The menu of a map that `elements` show. `copies` are the texts it can copy: {name: () => text}; none in a notebook, whose page has no
 * address.
 */
export function shareMenu(host: MapHost, elements: () => Element[], copies: Record<string, () => string> = {}) {
  const { buttons, copied } = copying(copies);
  const save = (kind: string, make: () => Blob | Promise<Blob | null>) => async () => {
    copied.hidden = true;
    const { state } = host;
    const made = state.map && !missingOf(state).length && (await make());
    const { chosen, readsText } = state;
    if (made) download(made, fileName({ state: chosen, file: filesOf(state).join("-"), readsText }, kind));
  };
  const svg = () => {
    const files = filesOf(host.state);
    return svgOf(elements(), [
      ...(files.length ? [`Computed by ${files.join(" and ")}.`] : []),
      ...notesOf(host.state),
    ]);
  };
  const saves = {
    SVG: save("svg", () => new Blob([svg()], { type: "image/svg+xml" })),
    PNG: save("png", () => pngOf(svg())),
    CSV: save("csv", () => new Blob(csvOf(onScreen(host.state)), { type: "text/csv" })),
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
