// What a reader has answered, kept in this browser and nowhere else: {exercise: { typed: [text], right: boolean }}. In a notebook, its
// own answers are kept in it as well, and come along to another machine.
// A browser may refuse to keep anything; then the exercises work all the same, and forget.

export const KEPT_AS = "manyheads-exercises";

export type Answers = Record<string, { typed: string[]; right: boolean }>;

/** All that is kept. */
export function readProgress(): Answers {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}");
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {};
  }
}

/** Keeps the answers of one exercise; null forgets them. */
export function keepAnswers(exercise: string, answers: Answers[string] | null) {
  const progress = readProgress();
  if (answers) progress[exercise] = answers;
  else delete progress[exercise];
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(progress));
  } catch {
    // nothing is kept
  }
}

/** Takes over answers that were kept elsewhere, of exercises that haven't been tried here. */
export function recallAnswers(answers: Record<string, Answers[string] | null>) {
  const known = readProgress();
  for (const [exercise, kept] of Object.entries(answers))
    if (kept && !Object.hasOwn(known, exercise)) keepAnswers(exercise, kept);
}

/** Forgets all answers. */
export function eraseProgress() {
  try {
    localStorage.removeItem(KEPT_AS);
  } catch {
    // nothing was kept
  }
}
