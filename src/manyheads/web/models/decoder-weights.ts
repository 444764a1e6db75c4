// The decoder's weights in WebAssembly's memory, as its files bring them, and the products that the kernel makes of them there.
// What is in the files, models/decoder/page_files.py says; what the kernel is given, kernel/decoder.ts.

interface Kernel {
  quantise(...places: number[]): void;
  multiply4(...places: number[]): void;
  multiply8(...places: number[]): void;
}

/** A matrix of 4-bit codes; `codes`, `d` and `m` say at which byte each begins. */
interface Matrix4 {
  rows: number;
  columns: number;
  stride: number; // blocks of a row, filled up to a multiple of 4
  codes: number;
  d: number;
  m: number;
}

export type MatrixName = "qkv" | "o" | "gu" | "down";

/** So many tokens are computed at once, at most. */
export const CHUNK = 64;
const BLOCK = 32; // columns that share a scale
const PAGE = 65536; // WebAssembly's memory grows by these

export class DecoderWeights {
  attentionNorms: Float32Array[] = []; // [layer][width]
  mlpNorms: Float32Array[] = [];
  norm = new Float32Array();
  /** W W^T for each head's rows W of W^O: a value v writes a vector of length sqrt(v W W^T v^T). [layer][head, dim, dim] */
  grams: Float32Array[] = [];
  readonly facts: DecoderFacts;
  #kernel: Kernel;
  #places: ReturnType<typeof layOut>;
  #floats: Float32Array;
  #bytes: Int8Array;

  /** Makes room for all weights; `put` brings them. Fails where this browser has too little memory, or no SIMD. */
  static async create(facts: DecoderFacts, kernel: BufferSource) {
    const places = layOut(facts);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(places.size / PAGE) });
    const { instance } = await WebAssembly.instantiate(kernel, { env: { memory } });
    return new DecoderWeights(facts, instance.exports as unknown as Kernel, places, memory.buffer);
  }

  private constructor(facts: DecoderFacts, kernel: Kernel, places: ReturnType<typeof layOut>, memory: ArrayBuffer) {
    this.facts = facts;
    this.#kernel = kernel;
    this.#places = places;
    this.#floats = new Float32Array(memory);
    this.#bytes = new Int8Array(memory);
  }

  /** Takes in a file, "embedding" or "layer-0" and so on. */
  put(part: string, file: Uint8Array<ArrayBuffer>) {
    const [kind, layer] = part.split("-");
    const plane = (name: string) => {
      const [start, bytes] = this.facts.planes[kind][name];
      return file.slice(start, start + bytes);
    };
    const floats = (name: string) => new Float32Array(plane(name).buffer);
    if (kind === "embedding") {
      const { codes, d } = this.#places.embedding;
      this.#bytes.set(plane("codes"), codes);
      this.#spread(plane("d"), d, 1, 1);
      this.norm = floats("norm");
    } else {
      for (const [name, { columns, stride, codes, d, m }] of Object.entries(this.#places.layers[Number(layer)])) {
        this.#bytes.set(plane(`${name}.codes`), codes);
        this.#spread(plane(`${name}.d`), d, columns / BLOCK, stride);
        this.#spread(plane(`${name}.m`), m, columns / BLOCK, stride);
      }
      this.attentionNorms[Number(layer)] = floats("attention_norm");
      this.mlpNorms[Number(layer)] = floats("mlp_norm");
      this.grams[Number(layer)] = this.#gramsOf(Number(layer)); // takes a while, and the next file is still on its way
    }
  }

  /** The tokens' embeddings: float32 [token, width]. */
  embed(ids: number[]) {
    const { width } = this.facts;
    const { codes, d } = this.#places.embedding;
    const values = new Float32Array(ids.length * width);
    ids.forEach((id, token) => {
      for (let column = 0; column < width; column++) {
        const at = id * width + column;
        values[token * width + column] = this.#floats[d / 4 + Math.floor(at / BLOCK)] * this.#bytes[codes + at];
      }
    });
    return values;
  }

  /** x [token, column] -> x W^T [token, row], which stays until the next product is made. */
  multiply(layer: number, name: MatrixName, x: Float32Array) {
    const { rows, columns, stride, codes, d, m } = this.#places.layers[layer][name];
    const { rounded, scales, sums, y } = this.#places;
    const tokens = x.length / columns;
    this.#quantise(x, columns, stride);
    this.#kernel.multiply4(tokens, columns, stride, rows, codes, d, m, rounded, scales, sums, y);
    return this.#floats.subarray(y / 4, y / 4 + tokens * rows);
  }

  /** Directions of what W^O writes, back through it: float64 [direction][width] -> [direction][head * dim]. */
  back(layer: number, directions: Float64Array[]) {
    const { columns } = this.#places.layers[layer].o;
    const results = directions.map(() => new Float64Array(columns));
    this.#eachWritten(layer, (values, row) => directions.forEach((direction, number) => {
      const [by, result] = [direction[row], results[number]];
      for (let at = 0; at < columns; at++) result[at] += by * values[at];
    }));
    return results;
  }

  #gramsOf(layer: number) {
    const { numHeads, headDim } = this.facts;
    const grams = new Float32Array(numHeads * headDim * headDim);
    this.#eachWritten(layer, (values) => {
      for (let column = 0; column < values.length; column++) {
        const [value, first] = [values[column], column - (column % headDim)];
        for (let other = first, at = column * headDim; other <= column; other++, at++) grams[at] += value * values[other];
      }
    });
    for (let head = 0; head < numHeads; head++) // the other half is the same
      for (let i = 0, from = head * headDim * headDim; i < headDim; i++)
        for (let j = 0; j < i; j++) grams[from + j * headDim + i] = grams[from + i * headDim + j];
    return grams;
  }

  /** Visits the numbers that W^O writes, one after the other, each with what it takes from the heads' outputs: [head * dim]. */
  #eachWritten(layer: number, visit: (values: Float64Array, row: number) => void) {
    const { rows, columns, stride, codes, d, m } = this.#places.layers[layer].o;
    const values = new Float64Array(columns);
    for (let row = 0; row < rows; row++) {
      for (let block = 0; block < columns / BLOCK; block++) {
        const from = codes + (row * columns / BLOCK + block) * BLOCK / 2;
        const [step, least] = [this.#floats[d / 4 + row * stride + block], this.#floats[m / 4 + row * stride + block]];
        for (let at = 0; at < BLOCK / 2; at++) { // the lower halves of the bytes come first, then the upper ones
          values[block * BLOCK + at] = step * (this.#bytes[from + at] & 15) + least;
          values[block * BLOCK + at + BLOCK / 2] = step * ((this.#bytes[from + at] >> 4) & 15) + least;
        }
      }
      visit(values, row);
    }
  }

  /** How well each token would come next after a normed state: float32 [width] -> [token]. */
  scores(state: Float32Array) {
    const { width, vocabularySize } = this.facts;
    const { embedding, rounded, scales, y } = this.#places;
    this.#quantise(state, width, filledUp(width));
    this.#kernel.multiply8(width, vocabularySize, embedding.codes, embedding.d, rounded, scales, y);
    return this.#floats.slice(y / 4, y / 4 + vocabularySize);
  }

  #quantise(x: Float32Array, columns: number, stride: number) {
    const { x: place, rounded, scales, sums } = this.#places;
    this.#floats.set(x, place / 4);
    this.#kernel.quantise(place, x.length / columns, columns, stride, rounded, scales, sums);
  }

  /** Writes float16 [row, block] as float32, each row `stride` long. */
  #spread(halves: Uint8Array<ArrayBuffer>, place: number, blocks: number, stride: number) {
    const bits = new Uint16Array(halves.buffer);
    for (let at = 0; at < bits.length; at++)
      this.#floats[place / 4 + Math.floor(at / blocks) * stride + (at % blocks)] = HALVES[bits[at]];
  }
}

