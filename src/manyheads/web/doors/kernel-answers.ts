// Whether Python answers. What is asked of it has a number, and it says the number of the last that it has dealt with: a kernel that is
// busy, that is gone or that was never there says nothing.

import type { KernelModel } from "./kernel-model.ts";

export const NO_ANSWER =
  "Python hasn’t answered: it is busy, or gone. What you see is its last answer. If no other comes, run the cell again.";
const PATIENCE = 1500; // milliseconds
const NUMBERS = ["change:_asked", "change:_answered"];

export class KernelAnswers {
  /** Whether an answer is overdue. */
  late = false;
  /** Whether what is shown doesn't answer to what was changed. */
  get old() {
    return this.late && this.#changed;
  }

  #model: KernelModel;
  #notify: () => void;
  #changed = false;
  #waits: ReturnType<typeof setTimeout> | undefined;

  /** `notify` is called whenever `late` or `old` has changed. */
  constructor(model: KernelModel, notify: () => void) {
    this.#model = model;
    this.#notify = notify;
    for (const number of NUMBERS) model.on(number, this.#look);
    this.#look();
  }

  /** Asks for an answer to what was sent, or is sent with this; `changed` where it may be another than the one on screen. */
  ask(changed = false) {
    this.#model.set("_asked", this.#model.get("_asked") + 1);
    this.#model.save_changes();
    this.#become(this.late, this.#changed || changed);
  }

  leave() {
    for (const number of NUMBERS) this.#model.off(number, this.#look);
    clearTimeout(this.#waits);
  }

  #look = () => {
    if (this.#model.get("_answered") !== this.#model.get("_asked")) {
      this.#waits ??= setTimeout(() => this.#become(true, this.#changed), PATIENCE);
      return;
    }
    clearTimeout(this.#waits);
    this.#waits = undefined;
    this.#become(false, false);
  };

  #become(late: boolean, changed: boolean) {
    const before = [this.late, this.old];
    this.late = late;
    this.#changed = changed;
    if (before[0] !== this.late || before[1] !== this.old) this.#notify();
  }
}
