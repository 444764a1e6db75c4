// What a <field-exercise> knows: its fields, and what was typed into them when they were checked. No DOM.

import { readProgress } from "../../doors/progress.ts";
import { judge, type Field } from "./answers.ts";

export interface State {
  exercise: string; // its label
  fields: Field[];
  typed: string[] | null; // null where nothing was checked
}

export type Action = { type: "check"; typed: string[] } | { type: "clear" };

/** With what was answered on an earlier visit, unless that was to other fields. */
export function start(element: Pick<HTMLElement, "getAttribute">, baked: Field[] | null): State {
  const exercise = element.getAttribute("exercise") ?? "";
  const fields = baked ?? [];
  const typed = Array.from(readProgress()[exercise]?.typed ?? [], String);
  return { exercise, fields, typed: typed.length === fields.length ? typed : null };
}

export const reduce = (state: State, action: Action): State => ({
  ...state,
  typed: action.type === "check" ? action.typed : null,
});

/** What is told of each field; nothing before they're checked. */
export const verdictsOf = ({ fields, typed }: State) => typed?.map((text, at) => judge(fields[at], text)) ?? [];

export const isRight = (state: State) => state.typed !== null && verdictsOf(state).every(({ right }) => right);
