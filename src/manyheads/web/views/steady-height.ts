// A figure keeps its height while somebody types, so that nothing below it moves.

const LINE = 24; // pixels that it may grow by

export class SteadyHeight {
  #tokens = 0; // that it had room for when it began to keep its height
  #high = 0; // pixels of the figure, when it was last laid out
  #width = 0;
  #toggled = () => this.release();
  #resized = new ResizeObserver(() => this.#measure());

  root: HTMLElement;

  constructor(root: HTMLElement) {
    this.root = root;
    root.addEventListener("toggle", this.#toggled, true);
    this.#resized.observe(root);
  }

  /** Another figure takes its place in the same root. */
  leave() {
    this.root.removeEventListener("toggle", this.#toggled, true);
    this.#resized.disconnect();
    this.release();
  }

  #measure() {
    const { clientWidth } = this.root;
    if (clientWidth !== this.#width) this.widthChanged();
    this.#width = clientWidth;
    if (!this.#isHeld) this.#high = this.root.getBoundingClientRect().height;
  }

  widthChanged() {
    this.release();
  }

  get #isHeld() {
    return this.root.classList.contains("hm-held");
  }

  /** Keeps the height that there was, or a line more; `tokens` are those on display. */
  keep(tokens: number) {
    if (this.#isHeld || this.#high === 0) return;
    this.root.style.minHeight = `${this.#high}px`;
    this.root.style.maxHeight = `${this.#high + LINE}px`;
    this.#tokens = tokens;
    this.root.classList.add("hm-held");
  }

  /** Sets more tokens closer while the height is kept. */
  fit(tokens: number) {
    this.root.classList.toggle("hm-tight", this.#isHeld && tokens > this.#tokens);
  }

  release() {
    this.root.style.minHeight = this.root.style.maxHeight = "";
    this.root.classList.remove("hm-held", "hm-tight");
  }
}
