// The tokenizer of a GGUF file, from its facts: twin of `tokenizer_of` in models/decoder/tokens.py, which explains it.

import table from "../../shared/pretokenizers.json";
import { Fault } from "../math/faults.ts";
import { filled, spelled } from "../math/text.ts";

/** What a file's facts say of its tokenizer. */
export interface FileTokenizer {
  json: object; // for new Tokenizer(json, {})
  words: string[]; // what each token stands for, by its id
  before: number[]; // ids that come before each text
  start: number; // stands for a text that has no token
  ends: number[]; // ids that end a text
  notes: string[];
  isBytewise: boolean;
}

interface Family {
  cuts: Record<string, unknown>[];
  normalizer?: object;
  wholeFirst?: boolean;
}

const NORMAL = 1; // the types of tokens
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;
const UNUSED = 5;
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
const SEEN = [...range(0x21, 0x7e), ...range(0xa1, 0xac), ...range(0xae, 0xff)];
const UNSEEN = range(0, 255).filter((byte) => !SEEN.includes(byte));

/** A byte-level vocabulary has a sign for each byte: its own where that can be seen, else one from 256 on. */
export const BYTES = new Map([
  ...SEEN.map((byte) => [String.fromCharCode(byte), byte] as const),
  ...UNSEEN.map((byte, place) => [String.fromCharCode(256 + place), byte] as const),
]);
/** One in pieces has a token. */
export const BYTE_TOKENS = new Map(
  range(0, 255).map((byte) => [`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`, byte]),
);

/** The tokenizer of a file whose embedding has so many rows; a fault for one of another kind, or one that's damaged. */
export function tokenizerOf(facts: Map<string, unknown>, rows = Infinity): FileTokenizer {
  const given = new Given(facts);
  const { kind, tokens, ids, types } = given;
  if (tokens.length > rows) throw damaged("rows");
  const isBytewise = kind === "gpt2";
  const cut = given.text("pre");
  const known = isBytewise ? familyOf(cut) : { cuts: [] };
  const nearest = new Map(Object.entries(table.nearest)).get(String(given.architecture)) ?? "llama-bpe";
  const family: Family = known ?? { cuts: familyOf(nearest)!.cuts };
  const first = given.id("bos_token_id", isBytewise ? undefined : 1);
  const last = given.id("eos_token_id");
  const json = {
    ...table.json,
    added_tokens: given.marks(),
    ...(isBytewise ? bytewise(family) : inPieces(given)),
    model: {
      ...table.json.model,
      byte_fallback: !isBytewise,
      ignore_merges: family.wholeFirst ?? false,
      vocab: Object.fromEntries(ids),
      merges: given.merges(),
    },
  };
  const word = isBytewise ? wordOfBytes : wordOfPiece;
  const begins = given.flag("add_bos_token", !isBytewise || table.begins.includes(cut)) && first !== undefined;
  return {
    json: asInPython(json),
    words: tokens.map((token, id) => (types[id] === UNKNOWN || types[id] === CONTROL ? token : word(token))),
    before: begins ? [first] : [],
    start: ids.get("<|endoftext|>") ?? first ?? last ?? 0,
    ends: given.ends([first, last]),
    notes: known ? [] : [table.note],
    isBytewise,
  };
}

type Json = Record<string, any>;

/** The facts of a file with the tokenizer of a `tokenizer.json`; texts end in the tokens numbered `ends`. */
export function factsOfTokenizer(written: Json, ends: unknown[]) {
  const { model } = written;
  const added: Json[] = written.added_tokens ?? [];
  if (model.type !== "BPE") throw new Fault(filled(table.faults.kind, { kind: start(model.type) }));
  const ids = new Map<string, number>(Object.entries(model.vocab));
  const others = added.filter(({ content, id }) => (ids.get(content) ?? id) !== id);
  for (const { content, id } of added) ids.set(content, id);
  const byId = new Map([...ids].map(([token, id]) => [id, token]));
  const areNumbers = [...byId.keys()].every((id) => Number.isInteger(id) && id >= 0 && id < table.most.tokens);
  if (!areNumbers || byId.size < ids.size || others.length) throw damaged("tokens");
  const marks = new Map(added.map(({ id, special }) => [id, special ? CONTROL : USER_DEFINED]));
  const every = range(
    0,
    [...byId.keys()].reduce((most, id) => Math.max(most, id), 0),
  );
  const before = beforeBy(written.post_processor);
  const last = ends.filter((id) => byId.has(id as number));
  const facts = {
    ...cuttingOf(written, added),
    tokens: every.map((id) => byId.get(id) ?? ""),
    token_type: every.map((id) => marks.get(id) ?? (byId.has(id) ? NORMAL : UNUSED)),
    merges: model.merges.map((pair: string | string[]) => (typeof pair === "string" ? pair : pair.join(" "))),
    add_bos_token: before.length > 0,
    bos_token_id: before[0],
    ...{ eos_token_id: last[0], eot_token_id: last[1], eom_token_id: last[2] },
  };
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [`tokenizer.ggml.${name}`, value] as const);
}

