// Twin of models/translator: the same words, the same numbers, the same French. tests/web/test_translator.py holds them equal.

import { added, attentionBlock, causalMask, layerNorm, linear, partOf, relu } from "../math/attention.ts";
import { Fault } from "../math/faults.ts";

const START = "<s>";
const END = "</s>";
const NEAR = 0.6; // how like two words are that are offered for each other, and how many are
const MOST_NEAR = 3;

/** A sentence that the translator cannot read; says why, and what to try. */
export class NotTranslated extends Fault {
  /**
   * @param {string} message
   * @param {string | null} [word]
   * @param {string[]} [near]
   */
  constructor(message, word = null, near = []) {
    super(message);
    this.word = word;
    this.near = near;
  }
}

export class Translator {
  /**
   * @param {Safetensors} file
   * @param {string} attention which map it gives: cross, first, english or french
   */
  constructor({ tensors, metadata }, attention = "cross") {
    const header = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, JSON.parse(value)]));
    this.tensors = tensors;
    this.header = header;
    this.attention = attention;
    /** @type {number} */
    this.numHeads = header.num_heads;
    this.numLayers = attention === "cross" || attention === "first" ? 1 : header.config.layers;
    this.name = ["translator", header.variant, attention].filter((name) => name !== "taught" && name !== "cross").join("/");
    /** @type {string[]} */
    this.headNames = (attention === "cross" && header.head_names) || Array.from({ length: this.numHeads }, (_, head) => `head ${head + 1}`);
    this.pattern = new RegExp(`^${header.pattern}$`);
    this.numbers = {
      english: new Map(header.english.map((/** @type {string} */ word, /** @type {number} */ at) => [word, at])),
      french: new Map(header.french.map((/** @type {string} */ word, /** @type {number} */ at) => [word, at])),
    };
    /** @type {string[]} */
    this.vocabulary = Object.keys(header.letters).sort();
    const parts = (/** @type {string} */ stack) =>
      Array.from({ length: header.config.layers }, (_, number) => partOf(tensors, `${stack}.${number}.`));
    this.layers = { encoder: parts("encoder"), decoder: parts("decoder") };
  }

  /**
   * The map of a sentence and its translation; `headMask[layer][head]` is false for a head that is off, null for all on.
   * Throws `NotTranslated`.
   * @param {string} sentence
   * @param {HeadMask} [headMask]
   * @returns {AttentionMap}
   */
  attend(sentence, headMask = null) {
    const words = this.read(sentence);
    const off = this.#masks(headMask);
    const { memory, maps } = this.encode([...words, END], off);
    const french = [START];
    /** @type {ReturnType<Translator["decode"]>} */
    let said;
    do {
      said = this.decode(french, memory, off);
      french.push(said.next);
    } while (said.next !== END && french.length <= this.header.longest);
    if (said.next !== END) said = this.decode(french, memory, off);
    const answer = french.slice(1, said.next === END && french.at(-1) === END ? -1 : undefined);
    return this.#map(words, answer, maps, said);
  }

  /**
   * The words of a sentence, as the translator knows them: twin of `read` in reading.py.
   * @param {string} sentence
   */
  read(sentence) {
    const { messages, letters, max_words: most } = this.header;
    const words = this.split(sentence);
    if (!words.length) throw new NotTranslated(messages.nothing);
    if (words.length > most) throw new NotTranslated(filled(messages.long, { most, count: words.length }));
    for (const word of words) {
      if (Object.hasOwn(letters, word)) continue;
      const near = nearWords(word, this.vocabulary);
      const hint = near.length ? ` ${filled(messages.near, { words: near.join(", ") })}` : "";
      throw new NotTranslated(filled(messages.unknown, { word }) + hint, word, near);
    }
    if (!this.pattern.test(words.map((word) => letters[word]).join(""))) throw new NotTranslated(messages.outside);
    return words;
  }

  split(/** @type {string} */ sentence) {
    let text = `${sentence.toLowerCase().replaceAll("’", "'")} `;
    for (const [short, full] of Object.entries(this.header.short_forms)) text = text.replaceAll(short, full);
    return text.replace(/[.,;:!?"“”]/g, " ").split(/\s+/).filter(Boolean).map((word) => (word === "i" ? "I" : word));
  }

  /**
   * What the encoder makes of English words: [k, d], and its maps.
   * @param {string[]} words
   * @param {Record<string, boolean[][]>} off
   */
  encode(words, off) {
    let x = this.#embedded(words, "english");
    const maps = this.layers.encoder.map((layer, number) => {
      const { output, weights } = this.#block(x, layer, "self_attention.", { headMask: off.english?.[number] });
      x = feedForward(output, partOf(layer, "forward_layer."));
      return weights;
    });
    return { memory: x, maps };
  }

  /**
   * The word that follows some French words, and the decoder's maps.
   * @param {string[]} words
   * @param {Matrix} memory
   * @param {Record<string, boolean[][]>} off
   */
  decode(words, memory, off) {
    let x = this.#embedded(words, "french");
    const mask = causalMask(words.length);
    const own = /** @type {Matrix[]} */ ([]);
    const cross = /** @type {Matrix[]} */ ([]);
    this.layers.decoder.forEach((layer, number) => {
      const self = this.#block(x, layer, "self_attention.", { mask, headMask: off.french?.[number] });
      const across = this.#block(self.output, layer, "cross_attention.", { keys: memory, headMask: off.cross?.[number] });
      x = feedForward(across.output, partOf(layer, "forward_layer."));
      own.push(self.weights);
      cross.push(across.weights);
    });
    const width = x.shape[1];
    const last = { shape: [1, width], values: x.values.slice(-width) };
    const { values } = linear(last, this.tensors["french.weight"], this.tensors.bias);
    const best = values.reduce((most, value, at) => (value > values[most] ? at : most), 0);
    return { next: /** @type {string} */ (this.header.french[best]), own, cross };
  }

  /**
   * @param {Matrix} x
   * @param {Layer} layer
   * @param {string} name
   * @param {{ keys?: Matrix, mask?: ArrayLike<unknown>, headMask?: ArrayLike<unknown> }} options
   */
  #block(x, layer, name, options) {
    return attentionBlock(x, partOf(layer, name), { numHeads: this.numHeads, ...options });
  }

  /**
   * @param {string[]} words
   * @param {"english" | "french"} language
   */
  #embedded(words, language) {
    const vectors = this.tensors[`${language}.weight`];
    const places = this.tensors[`${language}_position`].values;
    const width = vectors.shape[1];
    const x = { shape: [words.length, width], values: new Float32Array(words.length * width) };
    words.forEach((word, at) => {
      const from = /** @type {number} */ (this.numbers[language].get(word)) * width;
      for (let d = 0; d < width; d++)
        x.values[at * width + d] = Math.sqrt(width) * vectors.values[from + d] + places[at * width + d];
    });
    return x;
  }

  /**
   * The head masks of the network's parts, for one of this map's.
   * @param {HeadMask} headMask
   * @returns {Record<string, boolean[][]>}
   */
  #masks(headMask) {
    if (!headMask) return {};
    if (this.attention === "english" || this.attention === "french") return { [this.attention]: headMask };
    const rest = Array.from({ length: this.header.config.layers - 1 }, () => Array(this.numHeads).fill(true));
    return { cross: this.attention === "first" ? [...headMask, ...rest] : [...rest, ...headMask] };
  }

  /**
   * @param {string[]} english
   * @param {string[]} french
   * @param {Matrix[]} encoded
   * @param {{ own: Matrix[], cross: Matrix[] }} decoded
   * @returns {AttentionMap}
   */
  #map(english, french, encoded, { own, cross }) {
    const { attention, headNames } = this;
    const lookedAt = [...english, END];
    const [queryTokens, keyTokens, maps] =
      attention === "english" ? [lookedAt, lookedAt, encoded]
      : attention === "french" ? [[START, ...french], [START, ...french], own]
      : [[...french, END], lookedAt, attention === "first" ? cross.slice(0, 1) : cross.slice(-1)];
    const shape = [maps.length, this.numHeads, queryTokens.length, keyTokens.length];
    const weights = new Float32Array(shape.reduce((size, side) => size * side));
    maps.forEach(({ values }, layer) => weights.set(values, layer * values.length));
    const map = { queryTokens, keyTokens, shape, weights, headNames, predictions: {}, translation: joinedFrench(french) };
    return attention === "french" ? { ...map, mask: [...causalMask(queryTokens.length)] } : map;
  }
}

