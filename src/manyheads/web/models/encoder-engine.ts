// The encoder's forward pass, BERT's (Devlin et al. 2019, arXiv:1810.04805). What is in its file, models/encoder/page_files.py says.

import type { HeadMask, Pushes } from "../math/attention-map.ts";
import { added, attend, layerNorm, partOf } from "../math/attention.ts";
import type { Layer, Matrix } from "../math/attention.ts";
import { headsIn, insideOf, mixesIn, sizeOf, type Inside } from "../math/machine.ts";
import { readSafetensors } from "./files.ts";
import type { PretrainedFacts } from "./files.ts";
import { Kernel, Layout, type Codes14 } from "./kernel.ts";

/** A matrix as it is sent: step * (low + base * high), a step for each row. */
interface Rounded {
  base: number;
  columns: number;
  low: Float32Array;
  high: Float32Array;
  step: Float32Array;
}

/** Tokens whose vectors are followed: where they stand, and a direction for each layer, the embeddings first: [layer + 1, width]. */
export interface Followed {
  places: number[];
  directions: Float32Array;
}

/** A feed-forward part at work. */
export interface Mixing {
  active: Matrix; // [t, neuron]
  weight: Matrix; // [d, neuron]
  read(change: Matrix): Matrix; // the tokens' vectors after it, if that is what it adds
}

/** What is taken down of a whole pass. */
export interface Whole {
  layer: number | null; // whose heads and neurons are shown
  changes: Matrix[]; // what each part adds
  streams: Matrix[]; // the tokens' vectors after each
  inside?: Inside;
  mixing?: Mixing;
}

const KEPT = 2; // texts: one, and the one that it is compared with

export class EncoderEngine {
  #facts: PretrainedFacts;
  #kernel: Kernel;
  #matrices: Record<string, Codes14>; // by name, in the kernel's memory
  #embeddings: Record<string, Rounded> = {}; // "words" and "positions"
  #norms: Record<string, Layer> = {}; // by what they come after
  #kept: { of: string; states: Matrix }[] = []; // the texts that were read last, the latest first

  /** Makes room for all matrices; `put` brings them. */
  static async create(facts: PretrainedFacts, code: BufferSource) {
    const { numLayers, width, mlpWidth, maxTokens } = facts;
    const layout = new Layout();
    const matrices = Array.from({ length: numLayers }, (_, layer) => [
      ...["query", "key", "value", "output"].map((name) => [`${layer}.${name}`, layout.matrix14(width, width)]),
      [`${layer}.up`, layout.matrix14(mlpWidth, width)],
      [`${layer}.down`, layout.matrix14(width, mlpWidth)],
    ]).flat();
    const desk = layout.desk(maxTokens, mlpWidth, maxTokens * mlpWidth);
    return new EncoderEngine(facts, await Kernel.create(code, layout, desk), Object.fromEntries(matrices));
  }

  get numLayers() {
    return this.#facts.numLayers;
  }

  private constructor(facts: PretrainedFacts, kernel: Kernel, matrices: Record<string, Codes14>) {
    this.#facts = facts;
    this.#kernel = kernel;
    this.#matrices = matrices;
  }

