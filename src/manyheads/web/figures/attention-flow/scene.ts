// One picture of the journey at any moment: `at` counts stations from 0, and what is between two is on its way. The first half, from
// the words to what a head found; `flow-ending.ts` has the second.

import { belowOf, blend, outputOf, quoted, weightsOf, wholePercents } from "./stations.ts";
import { FULL } from "../../math/names.ts";
import { isOff, rowOf, written } from "../../math/steps.ts";
import type { Cell, Flow, FlowState } from "../../math/steps.ts";
import { isSpecial, percent } from "../../math/text.ts";
import { drawEnding } from "./ending.ts";
import { FlowInk, type Box } from "./ink.ts";
import type { Layout, LayoutOf } from "./layouts.ts";
import { boxBetween, between, headFill, numbersIn, partsOfBar, passed, short, type Scene } from "./moments.ts";
import { picturesOf, stripsOf } from "./pictures.ts";

export class FlowScene {
  ink: FlowInk;
  node: HTMLElement;
  #layoutOf: LayoutOf;

  constructor(layoutOf: LayoutOf) {
    this.#layoutOf = layoutOf;
    this.ink = new FlowInk(layoutOf(1, 1).name);
    this.node = this.ink.node;
  }

  draw(flow: Flow, { head, query }: Pick<FlowState, "head" | "query">, fact: string, at: number) {
    const layout = this.#layoutOf(flow.tokens.length, flow.headNames.length, flow.below?.shape[0]);
    const weights = weightsOf(flow, head, query);
    const scene = {
      ink: this.ink,
      layout,
      flow,
      pictures: picturesOf(flow, query),
      head,
      query,
      fact,
      weights,
      percents: wholePercents(weights),
      at,
    };
    this.ink.begin(layout.width, layout.height);
    if (at < 4.99) {
      drawBelow(scene);
      drawWords(scene);
      drawKeys(scene);
      drawScores(scene);
      drawWeights(scene);
      drawValues(scene);
    }
    drawEnding(scene);
    this.ink.end();
  }
}

const middle = ({ top, row }: Layout, token: number) => top + (token + 0.5) * row;

/** What the asking word took in layer 1 from each word, a column for each of its heads. */
function drawBelow({ ink, layout, flow, query, at }: Scene) {
  const gone = 1 - passed(at, 0.05, 0.35);
  if (!flow.below || gone < 0.02) return;
  const {
    below: { x, pitch },
    X: [X],
    top,
    row,
  } = layout;
  const {
    below: {
      shape: [heads, queries, keys],
      values,
    },
    belowMask,
  } = flow;
  const wide = layout.name === "af-wide";
  const width = Math.min(0.88 * pitch, 0.86 * row);
  const [right, from] = [x + heads * pitch - 1, top + query * row];
  ink.path("below-out", `M${right} ${top}V${top + keys * row}L${X.x - 3} ${from + 0.8 * row}V${from + 0.2 * row}Z`, {
    opacity: 0.7 * gone,
    kind: "af-stream",
  });
  ink.text(
    "below-title",
    x,
    top - (wide ? 30 : 26),
    wide ? `${belowOf(flow)}: what ${quoted(flow, query)} took in, by head` : `${belowOf(flow)}, by head`,
    { opacity: gone, kind: "af-title" },
  );
  for (let head = 0; head < heads; head++) {
    const left = x + head * pitch;
    const off = isOff({ headMask: belowMask }, head);
    if (pitch > 13)
      ink.text(`below-${head}`, left + width / 2, top - 10, String(head + 1), {
        opacity: gone,
        kind: `af-title af-centre${off ? " af-off" : ""}`,
      });
    ink.rect(
      `column-${head}`,
      { x: left, y: top, width, height: keys * row },
      { opacity: 0.4 * gone, kind: "af-track" },
    );
    for (let key = 0; key < keys; key++) {
      const weight = values[(head * queries + query) * keys + key];
      ink.rect(
        `took-${head}-${key}`,
        { x: left, y: top + (key + 0.07) * row, width, height: 0.86 * row },
        {
          opacity: Math.min(1, weight / FULL) * gone,
          kind: `af-below${off ? " af-off" : ""}`,
          about: `${belowOf(flow)}, head ${head + 1}${off ? ", off" : ""}: weight that ${quoted(flow, query)} gives to ${quoted(flow, key)}: ${percent(weight)}`,
        },
      );
    }
  }
}

