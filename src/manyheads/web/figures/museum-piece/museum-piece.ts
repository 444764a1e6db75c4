// <museum-piece>: a live map with one switch, which puts a bug into the attention, or another mask where its attributes
// `switch`, `off` and `on` say so, and a table of what that changes. The map inside is a <head-map> with two models, the right one and
// the one with a bug of bugs.ts; the switch chooses between them. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { attendAs, followMap, MAP_INSIDE, mapIn } from "../../doors/leaning.ts";
import { together } from "../../doors/task.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { fill, h, rowsOf, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { isOn, reduce, start, type Action, type PieceMap, type State } from "./state.ts";

const FAILURE = "What changes could not be computed";

function view({ root, act }: Host<State, Action>) {
  const written = (name: string, otherwise: string) => root.getAttribute(name) ?? otherwise;
  const turn = () => act({ type: "switch", on: toggle.checked });
  const toggle = h("input", { type: "checkbox", role: "switch", onchange: turn });
  const status = h("span", { class: "mp-state" });
  const name = h("span", {}, h("b", {}, `${written("switch", "The bug")}: `), written("label", ""));
  const compared = [written("off", "right"), written("on", "with the bug")];
  const heads = ["What changes here", ...compared].map((text) => h("th", { scope: "col" }, text));
  const body = h("tbody");
  const changes = h("table", { class: "mp-changes" }, h("thead", {}, h("tr", {}, ...heads)), body);

  function draw(state: State) {
    const isBroken = isOn(state);
    const rows = state.rows ?? [];
    toggle.checked = state.on;
    root.classList.toggle("mp-on", isBroken);
    setText(status, isBroken ? "on" : state.on ? "not yet" : "off");
    changes.hidden = !rows.length;
    fill(body, rows.length, () => h("tr", {}, h("th", { scope: "row" }), h("td"), h("td")));
    rows.forEach((texts, at) => texts.forEach((text, column) => setText(rowsOf(body)[at].cells[column], text)));
  }

  return { nodes: [h("label", { class: "mp-switch" }, toggle, name, status), mapIn(root), changes], draw };
}

defineFigure<State, Action, HeadModel, PieceMap[]>("museum-piece", {
  start,
  reduce,
  view,
  properties: MAP_INSIDE,
  listen: followMap,
  effect:
    ({ root }) =>
    (action) => {
      const map = mapIn(root);
      if (action.type === "switch" && map.models) map.model = map.models[Number(action.on)]; // its script may come later
    },
  args: (state) => ({ compared: isOn(state) ? state.map!.attention : null }),
  work: {
    leans: true,
    models: ({ state }) => (isOn(state) ? state.map!.models : []),
    notLoaded: FAILURE,
    progress: () => {}, // the map inside says so
    failure: FAILURE,
    compute: (models, { root }) => together(models.map((model) => attendAs(mapIn(root), model))) as PieceMap[],
    answer: (maps) => ({ type: "show", maps }),
    tells: ({ state }) => (state.rows?.length ? "" : "On this sentence, nothing that we measure changes."),
  },
});
