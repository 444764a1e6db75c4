// What is said at each station, with its numbers: the caption that everybody reads, and the picture in words, for those who listen.

import { withOff } from "../../math/heads-off.ts";
import { formatNumber, isNormed, isOff, rowOf } from "../../math/steps.ts";
import type { Cell, Flow, FlowState } from "../../math/steps.ts";
import { capital, percent } from "../../math/text.ts";
import {
  answerOf,
  belowOf,
  endingOf,
  largest,
  partsOf,
  projectionsOf,
  quoted,
  STATIONS,
  titleOf,
  weightsOf,
  wholePercents,
} from "./stations.ts";

const FEW = 4; // words that are named of all that get some attention

type Asked = Pick<FlowState, "query" | "head">;

/** What a station says, with its numbers: those that are largest, unless a number is `open` beside it. */
export function captionOf(flow: Flow, { query, head }: Asked, station: string, fact: string, open: Cell | null = null) {
  const asks = quoted(flow, query);
  const scores = rowOf(flow.masked, query); // the best of those that count
  const weights = weightsOf(flow, head, query);
  /** The word whose number is told: that of the open one, where it stands in this row; null where it stands elsewhere. */
  const columnOf = (row: ArrayLike<number>, ...names: string[]) =>
    !open ? largest(row) : open.row === query && names.includes(open.name) ? open.column : null;
  switch (station) {
    case "words":
      return flow.above ? tellArc(flow, { query, head }) : tellWords(flow, query);
    case "project":
      return tellProjections(flow, { query, head });
    case "keys":
      return `${asks} asks with its query, and every word has a key, ${flow.Q.shape[1]} numbers each${tellMaker(flow, head)}.${tellSharedKeys(flow, head)}${tellOff(flow, head)}`;
    case "scores": {
      const key = columnOf(scores, "scores", "masked");
      const gets = key === null ? "" : `: ${quoted(flow, key)} gets ${formatNumber(scores[key], 2)}`;
      return `The better the query and a key fit, the higher the score${gets}.${tellOff(flow, head)}`;
    }
    case "softmax": {
      const key = columnOf(weights, "weights");
      const gets = key === null ? "" : ` ${quoted(flow, key)} gets ${wholePercents(weights)[key]}\u00a0%.`;
      return `Softmax turns scores into weights, which fill one bar of 100\u00a0%.${gets}${tellHidden(flow, query)}${tellOff(flow, head)}`;
    }
    case "values":
      return isOff(flow, head)
        ? `Each word would send its value, times its weight. But this head is off: ${asks} gets nothing from it.`
        : `Each word sends its value, times its weight. The sum is the head’s output.`;
    case "heads":
      return flow.headNames.length > 1 ? tellOtherHeads(flow) : "There is one head, so there is one output.";
    case "mix":
      return `The matrix Wᴼ mixes the heads’ outputs into ${flow.output.shape[1]} numbers, ${flow.layer !== undefined ? `${isNormed(flow, "after") ? "normed and then " : ""}added to ${asks}${isNormed(flow, "before") ? " as it was before the norm" : ""}` : `the new ${asks}`}.`;
    default:
      return tellAnswer(flow, query, fact);
  }
}

/** How the numbers of words become a query, a key and a value. */
function tellProjections(flow: Flow, { query, head }: Asked) {
  const [{ token: asks }, { token: best }] = projectionsOf(flow, { query, head });
  const [from, to] = [flow.X.shape[1], flow.Q.shape[1]];
  const made = `the query of ${quoted(flow, asks)}, the key of ${quoted(flow, best)} and its value`;
  return `A word’s ${from} numbers times a learned matrix of ${from} × ${to} are ${to} numbers: ${made}. Each is a sum of ${from} products${flow.biased ? " and a bias" : ""}.${tellOff(flow, head)}`;
}

/** What made the queries and keys; and that positions turned them. */
const tellMaker = (flow: Flow, head: number) =>
  `, made by ${titleOf(flow, head)}${flow.rotaryBase ? " and turned by the word’s position" : ""}`;

/** Which heads have the same keys and values, where some do. */
function tellSharedKeys({ headNames, kvHeads = headNames.length }: Flow, head: number) {
  const size = headNames.length / kvHeads;
  const first = head - (head % size);
  return size > 1 ? ` Heads ${first + 1} to ${first + size} share their keys and values.` : "";
}

/** What the words are at first, and what the layer below did to them, where there is one. */
function tellWords(flow: Flow, query: number) {
  const off = offOf(flow.belowMask).map((head) => head + 1);
  const without = off.length ? `, with head${off.length > 1 ? "s" : ""} ${off.join(", ")} off` : "";
  const from = flow.below ? `, as ${belowOf(flow)} left it${without}` : "";
  const normed = isNormed(flow, "before") ? ` Layer ${flow.layer! + 1} reads it normed.` : "";
  return `Every word is a list of ${flow.X.shape[1]} numbers${from}.${normed} ${quoted(flow, query)} is going to ask.`;
}

/** Where the asking word looks in a head whose journey goes on to an answer. */
function tellArc(flow: Flow, { query, head }: Asked) {
  const [asks, title] = [quoted(flow, query), capital(titleOf(flow, head))];
  const weights = weightsOf(flow, head, query);
  const best = quoted(flow, largest(weights));
  return isOff(flow, head)
    ? `${title} is off: ${asks} takes in nothing from ${best}.`
    : `In ${titleOf(flow, head)}, ${asks} looks at ${best}. How? Each word is a list of ${flow.X.shape[1]} numbers.`;
}

