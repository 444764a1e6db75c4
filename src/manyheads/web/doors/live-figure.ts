// The life of a figure that computes in the page, for all of them: it wakes, fetches its models or offers to, computes, and shows
// what came of it. The last thing that its reader did wins. It may be removed at any moment, and goes on where it is put back.

import { familyLabel, isOnRequest } from "../math/families.ts";
import { isPaused, WHY } from "../math/faults.ts";
import type { HeadModel } from "../models/head-model.ts";
import { inSight } from "../views/in-sight.ts";
import { failedTo, LOADING, loadWithProgress, megabytes, modelsScript, OFFERED } from "./page-models.ts";
import { Figure, whenSeen, withResolvers } from "./page-element.ts";
import { turns } from "./turns.ts";

/** What a figure computes with its models: at once where they answer at once, else a promise of it. */
export interface Task<Model, Result> {
  failure: string; // what could not be done, where it fails
  compute(models: Model[], signal: AbortSignal): Result | Promise<Result>;
  show(result: Result): void;
}

/** What a model throws that cannot read a sentence: the word that it does not know, null where it is not for a word, and known ones like it. */
export type Refusal = Error & { word: string | null; near: string[] };

const PATIENCE = 400; // milliseconds until a reader reads that something is being computed

export abstract class LiveFigure<Model extends { broken?: boolean } = HeadModel, View = unknown> extends Figure<View> {
  #models = new Map<string, Model>();
  /** Models that are on their way. */
  #loading = new Map<string, Promise<Model>>();
  /** Those that the last task waits for. */
  #awaited: string[] = [];
  #ready = withResolvers();
  #allowed = false; // to fetch a model that is fetched on request only
  /** The last task, as long as it is not done; whether it waits for its turn; and what aborts it. */
  #task: Task<Model, any> | null = null;
  #follows = false;
  #running = new AbortController();
  #interrupted = false;
  /** Whether being seen wakes it: where there is something to offer, or nothing is shown yet. */
  protected wakesWhenSeen = false;
  protected notLoaded = "The model could not be loaded";

  /** The names of the models that it computes with now; none where it shows only what is baked in. */
  protected abstract get modelNames(): string[];

  /** What it computes of its present state; null for a figure that computes only when its reader presses something. */
  protected task: Task<Model, any> | null = null;

  /** Shows how things stand; `act` is what a button after the text does. */
  protected abstract showStatus(text: string, act?: (() => void) | null, name?: string): void;

  /** What is shown answers to something else than the reader typed, as long as a model is only offered. */
  protected markOld(_old: boolean) {}

  /** Whether the reader typed something that waits for an answer. */
  protected get waits(): boolean {
    return false;
  }

  /** What waits, as the reader calls it. */
  protected get asked() {
    return "Your text";
  }

  /** What it says while that waits for a model. */
  protected waitsFor(model: string) {
    return `${this.asked} will be answered once the ${model} has loaded.`;
  }

  protected load(name: string, show: (text: string) => void): Promise<Model> {
    return loadWithProgress(name, show) as Promise<any>;
  }

  protected showProgress(text: string, act: (() => void) | null = null, name?: string) {
    this.showStatus(text, act, name);
  }

  /** Says that a model cannot read a sentence. */
  protected refuse(refusal: Refusal, failure: string) {
    this.showStatus(failedTo(failure, refusal));
  }

