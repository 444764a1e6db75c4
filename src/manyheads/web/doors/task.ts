// What a figure computes in the page, for all that do: its models are fetched, or offered, a job is done with them, and what came of
// it is shown. The last thing that its reader did wins. A figure may be removed at any moment, and goes on where it is put back.

import { familyLabel, isFile, isOnRequest } from "../math/families.ts";
import { Fault, isPaused, WHY } from "../math/faults.ts";
import type { HeadModel } from "../models/head-model.ts";
import type { Told } from "../views/controls.ts";
import { focusedIn } from "../views/dom.ts";
import { inSight } from "../views/in-sight.ts";
import {
  failedTo,
  LOADING,
  loadWithProgress,
  megabytes,
  modelsScript,
  OFFERED,
  type ShowLoading,
} from "./page-models.ts";
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
export type Tell = (...told: Told) => void;

/** What a figure asks of its task. */
export interface TaskOptions<Model> {
  /** The names of the models that it computes with now; none where it shows only what is baked in. */
  models: () => string[];
  tell: Tell;
  /** What is computed of the present state; without one, only what a reader presses is. */
  job?: Job<Model, any>;
  load?: (name: string, show: ShowLoading) => Promise<Model>;
  notLoaded?: string;
  /** Tells what goes on meanwhile, where that is told otherwise. */
  progress?: Tell;
  /** What is said while something that its reader typed waits for a model; null where nothing does. */
  waits?: (model: string) => string | null;
  /** A model is only offered, and what is shown answers to something else than the reader typed, or not. */
  offered?: (old: boolean) => void;
  /** Says that a model cannot read a sentence. */
  refuse?: (refusal: Refusal, failure: string) => void;
}

const PATIENCE = 400; // milliseconds until a reader reads that something is being computed

/** What its reader reads meanwhile, as `what` is called. */
export const answeredLater = (model: string, what = "Your text") =>
  `${what} will be answered once the ${model} has loaded.`;

export class Task<Model extends { broken?: boolean } = HeadModel> {
  #status: "idle" | "away" | "offered" | "held" | "loading" | "computing" | "ready" | "failed" = "idle";
  #figure: Element;
  #options: Required<Omit<TaskOptions<Model>, "job">>;
  /** Those that are here, and those that are on their way. */
  #models = new Map<string, Model | Promise<Model>>();
  /** The names of those that the last job waits for. */
  #awaited: string[] = [];
  #becomeReady = () => {};
  #ready = new Promise<void>((done) => (this.#becomeReady = done));
  #allowed = false; // to fetch a model that is fetched on request only
  #present: Job<Model, any> | undefined; // what is computed of the present state
  #settling: { done: () => void; failed: (error: Fault) => void }[] = []; // what waits for the end of the last job
  #job: Job<Model, any> | undefined; // the last one; whether it waits for its turn; and what aborts it
  #follows = false;
  #running = new AbortController();

  /** `figure` is what takes its turn, as long as it's in the page. */
  constructor(figure: Element, { job, ...options }: TaskOptions<Model>) {
    this.#figure = figure;
    figure.addEventListener("keydown", (event) => this.#enterKey(event as KeyboardEvent));
    this.#present = job;
    this.#options = {
      load: loadWithProgress as Required<TaskOptions<any>>["load"],
      notLoaded: "The model could not be loaded",
      progress: options.tell,
      waits: () => null,
      offered: () => {},
      refuse: (refusal, failure) => options.tell(failedTo(failure, refusal)),
      ...options,
    };
  }

  /** How the last job stands; "away" where its figure left the page before it was done. */
  get status() {
    return this.#status;
  }

  /** Whether the last job is still to be done. */
  get #isPending() {
    return !["idle", "ready", "failed"].includes(this.#status);
  }

