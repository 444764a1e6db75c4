// A question before a figure answers it: two or three answers to press, or "just show me"; once the figure has shown it, the answers
// are marked. What was guessed is one value, which changes by pure functions; nothing is asked twice.

import { h, markedNodes, nextId, setProps, setText } from "./dom.ts";

/** What is asked, and, once it's known, which answer is right, by its place, and why. Texts may hold *emphasis* and `code`. */
export interface Question {
  question: string;
  answers: string[];
  right: number | null;
  says: string;
}

/** How far a guess is: not yet made, made while the figure plays, or answered. `pressed` is null for who wanted to be shown. */
export interface Guess {
  stage: "open" | "plays" | "shown";
  pressed: number | null;
}

export const OPEN: Guess = { stage: "open", pressed: null };

/** The first press counts: what is guessed stays. */
export const press = (guess: Guess, pressed: number | null): Guess =>
  guess.stage === "open" ? { stage: "plays", pressed } : guess;

/** The figure has shown the answer to who guessed; who hasn't may still guess. */
export const tell = (guess: Guess): Guess => (guess.stage === "plays" ? { ...guess, stage: "shown" } : guess);

/** What an answer turned out to be: the one that is right, or the reader's own. */
export function markOf({ stage, pressed }: Guess, right: number | null, answer: number) {
  if (stage === "shown" && answer === right) return "right";
  if (answer !== pressed) return "";
  return stage === "shown" ? "wrong" : "yours";
}

/** What became of a guess, in words. */
export function verdictOn({ answers, right, says }: Question, { stage, pressed }: Guess) {
  if (stage === "open") return "";
  if (stage === "plays") return pressed === null ? "Watch." : `Your guess: ${answers[pressed]}.`;
  if (right === null) return says;
  const answer = pressed === null ? capital(answers[right]) : answers[right];
  const found = pressed === null ? "" : pressed === right ? "Right: " : "Not so: ";
  return `${found}${answer}. ${says}`.trim();
}

const capital = (text: string) => text.replace(/\p{L}/u, (letter) => letter.toUpperCase());

/** A text as one hears it. */
const plain = (text: string) => text.replace(/[`*]/g, "");

const MARKS: Record<string, string> = { right: "✓", wrong: "✗", yours: "●" };
const HEARD: Record<string, string> = { right: ", right", wrong: ", your guess, wrong", yours: ", your guess" };

export class GuessView {
  guess = OPEN;
  #question: Question;
  #plays: () => void;
  #asks = h("p", { class: "gs-question", id: nextId("guess") });
  #answers = h("div", { class: "gs-answers" });
  #way = h(
    "p",
    { class: "gs-way" },
    "Press one, or ",
    h("button", { type: "button", onclick: () => this.#press(null) }, "just show me"),
    ".",
  );
  #verdict = h("p", { class: "gs-verdict", "aria-live": "polite", tabindex: -1 });
  #room = h("p", { class: "gs-room", "aria-hidden": "true" });
  readonly node = h(
    "div",
    { class: "gs-guess", role: "group", "aria-labelledby": this.#asks.id },
    this.#asks,
    this.#answers,
    h("div", { class: "gs-line" }, this.#way, this.#room, this.#verdict),
  );

  /** `plays()` is called when the reader has guessed, or wants to be shown; the figure then tells. */
  constructor(question: Question, plays: () => void) {
    this.#question = question;
    this.#plays = plays;
    this.#answers.replaceChildren(
      ...question.answers.map((answer, at) =>
        h(
          "button",
          { type: "button", onclick: () => this.#press(at) },
          h("i", { "aria-hidden": "true" }),
          h("span", {}, ...markedNodes(answer)),
        ),
      ),
    );
    this.#asks.replaceChildren(...markedNodes(question.question));
    this.#draw();
  }

  get isTold() {
    return this.guess.stage === "shown";
  }

  get isOpen() {
    return this.guess.stage === "open";
  }

  /** The figure has shown it; it may say now which answer is right, and why. */
  tell(found: Partial<Pick<Question, "right" | "says">> = {}) {
    this.#question = { ...this.#question, ...found };
    this.guess = tell(this.guess);
    this.#draw();
  }

  #press(answer: number | null) {
    if (!this.isOpen) return;
    this.guess = press(this.guess, answer);
    this.#draw();
    if (answer === null) this.#verdict.focus({ preventScroll: true }); // what was pressed is gone
    this.#plays();
  }

  #draw() {
    const { guess } = this;
    const { answers, right, says } = this.#question;
    this.node.dataset.stage = guess.stage;
    [...this.#answers.children].forEach((button, at) => {
      const mark = markOf(guess, right, at);
      (button as HTMLElement).dataset.mark = mark;
      setText(button.firstElementChild!, MARKS[mark] ?? "");
      setProps(button, { ariaLabel: plain(answers[at]) + (HEARD[mark] ?? ""), ariaDisabled: String(!this.isOpen) });
    });
    this.#way.hidden = !this.isOpen;
    this.#verdict.replaceChildren(...markedNodes(verdictOn(this.#question, guess)));
    // As much room as the longest verdict takes; and what stands there on paper and where no script runs
    const longest = answers.reduce((most, answer) => (answer.length > most.length ? answer : most), "");
    const text = right === null ? `Not so: ${longest}. ${says}` : `Answer: ${answers[right]}. ${says}`;
    this.#room.replaceChildren(...markedNodes(text));
    this.#room.classList.toggle("gs-known", right !== null);
  }
}
