// A folder of a model as transformers saves it, read as if it were a GGUF file of that model: twin of models/decoder/folder.py. What is
// chosen or dropped comes here; `folder` of shared/gguf.json says which facts and tensors are which.

import { architectures, blocks, facts as rowsOfFacts, folder as table, ruledOut } from "../../shared/gguf.json";
import { Fault } from "../math/faults.ts";
import { factsOfTokenizer } from "./gguf-tokens.ts";
import type { Kind } from "./gguf-blocks.ts";
import { fault, joined, judge, notRead, readGguf, readPart, shorten, type Gguf, type Tensor } from "./gguf.ts";

type Json = Record<string, any>;

const FLOATS = ["F32", "F16", "BF16"];
const TENSOR = /^(?:model\.|transformer\.)?(?:(?:layers|h)\.(\d+)\.)?(.+)\.(weight|bias)$/;
const FOLLOWS = /rotary_emb\.inv_freq$|\.attn\.(masked_)?bias$/; // older files' tensors that others imply
const LONGEST = 2 ** 26; // bytes of a header, or of a text

/** What the reader's files say of a model, and all of them that hold weights: a GGUF file, all parts of one, or a folder of Hugging Face's. */
export async function readFiles(files: File[]): Promise<{ gguf: Gguf; file: Blob }> {
  const ggufs = files.filter(({ name }) => /\.gguf$/i.test(name));
  const [first] = files;
  const isFolder = files.length !== 1 || first.webkitRelativePath || /\.(json|safetensors)$/i.test(first.name);
  if (files.some(({ name }) => /\.safetensors$/i.test(name)) || (isFolder && !ggufs.length)) return readFolder(files);
  const parts = files.length > 1 ? ggufs : files; // beside which a folder may have others
  return { gguf: await readGguf(...parts), file: joined(parts) };
}

async function readFolder(files: File[]) {
  const named = new Map(files.map((file) => [file.name, file]));
  if (named.has("adapter_config.json") && !named.has("config.json")) judge(new Map([["general.type", "adapter"]]), []);
  const own = await readJson(named, "config.json");
  const models: Json = table.models;
  if (typeof own.model_type !== "string" || !Object.hasOwn(models, own.model_type))
    throw notRead("architecture", { architecture: shorten(own.model_type), known: Object.keys(models).join(", ") });
  const scaling = [own.rope_scaling ?? {}, own.rope_parameters ?? {}];
  if (!scaling.every(isObject)) throw fault("file", { name: "config.json" });
  const config: Json = { ...table.config, ...models[own.model_type], ...own };
  // Names of a config and of tensors, what the last kind of layers is called, whether gains are less by 1 and matrices [in, out].
  const otherwise: Json = models[own.model_type].files ?? {};
  for (const [theirs, name] of Object.entries<string>(otherwise.names ?? {}))
    config[name] = own[theirs] ?? config[name];
  for (const given of scaling) {
    const [local, each] = [given.sliding_attention ?? {}, given.full_attention ?? given];
    if (!isObject(local) || !isObject(each)) throw fault("file", { name: "config.json" });
    const { rope_type: type = "default", rope_theta: base = config.rope_local_base_freq } = local;
    if (type !== "default") throw fault("stretched", { value: shorten(type) });
    config.rope_local_base_freq = base;
    // which older files call otherwise
    if (Object.keys(each).length) Object.assign(config, { rope_type: each.type ?? "default" }, each);
  }
  const { facts, factors } = factsOf(config, otherwise);
  const written = await readJson(named, "tokenizer.json");
  const ends = (await readJson(named, "generation_config.json", {})).eos_token_id ?? config.eos_token_id;
  for (const [name, value] of factsIn(written, [ends].flat())) facts.set(name, value);
  const { tensors, weights } = await tensorsOf(named, otherwise);
  if (config.tie_word_embeddings) tensors.delete("output.weight");
  else if (!tensors.has("output.weight")) throw fault("lacks", { name: "lm_head.weight" });
  if (factors) {
    const [name, start] = ["rope_freqs.weight", weights.reduce((sum, { size }) => sum + size, 0)];
    tensors.set(name, { name, kind: "F32", shape: [factors.length], start, bytes: factors.byteLength });
    weights.push(new Blob([factors]));
  }
  return { gguf: { facts, tensors }, file: joined(weights) };
}

