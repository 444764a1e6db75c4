// Where things stand in <attention-flow>, in units of about a pixel: side by side on a desk, one below the other on a phone.

import type { Box } from "../../views/pixels.ts";

export interface Layout {
  name: string;
  width: number;
  height: number;
  top: number; // of the first row
  row: number; // the height of one
  letters: number; // of a word, at most
  word: number; // where words end
  below: { x: number; pitch: number }; // what layer 1 let the asking word take in: where its first head's column begins, and how far it is to the next
  arcs: number; // how far the arcs reach, from where words end, to what the asking word looks at
  X: [Box, Box]; // the words' vectors: large at first, then small beside their keys
  K: [Box, Box]; // keys, large at first; values are where small keys were
  project(place: number): { word: [number, number]; numbers: Box; learned: Box; made: Box }; // a word's numbers, the matrix, and what they make
  query: number; // where the query rests, above the keys
  thick: number; // how high it is there
  axis: [number, number]; // where a score of 0 is: while scores are the subject, and afterwards
  reach: [number, number]; // how far the largest score goes from there
  score: [number, number]; // where its number ends
  weight: [number, number]; // where a weight's number ends: beside the scores, beside the values
  share: number; // where a bar of weight begins; 100 % are `full` long
  full: number;
  bar: [Box, Box]; // the bar of 100 %: as high as all rows, then as high as what it becomes
  output: Box; // what the head found
  head(place: number, count: number): { name: [number, number]; bar: Box; output: Box };
  concat: Box;
  mixer: Box; // W^O
  mixed: Box;
  read: Box; // the output once more, from which the answer is read
  look: Box; // where the answer's head looks, a bar, where that is in the layer above
  fact(place: number, count: number): { name: [number, number]; label: [number, number]; meter: Box };
  parts: { top: number; row: number; name: number; from: number; to: number; number: number; title: [number, number] };
}

/** What a layout is for. */
export interface Content {
  tokens: number;
  heads: number;
  below?: number; // heads of the layer below that are drawn at first
  goesOn?: boolean; // to an answer in the layer above
}

export type LayoutOf = (content: Content) => Layout;

export function wide({ tokens, heads, below = 0, goesOn = false }: Content): Layout {
  const row = Math.min(42, Math.max(15, 336 / tokens)); // few rows are high, so that they fill the room that the answer takes
  const [top, rows] = [64, Math.max(row * tokens, 336)];
  const of = Math.min(70, 330 / heads);
  const part = Math.min(34, (goesOn ? 190 : 250) / (heads + 2));
  const X = below ? 268 : goesOn ? 212 : 106;
  const lower = goesOn ? 64 : 0; // what is read stands below where the head looks
  return {
    name: "af-wide",
    width: 760,
    height: top + rows + 14,
    top,
    row,
    letters: 13,
    word: 94,
    below: { x: 112, pitch: 128 / Math.max(below, 1) },
    arcs: 84,
    X: [
      { x: X, y: top, width: 752 - X, height: row * tokens },
      { x: 106, y: top, width: 74, height: row * tokens },
    ],
    K: [
      { x: 198, y: top, width: 554, height: row * tokens },
      { x: 198, y: top, width: 140, height: row * tokens },
    ],
    project: (place) => {
      const [x, high] = [198 + 190 * place, 256];
      return {
        word: [x, top - 34],
        numbers: { x, y: top, width: 12, height: high },
        learned: { x: x + 34, y: top, width: 136, height: high },
        made: { x: x + 34, y: top + high + 14, width: 136, height: 28 },
      };
    },
    query: 20,
    thick: 20,
    axis: [480, 392],
    reach: [110, 36],
    score: [680, 480],
    weight: [548, 396],
    share: 556,
    full: 30,
    bar: [
      { x: 600, y: top, width: 30, height: 336 },
      { x: 600, y: top + 132, width: 30, height: 72 },
    ],
    output: { x: 634, y: top + 132, width: 118, height: 72 },
    head: (place) => ({
      name: [128, top + 8 + (place + 0.5) * of],
      bar: { x: 140, y: top + 8 + (place + 0.5) * of - 12, width: 400, height: 24 },
      output: { x: 560, y: top + 8 + (place + 0.5) * of - 12, width: 192, height: 24 },
    }),
    concat: { x: 60, y: 84, width: 640, height: 28 },
    mixer: { x: 60, y: 142, width: 640, height: 150 },
    mixed: { x: 60, y: 322, width: 640, height: 28 },
    read: { x: 20, y: 34, width: 732, height: 18 },
    look: { x: 20, y: 92, width: 732, height: 24 },
    fact: (place, count) => {
      const y = 104 + lower + place * Math.min(76, 310 / count);
      return { name: [20, y], label: [20, y + 20], meter: { x: 24, y: y + 35, width: 276, height: 7 } };
    },
    parts: { top: 142 + lower, row: part, name: 470, from: 482, to: 700, number: 752, title: [372, 104 + lower] },
  };
}

