// What <head-map> and a notebook's HeadMap show: one state, a change of it at a time, and the parts that draw it.

import type { StateParts } from "../../doors/state.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { offIn, withOff } from "../../math/heads-off.ts";
import type { MapState } from "../../math/map-state.ts";
import { capital } from "../../math/text.ts";
import { Announcer, summaryOf } from "../../views/announcer.ts";
import { OFFER, onUndo, type Told } from "../../views/controls.ts";
import { keepFocus, nextId } from "../../views/dom.ts";
import { WhyThere } from "../../views/why-there.ts";
import { Controls } from "./controls.ts";
import { shareMenu } from "./share-menu.ts";
import { Stage } from "./stage.ts";
import { drawnOf, reduce, startWith, type Action, type State } from "./state.ts";
import { Status } from "./status.ts";
import { Switches } from "./switches.ts";
import { Tools } from "./tools.ts";

export interface HeadMapOptions {
  change?: (chosen: MapState, names: string[]) => void; // the reader changed the named parts
  compute?: () => void; // another map is needed
  painted?: (map: AttentionMap) => void; // after every repaint
  asked?: (query: number | null) => void; // a token is pointed at, and asks; null where none is any more
  models?: string[]; // names, for a slider to run over
  readsText?: boolean; // else its models read drawings
  computes?: boolean; // false for a map of somebody's own attentions, which can only be looked at
  copies?: Record<string, () => string>; // texts that the menu can copy
  examples?: string; // sentences to press, with "|" between them
  tools?: boolean; // false for a map that is only its sentence and its heads
  behaviours?: string[] | null; // what each head mostly does: its colour, and its place in the grid
  fetch?: ((layers: number[], map: AttentionMap) => void) | null; // gets layers of a map that doesn't bring all
}

export class HeadMapView {
  state: State;
  readonly controls: Controls;
  #root: HTMLElement;
  #options: HeadMapOptions;
  #tools: Tools;
  #stage: Stage;
  #whyThere = new WhyThere(); // once a cell is pressed of a map whose model can tell
  #status = new Status();
  #announcer = new Announcer<AttentionMap>();
  #drawings = 0;

  constructor(root: HTMLElement, parts: StateParts, options: HeadMapOptions) {
    const {
      models = [],
      readsText = true,
      computes = true,
      copies = {},
      examples = "",
      tools = true,
      behaviours = null,
      fetch = null,
    } = options;
    const id = nextId("head-map");
    const dispatch = (action: Action) => this.dispatch(action);
    this.#root = root;
    this.#options = options;
    this.state = startWith(parts, { models, readsText, behaviours, computes, fetches: fetch !== null });
    const types = computes && readsText;
    this.#tools = new Tools(id, dispatch, { types, share: shareMenu(this, () => this.#stage.nodes, copies) });
    this.controls = new Controls(dispatch, tools ? this.#tools.edge : null, { models, types, examples });
    this.#stage = new Stage(id, this, new Switches(dispatch));
    root.replaceChildren(
      ...this.controls.nodes,
      ...(tools ? [this.#tools.node] : []),
      ...this.#stage.nodes,
      this.#whyThere.node,
      this.#status.node,
      this.#announcer.node,
    );
    this.#whyThere.node.hidden = true;
    for (const node of [this.#tools.edge, this.#tools.node, ...this.#stage.nodes])
      onUndo(node, (back) => dispatch({ type: back ? "undo" : "redo" }));
    this.#drawControls();
  }

  /** Another figure takes its place in the same root. */
  leave() {
    this.#stage.leave();
  }

  /** Changes the state, and does what then has to be done. A map that comes at once is drawn together with what called for it. */
  dispatch(action: Action) {
    const { state, needs, changed, layers } = reduce(this.state, action);
    this.state = state;
    if (changed) this.#announcer.changed();
    if (changed) this.#options.change?.(state.chosen, changed);
    const drawings = this.#drawings;
    if (needs === "map") this.#options.compute?.();
    if (needs === "ask") this.#ask();
    else if (needs === "paint")
      keepFocus(
        this.#root,
        () => this.#instead,
        () => this.#draw(),
      );
    else if (drawings === this.#drawings) this.#drawControls();
    if (layers?.length && state.map) this.#options.fetch?.(layers, state.map);
  }

  /** The reader chose. */
  choose(parts: Partial<MapState>) {
    this.dispatch({ type: "choose", parts });
  }

  /** Takes parts over from outside: from attributes, links, or a kernel's traits. */
  update(parts: StateParts) {
    this.dispatch({ type: "take", parts });
  }

  /** Shows a map and, where two sentences are compared, the second one's; `status`, if given, says how things stand then. */
  show(map: AttentionMap, compared: AttentionMap | null = null, status?: string) {
    if (map.written !== undefined && !this.state.map) this.statusFirst();
    this.dispatch({ type: "show", map, compared, status });
  }

  /** Says how things stand; `act` is what a button after the text does. */
  setStatus(...[text, act = null, name = "Try again", loaded]: Told) {
    this.dispatch({ type: "say", message: { text, act, name, loaded } });
  }

  /** Greys what doesn't answer to what was typed or chosen. */
  markOld(stale: boolean) {
    this.dispatch({ type: "stale", stale });
  }

  /** Moves the status up to the sentences: what it offers, or refuses, comes before what is shown. */
  statusFirst() {
    this.controls.compareRow.after(this.#status.node);
    this.#status.node.classList.add(OFFER);
  }

  // --- drawing

  /** What gets the focus where that which had it goes. */
  get #instead() {
    const { view } = this.#tools;
    return view?.getClientRects().length ? view : this.controls.sentence;
  }

  #drawControls() {
    const { explained } = this.state;
    this.#drawings++;
    this.controls.draw(this.state);
    this.#tools.draw(this.state);
    this.#stage.update(this.state);
    this.#status.draw(this.state);
    if (explained) this.#whyThere.ask(explained.map, explained.edge);
  }

  #draw() {
    const { map, shown, chosen } = this.state;
    const drawn = drawnOf(this.state);
    this.#drawControls();
    if (!map || !shown || !drawn) return;
    this.#stage.draw(this.state, map, drawn, shown);
    this.#whyThere.follow(map);
    const off = capital(withOff(offIn(chosen.headMask).length));
    this.#announcer.drawn((before) => `${summaryOf(map, chosen, before)}${off && ` ${off}.`}`, map);
    this.#options.painted?.(map);
  }

  #ask() {
    const { shown } = this.state;
    this.#stage.ask();
    this.#options.asked?.(shown && this.state.pointed !== null ? shown.map.queries[this.state.pointed] : null);
  }
}
