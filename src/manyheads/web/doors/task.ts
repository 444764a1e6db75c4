// What a figure computes in the page, for all that do: a job is done with its models, and what came of it is shown. The last thing that
// its reader did wins. A figure may be removed at any moment, and goes on where it is put back.

import { isFile } from "../math/families.ts";
import { Fault } from "../math/faults.ts";
import type { HeadModel } from "../models/head-model.ts";
import type { Message } from "../views/controls.ts";
import { focusedIn } from "../views/dom.ts";
import { Models, type ModelsOptions, type Status } from "./figure-models.ts";
import { failedTo } from "./page-models.ts";
import { turns } from "./turns.ts";

/** What is computed with the models: at once where they answer at once, else a promise of it. */
export interface Job<Model, Result> {
  failure: string; // what could not be done, where it fails
  compute(models: Model[], signal: AbortSignal): Result | Promise<Result>;
  show(result: Result): void;
}

/** What a model throws that cannot read a sentence: the word that it does not know, null where it is not for a word, and known ones like it. */
export type Refusal = Error & { word: string | null; near: string[] };

/** Shows how things stand. */
export type Tell = (...message: Message) => void;

/** What a figure asks of its task. */
export interface TaskOptions<Model> extends ModelsOptions<Model> {
  /** The names of the models that it computes with now; none where it shows only what is baked in. */
  models: () => string[];
  tell: Tell;
  /** What is computed of the present state; without one, only what a reader presses is. */
  job?: Job<Model, any>;
  /** Tells what goes on meanwhile, where that is told otherwise. */
  progress?: Tell;
  /** Says that a model cannot read a sentence. */
  refuse?: (refusal: Refusal, failure: string) => void;
}

const PATIENCE = 400; // milliseconds until a reader reads that something is being computed

/** What its reader reads meanwhile, as `what` is called. */
export const answeredLater = (model: string, what = "Your text") =>
  `${what} will be answered once the ${model} has loaded.`;

export class Task<Model extends { broken?: boolean } = HeadModel> {
  status: Status = "idle";
  #figure: HTMLElement;
  #options: TaskOptions<Model>;
  #models: Models<Model>;
  #job: Job<Model, any> | undefined; // the last one; whether it waits for its turn; and what aborts it
  #follows = false;
  #running = new AbortController();
  #settling: ((how?: Promise<never>) => void)[] = []; // what waits for its end
  #becomeReady = () => {};
  #ready = new Promise<void>((done) => (this.#becomeReady = done));

  /** `figure` is what takes its turn, as long as it's in the page. */
  constructor(figure: HTMLElement, options: TaskOptions<Model>) {
    this.#figure = figure;
    this.#options = options;
    this.#models = new Models(this, options);
    figure.addEventListener("keydown", (event) => this.#pressKey(event));
  }

  /** Whether the last job is still to be done. */
  get #isPending() {
    return !["idle", "ready", "failed"].includes(this.status);
  }

  /** Fulfilled once the figure computes for itself; asking for it starts the loading. */
  get ready(): Promise<void> {
    this.#models.isAllowed = true;
    if (this.#isPending && this.#follows)
      this.again(); // somebody waits for it now
    else this.wake();
    return this.#ready;
  }

  /** Fulfilled once the last job, whichever it is by then, is done; rejected where it fails. */
  get settled() {
    return new Promise<void>((done) => (this.#isPending ? this.#settling.push(done) : done()));
  }

  /** Its figure is in a page. */
  enter() {
    if (this.status === "away") this.again(this.#follows);
  }

  /** Its figure has left the page, or is only moved. */
  async leave() {
    await null;
    if (this.#figure.isConnected || !this.#isPending) return;
    this.#running.abort();
    this.status = "away";
  }

  /** Computes for the first time, unless it has, or is about to. */
  wake() {
    if (this.#models.isEmpty) this.again();
  }

  /** Does the last job anew. */
  again(follows = false) {
    this.#follows = follows;
    this.run(this.#job, { follows });
  }

  /**
   * Does a job in place of the one before: at once, or, where it follows another figure's and nobody waits for the one before, when its
   * turn comes. Where the models are here and answer at once, and it need not wait, it is done when this returns.
   */
  run<Result>(job: Job<Model, Result> | undefined = this.#options.job, { follows = false } = {}) {
    if (!job) return;
    this.#running.abort();
    this.#running = new AbortController();
    this.#job = job;
    this.#follows = follows && (this.#follows || !this.#isPending);
    this.status = this.#figure.isConnected ? "loading" : "away";
    if (this.status === "away") return;
    const isTyped = !this.#follows && focusedIn(this.#figure)?.localName === "textarea";
    const isHeld = isTyped && turns().waitsForEnter && this.#options.models().some(isFile);
    if (!isHeld) return void this.#begin();
    this.#options.offered?.(true);
    this.show("held", "Press Enter to have it read.", () => void this.#begin(), "Read it");
  }

  #pressKey(event: KeyboardEvent) {
    if (this.status !== "held" || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void this.#begin();
  }

  /** Fetches what the last job needs, and does it. Where the models are here and answer at once, nothing is awaited. */
  async #begin() {
    const { signal } = this.#running;
    const job = this.#job!;
    const names = this.#options.models();
    if (!names.length) return this.#finish();
    const models = this.#models.here(names) ?? (await this.#models.fetch(names, signal));
    if (!models || signal.aborted) return;
    let slow: ReturnType<typeof setTimeout> | undefined;
    const work = (ends: AbortSignal) => {
      slow = setTimeout(() => ends.aborted || this.show("computing", "Computing."), PATIENCE);
      return job.compute(models, ends);
    };
    this.status = "computing";
    let result;
    try {
      result = this.#follows ? turns().after(this.#figure, signal, work) : turns().first(() => work(signal));
      if (result instanceof Promise) result = await result;
    } catch (error) {
      this.#models.dropBroken();
      if (signal.aborted) return;
      const text = failedTo(job.failure, error);
      const { tell, refuse = () => tell(text) } = this.#options;
      if (error instanceof Object && "word" in error) this.#finish(() => refuse(error as Refusal, job.failure));
      else this.show("failed", text, () => this.again());
      return;
    } finally {
      clearTimeout(slow);
    }
    if (!signal.aborted) this.#finish(() => job.show(result));
  }

  #finish(show = () => {}) {
    this.status = "ready"; // before it is shown: that may start another
    show();
    this.#becomeReady();
    for (const done of this.#settling.splice(0)) done();
  }

  /** Says how the last job stands. */
  show(status: Status, ...message: Message) {
    this.status = status;
    const { tell, progress = tell } = this.#options;
    (status === "loading" || status === "computing" ? progress : tell)(...message);
    if (status !== "failed") return;
    for (const done of this.#settling.splice(0)) done(Promise.reject(new Fault(message[0])));
  }
}

/** Several answers of models as one: at once, where all of them came at once. */
export const together = <Answer>(answers: (Answer | Promise<Answer>)[]): Answer[] | Promise<Answer[]> =>
  answers.some((answer) => answer instanceof Promise) ? Promise.all(answers) : (answers as Answer[]);
