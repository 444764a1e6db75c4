// The second half of the journey: from the heads' outputs to the answer.

import { answerOf, factsOf, outputOf, partsOf, quoted, weightsOf, wholePercents } from "./stations.ts";
import { isOff, rowOf, written } from "../../math/steps.ts";
import type { Flow } from "../../math/steps.ts";
import { percent } from "../../math/text.ts";
import type { Box } from "./ink.ts";
import { boxBetween, headFill, numbersIn, partsOfBar, passed, short, type Scene } from "./moments.ts";

const LETTER = 6.6; // how wide one is, about

export function drawEnding(scene: Scene) {
  const { at } = scene;
  if (at > 3.99 && at < 6.5) drawHeads(scene);
  if (at > 5.2 && at < 6.5) drawMix(scene);
  if (at > 6) drawAnswer(scene);
}

/** Where a head's output is: in its row, then in the join. */
function outputBox(
  {
    layout,
    flow: {
      headNames: { length },
    },
    at,
    head: chosen,
  }: Scene,
  head: number,
): Box {
  const { output } = layout.head(head, length);
  const width = layout.concat.width / length;
  const joined = { ...layout.concat, x: layout.concat.x + head * width, width };
  if (at >= 5) return boxBetween(output, joined, passed(at, 5.05, 5.5));
  return head === chosen ? boxBetween(layout.output, output, passed(at, 4.1, 4.6)) : output;
}

/** A head's name as far as there is room for it; of those that are numbered, the number at least. */
const shortName = (name: string, letters: number) =>
  name.length < letters ? name : short(name.replace(/^head (?=\d)/, ""), letters);

function drawHeads(scene: Scene) {
  const { ink, layout, flow, pictures, head: chosen, query, at } = scene;
  const { headNames } = flow;
  const [, low] = layout.bar;
  const gone = 1 - passed(at, 5, 5.3);
  headNames.forEach((name, head) => {
    const own = head === chosen;
    const here = own ? 1 : passed(at, 4.4 + 0.1 * (head / headNames.length), 4.8 + 0.15 * (head / headNames.length));
    const place = layout.head(head, headNames.length);
    const output = outputBox(scene, head);
    const joined = passed(at, 5.3, 5.6);
    const title =
      joined > 0 ? { x: output.x + output.width / 2, y: layout.concat.y - 12 } : { x: place.name[0], y: place.name[1] };
    const middle = joined > 0 ? " af-centre" : layout.name === "af-wide" ? " af-end" : "";
    const shown = joined > 0 ? shortName(name, Math.floor(output.width / 6)) : name;
    ink.text(`head-${head}`, title.x, title.y, shown, {
      kind: `af-head${own ? " af-asks" : ""}${middle}${joined > 0 ? " af-joined" : ""}`,
      press: `head ${head}`,
      about: `the head “${name}”`,
      opacity: (joined > 0 ? joined : here * passed(at, 4.3, 4.7) * gone) * (1 - passed(at, 6, 6.3)),
    });
    const weights = weightsOf(flow, head, query);
    const percents = wholePercents(weights);
    const width = flow.concat.shape[1] / headNames.length;
    partsOfBar(weights).forEach(({ start, weight }, token) => {
      const lying = {
        x: place.bar.x + start * place.bar.width,
        y: place.bar.y,
        width: weight * place.bar.width,
        height: place.bar.height,
      };
      const standing = { ...low, y: low.y + start * low.height, height: weight * low.height };
      const box = own ? boxBetween(standing, lying, passed(at, 4.05, 4.6)) : lying;
      const about = `head “${name}”: weight that ${quoted(flow, query)} gives to ${quoted(flow, token)}: ${percents[token]} % (${written(weight)})`;
      const opens = own ? { name: "weights", row: query, column: token } : undefined; // of the other heads only the outputs are here
      const answers = { about, opens, press: own ? undefined : `head ${head}` };
      if (weight < 0.0005) return;
      ink.rect(`share-${head}-${token}`, box, {
        opacity: here * gone,
        fill: headFill(head),
        kind: "af-part",
        ...answers,
      });
      const text = short(flow.tokens[token], 14);
      if (text.length * LETTER + 6 < lying.width)
        ink.text(`named-${head}-${token}`, lying.x + lying.width / 2, lying.y + lying.height / 2, text, {
          opacity: here * gone * passed(at, 4.6, 4.8),
          kind: "af-inside af-centre",
          ...answers,
        });
    });
    const values = outputOf(flow, head, query);
    ink.strip(`output-${head}`, output, pictures.heads[head], {
      opacity: here * (1 - passed(at, 6, 6.3)),
      ...numbersIn(`output of the head “${name}”`, values, { name: "concat", row: query, column: head * width }),
    });
    if (isOff(flow, head))
      ink.text(`off-${head}`, output.x + output.width / 2, output.y + output.height / 2, "off", {
        opacity: here * (1 - passed(at, 6, 6.3)),
        kind: "af-title af-centre",
      });
    ink.rect(
      `line-${head}`,
      { x: output.x, y: output.y + output.height + 2, width: output.width, height: 3 },
      { opacity: here * (1 - passed(at, 6, 6.3)), fill: headFill(head) },
    );
  });
  const { bar, output } = layout.head(0, headNames.length);
  if (layout.name === "af-wide") {
    ink.text("bars-title", bar.x, bar.y - 14, `what ${quoted(flow, query)} looks at in each head`, {
      opacity: passed(at, 4.6, 4.9) * gone,
      kind: "af-title",
    });
    ink.text("outputs-title", output.x, bar.y - 14, "each head’s output", {
      opacity: passed(at, 4.6, 4.9) * gone,
      kind: "af-title",
    });
  }
}

