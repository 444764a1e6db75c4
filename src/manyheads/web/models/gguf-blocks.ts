// Blocks of weights as GGUF files hold them, in ggml's layouts: unpacked, or as codes that the kernel multiplies.

import { blocks } from "../../shared/gguf.json";
import { halfPrecisions } from "../math/wire.ts";
import { BLOCK } from "./kernel.ts";

export type Kind = keyof typeof blocks;

/** Codes of 4 bits, 16 bytes a block: weight = d * code + m. Byte i has column i in its lower half, column 16 + i in the upper. */
export interface FourBits {
  bits: 4;
  codes: Uint8Array;
  d: Float32Array; // a block
  m: Float32Array;
}

/** Codes of 8 bits, a byte a weight: weight = d * code. */
export interface EightBits {
  bits: 8;
  codes: Int8Array;
  d: Float32Array; // a block
}

export type Codes = FourBits | EightBits;

/** Blocks with steps and least values; of codes of five bits, the highest: bit i of a block's word is column i's. */
type Steps = Pick<FourBits, "codes" | "d" | "m"> & { fifths: Uint32Array | null };

const HALVES = halfPrecisions();
const HALF = BLOCK / 2;
const PIECE = 2 ** 11; // so many blocks are rounded at once: their weights then stay in the processor's cache

/** How many bits the kernel's codes of such weights have. */
export const bitsOf = (kind: Kind): 4 | 8 => (kind.startsWith("Q4") ? 4 : 8);

/** Whole blocks as weights, each as ggml has it in float32. */
export function unpack(kind: Kind, bytes: Uint8Array): Float32Array {
  if (kind === "F32") return new Float32Array(bytes.slice().buffer);
  if (kind === "Q8_0") return unpackCodes(readCodes(bytes));
  const values = new Float32Array((bytes.length / blocks[kind].bytes) * blocks[kind].weights);
  if (kind === "F16") for (let at = 0; at < values.length; at++) values[at] = half(bytes, 2 * at);
  else if (kind === "BF16") unpackUpper(bytes, new Uint32Array(values.buffer));
  else if (kind === "Q6_K") unpackSixBits(bytes, values);
  else unpackSteps(readSteps(kind, bytes), values);
  return values;
}

/**
 * Whole rows as codes, of multiples of 32 columns: Q4_0, Q4_1, Q4_K, Q5_0 and Q8_0 exactly. Others are rounded: in each block to
 * multiples of a 127th of its largest weight.
 */
export function codesOf(kind: Kind, bytes: Uint8Array): Codes {
  if (kind === "Q8_0") return { bits: 8, ...readCodes(bytes) };
  if (kind === "Q5_0") return { bits: 8, ...widen(readSteps(kind, bytes)) };
  if (bitsOf(kind) === 8) return { bits: 8, ...roundWeights(kind, bytes) };
  const { codes, d, m } = readSteps(kind, bytes);
  return { bits: 4, codes, d, m };
}

/** The float16 at a byte. */
const half = (bytes: Uint8Array, at: number) => HALVES[bytes[at] | (bytes[at + 1] << 8)];

/** Upper halves of float32: so many bits of numbers. */
function unpackUpper(bytes: Uint8Array, bits: Uint32Array) {
  for (let at = 0; at < bits.length; at++) bits[at] = (bytes[2 * at] << 16) | (bytes[2 * at + 1] << 24);
}

/** Q8_0: a step and 32 codes. */
function readCodes(bytes: Uint8Array) {
  const size = blocks.Q8_0.bytes;
  const d = new Float32Array(bytes.length / size);
  const codes = new Int8Array(d.length * BLOCK);
  for (let block = 0; block < d.length; block++) {
    d[block] = half(bytes, block * size);
    for (let at = 0, from = block * size + 2; at < BLOCK; at++) codes[block * BLOCK + at] = bytes[from + at];
  }
  return { codes, d };
}

function unpackCodes({ codes, d }: { codes: Int8Array; d: Float32Array }) {
  const values = new Float32Array(codes.length);
  for (let block = 0, at = 0; block < d.length; block++)
    for (const step = d[block], end = at + BLOCK; at < end; at++) values[at] = step * codes[at];
  return values;
}

/** Blocks of 256 weights: 128 bytes of lower halves, 64 of upper bits by twos, 16 scales of 16 weights each, a step. */
function unpackSixBits(bytes: Uint8Array, values: Float32Array) {
  for (let start = 0, at = 0; at < values.length; start += blocks.Q6_K.bytes) {
    const step = half(bytes, start + 208);
    for (let part = 0; part < 8; part++) {
      const [lower, lowerShift] = [start + 64 * (part >> 2) + 32 * (part & 1), 2 * (part & 2)];
      const [upper, upperShift] = [start + 128 + 32 * (part >> 2), 2 * (part & 3)];
      for (let i = 0; i < BLOCK; i++, at++) {
        const scale = step * ((bytes[start + 192 + 2 * part + (i >> 4)] << 24) >> 24);
        const code = ((bytes[lower + i] >> lowerShift) & 15) | (((bytes[upper + i] >> upperShift) & 3) << 4);
        values[at] = scale * (code - 32);
      }
    }
  }
}

