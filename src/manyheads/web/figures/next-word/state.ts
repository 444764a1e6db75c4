// All that a <next-word> knows, as one value; every change of it is a pure function. No DOM.

import { readPart } from "../../doors/state.ts";
import { isFile } from "../../math/families.ts";
import { areSame, isAmong, maskOf, offOf, withOff } from "../../math/heads-off.ts";
import { keep, lend } from "../../math/lent.ts";
import { descending, drawn, isEndless, probabilities, uniform, type Choice } from "../../math/sampling.ts";
import { isUnfinished, joined } from "../../math/text.ts";
import type { Draft, NextWord } from "../../models/head-model.ts";

const BARS = 10;
const LONGEST = 120; // tokens that are written on at a press

/** What the model makes of a draft, also as it is: with all heads on and nothing masked. */
export interface Answer {
  tail: number[];
  now: NextWord;
  whole: Float32Array | null; // logits, where heads are off or a token is masked
  vocabulary: Vocabulary;
}

/** Of a model: the tokens that end a text, and what each stands for. */
export interface Vocabulary {
  name?: string; // the model's, on a page
  endTokens: number[];
  wordOf(id: number): string;
}

/** An answer that comes with the page, for readers without the model: the likeliest words, and which of them is drawn. */
export interface Stored extends Pick<State, "text" | "off" | "masked"> {
  temperature: number;
  words: [word: string, share: number, before?: number][];
  seed?: number;
  drawn?: number; // the place of the word that this seed draws
}

/** What the build says of the model: answers that are stored, lists of heads by name. */
export interface Example {
  stored: (Omit<Stored, "off"> & { off: string })[]; // "18.6 17.3", layer.head from 0
  lists: Record<string, string>;
  numLayers: number;
  numHeads: number;
}

/** A token that may come next, and its share; `before` with all heads on and nothing masked, where that isn't so. */
export interface Bar {
  id: number | null; // null without a model
  word: string;
  share: number;
  before: number | null;
}

/**
 * How things stand with the answer to the text and the heads as they are: it's on its way; it isn't, and the bars answer to something
 * else; it's here; it's here, and the next word is about to be written.
 */
type Phase = "asking" | "stale" | "still" | "writing";

export interface State extends Draft {
  size: [layers: number, heads: number]; // of the model; 0 until it's known
  isFile: boolean; // it's the reader's own: what is stored, and lists of heads, are of another
  lists: Record<string, number[][]>; // of heads
  forgot: "" | "untold" | "told"; // the heads that were off: they are another model's
  off: number[][]; // heads, as [layer, head]
  masked: boolean; // the first token, for all others
  looks: boolean; // whether the text has the colour of what a head looks at
  layer: number; // of the head whose weights are shown
  head: number;
  hidesFirst: boolean; // what it gives the first token
  asks: readonly [from: number, to: number] | null; // characters of the text that are selected: their tokens ask, as one; else the last
  tried: number | null; // the bar whose word stands behind the text while it's pointed at
  choice: Choice;
  seed: number;
  draws: number; // how often was drawn with it
  stored: Stored[];
  example: { text: string; temperature: number }; // that stands here at first
  lent: Partial<Own>; // what stood there before a guess, a phrase or a link
  phase: Phase;
  requests: number; // for an answer that is made of the same as before
  answer: Answer | null; // a model's last one
  next: { ids: number[]; shares: Float64Array } | null; // as the reader shapes it
  bars: Bar[];
  shown: { text: string; off: string; next: { word: string; probability: number; logit: number }[] } | null;
  earlier: (Draft & { draws: number })[]; // to step back to
  left: number; // tokens that are still to be written
  plays: boolean; // many of them
  generated: string[]; // since the press
  message: string; // why nothing more is written
}

/** What the model is asked for. */
type Asked = Partial<Pick<State, "text" | "tail" | "off" | "masked">>;
export type Look = Partial<Pick<State, "looks" | "layer" | "head" | "hidesFirst" | "asks">>;

