// The state of <attention-flow>, one value: what was chosen, the journey of it, where its film is, which number is open, and what the
// map shows that it follows. No DOM.

import type { HeadMask } from "../../math/attention-map.ts";
import { choose, lend } from "../../math/lent.ts";
import { askerOf, cellAt, type Cell, type Flow, type FlowState } from "../../math/steps.ts";
import { still, type Film } from "../../views/timeline.ts";
import { factsOf, flowAt, stationAt, STATIONS } from "./stations.ts";

const LAST = STATIONS.length - 1;
const NEAR = 0.02; // of a station: it is there

type Parts = Partial<FlowState>;
export type Chosen = Omit<FlowState, "station" | "cell">;

/** What a <head-map> shows that is followed. */
export interface FollowedMap {
  sentence: string;
  query: number;
  leads: boolean; // it computes with the same model: its heads are enlarged, and on or off, here as well
  enlarged: { layer: number; head: number } | null;
  headMask: HeadMask;
}

export interface State extends Film {
  chosen: Chosen;
  flow: Flow | null;
  lent: Parts; // what stood there before a guess, a phrase or a link
  fact: string; // the one that the reader chose to take apart
  arrived: string | null; // the station that it came to last; null before it moved
  trail: string[]; // numbers, each opened from the one before: the last one is open
  stale: boolean; // the journey doesn't answer to what was chosen
  headMask: HeadMask; // the heads that are off where it follows no map of its model
  map: FollowedMap | null; // as it was last heard of
  pointed: number | null; // a word of it that was pointed at for long enough
  follows: boolean; // it's about to take over what the map shows
  seen: { query: number | null; head: string }; // of the map, when it was last taken over
}

export type Action =
  | { type: "choose"; parts: Parts } // by a reader, who begins something new with a sentence
  | { type: "take" | "lend"; parts: Parts } // from outside; by a guess, a phrase or a link
  | { type: "turn"; headMask: HeadMask }
  | { type: "show"; flow: Flow }
  | { type: "stale"; stale: boolean }
  | { type: "fact"; fact: string }
  | { type: "open"; trail: string[] }
  | { type: "play" | "pause" }
  | { type: "go"; to: number } // travel to a station
  | { type: "seek"; at: number } // a frame of the film
  | { type: "jump"; at: number } // be there at once
  | { type: "meet"; query: number } // a map, with the word that asks in it: its journey is here already
  | { type: "hear"; map: FollowedMap; pointed: number | null }
  | { type: "follow" }; // take over what was heard

export const startWith = ({ station = "", cell = "", ...parts }: Parts): State => ({
  chosen: {
    sentence: "",
    layer: 0,
    head: 0,
    query: 0,
    answer: "",
    causal: false,
    padding: false,
    unscaled: false,
    ...parts,
  },
  flow: null,
  lent: {},
  fact: "",
  ...still(stationAt(station)),
  arrived: null,
  trail: cell ? [cell] : [],
  stale: false,
  headMask: null,
  map: null,
  pointed: null,
  follows: false,
  seen: { query: null, head: "" },
});

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "choose": {
      const begins = action.parts.sentence !== undefined;
      const { parts, lent } = choose<Parts>(chosenOf(state), state.lent, action.parts, begins);
      return { ...changed(state, parts), lent };
    }
    case "lend": {
      const begins = action.parts.sentence !== undefined;
      const { parts, lent } = lend<Parts>(chosenOf(state), state.lent, action.parts, begins ? {} : null);
      return { ...changed(state, parts), lent, headMask: begins ? null : state.headMask };
    }
    case "take":
      return changed(state, action.parts);
    case "turn":
      return { ...state, headMask: action.headMask };
    case "show":
      return shown(state.follows ? takenOver(state) : state, action.flow);
    case "stale":
      return { ...state, stale: action.stale };
    case "fact":
      return { ...state, fact: action.fact };
    case "open": {
      const { trail } = action;
      return closed({ ...state, ...still(state.at), trail, lent: lentBeside(state, { cell: trail.at(-1) }) });
    }
    case "play":
      return { ...moved(state, state.at < lastOf(state) ? state.at : 0), to: null, plays: true };
    case "pause":
      return { ...state, ...still(state.at) };
    case "go": {
      const to = between(state, action.to);
      return { ...state, to: to === state.at ? null : to, plays: false };
    }
    case "seek": {
      const next = moved(state, action.at);
      const ends = next.at === state.to || (state.plays && next.at === lastOf(state));
      return ends ? { ...next, ...still(next.at) } : next;
    }
    case "jump":
      return moved({ ...state, ...still(state.at) }, action.at);
    case "meet":
      return state.seen.query === null ? { ...state, seen: { ...state.seen, query: action.query } } : state;
    case "hear":
      return { ...state, map: action.map, pointed: action.pointed ?? state.pointed, follows: true };
    case "follow":
      return state.follows ? takenOver(state) : state;
  }
}

/** With other parts; what is computed of them comes before what the map shows. */
function changed(state: State, { station, cell, ...parts }: Parts): State {
  const follows = state.follows && !Object.keys(parts).some((name) => name !== "query");
  const chosen = { ...state.chosen, ...parts };
  const stays = station === undefined || station === stationOf(state);
  const next = stays ? state : reduce(state, { type: "jump", at: stationAt(station) });
  const trail = cell === undefined || cell === cellOf(state) ? next.trail : [cell].filter(Boolean);
  return closed({ ...next, chosen, follows, trail });
}

