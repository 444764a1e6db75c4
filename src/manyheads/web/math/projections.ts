// The shapes of a query that is made in three ways; `projections` in Python has the numbers.

import type { Tints } from "./attention-map.ts";
import type { Matrix } from "./attention.ts";

/** What <slice-or-project> shows: the query of one word, made in three ways; see `projections` in Python. */
export interface Projections {
  tokens: string[];
  headNames: string[];
  notes?: string[];
  word: number; // its place among the tokens
  x: Matrix; // [1, d]: the word's numbers
  tints: Tints; // [d, h * d_k]: W^Q
  wide: Matrix; // [h, d_k]: by one matrix for all heads, and then cut
  narrow: Matrix; // [h, d_k]: by each head's own matrix
  sliced: Matrix; // [h, d_k]: by each head's own matrix, from a slice of the word's numbers
}

export interface ProjectionsState {
  sentence: string;
  word: number;
  way: ProjectionWay;
}

export type ProjectionWay = "wide" | "narrow" | "sliced";
