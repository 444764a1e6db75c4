// When a figure keeps its height: while somebody types, so that the page below stays where it is. No DOM.

const TYPED = ["sentence", "compare"];
const STILL = ["headMask", "query", "find", "head"]; // may change while the height is kept

/** Whether a second sentence comes or goes: a map of two needs another height. */
export const addsSentence = ({ compare }: Partial<MapState>, before: MapState) =>
  compare !== undefined && (compare === null) !== (before.compare === null);

/** What happens to the height when the reader changes parts of the state. */
export function heightWhenChosen(change: Partial<MapState>, before: MapState): "keep" | "keepAtLeast" | "release" | "stay" {
  const names = Object.keys(change);
  if (addsSentence(change, before)) return "release";
  if (names.every((name) => TYPED.includes(name))) return "keep";
  if (names.includes("model")) return "keepAtLeast";
  return names.every((name) => STILL.includes(name)) ? "stay" : "release";
}

/** Whether the height may stay as it is when the reader undoes a change of the named parts, or does it again. */
export const staysWhenUndone = (names: string[]) => names.every((name) => TYPED.includes(name) || STILL.includes(name));
