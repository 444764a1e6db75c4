// What a cache keeps of a text: twin of `cache_bytes` in models/focus/kinds.py, which gives the sizes.

/** What a layer's cache holds: so many numbers of each word, of `most` words at most, and so many however long the text is. */
export interface Cache {
  each: number;
  most: number | null;
  always: number;
}

const BYTES = 2; // a number's

export const bytesOf = ({ each, most, always }: Cache, words: number) =>
  BYTES * (always + each * Math.min(words, most ?? words));
