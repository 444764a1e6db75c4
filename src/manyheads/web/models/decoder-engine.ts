// The decoder's forward pass: twin of models/decoder/network.py. It keeps what it has computed of the last text, so that a text
// which begins alike costs its new tokens only.

import { bent, layerNorm, rmsNorm } from "../math/attention.ts";
import type { HeadMask } from "../math/attention-map.ts";
import type { Inside } from "../math/machine.ts";
import { readBack, type LayerWrites } from "../math/read-back.ts";
import { speedsOf, type Rotary } from "../math/rotary.ts";
import { scoreParts, type AttentionEdge, type ScoreParts, type Side, type VectorParts } from "../math/score-parts.ts";
import { CHUNK } from "./decoder-weights.ts";
import type { DecoderWeights, Gains } from "./decoder-weights.ts";
import type { DecoderFacts } from "./files.ts";

/** What is computed of a text. */
export interface ForwardPass {
  logits: Float32Array; // [token], of what comes after the last
  weights: Float32Array; // [layer, head, query, key]
}

/** How well each token would come next: its logit, the first token whose is the largest, and the sum of the powers of e, each by that one's. */
export interface SoFar {
  logits: Float32Array;
  first: number;
  sum: number;
}

export class DecoderEngine {
  #weights: DecoderWeights;
  #facts: DecoderFacts;
  #keys: Float32Array[]; // [layer][key-value head, token, dim], rotated
  #values: Float32Array[];
  #rows: Float32Array[] = []; // [token][layer, head, key up to the token]: all attention of the text so far
  #ids: number[] = []; // of which the above is
  #on = new Uint8Array(); // [layer, head] and [layer], with which it was computed
  #masked: number[] = []; // places of tokens at which no others looked
  #norms: Float32Array[] = []; // [token][layer, head], of those that were requested
  #queries: Float32Array[] = []; // [token][layer, head, dim], rotated
  #mlps: Float32Array[] = []; // [token][layer, width], what each MLP added to the token's vector
  #normedIn: Float32Array[] = []; // [token][layer, width], what the heads of each layer read
  #spreads: Float32Array[] = []; // [token][part], of what each part wrote before it was normed
  #added: Float32Array[] = []; // [token][part], the norms of what each part added to the token's vector
  #streams = new Float32Array(); // [part, width], the last token's vector after each
  #soFar: SoFar[] = []; // [part], of those that were requested
  #last = new Float32Array(); // that vector, after the last layer
  fresh = 0; // tokens of the last text that weren't known before

  constructor(weights: DecoderWeights) {
    const { numLayers, numKvHeads, maxTokens, headDim } = weights.facts;
    this.#weights = weights;
    this.#facts = weights.facts;
    const room = () => Array.from({ length: numLayers }, () => new Float32Array(numKvHeads * maxTokens * headDim));
    this.#keys = room();
    this.#values = room();
  }