function drawWords({ ink, layout, flow, pictures, query, at }: Scene) {
  const gone = 1 - passed(at, 4, 4.4);
  const shrunk = passed(at, 0.1, 0.7);
  const {
    X: [large, small],
  } = layout;
  const dim = between(1, 0.55, passed(at, 0.4, 1)) + 0.4 * passed(at, 3, 3.2) * (1 - passed(at, 3.4, 3.9)); // values are made of it once more
  ink.strip("X", boxBetween(large, small, shrunk), pictures.X, {
    opacity: dim * gone,
    ...cellsOf(flow, "X", "vector"),
  });
  ink.text(
    "X-title",
    between(large.x, small.x, shrunk),
    layout.top - 10,
    shrunk > 0.5
      ? "X"
      : `X: ${flow.X.shape[1]} numbers a word${layout.name === "af-wide" ? ", blue below zero, red above" : ""}`,
    { opacity: gone * (shrunk < 0.5 ? 1 - shrunk : shrunk), kind: "af-title" },
  );
  flow.tokens.forEach((token, place) => {
    const asks = place === query;
    const y = layout.top + place * layout.row;
    if (asks)
      ink.rect(
        "asks",
        { x: 0, y: y + 1, width: layout.word + 6, height: layout.row - 2 },
        { opacity: 0.28 * gone, fill: "var(--head)" },
      );
    ink.rect(
      `press-${place}`,
      { x: 0, y, width: layout.word + 6, height: layout.row },
      {
        opacity: gone,
        kind: "af-press",
        press: `query ${place}`,
        about: `${quoted(flow, place)}: press it, and it asks`,
      },
    );
    ink.text(`word-${place}`, layout.word, middle(layout, place), short(token, layout.letters), {
      opacity: gone,
      press: `query ${place}`,
      kind: `af-word${asks ? " af-asks" : ""}${isSpecial(token) ? " af-special" : ""}`,
      about: `${quoted(flow, place)}${asks ? " asks" : ": press it, and it asks"}`,
    });
  });
}

/** The numbers of a matrix with a row a word: what each is, and that it opens. */
function cellsOf(flow: Flow, name: "X" | "K" | "V", what: string) {
  const {
    shape: [rows, columns],
    values,
  } = flow[name];
  const opens = (across: number, down: number): Cell => ({
    name,
    row: Math.floor(down * rows),
    column: Math.floor(across * columns),
  });
  const about = (across: number, down: number) => {
    const { row, column } = opens(across, down);
    return `${what} of ${quoted(flow, row)}, number ${column + 1} of ${columns}: ${written(values[row * columns + column])}`;
  };
  return { about, opens };
}

/** Where the keys are: they make room for their scores. */
const keyBox = ({
  layout: {
    K: [large, small],
  },
  at,
}: Scene) => boxBetween(large, small, passed(at, 1, 1.1));

/** The query's place: from its word to above the keys, past each of them, and back. */
function queryBox(scene: Scene): Box {
  const { layout, query, at, flow } = scene;
  const {
    X: [large, small],
    row,
    top,
  } = layout;
  const K = keyBox(scene);
  const rest = { x: K.x, y: layout.query, width: K.width, height: layout.thick };
  const from = boxBetween(large, small, passed(at, 0.1, 0.7));
  const word = { x: from.x, y: top + query * row + 0.2 * row, width: from.width, height: 0.6 * row };
  if (at <= 1) return boxBetween(word, rest, passed(at, 0.45, 0.95));
  const along = (at - 1.1) / 0.82;
  if (along <= 0) return rest;
  const last = top + flow.tokens.length * row;
  const meets = {
    x: K.x,
    y: between(top - 0.35 * row, last, Math.min(along, 1)) - 0.3 * row,
    width: K.width,
    height: Math.min(rest.height, 0.42 * row),
  };
  const start = passed(along, 0, 0.08);
  return along < 1 ? boxBetween(rest, meets, start) : boxBetween(meets, rest, passed(at, 1.92, 2));
}

function drawKeys(scene: Scene) {
  const { ink, layout, flow, pictures, query, at } = scene;
  const seen = passed(at, 0.45, 0.95) * (1 - 0.7 * passed(at, 2, 2.5)) * (1 - passed(at, 3, 3.25));
  const K = keyBox(scene);
  ink.strip("K", { ...K, width: K.width * passed(at, 0.4, 0.9) }, pictures.K, {
    opacity: seen,
    ...cellsOf(flow, "K", "key"),
  });
  ink.text("K-title", K.x, layout.top - 10, `keys K${flow.rotaryBase ? ", turned" : " = X Wᴷ"}`, {
    opacity: seen,
    kind: "af-title",
  });
  const asks = passed(at, 0.3, 0.5) * (1 - passed(at, 2.1, 2.6));
  const box = queryBox(scene);
  const [name, picture] = at < 0.7 ? (["X", pictures.x] as const) : (["Q", pictures.query] as const);
  ink.rect(
    "query-frame",
    { x: box.x - 2, y: box.y - 2, width: box.width + 4, height: box.height + 4 },
    { opacity: asks, kind: "af-query" },
  );
  ink.strip("query", box, picture, {
    opacity: asks,
    ...numbersIn(`query of ${quoted(flow, query)}`, rowOf(flow[name], query), { name, row: query, column: 0 }),
  });
  ink.text("query-title", K.x, layout.query - 11, `query of ${short(flow.tokens[query], layout.letters)}`, {
    opacity: passed(at, 0.8, 1) * (1 - passed(at, 1.08, 1.14) + passed(at, 1.95, 2)) * (1 - passed(at, 2.1, 2.4)),
    kind: "af-title",
  });
}

