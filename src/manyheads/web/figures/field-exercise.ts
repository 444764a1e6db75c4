// <field-exercise>: the fields of an exercise, checked in the page. It holds the fields as JSON and, for those without
// scripts, as a list. Answers stay in this browser (doors/progress.js). No DOM while the module loads.

import { bakedInto, mayDefine } from "../doors/page-element.js";
import { keepAnswers, readProgress } from "../doors/progress.js";
import { judge } from "../math/answers.js";
import { announce, h } from "../views/dom.js";

/** Text with `code` and *emphasis* as nodes. */
function markedNodes(/** @type {string} */ text) {
  return text.split(/(`[^`]+`|\*[^*]+\*)/).map((part) => {
    if (!/^([`*])[^]+\1$/.test(part)) return part;
    return h(part[0] === "*" ? "em" : "code", {}, part.slice(1, -1));
  });
}

const PLACEHOLDERS = { shape: "2 × 3", number: "0.5", word: "a word", query: "1, 2" };

/** One field: what is asked, where it is answered, and the reply. */
class FieldRow {
  /**
   * @param {import("../math/answers.js").Field} asked
   * @param {string} id
   */
  constructor(asked, id) {
    this.asked = asked;
    this.reply = h("p", { id: `${id}-reply`, class: "fe-reply", role: "status", "aria-live": "polite" });
    const described = { "aria-describedby": `${id}-reply` };
    if (asked.options) {
      this.inputs = asked.options.map((value) => h("input", { type: "radio", name: id, value, ...described }));
      const options = this.inputs.map((input) => h("label", { class: "fe-option" }, input, h("span", {}, ...markedNodes(input.value))));
      this.node = h("fieldset", { class: "fe-field" }, h("legend", {}, ...markedNodes(asked.label)), ...options, this.reply);
    } else {
      const placeholder = PLACEHOLDERS[/** @type {keyof PLACEHOLDERS} */ (asked.kind)];
      this.inputs = [h("input", { type: "text", id, placeholder, autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...described })];
      this.node = h("div", { class: "fe-field" }, h("label", { for: id }, ...markedNodes(asked.label)), this.inputs[0], this.reply);
    }
  }

  get typed() {
    const input = this.asked.options ? this.inputs.find(({ checked }) => checked) : this.inputs[0];
    return input?.value ?? "";
  }

  set typed(text) {
    for (const input of this.inputs)
      if (this.asked.options) input.checked = input.value === text;
      else input.value = text;
  }

  /** Tells whether it is right. */
  check() {
    const { right, reply } = judge(this.asked, this.typed);
    this.reply.replaceChildren(...markedNodes(reply));
    this.#mark(right ? "right" : "wrong");
    return right;
  }

  clear() {
    this.typed = "";
    this.reply.replaceChildren();
    this.#mark("");
  }

  #mark(/** @type {string} */ verdict) {
    this.node.dataset.verdict = verdict;
    for (const input of this.inputs) input.ariaInvalid = String(verdict === "wrong");
  }
}

function defineFieldExercise() {
  class FieldExerciseElement extends HTMLElement {
    /** @type {FieldRow[]} */
    #rows = [];
    #show = h("button", { type: "button", hidden: true, onclick: () => this.#showOnMap() }, "Show it on the map");

    connectedCallback() {
      if (this.#rows.length) return;
      this.#rows = bakedInto(this).map((/** @type {import("../math/answers.js").Field} */ asked, /** @type {number} */ at) =>
        new FieldRow(asked, `${this.exercise}-field-${at + 1}`));
      const again = h("button", { type: "button", onclick: () => this.clear() }, "Start over");
      const buttons = h("p", { class: "fe-buttons" }, h("button", { type: "submit" }, "Check"), again, this.#show);
      const form = h("form", { novalidate: true }, ...this.#rows.map(({ node }) => node), buttons);
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.#check();
      });
      this.querySelector("ul")?.replaceWith(form);
      this.#recall();
    }

    /** The label of the exercise that the fields belong to. */
    get exercise() {
      return this.getAttribute("exercise") ?? "";
    }

    /** Empties the fields and forgets their answers. */
    clear() {
      for (const row of this.#rows) row.clear();
      this.#show.hidden = true;
      keepAnswers(this.exercise, null);
      announce(this, "answer", { exercise: this.exercise, right: false });
    }

    #check() {
      const right = this.#rows.map((row) => row.check()).every(Boolean);
      this.#show.hidden = !this.getAttribute("map");
      keepAnswers(this.exercise, { typed: this.#rows.map(({ typed }) => typed), right });
      announce(this, "answer", { exercise: this.exercise, right });
    }

    /** Fills in what was answered on an earlier visit. */
    #recall() {
      const kept = readProgress()[this.exercise];
      if (kept?.typed?.length !== this.#rows.length) return;
      this.#rows.forEach((row, at) => {
        row.typed = String(kept.typed[at]);
        row.check();
      });
      this.#show.hidden = !this.getAttribute("map");
    }

    #showOnMap() {
      const map = /** @type {HeadMapElement | null} */ (document.getElementById(this.getAttribute("map") ?? ""));
      if (!map) return;
      map.sentence = this.getAttribute("sentence") ?? map.sentence;
      map.scrollIntoView({ block: "start" });
      map.querySelector("input")?.focus({ preventScroll: true });
    }
  }

  customElements.define("field-exercise", FieldExerciseElement);
}

if (mayDefine("field-exercise")) defineFieldExercise();
