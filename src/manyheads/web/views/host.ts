// A figure at work: one value holds all that it knows, `reduce` makes the next one of it, and a view draws that into nodes that are made
// once. No figure keeps anything else.

import { Announcer } from "./announcer.ts";
import { StatusLine, type Message } from "./controls.ts";
import { announce, setChildren } from "./dom.ts";

/** Nodes, and what draws a state into them. */
export interface View<State> {
  nodes: Node[]; // the host's reports come after them, unless they are among them
  /** Draws a state; `before` is what is drawn, nothing at first. False where there's nothing to sum up. */
  draw(state: State, before: State | null): boolean | void;
}

/** What makes a figure of a state. */
export interface Parts<State, Action> {
  reduce(state: State, action: Action): State;
  /** Makes the view, once. */
  view(host: Host<State, Action>): View<State>;
  /** What a change came to, for those who listen, nothing until that's known; `before` is what was drawn before the reader's change. */
  summary?(state: State, before?: State): string | null;
  /** What is said whenever it changes, whoever changed it. */
  spoken?(state: State): unknown;
  /** Makes what an action does outside of the figure; what comes back of it at once is drawn together with it. */
  effect?(host: Host<State, Action>): (action: Action, before: State) => void;
  /** Events after a drawing, by their names: each with its detail, unless that is null or the one before. */
  events?(state: State): Record<string, unknown>;
  /** The parts that an answer is made of: where one differs from before, another is asked for. */
  args?(state: State): object;
  /** What is said in place of the status. */
  message?(state: State): string;
  /** What follows the status. */
  notes?(state: State): string[];
}

/** Whom a figure belongs to: an element of a page, or a kernel's widget. */
export interface Owner<State> {
  /** Another answer is needed: at once, or where it only follows what another figure did, when its turn comes. `names` are those of the args that differ. */
  ask?(follows: boolean, names: string[]): void;
  /** The reader changed something. */
  changed?(before: State, after: State): void;
}

export class Host<State, Action> {
  state: State;
  readonly root: HTMLElement;
  readonly reports: Node[]; // how things stand, and what a change came to
  #parts: Parts<State, Action>;
  #owner: Owner<State>;
  #view: View<State>;
  #drawn: State | null = null;
  #effect: ((action: Action, before: State) => void) | undefined;
  #announcer = new Announcer<State>();
  #status = new StatusLine();
  #message: Message = [""];
  #drawings = 0;
  #details: Record<string, unknown> = {}; // of the last events

  constructor(root: HTMLElement, state: State, parts: Parts<State, Action>, owner: Owner<State> = {}) {
    this.state = state;
    this.root = root;
    this.#parts = parts;
    this.#owner = owner;
    const status = parts.args ? [this.statusNode] : []; // one without a model has none
    this.reports = [...status, ...(parts.summary ? [this.#announcer.node] : [])];
    this.#view = parts.view(this);
    setChildren(root, [...new Set([...this.#view.nodes, ...this.reports.filter(({ parentNode }) => !parentNode)])]);
    this.#effect = parts.effect?.(this);
    this.#draw();
  }

  /** The line of the status: below all, unless the view has put it elsewhere. */
  get statusNode() {
    return this.#status.node;
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
    const names = args ? differing(args(before), args(this.state)) : [];
    if (names.length) this.#owner.ask?.(follows, names);
    this.#effect?.(action, before);
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

  /** Takes over what a phrase or a link sets: what that comes to is said as well. */
  lend(parts: object) {
    this.#announcer.changed();
    this.dispatch({ type: "lend", parts } as Action);
  }

  /** Greys what doesn't answer to what was chosen. */
  markOld(stale: boolean) {
    this.dispatch({ type: "stale", stale } as Action);
  }

  /** Says how things stand. */
  setStatus(...message: Message) {
    this.#message = message;
    this.#drawStatus();
  }

  #drawStatus() {
    const message = this.#parts.message?.(this.state);
    if (message) return this.#status.tell(message);
    const [text, ...rest] = this.#message;
    const notes = this.#parts.notes?.(this.state) ?? [];
    this.#status.tell([text, ...notes].filter(Boolean).join(" "), ...rest);
  }

  #draw() {
    const { summary, events } = this.#parts;
    const { state } = this;
    this.#drawings++;
    const drawn = this.#drawn;
    this.#drawn = state;
    const isWhole = this.#view.draw(state, drawn) !== false;
    this.#drawStatus();
    if (summary && isWhole) this.#announcer.drawn((before) => summary(this.state, before) ?? "", state);
    const [details, before] = [events?.(state) ?? {}, this.#details];
    this.#details = details;
    for (const [name, detail] of Object.entries(details))
      if (detail !== null && detail !== before[name]) announce(this.root, name, detail);
  }
}

/** The names of the parts that one has otherwise than another. */
export const differing = <Of extends object>(one: Of, other: Of) =>
  (Object.keys(other) as (keyof Of & string)[]).filter((name) => one[name] !== other[name]);
