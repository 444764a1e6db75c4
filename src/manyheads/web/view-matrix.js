// Matrix: a query × key table per head, small multiples; one of them large on demand.

import { fill, h, setText, setToken, setWeight } from "./dom.js";
import { isSpecial, largestWeight, queryWeights } from "./maps.js";
import { drawHead, onCanvas } from "./pixels.js";

export const TABLE_CELLS = 8192; // so many, all heads together, are tables; more are pictures
const SMALL_SIDE = 256; // pixels of a small picture, at most

export class MatrixView {
  placesToggles = true;

  constructor(stage, host) {
    this.host = host;
    this.figures = stage.appendChild(h("div", { class: "hm-matrices" }));
  }

  draw(map) {
    const { layer, head: chosen } = this.host.state;
    const [, heads, queries, keys] = map.shape;
    const figures = fill(this.figures, heads, () => makeFigure());
    for (let head = 0; head < heads; head++) {
      const large = chosen === head;
      const table = queries * keys * (large ? 1 : heads) <= TABLE_CELLS;
      this.host.placeName(figures[head].firstChild.firstChild, head);
      drawFigure(figures[head], this.host, map, layer, head, { large, table, name: map.headNames[head] });
    }
  }
}

export const makeFigure = () =>
  h("figure", { class: "hm-matrix" },
    h("figcaption", {}, h("span"), h("button", { type: "button", class: "hm-enlarge" })), h("div", { class: "hm-scroll" }));

/** One head, as a table or as a picture, with a button that enlarges and shrinks it. */
export function drawFigure(figure, host, map, layer, head, { large, table, name }) {
  const [caption, scroll] = figure.children;
  const button = caption.lastChild;
  const [, , queries, keys] = map.shape;
  host.dress(figure, layer, head);
  figure.style.setProperty("--keys", keys);
  figure.classList.toggle("hm-large", large);
  figure.classList.toggle("hm-dense", keys > 20);
  setText(button, large ? "Shrink" : "Enlarge");
  button.ariaLabel = `${large ? "Shrink" : "Enlarge"} ${name}`;
  button.onclick = () => host.set({ layer, head: large ? null : head });
  const label = `${name}: rows ask, columns are looked at`;
  if (table) return drawTable(scroll, host, map, layer, head, label);
  if (scroll.firstChild?.tagName !== "CANVAS") scroll.replaceChildren(h("canvas", { role: "img" }));
  scroll.firstChild.ariaLabel = `${label}. ${queries} by ${keys} weights; for numbers, choose Paint and who asks.`;
  const [width, height] = [keys, queries].map((side) => (large ? side : Math.min(side, SMALL_SIDE)));
  onCanvas(scroll.firstChild, width, height, (pixels) =>
    drawHead(pixels, width, { width, height }, map, layer, head, host.look(map, layer, head)));
}

function drawTable(scroll, host, map, layer, head, label) {
  if (scroll.firstChild?.tagName !== "TABLE")
    scroll.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, h("th"))), h("tbody")));
  const table = scroll.firstChild;
  const [, , queries, keys] = map.shape;
  table.ariaLabel = label;
  const columns = fill(table.tHead.rows[0], keys + 1, () => h("th", { scope: "col" }, h("span")));
  for (let key = 0; key < keys; key++) setToken(columns[key + 1].firstChild, map.keyTokens[key]);
  const faint = map.keyTokens.map(isSpecial);
  const rows = fill(table.tBodies[0], queries, () => h("tr", {}, h("th", { scope: "row" })));
  for (let query = 0; query < queries; query++) {
    const weights = queryWeights(map, layer, head, query);
    const largest = largestWeight(weights, map.keyTokens, host.dim);
    const row = rows[query];
    const cells = row.children;
    row.classList.toggle("hm-asks", query === host.asked);
    setToken(cells[0], map.queryTokens[query]);
    while (cells.length > keys + 1) row.lastElementChild.remove();
    while (cells.length < keys + 1) row.append(h("td", { tabindex: -1 }));
    for (let key = 0; key < keys; key++) {
      const cell = cells[key + 1];
      cell.classList.toggle("hm-faint", faint[key] || isSpecial(map.queryTokens[query]));
      setWeight(cell, weights[key], largest, map.queryTokens[query], map.keyTokens[key]);
    }
  }
}
