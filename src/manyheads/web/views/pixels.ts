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
 * Draws one head of a map into `pixels` (RGBA in one number, `stride` to a line), in a box: a line for each query, a column for each key.
 * What is masked is hatched. Where a text runs from right to left, so do the columns.
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
  const [, , queries, keys] = map.shape;
  const hatched = map.kind === "signed" && Math.min(width / keys, height / queries) >= HATCHED;
  const masked = hasMask(map);
  const line = new PixelLine(map, layer, head, style, width);
  let drawn = -1; // the first query of the line above
  for (let y = 0; y < height; y++) {
    const [first, last] = span(y, height, queries);
    const at = (top + y) * stride + left;
    const isSame = first === drawn && first === last;
    if (isSame && !hatched && !masked) {
      pixels.copyWithin(at, at - stride, at - stride + width);
      continue;
    }
    if (!isSame) line.read(first, last);
    pixels.set(line.plain, at);
    for (let x = onStripe(y, HATCHED); hatched && x < width; x += HATCHED) pixels[at + x] = line.faint[x];
    for (let x = onStripe(y, MASKED.every); masked && x < width; x += MASKED.every)
      if (!line.open[x]) pixels[at + x] = MASKED.pixel;
    drawn = first;
  }
}

/**
 * A line of pixels across all keys. A pixel's opacity is how deep the weight is tinted; where several weights fall on one
 * pixel, the largest of them, so that no line of a long text is lost.
 */
class PixelLine {
  readonly plain: Uint32Array;
  readonly faint: Uint32Array; // where weights below 0 are hatched
  readonly open: Uint8Array; // whether any of a pixel's weights may be looked at
  #map: AttentionMap;
  #layer: number;
  #head: number;
  #style: HeadStyle;
  #colours: number[]; // from 0 on, and below it
  #strongest: Float32Array; // by pixel: as strong as the tint, below 0 where the weight is
  #places: KeyPlaces;
  #faintKeys: Float32Array;
  #faintQueries: Float32Array;

  constructor(map: AttentionMap, layer: number, head: number, style: HeadStyle, width: number) {
    [this.#map, this.#layer, this.#head, this.#style] = [map, layer, head, style];
    this.plain = new Uint32Array(width);
    this.faint = new Uint32Array(width);
    this.open = new Uint8Array(width);
    this.#strongest = new Float32Array(width);
    this.#colours = [1, -1].map((weight) => inkOf(weightColour(map, style, weight)));
    this.#places = placesOf(map, width);
    [this.#faintKeys, this.#faintQueries] = [map.keyTokens, map.queryTokens].map((tokens) => {
      const faint = new Float32Array(tokens.length).fill(1);
      if (style.dim) tokens.forEach((token, at) => isSpecial(token) && (faint[at] = DIMMED));
      return faint;
    });
  }

  /** Makes it the line of these queries. */
  read(first: number, last: number) {
    this.open.fill(0);
    this.#strongest.fill(0);
    for (let query = first; query <= last; query++) this.#add(query);
    this.#ink();
  }

  #add(query: number) {
    const map = this.#map;
    const row = queryWeights(map, this.#layer, this.#head, query);
    const full = fullWeight(map, this.#layer, row, this.#style);
    const { starts, ends } = this.#places;
    const [strongest, open] = [this.#strongest, this.open];
    const [faintKeys, faintQuery] = [this.#faintKeys, this.#faintQueries[query]];
    const count = map.causal ? Math.min(query + 1, row.length) : row.length; // none looks at later ones
    for (let key = 0; key < count; key++) {
      if (map.mask && isMasked(map, query, key)) continue;
      const share = tintShare(row[key], full) * Math.min(faintKeys[key], faintQuery);
      const tint = row[key] < 0 ? -share : share;
      for (let x = starts[key]; x <= ends[key]; x++) {
        open[x] = 1;
        if (share > Math.abs(strongest[x])) strongest[x] = tint;
      }
    }
  }

  #ink() {
    const [strongest, open, plain, faint] = [this.#strongest, this.open, this.plain, this.faint];
    const [ink, below] = this.#colours;
    for (let x = 0; x < strongest.length; x++) {
      const colour = strongest[x] < 0 ? below : ink;
      const share = Math.abs(strongest[x]);
      plain[x] = open[x] ? inked(colour, share) : 0;
      faint[x] = open[x] && strongest[x] < 0 ? inked(colour, FAINT * share) : plain[x];
    }
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

/** By key, the first and the last of so many pixels on which it falls. */
type KeyPlaces = Record<"starts" | "ends", Uint32Array> & { width: number };

const keyPlaces = new WeakMap<AttentionMap, KeyPlaces>(); // all heads of a grid have the same

function placesOf(map: AttentionMap, width: number): KeyPlaces {
  const known = keyPlaces.get(map);
  if (known?.width === width) return known;
  const keys = map.shape[3];
  const made = { width, starts: new Uint32Array(keys).fill(width), ends: new Uint32Array(keys) };
  const column = columnOf(map, width);
  for (let x = 0; x < width; x++) {
    const [first, last] = span(column(x), width, keys);
    for (let key = first; key <= last; key++) {
      made.starts[key] = Math.min(made.starts[key], x);
      made.ends[key] = Math.max(made.ends[key], x);
    }
  }
  keyPlaces.set(map, made);
  return made;
}

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
