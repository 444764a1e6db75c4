// The status line of a map: a message, and notes on the map that is shown.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { MapState, ShownMap } from "../../math/map-state.ts";
import { layerName } from "../../math/maps.ts";
import { capital, isolated, isSpecial, readable } from "../../math/text.ts";
import { StatusLine } from "../../views/controls.ts";

const LONG = 90; // tokens; beyond, matrices become pictures

/** `act` is what a button after the text does, `name` what the button says. */
interface Message {
  text: string;
  act: (() => void) | null;
  name: string;
}

export class MapStatus {
  #line = new StatusLine();
  readonly node = this.#line.node;
  #message: Message | null = null;

  /** Shows a message, and again with the notes of each map that is drawn later. */
  set(message: Message, notes: string[]) {
    this.#message = message;
    this.#show(message, notes);
  }

  /** Shows a message once, without notes: there is no map to go with it. */
  refuse(message: Message) {
    this.#message = null;
    this.#show(message, []);
  }

  /** Shows the last message with the notes of another map. */
  refresh(notes: string[]) {
    if (this.#message) this.#show(this.#message, notes);
  }

  #show({ text, act, name }: Message, notes: string[]) {
    this.#line.tell([text, ...notes].join(" "), act, name);
  }
}

interface Drawn {
  map: AttentionMap | null;
  compared: AttentionMap | null;
  shown?: ShownMap;
  state: MapState;
  missing: number[]; // layers that are still to come
  rest: number; // the position of the asking token among those shown
}

/** What a reader should know of the map on screen, in sentences. */
export function notesOf({ map, compared, shown, state, missing, rest }: Drawn) {
  if (!map) return [];
  const notes = new Set([map, compared, shown].flatMap((each) => each?.notes ?? []));
  const tokens = map.keyTokens.length;
  const long = `${map.picture ? "There are many places" : "This text is long"} (${tokens} tokens): large matrices are shown as pictures, and only the strongest lines are drawn.`;
  const layers = missing.map((layer) => layerName(map, layer)).join(", ");
  const waits = `${capital(layers)} of ${map.shape[0]} is on its way; what you see is what was shown before.`;
  return [...(missing.length ? [waits] : []), ...substituteOf(map, shown, state, rest), ...notes, ...(tokens > LONG ? [long] : [])];
}

/** Which token asks in place of a special token that is removed. */
function substituteOf(map: AttentionMap, shown: ShownMap | undefined, { special, query }: MapState, rest: number) {
  const token = map.queryTokens[query];
  if (!shown || special !== "remove" || shown.queries.includes(query) || !isSpecial(token)) return [];
  return [`${isolated(token)} is not shown; “${isolated(readable(shown.queryTokens[rest]))}” asks instead.`];
}
