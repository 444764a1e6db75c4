// A decoder from a GGUF file, the book's or a reader's: what it is made of, and its weights, tensor by tensor into the kernel's
// memory. What is in such files: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Twin of models/decoder/weights.py.

import known from "../../shared/gguf.json" with { type: "json" };
import { Fault } from "../math/faults.ts";
import { speedsOf, type Rotary } from "../math/rotary.ts";
import {
  DecoderWeights,
  type Gains,
  type LayerVectors,
  type MatrixName,
  type Part,
  type Plan,
} from "./decoder-weights.ts";
import type { DecoderFacts, Progress } from "./files.ts";
import { fault, listed, readPart, shorten, type Gguf, type Tensor } from "./gguf.ts";
import { areFinite, bitsOf, unpack } from "./gguf-blocks.ts";
import { BLOCK, type Held } from "./kernel.ts";

/** The tensors that a matrix of a layer is made of, one below the other; some files have them as one. */
const MATRICES: Record<MatrixName, string[][]> = {
  qkv: [["attn_q", "attn_k", "attn_v"], ["attn_qkv"]],
  o: [["attn_output"]],
  gu: [["ffn_gate", "ffn_up"], ["ffn_up"]],
  down: [["ffn_down"]],
};
const POSITIONS = "position_embd.weight";
const FACTORS = "rope_freqs.weight"; // by which the speeds of turning columns are divided
const AT_ONCE = 2 ** 22; // bytes of a tensor that are read and written together

type FactName = keyof typeof known.facts;

const FRACTIONS = ["normEpsilon", "rotaryBase", "localBase", "scoreCap", "logitCap"] as const;
const SCALES = ["embeddingScale", "residualScale", "logitScale", "attentionScale"] as const;

/**
 * What the layers of an architecture compute: which `pairs` of columns turn together, and by which base, the last of `turns` in each
 * so-many-th layer; whether embeddings are multiplied by the root of their width (`spreads`), and with how many layers queries are divided by
 * another root (`wide`); what facts are where a file is silent. For the others see `DecoderLayer` of models/decoder/network.py.
 */
type Architecture = typeof known.usual & { pairs: string; otherwise: Partial<Record<FactName, number>> };

/** How a fact is called in a file, and what it is where the file is silent: a number, another one, or one by another. */
interface Row {
  fact: string;
  otherwise?: number | string[];
  least?: number; // 1, unless it's a fraction
  fraction?: boolean;
}

/** A fact that may not be, except these values or those of other facts, of all architectures or of one. */
interface RuledOut {
  fact: string;
  architecture?: string;
  unless: unknown[];
  fault: string;
}

/** Reads what a file says of its model, and then its weights; refuses at once what would be computed wrong. */
export class DecoderFile {
  readonly facts: DecoderFacts;
  #gguf: Gguf;
  #architecture: string;
  #known: Architecture;
  #used = new Set<string>(); // names of tensors
  #matrices: (readonly [MatrixName, Tensor[]])[][]; // [layer]
  #embedding: Tensor;
  #output: Tensor | undefined;
  #scales: number[]; // `SCALES`
  #stretch: number; // by which the speeds of all turning columns are divided
  #weights: DecoderWeights | undefined;
  #places = new Map<Tensor, Held>(); // in their memory, of the tensors of matrices
  #vectors = new Map<string, Float32Array>(); // that have come, by their tensors' names

