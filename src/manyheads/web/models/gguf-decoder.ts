// A decoder from a reader's GGUF file: what it is made of, and its weights, tensor by tensor into the kernel's memory. What is in
// such files: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Twin of models/decoder/weights.py.

import known from "../../shared/gguf.json" with { type: "json" };
import { Fault } from "../math/faults.ts";
import { speedsOf } from "../math/rotary.ts";
import { DecoderWeights, type LayerVectors, type MatrixName, type Part, type Plan } from "./decoder-weights.ts";
import type { DecoderFacts, Progress } from "./files.ts";
import { readPart, type Gguf, type Tensor } from "./gguf.ts";
import { bitsOf, codesOf, unpack } from "./gguf-blocks.ts";
import { BLOCK, type Held } from "./kernel.ts";

/** The tensors that a matrix of a layer is made of, one below the other; some files have them as one. */
const MATRICES: Record<MatrixName, string[][]> = {
  qkv: [["attn_q", "attn_k", "attn_v"], ["attn_qkv"]],
  o: [["attn_output"]],
  gu: [["ffn_gate", "ffn_up"], ["ffn_up"]],
  down: [["ffn_down"]],
};
const BIASES = ["attn_q.bias", "attn_k.bias", "attn_v.bias"];
const AT_ONCE = 2 ** 22; // bytes of a tensor that are read and written together

/** Which pairs of columns turn together, each so-many-th layer that turns none, and whether queries and keys are normed. */
const ARCHITECTURES: Record<string, { pairs: string; unturned?: number; normed?: boolean }> = known.architectures;

/** Reads what a file says of its model, and then its weights; refuses at once what would be computed wrong. */
export class DecoderFile {
  readonly facts: DecoderFacts;
  #gguf: Gguf;
  #architecture: string;
  #used = new Set<string>(); // names of tensors
  #matrices: (readonly [MatrixName, Tensor[]])[][]; // [layer]
  #vectors: Record<string, Tensor>[];
  #embedding: Tensor;
  #output: Tensor | undefined;
  #norm: Tensor;
  #factors: Tensor | undefined; // by which the speeds of turning columns are divided
  #stretch: number; // by which all of them are

  constructor(gguf: Gguf, name: string) {
    this.#gguf = gguf;
    this.#architecture = String(gguf.facts.get("general.architecture"));
    if (!Object.hasOwn(ARCHITECTURES, this.#architecture))
      throw new Fault(
        `its architecture, ${this.#architecture.slice(0, 40)}, isn’t one that this page computes. It reads ${Object.keys(ARCHITECTURES).join(", ")}.`,
      );
    this.facts = this.#factsOf(name);
    const { numLayers, headDim, width, vocabularySize } = this.facts;
    const names = Object.keys(MATRICES) as MatrixName[];
    const layers = Array.from({ length: numLayers }, (_, layer) => layer);
    this.#matrices = layers.map((layer) => names.map((each) => [each, this.#matrix(layer, each)] as const));
    this.#vectors = layers.map((layer) => this.#vectorsOf(layer));
    this.#embedding = this.#tensor("token_embd.weight", [vocabularySize, width]);
    this.#output = this.#optional("output.weight", [vocabularySize, width]);
    this.#norm = this.#tensor("output_norm.weight", [width]);
    this.#factors = this.#optional("rope_freqs.weight", [headDim / 2]);
    this.#stretch = this.#stretchOf();
    this.#refuseUnused();
  }

  /** A whole number that the file tells of its architecture. */
  #count(name: string, otherwise?: number) {
    const value = this.#fact(name) ?? otherwise;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > 2 ** 24)
      throw new Fault(`it doesn’t say ${name.replace(/[._]/g, " ")} as one number, which this page needs.`);
    return value;
  }

  #fact(name: string) {
    return this.#gguf.facts.get(`${this.#architecture}.${name}`);
  }

