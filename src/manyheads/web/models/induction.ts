// Twin of models/induction: the same symbols, the same numbers. tests/fast/web/test_induction.py holds the two equal.

import type { AttentionMap, HeadMask } from "../math/attention-map.ts";
import {
  added,
  causalMask,
  layerNorm,
  linear,
  multiHeadAttention,
  partOf,
  project,
  softmax,
  transpose,
} from "../math/attention.ts";
import type { Layer, Matrix } from "../math/attention.ts";
import { Unreadable } from "../math/faults.ts";
import type { HeadLedger, LedgerQuestion } from "../math/ledger.ts";
import { dot, matrix, readBack, type LayerWrites } from "../math/read-back.ts";
import { headsIn, insideOf, normsOf, partNames, sizeOf, stackedRows, type Machine } from "../math/machine.ts";
import { scoreParts, type AttentionEdge, type ScoreParts, type Side, type VectorParts } from "../math/score-parts.ts";
import { rowOf } from "../math/steps.ts";
import { valueNorms } from "../math/value-norms.ts";
import type { Safetensors } from "../math/wire.ts";
import type { MachineOptions } from "./head-model.ts";
import type { Loading } from "./models.ts";
import { only } from "./tokens.ts";

/** A map, and what the model expects after each character: the likeliest, null for one that the text lacks, and the losses of those that came. */
export interface Expecting extends AttentionMap {
  guesses: (string | null)[];
  losses: Float32Array; // one fewer: -log of the probability of the next character
}

/** The model called `induction/<variant>`: the trained one, or what it was after some steps, such as "step-190". */
export async function load(variant: string, { progress, fetchTensors }: Loading) {
  return new InductionModel(
    await fetchTensors(`${["induction", variant].filter(Boolean).join("-")}.safetensors.gz`, progress),
  );
}

export class InductionModel {
  file: Safetensors; // what it was made of
  name: string;
  numLayers: number;
  numHeads: number;
  headNames: string[];
  tensors: Layer;
  positions: number;
  words: Record<string, string>;
  layers: Layer[];

