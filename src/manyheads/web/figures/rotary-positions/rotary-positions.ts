// <rotary-positions>: a query and a key of the same word as arrows that turn with their positions, and the score of the two. Moved
// together, all arrows turn and the score stays. No DOM while the module loads, as in head-map.ts.

import { define, Figure } from "../../doors/page-element.ts";
import { scoreAt, speedsOf } from "../../math/rotary.ts";
import { Announcer } from "../../views/announcer.ts";
import { announce, h, setText, targetOf } from "../../views/dom.ts";

const LAST = 20; // position
const WORD = [1, 1, 1, 1, 0, 0, 0, 0]; // four arrows that point across: what it seeks is what it offers
const SPEEDS = speedsOf(WORD.length);
const DISTANCES = Array.from({ length: 2 * LAST + 1 }, (_, at) => at - LAST); // at none of them the score is negative

const degrees = (radians: number, digits = 0) => `${((radians * 180) / Math.PI).toFixed(digits)}°`;

class RotaryPositionsElement extends Figure {
  #query = slider("Position of the query", 5, (event) => this.#move(event, this.#key));
  #key = slider("Position of the key", 2, (event) => this.#move(event, this.#query));
  #together = h("input", { type: "checkbox" });
  #dials = Array.from(SPEEDS, (speed) => new Dial(speed));
  #bars = DISTANCES.map((distance) =>
    h("i", { style: `--score: ${(scoreAt(WORD, 0, WORD, distance) / SPEEDS.length).toFixed(3)}` }),
  );
  #says = h("p", { class: "rp-score" });
  #announcer = new Announcer();

  protected draw() {
    const [query, key] = [this.#query, this.#key].map(({ label }) => label);
    const chart = h(
      "div",
      { class: "rp-bars", role: "img", "aria-label": "The score at every distance: largest at 0" },
      ...this.#bars,
    );
    const ends = h(
      "p",
      { class: "rp-ends", "aria-hidden": "true" },
      h("span", {}, `key ${LAST} before`),
      h("span", {}, "same place"),
      h("span", {}, `key ${LAST} after`),
    );
    this.replaceChildren(
      h("div", { class: "hm-tools" }, query, key, h("label", { class: "hm-field" }, this.#together, "Move both")),
      h("div", { class: "rp-dials" }, ...this.#dials.map(({ node }) => node)),
      this.#says,
      chart,
      ends,
      this.#announcer.node,
    );
    this.#paint();
  }

  /** With both moved together, the other slider goes as far, unless it's at its end: then neither goes further. */
  #move(event: Event, other: Slider) {
    const moved = targetOf(event) === this.#query.input ? this.#query : this.#key;
    this.#announcer.changed();
    const step = moved.position - moved.shown;
    if (this.#together.checked) {
      const before = other.position;
      other.input.value = String(before + step);
      moved.input.value = String(moved.shown + other.position - before);
    }
    this.#paint();
  }

  #paint() {
    const [query, key] = [this.#query, this.#key].map((each) => each.show());
    const score = scoreAt(WORD, query, WORD, key);
    for (const dial of this.#dials) dial.turn(query, key);
    this.#bars.forEach((bar, at) => bar.classList.toggle("rp-now", DISTANCES[at] === key - query));
    const apart = Math.abs(key - query);
    const place = apart
      ? `${apart} ${apart === 1 ? "word" : "words"} ${key < query ? "before" : "after"} the query`
      : "where the query is";
    setText(this.#says, `The key is ${place}. Score: ${score.toFixed(2)}`);
    this.#announcer.drawn(() => this.#says.textContent ?? "");
    announce(this, "turned", { query, key, score });
  }
}

interface Slider {
  label: HTMLElement;
  input: HTMLInputElement;
  readonly position: number;
  shown: number; // the position that is drawn
  show(): number;
}

/** A slider of positions with the position after it. */
function slider(name: string, at: number, oninput: (event: Event) => void): Slider {
  const input = h("input", { type: "range", min: 0, max: LAST, value: at, "aria-label": name, oninput });
  const text = h("span", { class: "rp-at" });
  return {
    label: h("label", { class: "hm-field" }, name, input, text),
    input,
    get position() {
      return Number(input.value);
    },
    shown: at,
    show() {
      this.shown = this.position;
      setText(text, input.value);
      return this.shown;
    },
  };
}

/** A pair of features: the query's arrow, the key's, and the angle between them. */
class Dial {
  #speed: number;
  #query = h("i", { class: "rp-query" });
  #key = h("i", { class: "rp-key" });
  #between = h("b");
  node: HTMLElement;

  constructor(speed: number) {
    this.#speed = speed;
    const turns = `${degrees(speed, speed < 0.01 ? 2 : speed < 1 ? 1 : 0)} a word`;
    this.node = h(
      "figure",
      {},
      h("div", { class: "rp-dial", "aria-hidden": "true" }, this.#query, this.#key),
      h("figcaption", {}, this.#between, h("span", {}, turns)),
    );
  }

  turn(query: number, key: number) {
    this.#query.style.setProperty("--turn", `${-query * this.#speed}rad`);
    this.#key.style.setProperty("--turn", `${-key * this.#speed}rad`);
    const between = Math.acos(Math.cos((key - query) * this.#speed)); // at most half a turn
    setText(this.#between, `${degrees(between, this.#speed < 0.01 ? 1 : 0)} apart`);
  }
}

define("rotary-positions", RotaryPositionsElement);
