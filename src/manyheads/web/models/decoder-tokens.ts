// From text to the decoder's tokens and back: twin of `DecoderTokens` in models/decoder/tokens.py.

import table from "../../shared/pretokenizers.json";
import { EMPTY, LONE_BYTES } from "../math/names.ts";
import { filled, note } from "../math/text.ts";
import type { DecoderFacts } from "./files.ts";
import { BYTE_TOKENS, BYTES, type FileTokenizer } from "./gguf-tokens.ts";
import type { Draft } from "./head-model.ts";
import { withinReach } from "./tokens.ts";
import type { Tokenizer } from "@huggingface/tokenizers";

export class DecoderTokens {
  readonly words: string[]; // what each token stands for, by its id; rows of the embedding that no token has are unused
  #tokenizer: Tokenizer;
  #most: number;
  #before: number[];
  #start: number;
  #notes: string[];
  #isBytewise: boolean;
  #unspelled: Set<number>; // bytes that have no token

  /** With what a file says of its tokenizer. */
  constructor(
    tokenizer: Tokenizer,
    { vocabularySize, maxTokens }: Pick<DecoderFacts, "vocabularySize" | "maxTokens">,
    { words, before, start, notes, isBytewise }: Omit<FileTokenizer, "json" | "ends">,
  ) {
    const rest = Math.max(0, vocabularySize - words.length);
    this.words = [...words, ...Array.from({ length: rest }, (_, place) => `<unused${words.length + place}>`)];
    [this.#before, this.#start, this.#notes, this.#isBytewise] = [before, start, notes, isBytewise];
    this.#tokenizer = lighten(tokenizer);
    this.#most = maxTokens;
    const signs = [...(isBytewise ? BYTES : BYTE_TOKENS)];
    this.#unspelled = new Set(signs.filter(([sign]) => !this.#isToken(sign)).map(([, byte]) => byte));
  }

  /** The ids of a text's tokens, and sentences about what is left out or comes in bytes. Of too long a text the end is read. */
  read(draft: string | Draft) {
    const { text, tail } = typeof draft === "string" ? { text: draft, tail: [] } : draft;
    const before = this.#before;
    const { text: end, notes: cut } = withinReach(text, this.#most, "last");
    const notes = [...this.#notes, ...cut];
    const whole = end.replace(/\p{Surrogate}/gu, "\ufffd");
    let ids = [...this.#tokenizer.encode(whole).ids, ...tail];
    if (this.#unspelled.size && this.#inBytes(whole).some((byte) => this.#unspelled.has(byte)))
      notes.push("No token spells some of these characters; they are left out.");
    if (before.length && ids[0] === before[0]) notes.push(filled(table.doubled, { token: this.words[before[0]] })); // as in llama.cpp
    const beyond = before.length + ids.length - this.#most;
    if (beyond > 0) {
      notes.push(`This model reads at most ${this.#most} tokens; the first ${beyond} are left out.`);
      ids = ids.slice(beyond);
    }
    if (ids.length === 0) return { ids: before.length ? before : [this.#start], notes: [...notes, EMPTY] };
    const bytes = ids.map((id) => this.words[id].match(LONE_BYTES)).find(Boolean);
    if (bytes) notes.push(note("bytes", { bytes: bytes[0] }));
    return { ids: [...before, ...ids], notes };
  }

  #isToken(text: string) {
    return this.#tokenizer.token_to_id(text) !== undefined;
  }

  /** What of a text is spelled in bytes: all of it, or the characters that are no token. */
  #inBytes(text: string) {
    const signs = this.#isBytewise ? [text] : Array.from(text.replaceAll(" ", "▁"));
    const spelt = this.#isBytewise ? signs : signs.filter((sign) => !this.#isToken(sign));
    return new TextEncoder().encode(spelt.join(""));
  }
}

/** Lets go of what a tokenizer was made from, which its library keeps: 40 MB for 150,000 tokens. */
function lighten(tokenizer: any): Tokenizer {
  tokenizer.tokenizer = null;
  if (tokenizer.model) Object.assign(tokenizer.model, { config: null, merges: null });
  return tokenizer;
}
