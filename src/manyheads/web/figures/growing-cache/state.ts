// What a <growing-cache> knows: a text, how much of it is written, and what each of its words takes. No DOM.

import { OPEN, press, tell, type Guess } from "../../views/guess.ts";

const BYTES = 2; // a number's

export interface State {
  words: string[];
  layers: number;
  width: number; // of a head
  heads: number; // of keys and values
  count: number; // words that are written
  guess: Guess;
}

export type Action =
  | { type: "write" } // another word
  | { type: "restart" }
  | { type: "guess"; pressed: number | null } // and it's played from the start
  | { type: "share"; heads: number };

export function start(element: HTMLElement): State {
  const [layers, width, heads] = ["layers", "width", "heads"].map((name) => Number(element.getAttribute(name)));
  const words = (element.getAttribute("words") ?? "").split(" ").filter(Boolean);
  return { words, layers, width, heads, count: 1, guess: OPEN };
}

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "write":
      return isWhole(state) ? state : withVerdict({ ...state, count: state.count + 1 });
    case "restart":
      return { ...state, count: 1 };
    case "guess":
      return withVerdict({ ...state, count: 1, guess: press(state.guess, action.pressed) });
    case "share":
      return { ...state, heads: action.heads };
  }
}

/** At the last word the walls have answered. */
const withVerdict = (state: State): State => (isWhole(state) ? { ...state, guess: tell(state.guess) } : state);

export const isWhole = ({ count, words }: State) => count === words.length;

/** What a cache of so many tokens takes: a key and a value of every head of every layer. */
export const bytesOf = ({ layers, heads, width }: State, tokens: number) => 2 * layers * heads * width * BYTES * tokens;

/** Bricks of a wall, for each written word: how often its keys and values were computed, and whether for the last one as well. */
export type Bricks = [count: number, isNew: boolean][];

export const withCache = ({ count }: State): Bricks => Array.from({ length: count }, (_, at) => [1, at === count - 1]);

export const without = ({ count }: State): Bricks => Array.from({ length: count }, (_, at) => [count - at, true]);

/** What a wall comes to, in words. */
export function sumOf(bricks: Bricks) {
  const now = bricks.filter(([, isNew]) => isNew).length;
  const sum = bricks.reduce((all, [count]) => all + count, 0);
  return `keys and values of ${now} ${now === 1 ? "word" : "words"} computed for the last one, ${sum} so far.`;
}
