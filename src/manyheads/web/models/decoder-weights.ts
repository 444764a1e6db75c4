// A decoder's weights in the kernel's memory; gguf-decoder.ts brings those of a file.

import { blocks } from "../../shared/gguf.json";
import type { Layer } from "../math/attention.ts";
import type { DecoderFacts } from "./files.ts";
import { areFinite, codesOf, type Codes, type Kind } from "./gguf-blocks.ts";
import { BLOCK, Kernel, Layout, type Held } from "./kernel.ts";

export type MatrixName = "qkv" | "o" | "gu" | "down";

/** So many tokens are computed at once, at most. */
export const CHUNK = 64;

/** The kinds of blocks whose codes the kernel reads as they are. */
const COPIED = new Set<Kind>(["Q4_0", "Q4_1", "Q8_0"]);

/** Some rows of a matrix, and of how many bits their codes are. */
export type Part = { bits: 4 | 8; rows: number };

/** How all matrices are held, each in parts from its first row on; without an output matrix, the embedding is it. */
export interface Plan {
  layers: Record<MatrixName, Part[]>[];
  embedding: Part;
  output?: Part;
}

/** What a norm has learned; one with biases is a LayerNorm. */
export interface Gains {
  weight: Float32Array;
  bias?: Float32Array;
}

/** What a layer has learned besides its matrices. */
export interface LayerVectors {
  attentionNorm?: Gains; // [width], where a part is normed before it reads
  mlpNorm?: Gains;
  attentionAfter?: Float32Array; // [width], where what it has written is
  mlpAfter?: Float32Array;
  biases?: Float32Array; // of queries, keys and values, as the rows of `qkv`
  outputBias?: Float32Array; // of the other matrices
  upBias?: Float32Array;
  downBias?: Float32Array;
  queryNorm?: Float32Array; // where queries and keys are normed before they're turned: [headDim], or [numHeads * headDim] all together
  keyNorm?: Float32Array;
}

export class DecoderWeights {
  readonly layers: LayerVectors[] = [];
  norm: Gains = { weight: new Float32Array() }; // after the last layer
  positions?: Float32Array; // [position, width], where they're added to the words
  readonly facts: DecoderFacts;
  readonly places: ReturnType<typeof layOut>;
  #kernel: Kernel;
  #grams: Float32Array[] = []; // [layer], of those that were requested

  /** Makes room for all weights; `putRows` brings those of matrices. */
  static async create(facts: DecoderFacts, code: BufferSource, plan: Plan) {
    const places = layOut(facts, plan);
    return new DecoderWeights(facts, await Kernel.create(code, places.layout, places.desk), places);
  }

  /** How many bytes they take. */
  static bytesOf = (facts: DecoderFacts, plan: Plan) => layOut(facts, plan).layout.size;

  private constructor(facts: DecoderFacts, kernel: Kernel, places: ReturnType<typeof layOut>) {
    this.facts = facts;
    this.#kernel = kernel;
    this.places = places;
  }

  /** Takes in whole rows of a file, from the `first` on, each at the row that `placeOf` says; gives whether all are of finite numbers. */
  putRows(held: Held, first: number, kind: Kind, rows: Uint8Array, placeOf: (row: number) => number) {
    if (COPIED.has(kind)) return this.#kernel.copyRows(held, blocks[kind].bytes, first, rows, placeOf);
    const codes = codesOf(kind, rows);
    this.#putCodes(held, first, codes, placeOf);
    return codes.bits === 8 ? areFinite(codes.d, 128) : areFinite(codes.d) && areFinite(codes.m); // what isn't finite stands in these
  }

