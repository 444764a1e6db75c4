// What <formula-steps> shows on a page: every matrix of one head of a page's model. Twin of `formula_steps` in Python.

import { causalMask, steps, transpose } from "../math/attention.ts";
import { PADDING } from "../math/names.ts";

/** @typedef {import("./focus.js").FocusModel} FocusModel */

/**
 * A function from what the reader chose to the steps.
 * @param {Pick<FocusModel, "numHeads" | "headNames" | "layer" | "tokenize" | "input">} model
 */
export function stepsOf(model) {
  const { numHeads, headNames } = model;
  const layer = model.layer("attention.");
  const learnt = Array.from({ length: numHeads }, (_, head) => headParameters(layer, head, numHeads));
  /** @returns {Steps} */
  return (/** @type {StepsState} */ { sentence, head, causal, padding, unscaled }) => {
    const { ids, tokens, notes } = model.tokenize(sentence);
    const padded = padding ? PADDING.count : 0;
    const length = tokens.length + padded;
    const words = model.input(ids);
    const X = { shape: [length, words.shape[1]], values: new Float32Array(length * words.shape[1]) };
    X.values.set(words.values); // the vectors of padding are zeros
    const chosen = Math.min(head, numHeads - 1);
    const mask = stepsMask(length, padded, causal);
    return {
      ...steps(X, layer, { numHeads, head: chosen, mask, scaled: !unscaled }),
      tokens: [...tokens, ...Array(padded).fill(PADDING.token)],
      head: chosen,
      headNames,
      notes,
      scaled: !unscaled,
      biased: Boolean(learnt[chosen].bq),
      parameters: learnt[chosen],
    };
  };
}

/**
 * Who may look at whom, a byte per pair; null where nothing is hidden. The last `padded` words are padding.
 * @param {number} length
 * @param {number} padded
 * @param {boolean} causal
 */
export function stepsMask(length, padded, causal) {
  if (!padded && !causal) return null;
  const mask = causal ? causalMask(length) : new Uint8Array(length * length).fill(1);
  return mask.map((may, at) => (at % length < length - padded ? may : 0));
}

/**
 * One head's columns of a layer's projections, and the output layer, as the formula writes them: [in, out].
 * @param {Layer} layer
 * @param {number} head
 * @param {number} numHeads
 */
export function headParameters(layer, head, numHeads) {
  /** @type {Record<string, Matrix | null>} */
  const parameters = { Wo: transpose(layer["output.weight"]), bo: layer["output.bias"] ?? null };
  for (const name of ["query", "key", "value"]) {
    const { [`${name}.weight`]: weight, [`${name}.bias`]: bias } = layer;
    const width = weight.shape[0] / numHeads;
    const [from, to] = [head * width, (head + 1) * width];
    parameters[`W${name[0]}`] = transpose(rowsOf(weight, from, to));
    parameters[`b${name[0]}`] = bias ? { shape: [width], values: bias.values.slice(from, to) } : null;
  }
  return parameters;
}

/**
 * @param {Matrix} matrix
 * @param {number} from
 * @param {number} to
 */
const rowsOf = ({ shape: [, columns], values }, from, to) =>
  ({ shape: [to - from, columns], values: values.subarray(from * columns, to * columns) });
