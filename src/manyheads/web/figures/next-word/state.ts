// All that a <next-word> knows, as one value; every change of it is a pure function. No DOM.

import { maskOf, offOf } from "../../doors/state.ts";
import { toggledIn } from "../../math/heads-off.ts";
import { descending, drawn, isEndless, probabilities, uniform, type Choice } from "../../math/sampling.ts";
import { isUnfinished, joined } from "../../math/text.ts";
import type { Draft, NextWord } from "../../models/head-model.ts";

const BARS = 10;
const LONGEST = 120; // tokens that are written on at a press

/** What the model makes of a draft with some heads off, and with all on. */
export interface Answer {
  tail: number[];
  now: NextWord;
  allOn: Float32Array | null; // logits, where heads are off
}

/** Of a model: the tokens that end a text, and what each stands for. */
export interface Vocabulary {
  endTokens: number[];
  wordOf(id: number): string;
}

/** A token that may come next, and its share; `before` with all heads on, where some are off. */
export interface Bar {
  id: number;
  word: string;
  share: number;
  before: number | null;
}

export interface State extends Draft {
  size: [layers: number, heads: number]; // of the model
  off: number[][]; // heads, as [layer, head]
  layer: number; // of the head whose weights are shown
  head: number;
  hidesFirst: boolean; // what it gives the first token
  choice: Choice;
  seed: number;
  draws: number; // how often was drawn with it
  answer: Answer | null;
  vocabulary: Vocabulary | null; // of the model that gave it
  waits: boolean; // for the answer to what the text and the heads are now
  next: { ids: number[], shares: Float64Array } | null; // as the reader shapes it
  bars: Bar[];
  shown: { text: string, off: string, next: { word: string, probability: number, logit: number }[] } | null;
  stale: boolean; // the bars answer to another text, and no answer is about to come
  earlier: (Draft & { draws: number })[]; // to step back to
  left: number; // tokens that are still to be written
  plays: boolean;
  written: string[]; // since the press
}

/** What the model is asked for. */
export type Asked = Partial<Pick<State, "text" | "tail" | "off">>;
type Look = Partial<Pick<State, "layer" | "head" | "hidesFirst">>;

export type Action =
  | { type: "take", parts: Asked } // from a kernel, which answers by itself
  | { type: "set", parts: Asked } // by a reader or a page
  | { type: "toggle", head: number } // of the chosen layer
  | { type: "look", parts: Look }
  | { type: "shape", parts: Partial<Choice> }
  | { type: "seed", seed: number }
  | { type: "write", id: number | null } // a token that was pressed, or one that is drawn
  | { type: "play" | "stop" | "back" | "go on" }
  | { type: "answer", answer: Answer, vocabulary: Vocabulary }
  | { type: "stale", stale: boolean };

/** What has to be done after a change: ask the model, draw all, draw where the head looks, or nothing but the controls. */
export interface Step {
  state: State;
  needs: "compute" | "draw" | "look" | "nothing";
  changed?: (keyof Asked)[]; // of what the model is asked for
  message?: string; // why nothing more is written
}

export function startWith(parts: Partial<State>, size: [number, number], words: [string, number][] = []): State {
  const bars = words.map(([word, share], id) => ({ id, word, share, before: null }));
  return {
    text: "", tail: [], off: [], size, layer: 0, head: 0, hidesFirst: false, choice: { temperature: 1, topK: 0, topP: 1 }, seed: 1, draws: 0, answer: null, vocabulary: null,
    waits: true, next: null, bars, shown: null, stale: false, earlier: [], left: 0, plays: false, written: [], ...fitted(size, parts),
  };
}

const STILL = { left: 0, plays: false, written: [] };

export function reduce(state: State, action: Action): Step {
  switch (action.type) {
    case "take": return { state: { ...state, ...fitted(state.size, action.parts) }, needs: "nothing" };
    case "set": return "text" in action.parts ? ask({ ...state, ...STILL }, { tail: [], ...action.parts }) : ask(state, action.parts);
    case "toggle": return ask(state, { off: toggledIn(state.off, [state.layer, action.head]) });
    case "look": return look(state, action.parts);
    case "shape": return shaped({ ...state, choice: { ...state.choice, ...action.parts } });
    case "seed": return { state: action.seed === state.seed ? state : { ...state, seed: action.seed, draws: 0 }, needs: "nothing" };
    case "write": return action.id !== null && state.next ? append({ ...state, ...STILL }, action.id) : begin(state, { left: 1 });
    case "play": return state.plays ? reduce(state, { type: "stop" }) : begin(state, { left: LONGEST, plays: true });
    case "stop": return { state: { ...state, ...STILL }, needs: "nothing" };
    case "go on": return state.left && !state.waits ? writeDrawn(state) : { state, needs: "nothing" };
    case "back": return stepBack(state);
    case "answer": return take(state, action.answer, action.vocabulary);
    case "stale": return { state: { ...state, stale: action.stale }, needs: "nothing" };
  }
}

