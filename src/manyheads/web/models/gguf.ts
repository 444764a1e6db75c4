// What a GGUF file says of itself, and where its weights lie: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
// Files come from strangers, so no number in one is used before it is compared with what the file can hold.

import { architectures, blocks, faults, noModels, otherBlocks } from "../../shared/gguf.json";
import { Fault } from "../math/faults.ts";
import { filled } from "../math/text.ts";
import type { Kind } from "./gguf-blocks.ts";

export interface Gguf {
  /** Texts, numbers, booleans, and lists of these; numbers of up to 32 bits, and of 64 bits with fractions, in typed arrays. */
  facts: Map<string, unknown>;
  tensors: Map<string, Tensor>;
}

export interface Tensor {
  name: string;
  kind: Kind;
  shape: number[]; // [..., rows, columns]
  start: number; // in the file
  bytes: number;
  transposed?: boolean; // it lies there column by column
  raised?: number; // by so much, what lies there is less
}

const LONGEST = 2 ** 25; // bytes of a header; a vocabulary of 262,000 tokens and 515,000 pairs takes some 16 MB
const MOST_PARTS = 1000; // of a model in several files
const MOST = 2 ** 22; // facts, tensors and members of lists, together

const KINDS = new Map(Object.entries(blocks).map(([kind, { number }]) => [number, kind as Kind]));
/** Kinds of weights that readers meet and that aren't read here. */
const OTHER_KINDS = new Map(Object.entries(otherBlocks).map(([kind, number]) => [number, kind]));

/** Types of facts. */
const [BOOLEAN, TEXT, LIST] = [7, 8, 9];
const NUMBERS = {
  ...{ 0: Uint8Array, 1: Int8Array, 2: Uint16Array, 3: Int16Array, 4: Uint32Array, 5: Int32Array, 6: Float32Array },
  ...{ [BOOLEAN]: Uint8Array, 10: BigUint64Array, 11: BigInt64Array, 12: Float64Array },
};
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true }); // some tokens begin with that mark
const PARTED = `\ufffd${"\0".repeat(7)}`; // as the byte 0xff and seven zeros are read

const ANOTHER = "Another file of this model would do.";
const damaged = (why: string) => new Fault(`it’s damaged: ${why}. Download it again.`);
/** What is said of a file that can't be opened, with what stands in it. */
export const fault = (why: keyof typeof faults, values: Record<string, string | number> = {}) =>
  new Fault(filled(faults[why], values));
/** Of a model that isn't read here, though others may: where their lines are. */
export const notRead = (why: keyof typeof faults, values: Record<string, string | number>) =>
  new Fault(
    `${filled(faults[why], values)} In Python, transformers may read it: the chapter “Your own models” has the lines.`,
  );
const tooLong = () => new Fault(`its header is longer than that of any model we know. ${ANOTHER}`);

/** Some of a file's bytes. */
export async function readPart(file: Blob, start: number, length: number) {
  const part = file.slice(start, start + length).arrayBuffer();
  const bytes = await part.catch(() => null);
  if (bytes?.byteLength === length) return new Uint8Array(bytes);
  throw new Fault("the browser can’t read it. It’s a folder, or was moved or changed meanwhile. Choose it again.");
}

/** A model in one file, or in several, each behind the one before; where a tensor starts is told of all of them together. */
export const joined = (files: Blob[]) => (files.length > 1 ? new Blob(files) : files[0]);

/** What a file says before its weights come, or a model's in several; a `Fault` says why it can't be read, and what would do. */
export async function readGguf(...files: Blob[]): Promise<Gguf> {
  const parts: Gguf[] = [];
  for (const file of files)
    await readHead(file).then(
      (part) => parts.push(part),
      (error) => {
        throw files.length > 1 && error instanceof Fault ? new Fault(`in ${nameOf(file)}, ${error.message}`) : error;
      },
    );
  return join(files, parts);
}

async function readHead(file: Blob) {
  const bytes = await readPart(file, 0, Math.min(LONGEST, file.size));
  if (!bytes.length) throw new Fault("it’s empty. Download it again.");
  if (DECODER.decode(bytes.subarray(0, 4)) !== "GGUF")
    throw new Fault("it isn’t a GGUF file. Ollama, LM Studio and llama.cpp keep their language models in such files.");
  return readPartHeader(bytes, file.size);
}

/** The same of a file of that size, of which these bytes are the first, its header among them; they are written over. */
export const readHeader = (bytes: Uint8Array<ArrayBuffer>, size: number) => join([], [readPartHeader(bytes, size)]);

function readPartHeader(bytes: Uint8Array<ArrayBuffer>, size: number): Gguf {
  const header = new Header(bytes, size);
  const version = header.short();
  if (!(version & 0xffff)) throw new Fault(`its numbers are written the other way round (big-endian). ${ANOTHER}`);
  if (version !== 2 && version !== 3)
    throw new Fault(`it’s in version ${version} of the format, and this page reads 2 and 3. ${ANOTHER}`);
  const [numTensors, numFacts] = [header.count(32), header.count(13)];
  const facts = byName(numFacts, () => [header.text(), header.value()]);
  const listed = byName(numTensors, () => header.tensor());
  judge(facts, [...listed.keys()]);
  const tensors = new Map([...listed].map(([name, each]) => [name, ofKind(name, each)]));
  place([...tensors.values()], header.at, Number(facts.get("general.alignment") ?? 32), size);
  return { facts, tensors };
}

