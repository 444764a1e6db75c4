// From text to the decoder's tokens and back: twin of models/decoder/tokens.py and of `Decoder.read`.

import { EMPTY, LONE_BYTES } from "../math/names.ts";
import { note, spelled } from "../math/text.ts";
import type { DecoderFacts } from "./files.ts";
import type { Draft } from "./head-model.ts";
import { withinReach } from "./tokens.ts";
import type { Tokenizer } from "@huggingface/tokenizers";

const START = 0; // stands before a text that has no token: the end of the text before

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
const SEEN = [...range(0x21, 0x7e), ...range(0xa1, 0xac), ...range(0xae, 0xff)];
const UNSEEN = range(0, 255).filter((byte) => !SEEN.includes(byte));

/** The vocabulary has a sign for each byte: its own where that can be seen, else one from 256 on. */
const BYTES = new Map([
  ...SEEN.map((byte) => [String.fromCharCode(byte), byte] as const),
  ...UNSEEN.map((byte, place) => [String.fromCharCode(256 + place), byte] as const),
]);

export class DecoderTokens {
  readonly words: string[]; // what each token stands for, by its id
  #tokenizer: Tokenizer;
  #most: number;
  #unspelled: Set<number>; // bytes that have no token

  constructor(tokenizer: Tokenizer, { vocabularySize, maxTokens }: DecoderFacts) {
    const tokens = Array.from({ length: vocabularySize }, (_, id) => tokenizer.id_to_token(id) as string);
    const known = new Set(tokens);
    this.words = tokens.map(readable);
    this.#tokenizer = tokenizer;
    this.#most = maxTokens;
    this.#unspelled = new Set([...BYTES].filter(([sign]) => !known.has(sign)).map(([, byte]) => byte));
  }

  /** The ids of a text's tokens, and sentences about what is left out or comes in bytes. Of too long a text the end is read. */
  read(draft: string | Draft) {
    const { text, tail } = typeof draft === "string" ? { text: draft, tail: [] } : draft;
    const { text: end, notes } = withinReach(text, this.#most, "last");
    const whole = end.replace(/\p{Surrogate}/gu, "\ufffd");
    const ids = [...this.#tokenizer.encode(whole).ids, ...tail];
    if (new TextEncoder().encode(whole).some((byte) => this.#unspelled.has(byte)))
      notes.push("No token spells some of these characters; they are left out.");
    const beyond = ids.length - this.#most;
    if (beyond > 0) notes.push(`This model reads at most ${this.#most} tokens; the first ${beyond} are left out.`);
    if (ids.length === 0) return { ids: [START], notes: [...notes, EMPTY] };
    const read = ids.slice(-this.#most);
    const bytes = read.map((id) => this.words[id].match(LONE_BYTES)).find(Boolean);
    if (bytes) notes.push(note("bytes", { bytes: bytes[0] }));
    return { ids: read, notes };
  }
}

/** The text that a token of the vocabulary stands for; bytes that are part of a character only in hexadecimal. */
const readable = (token: string) => spelled(Uint8Array.from(token, (sign) => BYTES.get(sign) as number));
