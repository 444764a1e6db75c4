// Drawings: strokes become ink, and ink shuts places in, dot by dot. Twin of models/drawing/strokes.py. No DOM.
//
// As a text, a drawing is its strokes with "~" between them; a stroke is its points, in dots, with "-" between them:
// "16_8-17.5_9~4_4". Or it is "ink:" and the darkness of each dot, row by row, a byte each in base64url.

import {
  cut as CUT,
  fewest as FEWEST,
  ink as INK,
  most as MOST,
  pen as PEN,
  side as SIDE,
} from "../../shared/drawing.json";
import { Unreadable } from "./faults.ts";

export { PEN, SIDE };

/** Points from 0 to 1, x to the right and y down. */
export type Stroke = [x: number, y: number][];

const UNREADABLE = "This text is no drawing.";
const DOTS = "ink:"; // what a text of dots begins with
const BYTES = new RegExp(`^[\\w-]{${Math.ceil((4 * SIDE * SIDE) / 3)}}$`);
const POINT = /^(\d{1,2}(?:\.\d+)?)_(\d{1,2}(?:\.\d+)?)$/;

// --- strokes and ink

/** Strokes on paper: how dark each dot is, [SIDE * SIDE], 1 is ink. Each is as dark as it lies within half the pen of a stroke. */
export function inked(strokes: Stroke[], width = PEN) {
  const ink = new Float32Array(SIDE * SIDE);
  for (const points of strokes) {
    const dots = points.map(([x, y]) => [SIDE * x, SIDE * y]);
    const last = Math.max(dots.length - 1, 1); // a stroke of one point is a dot
    for (let at = 0; at < last && dots.length; at++) drawLine(ink, dots[at], dots[at + 1] ?? dots[at], width / 2 + 0.5);
  }
  return ink;
}

/** Draws a straight line; dots at `reach` from it, or further, stay as they are. */
function drawLine(ink: Float32Array, [x0, y0]: number[], [x1, y1]: number[], reach: number) {
  const [along, across] = [x1 - x0, y1 - y0];
  const length = along ** 2 + across ** 2;
  const from = (a: number, b: number) => Math.max(0, Math.floor(Math.min(a, b) - reach));
  const to = (a: number, b: number) => Math.min(SIDE, Math.ceil(Math.max(a, b) + reach));
  const [left, right] = [from(x0, x1), to(x0, x1)];
  for (let row = from(y0, y1), end = to(y0, y1); row < end; row++)
    for (let column = left; column < right; column++) {
      const [x, y] = [column + 0.5 - x0, row + 0.5 - y0];
      const share = length ? Math.min(Math.max((x * along + y * across) / length, 0), 1) : 0;
      const distance = Math.sqrt((x - share * along) ** 2 + (y - share * across) ** 2);
      const dark = Math.min(reach - distance, 1);
      const dot = row * SIDE + column;
      if (dark > ink[dot]) ink[dot] = dark;
    }
}

/**
 * The places that ink shuts off from the edge of the paper: 0 outside and on ink, else which place. From dot to dot one goes up, down,
 * left and right, never across a corner. A place of a few dots doesn't count: a crooked stroke makes such holes.
 */
export function shutIn(ink: ArrayLike<number>) {
  const side = SIDE + 2; // a rim of paper around it
  const free = new Uint8Array(side * side).fill(1);
  for (let row = 0; row < SIDE; row++)
    for (let column = 0; column < SIDE; column++)
      free[(row + 1) * side + column + 1] = Number(ink[row * SIDE + column] < INK);
  fillFrom(free, 0, side);
  const places = new Uint8Array(SIDE * SIDE);
  let number = 0;
  for (let start = 0; start < free.length; start++) {
    if (!free[start]) continue;
    const found = fillFrom(free, start, side);
    if (found.length < FEWEST) continue;
    number++;
    for (const at of found) places[(Math.floor(at / side) - 1) * SIDE + (at % side) - 1] = number;
  }
  return places;
}

/** The dots that one reaches from a free dot; afterwards they aren't free. */
function fillFrom(free: Uint8Array, start: number, side: number) {
  const found = [start]; // all before `next` have been looked around from
  free[start] = 0;
  for (let next = 0; next < found.length; next++)
    for (const beside of [found[next] - side, found[next] - 1, found[next] + 1, found[next] + side])
      if (free[beside]) {
        free[beside] = 0;
        found.push(beside);
      }
  return found;
}

// --- as a text

/** Strokes as a text; "" for empty paper. */
export const writeStrokes = (strokes: Stroke[]) =>
  strokes
    .filter((points) => points.length)
    .map((points) => points.map((point) => point.map(inTenths).join("_")).join("-"))
    .join("~");

const inTenths = (share: number) => String(Math.round(10 * SIDE * Math.min(Math.max(share, 0), 1)) / 10);

/** The strokes of a text, so many points at most. Throws `Unreadable` for a text that holds none. */
export function readStrokes(text: string): Stroke[] {
  if (!text) return [];
  let left = MOST;
  const strokes = text.split("~").map((stroke) => {
    const points = stroke.split("-", left).map(readPoint);
    left -= points.length;
    return points;
  });
  return strokes.filter((points) => points.length);
}

function readPoint(text: string): Stroke[number] {
  const numbers = POINT.exec(text)?.slice(1).map(Number) ?? [];
  if (!numbers.length || numbers.some((number) => number > SIDE)) throw new Unreadable(UNREADABLE);
  return [numbers[0] / SIDE, numbers[1] / SIDE];
}

/** The ink of a drawing's text: how dark each dot is. Throws `Unreadable` for a text that is no drawing's. */
export function readDrawing(text: string) {
  return text.startsWith(DOTS) ? readInk(text.slice(DOTS.length)) : inked(readStrokes(text));
}

function readInk(text: string) {
  if (!BYTES.test(text)) throw new Unreadable(UNREADABLE);
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Float32Array.from(bytes, (byte) => byte.charCodeAt(0) / 255);
}

/** What a reader should know of how a drawing's text is read. */
export const notesOn = (text: string) => (text.startsWith(DOTS) || text.split(/[-~]/).length <= MOST ? [] : [CUT]);