/** What can be lent beside a text. */
type Own = Pick<State, "off" | "masked" | "looks" | "layer" | "head"> & Pick<Choice, "temperature">;
type Lendable = Partial<Own> & { text?: string };

/** The same as an attribute or a phrase writes it: heads as "23.4 16.0", or as a list of them is called. A kernel's draft is whole. */
export type Written = Omit<Lendable, "off"> & { off?: string | number[][]; tail?: number[] };

const WHOLE = { off: [], masked: false }; // what begins with a text of the page's

export type Action =
  | { type: "take"; parts: Written } // from a page, or from a kernel, which answers by itself
  | { type: "set"; parts: Asked } // by a reader
  | { type: "type"; text: string } // by a reader, who begins something new
  | { type: "lend"; parts: Written } // by a guess, a phrase or a link
  | { type: "toggle"; heads: number[][] } // all of them
  | { type: "look"; parts: Look }
  | { type: "shape"; parts: Partial<Choice> }
  | { type: "seed"; seed: number }
  | { type: "try"; bar: number | null }
  | { type: "write"; bar: number | null } // that was pressed; else a token is drawn
  | { type: "play" | "stop" | "back" | "go on" }
  | { type: "answer"; answer: Answer }
  | { type: "stale"; stale: boolean }
  | { type: "lose" }; // the model, for another one

/** What begins of what the build or a kernel says, and of what is written. */
export function startFrom(
  { stored = [], lists = {}, numLayers = 0, numHeads = 0 }: Partial<Example>,
  { text = "", tail = [], off = [], masked = false, temperature = 1, layer, head }: Written,
): State {
  const named = Object.fromEntries(Object.entries(lists).map(([name, heads]) => [name, headsIn(heads)]));
  const [first = [0, 0]] = Object.values(named)[0] ?? [];
  const begun = startWith(
    {
      ...{ text, tail, masked, lists: named, layer: first[0], head: first[1] },
      off: headsIn(off, named),
      choice: { temperature, topK: 0, topP: 1 },
      stored: stored.map((one) => ({ ...one, off: headsIn(one.off) })),
      example: { text, temperature },
    },
    [numLayers, numHeads],
  );
  return look(begun, { layer: layer ?? begun.layer, head: head ?? begun.head });
}

/** The heads that are named. */
const headsIn = (off: string | number[][], lists: State["lists"] = {}) =>
  typeof off === "string" ? (lists[off] ?? readPart("off", off).off ?? []) : off;

export function startWith(parts: Partial<State>, size: [number, number]): State {
  return withStored({
    text: "",
    tail: [],
    off: [],
    masked: false,
    size,
    isFile: false,
    lists: {},
    forgot: "",
    looks: false,
    layer: 0,
    head: 0,
    hidesFirst: false,
    asks: null,
    tried: null,
    choice: { temperature: 1, topK: 0, topP: 1 },
    seed: 1,
    draws: 0,
    stored: [],
    example: { text: "", temperature: 1 },
    lent: {},
    phase: "asking",
    requests: 0,
    answer: null,
    next: null,
    bars: [],
    shown: null,
    earlier: [],
    left: 0,
    plays: false,
    generated: [],
    message: "",
    ...fitted(size, parts),
  });
}

/** Whether no answer to the text and the heads is here. */
export const isWaiting = ({ phase }: State) => phase === "asking" || phase === "stale";

/** With an answer to them. */
const answered = (state: State): State => ({ ...state, phase: state.left ? "writing" : "still" });

