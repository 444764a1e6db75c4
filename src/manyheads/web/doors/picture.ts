// What is on screen as an SVG whose shapes carry their weights as `data-weight`. No DOM, so that Node can test it. Pictures are
// on white paper, whatever the theme.

import { cellLook, DENSE, fullWeight, headTitle, isMasked, layerNamesOf, lineLook, lineUnit, queryWeights, strongest } from "../math/maps.ts";
import { OFF_COLOUR, PAPER } from "../math/names.ts";
import { FEW_PLACES, fullOnPicture, otherKeys, patchKeys } from "../math/patches.ts";
import { legendOf } from "../math/shown.ts";
import { capital, directionOf, isolated, isSpecial, percent, readable, weightText } from "../math/text.ts";
import type { MapOnScreen } from "../views/map-part.ts";
import { exactly, type Panel, panels } from "./save.ts";
import { forXml, type Measure, moveTo, round, tag, words, wrapped } from "./svg.ts";

const [WIDTH, MARGIN] = [760, 16];
const LOOKS = "What each head looks at: data-weight is the share of attention that a query gives to a key.";
const WRITES = "How much each head writes: data-weight is the length of the vector that a query gets from a key.";

interface Picture {
  view: MapOnScreen;
  shown: Panel[];
  width: Measure;
  least: number; // the least weight that is drawn
}
interface Drawing {
  parts: string[];
  wide: number;
  high: number;
}

const DRAW: Record<string, (picture: Picture) => Drawing> = { paint: drawPaint, matrix: drawMatrices, grid: drawGrid, lines: drawLines, picture: drawSights };

/** The picture of what is on screen. */
export function svgOf(view: MapOnScreen, width: Measure = (text, size) => 0.56 * size * [...text].length) {
  const shown = panels(view);
  const least = leastDrawn(shown);
  const { parts, wide, high } = DRAW[view.state.view]({ view, shown, width, least });
  const left = least > 0 ? [`Weights below ${least.toPrecision(2)} are left out.`] : [];
  const colours = view.state.view === "lines" ? [] : [`Colour: ${legendOf(shown[0].map, view.state).join(" to ")}.`];
  const notes = [...left, ...colours, ...new Set([view.shown.map, view.shown.compared].flatMap((map) => map?.notes ?? []))];
  const broad = notes.length ? Math.max(wide, 320) : wide;
  const [fullWidth, fullHeight] = [broad, high].map((side) => Math.ceil(side + 2 * MARGIN));
  const lines = notes.flatMap((note) => wrapped(note, broad, width));
  const footer = lines.map((line, at) => words(MARGIN, fullHeight + 12 * (at + 1) - 4, line, { fill: PAPER.soft, "font-size": 10 }));
  const whole = fullHeight + (lines.length ? 12 * lines.length + 8 : 0);
  return tag("svg", { xmlns: "http://www.w3.org/2000/svg", width: fullWidth, height: whole,
    viewBox: `0 0 ${fullWidth} ${whole}`, "font-family": "system-ui, sans-serif", "font-size": 14, fill: PAPER.ink, "data-view": view.state.view },
  tag("title", {}, forXml(view.state.sentence || "Attention")),
  tag("desc", {}, `${shown[0].map.weighed ? WRITES : LOOKS}${notes.map((note) => ` ${forXml(note)}`).join("")}`),
  tag("rect", { width: fullWidth, height: whole, fill: "#fff" }),
  tag("g", { transform: `translate(${MARGIN} ${MARGIN})` }, ...parts), ...footer);
}

/** The least weight that is drawn, so that no picture has more than `PAPER.cells` of them; 0 where all are. */
function leastDrawn(shown: Panel[]) {
  const count = shown.reduce((sum, { map, queries }) => sum + queries.length * map.shape[3], 0);
  if (count <= PAPER.cells) return 0;
  const all = new Float32Array(count); // their sizes
  let at = 0;
  for (const { map, layer, head, queries } of shown)
    for (const query of queries) {
      all.set(queryWeights(map, layer, head, query), at);
      at += map.shape[3];
    }
  return all.map(Math.abs).sort()[count - PAPER.cells];
}

const named = ({ map, layer, head }: Panel) => headTitle(map, layer, head);

/** How the name of a head is written. */
const titled = (off: boolean) => ({ "font-weight": 600, "text-decoration": off ? "line-through" : null });

