// What a <whole-model> knows: a sentence, which parts are off, which layer is open, and what the model makes of it. No DOM.

import { areSame, isAmong, toggledIn } from "../../math/heads-off.ts";
import { choose, lend, type Change } from "../../math/lent.ts";
import { ALL_HEADS, ATTENTION, FEED_FORWARD, MIXING, placeOf, type Machine } from "../../math/machine.ts";

/** What a reader, an attribute or a phrase chooses; parts that are off as partMaskOf of math/machine.ts reads them. */
export interface Chosen {
  sentence: string;
  answer: string; // a question of those that the model answers; nothing for the first
  off: number[][];
  layer: number | null; // that is open
  head: number | null; // of that layer, whose journey is
}

export interface State {
  chosen: Chosen;
  machine: Machine | null;
  whole: Machine | null; // the same sentence with all parts on
  lent: Partial<Chosen>; // what stood there before a guess, a phrase or a link
  of: Chosen | null; // what the numbers answer to
  types: boolean; // its reader has a sentence to change
  stored: Stored[]; // what answers until a model does
  live: boolean; // its model has answered
  forgot: boolean; // parts were off, of another model than this; until the reader goes on
  stale: boolean;
}

/** What the build has computed. */
export interface Stored extends Machine {
  sentence: string;
  off: number[][];
}

type Parts = Partial<Chosen>;

export type Action =
  | { type: "choose"; parts: Parts } // by a reader, who begins something new with a sentence
  | { type: "take" | "lend"; parts: Parts } // from outside; by a guess, a phrase or a link
  | { type: "press"; layer: number; part: number } // a head by its number, or MIXING or ALL_HEADS
  | { type: "open"; layer: number } // or close it
  | { type: "follow"; head: number } // or come back from it
  | { type: "show"; machine: Machine; whole: Machine }
  | { type: "stale"; stale: boolean }
  | { type: "lose" }; // the model, and with it what was chosen of its parts

export const startWith = (parts: Parts, stored: Stored[] = [], types = true): State =>
  withStored({
    chosen: { sentence: "", answer: "", off: [], layer: null, head: null, ...parts },
    machine: null,
    whole: null,
    lent: {},
    of: null,
    types,
    stored,
    live: false,
    forgot: false,
    stale: false,
  });

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "stale":
      return { ...state, stale: action.stale };
    case "show":
      return { ...state, machine: action.machine, whole: action.whole, of: state.chosen, live: true, stale: false };
    case "lose": {
      const forgot = state.forgot || state.chosen.off.length > 0;
      const lost = { ...state, of: null, lent: {}, live: false, stale: true };
      return { ...reduce(lost, { type: "take", parts: { off: [], layer: null, head: null } }), forgot };
    }
    case "press":
      return reduce(state, { type: "choose", parts: { off: pressed(state, action.layer, action.part) } });
    case "open": {
      const layer = state.chosen.layer === action.layer ? null : action.layer;
      return reduce(state, { type: "choose", parts: { layer, head: null } });
    }
    case "follow": {
      const head = state.chosen.head === action.head ? null : action.head;
      return reduce(state, { type: "choose", parts: { head } });
    }
    default: {
      const { parts, lent } = CHANGES[action.type](state, action.parts);
      return withStored({ ...state, chosen: { ...state.chosen, ...parts }, lent, forgot: false });
    }
  }
}

/** With the stored answer to what is chosen, as long as no model has answered; without one, the answer before it stays. */
function withStored(state: State): State {
  const { chosen, stored, live } = state;
  const found = (off: number[][]) =>
    stored.find((one) => one.sentence === chosen.sentence && areSame(one.off, off)) ?? null;
  const machine = found(chosen.off);
  if (live || !machine || chosen.layer !== null) return state;
  return { ...state, machine, whole: found([]) ?? machine, of: chosen, stale: false };
}

/** What is taken over of parts, and what is lent then. */
const CHANGES: Record<"choose" | "take" | "lend", (state: State, parts: Parts) => Change<Parts>> = {
  choose: ({ chosen, lent }, parts) => choose<Parts>(chosen, lent, parts, parts.sentence !== undefined),
  take: ({ lent }, parts) => ({ parts, lent }),
  lend: ({ chosen, lent }, parts) =>
    lend<Parts>(chosen, lent, parts, parts.sentence === undefined ? null : { off: [] }),
};

/** What is off once a part was pressed. */
function pressed(state: State, layer: number, part: number) {
  const { off } = state.chosen;
  if (part === MIXING) return toggledIn(off, [layer, MIXING]);
  const others = off.filter((one) => one[0] !== layer || one[1] === MIXING);
  if (part === ALL_HEADS) return isOn(state, layer, ALL_HEADS) ? [...others, [layer, ALL_HEADS]] : others;
  if (!isAmong(off, [layer, ALL_HEADS])) return toggledIn(off, [layer, part]);
  return [...others, ...headsOf(state, layer).filter((head) => head[1] !== part)];
}

/** Whether a part is on; all heads of a layer are off where none of them is on. */
export function isOn(state: State, layer: number, part: number) {
  const { off } = state.chosen;
  if (part === MIXING) return !isAmong(off, [layer, MIXING]);
  if (isAmong(off, [layer, ALL_HEADS])) return false;
  if (part !== ALL_HEADS) return !isAmong(off, [layer, part]);
  const heads = headsOf(state, layer);
  return !heads.length || heads.some((head) => !isAmong(off, head));
}

const headsOf = ({ machine }: State, layer: number) =>
  Array.from({ length: machine?.numHeads ?? 0 }, (_, head) => [layer, head]);

export const layersOf = ({ parts }: Machine) => placeOf(parts.at(-1)!)!.layer + 1;

/** Whether the numbers answer to another sentence, or to other parts, than were chosen by now. */
export const isOld = ({ chosen, of }: State) =>
  of !== null && (chosen.sentence !== of.sentence || chosen.layer !== of.layer || !areSame(chosen.off, of.off));

/** The parts that are off as an attribute names them, "0.1 2.feed-forward 4.attention"; counted from 0. */
export const readOff = (text: string) =>
  [...text.matchAll(/\b(\d{1,3})\.(\d{1,3}\b|attention|feed-forward)/g)].map(([, layer, part]) => [
    Number(layer),
    part === "attention" ? ALL_HEADS : part === "feed-forward" ? MIXING : Number(part),
  ]);

/** The same, written. */
export const writeOff = (off: number[][]) => off.map(([layer, part]) => `${layer}.${NAMES[part] ?? part}`).join(" ");

const NAMES: Record<number, string> = { [ALL_HEADS]: ATTENTION, [MIXING]: FEED_FORWARD };

/** The heads that an open layer shows, where they have come. */
export const insideIn = ({ chosen, machine }: State) =>
  chosen.layer !== null && machine?.inside?.layer === chosen.layer ? machine.inside : null;
