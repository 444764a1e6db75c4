// The museum's bugs: attention as in attention.ts with one wrong step, as a well-known bug takes it in PyTorch; the
// museum's page shows the line that does it. Each stands in for `multiHeadAttention` in layer 2 of the taught focus model. No DOM.

import type { HeadMask } from "../math/attention-map.ts";
import {
  attend,
  attentionScores,
  average,
  causalMask,
  linear,
  multiHeadAttention,
  project,
  softmax,
} from "../math/attention.ts";
import type { Layer, Matrix } from "../math/attention.ts";
import type { Attention, FocusModel } from "./focus.ts";

export const BUGS: Record<string, Attention> = {
  // scores divided by the root of the model's width
  scale: (X, layer, { numHeads, headMask }) => {
    const [Q, K, V] = project(X, X, layer, numHeads);
    const weights = softmax(attentionScores(Q, K, { numHeads, scale: 1 / Math.sqrt(X.shape[1]) }));
    return { output: mixed(average(weights, V, headMask), layer), weights };
  },
  // softmax over the queries
  axis: (X, layer, { numHeads, headMask }) => {
    const [Q, K, V] = project(X, X, layer, numHeads);
    const weights = turned(softmax(turned(attentionScores(Q, K, { numHeads }))));
    return { output: mixed(average(weights, V, headMask), layer), weights };
  },
  // softmax first, mask afterwards
  mask: (X, layer, { numHeads, headMask }) => {
    const [Q, K, V] = project(X, X, layer, numHeads);
    const weights = hidden(softmax(attentionScores(Q, K, { numHeads })), causalMask(X.shape[0]));
    return { output: mixed(average(weights, V, headMask), layer), weights };
  },
  // a view instead of a view and a transpose, on the way to the heads and on the way back
  view: (X, layer, { numHeads, headMask }) => {
    const [Q, K, V] = project(X, X, layer, numHeads).map((part) => viewed(part, numHeads));
    const { weights, context } = attend(Q, K, V, { numHeads, headMask });
    return { output: mixed(stacked(context, numHeads), layer), weights };
  },
  // the heads' outputs joined along the words
  concat: (X, layer, { numHeads, headMask }) => {
    const [Q, K, V] = project(X, X, layer, numHeads);
    const { weights, context } = attend(Q, K, V, { numHeads, headMask });
    return { output: mixed(stacked(context, numHeads), layer), weights };
  },
  // more heads than divide the width, the rest cut off
  width: (X, layer, options) => multiHeadAttention(X, truncated(layer, options.numHeads), options),
};

const causal: Attention = (X, layer, options) =>
  multiHeadAttention(X, layer, { ...options, mask: causalMask(X.shape[0]) });

/** As if the last three tokens were padding: nobody may look at them. */
const padded: Attention = (X, layer, options) => {
  const [length] = X.shape;
  const mask = Uint8Array.from({ length: length * length }, (_, at) => Number(at % length < length - 3));
  return multiHeadAttention(X, layer, { ...options, mask });
};

/** The causal mask as one reads it for whom True forbids. */
const turnedRound: Attention = (X, layer, options) => {
  const mask = causalMask(X.shape[0]).map((shown) => Number(!shown));
  return multiHeadAttention(X, layer, { ...options, mask });
};

/** What a switch may do instead of a bug. */
const OTHER_MASKS = new Map<string, Attention>([
  ["causal", causal],
  ["padding", padded],
  ["polarity", turnedRound],
]);

/** The attention of layer 1, which is right: where layer 2 has a mask, so has it. */
const BELOW = new Map<string, Attention>([
  ["causal", causal],
  ["mask", causal],
  ["polarity", causal],
  ["padding", padded],
]);

/** The model called `focus/${piece}`: `bug-NAME`, or `causal`, which is right, for the bug of the mask to start from. */
export function museumModel(model: FocusModel, piece: string) {
  const name = piece.replace("bug-", "");
  if (!OTHER_MASKS.has(name) && !Object.hasOwn(BUGS, name)) throw new Error(`There is no bug called “${name}”.`);
  if (name === "width") return cutModel(model);
  const { numLayers, numHeads, headNames } = model;
  const options = { attention: OTHER_MASKS.get(name) ?? BUGS[name], below: BELOW.get(name) };
  return {
    name: `focus/${piece}`,
    numLayers,
    numHeads,
    headNames,
    attend: (sentence: string, headMask: HeadMask = null) => model.attend(sentence, headMask, options),
  };
}

