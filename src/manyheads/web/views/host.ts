// A figure at work: one value holds all that it knows, `reduce` makes the next one of it, and a view draws that into nodes that are made
// once. No figure keeps anything else.

import { Announcer } from "./announcer.ts";
import { announce } from "./dom.ts";

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
  /** What a change came to, for those who listen. */
  says?(state: State): string;
  /** What the page is told at each drawing: an event's name, and its detail. */
  tells?(state: State): [name: string, detail: unknown];
}

export class Host<State, Action> {
  state: State;
  readonly root: HTMLElement;
  #parts: Parts<State, Action>;
  #view: View<State>;
  #announcer = new Announcer();

  constructor(root: HTMLElement, state: State, parts: Parts<State, Action>) {
    this.state = state;
    this.root = root;
    this.#parts = parts;
    this.#view = parts.view(this);
    root.replaceChildren(...this.#view.nodes, this.#announcer.node);
    this.#draw();
  }

  /** The reader does something: what it comes to is said. */
  act = (action: Action) => {
    this.#announcer.changed();
    this.dispatch(action);
  };

  dispatch(action: Action) {
    this.state = this.#parts.reduce(this.state, action);
    this.#draw();
  }

  #draw() {
    const { says, tells } = this.#parts;
    this.#view.draw(this.state);
    if (says) this.#announcer.drawn(() => says(this.state));
    if (tells) announce(this.root, ...tells(this.state));
  }
}
