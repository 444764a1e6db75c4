// What Python wrote, read: twin of maps/wire.py.

import type { AttentionMap, Tints } from "./attention-map.ts";
import type { Matrix } from "./attention.ts";
import { DIGITS } from "./names.ts";
import type { Steps } from "./steps.ts";

/** A safetensors file. */
export interface Safetensors {
  tensors: Record<string, Matrix>;
  metadata: Record<string, string>;
}

/** Float32 from a list of numbers, or from base64: of `count` numbers in two bytes each, as float16, else as float32. */
export function floats(numbers: ArrayLike<number> | string, count?: number) {
  if (typeof numbers !== "string") return Float32Array.from(numbers);
  const { buffer } = readBase64(numbers);
  if (buffer.byteLength !== 2 * (count ?? NaN)) return new Float32Array(buffer);
  const [bits, table, values] = [new Uint16Array(buffer), halfPrecisions(), new Float32Array(buffer.byteLength / 2)];
  for (let at = 0; at < values.length; at++) values[at] = table[bits[at]];
  return values;
}

/** All numbers of 16 bits, by their bits; made when the first is read. */
export const halfPrecisions = () =>
  (HALVES ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => halfPrecision(bits)));
let HALVES: Float32Array | undefined;

/** The number whose float16 has these bits. */
export function halfPrecision(bits: number) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction);
}

/** Weights as numbers or, where they are many, as digits; those that are no shares with their `largest`. */
export interface WireWeights {
  weights: string | ArrayLike<number>;
  largest?: number;
}

function readWeights({ weights, largest }: WireWeights, count: number) {
  if (typeof weights !== "string") return floats(weights);
  return largest ? readPairs(weights, largest) : readDigits(weights, count);
}

/** A map as it came from a kernel, or stands in a page. */
export function decodeMap(wire: any): AttentionMap {
  const { weights, largest, present: sent, pictures, ...rest } = wire;
  const [layers, ...sides] = rest.shape ?? [];
  const size = sides.reduce((a: number, b: number) => a * b, 1);
  const part = readWeights({ weights, largest }, (sent?.length ?? layers) * size);
  if (rest.mask) rest.mask = readBits(rest.mask, size / rest.shape[1]);
  if (rest.valueNorms) rest.valueNorms = floats(rest.valueNorms);
  if (!sent) return { ...rest, weights: part };
  const map: AttentionMap = {
    ...rest,
    present: [],
    pictures: decodeTints(pictures),
    weights: new Float32Array(layers * size),
  };
  return sent.reduce(
    (filled: AttentionMap, layer: number, at: number) =>
      filledWith(filled, layer, part.subarray(at * size, (at + 1) * size)),
    map,
  );
}

/** The mask of a map, one bit a place in base64: 1 where a query may look. */
function readBits(packed: string, count: number) {
  const bytes = readBase64(packed);
  return Uint8Array.from({ length: count }, (_, place) => (bytes[place >> 3] >> (7 - (place & 7))) & 1);
}

/** In a loop: `Uint8Array.from` takes ten times as long, and a journey through a wide model comes with a million bytes and more. */
function readBase64(text: string) {
  const signs = atob(text);
  const bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at++) bytes[at] = signs.charCodeAt(at);
  return bytes;
}

/**
 * A map with one more of its layers, as a kernel sends it. The weights go where room for them is: a large map isn't copied for each
 * of its layers.
 */
export function withLayer(map: AttentionMap, layer: number, weights: WireWeights) {
  return filledWith(map, layer, readWeights(weights, map.weights.length / map.shape[0]));
}

function filledWith(map: AttentionMap, layer: number, weights: Float32Array): AttentionMap {
  map.weights.set(weights, layer * weights.length);
  return { ...map, present: [...new Set([...(map.present ?? []), layer])].sort((a, b) => a - b) };
}

/** Tints, in base64. */
export function decodeTints({ shape, tints }: { shape: number[]; tints: string }): Tints {
  return { shape, tints: new Int8Array(readBase64(tints)) }; // a copy, whose bytes are signed
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

/** The steps of the formula, each matrix as numbers or in base64. */
export function decodeSteps(wire: any): Steps {
  const parameters = wire.parameters ? decodeMatrices(wire.parameters) : null;
  return { ...decodeMatrices(wire), parameters, ...(wire.above && { above: decodeSteps(wire.above) }) };
}

/** Whatever has a shape as a matrix, all else as it is. */
export function decodeMatrices(wire: Record<string, any>): any {
  return Object.fromEntries(
    Object.entries(wire).map(([name, value]) => [name, value?.shape ? decodeMatrix(value) : value]),
  );
}

function decodeMatrix({ shape, values }: { shape: number[]; values: ArrayLike<number> | string }): Matrix {
  return {
    shape,
    values: floats(
      values,
      shape.reduce((a, b) => a * b, 1),
    ),
  };
}