/**
 * @param {Matrix} x
 * @param {Layer} layer
 */
function feedForward(x, layer) {
  const hidden = relu(linear(x, layer["into.weight"], layer["into.bias"]));
  return layerNorm(added(x, linear(hidden, layer["out.weight"], layer["out.bias"])), partOf(layer, "norm."));
}

/** French words as a text. */
function joinedFrench(/** @type {string[]} */ words) {
  const text = words.map((word) => (word.endsWith("'") ? word : `${word} `)).join("").trim();
  return text && `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/**
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

/**
 * The words that are written most like this one, as Python's `difflib.get_close_matches` finds them.
 * @param {string} word
 * @param {string[]} known
 */
export function nearWords(word, known) {
  const near = known.map((other) => ({ other, likeness: (2 * matching(other, word)) / (other.length + word.length) }));
  return near.filter(({ likeness }) => likeness >= NEAR)
    .sort((a, b) => b.likeness - a.likeness || (a.other < b.other ? 1 : -1))
    .slice(0, MOST_NEAR)
    .map(({ other }) => other);
}

/**
 * How many letters two words share in order, by Ratcliff and Obershelp: the longest common part, then on both sides of it.
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function matching(a, b) {
  let [best, endA, endB] = [0, 0, 0];
  let before = new Uint16Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    const now = new Uint16Array(b.length + 1);
    for (let j = 1; j <= b.length; j++) {
      if (a[i - 1] !== b[j - 1]) continue;
      now[j] = before[j - 1] + 1;
      if (now[j] > best) [best, endA, endB] = [now[j], i, j];
    }
    before = now;
  }
  if (!best) return 0;
  return best + matching(a.slice(0, endA - best), b.slice(0, endB - best)) + matching(a.slice(endA), b.slice(endB));
}
