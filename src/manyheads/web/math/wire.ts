// What Python wrote, read: twin of maps/wire.py.

import type { AttentionMap, Pictures } from "./attention-map.ts";
import type { Matrix } from "./attention.ts";
import { DIGITS } from "./names.ts";
import type { Steps } from "./steps.ts";

/** Float32 from a list of numbers, or from the bytes of float32; of `count` numbers in half as many bytes, from those of float16. */
export function floats(written: ArrayLike<number> | ArrayBufferView, count?: number) {
  if (!ArrayBuffer.isView(written)) return Float32Array.from(written);
  const { buffer, byteOffset, byteLength } = written;
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength); // a copy, since it may not be aligned
  if (byteLength !== 2 * (count ?? NaN)) return new Float32Array(bytes);
  HALVES ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => halfPrecision(bits));
  const [halves, values] = [new Uint16Array(bytes), new Float32Array(byteLength / 2)];
  for (let at = 0; at < values.length; at++) values[at] = HALVES[halves[at]];
  return values;
}

/** Every float16, made when the first is read. */
let HALVES: Float32Array | undefined;

/** The number whose float16 has these bits. */
export function halfPrecision(bits: number) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction);
}

/** A map, its weights as numbers, as bytes (from a kernel), or as digits (in a page). */
export function decodeMap(written: any): AttentionMap {
  const { weights, largest, present: sent, pictures, ...rest } = written;
  const [layers, ...sides] = rest.shape ?? [];
  const size = sides.reduce((a: number, b: number) => a * b, 1);
  const part = typeof weights !== "string" ? floats(weights, sent && sent.length * size)
    : largest ? readPairs(weights, largest) : readDigits(weights, (sent?.length ?? layers) * size);
  if (rest.mask) rest.mask = readBits(rest.mask, size / rest.shape[1]);
  if (rest.valueNorms) rest.valueNorms = floats(readBase64(rest.valueNorms));
  if (!sent) return { ...rest, weights: part };
  const map: AttentionMap = { ...rest, present: [], pictures: decodePictures(pictures), weights: new Float32Array(layers * size) };
  return sent.reduce((filled: AttentionMap, layer: number, at: number) => withLayer(filled, layer, part.subarray(at * size, (at + 1) * size)), map);
}

/** The mask of a map, one bit a place in base64: 1 where a query may look. */
function readBits(packed: string, count: number) {
  const bytes = readBase64(packed);
  return Uint8Array.from({ length: count }, (_, place) => (bytes[place >> 3] >> (7 - (place & 7))) & 1);
}

const readBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/**
 * A map with one more of its layers, as a kernel sends it. The weights go where room for them is: a large map isn't copied for each
 * of its layers.
 */
export function withLayer(map: AttentionMap, layer: number, written: ArrayBufferView | Float32Array): AttentionMap {
  const size = map.weights.length / map.shape[0];
  map.weights.set(floats(written, size), layer * size);
  return { ...map, present: [...new Set([...(map.present ?? []), layer])].sort((a, b) => a - b) };
}

/** Tints as base64 (in a page) or as bytes (from a kernel). */
export function decodePictures({ shape, tints }: { shape: number[], tints: string | ArrayBufferView }): Pictures {
  const bytes = typeof tints === "string" ? readBase64(tints)
    : new Uint8Array(tints.buffer, tints.byteOffset, tints.byteLength);
  return { shape, tints: new Int8Array(bytes) }; // a copy, whose bytes are signed
}

/** Weights that are no shares, as maps/wire.py packs them: two digits each, from -largest to largest. */
function readPairs(text: string, largest: number) {
  const { alphabet } = DIGITS;
  const value = valuesOf(alphabet);
  const steps = Math.floor((alphabet.length ** 2 - 1) / 2); // to each side of 0
  return Float32Array.from({ length: text.length / 2 }, (_, place) => {
    const digit = value[text.charCodeAt(2 * place)] * alphabet.length + value[text.charCodeAt(2 * place + 1)];
    return (largest * (digit - steps)) / steps;
  });
}

/** What each character code stands for. */
function valuesOf(alphabet: string) {
  const value = new Uint8Array(128);
  for (let digit = 0; digit < alphabet.length; digit++) value[alphabet.charCodeAt(digit)] = digit;
  return value;
}

/** Weights as maps/wire.py packs them. */
function readDigits(text: string, count: number) {
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

/** The steps of the formula, each matrix as numbers, as bytes (from a kernel), or as these in base64 (in a page). */
export function decodeSteps(written: any): Steps {
  const parameters = written.parameters ? decodeMatrices(written.parameters) : null;
  return { ...decodeMatrices(written), parameters };
}

/** Whatever has a shape as a matrix, all else as it is. */
export function decodeMatrices(written: Record<string, any>): any {
  return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, value?.shape ? decodeMatrix(value) : value]));
}

function decodeMatrix({ shape, values }: { shape: number[], values: ArrayLike<number> | ArrayBufferView | string }): Matrix {
  const base64 = typeof values === "string";
  return { shape, values: floats(base64 ? readBase64(values) : values, shape.reduce((a, b) => a * b, 1)) };
}
