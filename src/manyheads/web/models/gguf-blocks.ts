// Blocks of weights as GGUF files hold them, in ggml's layouts: unpacked, or as codes that the kernel multiplies.

import { blocks } from "../../shared/gguf.json";
import { halfPrecisions } from "../math/wire.ts";
import { BLOCK } from "./kernel.ts";

export type Kind = keyof typeof blocks;

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
const PIECE = 2 ** 11; // so many blocks are rounded at once: their weights then stay in the processor's cache

/** How many bits the kernel's codes of such weights have. */
export const bitsOf = (kind: Kind): 4 | 8 => (kind.startsWith("Q4") ? 4 : 8);

/** Whole blocks as weights, each as ggml has it in float32. */
export function unpack(kind: Kind, bytes: Uint8Array): Float32Array {
  if (kind === "F32") return new Float32Array(bytes.slice().buffer);
  const values = new Float32Array((bytes.length / blocks[kind].bytes) * blocks[kind].weights);
  if (kind === "F16") for (let at = 0; at < values.length; at++) values[at] = half(bytes, 2 * at);
  else if (kind === "BF16") unpackUpper(bytes, new Uint32Array(values.buffer));
  else if (kind === "Q6_K") unpackSixBits(bytes, values);
  else if (bitsOf(kind) === 4) unpackFour(readFour(kind, bytes), values);
  else unpackBytes(readBytes(kind, bytes), values);
  return values;
}

/**
 * Whole rows as codes, of multiples of 32 columns: Q4_0, Q4_1, Q4_K, Q5_0 and Q8_0 exactly. Others are rounded: in each block to
 * multiples of a 127th of its largest weight.
 */
export function codesOf(kind: Kind, bytes: Uint8Array): Codes {
  if (bitsOf(kind) === 4) return { bits: 4, ...readFour(kind, bytes) };
  const { codes, d } = kind === "Q5_0" || kind === "Q8_0" ? readBytes(kind, bytes) : roundWeights(kind, bytes);
  return { bits: 8, codes, d };
}

/** The float16 at a byte. */
const half = (bytes: Uint8Array, at: number) => halfPrecisions()[bytes[at] | (bytes[at + 1] << 8)];

/** The upper halves of float32, as their bits. */
function unpackUpper(bytes: Uint8Array, bits: Uint32Array) {
  for (let at = 0; at < bits.length; at++) bits[at] = (bytes[2 * at] << 16) | (bytes[2 * at + 1] << 24);
}

/** Blocks of 256: 128 bytes of lower halves, 64 of upper bits by twos, a step for every 16 weights in 8 bits, and the step's step. */
function unpackSixBits(bytes: Uint8Array, values: Float32Array) {
  for (let start = 0, at = 0; at < values.length; start += blocks.Q6_K.bytes) {
    for (let part = 0; part < 8; part++) {
      const [lower, lowerShift] = [start + 64 * (part >> 2) + 32 * (part & 1), 2 * (part & 2)];
      const [upper, upperShift] = [start + 128 + 32 * (part >> 2), 2 * (part & 3)];
      for (let i = 0; i < BLOCK; i++, at++) {
        const step = (bytes[start + 192 + 2 * part + (i >> 4)] << 24) >> 24;
        const code = ((bytes[lower + i] >> lowerShift) & 15) | (((bytes[upper + i] >> upperShift) & 3) << 4);
        values[at] = half(bytes, start + 208) * step * (code - 32);
      }
    }
  }
}

/** Steps and least values: of blocks of 32 as they are, of blocks of 256 eight of each in 6 bits, with a step of their own. */
function readSteps(kind: Kind, bytes: Uint8Array) {
  const { weights, bytes: size } = blocks[kind];
  const count = ((bytes.length / size) * weights) / BLOCK;
  const [d, m] = [new Float32Array(count), new Float32Array(count)];
  for (let start = 0, block = 0; block < count; start += size) {
    const [step, least] = [half(bytes, start), half(bytes, start + 2)];
    if (weights === BLOCK) {
      d[block] = step;
      m[block++] = kind.endsWith("1") ? least : kind === "Q4_0" ? -8 * step : 0;
    } else
      for (let at = start + 4; at < start + 12; at++, block++) {
        const early = at < start + 8;
        d[block] = step * (early ? bytes[at] & 63 : (bytes[at + 4] & 15) | ((bytes[at - 4] >> 6) << 4));
        m[block] = -least * (early ? bytes[at + 4] & 63 : (bytes[at + 4] >> 4) | ((bytes[at] >> 6) << 4));
      }
  }
  return { d, m };
}

/** Codes of four bits stand at the end of their blocks; in blocks of 256, 32 weights in lower halves and 32 in upper ones. */
function readFour(kind: Kind, bytes: Uint8Array) {
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

/** Codes that take a byte: of eight bits, or of four and a fifth that stands before them. */
function readBytes(kind: Kind, bytes: Uint8Array) {
  const { weights, bytes: size } = blocks[kind];
  const { d, m } = readSteps(kind, bytes);
  const codes = new Int8Array(d.length * BLOCK);
  for (let end = size, to = 0; to < codes.length; end += size)
    if (kind === "Q8_0") for (let from = end - BLOCK; from < end; from++) codes[to++] = bytes[from];
    else if (weights === BLOCK) {
      const [from, middle] = [end - HALF, kind === "Q5_0" ? 16 : 0];
      for (let i = 0; i < HALF; i++, to++) {
        const [low, high] = [bytes[from - 4 + (i >> 3)], bytes[from - 2 + (i >> 3)]];
        codes[to] = ((bytes[from + i] & 15) | (((low >> (i & 7)) & 1) << 4)) - middle;
        codes[to + HALF] = ((bytes[from + i] >> 4) | (((high >> (i & 7)) & 1) << 4)) - middle;
      }
      to += HALF;
    } else
      for (let part = 0; part < 8; part++) {
        const [from, shift, fifths] = [end - 128 + 32 * (part >> 1), 4 * (part & 1), end - 160];
        for (let i = 0; i < BLOCK; i++)
          codes[to++] = ((bytes[from + i] >> shift) & 15) | (((bytes[fifths + i] >> part) & 1) << 4);
      }
  return { codes, d, m };
}

function unpackBytes({ codes, d, m }: ReturnType<typeof readBytes>, values: Float32Array) {
  for (let block = 0, at = 0; block < d.length; block++)
    for (const [step, least, end] = [d[block], m[block], at + BLOCK]; at < end; at++)
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

/** Whether all are finite; of what isn't, no multiple is 0. Loading a model comes by here millions of times. */
export function areFinite(values: Float32Array) {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += 0 * values[at];
  return sum === 0;
}
