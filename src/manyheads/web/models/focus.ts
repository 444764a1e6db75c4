// Twin of models/focus: the same tokens, the same numbers. tests/browser/test_typing.py holds the two equal.

import type { AttentionMap, HeadMask, Predictions } from "../math/attention-map.ts";
import { added, layerNorm, linear, multiHeadAttention, partOf, project, relu, softmax } from "../math/attention.ts";
import type { Layer, Matrix } from "../math/attention.ts";
import { ATTENTION_KINDS, attentionOf } from "../math/kinds.ts";
import { ledgerOf } from "../math/ledger.ts";
import {
  columnLengths,
  headsIn,
  insideLayer,
  mixesIn,
  neuronsOf,
  normsOf,
  partNames,
  raisedBy,
  sizeOf,
  stackedRows,
  withoutNeuron,
  type Machine,
} from "../math/machine.ts";
import { rowOf } from "../math/steps.ts";
import { valueNorms } from "../math/value-norms.ts";
import type { Safetensors } from "../math/wire.ts";
import type { MachineOptions } from "./head-model.ts";
import type { Loading } from "./models.ts";
import { focusTokens } from "./tokens.ts";
import type { Tokenizer } from "@huggingface/tokenizers";

/** The model called `focus/<variant>`: a trained one, or the taught one with a part changed. */
export async function load(
  variant: string,
  { progress, loadModel, loadTokenizer, once, fetchTensors, siteScript }: Loading,
) {
  const loadTaught = async () => (await loadModel("focus", progress)) as FocusModel;
  if (variant === "no-order") return (await loadTaught()).withoutOrder();
  if (Object.hasOwn(ATTENTION_KINDS, variant)) return (await loadTaught()).withKind(variant);
  if (/^(causal|bug-.*)$/.test(variant)) return (await siteScript("bugs.js")).museumModel(await loadTaught(), variant);
  const [words, tokenizer, weights] = await Promise.all([
    once("words", () => fetchTensors("focus-words.safetensors.gz", progress)),
    once("tokenizer", loadTokenizer),
    fetchTensors(`focus-${variant || "taught"}.safetensors.gz`),
  ]);
  return new FocusModel(weights, words, tokenizer);
}

/** Numbers of two layers, one after the other. */
function joined(below: Float32Array, above: Float32Array) {
  const all = new Float32Array(below.length + above.length);
  all.set(below);
  all.set(above, below.length);
  return all;
}

const NAMED = 1; // the layer whose heads are taught, and named

export type Attention = typeof multiHeadAttention;

export class FocusModel {
  numLayers = 2;
  name: string;
  numHeads: number;
  headNames: string[];
  facts: Record<string, string[]>;
  config: Record<string, any>;
  rotaryBase: number | null; // of layer 1; null where nothing tells it the order
  tensors: Layer;
  metadata: Record<string, string>;
  words: Layer;
  tokenizer: Tokenizer;