function factsIn(written: Json, ends: unknown[]) {
  try {
    return factsOfTokenizer(written, ends);
  } catch (error) {
    throw error instanceof Fault ? error : fault("file", { name: "tokenizer.json" });
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function readJson(files: Map<string, File>, name: string, otherwise?: Json): Promise<Json> {
  const file = files.get(name);
  if (!file && otherwise) return otherwise;
  if (!file) throw fault("folder", { name });
  if (file.size > LONGEST) throw fault("file", { name });
  return parse(await readPart(file, 0, file.size), name);
}

function parse(bytes: Uint8Array, name: string) {
  try {
    const found: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isObject(found)) return found;
  } catch {
    // it's none
  }
  throw fault("file", { name });
}

/** The facts of a GGUF file of the same model, and by what the rotation of each pair of columns is slowed. */
function factsOf(config: Json, { last: [named, last] = ["", null] }: Json) {
  const architecture = config.architecture as keyof typeof architectures;
  const { every = 1 } = architectures[architecture] as { every?: number };
  const kinds: unknown[] = Array.isArray(config[named]) ? config[named] : [];
  if (kinds.some((each, layer) => (each === last) !== ((layer + 1) % every === 0))) throw fault("unturned", { every });
  if (architecture === "gpt2") config.intermediate_size ??= 4 * config.hidden_size;
  if (config.query_pre_attn_scalar > 0) config.attention_multiplier = config.query_pre_attn_scalar ** -0.5;
  for (const cap of ["attn_logit_softcapping", "final_logit_softcapping"]) config[cap] ??= 0;
  const activations: Json = table.activations;
  config.hidden_act = activations[config.hidden_act] ?? config.hidden_act;
  const factors = config.rope_type === "llama3" ? factorsOf(config) : undefined;
  if (config.rope_type === "default" || factors) config.rope_type = "none";
  const facts = new Map<string, unknown>([
    ["general.architecture", architecture],
    [`${architecture}.rope.pairs`, "halves"],
  ]);
  const rows: { fact: string; config?: string }[] = [...Object.values(rowsOfFacts), ...ruledOut];
  for (const { fact, config: name = "" } of rows)
    if (config[name] !== null && config[name] !== undefined) facts.set(`${architecture}.${fact}`, config[name]);
  return { facts, factors };
}

/** How much slower Llama 3 turns each pair of columns. */
function factorsOf(config: Json) {
  const names = ["factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings", "rope_theta"];
  const values: number[] = [...names, "hidden_size", "num_attention_heads"].map((name) => config[name]);
  if (!values.every((value) => typeof value === "number" && value > 0 && value < Infinity))
    throw fault("file", { name: "config.json" });
  const [factor, low, high, context, base, width, heads] = values;
  const half = Math.floor((config.head_dim ?? Math.floor(width / heads)) / 2);
  return Float32Array.from({ length: half }, (_, pair) => {
    const turns = (context * base ** (-pair / half)) / (2 * Math.PI); // within the text that it was first trained on
    const smooth = Math.min(Math.max((turns - low) / (high - low), 0), 1);
    return 1 / ((1 - smooth) / factor + smooth);
  });
}

/** What a GGUF file calls a tensor; its own name, where it has none. */
function nameInFiles(name: string, { tensors }: Json) {
  const [, layer, module, part] = TENSOR.exec(name) ?? [];
  const names: Record<string, string> = { ...table.tensors, ...tensors };
  if (!module || !Object.hasOwn(names, module)) return name;
  return `${layer === undefined ? "" : `blk.${layer}.`}${names[module]}.${part}`;
}

/** The tensors of all files, and these, each behind the one before. */
async function tensorsOf(files: Map<string, File>, otherwise: Json) {
  const index = "model.safetensors.index.json";
  const { weight_map: map } = await readJson(files, index, { weight_map: { "": "model.safetensors" } });
  const names = isObject(map) ? [...new Set(Object.values(map))].sort() : [null];
  if (!names.every((name) => typeof name === "string")) throw fault("file", { name: index });
  const weights: Blob[] = [];
  const tensors = new Map<string, Tensor>();
  let start = 0;
  for (const name of names as string[]) {
    const file = files.get(name);
    if (!file) throw fault("folder", { name });
    for (const tensor of await readSafetensors(file, otherwise))
      tensors.set(tensor.name, { ...tensor, start: start + tensor.start });
    weights.push(file);
    start += file.size;
  }
  return { tensors, weights };
}

/** The tensors of a file: https://github.com/huggingface/safetensors#format. */
async function readSafetensors(file: File, otherwise: Json) {
  const broken = fault("file", { name: file.name });
  const whole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  if (file.size < 8) throw broken;
  const length = Number(new DataView((await readPart(file, 0, 8)).buffer).getBigUint64(0, true));
  if (length > Math.min(file.size - 8, LONGEST)) throw broken;
  const found: Tensor[] = [];
  for (const [own, each] of Object.entries(parse(await readPart(file, 8, length), file.name))) {
    if (own === "__metadata__" || FOLLOWS.test(own)) continue;
    const { dtype, shape, data_offsets: places } = isObject(each) ? each : {};
    if (typeof dtype !== "string" || !Array.isArray(shape) || !Array.isArray(places)) throw broken;
    if (!FLOATS.includes(dtype)) throw notRead("kind", { kind: shorten(dtype) });
    const [kind, [start, end]] = [dtype as Kind, places];
    const count = shape.reduce((product, size) => product * size, 1);
    if (![start, end, count, ...shape].every(whole) || !count || shape.length < 1 || shape.length > 2) throw broken;
    if (end - start !== count * blocks[kind].bytes || 8 + length + end > file.size) throw broken;
    const name = nameInFiles(own, otherwise);
    const raised = Number(Boolean(otherwise.raises) && name.endsWith("norm.weight"));
    const transposed = Boolean(otherwise.transposed) && shape.length > 1 && name.startsWith("blk.");
    if (transposed) shape.reverse();
    found.push({ name, kind, shape, start: 8 + length + start, bytes: end - start, raised, transposed });
  }
  return found;
}
