// Blocks of weights as GGUF files hold them, in ggml's layouts: unpacked, or as codes that the kernel multiplies.

import { blocks, exact, fields, middles, values as tables } from "../../shared/gguf.json";
import { halfPrecisions } from "../math/wire.ts";
import { BLOCK } from "./kernel.ts";

export type Kind = keyof typeof blocks;
/** Kinds whose blocks have fields. */
type Packed = keyof typeof fields;
/** How many bytes each has and, of codes, how far apart the weights of a byte are, and how many bits each has. */
type Fields = Record<string, number[]>;

/** Codes of 4 bits, 16 bytes a block: weight = d * code + m. Byte i has column i in its lower half, column 16 + i in the upper. */
export interface FourBits {
  bits: 4;
  codes: Uint8Array;
  d: Float32Array; // [block]
  m: Float32Array;
}

/** Codes of 8 bits, a byte a weight: weight = d * code. */
export interface EightBits {
  bits: 8;
  codes: Int8Array;
  d: Float32Array; // [block]
}

export type Codes = FourBits | EightBits;

const HALF = BLOCK / 2;
const SIXTEENTHS = ["Q2_K", "Q3_K", "Q6_K"]; // whose parts have 16 weights; other blocks of 256 have parts of 32
const PIECE = 2 ** 11; // so many blocks are rounded at once: their weights then stay in the processor's cache

/** How many bits the kernel's codes of such weights have. */
export const bitsOf = (kind: Kind): 4 | 8 => (kind.startsWith("Q4") ? 4 : 8);

/** Whole blocks as weights, each as ggml has it in float32. */
export function unpack(kind: Kind, bytes: Uint8Array): Float32Array {
  if (kind === "F32") return new Float32Array(bytes.slice().buffer);
  const values = new Float32Array((bytes.length / blocks[kind].bytes) * blocks[kind].weights);
  if (kind === "F16") for (let at = 0; at < values.length; at++) values[at] = half(bytes, 2 * at);
  else if (kind === "BF16") unpackUpper(bytes, new Uint32Array(values.buffer));
  else if (bitsOf(kind) === 4) unpackFour(readFour(kind as Packed, bytes), values);
  else unpackBytes(readBytes(kind as Packed, bytes), values);
  return values;
}

/**
 * Whole rows as codes, of multiples of 32 columns: those of the kinds that `exact` lists exactly. Others are rounded: in each block to
 * multiples of a 127th of its largest weight.
 */
export function codesOf(kind: Kind, bytes: Uint8Array): Codes {
  if (bitsOf(kind) === 4) return { bits: 4, ...readFour(kind as Packed, bytes) };
  if (!exact.includes(kind)) return { bits: 8, ...roundWeights(kind, bytes) };
  const { codes, d, scales, size } = readBytes(kind as Packed, bytes);
  if (kind === "Q3_K") {
    // Two parts share a block. Their scales are from -32 to 31 and the codes from -4 to 3: the products, with another sign, from -128 to 124.
    for (let at = 0; at < codes.length; at++) codes[at] *= -scales[at >> 4];
    d.forEach((_, part) => (d[part] = -half(bytes, blocks.Q3_K.bytes * ((part >> 4) + 1) - 2)));
  }
  const wide = () => Float32Array.from({ length: codes.length / BLOCK }, (_, at) => d[Math.floor((at * BLOCK) / size)]);
  return { bits: 8, codes, d: size === BLOCK ? d : wide() };
}

/** The float16 at a byte. */
const half = (bytes: Uint8Array, at: number) => halfPrecisions()[bytes[at] | (bytes[at + 1] << 8)];

/** The upper halves of float32, as their bits. */
function unpackUpper(bytes: Uint8Array, bits: Uint32Array) {
  for (let at = 0; at < bits.length; at++) bits[at] = (bytes[2 * at] << 16) | (bytes[2 * at + 1] << 24);
}

