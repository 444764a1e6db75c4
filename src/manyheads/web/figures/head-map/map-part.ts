// What a map's views get, and what they are.

import type { MapOnScreen, MapState, ShownMap } from "../../math/map-state.ts";
import type { AttentionEdge } from "../../math/score-parts.ts";

/** What the views of a map ask of the figure they are in. */
export interface MapHost extends MapOnScreen {
  behaviours: string[] | null; // what each head of each layer mostly does, by the names of names.json
  mostHeads: number; // of the models to choose from; 0 where there is one
  rest: number; // the place of the token that asks while nobody points at another
  pinned: boolean;
  readsText: boolean; // what its models read; else drawings
  point(place: number | null): void; // somebody points at a token
  pin(place: number | null): void; // it goes on asking
  explain(edge: AttentionEdge): void; // of the map that is shown: why does its head look there?
  askersOf(map: ShownMap): (number | null)[] | null;
  keyOf(map: ShownMap, query: number): number;
  set(state: Partial<MapState>): void; // the reader chose
  dress(node: HTMLElement, layer: number, head: number): void; // in a head's colour
  placeName(place: HTMLElement, layer: number, head: number): void; // which is the head's switch where heads are shown one by one
}

/** One of the views. */
export interface MapPart {
  placesToggles?: boolean; // it shows the heads' switches; else the bar does
  draw(map: ShownMap, compared: ShownMap | null): void;
  ask?(): void; // another token asks
  leave?(): void; // another view takes its place
}