  constructor({ tensors, metadata }: Safetensors, words: Safetensors, tokenizer: Tokenizer) {
    this.metadata = metadata;
    const header = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, JSON.parse(value)]));
    this.tensors = tensors;
    this.words = words.tensors;
    this.tokenizer = tokenizer;
    this.name = header.name;
    this.numHeads = header.num_heads;
    this.headNames = header.head_names;
    this.facts = header.facts;
    this.config = header.config;
    this.rotaryBase = header.config.rotary_base;
  }

  /**
   * The map of a sentence; `headMask[layer][head]` is false for a head that is off, null for all on. `attention` is what to
   * attend with in layer 2, `below` in layer 1: the museum has wrong ones, kinds.ts other ones.
   */
  attend(
    sentence: string,
    headMask: HeadMask = null,
    options: { attention?: Attention; below?: Attention; signal?: AbortSignal } = {},
  ) {
    const { attention = multiHeadAttention, below = multiHeadAttention } = options;
    const { ids, tokens, notes } = this.tokenize(sentence);
    const words = this.wordVectors(ids);
    const { X, weights: first } = this.states(words, headMask?.[0], below);
    const { output, weights: second } = attention(X, this.layer("attention."), {
      numHeads: this.numHeads,
      headMask: headMask?.[1],
    });
    const home = this.#norm({ shape: [1, output.shape[1]], values: output.values.slice(0, output.shape[1]) }, "after");
    const predictions: Predictions = {};
    if (tokens.length > 2)
      for (const [fact, labels] of Object.entries(this.facts)) {
        const probabilities = softmax(this.#linear(home, `readouts.${fact}`)).values;
        predictions[fact] = Object.fromEntries(labels.map((label, index) => [label, probabilities[index]]));
      }
    const map: AttentionMap = {
      queryTokens: tokens,
      keyTokens: tokens,
      shape: [2, ...second.shape],
      weights: joined(first.values, second.values),
      headNames: this.headNames,
      namedLayer: NAMED,
      predictions,
      notes,
      valueNorms:
        attention === multiHeadAttention && below === multiHeadAttention
          ? joined(this.#norms(words, "first."), this.#norms(X, "attention."))
          : undefined,
    };
    return { ...map, output };
  }

  /** What each head brings to each label; `concat` are the heads' outputs for [CLS], from which the facts are read. */
  ledger(concat: ArrayLike<number>) {
    const readout = (fact: string) => this.layer(`readouts.${fact}.`);
    const [output, norm] = [this.layer("attention.output."), this.layer("after.")];
    return ledgerOf(concat, {
      numHeads: this.numHeads,
      output,
      norm,
      eps: this.config.layer_norm_eps,
      facts: this.facts,
      readout,
    });
  }

  /** Token ids with [CLS] and [SEP], the tokens' texts, and notes about what was left out. */
  tokenize(sentence: string) {
    return focusTokens(this.tokenizer, sentence, this.config);
  }

  /** This model with nothing that tells it the order: `without_order` in Python. */
  withoutOrder() {
    const bag = new FocusModel(
      { tensors: this.tensors, metadata: this.metadata },
      { tensors: this.words, metadata: {} },
      this.tokenizer,
    );
    bag.rotaryBase = null;
    return bag;
  }

  /** This model with another kind of attention in layer 1: `with_kind` in Python. */
  withKind(kind: string) {
    const { numLayers, numHeads, headNames } = this;
    const below = attentionOf(kind);
    const attend = (sentence: string, headMask: HeadMask = null) => this.attend(sentence, headMask, { below });
    return { name: `focus/${kind}`, numLayers, numHeads, headNames, attend };
  }

  /** What layer 1 reads, [t, d]. */
  wordVectors(ids: number[]): Matrix {
    const { codes, scale } = this.words;
    const width = scale.values.length;
    const values = new Float32Array(ids.length * width);
    ids.forEach((id, token) => {
      for (let d = 0; d < width; d++) values[token * width + d] = codes.values[id * width + d] * scale.values[d];
    });
    return { shape: [ids.length, width], values };
  }

  /** What layer 2 reads, [t, d]. */
  input(ids: number[]) {
    return this.states(this.wordVectors(ids)).X;
  }

  /** What layer 2 reads, steps 1 to 3 of `FocusNetwork.compute`, [t, d], and the weights of layer 1. */
  states(words: Matrix, headMask: boolean[] | null = null, attention: Attention = multiHeadAttention) {
    const { streams, weights } = this.#added(words, headMask, attention);
    return { X: streams[1], weights };
  }

  /** What attention and the feed-forward part of layer 1 add, the vectors after each, and the weights: twin of `added`. */
  #added(words: Matrix, on: boolean[] | null, attention: Attention = multiHeadAttention) {
    const { numHeads, rotaryBase } = this;
    const headMask = headsIn(on, numHeads);
    const { output, weights } = attention(words, this.layer("first."), { numHeads, headMask, rotaryBase });
    const x = this.#norm(added(words, output), "after_first");
    const active = relu(this.#linear(x, "hidden"));
    const mixed = this.#linear(active, "mix");
    if (!mixesIn(on, numHeads)) for (const { values } of [active, mixed]) values.fill(0);
    return { changes: [output, mixed], streams: [x, this.#norm(added(x, mixed), "before")], weights, active };
  }

  /** What each part adds and the answers so far, with parts off; of a `layer`, also its heads: twin of `machine`. */
  machine(sentence: string, partMask: HeadMask = null, { layer = null }: MachineOptions = {}): Machine {
    const { ids, tokens, notes } = this.tokenize(sentence);
    const words = this.wordVectors(ids);
    const { numHeads } = this;
    const heads = [0, 1].map((each) => headsIn(partMask?.[each], numHeads));
    const { changes, streams, weights, active } = this.#added(words, partMask?.[0] ?? null);
    const learned = [this.layer("first."), this.layer("attention.")];
    const attendAbove = (x: Matrix) => multiHeadAttention(x, learned[1], { numHeads, headMask: heads[1] });
    const above = attendAbove(streams[1]);
    const facts = tokens.length > 2 ? Object.keys(this.facts) : []; // nothing is read where there are no words
    const labels = facts.flatMap((fact) => this.facts[fact].map((label) => [fact, label]));
    const scoresOf = (some: Matrix[]) => {
      const read = this.#norm(stackedRows(some.map((each) => rowOf(each, 0))), "after");
      const shares = facts.map((fact) => softmax(this.#linear(read, `readouts.${fact}`)));
      return some.map((_, part) => shares.flatMap((each) => [...rowOf(each, part)]));
    };
    const scores = scoresOf([words, ...streams, above.output]);
    const raises = (neuron: number) => {
      const mixed = withoutNeuron(changes[1], active, this.tensors["mix.weight"], neuron);
      const [without] = scoresOf([attendAbove(this.#norm(added(streams[0], mixed), "before")).output]);
      return raisedBy(
        labels,
        scores.at(-1)!.map((score, label) => Math.log(score / without[label])),
      );
    };
    const size = (...prefixes: string[]) => sizeOf(...prefixes.flatMap((prefix) => Object.values(this.layer(prefix))));
    return {
      tokens,
      notes,
      numHeads,
      parts: partNames([true, false]),
      adds: normsOf([words, ...changes, above.output]),
      scores: stackedRows(scores),
      labels,
      places: [0],
      parameters: [
        sizeOf(this.words.codes, this.words.scale),
        size("first.", "after_first."),
        size("hidden.", "mix.", "before."),
        size("attention."),
        size("after.", "readouts."),
      ],
      unit: "probability",
      replaces: ["layer 2, attention"],
      ...(layer !== null && {
        inside: {
          ...insideLayer(
            layer,
            [words, streams[1]][layer],
            learned[layer],
            [weights, above.weights][layer],
            heads[layer],
          ),
          ...(layer === NAMED
            ? { names: this.headNames }
            : { neurons: neuronsOf(active, columnLengths(this.tensors["mix.weight"]), raises) }),
        },
      }),
    };
  }

  #norms(X: Matrix, name: string) {
    const layer = this.layer(name);
    return valueNorms(project(X, X, layer, this.numHeads)[2], layer["output.weight"], this.numHeads);
  }

  /** The tensors of one part, by the names they have inside it. */
  layer(prefix: string) {
    return partOf(this.tensors, prefix);
  }

  #norm(x: Matrix, name: string) {
    return layerNorm(x, this.layer(`${name}.`), this.config.layer_norm_eps);
  }

  #linear(x: Matrix, name: string) {
    return linear(x, this.tensors[`${name}.weight`], this.tensors[`${name}.bias`]);
  }
}
