// How large a picture of a map is: what follows from what it holds and from its room. Pure functions; the stylesheet works out the rest
// from the counts that it's given here, so that a picture is as large without scripts.

import type { ShownMap } from "../../math/map-state.ts";
import { readable } from "../../math/text.ts";

const [SMALLEST, NARROW] = [20, 40]; // pixels of a head's side in the grid: the least; below which layers become columns
const LARGEST = { side: 180, row: 760, cell: 24 };
const SHARPEST = 64; // pixels of a head's side in a bitmap that isn't laid out
const TALLEST = 820; // pixels of all rows of a grid, as in head-map.css
export const NAMES = 60; // pixels of the names of a grid's rows, as in head-map.css
const LONGEST = 10; // letters of a name that a matrix has room for

/** How many letters the longest of a matrix's names takes. */
export const lettersOf = (tokens: string[]) =>
  Math.min(LONGEST, Math.max(...tokens.map((token) => readable(token).length)));

/**
 * The columns of a grid in so many pixels across, how many pixels of its bitmap a head takes, and how large a head gets: few
 * weights fill no large square. All layers are there at once: they become columns where heads would be small otherwise, and those
 * rows wouldn't be higher than a screen. Before anything is laid out, `room` is 0.
 */
export function layOut({ shape: [layers, heads, queries, keys] }: Pick<ShownMap, "shape">, room: number) {
  const tokens = Math.max(queries, keys, 1);
  const whole = Math.max(1, Math.round(SHARPEST / tokens)) * tokens; // a whole number of pixels for each weight
  const [long, short] = [Math.max(layers, heads), Math.min(layers, heads)];
  const most = Math.min(LARGEST.side, Math.max(LARGEST.cell * tokens, NARROW));
  if (room <= 0) return { columns: long, step: Math.min(whole, Math.max(tokens, SHARPEST)), most, side: most };
  const wide = (columns: number) => Math.min(room / columns, most, Math.max(LARGEST.row / columns, NARROW));
  const isTurned = short > 1 && wide(long) < NARROW && (wide(long) < SMALLEST || wide(short) * long <= TALLEST);
  const columns = isTurned ? short : long;
  const side = Math.floor(Math.max(SMALLEST, Math.min(wide(columns), (TALLEST * columns) / (layers * heads))));
  const sharp = Math.round(side * Math.min(globalThis.devicePixelRatio || 1, 2));
  return { columns, most, side, step: tokens <= sharp ? Math.min(whole, Math.max(sharp, SHARPEST)) : sharp };
}
