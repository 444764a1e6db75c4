// From text to tokens as Python makes them. The page's tokenizer and Python's are two libraries; where they differ, the text is
// changed before it is read. tests/fast/web/test_tokens.py holds the two equal, character by character and on hostile texts.

import { EMPTY, FOREIGN, LONGEST_TOKEN, NOTES } from "../math/names.ts";
import { isPiece, note, readable } from "../math/text.ts";
import type { Tokenizer } from "@huggingface/tokenizers";

/** A letter that no word of the vocabulary has: the word it stands in is unknown. */
const UNKNOWN = "ꙮ";
/** Marks, signs and controls that are newer than Unicode 8, by which Python's tokenizer goes: letters to it, that it does not know. */
const NEWER_LETTERS = [
  "\\u061d\\u07fd\\u0890-\\u08e2\\u09fd-\\u09fe\\u0a76\\u0afa-\\u0aff\\u0b55\\u0c04-\\u0c3c\\u0c77\\u0c84\\u0d00\\u0d3b-\\u0d3c\\u0d81",
  "\\u0eba\\u0ece\\u180f-\\u1886\\u1abf-\\u1aeb\\u1b4e-\\u1b4f\\u1b7d-\\u1b7f\\u1df6-\\u1dfb\\u2e43-\\u2e5d\\ua82c\\ua8c5\\ua8ff\\ua9bd",
  "\\u{10d24}-\\u{10f89}\\u{11070}-\\u{11074}\\u{110c2}-\\u{110cd}\\u{111cf}\\u{1123e}-\\u{11241}\\u{1133b}\\u{113bb}-\\u{1145e}",
  "\\u{11660}-\\u{1166c}\\u{116b9}\\u{1182f}-\\u{11fff}\\u{12ff1}-\\u{12ff2}\\u{13430}-\\u{13455}\\u{1611e}-\\u{1612f}",
  "\\u{16d6d}-\\u{16f4f}\\u{16fe2}-\\u{16fe4}\\u{1cf00}-\\u{1cf46}\\u{1e000}-\\u{1e2ef}\\u{1e4ec}-\\u{1e6f5}\\u{1e944}-\\u{1e95f}",
].join("");
// eslint-disable-next-line no-misleading-character-class -- each mark is meant alone
const NEWER = new RegExp(`[${NEWER_LETTERS}]`, "gu");

/** A text as the page's tokenizer has to read it. */
const tidy = (text: string) =>
  text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll("Σ", "σ") // also at the end of a word
    .replace(NEWER, UNKNOWN)
    .replace(/[\u1734\u{1171e}]/gu, "") // marks in Unicode 8, no longer
    .replace(/[\u166d\u{111c9}]/gu, ` ${UNKNOWN} `) // signs then
    .replace(/[\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu, " $& "); // each a word

type Which = "first" | "last";

/**
 * The start of a text, or its end, which has all that so many tokens may be of, and a note where more is left out: a page that
 * is pasted is not cut into tokens at every keystroke. Twin of `within_reach` in models/white_space.py.
 */
export const withinReach = (text: string, tokens: number, which: Which = "first") =>
  only(text, LONGEST_TOKEN * tokens, which);

/** So many characters of a text, the first or the last, and a note where it has more: twin of `only` in models/white_space.py. */
export function only(text: string, count: number, which: Which = "first"): { text: string; notes: string[] } {
  const signs = Array.from(which === "first" ? text.slice(0, 2 * count + 1) : text.slice(-2 * count - 1)); // of at most two code units
  if (signs.length <= count) return { text, notes: [] };
  const kept = which === "first" ? signs.slice(0, count) : signs.slice(-count);
  return { text: kept.join(""), notes: [note("cut", { which, count })] };
}

/**
 * The tokens of a text, at most so many: their ids, [CLS] and [SEP] included, their texts, and notes about what was left out,
 * which `tooMany` writes.
 */
function tokensOf(tokenizer: Tokenizer, text: string, most: number, tooMany: (count: number) => string) {
  const notes: string[] = [];
  let { ids } = tokenizer.encode(tidy(text));
  if (ids.length > most) {
    notes.push(tooMany(ids.length));
    ids = [...ids.slice(0, most - 1), ids[ids.length - 1]];
  }
  if (ids.length === 2) notes.push(EMPTY);
  return { ids, tokens: ids.map((id) => tokenizer.id_to_token(id) as string), notes };
}

// What Python's str.split() takes for white space; JavaScript's \s differs.
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** The parts of a text between white space: twin of models/white_space.py. */
export const splitAtSpace = (text: string) => text.split(SPACE).filter(Boolean);

/** The tokens of a text for a focus model: twin of models/focus/tokens.py. */
export function focusTokens(tokenizer: Tokenizer, text: string, config: Record<string, any>) {
  const { max_words: maxWords, max_tokens: maxTokens } = config;
  const { text: start, notes } = withinReach(text, maxTokens);
  const words = splitAtSpace(start.replace(/\p{Surrogate}/gu, "?"));
  const read = tokensOf(
    tokenizer,
    words.slice(0, maxWords).join(" "),
    maxTokens,
    (count) => `Only the first ${maxTokens - 2} of ${count - 2} word pieces are shown.`,
  );
  const cut = words.length > maxWords ? [`Only the first ${maxWords} of ${words.length} words are shown.`] : [];
  return { ...read, notes: [...notes, ...cut, ...read.notes, ...hintsOf(read.tokens.slice(1, -1))] };
}

/** What a reader should know of these tokens: twin of `hints` in models/focus/tokens.py. */
function hintsOf(tokens: string[]) {
  const words: string[][] = []; // each by its pieces
  for (const token of tokens)
    if (words.length && isPiece(token)) words[words.length - 1].push(readable(token));
    else if (!/^[!-/:-@[-`{-~]$/.test(token)) words.push([token]);
  const cut = words.filter(({ length }) => length > 1);
  const fresh =
    cut.length + words.filter(([word, ...more]) => !more.length && (word === "[UNK]" || FOREIGN.includes(word))).length;
  if (words.length && 5 * fresh >= 2 * words.length) return [NOTES.doubt];
  const found = cut.slice(0, 1).map((pieces) => note("pieces", { word: pieces.join(""), pieces: pieces.join(" + ") }));
  return tokens.includes("[UNK]") ? [...found, NOTES.unknown] : found;
}

/** The tokens of a text for the encoder: twin of models/encoder/head_model.py. */
export function encoderTokens(tokenizer: Tokenizer, text: string, most: number) {
  const { text: start, notes } = withinReach(text, most);
  const read = tokensOf(
    tokenizer,
    start,
    most,
    (count) => `This model reads at most ${most} tokens; the last ${count - most} are left out.`,
  );
  return { ...read, notes: [...notes, ...read.notes] };
}