/** How a `tokenizer.json` cuts texts, as facts; a fault where a file's can't say so. */
function cuttingOf({ model, normalizer, pre_tokenizer: cut }: Json, added: Json[]) {
  const isWhole = added.some((each) => each.single_word || each.lstrip || each.rstrip);
  const isOdd = model.dropout || model.continuing_subword_prefix || model.end_of_word_suffix;
  const isSpaced = model.byte_fallback && normalizer && added.some((each) => each.normalized);
  if (isWhole || isOdd || isSpaced) throw new Fault(table.faults.cuts);
  if (model.byte_fallback) {
    const { cut: plain, prepend, replace, idle } = table.pieces;
    const scheme = cut?.prepend_scheme;
    const isPlain = Object.entries(plain).every(([name, value]) => cut?.[name] === value);
    if (!normalizer && isPlain && (scheme === "first" || scheme === "never"))
      return { model: "llama", add_space_prefix: scheme === "first" };
    const parts: Json[] = normalizer?.normalizers ?? [normalizer];
    const isLonger = parts.length > 1;
    const isUncut = !cut || isSame(cut, idle); // Gemma's splits at spaces, of which none are left
    if (isUncut && isSame(parts, isLonger ? [prepend, replace] : [replace]))
      return { model: "llama", add_space_prefix: isLonger, add_space_to_parts: true };
    throw new Fault(table.faults.cuts);
  }
  const family = (table.families as (Family & { names: string[] })[]).find(
    (each) =>
      isSame(plainly(cut), plainly(bytewise(each).pre_tokenizer)) &&
      isSame(normalizer ?? null, each.normalizer ?? null) &&
      (model.ignore_merges ?? false) === (each.wholeFirst ?? false),
  );
  if (!family) throw new Fault(table.faults.cuts);
  return { model: "gpt2", pre: family.names[0] };
}

/** Whether two are written alike; the library writes all in one order. */
const isSame = (...two: unknown[]) => new Set(two.map((each) => JSON.stringify(each))).size === 1;

/** A pre-tokenizer's steps, alike where they cut alike. */
function plainly(cut: Json): unknown[] {
  if (cut.type === "Sequence") return cut.pretokenizers.flatMap(plainly);
  if (cut.type === "ByteLevel" && !cut.add_prefix_space) return [["ByteLevel", cut.use_regex ?? true]];
  if (cut.type !== "Split" || !("Regex" in cut.pattern)) return [cut];
  const [short, long] = table.endings;
  const pattern = cut.pattern.Regex.replaceAll(short, () => long).replaceAll(`(?:${long})`, () => long);
  // nothing is left between what such patterns find
  if (cut.behavior === "Removed" && cut.invert && pattern.endsWith("|\\s+"))
    return [["Split", pattern, "Isolated", false]];
  return [["Split", pattern, cut.behavior, cut.invert]];
}

/** The ids that a post-processor puts before each text. */
function beforeBy(step: Json | null): number[] {
  if (!step || step.type === "ByteLevel") return [];
  if (step.type === "Sequence") return step.processors.flatMap(beforeBy);
  const parts: Json[] = step.type === "TemplateProcessing" ? step.single : [{}];
  const before = parts.slice(0, -1);
  if (!("Sequence" in parts.at(-1)!) || before.length > 1) throw new Fault(table.faults.cuts);
  return before.flatMap((each) => step.special_tokens[each.SpecialToken.id].ids);
}

const isMark = (type: number) => type === UNKNOWN || type === CONTROL || type === USER_DEFINED;

