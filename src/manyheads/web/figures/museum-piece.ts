// <museum-piece>: a live map with one switch, which puts a bug into the attention, or another mask where its attributes
// `switch`, `off` and `on` say so, and a table of what that changes. The
// map inside is a <head-map> with two models, the right one and the one with a bug of bugs.js; the switch moves its slider
// and takes its place. No DOM while the module loads, as in head-map.js.

import { failedTo, modelsScript } from "../doors/page-models.js";
import { likeliest } from "../math/maps.js";
import { percent } from "../math/text.js";
import { StatusLine } from "../views/controls.js";
import { h } from "../views/dom.js";

// ------------------------------------------------------------------------------------------------ pure part

/** A map of a focus model, with what comes out of the attention. @typedef {AttentionMap & { output: Matrix }} PieceMap */

const unbroken = (/** @type {number} */ share) => percent(share).replace(" ", "\u00a0"); // no line ends before the sign

/**
 * What differs between two maps of one sentence, the right one and the wrong one, in words: [[what, right, wrong], ...].
 * @param {PieceMap} right
 * @param {PieceMap} wrong
 */
export function differences(right, wrong) {
  const rows = [["The weights of a row sum to", sums(right), sums(wrong)], weightRow(right, wrong)];
  const width = right.output.shape[1];
  const home = (/** @type {PieceMap} */ map) => map.output.values.subarray(0, width);
  rows.push([`The output of ${right.queryTokens[0]} moves by`, "", `${percent(moved(home(right), home(wrong)))} of its length`]);
  for (const [name, labels] of Object.entries(right.predictions))
    rows.push([`Prediction: ${name}`, ...[labels, wrong.predictions[name]].map((of) => {
      const [label, share] = likeliest(of);
      return `${label} ${unbroken(share)}`;
    })]);
  return rows;
}

/**
 * @param {AttentionMap} right
 * @param {AttentionMap} wrong
 */
function weightRow(right, wrong) {
  if (right.weights.length !== wrong.weights.length) return ["Heads", String(right.shape[1]), String(wrong.shape[1])];
  const at = largestChange(right.weights, wrong.weights);
  if (at < 0) return ["The weights", "as they are", "all the same"];
  return [`The weight that changes most: ${placeOf(right, at)}`, unbroken(right.weights[at]), unbroken(wrong.weights[at])];
}

/** The sums of all rows of weights, as the least and the largest. */
function sums(/** @type {AttentionMap} */ { shape, weights }) {
  const keys = shape[3];
  let [least, largest] = [Infinity, -Infinity];
  for (let start = 0; start < weights.length; start += keys) {
    const sum = weights.subarray(start, start + keys).reduce((a, b) => a + b, 0);
    [least, largest] = [Math.min(least, sum), Math.max(largest, sum)];
  }
  const [from, to] = [least.toFixed(2), largest.toFixed(2)];
  return from === to ? from : `${from} to ${to}`;
}

/**
 * Where two lists differ most; -1 where they are the same but for rounding.
 * @param {Float32Array} a
 * @param {Float32Array} b
 */
function largestChange(a, b) {
  let [at, largest] = [-1, 1e-6];
  a.forEach((value, index) => {
    const change = Math.abs(value - b[index]);
    if (change > largest) [at, largest] = [index, change];
  });
  return at;
}

/**
 * The head, query and key of the weight at one place.
 * @param {AttentionMap} map
 * @param {number} at
 */
function placeOf({ shape: [, heads, queries, keys], headNames, queryTokens, keyTokens }, at) {
  const [key, query, head] = [at % keys, Math.floor(at / keys) % queries, Math.floor(at / keys / queries) % heads];
  return `${headNames[head]}, ${queryTokens[query]} → ${keyTokens[key]}`;
}

/**
 * How far b lies from a, over the length of a.
 * @param {Float32Array} a
 * @param {Float32Array} b
 */