/** When the query has met a key. */
const met = ({ flow, at }: Scene, token: number) =>
  passed(at, 1.11 + (0.8 * (token + 0.3)) / flow.tokens.length, 1.15 + (0.8 * (token + 0.8)) / flow.tokens.length);

function drawScores(scene: Scene) {
  const { ink, layout, flow, query, at } = scene;
  const scores = rowOf(flow.scores, query);
  const masked = rowOf(flow.masked, query);
  const most = scores.reduce((size, score) => Math.max(size, Math.abs(score)), 1e-9);
  const phone = layout.name === "af-narrow";
  const back = passed(at, 2, 2.2);
  const [axis, reach, ends] = [layout.axis, layout.reach, layout.score].map(([from, to]) => between(from, to, back));
  const gone = (1 - 0.28 * passed(at, 2.1, 2.6)) * (1 - passed(at, phone ? 2 : 3, phone ? 2.2 : 3.25));
  ink.text("score-title", ends, layout.top - 10, "scores", {
    opacity: passed(at, 1.05, 1.15) * gone,
    kind: "af-title af-end",
  });
  ink.rect(
    "axis",
    { x: axis - 0.5, y: layout.top, width: 1, height: layout.row * scores.length },
    { opacity: passed(at, 1.05, 1.15) * gone, kind: "af-axis" },
  );
  scores.forEach((score, token) => {
    const here = met(scene, token);
    if (here * gone < 0.02) return;
    const hidden = Number.isFinite(masked[token]) ? 0 : passed(at, 2, 2.1); // how far a mask has hidden it
    const [length, high] = [(Math.abs(score) / most) * reach * here * (1 - hidden), Math.min(14, 0.5 * layout.row)];
    const about = `score of ${quoted(flow, token)} for ${quoted(flow, query)}: ${hidden ? "−∞, it is masked" : written(score)}`;
    const opens = { name: hidden ? "masked" : "scores", row: query, column: token };
    ink.rect(
      `score-${token}`,
      { x: score < 0 ? axis - length : axis, y: middle(layout, token) - high / 2, width: length, height: high },
      { opacity: gone, fill: score < 0 ? "var(--af-negative)" : "var(--af-positive)", about, opens },
    );
    ink.text(`score-number-${token}`, ends, middle(layout, token), hidden ? "−∞" : written(score, 2), {
      opacity: here * gone,
      kind: "af-number af-score",
      about,
      opens,
    });
  });
}

/** Where the bar of 100 % is. */
const barBox = ({
  layout: {
    bar: [high, low],
  },
  at,
}: Pick<Scene, "layout" | "at">) => boxBetween(high, low, passed(at, 3.05, 3.4));

function drawWeights(scene: Scene) {
  const { ink, layout, flow, weights, percents, head, query, at } = scene;
  const gone = 1 - passed(at, 4, 4.25);
  const bar = barBox(scene);
  ink.text("bar-title", bar.x + bar.width, bar.y - 10, "100 %", {
    opacity: passed(at, 2.3, 2.6) * gone,
    kind: "af-title af-end",
  });
  ink.rect("bar", bar, { opacity: passed(at, 2.2, 2.5) * gone, kind: "af-bar" });
  ink.text("weight-title", layout.weight[0], layout.top - 10, "weights", {
    opacity: passed(at, 2.1, 2.3) * (1 - passed(at, 3, 3.2)),
    kind: "af-title af-end",
  });
  const numberAt = between(...layout.weight, passed(at, 3, 3.5));
  partsOfBar(weights).forEach(({ start, weight }, token) => {
    const y = middle(layout, token);
    const grown = passed(at, 2.1, 2.4);
    if (grown === 0) return;
    const high = Math.min(14, 0.5 * layout.row);
    const own = { x: layout.share, y: y - high / 2, width: layout.full * weight * grown, height: high };
    const filled = { x: bar.x, y: bar.y + start * bar.height, width: bar.width, height: weight * bar.height };
    const about = `weight that ${quoted(flow, query)} gives to ${quoted(flow, token)}: ${percents[token]}\u00a0% (${written(weight)})`;
    const opens = { name: "weights", row: query, column: token };
    if (at < 4)
      ink.rect(
        `part-${token}`,
        boxBetween(
          own,
          filled,
          passed(at, 2.5 + 0.2 * (token / weights.length), 2.75 + 0.2 * (token / weights.length)),
        ),
        { fill: headFill(head), kind: "af-part", about, opens },
      );
    if (layout.name === "af-wide" && filled.height > 16)
      ink.text(
        `filled-${token}`,
        bar.x + bar.width + 9,
        filled.y + filled.height / 2,
        short(flow.tokens[token], layout.letters),
        { opacity: passed(at, 2.8, 2.95) * (1 - passed(at, 3.05, 3.3)), about },
      );
    ink.text(`weight-${token}`, numberAt, y, `${percents[token]}\u00a0%`, {
      opacity: between(0.72, 1, Math.min(1, weight * 12)) * grown * gone,
      kind: "af-number af-weight",
      about,
      opens,
    });
  });
}

