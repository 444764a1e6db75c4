// Small models for tests: maps of two layers, three heads, five queries and seven keys, and a focus model with random numbers.
import { readFileSync } from "node:fs";
import { normals } from "../../src/manyheads/web/figures/softmax-scale/state.ts";
import { Decoder } from "../../src/manyheads/web/models/decoder.ts";
import { DecoderReader } from "../../src/manyheads/web/models/decoder-model.ts";
import { readDrawing, SIDE } from "../../src/manyheads/web/math/strokes.ts";
import { DecoderTokens } from "../../src/manyheads/web/models/decoder-tokens.ts";
import { Encoder } from "../../src/manyheads/web/models/encoder.ts";
import { EncoderEngine } from "../../src/manyheads/web/models/encoder-engine.ts";
import { encoderAnswer } from "../../src/manyheads/web/models/encoder-model.ts";
import { DecoderFile } from "../../src/manyheads/web/models/gguf-decoder.ts";
import { FocusModel } from "../../src/manyheads/web/models/focus.ts";
import { writeSafetensors } from "../../src/manyheads/web/models/training.ts";

export const HEADS = ["kind", "mood", "rest"];
export const QUERIES = ["[CLS]", "hot", "tea", "un", "##able"];
export const KEYS = [...QUERIES, "now", "[SEP]"];

/** Weights for a shape, each row with a sum of 1; other ones for another seed. */
export function weightsOf(shape, seed = 1) {
  const keys = shape.at(-1);
  const weights = Float32Array.from(
    { length: shape.reduce((a, b) => a * b) },
    (_, at) => ((at * 7 + seed * 13) % 11) + 1,
  );
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
  return {
    queryTokens,
    keyTokens,
    shape,
    weights: weightsOf(shape, seed),
    headNames: HEADS,
    predictions: {},
    notes: [],
    ...changes,
  };
}

/** The words of a text between marks, as a tokenizer would give them; at most so many. */
export const tokensOf = (text, most = 60) => ["[CLS]", ...text.split(/\s+/).filter(Boolean).slice(0, most), "[SEP]"];