export function narrow({ tokens, heads, below = 0, goesOn = false }: Content): Layout {
  const row = Math.min(30, Math.max(13, 234 / tokens));
  const [top, rows] = [50, Math.max(row * tokens, 234)];
  const of = Math.min(58.5, 234 / heads);
  const part = Math.min(19.5, 117 / (heads + 2));
  const X = below || goesOn ? 142 : 72;
  return {
    name: "af-narrow",
    width: 330,
    height: top + rows + 63,
    top,
    row,
    letters: 8,
    word: 66,
    below: { x: 74, pitch: 60 / Math.max(below, 1) },
    arcs: 30,
    X: [
      { x: X, y: top, width: 328 - X, height: row * tokens },
      { x: 72, y: top, width: 30, height: row * tokens },
    ],
    K: [
      { x: 110, y: top, width: 218, height: row * tokens },
      { x: 110, y: top, width: 84, height: row * tokens },
    ],
    project: (place) => {
      const [x, high] = [112 + 74 * place, 216];
      return {
        word: [x, top - 30],
        numbers: { x, y: top, width: 7, height: high },
        learned: { x: x + 11, y: top, width: 56, height: high },
        made: { x: x + 11, y: top + high + 10, width: 56, height: 24 },
      };
    },
    query: 18,
    thick: 12,
    axis: [246, 246],
    reach: [36, 36],
    score: [328, 328],
    weight: [272, 240],
    share: 276,
    full: 20,
    bar: [
      { x: 300, y: top, width: 26, height: 234 },
      { x: 300, y: top + rows - 54, width: 26, height: 48 },
    ],
    output: { x: 110, y: top + rows + 33, width: 216, height: 25 },
    head: (place) =>
      of < 50
        ? {
            // too many for a line each
            name: [0, top + (place + 0.5) * of],
            bar: { x: 58, y: top + (place + 0.15) * of, width: 160, height: 0.7 * of },
            output: { x: 224, y: top + (place + 0.15) * of, width: 104, height: 0.55 * of },
          }
        : {
            name: [0, top + place * of + 8],
            bar: { x: 2, y: top + place * of + 16, width: 326, height: 15 },
            output: { x: 2, y: top + place * of + 34, width: 326, height: 14 },
          },
    concat: { x: 2, y: 64, width: 326, height: 24 },
    mixer: { x: 2, y: 110, width: 326, height: 150 },
    mixed: { x: 2, y: 284, width: 326, height: 24 },
    read: { x: 2, y: 26, width: 326, height: 14 },
    look: { x: 2, y: 78, width: 326, height: 18 },
    fact: (place, count) => {
      const y = (goesOn ? 128 : 60) + place * Math.min(35, 140 / count);
      return { name: [2, y], label: [104, y], meter: { x: 104, y: y + 11, width: 222, height: 5 } };
    },
    parts: { top: 229, row: part, name: 96, from: 104, to: 280, number: 328, title: [2, 208] },
  };
}
