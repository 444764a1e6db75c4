// What an <open-model> knows: the file that is being read, the model that is open, and what its reader is told. No DOM.

import { modelLabel } from "../../math/families.ts";
import type { DecoderModel, HeadModel } from "../../models/head-model.ts";

const SLOW = 2; // seconds a word: who types is no longer answered

/** A model that can be closed, to free its memory. */
export type Opened = HeadModel & Partial<Pick<DecoderModel, "secondsPerWord">> & { close?(): void };

/** A file that is being read: what it is, once that's known, and how much of it is here. */
interface Reading {
  cancels: AbortController;
  status: string;
  line: string;
  done: number;
  total: number;
}

export interface State {
  reading: Reading | null;
  model: Opened | null;
  line: string; // what the model is
  own: [figure: Element, models: (string | null)[]][]; // the models that the figures had before
  status: string;
  slow: boolean; // a word was measured to take long: reading may wait for Enter
  waits: boolean; // for Enter
}

export type Action =
  | { type: "open"; cancels: AbortController }
  | { type: "hear"; of: AbortController; parts: Partial<Reading> } // of the file
  | { type: "give"; of: AbortController; model: Opened; own: State["own"] }
  | { type: "fail"; of: AbortController }
  | { type: "close" }
  | { type: "measure"; seconds: number } // for a word
  | { type: "wait"; waits: boolean };

const CLOSED = { model: null, line: "", own: [], slow: false, waits: false };

export const start = (): State => ({ ...CLOSED, reading: null, status: "" });

export function reduce(state: State, action: Action): State {
  const { reading, model, slow, status } = state;
  if (action.type === "wait") return { ...state, waits: action.waits };
  if (action.type === "measure") return { ...state, slow: slow || (model !== null && action.seconds > SLOW) };
  if (action.type === "close") return { ...state, ...CLOSED, status: "Closed." };
  if (action.type === "open")
    return { ...state, reading: { cancels: action.cancels, status, line: "", done: 0, total: 1 } };
  if (reading?.cancels !== action.of) return state; // another file was chosen meanwhile
  if (action.type === "hear") return { ...state, reading: { ...reading, ...action.parts } };
  if (action.type === "fail") return { ...state, reading: null, status: reading.status };
  return {
    ...CLOSED,
    reading: null,
    model: action.model,
    line: reading.line,
    own: state.own.length ? state.own : action.own,
    status: `${modelLabel(action.model.name)} reads here now.`,
  };
}
