// How the small decoder learns, in plain JavaScript: sequences that repeat, the forward pass of attention.ts over a batch of them,
// the way back of backward.ts, and AdamW. Twin of models/induction: network.py, data.py, training.py.

import {
  added,
  attend,
  causalMask,
  layerNorm,
  linear,
  partOf,
  project,
  softmax,
  type Layer,
  type Matrix,
} from "../math/attention.ts";
import { attendBackward, layerNormBackward, linearBackward } from "../math/backward.ts";
import { guessed } from "../math/repeats.ts";
import { uniform } from "../math/sampling.ts";

/** The constants of the model and of its training, by their names in `InductionConfig`. */
export interface Config {
  layers: number;
  heads: number;
  width: number;
  symbols: number;
  positions: number;
  shortest: number; // period of the sequences that repeat
  longest: number;
  batch: number;
  learning_rate: number;
}

/** What an experiment changes beside the config. */
export interface Change {
  text?: string; // learns from it alone
  offUntil?: number; // the step at which the heads of layer 1 come on
  withoutPositions?: boolean;
}

/** Sequences [b, t], and which of their symbols a mean loss counts: 1 of the first copy, 2 of those after it, 0 neither. */
export interface Sequences {
  ids: Int32Array;
  length: number; // t
  copies: Uint8Array;
}

const WARMUP = 15; // steps in which the rate rises
const [BETA1, BETA2, DECAY, TINY] = [0.9, 0.98, 0.01, 1e-8]; // of AdamW
const SPREAD = 0.5; // of the tables of symbols and positions

/** Random numbers from 0 to 1, the same for the same seed on every machine. */
export function randomOf(seed: number) {
  let after = 0;
  return () => uniform(seed, after++);
}

/** Random symbols that repeat; within a copy no symbol comes twice. */
export function repeated({ symbols, positions, shortest, longest, batch }: Config, random: () => number): Sequences {
  const [ids, copies] = [new Int32Array(batch * positions), new Uint8Array(batch * positions)];
  const deck = Int32Array.from({ length: symbols }, (_, symbol) => symbol);
  for (let start = 0; start < ids.length; start += positions) {
    const period = shortest + Math.floor(random() * (longest - shortest + 1));
    for (let i = 0; i < period; i++) {
      // draws a card for each place of the first copy
      const j = i + Math.floor(random() * (symbols - i));
      [deck[i], deck[j]] = [deck[j], deck[i]];
    }
    for (let t = 0; t < positions; t++) {
      ids[start + t] = deck[t % period];
      copies[start + t] = t < period ? 1 : t > period ? 2 : 0; // when a sequence will start again, it can't know
    }
  }
  return { ids, length: positions, copies };
}

/** One text alone, its characters as symbols in the order in which they first appear. */
export function onlyText(text: string, positions: number): Sequences {
  const characters = [...text].slice(0, positions);
  const known = [...new Set(characters)];
  const copies = [1, ...guessed(characters, []).map((next) => (next.known ? 2 : 1))];
  return {
    ids: Int32Array.from(characters, (character) => known.indexOf(character)),
    length: characters.length,
    copies: Uint8Array.from(copies),
  };
}

/** The weights before training, by the names of the state_dict, drawn as torch draws them. */
export function newTensors({ layers, width, symbols, positions }: Config, random: () => number): Layer {
  const tensors: Layer = {};
  const normal = () => SPREAD * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const even = () => (2 * random() - 1) / Math.sqrt(width);
  const add = (name: string, shape: number[], draw: () => number) =>
    (tensors[name] = { shape, values: Float32Array.from({ length: shape.reduce((size, side) => size * side) }, draw) });
  const addNorm = (name: string) => {
    add(`${name}.weight`, [width], () => 1);
    add(`${name}.bias`, [width], () => 0);
  };
  add("symbol.weight", [symbols, width], normal);
  add("position", [positions, width], normal);
  for (let layer = 0; layer < layers; layer++) {
    addNorm(`norms.${layer}`);
    for (const part of ["query", "key", "value", "output"]) add(`layers.${layer}.${part}.weight`, [width, width], even);
  }
  addNorm("norm");
  add("next.weight", [symbols, width], even);
  return tensors;
}