function drawPaint({ view, shown, width }: Picture): Drawing {
  const [names, row] = [158, 30];
  const parts = [];
  let y = 0;
  for (const panel of shown) {
    const { map, layer, head, queries: [query], second, moved } = panel;
    const look = view.look(map, layer, head);
    const { off } = look;
    const colour = off ? OFF_COLOUR : look.colour;
    const weights = queryWeights(map, layer, head, query);
    const full = fullWeight(map, layer, weights, look);
    if (!second && y > 0) parts.push(tag("path", { d: `M0 ${(y += 8)}H${WIDTH}`, stroke: PAPER.line }));
    y += 8;
    if (!second) parts.push(tag("rect", { y: y + 3, width: 5, height: row - 8, rx: 2, fill: colour }));
    parts.push(second ? words(14, y + 19, moved === undefined ? "" : `moved ${percent(moved)}`, { fill: PAPER.soft }) : words(14, y + 19, named(panel), titled(off)));
    let x = names;
    const cells = map.keyTokens.map((token, key) => {
      const letters = isSpecial(token) ? 12 : 17;
      const wide = width(readable(token), letters) + 9;
      if (x > names && x + wide > WIDTH) [x, y] = [names, y + row];
      const { colour: fill, opacity, underline } = cellLook(map, look, weights[key], full, isSpecial(token));
      const hidden = isMasked(map, query, key) ? "masked" : "";
      const cell = tag("g", { transform: `translate(${round(x)} ${y})`, "data-query": query, "data-key": key, "data-weight": hidden ? null : exactly(weights[key]) },
        tag("title", {}, `${forXml(isolated(map.queryTokens[query]))} to ${forXml(isolated(token))}: ${hidden || weightText(map, weights[key])}`),
        tag("rect", { width: wide, height: 25, rx: 4, fill, "fill-opacity": opacity }),
        tag("rect", { y: 25 - 3 * underline, width: wide, height: 3 * underline, fill }),
        ...(hidden === "masked" ? [tag("path", { d: `M0 25L${round(wide)} 0`, stroke: PAPER.line, "data-masked": "" })] : []),
        words(wide / 2, 18, readable(token), { "text-anchor": "middle", "font-size": letters }),
        ...(weights[key] < 0 ? [words(wide - 2, 8, "\u2212", { "text-anchor": "end", "font-size": 11, "font-weight": 700 })] : []));
      x += wide + 3;
      return cell;
    });
    parts.push(tag("g", { "data-layer": layer, "data-head": head, "data-sentence": second ? 2 : null, opacity: off ? 0.55 : null }, ...cells));
    y += row;
  }
  return { parts, wide: WIDTH, high: y };
}

/** The cells of one head, each `cell` wide and high, at x, y. */
function cellsOf({ view, least }: Picture, { map, layer, head }: Panel, x: number, y: number, cell: number) {
  const look = view.look(map, layer, head);
  const { colour, off } = look;
  const [, , queries, keys] = map.shape;
  const cells: string[] = [];
  const minus: string[] = []; // signs, for those who see no hues
  const masked: string[] = [];
  const turned = directionOf(map.keyTokens) === "rtl";
  for (let query = 0; query < queries; query++) {
    const weights = queryWeights(map, layer, head, query);
    const full = fullWeight(map, layer, weights, look);
    weights.forEach((weight, key) => {
      if (isMasked(map, query, key)) return masked.push(`M${key} ${query + 1}L${key + 1} ${query}`);
      if (Math.abs(weight) < least) return;
      const { colour: fill, opacity } = cellLook(map, look, weight, full, isSpecial(map.keyTokens[key]) || isSpecial(map.queryTokens[query]));
      const own = map.kind === "signed" ? ` fill="${fill}"` : "";
      cells.push(`<rect x="${key}" y="${query}" width="1" height="1" fill-opacity="${round(opacity)}"${own} data-query="${query}" data-key="${key}" data-weight="${exactly(weight)}"/>`);
      if (weight < 0) minus.push(`M${key + 0.3} ${query + 0.5}h.4`);
    });
  }
  return [
    tag("rect", { x, y, width: cell * keys, height: cell * queries, fill: "none", stroke: PAPER.line }),
    tag("g", { "data-layer": layer, "data-head": head, fill: off ? OFF_COLOUR : colour, opacity: off ? 0.55 : null,
      transform: `${moveTo(turned ? x + cell * keys : x, y)} scale(${turned ? "-" : ""}${round(cell)} ${round(cell)})` }, ...cells,
      ...(minus.length ? [tag("path", { d: minus.join(""), stroke: PAPER.ink, "stroke-width": "0.08" })] : []),
      ...(masked.length ? [tag("path", { d: masked.join(""), stroke: PAPER.line, "stroke-width": "0.08", "data-masked": "" })] : [])),
  ];
}

