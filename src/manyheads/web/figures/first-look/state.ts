// What <first-look> knows: the map inside as it was last seen, its switch, and what stands below the sentence. No DOM.

import type { SeenMap } from "../../doors/leaning.ts";
import { offIn } from "../../math/heads-off.ts";

/** What can stand below the sentence, and the button that leads there from the stage. */
export const DOORS = { numbers: "Show me the numbers", heads: "All four heads" };
export type Door = keyof typeof DOORS;

export interface State {
  head: number; // of layer 1
  answer: string; // the name of a prediction, and of the head that was taught for it
  face: "stage" | Door;
  map: SeenMap | null; // once it shows something
  waits: boolean; // for the map to answer to the switch
  turns: boolean; // the switch was pressed: what follows, follows one after the other
}

export type Action =
  | { type: "enter"; door: Door } // or go back
  | { type: "press" } // the switch
  | { type: "follow"; map: SeenMap };

export const startWith = (head: number, answer: string, map: SeenMap) =>
  reduce({ head, answer, face: "stage", map: null, waits: false, turns: false }, { type: "follow", map });

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "enter":
      return { ...state, face: state.face === action.door ? "stage" : action.door };
    case "press":
      return { ...state, waits: true, turns: true };
    case "follow":
      return action.map.attention ? { ...state, map: action.map, waits: false } : state;
  }
}

/** What is drawn: null where the map has no such answer. */
export function shownOf({ map: seen, head, answer }: State) {
  if (!seen?.attention?.predictions[answer]) return null;
  const { attention: map, headMask, sentence } = seen;
  const isOn = (layer: number, which: number) => headMask?.[layer]?.[which] ?? true;
  const answers = isOn(map.namedLayer ?? 0, map.headNames.indexOf(answer));
  return { map, sentence, on: isOn(0, head), answers, off: offIn(headMask).length };
}
