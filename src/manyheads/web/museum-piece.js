// <museum-piece>: a live map with one switch, which puts a bug into the attention, and a table of what that changes. The
// map inside is a <head-map> with two models, the right one and the one with a bug of bugs.js; the switch moves its slider
// and takes its place. No DOM while the module loads, as in head-map.js.

import { h } from "./dom.js";
import { likeliest, percent } from "./maps.js";

// ------------------------------------------------------------------------------------------------ pure part

/** What differs between two maps of one sentence, the right one and the wrong one, in words: [[what, right, wrong], ...]. */
export function differences(right, wrong) {
  const rows = [["The weights of a row sum to", sums(right), sums(wrong)]];
  if (right.weights.length === wrong.weights.length) {
    const at = largestChange(right.weights, wrong.weights);
    rows.push(at < 0
      ? ["The weights", "as they are", "all the same"]
      : [`The weight that changes most: ${place(right, at)}`, percent(right.weights[at]), percent(wrong.weights[at])]);
  } else rows.push(["Heads", String(right.shape[1]), String(wrong.shape[1])]);
  const width = right.output.shape[1];
  const home = (map) => map.output.values.subarray(0, width);
  rows.push([`The output of ${right.queryTokens[0]} moves by`, "", `${percent(moved(home(right), home(wrong)))} of its length`]);
  for (const [name, labels] of Object.entries(right.predictions))
    rows.push([`Prediction: ${name}`, ...[labels, wrong.predictions[name]].map((of) => {
      const [label, share] = likeliest(of);
      return `${label} ${percent(share)}`;
    })]);
  return rows;
}

/** The sums of all rows of weights, as the least and the largest. */
function sums({ shape, weights }) {
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
function largestChange(a, b) {
  let [at, largest] = [-1, 1e-6];
  a.forEach((value, index) => {
    const change = Math.abs(value - b[index]);
    if (change > largest) [at, largest] = [index, change];
  });
  return at;
}

/** The head, query and key of the weight at one place. */
function place({ shape: [, heads, queries, keys], headNames, queryTokens, keyTokens }, at) {
  const [key, query, head] = [at % keys, Math.floor(at / keys) % queries, Math.floor(at / keys / queries) % heads];
  return `${headNames[head]}, ${queryTokens[query]} → ${keyTokens[key]}`;
}

/** How far b lies from a, over the length of a. */
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
    #models;

    /** Fulfilled once the map inside computes for itself. */
    get ready() {
      return customElements.whenDefined("head-map").then(() => this.map.ready);
    }

    connectedCallback() {
      if (this.switch) return;
      this.map = this.querySelector("head-map");
      this.names = this.map.getAttribute("models").split(" ");
      this.switch = h("input", { type: "checkbox", role: "switch" });
      this.state = h("span", { class: "mp-state" }, "off");
      this.prepend(h("label", { class: "mp-switch" }, this.switch,
        h("span", {}, h("b", {}, "The bug: "), this.getAttribute("label")), this.state));
      this.table = h("tbody", {});
      const heads = ["What changes here", "right", "with the bug"].map((text) => h("th", { scope: "col" }, text));
      this.changes = h("table", { class: "mp-changes" }, h("thead", {}, h("tr", {}, ...heads)), this.table);
      this.changes.hidden = true;
      this.append(this.changes);
      this.switch.addEventListener("change", () => {
        const slider = this.#slider;
        slider.value = String(Number(this.switch.checked));
        slider.dispatchEvent(new Event("input"));
        this.#tell();
      });
      this.map.addEventListener("attention", () => {
        this.switch.checked = this.#slider.value === "1"; // a link may have moved it
        this.#tell();
      });
    }

    get #slider() {
      return this.map.querySelector('input[type="range"]');
    }

    #tell() {
      const on = this.switch.checked;
      this.classList.toggle("mp-on", on);
      this.state.textContent = on ? "on" : "off";
      this.#compare();
    }

    /** Fills the table, where the bug is on; until the models are there it stays as it is. */
    async #compare() {
      this.changes.hidden = !this.switch.checked;
      if (!this.switch.checked) return;
      if (!this.#models) {
        const { loadModel } = await import(new URL("./models.js", import.meta.url));
        this.#models = await Promise.all(this.names.map((name) => loadModel(name)));
      }
      const on = [...this.map.querySelectorAll("button.hm-head")].map((toggle) => toggle.ariaPressed !== "false");
      const maps = this.#models.map((model) =>
        model.attend(this.map.sentence, on.length === model.numHeads && !on.every(Boolean) ? [on] : null));
      const rows = differences(...maps).map(([what, right, wrong]) => h("tr", right === wrong ? {} : { class: "mp-changed" },
        h("th", { scope: "row" }, what), h("td", {}, right), h("td", {}, wrong)));
      this.table.replaceChildren(...rows);
    }
  }

  customElements.define("museum-piece", MuseumPieceElement);
}

if (globalThis.customElements && !customElements.get("museum-piece")) defineElement();
