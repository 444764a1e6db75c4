// What a reader can choose of a map, and what of the map is shown then.

import type rows from "../../shared/options.json";
import type { AttentionMap, HeadMask } from "./attention-map.ts";
import type { Query } from "./query.ts";

type Rows = typeof rows;

/** The options whose rows have such a column. */
type With<Column extends string> = {
  [Name in keyof Rows]: Rows[Name] extends Record<Column, unknown> ? Name : never;
}[keyof Rows];

/** One of its values for each choice among the rows. */
type Choices = { [Name in With<"values">]: keyof Rows[Name]["values"] };

/** A value for each row of options.json, the heads that are on, and which of several models. */
export interface MapState extends Choices {
  sentence: string;
  compare: string | null;
  layer: number;
  head: number | null;
  query: Query | string; // a text until there is a map in which it is found
  headMask: HeadMask;
  model: number;
  first: number;
  last: number | null;
}

export type ViewName = MapState["view"];

/** What of the state says what is shown of a map: the options whose rows say `shown`, and the heads that are on. */
export type ShownState = Pick<MapState, With<"shown"> | "headMask">;

/** What is shown of a map: `queries` and `keys` are the places of its tokens; `mixed` says that its rows are no single head's. */
export interface ShownMap extends AttentionMap {
  queries: number[];
  keys?: number[];
  mixed: boolean;
  weighed?: boolean; // it shows how much is written
  full?: number; // the weight that has the full colour
  askers: (number | null)[] | null; // the places among those that ask of the tokens looked at; null where others ask
}

/** How a head is drawn: in which colour, whether it is off, whether special tokens are dimmed, by which scale weights are tinted. */
export interface HeadStyle {
  colour: string;
  off: boolean;
  dim: boolean;
  scale: MapState["scale"];
}
