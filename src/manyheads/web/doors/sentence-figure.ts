// A figure that shows what one model makes of a sentence, by a view whose state its attributes write.

import { isFile, isOnRequest, madeWith } from "../math/families.ts";
import { followLinks, linkedParts } from "./figure-link.ts";
import { Figure, takeEarly, whenSeen, whenTouched } from "./page-element.ts";
import { EXAMPLE_SHOWN, OFFERED } from "./page-models.ts";
import { offerBelowSentence } from "../views/controls.ts";
import { partsOf, readPlain } from "./state.ts";
import { Task, type TaskOptions, type Tell } from "./task.ts";

interface SentenceView {
  state: any;
  update(state: object): void;
  lend(parts: object): void;
  setStatus: Tell;
}

export abstract class SentenceFigure<View extends SentenceView> extends Figure<View> {
  protected override drawsLate = true;
  protected abstract override task: Task<any>;
  #madeWith = ""; // the file, not open, that the link was made with which led here
  #wakesWhenSeen = false; // to offer a model, or to show what is not shown yet
  /** The attributes that write parts of the state. */
  protected abstract parts: readonly string[];
  /** Those of them that hold a number. */
  protected abstract numbers: readonly string[];
  /** Those that call for another result. */
  protected abstract computed: readonly string[];

  /** A task with its model, which is told of in its status. */
  protected makeTask<Model extends { broken?: boolean }>(options: Omit<TaskOptions<Model>, "models" | "tell">) {
    return new Task<Model>(this, { models: () => this.modelNames, tell: this.tell, ...options });
  }

  protected tell: Tell = (text, ...act) =>
    this.view?.setStatus([text, ...(this.#madeWith ? [madeWith(this.#madeWith)] : [])].join(" "), ...act);

  /** Fulfilled once the figure computes for itself; asking for it starts the loading. */
  get ready() {
    this.drawNow();
    return this.task.ready;
  }

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
    return Object.assign({}, ...this.parts.map((name) => this.readPart(name, this.getAttribute(name))));
  }

  /** The part of the state that an attribute writes by such a text. */
  protected readPart(name: string, text: string | null): Record<string, any> {
    return readPlain(name, text, this.numbers);
  }

  attributeChangedCallback(name: string) {
    if (!this.view) return;
    if (name !== "model") this.view.update(this.readPart(name, this.getAttribute(name)));
    if (name === "model") this.#madeWith = "";
    if (name === "model" || this.computed.includes(name)) this.task.run();
  }

  override lend(settings: Record<string, string>) {
    this.view?.lend(partsOf(settings, (name, text) => this.readPart(name, text)));
    if (Object.keys(settings).some((name) => this.computed.includes(name))) this.task.run();
  }

  /** Says what is drawn, an example or nothing yet, and waits for a reader to need the model. */
  protected standBy(isBaked: boolean, ...early: string[]) {
    const onRequest = this.modelNames.some(isOnRequest);
    if (onRequest) offerBelowSentence(this);
    this.tell(onRequest ? OFFERED : EXAMPLE_SHOWN);
    whenTouched(this, () => this.task.wake());
    this.#wakesWhenSeen = onRequest || !isBaked;
    takeEarly<any>(this, "sentence", ...early);
  }

  protected override listen(leaves: AbortSignal) {
    if (this.#wakesWhenSeen) whenSeen(this, leaves, () => this.task.wake());
  }

  /** The first of its kind with a model opens where a link leads; called while it listens. */
  protected followLinks(leaves: AbortSignal) {
    followLinks(this, `${this.localName}[model]`, this.parts, leaves);
    const { model = "" } = linkedParts(location.hash, this.localName) ?? {};
    if (isFile(model) && !this.modelNames.includes(model)) this.#madeWith = model;
  }
}