/** A model that looks at the words of a sentence; heads that are off look at nothing. `calls` holds what it was asked for. */
export function mapModel(changes = {}) {
  const model = {
    name: "small",
    numLayers: 2,
    numHeads: 3,
    headNames: HEADS,
    calls: [],
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

/** A model that reads drawings, of 2 x 2 patches. */
export function drawingModel() {
  const tokens = ["[CLS]", "patch 1,1", "patch 1,2", "patch 2,1", "patch 2,2"];
  const picture = { rows: 2, columns: 2, width: SIDE, height: SIDE, keyStart: 1, queryStart: 1 };
  const attend = (text) => ({
    ...makeMap({ queryTokens: tokens, keyTokens: tokens, seed: text.length }),
    picture: { ...picture, ink: readDrawing(text) },
    filled: new Float32Array(SIDE * SIDE),
    predictions: { "places shut in": { 0: 0.75, 1: 0.25 } },
  });
  return mapModel({ name: "drawing", attend });
}

/** As `mapModel`, but its answers come later. */
export function slowModel(changes = {}) {
  const model = mapModel(changes);
  const { attend } = model;
  return Object.assign(model, { attend: async (...asked) => attend(...asked) });
}

/** A tensor of random numbers, always the same for a seed. */
export function randomOf(shape, seed) {
  const count = shape.reduce((a, b) => a * b);
  return { shape, values: normals(count, seed) };
}

const [WIDTH, KEY] = [6, 2];
const FACTS = { kind: ["tea", "coffee", "none"], mood: ["good", "bad"] };

/** A focus model as the page has it, with random numbers, for words between spaces. */
export function focusModel() {
  let seed = 0;
  const random = (...shape) => randomOf(shape, ++seed);
  const both = (name, out, into) => ({ [`${name}.weight`]: random(out, into), [`${name}.bias`]: random(out) });
  const norm = (name) => ({ [`${name}.weight`]: random(WIDTH), [`${name}.bias`]: random(WIDTH) });
  const attention = (name) => ({
    ...both(`${name}.query`, HEADS.length * KEY, WIDTH),
    ...both(`${name}.key`, HEADS.length * KEY, WIDTH),
    ...both(`${name}.value`, HEADS.length * KEY, WIDTH),
    ...both(`${name}.output`, WIDTH, HEADS.length * KEY),
  });
  const tensors = {
    ...attention("first"),
    ...norm("after_first"),
    ...both("hidden", 5, WIDTH),
    ...both("mix", WIDTH, 5),
    ...norm("before"),
    ...attention("attention"),
    ...norm("after"),
    ...both("readouts.kind", 3, WIDTH),
    ...both("readouts.mood", 2, WIDTH),
  };
  const header = {
    name: "focus",
    num_heads: HEADS.length,
    head_names: HEADS,
    facts: FACTS,
    config: { rotary_base: 10, layer_norm_eps: 1e-5 },
  };
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
export const HOSTILE = "<img/src=x/onerror=alert(1)>";

// --- pretrained models, as their workers compute them

const WASM = readFileSync(new URL("../../src/manyheads/web/models/kernel.wasm", import.meta.url));
const PRETRAINED = {
  numLayers: 2,
  numHeads: 4,
  headNames: ["a", "b", "c", "d"],
  maxTokens: 64,
  width: 32,
  mlpWidth: 32,
  normEpsilon: 1e-6,
};
const VOCABULARY = 40;

/** A tokenizer whose tokens are words between spaces. */
const wordTokenizer = (start = [], end = []) => ({
  encode: (text) => ({
    ids: [
      ...start,
      ...(text.match(/\S+/g) ?? []).map(
        (word) => 2 + ([...word].reduce((sum, sign) => 31 * sum + sign.codePointAt(0), 7) % (VOCABULARY - 2)),
      ),
      ...end,
    ],
  }),
  id_to_token: (id) => ["[CLS]", "[SEP]"][id] ?? `word${id}`,
  token_to_id: () => undefined,
});

/** A worker on the page's own thread, which takes one message after the other. */
export function workerOf(answer) {
  const worker = {
    asked: [],
    terminate() {},
    postMessage: (question) =>
      setImmediate(() => {
        worker.asked.push(question);
        worker.onmessage({ data: { result: answer(question).result } });
      }),
  };
  return worker;
}

/** An encoder with random weights, which computes in a worker of its own: the model as a page has it, and that worker. */
export async function smallEncoder() {
  let seed = 0;
  const whole = (...shape) => {
    const { values } = randomOf(shape, ++seed);
    return { shape, values: values.map((value) => Math.round(20 * value)) };
  };
  const filled = (value, ...shape) => ({ shape, values: new Float32Array(shape.reduce((a, b) => a * b)).fill(value) });
  const { numLayers, width, maxTokens } = PRETRAINED;
  const layers = [...Array(numLayers).keys()];
  const matrices = layers.flatMap((layer) =>
    ["query", "key", "value", "output", "up", "down"].map((name) => `${layer}.${name}`),
  );
  const sent = (name, rows) => [
    [`low.${name}`, whole(rows, width)],
    [`high.${name}`, filled(0, rows, width)],
    [`step.${name}`, filled(0.01, rows)],
  ];
  const norm = (name) => [
    [`${name}.weight`, filled(1, width)],
    [`${name}.bias`, filled(0, width)],
  ];
  const tensors = Object.fromEntries([
    ...matrices.flatMap((name) => [...sent(name, width), [`${name}.bias`, filled(0, width)]]),
    ...sent("words", VOCABULARY),
    ...sent("positions", maxTokens),
    ...["embeddings_norm", ...layers.flatMap((layer) => [`${layer}.attention_norm`, `${layer}.mlp_norm`])].flatMap(
      norm,
    ),
  ]);
  const facts = { ...PRETRAINED, name: "encoder" };
  const engine = await EncoderEngine.create(facts, WASM);
  engine.put(writeSafetensors({ tensors, metadata: { base: "64" } }));
  const tokenizer = wordTokenizer([0], [1]);
  const worker = workerOf((question) => encoderAnswer(engine, tokenizer, facts, question));
  return { model: new Encoder(worker, facts), worker };
}

/** The same of a decoder, whose file holds random weights. */
export async function smallDecoder() {
  let seed = 0;
  const HALF = { d: 0x2800, m: 0xb4c0 }; // 1/32, and -0.297: codes from 0 to 15 are around 0
  const tensors = new Map();
  const parts = [];
  const add = (name, kind, shape, bytes) => {
    tensors.set(name, {
      name,
      kind,
      shape,
      start: parts.reduce((sum, part) => sum + part.length, 0),
      bytes: bytes.length,
    });
    parts.push(bytes);
  };
  const matrix = (name, kind, rows) => {
    const steps = kind === "Q8_0" ? [HALF.d] : [HALF.d, HALF.m];
    const [first, size] = [2 * steps.length, 2 * steps.length + (kind === "Q8_0" ? 32 : 16)];
    const bytes = new Uint8Array(rows * size);
    normals(rows * (size - first), ++seed).forEach((value, at) => {
      const count = size - first;
      bytes[Math.floor(at / count) * size + first + (at % count)] = Math.round(60 * value);
    });
    for (let row = 0; row < rows; row++)
      steps.forEach((bits, at) => new DataView(bytes.buffer).setUint16(row * size + 2 * at, bits, true));
    add(name, kind, [rows, 32], bytes);
  };
  const norm = (name) => add(name, "F32", [32], new Uint8Array(new Float32Array(32).fill(1).buffer));
  matrix("token_embd.weight", "Q8_0", VOCABULARY);
  norm("output_norm.weight");
  for (let layer = 0; layer < PRETRAINED.numLayers; layer++) {
    for (const [name, rows] of Object.entries({ attn_qkv: 64, attn_output: 32, ffn_up: 64, ffn_down: 32 }))
      matrix(`blk.${layer}.${name}.weight`, "Q4_1", rows);
    for (const name of ["attn_norm", "ffn_norm"]) norm(`blk.${layer}.${name}.weight`);
  }
  const facts = {
    block_count: PRETRAINED.numLayers,
    "attention.head_count": PRETRAINED.numHeads,
    "attention.head_count_kv": 2,
    embedding_length: 32,
    feed_forward_length: 32,
    context_length: PRETRAINED.maxTokens,
    "attention.layer_norm_rms_epsilon": PRETRAINED.normEpsilon,
    "rope.freq_base": 100,
  };
  const named = Object.entries(facts).map(([name, value]) => [`phi3.${name}`, value]);
  const file = new DecoderFile({ facts: new Map([["general.architecture", "phi3"], ...named]), tensors }, "decoder");
  file.facts.headNames = PRETRAINED.headNames;
  const weights = await file.load(new Blob(parts), WASM, () => {});
  const tokenizer = wordTokenizer();
  const words = Array.from({ length: VOCABULARY }, (_, id) => tokenizer.id_to_token(id));
  const written = { words, before: [], start: 0, notes: [], isBytewise: true };
  const tokens = new DecoderTokens(tokenizer, file.facts, written);
  const reader = new DecoderReader(weights, tokens);
  const worker = workerOf((question) => reader.answer(question));
  return { model: new Decoder(worker, { ...file.facts, endTokens: [], words: tokens.words }), worker };
}
