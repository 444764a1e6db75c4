// A figure at work: one value holds all that it knows, `reduce` makes the next one of it, and a view draws that into nodes that are made
// once. No figure keeps anything else.

import { Announcer } from "./announcer.ts";
import { StatusLine, type Told } from "./controls.ts";
import { announce, arrange } from "./dom.ts";

/** Nodes, and what draws a state into them. */
export interface View<State> {
  nodes: Node[];
  draw(state: State): void;
}

/** What makes a figure of a state. */
export interface Parts<State, Action> {
  reduce(state: State, action: Action): State;
  /** Makes the view, once. */
  view(host: Host<State, Action>): View<State>;
  /** What a change came to, for those who listen; `before` is what stood here before the reader changed it. */
  summary?(state: State, before?: State): string;
  /** What is said whenever it changes, whoever changed it. */
  spoken?(state: State): unknown;
  /** The event after a drawing, unless its detail is that of the last one. */
  event?(state: State): [name: string, detail: unknown] | null;
  /** Several of them: the detail of each, by its name. */
  events?(state: State): Record<string, unknown>;
  /** The parts that an answer is made of: where one differs from before, another is asked for. */
  args?(state: State): object;
  /** What follows the status. */
  notes?(state: State): string[];
}

/** Whom a figure belongs to: an element of a page, or a kernel's widget. */
export interface Owner<State> {
  /** Another answer is needed: at once, or where it only follows what another figure did, when its turn comes. */
  ask?(follows: boolean): void;
  /** The reader changed something. */
  changed?(before: State, after: State): void;
}

export class Host<State, Action> {
  state: State;
  readonly root: HTMLElement;
  #parts: Parts<State, Action>;
  #owner: Owner<State>;
  #view: View<State>;
  #announcer = new Announcer<State>();
  #status = new StatusLine();
  #message: Told = [""];
  #drawings = 0;
  #details: Record<string, unknown> = {}; // of the last events

  constructor(root: HTMLElement, state: State, parts: Parts<State, Action>, owner: Owner<State> = {}) {
    this.state = state;
    this.root = root;
    this.#parts = parts;
    this.#owner = owner;
    this.#view = parts.view(this);
    const status = parts.args ? [this.#status.node] : []; // one without a model has none
    arrange(root, [...this.#view.nodes, ...status, this.#announcer.node]);
    this.#draw();
  }

  /** The reader does something: what it comes to is said, unless it's done `quietly`. */
  act = (action: Action, quietly = false) => {
    const before = this.state;
    if (!quietly) this.#announcer.changed();
    this.dispatch(action);
    this.#owner.changed?.(before, this.state);
  };

  /** Changes the state. An answer that comes at once is drawn together with what asked for it. */
  dispatch(action: Action, follows = false) {
    const { reduce, args, spoken } = this.#parts;
    const [before, drawings] = [this.state, this.#drawings];
    this.state = reduce(before, action);
    if (spoken && spoken(before) !== spoken(this.state)) this.#announcer.changed();
    if (args && differing(args(before), args(this.state)).length) this.#owner.ask?.(follows);
    if (this.#drawings === drawings) this.#draw();
  }

  /** Another figure did something that this one follows. */
  follow(action: Action) {
    this.dispatch(action, true);
  }

  /** Takes over parts of the state from outside. */
  update(parts: object) {
    this.dispatch({ type: "take", parts } as Action);
  }

  /** Takes over what a phrase or a link sets. */
  lend(parts: object) {
    this.dispatch({ type: "lend", parts } as Action);
  }

  /** Greys what doesn't answer to what was chosen. */
  markOld(stale: boolean) {
    this.dispatch({ type: "stale", stale } as Action);
  }

  /** Says how things stand. */
  setStatus(...message: Told) {
    this.#message = message;
    this.#drawStatus();
  }

  #drawStatus() {
    const [text, ...rest] = this.#message;
    this.#status.tell([text, ...(this.#parts.notes?.(this.state) ?? [])].join(" "), ...rest);
  }

  #draw() {
    const { summary, event, events } = this.#parts;
    this.#drawings++;
    this.#view.draw(this.state);
    this.#drawStatus();
    if (summary) this.#announcer.drawn((before) => summary(this.state, before), this.state);
    const single = event?.(this.state);
    this.#announce(events?.(this.state) ?? (single ? Object.fromEntries([single]) : {}));
  }

  #announce(details: Record<string, unknown>) {
    const before = this.#details;
    this.#details = details;
    for (const [name, detail] of Object.entries(details))
      if (detail !== null && detail !== before[name]) announce(this.root, name, detail);
  }
}

/** The names of the parts that one has otherwise than another. */
export const differing = <Of extends object>(one: Of, other: Of) =>
  (Object.keys(other) as (keyof Of & string)[]).filter((name) => one[name] !== other[name]);