/** Where a field of a block begins. */
function placeOf(kind: Packed, name: string) {
  let at = 0;
  for (const [field, [length]] of Object.entries(fields[kind] as Fields)) {
    if (field === name) return at;
    at += length;
  }
  return -1;
}

/** The numbers of a field from a byte on, each so far up in the results: of so many bits, the lowest of a byte first, and so far apart. */
function spread(bytes: Uint8Array, from: number, field: number[], found: Uint8Array, to = 0, up = 0) {
  const apart = field[1]; // taken out one by one: this runs for each block
  const bits = field[2];
  const mask = 2 ** bits - 1;
  for (let start = from; start < from + field[0]; start += apart)
    for (let down = 0; down < 8; down += bits, to += apart)
      for (let at = 0; at < apart; at++) found[to + at] |= ((bytes[start + at] >> down) & mask) << up;
}

/** The scales of a block's parts and, where it has them, what their least values are multiplied with. */
function readScales(kind: Packed, bytes: Uint8Array, at: number, scales: Int8Array, leasts: Int8Array) {
  if (kind === "Q6_K") for (let part = 0; part < 16; part++) scales[part] = bytes[at + part];
  else if (kind === "Q2_K")
    for (let part = 0; part < 16; part++) [scales[part], leasts[part]] = [bytes[at + part] & 15, bytes[at + part] >> 4];
  else if (kind === "Q4_K" || kind === "Q5_K")
    for (let part = 0; part < 8; part++, at++) {
      scales[part] = part < 4 ? bytes[at] & 63 : (bytes[at + 4] & 15) | ((bytes[at - 4] >> 6) << 4);
      leasts[part] = part < 4 ? bytes[at + 4] & 63 : (bytes[at + 4] >> 4) | ((bytes[at] >> 6) << 4);
    }
  else {
    const found = new Uint8Array(16);
    const isLast = kind === "Q3_K"; // do the upper bits come last
    spread(bytes, isLast ? at : at + 2, isLast ? [8, 8, 4] : [4, 1, 4], found);
    spread(bytes, isLast ? at + 8 : at, isLast ? [4, 4, 2] : [2, 1, 2], found, 0, 4);
    for (let part = 0; part < 16; part++) scales[part] = found[part] - 32;
  }
}

/** Steps and least values of parts, which in larger blocks are as many times the block's own as `scales` say. */
function readSteps(kind: Packed, bytes: Uint8Array) {
  const { weights, bytes: size } = blocks[kind];
  const [at, least, scaled, exponent] = ["d", "m", "scales", "exponent"].map((name) => placeOf(kind, name));
  const parts = scaled < 0 ? 1 : SIXTEENTHS.includes(kind) ? 16 : 8;
  const count = (bytes.length / size) * parts;
  const [d, m, scales] = [new Float32Array(count), new Float32Array(count), new Int8Array(count)];
  const [own, leasts] = [new Int8Array(16).fill(1), new Int8Array(16).fill(-1)];
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let start = 0, part = 0; part < count; start += size) {
    const step =
      exponent >= 0
        ? 2 ** (bytes[start] - 128)
        : kind === "Q8_K"
          ? view.getFloat32(start, true)
          : half(bytes, start + at);
    const first = least < 0 ? 0 : half(bytes, start + least);
    if (scaled >= 0) readScales(kind, bytes, start + scaled, own, leasts);
    for (let each = 0; each < parts; each++, part++) {
      scales[part] = own[each];
      d[part] = step * own[each];
      m[part] = kind === "Q4_0" ? -8 * step : -first * leasts[each];
    }
  }
  return { d, m, scales, size: weights / parts };
}

/** Codes of four bits stand at the end of their blocks; in blocks of 256, 32 weights in lower halves and 32 in upper ones. */
function readFour(kind: Packed, bytes: Uint8Array) {
  const { weights, bytes: size } = blocks[kind];
  const { d, m } = readSteps(kind, bytes);
  const codes = new Uint8Array(d.length * HALF);
  for (let end = size, to = 0; to < codes.length; end += size)
    if (weights === BLOCK) for (let from = end - HALF; from < end; from++) codes[to++] = bytes[from];
    else
      for (let part = 0; part < 8; part++) {
        const [from, shift] = [end - 128 + 32 * (part >> 1), 4 * (part & 1)];
        for (let at = from; at < from + HALF; at++)
          codes[to++] = ((bytes[at] >> shift) & 15) | (((bytes[at + HALF] >> shift) & 15) << 4);
      }
  return { codes, d, m };
}