/** The blocks of a row, filled up to a multiple of 4. */
const filledUp = (columns: number) => Math.ceil(columns / BLOCK / 4) * 4;

/** Where in the memory everything lies, and how many bytes that takes. */
function layOut({ numLayers, numHeads, numKvHeads, headDim, width, mlpWidth, vocabularySize }: DecoderFacts) {
  let size = 1024;
  const take = (bytes: number) => {
    const place = size;
    size += Math.ceil(bytes / 16) * 16;
    return place;
  };
  const matrix = (rows: number, columns: number): Matrix4 => {
    const stride = filledUp(columns);
    return { rows, columns, stride, codes: take(rows * columns / 2), d: take(rows * stride * 4), m: take(rows * stride * 4) };
  };
  const layers = Array.from({ length: numLayers }, (): Record<MatrixName, Matrix4> => ({
    qkv: matrix((numHeads + 2 * numKvHeads) * headDim, width),
    o: matrix(width, numHeads * headDim),
    gu: matrix(2 * mlpWidth, width),
    down: matrix(width, mlpWidth),
  }));
  const embedding = { codes: take(vocabularySize * width), d: take(vocabularySize * width / BLOCK * 4) };
  const widest = Math.max(width, mlpWidth);
  const work = {
    x: take(CHUNK * widest * 4),
    rounded: take(CHUNK * widest * 2),
    scales: take(CHUNK * filledUp(widest) * 4),
    sums: take(CHUNK * filledUp(widest) * 4),
    y: take(Math.max(vocabularySize, CHUNK * 2 * mlpWidth) * 4),
  };
  return { layers, embedding, ...work, size };
}

/** All numbers of 16 bits, by their bits. */
const HALVES = Float32Array.from({ length: 65536 }, (_, bits) => {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return exponent === 31 ? NaN : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
});
