// How tokens, shares and models are written for people.

import { PIECE_MARK, SPECIAL_TOKEN } from "./names.js";

const SPECIAL = new RegExp(`^(${SPECIAL_TOKEN})$`);

/** Whether a token is the rest of a word, "##able": shown without the marks and joined to what comes before. */
export const isPiece = (/** @type {string} */ token) => token.startsWith(PIECE_MARK) && token.length > PIECE_MARK.length;

/** Whether a token marks a place rather than a piece of the text. */
export const isSpecial = (/** @type {string} */ token) => SPECIAL.test(token);

export const readable = (/** @type {string} */ token) => (isPiece(token) ? token.slice(PIECE_MARK.length) : token);

/** A share of 1 in per cent, to a tenth below ten. */
export const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;

/** @type {Record<string, string>} */
const PLAIN_NAMES = { focus: "taught", translator: "cross" };

/** How the slider names a model: "focus" is the taught one, "focus/step-40" reads "step 40", "translator/first" "first". */
export const modelLabel = (/** @type {string} */ name) =>
  PLAIN_NAMES[name] ?? name.replace(/^(focus|translator)\//, "").replace("-", " ");

/** Text for the inside of HTML or XML and their attributes. */
export const escaped = (/** @type {string} */ text) => text.replace(/[&"<>]/g, (sign) => `&#${sign.codePointAt(0)};`);
