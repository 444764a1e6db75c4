// An atlas of heads: a dot a head between two scores that the reader chooses, in the colour of what the head mostly does.

import { arrow, focusOn, h, setText, targetOf } from "../../views/dom.ts";
import { chooser, field, fillOptions } from "../../views/controls.ts";

interface AtlasScore {
  name: string;
  values: number[]; // of each head
  text(value: number): string;
}

export class HeadAtlas {
  #scores: AtlasScore[];
  #names: string[];
  #across = chooser("Across", () => this.#place());
  #up = chooser("Up", () => this.#place());
  #dots: HTMLButtonElement[];
  #ends = { left: h("span"), right: h("span"), bottom: h("span"), top: h("span") };
  readonly node: HTMLElement;

  /** `open(head)` is called when a reader presses a dot; `colours` are the dots'. */
  constructor(names: string[], scores: AtlasScore[], colours: (string | null)[], open: (head: number) => void) {
    this.#scores = scores;
    this.#names = names;
    this.#dots = names.map((_, head) =>
      h("button", { type: "button", style: colours[head] && `--head: ${colours[head]}`, onclick: () => open(head) }),
    );
    const titles = scores.map(({ name }) => name);
    fillOptions(
      this.#across,
      titles,
      [...titles.keys()],
      titles.indexOf("entropy") < 0 ? 0 : titles.indexOf("entropy"),
    );
    fillOptions(this.#up, titles, [...titles.keys()], titles.length - 1);
    const plot = h(
      "div",
      {
        class: "ha-plot",
        role: "group",
        "aria-label": "All heads",
        onkeydown: (event: KeyboardEvent) => this.#move(event),
      },
      ...this.#dots,
    );
    const { left, right, bottom, top } = this.#ends;
    this.node = h(
      "div",
      { class: "head-atlas" },
      h("div", { class: "hm-tools" }, field(this.#up), field(this.#across)),
      h(
        "div",
        { class: "ha-frame" },
        h("div", { class: "ha-up", "aria-hidden": "true" }, top, bottom),
        plot,
        h("div", { class: "ha-across", "aria-hidden": "true" }, left, right),
      ),
    );
    this.#place();
    this.open(0);
  }

  /** Marks the head whose card is open; it's the one that the Tab key reaches. */
  open(head: number) {
    this.#dots.forEach((dot, at) => {
      dot.ariaPressed = String(at === head);
      dot.tabIndex = at === head ? 0 : -1;
    });
  }

  #place() {
    const [across, up] = [this.#across, this.#up].map(({ value }) => this.#scores[Number(value)]);
    const places = [across, up].map(({ values }) => scaled(values));
    this.#dots.forEach((dot, head) => {
      dot.style.setProperty("--x", places[0][head].toFixed(4));
      dot.style.setProperty("--y", places[1][head].toFixed(4));
      const said = [across, up].map(({ name, values, text }) => `${name} ${text(values[head])}`).join(", ");
      dot.ariaLabel = dot.title = `${this.#names[head]}: ${said}`;
    });
    for (const [score, low, high] of [
      [across, "left", "right"],
      [up, "bottom", "top"],
    ] as const) {
      setText(this.#ends[low], score.text(Math.min(0, ...score.values)));
      setText(this.#ends[high], score.text(Math.max(...score.values)));
    }
  }

  /** Arrow keys go to the next head to a side, or up and down. */
  #move(event: KeyboardEvent) {
    const step = arrow(event.key);
    const at = this.#dots.indexOf(targetOf(event) as HTMLButtonElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const axis = step[1] ? "--x" : "--y";
    const sign = step[1] || -step[0]; // up is more
    const value = (dot: HTMLElement) => Number(dot.style.getPropertyValue(axis));
    const order = this.#dots
      .map((_, head) => head)
      .sort((a, b) => value(this.#dots[a]) - value(this.#dots[b]) || a - b);
    const next = order[order.indexOf(at) + sign];
    if (next !== undefined) focusOn(this.#dots[next], this.#dots[at]);
  }
}

/** Values from 0 to 1; the axis begins at 0, unless some are below. */
function scaled(values: number[]) {
  const [low, high] = [Math.min(0, ...values), Math.max(...values)];
  return values.map((value) => (value - low) / (high - low || 1));
}
