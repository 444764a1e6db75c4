// What an <exercise-list> knows: the exercises of the book, and which of them were answered in this browser. No DOM.

import type { Answers } from "../../doors/progress.ts";

export interface State {
  chapters: string[][]; // the labels of those that a page checks
  progress: Answers; // all that is kept, also of exercises that the book no longer has
}

export type Action = { type: "take"; parts: Pick<State, "progress"> };

export const reduce = (state: State, { parts }: Action): State => ({ ...state, ...parts });

export const isTried = ({ progress }: State, label: string) =>
  Object.hasOwn(progress, label) && progress[label] !== null;
export const isRight = (state: State, label: string) => isTried(state, label) && state.progress[label].right === true;