/** At another moment of the film. Whoever goes to a station stays there, and what was open closes as the journey goes on. */
function moved(state: State, at: number): State {
  const next = { ...state, at: between(state, at) };
  const station = stationOf(next);
  if (station === stationOf(state)) return next;
  return { ...next, lent: lentBeside(state, { station }), trail: [], arrived: station };
}

/** What is still lent where the reader sets some parts. */
const lentBeside = (state: State, parts: Parts) => choose<Parts>(chosenOf(state), state.lent, parts, false).lent;

/** With another journey: the word that an answer rests on asks, unless its reader has another one ask. */
function shown(state: State, flow: Flow): State {
  const asker = askerOf(flow);
  const before = state.flow && askerOf(state.flow);
  const { query } = state.chosen;
  const asks = asker !== null && query === (before ?? 0) ? asker : query;
  const next = { ...state, flow, stale: false, chosen: { ...state.chosen, query: fitted(asks, flow.tokens.length) } };
  if (next.at > lastOf(next)) return closed(reduce(next, { type: "jump", at: lastOf(next) }));
  return closed(next.to === null ? next : reduce(next, { type: "go", to: next.to })); // perhaps not as far
}

/** Without the numbers that the journey doesn't have, and those that were opened from them. */
function closed(state: State): State {
  const { trail } = state;
  const steps = stepsOf(state);
  const gone = steps ? trail.findIndex((cell) => !cellAt(steps, cell)) : -1;
  return gone < 0 ? state : { ...state, trail: trail.slice(0, gone) };
}

/** With what the map shows, which is then seen. */
function takenOver(state: State): State {
  const { map, seen } = state;
  if (!map) return state;
  const news = newsOf(state);
  const head = "head" in news ? String([news.layer, news.head]) : seen.head;
  return {
    ...state,
    chosen: { ...state.chosen, ...news },
    pointed: null,
    follows: false,
    seen: { query: map.query, head },
  };
}

/** What the map shows otherwise than when it was last seen: its sentence, the head that is enlarged, another word that asks. */
export function newsOf({ chosen, map, pointed, seen }: State): Partial<Chosen> {
  if (!map) return {};
  const sentence = map.sentence === chosen.sentence ? {} : { sentence: map.sentence };
  if (chosen.answer) return sentence;
  const query = pointed ?? (map.query === seen.query ? null : map.query);
  const { layer, head } = map.enlarged ?? {};
  const isNew = map.leads && map.enlarged && String([layer, head]) !== seen.head;
  return { ...sentence, ...(isNew && { layer, head }), ...(query !== null && { query }) };
}

/** What is to be computed of. */
export const wantedOf = (state: State): FlowState => ({ ...chosenOf(state), ...(state.follows && newsOf(state)) });

/** The parts that a journey is made of. */
export function argsOf(state: State) {
  const headMask = String(state.map?.leads ? state.map.headMask : state.headMask);
  return { ...state.chosen, ...(state.follows && newsOf(state)), query: null, headMask }; // whichever asks
}

/** What is chosen, as far as the journey has it. */
export function chosenOf(state: State): FlowState {
  const { chosen, flow } = state;
  return { ...(flow ? fittedTo(flow, chosen) : chosen), station: stationOf(state), cell: cellOf(state) };
}

export const fittedTo = ({ layers = 0, headNames, tokens }: Flow, chosen: Chosen): Chosen => ({
  ...chosen,
  layer: fitted(chosen.layer, layers),
  head: fitted(chosen.head, headNames.length),
  query: fitted(chosen.query, tokens.length),
});

const fitted = (place: number, count: number) => Math.min(place, Math.max(count - 1, 0));

/** The last station: of many layers, one reads no answer. */
export const lastOf = ({ flow }: State) => (flow?.layers ? LAST - 1 : LAST);

const between = (state: State, at: number) => Math.min(Math.max(at, 0), lastOf(state));

/** The place of the station whose caption stands: the one that it is at, or on its way to. */
export const placeOf = ({ at }: Film) => Math.max(0, Math.ceil(at - NEAR));

export const stationOf = (film: Film) => STATIONS[placeOf(film)].name;

/** The number that is open; "" for none. */
export const cellOf = ({ trail }: State) => trail.at(-1) ?? "";

/** The journey whose numbers its station shows. */
export const stepsOf = (state: State) => state.flow && flowAt(state.flow, stationOf(state));

/** The number that is open, where the journey has it. */
export function openCell(state: State): Cell | null {
  const steps = stepsOf(state);
  return steps && cellAt(steps, cellOf(state));
}

/** The fact whose answer is taken apart: the chosen one, else that of the head, else the first. */
export function factOf({ fact, flow }: State) {
  if (!flow) return "";
  const facts = factsOf(flow);
  return [fact, flow.headNames[flow.head], facts[0]].find((each) => facts.includes(each)) ?? "";
}

/** Whether another head was chosen than the one whose numbers are here. */
export function isOther(state: State) {
  const { layer, head } = chosenOf(state);
  return Boolean(state.flow?.layers) && (layer !== state.flow!.layer || head !== state.flow!.head);
}
