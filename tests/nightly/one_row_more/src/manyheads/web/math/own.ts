// A map without what each token gives itself.

import { eachRow, addNote, type Chosen } from "./choosing.ts";
import { isOfShares } from "./maps.ts";
import { OPTIONS } from "./options.ts";

/** The map of the same tokens on both sides without what a token gives itself, rows scaled to sum to 1 again. */
export function withoutOwn(map: Chosen) {
  const left = { ...map, weights: map.weights.slice() };
  eachRow(left, (row, _layer, _head, query) => {
    row[query] = 0;
    const sum = row.reduce((a, b) => a + b, 0);
    if (isOfShares(map) && sum > 0) row.forEach((weight, key) => (row[key] = weight / sum));
  });
  return addNote(left, OPTIONS.own.values.remove.note);
}