/** One head as a matrix with its name and its tokens. */
function matrixOf(picture: Picture, panel: Panel, large: boolean): Drawing {
  const { map } = panel;
  const { off } = picture.view.look(map, panel.layer, panel.head);
  const [, , queries, keys] = map.shape;
  const cell = large ? Math.min(46, Math.max(16, 560 / keys), 1024 / keys)
    : keys > DENSE ? Math.min(8, 512 / keys) : Math.min(24, Math.max(14, 224 / keys));
  const size = Math.min(12, cell);
  const tokens = cell >= 12;
  const turned = directionOf(map.keyTokens) === "rtl";
  const longest = (names: string[]) =>
    (tokens ? 8 + Math.max(...names.map((name) => picture.width(readable(name), size))) : 0);
  const [left, top] = [longest(map.queryTokens), 24 + longest(map.keyTokens)];
  const labels = tokens ? [
    ...map.queryTokens.map((token, query) => words(left - 6, top + cell * (query + 0.5) + size / 3, readable(token), { "text-anchor": "end" })),
    ...map.keyTokens.map((token, key) =>
      words(0, 0, readable(token), { transform: `${moveTo(left + cell * ((turned ? keys - 1 - key : key) + 0.5) + size / 3, top - 5)} rotate(-90)` })),
  ] : [];
  const parts = [
    words(left, 13, named(panel), titled(off)),
    tag("g", { fill: PAPER.soft, "font-size": size }, ...labels),
    ...cellsOf(picture, panel, left, top, cell),
  ];
  return { parts, wide: Math.max(left + cell * keys, picture.width(named(panel), 15)), high: top + cell * queries };
}

function drawMatrices(picture: Picture): Drawing {
  const { head } = picture.view.state;
  const drawn = picture.shown.map((panel) => ({ large: panel.head === head, ...matrixOf(picture, panel, panel.head === head) }));
  drawn.sort((a, b) => Number(b.large) - Number(a.large));
  const gap = 28;
  const parts = [];
  let [x, y, tall, wide] = [0, 0, 0, 0];
  for (const matrix of drawn) {
    if (x > 0 && x + matrix.wide > WIDTH) [x, y, tall] = [0, y + tall + gap, 0];
    parts.push(tag("g", { transform: moveTo(x, y) }, ...matrix.parts));
    [tall, wide] = [Math.max(tall, matrix.high), Math.max(wide, x + matrix.wide)];
    x = matrix.large ? WIDTH : x + matrix.wide + gap;
  }
  return { parts, wide, high: y + tall };
}

function drawGrid(picture: Picture): Drawing {
  const { state } = picture.view;
  const [{ map }] = picture.shown;
  const [layers, heads, queries, keys] = map.shape;
  const [names, titles, gap] = [64, 22, 4];
  const side = Math.max(24, Math.min(150, (WIDTH - names) / heads));
  const cell = (side - gap) / Math.max(queries, keys);
  const title = (name: string) => (heads > 4 ? name.replace(/^head (?=\d+$)/, "") : name);
  const parts = [tag("g", { fill: PAPER.soft, "font-size": 12 },
    ...map.headNames.map((name, head) => words(names + side * (head + 0.5), 13, title(name), { "text-anchor": "middle" })),
    ...layerNamesOf(map).map((name, layer) => words(0, titles + side * (layer + 0.5), capital(name))))];
  for (const panel of picture.shown) parts.push(...cellsOf(picture, panel, names + side * panel.head, titles + side * panel.layer, cell));
  const [wide, high] = [names + side * heads, titles + side * layers];
  if (state.head === null) return { parts, wide, high };
  const large = matrixOf(picture, { map, layer: state.layer, head: Math.min(state.head, heads - 1), queries: [] }, true);
  parts.push(tag("g", { transform: moveTo(0, high + 24), "data-enlarged": "" }, ...large.parts));
  return { parts, wide: Math.max(wide, large.wide), high: high + 24 + large.high };
}

function drawLines(picture: Picture): Drawing {
  const parts = [];
  let [wide, high] = [0, 0];
  for (const second of [false, true]) {
    const shown = picture.shown.filter((panel) => Boolean(panel.second) === second);
    if (shown.length === 0) continue;
    const drawing = linesOf(picture, shown);
    parts.push(tag("g", { transform: moveTo(0, high), "data-sentence": second ? 2 : null }, ...drawing.parts));
    [wide, high] = [Math.max(wide, drawing.wide), high + drawing.high + 24];
  }
  return { parts, wide, high: high - 24 };
}

