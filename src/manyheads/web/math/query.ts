// Who asks: one token, or several as one.

/** A place, or all from the first to the last of a span, both included. */
export type Query = number | readonly [first: number, last: number];

/** The first and the last of those that ask. */
export const endsOf = (query: Query): readonly [number, number] => (typeof query === "number" ? [query, query] : query);

/** The first of those that ask, for what follows one word alone; of words that aren't found yet, the first of all. */
export const firstOf = (query: Query | string) => (typeof query === "string" ? 0 : endsOf(query)[0]);

/** A query of these ends. */
export const spanned = (first: number, last: number): Query => (first === last ? first : [first, last]);

/** Whether a place is among those that ask. */
export const isAsking = (query: Query, place: number | null) =>
  place !== null && endsOf(query)[0] <= place && place <= endsOf(query)[1];

/** Whether the same ask. */
export const isSameQuery = (one: Query | string, other: Query | string) => writeQuery(one) === writeQuery(other);

/** Who asks, as attributes and links write it: "5", "5-9", or a text. */
export const writeQuery = (query: Query | string) => (typeof query === "object" ? query.join("-") : String(query));

/** Who asks, as it's written; a text stays one, to be found in the tokens of a map. */
export function readQuery(text: string): Query | string | undefined {
  const places = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text);
  if (!places) return text.trim() ? text : undefined;
  const [first, last] = [places[1], places[2] ?? places[1]].map(Number).sort((a, b) => a - b);
  return spanned(first, last);
}
