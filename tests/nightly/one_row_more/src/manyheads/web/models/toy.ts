// Each word looks at itself and at the one after it; in one that goes back, at the one before. Twin of models/toy.py.

import type { AttentionMap } from "../math/attention-map.ts";
import type { HeadModel } from "./head-model.ts";

export async function load(variant: string): Promise<HeadModel> {
  const step = variant === "back" ? -1 : 1;
  return {
    name: "toy",
    numLayers: 1,
    numHeads: 1,
    headNames: ["next"],
    attend(sentence): AttentionMap {
      const words = sentence.split(" ");
      const count = words.length;
      const weights = new Float32Array(count ** 2);
      for (let word = 0; word < count; word++)
        for (const key of [word, (word + step + count) % count]) weights[word * count + key] += 0.5;
      return {
        queryTokens: words,
        keyTokens: words,
        shape: [1, 1, count, count],
        headNames: ["next"],
        weights,
        predictions: {},
      };
    },
  };
}
