// Twin of models/translator: the same words, the same numbers, the same French. tests/fast/web/test_translator.py holds them equal.

import type { AttentionMap, HeadMask } from "../math/attention-map.ts";
import { added, attentionBlock, causalMask, layerNorm, linear, partOf, relu } from "../math/attention.ts";
import type { Layer, Matrix } from "../math/attention.ts";
import { Fault } from "../math/faults.ts";
import type { Safetensors } from "../math/wire.ts";
import type { Loading } from "./models.ts";
import { splitAtSpace, withinReach } from "./tokens.ts";

const START = "<s>";
const END = "</s>";
const FAR = 0.4; // the part of a word's letters in which one that is offered for another may differ, and how many are offered
const MOST_NEAR = 3;

/** A sentence that the translator cannot read; says why, and what to try. */
export class NotTranslated extends Fault {
  word: string | null;
  near: string[];

  constructor(message: string, word: string | null = null, near: string[] = []) {
    super(message);
    this.word = word;
    this.near = near;
  }
}

/** The model called `translator/<variant>`: which training, and which attention its maps show, such as "heads-1/french". */
export async function load(variant: string, { progress, once, fetchTensors }: Loading) {
  const [, training = "taught", attention = "cross"] =
    /^(untaught|heads-1)?\/?(first|english|french)?$/.exec(variant) ?? [];
  const file = `translator-${training}.safetensors.gz`;
  return new Translator(await once(file, () => fetchTensors(file, progress)), attention);
}

export class Translator {
  tensors: Layer;
  header: Record<string, any>;
  attention: string; // which map it gives: cross, first, english or french
  name: string;
  numLayers: number;
  numHeads: number;
  headNames: string[];
  vocabulary: string[];
  pattern: RegExp;
  numbers: Record<"english" | "french", Map<string, number>>;
  layers: Record<"encoder" | "decoder", Layer[]>;

  constructor({ tensors, metadata }: Safetensors, attention = "cross") {
    const header = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, JSON.parse(value)]));
    this.tensors = tensors;
    this.header = header;
    this.attention = attention;
    this.numHeads = header.num_heads;
    this.numLayers = attention === "cross" || attention === "first" ? 1 : header.config.layers;
    this.name = ["translator", header.variant, attention]
      .filter((name) => name !== "taught" && name !== "cross")
      .join("/");
    this.headNames =
      (attention === "cross" && header.head_names) ||
      Array.from({ length: this.numHeads }, (_, head) => `head ${head + 1}`);
    this.pattern = new RegExp(`^${header.pattern}$`);
    this.numbers = {
      english: new Map(header.english.map((word: string, at: number) => [word, at])),
      french: new Map(header.french.map((word: string, at: number) => [word, at])),
    };
    this.vocabulary = Object.keys(header.letters).sort();
    const parts = (stack: string) =>
      Array.from({ length: header.config.layers }, (_, number) => partOf(tensors, `${stack}.${number}.`));
    this.layers = { encoder: parts("encoder"), decoder: parts("decoder") };
  }

  /**
   * The map of a sentence and its translation; `headMask[layer][head]` is false for a head that is off, null for all on.
   * Throws `NotTranslated`.
   */
  attend(sentence: string, headMask: HeadMask = null): AttentionMap {
    const words = this.read(sentence);
    const off = this.#masks(headMask);
    const { memory, maps } = this.encode([...words, END], off);
    const french = [START];
    let decoded: ReturnType<Translator["decode"]>;
    do {
      decoded = this.decode(french, memory, off);
      french.push(decoded.next);
    } while (decoded.next !== END && french.length <= this.header.longest);
    if (decoded.next !== END) decoded = this.decode(french, memory, off);
    const answer = french.slice(1, decoded.next === END && french.at(-1) === END ? -1 : undefined);
    return this.#map(words, answer, maps, decoded);
  }

  /** The words of a sentence, as the translator knows them: twin of `Translator.read`. */
  read(sentence: string) {
    const { messages, letters, max_words: most } = this.header;
    const {
      text,
      notes: [cut],
    } = withinReach(sentence, most);
    const words = this.split(text);
    if (!words.length) throw new NotTranslated(messages.nothing);
    if (words.length > most)
      throw new NotTranslated(filled(messages.long, { most, count: cut ? "more" : words.length }));
    if (cut) throw new NotTranslated(cut);
    for (const word of words) {
      if (Object.hasOwn(letters, word)) continue;
      const near = nearWords(word, this.vocabulary);
      const hint = near.length ? ` ${filled(messages.near, { words: near.join(", ") })}` : "";
      throw new NotTranslated(filled(messages.unknown, { word }) + hint, word, near);
    }
    const kinds = words.map((word) => letters[word]).join("");
    if (!this.pattern.test(kinds))
      throw new NotTranslated(this.#misfit(words, longestBeginning(this.header.pattern, kinds)));
    return words;
  }

  /** Why no sentence that it learned is this one: twin of `misfit`. */
  #misfit(words: string[], begun: number) {
    const { end, next, first } = this.header.messages;
    const before = words.slice(0, begun).join(" ");
    return filled(begun === words.length ? end : begun ? next : first, { before, word: words[begun] });
  }

  split(sentence: string) {
    let text = `${sentence.toLowerCase().replaceAll("’", "'")} `;
    for (const [short, full] of Object.entries<string>(this.header.short_forms)) text = text.replaceAll(short, full);
    return splitAtSpace(text.replace(/[.,;:!?"“”]/g, " ")).map((word) => (word === "i" ? "I" : word));
  }

  /** What the encoder makes of English words: [k, d], and its maps. */
  encode(words: string[], off: Record<string, boolean[][]>) {
    let x = this.#embedded(words, "english");
    const maps = this.layers.encoder.map((layer, number) => {
      const { output, weights } = this.#block(x, layer, "self_attention.", { headMask: off.english?.[number] });
      x = feedForward(output, partOf(layer, "forward_layer."));
      return weights;
    });
    return { memory: x, maps };
  }

  /** The word that follows some French words, and the decoder's maps. */
  decode(words: string[], memory: Matrix, off: Record<string, boolean[][]>) {
    let x = this.#embedded(words, "french");
    const mask = causalMask(words.length);
    const own: Matrix[] = [];
    const cross: Matrix[] = [];
    this.layers.decoder.forEach((layer, number) => {
      const self = this.#block(x, layer, "self_attention.", { mask, headMask: off.french?.[number] });
      const across = this.#block(self.output, layer, "cross_attention.", {
        keys: memory,
        headMask: off.cross?.[number],
      });
      x = feedForward(across.output, partOf(layer, "forward_layer."));
      own.push(self.weights);
      cross.push(across.weights);
    });
    const width = x.shape[1];
    const last = { shape: [1, width], values: x.values.slice(-width) };
    const { values } = linear(last, this.tensors["french.weight"], this.tensors.bias);
    const best = values.reduce((most, value, at) => (value > values[most] ? at : most), 0);
    return { next: this.header.french[best] as string, own, cross };
  }

  #block(x: Matrix, layer: Layer, name: string, options: Omit<Parameters<typeof attentionBlock>[2], "numHeads">) {
    return attentionBlock(x, partOf(layer, name), { numHeads: this.numHeads, ...options });
  }

  #embedded(words: string[], language: "english" | "french") {
    const vectors = this.tensors[`${language}.weight`];
    const places = this.tensors[`${language}_position`].values;
    const width = vectors.shape[1];
    const x = { shape: [words.length, width], values: new Float32Array(words.length * width) };
    words.forEach((word, at) => {
      const from = (this.numbers[language].get(word) as number) * width;
      for (let d = 0; d < width; d++)
        x.values[at * width + d] = Math.sqrt(width) * vectors.values[from + d] + places[at * width + d];
    });
    return x;
  }

  /** The head masks of the network's parts, for one of this map's. */
  #masks(headMask: HeadMask): Record<string, boolean[][]> {
    if (!headMask) return {};
    if (this.attention === "english" || this.attention === "french") return { [this.attention]: headMask };
    const rest = Array.from({ length: this.header.config.layers - 1 }, () => Array(this.numHeads).fill(true));
    return { cross: this.attention === "first" ? [...headMask, ...rest] : [...rest, ...headMask] };
  }

  #map(
    english: string[],
    french: string[],
    encoded: Matrix[],
    { own, cross }: { own: Matrix[]; cross: Matrix[] },
  ): AttentionMap {
    const { attention, headNames } = this;
    const lookedAt = [...english, END];
    const [queryTokens, keyTokens, maps] =
      attention === "english"
        ? [lookedAt, lookedAt, encoded]
        : attention === "french"
          ? [[START, ...french], [START, ...french], own]
          : [[...french, END], lookedAt, attention === "first" ? cross.slice(0, 1) : cross.slice(-1)];
    const shape = [maps.length, this.numHeads, queryTokens.length, keyTokens.length];
    const weights = new Float32Array(shape.reduce((size, side) => size * side));
    maps.forEach(({ values }, layer) => weights.set(values, layer * values.length));
    const map = { queryTokens, keyTokens, shape, weights, headNames, predictions: {}, written: joinedFrench(french) };
    return attention === "french" ? { ...map, causal: true } : map;
  }
}

