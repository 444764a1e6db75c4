// The end of the film: how an answer is read, from which parts, and where it came from.

import { formatNumber, isOff, rowOf } from "../../math/steps.ts";
import { percent } from "../../math/text.ts";
import { answerFill, answerInRow, LETTER, partsOfBar, shorten, type Frame } from "./frame.ts";
import { answerOf, endingOf, partsOf, quoted, weightsOf, wholePercents } from "./stations.ts";
import { stripsOf } from "./strips.ts";

/** The facts that are read from the output for [CLS], and the logit of one, part by part. */
export function drawAnswer(frame: Frame) {
  const { ink, layout, flow, strips, query, done } = frame;
  const { read } = layout;
  const name = `output for ${quoted(flow, 0)}`;
  if (query !== 0 || done("readTakesOver") > 0)
    ink.strip("read", read, strips.read, {
      opacity: query === 0 ? 1 : done("readAppears"),
      ...answerInRow(name, rowOf(flow.output, 0), { name: "output", row: 0, column: 0 }),
    });
  ink.text("read-title", read.x, read.y - 12, `${name}: the answers are read from it`, {
    opacity: done("readTitleAppears"),
    kind: "af-title",
  });
  drawFacts(frame);
}

function drawFacts(frame: Frame) {
  frame.facts.forEach((each, place, facts) => drawFact(frame, each, place, facts.length));
  if (frame.fact) drawParts(frame);
}

/** The end of a journey that goes on to the layer above: what its word has become there, how much of the answer's head it gets, the answer. */
export function drawAbove(below: Frame) {
  const above = endingOf(below.flow);
  const frame = { ...below, flow: above, head: above.head };
  const { ink, layout, query, head, done } = frame;
  const { read, look } = layout;
  const word = quoted(above, query);
  ink.strip("read", read, stripsOf(above, query).x, {
    opacity: done("readAppears"),
    ...answerInRow(`vector of ${word}`, rowOf(above.X, query), { name: "X", row: query, column: 0 }),
  });
  ink.text("read-title", read.x, read.y - 12, `${word}, as layer 1 leaves it`, {
    opacity: done("readTitleAppears"),
    kind: "af-title",
  });
  const appeared = done("lookAppears");
  const weights = weightsOf(above, head, 0);
  const percents = wholePercents(weights);
  const off = isOff(above, head);
  partsOfBar(weights).forEach(({ start, weight }, token) => {
    if (weight < 0.0005) return;
    const box = { ...look, x: look.x + start * look.width, width: weight * look.width };
    const shown = {
      opacity: appeared,
      about: `head “${above.headNames[head]}”: weight that ${quoted(above, 0)} gives to ${quoted(above, token)}: ${percents[token]}\u00a0% (${formatNumber(weight)})`,
      opens: { name: "weights", row: 0, column: token },
    };
    if (token === query) {
      const [left, right] = [box.x, box.x + box.width];
      const bottom = read.y + read.height + 3;
      ink.path("into-look", `M${read.x} ${bottom}H${read.x + read.width}L${right} ${look.y}H${left}Z`, {
        opacity: 0.55 * appeared,
        kind: "af-stream",
      });
    }
    ink.rect(`look-${token}`, box, { ...shown, fill: answerFill(head), kind: "af-part" });
    const text = `${shorten(above.tokens[token], 14)} ${percents[token]}\u00a0%`;
    if (text.length * LETTER + 6 < box.width)
      ink.text(`look-name-${token}`, box.x + box.width / 2, box.y + box.height / 2, text, {
        ...shown,
        kind: "af-inside af-centre",
      });
  });
  const title = `layer 2, ${above.headNames[head]}: what ${quoted(above, 0)} looks at${off ? ", off" : ""}`;
  ink.text("look-title", look.x + 4, look.y - 12, title, { opacity: appeared, kind: "af-title" });
  const { name, meter } = layout.fact(0, 1);
  if (frame.fact && !off)
    ink.path(
      "out-of-look",
      `M${look.x} ${look.y + look.height + 2}H${look.x + look.width}L${meter.x + meter.width + 4} ${name[1] - 12}H${name[0]}Z`,
      { opacity: 0.2 * done("factsAppear"), fill: answerFill(head) },
    );
  if (!frame.fact) return;
  drawLabels(frame);
  drawParts(frame);
}

/** All that the answer can be, with how likely each is. */
function drawLabels({ ink, layout, wide, flow, head, fact, done }: Frame) {
  const { name, meter } = layout.fact(0, 1);
  const { label: likeliest } = answerOf(flow, fact);
  const rows = (flow.labels ?? []).flatMap(([each], row) => (each === fact ? [row] : []));
  const [top, pitch] = [name[1] - (wide ? 4 : 8), Math.min(wide ? 34 : 23, (wide ? 204 : 69) / rows.length)];
  const left = name[0] + (wide ? 4 : 2);
  const bar = { x: wide ? left + 84 : 86, width: wide ? meter.width - 140 : 180, height: wide ? 10 : 8 };
  rows.forEach((row, place) => {
    const probability = flow.answer!.values[row];
    const y = top + (place + 0.5) * pitch;
    const shown = {
      opacity: done("factsAppear", place / rows.length),
      about: `${fact}: ${flow.labels![row][1]}, probability ${formatNumber(probability)}. Press it, and its arithmetic opens`,
      opens: { name: "answer", row, column: 0 },
    };
    const kind = row === likeliest ? " af-sum" : "";
    ink.text(`label-${row}`, left, y, shorten(flow.labels![row][1], wide ? 11 : 12), {
      ...shown,
      kind: `af-label${kind}`,
    });
    ink.rect(`label-track-${row}`, { ...bar, y: y - bar.height / 2 }, { ...shown, kind: "af-track" });
    ink.rect(
      `label-bar-${row}`,
      { ...bar, y: y - bar.height / 2, width: bar.width * probability },
      { ...shown, fill: answerFill(head) },
    );
    ink.text(`label-share-${row}`, meter.x + meter.width + (wide ? 4 : 0), y, percent(probability), {
      ...shown,
      kind: `af-number${kind}`,
    });
  });
}