  /** Reads a text of 1 to `maxTokens` tokens. A head that is off adds nothing to the words; its weights are shown all the same. At the places in `masked`, no other token may look. */
  read(ids: number[], headMask: HeadMask = null, masked: number[] = []): ForwardPass {
    return { logits: this.logits(ids, headMask, masked), weights: this.#map() };
  }

  /** The same without its map. */
  logits(ids: number[], headMask: HeadMask = null, masked: number[] = []) {
    this.#take(ids, headMask, masked);
    return this.#bent(this.#weights.scores(this.#normed(this.#last, this.#weights.norm)));
  }

  /** Computes what isn't known of a text: nothing, where it was read last. */
  #take(ids: number[], headMask: HeadMask, masked: number[] = []) {
    const on = this.#switched(headMask);
    this.fresh = 0;
    const changed = [...masked, ...this.#masked].filter(
      (place) => masked.includes(place) !== this.#masked.includes(place),
    );
    const kept = on.every((each, index) => each === this.#on[index])
      ? Math.min(alike(ids, this.#ids), Math.min(...changed) + 1) // it looks at itself either way
      : 0;
    if (kept === ids.length && kept === this.#ids.length && this.#last.length) return;
    const known = Math.min(kept, ids.length - 1); // the last token's state is wanted
    this.fresh = ids.length - known;
    this.#last = new Float32Array(); // until all is computed
    this.#soFar = [];
    this.#on = on;
    this.#masked = masked;
    this.#ids = ids.slice(0, known);
    const kinds = [this.#rows, this.#norms, this.#queries, this.#mlps, this.#normedIn, this.#spreads, this.#added];
    for (const each of kinds) each.length = Math.min(each.length, known);
    for (let from = known; from < ids.length; from += CHUNK) {
      const some = ids.slice(from, from + CHUNK);
      this.pass(some);
      this.#ids.push(...some);
    }
  }

  /** [layer, head], and then [layer], whether the MLP is on: the last of a layer's row in a part mask. */
  #switched(headMask: HeadMask) {
    const { numLayers, numHeads } = this.#facts;
    const on = (layer: number, part: number) => Number(headMask?.[layer]?.[part] ?? true);
    return Uint8Array.from({ length: numLayers * (numHeads + 1) }, (_, at) =>
      at < numLayers * numHeads
        ? on(Math.floor(at / numHeads), at % numHeads)
        : on(at - numLayers * numHeads, numHeads),
    );
  }

  /** How long the vector is that each head writes from each token with all of its weight: float32 [layer, head, key]. */
  valueNorms() {
    const { numLayers, numHeads } = this.#facts;
    const count = this.#ids.length;
    while (this.#norms.length < count) this.#norms.push(this.#normsOf(this.#norms.length));
    const norms = new Float32Array(numLayers * numHeads * count);
    this.#norms.forEach((row, key) => row.forEach((norm, head) => (norms[head * count + key] = norm)));
    return norms;
  }

  /** Of one token: sqrt(v W W^T v^T), where W are the head's rows of W^O. */
  #normsOf(token: number) {
    const { numLayers, numHeads, numKvHeads, headDim, maxTokens } = this.#facts;
    const norms = new Float32Array(numLayers * numHeads);
    for (let layer = 0; layer < numLayers; layer++) {
      const grams = this.#weights.gramsOf(layer);
      for (let head = 0; head < numHeads; head++) {
        const place = (Math.floor((head * numKvHeads) / numHeads) * maxTokens + token) * headDim;
        const value = this.#values[layer].subarray(place, place + headDim);
        let sum = 0;
        for (let i = 0; i < headDim; i++)
          sum += value[i] * scalarProduct(value, 0, grams, (head * headDim + i) * headDim, headDim);
        norms[layer * numHeads + head] = Math.sqrt(Math.max(sum, 0));
      }
    }
    return norms;
  }

  /** What the heads of a layer read in a text, [token, width], and what those of the layer below look at, [head, query, key]. */
  layerInput(ids: number[], layer: number, headMask: HeadMask = null) {
    const { numHeads, width } = this.#facts;
    this.#take(ids, headMask);
    const X = { shape: [ids.length, width], values: new Float32Array(ids.length * width) };
    ids.forEach((_, token) =>
      X.values.set(this.#normedIn[token].subarray(layer * width, (layer + 1) * width), token * width),
    );
    return {
      X,
      below: layer
        ? { shape: [numHeads, ids.length, ids.length], values: this.#map((layer - 1) * numHeads, layer * numHeads) }
        : undefined,
    };
  }

  /** The norms of what each part adds to the tokens of a text, [part, token], and what would follow it if the model ended after each of some parts. What was read is kept. */
  lens(ids: number[], partMask: HeadMask, some: number[]) {
    this.#take(ids, partMask);
    const parts = 1 + 2 * this.#facts.numLayers;
    const adds = { shape: [parts, ids.length], values: new Float32Array(parts * ids.length) };
    this.#added.forEach((norms, token) =>
      norms.forEach((norm, part) => (adds.values[part * ids.length + token] = norm)),
    );
    const { width } = this.#facts;
    const missing = some.filter((part) => !this.#soFar[part]);
    const streams = new Float32Array(missing.length * width);
    missing.forEach((part, at) => streams.set(this.#streams.subarray(part * width, (part + 1) * width), at * width));
    const found = this.#weights.scoresOfEach(this.#normed(streams, this.#weights.norm));
    missing.forEach((part, at) => (this.#soFar[part] = summed(this.#bent(found[at]))));
    return { adds, answers: some.map((part) => this.#soFar[part]) };
  }

  /** The heads of a layer in the text that was read last. */
  inside(layer: number): Inside {
    const { numHeads, width } = this.#facts;
    const count = this.#ids.length;
    const adds = { shape: [numHeads, count], values: new Float32Array(numHeads * count) };
    for (let token = 0; token < count; token++) {
      const written = this.#weights.multiply(layer, "o", this.#contextsOf([token], layer));
      this.#hold(written, 1 + 2 * layer, token);
      for (let head = 0; head < numHeads; head++) {
        const own = written.subarray(head * width, (head + 1) * width);
        adds.values[head * count + token] = Math.sqrt(scalarProduct(own, 0, own, 0, width));
      }
    }
    const weights = this.#map(layer * numHeads, (layer + 1) * numHeads);
    return { layer, weights: { shape: [numHeads, count, count], values: weights }, adds };
  }

  /** How active each neuron of a layer's MLP is at the last token of the text that was read, how long what it writes is, and what would follow the layer `without` one. */
  neurons(layer: number) {
    const { numLayers, numHeads, mlpWidth, width } = this.#facts;
    const [last, part] = [this.#ids.length - 1, 2 + 2 * layer];
    const spread = this.#weights.layers[layer].mlpAfter ? this.#spreads[last][part] : 1;
    const after = (each: number) => this.#streams.subarray(each * width, (each + 1) * width);
    const values = this.#gated(layer, this.#normed(after(1 + 2 * layer), this.#weights.layers[layer].mlpNorm));
    if (!this.#on[numLayers * numHeads + layer]) values.fill(0);
    const without = (neuron: number) => {
      const alone = values.map((value, at) => (at === neuron ? value : 0));
      const written = this.#hold(this.#weights.multiply(layer, "down", alone), part, last);
      const stream = after(part).map((value, d) => value - written[d]);
      return this.#bent(this.#weights.scores(this.#normed(stream, this.#weights.norm)));
    };
    const lengths = this.#weights.neuronLengths(layer).map((length) => length / spread);
    return { active: { shape: [1, mlpWidth], values }, lengths, without };
  }

  /** What every part adds to the logits of some tokens, after the text that was read last. */
  readBack(tokens: number[]) {
    const { numLayers, normEpsilon, logitCap } = this.#facts;
    const layers = Array.from({ length: numLayers }, (_, layer) => this.#layerWrites(layer));
    const norm = { ...this.#weights.norm, eps: normEpsilon };
    const embedding = this.#words(this.#ids.slice(-1), this.#ids.length - 1);
    return readBack(
      layers,
      embedding,
      this.#last,
      norm,
      tokens.map((token) => this.#weights.readout(token)),
      logitCap,
    );
  }

  /** What each token would write if a head gave it all of its weight: how far it raises every token, but for one factor; [key][token]. */
  writes(layer: number, head: number) {
    const { headDim, numHeads } = this.#facts;
    return this.#layerWrites(layer).values[head].map((value) => {
      const context = new Float32Array(numHeads * headDim);
      context.set(value, head * headDim);
      const written = this.#hold(this.#weights.multiply(layer, "o", context), 1 + 2 * layer, this.#ids.length - 1);
      const { weight, bias } = this.#weights.norm;
      const mean = bias ? written.reduce((sum, number) => sum + number) / written.length : 0; // which a LayerNorm takes away
      return this.#weights.scores(written.map((number, d) => (number - mean) * weight[d]));
    });
  }

  #layerWrites(layer: number): LayerWrites {
    const { numHeads, numKvHeads, headDim, maxTokens } = this.#facts;
    const heads = Array.from({ length: numHeads }, (_, head) => head);
    const row = this.#rows[this.#ids.length - 1];
    const count = this.#ids.length;
    const held = (direction: Float64Array) => this.#hold(direction.slice(), 1 + 2 * layer, count - 1);
    const place = (head: number, key: number) =>
      (Math.floor((head * numKvHeads) / numHeads) * maxTokens + key) * headDim;
    return {
      weights: heads.map((head) =>
        row.subarray((layer * numHeads + head) * count, (layer * numHeads + head + 1) * count),
      ),
      values: heads.map((head) =>
        Array.from({ length: count }, (_, key) =>
          this.#values[layer].subarray(place(head, key), place(head, key) + headDim),
        ),
      ),
      back: (directions) => this.#weights.back(layer, directions.map(held)),
      biases: this.#weights.layers[layer].outputBias,
      mlp: this.#mlpOf(this.#ids.length - 1, layer),
      isOn: (head) => this.#on[layer * numHeads + head] === 1,
    };
  }

  /** Why a head looks from one token of a text at another: twin of `score_parts`. What was read last isn't read again. */
  scoreParts(ids: number[], { layer, head, query, key }: AttentionEdge, headMask: HeadMask = null): ScoreParts {
    this.#take(ids, headMask);
    const { numHeads, numKvHeads, headDim, maxTokens, normEpsilon, scoreCap, width } = this.#facts;
    const { attentionNorm, biases, queryNorm, keyNorm } = this.#weights.layers[layer];
    const group = Math.floor((head * numKvHeads) / numHeads); // whose keys the head reads
    const [asks, answers] = this.#partsAt([query, key], layer);
    const side = (parts: VectorParts, first: number, own: number, place: number, gains?: Float32Array): Side => {
      const [from, end] = [(first + own) * headDim, (first + own + 1) * headDim];
      const isWhole = gains && gains.length > headDim;
      const read = () => this.#normedIn[place].slice(layer * width, (layer + 1) * width);
      const all = () => addRow(this.#weights.multiply(layer, "qkv", read()), biases).subarray(first * headDim);
      return {
        parts,
        place,
        norm: gains && {
          weight: isWhole ? gains.subarray(own * headDim, (own + 1) * headDim) : gains,
          eps: normEpsilon,
          spread: isWhole ? this.#spreadOf(all().subarray(0, gains.length)) : undefined,
        },
        rows: this.#weights.rows(layer, "qkv", from, headDim),
        bias: biases?.subarray(from, end),
      };
    };
    const found = scoreParts(
      attentionNorm ? { ...attentionNorm, eps: normEpsilon } : null,
      side(asks, 0, head, query, queryNorm),
      side(answers, numHeads, group, key, keyNorm),
      this.#facts.rotaries[layer],
      scoreCap,
    );
    const product = scalarProduct(
      this.#queries[query],
      (layer * numHeads + head) * headDim,
      this.#keys[layer],
      (group * maxTokens + key) * headDim,
      headDim,
    );
    return { ...found, score: bent(product / Math.sqrt(headDim), scoreCap) };
  }

  /** What the embedding and each part of the layers below one wrote into the vectors of some tokens. */
  #partsAt(places: number[], below: number) {
    const { numHeads, width, headNames } = this.#facts;
    const { positions, layers } = this.#weights;
    const parts = places.map((place): VectorParts => ({
      embedding: this.#weights.embed([this.#ids[place]]),
      ...(positions && { position: positions.subarray(place * width, (place + 1) * width) }),
    }));
    for (let layer = 0; layer < below; layer++) {
      const vectors = this.#weights.multiply(layer, "o", this.#contextsOf(places, layer));
      const { outputBias } = layers[layer];
      places.forEach((place, at) => {
        this.#hold(vectors.subarray(at * numHeads * width, (at + 1) * numHeads * width), 1 + 2 * layer, place);
        headNames.forEach(
          (name, head) =>
            (parts[at][`layer ${layer + 1}, ${name}`] = vectors.slice(
              (at * numHeads + head) * width,
              (at * numHeads + head + 1) * width,
            )),
        );
        if (outputBias) parts[at].biases = outputBias.map((bias, d) => bias + (parts[at].biases?.[d] ?? 0));
        parts[at][`layer ${layer + 1}, MLP`] = this.#mlpOf(place, layer);
      });
    }
    return parts;
  }

  /** The outputs of a layer's heads at some tokens, each alone among zeros, which the product rounds as all together: float32 [place, head, head * dim]. */
  #contextsOf(places: number[], layer: number) {
    const { numHeads, numKvHeads, headDim, maxTokens } = this.#facts;
    const contexts = new Float32Array(places.length * numHeads * numHeads * headDim);
    places.forEach((place, at) => {
      for (let head = 0; head < numHeads; head++) {
        if (!this.#on[layer * numHeads + head]) continue;
        const row = this.#rows[place].subarray(
          (layer * numHeads + head) * (place + 1),
          (layer * numHeads + head + 1) * (place + 1),
        );
        const first = Math.floor((head * numKvHeads) / numHeads) * maxTokens * headDim;
        const from = ((at * numHeads + head) * numHeads + head) * headDim;
        blend(row, this.#values[layer], first, contexts.subarray(from, from + headDim));
      }
    });
    return contexts;
  }

  #mlpOf(token: number, layer: number) {
    const { width } = this.#facts;
    return this.#mlps[token].subarray(layer * width, (layer + 1) * width);
  }

  /** Computes tokens that come after those that are known. */
  pass(ids: number[]) {
    const { numLayers, numHeads, headDim, width } = this.#facts;
    const past = this.#ids.length;
    const turned = new Map<Rotary, Turns>(); // of each base
    const x = this.#words(ids, past);
    const add = (change: Float32Array) => change.forEach((value, at) => (x[at] += value));
    ids.forEach((_, token) => {
      this.#rows[past + token] = new Float32Array(numLayers * numHeads * (past + token + 1));
      this.#queries[past + token] = new Float32Array(numLayers * numHeads * headDim);
      this.#mlps[past + token] = new Float32Array(numLayers * width);
      this.#normedIn[past + token] = new Float32Array(numLayers * width);
      this.#spreads[past + token] = new Float32Array(1 + 2 * numLayers);
      this.#added[past + token] = new Float32Array(1 + 2 * numLayers);
    });
    this.#streams = new Float32Array((1 + 2 * numLayers) * width);
    const note = (part: number, change: Float32Array) => {
      ids.forEach((_, token) => {
        const own = change.subarray(token * width, (token + 1) * width);
        this.#added[past + token][part] = Math.sqrt(scalarProduct(own, 0, own, 0, width));
      });
      this.#streams.set(x.subarray(-width), part * width);
    };
    note(0, x);
    for (let layer = 0; layer < numLayers; layer++) {
      const { attentionNorm, mlpNorm, outputBias, downBias } = this.#weights.layers[layer];
      const read = this.#normed(x, attentionNorm);
      ids.forEach((_, token) =>
        this.#normedIn[past + token].set(read.subarray(token * width, (token + 1) * width), layer * width),
      );
      const rotary = this.#facts.rotaries[layer];
      if (rotary !== null && !turned.has(rotary)) turned.set(rotary, this.#turns(rotary, past, ids.length));
      const turns = rotary === null ? null : turned.get(rotary)!;
      const mixed = this.#weights.multiply(layer, "o", this.#attend(layer, read, turns));
      addRow(mixed, outputBias);
      this.#normAfter(mixed, 1 + 2 * layer);
      add(mixed);
      note(1 + 2 * layer, mixed);
      const change = this.#weights.multiply(layer, "down", this.#gated(layer, this.#normed(x, mlpNorm)));
      addRow(change, downBias);
      this.#normAfter(change, 2 + 2 * layer);
      if (!this.#on[numLayers * numHeads + layer]) change.fill(0);
      ids.forEach((_, token) =>
        this.#mlps[past + token].set(change.subarray(token * width, (token + 1) * width), layer * width),
      );
      add(change);
      note(2 + 2 * layer, change);
    }
    this.#last = x.slice(-width);
  }

  /** What the first layer reads: the tokens' embeddings, with the vectors of their positions, where there are any. */
  #words(ids: number[], past: number) {
    const [x, { positions }] = [this.#weights.embed(ids), this.#weights];
    if (positions) for (let at = 0; at < x.length; at++) x[at] += positions[past * this.#facts.width + at];
    return x;
  }

  #gainsAfter(part: number) {
    const layer = this.#weights.layers[(part - 1) >> 1];
    return part % 2 ? layer.attentionAfter : layer.mlpAfter;
  }

  /** Norms what a part has written at the new tokens, in place, where a norm comes after it. */
  #normAfter(written: Float32Array, part: number) {
    const gains = this.#gainsAfter(part);
    if (!gains) return;
    for (let token = 0; token < written.length / gains.length; token++) {
      const own = written.subarray(token * gains.length, (token + 1) * gains.length);
      this.#spreads[this.#ids.length + token][part] = this.#spreadOf(own);
      this.#hold(own, part, this.#ids.length + token);
    }
  }

  /** Vectors that a part writes, or what reads them, through the norm after it, in place: its spread is held still at that of all that the part wrote at a token. */
  #hold<Numbers extends Float32Array | Float64Array>(vectors: Numbers, part: number, token: number): Numbers {
    const gains = this.#gainsAfter(part);
    const spread = this.#spreads[token][part];
    if (gains) for (let at = 0; at < vectors.length; at++) vectors[at] *= gains[at % gains.length] / spread;
    return vectors;
  }

  #spreadOf(own: Float32Array) {
    return Math.sqrt(scalarProduct(own, 0, own, 0, own.length) / own.length + this.#facts.normEpsilon);
  }

  #bent(logits: Float32Array) {
    const { logitCap } = this.#facts;
    return logitCap ? logits.map((logit) => bent(logit, logitCap)) : logits;
  }

  /** What the heads of a layer make of the new tokens: float32 [token, width] -> [token, head * dim]. */
  #attend(layer: number, x: Float32Array, turns: Turns | null) {
    const { numHeads, numKvHeads, headDim, maxTokens, width, scoreCap } = this.#facts;
    const past = this.#ids.length;
    const tokens = x.length / width;
    const { biases, queryNorm, keyNorm } = this.#weights.layers[layer];
    const qkv = this.#weights.multiply(layer, "qkv", x);
    const [keys, values] = [this.#keys[layer], this.#values[layer]];
    const row = (numHeads + 2 * numKvHeads) * headDim;
    const queries = new Float32Array(tokens * numHeads * headDim);
    for (let token = 0; token < tokens; token++) {
      if (biases) for (let at = 0; at < row; at++) qkv[token * row + at] += biases[at];
      for (const [gains, from, count] of [
        [queryNorm, 0, numHeads],
        [keyNorm, numHeads, numKvHeads],
      ] as const) {
        if (!gains) continue;
        const own = qkv.subarray(token * row + from * headDim, token * row + (from + count) * headDim);
        own.set(this.#normed(own, { weight: gains }));
      }
      const part = (head: number) => qkv.subarray(token * row + head * headDim, token * row + (head + 1) * headDim);
      for (let head = 0; head < numHeads; head++)
        rotate(part(head), token, turns, queries.subarray((token * numHeads + head) * headDim));
      this.#queries[past + token].set(
        queries.subarray(token * numHeads * headDim, (token + 1) * numHeads * headDim),
        layer * numHeads * headDim,
      );
      for (let head = 0; head < numKvHeads; head++) {
        const place = (head * maxTokens + past + token) * headDim;
        rotate(part(numHeads + head), token, turns, keys.subarray(place));
        values.set(part(numHeads + numKvHeads + head), place);
      }
    }
    const context = new Float32Array(tokens * numHeads * headDim);
    const scale = 1 / Math.sqrt(headDim);
    for (let head = 0; head < numHeads; head++) {
      const first = Math.floor((head * numKvHeads) / numHeads) * maxTokens * headDim; // of the group that shares keys and values
      const on = this.#on[layer * numHeads + head];
      for (let token = 0; token < tokens; token++) {
        const seen = past + token + 1;
        const from = (token * numHeads + head) * headDim;
        const weights = this.#rows[past + token].subarray(
          (layer * numHeads + head) * seen,
          (layer * numHeads + head + 1) * seen,
        );
        for (let key = 0; key < seen; key++)
          weights[key] = scale * scalarProduct(queries, from, keys, first + key * headDim, headDim);
        if (scoreCap) for (let key = 0; key < seen; key++) weights[key] = bent(weights[key], scoreCap);
        for (const key of this.#masked) if (key < past + token) weights[key] = -Infinity;
        softmax(weights);
        if (on) blend(weights, values, first, context.subarray(from, from + headDim));
      }
    }
    return context;
  }

  /** The MLP up to its last matrix: float32 [token, width] -> [token, mlpWidth]. */
  #gated(layer: number, x: Float32Array) {
    const { mlpWidth, width, activation, gated } = this.#facts;
    const both = this.#weights.multiply(layer, "gu", x);
    if (!gated) return addRow(both, this.#weights.layers[layer].upBias).map(gelu);
    const values = new Float32Array((x.length / width) * mlpWidth);
    const activate = activation === "silu" ? silu : gelu;
    for (let token = 0, at = 0; at < values.length; token++) {
      for (let column = 0; column < mlpWidth; column++, at++) {
        const gate = both[token * 2 * mlpWidth + column];
        values[at] = activate(gate) * both[(token * 2 + 1) * mlpWidth + column];
      }
    }
    return values;
  }

  /** Each row of numbers through a norm: float32 [row, gain] -> the same. */
  #normed(x: Float32Array, gains?: Gains) {
    if (!gains) return x;
    const { weight, bias } = gains;
    const [width, { normEpsilon }] = [weight.length, this.#facts];
    const vector = (values: Float32Array) => ({ shape: [width], values });
    if (bias)
      return layerNorm(
        { shape: [x.length / width, width], values: x },
        { weight: vector(weight), bias: vector(bias) },
        normEpsilon,
      ).values;
    const values = new Float32Array(x.length);
    for (let from = 0; from < x.length; from += width)
      values.set(rmsNorm(x.subarray(from, from + width), weight, normEpsilon), from);
    return values;
  }

  /** By which angles pairs of columns turn at the positions from `past` on. */
  #turns(rotary: Rotary, past: number, tokens: number): Turns {
    const { headDim } = this.#facts;
    const half = headDim / 2;
    const speeds = Float32Array.from(speedsOf(headDim, rotary));
    const angles = Float32Array.from(
      { length: tokens * half },
      (_, at) => (past + Math.floor(at / half)) * speeds[at % half],
    );
    return { half, cos: angles.map(Math.cos), sin: angles.map(Math.sin) };
  }

  /** The attention of the whole text: float32 [layer, head, query, key], 0 at later keys; of some heads, counted through all layers, or of all. */
  #map(first = 0, end = this.#facts.numLayers * this.#facts.numHeads) {
    const tokens = this.#rows.length;
    const weights = new Float32Array((end - first) * tokens * tokens);
    for (const [query, row] of this.#rows.entries())
      for (let head = 0, from = first * (query + 1); head < end - first; head++)
        for (let place = (head * tokens + query) * tokens, last = place + query; place <= last; place++)
          weights[place] = row[from++];
    return weights;
  }
}

export function summed(logits: Float32Array): SoFar {
  let first = 0;
  for (let token = 1; token < logits.length; token++) if (logits[token] > logits[first]) first = token;
  let sum = 0;
  for (let token = 0; token < logits.length; token++) sum += Math.exp(logits[token] - logits[first]);
  return { logits, first, sum };
}

/** Cosines and sines: [token, half]. */
interface Turns {
  half: number;
  cos: Float32Array;
  sin: Float32Array;
}

/** Turns columns i and half + i of a query or key together, by the angle of the token's position; without turns, it stays as it is. */
function rotate(from: Float32Array, token: number, turns: Turns | null, to: Float32Array) {
  if (!turns) return to.set(from);
  const { half, cos, sin } = turns;
  for (let i = 0; i < half; i++) {
    const [c, s] = [cos[token * half + i], sin[token * half + i]];
    to[i] = from[i] * c - from[half + i] * s;
    to[half + i] = from[half + i] * c + from[i] * s;
  }
}

/** The scalar product of two rows. Here and below, four sums at once take less than half the time of one after the other. */
function scalarProduct(x: Float32Array, from: number, y: Float32Array, place: number, length: number) {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (const end = from + length; from < end; from += 4, place += 4) {
    a += x[from] * y[place];
    b += x[from + 1] * y[place + 1];
    c += x[from + 2] * y[place + 2];
    d += x[from + 3] * y[place + 3];
  }
  return a + b + (c + d);
}

/** Adds rows of values, each by its weight; they follow one another from `first` on. */
function blend(weights: Float32Array, values: Float32Array, first: number, sum: Float32Array) {
  const width = sum.length;
  let key = 0;
  for (; key + 4 <= weights.length; key += 4) {
    const [a, b, c, d] = [weights[key], weights[key + 1], weights[key + 2], weights[key + 3]];
    for (let at = 0, place = first + key * width; at < width; at++, place++)
      sum[at] +=
        a * values[place] + b * values[place + width] + c * values[place + 2 * width] + d * values[place + 3 * width];
  }
  for (; key < weights.length; key++)
    for (let at = 0; at < width; at++) sum[at] += weights[key] * values[first + key * width + at];
}

/** Scores to shares that sum to 1, in place. */
function softmax(scores: Float32Array) {
  let most = -Infinity;
  for (const score of scores) if (score > most) most = score;
  let sum = 0;
  for (let at = 0; at < scores.length; at++) sum += scores[at] = Math.exp(scores[at] - most);
  for (let at = 0; at < scores.length; at++) scores[at] /= sum;
}

/** Adds a vector to each row of numbers, in place. */
function addRow(x: Float32Array, vector?: Float32Array) {
  if (vector) for (let at = 0; at < x.length; at++) x[at] += vector[at % vector.length];
  return x;
}

const silu = (x: number) => x / (1 + Math.exp(-x));

/** Hendrycks and Gimpel 2016, arXiv:1606.08415, as GPT-2 comes near it. */
const gelu = (x: number) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

/** How many tokens two texts begin with alike. */
function alike(ids: number[], others: number[]) {
  const place = ids.findIndex((id, at) => id !== others[at]);
  return place < 0 ? ids.length : place;
}