/** The model whose layer 2 has more heads than divide its width: of that layer alone, since layer 1 has as many as before. */
function cutModel(model: FocusModel) {
  const numHeads = oddHeads(model);
  const headNames = Array.from({ length: numHeads }, (_, head) => `columns ${head + 1}`);
  const attention: Attention = (X, layer, options) => BUGS.width(X, layer, { ...options, numHeads });
  const read = (sentence: string, headMask: HeadMask = null) => {
    const map = model.attend(sentence, headMask && [Array(model.numHeads).fill(true), headMask[0]], { attention });
    const {
      queryTokens: { length },
    } = map;
    const weights = map.weights.subarray(map.weights.length - numHeads * length * length);
    return {
      ...map,
      shape: [1, numHeads, length, length],
      weights,
      headNames,
      layerNames: ["layer 2"],
      namedLayer: undefined,
    };
  };
  return { name: "focus/bug-width", numLayers: 1, numHeads, headNames, attend: read };
}

/** The next larger number of heads that does not divide the width. */
function oddHeads({ numHeads, tensors }: FocusModel) {
  const width = tensors["attention.output.weight"].shape[1];
  do numHeads++;
  while (width % numHeads === 0);
  return numHeads;
}

/** The output layer. */
const mixed = (context: Matrix, layer: Layer) => linear(context, layer["output.weight"], layer["output.bias"]);

/** Rows and columns of every head's map swapped: [h, q, k] -> [h, k, q]. */
function turned({ shape: [heads, rows, columns], values }: Matrix) {
  const out = new Float32Array(values.length);
  for (let head = 0, start = 0; head < heads; head++, start += rows * columns)
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        out[start + column * rows + row] = values[start + row * columns + column];
  return { shape: [heads, columns, rows], values: out };
}

/** The weights with zeros where the mask is 0, and nothing else changed: the rows no longer sum to 1. */
function hidden({ shape, values }: Matrix, mask: ArrayLike<unknown>) {
  return { shape, values: values.map((weight, at) => (mask[at % mask.length] ? weight : 0)) };
}

/** `view(h, t, d)` of numbers that lie as [t, h, d]: what each head then takes for its own, side by side again. */
function viewed({ shape: [rows, width], values }: Matrix, heads: number) {
  const part = width / heads;
  const out = new Float32Array(values.length);
  for (let head = 0; head < heads; head++)
    for (let row = 0; row < rows; row++) {
      const from = (head * rows + row) * part;
      out.set(values.subarray(from, from + part), row * width + head * part);
    }
  return { shape: [rows, width], values: out };
}

/** The heads' outputs one below the other, [h * q, d], read as if they stood side by side, [q, h * d]. */
function stacked({ shape: [rows, width], values }: Matrix, heads: number) {
  const part = width / heads;
  const out = new Float32Array(values.length);
  for (let head = 0; head < heads; head++)
    for (let row = 0; row < rows; row++) {
      const from = row * width + head * part;
      out.set(values.subarray(from, from + part), (head * rows + row) * part);
    }
  return { shape: [rows, width], values: out };
}

/** The layer without the rows that `width // heads` drops from each projection, and without their columns in W^O. */
function truncated(layer: Layer, heads: number) {
  const [outputs, width] = layer["output.weight"].shape;
  const kept = heads * Math.floor(width / heads);
  const cut = { ...layer };
  for (const name of ["query.weight", "query.bias", "key.weight", "key.bias", "value.weight", "value.bias"]) {
    if (!layer[name]) continue; // a layer without biases
    const { shape, values } = layer[name];
    cut[name] = { shape: [kept, ...shape.slice(1)], values: values.subarray(0, (kept * values.length) / shape[0]) };
  }
  const columns = layer["output.weight"].values.filter((_, at) => at % width < kept);
  return { ...cut, "output.weight": { shape: [outputs, kept], values: columns } };
}