function drawMix({ ink, layout, flow, pictures, query, at }: Scene) {
  const { concat, mixer, mixed, read } = layout;
  const gone = 1 - passed(at, 6, 6.3);
  const here = passed(at, 5.4, 5.65) * gone;
  ink.text("concat-title", concat.x, concat.y - 30, `joined: ${flow.concat.shape[1]} numbers`, {
    opacity: here,
    kind: "af-title",
  });
  ink.path(
    "mixes-in",
    `M${concat.x} ${concat.y + concat.height + 6}H${concat.x + concat.width}V${mixer.y}H${concat.x}Z`,
    { opacity: 0.5 * here, kind: "af-stream" },
  );
  ink.rect("mixer", mixer, { opacity: here, kind: "af-bar" });
  if (pictures.mixer) ink.strip("mixer-picture", mixer, pictures.mixer, { opacity: 0.85 * here, ...mixerCells(flow) });
  ink.text("mixer-title", mixer.x + mixer.width / 2, mixer.y + mixer.height / 2, "Wᴼ mixes them", {
    opacity: here,
    kind: "af-mixer af-centre",
    about: "Wᴼ, learned: from all heads’ outputs to the new vector",
  });
  const out = passed(at, 5.65, 5.95);
  ink.path("mixes-out", `M${mixed.x} ${mixer.y + mixer.height}H${mixed.x + mixed.width}V${mixed.y}H${mixed.x}Z`, {
    opacity: 0.5 * out * gone,
    kind: "af-stream",
  });
  const box = boxBetween(mixed, read, passed(at, 6.05, 6.4));
  ink.text(
    "mixed-title",
    mixed.x,
    mixed.y + mixed.height + 18,
    `the output for ${quoted(flow, query)}: ${flow.output.shape[1]} numbers`,
    { opacity: out * gone, kind: "af-title" },
  );
  const values = rowOf(flow.output, query);
  ink.strip("mixed", { ...box, width: box.width * out }, pictures.mixed, {
    opacity: query === 0 ? (at > 6.49 ? 0 : 1) : 1 - passed(at, 6.1, 6.4),
    ...numbersIn(`output for ${quoted(flow, query)}`, values, { name: "output", row: query, column: 0 }),
  });
}

function mixerCells({ parameters }: Flow) {
  const {
    shape: [inputs, outputs],
    values,
  } = parameters!.Wo!;
  const opens = (across: number, down: number) => ({
    name: "Wo",
    row: Math.floor(across * inputs),
    column: Math.floor(down * outputs),
  });
  const about = (across: number, down: number) => {
    const { row, column } = opens(across, down);
    return `Wᴼ, from joined number ${row + 1} to output number ${column + 1}: ${written(values[row * outputs + column])}`;
  };
  return { about, opens };
}

function drawAnswer(scene: Scene) {
  const { ink, layout, flow, pictures, query, fact, at } = scene;
  const { read } = layout;
  const values = rowOf(flow.output, 0);
  if (query !== 0 || at > 6.4)
    ink.strip("read", read, pictures.read, {
      opacity: query === 0 ? 1 : passed(at, 6.2, 6.6),
      ...numbersIn(`output for ${quoted(flow, 0)}`, values, { name: "output", row: 0, column: 0 }),
    });
  ink.text("read-title", read.x, read.y - 12, `output for ${quoted(flow, 0)}: the answers are read from it`, {
    opacity: passed(at, 6.3, 6.6),
    kind: "af-title",
  });
  const facts = factsOf(flow);
  facts.forEach((each, place) => drawFact(scene, each, place, facts.length));
  if (fact) drawParts(scene);
}

