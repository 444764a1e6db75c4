// How the guesses of a model fared that goes on with what repeats: pure functions of a text and what was guessed after each character.

/** A character, what was guessed in its place, and whether it followed the same character before, so that it can be known. */
export interface Guessed {
  character: string;
  guess: string | null; // null: one that the text lacks
  known: boolean;
  right: boolean;
}

/** How each character but the first was guessed; `guesses[t]` is what was expected after position t. */
export function guessed(characters: string[], guesses: (string | null)[]): Guessed[] {
  const seen = new Set<string>();
  return characters.slice(1).map((character, before) => {
    const pair = JSON.stringify([characters[before], character]);
    const known = seen.has(pair);
    seen.add(pair);
    return { character, guess: guesses[before], known, right: guesses[before] === character };
  });
}

/** All guesses in a sentence or two; `off` says of heads that are off. */
export function guessedText(all: Guessed[], off = "") {
  const known = all.filter((each) => each.known);
  const right = known.filter((each) => each.right).length;
  if (!known.length) return "Nothing repeats yet: type the same again.";
  return `Where the text repeats, ${right} of ${known.length} guesses ${known.length === 1 ? "is" : "are"} right${off && `, ${off}`}.`;
}

/** A character as it's shown: white space has no shape of its own. */
export const visible = (character: string) => (/^[\s\p{Cc}]$/u.test(character) ? "␣" : character);
