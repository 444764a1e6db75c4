// The decoder's weights, as its files bring them. What is in the files, models/decoder/page_files.py says.

import type { Layer } from "../math/attention.ts";
import { halfPrecisions } from "../math/wire.ts";
import type { DecoderFacts } from "./files.ts";
import { BLOCK, Kernel, Layout, type Codes4 } from "./kernel.ts";

export type MatrixName = "qkv" | "o" | "gu" | "down";

/** So many tokens are computed at once, at most. */
export const CHUNK = 64;

export class DecoderWeights {
  attentionNorms: Float32Array[] = []; // [layer][width]
  mlpNorms: Float32Array[] = [];
  norm = new Float32Array();
  readonly facts: DecoderFacts;
  #kernel: Kernel;
  #grams: Float32Array[] = []; // [layer], of those that were requested
  #places: ReturnType<typeof layOut>;

  /** Makes room for all weights; `put` brings them. */
  static async create(facts: DecoderFacts, code: BufferSource) {
    const places = layOut(facts);
    return new DecoderWeights(facts, await Kernel.create(code, places.layout, places.desk), places);
  }

  private constructor(facts: DecoderFacts, kernel: Kernel, places: ReturnType<typeof layOut>) {
    this.facts = facts;
    this.#kernel = kernel;
    this.#places = places;
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
      this.#kernel.bytes.set(plane("codes"), codes);
      this.#spread(plane("d"), d, 1, 1);
      this.norm = floats("norm");
    } else {
      for (const [name, { columns, stride, codes, d, m }] of Object.entries(this.#places.layers[Number(layer)])) {
        this.#kernel.bytes.set(plane(`${name}.codes`), codes);
        this.#spread(plane(`${name}.d`), d, columns / BLOCK, stride);
        this.#spread(plane(`${name}.m`), m, columns / BLOCK, stride);
      }
      this.attentionNorms[Number(layer)] = floats("attention_norm");
      this.mlpNorms[Number(layer)] = floats("mlp_norm");
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
        values[token * width + column] =
          this.#kernel.floats[d / 4 + Math.floor(at / BLOCK)] * this.#kernel.bytes[codes + at];
      }
    });
    return values;
  }

  /** x [token, column] -> x W^T [token, row], which stays until the next product is made. */
  multiply(layer: number, name: MatrixName, x: Float32Array) {
    return this.#kernel.multiply4(this.#places.layers[layer][name], x);
  }

  /** Directions of what W^O writes, back through it: float64 [direction][width] -> [direction][head * dim]. */
  back(layer: number, directions: Float64Array[]) {
    const { columns } = this.#places.layers[layer].o;
    const results = directions.map(() => new Float64Array(columns));
    this.#eachWritten(layer, (values, row) =>
      directions.forEach((direction, number) => {
        const [by, result] = [direction[row], results[number]];
        for (let at = 0; at < columns; at++) result[at] += by * values[at];
      }),
    );
    return results;
  }

  /** Some rows of a matrix: float64 [row][column]. */
  rows(layer: number, name: MatrixName, from: number, count: number) {
    const found: Float64Array[] = [];
    this.#eachRow(layer, name, from, count, (values) => found.push(values.slice()));
    return found;
  }

  /** What is learned in the attention of a layer, as modules hold it, [out, in]; each head has the keys and values of its group. */
  layerOf(layer: number): Layer {
    const { numHeads, numKvHeads, headDim, width } = this.facts;
    const part = (first: number, groups: number) => {
      const values = new Float32Array(numHeads * headDim * width);
      for (let head = 0; head < numHeads; head++)
        this.rows(layer, "qkv", (first + Math.floor((head * groups) / numHeads)) * headDim, headDim).forEach(
          (row, at) => values.set(row, (head * headDim + at) * width),
        );
      return { shape: [numHeads * headDim, width], values };
    };
    const output = new Float32Array(width * numHeads * headDim);
    this.#eachWritten(layer, (values, row) => output.set(values, row * numHeads * headDim));
    return {
      "query.weight": part(0, numHeads),
      "key.weight": part(numHeads, numKvHeads),
      "value.weight": part(numHeads + numKvHeads, numKvHeads),
      "output.weight": { shape: [width, numHeads * headDim], values: output },
    };
  }

  /** W W^T for each head's rows W of W^O: a value v writes a vector of length sqrt(v W W^T v^T). float32 [head, dim, dim] */
  gramsOf(layer: number) {
    if (this.#grams[layer]) return this.#grams[layer];
    const { numHeads, headDim } = this.facts;
    const grams = (this.#grams[layer] = new Float32Array(numHeads * headDim * headDim));
    this.#eachWritten(layer, (values) => {
      for (let column = 0; column < values.length; column++) {
        const [value, first] = [values[column], column - (column % headDim)];
        for (let other = first, at = column * headDim; other <= column; other++, at++)
          grams[at] += value * values[other];
      }
    });
    for (let head = 0; head < numHeads; head++)
      // the other half is the same
      for (let i = 0, from = head * headDim * headDim; i < headDim; i++)
        for (let j = 0; j < i; j++) grams[from + j * headDim + i] = grams[from + i * headDim + j];
    return grams;
  }

  /** Visits the numbers that W^O writes, one after the other, each with what it takes from the heads' outputs: [head * dim]. */
  #eachWritten(layer: number, visit: (values: Float64Array, row: number) => void) {
    this.#eachRow(layer, "o", 0, this.#places.layers[layer].o.rows, visit);
  }

  #eachRow(
    layer: number,
    name: MatrixName,
    first: number,
    count: number,
    visit: (values: Float64Array, row: number) => void,
  ) {
    const { columns, stride, codes, d, m } = this.#places.layers[layer][name];
    const { bytes, floats } = this.#kernel;
    const values = new Float64Array(columns);
    for (let row = first; row < first + count; row++) {
      for (let block = 0; block < columns / BLOCK; block++) {
        const from = codes + (((row * columns) / BLOCK + block) * BLOCK) / 2;
        const [step, least] = [floats[d / 4 + row * stride + block], floats[m / 4 + row * stride + block]];
        for (let at = 0; at < BLOCK / 2; at++) {
          // the lower halves of the bytes come first, then the upper ones
          values[block * BLOCK + at] = step * (bytes[from + at] & 15) + least;
          values[block * BLOCK + at + BLOCK / 2] = step * ((bytes[from + at] >> 4) & 15) + least;
        }
      }
      visit(values, row);
    }
  }

  /** How well each token would come next after a normed state: float32 [width] -> [token]. */
  scores(state: Float32Array) {
    return this.#kernel.multiply8(this.#places.embedding, state).slice();
  }

  /** Writes float16 [row, block] as float32, each row `stride` long. */
  #spread(halves: Uint8Array<ArrayBuffer>, place: number, blocks: number, stride: number) {
    const bits = new Uint16Array(halves.buffer);
    for (let at = 0; at < bits.length; at++)
      this.#kernel.floats[place / 4 + Math.floor(at / blocks) * stride + (at % blocks)] = HALVES[bits[at]];
  }
}

/** Where in the memory everything lies. */
function layOut({ numLayers, numHeads, numKvHeads, headDim, width, mlpWidth, vocabularySize }: DecoderFacts) {
  const layout = new Layout();
  const layers = Array.from({ length: numLayers }, (): Record<MatrixName, Codes4> => ({
    qkv: layout.matrix4((numHeads + 2 * numKvHeads) * headDim, width),
    o: layout.matrix4(width, numHeads * headDim),
    gu: layout.matrix4(2 * mlpWidth, width),
    down: layout.matrix4(width, mlpWidth),
  }));
  const embedding = layout.matrix8(vocabularySize, width);
  const desk = layout.desk(CHUNK, Math.max(width, mlpWidth), Math.max(vocabularySize, CHUNK * 2 * mlpWidth));
  return { layout, layers, embedding, desk };
}

const HALVES = halfPrecisions();