function drawFact({ ink, layout, flow, fact, at }: Scene, each: string, place: number, count: number) {
  const { name, label, meter } = layout.fact(place, count);
  const here = passed(at, 6.35 + 0.1 * (place / count), 6.6 + 0.1 * (place / count));
  const { label: row, name: answer, probability } = answerOf(flow, each);
  const head = flow.headNames.indexOf(each);
  const fill = head < 0 ? "var(--hm-soft)" : headFill(head);
  const about = `${each}: ${answer}, probability ${written(probability)}. Press it, and ${each === fact ? "its arithmetic opens" : "its logit is taken apart"}`;
  const chosen = each === fact;
  const press = chosen ? undefined : `fact ${each}`;
  const opens = chosen ? { name: "answer", row, column: 0 } : undefined;
  const top = Math.min(name[1], label[1]) - 15;
  ink.rect(
    `fact-${each}`,
    { x: name[0] - 2, y: top, width: meter.x + meter.width - name[0] + 8, height: meter.y + meter.height + 8 - top },
    { opacity: here, kind: `af-fact${chosen ? " af-chosen" : ""}`, about, press, opens },
  );
  ink.text(`fact-name-${each}`, name[0] + 4, name[1], each, { opacity: here, kind: "af-title", about, press, opens });
  ink.text(`fact-answer-${each}`, label[0] + (label[0] === name[0] ? 4 : 0), label[1], answer, {
    opacity: here,
    kind: "af-answer",
    about,
    press,
    opens,
  });
  ink.text(`fact-share-${each}`, meter.x + meter.width, label[1], percent(probability), {
    opacity: here,
    kind: "af-number af-probability",
    about,
    press,
    opens,
  });
  ink.rect(`meter-${each}`, meter, { opacity: here, kind: "af-track", press, opens });
  ink.rect(
    `filled-${each}`,
    { ...meter, width: meter.width * probability * here },
    { opacity: here, fill, about, press, opens },
  );
}

function drawParts({ ink, layout, flow, fact, at }: Scene) {
  const { top, row, name: names, from, to, number, title } = layout.parts;
  const { label, name: answer } = answerOf(flow, fact);
  const { parts, logit } = partsOf(flow, label);
  const here = passed(at, 6.6, 6.8);
  ink.text("parts-title", ...title, `the logit of “${answer}”, part by part`, { opacity: here, kind: "af-title" });
  const ends = parts.reduce((sums, { value }) => [...sums, sums[sums.length - 1] + value], [0]); // each part begins where the one before ends
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const across = (sum: number) => from + ((sum - least) / (most - least || 1)) * (to - from);
  ink.rect(
    "parts-axis",
    { x: across(0) - 0.5, y: top - row / 2, width: 1, height: row * (parts.length + 1) + 6 },
    { opacity: here, kind: "af-axis" },
  );
  [...parts, { name: "logit", value: logit }].forEach(({ name, value }, place) => {
    const sum = place === parts.length;
    const grown = passed(at, 6.62 + 0.04 * place, 6.78 + 0.04 * place);
    const y = top + place * row + (sum ? 6 : 0);
    const high = Math.min(18, 0.64 * row);
    const start = sum ? 0 : ends[place];
    const [left, right] = [start, start + value * grown].map(across).sort((a, b) => a - b);
    const about = sum
      ? `logit of “${answer}”, the sum of the parts: ${written(value)}`
      : place < flow.headNames.length
        ? `the head “${name}” brought to the logit of “${answer}”: ${written(value)}`
        : `what does not depend on the heads, the biases: ${written(value)}`;
    const opens = { name: "parts", row: label, column: place };
    ink.text(`brought-name-${place}`, names, y, name, {
      opacity: grown,
      kind: `af-end af-brought${sum ? " af-sum" : ""}`,
      about,
      opens,
    });
    ink.rect(
      `brought-${place}`,
      { x: left, y: y - high / 2, width: Math.max(right - left, 1), height: high },
      { opacity: grown, fill: place < flow.headNames.length ? headFill(place) : "var(--hm-soft)", about, opens },
    );
    ink.text(`brought-number-${place}`, number, y, written(value, 2), {
      opacity: grown,
      kind: `af-number af-part-number${sum ? " af-sum" : ""}`,
      about,
      opens,
    });
  });
  ink.rect(
    "sum-line",
    { x: from, y: top + parts.length * row - row / 2 + 2, width: number - from, height: 1 },
    { opacity: passed(at, 6.85, 7), kind: "af-axis" },
  );
}
