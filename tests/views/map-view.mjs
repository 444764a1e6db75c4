// A map's view in a page, and the weights that stand in it.
import assert from "node:assert/strict";
import { makeMap } from "./small-models.mjs";

const { HeadMapView } = await import("../../src/manyheads/web/figures/head-map/view.ts");

/** A view in the page with a map of two layers, three heads, five queries and seven keys. */
export function show(state = {}, changes = {}, options = {}, compared = null) {
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const view = new HeadMapView(root, state, { change() {}, tools: "open", ...options });
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