  /** Fulfilled once the figure computes for itself; asking for it starts the loading. */
  get ready(): Promise<void> {
    this.#allowed = true;
    if (this.#isPending && this.#follows)
      this.run(this.#job); // somebody waits for it now
    else this.wake();
    return this.#ready;
  }

  /** Fulfilled once the last job, whichever it is by then, is done; rejected where it fails. */
  get settled() {
    return new Promise<void>((done, failed) => (this.#isPending ? this.#settling.push({ done, failed }) : done()));
  }

  #settle(error?: Fault) {
    for (const { done, failed } of this.#settling.splice(0))
      if (error) failed(error);
      else done();
  }

  /** Its figure is in a page. */
  enter() {
    if (this.#status === "away") this.run(this.#job, this.#follows);
    else if (this.#allowed) this.wake();
  }

  /** Its figure has left the page. */
  leave() {
    queueMicrotask(() => {
      // it may only be moved
      if (this.#figure.isConnected || !this.#isPending) return;
      this.#running.abort();
      this.#status = "away";
    });
  }

  /** Computes for the first time, unless it has, or is about to. */
  wake() {
    if (this.#figure.isConnected && !this.#models.size) this.run();
  }

  /** Does a job after a figure that it follows, when its turn comes; at once, where somebody waits for its present one. */
  runAfter(job = this.#present) {
    this.run(job, !this.#isPending || this.#follows);
  }

  /** Drops models that have stopped, so that they are loaded anew. */
  #dropBroken() {
    for (const [name, model] of this.#models) if ((model as Model).broken) this.#models.delete(name);
  }

  /**
   * Does a job in place of the one before: at once, or, where it follows another figure's, when its turn comes. Where the models are
   * here and answer at once, and it need not wait, it is done when this returns.
   */
  run<Result>(job: Job<Model, Result> | undefined = this.#present, follows = false, entered = false) {
    if (!job) return;
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const names = this.#options.models();
    if (names.some(isFile)) this.#dropBroken(); // another file of that name may have taken its place
    this.#job = job;
    this.#follows = follows;
    this.#status = !names.length ? "ready" : this.#figure.isConnected ? "loading" : "away";
    if (this.#status === "ready") return this.#becomeReady();
    if (this.#status === "away") return;
    if (!follows && !entered && turns().waitsForEnter && names.some(isFile) && this.#isTyping) return this.#hold(job);
    const models = names.map((name) => this.#models.get(name));
    if (models.every((model) => model && !(model instanceof Promise)) && !document.hidden)
      this.#compute(job, models as Model[], signal);
    else this.#fetchAll(job, names, signal);
  }

  get #isTyping() {
    return focusedIn(this.#figure as HTMLElement)?.localName === "textarea";
  }

  /** Waits for its reader to press Enter. */
  #hold(job: Job<Model, any>) {
    this.#status = "held";
    this.#options.offered(true);
    this.#options.tell("Press Enter to have it read.", () => this.run(job, false, true), "Read it");
  }

  #enterKey(event: KeyboardEvent) {
    if (this.#status !== "held" || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.run(this.#job, false, true);
  }

  async #fetchAll<Result>(job: Job<Model, Result>, names: string[], signal: AbortSignal) {
    if (document.hidden) await new Promise<void>((seen) => inSight(0, seen));
    if (signal.aborted) return;
    let models;
    try {
      const large = this.#allowed ? [] : names.filter((name) => isOnRequest(name) && !this.#models.has(name));
      if (large.length && (await this.#offer(large, signal))) return;
      if (signal.aborted) return;
      if (String(this.#awaited) !== String(names)) this.#options.progress(LOADING, null, "", 0);
      this.#awaited = names;
      models = await Promise.all(names.map((name) => this.#fetch(name)));
    } catch (error) {
      if (signal.aborted) return;
      const again = () => (this.#options.progress(LOADING, null, "", 0), this.run(job));
      if (isPaused(error)) {
        this.#allowed = false; // until its reader resumes it: what is typed meanwhile fetches nothing
        this.#stopAt(WHY.paused, () => ((this.#allowed = true), again()), "Resume");
      } else this.#stopAt(failedTo(this.#options.notLoaded, error), again);
      return;
    }
    if (!signal.aborted) this.#compute(job, models, signal);
  }

  #fetch(name: string): Model | Promise<Model> {
    const known = this.#models.get(name);
    if (known) return known;
    const pause = isOnRequest(name) ? async () => (await modelsScript()).pauseLoading(name) : null;
    const show: ShowLoading = (text, loaded) =>
      this.#awaited.includes(name) && this.#options.progress(text, pause, "Pause", loaded);
    const loading = this.#options.load(name, show);
    this.#models.set(name, loading);
    loading.then(
      (model) => this.#models.set(name, model),
      () => this.#models.delete(name),
    );
    return loading;
  }

  /** Offers to fetch large models, with their size; false where nothing is missing, or the reader has asked by now. */
  async #offer(names: string[], signal: AbortSignal) {
    const { missingBytes, whenLoaded } = await modelsScript();
    const sizes = await Promise.all(names.map((name) => missingBytes(name)));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (bytes === 0 || this.#allowed) return false;
    if (signal.aborted) return true;
    this.#status = "offered";
    const all = names.map(familyLabel).join(" and ");
    const waits = this.#options.waits(all);
    this.#options.offered(waits !== null);
    this.#options.tell(waits ?? OFFERED, () => this.#accept(false), `Load the ${all} (${megabytes(bytes)} MB)`);
    Task.#acceptAfter(Promise.all(names.map(whenLoaded)), this); // at the wish of another figure
    return true;
  }

  /** Accepts an offer once the models are here. Until then only a weak reference is held: a closure of #offer or a signal would keep a figure that is gone. */
  static #acceptAfter(loaded: Promise<unknown>, task: Task<any>) {
    const offered = new WeakRef(task);
    loaded.then(() => {
      const waiting = offered.deref();
      if (waiting) waiting.#accept(waiting.#options.waits("") === null);
    });
  }

  #accept(follows: boolean) {
    this.#allowed = true;
    if (this.#isPending) this.run(this.#job, follows);
  }

  #compute<Result>(job: Job<Model, Result>, models: Model[], signal: AbortSignal) {
    this.#status = "computing";
    this.#awaited = [];
    const compute = (ends: AbortSignal) => job.compute(models, ends);
    const finish = (result: Result) => signal.aborted || this.#finish(result, job);
    const fail = (error: unknown) => this.#fail(error, job, signal);
    if (this.#follows) {
      const work = (ends: AbortSignal) => this.#tellIfSlow(compute(ends), ends);
      turns().after(this.#figure, signal, work).then(finish, fail);
      return;
    }
    turns().act();
    let result;
    try {
      result = compute(signal);
    } catch (error) {
      return fail(error);
    }
    if (!(result instanceof Promise)) return this.#finish(result, job);
    turns().first(result);
    this.#tellIfSlow(result, signal).then(finish, fail);
  }

  /** A result that may come later; if it's long in coming, the reader is told. */
  async #tellIfSlow<Result>(result: Result | Promise<Result>, signal: AbortSignal) {
    const slow = setTimeout(() => signal.aborted || this.#options.progress("Computing."), PATIENCE);
    return Promise.resolve(result).finally(() => clearTimeout(slow));
  }

  #finish<Result>(result: Result, job: Job<Model, Result>) {
    this.#status = "ready"; // before it is shown: that may start another
    job.show(result);
    this.#becomeReady();
    this.#settle();
  }

  #fail(error: unknown, job: Job<Model, any>, signal: AbortSignal) {
    this.#dropBroken();
    if (signal.aborted) return;
    if (!(error instanceof Object && "word" in error))
      return this.#stopAt(failedTo(job.failure, error), () => this.run(job));
    this.#status = "ready";
    this.#options.refuse(error as Refusal, job.failure);
    this.#becomeReady();
    this.#settle();
  }

  /** Says why a job came to nothing, and offers to try it again. */
  #stopAt(text: string, again: () => void, name?: string) {
    this.#status = "failed";
    this.#awaited = [];
    this.#options.tell(text, again, name);
    this.#settle(new Fault(text));
  }
}

/** Several answers of models as one: at once, where all of them came at once. */
export const together = <Answer>(answers: (Answer | Promise<Answer>)[]): Answer[] | Promise<Answer[]> =>
  answers.some((answer) => answer instanceof Promise) ? Promise.all(answers) : (answers as Answer[]);