function readSteps(kind: Kind, bytes: Uint8Array): Steps {
  const { weights, bytes: size } = blocks[kind];
  const count = ((bytes.length / size) * weights) / BLOCK;
  const steps = {
    codes: new Uint8Array(count * HALF),
    d: new Float32Array(count),
    m: new Float32Array(count),
    fifths: kind.startsWith("Q5") ? new Uint32Array(count) : null,
  };
  if (weights === BLOCK) readSmall(bytes, steps, kind.endsWith("1"));
  else readLarge(bytes, size, steps);
  return steps;
}

/** Blocks of 32 weights: a step, perhaps a least value (or codes have their zero in the middle), perhaps fifths, and codes. */
function readSmall(bytes: Uint8Array, { codes, d, m, fifths }: Steps, withLeast: boolean) {
  for (let block = 0, from = 0; block < d.length; block++, from += 2) {
    d[block] = half(bytes, from);
    m[block] = withLeast ? half(bytes, (from += 2)) : d[block] * (fifths ? -16 : -8);
    if (fifths) for (let i = 0; i < 4; i++) fifths[block] |= bytes[from + 2 + i] << (8 * i);
    if (fifths) from += 4;
    for (let i = 0; i < HALF; i++, from++) codes[block * HALF + i] = bytes[from + 2];
  }
}

/** Blocks of 256: a step for eight steps, one for eight least values, both of 6 bits in 12 bytes, perhaps fifths, and codes. */
function readLarge(bytes: Uint8Array, size: number, { codes, d, m, fifths }: Steps) {
  for (let start = 0, block = 0; start < bytes.length; start += size) {
    const [step, least] = [half(bytes, start), half(bytes, start + 2)];
    for (let part = 0; part < 8; part++, block++) {
      const [at, early] = [start + 4 + part, part < 4];
      d[block] = step * (early ? bytes[at] & 63 : (bytes[at + 4] & 15) | ((bytes[at - 4] >> 6) << 4));
      m[block] = -least * (early ? bytes[at + 4] & 63 : (bytes[at + 4] >> 4) | ((bytes[at] >> 6) << 4));
      const [from, shift] = [start + size - 128 + 32 * (part >> 1), 4 * (part & 1)];
      for (let i = 0; i < HALF; i++)
        codes[block * HALF + i] = ((bytes[from + i] >> shift) & 15) | (((bytes[from + HALF + i] >> shift) & 15) << 4);
      if (fifths) for (let i = 0; i < BLOCK; i++) fifths[block] |= ((bytes[start + 16 + i] >> part) & 1) << i;
    }
  }
}

function unpackSteps({ codes, d, m, fifths }: Steps, values: Float32Array) {
  for (let block = 0; block < d.length; block++) {
    const [step, least, fifth] = [d[block], m[block], fifths ? fifths[block] : 0];
    for (let i = 0, from = block * HALF, to = block * BLOCK; i < HALF; i++) {
      const code = codes[from + i];
      values[to + i] = step * ((code & 15) | (((fifth >> i) & 1) << 4)) + least;
      values[to + HALF + i] = step * ((code >> 4) | (((fifth >> (HALF + i)) & 1) << 4)) + least;
    }
  }
}

/** Codes of five bits, with their zero in the middle, as codes of eight. */
function widen({ codes, d, fifths }: Steps) {
  const wide = new Int8Array(d.length * BLOCK);
  for (let block = 0; block < d.length; block++)
    for (let i = 0, from = block * HALF, to = block * BLOCK, fifth = fifths![block]; i < HALF; i++) {
      wide[to + i] = ((codes[from + i] & 15) | (((fifth >> i) & 1) << 4)) - 16;
      wide[to + HALF + i] = ((codes[from + i] >> 4) | (((fifth >> (HALF + i)) & 1) << 4)) - 16;
    }
  return { codes: wide, d };
}

function roundWeights(kind: Kind, bytes: Uint8Array) {
  const { weights, bytes: size } = blocks[kind];
  const codes = new Int8Array((bytes.length / size) * weights);
  const d = new Float32Array(codes.length / BLOCK);
  const piece = (PIECE * BLOCK * size) / weights;
  for (let from = 0, start = 0, block = 0; from < bytes.length; from += piece, start = block * BLOCK) {
    const values = unpack(kind, bytes.subarray(from, from + piece));
    for (let at = 0; at < values.length; at += BLOCK, block++) {
      let largest = 0;
      for (let i = at; i < at + BLOCK; i++) largest = Math.max(largest, Math.abs(values[i]));
      d[block] = largest / 127;
      const by = d[block] ? 1 / d[block] : 0;
      for (let i = at; i < at + BLOCK; i++) codes[start + i] = ((by * values[i] + 128.5) | 0) - 128;
    }
  }
  return { codes, d };
}
