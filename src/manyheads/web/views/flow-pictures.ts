// The numbers of <attention-flow> as strips of colour, made once for each computed sentence.

import { transpose } from "../math/attention.ts";
import { outputOf } from "../math/flow.ts";
import { NUMBER_COLOURS } from "../math/names.ts";
import { rowOf } from "../math/steps.ts";
import type { Flow } from "../math/steps.ts";
import { inkOf, makePicture, type Picture } from "./pixels.ts";

const ROW = { filled: 3, gap: 2 }; // pixels of a row, and above and below it together

/** Rows of numbers as a picture; `gaps` leaves room between the rows. The largest number has the full colour. */
export function stripsOf(values: ArrayLike<number>, width: number, largest = largestOf(values), gaps = false): Picture {
  const rows = values.length / width;
  const [high, from] = gaps ? [ROW.filled + ROW.gap, ROW.gap / 2] : [1, 0];
  const [positive, negative] = [NUMBER_COLOURS.positive, NUMBER_COLOURS.negative].map(inkOf);
  return makePicture(width, rows * high, (pixels) => {
    for (let at = 0; at < values.length; at++) {
      const share = largest ? Math.max(-1, Math.min(1, values[at] / largest)) : 0;
      const ink = (share < 0 ? negative : positive) | (Math.round(255 * Math.sqrt(Math.abs(share))) << 24);
      const start = Math.floor(at / width) * high * width + (at % width);
      for (let line = from; line < (gaps ? from + ROW.filled : 1); line++) pixels[start + line * width] = ink;
    }
  });
}

export const largestOf = (values: ArrayLike<number>) => Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value)), 0);

export type Pictures = ReturnType<typeof picturesOf>;

/** All pictures of a flow and of one asking word; what is compared with the eye has one scale. */
export function picturesOf(flow: Flow, query: number) {
  const { X, K, V, Q, concat, output, headNames, parameters } = flow;
  const widest = largestOf(concat.values);
  const one = (values: ArrayLike<number>, largest?: number) => stripsOf(values, values.length, largest);
  const mixer = parameters?.Wo && transpose(parameters.Wo);
  return {
    X: stripsOf(X.values, X.shape[1], undefined, true),
    K: stripsOf(K.values, K.shape[1], undefined, true),
    V: stripsOf(V.values, V.shape[1], undefined, true),
    x: one(rowOf(X, query), largestOf(X.values)),
    query: one(rowOf(Q, query)),
    heads: headNames.map((_, head) => one(outputOf(flow, head, query), widest)),
    mixer: mixer ? stripsOf(mixer.values, mixer.shape[1]) : null,
    mixed: one(rowOf(output, query), largestOf(output.values)),
    read: one(rowOf(output, 0), largestOf(output.values)),
    widest,
  };
}
