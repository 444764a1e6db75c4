// What is on screen as a file: an SVG whose shapes carry their weights as `data-weight`, a CSV of the same weights. No
// DOM, so that Node can test it. Pictures are on white paper, whatever the theme. `view` is a HeadMapView, or what it
// tells: {state, shown: {map, compared}, asked, dim, look(map, layer, head)}.

import { compareHeads, isSpecial, largestWeight, lineLook, OFF_COLOUR, percent, queryWeights, readable, strongest } from "./maps.js";

const PAPER = { ink: "#1d2329", soft: "#59636e", line: "#d5dae0", tint: 0.62, width: 760, margin: 16 };
const CELLS = 40_000; // in one picture; of more weights, the weaker are left out, and the picture says so
const DENSE = 20; // keys; a matrix of more has small cells

/** The shortest decimal that is read as the same float32. */
export function exactly(weight) {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(weight.toPrecision(digits));
    if (Math.fround(short) === weight) return String(short);
  }
  return String(weight);
}

/** "which-do-you-like-paint.svg" */
export function fileName({ state: { sentence, view } }, kind) {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${[...(words.length ? words.slice(0, 6) : ["map"]), view].join("-").slice(0, 60)}.${kind}`;
}

// ------------------------------------------------------------------------------------------------ what is on screen

/** The heads on screen, in their order: [{map, layer, head, queries, second, moved}, ...]; Paint shows one query of each. */
function panels({ state, shown: { map, compared }, asked }) {
  const [layers, heads, queries] = map.shape;
  const every = [...Array(queries).keys()];
  const single = state.head === null ? null : Math.min(state.head, heads - 1);
  if (state.view === "paint") {
    const { order, moved, asked: second } = compareHeads(map, compared, state.layer, asked);
    return order.flatMap((head) => [
      { map, layer: state.layer, head, queries: [asked] },
      ...(compared ? [{ map: compared, layer: state.layer, head, queries: [second], second: true, moved: moved[head] }] : []),
    ]);
  }
  const chosen = state.view === "lines" && single !== null ? [single] : [...Array(heads).keys()];
  const shown = state.view === "grid" ? [...Array(layers).keys()] : [state.layer];
  return shown.flatMap((layer) => chosen.map((head) => ({ map, layer, head, queries: every })));
}

/**
 * The weights on screen as lines of CSV, one text per head: layer, head, query, key (counted from 0), query_token,
 * key_token, weight, as `AttentionMap.to_csv` writes them. Where two sentences are compared, a last column says which.
 */
export function csvOf(view) {
  const { compared } = view.shown;
  const both = compared && view.state.view === "paint";
  const names = ["layer", "head", "query", "key", "query_token", "key_token", "weight", ...(both ? ["sentence"] : [])];
  const quoted = (token) => (/[",\r\n]/.test(token) ? `"${token.replaceAll('"', '""')}"` : token);
  return [`${names}\n`, ...panels(view).map(({ map, layer, head, queries, second }) => {
    const keys = map.keyTokens.map(quoted);
    const lines = [];
    for (const query of queries) {
      const asks = quoted(map.queryTokens[query]);
      queryWeights(map, layer, head, query).forEach((weight, key) =>
        lines.push(`${layer},${head},${query},${key},${asks},${keys[key]},${exactly(weight)}${both ? `,${second ? 2 : 1}` : ""}\n`));
    }
    return lines.join("");
  })];
}

// ---------------------------------------------------------------------------------------------------- the picture

