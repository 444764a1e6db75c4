// <growing-cache words="The capital of ..." layers="30" width="64" heads="3">: keys and values of a text that is written word by
// word. With a cache, each new word's are computed once and kept; without, all are computed again: two walls, a brick for each
// time that a word's were computed. One wall stands on the words, the other hangs below them. No DOM while the module loads.

import { define, Figure } from "../../doors/page-element.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions } from "../../views/controls.ts";
import { announce, fill, h, setIdle, setText } from "../../views/dom.ts";
import { GuessView } from "../../views/guess.ts";
import { Player } from "../../views/player.ts";

const BYTES = 2; // a number's
const PAUSE = 700; // milliseconds for each word, when it writes on
const LENGTHS = [1_000, 100_000]; // of texts, to compare

class GrowingCacheElement extends Figure {
  #words: string[] = [];
  #count = 1;
  #guess: GuessView | null = null;
  #heads = chooser("Heads of keys and values", () => (this.#announcer.changed(), this.#paint()));
  #write = h("button", { type: "button", onclick: () => this.#add() }, "Write a word");
  #over = h("button", { type: "button", onclick: () => this.#restart() }, "Start over");
  #player = new Player(PAUSE, () => this.#add());
  #rows = ["With a cache", "Without"].map((name) => new Wall(name));
  #size = h("p", { class: "gc-size" });
  #announcer = new Announcer();

  protected draw() {
    this.#words = (this.getAttribute("words") ?? "").split(" ").filter(Boolean);
    const all = this.#words.length;
    this.#guess = new GuessView(
      {
        question: `${all} words, one after the other: how many bricks will it take without a cache?`,
        answers: [all, sumTo(all), all * all].map(String),
        right: 1,
        says: `For each new word, all words so far are computed again. With a cache it takes ${all}.`,
      },
      () => (this.#restart(), this.#player.toggle()),
    );
    const own = Number(this.getAttribute("heads"));
    const groups = [...new Set([1, own, 3 * own])];
    this.style.setProperty("--words", String(this.#words.length));
    fillOptions(this.#heads, groups.map(String), groups, own);
    this.replaceChildren(
      this.#guess.node,
      h("div", { class: "hm-tools" }, this.#write, this.#player.node, this.#over, field(this.#heads)),
      h("div", { class: "gc-walls" }, ...this.#rows.map(({ node }) => node), this.#size),
      this.#announcer.node,
    );
    this.#paint();
  }

  /** Whether there is another word after this one. */
  #add() {
    if (this.#count === this.#words.length) return false;
    this.#count++;
    this.#announcer.changed();
    this.#paint();
    return this.#count < this.#words.length;
  }

  #restart() {
    this.#player.stop();
    this.#count = 1;
    this.#announcer.changed();
    this.#paint();
  }

  #paint() {
    const count = this.#count;
    const words = this.#words.slice(0, count);
    this.#rows[0].draw(
      words,
      words.map((_, at) => [1, at === count - 1]),
    );
    this.#rows[1].draw(
      words,
      words.map((_, at) => [count - at, true]),
    );
    if (count === this.#words.length) this.#guess?.tell();
    setIdle(this.#write, count === this.#words.length);
    setIdle(this.#over, count === 1);
    const bytes = (tokens: number) =>
      2 *
      Number(this.getAttribute("layers")) *
      Number(this.#heads.value) *
      Number(this.getAttribute("width")) *
      BYTES *
      tokens;
    const long = LENGTHS.map(
      (tokens) => `${tokens.toLocaleString("en")} tokens would take ${megabytes(bytes(tokens))}`,
    ).join(", ");
    setText(
      this.#size,
      `The cache of ${count === 1 ? "this word" : `these ${count} words`} takes ${megabytes(bytes(count))}; ${long}.`,
    );
    this.#announcer.drawn(() => this.#rows.map(({ text }) => text).join(" "));
    announce(this, "written", { count, bytes: bytes(count) });
  }
}

/** 1 + 2 + ... + count. */
const sumTo = (count: number) => (count * (count + 1)) / 2;

/** A text as a wall: for each word, a brick for each time that its keys and values were computed. Those of the last word stand out. */
class Wall {
  #name: string;
  #words = h("ol", {});
  #sum = h("span");
  readonly node: HTMLElement;

  constructor(name: string) {
    this.#name = name;
    const title = h("p", {}, h("b", { class: "gc-name" }, name), ": ", this.#sum);
    this.node = h("section", { class: "gc-row" }, title, this.#words);
  }

  get text() {
    return `${this.#name}: ${this.#sum.textContent}`;
  }

  /** `bricks` are, for each word, how many it has, and whether the topmost is new. */
  draw(words: string[], bricks: [count: number, isNew: boolean][]) {
    const items = fill(this.#words, words.length, () =>
      h("li", {}, h("span", { class: "gc-bricks", "aria-hidden": "true" }), h("span")),
    );
    words.forEach((word, at) => {
      const [count, isNew] = bricks[at];
      const [wall, name] = items[at].children;
      const laid = fill(wall, count, () => h("i"));
      [...laid].forEach((brick, course) => brick.classList.toggle("gc-new", isNew && course === count - 1));
      setText(name, word);
      items[at].ariaLabel = `${word}: ${isNew ? "computed" : "kept"}`;
    });
    const now = bricks.filter(([, isNew]) => isNew).length;
    const sum = bricks.reduce((all, [count]) => all + count, 0);
    setText(
      this.#sum,
      `keys and values of ${now} ${now === 1 ? "word" : "words"} computed for the last one, ${sum} so far.`,
    );
  }
}

const megabytes = (bytes: number) =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6).toLocaleString("en")} MB`;

define("growing-cache", GrowingCacheElement);