function unpackFour({ codes, d, m }: Omit<FourBits, "bits">, values: Float32Array) {
  for (let block = 0, from = 0; block < d.length; block++) {
    const [step, least] = [d[block], m[block]];
    for (let to = block * BLOCK; to < block * BLOCK + HALF; to++, from++) {
      values[to] = step * (codes[from] & 15) + least;
      values[to + HALF] = step * (codes[from] >> 4) + least;
    }
  }
}

/** Codes that take a byte each, in parts of so many, `size`. */
function readBytes(kind: Packed, bytes: Uint8Array) {
  const { weights, bytes: size } = blocks[kind];
  const { low, high }: Fields = fields[kind];
  const [lowAt, highAt] = [placeOf(kind, "low"), placeOf(kind, "high")];
  const found = new Uint8Array((bytes.length / size) * weights);
  for (let start = 0, to = 0; to < found.length; start += size, to += weights)
    if (low[2] === 8) found.set(bytes.subarray(start + lowAt, start + lowAt + weights), to);
    else if (weights === BLOCK && high)
      for (let at = 0, from = start + lowAt, bits = start + highAt; at < HALF; at++) {
        // as below, in a third of the time: most of Qwen's small models are of such blocks
        found[to + at] = (bytes[from + at] & 15) | (((bytes[bits + (at >> 3)] >> (at & 7)) & 1) << 4);
        found[to + at + HALF] = (bytes[from + at] >> 4) | (((bytes[bits + 2 + (at >> 3)] >> (at & 7)) & 1) << 4);
      }
    else {
      spread(bytes, start + lowAt, low, found, to);
      if (high) spread(bytes, start + highAt, high, found, to, low[2]);
    }
  const codes = new Int8Array(found.buffer);
  const table = tables[kind.split("_")[0] as keyof typeof tables];
  const middle = middles[kind as keyof typeof middles] ?? 0;
  if (table) for (let at = 0; at < codes.length; at++) codes[at] = table[codes[at]];
  else if (middle) for (let at = 0; at < codes.length; at++) codes[at] -= middle;
  return { codes, ...readSteps(kind, bytes) };
}

function unpackBytes({ codes, d, m, size }: ReturnType<typeof readBytes>, values: Float32Array) {
  for (let part = 0, at = 0; part < d.length; part++)
    for (const [step, least, end] = [d[part], m[part], at + size]; at < end; at++)
      values[at] = step * codes[at] + least;
}

function roundWeights(kind: Kind, bytes: Uint8Array) {
  const { weights, bytes: size } = blocks[kind];
  const codes = new Int8Array((bytes.length / size) * weights);
  const d = new Float32Array(codes.length / BLOCK);
  const piece = (PIECE * BLOCK * size) / weights;
  for (let from = 0, to = 0; from < bytes.length; from += piece) {
    const values = unpack(kind, bytes.subarray(from, from + piece));
    for (let start = 0; start < values.length; start += BLOCK) {
      let largest = 0;
      for (let at = start; at < start + BLOCK; at++) largest = Math.max(largest, Math.abs(values[at]));
      const step = (d[to / BLOCK] = largest / 127);
      const by = step ? 1 / step : 0;
      for (let at = start; at < start + BLOCK; at++) codes[to++] = ((by * values[at] + 128.5) | 0) - 128;
    }
  }
  return { codes, d };
}

/** Whether all are finite, even so many `times`; of what isn't, no multiple is 0. Loading a model comes by here millions of times. */
export function areFinite(values: Float32Array, times = 1) {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += 0 * Math.fround(times * values[at]);
  return sum === 0;
}
