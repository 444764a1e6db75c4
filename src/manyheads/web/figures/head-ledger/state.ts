// The state of <head-ledger>, one value: what the reader chose, the numbers of it, and which parts have a row. No DOM.

import { answerPlace, mostOf } from "../../math/answer-parts.ts";
import type { HeadLedger, LedgerQuestion } from "../../math/ledger.ts";
import { choose, lend, type Change } from "../../math/lent.ts";

/** What a reader, an attribute or a kernel chooses; heads that are off as [layer, head]. */
export interface LedgerState extends Omit<LedgerQuestion, "headMask"> {
  off: number[][];
}

export interface State {
  chosen: LedgerState;
  ledger: HeadLedger | null;
  lent: Partial<LedgerState>; // what stood there before a guess, a phrase or a link
  of: LedgerState | null; // what the numbers answer to
  rows: number[]; // the parts that have a row, by their places among all
  question: string | null; // what its reader is asked about: what it shows first; null where nothing is asked
  guessed: boolean;
  guess: number | null; // the word that the reader pressed; null for who wanted to be shown
  types: boolean; // whether the sentence can be another one
  keeps: boolean; // the rows stay where they are: nothing but heads was switched since they were ranked
  stale: boolean; // the numbers don't answer to what was chosen
  forgot: "" | "untold" | "told"; // the heads that were off: they are another model's
}

export type Action =
  | { type: "choose"; parts: Partial<LedgerState> } // by a reader, who begins something new with a sentence
  | { type: "take" | "lend"; parts: Partial<LedgerState> } // from outside; by a guess, a phrase or a link
  | { type: "switch"; head: number } // by its place among all heads
  | { type: "guess"; word: number | null } // by its place; null to be shown
  | { type: "show"; ledger: HeadLedger }
  | { type: "stale"; stale: boolean }
  | { type: "lose" }; // the model, and with it what was chosen of its heads

export const startWith = (parts: Partial<LedgerState>, { asks = false, types = true } = {}): State => ({
  chosen: { sentence: "", answer: "", head: null, off: [], ...parts },
  ledger: null,
  lent: {},
  of: null,
  rows: [],
  question: asks ? "" : null,
  guessed: false,
  guess: null,
  types,
  keeps: false,
  stale: false,
  forgot: "",
});

export function reduce(state: State, action: Action): State {
  if (action.type === "guess") return state.guessed ? state : { ...state, guessed: true, guess: action.word };
  if (action.type === "stale") return { ...state, stale: action.stale };
  if (action.type === "lose") {
    const forgot = state.chosen.off.length ? "untold" : state.forgot;
    return reduce({ ...state, forgot }, { type: "take", parts: { head: null, off: [] } });
  }
  if (action.type === "show") {
    const forgot = state.forgot === "untold" ? "told" : "";
    const keeps = state.keeps && String(action.ledger.headNames) === String(state.ledger?.headNames);
    const shown = ranked({ ...state, ledger: action.ledger, of: state.chosen, keeps, stale: false, forgot });
    return shown.question === "" ? { ...shown, question: subjectOf(shown) } : shown;
  }
  if (action.type === "switch") return reduce(state, { type: "choose", parts: { off: switched(state, action.head) } });
  const { parts, lent } = CHANGES[action.type](state, action.parts);
  const keeps = String(Object.keys(parts)) === "off";
  return ranked({ ...state, chosen: { ...state.chosen, ...parts }, lent, keeps });
}

type Parts = Partial<LedgerState>;

/** What is taken over of parts, and what is lent then. */
const CHANGES: Record<"choose" | "take" | "lend", (state: State, parts: Parts) => Change<Parts>> = {
  choose: ({ chosen, lent }, parts) => choose<Parts>(chosen, lent, parts, parts.sentence !== undefined),
  take: ({ lent }, parts) => ({ parts, lent }),
  lend: ({ chosen, lent }, parts) =>
    lend<Parts>(chosen, lent, parts, parts.sentence === undefined ? null : { off: [] }),
};

/** Which parts have a row: those that add most, and each head that is off, so that it can be turned on again. */
function ranked(state: State): State {
  const { chosen, ledger, rows, keeps } = state;
  if (!ledger?.answered) return { ...state, rows: [] };
  if (keeps && rows.length) return state;
  const most = mostOf(ledger, answerPlace(ledger, chosen.answer));
  const off = ledger.headNames.flatMap((_, head) => (isOn(state, head) || most.includes(head) ? [] : head));
  return { ...state, rows: [...most, ...off], keeps: false };
}

/** Whether the numbers answer to another sentence, or to other heads, than were chosen by now. */
export const isOld = ({ chosen, of }: State) =>
  of !== null && (chosen.sentence !== of.sentence || String(chosen.off) !== String(of.off));

/** What is shown, as one text: its sentence, the answer, the head whose words these are, and the heads that are off. */
function subjectOf(state: State) {
  const { ledger, chosen } = state;
  const label = ledger?.answered ? ledger.labels[answerPlace(ledger, chosen.answer)] : chosen.answer;
  return JSON.stringify([chosen.sentence, chosen.off, label, headOf(state)]);
}

/** Whether what is shown is what the reader is asked about, or was; looking at something else takes no guess away. */
export const isAsked = (state: State) => state.question !== null && subjectOf(state) === state.question;

/** Whether what words write is covered: the reader hasn't guessed yet. */
export const isCovered = (state: State) => !state.guessed && isAsked(state);

/** The layer of a head and its number in it. */
export const placeOf = ({ numHeads, firstLayer = 0 }: HeadLedger, head: number) => [
  firstLayer + Math.floor(head / numHeads),
  head % numHeads,
];

export const isOn = ({ chosen, ledger }: State, head: number) =>
  !ledger || !chosen.off.some((place) => String(place) === String(placeOf(ledger, head)));

/** The heads that are off once one was switched. */
function switched({ chosen: { off }, ledger }: State, head: number) {
  if (!ledger) return off;
  const place = placeOf(ledger, head);
  const rest = off.filter((each) => String(each) !== String(place));
  return rest.length < off.length ? rest : [...off, place];
}

/** The head whose words are shown: the chosen one, else the one that adds most. */
export function headOf({ chosen, ledger, rows }: State) {
  const count = ledger?.headNames.length ?? 0;
  return Math.min(chosen.head ?? rows.find((part) => part < count) ?? 0, count - 1);
}