/** [layer][head] -> whether it is on; null where all are. */
export const maskIn = ({ off, size }: State) => maskOf(off, ...size);

/** Without heads that the model hasn't. */
const fitted = <Parts extends Asked>([layers, heads]: State["size"], parts: Parts): Parts =>
  (parts.off ? { ...parts, off: parts.off.filter(([layer, head]) => layer < layers && head < heads) } : parts);

function ask(state: State, parts: Asked): Step {
  const changed = Object.keys(parts) as (keyof Asked)[];
  return { state: { ...state, ...fitted(state.size, parts), waits: true }, needs: "compute", changed };
}

/** Another head's weights, if the model has it. */
function look(state: State, parts: Look): Step {
  const after = { ...state, ...parts };
  const has = [after.layer, after.head].every((at, which) => Number.isInteger(at) && at >= 0 && at < state.size[which]);
  return has ? { state: after, needs: "look" } : { state, needs: "nothing" };
}

// --- what comes next

function take(state: State, answer: Answer, vocabulary: Vocabulary): Step {
  const shown = { text: state.text, off: offOf(maskIn(state)), next: [] };
  return shaped({ ...state, answer, vocabulary, shown, waits: false, stale: false, plays: state.plays && state.left > 0 });
}

/** The bars as the reader shapes them. */
function shaped(state: State): Step {
  const { answer, vocabulary, choice, shown } = state;
  if (!answer || !vocabulary || !shown) return { state, needs: "nothing" };
  const { now: { logits }, allOn } = answer;
  const next = probabilities(logits, choice);
  const before = allOn && probabilities(allOn, choice);
  const earlier = new Map(before?.ids.map((id, at) => [id, before.shares[at]]));
  const likeliest = choice.temperature === 0 ? descending(logits) : []; // what isn't written keeps its row, and the figure its height
  const ids = [...new Set([...next.ids.slice(0, BARS), ...likeliest.slice(0, BARS)])].slice(0, BARS);
  const bars = ids.map((id, at) => ({ id, word: vocabulary.wordOf(id), share: next.shares[at] ?? 0, before: before && (earlier.get(id) ?? 0) }));
  const words = bars.slice(0, next.ids.length).map(({ id, word, share }) => ({ word, probability: share, logit: logits[id] }));
  return { state: { ...state, next, bars, shown: { ...shown, next: words } }, needs: "draw" };
}

// --- writing

/** Draws a word, or many; the first waits for the answer to the text before it. Without a model, one is asked for. */
function begin(state: State, parts: Partial<State>): Step {
  if (!state.next) return ask(state, {});
  const begun = { ...state, ...STILL, ...parts };
  return state.waits ? ask(begun, {}) : writeDrawn(begun);
}

function writeDrawn(state: State): Step {
  const { next, vocabulary, seed, draws, written } = state;
  const id = drawn(next!, uniform(seed, draws));
  const end = (message: string): Step => ({ state: { ...state, ...STILL, draws: draws + 1 }, needs: "nothing", message });
  if (vocabulary!.endTokens.includes(id)) return end("Here the model would end the text.");
  if (isEndless(written)) return end("The model has written a word that doesn’t end.");
  const step = append(state, id, draws + 1);
  const { tail, left } = step.state;
  return { ...step, state: { ...step.state, left: tail.length ? left || 1 : left } }; // a word has whole characters
}

/** Writes a token; the text gets a character once all of its bytes are written. */
function append(state: State, id: number, draws = state.draws): Step {
  const { text, tail, earlier } = state;
  const longer = [...tail, id];
  const words = longer.map((each) => state.vocabulary!.wordOf(each));
  const after = {
    ...state, draws, earlier: [...earlier, { text, tail, draws: state.draws }], left: Math.max(0, state.left - 1), written: [...state.written, words.at(-1)!],
  };
  return ask(after, isUnfinished(joined(words)) ? { text, tail: longer } : { text: text + joined(words, lossy), tail: [] });
}

/** To the draft before, and the draws that came after it. */
function stepBack(state: State): Step {
  const before = state.earlier.at(-1);
  if (!before) return { state, needs: "nothing" };
  const { text, tail, draws } = before;
  return ask({ ...state, ...STILL, draws, earlier: state.earlier.slice(0, -1) }, { text, tail });
}

/** Bytes as text, with a sign in place of those that make no character. */
const lossy = (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder().decode(bytes);