/** Refuses what is no model, or none that's read here, before its kinds of weights: no other kind of it would do. */
export function judge(facts: Map<string, unknown>, names: string[]) {
  const [architecture, type] = ["architecture", "type"].map((fact) => String(facts.get(`general.${fact}`) ?? ""));
  for (const { says, tensors, ...row } of noModels) {
    const pattern = new RegExp(tensors);
    if (type === row.type || row.architectures.includes(architecture) || names.some((name) => pattern.test(name)))
      throw new Fault(says);
  }
  if (architecture && !Object.hasOwn(architectures, architecture))
    throw notRead("architecture", {
      architecture: shorten(architecture),
      known: Object.keys(architectures).join(", "),
    });
}

const PART = /^(.*?)(-\d{5}-of-\d{5})?(\.gguf)?$/is;
const nameOf = (file?: Blob) => (file as File | undefined)?.name ?? "model.gguf"; // whoever has no file's name

/** One of all parts, in whatever order they were chosen. */
function join(files: Blob[], parts: Gguf[]): Gguf {
  const numbers = parts.map(({ facts }) => Number(facts.get("split.no") ?? 0));
  const count = Number(parts[0].facts.get("split.count") ?? 1);
  const [, before, isNumbered, ending = ""] = PART.exec(nameOf(files[0]))!;
  if (files.length > 1 && !(count > 1)) throw fault("several", { count: files.length });
  const all = Array.from({ length: Math.min(count, MOST_PARTS) }, (_, number) => number);
  const missing = all.filter((number) => count > 1 && !numbers.includes(number));
  if (missing.length) {
    const [five, of] = [(number: number) => String(number).padStart(5, "0"), String(count).padStart(5, "0")];
    const names = missing.map((number) => `${before}-${five(number + 1)}-of-${of}${ending}`);
    throw fault("parts", { count, names: listed(names) });
  }
  const tensors = new Map<string, Tensor>();
  let start = 0;
  for (const [at, part] of parts.entries()) {
    const [, beginning, isToo] = PART.exec(nameOf(files[at]))!;
    const isOther =
      part.facts.get("split.count") !== parts[0].facts.get("split.count") ||
      (isNumbered && isToo && beginning !== before);
    if (isOther || [...part.tensors.keys()].some((name) => tensors.has(name)))
      throw new Fault(`in ${nameOf(files[at])}, ${fault("part", { number: numbers[at] + 1, count }).message}`);
    for (const [name, tensor] of part.tensors) tensors.set(name, { ...tensor, start: start + tensor.start });
    start += files[at]?.size ?? 0;
  }
  const { facts } = parts[numbers.indexOf(0)] ?? parts[0];
  const wanted = Number(facts.get("split.tensors.count") ?? tensors.size);
  if (count > 1 && wanted !== tensors.size) throw fault("others", { count: tensors.size, wanted });
  if (!tensors.size) throw fault("empty");
  if (!facts.get("general.architecture")) throw fault("unnamed"); // which the second of several parts doesn't name
  return { facts, tensors };
}

/** The first of some names, and how many more there are. */
export const listed = (names: string[], most = 4) =>
  names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");

/** What the header says of a tensor. */
interface Listed {
  number: number; // of its kind
  shape: number[];
  start: number; // from the end of the header
}

function ofKind(name: string, { number, shape, start }: Listed): Tensor {
  const kind = KINDS.get(number);
  if (!kind) throw notRead("kind", { kind: OTHER_KINDS.get(number) ?? `number ${number}` });
  const [count, { weights, bytes }] = [product(shape), blocks[kind]];
  if (!count || !Number.isSafeInteger(count) || shape.at(-1)! % weights)
    throw damaged("a tensor in it has an impossible shape");
  return { name, kind, shape, start, bytes: (count / weights) * bytes };
}

/** What a file is, in a line. */
export function describe({ facts, tensors }: Gguf, size: number) {
  const [name, architecture] = ["name", "architecture"].map((fact) => shorten(facts.get(`general.${fact}`)));
  const [layers, heads, groups] = ["block_count", "attention.head_count", "attention.head_count_kv"].map((fact) =>
    Number(facts.get(`${architecture}.${fact}`)),
  );
  const weights: Partial<Record<Kind, number>> = {};
  for (const { kind, shape } of tensors.values()) weights[kind] = (weights[kind] ?? 0) + product(shape);
  const [[most]] = Object.entries(weights).sort(([, a], [, b]) => b - a);
  const grouped =
    groups > 0 && groups < heads ? ` on ${groups === 1 ? "one key and value" : `${groups} keys and values`}` : "";
  const sizes = layers > 0 && heads > 0 && `${layers} layers of ${heads} heads${grouped}`;
  const parts = [architecture, sizes, `mostly ${most}`, sizeText(size)].filter(Boolean);
  return `${name && `${name}: `}${parts.join(", ")}.`;
}

