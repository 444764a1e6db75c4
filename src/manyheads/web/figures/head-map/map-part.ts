// What a map's views get, and what they are.

import type { ShownMap } from "../../math/map-state.ts";
import type { Action, State } from "./state.ts";

/** What the figure knows at present, and how it's told what its reader does. */
export interface MapHost {
  readonly state: State;
  dispatch(action: Action): void;
}

/** Puts a head's name into a place: its switch, where heads are shown one by one. */
export type PlaceName = (place: HTMLElement, layer: number, head: number) => void;

/** One of the views. */
export interface MapPart {
  placesToggles?: boolean; // it shows the heads' switches; else the bar does
  draw(map: ShownMap, compared: ShownMap | null): void;
  ask?(): void; // another token asks
  leave?(): void; // another view takes its place
}
