// Time in a figure that moves: a position that runs along stations, one a whole number. For readers who ask for less motion it jumps
// from one to the next by itself, and stays at each until it can be read.

const TRAVEL = 2600; // milliseconds from a station to the next, while it plays
const HURRY = 900; // at the press of a station; farther ones take a little longer
const WORD = 250; // milliseconds to read one
const SETTLES = 500; // at a station at least, so that its picture is seen at rest
const GAP = 250; // at most between two frames: where more passed, nobody saw the page, and a film waits

export const wantsStillness = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;

/** How long it takes to read a text, in milliseconds. */
export const readingTime = (text: string) => WORD * text.split(/[ \n]+/).filter(Boolean).length;

export class Timeline {
  at: number;
  plays = false;
  last: number;
  #frame = 0;
  #clock = 0; // milliseconds that were seen
  #before = 0; // when the last frame came
  #moved: (at: number) => void;
  #reads: () => number;
  #stays = 0; // until then it rests at a station
  #run: { from: number; to: number; start: number; lasts: number } | null = null;
  #changed: () => void;

  /**
   * Of stations 0 to `last`; `moved(at)` is called for every frame, `changed()` when it begins or stops to play. `reads()` says how
   * long what a station says takes to read, from where the film sets out for it: that's when it's said.
   */
  constructor(last: number, at: number, moved: (at: number) => void, changed: () => void, reads: () => number) {
    this.last = last;
    this.at = at;
    this.#reads = reads;
    this.#moved = moved;
    this.#changed = changed;
  }

  /** The station that it is at or heads for. */
  get station() {
    return Math.round(this.#run?.to ?? this.at);
  }

  play() {
    if (this.at >= this.last) this.#moved((this.at = 0));
    this.plays = true;
    this.#run = null;
    this.#stays = 0;
    this.#changed();
    this.#start();
  }

  pause() {
    this.plays = false;
    this.#run = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#changed();
  }

  /** Travels to a station. */
  go(station: number) {
    const to = Math.min(Math.max(station, 0), this.last);
    if (this.plays) this.pause();
    if (wantsStillness() || to === this.at) return this.jump(to);
    this.#run = { from: this.at, to, start: 0, lasts: HURRY * Math.sqrt(Math.max(Math.abs(to - this.at), 0.2)) };
    this.#start();
  }

  /** Is somewhere at once. */
  jump(at: number) {
    if (this.plays || this.#frame) this.pause();
    this.at = Math.min(Math.max(at, 0), this.last);
    this.#moved(this.at);
  }

  #start() {
    if (!this.#frame) this.#frame = requestAnimationFrame((came) => this.#tick(came));
  }

  #tick(came: number) {
    this.#frame = 0;
    const now = (this.#clock += Math.min(came - this.#before, GAP));
    this.#before = came;
    const jumps = this.plays && wantsStillness();
    if (!this.#run && this.plays && now >= this.#stays)
      this.#run = {
        from: this.at,
        to: Math.floor(this.at + 1e-6) + 1,
        start: 0,
        lasts: jumps ? 0 : TRAVEL * (1 - (this.at % 1)),
      };
    if (this.#run) {
      const run = this.#run;
      run.start ||= now;
      const share = run.lasts ? Math.min((now - run.start) / run.lasts, 1) : 1;
      this.at = share === 1 ? run.to : run.from + (run.to - run.from) * share;
      if (share === 1) {
        this.#run = null;
        this.#stays = now + Math.max(this.#reads() - run.lasts, SETTLES);
      }
      this.#moved(this.at);
      if (share === 1 && this.at >= this.last) return this.pause();
    }
    if (this.#run || this.plays) this.#start();
  }
}
