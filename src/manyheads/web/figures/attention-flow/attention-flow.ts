// <attention-flow>: the journey of one asking word, from its vector to the model's answer, and every number on it open to its
// arithmetic. One renderer with two doors, as head-map.ts: the default export is for kernels (Python computes), the custom element
// for pages.

import { copyMenu } from "../../doors/copy-menu.ts";
import { defineFigure } from "../../doors/define-figure.ts";
import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-model.ts";
import { seenOf } from "../../doors/leaning.ts";
import { mapById, type LiveMap } from "../../doors/page-element.ts";
import { loadFormula } from "../../doors/page-models.ts";
import { frameFor, linkTo, pairsOf, tagFor } from "../../doors/sharing.ts";
import { partsOf, readPlain } from "../../doors/state.ts";
import { turns } from "../../doors/turns.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import { maskOf, offIn, toggledIn } from "../../math/heads-off.ts";
import { hostHere } from "../../math/host.ts";
import { FLAGS } from "../../math/names.ts";
import { firstOf } from "../../math/query.ts";
import type { Flow, FlowState } from "../../math/steps.ts";
import { decodeSteps } from "../../math/wire.ts";
import { h } from "../../views/dom.ts";
import { differing, Host } from "../../views/host.ts";
import { argsOf, chosenOf, isOther, newsOf, reduce, startWith, wantedOf, type Action, type State } from "./state.ts";
import { STATIONS } from "./stations.ts";
import { summary, view } from "./view.ts";

const NAME = "attention-flow";
const FIGURE = {
  reduce,
  view,
  summary,
  spoken: ({ arrived }: State) => arrived,
  events: ({ flow, arrived }: State) => ({ station: arrived, steps: flow }),
  args: argsOf,
  notes: ({ flow }: State) => flow?.notes ?? [],
};

// -------------------------------------------------------------------------------- the first door: kernels

const NUMBERS = ["layer", "head", "query"];

/** The part of the state that an attribute's value stands for. */
const read = (name: string, text: string | null): Record<string, any> =>
  FLAGS.includes(name) ? { [name]: text !== null && text !== "off" } : readPlain(name, text, NUMBERS);

/** Which trait of Python's `AttentionFlow` holds which part of the state. */
export const TRAITS = {
  sentence: "sentence",
  layer: "layer",
  head: "head",
  query: "query",
  answer: "answer",
  station: "station",
  cell: "cell",
  causal: "causal",
  padding: "padding",
  unscaled: "unscaled",
};

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map attention-flow" }));
  return openDoor(model, root, TRAITS, ["_flow"], {
    kind: NAME,
    make(parts, change) {
      const host: Host<State, Action> = new Host(root, startWith(parts), FIGURE, {
        changed: (before, after) => change(chosenOf(after), differing(chosenOf(before), chosenOf(after))),
      });
      root.addEventListener("station", () => change(chosenOf(host.state), ["station", "cell"]));
      return host;
    },
    show(host) {
      const flow = decodeSteps({ ...model.get("_flow"), parameters: model.get("_parameters") }) as Flow; // what is learned comes apart, once
      host.dispatch({ type: "show", flow });
    },
    lend: (host, settings) => (host.lend(partsOf(settings, read)), chosenOf(host.state)),
  });
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const RESTS = 400; // milliseconds that a word is pointed at until it counts as asked

type FlowModel = ((state: FlowState, options: { signal: AbortSignal; headMask: HeadMask }) => Flow | Promise<Flow>) & {
  broken?: boolean;
};

const modelOf = (figure: HTMLElement) => figure.getAttribute("model");

/** The map that a figure follows; null where it follows none. */
function followedBy(figure: HTMLElement): LiveMap | null {
  const id = figure.getAttribute("for");
  if (id !== "") return mapById(id, figure);
  const isAbove = (map: LiveMap) => map.compareDocumentPosition(figure) & Node.DOCUMENT_POSITION_FOLLOWING;
  return [...document.querySelectorAll<LiveMap>("head-map")].findLast(isAbove) ?? null;
}

/** Whether a map computes with a figure's model: its heads are then on or off there as well. */
const leads = (map: LiveMap | null, figure: HTMLElement): map is LiveMap =>
  Boolean(map?.computedBy) && map!.computedBy === modelOf(figure);

function headMaskOf({ headMask }: State, { root }: Host<State, Action>) {
  const map = followedBy(root);
  return leads(map, root) ? map.headMask : headMask;
}

/** Sets which heads are on, in the map that is followed where that has the same model, or will; else `turn` does. */
function setHeadMask({ root }: Host<State, Action>, headMask: HeadMask, turn: (action: Action) => void) {
  const map = followedBy(root);
  if (map?.model === modelOf(root)) map.headMask = headMask;
  else turn({ type: "turn", headMask });
}

/** Turns a head off, or on again. */
function turnHead(host: Host<State, Action>, place: number[]) {
  const off = toggledIn(offIn(headMaskOf(host.state, host)), place);
  const headMask = maskOf(off, place[0] + 2, host.state.flow!.headNames.length);
  setHeadMask(host, headMask, host.act); // where a map is turned, that says it
}

