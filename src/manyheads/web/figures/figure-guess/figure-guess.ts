// <figure-guess for="ID">: asks what a figure is about to show. Its reader presses an answer, the figure is set to what is baked in
// here, and once it shows that, the answer is marked. With `covers`, the style keeps the figure below it covered until then, or until
// its reader uses it: who types doesn't have to guess first, and still may.
// No DOM while the module loads, as in head-map.ts.

import { define, Figure } from "../../doors/page-element.ts";
import { figureNamed } from "../../doors/named.ts";
import { onceAnswered, setFigure } from "../../doors/phrases.ts";
import { targetOf } from "../../views/dom.ts";
import { guessView, isOpen, OPEN, press, tell, type Guess, type Question } from "../../views/guess.ts";

const [TOLD, COVERED] = ["gs-told", "gs-covered"];
const PATIENCE = 8000; // milliseconds for a figure to answer; then it says itself why it doesn't

/** What `guess_html` of drawing/guess.py bakes in: the question, and attributes of the figure with their values. */
type Baked = Question & { sets: Record<string, string> };

class FigureGuessElement extends Figure<ReturnType<typeof guessView>> {
  #guess = OPEN;

  protected draw(baked: Baked | null) {
    if (!baked) return;
    this.view = guessView(baked, (pressed) => isOpen(this.#guess) && this.#play(pressed, baked.sets));
    this.replaceChildren(this.view.node);
    this.#mark(OPEN);
  }

  #mark(guess: Guess) {
    this.#guess = guess;
    this.view?.draw(guess);
  }

  protected override listen(leaves: AbortSignal) {
    const figure = this.#figure;
    if (!figure || !this.hasAttribute("covers")) return;
    figure.classList.toggle(COVERED, !this.#isTold);
    leaves.addEventListener("abort", () => figure.classList.remove(COVERED));
    const used = () => isOpen(this.#guess) && this.#uncover(); // else the guess plays
    for (const name of ["input", "set"]) figure.addEventListener(name, used, { signal: leaves });
    figure.addEventListener(
      "click",
      (event) => targetOf(event).closest("button:not(.hm-status button)") && used(), // loading a model shows nothing yet
      { signal: leaves },
    );
  }

  get #figure() {
    const name = this.getAttribute("for");
    return name ? figureNamed(name, this) : null;
  }

  get #isTold() {
    return this.classList.contains(TOLD);
  }

  #uncover() {
    this.classList.add(TOLD);
    this.#figure?.classList.remove(COVERED);
  }

  #play(pressed: number | null, sets: Record<string, string>) {
    this.#mark(press(this.#guess, pressed));
    const figure = this.#figure;
    const answered = () => {
      clearTimeout(late);
      this.#uncover();
      this.#mark(tell(this.#guess));
    };
    const late = setTimeout(answered, PATIENCE);
    if (!figure || !Object.keys(sets).length) return answered();
    onceAnswered(figure, answered);
    setFigure(figure, sets);
  }
}

define("figure-guess", FigureGuessElement);
