// The museum's bugs: the taught focus model, run through `multiHeadAttention` of attention.js with one wrong step. Each
// step is what a well-known bug does in PyTorch; the museum's page shows the line that does it. No DOM.
//
// `bug` may hold: width (what the scores are divided by the root of), weigh (scores, mask -> weights), split (the
// projected queries, keys and values -> what the heads get), join (what the heads bring [q, h * d] -> what is mixed).

import { multiHeadAttention, softmax } from "./attention.js";

/** Name -> what goes wrong, for a model of the width `width` with `numHeads` heads. */
export const BUGS = {
  scale: ({ width }) => ({ width }),
  axis: () => ({ weigh: (scores) => turned(softmax(turned(scores))) }),
  mask: () => ({ weigh: (scores, mask) => hidden(softmax(scores), mask) }),
  view: ({ numHeads }) => ({
    split: (parts) => parts.map((part) => viewed(part, numHeads)),
    join: (context) => stacked(context, numHeads),
  }),
  concat: ({ numHeads }) => ({ join: (context) => stacked(context, numHeads) }),
  width: () => ({}), // all that goes wrong is `truncated`, below
};

/** The next larger number of heads that does not divide the width. */
function oddHeads({ numHeads, tensors }) {
  const width = tensors["attention.output.weight"].shape[1];
  do numHeads++;
  while (width % numHeads === 0);
  return numHeads;
}

/** The model called `focus/${piece}`: `bug-NAME`, or `causal`, which is right, for the bug of the mask to start from. */
export function museumModel(model, piece) {
  const name = piece.replace("bug-", "");
  if (piece !== "causal" && !Object.hasOwn(BUGS, name)) throw new Error(`There is no bug called “${name}”.`);
  const cut = name === "width";
  const numHeads = cut ? oddHeads(model) : model.numHeads;
  const attention = (X, layer, options) => {
    const bug = piece === "causal" ? {} : BUGS[name]({ width: X.shape[1], numHeads });
    const mask = piece === "causal" || name === "mask" ? causalMask(X.shape[0]) : null;
    return multiHeadAttention(X, cut ? truncated(layer, numHeads) : layer, { ...options, numHeads, mask, bug });
  };
  const headNames = cut ? Array.from({ length: numHeads }, (_, head) => `columns ${head + 1}`) : model.headNames;
  return {
    ...{ name: `focus/${piece}`, numLayers: 1, numHeads, headNames },
    attend: (sentence, headMask = null) => ({ ...model.attend(sentence, headMask, { attention }), headNames }),
  };
}

/** Every query may see itself and what stands before it. */
function causalMask(length) {
  return Uint8Array.from({ length: length * length }, (_, at) => at % length <= Math.floor(at / length));
}

/** Rows and columns of every head's map swapped: [h, q, k] -> [h, k, q]. */
function turned({ shape: [heads, rows, columns], values }) {
  const out = new Float32Array(values.length);
  for (let head = 0, start = 0; head < heads; head++, start += rows * columns)
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        out[start + column * rows + row] = values[start + row * columns + column];
  return { shape: [heads, columns, rows], values: out };
}

/** The weights with zeros where the mask is 0, and nothing else changed: the rows no longer sum to 1. */
function hidden({ shape, values }, mask) {
  return { shape, values: values.map((weight, at) => (mask[at % mask.length] ? weight : 0)) };
}

/** `view(h, t, d)` of numbers that lie as [t, h, d]: what each head then takes for its own, side by side again. */
function viewed({ shape: [rows, width], values }, heads) {
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
function stacked({ shape: [rows, width], values }, heads) {
  const part = width / heads;
  const out = new Float32Array(values.length);
  for (let head = 0; head < heads; head++)
    for (let row = 0; row < rows; row++) {
      const from = row * width + head * part;
      out.set(values.subarray(from, from + part), (head * rows + row) * part);
    }
  return { shape: [rows, width], values: out };
}

/** The layer without the columns that `width // heads` drops from each projection, and from what mixes the heads. */
function truncated(layer, heads) {
  const { "projection.weight": W, "projection.bias": b, "output.weight": Wo, "output.bias": bo } = layer;
  const [outputs, width] = Wo.shape; // as wide as each of the three projections
  const kept = heads * Math.floor(width / heads);
  const rows = ({ shape, values }) => {
    const step = values.length / shape[0];
    const parts = [0, width, 2 * width].map((start) => values.subarray(start * step, (start + kept) * step));
    return { shape: [3 * kept, ...shape.slice(1)], values: Float32Array.from(parts.flatMap((part) => [...part])) };
  };
  const mixed = Wo.values.filter((_, at) => at % width < kept);
  return {
    "projection.weight": rows(W), ...(b && { "projection.bias": rows(b) }),
    "output.weight": { shape: [outputs, kept], values: mixed }, ...(bo && { "output.bias": bo }),
  };
}
