// All that a <next-word> knows, as one value; every change of it is a pure function. No DOM.

import { areSame, maskOf, offOf, toggledIn, withOff } from "../../math/heads-off.ts";
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
  off: number[][]; // heads, as [layer, head]
  masked: boolean; // the first token, for all others
  looks: boolean; // whether the text has the colour of what a head looks at
  layer: number; // of the head whose weights are shown
  head: number;
  hidesFirst: boolean; // what it gives the first token
  tried: number | null; // the bar whose word stands behind the text while it's pointed at
  choice: Choice;
  seed: number;
  draws: number; // how often was drawn with it
  stored: Stored[];
  lent: Partial<Own>; // what stood there before a guess, a phrase or a link
  phase: Phase;
  answer: Answer | null; // a model's last one
  next: { ids: number[]; shares: Float64Array } | null; // as the reader shapes it
  bars: Bar[];
  shown: { text: string; off: string; next: { word: string; probability: number; logit: number }[] } | null;
  earlier: (Draft & { draws: number })[]; // to step back to
  left: number; // tokens that are still to be written
  plays: boolean; // many of them
  written: string[]; // since the press
}

/** What the model is asked for. */
export type Asked = Partial<Pick<State, "text" | "tail" | "off" | "masked">>;
type Look = Partial<Pick<State, "looks" | "layer" | "head" | "hidesFirst">>;

/** What can be lent beside a text. */
type Own = Pick<State, "off" | "masked" | "looks" | "layer" | "head"> & Pick<Choice, "temperature">;
export type Lendable = Partial<Own> & { text?: string };

const WHOLE = { off: [], masked: false }; // what begins with a text of the page's

export type Action =
  | { type: "take"; parts: Asked } // from a kernel, which answers by itself
  | { type: "set"; parts: Asked } // by a reader or a page
  | { type: "type"; text: string } // by a reader, who begins something new
  | { type: "lend"; parts: Lendable } // by a guess, a phrase or a link
  | { type: "toggle"; head: number } // of the chosen layer
  | { type: "look"; parts: Look }
  | { type: "shape"; parts: Partial<Choice> }
  | { type: "seed"; seed: number }
  | { type: "try"; bar: number | null }
  | { type: "write"; bar: number | null } // that was pressed; else a token is drawn
  | { type: "play" | "stop" | "back" | "go on" }
  | { type: "answer"; answer: Answer }
  | { type: "stale"; stale: boolean }
  | { type: "model"; size: State["size"]; isFile: boolean; isOther: boolean }; // which is about to compute; another than before, or the same

/** What has to be done after a change: ask the model, draw all, draw where the head looks, or nothing but the controls. */
export interface Step {
  state: State;
  needs: "compute" | "draw" | "look" | "nothing";
  changed?: (keyof Asked)[]; // of what the model is asked for
  message?: string; // why nothing more is written
}

export function startWith(parts: Partial<State>, size: [number, number]): State {
  return withStored({
    text: "",
    tail: [],
    off: [],
    masked: false,
    size,
    isFile: false,
    looks: false,
    layer: 0,
    head: 0,
    hidesFirst: false,
    tried: null,
    choice: { temperature: 1, topK: 0, topP: 1 },
    seed: 1,
    draws: 0,
    stored: [],
    lent: {},
    phase: "asking",
    answer: null,
    next: null,
    bars: [],
    shown: null,
    earlier: [],
    left: 0,
    plays: false,
    written: [],
    ...fitted(size, parts),
  });
}

/** Whether no answer to the text and the heads is here. */
export const isWaiting = ({ phase }: State) => phase === "asking" || phase === "stale";

/** With an answer to them. */
const answered = (state: State): State => ({ ...state, phase: state.left ? "writing" : "still" });

/** With nothing more to be written. */
function stopped(state: State): State {
  const still = { ...state, left: 0, plays: false, written: [] };
  return isWaiting(still) ? still : answered(still);
}

