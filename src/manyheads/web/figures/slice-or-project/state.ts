// What a <slice-or-project> knows: a word of a sentence, its query made in three ways, and which of them is looked at. No DOM.

import { choose, lend } from "../../math/lent.ts";
import type { Projections, ProjectionsState, ProjectionWay } from "../../math/projections.ts";

export interface State extends ProjectionsState {
  made: Projections | null; // of the sentence and its word, once it's computed
  lent: Lendable; // what stood there before a phrase or a link
}

type Lendable = Partial<Pick<State, "sentence" | "word">>;

export type Action =
  | { type: "choose" | "lend" | "take"; parts: Lendable } // by the reader; by a phrase or a link; from outside
  | { type: "turn"; way: ProjectionWay }
  | { type: "show"; made: Projections };

export const startWith = (parts: Lendable, made: Projections | null = null): State => ({
  sentence: "",
  word: 0,
  way: "wide",
  made,
  lent: {},
  ...parts,
});

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "choose":
      return taken(state, choose<Lendable>(ownOf(state), state.lent, action.parts, begins(action.parts)));
    case "lend":
      return taken(state, lend<Lendable>(ownOf(state), state.lent, action.parts, begins(action.parts) ? {} : null));
    case "take":
      return { ...state, ...action.parts };
    case "turn":
      return { ...state, way: action.way };
    case "show":
      return { ...state, made: action.made };
  }
}

const taken = (state: State, { parts, lent }: { parts: Lendable; lent: Lendable }): State => ({
  ...state,
  ...parts,
  lent,
});

/** With another sentence something new begins. */
const begins = ({ sentence }: Lendable) => sentence !== undefined;

const ownOf = ({ sentence, word }: State): Lendable => ({ sentence, word });