function moved(a, b) {
  let [far, long] = [0, 0];
  a.forEach((value, index) => {
    far += (value - b[index]) ** 2;
    long += value ** 2;
  });
  return Math.sqrt(far / long);
}

// ------------------------------------------------------------------------------------------------ the element

function defineElement() {
  class MuseumPieceElement extends HTMLElement {
    #switch = h("input", { type: "checkbox", role: "switch" });
    #state = h("span", { class: "mp-state" }, "off");
    #rows = h("tbody");
    #changes = h("table", { class: "mp-changes", hidden: true });
    #status = new StatusLine();
    /** Both models, once they are wanted. @type {HeadModel[] | undefined} */
    #models;

    /** Fulfilled once the map inside computes for itself. */
    get ready() {
      return customElements.whenDefined("head-map").then(() => this.map.ready);
    }

    connectedCallback() {
      if (this.#switch.isConnected) return;
      this.querySelector(".mp-room")?.remove(); // what stood here without scripts
      this.prepend(h("label", { class: "mp-switch" }, this.#switch,
        h("span", {}, h("b", {}, `${this.getAttribute("switch") ?? "The bug"}: `), this.getAttribute("label") ?? ""), this.#state));
      const compared = [this.getAttribute("off") ?? "right", this.getAttribute("on") ?? "with the bug"];
      const heads = ["What changes here", ...compared].map((text) => h("th", { scope: "col" }, text));
      this.#changes.replaceChildren(h("thead", {}, h("tr", {}, ...heads)), this.#rows);
      this.append(this.#changes, this.#status.node);
      this.#switch.addEventListener("change", () => {
        const slider = this.#slider;
        slider.value = String(Number(this.#switch.checked));
        slider.dispatchEvent(new Event("input"));
        this.#tell();
      });
      this.map.addEventListener("attention", () => {
        this.#switch.checked = this.#slider.value === "1"; // a link may have moved it
        this.#tell();
      });
    }

    /** The map inside. */
    get map() {
      return /** @type {HeadMapElement} */ (this.querySelector("head-map"));
    }

    get #slider() {
      return /** @type {HTMLInputElement} */ (this.map.querySelector('input[type="range"]'));
    }

    /** Says whether the bug is on: not before the map is that of the model with the bug. */
    #tell() {
      const wanted = this.#switch.checked;
      const on = wanted && this.map.computedBy === this.names[1];
      this.classList.toggle("mp-on", on);
      this.#state.textContent = on ? "on" : wanted ? "not yet" : "off";
      this.#changes.hidden = !on;
      this.#status.tell("");
      if (on) this.#compare().catch((error) =>
        this.#status.tell(failedTo("What changes could not be computed", error), () => this.#tell()));
    }

    /** Fills the table. */
    async #compare() {
      this.#models ??= await this.#load();
      const toggles = [...this.map.querySelectorAll("button.hm-head")];
      const on = toggles.map((toggle) => toggle.ariaPressed !== "false");
      const [right, wrong] = this.#models.map((model) => {
        const mask = on.length === model.numHeads && !on.every(Boolean) ? [on] : null;
        return /** @type {PieceMap} */ (model.attend(this.map.sentence, mask));
      });
      this.#rows.replaceChildren(...differences(right, wrong).map(([what, ...values]) =>
        h("tr", values[0] === values[1] ? {} : { class: "mp-changed" },
          h("th", { scope: "row" }, what), ...values.map((value) => h("td", {}, value)))));
    }

    /** The models by name, the right one first. */
    get names() {
      return (this.map.getAttribute("models") ?? "").split(" ");
    }

    async #load() {
      const { loadModel } = await modelsScript();
      return Promise.all(this.names.map((name) => loadModel(name)));
    }
  }

  customElements.define("museum-piece", MuseumPieceElement);
}

if (globalThis.customElements && !customElements.get("museum-piece")) defineElement();
