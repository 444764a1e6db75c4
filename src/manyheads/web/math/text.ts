// How tokens, shares and models are written for people.

import type { AttentionMap } from "./attention-map.ts";
import { LONE_BYTES, NOTES, PIECE_MARK, RIGHT_TO_LEFT, SPECIAL_TOKEN, WORD_MARKS } from "./names.ts";

const SPECIAL = new RegExp(`^(${SPECIAL_TOKEN})$`);
const BYTE_RUNS = new RegExp(`(${LONE_BYTES})+`, "g");
const ENDS_IN_BYTES = new RegExp(`${LONE_BYTES}$`);
const GOES_ON_IN_BYTES = new RegExp(`^(?=<[89AB])${LONE_BYTES}`);

/** Whether a token is the rest of a word, "##able": shown without the marks and joined to what comes before. */
export const isPiece = (token: string) => token.startsWith(PIECE_MARK) && token.length > PIECE_MARK.length;

/** Whether a token marks a place rather than a piece of the text. */
export const isSpecial = (token: string) => SPECIAL.test(token);

export const readable = (token: string) => (isPiece(token) ? token.slice(PIECE_MARK.length) : token);

/** A token with its space and its line breaks seen; one that nobody sees by its number, such as U+FE0F. */
export const visible = (token: string) =>
  token.replace(/^ /, "\u2423").replace(/\n/g, "\u21b5").replace(UNSEEN, numbered) || "\u2205";

const UNSEEN = /^[\p{Cf}\p{Cc}\p{Variation_Selector}]+$/u;
const numbered = (signs: string) =>
  Array.from(signs, (sign) => `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`).join(" ");

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array) {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

/** What bytes spell in UTF-8; those that make no character in hexadecimal. Twin of `spelled` in shared/tokens.py. */
export function spelled(bytes: Uint8Array<ArrayBuffer>) {
  const whole = decoded(bytes);
  if (whole !== null) return whole;
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const character = [1, 2, 3, 4].map((size) => bytes.subarray(at, at + size)).find((some) => decoded(some) !== null);
    text += character ? decoded(character) : String.fromCharCode(0xdc00 + bytes[at]); // a lone surrogate, as in Python
    at += character?.length ?? 1;
  }
  return text.replace(/[\udc80-\udcff]+/gu, (run) => `<${Array.from(run, hexadecimal).join(" ")}>`);
}

const hexadecimal = (lone: string) => (lone.charCodeAt(0) - 0xdc00).toString(16).toUpperCase();

/** Tokens as one text, in which bytes in hexadecimal make characters again, as `spell` says. */
export const joined = (tokens: string[], spell = spelled) =>
  tokens
    .join("")
    .replace(BYTE_RUNS, (run) => spell(Uint8Array.from(run.match(/\w\w/g) as string[], (byte) => parseInt(byte, 16))));

/** Whether a text ends inside a character, with some of its bytes. */
export const isUnfinished = (text: string) => ENDS_IN_BYTES.test(text);

/** Whether the tokens of a text carry the space before them. */
const areSpaced = (tokens: string[]) => tokens.some((token) => token && WORD_MARKS.includes(token[0]));

/** Tokens as they stand in their text: with the spaces between words, without those that mark places. */
export function wordsOf(tokens: string[]) {
  if (areSpaced(tokens)) return tokens;
  return tokens.map((token, at) => (isSpecial(token) ? "" : (isPiece(token) || at === 1 ? "" : " ") + readable(token)));
}

const [SHORT, BEGIN] = [60, 40]; // signs of a text that is named whole, and of how a longer one begins

/** The text of the tokens from `first` to `last`; of a long one, how it begins and ends. */
export function textOf(tokens: string[], first: number, last: number) {
  const texts = tokens.slice(first, last + 1);
  const whole = joined(areSpaced(tokens) ? texts : texts.map((each) => (isPiece(each) ? readable(each) : ` ${each}`)));
  const signs = Array.from(whole.replace(ALL_WORD_MARKS, " ").trim() || whole);
  if (signs.length <= SHORT) return signs.join("");
  return `${signs.slice(0, BEGIN).join("").trimEnd()} … ${signs
    .slice(BEGIN + 1 - SHORT)
    .join("")
    .trimStart()}`;
}

/** Where a text stands among tokens: [first, last] each; where it's made of whole words, only there. Twin of `find_words` in shared/tokens.py. */
export function findWords(tokens: string[], text: string): [number, number][] {
  const starts = new Set([...wordStarts(tokens), tokens.length]);
  for (const spell of [(each: string) => each, (each: string) => each.toLowerCase()]) {
    const wanted = spell(unspaced([text]));
    const found = [...tokens.keys()]
      .map((first): [number, number] => [first, endOf(tokens, first, wanted, spell)])
      .filter(([, last]) => last >= 0);
    const whole = found.filter(([first, last]) => starts.has(first) && starts.has(last + 1));
    if (found.length) return whole.length ? whole : found;
  }
  return [];
}

