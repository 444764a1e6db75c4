// <blend-triangle words="I love coffee" values="0.2 0.1, 0 1, 1 0">: what one head can make of three words, each a thing and a feeling,
// and what two can. The reader drags a head's blend; two heads keep one number each. No DOM while the module loads, as in head-map.ts.

import { define, Figure } from "../../doors/page-element.ts";
import { blendOf, type Point, weightsAt } from "./blends.ts";
import { colourOf } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { announce, arrow, h, nextId, setText } from "../../views/dom.ts";

const [LEAST, MOST] = [-0.1, 1.2]; // of both axes
const STEP = 0.05; // an arrow key's
const STARTS = [
  [0, 0.5, 0.5],
  [1 / 3, 1 / 3, 1 / 3],
]; // of both heads, apart from each other
const KEPT = ["thing", "feeling"]; // by the first of two heads, by the second
const COLOURS = ["object", "sentiment"].map(colourOf);

class BlendTriangleElement extends Figure {
  #words: string[] = [];
  #corners: Point[] = [];
  #both = false; // two heads
  #heads = [...STARTS];
  #ways = h("fieldset", { class: "hm-views", "aria-label": "Heads" });
  #points = [0, 1].map((head) => this.#point(head));
  #result = h("i", { class: "bt-result", "aria-hidden": "true" });
  #plot = h("div", { class: "bt-plot" });
  #lines = [0, 1].map((head) => h("p", { class: "bt-weights", style: `--head: ${COLOURS[head]}` }));
  #says = h("p", { class: "bt-says" });
  #announcer = new Announcer();

  protected draw() {
    this.#words = (this.getAttribute("words") ?? "").split(" ");
    this.#corners = (this.getAttribute("values") ?? "")
      .split(",")
      .map((pair) => pair.trim().split(" ").map(Number) as Point);
    const group = nextId("bt-heads");
    this.#ways.append(
      ...["One head", "Two heads"].map((name, at) =>
        h(
          "label",
          {},
          h("input", { type: "radio", name: group, checked: at === 0, onchange: () => this.#choose(at === 1) }),
          h("span", {}, name),
        ),
      ),
    );
    const path = this.#corners.map((corner) => `${place(corner, 0)} ${place(corner, 1)}`).join(", ");
    const names = this.#words.map((word, at) => h("span", { class: "bt-word", style: where(this.#corners[at]) }, word));
    const goal = h(
      "b",
      { class: "bt-wanted", style: where(this.#wanted), role: "img", "aria-label": "what is wanted" },
      "★",
    );
    this.#plot.append(
      h("i", { class: "bt-blends", style: `clip-path: polygon(${path})`, "aria-hidden": "true" }),
      ...names,
      goal,
      this.#result,
      ...this.#points,
      h("small", { class: "bt-across", "aria-hidden": "true" }, "thing →"),
      h("small", { class: "bt-up", "aria-hidden": "true" }, "feeling →"),
    );
    this.replaceChildren(
      h("div", { class: "hm-tools" }, this.#ways),
      h("div", { class: "bt-room" }, this.#plot, h("div", {}, ...this.#lines, this.#says)),
      this.#announcer.node,
    );
    this.#paint();
  }

  /** The thing of the last word, the feeling of the middle one. */
  get #wanted(): Point {
    return [this.#corners[2][0], this.#corners[1][1]];
  }

  #point(head: number) {
    const button: HTMLButtonElement = h("button", {
      type: "button",
      class: "bt-point",
      style: `--head: ${COLOURS[head]}`,
      onpointerdown: (event: PointerEvent) => button.setPointerCapture(event.pointerId),
      onpointermove: (event: PointerEvent) => button.hasPointerCapture(event.pointerId) && this.#drag(head, event),
      onkeydown: (event: KeyboardEvent) => this.#push(head, event),
    });
    return button;
  }

  #choose(both: boolean) {
    this.#both = both;
    this.#announcer.changed();
    this.#paint();
  }

  #drag(head: number, { clientX, clientY }: PointerEvent) {
    const { left, bottom, width, height } = this.#plot.getBoundingClientRect();
    const at = (share: number) => LEAST + share * (MOST - LEAST);
    this.#move(head, [at((clientX - left) / width), at((bottom - clientY) / height)]);
  }

  #push(head: number, event: KeyboardEvent) {
    const step = arrow(event.key);
    if (!step) return;
    event.preventDefault();
    const [across, up] = blendOf(this.#corners, this.#heads[head]);
    this.#move(head, [across + STEP * step[1], up - STEP * step[0]]);
  }

  #move(head: number, to: Point) {
    this.#heads[head] = weightsAt(this.#corners, to);
    this.#announcer.changed();
    this.#paint();
  }

  #paint() {
    const blends = this.#heads.map((weights) => blendOf(this.#corners, weights));
    const result: Point = this.#both ? [blends[0][0], blends[1][1]] : blends[0];
    this.#points.forEach((point, head) => {
      point.hidden = head === 1 && !this.#both;
      point.style.cssText = `${where(blends[head])}; --head: ${COLOURS[head]}`;
      point.ariaLabel = `Blend of ${this.#both ? `head ${head + 1}` : "the head"}: ${describePoint(blends[head])}`;
    });
    this.#lines.forEach((line, head) => {
      line.classList.toggle("bt-idle", head === 1 && !this.#both); // its room stays
      const weights = this.#words.map((word, at) => `${word} ${percent(this.#heads[head][at])}`).join(", ");
      setText(line, `${this.#both ? `Head ${head + 1} keeps the ${KEPT[head]} of ` : "The head looks at "}${weights}.`);
    });
    this.#result.hidden = !this.#both;
    this.#result.style.cssText = where(result);
    const reached = Math.hypot(result[0] - this.#wanted[0], result[1] - this.#wanted[1]) < STEP;
    setText(
      this.#says,
      `${this.#both ? "Together they find" : "It finds"} ${describePoint(result)}. Wanted: ${describePoint(this.#wanted)}.${reached ? " There!" : ""}`,
    );
    this.#announcer.drawn(() => this.#says.textContent ?? "");
    announce(this, "blended", { weights: this.#heads.slice(0, this.#both ? 2 : 1), result });
  }
}

const describePoint = ([thing, feeling]: Point) => `thing ${thing.toFixed(2)}, feeling ${feeling.toFixed(2)}`;

/** Where a point stands from the left or the top. */
const place = (point: Point, axis: 0 | 1) => {
  const share = (point[axis] - LEAST) / (MOST - LEAST);
  return `${(100 * (axis ? 1 - share : share)).toFixed(2)}%`;
};
const where = (point: Point) => `left: ${place(point, 0)}; top: ${place(point, 1)}`;

define("blend-triangle", BlendTriangleElement);
