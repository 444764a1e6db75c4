// A map's view in a page, and the weights that stand in it.
import assert from "node:assert/strict";
import { makeMap } from "./small-models.mjs";

const { startWith } = await import("../../src/manyheads/web/figures/head-map/state.ts");
const { mapFigure } = await import("../../src/manyheads/web/figures/head-map/view.ts");

/** A view in the page with a map of two layers, three heads, five queries and seven keys. */
export function show(parts = {}, changes = {}, { change, ...options } = {}, compared = null) {
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const owner = { changed: (_, { chosen }) => change?.(chosen) };
  const host = mapFigure(root, startWith(parts, options), options, owner);
  const view = {
    get state() {
      return host.state;
    },
    dispatch: (action) => host.dispatch(action),
    choose: (chosen) => host.act({ type: "choose", parts: chosen }),
    show: (map, other = null) => host.dispatch({ type: "show", map, compared: other }),
  };
  const map = makeMap(changes);
  view.show(map, compared);
  return { root, view, map };
}

/** Holds that cells have these weights, as rounded as a cell has them. */
export function hold(cells, weights) {
  assert.equal(cells.length, weights.length);
  [...cells].forEach(({ dataset: { weight } }, at) =>
    assert.ok(Math.abs(Number(weight) - weights[at]) < 1e-4, `${weight} is not ${weights[at]} at ${at}`),
  );
}
