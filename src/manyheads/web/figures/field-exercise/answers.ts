// Whether what a reader typed answers a field of an exercise, and what to tell them. No DOM.

import { softmax } from "../../math/attention.ts";

/** A field as fields.py writes it. */
export interface Field {
  kind: string;
  label: string;
  answer: string;
  hints: Record<string, string>;
  hint?: string;
  right?: string;
  within?: number;
  options?: string[];
  words?: string[];
  keys?: number[][];
  target?: string;
  share?: number;
}

/** All numbers in a text. */
const numbersIn = (text: string) => (text.replace(/[−–]/g, "-").match(/-?\d*\.?\d+/g) ?? []).map(Number);

/** The number that a text is, which may be a fraction, have a decimal comma, or end with a percent sign; else NaN. */
function numberOf(text: string) {
  const plain = text.replace(/[−–]/g, "-").replace(",", ".").replace(/\s*%$/, "");
  const [above, below = "1"] = /^-?\d*\.?\d+(\s*\/\s*\d*\.?\d+)?$/.test(plain) ? plain.split("/") : ["NaN"];
  return Number(above) / Number(below);
}

/** Judges one answer. */
export function judge(field: Field, typed: string): { right: boolean; reply: string } {
  const text = typed.trim();
  if (!text) return notYet(field.kind === "choice" ? "Choose one." : "Nothing is typed yet.");
  const { right, hint } = JUDGES[field.kind](field, text);
  if (right) return { right, reply: `Right. ${field.right ?? ""}`.trim() };
  return notYet(hintFor(field, text) ?? hint ?? "");
}

const notYet = (hint: string) => ({ right: false, reply: `Not yet. ${hint}`.trim() });

/** The hint for just this answer. */
function hintFor(field: Field, text: string) {
  const plain = PLAIN[field.kind] ?? ((it: string) => numbersIn(it).join());
  return Object.entries(field.hints).find(([answer]) => plain(answer) === plain(text))?.[1];
}

const plainWord = (text: string) => text.toLowerCase().replace(/^["“”‘’'.,;\s]+|["“”‘’'.,;\s]+$/g, "");

/** What of an answer counts. */
const PLAIN: Record<string, (text: string) => string | number> = {
  word: plainWord,
  number: numberOf,
  choice: (text) => text,
};

const JUDGES: Record<string, (field: Field, text: string) => { right: boolean; hint?: string }> = {
  choice: ({ answer }, text) => ({ right: text === answer }),
  word: ({ answer, hint = "It is another word." }, text) => ({ right: plainWord(text) === plainWord(answer), hint }),
  shape: judgeShape,
  number: judgeNumber,
  query: judgeQuery,
};

function judgeShape(field: Field, text: string) {
  const [sizes, found] = [numbersIn(field.answer), numbersIn(text)];
  if (sizes.join() === found.join()) return { right: true };
  const sorted = (list: number[]) => [...list].sort((a, b) => a - b).join();
  let hint;
  if (!found.length) hint = `Type the sizes of its axes, for example ${sizes.map((_, at) => at + 2).join(" × ")}.`;
  else if (sorted(sizes) === sorted(found)) hint = "These are the right sizes, in another order.";
  else if (found.length < sizes.length) hint = `It has more axes than ${found.length}.`;
  else if (found.length > sizes.length) hint = `It has fewer axes than ${found.length}.`;
  else
    hint =
      field.hint ?? `Of its ${sizes.length} sizes ${sizes.filter((size, at) => size === found[at]).length} are right.`;
  return { right: false, hint };
}

function judgeNumber({ answer, within = 0.005, hint }: Field, text: string) {
  const [value, number] = [Number(answer), numberOf(text)];
  if (Number.isNaN(number)) return { right: false, hint: "Type a number, such as 0.5 or 1/2." };
  const near = (other: number) => Math.abs(other - value) <= within + 1e-9;
  if (near(number) && !text.includes("%")) return { right: true };
  if (near(number / 100))
    return text.includes("%")
      ? { right: true }
      : { right: false, hint: "That looks like percent. Type a share between 0 and 1." };
  if (near(-number)) return { right: false, hint: "Look at the sign." };
  return { right: false, hint: hint ?? (number > value ? "It is less than that." : "It is more than that.") };
}

/** The weights of a query over the keys, and whether the target gets its share. */
function judgeQuery({ keys = [], words = [], target = "", share = 1 }: Field, text: string) {
  const query = numbersIn(text);
  const width = keys[0].length;
  if (query.length !== width) return { right: false, hint: `A query has ${width} numbers here, as a key has.` };
  const scores = keys.map((key) => key.reduce((sum, number, at) => sum + number * query[at], 0) / Math.sqrt(width));
  const weights = softmax({ shape: [1, keys.length], values: Float32Array.from(scores) }).values;
  const at = words.indexOf(target);
  if (weights[at] >= share) return { right: true };
  const shares = words.map((word, place) => `${word} ${(100 * weights[place]).toFixed(0)}%`).join(", ");
  const most = words[weights.indexOf(Math.max(...weights))];
  const advice =
    most === target
      ? "The right way, but not far enough: make it longer."
      : "Point it the way that the key of the word points.";
  return { right: false, hint: `With this query the weights are ${shares}. ${advice}` };
}
