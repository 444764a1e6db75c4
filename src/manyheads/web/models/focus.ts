// Twin of models/focus: the same tokens, the same numbers. tests/browser/test_typing.py holds the two equal.

import type { AttentionMap, HeadMask, Predictions } from "../math/attention-map.ts";
import { layerNorm, linear, multiHeadAttention, partOf, project, relu, softmax } from "../math/attention.ts";
import type { Layer, Matrix } from "../math/attention.ts";
import { ledgerOf } from "../math/ledger.ts";
import { valueNorms } from "../math/value-norms.ts";
import type { Safetensors } from "./files.ts";
import type { Loading } from "./models.ts";
import { focusTokens } from "./tokens.ts";
import type { Tokenizer } from "@huggingface/tokenizers";

/** The model called `focus/<variant>`: a trained one, or the taught one with a part changed. */
export async function load(variant: string, { progress, loadModel, loadTokenizer, once, fetchTensors, siteScript }: Loading) {
  const loadTaught = async () => (await loadModel("focus", progress)) as FocusModel;
  if (variant === "no-order") return (await loadTaught()).withoutOrder();
  if (/^(causal|bug-.*)$/.test(variant)) return (await siteScript("bugs.js")).museumModel(await loadTaught(), variant);
  const [words, tokenizer, weights] = await Promise.all([
    once("words", () => fetchTensors("focus-words.safetensors.gz", progress)),
    once("tokenizer", loadTokenizer),
    fetchTensors(`focus-${variant || "taught"}.safetensors.gz`),
  ]);
  return new FocusModel(weights, words, tokenizer);
}

export class FocusModel {
  numLayers = 1;
  name: string;
  numHeads: number;
  headNames: string[];
  facts: Record<string, string[]>;
  config: Record<string, any>;
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
  }

  /**
   * The map of a sentence; `headMask[0][head]` is false for a head that is off, null for all on. `attention` is what to
   * attend with: the museum has wrong ones.
   */
  attend(sentence: string, headMask: HeadMask = null, options: { attention?: typeof multiHeadAttention, signal?: AbortSignal } = {}) {
    const { attention = multiHeadAttention } = options;
    const { ids, tokens, notes } = this.tokenize(sentence);
    const [input, layer] = [this.input(ids), this.layer("attention.")];
    const { output, weights } = attention(input, layer, {
      numHeads: this.numHeads,
      headMask: headMask?.[0],
    });
    const home = this.#norm({ shape: [1, output.shape[1]], values: output.values.slice(0, output.shape[1]) }, "after");
    const predictions: Predictions = {};
    if (tokens.length > 2)
      for (const [fact, labels] of Object.entries(this.facts)) {
        const probabilities = softmax(this.#linear(home, `readouts.${fact}`)).values;
        predictions[fact] = Object.fromEntries(labels.map((label, index) => [label, probabilities[index]]));
      }
    const shape = [1, ...weights.shape];
    const norms = attention === multiHeadAttention ? valueNorms(project(input, input, layer, this.numHeads)[2], layer["output.weight"], this.numHeads) : undefined;
    const map: AttentionMap = { queryTokens: tokens, keyTokens: tokens, shape, weights: weights.values, headNames: this.headNames, predictions, notes, valueNorms: norms };
    return { ...map, output };
  }

  /** What each head brings to each label; `concat` are the heads' outputs for [CLS], from which the facts are read. */
  ledger(concat: ArrayLike<number>) {
    const readout = (fact: string) => this.layer(`readouts.${fact}.`);
    const [output, norm] = [this.layer("attention.output."), this.layer("after.")];
    return ledgerOf(concat, { numHeads: this.numHeads, output, norm, eps: this.config.layer_norm_eps, facts: this.facts, readout });
  }

  /** Token ids with [CLS] and [SEP], the tokens' texts, and notes about what was left out. */
  tokenize(sentence: string) {
    return focusTokens(this.tokenizer, sentence, this.config);
  }

  /** This model with nothing that tells it the order, neither positions nor neighbours: `without_order` in Python. */
  withoutOrder() {
    const tensors = { ...this.tensors };
    for (const name of ["position", "mix.weight", "mix.bias"])
      tensors[name] = { shape: tensors[name].shape, values: new Float32Array(tensors[name].values.length) };
    return new FocusModel({ tensors, metadata: this.metadata }, { tensors: this.words, metadata: {} }, this.tokenizer);
  }

  /** What enters the attention, steps 1 to 4 of `FocusModel.compute`: [t, d]. */
  input(ids: number[]) {
    const { codes, scale } = this.words;
    const { position } = this.tensors;
    const { reach } = this.config;
    const length = ids.length;
    const width = scale.values.length;
    const x = { shape: [length, width], values: new Float32Array(length * width) };
    for (let token = 0; token < length; token++) {
      const word = ids[token] * width;
      const place = Math.min(token, position.shape[0] - 1) * width;
      for (let d = 0; d < width; d++)
        x.values[token * width + d] = codes.values[word + d] * scale.values[d] + position.values[place + d];
    }
    const kinds = relu(this.#linear(x, "kind"));
    const part = kinds.shape[1];
    const heard = (2 * reach + 1) * part;
    const window = { shape: [length, heard], values: new Float32Array(length * heard) };
    for (let token = 0; token < length; token++)
      for (let near = Math.max(0, token - reach); near <= Math.min(length - 1, token + reach); near++)
        window.values.set(kinds.values.subarray(near * part, (near + 1) * part), token * heard + (near - token + reach) * part);
    const mixed = this.#linear(relu(this.#linear(window, "near")), "mix");
    mixed.values.forEach((value, index) => (mixed.values[index] = value + x.values[index]));
    return this.#norm(mixed, "before");
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