/** With nothing more to be written. */
function stopped(state: State): State {
  const still = { ...state, left: 0, plays: false, generated: [] };
  return isWaiting(still) ? still : answered(still);
}

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "take": {
      const parts = read(state, action.parts);
      return "tail" in parts
        ? { ...state, ...fitted(state.size, parts), message: "" }
        : change(own(state, parts), parts);
    }
    case "set":
      return set(own(state, action.parts), action.parts);
    case "type":
      return change({ ...state, lent: {} }, { ...state.lent, text: action.text });
    case "lend": {
      const whole = action.parts.text === undefined ? null : WHOLE;
      const { parts, lent } = lend<Lendable>(ownParts(state), state.lent, read(state, action.parts), whole);
      return change({ ...state, lent }, parts);
    }
    case "toggle":
      return reduce(state, { type: "set", parts: { off: toggled(state.off, action.heads) } });
    case "look":
      return look(own(state, action.parts), action.parts);
    case "try":
      return { ...state, tried: action.bar };
    case "shape":
      return shape({ ...own(state, action.parts), choice: { ...state.choice, ...action.parts } });
    case "seed":
      return action.seed === state.seed ? state : { ...state, seed: action.seed, draws: 0 };
    case "write":
      return action.bar === null ? begin(state, { left: 1 }) : write(stopped(state), action.bar);
    case "play":
      return state.plays ? stopped(state) : begin(state, { left: LONGEST, plays: true });
    case "stop":
      return stopped(state);
    case "go on":
      return state.phase === "writing" ? writeDrawn(state) : state;
    case "back":
      return stepBack(state);
    case "answer":
      return take(state, action.answer);
    case "lose":
      return lose(state);
    case "stale": {
      const phase = action.stale && !storedFor(state) ? "stale" : state.phase === "stale" ? "asking" : state.phase;
      return { ...state, phase, message: "" }; // how things stand is told otherwise
    }
  }
}

/** What an answer is made of, and how often it's asked for once more. */
export const args = ({ text, tail, off, masked, requests }: State) => ({ text, tail, off, masked, requests });

/** What is written, with heads for names of them. */
const read = (state: State, { off, ...parts }: Written): Lendable & Asked =>
  off === undefined ? parts : { ...parts, off: headsIn(off, state.isFile ? {} : state.lists) };

/** With some heads off; where all of them are, with them on. */
const toggled = (off: number[][], heads: number[][]) => {
  const others = off.filter((one) => !isAmong(heads, one));
  return heads.every((one) => isAmong(off, one)) ? others : [...others, ...heads];
};

/** The parts of a state that can be lent. */
const ownParts = ({ off, masked, looks, layer, head, choice: { temperature } }: State): Own => ({
  ...{ off, masked, looks, layer, head, temperature },
});

/** With parts that the reader sets by hand, and that stay. */
const own = (state: State, parts: Partial<Own>): State => ({
  ...state,
  lent: keep<Partial<Own>>(ownParts(state), state.lent, parts),
});

/** What the model is asked for, otherwise: another text begins with its first token. */
const set = (state: State, parts: Asked): State =>
  "text" in parts ? ask(stopped(state), { tail: [], ...parts }) : ask(state, parts);

/** Several parts at once. */
function change(state: State, parts: Lendable): State {
  const { temperature, looks = state.looks, layer = state.layer, head = state.head, ...asked } = parts;
  const aimed = look(state, { looks, layer, head });
  const choice = { ...state.choice, temperature: temperature ?? state.choice.temperature };
  if (Object.keys(asked).length) return set({ ...aimed, choice }, asked);
  return temperature === undefined ? aimed : shape({ ...aimed, choice });
}

/** What the bars hold under, in words: how they are shaped, and what is off. */
export function conditionsOf({ choice: { temperature, topK, topP }, off, masked }: State) {
  return [
    ...(temperature === 1 ? [] : [`at temperature ${temperature}`]),
    ...(topK ? [`top-k ${topK}`] : []),
    ...(topP < 1 ? [`top-p ${topP}`] : []),
    ...(off.length ? [withOff(off.length)] : []),
    ...(masked ? ["with the first token masked"] : []),
  ].join(", ");
}

/** Whether the model is as it came. */
export const isWhole = ({ off, masked }: Pick<State, "off" | "masked">) => !off.length && !masked;