  /** Takes in the file. */
  put(file: Uint8Array) {
    const { tensors, metadata } = readSafetensors(file);
    const base = Number(metadata.base);
    const sent = (name: string) => {
      const [low, high, step] = ["low", "high", "step"].map((part) => tensors[`${part}.${name}`]);
      return { base, columns: low.shape[1], low: low.values, high: high.values, step: step.values };
    };
    for (const [name, { codes, d, bias }] of Object.entries(this.#matrices)) {
      const { low, high, step } = sent(name);
      for (let at = 0; at < low.length; at++) this.#kernel.shorts[codes / 2 + at] = low[at] + base * high[at];
      this.#kernel.floats.set(step, d / 4);
      this.#kernel.floats.set(tensors[`${name}.bias`].values, bias / 4);
    }
    for (const name of ["words", "positions"]) this.#embeddings[name] = sent(name);
    const norms = Object.keys(tensors)
      .filter((name) => name.endsWith("_norm.weight"))
      .map((name) => name.replace(".weight", ""));
    this.#norms = Object.fromEntries(norms.map((name) => [name, partOf(tensors, `${name}.`)]));
  }

  /**
   * What each head looks at, float32 [layer, head, query, key], and the words' vectors after each layer, the embeddings first, [layer + 1,
   * query, width]. `headMask[layer][head]` is false for a head that adds nothing, and what may come after the heads for a feed-forward part; `masked` holds the places of tokens that none may
   * look at. Where some tokens' vectors are followed, `pushes` says what moves them along a direction of each layer. `whole` takes
   * down what each part adds and the vectors after it.
   */
  pass(
    ids: number[],
    headMask: HeadMask = null,
    masked: number[] = [],
    followed: Followed | null = null,
    whole: Whole | null = null,
  ) {
    const { numLayers, numHeads } = this.#facts;
    const mask = masked.length
      ? Uint8Array.from({ length: ids.length ** 2 }, (_, at) => Number(!masked.includes(at % ids.length)))
      : null;
    const pushes: Pushes = { values: [], rest: [] };
    let x = this.#normed(added(this.#rows("words", ids), this.#rows("positions", [...ids.keys()])), "embeddings_norm");
    const [maps, states] = [[] as Matrix[], [x]];
    whole?.changes.push(x);
    whole?.streams.push(x);
    for (let layer = 0; layer < numLayers; layer++) {
      const on = headsIn(headMask?.[layer], numHeads);
      const { V, weights, context } = this.#attend(layer, x, mask, on);
      const mixed = this.#linear(context, `${layer}.output`);
      const summed = added(x, mixed);
      const middle = this.#normed(summed, `${layer}.attention_norm`);
      const up = this.#linear(middle, `${layer}.up`);
      const active = gelu(up);
      const down = this.#linear(active, `${layer}.down`);
      if (!mixesIn(headMask?.[layer], numHeads)) for (const { values } of [active, down]) values.fill(0);
      const changed = added(middle, down);
      if (followed) this.#follow(layer, { x, V, weights, summed, up, changed }, followed, on, pushes);
      x = this.#normed(changed, `${layer}.mlp_norm`);
      maps.push(weights);
      states.push(x);
      whole?.changes.push(mixed, down);
      whole?.streams.push(middle, x);
      if (whole?.layer !== layer) continue;
      whole.inside = insideOf(layer, weights, V, this.#matrixOf(`${layer}.output`), on);
      const read = (change: Matrix) => this.#normed(added(middle, change), `${layer}.mlp_norm`);
      whole.mixing = { active, weight: this.#matrixOf(`${layer}.down`), read };
    }
    const found = { weights: stacked(maps), states: stacked(states), ...(followed && { pushes }) };
    if (!mask && !whole)
      this.#kept = [{ of: nameOf(ids, headMask), states: found.states }, ...this.#kept].slice(0, KEPT);
    return found;
  }

  /** What the heads of a layer read in a text, [token, width], and what those of the layer below look at, [head, query, key]. A text that was just read isn't read again. */
  layerInput(ids: number[], layer: number, headMask: HeadMask = null) {
    const of = nameOf(ids, headMask);
    const states = this.#kept.find((kept) => kept.of === of)?.states ?? this.pass(ids, headMask).states;
    const after = (place: number) => ({ shape: states.shape.slice(1), values: rowsOf(states, place) });
    return { X: after(layer), below: layer ? this.#attend(layer - 1, after(layer - 1)).weights : undefined };
  }

  #attend(layer: number, x: Matrix, mask: Uint8Array | null = null, headMask?: boolean[]) {
    const [Q, K, V] = ["query", "key", "value"].map((name) => this.#linear(x, `${layer}.${name}`));
    return { V, ...attend(Q, K, V, { numHeads: this.#facts.numHeads, mask, headMask }) };
  }

  /**
   * Adds to `pushes` how far what each head takes from each token moves the followed ones along a layer's direction, and the rest, which
   * is their own vectors and the biases. The spreads of both norms and the gates of the GELU are held at what they are. Twin of
   * `_pushes_in` in models/senses/pushes.py.
   */
  #follow(
    layer: number,
    { x, V, weights, summed, up, changed }: Record<"x" | "V" | "weights" | "summed" | "up" | "changed", Matrix>,
    { places, directions }: Followed,
    on: boolean[] | undefined,
    pushes: Pushes,
  ) {
    const [tokens, width] = x.shape;
    const heads = weights.shape[0];
    const part = width / heads;
    const direction = directions.subarray((layer + 1) * width, (layer + 2) * width);
    const found = Array.from({ length: heads }, () => new Array<number>(tokens).fill(0));
    let rest = 0;
    for (const place of places) {
      // of several tokens, the mean
      const gates = row(up, place).map(gate);
      const atEnd = this.#normBack(`${layer}.mlp_norm`, row(changed, place), direction);
      const atGates = this.#back(`${layer}.down`, atEnd).map((value, at) => value * gates[at]);
      const throughMlp = this.#back(`${layer}.up`, atGates);
      const atMiddle = atEnd.map((value, at) => value + throughMlp[at]);
      const atStart = this.#normBack(`${layer}.attention_norm`, row(summed, place), atMiddle);
      const ofHeads = this.#back(`${layer}.output`, atStart);
      for (let head = 0; head < heads; head++) {
        if (on && !on[head]) continue;
        for (let key = 0; key < tokens; key++) {
          let value = 0;
          for (let i = head * part; i < (head + 1) * part; i++) value += V.values[key * width + i] * ofHeads[i];
          found[head][key] += (weights.values[(head * tokens + place) * tokens + key] * value) / places.length;
        }
      }
      const bias = (name: string, through: Float64Array) =>
        dot(this.#kernel.floats.subarray(this.#matrices[name].bias / 4), through);
      rest +=
        (dot(row(x, place), atStart) +
          bias(`${layer}.output`, atStart) +
          bias(`${layer}.up`, atGates) +
          bias(`${layer}.down`, atEnd) +
          dot(this.#norms[`${layer}.attention_norm`].bias.values, atMiddle) +
          dot(this.#norms[`${layer}.mlp_norm`].bias.values, direction)) /
        places.length;
    }
    pushes.values.push(found);
    pushes.rest.push(rest);
  }

  /** What each input of a matrix adds to the sum of its outputs, each as often as `through` says: W^T through. */
  #back(name: string, through: ArrayLike<number>) {
    const { rows, columns, codes, d } = this.#matrices[name];
    const [{ shorts, floats }, out] = [this.#kernel, new Float64Array(columns)];
    for (let row = 0, at = codes / 2; row < rows; row++) {
      const times = through[row] * floats[d / 4 + row];
      for (let column = 0; column < columns; column++, at++) out[column] += times * shorts[at];
    }
    return out;
  }

  /** The same through a norm whose spread is held at that of `x`. */
  #normBack(name: string, x: Float32Array, direction: ArrayLike<number>) {
    const gain = this.#norms[name].weight.values;
    const through = Float64Array.from(direction, (value, at) => value * gain[at]);
    const [mean, own] = [through, x].map(
      (values) => (values as Float64Array).reduce((sum, value) => sum + value, 0) / values.length,
    );
    const spread = Math.sqrt(
      x.reduce((sum, value) => sum + (value - own) ** 2, 0) / x.length + this.#facts.normEpsilon,
    );
    return through.map((value) => (value - mean) / spread);
  }

  /** What is learned in the attention of a layer, as modules hold it: [out, in]. */
  layerOf(layer: number): Layer {
    return Object.fromEntries(
      ["query", "key", "value", "output"].flatMap((name) => {
        const { rows, bias } = this.#matrices[`${layer}.${name}`];
        return [
          [`${name}.weight`, this.#matrixOf(`${layer}.${name}`)],
          [`${name}.bias`, { shape: [rows], values: this.#kernel.floats.slice(bias / 4, bias / 4 + rows) }],
        ];
      }),
    );
  }

  #matrixOf(name: string): Matrix {
    const { rows, columns, codes, d } = this.#matrices[name];
    const { floats, shorts } = this.#kernel;
    const values = new Float32Array(rows * columns);
    for (let row = 0, at = 0; row < rows; row++)
      for (let column = 0; column < columns; column++, at++) values[at] = shorts[codes / 2 + at] * floats[d / 4 + row];
    return { shape: [rows, columns], values };
  }

  /** How many numbers training made of each part; the vectors of BERT's two types of words are in those of positions. */
  get sizes() {
    const { words, positions } = this.#embeddings;
    const size = (name: string) => (this.#matrices[name].columns + 1) * this.#matrices[name].rows;
    const norm = (name: string) => sizeOf(...Object.values(this.#norms[name]));
    const tables = [words, positions].reduce((sum, { low }) => sum + low.length, 2 * words.columns);
    const layers = Array.from({ length: this.numLayers }, (_, layer) => [
      ["query", "key", "value", "output"].reduce((sum, name) => sum + size(`${layer}.${name}`), 0) +
        norm(`${layer}.attention_norm`),
      size(`${layer}.up`) + size(`${layer}.down`) + norm(`${layer}.mlp_norm`),
    ]);
    return [tables + norm("embeddings_norm"), ...layers.flat(), 0];
  }

  #linear({ shape: [tokens], values }: Matrix, name: string) {
    const matrix = this.#matrices[name];
    return { shape: [tokens, matrix.rows], values: this.#kernel.multiply14(matrix, values).slice() };
  }

  #normed(x: Matrix, name: string) {
    return layerNorm(x, this.#norms[name], this.#facts.normEpsilon);
  }

  /** Rows of an embedding: float32 [row, column]. */
  #rows(name: string, which: number[]) {
    const { base, columns, low, high, step } = this.#embeddings[name];
    const values = new Float32Array(which.length * columns);
    which.forEach((row, place) => {
      for (let column = 0; column < columns; column++) {
        const at = row * columns + column;
        values[place * columns + column] = step[row] * (low[at] + base * high[at]);
      }
    });
    return { shape: [which.length, columns], values };
  }
}

/** Tells texts apart that are read with some heads off. */
const nameOf = (ids: number[], headMask: HeadMask) => JSON.stringify([ids, headMask]);

/** One of the matrices that are stacked. */
const rowsOf = ({ shape: [count], values }: Matrix, place: number) =>
  values.slice((place * values.length) / count, ((place + 1) * values.length) / count);

/** x times how likely a standard normal number is below x: [token, column] (Hendrycks and Gimpel 2016, arXiv:1606.08415). */
function gelu({ shape, values }: Matrix) {
  const outputs = new Float32Array(values.length);
  for (let at = 0; at < values.length; at++) outputs[at] = values[at] * gate(values[at]);
  return { shape, values: outputs };
}

/** How likely a standard normal number is below x. */
const gate = (x: number) => (1 + erf(x / Math.SQRT2)) / 2;

const row = ({ shape: [, width], values }: Matrix, place: number) =>
  values.subarray(place * width, (place + 1) * width);

/** The sum of products, as long as the second. */
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.prototype.reduce.call(b, (sum: any, value: any, at) => sum + value * a[at], 0) as number;

/** The error function to 1.5e-7: Abramowitz and Stegun (1964), 7.1.26. */
function erf(x: number) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - tail * Math.exp(-x * x));
}

/** Matrices of one shape as one with an axis more. */
function stacked(matrices: Matrix[]): Matrix {
  const size = matrices[0].values.length;
  const values = new Float32Array(matrices.length * size);
  matrices.forEach((matrix, place) => values.set(matrix.values, place * size));
  return { shape: [matrices.length, ...matrices[0].shape], values };
}
