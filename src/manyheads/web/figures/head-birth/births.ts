// How far two kinds of heads have come on a text: the one that looks at the character just before, and the one that looks at what
// followed the same character earlier. On sequences made for it, measures.py scores them.

import type { AttentionMap } from "../../math/attention-map.ts";
import { queryWeights } from "../../math/maps.ts";

/** How much of its attention each head of layer 1 gives the character just before; null where the text has but one. */
export const previousScores = (map: AttentionMap) => scores(map, 0, (query) => (query ? [query - 1] : []));

/** How much each head of the last layer gives what followed the same character earlier; null where nothing repeats, and where there is one layer. */
export function inductionScores(map: AttentionMap) {
  const {
    queryTokens: characters,
    shape: [layers],
  } = map;
  const followers = (query: number) =>
    characters.slice(0, query).flatMap((character, at) => (character === characters[query] ? [at + 1] : []));
  return layers > 1 ? scores(map, layers - 1, followers) : null;
}

/** The sum of what each head of a layer gives to the keys that are `wanted(query)`, on average over the queries that have any. */
function scores(map: AttentionMap, layer: number, wanted: (query: number) => number[]) {
  const queries = map.queryTokens.map((_, query) => [query, wanted(query)] as const).filter(([, keys]) => keys.length);
  if (!queries.length) return null;
  return map.headNames.map((_, head) =>
    queries.reduce((sum, [query, keys]) => {
      const weights = queryWeights(map, layer, head, query);
      return sum + keys.reduce((given, key) => given + weights[key], 0) / queries.length;
    }, 0),
  );
}
