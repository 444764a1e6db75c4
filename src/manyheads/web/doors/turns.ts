// Whose turn it is to compute in a page. What its reader acts on comes first, and at once. What only follows that waits: until it is
// drawn, until its reader rests and the page has nothing else to do, and for as long as its figure is far out of sight. It follows one
// at a time, and gives way to whatever its reader does next. A page that nobody sees computes nothing.

/** A figure that follows, until its turn comes. */
interface Waiting {
  figure: Element;
  near: boolean; // in view, or about to come
  start: () => void;
}

/** How near to what is seen a figure is about to come: half of its height beyond the edges. */
export const ABOUT_TO_COME = "50% 0px";
const REST = 200; // milliseconds: who types on is faster
const PATIENCE = 1000; // milliseconds, after which a page that is never idle counts as idle

export const whenIdle = (todo: () => void) =>
  (globalThis.requestIdleCallback ?? ((call: () => void) => setTimeout(call, 0)))(todo, { timeout: PATIENCE });

export class Turns {
  waitsForEnter = false; // what is typed, for a file of the reader's that takes long
  #rest: number;
  #acted = -Infinity; // when its reader last did something
  #acting = 0; // works that a reader waits for
  #waiting: Waiting[] = [];
  #running: AbortController | null = null; // what follows, once its turn has come
  #scheduled = false; // to be told when the page is idle
  #watch = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        for (const waiting of this.#waiting) if (waiting.figure === target) waiting.near = isIntersecting;
      this.#next();
    },
    { rootMargin: ABOUT_TO_COME },
  );

  constructor(rest = REST) {
    this.#rest = rest;
    document.addEventListener("visibilitychange", () => this.#next());
  }

  /** A reader acts: what follows gives way. */
  act() {
    this.#acted = performance.now();
    this.#running?.abort();
  }

  /** What a work that a reader waits for comes to: it begins at once, and goes before all that follows. */
  first<Result>(work: () => Result | Promise<Result>) {
    this.act();
    const result = work();
    if (!(result instanceof Promise)) return result;
    this.#acting++;
    return result.finally(() => {
      this.#acting--;
      this.#next();
    });
  }

  /**
   * What a work of a figure that follows comes to, begun when its turn comes, and again where it had to give way. Its signal says that
   * it has to; `ends` withdraws it, wherever it stands.
   */
  async after<Result>(
    figure: Element,
    ends: AbortSignal,
    work: (signal: AbortSignal) => Result | Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      await this.#turnOf(figure, ends);
      const running = new AbortController();
      const stop = () => running.abort(ends.reason);
      ends.addEventListener("abort", stop);
      this.#running = running;
      try {
        return await work(running.signal);
      } catch (error) {
        if (ends.aborted || !running.signal.aborted) throw error;
      } finally {
        ends.removeEventListener("abort", stop);
        this.#running = null;
        this.#next();
      }
    }
  }

  /** Fulfilled when the turn of a figure comes. */
  #turnOf(figure: Element, ends: AbortSignal) {
    return new Promise<void>((start, withdrawn) => {
      if (ends.aborted) return withdrawn(ends.reason);
      const withdraw = () => (this.#leave(waiting), withdrawn(ends.reason));
      const waiting = { figure, near: false, start: () => (ends.removeEventListener("abort", withdraw), start()) };
      this.#waiting.push(waiting);
      this.#watch.observe(figure); // which tells at once how things stand
      ends.addEventListener("abort", withdraw);
    });
  }

  #leave(waiting: Waiting) {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    this.#watch.unobserve(waiting.figure);
  }

  /** The one whose turn it is. */
  get #due() {
    return this.#acting || this.#running || document.hidden ? undefined : this.#waiting.find(({ near }) => near);
  }

  #next() {
    if (this.#scheduled || !this.#due) return;
    this.#scheduled = true;
    const rests = this.#acted + this.#rest - performance.now();
    const ask = () => whenIdle(() => this.#ask());
    if (rests > 0) setTimeout(ask, rests);
    else ask();
  }

  /** Lets the one begin whose turn it is, unless its reader went on meanwhile. */
  #ask() {
    this.#scheduled = false;
    const due = this.#due;
    if (!due || performance.now() < this.#acted + this.#rest) return this.#next();
    this.#leave(due);
    due.start();
  }
}

let ofPage: Turns | null = null;

/** Those of this page. */
export const turns = () => (ofPage ??= new Turns());

/** Others instead: in a test, whose reader rests at once. */
export const setTurns = (others: Turns) => void (ofPage = others);
