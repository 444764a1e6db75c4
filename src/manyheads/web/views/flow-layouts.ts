// Where things stand in <attention-flow>, in units of about a pixel: side by side on a desk, one below the other on a phone.

import type { Box } from "./flow-ink.ts";

export interface Layout {
  name: string;
  width: number;
  height: number;
  top: number; // of the first row
  row: number; // the height of one
  letters: number; // of a word, at most
  word: number; // where words end
  X: [Box, Box]; // the words' vectors: large at first, then small beside their keys
  K: Box; // keys, and later values
  query: Box; // at rest
  axis: number; // where a score of 0 is
  reach: number; // how far the largest score goes from there
  score: number; // where its number ends
  weight: [number, number]; // where a weight's number ends: beside the scores, beside the values
  share: number; // where a bar of weight begins; 100 % are `full` long
  full: number;
  bar: Box; // the bar of 100 %
  output: Box; // what the head found
  head(place: number, count: number): { name: [number, number], bar: Box, output: Box };
  concat: Box;
  mixer: Box; // W^O
  mixed: Box;
  read: Box; // the output once more, from which the answer is read
  fact(place: number, count: number): { name: [number, number], label: [number, number], meter: Box };
  parts: { top: number, row: number, name: number, axis: number, reach: number, number: number, title: [number, number] };
}

export function wide(tokens: number, heads: number): Layout {
  const row = tokens <= 12 ? 28 : Math.max(15, 336 / tokens);
  const [top, rows] = [56, Math.max(row * tokens, 336)];
  const of = Math.min(70, 330 / heads);
  const part = Math.min(34, 250 / (heads + 2));
  return {
    name: "af-wide", width: 760, height: top + rows + 14, top, row, letters: 13, word: 94,
    X: [{ x: 106, y: top, width: 646, height: row * tokens }, { x: 106, y: top, width: 74, height: row * tokens }],
    K: { x: 198, y: top, width: 150, height: row * tokens },
    query: { x: 198, y: 18, width: 150, height: 18 },
    axis: 412, reach: 40, score: 505, weight: [552, 396], share: 560, full: 20,
    bar: { x: 592, y: top, width: 26, height: 336 },
    output: { x: 646, y: top + 154, width: 106, height: 28 },
    head: (place) => ({
      name: [128, top + 40 + place * of + 0.5 * of],
      bar: { x: 140, y: top + 40 + place * of + 0.5 * of - 13, width: 400, height: 18 },
      output: { x: 560, y: top + 40 + place * of + 0.5 * of - 15, width: 192, height: 22 },
    }),
    concat: { x: 60, y: 110, width: 640, height: 26 },
    mixer: { x: 60, y: 166, width: 640, height: 110 },
    mixed: { x: 60, y: 306, width: 640, height: 26 },
    read: { x: 60, y: 34, width: 640, height: 16 },
    fact: (place, count) => {
      const y = 100 + place * Math.min(72, 300 / count);
      return { name: [24, y], label: [24, y + 20], meter: { x: 24, y: y + 28, width: 250, height: 6 } };
    },
    parts: { top: 134, row: part, name: 450, axis: 480, reach: 200, number: 752, title: [340, 100] },
  };
}

export function narrow(tokens: number, heads: number): Layout {
  const row = tokens <= 12 ? 26 : Math.max(15, 312 / tokens);
  const [top, rows] = [50, Math.max(row * tokens, 312)];
  const of = Math.min(84, 340 / heads);
  const part = Math.min(26, 200 / (heads + 2));
  return {
    name: "af-narrow", width: 330, height: top + rows + 76, top, row, letters: 9, word: 66,
    X: [{ x: 72, y: top, width: 256, height: row * tokens }, { x: 72, y: top, width: 30, height: row * tokens }],
    K: { x: 110, y: top, width: 84, height: row * tokens },
    query: { x: 110, y: 16, width: 84, height: 16 },
    axis: 232, reach: 26, score: 296, weight: [296, 236], share: 262, full: 30,
    bar: { x: 302, y: top, width: 24, height: 312 },
    output: { x: 110, y: top + rows + 34, width: 216, height: 26 },
    head: (place) => ({
      name: [0, top + place * of + 14],
      bar: { x: 2, y: top + place * of + 22, width: 326, height: 16 },
      output: { x: 2, y: top + place * of + 42, width: 326, height: 16 },
    }),
    concat: { x: 2, y: 74, width: 326, height: 24 },
    mixer: { x: 2, y: 126, width: 326, height: 110 },
    mixed: { x: 2, y: 264, width: 326, height: 24 },
    read: { x: 2, y: 26, width: 326, height: 14 },
    fact: (place, count) => {
      const y = 66 + place * Math.min(40, 170 / count);
      return { name: [2, y], label: [112, y], meter: { x: 112, y: y + 6, width: 216, height: 5 } };
    },
    parts: { top: 262, row: part, name: 96, axis: 122, reach: 140, number: 328, title: [2, 242] },
  };
}
