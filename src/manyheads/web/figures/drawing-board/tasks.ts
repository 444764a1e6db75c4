// What a board asks of its reader: to guess which patch a head looks at most, or to reach a goal. It knows how far they've come.

import { keepAnswers, readProgress } from "../../doors/progress.ts";
import type { DrawingMap } from "../../models/drawing.ts";
import { doneWith, GOALS, progressOf, type Tried } from "./goals.ts";
import { fareIn, headIn, questionOf, verdictOn, type Head } from "./guess.ts";
import { COLUMNS } from "./paper.ts";

/** What a reader guessed, of which drawing, and what became of it once the model has answered. */
interface Guess {
  patch: number;
  text: string;
  most: number | null; // the patch that the head looks at most
  verdict: string;
}

export class Tasks {
  /** Of whose patch a guess is wanted; null for none. */
  readonly head: Head | null;
  #goal: (typeof GOALS)[string] | undefined;
  #exercise: string;
  #guess: Guess | null = null;
  #progress = ""; // towards the goal
  #done: boolean;

  /** From attributes; `exercise` is the label of the exercise that the goal is. */
  constructor({ guess, goal, exercise }: Record<"guess" | "goal" | "exercise", string | null>) {
    this.head = headIn(guess);
    this.#goal = GOALS[goal ?? ""];
    this.#exercise = exercise ?? "";
    this.#done = this.#goal !== undefined && readProgress()[this.#exercise]?.right === true;
    if (this.#goal && this.#done) this.#progress = doneWith(this.#goal);
  }

  /** Whether the paper waits for a guess. */
  get picks() {
    return this.head !== null && !this.#guess;
  }

  /** Takes the guess of a patch of a drawing. */
  pick(patch: number, text: string) {
    this.#guess = { patch, text, most: null, verdict: "" };
  }

  /** Judges the guess by what the patch at `query` looks at; whether it hasn't been before. */
  judgeGuess(map: DrawingMap, query: number) {
    if (!this.head || !this.#guess || this.#guess.verdict) return false;
    const fare = fareIn(map, this.head, query, this.#guess.patch);
    this.#guess = { ...this.#guess, most: fare.most, verdict: verdictOn(fare, this.head, COLUMNS) };
    return true;
  }

  /** Judges what is on the board; whether the goal is reached now, and hasn't been before. */
  judgeGoal(text: string, tried: Tried) {
    if (!this.#goal || this.#done) return false;
    const { done, says } = progressOf(this.#goal, tried);
    this.#progress = says;
    this.#done = done;
    if (done && this.#exercise) keepAnswers(this.#exercise, { typed: [text], right: true });
    return done;
  }

  /** The patches of the guess and of what the head looks at, on the drawing that it was made on. */
  marksOn(text: string) {
    const { patch = null, most = null } = this.#guess?.text === text ? this.#guess : {};
    return { guess: patch, most };
  }

  /** What the reader is to do, and how far they've come. */
  get told() {
    if (!this.head) return { task: this.#goal?.task ?? "", progress: this.#progress, done: this.#done };
    return { task: this.#guess ? "" : questionOf(this.head), progress: this.#guess?.verdict ?? "", done: false };
  }
}
