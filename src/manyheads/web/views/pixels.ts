// Heads as pixels, where tables would be too many or too large: pure functions make bitmaps, `paintBitmap` puts one on a canvas.

import type { AttentionMap, Tints } from "../math/attention-map.ts";
import type { HeadStyle, ShownMap } from "../math/map-state.ts";
import { fullWeight, hasMask, isMasked, queryWeights, tintShare, weightColour } from "../math/maps.ts";
import { directionOf, isSpecial } from "../math/text.ts";

const DIMMED = 0.2;
const MASKED = { every: 4, pixel: 0x60808080 }; // a grey line
const HATCHED = 3; // pixels to a side of a weight from which on those below 0 are hatched, and from line to line
const FAINT = 0.3; // of a tint, on a line

/** `pixels` are RGBA, four bytes each. */
export interface Bitmap {
  width: number;
  height: number;
  pixels: Uint8ClampedArray<ArrayBuffer>;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** "#8DB600" as [red, green, blue]. */
const rgb = (colour: string) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/**
 * Draws one head of a map into `pixels` (RGBA in one number, `stride` to a line), from `left`, `top` on: `height` lines for
 * the queries, `width` columns for the keys. A pixel's opacity is how deep the weight is tinted; where several
 * weights fall on one pixel, the largest of them, so that no line of a long text is lost. What is masked is hatched. Where a
 * text runs from right to left, so do the columns.
 */
export function drawHead(
  pixels: Uint32Array,
  stride: number,
  { x: left, y: top, width, height }: Box,
  map: AttentionMap,
  layer: number,
  head: number,
  style: HeadStyle,
) {
  const { dim } = style;
  const [, , queries, keys] = map.shape;
  const [ink, below] = [1, -1].map((weight) => inkOf(weightColour(map, style, weight)));
  const hatched = map.kind === "signed" && Math.min(width / keys, height / queries) >= HATCHED;
  const column = columnOf(map, width);
  const [starts, ends] = [0, 1].map((edge) =>
    Uint32Array.from({ length: width }, (_, x) => span(column(x), width, keys)[edge]),
  ); // of a pixel's keys
  const [faintKeys, faintQueries] = [map.keyTokens, map.queryTokens].map((tokens) =>
    Float32Array.from(tokens, (token) => (dim && isSpecial(token) ? DIMMED : 1)),
  );
  const line = new Float32Array(width); // as strong as the tint, below 0 where the weight is
  const open = new Uint8Array(width); // whether any of its weights may be looked at
  const [tints, seen] = [new Float32Array(keys), new Uint8Array(keys)];
  const [plain, faint] = [new Uint32Array(width), new Uint32Array(width)]; // pixels of a line, and those that are hatched
  const masked = hasMask(map);
  const readLine = (first: number, last: number) => {
    line.fill(0);
    open.fill(0);
    for (let query = first; query <= last; query++) {
      const row = queryWeights(map, layer, head, query);
      const full = fullWeight(map, layer, row, style);
      for (let key = 0; key < keys; key++) {
        tints[key] =
          full && Math.sign(row[key]) * tintShare(row[key], full) * Math.min(faintKeys[key], faintQueries[query]);
        seen[key] = masked && isMasked(map, query, key) ? 0 : 1;
      }
      for (let x = 0; x < width; x++)
        for (let key = starts[x]; key <= ends[x]; key++) {
          line[x] = farther(line[x], tints[key]);
          open[x] |= seen[key];
        }
    }
    for (let x = 0; x < width; x++) {
      const colour = line[x] < 0 ? below : ink;
      const share = Math.abs(line[x]);
      plain[x] = open[x] ? inked(colour, share) : 0;
      faint[x] = open[x] && line[x] < 0 ? inked(colour, FAINT * share) : plain[x];
    }
  };
  let drawn = -1;
  for (let y = 0; y < height; y++) {
    const [first, last] = span(y, height, queries);
    const at = (top + y) * stride + left;
    const isSame = first === drawn && first === last;
    if (isSame && !hatched && !masked) {
      pixels.copyWithin(at, at - stride, at - stride + width);
      continue;
    }
    if (!isSame) readLine(first, last);
    pixels.set(plain, at);
    for (let x = onStripe(y, HATCHED); hatched && x < width; x += HATCHED) pixels[at + x] = faint[x];
    for (let x = onStripe(y, MASKED.every); masked && x < width; x += MASKED.every)
      if (!open[x]) pixels[at + x] = MASKED.pixel;
    drawn = first;
  }
}

/** The first pixel of a line on a slanting stripe, of which there's one every so many pixels. */
const onStripe = (y: number, every: number) => (every - (y % every)) % every;

/** Draws a head whose weights haven't come, as `drawHead` does, by tints that were made before. */
export function drawTints(
  pixels: Uint32Array,
  stride: number,
  { x: left, y: top, width, height }: Box,
  map: ShownMap,
  pictures: Tints,
  layer: number,
  head: number,
  style: HeadStyle,
) {
  const {
    shape: [, heads, rows, columns],
    tints,
  } = pictures;
  const start = (layer * heads + head) * rows * columns;
  const column = columnOf(map, width);
  const [ink, below] = [1, -1].map((weight) => inkOf(weightColour(map, style, weight)));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const deep = tints[start + Math.floor((y * rows) / height) * columns + Math.floor((column(x) * columns) / width)];
      pixels[(top + y) * stride + left + x] = (deep < 0 ? below : ink) | ((2 * Math.abs(deep)) << 24);
    }
}

/** The place of a pixel among so many, in the order in which the text runs. */
const columnOf = ({ keyTokens }: AttentionMap, width: number) =>
  directionOf(keyTokens) === "rtl" ? (x: number) => width - 1 - x : (x: number) => x;

/** The one that is farther from 0. */
const farther = (a: number, b: number) => (Math.abs(b) > Math.abs(a) ? b : a);

/** A pixel of a colour's low bytes, so opaque. */
const inked = (colour: number, share: number) => colour | (Math.round(255 * share) << 24);

/** A colour as the low bytes of a pixel. */
export function inkOf(colour: string) {
  const [red, green, blue] = rgb(colour);
  return (blue << 16) | (green << 8) | red;
}

/** The first and the last of `count` things that fall on place `at` of `places`. */
function span(at: number, places: number, count: number) {
  const first = Math.floor((at * count) / places);
  return [first, places < count ? Math.ceil(((at + 1) * count) / places) - 1 : first];
}

/** A bitmap that `draw(pixels)` draws, one number for each pixel. */
export function makeBitmap(width: number, height: number, draw: (pixels: Uint32Array) => void): Bitmap {
  const pixels = new Uint8ClampedArray(4 * width * height);
  draw(new Uint32Array(pixels.buffer));
  return { width, height, pixels };
}

const bitmaps = new WeakMap<HTMLCanvasElement, Bitmap>();

/** The bitmap that a canvas shows. */
export const bitmapOf = (canvas: HTMLCanvasElement) => bitmaps.get(canvas);

/** Puts a bitmap on a canvas; the build, whose canvases have no context, takes it from `bitmapOf`. */
export function paintBitmap(canvas: HTMLCanvasElement, bitmap: Bitmap) {
  const { width, height, pixels } = bitmap;
  bitmaps.set(canvas, bitmap);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
}