/** A band from a word's value to its part of the bar, as far as it has come; as wide where it begins as where it ends. */
function band([x, y]: number[], [toX, toY]: number[], thick: number, share: number) {
  const steps = 14;
  const [above, below]: string[][] = [[], []];
  for (let step = 0; step <= steps; step++) {
    const along = (share * step) / steps;
    const [right, centre] = [between(x, toX, along).toFixed(1), between(y, toY, along * along * (3 - 2 * along))];
    above.push(`${right} ${(centre - thick / 2).toFixed(2)}`);
    below.unshift(`${right} ${(centre + thick / 2).toFixed(2)}`);
  }
  return `M${above.join("L")}L${below.join("L")}Z`;
}

function drawValues(scene: Scene) {
  const { ink, layout, flow, pictures, weights, percents, head, query, at } = scene;
  const {
    K: [, V],
    bar: [, bar],
    output,
  } = layout;
  const gone = 1 - passed(at, 4, 4.3);
  ink.strip("V", { ...V, width: V.width * passed(at, 3.1, 3.5) }, pictures.V, {
    opacity: passed(at, 3.1, 3.4) * gone,
    ...cellsOf(flow, "V", "value"),
  });
  ink.text("V-title", V.x, layout.top - 10, "values V", { opacity: passed(at, 3.1, 3.4) * gone, kind: "af-title" });
  if (at <= 3.3) return;
  const count = weights.length;
  const arrived = Array.from(weights, (_, token) =>
    passed(at, 3.45 + (0.15 * token) / count, 3.75 + (0.15 * token) / count),
  );
  partsOfBar(weights).forEach(({ start, weight }, token) => {
    const thick = weight * bar.height;
    const [from, to] = [
      [V.x + V.width + 3, middle(layout, token)],
      [bar.x, bar.y + start * bar.height + thick / 2],
    ];
    if (arrived[token] > 0 && weight > 0.0005)
      ink.path(`band-${token}`, band(from, to, thick, arrived[token]), {
        opacity: 0.5 * gone,
        fill: headFill(head),
        opens: { name: "weights", row: query, column: token },
        about: `value of ${quoted(flow, token)}, as thick as its weight: ${percents[token]}\u00a0%`,
      });
  });
  const sum = passed(at, 3.7, 3.95);
  const down = output.y > bar.y + bar.height; // on a phone
  const funnel = down
    ? `M${bar.x} ${bar.y + bar.height}H${bar.x + bar.width}L${output.x + output.width} ${output.y}H${output.x}Z`
    : `M${bar.x + bar.width} ${bar.y}V${bar.y + bar.height}L${output.x} ${output.y + output.height}V${output.y}Z`;
  const off = isOff(flow, head);
  if (!off) ink.path("funnel", funnel, { opacity: 0.22 * sum * gone, fill: headFill(head) });
  ink.text("output-title", output.x, output.y - 10, "head’s output", {
    opacity: passed(at, 3.7, 3.95) * (1 - passed(at, 4, 4.1)),
    kind: "af-title",
  });
  if (at >= 4) return;
  const whole = arrived.every((share) => share === 1);
  const values = whole || off ? outputOf(flow, head, query) : blend(flow, weights, arrived);
  ink.strip("blend", output, stripsOf(values, values.length, pictures.widest), {
    opacity: passed(at, 3.45, 3.6),
    ...numbersIn(`output of the head “${flow.headNames[head]}”`, values, { name: "context", row: query, column: 0 }),
  });
  if (off)
    ink.text("off", output.x + output.width / 2, output.y + output.height / 2, "off", {
      opacity: passed(at, 3.45, 3.6),
      kind: "af-title af-centre",
    });
}