const familyOf = (cut: string): Family | undefined => table.families.find(({ names }) => names.includes(cut));

/** The facts of a tokenizer, which may lie: what isn't as it should be is a fault. */
class Given {
  #facts: Map<string, unknown>;
  readonly kind: string;
  readonly tokens: string[]; // as llama.cpp has them: empty ones have names
  readonly types: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
  readonly ids: Map<string, number>; // of the tokens, in their order, from 0 on

  constructor(facts: Map<string, unknown>) {
    this.#facts = facts;
    this.kind = this.text("model");
    if (this.kind !== "gpt2" && this.kind !== "llama") {
      throw new Fault(filled(table.faults.kind, { kind: start(this.kind) || "none" }));
    }
    const tokens = this.fact("tokens");
    if (!areStrings(tokens) || !tokens.length) throw damaged("tokens");
    const types = this.fact("token_type") ?? new Uint8Array(tokens.length).fill(NORMAL);
    if (!areNumbers(types, tokens.length, Number.isInteger)) throw damaged("types");
    const scores = this.fact("scores") ?? new Uint8Array(tokens.length);
    if (!areNumbers(scores, tokens.length, Number.isFinite)) throw damaged("scores");
    this.tokens = tokens.map((token, id) => token || `[EMPTY_${id}]`);
    this.types = types;
    this.scores = scores;
    this.ids = idsOf(this.tokens);
  }

  get architecture() {
    return this.#facts.get("general.architecture");
  }

  fact(name: string) {
    return this.#facts.get(`tokenizer.ggml.${name}`);
  }

  text(name: string) {
    const value = this.fact(name);
    return typeof value === "string" ? value : "";
  }

  flag(name: string, byDefault: boolean) {
    return (this.fact(name) ?? byDefault) === true;
  }

  id(name: string, byDefault?: number) {
    const id = this.fact(name);
    const count = this.tokens.length;
    if (id === undefined) return byDefault !== undefined && byDefault < count ? byDefault : undefined;
    if (!Number.isInteger(id) || (id as number) < 0 || (id as number) >= count) throw damaged("ids");
    return id as number;
  }

  /** The ids that end a text: those that are named, and `others`; the ends of chats, where they're marked. */
  ends(others: (number | undefined)[]) {
    const marked = table.ends
      .map((token) => this.ids.get(token))
      .filter((id) => id !== undefined && this.types[id] !== NORMAL);
    const ends = new Set([...others, ...marked, this.id("eot_token_id"), this.id("eom_token_id")]);
    return [...ends].filter((id) => id !== undefined).sort((a, b) => a - b);
  }

  /** The tokens that are looked for in a text as a whole. */
  marks() {
    const marks = [...this.tokens.keys()]
      .filter((id) => isMark(this.types[id]))
      .map((id) => ({ id, content: this.tokens[id], special: this.types[id] !== USER_DEFINED, ...table.mark }));
    if (marks.reduce((sum, { content }) => sum + content.length, 0) > table.most.marked) throw damaged("long");
    return marks;
  }

  /** The pairs that are joined, the first first: those of the file, or those that its scores imply. */
  merges() {
    const { ids } = this;
    const merges = this.fact("merges");
    if (merges === undefined && this.kind === "llama") return this.#mergesByScore();
    if (!areStrings(merges)) throw damaged("merges");
    const pairs: [string, string][] = [];
    for (const pair of new Set(merges)) {
      // of a pair that stands twice the first counts, as in llama.cpp
      const at = pair.indexOf(" ", 1);
      const [left, right] = [pair.slice(0, at), pair.slice(at + 1)];
      if (at < 0 || !ids.has(left) || !ids.has(right) || !ids.has(left + right)) throw damaged("merges");
      pairs.push([left, right]);
    }
    return pairs;
  }

