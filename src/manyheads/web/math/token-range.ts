// Which tokens of a text are shown, as their reader writes it: "3–20", counted from 1, as pages are for a printer.

/** The places of the first and the last token, from 0; `last` is null where that's the last of all. */
export interface TokenRange {
  first: number;
  last: number | null;
}

/** What is written for a range of `count` tokens; nothing for all of them. */
export function rangeText({ first, last }: TokenRange, count: number) {
  const end = Math.min(last ?? count - 1, count - 1) + 1;
  return first === 0 && end === count ? "" : `${Math.min(first + 1, count)}–${end}`;
}

/** The range that is written, in whichever order; one number is one token, a number and a dash go to the end, and what has none is all of them. */
export function rangeIn(text: string, count: number): TokenRange {
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  if (!numbers.length) return { first: 0, last: null };
  const isOpen = /\d\D*[-–]\D*$/.test(text);
  const [from, to] = [Math.min(...numbers), isOpen ? count : Math.max(...numbers)].map(
    (number) => Math.min(Math.max(number, 1), count) - 1,
  );
  return { first: from, last: to === count - 1 ? null : to };
}
