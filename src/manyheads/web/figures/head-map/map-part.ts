// What a map's views get, and what they are.

import type { ShownMap } from "../../math/map-state.ts";
import type { Host } from "../../views/host.ts";
import type { Action, State } from "./state.ts";

/** What the figure knows at present, and how it's told what its reader does, or only points at. */
export type MapHost = Pick<Host<State, Action>, "state" | "act" | "dispatch">;

/** Undoes the last step, or does it again. */
export function undo(host: MapHost, back: boolean) {
  if (host.state.history[back ? "past" : "future"].length) host.act({ type: back ? "undo" : "redo" });
}

/** No token goes on asking, or is pointed at. */
export function unpin(host: MapHost) {
  if (host.state.pinned) host.act({ type: "pin", query: null });
  else host.dispatch({ type: "point", query: null });
}

/** Puts a head's name into a place: its switch, where heads are shown one by one. */
export type PlaceName = (place: HTMLElement, layer: number, head: number) => void;

/** One of the views. */
export interface MapPart {
  placesToggles?: boolean; // it shows the heads' switches; else the bar does
  draw(map: ShownMap, compared: ShownMap | null): void;
  ask?(): void; // another token asks
  askerAt?(node: Element): number | null; // the place among those that ask of one of its words that is no cell
  leave?(): void; // another view takes its place
}
