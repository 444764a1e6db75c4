// How the film begins: the words, their vectors, and where the asking word looks, or what the layer below let it take in.

import { isOff } from "../../math/steps.ts";
import { isSpecial, percent } from "../../math/text.ts";
import { FULL } from "../../math/names.ts";
import { answerInMatrix, boxBetween, middleOf, shorten, type Frame } from "./frame.ts";
import { between } from "./moments.ts";
import { belowOf, quoted, titleOf } from "./stations.ts";

const SEEN = 0.02; // of the attention: an arc for less isn't drawn
const THICK = 9; // an arc of all of it

export function drawOpening(frame: Frame) {
  if (frame.flow.above) drawArcs(frame);
  drawBelow(frame);
  drawWords(frame);
}

/** Arcs from the asking word to those that it looks at, as thick as their weights. */
function drawArcs(frame: Frame) {
  const { ink, layout, wide, flow, head, query, weights, percents, done } = frame;
  const opacity = 1 - done("belowGoes");
  if (opacity < 0.02) return;
  const off = isOff(flow, head);
  const left = layout.word + 8;
  const ends = (token: number) => [left, middleOf(frame, token)];
  const title = wide ? `${titleOf(flow, head)}: what ${quoted(flow, query)} looks at` : titleOf(flow, head);
  ink.text("arcs-title", left - 4, layout.top - (wide ? 34 : 28), title, { opacity, kind: "af-title" });
  const most = weights.reduce((size, weight) => Math.max(size, weight), 0);
  weights.forEach((weight, token) => {
    if (weight < SEEN || token === query) return;
    const [[x, y], [, to]] = [ends(query), ends(token)];
    const reach = layout.arcs * Math.min(1, 0.45 + Math.abs(to - y) / (6 * layout.row));
    const about = `weight that ${quoted(flow, query)} gives to ${quoted(flow, token)}: ${percents[token]}\u00a0%`;
    const opens = { name: "weights", row: query, column: token };
    ink.path(`arc-${token}`, `M${x} ${y}C${x + reach} ${y} ${x + reach} ${to} ${x + 5} ${to}`, {
      opacity: opacity * (off ? 0.8 : 1),
      kind: `af-arc${off ? " af-off" : ""}`,
      thick: off ? 1.5 : Math.max(1, THICK * weight),
      about,
      opens,
    });
    ink.path(`arrow-${token}`, `M${x - 3} ${to}l10 -6v12z`, { opacity: off ? 0 : opacity, fill: "var(--head)" });
    if (weight < most) return;
    const share = off ? "off" : `${percents[token]}\u00a0%`;
    ink.text(`arc-share-${token}`, x + 0.75 * reach + 8, (y + to) / 2, share, {
      opacity,
      kind: "af-asks",
      about,
      opens,
    });
  });
}

/** What the asking word took in the layer below from each word, a column for each of its heads. */
function drawBelow(frame: Frame) {
  const { ink, layout, wide, flow, query, done } = frame;
  const opacity = 1 - done("belowGoes");
  if (!flow.below || opacity < 0.02) return;
  const { top, row } = layout;
  const { x, pitch } = layout.below;
  const [heads, , keys] = flow.below.shape;
  const [right, from] = [x + heads * pitch - 1, top + query * row];
  const left = layout.X[0].x - 3;
  ink.path("below-out", `M${right} ${top}V${top + keys * row}L${left} ${from + 0.8 * row}V${from + 0.2 * row}Z`, {
    opacity: 0.7 * opacity,
    kind: "af-stream",
  });
  const title = `${belowOf(flow)}${wide ? `: what ${quoted(flow, query)} took in, by head` : ", by head"}`;
  ink.text("below-title", x, top - (wide ? 30 : 26), title, { opacity, kind: "af-title" });
  for (let head = 0; head < heads; head++) drawHeadBelow(frame, head, opacity);
}

function drawHeadBelow({ ink, layout, flow, query }: Frame, head: number, opacity: number) {
  const { top, row } = layout;
  const { x, pitch } = layout.below;
  const [, queries, keys] = flow.below!.shape;
  const [left, width] = [x + head * pitch, Math.min(0.88 * pitch, 0.86 * row)];
  const isOut = isOff({ headMask: flow.belowMask }, head);
  const off = isOut ? " af-off" : "";
  if (pitch > 13)
    ink.text(`below-${head}`, left + width / 2, top - 10, String(head + 1), {
      opacity,
      kind: `af-title af-centre${off}`,
    });
  ink.rect(
    `column-${head}`,
    { x: left, y: top, width, height: keys * row },
    { opacity: 0.4 * opacity, kind: "af-track" },
  );
  const name = `${belowOf(flow)}, head ${head + 1}${isOut ? ", off" : ""}`;
  for (let key = 0; key < keys; key++) {
    const weight = flow.below!.values[(head * queries + query) * keys + key];
    ink.rect(
      `took-${head}-${key}`,
      { x: left, y: top + (key + 0.07) * row, width, height: 0.86 * row },
      {
        opacity: Math.min(1, weight / FULL) * opacity,
        kind: `af-below${off}`,
        about: `${name}: weight that ${quoted(flow, query)} gives to ${quoted(flow, key)}: ${percent(weight)}`,
      },
    );
  }
}

function drawWords(frame: Frame) {
  const { ink, layout, wide, flow, strips, done } = frame;
  const [large, small] = layout.X;
  const shrunk = done("wordsShrink");
  const gone = 1 - done("wordsGo");
  const bright = 0.4 * done("wordsBrighten") * (1 - done("wordsDimAgain"));
  const opacity = (between(1, 0.55, done("wordsDim")) + bright) * gone;
  ink.strip("X", boxBetween(large, small, shrunk), strips.X, { opacity, ...answerInMatrix(flow, "X", "vector") });
  const title = `X: ${flow.X.shape[1]} numbers a word${wide ? ", teal below zero, brown above" : ""}`;
  const short = wide ? `X: ${flow.X.shape.join(" × ")}` : "X";
  ink.text("X-title", between(large.x, small.x, shrunk), layout.top - 10, shrunk > 0.5 ? short : title, {
    opacity: gone * Math.max(shrunk, 1 - shrunk),
    kind: "af-title",
  });
  flow.tokens.forEach((_, token) => drawWord(frame, token, gone));
}

function drawWord(frame: Frame, token: number, opacity: number) {
  const { ink, layout, flow, query } = frame;
  const { row, word, letters } = layout;
  const asks = token === query;
  const y = layout.top + token * row;
  if (asks)
    ink.rect(
      "asks",
      { x: 0, y: y + 1, width: word + 6, height: row - 2 },
      { opacity: 0.28 * opacity, fill: "var(--head)" },
    );
  const press = `query ${token}`;
  const about = `${quoted(flow, token)}: press it, and it asks`;
  ink.rect(`press-${token}`, { x: 0, y, width: word + 6, height: row }, { opacity, kind: "af-press", press, about });
  ink.text(`word-${token}`, word, middleOf(frame, token), shorten(flow.tokens[token], letters), {
    opacity,
    press,
    kind: `af-word${asks ? " af-asks" : ""}${isSpecial(flow.tokens[token]) ? " af-special" : ""}`,
    about: asks ? `${quoted(flow, token)} asks` : about,
  });
}
