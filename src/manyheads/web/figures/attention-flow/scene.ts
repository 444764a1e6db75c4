// The film, frame by frame. Its first half is drawn here, from the words to what a head found; the second in ending.ts.

import { blend, factsOf, outputOf, quoted, weightsOf, wholePercents } from "./stations.ts";
import { formatNumber, isOff, rowOf } from "../../math/steps.ts";
import type { Flow } from "../../math/steps.ts";
import type { Box } from "../../views/pixels.ts";
import { drawEnding } from "./ending.ts";
import {
  answerInMatrix,
  answerInRow,
  boxBetween,
  headFill,
  middleOf,
  partsOfBar,
  shorten,
  type Frame,
} from "./frame.ts";
import { FlowInk } from "./ink.ts";
import type { LayoutOf } from "./layouts.ts";
import { between, doneAt, MOMENTS, shareOf } from "./moments.ts";
import { drawOpening } from "./opening.ts";
import { drawProjections } from "./project.ts";
import { stripsOf, stripOf } from "./strips.ts";

const LINE = 6; // high at least is a part of the bar that has a line around it

/** A layout of the film. */
export function flowScene(layoutOf: LayoutOf) {
  const ink = new FlowInk(layoutOf({ tokens: 1, heads: 1 }).name);
  const { node } = ink;
  let before: unknown[] = []; // what was drawn

  /** Draws a moment, where it's another one; while the film moves, only in a layout that is seen. */
  function draw(flow: Flow, query: number, fact: string, at: number) {
    const moves = [flow, query, fact].every((each, place) => each === before[place]);
    if (moves && (at === before[3] || !(Number.isInteger(at) || node.getClientRects().length))) return;
    before = [flow, query, fact, at];
    drawFrame(ink, layoutOf, flow, query, fact, at);
  }

  return { ink, node, draw };
}

function drawFrame(ink: FlowInk, layoutOf: LayoutOf, flow: Flow, query: number, fact: string, at: number) {
  const { head } = flow; // what is chosen may still be computed
  const layout = layoutOf({
    tokens: flow.tokens.length,
    heads: flow.headNames.length,
    below: flow.below?.shape[0],
    goesOn: Boolean(flow.above),
  });
  const weights = weightsOf(flow, head, query);
  const percents = wholePercents(weights);
  const done = doneAt(at);
  const wide = layout.name === "af-wide";
  const frame = {
    at,
    done,
    ink,
    layout,
    wide,
    flow,
    strips: stripsOf(flow, query),
    head,
    query,
    facts: factsOf(flow),
    fact,
    weights,
    percents,
  };
  ink.begin(layout.width, layout.height);
  if (done("wordsGo") < 1) {
    drawOpening(frame);
    drawProjections(frame);
    drawKeys(frame);
    drawQuery(frame);
    drawScores(frame);
    drawWeights(frame);
    drawValues(frame);
  }
  drawEnding(frame);
  drawOff(frame);
  ink.end();
}

/** That the head is off, as long as the film is about it alone. */
function drawOff({ ink, layout, flow, head, done }: Frame) {
  if (!isOff(flow, head)) return;
  ink.text("is-off", layout.width - 2, 8, "this head is off", {
    opacity: 1 - done("wordsGo"),
    kind: "af-title af-end af-is-off",
  });
}

/** Where the keys are: they make room for their scores. */
const keyBox = ({ layout, done }: Frame) => boxBetween(...layout.K, done("keysShrink"));

/** The query's place: from where it's made to above the keys, past each of them, and back. */
function queryBox(frame: Frame): Box {
  const { at, layout, flow, done } = frame;
  const { row, top, thick } = layout;
  const { x, width } = keyBox(frame);
  const rest = { x, y: layout.query, width, height: thick };
  if (done("queryRises") < 1) return boxBetween(layout.project(0).made, rest, done("queryRises"));
  const walked = shareOf(at, ...MOMENTS.queryWalks);
  if (walked === 0) return rest;
  const y = between(top - 0.35 * row, top + flow.tokens.length * row, walked) - 0.3 * row;
  const meets = { x, y, width, height: Math.min(thick, 0.42 * row) };
  return walked < 1 ? boxBetween(rest, meets, done("queryLeaves")) : boxBetween(meets, rest, done("queryReturns"));
}

function drawKeys(frame: Frame) {
  const { ink, layout, flow, strips, done } = frame;
  const opacity = done("keysAppear") * (1 - 0.7 * done("keysDim")) * (1 - done("keysGo"));
  const box = keyBox(frame);
  ink.strip("K", { ...box, width: box.width * done("keysWiden") }, strips.K, {
    opacity,
    ...answerInMatrix(flow, "K", "key"),
  });
  const title = `keys K${flow.rotaryBase ? ", turned" : " = X Wᴷ"}`;
  const written = done("keysAppear") * (1 - done("keysDim")); // faint letters can't be read
  ink.text("K-title", box.x, layout.top - 10, title, { opacity: written, kind: "af-title" });
}

