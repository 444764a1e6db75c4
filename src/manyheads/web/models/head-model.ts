// What a model is in a page: twins of the protocols in Python.

import type { AttentionMap, HeadMask } from "../math/attention-map.ts";
import type { Machine } from "../math/machine.ts";

/** What is shown of a whole model. */
export interface MachineOptions {
  layer?: number | null; // whose heads are, from 0
  soFar?: boolean; // whether the answers before the last are, true unless given
  soon?: (machine: Machine) => void; // told the last answer, where the others take much longer
  signal?: AbortSignal;
}

/** What shows itself whole; `partMask` is [layer][head + 1], the last of each row the feed-forward part's. */
export interface WholeModel extends HeadModel {
  machine(sentence: string, partMask?: HeadMask, options?: MachineOptions): Machine | Promise<Machine>;
}

/** Whatever makes a map in a page: twin of the head models in Python. */
export interface HeadModel {
  name: string;
  numLayers: number;
  numHeads: number;
  headNames: string[];
  vocabulary?: string[]; // the only words it knows
  broken?: boolean; // nothing more can be computed; a new one has to be loaded
  attend(sentence: string, headMask?: HeadMask, options?: AttendOptions): AttentionMap | Promise<AttentionMap>;
}

/** What pretrained models can do besides. */
export interface AttendOptions {
  signal?: AbortSignal;
  norms?: boolean; // the map has its value norms, if the model knows them
  states?: boolean; // the map has them
  masked?: number[]; // places of tokens that none may look at
  follow?: FollowedWord[]; // the first of them that is there
}

/** A word, by its forms as tokens, and a direction of each layer, the embeddings first: [layer + 1, width]. */
export interface FollowedWord {
  tokens: string[][];
  directions: Float32Array;
}

/** A text as a language model reads it, and how well each token would come next. */
export interface NextWord {
  ids: number[];
  logits: Float32Array; // [token]
  map: AttentionMap;
  secondsPerWord?: number; // that it took, where there were new tokens
}

/** A text and tokens after it that are bytes of a character which isn't whole yet. */
export interface Draft {
  text: string;
  tail: number[];
}

/** What a file is, as its header says: in a line, how many heads it has, and how many bytes of memory its weights take. */
export interface Header {
  line: string;
  numLayers: number;
  numHeads: number;
  bytes: number;
}

/**
 * What a reader learns while a file is opened as a model, and what ends that: `progress` counts bytes, `opened` gets what the file is, and
 * its weights come once that is done.
 */
export interface Opening {
  progress: (done: number, total: number) => void;
  opened: (header: Header) => void | Promise<void>;
  signal: AbortSignal;
  beside?: boolean; // the one that is open stays
}

/** A language model that computes in the page. */
export interface DecoderModel extends HeadModel {
  maxTokens: number;
  endTokens: number[]; // those that end a text
  secondsPerWord?: number; // of its last answer, once that's known
  /** The map of a text, and the scores of what comes next; at the places in `masked`, no other token looks. A text that begins as the one before costs its new tokens only. */
  next(
    text: string | Draft,
    headMask?: HeadMask,
    options?: Pick<AttendOptions, "signal" | "masked" | "norms">,
  ): Promise<NextWord>;
  wordOf(id: number): string; // the text of a token
}
