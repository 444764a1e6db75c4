// What Python wrote, read: twin of maps/wire.py.

import { DIGITS } from "./names.ts";

/**
 * Float32 from a list of numbers, or from the bytes of float32; of `count` numbers in half as many bytes, from those of float16.
 * @param {ArrayLike<number> | ArrayBufferView} written
 * @param {number} [count]
 */
function floats(written, count) {
  if (!ArrayBuffer.isView(written)) return Float32Array.from(written);
  const { buffer, byteOffset, byteLength } = written;
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength); // a copy, since it may not be aligned
  if (byteLength !== 2 * (count ?? NaN)) return new Float32Array(bytes);
  HALVES ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => halfPrecision(bits));
  const [halves, values] = [new Uint16Array(bytes), new Float32Array(byteLength / 2)];
  for (let at = 0; at < values.length; at++) values[at] = HALVES[halves[at]];
  return values;
}

/** Every float16, made when the first is read. @type {Float32Array | undefined} */
let HALVES;

/** The number whose float16 has these bits. */
export function halfPrecision(/** @type {number} */ bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction);
}

/**
 * A map, its weights as numbers, as bytes (from a kernel), or as digits (in a page).
 * @param {any} written
 * @returns {AttentionMap}
 */
export function decodeMap(written) {
  const { weights, largest, there, pictures, ...rest } = written;
  const [layers, ...sides] = rest.shape ?? [];
  const size = sides.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
  const part = typeof weights !== "string" ? floats(weights, there && there.length * size)
    : largest ? readPairs(weights, largest) : readDigits(weights, (there?.length ?? layers) * size);
  if (!there) return { ...rest, weights: part };
  const map = { ...rest, there: [], pictures: decodePictures(pictures), weights: new Float32Array(layers * size) };
  there.forEach((/** @type {number} */ layer, /** @type {number} */ at) => setLayer(map, layer, part.subarray(at * size, (at + 1) * size)));
  return map;
}

/**
 * Gives a map one more of its layers, as a kernel sends it.
 * @param {AttentionMap} map
 * @param {number} layer
 * @param {ArrayBufferView | Float32Array} written
 */
export function setLayer(map, layer, written) {
  const size = map.weights.length / map.shape[0];
  map.weights.set(floats(written, size), layer * size);
  map.there = [...new Set([...(map.there ?? []), layer])].sort((a, b) => a - b);
}

/**
 * @param {{ shape: number[], tints: string | ArrayBufferView }} written
 * @returns {Pictures}
 */
function decodePictures({ shape, tints }) {
  const bytes = typeof tints === "string" ? Uint8Array.from(atob(tints), (char) => char.charCodeAt(0))
    : new Uint8Array(tints.buffer, tints.byteOffset, tints.byteLength);
  return { shape, tints: new Int8Array(bytes) }; // a copy, whose bytes are signed
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
