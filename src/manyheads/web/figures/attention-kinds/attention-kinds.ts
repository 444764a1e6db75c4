// <attention-kinds kind="latent" sentence="...">: layer 1 of the focus model with the kind of attention that its reader chooses, and
// what a cache then keeps of the sentence. The map inside is a <head-map> with a model for each kind. No DOM while the module loads.

import { defineFigure } from "../../doors/define-figure.ts";
import { attendAs, followMap, MAP_INSIDE, mapIn, seenOf } from "../../doors/leaning.ts";
import { setFigure } from "../../doors/phrases.ts";
import { readPlain } from "../../doors/state.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { ATTENTION_KINDS } from "../../math/kinds.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { h, nextId, setProps, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { comparedOf, keptOf, modelOf, nameOf, PLAIN, reduce, startWith, summary, tokensIn } from "./state.ts";
import type { Action, Settings, State } from "./state.ts";

const FAILURE = "What the kind changes could not be computed";

function view({ root, act, state: { caches }, reports }: Host<State, Action>) {
  const group = nextId("attention-kinds");
  const rows = Object.keys(caches).map((kind) => makeRow(kind, group, () => act({ type: "choose", parts: { kind } })));
  const keeps = h("p", { class: "ak-says" });
  const radios = h("div", { role: "radiogroup", "aria-label": "Kind of attention" }, ...rows.map(({ node }) => node));
  const changes = h("p", { class: "ak-changes" });

  function draw(state: State) {
    setText(keeps, `What a cache keeps of these ${tokensIn(state)} tokens, in layer 1, with 16 bits a number:`);
    for (const row of rows) row.draw(state);
    setText(changes, state.changes);
  }

  return { nodes: [keeps, radios, changes, ...reports, mapIn(root)], draw };
}

/** A kind to choose, and a bar of what it keeps. */
function makeRow(kind: string, group: string, choose: () => void) {
  const { says } = ATTENTION_KINDS[kind];
  const input = h("input", { type: "radio", name: group, value: kind, onchange: choose });
  const name = h("span", { class: "ak-name" }, h("b", {}, nameOf(kind)), " ", h("span", {}, says));
  const bar = h("i");
  const room = h("span", { class: "ak-bar", "aria-hidden": "true" }, bar);
  const size = h("span", { class: "ak-bytes" });

  function draw(state: State) {
    const { bytes, long, bricks } = keptOf(state, kind);
    bar.style.setProperty("--long", long.toFixed(4));
    bar.style.setProperty("--bricks", String(bricks));
    setText(size, bytes);
    setProps(input, { checked: kind === state.kind, ariaLabel: `${nameOf(kind)}, ${says}: ${bytes}` });
  }

  return { node: h("label", { class: "ak-kind" }, input, name, room, size), draw };
}

/** What is set, as the map inside knows it: its model is the kind. */
const settingsOf = ({ kind, ...parts }: Settings) => (kind ? { ...parts, model: modelOf(kind) } : parts);

defineFigure<State, Action, HeadModel, AttentionMap>("attention-kinds", {
  start: (element, baked) => startWith(baked, seenOf(mapIn(element))),
  reduce,
  view,
  summary,
  attributes: ["kind", "sentence", "query"],
  read: (name, text) => readPlain(name, text, ["query"]),
  properties: { ...MAP_INSIDE, kind: ({ kind }) => kind },
  methods: { lend: ({ act }, parts) => act({ type: "lend", parts }) },
  late: true,
  listen: (host, leaves) => void customElements.whenDefined("head-map").then(followMap(host, leaves)),
  effect:
    ({ root }) =>
    (action) => {
      if (!("parts" in action)) return;
      if (action.type === "lend") setFigure(mapIn(root), settingsOf(action.parts));
      else Object.assign(mapIn(root), settingsOf(action.parts));
    },
  args: (state) => ({ compared: comparedOf(state) }),
  work: {
    leans: true,
    models: ({ state }) => (comparedOf(state) ? [modelOf(PLAIN)] : []),
    notLoaded: FAILURE,
    progress: () => {}, // the map inside says so
    failure: FAILURE,
    compute: ([model], { root }) => attendAs(mapIn(root), model),
    answer: (plain) => ({ type: "show", plain }),
    tells: () => "",
  },
});
