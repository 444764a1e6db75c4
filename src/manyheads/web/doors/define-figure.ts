// A figure of a page by what it is: what it knows at first, what is made of that by a change, how it's drawn. The element around it is
// the same for all.

import { Host, type Parts } from "../views/host.ts";
import { define, Figure } from "./page-element.ts";

export interface FigureParts<State, Action> extends Parts<State, Action> {
  /** What it knows at first, from its attributes and what is baked into it; null where that's nothing to draw. */
  start(element: HTMLElement, baked: any): State | null;
  /** What a new value of an attribute is to it. */
  attributes?: Record<string, (value: string) => Action>;
}

export function defineFigure<State, Action>(name: string, parts: FigureParts<State, Action>) {
  define(
    name,
    class extends Figure<Host<State, Action>> {
      static observedAttributes = Object.keys(parts.attributes ?? {});

      protected draw(baked: any) {
        const state = parts.start(this, baked);
        if (state) this.view = new Host(this, state, parts);
      }

      attributeChangedCallback(attribute: string, before: string | null, value: string | null) {
        if (value !== null && value !== before) this.view?.act(parts.attributes![attribute](value));
      }
    },
  );
}