  #positive(name: string, otherwise: number) {
    const value = this.#fact(name) ?? otherwise;
    if (typeof value !== "number" || !(value > 0) || !Number.isFinite(value))
      throw new Fault(`it gives no number above 0 as ${name.replace(/[._]/g, " ")}.`);
    return value;
  }

  #factsOf(name: string): DecoderFacts {
    const [numLayers, numHeads] = [this.#count("block_count"), this.#count("attention.head_count")];
    const numKvHeads = this.#count("attention.head_count_kv", numHeads);
    const [width, mlpWidth] = [this.#count("embedding_length"), this.#count("feed_forward_length")];
    const headDim = this.#count("attention.key_length", width / numHeads);
    this.#tensor(`blk.${numLayers - 1}.attn_norm.weight`, [width]); // nothing is made by a number that no tensor bears out
    this.#tensor("blk.0.attn_output.weight", [width, numHeads * headDim]);
    const odd = [width, mlpWidth, numHeads * headDim].find((columns) => columns % BLOCK);
    if (odd) throw new Fault(`it has matrices of ${odd} columns, and this page reads them in blocks of ${BLOCK}.`);
    if (numHeads % numKvHeads || headDim % 4) throw new Fault("its heads don’t fit into groups, or have an odd width.");
    if (this.#fact("expert_count"))
      throw new Fault("its layers choose among experts, which this page doesn’t compute.");
    const lengths = [this.#count("attention.value_length", headDim), this.#count("rope.dimension_count", headDim)];
    if (lengths.some((length) => length !== headDim))
      throw new Fault(
        "its values have another width than its keys, or only a part of each key turns: this page computes neither.",
      );
    if (this.#fact("attention.causal") === false) throw new Fault("its tokens look ahead, so it writes nothing.");
    const window = this.#fact("attention.sliding_window");
    const maxTokens = Math.min(
      this.#count("context_length", known.mostTokens),
      typeof window === "number" && window > 0 ? window : Infinity, // no text that's read reaches beyond it
      known.mostTokens,
      Math.floor(Math.sqrt(known.mostWeights / (numLayers * numHeads))),
    );
    return {
      name,
      numLayers,
      numHeads,
      numKvHeads,
      headDim,
      width,
      mlpWidth,
      maxTokens,
      headNames: Array.from({ length: numHeads }, (_, head) => `head ${head + 1}`),
      vocabularySize: this.#tensor("token_embd.weight", [null, width]).shape[0],
      normEpsilon: this.#positive("attention.layer_norm_rms_epsilon", 1e-5),
      rotaryBase: this.#positive("rope.freq_base", 10_000), // put right by `load`, where the file has factors
      unturned: ARCHITECTURES[this.#architecture].unturned,
    };
  }

  /** A tensor of a shape; null stands for any number. */
  #tensor(name: string, shape: (number | null)[]): Tensor {
    const tensor = this.#gguf.tensors.get(name);
    if (!tensor) throw new Fault(`it has no tensor “${name}”, which a ${this.#architecture} needs.`);
    if (
      tensor.shape.length !== shape.length ||
      shape.some((size, axis) => size !== null && size !== tensor.shape[axis])
    )
      throw new Fault(
        `its tensor “${name}” is [${tensor.shape.join(", ")}], where its header calls for [${shape.map((size) => size ?? "any").join(", ")}].`,
      );
    this.#used.add(name);
    return tensor;
  }

  #optional = (name: string, shape: number[]) => (this.#has(name) ? this.#tensor(name, shape) : undefined);

  #has = (name: string) => this.#gguf.tensors.has(name);

  /** The tensors of a matrix, from its first row on. */
  #matrix(layer: number, name: MatrixName) {
    const { numHeads, numKvHeads, headDim, width, mlpWidth } = this.facts;
    const [queries, keys] = [numHeads * headDim, numKvHeads * headDim];
    const columns = { qkv: width, o: queries, gu: width, down: mlpWidth }[name];
    const stands = (names: string[]) => names.every((each) => this.#has(`blk.${layer}.${each}.weight`));
    const names = MATRICES[name].find(stands) ?? MATRICES[name][0];
    const rows: Record<string, number> = {
      ...{ attn_q: queries, attn_k: keys, attn_v: keys, attn_qkv: queries + 2 * keys, attn_output: width },
      ...{ ffn_gate: mlpWidth, ffn_up: names.includes("ffn_gate") ? mlpWidth : 2 * mlpWidth, ffn_down: width },
    };
    return names.map((each) => this.#tensor(`blk.${layer}.${each}.weight`, [rows[each], columns]));
  }

  /** Brings all weights into memory, some rows at a time; `progress` counts bytes. */
  async load(file: Blob, code: BufferSource, progress: Progress) {
    if (this.#factors || this.#stretch !== 1) this.facts.rotaryBase = await this.#readSpeeds(file);
    const weights = await DecoderWeights.create(this.facts, code, this.#plan);
    const [embedding, output] = [this.#embedding, this.#output];
    const all = [...this.#matrices.flat().flatMap(([, tensors]) => tensors), embedding, ...(output ? [output] : [])];
    const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    const bring = async (tensor: Tensor, held: Held, placeOf = same) => {
      for await (const [first, bytes] of rowsOf(file, tensor)) {
        weights.putRows(held, first, codesOf(tensor.kind, bytes), placeOf);
        progress((done += bytes.length), total);
      }
    };
    await bring(embedding, weights.places.embedding[0]);
    if (output) await bring(output, weights.places.output[0]);
    for (const [layer, matrices] of this.#matrices.entries()) {
      for (const [name, tensors] of matrices)
        for (const [at, tensor] of tensors.entries())
          await bring(tensor, weights.places.layers[layer][name][at], this.#placesOf(tensor));
      weights.layers[layer] = await this.#readVectors(file, this.#vectors[layer]);
    }
    weights.norm = await readVector(file, this.#norm);
    return weights;
  }

  /** How the kernel holds each tensor. */
  get #plan(): Plan {
    const part = ({ kind, shape: [rows] }: Tensor): Part => ({ bits: bitsOf(kind), rows });
    const layers = this.#matrices.map((each) => each.map(([name, tensors]) => [name, tensors.map(part)]));
    return {
      layers: layers.map((each) => Object.fromEntries(each)),
      embedding: part(this.#embedding),
      output: this.#output && part(this.#output),
    };
  }

  /**
   * Where a row of queries or keys goes. Our columns i and i + d/2 of a head turn together. Llama’s files have such columns side by
   * side, 2i and 2i + 1; those of the others are as ours.
   */
  #placesOf({ name }: Tensor) {
    if (ARCHITECTURES[this.#architecture].pairs !== "neighbours" || !/\.attn_[qk]\./.test(name)) return same;
    const { headDim } = this.facts;
    return (row: number) => {
      const at = row % headDim;
      return row - at + (at % 2) * (headDim / 2) + Math.floor(at / 2);
    };
  }

  /** The vectors of a layer: norms, and biases where the file has them. */
  #vectorsOf(layer: number) {
    const { numHeads, numKvHeads, headDim, width } = this.facts;
    const lengths: Record<string, number> = { "attn_norm.weight": width, "ffn_norm.weight": width };
    if (ARCHITECTURES[this.#architecture].normed)
      Object.assign(lengths, { "attn_q_norm.weight": headDim, "attn_k_norm.weight": headDim });
    if (this.#has(`blk.${layer}.attn_q.bias`))
      BIASES.forEach((name, at) => (lengths[name] = (at ? numKvHeads : numHeads) * headDim));
    const tensors = Object.entries(lengths).map(([name, length]) => [
      name,
      this.#tensor(`blk.${layer}.${name}`, [length]),
    ]);
    return Object.fromEntries(tensors) as Record<string, Tensor>;
  }

  async #readVectors(file: Blob, tensors: Record<string, Tensor>): Promise<LayerVectors> {
    const read: Record<string, Float32Array> = {};
    for (const [name, tensor] of Object.entries(tensors)) {
      const values = await readVector(file, tensor);
      const placeOf = this.#placesOf(tensor);
      read[name] = new Float32Array(values.length);
      values.forEach((value, row) => (read[name][placeOf(row)] = value));
    }
    const biases = BIASES.flatMap((name) => [...(read[name] ?? [])]);
    return {
      attentionNorm: read["attn_norm.weight"],
      mlpNorm: read["ffn_norm.weight"],
      biases: biases.length ? Float32Array.from(biases) : undefined,
      queryNorm: read["attn_q_norm.weight"],
      keyNorm: read["attn_k_norm.weight"],
    };
  }

  /** By how much positions are stretched; refused where that isn't the same for all of them. */
  #stretchOf() {
    const kind = this.#fact("rope.scaling.type") ?? "linear"; // where there's a factor
    if (kind !== "none" && kind !== "linear")
      throw new Fault(`its positions are stretched by ${String(kind).slice(0, 20)}, which this page doesn’t compute.`);
    return kind === "linear" ? this.#positive("rope.scaling.factor", 1) : 1;
  }

  /** How fast pairs of columns turn, divided by one factor for all, and by one for each (Llama 3). */
  async #readSpeeds(file: Blob) {
    const { headDim, rotaryBase } = this.facts;
    const factors = this.#factors && (await readVector(file, this.#factors));
    return Array.from(speedsOf(headDim, rotaryBase), (speed, pair) => speed / this.#stretch / (factors?.[pair] ?? 1));
  }

  /** A tensor that isn't used would be missed in every number. */
  #refuseUnused() {
    const [first, ...more] = [...this.#gguf.tensors.keys()].filter((name) => !this.#used.has(name));
    if (!first) return;
    throw new Fault(
      `it has tensors that this page doesn’t know how to compute with: “${first.slice(0, 60)}”${more.length ? ` and ${more.length} more` : ""}.`,
    );
  }
}

const same = (row: number) => row;

/** The rows of a tensor, some at a time: the first one's number, and their bytes. */
async function* rowsOf(file: Blob, { shape: [rows], bytes, start }: Tensor): AsyncGenerator<[number, Uint8Array]> {
  const length = bytes / rows;
  const count = Math.max(Math.floor(AT_ONCE / length), 1);
  for (let row = 0; row < rows; row += count)
    yield [row, await readPart(file, start + row * length, Math.min(count, rows - row) * length)];
}

const readVector = async (file: Blob, { kind, start, bytes }: Tensor) =>
  unpack(kind, await readPart(file, start, bytes));