/** The lines of the word that asks in one sentence. */
function linesOf({ view, width }: Picture, shown: Panel[]): Drawing {
  const { map, layer, queries: [asking] } = shown[0];
  const chosen = new Set(shown.map(({ head }) => head));
  const [row, size, gap, room] = [28, 16, 10, 260];
  const longest = (tokens: string[]) => Math.max(...tokens.map((token) => width(readable(token), size)));
  const left = longest(map.queryTokens) + gap;
  const middle = (at: number) => row * (at + 0.5);
  const unit = lineUnit(map, layer);
  const lines = strongest(map, layer, { chosen: (head, query) => query === asking && chosen.has(head) && !view.look(map, layer, head).off }).map(({ head, query, key, weight }) => {
    const look = lineLook(view.look(map, layer, head), map, { query, key, weight }, unit);
    const [from, to] = [middle(query), middle(key)];
    return tag("path", { d: `M${round(left)} ${from}C${round(left + 0.45 * room)} ${from} ${round(left + 0.55 * room)} ${to} ${round(left + room)} ${to}`,
      ...look, "data-layer": layer, "data-head": head, "data-query": query, "data-key": key, "data-weight": exactly(weight) });
  });
  const queryWords = map.queryTokens.map((token, at) => words(left - gap, middle(at) + size / 3, readable(token),
    { "text-anchor": "end", "font-weight": at === asking ? 700 : null }));
  const keyWords = map.keyTokens.map((token, at) => words(left + room + gap, middle(at) + size / 3, readable(token), { "text-anchor": "start" }));
  const parts = [tag("g", { fill: "none" }, ...lines), tag("g", { "font-size": size }, ...queryWords, ...keyWords)];
  return { parts, wide: left + room + gap + longest(map.keyTokens), high: row * Math.max(map.shape[2], map.shape[3]) };
}

/** The picture once per head, in grey, with the weights of the token that asks over it, and the few places that aren't patches above. */
function drawSights({ view, shown, width }: Picture): Drawing {
  const { picture } = shown[0].map;
  if (!picture) return { parts: [], wide: 0, high: 0 };
  const { src, rows, columns } = picture;
  const [side, gap, name] = [234, 22, `photo-${src.length}`];
  const high = Math.round((side * picture.height) / picture.width);
  const parts = [tag("defs", {},
    tag("filter", { id: `${name}-grey` }, tag("feColorMatrix", { type: "saturate", values: "0" })),
    tag("image", { id: name, href: src, width: side, height: high, preserveAspectRatio: "none", filter: `url(#${name}-grey)`, opacity: 0.5 }))];
  let [x, y, tall] = [0, 0, 0];
  for (const panel of shown) {
    const { map, layer, head, queries: [query] } = panel;
    const look = view.look(map, layer, head);
    const weights = queryWeights(map, layer, head, query);
    const patches = patchKeys(map);
    const full = fullOnPicture(map, layer, weights, look, patches);
    const cell = (key: number, box: Record<string, number>) => {
      const { colour: fill, opacity } = cellLook(map, look, weights[key], full, isSpecial(map.keyTokens[key]));
      const hidden = isMasked(map, query, key);
      return tag("rect", { ...box, fill, "fill-opacity": hidden ? 0 : opacity, "data-query": query, "data-key": key, "data-weight": hidden ? null : exactly(weights[key]) });
    };
    const others = otherKeys(map);
    let [left, top] = [0, 22];
    const chips = (others.length <= FEW_PLACES ? others : []).flatMap((key) => {
      const text = readable(map.keyTokens[key]);
      const wide = width(text, 11) + 8;
      if (left > 0 && left + wide > side) [left, top] = [0, top + 20];
      left += wide + 3;
      return [cell(key, { x: left - wide - 3, y: top, width: wide, height: 17, rx: 3 }), words(left - wide / 2 - 3, top + 12.5, text, { "text-anchor": "middle", "font-size": 11 })];
    });
    if (chips.length) top += 22;
    const [across, down] = [side / columns, high / rows];
    const cells = patches.flatMap((key, patch) =>
      (key === null ? [] : [cell(key, { x: (patch % columns) * across, y: Math.floor(patch / columns) * down, width: across, height: down })]));
    if (x > 0 && x + side > WIDTH) [x, y, tall] = [0, y + tall + gap, 0];
    parts.push(tag("g", { transform: moveTo(x, y), "data-layer": layer, "data-head": head, opacity: look.off ? 0.55 : null },
      words(0, 13, named(panel), titled(look.off)), ...chips,
      tag("g", { transform: moveTo(0, top) }, tag("use", { href: `#${name}` }), ...cells)));
    [x, tall] = [x + side + gap, Math.max(tall, top + high)];
  }
  return { parts, wide: Math.min(shown.length, 3) * (side + gap) - gap, high: y + tall };
}
