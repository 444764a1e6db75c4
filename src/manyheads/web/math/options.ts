// What can be chosen of a map, from options.json, a row an option: its kind (a text, one of some values, or a place counted from
// 0), its values or where it starts, what it is called among the tools, and what it does. Python reads the same rows.

import rows from "../../shared/options.json";
import type { MapState } from "./map-state.ts";

export interface Option {
  kind: "text" | "choice" | "place";
  says: string;
  values?: string[]; // the first is where it starts
  start?: string | number | null; // where it starts, else
  label?: string; // among the tools; a row without one has a control of its own
  names?: string[]; // of the values, where they're called otherwise there
  former?: Record<string, string>; // what values were called once: links of yesterday still open
}

export type OptionName = keyof typeof rows;

export const OPTIONS = rows as Record<OptionName, Option>;
export const OPTION_NAMES = Object.keys(rows) as OptionName[];

/** A map's state before anybody chose anything. */
export const START = {
  ...Object.fromEntries(OPTION_NAMES.map((name) => [name, OPTIONS[name].values?.[0] ?? OPTIONS[name].start])),
  headMask: null,
  model: 0,
} as MapState;

/** The value of an option that a text stands for; undefined where it's none that may be. */
export function readOption(name: OptionName, text: string): string | number | undefined {
  const { kind, values, former } = OPTIONS[name];
  if (kind === "text") return text;
  if (kind === "place") return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  const value = former && Object.hasOwn(former, text) ? former[text] : text;
  return values?.includes(value) ? value : undefined;
}