// What XML cannot hold in any spelling: control characters, halves of characters.
const clean = (text) => String(text).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");
const escapeXml = (text) => clean(text).replace(/[&"<>]/g, (sign) => `&#${sign.codePointAt()};`);
const round = (number) => Number(number.toFixed(2));
const tag = (name, attributes, ...inside) => {
  const written = Object.entries(attributes).filter(([, value]) => value != null)
    .map(([key, value]) => ` ${key}="${escapeXml(typeof value === "number" && key !== "data-weight" ? round(value) : value)}"`);
  return `<${name}${written.join("")}${inside.length ? `>${inside.join("")}</${name}>` : "/>"}`;
};
const words = (x, y, text, attributes = {}) => tag("text", { x, y, ...attributes }, escapeXml(text));

/** The picture of what is on screen; `width(text, size)` measures letters, in the units of the picture. */
export function svgOf(view, width = (text, size) => 0.56 * size * [...text].length) {
  const draw = { paint: drawPaint, matrix: drawMatrices, grid: drawGrid, lines: drawLines }[view.state.view];
  const shown = panels(view);
  const picture = { view, shown, width, least: leastDrawn(shown) };
  const { parts, wide, high } = draw(picture);
  const { margin, ink } = PAPER;
  const [fullWidth, fullHeight] = [wide, high].map((side) => Math.ceil(side + 2 * margin));
  const left = picture.least > 0 ? ` Weights below ${picture.least.toPrecision(2)} are left out.` : "";
  return tag("svg", { xmlns: "http://www.w3.org/2000/svg", width: fullWidth, height: fullHeight,
    viewBox: `0 0 ${fullWidth} ${fullHeight}`, "font-family": "system-ui, sans-serif", "font-size": 14, fill: ink, "data-view": view.state.view },
  tag("title", {}, escapeXml(view.state.sentence || "Attention")),
  tag("desc", {}, `What each head looks at: data-weight is the share of attention that a query gives to a key.${left}`),
  tag("rect", { width: fullWidth, height: fullHeight, fill: "#fff" }),
  tag("g", { transform: `translate(${margin} ${margin})` }, ...parts));
}

/** The least weight that is drawn, so that no picture has more than `CELLS` of them; 0 where all are. */
function leastDrawn(shown) {
  const count = shown.reduce((sum, { map, queries }) => sum + queries.length * map.shape[3], 0);
  if (count <= CELLS) return 0;
  const all = new Float32Array(count);
  let at = 0;
  for (const { map, layer, head, queries } of shown)
    for (const query of queries) {
      all.set(queryWeights(map, layer, head, query), at);
      at += map.shape[3];
    }
  return all.sort().at(-CELLS);
}

const named = ({ map, layer, head }) => `${map.shape[0] > 1 ? `layer ${layer + 1}, ` : ""}${map.headNames[head]}`;

/** How one weight is tinted: [opacity, share of the largest of its row]. */
function tint(view, { map, query, key }, weight, largest) {
  const share = largest > 0 ? Math.min(weight / largest, 1) : 0;
  const faint = view.dim && (isSpecial(map.keyTokens[key]) || (view.state.view !== "paint" && isSpecial(map.queryTokens[query])));
  return [share * (faint ? 0.1 : PAPER.tint), faint ? 0 : share];
}

function drawPaint({ view, shown, width }) {
  const [names, size, row] = [158, 17, 30];
  const parts = [];
  let y = 0;
  for (const { map, layer, head, queries: [query], second, moved } of shown) {
    const { colour, off, dim } = view.look(map, layer, head);
    const weights = queryWeights(map, layer, head, query);
    const largest = largestWeight(weights, map.keyTokens, dim);
    if (!second && y > 0) parts.push(tag("path", { d: `M0 ${(y += 8)}H${PAPER.width}`, stroke: PAPER.line }));
    y += 8;
    if (!second) parts.push(tag("rect", { y: y + 3, width: 5, height: row - 8, rx: 2, fill: off ? OFF_COLOUR : colour }));
    parts.push(second ? words(14, y + 19, `moved ${percent(moved)}`, { fill: PAPER.soft })
      : words(14, y + 19, named({ map, layer, head }), { "font-weight": 600, "text-decoration": off ? "line-through" : null }));
    let x = names;
    const cells = map.keyTokens.map((token, key) => {
      const special = isSpecial(token);
      const letters = special ? 12 : size;
      const wide = width(readable(token), letters) + 9;
      if (x > names && x + wide > PAPER.width) [x, y] = [names, y + row];
      const [opacity, share] = tint(view, { map, query, key }, weights[key], largest);
      const cell = tag("g", { transform: `translate(${round(x)} ${y})`, "data-query": query, "data-key": key, "data-weight": exactly(weights[key]) },
        tag("title", {}, `${escapeXml(map.queryTokens[query])} to ${escapeXml(token)}: ${percent(weights[key])}`),
        tag("rect", { width: wide, height: 25, rx: 4, fill: off ? OFF_COLOUR : colour, "fill-opacity": opacity }),
        tag("rect", { y: 25 - 3 * share, width: wide, height: 3 * share, fill: off ? OFF_COLOUR : colour }),
        words(wide / 2, 18, readable(token), { "text-anchor": "middle", "font-size": letters }));
      x += wide + 3;
      return cell;
    });
    parts.push(tag("g", { "data-layer": layer, "data-head": head, "data-sentence": second ? 2 : null, opacity: off ? 0.55 : null }, ...cells));
    y += row;
  }
  return { parts, wide: PAPER.width, high: y };
}

/** The cells of one head, a unit each, at x, y. */
function cellsOf({ view, least }, { map, layer, head }, x, y, cell) {
  const { colour, off, dim } = view.look(map, layer, head);
  const [, , queries, keys] = map.shape;
  const cells = [];
  for (let query = 0; query < queries; query++) {
    const weights = queryWeights(map, layer, head, query);
    const largest = largestWeight(weights, map.keyTokens, dim);
    weights.forEach((weight, key) => {
      if (weight < least) return;
      const [opacity] = tint(view, { map, query, key }, weight, largest);
      cells.push(`<rect x="${key}" y="${query}" width="1" height="1" fill-opacity="${round(opacity)}" data-query="${query}" data-key="${key}" data-weight="${exactly(weight)}"/>`);
    });
  }
  return [
    tag("rect", { x, y, width: cell * keys, height: cell * queries, fill: "none", stroke: PAPER.line }),
    tag("g", { "data-layer": layer, "data-head": head, fill: off ? OFF_COLOUR : colour, opacity: off ? 0.55 : null,
      transform: `translate(${round(x)} ${round(y)}) scale(${round(cell)})` }, ...cells),
  ];
}

/** One head as a matrix with its name and its tokens: {parts, wide, high}. */
function matrixOf(picture, panel, large) {
  const { map } = panel;
  const { off } = picture.view.look(map, panel.layer, panel.head);
  const [, , queries, keys] = map.shape;
  const cell = large ? Math.min(46, Math.max(16, 560 / keys), 1024 / keys)
    : keys > DENSE ? Math.min(8, 512 / keys) : Math.min(24, Math.max(14, 224 / keys));
  const size = Math.min(12, cell);
  const tokens = cell >= 12;
  const longest = (names) => (tokens ? 8 + Math.max(...names.map((name) => picture.width(readable(name), size))) : 0);
  const [left, top] = [longest(map.queryTokens), 24 + longest(map.keyTokens)];
  const labels = tokens ? [
    ...map.queryTokens.map((token, query) => words(left - 6, top + cell * (query + 0.5) + size / 3, readable(token), { "text-anchor": "end" })),
    ...map.keyTokens.map((token, key) =>
      words(0, 0, readable(token), { transform: `translate(${round(left + cell * (key + 0.5) + size / 3)} ${round(top - 5)}) rotate(-90)` })),
  ] : [];
  const parts = [
    words(left, 13, named(panel), { "font-weight": 600, "text-decoration": off ? "line-through" : null }),
    tag("g", { fill: PAPER.soft, "font-size": size }, ...labels),
    ...cellsOf(picture, panel, left, top, cell),
  ];
  return { parts, wide: Math.max(left + cell * keys, picture.width(named(panel), 15)), high: top + cell * queries };
}

function drawMatrices(picture) {
  const { head } = picture.view.state;
  const drawn = picture.shown.map((panel) => ({ large: panel.head === head, ...matrixOf(picture, panel, panel.head === head) }));
  drawn.sort((a, b) => b.large - a.large);
  const [gap, parts] = [28, []];
  let [x, y, tall, wide] = [0, 0, 0, 0];
  for (const matrix of drawn) {
    if (x > 0 && x + matrix.wide > PAPER.width) [x, y, tall] = [0, y + tall + gap, 0];
    parts.push(tag("g", { transform: `translate(${round(x)} ${round(y)})` }, ...matrix.parts));
    [tall, wide] = [Math.max(tall, matrix.high), Math.max(wide, x + matrix.wide)];
    x = matrix.large ? PAPER.width : x + matrix.wide + gap;
  }
  return { parts, wide, high: y + tall };
}

function drawGrid(picture) {
  const { state, shown: { map } } = picture.view;
  const [layers, heads, queries, keys] = map.shape;
  const [names, titles, gap] = [64, 22, 4];
  const side = Math.max(24, Math.min(150, (PAPER.width - names) / heads));
  const cell = (side - gap) / Math.max(queries, keys);
  const title = (head) => (heads > 4 ? map.headNames[head].replace(/^head (?=\d+$)/, "") : map.headNames[head]);
  const parts = [tag("g", { fill: PAPER.soft, "font-size": 12 },
    ...map.headNames.map((_, head) => words(names + side * (head + 0.5), 13, title(head), { "text-anchor": "middle" })),
    ...Array.from({ length: layers }, (_, layer) => words(0, titles + side * (layer + 0.5), `Layer ${layer + 1}`)))];
  for (const panel of picture.shown) parts.push(...cellsOf(picture, panel, names + side * panel.head, titles + side * panel.layer, cell));
  const [wide, high] = [names + side * heads, titles + side * layers];
  if (state.head === null) return { parts, wide, high };
  const large = matrixOf(picture, { map, layer: state.layer, head: Math.min(state.head, heads - 1) }, true);
  parts.push(tag("g", { transform: `translate(0 ${round(high + 24)})`, "data-enlarged": "" }, ...large.parts));
  return { parts, wide: Math.max(wide, large.wide), high: high + 24 + large.high };
}

function drawLines({ view, shown, width }) {
  const { map, layer } = shown[0];
  const chosen = new Set(shown.map(({ head }) => head));
  const [row, size, gap, room] = [28, 16, 10, 260];
  const longest = (tokens) => Math.max(...tokens.map((token) => width(readable(token), size)));
  const left = longest(map.queryTokens) + gap;
  const middle = (at) => row * (at + 0.5);
  const lines = strongest(map, layer, { chosen: (head) => chosen.has(head) }).map(({ head, query, key, weight }) => {
    const look = lineLook(view.look(map, layer, head), map, { query, key, weight });
    const [from, to] = [middle(query), middle(key)];
    return tag("path", { d: `M${round(left)} ${from}C${round(left + 0.45 * room)} ${from} ${round(left + 0.55 * room)} ${to} ${round(left + room)} ${to}`,
      ...look, "data-layer": layer, "data-head": head, "data-query": query, "data-key": key, "data-weight": exactly(weight) });
  });
  const side = (tokens, x, anchor) => tokens.map((token, at) =>
    words(x, middle(at) + size / 3, readable(token), { "text-anchor": anchor, "font-weight": anchor === "end" && at === view.asked ? 700 : null }));
  const parts = [tag("g", { fill: "none" }, ...lines),
    tag("g", { "font-size": size }, ...side(map.queryTokens, left - gap, "end"), ...side(map.keyTokens, left + room + gap, "start"))];
  return { parts, wide: left + room + gap + longest(map.keyTokens), high: row * Math.max(map.shape[2], map.shape[3]) };
}
