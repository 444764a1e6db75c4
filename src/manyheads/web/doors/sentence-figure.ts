// A figure that shows what one model makes of a sentence, by a view whose state its attributes write.

import { isOnRequest } from "../math/families.ts";
import { followLinks } from "./figure-link.ts";
import { LiveFigure } from "./live-figure.ts";
import { takeEarly, whenTouched } from "./page-element.ts";
import { EXAMPLE_SHOWN, OFFERED } from "./page-models.ts";

interface SentenceView {
  state: { sentence: string };
  update(state: object): void;
  setStatus(text: string, act?: (() => void) | null, name?: string): void;
}

export abstract class SentenceFigure<View extends SentenceView, Model extends { broken?: boolean }> extends LiveFigure<
  Model,
  View
> {
  protected override drawsLate = true;
  /** The attributes that write parts of the state. */
  protected abstract parts: readonly string[];
  /** Those of them that hold a number. */
  protected abstract numbers: readonly string[];
  /** Those that call for another result. */
  protected abstract computed: readonly string[];

  get sentence() {
    return this.view?.state.sentence ?? this.getAttribute("sentence") ?? "";
  }

  set sentence(text: string) {
    this.setAttribute("sentence", text);
  }

  protected get modelNames() {
    return [this.getAttribute("model") ?? ""].filter(Boolean);
  }

  /** The state as the attributes write it. */
  protected get written(): Record<string, any> {
    return Object.assign({}, ...this.parts.map((name) => this.readPart(name)));
  }

  /** The part of the state that an attribute writes. */
  protected readPart(name: string): Record<string, any> {
    const text = this.getAttribute(name);
    if (text === null) return {};
    return { [name]: this.numbers.includes(name) ? Number(text) || 0 : text };
  }

  attributeChangedCallback(name: string) {
    if (!this.view) return;
    if (name !== "model") this.view.update(this.readPart(name));
    if (name === "model" || this.computed.includes(name)) this.update();
  }

  /** Says what is drawn, an example or nothing yet, and waits for a reader to need the model. */
  protected begin(isBaked: boolean, ...early: string[]) {
    const onRequest = this.modelNames.some(isOnRequest);
    this.showStatus(onRequest ? OFFERED : EXAMPLE_SHOWN);
    whenTouched(this, () => this.wake());
    this.wakesWhenSeen = onRequest || !isBaked; // to offer a model, or to show what is not shown yet
    takeEarly<any>(this, "sentence", ...early);
  }

  /** The first of its kind with a model opens where a link leads; called while it listens. */
  protected followLinks(leaves: AbortSignal) {
    followLinks(this, `${this.localName}[model]`, this.parts, leaves);
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.view?.setStatus(text, act, name);
  }
}
