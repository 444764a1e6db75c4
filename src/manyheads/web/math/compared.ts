// Two maps beside each other: what of them differs, and which heads moved most.

import type { ShownMap } from "./map-state.ts";
import { alignTokens, attentionMoved, isOfParts, layersOf, perMille, queryWeights } from "./maps.ts";
import { FULL } from "./names.ts";

/**
 * The weights of the second map less those of the first, for the words that both have; `queries` and `keys` are their places in
 * the first.
 */
export function difference(map: ShownMap, compared: ShownMap): ShownMap {
  const asking = alignTokens(map.queryTokens, compared.queryTokens);
  const lookedAt = alignTokens(map.keyTokens, compared.keyTokens);
  const [layers, heads] = map.shape;
  const shape = [layers, heads, asking.length, lookedAt.length];
  const weights = new Float32Array(layers * heads * asking.length * lookedAt.length);
  const present = layersOf(map).filter((layer) => layersOf(compared).includes(layer));
  for (const layer of present)
    for (let head = 0; head < heads; head++)
      asking.forEach(([first, second], query) => {
        const [before, after] = [queryWeights(map, layer, head, first), queryWeights(compared, layer, head, second)];
        const row = ((layer * heads + head) * asking.length + query) * lookedAt.length;
        lookedAt.forEach(([i, j], key) => (weights[row + key] = after[j] - before[i]));
      });
  const places = map.keys ?? [...map.keyTokens.keys()];
  return {
    ...map,
    shape,
    weights,
    present,
    kind: "signed",
    full: isOfParts(map) ? FULL : undefined,
    causal: undefined,
    mask: undefined,
    pictures: undefined,
    queryTokens: asking.map(([first]) => map.queryTokens[first]),
    keyTokens: lookedAt.map(([first]) => map.keyTokens[first]),
    queries: asking.map(([first]) => map.queries[first]),
    keys: lookedAt.map(([first]) => places[first]),
  };
}

/**
 * How much of its attention each head of a layer gives elsewhere in the second sentence, as the mean of the words that both
 * have: [head] -> share. None where weights are no shares.
 */
export function movedHeads(map: ShownMap, compared: ShownMap, layer: number) {
  if (![map, compared].every(isOfParts)) return [];
  const [asking, lookedAt] = [
    alignTokens(map.queryTokens, compared.queryTokens),
    alignTokens(map.keyTokens, compared.keyTokens),
  ];
  return Array.from({ length: map.shape[1] }, (_, head) =>
    perMille(
      asking.reduce(
        (sum, [first, second]) =>
          sum +
          attentionMoved(queryWeights(map, layer, head, first), queryWeights(compared, layer, head, second), lookedAt),
        0,
      ) / Math.max(asking.length, 1),
    ),
  );
}
