// What a <rotary-positions> knows: where a query and a key of the same word stand, and whether they're moved together. No DOM.

import { scoreAt, speedsOf } from "../../math/rotary.ts";

export const LAST = 20; // position
const WORD = [1, 1, 1, 1, 0, 0, 0, 0]; // four arrows that point across: what it seeks is what it offers
export const SPEEDS = speedsOf(WORD.length);

export const ARROWS = ["query", "key"] as const;
export type Arrow = (typeof ARROWS)[number];

export interface State extends Record<Arrow, number> {
  together: boolean;
}

export type Action = { type: "move"; arrow: Arrow; to: number } | { type: "join"; together: boolean };

export const start = (): State => ({ query: 5, key: 2, together: false });

/** With both moved together, the other one goes as far, unless it's at its end: then neither goes further. */
export function reduce(state: State, action: Action): State {
  if (action.type === "join") return { ...state, together: action.together };
  const { arrow, to } = action;
  if (!state.together) return { ...state, [arrow]: to };
  const far = to - state[arrow];
  const ends = ARROWS.map((each) => (far > 0 ? LAST - state[each] : state[each]));
  const step = Math.sign(far) * Math.min(Math.abs(far), ...ends);
  return { ...state, query: state.query + step, key: state.key + step };
}

/** The score of a query and a key, so far apart. */
export const scoreOf = ({ query, key }: Record<Arrow, number>) => scoreAt(WORD, query, WORD, key);
