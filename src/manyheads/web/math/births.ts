// How far two kinds of heads have come on a text: the one that looks at the character just before, and the one that looks at what
// followed the same character earlier. On sequences made for it, measures.py scores them.

import type { AttentionMap } from "./attention-map.ts";
import { queryWeights } from "./maps.ts";

/** A head as [layer, head], and how much of its attention goes where its name says. */
export interface Found {
  place: number[];
  score: number;
}

/** The strongest previous-token head of layer 1; null where the text has one character. */
export const strongestPrevious = (map: AttentionMap) => strongest(map, 0, (query) => (query ? [query - 1] : []));

/** The strongest induction head of the last layer; null where nothing repeats, and where there is one layer. */
export const strongestInduction = (map: AttentionMap) => {
  const { queryTokens: characters, shape: [layers] } = map;
  const followers = (query: number) => characters.slice(0, query).flatMap((character, at) => (character === characters[query] ? [at + 1] : []));
  return layers > 1 ? strongest(map, layers - 1, followers) : null;
};

/** The head of a layer that gives most to the keys that are `wanted(query)`, on average over the queries that have any. */
function strongest(map: AttentionMap, layer: number, wanted: (query: number) => number[]): Found | null {
  const asked = map.queryTokens.map((_, query) => [query, wanted(query)] as const).filter(([, keys]) => keys.length);
  if (!asked.length) return null;
  const scores = map.headNames.map((_, head) => asked.reduce((sum, [query, keys]) => {
    const weights = queryWeights(map, layer, head, query);
    return sum + keys.reduce((given, key) => given + weights[key], 0) / asked.length;
  }, 0));
  const score = Math.max(...scores);
  return { place: [layer, scores.indexOf(score)], score };
}
