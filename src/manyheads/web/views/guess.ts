// A question before a figure answers it: two or three answers to press, or "just show me"; once the figure has shown it, the answers
// are marked. What was guessed is one value, which changes by pure functions; nothing is asked twice.

import { h, markedNodes, nextId, setProps, setText } from "./dom.ts";

/** What is asked, and, once it's known, which answer is right, by its place, and why. Texts may hold *emphasis* and `code`. */
export interface Question {
  question: string;
  answers: string[];
  right: number | null;
  says: string;
  why?: string[]; // why each answer isn't so; "" of the right one
}

/** How far a guess is: not yet made, made while the figure plays, or answered. `pressed` is null for who wanted to be shown. */
export interface Guess {
  stage: "open" | "plays" | "shown";
  pressed: number | null;
}

export const OPEN: Guess = { stage: "open", pressed: null };

export const isOpen = ({ stage }: Guess) => stage === "open";

/** The first press counts: what is guessed stays. */
export const press = (guess: Guess, pressed: number | null): Guess =>
  isOpen(guess) ? { stage: "plays", pressed } : guess;

/** The figure has shown the answer to who guessed; who hasn't may still guess. */
export const tell = (guess: Guess): Guess => (guess.stage === "plays" ? { ...guess, stage: "shown" } : guess);

/** What an answer turned out to be: the one that is right, or the reader's own. */
export function markOf({ stage, pressed }: Guess, right: number | null, answer: number) {
  if (stage === "shown" && answer === right) return "right";
  if (answer !== pressed) return "";
  return stage === "shown" ? "wrong" : "yours";
}

/** What became of a guess, in words. */
export function verdictOn({ answers, right, says, why }: Question, { stage, pressed }: Guess) {
  if (stage === "open") return "";
  if (stage === "plays") return pressed === null ? "Watch." : `Your guess: ${answers[pressed]}.`;
  if (right === null) return says;
  const answer = pressed === null ? sentenceOf(answers[right]) : answers[right];
  const found = pressed === null ? "" : pressed === right ? "Right: " : "Not so: ";
  return [`${found}${answer}.`, why?.[pressed ?? right], says].filter(Boolean).join(" ");
}

const longest = (texts: string[]) => texts.reduce((most, text) => (text.length > most.length ? text : most), "");

const sentenceOf = (text: string) => text.replace(/\p{L}/u, (letter) => letter.toUpperCase());

/** A text as one hears it. */
const plain = (text: string) => text.replace(/[`*]/g, "");

const MARKS: Record<string, string> = { right: "✓", wrong: "✗", yours: "●" };
const HEARD: Record<string, string> = { right: ", right", wrong: ", your guess, wrong", yours: ", your guess" };

/** What a guess is drawn into; `pressed(answer)` is called with what its reader presses, null for who wants to be shown. */
export function guessView(question: Question, pressed: (answer: number | null) => void) {
  const { answers } = question;
  const asks = h("p", { class: "gs-question", id: nextId("guess") }, ...markedNodes(question.question));
  const buttons = answers.map((answer, at) =>
    h(
      "button",
      { type: "button", onclick: () => pressed(at) },
      h("i", { "aria-hidden": "true" }),
      h("span", {}, ...markedNodes(answer)),
    ),
  );
  const show = () => {
    pressed(null);
    verdict.focus({ preventScroll: true }); // what was pressed is gone
  };
  const shows = h("button", { type: "button", onclick: show }, "just show me");
  const way = h("p", { class: "gs-way" }, "Press one, or ", shows, ".");
  const verdict = h("p", { class: "gs-verdict", "aria-live": "polite", tabindex: -1 });
  const room = h("p", { class: "gs-room", "aria-hidden": "true" });
  const node = h(
    "div",
    { class: "gs-guess", role: "group", "aria-labelledby": asks.id },
    asks,
    h("div", { class: "gs-answers" }, ...buttons),
    h("div", { class: "gs-line" }, way, room, verdict),
  );

  /** `found` is what the figure has found out of the answer. */
  function draw(guess: Guess, found: Partial<Pick<Question, "right" | "says">> = {}) {
    const known = { ...question, ...found };
    const { right, says } = known;
    node.dataset.stage = guess.stage;
    buttons.forEach((button, at) => {
      const mark = markOf(guess, right, at);
      button.dataset.mark = mark;
      setText(button.firstElementChild!, MARKS[mark] ?? "");
      setProps(button, { ariaLabel: plain(answers[at]) + (HEARD[mark] ?? ""), ariaDisabled: String(!isOpen(guess)) });
    });
    verdict.replaceChildren(...markedNodes(verdictOn(known, guess)));
    way.hidden = !isOpen(guess);
    // As much room as the longest verdict takes; and what stands there on paper and where no script runs
    const text = right === null ? `Not so: ${longest(answers)}. ${says}` : `Answer: ${answers[right]}. ${says}`;
    const reasons = question.why ? [h("span", { class: "gs-why" }, ` ${longest(question.why)}`)] : [];
    room.replaceChildren(...markedNodes(text), ...reasons);
    room.classList.toggle("gs-known", right !== null);
  }

  return { node, draw };
}