function drawQuery(frame: Frame) {
  const { ink, layout, flow, strips, query, done } = frame;
  const opacity = done("queryAppears") * (1 - done("queryGoes"));
  const box = queryBox(frame);
  const { x, y, width, height } = box;
  ink.rect("query-frame", { x: x - 2, y: y - 2, width: width + 4, height: height + 4 }, { opacity, kind: "af-query" });
  ink.strip("query", box, strips.query, {
    opacity,
    ...answerInRow(`query of ${quoted(flow, query)}`, rowOf(flow.Q, query), { name: "Q", row: query, column: 0 }),
  });
  const hides = 1 - done("queryTitleHides") + done("queryTitleReturns");
  ink.text(
    "query-title",
    keyBox(frame).x,
    layout.query - 11,
    `query of ${shorten(flow.tokens[query], layout.letters)}`,
    { opacity: done("queryTitleAppears") * hides * (1 - done("queryTitleGoes")), kind: "af-title" },
  );
}

function drawScores(frame: Frame) {
  const { ink, layout, wide, flow, query, done } = frame;
  const scores = rowOf(flow.scores, query);
  const masked = rowOf(flow.masked, query);
  const most = scores.reduce((size, score) => Math.max(size, Math.abs(score)), 1e-9);
  const moved = done("scoresMove");
  const [axis, reach, ends] = [layout.axis, layout.reach, layout.score].map(([from, to]) => between(from, to, moved));
  const opacity = (1 - 0.1 * done("scoresDim")) * (1 - done(wide ? "scoresGo" : "scoresMove"));
  const appeared = done("axisAppears") * opacity;
  ink.text("score-title", ends, layout.top - 10, "scores", { opacity: appeared, kind: "af-title af-end" });
  ink.rect(
    "axis",
    { x: axis - 0.5, y: layout.top, width: 1, height: layout.row * scores.length },
    { opacity: appeared, kind: "af-axis" },
  );
  const height = Math.min(14, 0.5 * layout.row);
  scores.forEach((score, token) => {
    const here = done("keysMeet", (token + 0.3) / scores.length, (token + 0.8) / scores.length);
    if (here * opacity < 0.02) return;
    const hidden = Number.isFinite(masked[token]) ? 0 : done("maskHides");
    const width = (Math.abs(score) / most) * reach * here * (1 - hidden);
    const value = hidden ? "−∞, it is masked" : formatNumber(score);
    const about = `score of ${quoted(flow, token)} for ${quoted(flow, query)}: ${value}`;
    const opens = { name: hidden ? "masked" : "scores", row: query, column: token };
    const y = middleOf(frame, token);
    ink.rect(
      `score-${token}`,
      { x: score < 0 ? axis - width : axis, y: y - height / 2, width, height },
      { opacity, fill: score < 0 ? "var(--hm-negative)" : "var(--hm-positive)", about, opens },
    );
    ink.text(`score-number-${token}`, ends, y, hidden ? "−∞" : formatNumber(score, 2), {
      opacity: here * opacity,
      kind: "af-number af-score",
      about,
      opens,
    });
  });
}

function drawWeights(frame: Frame) {
  const { ink, layout, weights, done } = frame;
  const gone = 1 - done("weightsGo");
  const bar = boxBetween(...layout.bar, done("barFalls"));
  ink.text("bar-title", bar.x + bar.width, bar.y - 10, "100 %", {
    opacity: done("barTitleAppears") * gone,
    kind: "af-title af-end",
  });
  ink.rect("bar", bar, { opacity: done("barAppears") * gone, kind: "af-bar" });
  ink.text("weight-title", layout.weight[0], layout.top - 10, "weights", {
    opacity: done("weightTitleAppears") * (1 - done("weightTitleGoes")),
    kind: "af-title af-end",
  });
  if (done("weightsGrow") === 0) return;
  partsOfBar(weights).forEach(({ start, weight }, token) => {
    const filled = { ...bar, y: bar.y + start * bar.height, height: weight * bar.height };
    drawWeight(frame, token, filled);
  });
}

