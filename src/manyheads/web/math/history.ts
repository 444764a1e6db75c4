// What the reader did, so that it can be undone and done again. A history is a value; each step gives another.

const TYPING_PAUSE = 1000; // milliseconds without a keystroke, after which what is typed is another step
const WRITTEN_PARTS = ["sentence", "compare"];
const MOST_STEPS = 200;

export interface History<State> {
  readonly past: readonly State[];
  readonly future: readonly State[];
  readonly last: string; // the parts that were changed last
  readonly when: number;
}

export const NEW: History<never> = { past: [], future: [], last: "", when: -Infinity };

/** The history after the named parts of `state` were changed at `when`, in milliseconds; keystrokes without a pause are one step. */
export function record<State>(history: History<State>, state: State, names: string[], when: number): History<State> {
  const last = names.join(" ");
  const goesOn =
    last === history.last &&
    WRITTEN_PARTS.includes(last) &&
    when - history.when < TYPING_PAUSE &&
    history.past.length > 0;
  return { past: goesOn ? history.past : [...history.past, state].slice(-MOST_STEPS), future: [], last, when };
}

/** The state before `now`, or the one after it, and the history that goes with it; null where there is none. */
export function stepped<State>(
  { past, future }: History<State>,
  now: State,
  back: boolean,
): { found: State; history: History<State> } | null {
  const found = (back ? past : future).at(-1);
  if (found === undefined) return null;
  const [before, after] = back ? [past.slice(0, -1), [...future, now]] : [[...past, now], future.slice(0, -1)];
  return { found, history: { past: before, future: after, last: "", when: -Infinity } };
}
