// What a <word-shuffle> knows: the words of its map in their reader's order and in another, and what that changes. No DOM.

import type { AttentionMap } from "../../math/attention-map.ts";
import { likeliest } from "../../math/maps.ts";
import { capital, percent } from "../../math/text.ts";
import { OPEN, press, tell, type Guess } from "../../views/guess.ts";

/** A sentence as its reader wrote it, and shuffled. */
export interface Orders {
  original: string;
  shuffled: string;
}

export interface State {
  models: string[]; // of the map
  wanted: Orders | null; // that were compared last, or will be
  shown: Orders | null; // by the map; null where the words stand in their reader's order
  changes: string[]; // what they change in each model
  right: number | null; // the answer that the first model bears out
  guess: Guess;
}

export type Action =
  | { type: "follow"; models: string[]; sentence: string } // of the map
  | { type: "guess"; pressed: number | null; orders: Orders }
  | { type: "shuffle"; orders: Orders }
  | { type: "undo" }
  | { type: "show"; maps: AttentionMap[] }; // two of each model, of the one order and the other

export const start = (): State => ({ models: [], wanted: null, shown: null, changes: [], right: null, guess: OPEN });

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "follow":
      return { ...(action.sentence === state.shown?.shuffled ? state : ended(state)), models: action.models };
    case "guess":
      return { ...state, wanted: action.orders, guess: press(state.guess, action.pressed) };
    case "shuffle":
      return { ...state, wanted: action.orders };
    case "undo":
      return ended(state);
    case "show":
      return compared(state, action.maps);
  }
}

const ended = (state: State): State => ({ ...state, shown: null, changes: [] });

function compared({ wanted, guess, models }: State, maps: AttentionMap[]): State {
  const changes = maps.flatMap((map, at) => (at % 2 ? changesOf(maps[at - 1], map) : []));
  return { models, wanted, shown: wanted, changes, right: noticed(maps[0], maps[1]), guess: tell(guess) };
}

/** The words that a map shows in another order. */
export function reordered({ shown }: State, sentence: string): Orders {
  const original = shown?.original ?? sentence;
  return { original, shuffled: shuffled(wordsOf(original), wordsOf(sentence)).join(" ") };
}

/** The words and signs of a text: "Tea, please!" gives ["Tea", ",", "please", "!"]. */
export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}'’]+|[^\s\p{L}\p{M}\p{N}'’]/gu) ?? [];

/** The same words in another order, if they have one, and not in the one that is shown already, if they have a third (Fisher and Yates). */
export function shuffled(words: string[], shown = words): string[] {
  if (new Set(words).size < 2) return words;
  const order = [...words];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  const differsFrom = (known: string[]) => order.some((word, at) => word !== known[at]);
  const isNew = differsFrom(words) && (differsFrom(shown) || words.length === 2);
  return isNew ? order : shuffled(words, shown);
}

/** Where each token of one order stands in the other, the second of its kind where the second is; null if some is missing. */
export function places(tokens: string[], others: string[]) {
  const placesOf = new Map<string, number[]>(); // in the other order
  others.forEach((token, place) => placesOf.set(token, [...(placesOf.get(token) ?? []), place]));
  const found = tokens.flatMap((token) => placesOf.get(token)?.shift() ?? []);
  return found.length === tokens.length && tokens.length === others.length ? found : null;
}

type Weights = Pick<AttentionMap, "queryTokens" | "weights">;
type Predicted = Pick<AttentionMap, "predictions">;

/** The largest change of any weight between two maps of the same tokens in different order; null if the tokens differ. */
export function largestChange(one: Weights, other: Weights) {
  const to = places(one.queryTokens, other.queryTokens);
  if (!to) return null;
  const count = to.length;
  let largest = 0;
  one.weights.forEach((weight, at) => {
    const [key, query, map] = [at % count, Math.floor(at / count) % count, Math.floor(at / count / count)];
    largest = Math.max(largest, Math.abs(weight - other.weights[(map * count + to[query]) * count + to[key]]));
  });
  return largest;
}

/** What the two maps conclude differently: ["sentiment: positive, then negative", ...]. */
export const conclusions = (one: Predicted, other: Predicted) =>
  Object.keys(one.predictions)
    .map((name) => [name, likeliest(one.predictions[name])[0], likeliest(other.predictions[name])[0]])
    .filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => `${name}: ${before}, then ${after}`);

/** Which of the answers a shuffle bears out. */
function noticed(one: AttentionMap, other: AttentionMap) {
  const change = largestChange(one, other);
  return change === null ? null : conclusions(one, other).length ? 2 : Number(percent(change) !== percent(0));
}

/** What a shuffle changes in a model, as a sentence. */
function changesOf(one: AttentionMap, other: AttentionMap) {
  const change = largestChange(one, other);
  if (change === null) return "the text is too long for it.";
  const weights = percent(change) === percent(0) ? "no weight changes" : `a weight changes by ${percent(change)}`;
  return `${weights}. ${conclusions(one, other).map(capital).join("; ") || "No conclusion changes"}.`;
}
