// Two maps beside each other: what of them differs, and which heads moved most.

import type { AttentionMap, Predictions } from "./attention-map.ts";
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
 * How much of its attention each head of a layer gives elsewhere in the second map, as the mean of the words that both have: [head] ->
 * share. None where weights are no shares. Of equal tokens, twin of `AttentionMap.moved`.
 */
export function headsMoved(map: AttentionMap, compared: AttentionMap, layer: number) {
  if (![map, compared].every(isOfParts)) return [];
  const [asking, lookedAt] = [
    alignTokens(map.queryTokens, compared.queryTokens),
    alignTokens(map.keyTokens, compared.keyTokens),
  ];
  return Array.from({ length: map.shape[1] }, (_, head) => {
    const moved = asking.map(([first, second]) =>
      attentionMoved(queryWeights(map, layer, head, first), queryWeights(compared, layer, head, second), lookedAt),
    );
    return moved.reduce((sum, each) => sum + each, 0) / Math.max(asking.length, 1);
  });
}

/** The same as it's told. */
export const movedHeads = (map: AttentionMap, compared: AttentionMap, layer: number) =>
  headsMoved(map, compared, layer).map(perMille);

/** Two models' maps of one text: how far each head moved, counted through all layers, none where they cut it into other tokens; and what each predicts. */
export interface Apart {
  heads: number[];
  predictions: [Predictions, Predictions];
}

export function apartOf(map: AttentionMap, compared: AttentionMap): Apart {
  const isAlike = String(map.keyTokens) === String(compared.keyTokens);
  return {
    heads: isAlike ? layersOf(map).flatMap((layer) => headsMoved(map, compared, layer)) : [],
    predictions: [map.predictions, compared.predictions],
  };
}

/** How far each head moved, on average over several texts; none without any. */
export const averageOf = (texts: Apart[]) =>
  (texts[0]?.heads ?? []).map((_, at) => texts.reduce((sum, { heads }) => sum + heads[at], 0) / texts.length);