export function reduce(state: State, action: Action): Step {
  switch (action.type) {
    case "take":
      return { state: { ...state, ...fitted(state.size, action.parts) }, needs: "nothing" };
    case "set":
      return set(own(state, action.parts), action.parts);
    case "type":
      return change({ ...state, lent: {} }, { ...state.lent, text: action.text });
    case "lend": {
      const whole = action.parts.text === undefined ? null : WHOLE;
      const { parts, lent } = lend<Lendable>(ownParts(state), state.lent, action.parts, whole);
      return change({ ...state, lent }, parts);
    }
    case "toggle":
      return reduce(state, { type: "set", parts: { off: toggledIn(state.off, [state.layer, action.head]) } });
    case "look":
      return look(own(state, action.parts), action.parts);
    case "try":
      return { state: { ...state, tried: action.bar }, needs: "nothing" };
    case "shape":
      return shape({ ...own(state, action.parts), choice: { ...state.choice, ...action.parts } });
    case "seed":
      return {
        state: action.seed === state.seed ? state : { ...state, seed: action.seed, draws: 0 },
        needs: "nothing",
      };
    case "write":
      return action.bar === null ? begin(state, { left: 1 }) : write(stopped(state), action.bar);
    case "play":
      return state.plays ? reduce(state, { type: "stop" }) : begin(state, { left: LONGEST, plays: true });
    case "stop":
      return { state: stopped(state), needs: "nothing" };
    case "go on":
      return state.phase === "writing" ? writeDrawn(state) : { state, needs: "nothing" };
    case "back":
      return stepBack(state);
    case "answer":
      return take(state, action.answer);
    case "model":
      return { state: fitToModel(state, action), needs: "nothing" };
    case "stale": {
      const phase = action.stale && !storedFor(state) ? "stale" : state.phase === "stale" ? "asking" : state.phase;
      return { state: { ...state, phase }, needs: "nothing" };
    }
  }
}

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
const set = (state: State, parts: Asked): Step =>
  "text" in parts ? ask(stopped(state), { tail: [], ...parts }) : ask(state, parts);