/** [layer][head] -> whether it is on; null where all are. */
export const maskIn = ({ off, size }: State) => maskOf(off, ...size);

/** Without heads that the model hasn't, once it's known which it has. */
function fitted<Parts extends Asked>([layers, heads]: State["size"], parts: Parts): Parts {
  const has = ([layer, head]: number[]) => !layers || (layer < layers && head < heads);
  return !parts.off || parts.off.every(has) ? parts : { ...parts, off: parts.off.filter(has) };
}

/** Of another model than before, nothing counts but the text: its tokens and its heads are others. */
function lose(state: State): State {
  const bars = state.bars.map((bar) => ({ ...bar, id: null }));
  const forgot = state.off.length ? "untold" : state.forgot;
  const none = { off: [], tail: [], earlier: [], answer: null, next: null, message: "" };
  return {
    ...stopped(state),
    ...none,
    phase: "asking",
    lent: state.lent.off ? { ...state.lent, off: [] } : state.lent,
    bars,
    forgot,
  };
}

/** With what the model is asked for, be it the same once more, and the answer to it if that is stored. */
function ask(state: State, parts: Asked): State {
  const phase = state.phase === "stale" ? state.phase : "asking";
  const isSame = (Object.keys(parts) as (keyof Asked)[]).every((name) => parts[name] === state[name]);
  const requests = state.requests + Number(isSame);
  const asks = "text" in parts && parts.text !== state.text ? null : state.asks;
  return withStored({ ...state, ...fitted(state.size, parts), asks, phase, requests, tried: null, message: "" });
}

/** The answer that is stored to what the text, the heads and the reader's settings are now. */
export function storedFor(state: State) {
  const { stored, text, tail, off, masked, choice } = state;
  const { temperature, topK, topP } = choice;
  if (state.isFile || tail.length || topK || topP < 1) return null;
  return (
    stored.find(
      (one) => one.text === text && one.masked === masked && one.temperature === temperature && areSame(one.off, off),
    ) ?? null
  );
}

/** With the stored answer, as long as no model has answered; without one, the bars before it stay, and a model has to come. */
function withStored(state: State): State {
  const found = storedFor(state);
  if (state.answer || !found) return state;
  const bars = found.words.map(([word, share, before]) => ({ id: null, word, share, before: before ?? null }));
  return answered({ ...state, bars });
}

/** Another head's weights, if the model has it. */
function look(state: State, parts: Look): State {
  const after = { ...state, ...parts };
  const has = [after.layer, after.head].every(
    (at, which) => Number.isInteger(at) && at >= 0 && (at < state.size[which] || !state.size[which]),
  );
  return has ? after : state;
}

// --- what comes next

/** With an answer of a model, of which it's known by now how many heads it has. */
function take(state: State, answer: Answer): State {
  const [numLayers, numHeads] = answer.now.map.shape;
  const fit = fitted([numLayers, numHeads], state);
  const sized: State = {
    ...fit,
    size: [numLayers, numHeads],
    layer: Math.min(state.layer, numLayers - 1),
    head: Math.min(state.head, numHeads - 1),
    isFile: isFile(answer.vocabulary.name ?? ""),
    forgot: state.forgot === "untold" ? "told" : "",
  };
  const shown = { text: state.text, off: offOf(maskIn(sized)), next: [] };
  return shaped(answered({ ...sized, answer, shown, plays: state.plays && state.left > 0 }));
}

/** The reader shapes the bars; without a model, they may be stored so. */
const shape = (state: State) => (state.answer ? shaped(state) : ask(state, {}));

const FIRST = 3; // bars that stand before the word that would have come first

