// Small models for tests: maps of two layers, three heads, five queries and seven keys, and a focus model with random numbers.
import { normals } from "../../src/manyheads/web/figures/softmax-scale/softmax-scale.ts";
import { FocusModel } from "../../src/manyheads/web/models/focus.ts";

export const HEADS = ["kind", "mood", "rest"];
export const QUERIES = ["[CLS]", "hot", "tea", "un", "##able"];
export const KEYS = [...QUERIES, "now", "[SEP]"];

/** Weights for a shape, each row with a sum of 1; other ones for another seed. */
export function weightsOf(shape, seed = 1) {
  const keys = shape.at(-1);
  const weights = Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, at) => ((at * 7 + seed * 13) % 11) + 1);
  for (let row = 0; row < weights.length; row += keys) {
    const own = weights.subarray(row, row + keys);
    const sum = own.reduce((a, b) => a + b);
    own.forEach((weight, key) => (own[key] = weight / sum));
  }
  return weights;
}

export function makeMap(changes = {}) {
  const { queryTokens = QUERIES, keyTokens = KEYS, seed } = changes;
  const shape = changes.shape ?? [2, 3, queryTokens.length, keyTokens.length];
  return { queryTokens, keyTokens, shape, weights: weightsOf(shape, seed), headNames: HEADS, predictions: {}, notes: [], ...changes };
}

/** The words of a text between marks, as a tokenizer would give them; at most so many. */
export const tokensOf = (text, most = 60) => ["[CLS]", ...text.split(/\s+/).filter(Boolean).slice(0, most), "[SEP]"];

/** A model that looks at the words of a sentence; heads that are off look at nothing. `calls` holds what it was asked for. */
export function mapModel(changes = {}) {
  const model = {
    name: "small", numLayers: 2, numHeads: 3, headNames: HEADS, calls: [],
    attend(sentence, headMask = null) {
      model.calls.push({ sentence, headMask });
      const tokens = tokensOf(sentence);
      const map = makeMap({ queryTokens: tokens, keyTokens: tokens, seed: sentence.length });
      const size = tokens.length ** 2;
      (headMask ?? []).flat().forEach((on, head) => on || map.weights.fill(0, head * size, (head + 1) * size));
      const good = headMask?.[0][1] === false ? 0.25 : 0.75;
      return { ...map, predictions: tokens.length > 2 ? { mood: { good, bad: 1 - good } } : {} };
    },
    ...changes,
  };
  return model;
}

/** As `mapModel`, but its answers come later. */
export function slowModel(changes = {}) {
  const model = mapModel(changes);
  const { attend } = model;
  return Object.assign(model, { attend: async (...asked) => attend(...asked) });
}

const [WIDTH, KEY] = [6, 2];
const FACTS = { kind: ["tea", "coffee", "none"], mood: ["good", "bad"] };

/** A focus model as the page has it, with random numbers, for words between spaces. */
export function focusModel() {
  let seed = 0;
  const random = (...shape) => ({ shape, values: normals(shape.reduce((a, b) => a * b), ++seed) });
  const both = (name, out, into) => ({ [`${name}.weight`]: random(out, into), [`${name}.bias`]: random(out) });
  const norm = (name) => ({ [`${name}.weight`]: random(WIDTH), [`${name}.bias`]: random(WIDTH) });
  const attention = (name) => ({
    ...both(`${name}.query`, HEADS.length * KEY, WIDTH), ...both(`${name}.key`, HEADS.length * KEY, WIDTH),
    ...both(`${name}.value`, HEADS.length * KEY, WIDTH), ...both(`${name}.output`, WIDTH, HEADS.length * KEY),
  });
  const tensors = {
    ...attention("first"), ...norm("after_first"), ...both("hidden", 5, WIDTH), ...both("mix", WIDTH, 5),
    ...norm("before"), ...attention("attention"), ...norm("after"),
    ...both("readouts.kind", 3, WIDTH), ...both("readouts.mood", 2, WIDTH),
  };
  const header = { name: "focus", num_heads: HEADS.length, head_names: HEADS, facts: FACTS, config: { rotary_base: 10, layer_norm_eps: 1e-5 } };
  const metadata = Object.fromEntries(Object.entries(header).map(([name, value]) => [name, JSON.stringify(value)]));
  const words = { codes: random(40, WIDTH), scale: { shape: [WIDTH], values: new Float32Array(WIDTH).fill(1) } };
  return Object.assign(new FocusModel({ tensors, metadata }, { tensors: words, metadata: {} }, null), {
    tokenize(sentence) {
      const tokens = tokensOf(sentence, 10);
      const ids = tokens.map((token) => [...token].reduce((sum, sign) => sum + sign.codePointAt(0), 0) % 40);
      return { ids, tokens, notes: [] };
    },
  });
}

/** A text that would be an image with a script, were it read as HTML. */
export const HOSTILE = '<img/src=x/onerror=alert(1)>';
