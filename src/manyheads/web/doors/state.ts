// How the state of a map is written, in attributes and in links. No DOM.

import { offOf } from "../math/heads-off.ts";
import type { MapState } from "../math/map-state.ts";
import { OPTION_NAMES, OPTIONS, readOption, START } from "../math/options.ts";
import { writeQuery } from "../math/query.ts";

/** The parts of a state that attributes and links name; `off` lists the heads that are off: "0.3 5.11", layer.head. */
export const WRITTEN: string[] = [...OPTION_NAMES, "off"];

/** Parts of a state, with the heads that are off as [layer, head]; of a link, the file that it was made with and that isn't open. */
export type StateParts = Partial<MapState> & { off?: number[][]; madeWith?: string };

/** The part of the state that a written value stands for: nothing, where it is none of what may be. */
export function readPart(name: string, text: string | null): StateParts {
  if (name === "off")
    return text === null
      ? {}
      : { off: [...text.matchAll(/\b(\d{1,3})\.(\d{1,3})\b/g)].map(([, ...place]) => place.map(Number)) };
  const option = OPTION_NAMES.find((each) => each === name);
  if (!option) return {};
  const { kind, start } = OPTIONS[option];
  if (text === null) return kind === "text" && start === null ? { [option]: null } : {};
  if (text === "" && kind === "place" && start === null) return { [option]: null }; // all heads again
  const value = readOption(option, text);
  return value === undefined ? {} : { [option]: value };
}

/** A state as [name, value] pairs for a link or a tag, without what is as at the start: `layer` there; `model` is its name. */
export function writeState(state: MapState, model: string, layer = 0) {
  const pairs = model ? [["model", model]] : [];
  const start = { ...START, layer };
  for (const name of OPTION_NAMES)
    if ((state[name] ?? start[name]) !== start[name])
      pairs.push([name, name === "query" ? writeQuery(state.query) : String(state[name])]);
  const off = offOf(state.headMask);
  if (off) pairs.push(["off", off]);
  return pairs;
}

/** What a page's "#..." sets of the map that is called one of `places`; null where it sets nothing. */
export function linkedState(
  hash: string,
  places: string[],
): { model: string | null; state: MapState & { off: number[][] } } | null {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const place = params.get("map");
  if (!place || !places.includes(place)) return null;
  const parts = WRITTEN.map((name) => readPart(name, params.get(name)));
  return { model: params.get("model"), state: Object.assign({ ...START, off: [] }, ...parts) };
}

/** The parts of a state that several written values stand for, each read by `read`. */
export const partsOf = <Parts>(settings: Record<string, string>, read: (name: string, text: string) => Parts): Parts =>
  Object.assign({}, ...Object.entries(settings).map(([name, text]) => read(name, text)));

/** The part that a text stands for in a figure without options of its own; `numbers` names those that are numbers. */
export const readPlain = (name: string, text: string | null, numbers: readonly string[]): Record<string, any> =>
  text === null ? {} : { [name]: numbers.includes(name) ? Number(text) || 0 : text };