/** The last of the tokens from `first` on that are the text, -1 where none are. */
function endOf(tokens: string[], first: number, wanted: string, spell: (text: string) => string) {
  if (!unspaced([tokens[first]])) return -1;
  for (let last = first; last < tokens.length; last++) {
    const text = unspaced(tokens.slice(first, last + 1));
    if (spell(text) === wanted) return last;
    if (!wanted.startsWith(spell(text)) && !isUnfinished(tokens[last])) return -1;
  }
  return -1;
}

const unspaced = (tokens: string[]) => joined(tokens.map(readable)).replace(/\s/g, "").replace(ALL_WORD_MARKS, "");

const OF_RIGHT_TO_LEFT = new RegExp(RIGHT_TO_LEFT, "u");
const BEGINS_RIGHT_TO_LEFT = new RegExp(`^\\P{L}*${RIGHT_TO_LEFT}`, "u");

const directions = new WeakMap<string[], "rtl" | "ltr">(); // a grid asks for each head

/** How the tokens of a text run, by its first letter. */
export function directionOf(tokens: string[]) {
  const known = directions.get(tokens);
  if (known) return known;
  const found = directionOfText(
    joined(tokens.filter((token) => !isSpecial(token)))
      .replace(BYTE_RUNS, "")
      .replace(ALL_WORD_MARKS, " "),
  );
  directions.set(tokens, found);
  return found;
}

/** How a text runs, by its first letter. */
export const directionOfText = (text: string) => (BEGINS_RIGHT_TO_LEFT.test(text) ? "rtl" : "ltr");

/** A text to stand among others, which it does not turn round: between invisible marks, where it has to be. */
export const isolated = (text: string) => (OF_RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/** A token as a sentence quotes it, without the space that a decoder's begin with. */
export const inQuotes = (token: string) => `“${isolated(readable(token).trim() || readable(token))}”`;

/** A share of 1 in per cent, to a tenth below ten. */
export const percent = (share: number) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}\u00a0%`; // they stay on one line

/** A weight that is no share, to about three digits; `signed`, with its sign. */
export function amount(value: number, signed = false) {
  const size = Math.abs(value);
  const sign = value < 0 ? "\u2212" : signed && value > 0 ? "+" : "";
  return sign + size.toFixed(size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
}

/** A weight of a map as people read it. */
export const weightText = ({ kind = "shares" }: Pick<AttentionMap, "kind">, weight: number) =>
  kind === "shares" || kind === "parts" ? percent(weight) : amount(weight, kind === "signed");

/** A sentence with another word in the place of one, given in small letters; null where it isn't there as a whole word. */
export function withWord(sentence: string, word: string, other: string) {
  const found = [...sentence.matchAll(/[^\s.,;:!?"“”]+/gu)].find(([written]) => written.toLowerCase() === word);
  return found ? sentence.slice(0, found.index) + other + sentence.slice(found.index + found[0].length) : null;
}

/** One of the shared notes, with its values. */
export const note = (name: keyof typeof NOTES, values: Record<string, string | number> = {}) =>
  filled(NOTES[name], values);

/** A sentence with what stands in it in curly brackets: twin of Python's `format`. */
export const filled = (sentence: string, values: Record<string, string | number>) =>
  sentence.replace(/\{(\w+)\}/g, (_, key) => String(values[key]));

/**
 * The places at which words begin: all but those of tokens that go on with the word before. A token goes on if it begins with
 * "##"; where tokens carry the space before them, if letters or digits meet, or an apostrophe stands between letters, a point or
 * comma between digits; and as bytes of the same character.
 */
export function wordStarts(tokens: string[]) {
  const inside = areSpaced(tokens) ? insideWords(tokens) : null;
  return [...tokens.keys()].filter(
    (place) => place === 0 || !(inside?.has(place) || goesOn(tokens[place - 1], tokens[place])),
  );
}

function goesOn(before: string, token: string) {
  if (isSpecial(before) || isSpecial(token)) return false;
  return isPiece(token) || (isUnfinished(before) && GOES_ON_IN_BYTES.test(token));
}

/** The places of tokens that begin inside a word of the text. */
function insideWords(tokens: string[]) {
  const texts = tokens.map((token) => (isSpecial(token) ? " " : token));
  const words = texts.join("").replace(ALL_WORD_MARKS, " ").matchAll(WORD);
  let [begin, word] = [0, words.next()];
  const inside = new Set<number>();
  texts.forEach((text, place) => {
    while (!word.done && word.value.index + word.value[0].length <= begin) word = words.next();
    if (!word.done && word.value.index < begin) inside.add(place);
    begin += text.length;
  });
  return inside;
}

/** What joins the letters and digits of a word. */
const WORD = /(?:[\p{L}\p{M}]+(?:['\u2019][\p{L}\p{M}]+)*|\p{N}+(?:[.,]\p{N}+)*)+/gu;
const ALL_WORD_MARKS = new RegExp(`[${WORD_MARKS}]`, "g");

/** Text for the inside of HTML or XML and their attributes. */
export const escaped = (text: string) => text.replace(/[&"<>]/g, (sign) => `&#${sign.codePointAt(0)};`);

/** A sentence's or a title's first letter, large. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
