// <whole-model model="focus" sentence="...">: a model from its tokens up to its answer. Each part adds to a string for each token, and
// beside it stands the answer so far; a part that's pressed is off. `answer` names one of several questions, `off` parts as
// "0.1 2.feed-forward 4.attention", `layer` the one that is open and `head` the one of it whose journey is, all from 0.

import { defineFigure } from "../../doors/define-figure.ts";
import { answeredLater } from "../../doors/task.ts";
import { forgotten } from "../../math/heads-off.ts";
import { partMaskOf, type Machine } from "../../math/machine.ts";
import { decodeMatrices } from "../../math/wire.ts";
import type { WholeModel } from "../../models/head-model.ts";
import { isOld, readOff, reduce, startWith, writeOff, type Action, type State } from "./state.ts";
import { summary, view } from "./view.ts";

interface Both {
  machine: Machine;
  whole: Machine;
}

/** The part of the state that an attribute's value stands for. */
function read(name: string, text: string | null) {
  if (name === "off") return text === null ? {} : { off: readOff(text) };
  if (name === "layer" || name === "head") return { [name]: text && /^\d+$/.test(text) ? Number(text) : null };
  return text === null ? {} : { [name]: text };
}

/** What the model makes of the sentence, and what it makes with all parts on; at once, where the model answers at once. `soon` has it before the answers so far. */
function compute(
  model: WholeModel,
  { chosen, whole, of, live }: State,
  signal: AbortSignal,
  soon: (both: Both) => void,
): Both | Promise<Both> {
  const { sentence, off, layer } = chosen;
  const mask = partMaskOf(off, model.numLayers, model.numHeads);
  const inside = layer !== null && layer < model.numLayers ? layer : null;
  const known = live && of?.sentence === sentence ? whole : null;
  const before = mask ? (known ?? model.machine(sentence, null, { soFar: false, signal })) : null;
  const machine = model.machine(sentence, mask, {
    layer: inside,
    signal,
    soon: async (one) => {
      const all = await Promise.resolve(before ?? one).catch(() => null); // whose failure is told below
      if (all && !signal.aborted) soon({ machine: one, whole: all });
    },
  });
  const other = before ?? machine;
  if (!(machine instanceof Promise) && !(other instanceof Promise)) return { machine, whole: other };
  return Promise.all([machine, other]).then(([one, all]) => ({ machine: one, whole: all }));
}

defineFigure<State, Action, WholeModel, Both>("whole-model", {
  start(element, baked, parts) {
    const stored = (baked?.stored ?? []).map((one: any) => ({ ...decodeMatrices(one), off: readOff(one.off) }));
    return startWith(parts, stored, element.hasAttribute("model"));
  },
  reduce,
  view,
  summary,
  events: ({ machine }) => ({ attention: machine }),
  args: ({ chosen: { sentence, off, layer } }) => ({ sentence, off, layer }),
  attributes: ["sentence", "answer", "off", "layer", "head"],
  read,
  properties: {
    sentence: ({ chosen }) => chosen.sentence,
    off: ({ chosen }) => writeOff(chosen.off),
    machine: ({ machine }) => machine, // all numbers on the screen: `adds`, `scores`, `labels`, `parts`
  },
  notes: ({ machine, forgot }) => [...(forgot ? [forgotten("parts")] : []), ...(machine?.notes ?? [])],
  styles: ["whole-model.css"],
  late: true,
  work: {
    failure: "The model could not be computed",
    compute: ([model], host, signal) =>
      compute(model, host.state, signal, (both) => host.dispatch({ type: "show", ...both })),
    answer: (both) => ({ type: "show", ...both }),
    waits: (state, model) => (isOld(state) ? answeredLater(model) : null),
    loses: { type: "lose" },
  },
});
