// WebAssembly's memory, in which a pretrained model's weights lie, and the products that kernel/products.ts makes of them there.

import { Fault, WHY } from "../math/faults.ts";

/** Columns of a matrix, and numbers of a vector, that share a scale. */
export const BLOCK = 32;
/** Numbers as they are rounded: the sum of a block's products must be below 2 ** 31. */
const [SHORT, SHORTER] = [2 ** 15 - 1, 2 ** 13 - 1];
const PAGE = 65536; // bytes, of which WebAssembly's memory has at most as many

interface Products {
  copy(...places: number[]): number;
  quantise(...places: number[]): void;
  multiply4(...places: number[]): void;
  multiply8(...places: number[]): void;
  multiply14(...places: number[]): void;
}

/** A matrix in the memory: at which byte its codes begin, and their scales. */
interface Codes {
  rows: number;
  columns: number;
  codes: number;
  d: number;
}

/** Rows of a matrix that are held in one way: as codes of 8 bits, or of 4, which also have least values. A row of `d` and `m` has `stride` numbers. */
export type Held = Codes & { stride: number } & ({ bits: 8 } | { bits: 4; m: number });

/** One of 14-bit codes has a bias. */
export interface Codes14 extends Codes {
  bias: number;
}

/** The blocks of a row, filled up to a multiple of 4. */
const strideOf = (columns: number) => Math.ceil(columns / BLOCK / 4) * 4;

/** Deals out the memory. */
export class Layout {
  size = 1024;

  /** So many bytes; gives the first. */
  take(bytes: number) {
    const place = this.size;
    this.size += Math.ceil(bytes / 16) * 16;
    return place;
  }

  /** A matrix of codes of 4 or 8 bits, a scale for each block, and with 4 bits a least value. */
  matrix(bits: 4 | 8, rows: number, columns: number): Held {
    const codes = this.take((rows * columns * bits) / 8);
    if (bits === 8) {
      const stride = columns / BLOCK;
      return { bits, rows, columns, stride, codes, d: this.take(rows * stride * 4) };
    }
    const stride = strideOf(columns);
    return { bits, rows, columns, stride, codes, d: this.take(rows * stride * 4), m: this.take(rows * stride * 4) };
  }

  /** A matrix of 14-bit codes, a scale and a bias for each row. */
  matrix14(rows: number, columns: number): Codes14 {
    return { rows, columns, codes: this.take(rows * columns * 2), d: this.take(rows * 4), bias: this.take(rows * 4) };
  }

  /** Room for so many tokens' vectors, rounded ones too, and for so many results. */
  desk(tokens: number, columns: number, results: number) {
    const [x, rounded] = [this.take(tokens * columns * 4), this.take(tokens * columns * 2)];
    const [scales, sums] = [this.take(tokens * strideOf(columns) * 4), this.take(tokens * strideOf(columns) * 4)];
    return { x, rounded, scales, sums, y: this.take(results * 4), room: results * 4 };
  }
}

/** All products: x [token, column] -> x W^T [token, row], which stays until the next is made. */
export class Kernel {
  readonly floats: Float32Array; // the memory, by what lies there
  readonly bytes: Int8Array;
  readonly shorts: Int16Array;
  #products: Products;
  #desk: ReturnType<Layout["desk"]>;

  /** Takes the memory that a layout deals out. Fails where this browser has too little, or no SIMD. */
  static async create(code: BufferSource, { size }: Layout, desk: ReturnType<Layout["desk"]>) {
    const pages = Math.ceil(size / PAGE);
    if (pages > PAGE)
      throw new Fault(
        `it takes ${(size / 1e9).toFixed(1)} GB of memory, and a page has 4.3 at most. A smaller one would do.`,
      );
    try {
      const memory = new WebAssembly.Memory({ initial: pages });
      const { instance } = await WebAssembly.instantiate(code, { env: { memory } });
      return new Kernel(instance.exports as unknown as Products, memory.buffer, desk);
    } catch {
      throw new Fault(globalThis.WebAssembly ? WHY.memory : WHY.engine);
    }
  }

  private constructor(products: Products, memory: ArrayBuffer, desk: ReturnType<Layout["desk"]>) {
    this.floats = new Float32Array(memory);
    this.bytes = new Int8Array(memory);
    this.shorts = new Int16Array(memory);
    this.#products = products;
    this.#desk = desk;
  }

  /**
   * Takes in rows of blocks as files have them, so many bytes a block, each row at the one that `placeOf` says, from the `first` on; gives
   * whether all are finite. They lie on the desk meanwhile, where results come otherwise.
   */
  copyRows(
    { columns, stride, bits, codes, d, ...more }: Held,
    size: number,
    first: number,
    rows: Uint8Array,
    placeOf: (row: number) => number,
  ) {
    const { y, room } = this.#desk;
    const [blocks, m] = [columns / BLOCK, "m" in more ? more.m : 0];
    const length = blocks * size;
    const atOnce = Math.floor(room / length);
    let sum = 0;
    for (let row = 0; row < rows.length / length; row++) {
      const at = (row % atOnce) * length;
      if (!at) this.bytes.set(rows.subarray(row * length, (row + atOnce) * length), y);
      const place = placeOf(first + row);
      const steps = 4 * place * stride;
      sum += this.#products.copy(y + at, blocks, size, codes + (place * columns * bits) / 8, d + steps, m + steps);
    }
    return sum === 0;
  }

  /** Of a matrix in one or several parts, one below the other. */
  multiply(parts: Held[], x: Float32Array) {
    const [{ columns }] = parts;
    const { rounded, scales, sums, y } = this.#desk;
    const tokens = this.#round(x, columns, SHORT);
    const rows = parts.reduce((sum, part) => sum + part.rows, 0);
    let first = y; // where the first token's results lie
    for (const part of parts) {
      const { codes, d } = part;
      const weights = [tokens, columns, strideOf(columns), part.rows, codes, d];
      if (part.bits === 8) this.#products.multiply8(...weights, rounded, scales, first, rows * 4);
      else this.#products.multiply4(...weights, part.m, rounded, scales, sums, first, rows * 4);
      first += part.rows * 4;
    }
    return this.#results(tokens * rows);
  }

  /** And the bias is added. */
  multiply14({ rows, columns, codes, d, bias }: Codes14, x: Float32Array) {
    const { rounded, scales, y } = this.#desk;
    const tokens = this.#round(x, columns, SHORTER);
    this.#products.multiply14(tokens, columns, strideOf(columns), rows, codes, d, bias, rounded, scales, y);
    return this.#results(tokens * rows);
  }

  /** Lays vectors on the desk and rounds them, each block in steps of which its largest number has `highest`; gives their number. */
  #round(x: Float32Array, columns: number, highest: number) {
    const { x: place, rounded, scales, sums } = this.#desk;
    const tokens = x.length / columns;
    this.floats.set(x, place / 4);
    this.#products.quantise(place, tokens, columns, strideOf(columns), highest, rounded, scales, sums);
    return tokens;
  }

  #results(count: number) {
    const from = this.#desk.y / 4;
    return this.floats.subarray(from, from + count);
  }
}
