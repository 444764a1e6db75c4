// The second half of the film: from the heads' outputs to what is made of them. The answer is drawn in answer.ts.

import { formatNumber, isOff, rowOf } from "../../math/steps.ts";
import type { Flow } from "../../math/steps.ts";
import type { Box } from "../../views/pixels.ts";
import { drawAbove, drawAnswer } from "./answer.ts";
import { answerAt, answerInRow, boxBetween, headFill, LETTER, partsOfBar, shorten, type Frame } from "./frame.ts";
import { outputOf, quoted, weightsOf, wholePercents } from "./stations.ts";

export function drawEnding(frame: Frame) {
  const { done } = frame;
  if (done("headsTakeOver") > 0 && done("mixerGoes") < 1) drawHeads(frame);
  if (done("mixerAppears") > 0 && done("readTakesOver") < 1) drawMix(frame);
  if (done("readAppears") > 0) (frame.flow.above ? drawAbove : drawAnswer)(frame);
}

function drawHeads(frame: Frame) {
  const { ink, layout, wide, flow, head: chosen, query, done } = frame;
  const { headNames } = flow;
  headNames.forEach((_, head) => {
    const here = head === chosen ? 1 : done("otherHeadsAppear", head / headNames.length);
    const output = outputBox(frame, head);
    drawHeadName(frame, head, output, here);
    drawHeadBar(frame, head, here * (1 - done("headsGo")));
    drawHeadOutput(frame, head, output, here * (1 - done("mixerGoes")));
  });
  if (!wide) return;
  const { bar, output } = layout.head(0, headNames.length);
  const shown = { opacity: done("headTitlesAppear") * (1 - done("headsGo")), kind: "af-title" };
  ink.text("bars-title", bar.x, bar.y - 14, `what ${quoted(flow, query)} looks at in each head`, shown);
  ink.text("outputs-title", output.x, bar.y - 14, "each head’s output", shown);
}

/** Where a head's output is: in its row, then in the join. */
function outputBox({ layout, flow, head: chosen, done }: Frame, head: number): Box {
  const { length } = flow.headNames;
  const { output } = layout.head(head, length);
  const width = layout.concat.width / length;
  const joined = { ...layout.concat, x: layout.concat.x + head * width, width };
  const own = head === chosen ? boxBetween(layout.output, output, done("outputMoves")) : output;
  return boxBetween(own, joined, done("outputsJoin"));
}

/** A head's name: beside its bar, then over its output. */
function drawHeadName({ ink, layout, wide, flow, head: chosen, done }: Frame, head: number, output: Box, here: number) {
  const name = flow.headNames[head];
  const answers = { press: `head ${head}`, about: `the head “${name}”` };
  const asks = head === chosen ? " af-asks" : "";
  const joined = done("joinedNamesAppear");
  if (joined > 0) {
    const text = shortenName(name, Math.floor(output.width / LETTER));
    ink.text(`head-${head}`, output.x + output.width / 2, layout.concat.y - 12, text, {
      kind: `af-head${asks} af-centre af-joined`,
      opacity: joined * (1 - done("mixerGoes")),
      ...answers,
    });
  } else
    ink.text(`head-${head}`, ...layout.head(head, flow.headNames.length).name, name, {
      kind: `af-head${asks}${wide ? " af-end" : ""}`,
      opacity: here * done("headNamesAppear") * (1 - done("headsGo")),
      ...answers,
    });
}

/** A head's name as far as there is room for it; of those that are numbered, the number at least. */
const shortenName = (name: string, letters: number) =>
  name.length < letters ? name : shorten(name.replace(/^head (?=\d)/, ""), letters);

