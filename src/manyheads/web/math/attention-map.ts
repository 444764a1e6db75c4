// The shapes of a map: twins of those in Python's maps/.

import type { Matrix } from "./attention.ts";
import type { AttentionEdge, ScoreParts } from "./score-parts.ts";

/** Name -> label -> probability. */
export type Predictions = Record<string, Record<string, number>>;

/** Twin of `AttentionMap` in Python: which token looks at which, for every head of every layer. */
export interface AttentionMap {
  queryTokens: string[];
  keyTokens: string[];
  shape: number[]; // [layers, heads, queries, keys]
  weights: Float32Array;
  headNames: string[];
  layerNames?: string[]; // where they are not counted from "layer 1"
  namedLayer?: number; // whose heads `headNames` name, where those of the others have no names; it opens first
  predictions: Predictions;
  states?: Matrix; // [layer + 1, word, width], the embeddings first, where they were requested
  pushes?: Pushes & { word: number }; // of one of the words that were to be followed, by its number, where one of them is there
  notes?: string[];
  causal?: boolean; // no query may look at a later key
  mask?: ArrayLike<number>; // [query * key]: 0 where a query may not look
  valueNorms?: ArrayLike<number> | null; // [layer, head, key]: how long the vector is that a head writes from a token with all of its weight; null where the model tells only if it's asked
  written?: string; // by a model that writes, such as a translation
  kind?: string; // one of the kinds of names.json; "shares" unless said
  present?: number[]; // the layers whose weights are there; all, unless a kernel has sent some only
  pictures?: Tints; // of all heads, where not all layers are there
  picture?: PatchPicture; // what the model looked at in patches
  answerStart?: number; // the key with which what the model wrote begins, after a prompt
  sources?: Source[]; // parts of the text that have names
  final?: boolean; // there is nobody to ask for other layers
  scoreParts?(edge: AttentionEdge): ScoreParts | Promise<ScoreParts>; // why a head looks there, by a model in the page that can tell
  withoutEach?(sources: Source[]): Promise<Mattered>[]; // what each source is for, by a model that can tell
  computed?: number; // how many-th map a kernel has sent
}

/** What moves a word along a direction of each layer: what its heads take from each token, [layer][head][key], and the rest. */
export interface Pushes {
  values: number[][][];
  rest: number[];
}

/** Twin of `Source` in Python: the keys of a named part of the text, and how many tokens each stands for. */
export interface Source {
  name: string;
  places: number[];
  sizes: number[];
}

/** What a source is for: the likeliest next token, and its probability with all sources and without this one. */
export interface Mattered {
  answer: string;
  probability: number;
  without: number;
}

/** Twin of `Picture` in Python: its patches are the keys from `keyStart` on of the computed map, row after row, or as `places` says. */
export interface PatchPicture {
  src?: string; // a data URL; or else
  ink?: ArrayLike<number>; // how dark each pixel is, row by row, 1 is ink
  rows: number;
  columns: number;
  width: number; // in pixels
  height: number;
  keyStart: number;
  queryStart: number | null; // where patches ask as well; null where others do
  places?: (number | null)[]; // how far after the start the patch of each cell is; null where it has none
}

/** The tints of all heads, -127 to 127: [layer, head, y, x]. */
export interface Tints {
  shape: number[];
  tints: Int8Array;
}

/** [layer][head] -> whether it is on; null for all on. */
export type HeadMask = boolean[][] | null;
