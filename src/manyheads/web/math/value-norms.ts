// How much heads write: the norms of their values through W^O, and maps whose weights are multiplied by them (Kobayashi et al.
// 2020, arXiv:2004.10102). Twin of `norms` in reading/value_norms.py and of `AttentionMap.value_weighted`.

import type { AttentionMap } from "./attention-map.ts";
import { transpose } from "./attention.ts";
import type { Matrix } from "./attention.ts";
import { addNote } from "./choosing.ts";
import { layersOf, isOfShares, queryWeights } from "./maps.ts";
import { OPTIONS } from "./options.ts";

/** How long the vector is that each head writes from each word with all of its weight: V [k, h * d_v], W^O [d, h * d_v] -> [h, k]. */
export function valueNorms(V: Matrix, output: Matrix, numHeads: number) {
  const [length, width] = V.shape;
  const own = width / numHeads;
  const rows = transpose(output); // [h * d_v, d]
  const size = rows.shape[1];
  const norms = new Float32Array(numHeads * length);
  const vector = new Float64Array(size);
  for (let head = 0; head < numHeads; head++)
    for (let key = 0; key < length; key++) {
      vector.fill(0);
      for (let column = head * own; column < (head + 1) * own; column++) {
        const value = V.values[key * width + column];
        for (let d = 0; d < size; d++) vector[d] += value * rows.values[column * size + d];
      }
      norms[head * length + key] = Math.sqrt(vector.reduce((sum, value) => sum + value ** 2, 0));
    }
  return norms;
}

/** Whether it can be shown how much is written: the norms and the weights of all layers can be had. */
export const canWeigh = (map: AttentionMap) =>
  map.valueNorms !== undefined && isOfShares(map) && !(map.final && layersOf(map).length < map.shape[0]);

/** The map of how much each head writes from each token: weights times norms, as amounts; of the layers that are there. */
export function weighByNorms(map: AttentionMap): AttentionMap & { weighed: true } {
  const {
    shape: [, heads, queries, keys],
    valueNorms: norms,
  } = map;
  if (!norms) throw new Error("this map has no value norms");
  const weighted = {
    ...map,
    weights: new Float32Array(map.weights.length),
    kind: "amounts",
    weighed: true as const,
    valueNorms: undefined,
    pictures: undefined,
  };
  for (const layer of layersOf(map))
    for (let head = 0; head < heads; head++) {
      const from = (layer * heads + head) * keys;
      for (let query = 0; query < queries; query++) {
        const into = queryWeights(weighted, layer, head, query);
        queryWeights(map, layer, head, query).forEach((weight, key) => (into[key] = weight * norms[from + key]));
      }
    }
  return addNote(weighted, OPTIONS.weigh.values.written.note);
}
