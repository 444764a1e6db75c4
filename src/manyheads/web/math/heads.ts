// Heads beside heads: which look alike, and what some of them add up to. Twin of maps/compared_heads.py.

import type { AttentionMap } from "./attention-map.ts";
import { layersOf, queryWeights } from "./maps.ts";

/**
 * The heads of the layers that are there that look most alike one head, the nearest first: how far `apart` is the mean over
 * queries of the total variation distance, the share of a row that would have to move to make it the other's.
 */
export function similarHeads(map: AttentionMap, layer: number, head: number, count = 5) {
  const [, heads, queries] = map.shape;
  const found = layersOf(map).flatMap((other) => Array.from({ length: heads }, (_, index) => {
    let sum = 0;
    for (let query = 0; query < queries; query++) {
      const [own, its] = [queryWeights(map, layer, head, query), queryWeights(map, other, index, query)];
      for (let key = 0; key < own.length; key++) sum += Math.abs(own[key] - its[key]);
    }
    return { layer: other, head: index, apart: sum / 2 / Math.max(queries, 1) };
  }));
  return found.filter((each) => each.layer !== layer || each.head !== head).sort((a, b) => a.apart - b.apart).slice(0, count);
}

/**
 * Sums of the weights of chosen layers, heads, queries and keys (null for all) along each of these: along an axis, all its
 * places are counted, and of the others those that are chosen. Nothing is scaled.
 */
export function totals(map: AttentionMap, chosen: (number[] | null)[]) {
  const isChosen = chosen.map((places, axis) => Uint8Array.from({ length: map.shape[axis] }, (_, at) => Number(!places || places.includes(at))));
  const sums = map.shape.map((size) => new Float64Array(size));
  const [, heads, queries, keys] = map.shape;
  const [layerOn, headOn, queryOn, keyOn] = isChosen;
  for (const layer of layersOf(map))
    for (let head = 0; head < heads; head++)
      for (let query = 0; query < queries; query++) {
        const left = 3 - layerOn[layer] - headOn[head] - queryOn[query]; // axes on which this row is not chosen
        if (left > 1) continue;
        const row = queryWeights(map, layer, head, query);
        let sum = 0;
        for (let key = 0; key < keys; key++) {
          if (keyOn[key]) sum += row[key];
          if (left === 0) sums[3][key] += row[key];
        }
        if (left === 0 || !layerOn[layer]) sums[0][layer] += sum;
        if (left === 0 || !headOn[head]) sums[1][head] += sum;
        if (left === 0 || !queryOn[query]) sums[2][query] += sum;
      }
  return sums;
}