/** Several parts at once. */
function change(state: State, parts: Lendable): Step {
  const { temperature, looks = state.looks, layer = state.layer, head = state.head, ...asked } = parts;
  const aimed = look(state, { looks, layer, head });
  const choice = { ...state.choice, temperature: temperature ?? state.choice.temperature };
  if (Object.keys(asked).length) return set({ ...aimed.state, choice }, asked);
  return temperature === undefined ? aimed : shape({ ...aimed.state, choice });
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
const fitted = <Parts extends Asked>([layers, heads]: State["size"], parts: Parts): Parts =>
  parts.off && layers ? { ...parts, off: parts.off.filter(([layer, head]) => layer < layers && head < heads) } : parts;

/** With the sizes of the model that is about to compute. Of another one than before, nothing counts but the text: its tokens and its heads are others. */
function fitToModel(state: State, { size, isFile, isOther }: Extract<Action, { type: "model" }>): State {
  const [layer, head] = [state.layer, state.head].map((at, which) => Math.min(at, size[which] - 1));
  const sized = { ...state, size, isFile, layer, head, ...fitted(size, { off: state.off }) };
  if (!isOther) return sized;
  const bars = state.bars.map((bar) => ({ ...bar, id: null }));
  const lent = state.lent.off ? { ...state.lent, off: [] } : state.lent;
  return { ...stopped(sized), phase: "asking", off: [], lent, tail: [], earlier: [], answer: null, next: null, bars };
}

function ask(state: State, parts: Asked): Step {
  const changed = Object.keys(parts) as (keyof Asked)[];
  const phase = state.phase === "stale" ? state.phase : "asking";
  const asked: State = { ...state, ...fitted(state.size, parts), phase, tried: null };
  return asked.answer
    ? { state: asked, needs: "compute", changed }
    : { state: withStored(asked), needs: "draw", changed };
}

/** The answer that is stored to what the text, the heads and the reader's settings are now. */
export function storedFor({ stored, isFile, text, tail, off, masked, choice: { temperature, topK, topP } }: State) {
  if (isFile || tail.length || topK || topP < 1) return null;
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
function look(state: State, parts: Look): Step {
  const after = { ...state, ...parts };
  const has = [after.layer, after.head].every(
    (at, which) => Number.isInteger(at) && at >= 0 && (at < state.size[which] || !state.size[which]),
  );
  return has ? { state: after, needs: "look" } : { state, needs: "nothing" };
}

// --- what comes next

function take(state: State, answer: Answer): Step {
  const shown = { text: state.text, off: offOf(maskIn(state)), next: [] };
  return shaped(answered({ ...state, answer, shown, plays: state.plays && state.left > 0 }));
}

/** The reader shapes the bars; without a model, they may be stored so. */
function shape(state: State): Step {
  return state.answer ? shaped(state) : ask(state, {});
}

const FIRST = 3; // bars that stand before the word that would have come first

/** The bars as the reader shapes them. */
function shaped(state: State): Step {
  const { answer, choice, shown } = state;
  if (!answer || !shown) return { state, needs: "nothing" };
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
  return { state: { ...state, next, bars, tried: null, shown: { ...shown, next: words } }, needs: "draw" };
}

// --- writing

/** Draws a word, or many; the first waits for the answer to the text before it. Without a model, one is asked for. */
function begin(state: State, parts: Partial<State>): Step {
  const begun = { ...stopped(state), ...parts };
  return isWaiting(state) ? ask(begun, {}) : writeDrawn(begun);
}

/** Writes the word of a bar. */
function write(state: State, bar: number): Step {
  const { id, word } = state.bars[bar] ?? {};
  if (id === undefined || (id === null && !storedFor(state))) return ask(state, {});
  return id === null
    ? lengthen(state, { text: state.text + word, tail: [] }, word, state.draws + 1)
    : append(state, id);
}

function writeDrawn(state: State): Step {
  if (!state.next) {
    const { drawn: place, words = [], seed: known } = storedFor(state) ?? {};
    if (place === undefined || known !== state.seed)
      return { state: { ...state, phase: "asking" }, needs: "compute", changed: [] }; // the model goes on from here
    const [word] = words[place];
    return lengthen(state, { text: state.text + word, tail: [] }, word, state.draws + 1);
  }
  const { next, answer, seed, draws, written } = state;
  const id = drawn(next, uniform(seed, draws));
  const end = (message: string): Step => ({
    state: { ...stopped(state), draws: draws + 1 },
    needs: "nothing",
    message,
  });
  if (answer!.vocabulary.endTokens.includes(id)) return end("Here the model would end the text.");
  if (isEndless(written)) return end("The model has written a word that doesn’t end.");
  const step = append(state, id, draws + 1);
  const { tail, left } = step.state;
  return { ...step, state: { ...step.state, left: tail.length ? left || 1 : left } }; // a word has whole characters
}

/** Writes a token; the text gets a character once all of its bytes are written. */
function append(state: State, id: number, draws = state.draws): Step {
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
function lengthen(state: State, draft: Draft, word: string, draws: number): Step {
  const { text, tail, earlier, left, written } = state;
  return ask(
    {
      ...state,
      draws,
      earlier: [...earlier, { text, tail, draws: state.draws }],
      left: Math.max(0, left - 1),
      written: [...written, word],
    },
    draft,
  );
}

/** To the draft before, and the draws that came after it. */
function stepBack(state: State): Step {
  const before = state.earlier.at(-1);
  if (!before) return { state, needs: "nothing" };
  const { text, tail, draws } = before;
  return ask({ ...stopped(state), draws, earlier: state.earlier.slice(0, -1) }, { text, tail });
}

/** Bytes as text, with a sign in place of those that make no character. */
const lossy = (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder().decode(bytes);