export class Learner {
  step = 0;
  tensors: Layer;
  gradients: Layer = {};
  losses = { first: 0, second: 0, all: 0 }; // mean, of the last batch, which was new
  #config: Config;
  #change: Change;
  #random: () => number;
  #moments: Record<string, [Float32Array, Float32Array]>; // of each tensor's gradient: its running mean, and that of its square

  constructor(config: Config, seed: number, change: Change = {}) {
    this.#config = config;
    this.#change = change;
    this.#random = randomOf(seed);
    this.tensors = newTensors(config, this.#random);
    if (change.withoutPositions) this.tensors.position.values.fill(0);
    this.#moments = Object.fromEntries(
      Object.entries(this.tensors).map(
        ([
          name,
          {
            values: { length },
          },
        ]) => [name, [new Float32Array(length), new Float32Array(length)]],
      ),
    );
  }

  /** Which heads are on now, [layer][h]; null for all. */
  get headMask() {
    const { layers, heads } = this.#config;
    if (this.step >= (this.#change.offUntil ?? 0)) return null;
    return Array.from({ length: layers }, (_, layer) => Array(heads).fill(layer > 0) as boolean[]);
  }

  /** One step down the loss of new sequences. */
  learn() {
    this.gradients = this.gradientsOf(this.draw());
    if (this.#change.withoutPositions) this.gradients.position.values.fill(0);
    this.#descend(this.#config.learning_rate * Math.min(1, (this.step + 1) / WARMUP));
    this.step++;
  }

  /** New sequences to learn from. */
  draw(): Sequences {
    const { text } = this.#change;
    return text === undefined ? repeated(this.#config, this.#random) : onlyText(text, this.#config.positions);
  }

  /** Forward through all layers, to the vectors `out` that the scores are read from; what the way back needs is kept. */
  forward({ ids, length }: Sequences) {
    const { tensors, headMask } = this;
    const { layers: count, heads: numHeads, width } = this.#config;
    const mask = causalMask(length);
    let x: Matrix = { shape: [ids.length, width], values: new Float32Array(ids.length * width) }; // [b * t, d]
    const { "symbol.weight": symbol, position } = tensors;
    ids.forEach((id, row) => {
      for (let d = 0; d < width; d++)
        x.values[row * width + d] = symbol.values[id * width + d] + position.values[(row % length) * width + d];
    });
    const layers = Array.from({ length: count }, (_, number) => {
      const [layer, input, on] = [partOf(tensors, `layers.${number}.`), x, headMask?.[number]];
      const normed = layerNorm(x, partOf(tensors, `norms.${number}.`));
      const [Q, K, V] = project(normed, normed, layer, numHeads);
      const attended = startsOf(ids, length).map((start) => {
        const [q, k, v] = [Q, K, V].map((all) => rowsOf(all, start, length));
        return { Q: q, K: k, V: v, headMask: on, ...attend(q, k, v, { numHeads, mask, headMask: on }) };
      });
      const context = joined(attended.map((one) => one.context));
      x = added(x, linear(context, layer["output.weight"]));
      return { layer, input, normed, attended, context };
    });
    return { x, layers, out: layerNorm(x, partOf(tensors, "norm.")) };
  }

  /** What is read from `out`: the mean losses of what comes next, in nats, and the gradient of the mean of all by the scores. */
  read(out: Matrix, sequences: Sequences) {
    return surprise(linear(out, this.tensors["next.weight"]), sequences);
  }

  /** The gradient of the mean loss of what comes next, in nats, with respect to each tensor. */
  gradientsOf(sequences: Sequences): Layer {
    const { tensors } = this;
    const { layers: count, width } = this.#config;
    const { ids, length } = sequences;
    const each = startsOf(ids, length);
    const { x, layers, out } = this.forward(sequences);
    const { losses, dScores } = this.read(out, sequences);
    const last = linearBackward(dScores, out, tensors["next.weight"]);
    const gradients: Layer = { "next.weight": last.dW };
    this.losses = losses;
    const through = (name: string, dy: Matrix, input: Matrix) => {
      const { dx, dGain, dBias } = layerNormBackward(dy, input, tensors[`${name}.weight`]);
      Object.assign(gradients, { [`${name}.weight`]: dGain, [`${name}.bias`]: dBias });
      return dx;
    };
    let dx = through("norm", last.dx, x);
    for (let number = count - 1; number >= 0; number--) {
      const { layer, input, normed, attended, context } = layers[number];
      const output = linearBackward(dx, context, layer["output.weight"]);
      const backs = attended.map((one, sequence) => attendBackward(rowsOf(output.dx, each[sequence], length), one));
      let dNormed: Matrix | null = null;
      gradients[`layers.${number}.output.weight`] = output.dW;
      for (const [name, dProjected] of [
        ["query", backs.map(({ dQ }) => dQ)],
        ["key", backs.map(({ dK }) => dK)],
        ["value", backs.map(({ dV }) => dV)],
      ] as const) {
        const back = linearBackward(joined(dProjected), normed, layer[`${name}.weight`]);
        gradients[`layers.${number}.${name}.weight`] = back.dW;
        dNormed = dNormed ? added(dNormed, back.dx) : back.dx;
      }
      dx = added(dx, through(`norms.${number}`, dNormed as Matrix, input));
    }
    for (const [name, rowOf] of [
      ["symbol.weight", (row: number) => ids[row]],
      ["position", (row: number) => row % length],
    ] as const) {
      const { shape, values } = tensors[name];
      const sums = new Float32Array(values.length);
      for (let row = 0; row < ids.length; row++)
        for (let d = 0, to = rowOf(row) * width; d < width; d++) sums[to + d] += dx.values[row * width + d];
      gradients[name] = { shape, values: sums };
    }
    return gradients;
  }

  /** AdamW. */
  #descend(rate: number) {
    const [scale1, scale2] = [1 - BETA1 ** (this.step + 1), 1 - BETA2 ** (this.step + 1)];
    for (const [name, { values }] of Object.entries(this.tensors)) {
      const [gradient, [first, second]] = [this.gradients[name].values, this.#moments[name]];
      for (let i = 0; i < values.length; i++) {
        first[i] += (1 - BETA1) * (gradient[i] - first[i]);
        second[i] += (1 - BETA2) * (gradient[i] ** 2 - second[i]);
        values[i] -= rate * (DECAY * values[i] + first[i] / scale1 / (Math.sqrt(second[i] / scale2) + TINY));
      }
    }
  }
}

/** The mean losses, in nats, and the gradient of the mean of all by the scores. Nothing comes after a sequence's last symbol. */
function surprise(scores: Matrix, { ids, length, copies }: Sequences) {
  const symbols = scores.shape[1];
  const dScores = softmax(scores); // at first what was expected
  const share = 1 / (ids.length - ids.length / length);
  const [sums, counts] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (let row = 0; row < ids.length; row++) {
    const [from, to] = [row * symbols, (row + 1) * symbols];
    const own = dScores.values.subarray(from, to);
    if ((row + 1) % length === 0) {
      own.fill(0);
      continue;
    }
    const next = ids[row + 1];
    const likeliest = Math.max(...own);
    const behind = Math.max(...scores.values.subarray(from, to)) - scores.values[from + next];
    sums[copies[row + 1]] += behind - Math.log(likeliest); // minus the logarithm of its chance, which may be too small for a number
    counts[copies[row + 1]]++;
    own[next] -= 1; // minus what came
    for (let symbol = 0; symbol < symbols; symbol++) own[symbol] *= share;
  }
  const losses = {
    first: sums[1] / counts[1],
    second: sums[2] / counts[2],
    all: (sums[0] + sums[1] + sums[2]) * share,
  };
  return { losses, dScores };
}

/** Where each sequence of a batch starts. */
const startsOf = (ids: Int32Array, length: number) =>
  Array.from({ length: ids.length / length }, (_, sequence) => sequence * length);

/** Some rows of a matrix, which stay where they are. */
const rowsOf = ({ shape: [, width], values }: Matrix, from: number, rows: number): Matrix => ({
  shape: [rows, width],
  values: values.subarray(from * width, (from + rows) * width),
});

/** Matrices of one shape, one below the other. */
function joined(all: Matrix[]): Matrix {
  const [
    {
      shape: [rows, width],
      values: { length },
    },
  ] = all;
  const values = new Float32Array(all.length * length);
  all.forEach((one, at) => values.set(one.values, at * length));
  return { shape: [all.length * rows, width], values };
}