/** That a head is off, where it is. */
const tellOff = (flow: Flow, head: number) => (isOff(flow, head) ? " But this head is off." : "");

/** What the other heads did. */
function tellOtherHeads({ headMask, headNames, layer }: Flow) {
  const off = offOf(headMask).map((head) => (layer === undefined ? `“${headNames[head]}”` : headNames[head]));
  return `Meanwhile the other heads did the same${off.length ? `. Switched off, these hand on nothing: ${off.join(", ")}` : ", each with its own queries, keys and values"}.`;
}

const offOf = (headMask: boolean[] | null = null) => (headMask ?? []).flatMap((on, head) => (on ? [] : [head]));

/** That a mask hides words, where it does. */
function tellHidden({ masked }: Flow, query: number) {
  const count = rowOf(masked, query).filter((score) => !Number.isFinite(score)).length;
  return count
    ? ` What the mask hides, ${count === 1 ? "a token" : `${count} tokens`}, has the score −∞ and gets nothing.`
    : "";
}

function tellAnswer(flow: Flow, query: number, fact: string) {
  if (!fact) return "Nothing is read from this output.";
  const ending = endingOf(flow);
  const { label, name, probability } = answerOf(ending, fact);
  const off = [flow, flow.above].flatMap((each) => each?.headMask ?? []).filter((on) => !on).length;
  const answer = `${capital(fact)}: ${name}, ${percent(probability)}${off ? `, ${withOff(off)}` : ""}.`;
  if (flow.above) {
    const share = wholePercents(weightsOf(flow.above, flow.above.head, 0))[query];
    const silent = isOff(flow.above, flow.above.head) ? ", but is off" : "";
    return `In layer 2, the head “${fact}” looks at ${quoted(flow, query)}, ${share}\u00a0%${silent}. ${answer}`;
  }
  const { parts, logit } = partsOf(flow, label);
  const heads = parts.slice(0, -1);
  const most = heads[largest(heads.map(({ value }) => value))];
  const read =
    query === 0
      ? "The model reads its answers from this output"
      : `The model reads its answers from ${quoted(flow, 0)} alone, not from ${quoted(flow, query)}`;
  return `${read}. ${answer} ${heads.some(({ value }) => value) ? `Of its logit, ${formatNumber(logit, 2)}, the head “${most.name}” brought ${formatNumber(most.value, 2)}` : `All heads are off, and its logit, ${formatNumber(logit, 2)}, is that of the biases`}.`;
}

// --- for those who listen

/** Words with what each gets, from the one that gets most; those that get too little to name are left out. */
function named(flow: Flow, weights: ArrayLike<number>, few = FEW) {
  const percents = wholePercents(weights);
  return [...percents.keys()]
    .filter((token) => percents[token] > 0)
    .sort((a, b) => percents[b] - percents[a])
    .slice(0, few)
    .map((token) => `${quoted(flow, token)} ${percents[token]}\u00a0%`)
    .join(", ");
}

/** What is drawn at a station, as the name of its picture. */
export function pictureOf(flow: Flow, { query, head }: Asked, station: string, fact: string) {
  const asks = quoted(flow, query);
  const weights = weightsOf(flow, head, query);
  const tell: Record<string, () => string> = {
    words: () =>
      `${flow.tokens.length} tokens, a row of ${flow.X.shape[1]} colours each.${flow.above ? ` Arcs from ${asks} to ${named(flow, weights)}.` : ""}`,
    project: () =>
      projectionsOf(flow, { query, head })
        .map(
          ({ what, token }) =>
            `The numbers of ${quoted(flow, token)} beside a learned matrix, and below it the ${what}.`,
        )
        .join(" "),
    keys: () => `The keys, a row of colours for each word, and above them the query of ${asks}.`,
    scores: () => `The highest scores: ${best(flow, rowOf(flow.masked, query))}.`,
    softmax: () => `Weights: ${named(flow, weights)}.`,
    values: () => `Ribbons as wide as the weights, from ${named(flow, weights)}, into one output.`,
    heads: () =>
      `What ${asks} looks at most in each head: ${flow.headNames.map((name, each) => `${name}, ${named(flow, weightsOf(flow, each, query), 1)}`).join("; ")}.`,
    mix: () => `${flow.headNames.length} outputs side by side, the matrix Wᴼ, and the new ${asks}.`,
    answer: () => {
      if (!fact) return "No answers.";
      const ending = endingOf(flow);
      const { parts } = partsOf(ending, answerOf(ending, fact).label);
      return `Bars of what adds up to the logit: ${parts.map(({ name, value }) => `${name} ${formatNumber(value, 2)}`).join(", ")}.`;
    },
  };
  const { label } = STATIONS.find(({ name }) => name === station)!;
  return `${label}. ${tell[station]()}${station !== "answer" && isOff(flow, head) ? " The head is off." : ""}`;
}

/** The words with the highest scores. */
const best = (flow: Flow, scores: Float32Array) =>
  [...scores.keys()]
    .sort((a, b) => scores[b] - scores[a])
    .slice(0, FEW)
    .map((token) => `${quoted(flow, token)} ${formatNumber(scores[token], 2)}`)
    .join(", ");
