// Paint: the sentence once per head, every token tinted by the weight that the asking token gives it.

import { compareHeads, isMasked, largestWeight, queryWeights, tintShare } from "../math/maps.js";
import { isSpecial, percent } from "../math/text.js";
import { fill, h, setText, setToken, setWeight } from "./dom.js";

/** @implements {MapPart} */
export class PaintView {
  placesToggles = true;

  /**
   * @param {HTMLElement} stage
   * @param {MapHost} host
   */
  constructor(stage, host) {
    this.host = host;
    this.table = stage.appendChild(h("table", { class: "hm-paint", role: "table" }));
  }

  /**
   * @param {ShownMap} map
   * @param {ShownMap | null} compared
   */
  draw(map, compared) {
    const { host, table } = this;
    const { layer } = host.state;
    const { order, moved, pairs, asked } = compareHeads(map, compared, layer, host.asked);
    table.ariaLabel = `What each head looks at when ${map.queryTokens[host.asked]} asks`;
    const bodies = fill(table, order.length, () => h("tbody", { role: "rowgroup" }));
    order.forEach((head, place) => {
      const body = bodies[place];
      host.dress(body, layer, head);
      const rows = fill(body, pairs ? 2 : 1, makeRow);
      host.placeName(rows[0].cells[0], head);
      drawRow(rows[0], host, map, layer, head, host.asked, pairs && new Set(pairs.map(([i]) => i)));
      if (!compared || !pairs) return;
      setText(rows[1].cells[0], moved.length ? `moved ${percent(moved[head])}` : "");
      drawRow(rows[1], host, compared, layer, head, asked, new Set(pairs.map(([, j]) => j)));
    });
  }
}

export const makeRow = () => h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }));

/**
 * One head's weights on all tokens; `shared`, where two sentences are compared, are the tokens that both have.
 * @param {HTMLTableRowElement} row
 * @param {MapHost} host
 * @param {ShownMap} map
 * @param {number} layer
 * @param {number} head
 * @param {number} asked
 * @param {Set<number> | null} [shared]
 */
export function drawRow(row, host, map, layer, head, asked, shared) {
  const weights = queryWeights(map, layer, head, asked);
  const largest = largestWeight(weights, map.keyTokens, host.dim);
  const { log } = host.look(map, layer, head);
  while (row.cells.length > weights.length + 1) row.lastElementChild?.remove();
  while (row.cells.length < weights.length + 1) row.append(h("td", { role: "cell", tabindex: -1 }));
  weights.forEach((weight, key) => {
    const cell = row.cells[key + 1];
    setToken(cell, map.keyTokens[key]);
    cell.classList.toggle("hm-only", Boolean(shared) && !shared?.has(key));
    cell.classList.toggle("hm-faint", isSpecial(map.keyTokens[key]));
    setWeight(cell, map, weight, tintShare(weight, largest, log), map.queryTokens[asked], map.keyTokens[key],
      isMasked(map, asked, key));
  });
}
