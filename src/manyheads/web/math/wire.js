// What Python wrote, read: twin of maps/wire.py.

import { DIGITS } from "./names.js";

/**
 * Float32 from a list of numbers, or from the bytes of float32.
 * @param {ArrayLike<number> | ArrayBufferView} written
 */
function floats(written) {
  if (!ArrayBuffer.isView(written)) return Float32Array.from(written);
  const { buffer, byteOffset, byteLength } = written;
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength)); // a copy, since it may not be aligned
}

/**
 * A map, its weights as numbers, as bytes (from a kernel), or as digits (in a page).
 * @param {any} written
 * @returns {AttentionMap}
 */
export function decodeMap(written) {
  const { weights, largest, ...rest } = written;
  const count = () => rest.shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b);
  if (typeof weights !== "string") return { ...rest, weights: floats(weights) };
  return { ...rest, weights: largest ? readPairs(weights, largest) : readDigits(weights, count()) };
}

/**
 * Weights that are no shares, as maps/wire.py packs them: two digits each, from -largest to largest.
 * @param {string} text
 * @param {number} largest
 */
function readPairs(text, largest) {
  const { alphabet } = DIGITS;
  const value = valuesOf(alphabet);
  const steps = Math.floor((alphabet.length ** 2 - 1) / 2); // to each side of 0
  return Float32Array.from({ length: text.length / 2 }, (_, place) => {
    const digit = value[text.charCodeAt(2 * place)] * alphabet.length + value[text.charCodeAt(2 * place + 1)];
    return (largest * (digit - steps)) / steps;
  });
}

/** What each character code stands for. */
function valuesOf(/** @type {string} */ alphabet) {
  const value = new Uint8Array(128);
  for (let digit = 0; digit < alphabet.length; digit++) value[alphabet.charCodeAt(digit)] = digit;
  return value;
}

/**
 * Weights as maps/wire.py packs them.
 * @param {string} text
 * @param {number} count
 */
function readDigits(text, count) {
  const { alphabet, few, single, double } = DIGITS; // digits up to `single` stand alone
  const value = valuesOf(alphabet);
  const weights = new Float32Array(count);
  for (let at = 0, place = 0; place < count; place++) {
    const digit = value[text.charCodeAt(at++)];
    if (digit <= single) {
      weights[place] = (few * digit) / single;
      continue;
    }
    const beyond = (digit - single - 1) * alphabet.length + value[text.charCodeAt(at++)];
    weights[place] = few + ((1 - few) * beyond) / double;
  }
  return weights;
}

/**
 * The steps of the formula, each matrix as numbers, as bytes (from a kernel), or as these in base64 (in a page).
 * @param {any} written
 * @returns {Steps}
 */
export function decodeSteps(written) {
  const parameters = written.parameters ? decodeMatrices(written.parameters) : null;
  return { ...decodeMatrices(written), parameters };
}

/**
 * @param {Record<string, any>} written
 * @returns {any}
 */
function decodeMatrices(written) {
  return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, value?.shape ? decodeMatrix(value) : value]));
}

/**
 * @param {{ shape: number[], values: ArrayLike<number> | ArrayBufferView | string }} written
 * @returns {Matrix}
 */
function decodeMatrix({ shape, values }) {
  const base64 = typeof values === "string";
  return { shape, values: floats(base64 ? Uint8Array.from(atob(values), (char) => char.charCodeAt(0)) : values) };
}
