// What <head-map> and a notebook's HeadMap show: one state, a change of it at a time, and the parts that draw it.

import type { StateParts } from "../../doors/state.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { offIn, withOff } from "../../math/heads-off.ts";
import type { MapState } from "../../math/map-state.ts";
import { capital } from "../../math/text.ts";
import { Announcer, summaryOf } from "../../views/announcer.ts";
import { OFFER, onUndo, type Told } from "../../views/controls.ts";
import { keepFocus, nextId } from "../../views/dom.ts";
import { differing } from "../../views/host.ts";
import { WhyThere } from "../../views/why-there.ts";
import { Controls } from "./controls.ts";
import { undo } from "./map-part.ts";
import { shareMenu } from "./share-menu.ts";
import { Stage } from "./stage.ts";
import { args, drawnOf, reduce, startWith, type Action, type State } from "./state.ts";
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
  #drawn: State | null = null;

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
    this.#root = root;
    this.#options = options;
    this.state = startWith(parts, { models, readsText, behaviours, computes, fetches: fetch !== null });
    const types = computes && readsText;
    this.#tools = new Tools(id, this, { types, share: shareMenu(this, () => this.#stage.nodes, copies) });
    this.controls = new Controls(this, tools ? this.#tools.edge : null, { types, examples });
    this.#stage = new Stage(id, this, new Switches(this));
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
      onUndo(node, (back) => undo(this, back));
    this.#drawChanges();
  }

  /** Another figure takes its place in the same root. */
  leave() {
    this.#stage.leave();
  }

  /** The reader does something: what it comes to is said. */
  act = (action: Action) => {
    const before = this.state;
    this.#announcer.changed();
    this.dispatch(action);
    const names = differing(before.chosen, this.state.chosen);
    if (names.length) this.#options.change?.(this.state.chosen, names);
  };

  /** Changes the state, and does what then has to be done. A map that comes at once is drawn together with what called for it. */
  dispatch(action: Action) {
    const before = this.state;
    const drawings = this.#drawings;
    this.state = reduce(before, action);
    const asks = differing(args(before), args(this.state));
    if (asks.includes("layers")) this.#options.fetch?.(this.state.requested.at(-1)!, this.state.map!);
    else if (asks.length) this.#options.compute?.();
    if (drawings === this.#drawings) this.#drawChanges();
  }

  /** The reader chose. */
  choose(parts: Partial<MapState>) {
    this.act({ type: "choose", parts });
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

  /** Draws what differs from what is drawn. */
  #drawChanges() {
    const names = this.#drawn ? differing(this.#drawn, this.state) : ["shown"];
    this.#drawings++;
    this.#drawn = this.state;
    if (names.includes("shown"))
      keepFocus(
        this.#root,
        () => this.#instead,
        () => this.#draw(),
      );
    else if (String(names) === "pointed") this.#ask();
    else this.#drawControls();
  }

  #drawControls() {
    const { explained } = this.state;
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
