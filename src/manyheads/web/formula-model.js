// What <formula-steps> shows on a page: every matrix of one head of a page's model. Twin of `formula_steps` in formula.py.

import { steps as headSteps } from "./attention.js";

const PADDED = 3; // [PAD] tokens that the padding toggle adds; their vectors are zeros

/** A function from what the reader chose to the steps; the model gives tokens, their vectors and the layer's tensors. */
export function stepsOf(model) {
  const { numHeads, headNames } = model;
  const layer = model.layer("attention.");
  const learnt = Array.from({ length: numHeads }, (_, head) => headParameters(layer, head, numHeads));
  return ({ sentence, head, causal, padding, unscaled }) => {
    const { ids, tokens, notes } = model.tokenize(sentence);
    const padded = padding ? PADDED : 0;
    const length = tokens.length + padded;
    const words = model.input(ids);
    const X = { shape: [length, words.shape[1]], values: new Float32Array(length * words.shape[1]) };
    X.values.set(words.values);
    const chosen = Math.min(head, numHeads - 1);
    return {
      ...headSteps(X, layer, { numHeads, head: chosen, mask: stepsMask(length, padded, causal), scaled: !unscaled }),
      tokens: [...tokens, ...Array(padded).fill("[PAD]")],
      ...{ head: chosen, headNames, notes, scaled: !unscaled },
      ...{ biased: Boolean(learnt[chosen].bq), parameters: learnt[chosen] },
    };
  };
}

/** Who may look at whom, a byte per pair; null where nothing is hidden. The last `padded` words are padding. */
export function stepsMask(length, padded, causal) {
  if (!padded && !causal) return null;
  return Uint8Array.from({ length: length * length }, (_, index) => {
    const [query, key] = [Math.floor(index / length), index % length];
    return Number(key < length - padded && (key <= query || !causal));
  });
}

/** One head's columns of a layer's projections, and the output layer, as the formula writes them: [in, out]. */
export function headParameters(layer, head, numHeads) {
  const turn = ({ shape: [rows, columns], values }, from = 0, to = rows) => {
    const turned = new Float32Array((to - from) * columns);
    for (let row = from; row < to; row++)
      for (let column = 0; column < columns; column++) turned[column * (to - from) + row - from] = values[row * columns + column];
    return { shape: [columns, to - from], values: turned };
  };
  const { "projection.weight": weight, "projection.bias": bias, "output.weight": Wo, "output.bias": bo } = layer;
  const valueWidth = Wo.shape[1];
  const keyWidth = (weight.shape[0] - valueWidth) / 2;
  const parameters = { Wo: turn(Wo), bo: bo ?? null };
  for (const [letter, start, width] of [["q", 0, keyWidth], ["k", keyWidth, keyWidth], ["v", 2 * keyWidth, valueWidth]]) {
    const [from, to] = [start + (head * width) / numHeads, start + ((head + 1) * width) / numHeads];
    parameters[`W${letter}`] = turn(weight, from, to);
    parameters[`b${letter}`] = bias ? { shape: [to - from], values: bias.values.slice(from, to) } : null;
  }
  return parameters;
}