function drawFact({ ink, layout, flow, fact, done }: Frame, each: string, place: number, count: number) {
  const { name, label, meter } = layout.fact(place, count);
  const { label: row, name: answer, probability } = answerOf(flow, each);
  const head = flow.headNames.indexOf(each);
  const chosen = each === fact;
  const opacity = done("factsAppear", place / count);
  const press = chosen ? undefined : `fact ${each}`;
  const opens = chosen ? { name: "answer", row, column: 0 } : undefined;
  const then = chosen ? "its arithmetic opens" : "its logit is taken apart";
  const about = `${each}: ${answer}, probability ${formatNumber(probability)}. Press it, and ${then}`;
  const shown = { opacity, about, press, opens };
  const [left, top, right] = [name[0] - 2, Math.min(name[1], label[1]) - 15, meter.x + meter.width];
  ink.rect(
    `fact-${each}`,
    { x: left, y: top, width: right + 6 - left, height: meter.y + meter.height + 8 - top },
    { ...shown, kind: `af-fact${chosen ? " af-chosen" : ""}` },
  );
  ink.text(`fact-name-${each}`, name[0] + 4, name[1], each, { ...shown, kind: "af-title" });
  const indent = label[0] === name[0] ? 4 : 0;
  ink.text(`fact-answer-${each}`, label[0] + indent, label[1], answer, { ...shown, kind: "af-answer" });
  ink.text(`fact-share-${each}`, right, label[1], percent(probability), { ...shown, kind: "af-number af-probability" });
  ink.rect(`meter-${each}`, meter, { opacity, kind: "af-track", press, opens });
  ink.rect(
    `filled-${each}`,
    { ...meter, width: meter.width * probability * opacity },
    { ...shown, fill: head < 0 ? "var(--hm-soft)" : answerFill(head) },
  );
}

/** The logit of an answer, part by part: each begins where the one before ends. */
function drawParts(frame: Frame) {
  const { ink, layout, flow, fact, done } = frame;
  const { top, row, from, to, number, title } = layout.parts;
  const { label, name: answer } = answerOf(flow, fact);
  const { parts, logit } = partsOf(flow, label);
  const opacity = done("partsTitleAppears");
  ink.text("parts-title", ...title, `the score of “${answer}”, its logit, part by part`, { opacity, kind: "af-title" });
  const ends = parts.reduce((sums, { value }) => [...sums, sums[sums.length - 1] + value], [0]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const across = (sum: number) => from + ((sum - least) / (most - least || 1)) * (to - from);
  ink.rect(
    "parts-axis",
    { x: across(0) - 0.5, y: top - row / 2, width: 1, height: row * (parts.length + 1) + 6 },
    { opacity, kind: "af-axis" },
  );
  parts.forEach(({ name, value }, place) => {
    const about =
      place < flow.headNames.length
        ? `the head “${name}” brought to the logit of “${answer}”: ${formatNumber(value)}`
        : `what does not depend on the heads, the biases: ${formatNumber(value)}`;
    drawPart(frame, { name, value, place, about, start: ends[place] }, label, across);
  });
  const about = `logit of “${answer}”, the sum of the parts: ${formatNumber(logit)}`;
  drawPart(frame, { name: "logit", value: logit, place: parts.length, about, start: 0 }, label, across);
  ink.rect(
    "sum-line",
    { x: from, y: top + parts.length * row - row / 2 + 2, width: number - from, height: 1 },
    { opacity: done("sumLineAppears"), kind: "af-axis" },
  );
}

/** A part of a logit, or the logit, which stands below the line; `across` is where a sum is. */
function drawPart(
  { ink, layout, flow, done }: Frame,
  { name, value, place, about, start }: { name: string; value: number; place: number; about: string; start: number },
  label: number,
  across: (sum: number) => number,
) {
  const { top, row, name: names, number } = layout.parts;
  const isSum = place > flow.headNames.length;
  const grown = done("partsGrow", place / (flow.headNames.length + 1));
  const y = top + place * row + (isSum ? 6 : 0);
  const height = Math.min(18, 0.64 * row);
  const [left, right] = [start, start + value * grown].map(across).sort((a, b) => a - b);
  const shown = { opacity: grown, about, opens: { name: "parts", row: label, column: place } };
  const sum = isSum ? " af-sum" : "";
  ink.text(`brought-name-${place}`, names, y, name, { ...shown, kind: `af-end af-brought${sum}` });
  ink.rect(
    `brought-${place}`,
    { x: left, y: y - height / 2, width: Math.max(right - left, 1), height },
    { ...shown, fill: place < flow.headNames.length ? answerFill(place) : "var(--hm-soft)" },
  );
  ink.text(`brought-number-${place}`, number, y, formatNumber(value, 2), {
    ...shown,
    kind: `af-number af-part-number${sum}`,
  });
}
