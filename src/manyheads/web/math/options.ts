// What can be chosen of a map, from options.json, a row an option. Python reads the same rows.

import rows from "../../shared/options.json";
import type { MapState } from "./map-state.ts";
import { readQuery, type Query } from "./query.ts";

/** A text, one of some values, a place counted from 0, or who asks: a place, a span, or a text that is to be found. */
export interface Option {
  kind: "text" | "choice" | "place" | "query";
  says: string;
  values?: Record<string, Value>; // of a choice; the first is where it starts
  start?: string | number | null; // where it starts, else
  label?: string; // of the tool that sets it, which may set several; a row without one has a control of its own
  former?: Record<string, string>; // what values were called once: links of yesterday still open
  computed?: boolean; // another map has to be computed for it
  shown?: boolean; // what is shown of a map depends on it: `shownMap` reads it
}

interface Value {
  note?: string; // what is said of a map that is shown so
  whole?: boolean; // told from whole rows: a page of a map that is shown so holds all tokens, whichever are chosen
}

export type OptionName = keyof typeof rows;

export const OPTIONS = rows as typeof rows & Record<OptionName, Option>;
export const OPTION_NAMES = Object.keys(rows) as OptionName[];

/** The options whose rows have such a column. */
export const namesWith = (column: keyof Option) => OPTION_NAMES.filter((name) => column in OPTIONS[name]);

/** The parts of the state that another map has to be computed for, and those that what is shown of a map depends on. */
export const COMPUTED: (keyof MapState)[] = [...namesWith("computed"), "headMask", "model"];
export const SHOWN: (keyof MapState)[] = [...namesWith("shown"), "headMask"];

/** A map's state before anybody chose anything. */
export const START = {
  ...Object.fromEntries(OPTION_NAMES.map((name) => [name, valuesOf(name)?.[0] ?? OPTIONS[name].start])),
  headMask: null,
  model: 0,
} as MapState;

/** The values of a choice; undefined for what is none. */
export function valuesOf(name: string) {
  const option: Option | undefined = OPTIONS[name as OptionName];
  return option?.values && Object.keys(option.values);
}

/** The value of an option that a text stands for; undefined where it's none that may be. */
export function readOption(name: OptionName, text: string): string | Query | undefined {
  const { kind, former }: Option = OPTIONS[name];
  if (kind === "text") return text;
  if (kind === "query") return readQuery(text);
  if (kind === "place") return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  const value = former && Object.hasOwn(former, text) ? former[text] : text;
  return valuesOf(name)?.includes(value) ? value : undefined;
}
