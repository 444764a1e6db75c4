// The numbers of <attention-flow> as strips of colour, made once for each computed sentence.

import { transpose, type Matrix } from "../../math/attention.ts";
import { outputOf, projectionsOf } from "./stations.ts";
import { NUMBER_COLOURS } from "../../math/names.ts";
import { findMatrix, matrix, rowOf } from "../../math/steps.ts";
import type { Flow } from "../../math/steps.ts";
import { inkOf, makeBitmap, type Bitmap } from "../../views/pixels.ts";

const ROW = { filled: 3, gap: 2 }; // pixels of a row, and above and below it together
const LINE = { filled: 1, gap: 0 };

/** Rows of numbers as colours; `gaps` leaves room between the rows. The largest number has the full colour. */
export function stripOf(values: ArrayLike<number>, width: number, largest = largestOf(values), gaps = false): Bitmap {
  const rows = values.length / width;
  const { filled, gap } = gaps ? ROW : LINE;
  const [positive, negative] = [NUMBER_COLOURS.positive, NUMBER_COLOURS.negative].map(inkOf);
  return makeBitmap(width, rows * (filled + gap), (pixels) => {
    for (let row = 0; row < rows; row++) {
      const line = (row * (filled + gap) + gap / 2) * width;
      for (let column = 0; column < width; column++) {
        const share = largest ? Math.max(-1, Math.min(1, values[row * width + column] / largest)) : 0;
        pixels[line + column] =
          (share < 0 ? negative : positive) | (Math.round(255 * Math.sqrt(Math.abs(share))) << 24);
      }
      for (let copy = 1; copy < filled; copy++) pixels.copyWithin(line + copy * width, line, line + width);
    }
  });
}

export function largestOf(values: ArrayLike<number>) {
  let most = 0;
  for (let at = 0; at < values.length; at++) most = Math.max(most, Math.abs(values[at]));
  return most;
}

export type FlowStrips = ReturnType<typeof makeStrips>;

/** A flow's strips of the word that asked last, for all layouts. */
const made = new WeakMap<Flow, { query: number; strips: FlowStrips }>();

/** All strips of a flow and of one asking word; what is compared with the eye has one scale. */
export function stripsOf(flow: Flow, query: number) {
  const before = made.get(flow);
  if (before?.query === query) return before.strips;
  const strips = makeStrips(flow, query);
  made.set(flow, { query, strips });
  return strips;
}

function makeStrips(flow: Flow, query: number) {
  const { X, K, V, Q, concat, output, headNames, parameters } = flow;
  const [widest, largest] = [largestOf(concat.values), largestOf(output.values)];
  const one = (values: ArrayLike<number>, most?: number) => stripOf(values, values.length, most);
  const all = ({ values, shape }: Matrix) => stripOf(values, shape[1], undefined, true);
  let mixer: Bitmap | undefined;
  const project = () =>
    projectionsOf(flow, { query, head: flow.head }).map((each) => {
      const learned = findMatrix(flow, each.learned);
      return {
        ...each,
        numbers: stripOf(rowOf(X, each.token), 1, largestOf(X.values)),
        picture: learned && stripOf(learned.values, learned.shape[1]),
        result: one(rowOf(matrix(flow, each.made), each.token)),
      };
    });
  let projections: ReturnType<typeof project> | undefined;
  return {
    X: all(X),
    K: all(K),
    V: all(V),
    x: one(rowOf(X, query), largestOf(X.values)),
    query: one(rowOf(Q, query)),
    heads: headNames.map((_, head) => one(outputOf(flow, head, query), widest)),
    mixed: one(rowOf(output, query), largest),
    read: one(rowOf(output, 0), largest),
    widest,
    /** What is made of two words, by which matrices; seen at one station. */
    get projections() {
      return (projections ??= project());
    },
    /** Of up to a million numbers, and seen at one station: made when it is first drawn. */
    get mixer() {
      if (!parameters?.Wo) return null;
      return (mixer ??= stripOf(transpose(parameters.Wo).values, parameters.Wo.shape[0]));
    },
  };
}
