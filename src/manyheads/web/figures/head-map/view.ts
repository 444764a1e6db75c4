// What <head-map> and a notebook's HeadMap show, in a page and in a cell.

import { offIn, withOff } from "../../math/heads-off.ts";
import { endsOf } from "../../math/query.ts";
import { sourcesOf } from "../../math/sources.ts";
import { capital } from "../../math/text.ts";
import { failedTo } from "../../doors/page-models.ts";
import { summaryOf } from "../../views/announcer.ts";
import { isOnRequest } from "../../math/families.ts";
import { OFFER, offerBelowSentence, onUndo } from "../../views/controls.ts";
import { announce, setChildren, keepFocus, nextId } from "../../views/dom.ts";
import { differing, Host, type Owner, type View } from "../../views/host.ts";
import { WhyThere } from "../../views/why-there.ts";
import { Controls } from "./controls.ts";
import { undo } from "./map-part.ts";
import { shareMenu } from "./share-menu.ts";
import { makeStage } from "./stage.ts";
import { args, askingOf, reduce, type Action, type State } from "./state.ts";
import { notesOf } from "./status.ts";
import { makeSwitches } from "./switches.ts";
import { makeTools } from "./tools.ts";

export type MapFigure = Host<State, Action>;

const POINTED = ["pointed", "lookedAt", "dismissed", "looked", "sorted"]; // what the chosen view follows alone

export interface MapOptions {
  examples?: string; // sentences to press, with "|" between them
  tools?: boolean; // false for a map that is only its sentence and its heads
  copies?: (state: () => State) => Record<string, () => string>; // texts that the menu can copy
}

/** What is said of a refused sentence stands without notes on what is shown. */
const notes = (state: State) => (state.refused ? [] : notesOf(state));

export const FIGURE = { reduce, args, summary, notes, effect: (host: MapFigure) => () => askWithout(host) };

/** Asks the map's model what each source is for, once that's wanted of a map; what was wanted of another isn't. */
export function askWithout(host: MapFigure) {
  const { map, chosen, without } = host.state;
  if (chosen.mattered !== "asked" || !map?.withoutEach || map === without.map) return;
  host.dispatch({ type: "without", map });
  for (const answer of map.withoutEach(sourcesOf(map)))
    answer.then(
      (found) => host.dispatch({ type: "without", map, found }),
      (error) => {
        if (map !== host.state.without.map || error.name === "AbortError") return;
        host.act({ type: "without", map, found: null }, true);
        host.setStatus(failedTo("It can’t be told", error));
      },
    );
}

/** A map in `root`. */
export const mapFigure = (root: HTMLElement, state: State, options: MapOptions, owner: Owner<State>): MapFigure =>
  new Host(root, state, { ...FIGURE, view: (host) => view(host, options) }, owner);

function summary(state: State, before?: State) {
  const { map, chosen } = state;
  const off = capital(withOff(offIn(chosen.headMask).length));
  return `${summaryOf(map!, { ...chosen, query: askingOf(state) }, before?.map ?? undefined)}${off && ` ${off}.`}`;
}

/** A map's view, made anew for other models. */
export function view(host: MapFigure, options: MapOptions): View<State> {
  let made = viewOf(host, options);

  function draw(state: State, drawn: State | null) {
    if (!drawn || drawn.models === state.models) return made.draw(state, drawn);
    made.leave();
    made = viewOf(host, options);
    setChildren(host.root, [...made.nodes, ...host.reports]);
    if (host.statusNode.matches(`.${OFFER}`) || state.models.some(isOnRequest)) offerBelowSentence(host.root);
    return made.draw(state, null);
  }

  return { nodes: made.nodes, draw };
}

function viewOf(host: MapFigure, { examples = "", tools = true, copies }: MapOptions) {
  const { root } = host;
  const { computes, readsText } = host.state;
  const id = nextId("head-map");
  const types = computes && readsText;
  const share = shareMenu(
    host,
    () => stage.nodes,
    copies?.(() => host.state),
  );
  const panel = makeTools(id, host, { types, share });
  const controls = new Controls(host, tools ? panel.edge : null, { types, examples });
  const stage = makeStage(id, host, makeSwitches(host));
  const whyThere = new WhyThere(); // once a cell is pressed of a map whose model can tell
  whyThere.node.hidden = true;
  for (const node of [panel.edge, panel.node, ...stage.nodes]) onUndo(node, (back) => undo(host, back));

  /** What gets the focus where that which had it goes. */
  const instead = () => (panel.view()?.getClientRects().length ? panel.view() : controls.sentence);

  /** Draws what differs; false where what is shown of the map doesn't. */
  function draw(state: State, drawn: State | null) {
    const names = drawn ? differing(drawn, state) : ["shown"];
    if (!drawn?.map && state.map?.written !== undefined) offerBelowSentence(root);
    if (names.includes("shown")) keepFocus(root, instead, () => paint(state));
    else if (names.every((name) => POINTED.includes(name))) ask(state, names);
    else drawControls(state);
    return names.includes("shown") && state.shown !== null;
  }

  function drawControls(state: State) {
    controls.draw(state);
    panel.draw(state);
    stage.update(state);
    if (state.explained) whyThere.ask(state.explained.map, state.explained.edge);
  }

  function paint(state: State) {
    const { map } = state;
    drawControls(state);
    if (!map || !state.shown) return;
    stage.draw(state);
    whyThere.follow(map);
    announce(root, "attention", map);
  }

  function ask({ shown, pointed }: State, names: string[]) {
    stage.ask();
    if (names.includes("pointed"))
      announce(root, "ask", shown && pointed !== null ? shown.map.queries[endsOf(pointed)[0]] : null);
  }

  return {
    nodes: [...controls.nodes, ...(tools ? [panel.node] : []), ...stage.nodes, whyThere.node],
    draw,
    leave: stage.leave,
  };
}
