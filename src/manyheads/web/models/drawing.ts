// Twin of models/drawing: the same drawings, the same numbers. tests/fast/web/test_drawing.py holds the two equal.

import type { AttentionMap, HeadMask, PatchPicture } from "../math/attention-map.ts";
import { added, layerNorm, linear, multiHeadAttention, partOf, relu, softmax } from "../math/attention.ts";
import type { Layer, Matrix } from "../math/attention.ts";
import { notesOn, readDrawing, SIDE } from "../math/strokes.ts";
import type { Safetensors } from "../math/wire.ts";
import type { HeadModel } from "./head-model.ts";
import type { Loading } from "./models.ts";

/** A map of a drawing, and how likely each dot is shut in, row by row. */
export interface DrawingMap extends AttentionMap {
  picture: PatchPicture;
  filled: Float32Array;
}

type Place = [layer: number, head: number];

const PARTS = ["norm", "attention", "hidden_norm", "into", "out"];

/** The model called `drawing`. */
export async function load(_variant: string, { progress, fetchTensors }: Loading) {
  return new DrawingModel(await fetchTensors("drawing.safetensors.gz", progress));
}

export class DrawingModel implements HeadModel {
  name = "drawing";
  numLayers: number;
  numHeads: number;
  headNames: string[];
  roles: Record<"gap" | "carrier", Place>;
  #words: Record<"places", string>;
  #tensors: Layer;
  #blocks: Record<string, Layer>[];
  #norm: Layer;
  #patch: number; // dots to its side
  #grid: number; // patches to a side
  #tokens: string[];
  #start: Float32Array; // [1 + patches, width]: [CLS], and for each patch the vector of where it is

  constructor({ tensors, metadata }: Safetensors) {
    const { config, roles, words } = Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [name, JSON.parse(value)]),
    );
    this.numLayers = config.layers;
    this.numHeads = config.heads;
    this.headNames = Array.from({ length: config.heads }, (_, head) => `head ${head + 1}`);
    this.roles = roles;
    this.#words = words;
    this.#tensors = tensors;
    this.#blocks = Array.from({ length: config.layers }, (_, layer) =>
      Object.fromEntries(PARTS.map((part) => [part, partOf(tensors, `blocks.${layer}.${part}.`)])),
    );
    this.#norm = partOf(tensors, "norm.");
    this.#patch = config.patch;
    this.#grid = SIDE / config.patch;
    const counted = [...Array(this.#grid).keys()];
    const patches = counted.flatMap((row) => counted.map((column) => `patch ${row + 1},${column + 1}`));
    this.#tokens = ["[CLS]", ...patches];
    this.#start = this.#startWith(tensors);
  }

  /** The map of a drawing's text; `headMask[layer][head]` is false for a head that is off, null for all on. Throws `Unreadable`. */
  attend(text: string, headMask: HeadMask = null): DrawingMap {
    const ink = readDrawing(text);
    const { maps, dots, places } = this.#computed(ink, headMask);
    const tokens = this.#tokens;
    const shape = [this.numLayers, this.numHeads, tokens.length, tokens.length];
    const weights = new Float32Array(shape.reduce((size, side) => size * side));
    maps.forEach((values, layer) => weights.set(values, layer * values.length));
    const counts = places.map((chance, count): [string, number] => [
      `${count}${count === places.length - 1 ? " or more" : ""}`,
      chance,
    ]);
    return {
      queryTokens: tokens,
      keyTokens: tokens,
      shape,
      weights,
      headNames: this.headNames,
      notes: notesOn(text),
      predictions: { [this.#words.places]: Object.fromEntries(counts) },
      picture: {
        ink,
        ...{ rows: this.#grid, columns: this.#grid, width: SIDE, height: SIDE },
        ...{ keyStart: 1, queryStart: 1 },
      },
      filled: this.#joined(dots),
    };
  }

  /** What each layer's heads look at, [h, t, t]; the logits of each patch's dots, and how likely each number of places is. */
  #computed(ink: Float32Array, headMask: HeadMask) {
    const { numHeads } = this;
    const tensors = this.#tensors;
    let x = this.#embed(ink);
    const maps = this.#blocks.map((block, layer) => {
      const { output, weights } = multiHeadAttention(layerNorm(x, block.norm), block.attention, {
        numHeads,
        headMask: headMask?.[layer],
      });
      x = added(x, output);
      const hidden = relu(linear(layerNorm(x, block.hidden_norm), block.into.weight, block.into.bias));
      x = added(x, linear(hidden, block.out.weight, block.out.bias));
      return weights.values;
    });
    x = layerNorm(x, this.#norm);
    const width = x.shape[1];
    const cls = { shape: [1, width], values: x.values.subarray(0, width) };
    const patches = { shape: [x.shape[0] - 1, width], values: x.values.subarray(width) };
    return {
      maps,
      dots: linear(patches, tensors["dots.weight"], tensors["dots.bias"]).values,
      places: [...softmax(linear(cls, tensors["places.weight"], tensors["places.bias"])).values],
    };
  }

  /** [CLS], and each patch's own dots and where it is. */
  #embed(ink: Float32Array): Matrix {
    const { "patch.weight": weight, "patch.bias": bias } = this.#tensors;
    const cut = new Float32Array(SIDE * SIDE);
    for (let at = 0; at < cut.length; at++) cut[at] = ink[this.#dotOf(at)];
    const [width, size] = weight.shape;
    const patches = linear({ shape: [cut.length / size, size], values: cut }, weight, bias).values;
    const values = this.#start.slice();
    for (let at = 0; at < patches.length; at++) values[width + at] += patches[at];
    return { shape: [values.length / width, width], values };
  }

  #startWith({ start, row, column }: Layer) {
    const width = start.values.length;
    const values = new Float32Array(this.#tokens.length * width);
    values.set(start.values);
    for (let at = width; at < values.length; at++) {
      const [patch, d] = [Math.floor(at / width) - 1, at % width];
      const [down, across] = [Math.floor(patch / this.#grid), patch % this.#grid];
      values[at] = row.values[down * width + d] + column.values[across * width + d];
    }
    return values;
  }

  /** The chances of logits that come patch by patch, dot by dot. */
  #joined(logits: Float32Array) {
    const chances = new Float32Array(logits.length);
    logits.forEach((logit, at) => (chances[this.#dotOf(at)] = 1 / (1 + Math.exp(-logit))));
    return chances;
  }

  /** Which dot of the paper is the `at`-th, counted patch by patch. */
  #dotOf(at: number) {
    const size = this.#patch ** 2;
    const [patch, dot] = [Math.floor(at / size), at % size];
    const row = Math.floor(patch / this.#grid) * this.#patch + Math.floor(dot / this.#patch);
    return row * SIDE + (patch % this.#grid) * this.#patch + (dot % this.#patch);
  }
}
