// What a guess, a phrase or a link sets in a figure is lent to it. It lasts until the reader begins something new: then what stood there
// before is put back. What the reader sets by hand is theirs. A state keeps, by name, what stood before in the parts that are lent.

import { turnedAlike } from "./heads-off.ts";

/** Parts of a figure's state to take over, and what is lent from then on; heads that are off are `off`, a list of [layer, head]. */
export interface Change<Parts> {
  parts: Parts;
  lent: Parts;
}

/**
 * What changes where some parts are lent. `own` are the parts that stand there. With a sentence among those that are given something new
 * begins, and `whole` says how it does; else that's null.
 */
export function lend<Parts extends object>(own: Parts, lent: Parts, given: Parts, whole: Parts | null): Change<Parts> {
  const before = { ...own, ...lent, ...whole };
  const names = (Object.keys(given) as (keyof Parts)[]).filter((name) => name in before);
  const kept = Object.fromEntries(names.map((name) => [name, before[name]])) as Parts;
  return whole ? { parts: { ...lent, ...whole, ...given }, lent: kept } : { parts: given, lent: { ...lent, ...kept } };
}

/** What changes where the reader sets parts by hand; where something new `begins` with them, all goes back that was lent. */
export const choose = <Parts extends object>(own: Parts, lent: Parts, given: Parts, begins: boolean): Change<Parts> =>
  begins
    ? { parts: { ...lent, ...given }, lent: {} as Parts }
    : { parts: given, lent: keep<{ off?: number[][] }>(own, lent, given) as Parts };

/** What is still lent once the reader has set parts by hand; of heads that are off, each for itself. */
export function keep<Parts extends { off?: number[][] }>(own: Parts, lent: Parts, given: Parts): Parts {
  const rest = Object.fromEntries(Object.entries(lent).filter(([name]) => !(name in given))) as Parts;
  const off = lent.off && given.off && turnedAlike(lent.off, own.off ?? [], given.off);
  return off ? { ...rest, off } : rest;
}
