// A figure of a page by what it is: what it knows at first, what is made of that by a change, how it's drawn. The element around it is
// the same for all.

import { isFile } from "../math/families.ts";
import { Host, type Parts } from "../views/host.ts";
import { define, dressPage, Figure } from "./page-element.ts";
import { READY } from "./page-models.ts";
import { SentenceFigure } from "./sentence-figure.ts";
import type { TaskOptions } from "./task.ts";

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

export interface SentenceParts<State, Action, Model, Result> extends Parts<State, Action> {
  /** What it knows at first, from the parts that its attributes write, what is baked into it, and the element itself. */
  start(parts: any, baked: any, element: HTMLElement): State;
  /** The attributes that write parts of the state, and the part that each writes by a text. */
  attributes: string[];
  read(name: string, text: string | null): Record<string, any>;
  /** What a page can ask of it. */
  properties: Record<string, (state: State) => unknown>;
  styles: string[];
  /** What is done where a reader's file takes the place of its model, or goes. */
  loses?: Action;
  /** What is said while something that its reader chose waits for a model; null where nothing does. */
  waits?(state: State, model: string): string | null;
  args(state: State): { sentence: string };
  load?: TaskOptions<Model>["load"];
  failure: string; // what could not be done
  compute(models: Model[], state: State, signal: AbortSignal): Result | Promise<Result>;
  answer(result: Result): Action;
}

export function defineSentenceFigure<State, Action, Model extends { broken?: boolean }, Result>(
  name: string,
  parts: SentenceParts<State, Action, Model, Result>,
) {
  const { start, attributes, properties, styles, load, failure, compute, answer, waits } = parts;
  class Element extends SentenceFigure<Host<State, Action>> {
    static observedAttributes = ["model", ...attributes];
    protected parts = attributes;
    protected numbers = [];
    protected computed = []; // the host asks
    protected override task = this.makeTask<Model>({
      ...(load && { load }),
      ...(waits && {
        waits: (model) => this.view && waits(this.view.state, model),
        offered: (old: boolean) => this.view?.markOld(old),
      }),
      job: {
        failure,
        compute: (models, signal) => compute(models, this.view!.state, signal),
        show: (result: Result) => {
          this.tell(READY);
          this.view!.dispatch(answer(result));
        },
      },
    });

    protected draw(baked: any) {
      dressPage("head-map.css", ...styles);
      this.view = new Host(this, start(this.written, baked, this), parts, { ask: () => this.task.run() });
      this.standBy(Boolean(baked));
    }

    protected override readPart(attribute: string, text: string | null) {
      return parts.read(attribute, text);
    }

    override get sentence() {
      return this.view ? parts.args(this.view.state).sentence : super.sentence;
    }

    override set sentence(text: string) {
      super.sentence = text;
    }

    override attributeChangedCallback(attribute: string, before: string | null = null, after: string | null = null) {
      const isOther = attribute === "model" && [before, after].some((model) => isFile(model ?? ""));
      if (isOther && parts.loses) this.view?.dispatch(parts.loses);
      super.attributeChangedCallback(attribute);
    }
  }
  for (const [property, read] of Object.entries(properties))
    Object.defineProperty(Element.prototype, property, {
      get(this: Element) {
        return this.view ? read(this.view.state) : null;
      },
    });
  define(name, Element);
}