function feedForward(x: Matrix, layer: Layer) {
  const hidden = relu(linear(x, layer["into.weight"], layer["into.bias"]));
  return layerNorm(added(x, linear(hidden, layer["out.weight"], layer["out.bias"])), partOf(layer, "norm."));
}

/** French words as a text: twin of `joined` in head_model.py. */
function joinedFrench(words: string[]) {
  const text = words.join(" ").replaceAll("' ", "'").replaceAll(" ,", ",").replaceAll(" ?", "\u00a0?");
  return text && `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith("?") ? "" : "."}`;
}

const filled = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

/** With how many of its first letters a text can begin what the pattern fits: twin of `longest_beginning` in Python. */
function longestBeginning(pattern: string, kinds: string) {
  const beginning = new RegExp(`^${pattern.replace(/\[.+?\]|[^ -~]/g, "(?:$&|$$)")}$`); // the text may end before any letter
  let length = kinds.length;
  while (!beginning.test(kinds.slice(0, length))) length--;
  return length;
}

/** The words that are written most like this one: twin in meaning, not to the word, of `near_words` in Python. */
export function nearWords(word: string, known: string[]) {
  const most = (other: string) => Math.ceil(FAR * other.length);
  return known
    .filter((other) => Math.abs(other.length - word.length) <= most(other)) // others cannot be near, and may be long
    .map((other) => ({ other, far: edits(word, other) }))
    .filter(({ other, far }) => far <= most(other))
    .sort((one, two) => one.far - two.far)
    .slice(0, MOST_NEAR)
    .map(({ other }) => other);
}

/** How many letters are put in, left out or changed to make one word of another, by Levenshtein. */
function edits(one: string, other: string) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let to = 1; to < row.length; to++)
      next.push(Math.min(row[to] + 1, next[to - 1] + 1, row[to - 1] + Number(letter !== other[to - 1])));
    row = next;
  }
  return row[other.length];
}
