// What the reader did to a figure, so that it can be undone and done again. No DOM.

const TYPING_PAUSE = 1000; // milliseconds without a keystroke, after which what is typed is another step
const WRITTEN_PARTS = ["sentence", "compare", "find"];
const MOST_STEPS = 200;

export class History<State> {
  past: State[] = [];
  future: State[] = [];
  #last = "";
  #when = -Infinity;

  /** The state before a change of the named parts; keystrokes without a pause are one step. */
  note(state: State, names: string[], now: number = performance.now()) {
    const what = names.join(" ");
    const goesOn = what === this.#last && WRITTEN_PARTS.includes(what) && now - this.#when < TYPING_PAUSE;
    [this.#last, this.#when, this.future] = [what, now, []];
    if (goesOn && this.past.length) return;
    this.past.push(state);
    if (this.past.length > MOST_STEPS) this.past.shift();
  }

  /** The state before `now`, or the one after it; undefined where there is none. */
  step(now: State, back: boolean) {
    const [from, to] = back ? [this.past, this.future] : [this.future, this.past];
    const found = from.pop();
    if (found === undefined) return;
    to.push(now);
    this.#last = "";
    return found;
  }
}