  constructor(file: Safetensors) {
    const { tensors, metadata } = file;
    this.file = file;
    const { variant, config, words } = Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [name, JSON.parse(value)]),
    );
    this.tensors = tensors;
    this.name = ["induction", variant].filter(Boolean).join("/");
    this.numLayers = config.layers;
    this.numHeads = config.heads;
    this.positions = config.positions;
    this.words = words;
    this.headNames = Array.from({ length: config.heads }, (_, head) => `head ${head + 1}`);
    this.layers = Array.from({ length: config.layers }, (_, number) => partOf(tensors, `layers.${number}.`));
  }

  /** A model with other weights, as a training in the page makes them; `facts` are what its file says of them. */
  like(tensors: Layer, facts: { variant: string; config: object; roles: object }) {
    const header = { history: [], words: this.words, ...facts };
    return new InductionModel({
      tensors,
      metadata: Object.fromEntries(Object.entries(header).map(([name, value]) => [name, JSON.stringify(value)])),
    });
  }

  /** The map of a text; `headMask[layer][head]` is false for a head that is off, null for all on. Throws `Unreadable`. */
  attend(text: string, headMask: HeadMask = null): Expecting {
    const { characters, notes } = this.#read(text);
    const known = [...new Set(characters)];
    const ids = characters.map((character) => known.indexOf(character));
    const { scores, maps, norms } = this.#computed(ids, headMask);
    const length = ids.length;
    const shape = [this.numLayers, this.numHeads, length, length];
    const weights = new Float32Array(shape.reduce((size, side) => size * side));
    maps.forEach(({ values }, layer) => weights.set(values, layer * values.length));
    const chances = softmax(scores).values;
    const count = scores.shape[1];
    const row = (place: number) => chances.subarray(place * count, (place + 1) * count);
    const last = row(length - 1);
    const rest = last.subarray(known.length).reduce((sum, chance) => sum + chance, 0);
    return {
      queryTokens: characters,
      keyTokens: characters,
      shape,
      weights,
      headNames: this.headNames,
      notes,
      causal: true,
      valueNorms: norms,
      predictions: {
        [this.words.next]: Object.fromEntries([
          ...known.map((character, at) => [character, last[at]]),
          [this.words.other, rest],
        ]),
      },
      guesses: ids.map((_, place) => known[likeliest(row(place))] ?? null),
      losses: Float32Array.from(ids.slice(1), (id, place) => -Math.log(row(place)[id])),
      scoreParts: (edge) => this.scoreParts(ids, edge, headMask),
    };
  }

  /** Why a head looks from one symbol at another: twin of `score_parts`. */
  scoreParts(ids: number[], { layer, head, query, key }: AttentionEdge, headMask: HeadMask = null): ScoreParts {
    const { tensors, layers, headNames } = this;
    const below = this.#computed(ids, headMask).passed.slice(0, layer);
    const side = (place: number, name: string): Side => {
      const parts: VectorParts = {
        embedding: rowOf(tensors["symbol.weight"], ids[place]),
        position: rowOf(tensors.position, place),
      };
      below.forEach(({ V, weights, on }, number) =>
        headNames.forEach((title, at) => {
          parts[`layer ${number + 1}, ${title}`] = this.#wrote(layers[number], V, weights, at, place, on?.[at] ?? true);
        }),
      );
      const reads = layers[layer][name];
      const width = reads.shape[0] / headNames.length;
      return { parts, place, rows: Array.from({ length: width }, (_, row) => rowOf(reads, head * width + row)) };
    };
    const [weight, bias] = ["weight", "bias"].map((name) => tensors[`norms.${layer}.${name}`].values);
    return scoreParts({ weight, bias, eps: 1e-5 }, side(query, "query.weight"), side(key, "key.weight"));
  }

  /** What a head writes at a place: its values, weighted, through its own columns of W^O. */
  #wrote(layer: Layer, V: Matrix, weights: Matrix, head: number, place: number, on: boolean) {
    const [length, width] = V.shape;
    const own = width / this.numHeads;
    const context = new Float64Array(own);
    for (let key = 0; on && key <= place; key++)
      for (let d = 0; d < own; d++)
        context[d] += weights.values[(head * length + place) * length + key] * V.values[key * width + head * own + d];
    const output = layer["output.weight"];
    return Float64Array.from({ length: output.shape[0] }, (_, row) =>
      dot(rowOf(output, row).subarray(head * own, (head + 1) * own), context),
    );
  }

  /** What each part adds and the answers so far, with parts off; of a `layer`, also its heads: twin of `machine`. */
  machine(text: string, partMask: HeadMask = null, { layer = null }: MachineOptions = {}): Machine {
    const { characters, notes } = this.#read(text);
    const { tensors, layers, numHeads } = this;
    const known = [...new Set(characters)];
    const ids = characters.map((character) => known.indexOf(character));
    const { added: changes, streams, maps, passed } = this.#computed(ids, partMask);
    const last = streams.map((stream) => rowOf(stream, ids.length - 1));
    const chances = softmax(linear(layerNorm(stackedRows(last), partOf(tensors, "norm.")), tensors["next.weight"]));
    const size = (...prefixes: string[]) =>
      sizeOf(...prefixes.flatMap((prefix) => Object.values(partOf(tensors, prefix))));
    return {
      tokens: characters,
      notes,
      numHeads,
      parts: partNames(layers.map(() => false)),
      adds: normsOf(changes),
      scores: stackedRows(last.map((_, part) => rowOf(chances, part).subarray(0, known.length))),
      labels: known.map((character) => [this.words.next, character]),
      places: [ids.length - 1],
      parameters: [
        sizeOf(tensors["symbol.weight"], tensors.position),
        ...layers.map((_, number) => size(`norms.${number}.`, `layers.${number}.`)),
        size("norm.", "next."),
      ],
      unit: "probability",
      replaces: [],
      ...(layer !== null && {
        inside: insideOf(layer, maps[layer], passed[layer].V, layers[layer]["output.weight"], passed[layer].on),
      }),
    };
  }

  /** What the heads of each layer read in a text, [t, d], and what they look at. */
  inputs(text: string, headMask: HeadMask = null) {
    const { characters: tokens, notes } = this.#read(text);
    const known = [...new Set(tokens)];
    const { inputs, maps } = this.#computed(
      tokens.map((character) => known.indexOf(character)),
      headMask,
    );
    return { tokens, notes, inputs, maps };
  }

  /** What each head adds to the logits of the text's characters: twin of `head_ledger`. */
  headLedger({ sentence, headMask = null }: Pick<LedgerQuestion, "sentence" | "headMask">): HeadLedger {
    const { characters, notes } = this.#read(sentence);
    const { tensors, numLayers, numHeads, headNames } = this;
    const known = [...new Set(characters)];
    const ids = characters.map((character) => known.indexOf(character));
    const { first, last, layers } = this.#computed(ids, headMask);
    const next = tensors["next.weight"];
    const norm = { weight: tensors["norm.weight"].values, bias: tensors["norm.bias"].values, eps: 1e-5 };
    const without = known.map(() => new Float32Array(numLayers * numHeads));
    for (let head = 0; head < numLayers * numHeads; head++) {
      const mask = Array.from({ length: numLayers }, (__, layer) =>
        headNames.map((_, place) => layer * numHeads + place !== head && (headMask?.[layer][place] ?? true)),
      );
      const { scores } = this.#computed(ids, mask);
      known.forEach((_, label) => (without[label][head] = rowOf(scores, ids.length - 1)[label]));
    }
    return {
      tokens: characters,
      notes,
      answered: true,
      numHeads,
      headNames: this.layers.flatMap((_, layer) => headNames.map((name) => `layer ${layer + 1}, ${name}`)),
      labels: known.map((character) => [this.words.next, character]),
      without: matrix(
        [known.length, numLayers * numHeads],
        without.flatMap((row) => [...row]),
      ),
      ...readBack(
        layers,
        first,
        last,
        norm,
        known.map((_, label) => rowOf(next, label)),
      ),
    };
  }

  /** Each distinct character becomes a symbol, in the order in which they first appear: twin of `read` and `symbols`. */
  #read(text: string) {
    const { text: start, notes } = only(text, this.positions);
    const characters = [...start.replace(/\p{Surrogate}/gu, "\ufffd")];
    if (!characters.length) throw new Unreadable(this.words.nothing);
    return { characters, notes };
  }

  #computed(ids: number[], headMask: HeadMask) {
    const { tensors, numHeads } = this;
    const [symbol, position] = [tensors["symbol.weight"], tensors.position];
    const width = symbol.shape[1];
    let x: Matrix = { shape: [ids.length, width], values: new Float32Array(ids.length * width) };
    ids.forEach((id, place) => {
      for (let d = 0; d < width; d++)
        x.values[place * width + d] = symbol.values[id * width + d] + position.values[place * width + d];
    });
    const [first, mask] = [rowOf(x, ids.length - 1), causalMask(ids.length)];
    const maps: Matrix[] = [];
    const norms: number[] = [];
    const passed: { V: Matrix; weights: Matrix; on: boolean[] | undefined }[] = [];
    const [changes, streams] = [[x], [x]];
    const inputs: Matrix[] = [];
    const layers = this.layers.map((layer, number): LayerWrites => {
      const on = headsIn(headMask?.[number], numHeads);
      const input = layerNorm(x, partOf(tensors, `norms.${number}.`));
      const { output, weights } = multiHeadAttention(input, layer, { numHeads, mask, headMask: on });
      inputs.push(input);
      x = added(x, output);
      changes.push(output);
      streams.push(x);
      maps.push(weights);
      const V = project(input, input, layer, numHeads)[2];
      norms.push(...valueNorms(V, layer["output.weight"], numHeads));
      passed.push({ V, weights, on });
      return this.#layerWrites(layer, V, weights, on);
    });
    const scores = linear(layerNorm(x, partOf(tensors, "norm.")), tensors["next.weight"]);
    return {
      scores,
      maps,
      norms,
      layers,
      inputs,
      passed,
      added: changes,
      streams,
      first,
      last: rowOf(x, ids.length - 1),
    };
  }

  #layerWrites(layer: Layer, V: Matrix, maps: Matrix, on: boolean[] | undefined): LayerWrites {
    const heads = Array.from({ length: this.numHeads }, (_, head) => head);
    const [length, width] = V.shape;
    const own = width / this.numHeads;
    const columns = transpose(layer["output.weight"]); // [h * d_v, d]
    return {
      weights: heads.map((head) =>
        maps.values.subarray((head * length + length - 1) * length, (head + 1) * length * length),
      ),
      values: heads.map((head) =>
        Array.from({ length }, (_, key) => rowOf(V, key).subarray(head * own, (head + 1) * own)),
      ),
      back: (directions) =>
        directions.map((direction) =>
          Float64Array.from({ length: width }, (_, column) =>
            rowOf(columns, column).reduce((sum, value, d) => sum + value * direction[d], 0),
          ),
        ),
      mlp: null,
      isOn: (head) => on?.[head] ?? true,
    };
  }
}

const likeliest = (chances: Float32Array) =>
  chances.reduce((best, chance, at) => (chance > chances[best] ? at : best), 0);
