// <figure-guess for="ID">: asks what a figure is about to show. Its reader presses an answer, the figure is set to what is baked in
// here, and once it shows that, the answer is marked. With `covers`, the style keeps the figure below it covered until then, or until
// its reader uses it: who types doesn't have to guess first, and still may.
// No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { figureNamed } from "../../doors/named.ts";
import { onceAnswered, setFigure } from "../../doors/phrases.ts";
import { targetOf } from "../../views/dom.ts";
import { guessView, isOpen } from "../../views/guess.ts";
import type { Host } from "../../views/host.ts";
import { awaitsUse, reduce, start, type Action, type State } from "./state.ts";

const [TOLD, COVERED] = ["gs-told", "gs-covered"];
const PATIENCE = 8000; // milliseconds for a figure to answer; then it says itself why it doesn't

function view(host: Host<State, Action>) {
  const { root } = host;
  const guess = guessView(host.state.question, (pressed) => isOpen(host.state.guess) && play(host, pressed));

  function draw(state: State) {
    guess.draw(state.guess);
    root.classList.toggle(TOLD, !state.covered);
    if (!state.covered) figureOf(root)?.classList.remove(COVERED);
  }

  return { nodes: [guess.node], draw };
}

const figureOf = (root: HTMLElement) => figureNamed(root.getAttribute("for") ?? "", root);

function play(host: Host<State, Action>, pressed: number | null) {
  const { sets } = host.state.question;
  const figure = Object.keys(sets).length ? figureOf(host.root) : null;
  host.act({ type: "press", pressed, plays: figure !== null });
  if (!figure) return;
  const answered = () => (clearTimeout(late), host.dispatch({ type: "answer" }));
  const late = setTimeout(answered, PATIENCE);
  onceAnswered(figure, answered);
  setFigure(figure, sets);
}

/** Keeps the figure covered until its reader uses it. */
function listen(host: Host<State, Action>, leaves: AbortSignal) {
  const figure = figureOf(host.root);
  if (!figure || !host.root.hasAttribute("covers")) return;
  figure.classList.toggle(COVERED, host.state.covered);
  leaves.addEventListener("abort", () => figure.classList.remove(COVERED));
  const used = () => awaitsUse(host.state) && host.dispatch({ type: "use" });
  for (const name of ["input", "set"]) figure.addEventListener(name, used, { signal: leaves });
  figure.addEventListener(
    "click",
    (event) => targetOf(event).closest("button:not(.hm-status button)") && used(), // loading a model shows nothing yet
    { signal: leaves },
  );
}

defineFigure<State, Action>("figure-guess", { start, reduce, view, listen });