/** The beginning of what a stranger wrote, without signs that can't be seen. */
export function shorten(written: unknown) {
  const plain = String(written ?? "")
    .slice(0, 999)
    .replace(/[\p{C}\s]+/gu, " ");
  return /^.{0,80}/u.exec(plain.trim())![0];
}

const product = (shape: number[]) => shape.reduce((a, b) => a * b, 1);

function sizeText(bytes: number) {
  const [unit, name] = bytes < 1e6 ? [1e3, "kB"] : bytes < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${Number((bytes / unit).toPrecision(3))} ${name}`;
}

/** Each call reads on. */
class Header {
  at = 4;
  #view: DataView<ArrayBuffer>;
  #size: number; // of the file
  #counted = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>, size: number) {
    this.#view = new DataView(bytes.buffer);
    this.#size = size;
  }

  #expect(length: number) {
    if (this.at + length > this.#size) throw damaged("it ends before its header does");
    if (this.at + length > LONGEST) throw tooLong();
  }

  /** Goes on by so many bytes; gives the place of the first. */
  #pass(length: number) {
    this.#expect(length);
    return (this.at += length) - length;
  }

  short() {
    return this.#view.getUint32(this.#pass(4), true);
  }

  long() {
    const from = this.#pass(8);
    return safe(this.#view.getUint32(from, true) + 2 ** 32 * this.#view.getUint32(from + 4, true));
  }

  /** How many things come, each of so many bytes at least. */
  count(least: number) {
    const count = this.long();
    this.#expect(count * least);
    if ((this.#counted += count) > MOST) throw tooLong();
    return count;
  }

  text() {
    const length = this.long();
    return DECODER.decode(new Uint8Array(this.#view.buffer, this.#pass(length), length));
  }

  value() {
    const type = this.short();
    if (type === TEXT) return this.text();
    if (type !== LIST) return this.#numbers(type, () => 1)[0];
    const member = this.short();
    if (member === TEXT) return this.#texts(this.count(8));
    return this.#numbers(member, (bytes) => this.count(bytes));
  }

  /** Texts, all decoded at once: what stands before each, its length, becomes what no text in UTF-8 has, and they are parted there. */
  #texts(count: number) {
    const start = this.at;
    for (let number = 0; number < count; number++) {
      const from = this.at;
      const length = this.long();
      this.#view.setUint32(from, 0xff, true);
      this.#view.setUint32(from + 4, 0, true);
      this.#pass(length);
    }
    const texts = DECODER.decode(new Uint8Array(this.#view.buffer, start, this.at - start)).split(PARTED);
    if (texts.length !== count + 1) throw damaged("a text in it can’t be told from the next");
    return texts.slice(1); // before the first there is nothing
  }

  #numbers(type: number, count: (bytes: number) => number) {
    if (!(type in NUMBERS)) throw damaged(`a fact in it is of an unknown type (${type})`);
    const Numbers = NUMBERS[type as keyof typeof NUMBERS];
    const length = count(Numbers.BYTES_PER_ELEMENT) * Numbers.BYTES_PER_ELEMENT;
    const start = this.#pass(length);
    const numbers = new Numbers(this.#view.buffer.slice(start, start + length));
    if (type === BOOLEAN) return Array.from(numbers, Boolean);
    return numbers instanceof BigInt64Array || numbers instanceof BigUint64Array ? Array.from(numbers, safe) : numbers;
  }

  tensor(): [name: string, Listed] {
    const [name, numAxes] = [this.text(), this.short()];
    if (numAxes < 1 || numAxes > 4) throw damaged(`a tensor in it has ${numAxes} axes`);
    const shape = Array.from({ length: numAxes }, () => this.long()).reverse();
    return [name, { shape, number: this.short(), start: this.long() }];
  }
}

function safe(whole: bigint | number) {
  if (!Number.isSafeInteger(Number(whole))) throw damaged("a number in it is impossibly large");
  return Number(whole);
}

function byName<Made>(count: number, next: () => [name: string, made: Made]) {
  const found = new Map<string, Made>();
  for (let number = 0; number < count; number++) {
    const [name, made] = next();
    if (found.has(name)) throw damaged("a name in it stands twice");
    found.set(name, made);
  }
  return found;
}

/** Tensors' places in the file, behind a header that ends `at` a byte. */
function place(tensors: Tensor[], at: number, alignment: number, size: number) {
  if (!(alignment >= 1 && alignment <= 2 ** 16 && Number.isInteger(Math.log2(alignment))))
    throw damaged("its alignment is impossible");
  const first = Math.ceil(at / alignment) * alignment;
  let [end, sum] = [0, first];
  for (const tensor of tensors) {
    if (tensor.start % alignment) throw damaged("a tensor in it begins at an impossible place");
    tensor.start += first;
    end = Math.max(end, tensor.start + tensor.bytes);
    sum += tensor.bytes;
  }
  if (end > size) throw new Fault(`it ends in the middle: ${sizeText(end - size)} are missing. Download it again.`);
  if (sum > size) throw damaged("tensors in it overlap");
}