  /** As `generate_merges` of transformers has them: by score, then by the lengths of both, the largest first. */
  #mergesByScore() {
    const { ids, scores } = this;
    if (this.fact("scores") === undefined) throw damaged("scores");
    if ([...ids.keys()].reduce((sum, { length }) => sum + length ** 2, 0) > table.most.cuts) throw damaged("long");
    const merges: { pair: [string, string]; score: number; lengths: [number, number] }[] = [];
    for (const [token, id] of ids) {
      const score = scores[id];
      const signs = Array.from(token);
      const known: typeof merges = [];
      for (let left = "", at = 1; at < signs.length; at++) {
        left += signs[at - 1];
        const right = token.slice(left.length);
        if (ids.has(left) && ids.has(right))
          known.push({ pair: [left, right], score, lengths: [at, signs.length - at] });
      }
      known.sort(({ pair: a }, { pair: b }) => ids.get(a[0])! - ids.get(b[0])! || ids.get(a[1])! - ids.get(b[1])!);
      merges.push(...known);
    }
    merges.sort((a, b) => b.score - a.score || b.lengths[0] - a.lengths[0] || b.lengths[1] - a.lengths[1]);
    return merges.map(({ pair }) => pair);
  }
}

/** The number of each token, of which no two are spelled alike. */
function idsOf(tokens: string[]) {
  const ids = new Map<string, number>();
  tokens.forEach((token, second) => {
    ids.set(token, second);
    if (ids.size > second) return;
    throw new Fault(filled(table.faults.twice, { token: start(token), first: tokens.indexOf(token), second }));
  });
  return ids;
}

/** The first 40 characters of a text. */
const start = (text: string) => Array.from(text).slice(0, 40).join("");

type Damage = "tokens" | "types" | "scores" | "merges" | "ids" | "long" | "rows";

const damaged = (what: Damage) => new Fault(filled(table.faults.damaged, { what: table.faults[what] }));

const areStrings = (values: unknown): values is string[] =>
  Array.isArray(values) && values.every((value) => typeof value === "string");

const areNumbers = (values: unknown, count: number, are: (value: unknown) => boolean): values is ArrayLike<number> =>
  (Array.isArray(values) || ArrayBuffer.isView(values)) &&
  (values as number[]).length === count &&
  (values as number[]).every(are);

const split = (pattern: object) => ({ ...table.split, pattern });

/** The parts of a `tokenizer.json` that cut and join. */
function bytewise({ cuts, normalizer }: Family) {
  const parts = cuts.map((cut) => ("type" in cut ? cut : split(cut)));
  if (!parts.some(({ type }) => type === "ByteLevel")) parts.push({ ...table.bytewise, use_regex: false });
  return {
    normalizer: normalizer ?? null,
    pre_tokenizer: { type: "Sequence", pretokenizers: parts },
    decoder: table.bytewise,
  };
}

/** Spaces become "▁", and one comes before the text: before each part of it for Phi 3, or if it begins with none. */
function inPieces(given: Given) {
  const spaced = given.flag("add_space_prefix", true);
  const { decoder, cut, prepend, replace } = table.pieces;
  if (!given.flag("add_space_to_parts", given.architecture === "phi3"))
    return { pre_tokenizer: { ...cut, prepend_scheme: spaced ? "first" : "never" }, decoder };
  return { normalizer: { type: "Sequence", normalizers: [...(spaced ? [prepend] : []), replace] }, decoder };
}

const PLAIN = /^[!-~Ġ]*$/; // and the sign for a space

/** The text that a byte-level token stands for; bytes that are part of a character only in hexadecimal. */
function wordOfBytes(token: string) {
  if (PLAIN.test(token)) return token.replaceAll("Ġ", " "); // nearly all, and in a tenth of the time
  const bytes = Array.from(token, (sign) => BYTES.get(sign));
  return bytes.includes(undefined) ? token : spelled(Uint8Array.from(bytes as number[]));
}

function wordOfPiece(token: string) {
  const byte = BYTE_TOKENS.get(token);
  return byte === undefined ? token.replaceAll("▁", " ") : spelled(Uint8Array.of(byte));
}

const WORDS = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/**
 * A tokenizer.json that the page's library reads as Python's does: for the digits of other scripts, and for what is white space,
 * its parts `Digits` and `ByteLevel` differ, and a pattern doesn't.
 */
function asInPython(json: any) {
  const parts = json.pre_tokenizer?.pretokenizers;
  if (!parts) return json;
  const pretokenizers = parts.flatMap((part: any) => {
    if (part.type === "Digits") return [split({ Regex: "\\p{N}" })];
    return part.use_regex ? [split({ Regex: WORDS }), { ...part, use_regex: false }] : [part];
  });
  return { ...json, pre_tokenizer: { ...json.pre_tokenizer, pretokenizers } };
}