/** The bars as the reader shapes them. */
function shaped(state: State): State {
  const { answer, choice, shown } = state;
  if (!answer || !shown) return state;
  const {
    now: { logits },
    whole,
    vocabulary,
  } = answer;
  const next = probabilities(logits, choice);
  const before = whole && probabilities(whole, choice);
  const [shares, earlier] = [next, before].map(
    (tokens) => new Map(tokens?.ids.map((id, at) => [id, tokens.shares[at]])),
  );
  const likeliest = (next.ids.length < BARS ? descending(logits) : next.ids).slice(0, BARS); // what can't be drawn keeps its row, and the figure its height
  const words = next.ids
    .slice(0, BARS)
    .map((id, at) => ({ word: vocabulary.wordOf(id), probability: next.shares[at], logit: logits[id] }));
  const ids =
    before && !likeliest.slice(0, FIRST + 1).includes(before.ids[0])
      ? [
          ...likeliest.slice(0, FIRST),
          before.ids[0],
          ...likeliest.slice(FIRST).filter((id) => id !== before.ids[0]),
        ].slice(0, BARS)
      : likeliest;
  const bars = ids.map((id) => ({
    id,
    word: vocabulary.wordOf(id),
    share: shares.get(id) ?? 0,
    before: before && (earlier.get(id) ?? 0),
  }));
  return { ...state, next, bars, tried: null, shown: { ...shown, next: words } };
}

// --- writing

/** Draws a word, or many; the first waits for the answer to the text before it. Without a model, one is asked for. */
function begin(state: State, parts: Partial<State>): State {
  const begun = { ...stopped(state), ...parts };
  return isWaiting(state) ? ask(begun, {}) : writeDrawn(begun);
}

/** Writes the word of a bar. */
function write(state: State, bar: number): State {
  const { id, word } = state.bars[bar] ?? {};
  if (id === undefined || (id === null && !storedFor(state))) return ask(state, {});
  return id === null ? writeStored(state, word) : append(state, id);
}

const writeStored = (state: State, word: string) =>
  lengthen(state, { text: state.text + word, tail: [] }, word, state.draws + 1);

function writeDrawn(state: State): State {
  if (!state.next) {
    const { drawn: place, words = [], seed: known } = storedFor(state) ?? {};
    if (place === undefined || known !== state.seed) return { ...state, phase: "asking", requests: state.requests + 1 }; // the model goes on from here
    return writeStored(state, words[place][0]);
  }
  const { next, answer, seed, draws, generated } = state;
  const id = drawn(next, uniform(seed, draws));
  const end = (message: string) => ({ ...stopped(state), draws: draws + 1, message });
  if (answer!.vocabulary.endTokens.includes(id)) return end("Here the model would end the text.");
  if (isEndless(generated)) return end("The model has written a word that doesn’t end.");
  const longer = append(state, id, draws + 1);
  return longer.tail.length ? { ...longer, left: longer.left || 1 } : longer; // a word has whole characters
}

/** Writes a token; the text gets a character once all of its bytes are written. */
function append(state: State, id: number, draws = state.draws): State {
  const { text, tail } = state;
  const longer = [...tail, id];
  const words = longer.map((each) => state.answer!.vocabulary.wordOf(each));
  return lengthen(
    state,
    isUnfinished(joined(words)) ? { text, tail: longer } : { text: text + joined(words, lossy), tail: [] },
    words.at(-1)!,
    draws,
  );
}

/** Goes on with a draft that has another word. */
function lengthen(state: State, draft: Draft, word: string, draws: number): State {
  const { text, tail, earlier, left, generated } = state;
  const longer = [...earlier, { text, tail, draws: state.draws }];
  return ask({ ...state, draws, earlier: longer, left: Math.max(0, left - 1), generated: [...generated, word] }, draft);
}

/** To the draft before, and the draws that came after it. */
function stepBack(state: State): State {
  const before = state.earlier.at(-1);
  if (!before) return state;
  const { text, tail, draws } = before;
  return ask({ ...stopped(state), draws, earlier: state.earlier.slice(0, -1) }, { text, tail });
}

/** Bytes as text, with a sign in place of those that make no character. */
const lossy = (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder().decode(bytes);
