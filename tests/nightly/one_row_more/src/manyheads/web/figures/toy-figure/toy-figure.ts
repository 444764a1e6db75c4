import { defineFigure } from "../../doors/define-figure.ts";
import { h, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";

interface State {
  label: string;
  at: number;
}

type Action = { type: "go"; at: number };

function view({ act }: Host<State, Action>) {
  const slider = h("input", {
    type: "range",
    max: 9,
    "aria-label": "Steps",
    oninput: () => act({ type: "go", at: Number(slider.value) }),
  });
  const text = h("p");

  function draw(state: State) {
    slider.value = String(state.at);
    setText(text, summary(state));
  }

  return { nodes: [slider, text], draw };
}

const summary = ({ label, at }: State) => `Drawn: ${label}, ${at}`;

defineFigure<State, Action>("toy-figure", {
  start: (element) => ({ label: element.getAttribute("label") ?? "", at: 0 }),
  reduce: (state, { at }) => ({ ...state, at }),
  view,
  summary,
});
