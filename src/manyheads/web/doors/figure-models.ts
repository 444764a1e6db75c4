// The models of a figure, by name. A large one is offered with its size, and fetched once its reader asks, who can pause that, or once
// another figure has it. One that has stopped is dropped, and fetched anew.

import { familyLabel, isFile, isOnRequest } from "../math/families.ts";
import { isPaused, WHY } from "../math/faults.ts";
import type { Message } from "../views/controls.ts";
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

/** How a figure's last job stands; "away" where its figure left the page before it was done. */
export type Status = "idle" | "away" | "held" | "offered" | "loading" | "computing" | "ready" | "failed";

/** The task that waits for them. */
interface Waiting {
  readonly status: Status;
  show(status: Status, ...message: Message): void;
  again(follows?: boolean): void;
}

export interface ModelsOptions<Model> {
  load?: (name: string, show: ShowLoading) => Promise<Model>;
  notLoaded?: string;
  /** What is said while something that its reader typed waits for a model; null where nothing does. */
  waits?: (model: string) => string | null;
  /** It waits for its reader, and what is shown answers to something else than was typed, or not. */
  offered?: (old: boolean) => void;
}

const LOADS = ["loading", LOADING, null, "", 0] as const; // before it's known how far that is

export class Models<Model extends { broken?: boolean }> {
  isAllowed = false; // to fetch a model that is fetched on request only
  #known = new Map<string, Model | Promise<Model>>(); // those that are here, and those that are on their way
  #awaited: string[] = []; // the names of those that the task waits for
  #task: Waiting;
  #options: ModelsOptions<Model>;

  constructor(task: Waiting, options: ModelsOptions<Model>) {
    this.#task = task;
    this.#options = options;
  }

  /** Whether none is here, or on its way. */
  get isEmpty() {
    return this.#known.size === 0;
  }

  dropBroken() {
    for (const [name, model] of this.#known) if ((model as Model).broken) this.#known.delete(name);
  }

  /** Those with these names, where all are here and somebody sees the page. */
  here(names: string[]) {
    if (names.some(isFile)) this.dropBroken(); // another file of that name may have taken its place
    const models = names.map((name) => this.#known.get(name));
    if (document.hidden || models.some((model) => !model || model instanceof Promise)) return null;
    this.#awaited = [];
    return models as Model[];
  }

  /** The same once they are; null where they don't come, and it's told why. */
  async fetch(names: string[], signal: AbortSignal) {
    if (document.hidden) await new Promise<void>((seen) => inSight(0, seen));
    if (signal.aborted) return null;
    try {
      const large = this.isAllowed ? [] : names.filter((name) => isOnRequest(name) && !this.#known.has(name));
      if (large.length && (await this.#offer(large, signal))) return null;
      if (signal.aborted) return null;
      if (String(this.#awaited) !== String(names)) this.#task.show(...LOADS);
      this.#awaited = names;
      const models = await Promise.all(names.map((name) => this.#load(name)));
      if (!signal.aborted) this.#awaited = [];
      return models;
    } catch (error) {
      if (!signal.aborted) this.#stop(error);
      return null;
    }
  }

  #load(name: string): Model | Promise<Model> {
    const known = this.#known.get(name);
    if (known) return known;
    const pause = isOnRequest(name) ? async () => (await modelsScript()).pauseLoading(name) : null;
    const { load = loadWithProgress } = this.#options;
    const loading = load(name, (text, loaded) => {
      const isAwaited = this.#task.status === "loading" && this.#awaited.includes(name);
      if (isAwaited) this.#task.show("loading", text, pause, "Pause", loaded);
    }) as Promise<Model>;
    this.#known.set(name, loading);
    loading.then(
      (model) => this.#known.set(name, model),
      () => this.#known.delete(name),
    );
    return loading;
  }

  /** Offers large models with their size; false where nothing is missing, or the reader has asked by now. */
  async #offer(names: string[], signal: AbortSignal) {
    const { missingBytes, whenLoaded } = await modelsScript();
    const sizes = await Promise.all(names.map((name) => missingBytes(name)));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (bytes === 0 || this.isAllowed || signal.aborted) return false;
    const all = names.map(familyLabel).join(" and ");
    const waits = this.#options.waits?.(all) ?? null;
    this.#options.offered?.(waits !== null);
    this.#task.show("offered", waits ?? OFFERED, () => this.#accept(), `Load the ${all} (${megabytes(bytes)} MB)`);
    Models.#goOnAfter(Promise.all(names.map(whenLoaded)), this);
    return true;
  }

  #accept() {
    this.isAllowed = true;
    this.#task.again();
  }

  /**
   * Goes on once another figure has what is offered. Until then only a weak reference is held: a closure of #offer or a signal would
   * keep a figure that is gone.
   */
  static #goOnAfter(loaded: Promise<unknown>, models: Models<any>) {
    const offering = new WeakRef(models);
    loaded.then(() => {
      const waiting = offering.deref();
      if (waiting && waiting.#task.status === "offered") waiting.#task.again(!waiting.#options.waits?.(""));
    });
  }

  /** Says why they don't come, and offers to try it again. */
  #stop(error: unknown) {
    this.#awaited = [];
    const { notLoaded = "The model could not be loaded" } = this.#options;
    const again = () => (this.#task.show(...LOADS), this.#task.again());
    if (!isPaused(error)) return this.#task.show("failed", failedTo(notLoaded, error), again);
    this.isAllowed = false; // until its reader resumes it: what is typed meanwhile fetches nothing
    this.#task.show("failed", WHY.paused, () => this.#accept(), "Resume");
  }
}