/** The weights of a head as parts of a bar; that of the head whose film it was lies down. */
function drawHeadBar({ ink, layout, flow, head: chosen, query, done }: Frame, head: number, opacity: number) {
  const { bar } = layout.head(head, flow.headNames.length);
  const [, upright] = layout.bar;
  const own = head === chosen;
  const weights = weightsOf(flow, head, query);
  const percents = wholePercents(weights);
  const look = `head “${flow.headNames[head]}”: weight that ${quoted(flow, query)} gives to`;
  partsOfBar(weights).forEach(({ start, weight }, token) => {
    if (weight < 0.0005) return;
    const lying = { ...bar, x: bar.x + start * bar.width, width: weight * bar.width };
    const standing = { ...upright, y: upright.y + start * upright.height, height: weight * upright.height };
    const answers = {
      about: `${look} ${quoted(flow, token)}: ${percents[token]} % (${formatNumber(weight)})`,
      opens: own ? { name: "weights", row: query, column: token } : undefined, // of the other heads only the outputs are here
      press: own ? undefined : `head ${head}`,
    };
    const box = own ? boxBetween(standing, lying, done("barLiesDown")) : lying;
    ink.rect(`share-${head}-${token}`, box, { opacity, fill: headFill(head), kind: "af-part", ...answers });
    const text = shorten(flow.tokens[token], 14);
    if (text.length * LETTER + 6 < lying.width)
      ink.text(`named-${head}-${token}`, lying.x + lying.width / 2, lying.y + lying.height / 2, text, {
        opacity: opacity * done("wordsInBarsAppear"),
        kind: "af-inside af-centre",
        ...answers,
      });
  });
}

function drawHeadOutput({ ink, flow, strips, query }: Frame, head: number, output: Box, opacity: number) {
  const { x, y, width, height } = output;
  const values = outputOf(flow, head, query);
  const first = { name: "concat", row: query, column: head * values.length };
  ink.strip(`output-${head}`, output, strips.heads[head], {
    opacity,
    ...answerInRow(`output of the head “${flow.headNames[head]}”`, values, first),
  });
  if (isOff(flow, head))
    ink.text(`off-${head}`, x + width / 2, y + height / 2, "off", { opacity, kind: "af-title af-centre" });
  ink.rect(`line-${head}`, { x, y: y + height + 2, width, height: 3 }, { opacity, fill: headFill(head) });
}

function drawMix({ ink, layout, flow, strips, query, done }: Frame) {
  const { concat, mixer, mixed, read } = layout;
  const gone = 1 - done("mixerGoes");
  const opacity = done("mixerAppears") * gone;
  const title = { opacity, kind: "af-title" };
  ink.text("concat-title", concat.x, concat.y - 30, `joined: ${flow.concat.shape[1]} numbers`, title);
  ink.path(
    "mixes-in",
    `M${concat.x} ${concat.y + concat.height + 6}H${concat.x + concat.width}V${mixer.y}H${concat.x}Z`,
    { opacity: 0.5 * opacity, kind: "af-stream" },
  );
  ink.rect("mixer", mixer, { opacity, kind: "af-bar" });
  if (strips.mixer)
    ink.strip("mixer-picture", mixer, strips.mixer, { opacity: 0.85 * opacity, ...answerInMixer(flow) });
  ink.text("mixer-title", mixer.x + mixer.width / 2, mixer.y + mixer.height / 2, "Wᴼ mixes them", {
    opacity,
    kind: "af-mixer af-centre",
    about: "Wᴼ, learned: from all heads’ outputs to the new vector",
  });
  const out = done("mixedAppears");
  ink.path("mixes-out", `M${mixed.x} ${mixer.y + mixer.height}H${mixed.x + mixed.width}V${mixed.y}H${mixed.x}Z`, {
    opacity: 0.5 * out * gone,
    kind: "af-stream",
  });
  const name = `output for ${quoted(flow, query)}`;
  ink.text("mixed-title", mixed.x, mixed.y + mixed.height + 18, `the ${name}: ${flow.output.shape[1]} numbers`, {
    opacity: out * gone,
    kind: "af-title",
  });
  const box = boxBetween(mixed, read, done("mixedMoves"));
  ink.strip("mixed", { ...box, width: box.width * out }, strips.mixed, {
    opacity: query === 0 ? 1 : 1 - done("mixedGoes"),
    ...answerInRow(name, rowOf(flow.output, query), { name: "output", row: query, column: 0 }),
  });
}

/** The numbers of W^O, which is drawn transposed. */
function answerInMixer({ parameters }: Flow) {
  const { shape, values } = parameters!.Wo!;
  const [inputs, outputs] = shape;
  return answerAt(
    (across, down) => ({ name: "Wo", row: Math.floor(across * inputs), column: Math.floor(down * outputs) }),
    ({ row, column }) =>
      `Wᴼ, from joined number ${row + 1} to output number ${column + 1}: ${formatNumber(values[row * outputs + column])}`,
  );
}
