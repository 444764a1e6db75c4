// What stands after the status of a map: notes on what is shown.

import type { AttentionMap } from "../../math/attention-map.ts";
import { asOne } from "../../math/choosing.ts";
import type { ShownMap } from "../../math/map-state.ts";
import { madeWith } from "../../math/families.ts";
import { forgotten } from "../../math/heads-off.ts";
import { alignTokens, layerName, queryName } from "../../math/maps.ts";
import { endsOf, isAsking } from "../../math/query.ts";
import { capital, isolated, isSpecial, readable } from "../../math/text.ts";
import { askingOf, DIFFERENCES, missingOf, restOf, type State } from "./state.ts";

const LONG = 90; // tokens; beyond, matrices become pictures

/** What a reader should know of the map on screen, in sentences. */
export function notesOf(state: State) {
  const { map, compared, shown, chosen } = state;
  if (!map) return [];
  const notes = new Set([map, compared, shown?.map].flatMap((each) => each?.notes ?? []));
  const tokens = map.keyTokens.length;
  const long = `${map.picture ? "There are many places" : "This text is long"} (${tokens} tokens): large matrices are shown as pictures, and only the strongest lines are drawn.`;
  const missing = missingOf(state);
  const layers = missing.map((layer) => layerName(map, layer)).join(", ");
  const waits = `${capital(layers)} of ${map.shape[0]} is on its way; what you see is what was shown before.`;
  const common =
    shown?.compared && DIFFERENCES.includes(chosen.view) ? commonOf(shown.map.keyTokens, shown.compared.keyTokens) : [];
  const asks = shown ? [...substituteOf(map, shown.map, state), ...asOne(shown.map, restOf(state))] : [];
  return [
    ...(missing.length ? [waits] : []),
    ...(state.forgot ? [forgotten()] : []),
    ...(state.madeWith ? [madeWith(state.madeWith)] : []),
    ...(state.unfound ? [state.unfound] : []),
    ...asks,
    ...common,
    ...notes,
    ...(tokens > LONG ? [long] : []),
  ];
}

/** Which tokens of two sentences are compared. */
function commonOf(first: string[], second: string[]) {
  const both = alignTokens(first, second).map(([place]) => first[place]);
  if (both.length === first.length) return [];
  if (both.every(isSpecial))
    return [
      `The sentences have no word in common. What is compared are ${both.map(isolated).join(" and ") || "none"}.`,
    ];
  return [`Of ${first.length} tokens, ${both.length} are in both: these are compared.`];
}

/** Who asks in place of special tokens that are removed. */
function substituteOf(map: AttentionMap, shown: ShownMap, state: State) {
  const [asking, rest] = [askingOf(state), restOf(state)];
  const [first, last] = endsOf(asking);
  const isShown = shown.queries.some((place) => isAsking(asking, place));
  if (state.chosen.special !== "remove" || isShown || !map.queryTokens.slice(first, last + 1).every(isSpecial))
    return [];
  const [gone, other] = [queryName(map, asking), queryName(shown, rest)];
  return [`${isolated(gone)} is not shown; “${isolated(readable(other))}” asks instead.`];
}