/** Follows the map. What it shows is taken over when the journey's turn comes. */
function listen(host: Host<State, Action>, leaves: AbortSignal) {
  const { root } = host;
  const map = followedBy(root);
  if (!map) return;
  let rests = 0;
  const hear = (pointed: number | null) => {
    const { sentence, query, headMask } = map;
    const isLeader = leads(map, root);
    const heard = {
      sentence,
      query: firstOf(query),
      headMask,
      leads: isLeader,
      enlarged: isLeader ? map.enlarged : null,
    };
    host.follow({ type: "hear", map: heard, pointed });
    if (String(Object.keys(newsOf(host.state))) !== "query") return; // nothing to compute
    const takeOver = () => host.dispatch({ type: "follow" });
    turns()
      .after(root, leaves, takeOver)
      .catch(() => {}); // it left
  };
  const rest = ({ detail }: CustomEventInit<number | null>) => {
    clearTimeout(rests);
    if (detail != null) rests = window.setTimeout(() => hear(detail), RESTS);
  };
  host.dispatch({ type: "meet", query: seenOf(map).query });
  map.addEventListener("attention", () => hear(null), { signal: leaves });
  map.addEventListener("ask", rest, { signal: leaves });
  if (map.computedBy) hear(null); // it went on while the journey stood as the build drew it
}

/** What copies the journey: a link to it, or what shows it on another page. */
function menuOf(host: Host<State, Action>) {
  const folder = new URL("../", import.meta.url); // its attention-flow.js leads to that of each version
  const pairs = () => {
    const { causal, padding, unscaled, cell, answer, ...state } = chosenOf(host.state);
    const on = Object.entries({ causal, padding, unscaled }).flatMap(([name, is]) => (is ? [[name, "on"]] : []));
    const given = { ...(answer && { answer }), ...(cell && { cell }) };
    return [...pairsOf({ model: modelOf(host.root) ?? "", ...state }), ...on, ...pairsOf(given)];
  };
  return copyMenu({
    link: () => linkTo(location.href, [["figure", NAME], ...pairs()]),
    tag: () => tagFor(folder, NAME, pairs()),
    frame: () => frameFor(folder, NAME, pairs()),
  });
}

/**
 * `for` lets it follow a <head-map>: its sentence, the word that was asked last in it, and, where both have the same model, the
 * head that is enlarged in it and those that are off. It is the id of the map, or, where it says nothing, the nearest map above. A page
 * may set `sentence`, `layer`, `head`, `query` and `station` as well, as attributes or as properties.
 *
 * `answer` begins the journey one layer below: it's the fact that the model answers in the end, "sentiment". The word that its head
 * looks at most asks, in the head `head` of layer 1, and then goes on to the answer. That head has a switch then, and of the map that
 * it follows, only the sentence and the heads that are off are taken over.
 */
defineFigure<State, Action, FlowModel, Flow>(NAME, {
  ...FIGURE,
  start(_, baked, parts) {
    const state = startWith(parts);
    return baked ? reduce(state, { type: "show", flow: decodeSteps(baked) as Flow }) : state;
  },
  view: (host) => view(host, { ...(!hostHere() && { menu: menuOf(host) }), turn: (...place) => turnHead(host, place) }),
  attributes: ["sentence", "layer", "head", "query", "answer", ...FLAGS, "station", "cell"],
  read,
  properties: {
    stations: () => STATIONS.map(({ name }) => name), // in their order
    sentence: (state) => chosenOf(state).sentence,
    station: (state) => chosenOf(state).station,
    layer: (state) => chosenOf(state).layer,
    head: (state) => chosenOf(state).head,
    query: (state) => chosenOf(state).query,
    headMask: headMaskOf, // [layer][head], false for each head that is off; null for all on
    // All matrices on the way: {tokens, head, X, Q, K, V, scores, masked, weights, context, concat, output, ...}, those from Q to
    // context of the chosen head, `scores` already divided by the root; and `maps`, what all heads look at.
    steps: ({ flow }) => flow,
  },
  sets: { headMask: (host, headMask) => setHeadMask(host, headMask, (action) => host.dispatch(action)) },
  methods: { seek: (host, at) => host.dispatch({ type: "jump", at }) }, // stations count from 0, and 2.5 is between two
  styles: ["attention-flow.css"],
  late: true,
  linked: `${NAME}[model]`,
  listen,
  work: {
    load: (...loading) => loadFormula(({ flowOf }) => flowOf, ...loading),
    failure: "The journey could not be computed",
    compute: ([flowOf], host, signal) =>
      flowOf(wantedOf(host.state), { signal, headMask: headMaskOf(host.state, host) }),
    answer: (flow) => ({ type: "show", flow }),
    waits: (state, model) => (isOther(state) ? `To see this head, the ${model} has to load.` : null),
  },
});
