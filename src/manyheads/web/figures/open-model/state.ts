// What an <open-model> knows: the file that is being read, the model that is open, perhaps a second beside it and how far their heads are
// apart, and what its reader is told. No DOM.

import type { AttentionMap } from "../../math/attention-map.ts";
import { apartOf, averageOf, type Apart } from "../../math/compared.ts";
import { modelLabel } from "../../math/families.ts";
import type { DecoderModel, Header, HeadModel } from "../../models/head-model.ts";

const SLOW = 2; // seconds a word: who types is no longer answered

/** A model that can be closed, to free its memory. */
export type Opened = HeadModel & Partial<Pick<DecoderModel, "secondsPerWord">> & { close?(): void };

/** A file that is being read: what it is, once that's known, and how much of it is here. */
interface Reading {
  cancels: AbortController;
  beside: boolean; // the model that is open
  status: string;
  header: Header | null;
  agree: (() => void) | null; // to what it takes, for its weights to come
  done: number;
  total: number;
}

/** A model that is open, and what its file is. */
interface Held {
  model: Opened;
  header: Header;
}

/** How far heads are apart on our texts: so far, on how many of them, of how many. */
interface Measuring {
  cancels: AbortController;
  found: Apart[];
  total: number;
}

export interface State {
  reading: Reading | null;
  held: Held[]; // the model of the figures, and one beside it
  own: [figure: Element, models: (string | null)[]][]; // the models that the figures had before
  status: string;
  slow: boolean; // a word was measured to take long: reading may wait for Enter
  waits: boolean; // for Enter
  here: Apart | null; // on what its reader typed
  measuring: Measuring | null;
}

export type Action =
  | { type: "open"; cancels: AbortController; beside?: boolean }
  | { type: "hear"; of: AbortController; parts: Partial<Reading> } // of the file
  | { type: "give"; of: AbortController; model: Opened; own: State["own"] }
  | { type: "fail"; of: AbortController }
  | { type: "close"; model: Opened }
  | { type: "read"; maps: [AttentionMap, AttentionMap] } // by both, what its reader typed
  | { type: "begin"; cancels: AbortController; total: number } // to measure on our texts
  | { type: "found"; of: AbortController; maps: [AttentionMap, AttentionMap] } // of the next one
  | { type: "stop"; why?: string } // measuring
  | { type: "measure"; seconds: number } // for a word
  | { type: "wait"; waits: boolean };

const ALONE = { here: null, measuring: null };
const CLOSED = { ...ALONE, held: [], own: [], slow: false, waits: false };
const NOTHING: Header = { line: "", numLayers: 0, numHeads: 0, bytes: 0 };

export const start = (): State => ({ ...CLOSED, reading: null, status: "" });

export function reduce(state: State, action: Action): State {
  const { reading, held, slow, status, measuring } = state;
  switch (action.type) {
    case "wait":
      return { ...state, waits: action.waits };
    case "measure":
      return { ...state, slow: slow || (held.length > 0 && action.seconds > SLOW) };
    case "close":
      return close(state, action.model);
    case "open": {
      const { cancels, beside = false } = action;
      return { ...state, reading: { cancels, beside, status, header: null, agree: null, done: 0, total: 1 } };
    }
    case "read":
      return held.length > 1 ? { ...state, here: apartOf(...action.maps) } : state;
    case "begin":
      if (held.length < 2) return state;
      return { ...state, measuring: { cancels: action.cancels, found: [], total: action.total } };
    case "found":
      if (measuring?.cancels !== action.of) return state;
      return { ...state, measuring: { ...measuring, found: [...measuring.found, apartOf(...action.maps)] } };
    case "stop":
      return { ...state, measuring: null, status: action.why ?? status };
  }
  if (reading?.cancels !== action.of) return state; // another file was chosen meanwhile
  if (action.type === "hear") return { ...state, reading: { ...reading, ...action.parts } };
  if (action.type === "fail") return { ...state, reading: null, status: reading.status };
  const given = { model: action.model, header: reading.header ?? NOTHING };
  const beside = reading.beside && held.length > 0;
  return {
    ...(beside ? { ...state, ...ALONE } : CLOSED),
    reading: null,
    held: beside ? [held[0], given] : [given],
    own: state.own.length ? state.own : action.own,
    status: beside ? "" : `${modelLabel(action.model.name)} reads here now.`,
  };
}

/** The one that's left goes on; and without one, what was there before. */
function close(state: State, model: Opened): State {
  const held = state.held.filter((each) => each.model !== model);
  if (!held.length) return { ...state, ...CLOSED, status: "Closed." };
  return { ...state, ...ALONE, held, status: `${modelLabel(held[0].model.name)} reads here now.` };
}

/** The texts of ours on which both cut alike. */
export const counted = ({ measuring }: State) => measuring?.found.filter(({ heads }) => heads.length) ?? [];

/** How far each head moved, the most first: on what its reader typed, and on our texts once they're all read. */
export function movers(state: State) {
  const { here, held, measuring } = state;
  const ours = measuring?.found.length === measuring?.total ? averageOf(counted(state)) : [];
  const [first] = [ours, here?.heads ?? []].filter(({ length }) => length);
  const numHeads = held[0]?.model.numHeads;
  const order = [...(first ?? []).keys()].sort((a, b) => first[b] - first[a]);
  return order.map((at) => ({
    layer: Math.floor(at / numHeads),
    head: at % numHeads,
    here: here?.heads[at],
    ours: ours[at] as number | undefined,
  }));
}

/** All of that as lines of CSV; layers and heads count from 0. */
export const movedCsv = (state: State) =>
  ["layer,head,moved_on_sentence,moved_on_texts", ...movers(state).map((row) => Object.values(row).join(","))].join(
    "\n",
  ) + "\n";
