// <field-exercise>: the fields of an exercise, checked in the page. It holds the fields as JSON. Answers stay in this browser
// (doors/progress.ts). No DOM while the module loads.

import { figureNamed } from "../../doors/named.ts";
import { define, Figure } from "../../doors/page-element.ts";
import { setFigure } from "../../doors/phrases.ts";
import { keepAnswers, readProgress } from "../../doors/progress.ts";
import { judge, type Field } from "./answers.ts";
import { announce, h, markedNodes } from "../../views/dom.ts";

const PLACEHOLDERS: Record<string, string> = { shape: "2 × 3", number: "0.5", word: "a word", query: "1, 2" };

/** One field: its question, where it is answered, and the reply. */
class FieldRow {
  #field: Field;
  #inputs: HTMLInputElement[];
  #reply: HTMLElement;
  node: HTMLElement;

  constructor(field: Field, id: string) {
    this.#field = field;
    this.#reply = h("p", { id: `${id}-reply`, class: "fe-reply", role: "status", "aria-live": "polite" });
    const described = { "aria-describedby": `${id}-reply` };
    if (field.options) {
      this.#inputs = field.options.map((value) => h("input", { type: "radio", name: id, value, ...described }));
      const options = this.#inputs.map((input) =>
        h("label", { class: "fe-option" }, input, h("span", {}, ...markedNodes(input.value))),
      );
      this.node = h(
        "fieldset",
        { class: "fe-field" },
        h("legend", {}, ...markedNodes(field.label)),
        ...options,
        this.#reply,
      );
    } else {
      this.#inputs = [
        h("input", {
          type: "text",
          id,
          placeholder: PLACEHOLDERS[field.kind],
          autocomplete: "off",
          autocapitalize: "off",
          spellcheck: "false",
          ...described,
        }),
      ];
      this.node = h(
        "div",
        { class: "fe-field" },
        h("label", { for: id }, ...markedNodes(field.label)),
        this.#inputs[0],
        this.#reply,
      );
    }
  }

  get typed() {
    const input = this.#field.options ? this.#inputs.find(({ checked }) => checked) : this.#inputs[0];
    return input?.value ?? "";
  }

  set typed(text: string) {
    for (const input of this.#inputs)
      if (this.#field.options) input.checked = input.value === text;
      else input.value = text;
  }

  /** Says whether it is right. */
  check() {
    const { right, reply } = judge(this.#field, this.typed);
    this.#reply.replaceChildren(...markedNodes(reply));
    this.#mark(right ? "right" : "wrong");
    return right;
  }

  clear() {
    this.typed = "";
    this.#reply.replaceChildren();
    this.#mark("");
  }

  #mark(verdict: string) {
    this.node.dataset.verdict = verdict;
    for (const input of this.#inputs) input.ariaInvalid = String(verdict === "wrong");
  }
}

class FieldExerciseElement extends Figure {
  #rows: FieldRow[] = [];
  #show = h("button", { type: "button", hidden: true, onclick: () => this.#showOnMap() }, "Show it on the map");

  protected draw(baked: Field[] | null) {
    this.#rows = (baked ?? []).map((field, at) => new FieldRow(field, `${this.exercise}-field-${at + 1}`));
    const again = h("button", { type: "button", onclick: () => this.clear() }, "Start over");
    const buttons = h("p", { class: "fe-buttons" }, h("button", { type: "submit" }, "Check"), again, this.#show);
    const submit = (event: Event) => {
      event.preventDefault();
      this.#check();
    };
    this.replaceChildren(
      h("form", { novalidate: true, onsubmit: submit }, ...this.#rows.map(({ node }) => node), buttons),
    );
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
    const map = figureNamed(this.getAttribute("map") ?? "", this);
    if (!map) return;
    const sentence = this.getAttribute("sentence");
    setFigure(map, { off: "", ...(sentence !== null && { sentence }) }); // with all heads on
    map.scrollIntoView({ block: "start" });
    map.querySelector<HTMLElement>("input, textarea")?.focus({ preventScroll: true });
  }
}

define("field-exercise", FieldExerciseElement);