  constructor(gguf: Gguf, name: string) {
    this.#gguf = gguf;
    this.#architecture = String(gguf.facts.get("general.architecture"));
    const own: Partial<Architecture> = (known.architectures as Record<string, object>)[this.#architecture];
    this.#known = { ...known.usual, ...own } as Architecture;
    this.facts = this.#factsOf(name);
    const { numLayers, headDim, width, vocabularySize } = this.facts;
    const norms = this.#known.norm === "layer" ? ["output_norm.weight", "output_norm.bias"] : ["output_norm.weight"];
    const names = Object.keys(MATRICES) as MatrixName[];
    const layers = Array.from({ length: numLayers }, (_, layer) => layer);
    this.#matrices = layers.map((layer) => names.map((each) => [each, this.#matrix(layer, each)] as const));
    layers.forEach((layer) => this.#expectVectors(layer));
    this.#embedding = this.#tensor("token_embd.weight", [vocabularySize, width]);
    this.#output = this.#optional("output.weight", [vocabularySize, width]);
    for (const each of norms) this.#tensor(each, [width]);
    if (this.#known.positions) this.#tensor(POSITIONS, [this.#value("context"), width]);
    this.#optional(FACTORS, [headDim / 2]);
    this.#stretch = this.#stretchOf();
    this.#scales = SCALES.map((each) => this.#value(each));
    this.#refuseUnused();
  }

  #fact(name: string) {
    return this.#gguf.facts.get(`${this.#architecture}.${name}`);
  }

  /** A number of the table `facts`; where the file is silent the row's own, another one, or one by another. */
  #value(name: FactName): number {
    const { fact, least = 1, fraction, ...row }: Row = known.facts[name];
    const otherwise = this.#known.otherwise[name] ?? row.otherwise;
    const given = this.#fact(fact);
    if (given === undefined && Array.isArray(otherwise)) {
      const [number, by] = otherwise.map((each) => this.#value(each as FactName));
      return by === undefined ? number : Math.floor(number / by);
    }
    const value = given ?? otherwise;
    const isFitting = (number: number) =>
      fraction
        ? (number > 0 && number < Infinity) || (number === 0 && least === 0)
        : Number.isInteger(number) && number >= least && number <= known.mostCount;
    if (typeof value === "number" && isFitting(value)) return value;
    throw fault(fraction ? "fraction" : "count", { fact, least, value: shorten(value ?? "nothing") });
  }

  #factsOf(name: string): DecoderFacts {
    const names = ["numLayers", "numHeads", "numKvHeads", "headDim", "width", "mlpWidth", ...FRACTIONS] as const;
    const values = names.map((each) => [each, this.#value(each)]);
    const sizes = Object.fromEntries(values) as Record<(typeof names)[number], number>;
    const { numLayers, numHeads, headDim, width } = sizes;
    const { norms, activation, gated } = this.#known;
    const [norm] = Object.keys(this.#normsOf(width));
    this.#tensor(`blk.${numLayers - 1}.${norm}`, [width]); // nothing is made by a number that no tensor bears out
    this.#tensor("blk.0.attn_output.weight", [width, numHeads * headDim]);
    this.#refuseOthers(sizes);
    const most = Math.floor(Math.sqrt(known.mostWeights / (numLayers * numHeads)));
    const reaches = [this.#value("context"), this.#value("window")].filter(Boolean); // no text that's read goes beyond them
    return {
      ...sizes,
      name,
      maxTokens: Math.min(known.mostTokens, most, ...reaches),
      headNames: Array.from({ length: numHeads }, (_, head) => `head ${head + 1}`),
      vocabularySize: this.#tensor("token_embd.weight", [null, width]).shape[0],
      rotaries: [], // come with `finish`, since the file may have factors
      ...{ norms, activation, gated },
    };
  }

  /** Refuses facts under which a model computes something else, and sizes that the kernel doesn't take. */
  #refuseOthers(sizes: Record<string, number>) {
    const { numHeads, numKvHeads, headDim, width, mlpWidth } = sizes;
    if (numHeads % numKvHeads || headDim % 2) throw fault("groups", sizes);
    const { activation, every } = this.#known;
    const values: Record<string, number | string> = { ...sizes, activation, every };
    const rows: RuledOut[] = known.ruledOut;
    for (const { fact, unless, fault: why, architecture = this.#architecture } of rows) {
      const value = this.#fact(fact);
      const allowed: unknown[] = unless.map((each) => values[String(each)] ?? each);
      if (architecture === this.#architecture && value !== undefined && !allowed.includes(value))
        throw fault(why as keyof typeof known.faults, { ...values, fact, value: shorten(value) });
    }
    const odd = [width, mlpWidth, numHeads * headDim].find((columns) => columns % BLOCK);
    if (odd) throw new Fault(`it has matrices of ${odd} columns, and this page reads them in blocks of ${BLOCK}.`);
    if (headDim % 4) throw new Fault(`its heads have ${headDim} columns, and this page reads them by fours.`);
  }

  /** A tensor of a shape; null stands for any number. */
  #tensor(name: string, shape: (number | null)[]): Tensor {
    const tensor = this.#gguf.tensors.get(name);
    if (!tensor) throw fault("lacks", { name });
    const found = tensor.shape;
    if (found.length !== shape.length || shape.some((size, axis) => size !== null && size !== found[axis])) {
      const wanted = shape.map((size) => size ?? "any");
      throw fault("shape", { name, found: found.join(", "), wanted: wanted.join(", ") });
    }
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
    const { gated } = this.#known;
    const names = (gated || name !== "gu" ? MATRICES[name].find(stands) : ["ffn_up"]) ?? MATRICES[name][0];
    const isOne = gated && !names.includes("ffn_gate");
    const rows: Record<string, number> = {
      ...{ attn_q: queries, attn_k: keys, attn_v: keys, attn_qkv: queries + 2 * keys, attn_output: width },
      ...{ ffn_gate: mlpWidth, ffn_up: isOne ? 2 * mlpWidth : mlpWidth, ffn_down: width },
    };
    return names.map((each) => this.#tensor(`blk.${layer}.${each}.weight`, [rows[each], columns]));
  }

  /** Brings all weights into memory, some rows at a time; `progress` counts bytes. */
  async load(file: Blob, code: BufferSource, progress: Progress) {
    await this.makeRoom(code);
    const tensors = [...this.#gguf.tensors.values()];
    const total = tensors.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    for (const tensor of tensors)
      for await (const [first, bytes] of rowsOf(file, tensor)) {
        this.#take(tensor, first, bytes);
        progress((done += bytes.length), total);
      }
    return this.finish();
  }

  /** Makes room for all weights; `put` brings them. */
  async makeRoom(code: BufferSource) {
    this.#weights = await DecoderWeights.create(this.facts, code, this.#plan);
    const { layers, embedding, output } = this.#weights.places;
    this.#places.set(this.#embedding, embedding[0]);
    if (this.#output) this.#places.set(this.#output, output[0]);
    for (const [layer, matrices] of this.#matrices.entries())
      for (const [name, tensors] of matrices)
        tensors.forEach((tensor, at) => this.#places.set(tensor, layers[layer][name][at]));
  }

  /** Takes in a piece of the file, which begins at a byte of it: the tensors that begin there, all of them whole. */
  put(start: number, piece: Uint8Array) {
    for (const tensor of this.#gguf.tensors.values()) {
      const from = tensor.start - start;
      if (from >= 0 && from < piece.length) this.#take(tensor, 0, piece.subarray(from, from + tensor.bytes));
    }
  }

  /** Takes in rows of a matrix from the `first` on, or a whole vector. */
  #take(tensor: Tensor, first: number, bytes: Uint8Array) {
    const { name, kind } = tensor;
    const [held, placeOf] = [this.#places.get(tensor), this.#placesOf(tensor)];
    const isFinite = held
      ? this.#weights!.putRows(held, first, kind, bytes, placeOf)
      : this.#takeVector(tensor, first, unpack(kind, bytes), placeOf);
    if (!isFinite) throw fault("infinite", { name });
  }

  /** A vector, or rows of those of positions. */
  #takeVector(
    { name, shape, raised = 0 }: Tensor,
    first: number,
    values: Float32Array,
    placeOf: (row: number) => number,
  ) {
    const vector = this.#vectors.get(name) ?? new Float32Array(shape.reduce((product, size) => product * size));
    const from = first * shape[shape.length - 1];
    values.forEach((value, row) => (vector[from + placeOf(row)] = value + raised));
    this.#vectors.set(name, vector);
    return areFinite(values);
  }

  /** All weights, once they've come. */
  finish() {
    const weights = this.#weights!;
    const { turns, every } = this.#known;
    const bases: Record<string, Rotary> = { rotaryBase: this.#rotary, localBase: this.#value("localBase") };
    this.facts.rotaries = this.#matrices.map((_, layer) => bases[turns.at((layer + 1) % every ? 0 : -1)!] ?? null);
    weights.norm = this.#gains("output_norm")!;
    weights.positions = this.#vectors.get(POSITIONS);
    this.#matrices.forEach((_, layer) => (weights.layers[layer] = this.#layerVectors(layer)));
    this.#fold(weights);
    return weights;
  }

  /** Puts what is scaled in a model into its weights. */
  #fold(weights: DecoderWeights) {
    const { numLayers, numHeads, headDim, width } = this.facts;
    const { embedding, layers } = weights.places;
    const [given, residuals, logit, own] = this.#scales;
    const embeds = this.#known.spreads ? Math.sqrt(width) : given;
    const logits = this.#output ? logit : logit * embeds;
    const scale = own || (numLayers === this.#known.wide ? Math.sqrt(numHeads / width) : 0);
    const queries = scale ? scale * Math.sqrt(headDim) : 1;
    const multiply = (by: number, vector?: Float32Array) => vector?.forEach((value, at) => (vector[at] = value * by));
    if (embeds !== 1) weights.scale(embedding[0], embeds);
    if (logits !== 1) [weights.norm.weight, weights.norm.bias].forEach((each) => multiply(1 / logits, each));
    layers.forEach(({ qkv, o, down }, layer) => {
      const { queryNorm, biases } = weights.layers[layer];
      if (residuals !== 1) [...o, ...down].forEach((held) => weights.scale(held, residuals));
      if (queries === 1) return;
      if (queryNorm) return multiply(queries, queryNorm);
      weights.scale(qkv[0], queries, numHeads * headDim);
      multiply(queries, biases?.subarray(0, numHeads * headDim));
    });
  }

  /** How much of the kernel's memory its weights take. */
  get bytes() {
    return DecoderWeights.bytesOf(this.facts, this.#plan);
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
    const pairs = this.#fact("rope.pairs") ?? this.#known.pairs;
    if (pairs !== "neighbours" || !/\.attn_[qk]\./.test(name)) return same;
    const { headDim } = this.facts;
    return (row: number) => {
      const at = row % headDim;
      return row - at + (at % 2) * (headDim / 2) + Math.floor(at / 2);
    };
  }

  /** The vectors of a layer: norms, and biases where the file has them. */
  #expectVectors(layer: number) {
    const { numHeads, numKvHeads, headDim, width, mlpWidth } = this.facts;
    const { normed, biased } = this.#known;
    const lengths: Record<string, number> = this.#normsOf(width);
    const [queries, keys] = normed === "whole" ? [numHeads * headDim, numKvHeads * headDim] : [headDim, headDim];
    if (normed) Object.assign(lengths, { "attn_q_norm.weight": queries, "attn_k_norm.weight": keys });
    if (biased || this.#has(`blk.${layer}.attn_q.bias`))
      for (const { name, shape } of this.#matrices[layer][0][1]) lengths[`${name.split(".")[2]}.bias`] = shape[0];
    if (biased) Object.assign(lengths, { "attn_output.bias": width, "ffn_up.bias": mlpWidth, "ffn_down.bias": width });
    for (const [name, length] of Object.entries(lengths)) this.#tensor(`blk.${layer}.${name}`, [length]);
  }

  #layerVectors(layer: number): LayerVectors {
    const read = (name: string) => this.#vectors.get(`blk.${layer}.${name}`);
    const biases = MATRICES.qkv.flat().flatMap((name) => [...(read(`${name}.bias`) ?? [])]);
    return {
      attentionNorm: this.#gains(`blk.${layer}.attn_norm`),
      mlpNorm: this.#gains(`blk.${layer}.ffn_norm`),
      attentionAfter: read("post_attention_norm.weight"),
      mlpAfter: read("post_ffw_norm.weight"),
      biases: biases.length ? Float32Array.from(biases) : undefined,
      outputBias: read("attn_output.bias"),
      upBias: read("ffn_up.bias"),
      downBias: read("ffn_down.bias"),
      queryNorm: read("attn_q_norm.weight"),
      keyNorm: read("attn_k_norm.weight"),
    };
  }

  #gains(name: string): Gains | undefined {
    const [weight, bias] = [this.#vectors.get(`${name}.weight`), this.#vectors.get(`${name}.bias`)];
    return weight && { weight, bias };
  }

  /** The norms of a layer's parts, and how long they are. */
  #normsOf(width: number) {
    const { norms, norm } = this.#known;
    const names = [
      ...(norms === "after" ? [] : ["attn_norm.weight", "ffn_norm.weight"]),
      ...(norms === "before" ? [] : ["post_attention_norm.weight", "post_ffw_norm.weight"]),
      ...(norm === "layer" ? ["attn_norm.bias", "ffn_norm.bias"] : []),
    ];
    return Object.fromEntries(names.map((name) => [name, width]));
  }

  /** By how much positions are stretched. */
  #stretchOf() {
    return this.#fact("rope.scaling.type") === "none" ? 1 : this.#value("stretch");
  }

  /** By what columns turn: a base; or how fast each pair does, divided by one factor for all, and by one for each (Llama 3). */
  get #rotary(): Rotary {
    const [{ headDim }, rotaryBase] = [this.facts, this.#value("rotaryBase")];
    const factors = this.#vectors.get(FACTORS);
    if (!factors && this.#stretch === 1) return rotaryBase;
    return Array.from(speedsOf(headDim, rotaryBase), (speed, pair) => speed / this.#stretch / (factors?.[pair] ?? 1));
  }

  /** A tensor that isn't used would be missed in every number. */
  #refuseUnused() {
    const unread = [...this.#gguf.tensors.keys()].filter((name) => !this.#used.has(name));
    if (unread.length) throw fault("unread", { names: listed(unread.map(shorten)) });
  }
}

const same = (row: number) => row;

/** The rows of a tensor, some at a time: the first one's number, and their bytes. A vector is one, and one that is transposed comes whole. */
async function* rowsOf(file: Blob, { shape, bytes, start, transposed }: Tensor): AsyncGenerator<[number, Uint8Array]> {
  if (transposed) return yield [0, turned(await readPart(file, start, bytes), shape)];
  const rows = shape.length > 1 ? shape[0] : 1;
  const length = bytes / rows;
  const count = Math.max(Math.floor(AT_ONCE / length), 1);
  for (let row = 0; row < rows; row += count)
    yield [row, await readPart(file, start + row * length, Math.min(count, rows - row) * length)];
}

/** A matrix of a shape, of whose numbers each has its own bytes, from one that is transposed. */
function turned(bytes: Uint8Array, [rows, columns]: number[]) {
  const size = bytes.length / rows / columns;
  const found = new Uint8Array(bytes.length);
  for (let row = 0, to = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      for (let from = (column * rows + row) * size, end = from + size; from < end;) found[to++] = bytes[from++];
  return found;
}
