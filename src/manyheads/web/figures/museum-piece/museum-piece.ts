// <museum-piece>: a live map with one switch, which puts a bug into the attention, or another mask where its attributes
// `switch`, `off` and `on` say so, and a table of what that changes. The
// map inside is a <head-map> with two models, the right one and the one with a bug of bugs.ts; the switch chooses between them.
// No DOM while the module loads, as in head-map.ts.

import { define, Figure, headsOff, mapReady, type LiveMap } from "../../doors/page-element.ts";
import { Task, together } from "../../doors/task.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import type { Matrix } from "../../math/attention.ts";
import { headTitle, likeliest } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { StatusLine } from "../../views/controls.ts";
import { h } from "../../views/dom.ts";

// ------------------------------------------------------------------------------------------------ pure part

/** A map of a focus model, with what comes out of the attention. */
type PieceMap = AttentionMap & { output: Matrix };

const LEAST = 5e-4; // of its length, that an output moves: less is written as 0 %

const unbroken = (share: number) => percent(share).replace(" ", "\u00a0"); // no line ends before the sign

/** What differs between two maps of one sentence, the right one and the wrong one, in words: [[what, right, wrong], ...]. What is alike has no row. */
export function differences(right: PieceMap, wrong: PieceMap) {
  const rows = [["The weights of a row sum to", sums(right), sums(wrong)], ...weightRow(right, wrong)];
  const width = right.output.shape[1];
  const first = (map: PieceMap) => map.output.values.subarray(0, width); // the first token's
  const far = moved(first(right), first(wrong));
  if (far >= LEAST) rows.push([`The output of ${right.queryTokens[0]} moves by`, "", `${percent(far)} of its length`]);
  for (const [name, labels] of Object.entries(right.predictions))
    rows.push([
      `Prediction: ${name}`,
      ...[labels, wrong.predictions[name]].map((of) => {
        const [label, share] = likeliest(of);
        return `${label} ${unbroken(share)}`;
      }),
    ]);
  return rows.filter(([, before, after]) => before !== after);
}

function weightRow(right: AttentionMap, wrong: AttentionMap) {
  if (right.weights.length !== wrong.weights.length) return [["Heads", String(right.shape[1]), String(wrong.shape[1])]];
  const at = largestChange(right.weights, wrong.weights);
  return at < 0
    ? []
    : [
        [
          `The weight that changes most: ${placeOf(right, at)}`,
          unbroken(right.weights[at]),
          unbroken(wrong.weights[at]),
        ],
      ];
}

/** The sums of all rows of weights, as the least and the largest. */
function sums({ shape, weights }: AttentionMap) {
  const keys = shape[3];
  let [least, largest] = [Infinity, -Infinity];
  for (let start = 0; start < weights.length; start += keys) {
    const sum = weights.subarray(start, start + keys).reduce((a, b) => a + b, 0);
    [least, largest] = [Math.min(least, sum), Math.max(largest, sum)];
  }
  const [from, to] = [least.toFixed(2), largest.toFixed(2)];
  return from === to ? from : `${from} to ${to}`;
}

/** Where two lists differ most; -1 where they are the same but for rounding. */
function largestChange(a: Float32Array, b: Float32Array) {
  let [at, largest] = [-1, 1e-6];
  a.forEach((value, index) => {
    const change = Math.abs(value - b[index]);
    if (change > largest) [at, largest] = [index, change];
  });
  return at;
}

/** The head, query and key of the weight at one place. */
function placeOf(map: AttentionMap, at: number) {
  const [, heads, queries, keys] = map.shape;
  const [key, query, place] = [at % keys, Math.floor(at / keys) % queries, Math.floor(at / keys / queries)];
  return `${headTitle(map, Math.floor(place / heads), place % heads)}, ${map.queryTokens[query]} → ${map.keyTokens[key]}`;
}

/** How far b lies from a, over the length of a. */
function moved(a: Float32Array, b: Float32Array) {
  let [far, long] = [0, 0];
  a.forEach((value, index) => {
    far += (value - b[index]) ** 2;
    long += value ** 2;
  });
  return Math.sqrt(far / long);
}

// ------------------------------------------------------------------------------------------------ the element

const FAILURE = "What changes could not be computed";

class MuseumPieceElement extends Figure {
  #switch = h("input", { type: "checkbox", role: "switch" });
  #state = h("span", { class: "mp-state" }, "off");
  #rows = h("tbody");
  #changes = h("table", { class: "mp-changes", hidden: true });
  #status = new StatusLine();
  protected override task = new Task(this, {
    models: () => this.#models,
    tell: (...told) => this.#status.tell(...told),
    notLoaded: FAILURE,
    progress: () => {}, // the map inside says so
    job: {
      failure: FAILURE,
      compute: (models) => together(models.map((model) => model.attend(this.map.sentence, headsOff(this.map, model)))),
      show: ([right, wrong]: AttentionMap[]) => this.#compare(right as PieceMap, wrong as PieceMap),
    },
  });

  /** Fulfilled once the map inside computes for itself. */
  get ready() {
    return mapReady(this.map);
  }

  /** The map inside. */
  get map() {
    return this.querySelector("head-map") as LiveMap;
  }

  /** The models of the map: the right one and the one with the bug. */
  get #models() {
    return this.map.models ?? []; // its script may come later
  }

  protected draw() {
    const { map } = this;
    for (const child of [...this.children]) if (child !== map) child.remove(); // what stood here without scripts
    this.prepend(
      h(
        "label",
        { class: "mp-switch" },
        this.#switch,
        h("span", {}, h("b", {}, `${this.getAttribute("switch") ?? "The bug"}: `), this.getAttribute("label") ?? ""),
        this.#state,
      ),
    );
    const compared = [this.getAttribute("off") ?? "right", this.getAttribute("on") ?? "with the bug"];
    const heads = ["What changes here", ...compared].map((text) => h("th", { scope: "col" }, text));
    this.#changes.replaceChildren(h("thead", {}, h("tr", {}, ...heads)), this.#rows);
    this.append(this.#changes, this.#status.node);
    this.#switch.addEventListener("change", () => {
      map.model = this.#models[Number(this.#switch.checked)];
      this.#follow();
    });
    map.addEventListener("attention", () => {
      this.#switch.checked = map.model === this.#models[1]; // a link may have chosen it
      this.#follow();
    });
  }

  /** Says whether the bug is on: not before the map is that of the model with the bug. */
  #follow() {
    const wanted = this.#switch.checked;
    const on = wanted && this.map.computedBy === this.#models[1];
    this.classList.toggle("mp-on", on);
    this.#state.textContent = on ? "on" : wanted ? "not yet" : "off";
    this.#changes.hidden = !on;
    this.#status.tell("");
    if (on) this.task.run(undefined, { follows: true });
  }

  #compare(right: PieceMap, wrong: PieceMap) {
    const rows = differences(right, wrong);
    this.#rows.replaceChildren(
      ...rows.map(([what, ...values]) =>
        h("tr", {}, h("th", { scope: "row" }, what), ...values.map((value) => h("td", {}, value))),
      ),
    );
    this.#changes.hidden = !rows.length || !this.#switch.checked; // it may be off by now
    this.#status.tell(rows.length ? "" : "On this sentence, nothing that we measure changes.");
  }
}

define("museum-piece", MuseumPieceElement);
