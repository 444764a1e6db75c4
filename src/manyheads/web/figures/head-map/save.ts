// What is on screen as a file: its name, and a table of its weights. No DOM.

import { forQuery } from "../../math/choosing.ts";
import { difference } from "../../math/compared.ts";
import type { MapState, ShownMap } from "../../math/map-state.ts";
import { compareHeads, isMasked, layerName, queryWeights } from "../../math/maps.ts";
import { CSV_COLUMNS } from "../../math/names.ts";
import type { Query } from "../../math/query.ts";
import { drawnLayers } from "./patches.ts";
import { queryOf, type State } from "./state.ts";

/** What is saved. */
export interface MapOnScreen {
  state: MapState;
  shown: { map: ShownMap; compared: ShownMap | null };
  query: Query; // who asks, by their places among those shown
  beside?: string; // another model, where one is compared with
}

export const onScreen = (state: State): MapOnScreen => ({
  state: state.chosen,
  shown: state.shown!,
  query: queryOf(state),
  beside: state.beside,
});

/** The shortest decimal that is read as the same float32. */
export function exactly(weight: number) {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(weight.toPrecision(digits));
    if (Math.fround(short) === weight) return String(short);
  }
  return String(weight);
}

/** What a file is named after. */
interface Named {
  state: MapState;
  file?: string; // the reader's own model
  readsText?: boolean;
}

/** "which-do-you-like-paint.svg", with the model's name before it where that is a file of the reader's; of a drawing, "drawing-picture.svg". */
export function fileName({ state, file = "", readsText = true }: Named, kind: string) {
  const { sentence, view } = state;
  const [model, words] = [file, readsText ? sentence : "drawing"].map(
    (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
  );
  return `${[...model, ...(words.length ? words.slice(0, 6) : ["map"]), view].join("-").slice(0, 60)}.${kind}`;
}

/**
 * A head on screen, and those of its queries that are shown. Where two sentences are compared, `second` says that it is of
 * the second, `moved` by how much it differs.
 */
export interface Panel {
  map: ShownMap;
  layer: number;
  head: number;
  queries: number[];
  second?: boolean;
  moved?: number;
}

/** The heads on screen, in their order; Paint, Lines and Picture show one query of each. */
export function panels({ state, shown, query }: MapOnScreen): Panel[] {
  const { compared } = shown;
  const differ = compared && (state.view === "matrix" || state.view === "grid");
  const map = differ ? difference(shown.map, compared) : shown.map;
  const [layers, heads, queries] = map.shape;
  const asked = rowOf(map, query);
  if (state.view === "paint") {
    const { layer } = state;
    const { moved, secondQuery: second } = compareHeads(map, compared, layer, query);
    return [...Array(heads).keys()].flatMap((head) => {
      const first = { ...asked, layer, head };
      return compared
        ? [first, { ...rowOf(compared, second), layer, head, second: true, moved: moved[head] }]
        : [first];
    });
  }
  const lines = state.view === "lines";
  const every = lines || state.view === "picture" ? asked : { map, queries: [...Array(queries).keys()] };
  const single = lines && state.head !== null;
  const chosen = single ? [Math.min(state.head ?? 0, heads - 1)] : [...Array(heads).keys()];
  const drawn = state.view === "grid" ? [...Array(layers).keys()] : drawnLayers(map, state);
  const first = drawn.flatMap((layer) => chosen.map((head) => ({ ...every, layer, head })));
  if (!lines || !compared) return first;
  const { secondQuery: second } = compareHeads(map, compared, state.layer, query);
  return [...first, ...chosen.map((head) => ({ ...rowOf(compared, second), layer: state.layer, head, second: true }))];
}

/** A map and the row of those that ask in it. */
const rowOf = (map: ShownMap, query: Query) =>
  typeof query === "number" ? { map, queries: [query] } : { map: forQuery(map, query), queries: [0] };

/**
 * The weights on screen as lines of CSV, one text per head, as `AttentionMap.to_csv` writes them. Where two sentences are
 * compared, or two models, a last column says which; 2-1 is how they differ.
 */
export function csvOf(view: MapOnScreen) {
  const both = view.shown.compared;
  const differ = view.state.view === "matrix" || view.state.view === "grid";
  const heads = panels(view).map(({ map, layer, head, queries, second }) => {
    const keys = map.keyTokens.map(cell);
    const named = map.layerNames ? [cell(layerName(map, layer))] : [];
    const lines: string[] = [];
    for (const query of queries) {
      const asks = cell(map.queryTokens[query]);
      queryWeights(map, layer, head, query).forEach((weight, key) => {
        const sentence = both ? [differ ? "2-1" : second ? 2 : 1] : [];
        const written = isMasked(map, query, key) ? "" : exactly(weight);
        lines.push(`${[layer, head, query, key, asks, keys[key], written, ...named, ...sentence]}\n`);
      });
    }
    return lines.join("");
  });
  const named = view.shown.map.layerNames ? ["layer_name"] : [];
  return [`${[...CSV_COLUMNS, ...named, ...(both ? [view.beside ? "model" : "sentence"] : [])]}\n`, ...heads];
}

const cell = (token: string) => (/[",\r\n]/.test(token) ? `"${token.replaceAll('"', '""')}"` : token);
