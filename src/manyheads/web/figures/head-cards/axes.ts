// Where the heads of an atlas stand, and what a kind of head looks like. Pure: no DOM.

/** The columns of an atlas: which each head stands in, and what is written below some of them. */
export interface Axis {
  places: number[]; // by head, from 0
  ticks: string[]; // by column; "" for none
}

const COLUMNS = 12; // as many as squares fit side by side on a phone
const NAMED = 4; // columns between two that are named

/** A column for each layer, or, where there are too many, for every few. */
export function layerAxis(layers: number[]): Axis {
  const count = Math.max(...layers) + 1;
  const [each] = [1, 2, 3, 4, 5, 6].filter((layersOfOne) => count / layersOfOne <= COLUMNS);
  const ticks = Array.from({ length: Math.ceil(count / each) }, (_, column) =>
    each === 1 ? String(column + 1) : column % 2 ? "" : `${each * column + 1}–${Math.min(count, each * (column + 1))}`,
  );
  return { places: layers.map((layer) => Math.floor(layer / each)), ticks };
}

/**
 * Columns from the least value to the largest; `text` writes one. Most heads score little, so the columns are narrower there: they're equally wide in the
 * square root. An axis begins at 0, unless some are below.
 */
export function scoreAxis({ values, text }: { values: number[]; text(value: number): string }): Axis {
  const low = Math.min(0, ...values);
  const most = Math.max(...values) - low || 1;
  const places = values.map((value) => Math.min(COLUMNS - 1, Math.floor(COLUMNS * Math.sqrt((value - low) / most))));
  const ticks = Array.from({ length: COLUMNS }, (_, column) =>
    column % NAMED ? "" : text(low + most * (column / COLUMNS) ** 2),
  );
  ticks[COLUMNS - 1] = text(low + most);
  return { places, ticks };
}

const WORDS = 6; // of the sentence in a kind's picture: [CLS], three words, a full stop, [SEP]; or three, said twice

/** How deep the cell of a query and a key is, from 0 to 1, in the picture of a kind. */
const CELLS: Record<string, (query: number, key: number) => number> = {
  previous: (query, key) => Number(key === query - 1),
  next: (query, key) => Number(key === query + 1),
  same: (query, key) => Number(key === query),
  induction: (query, key) => Number(query >= 3 && key === query - 2),
  duplicate: (query, key) => Number(query >= 3 && key === query - 3),
  local: (query, key) => (key <= query ? Math.max(0, 1 - (query - key) / 3) : 0),
  punctuation: (_, key) => Number(key === WORDS - 2),
  broad: () => 0.4,
  other: (query, key) => [0.9, 0, 0, 0.5, 0, 0.2, 0][(5 * query + 3 * key) % 7],
  first: (_, key) => Number(key === 0),
  cls: (_, key) => Number(key === 0),
  sep: (_, key) => Number(key === WORDS - 1),
};

/** A small map of what a kind of head does: [query][key], how deep each cell is; null for a kind that has none. */
export function pictureOf(kind: string | null) {
  const cell = kind !== null && Object.hasOwn(CELLS, kind) && CELLS[kind];
  if (!cell) return null;
  const words = [...Array(WORDS).keys()];
  return words.map((query) => words.map((key) => cell(query, key)));
}