  #putCodes(
    { bits, columns, stride, codes: start, d, ...more }: Held,
    first: number,
    { codes, ...scales }: Codes,
    placeOf: (row: number) => number,
  ) {
    const [count, length] = [columns / BLOCK, (columns * bits) / 8];
    const { bytes, floats } = this.#kernel;
    const own = new Int8Array(codes.buffer);
    for (let row = 0; row < codes.length / length; row++) {
      const place = placeOf(first + row);
      bytes.set(own.subarray(row * length, (row + 1) * length), start + place * length);
      floats.set(scales.d.subarray(row * count, (row + 1) * count), d / 4 + place * stride);
      if ("m" in more && "m" in scales)
        floats.set(scales.m.subarray(row * count, (row + 1) * count), more.m / 4 + place * stride);
    }
  }

  /** Multiplies the first rows of a matrix, or all of them. */
  scale({ stride, d, ...held }: Held, by: number, rows = held.rows) {
    const { floats } = this.#kernel;
    const places = "m" in held ? [d, held.m] : [d];
    for (const place of places) for (let at = place / 4; at < place / 4 + rows * stride; at++) floats[at] *= by;
  }

  /** The tokens' embeddings: float32 [token, width]. */
  embed(ids: number[]) {
    return this.#rowsOf(this.places.embedding, ids);
  }

  /** What a normed state is multiplied with for a token's logit: float32 [width]. */
  readout(id: number) {
    return this.#rowsOf(this.places.output, [id]);
  }

  #rowsOf(parts: Held[], rows: number[]) {
    const { width } = this.facts;
    const found = new Float32Array(rows.length * width);
    rows.forEach((row, at) => this.#eachRow(parts, row, 1, (values) => found.set(values, at * width)));
    return found;
  }

  /** How many numbers training made of each part, and of what reads the next word. */
  get sizes() {
    const held = (parts: Held[]) => parts.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
    const { embedding, output, layers } = this.places;
    const own = layers.flatMap(({ qkv, o, gu, down }, layer) => {
      const { attentionNorm, mlpNorm, ...more } = this.layers[layer];
      return [
        held(qkv) +
          held(o) +
          lengthOf(attentionNorm?.weight, attentionNorm?.bias, more.attentionAfter) +
          lengthOf(more.biases, more.outputBias, more.queryNorm, more.keyNorm),
        held(gu) + held(down) + lengthOf(mlpNorm?.weight, mlpNorm?.bias, more.mlpAfter, more.upBias, more.downBias),
      ];
    });
    const reads = lengthOf(this.norm.weight, this.norm.bias) + (output === embedding ? 0 : held(output));
    return [held(embedding) + lengthOf(this.positions), ...own, reads];
  }

  /** x [token, column] -> x W^T [token, row], which stays until the next product is made. */
  multiply(layer: number, name: MatrixName, x: Float32Array) {
    return this.#kernel.multiply(this.places.layers[layer][name], x);
  }

  /** Directions of what W^O writes, back through it: float64 [direction][width] -> [direction][head * dim]. */
  back(layer: number, directions: Float64Array[]) {
    const [{ columns }] = this.places.layers[layer].o;
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
    this.#eachRow(this.places.layers[layer][name], from, count, (values) => found.push(values.slice()));
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
    const { biases, outputBias, queryNorm, keyNorm } = this.layers[layer];
    const ofHeads = (all: Float32Array, first: number, groups: number) => {
      const values = new Float32Array(numHeads * headDim);
      for (let head = 0; head < numHeads; head++) {
        const from = (first + Math.floor((head * groups) / numHeads)) * headDim;
        values.set(all.subarray(from, from + headDim), head * headDim);
      }
      return { shape: [numHeads * headDim], values };
    };
    const gainOf = (gains: Float32Array, groups: number) =>
      gains.length > headDim ? ofHeads(gains, 0, groups) : { shape: [headDim], values: gains };
    const output = new Float32Array(width * numHeads * headDim);
    this.#eachWritten(layer, (values, row) => output.set(values, row * numHeads * headDim));
    return {
      "query.weight": part(0, numHeads),
      "key.weight": part(numHeads, numKvHeads),
      "value.weight": part(numHeads + numKvHeads, numKvHeads),
      "output.weight": { shape: [width, numHeads * headDim], values: output },
      ...(biases && {
        "query.bias": ofHeads(biases, 0, numHeads),
        "key.bias": ofHeads(biases, numHeads, numKvHeads),
        "value.bias": ofHeads(biases, numHeads + numKvHeads, numKvHeads),
      }),
      ...(outputBias && { "output.bias": { shape: [width], values: outputBias } }),
      ...(queryNorm && { "query.gain": gainOf(queryNorm, numHeads) }),
      ...(keyNorm && { "key.gain": gainOf(keyNorm, numKvHeads) }),
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
    this.#eachRow(this.places.layers[layer].o, 0, this.facts.width, visit);
  }

  /** How long the vector is that each neuron of a layer's MLP writes: the columns of its last matrix, with each row's gain. */
  neuronLengths(layer: number) {
    const squares = new Float64Array(this.facts.mlpWidth);
    const gains = this.layers[layer].mlpAfter;
    this.#eachRow(this.places.layers[layer].down, 0, this.facts.width, (values, row) =>
      values.forEach((value, neuron) => (squares[neuron] += (value * (gains?.[row] ?? 1)) ** 2)),
    );
    return squares.map(Math.sqrt);
  }

  #eachRow(parts: Held[], first: number, count: number, visit: (values: Float64Array, row: number) => void) {
    const values = new Float64Array(parts[0].columns);
    let before = 0; // rows of the parts above
    for (const part of parts) {
      const last = Math.min(first + count, before + part.rows);
      for (let row = Math.max(first, before); row < last; row++) {
        if (part.bits === 4) this.#unpack4(part, row - before, values);
        else this.#unpack8(part, row - before, values);
        visit(values, row);
      }
      before += part.rows;
    }
  }

  #unpack4({ columns, stride, codes, d, m }: Held & { bits: 4 }, row: number, values: Float64Array) {
    const { bytes, floats } = this.#kernel;
    for (let block = 0; block < columns / BLOCK; block++) {
      const from = codes + (((row * columns) / BLOCK + block) * BLOCK) / 2;
      const [step, least] = [floats[d / 4 + row * stride + block], floats[m / 4 + row * stride + block]];
      for (let at = 0; at < BLOCK / 2; at++) {
        // the lower halves of the bytes come first, then the upper ones
        values[block * BLOCK + at] = step * (bytes[from + at] & 15) + least;
        values[block * BLOCK + at + BLOCK / 2] = step * ((bytes[from + at] >> 4) & 15) + least;
      }
    }
  }

  #unpack8({ columns, stride, codes, d }: Held, row: number, values: Float64Array) {
    const { bytes, floats } = this.#kernel;
    for (let at = 0; at < columns; at++)
      values[at] = floats[d / 4 + row * stride + Math.floor(at / BLOCK)] * bytes[codes + row * columns + at];
  }

  /** How well each token would come next after a normed state: float32 [width] -> [token]. */
  scores(state: Float32Array) {
    return this.#kernel.multiply(this.places.output, state).slice();
  }

  /** The same after each of several states: as many at once as have room, since the kernel unpacks codes for four together. */
  scoresOfEach(states: Float32Array) {
    const { width, vocabularySize } = this.facts;
    const atOnce = Math.min(CHUNK, Math.floor(this.places.desk.room / 4 / vocabularySize)) * width;
    const found: Float32Array[] = [];
    for (let from = 0; from < states.length; from += atOnce) {
      const scores = this.scores(states.subarray(from, from + atOnce));
      for (let row = 0; row < scores.length; row += vocabularySize)
        found.push(scores.subarray(row, row + vocabularySize));
    }
    return found;
  }
}

const lengthOf = (...vectors: (Float32Array | undefined)[]) =>
  vectors.reduce((sum, vector) => sum + (vector?.length ?? 0), 0);

/** Where in the memory everything lies. */
function layOut({ numHeads, numKvHeads, headDim, width, mlpWidth, vocabularySize }: DecoderFacts, plan: Plan) {
  const layout = new Layout();
  const hold = (parts: Part[], columns: number) => parts.map(({ bits, rows }) => layout.matrix(bits, rows, columns));
  const layers = plan.layers.map(({ qkv, o, gu, down }): Record<MatrixName, Held[]> => ({
    qkv: hold(qkv, width),
    o: hold(o, numHeads * headDim),
    gu: hold(gu, width),
    down: hold(down, mlpWidth),
  }));
  const embedding = hold([plan.embedding], width);
  const output = plan.output ? hold([plan.output], width) : embedding;
  const heads = (numHeads + 2 * numKvHeads) * headDim;
  const desk = layout.desk(
    CHUNK,
    Math.max(width, mlpWidth, numHeads * headDim),
    Math.max(vocabularySize, CHUNK * Math.max(2 * mlpWidth, heads, width)),
  );
  return { layout, layers, embedding, output, desk };
}
