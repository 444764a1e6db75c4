// What <attention-kinds> knows: the kind of attention that its reader chose, the map inside, and what the kind changes of it. No DOM.

import type { SeenMap } from "../../doors/leaning.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { bytesOf, type Cache } from "../../math/caches.ts";
import { ATTENTION_KINDS } from "../../math/kinds.ts";
import { attentionMoved, likeliest, perMille, queryWeights } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";

export const PLAIN = "multi-head"; // what the others are compared with
const LEAST = 16; // words, whose cache a bar has room for
const PLAINLY = "This is plain attention, with which the others are compared.";

export interface State {
  caches: Record<string, Cache>; // what that of each kind keeps
  kind: string;
  map: AttentionMap | null;
  computedBy: string; // the map
  changes: string; // what the kind changes, in words; "" until that's known
}

/** Parts of the map inside, the kind for its model. */
export type Settings = Record<string, any> & { kind?: string };

export type Action =
  | { type: "choose" | "take" | "lend"; parts: Settings } // by its reader; from outside; by a guess, a phrase or a link
  | { type: "follow"; map: SeenMap }
  | { type: "show"; plain: AttentionMap };

export const startWith = (caches: Record<string, Cache>, map: SeenMap) =>
  follow({ caches, kind: PLAIN, map: null, computedBy: "", changes: "" }, map);

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "follow":
      return follow(state, action.map);
    case "show":
      return compare(state, action.plain);
    default:
      return choose(state, action.parts.kind);
  }
}

const choose = (state: State, kind = state.kind): State =>
  kind === state.kind || !(kind in state.caches) ? state : { ...state, kind, changes: "" };

function follow(state: State, { attention, computedBy, model }: SeenMap): State {
  const kind = model ? model.replace("focus/", "") : PLAIN;
  const after = { ...choose(state, kind), map: attention, computedBy };
  return comparedOf(after) ? after : { ...after, changes: kind === PLAIN ? PLAINLY : "" };
}

/** With what the kind changes of the plain map, where that is one of the same text. */
function compare(state: State, plain: AttentionMap): State {
  const map = comparedOf(state);
  return String(map?.keyTokens) === String(plain.keyTokens) ? { ...state, changes: changesOf(plain, map!) } : state;
}

export const modelOf = (kind: string) => `focus/${kind}`;

/** The map that is compared with that of the plain kind: once it is the kind's. */
export const comparedOf = ({ kind, computedBy, map }: State) =>
  kind !== PLAIN && computedBy === modelOf(kind) ? map : null;

export const tokensIn = ({ map }: State) => map?.keyTokens.length ?? 0;

/** What the cache of a kind keeps of the text: in bytes, as a part of a bar, and a brick for each token that is kept, or one of no token. */
export function keptOf(state: State, kind: string) {
  const bytesIn = (cache: Cache) => bytesOf(cache, tokensIn(state));
  const { [kind]: cache, [PLAIN]: plain } = state.caches;
  const room = Math.max(bytesOf(plain, LEAST), ...Object.values(state.caches).map(bytesIn));
  const bricks = cache.each ? Math.min(tokensIn(state), cache.most ?? Infinity) : 1;
  return { bytes: `${bytesIn(cache).toLocaleString("en")} bytes`, long: bytesIn(cache) / room, bricks };
}

export const nameOf = (kind: string) => ATTENTION_KINDS[kind].name ?? kind;

/** The kind, and what it keeps and changes, in words. */
export const summary = (state: State) =>
  state.changes && `${nameOf(state.kind)}: ${keptOf(state, state.kind).bytes}. ${state.changes}`;

/** What of a map lies elsewhere than in the plain one, and what is concluded otherwise, in words. */
export function changesOf(plain: AttentionMap, map: AttentionMap) {
  const [, heads, queries, keys] = map.shape;
  const same = Array.from({ length: keys }, (_, key) => [key, key] as [number, number]);
  let moved = 0;
  for (let head = 0; head < heads; head++)
    for (let query = 0; query < queries; query++) {
      const [before, after] = [plain, map].map((each) => queryWeights(each, 0, head, query));
      moved += attentionMoved(before, after, same) / (heads * queries);
    }
  const answers = Object.entries(plain.predictions).flatMap(([fact, labels]) => {
    const [[before], [after]] = [likeliest(labels), likeliest(map.predictions[fact])];
    return before === after ? [] : [`${fact} turns from ${before} to ${after}`];
  });
  const elsewhere = `Compared with ${PLAIN}, ${percent(perMille(moved))} of the attention lies elsewhere`;
  return `${elsewhere}, and ${answers.length ? answers.join(", ") : "no answer changes"}.`;
}
