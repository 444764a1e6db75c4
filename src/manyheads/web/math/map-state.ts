// What a reader can choose of a map, and what of the map is shown then.

import type { AttentionMap, HeadMask } from "./attention-map.ts";

export interface MapState {
  sentence: string;
  compare: string | null;
  view: string;
  layer: number;
  head: number | null;
  query: number;
  headMask: HeadMask;
  model: number;
  weigh: string;
  special: string;
  heads: string;
  layers: string;
  pieces: string;
  sinks: string;
  scale: string;
  top: number | null;
  first: number;
  last: number | null;
  find: string;
}

/** What of the state says what is shown of a map. */
export type ShownState = Pick<MapState, "view" | "layer" | "weigh" | "special" | "heads" | "layers" | "pieces" | "sinks" | "scale" | "top" | "first" | "last" | "headMask">;

/** What is shown of a map: `queries` and `keys` are the places of its tokens; `mixed` says that its rows are no single head's. */
export interface ShownMap extends AttentionMap {
  queries: number[];
  keys?: number[];
  mixed: boolean;
  weighed?: boolean; // it shows how much is written
  full?: number; // the weight that has the full colour
  top?: number; // so many weights of each row are there; what is 0 is left out
}
