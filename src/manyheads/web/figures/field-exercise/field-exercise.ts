// <field-exercise>: the fields of an exercise, checked in the page. It holds the fields as JSON. Answers stay in this browser
// (doors/progress.ts). No DOM while the module loads.

import { defineFigure } from "../../doors/define-figure.ts";
import { figureNamed } from "../../doors/named.ts";
import { setFigure } from "../../doors/phrases.ts";
import { keepAnswers } from "../../doors/progress.ts";
import { announce, h, markedNodes, setValue } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import type { Field, judge } from "./answers.ts";
import { isRight, reduce, start, verdictsOf, type Action, type State } from "./state.ts";

const PLACEHOLDERS: Record<string, string> = { shape: "2 × 3", number: "0.5", word: "a word", query: "1, 2" };

function view({ act, root, state: { exercise, fields } }: Host<State, Action>) {
  const rows = fields.map((field, at) => makeRow(field, `${exercise}-field-${at + 1}`));
  const submit = (event: Event) => {
    event.preventDefault();
    act({ type: "check", typed: rows.map(({ typed }) => typed()) });
  };
  const again = h("button", { type: "button", onclick: () => act({ type: "clear" }) }, "Start over");
  const show = h("button", { type: "button", onclick: () => showOnMap(root) }, "Show it on the map");
  const buttons = h("p", { class: "fe-buttons" }, h("button", { type: "submit" }, "Check"), again, show);

  function draw(state: State) {
    const verdicts = verdictsOf(state);
    rows.forEach((row, at) => row.draw(state.typed?.[at] ?? "", verdicts[at]));
    show.hidden = !state.typed || !root.getAttribute("map");
  }

  return { nodes: [h("form", { novalidate: true, onsubmit: submit }, ...rows.map(({ node }) => node), buttons)], draw };
}

/** One field: its question, where it is answered, and the reply. */
function makeRow({ kind, label, options }: Field, id: string) {
  const reply = h("p", { id: `${id}-reply`, class: "fe-reply", role: "status", "aria-live": "polite" });
  const described = { "aria-describedby": reply.id };
  const box = () =>
    h("input", {
      type: "text",
      id,
      placeholder: PLACEHOLDERS[kind],
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      ...described,
    });
  const inputs = options?.map((value) => h("input", { type: "radio", name: id, value, ...described })) ?? [box()];
  const node = options
    ? h(
        "fieldset",
        { class: "fe-field" },
        h("legend", {}, ...markedNodes(label)),
        ...inputs.map((input) => h("label", { class: "fe-option" }, input, h("span", {}, ...markedNodes(input.value)))),
        reply,
      )
    : h("div", { class: "fe-field" }, h("label", { for: id }, ...markedNodes(label)), ...inputs, reply);
  return {
    node,
    typed: () => inputs.find(({ checked }) => checked || !options)?.value ?? "",
    draw(typed: string, verdict?: ReturnType<typeof judge>) {
      for (const input of inputs) {
        if (options) input.checked = input.value === typed;
        else setValue(input, typed);
        input.ariaInvalid = String(verdict?.right === false);
      }
      reply.replaceChildren(...markedNodes(verdict?.reply ?? ""));
      node.dataset.verdict = verdict ? (verdict.right ? "right" : "wrong") : "";
    },
  };
}

function showOnMap(root: HTMLElement) {
  const map = figureNamed(root.getAttribute("map") ?? "", root);
  if (!map) return;
  const sentence = root.getAttribute("sentence");
  setFigure(map, { off: "", ...(sentence !== null && { sentence }) }); // with all heads on
  map.scrollIntoView({ block: "start" });
  map.querySelector<HTMLElement>("input, textarea")?.focus({ preventScroll: true });
}

defineFigure<State, Action>("field-exercise", {
  start,
  reduce,
  view,
  properties: { exercise: ({ exercise }) => exercise }, // its label
  methods: { clear: ({ act }) => act({ type: "clear" }) },
  changed({ root, state }) {
    const { exercise, typed } = state;
    const right = isRight(state);
    keepAnswers(exercise, typed && { typed, right });
    announce(root, "answer", { exercise, right });
  },
});