/** The weight of a word: a bar and a number beside it, and its part of the bar of 100 %. */
function drawWeight(frame: Frame, token: number, filled: Box) {
  const { at, ink, layout, wide, flow, weights, percents, head, query, done } = frame;
  const y = middleOf(frame, token);
  const weight = weights[token];
  const grown = done("weightsGrow");
  const height = Math.min(14, 0.5 * layout.row);
  const own = { x: layout.share, y: y - height / 2, width: layout.full * weight * grown, height };
  const share = `${percents[token]}\u00a0%`;
  const about = `weight that ${quoted(flow, query)} gives to ${quoted(flow, token)}: ${share} (${formatNumber(weight)})`;
  const opens = { name: "weights", row: query, column: token };
  if (at < MOMENTS.headsTakeOver[1])
    ink.rect(`part-${token}`, boxBetween(own, filled, done("weightsFly", token / weights.length)), {
      fill: headFill(head),
      kind: filled.height < LINE ? "" : "af-part", // a line between thin parts would leave nothing of them
      about,
      opens,
    });
  if (wide && filled.height > 16)
    ink.text(
      `filled-${token}`,
      filled.x + filled.width + 9,
      filled.y + filled.height / 2,
      shorten(flow.tokens[token], layout.letters),
      { opacity: done("barNamesAppear") * (1 - done("barNamesGo")), about },
    );
  ink.text(`weight-${token}`, between(...layout.weight, done("weightsMove")), y, share, {
    opacity: between(0.72, 1, Math.min(1, weight * 12)) * grown * (1 - done("weightsGo")),
    kind: "af-number af-weight",
    about,
    opens,
  });
}

/** A band from a word's value to its part of the bar, as far as it has come; as wide where it begins as where it ends. */
function bandPath([x, y]: number[], [toX, toY]: number[], thick: number, share: number) {
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

function drawValues(frame: Frame) {
  const { ink, layout, flow, strips, weights, done } = frame;
  const [, box] = layout.K; // the keys are gone by then
  const opacity = done("valuesAppear") * (1 - done("valuesGo"));
  ink.strip("V", { ...box, width: box.width * done("valuesWiden") }, strips.V, {
    opacity,
    ...answerInMatrix(flow, "V", "value"),
  });
  ink.text("V-title", box.x, layout.top - 10, "values V", { opacity, kind: "af-title" });
  if (done("outputAppears") === 0) return;
  const arrived = Array.from(weights, (_, token) => done("valuesFlow", token / weights.length));
  drawBands(frame, arrived);
  drawOutput(frame, arrived);
}

/** The words' values on their way into the bar; a weight as thick as its part of it. */
function drawBands(frame: Frame, arrived: number[]) {
  const { ink, layout, flow, weights, percents, head, query, done } = frame;
  if (isOff(flow, head)) return; // nothing is handed on
  const [{ x, width }, bar] = [layout.K[1], layout.bar[1]];
  partsOfBar(weights).forEach(({ start, weight }, token) => {
    if (arrived[token] === 0 || weight <= 0.0005) return;
    const thick = weight * bar.height;
    const from = [x + width + 3, middleOf(frame, token)];
    const to = [bar.x, bar.y + start * bar.height + thick / 2];
    ink.path(`band-${token}`, bandPath(from, to, thick, arrived[token]), {
      opacity: 0.5 * (1 - done("valuesGo")),
      fill: headFill(head),
      opens: { name: "weights", row: query, column: token },
      about: `value of ${quoted(flow, token)}, as thick as its weight: ${percents[token]}\u00a0%`,
    });
  });
}

/** What the bar flows into: the sum of what has arrived of the values. */
function drawOutput(frame: Frame, arrived: number[]) {
  const { at, ink, layout, flow, strips, weights, head, query, done } = frame;
  const [, bar] = layout.bar;
  const { output } = layout;
  const [right, bottom] = [bar.x + bar.width, bar.y + bar.height];
  const funnel =
    output.y > bottom // on a phone
      ? `M${bar.x} ${bottom}H${right}L${output.x + output.width} ${output.y}H${output.x}Z`
      : `M${right} ${bar.y}V${bottom}L${output.x} ${output.y + output.height}V${output.y}Z`;
  const flows = done("barFlows");
  const off = isOff(flow, head);
  if (!off) ink.path("funnel", funnel, { opacity: 0.15 * flows * (1 - done("valuesGo")), fill: headFill(head) });
  ink.text("output-title", output.x, output.y - 10, "head’s output", {
    opacity: flows * (1 - done("outputTitleGoes")),
    kind: "af-title",
  });
  if (at >= MOMENTS.headsTakeOver[1]) return;
  const whole = off || arrived.every((share) => share === 1);
  const values = whole ? outputOf(flow, head, query) : blend(flow, weights, arrived);
  const opacity = done("outputAppears");
  ink.strip("blend", output, stripOf(values, values.length, strips.widest), {
    opacity,
    ...answerInRow(`output of the head “${flow.headNames[head]}”`, values, { name: "context", row: query, column: 0 }),
  });
  if (off)
    ink.text("off", output.x + output.width / 2, output.y + output.height / 2, "off", {
      opacity,
      kind: "af-title af-centre",
    });
}
