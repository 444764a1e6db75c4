// One of a map's tools: a list that sets an option, or several options that say together what is shown.

import type { MapState } from "../../math/map-state.ts";
import { OPTIONS, START, type Option, type OptionName } from "../../math/options.ts";
import { canRollOut, changesSomething } from "../../math/shown.ts";
import { rangeIn, rangeText } from "../../math/token-range.ts";
import { chooser, field, fillOptions, lineBox } from "../../views/controls.ts";
import { setValue } from "../../views/dom.ts";
import type { State } from "./state.ts";

type Choose = (parts: Partial<MapState>) => void;
interface Tool {
  node: HTMLElement;
  draw(state: State): void;
}

/** The tool with this label for these options. */
export function makeTool(label: string, names: OptionName[], choose: Choose): Tool {
  if (names.length === 1) return makeList(label, names[0], choose);
  return OPTIONS[names[0]].kind === "place" ? makeRange(label, choose) : makeMix(label, choose);
}

/** The values of one option. */
function makeList(label: string, name: OptionName, choose: Choose): Tool {
  const { values = {} }: Option = OPTIONS[name];
  const select = chooser(label, (value) => choose({ [name]: value }));
  const names = Object.keys(values);
  fillOptions(select, names, names, START[name] as string);
  return { node: field(select), draw: ({ chosen }) => setValue(select, String(chosen[name])) };
}

/** What is shown of the heads: their attention or what they write, each or their mean; or a rollout, which is all heads' attention. */
const MIXES: Record<string, Partial<MapState>> = {
  attention: { weigh: "attention", heads: "each", layers: "one" },
  "mean of the heads": { weigh: "attention", heads: "average", layers: "one" },
  "amount written": { weigh: "written", heads: "each", layers: "one" },
  "mean amount written": { weigh: "written", heads: "average", layers: "one" },
  "rollout of all layers": { layers: "rollout" },
};

function makeMix(label: string, choose: Choose): Tool {
  const select = chooser(label, (name) => choose(MIXES[name]));
  const isAt = (chosen: MapState, parts: Partial<MapState>) =>
    Object.entries(parts).every(([name, value]) => chosen[name as OptionName] === value);
  const draw = ({ chosen, map }: State) => {
    const single = { ...chosen, layers: "one" } as MapState; // as if there were no rollout, which leaves no other choice
    const state = map && canRollOut(map) ? chosen : single;
    const present = Object.keys(MIXES).findLast((name) => isAt(state, MIXES[name])) as string;
    const isOffered = (name: string) =>
      name === present ||
      !map ||
      Object.entries(MIXES[name]).every(
        ([option, value]) =>
          value === START[option as OptionName] || changesSomething(map, single, option as OptionName),
      );
    const names = Object.keys(MIXES).filter(isOffered);
    fillOptions(select, names, names, present);
  };
  return { node: field(select), draw };
}

/** The first and the last token that are shown. */
function makeRange(label: string, choose: Choose): Tool {
  let count = 1; // tokens
  const box = lineBox(label, { size: 7, placeholder: "all", inputmode: "numeric" }, (text) =>
    choose(rangeIn(text, count)),
  );
  return {
    node: field(box),
    draw({ chosen, map }) {
      count = map?.shape[3] ?? 1;
      setValue(box, rangeText(chosen, count));
    },
  };
}