  /** Fulfilled once the figure computes for itself; asking for it starts the loading. */
  get ready(): Promise<void> {
    this.#allowed = true;
    this.drawNow();
    if (this.#task && this.#follows)
      this.run(this.#task); // somebody waits for it now
    else this.wake();
    return this.#ready.promise;
  }

  override connectedCallback() {
    super.connectedCallback();
    const task = this.#interrupted && this.#task;
    this.#interrupted = false;
    if (task) this.run(task, this.#follows);
    else if (this.#allowed) this.wake();
  }

  protected override listen(leaves: AbortSignal) {
    if (this.wakesWhenSeen) whenSeen(this, leaves, () => this.wake());
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    queueMicrotask(() => {
      // it may only be moved
      if (this.isConnected || !this.#task) return;
      this.#running.abort();
      this.#interrupted = true;
    });
  }

  /** Computes for the first time, unless it has, or is about to. */
  wake() {
    if (this.isConnected && !this.#models.size && !this.#loading.size) this.update();
  }

  /** Computes and shows the present state. */
  protected update() {
    if (this.task) this.run(this.task);
  }

  /** Does a task after a figure that it follows, when its turn comes; at once, where somebody waits for its present one. */
  protected runAfter<Result>(task: Task<Model, Result>) {
    this.run(task, this.#task === null || this.#follows);
  }

  /** Drops models that have stopped, so that they are loaded anew. */
  protected dropBroken() {
    for (const [name, model] of this.#models) if (model.broken) this.#models.delete(name);
  }

  /**
   * Does a task in place of the one before: at once, or, where it follows another figure's, when its turn comes. Where the models are
   * here and answer at once, and it need not wait, it is done when this returns.
   */
  protected run<Result>(task: Task<Model, Result>, follows = false) {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const names = this.modelNames;
    this.#task = names.length ? task : null;
    this.#follows = follows;
    this.#interrupted = !this.isConnected;
    if (!names.length) return this.#ready.resolve();
    if (!this.isConnected) return;
    if (names.every((name) => this.#models.has(name)) && !document.hidden) this.#compute(task, names, signal);
    else this.#fetchAll(task, names, signal);
  }

  async #fetchAll<Result>(task: Task<Model, Result>, names: string[], signal: AbortSignal) {
    if (document.hidden) await new Promise<void>((seen) => inSight(0, seen));
    if (signal.aborted) return;
    try {
      const large = this.#allowed
        ? []
        : names.filter((name) => isOnRequest(name) && !this.#models.has(name) && !this.#loading.has(name));
      if (large.length && (await this.#offer(large, signal))) return;
      if (signal.aborted) return;
      if (String(this.#awaited) !== String(names)) this.showProgress(LOADING);
      this.#awaited = names;
      await Promise.all(names.map((name) => this.#fetch(name)));
    } catch (error) {
      if (signal.aborted) return;
      const again = () => (this.showProgress(LOADING), this.run(task));
      if (isPaused(error)) {
        this.#allowed = false; // until its reader resumes it: what is typed meanwhile fetches nothing
        this.#stopAt(WHY.paused, () => ((this.#allowed = true), again()), "Resume");
      } else this.#stopAt(failedTo(this.notLoaded, error), again);
      return;
    }
    if (!signal.aborted) this.#compute(task, names, signal);
  }

  #fetch(name: string): Model | Promise<Model> {
    const known = this.#models.get(name) ?? this.#loading.get(name);
    if (known) return known;
    const pause = isOnRequest(name) ? async () => (await modelsScript()).pauseLoading(name) : null;
    const loading = this.load(name, (text) => this.#awaited.includes(name) && this.showProgress(text, pause, "Pause"));
    this.#loading.set(name, loading);
    const end = () => this.#loading.delete(name);
    loading.then((model) => (this.#models.set(name, model), end()), end);
    return loading;
  }

  /** Offers to fetch large models, with their size; false where nothing is missing, or the reader has asked by now. */
  async #offer(names: string[], signal: AbortSignal) {
    const { missingBytes, whenLoaded } = await modelsScript();
    const sizes = await Promise.all(names.map((name) => missingBytes(name)));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (bytes === 0 || this.#allowed) return false;
    if (signal.aborted) return true;
    const all = names.map(familyLabel).join(" and ");
    this.markOld(this.waits);
    this.showStatus(
      this.waits ? this.waitsFor(all) : OFFERED,
      () => this.#accept(false),
      `Load the ${all} (${megabytes(bytes)} MB)`,
    );
    LiveFigure.#acceptAfter(Promise.all(names.map(whenLoaded)), this); // at the wish of another figure
    return true;
  }

  /** Accepts an offer once the models are here. Until then only a weak reference is held: a closure of #offer or a signal would keep a figure that is gone. */
  static #acceptAfter(loaded: Promise<unknown>, element: LiveFigure<any>) {
    const figure = new WeakRef(element);
    loaded.then(() => {
      const waiting = figure.deref();
      if (waiting) waiting.#accept(!waiting.waits);
    });
  }

  #accept(follows: boolean) {
    this.#allowed = true;
    if (this.#task) this.run(this.#task, follows);
  }

  #compute<Result>(task: Task<Model, Result>, names: string[], signal: AbortSignal) {
    this.#awaited = [];
    const models = names.map((name) => this.#models.get(name) as Model);
    const compute = (ends: AbortSignal) => task.compute(models, ends);
    if (this.#follows)
      return this.#await(
        turns().after(this, signal, (ends) => this.#tellIfSlow(compute(ends), ends)),
        task,
        signal,
      );
    turns().act();
    let result;
    try {
      result = compute(signal);
    } catch (error) {
      return this.#fail(error, task, signal);
    }
    if (!(result instanceof Promise)) return this.#finish(result, task);
    turns().first(result);
    this.#await(this.#tellIfSlow(result, signal), task, signal);
  }

  async #await<Result>(promise: Promise<Result>, task: Task<Model, Result>, signal: AbortSignal) {
    let result;
    try {
      result = await promise;
    } catch (error) {
      return this.#fail(error, task, signal);
    }
    if (!signal.aborted) this.#finish(result, task);
  }

  /** A result that may come later; if it's long in coming, the reader is told. */
  async #tellIfSlow<Result>(result: Result | Promise<Result>, signal: AbortSignal) {
    const slow = setTimeout(() => signal.aborted || this.showProgress("Computing."), PATIENCE);
    return Promise.resolve(result).finally(() => clearTimeout(slow));
  }

  #finish<Result>(result: Result, task: Task<Model, Result>) {
    this.#task = null; // before it is shown: that may start another
    task.show(result);
    this.#ready.resolve();
  }

  #fail(error: unknown, task: Task<Model, any>, signal: AbortSignal) {
    this.dropBroken();
    if (signal.aborted) return;
    if (!(error instanceof Object && "word" in error))
      return this.#stopAt(failedTo(task.failure, error), () => this.run(task));
    this.#task = null;
    this.refuse(error as Refusal, task.failure);
    this.#ready.resolve();
  }

  /** Says why a task came to nothing, and offers to try it again. */
  #stopAt(text: string, again: () => void, name?: string) {
    this.#task = null;
    this.#awaited = [];
    this.showStatus(text, again, name);
  }
}

/** Several answers of models as one: at once, where all of them came at once. */
export const together = <Answer>(answers: (Answer | Promise<Answer>)[]): Answer[] | Promise<Answer[]> =>
  answers.some((answer) => answer instanceof Promise) ? Promise.all(answers) : (answers as Answer[]);
