// The steps of the formula on a page: every matrix of one head of a page's model. Twin of `formula_steps` in Python.

import type { HeadMask, Tints } from "../math/attention-map.ts";
import { average, causalMask, linear, project, stepsAndMaps, transpose } from "../math/attention.ts";
import type { Layer, Matrix } from "../math/attention.ts";
import type { HeadLedger, LedgerQuestion } from "../math/ledger.ts";
import { PADDING } from "../math/names.ts";
import type { Projections, ProjectionsState } from "../math/projections.ts";
import { headsIn } from "../math/machine.ts";
import { columnOf, rowOf } from "../math/steps.ts";
import type { Changes, Flow, FlowState, Steps } from "../math/steps.ts";
import type { FocusModel } from "./focus.ts";
import type { InductionModel } from "./induction.ts";

/** What the heads of a layer read, and what is learned in it. */
interface LayerInput {
  X: Matrix;
  layer: Layer;
  tokens: string[];
  notes: string[];
  headNames: string[];
  headMask?: boolean[] | null; // false for each head that is off
  below?: Matrix; // what the heads of the layer below look at, where there is one
  belowMask?: boolean[] | null;
  decoding?: Pick<Steps, "rotaryBase" | "normEpsilon" | "norms" | "cap" | "kvHeads" | "decodes">; // of a decoder's layer, whose heads have a group's keys and values each
}

/** One head's steps in a layer, and what all of its heads look at. */
export function flowThrough(
  { X: words, layer, tokens, notes, headNames, decoding, below, ...on }: LayerInput,
  { head, causal, padding, unscaled }: Pick<FlowState, "head"> & Partial<Changes>,
): Flow {
  const numHeads = headNames.length;
  const [headMask, belowMask] = [on.headMask, on.belowMask].map((each) => headsIn(each, numHeads)); // without what says whether a feed-forward part is on
  const padded = padding ? PADDING.count : 0;
  const length = tokens.length + padded;
  const X = { shape: [length, words.shape[1]], values: new Float32Array(length * words.shape[1]) };
  X.values.set(words.values); // the vectors of padding are zeros
  const chosen = Math.min(head, numHeads - 1);
  const parameters = headParameters(layer, chosen, numHeads);
  const mask = stepsMask(length, padded, Boolean(causal || decoding?.decodes));
  const { steps, maps } = stepsAndMaps(X, layer, {
    numHeads,
    head: chosen,
    mask,
    headMask,
    scaled: !unscaled,
    ...decoding,
  });
  return {
    ...steps,
    ...decoding,
    maps,
    headMask,
    below: below && withPadding(below, length),
    belowMask,
    tokens: [...tokens, ...Array(padded).fill(PADDING.token)],
    head: chosen,
    headNames,
    notes,
    scaled: !unscaled,
    biased: Boolean(parameters.bq),
    parameters,
  };
}

/** The journey through one head of one layer of many, of which `at` says what it reads: what the layers below have made of the words. */
export function layeredFlow(
  named: Pick<LayerInput, "tokens" | "notes" | "headNames">,
  layers: number,
  at: (layer: number) => Pick<LayerInput, "X" | "layer" | "decoding" | "below">,
  state: Pick<FlowState, "layer" | "head"> & Changes,
  headMask: HeadMask,
): Flow {
  const layer = Math.min(state.layer, layers - 1);
  return {
    ...flowThrough({ ...named, ...at(layer), headMask: headMask?.[layer], belowMask: headMask?.[layer - 1] }, state),
    layer,
    layers,
  };
}

/** A model of several layers that computes off the page's thread. */
type Journeys = {
  broken: boolean;
  flow(state: FlowState, options?: { signal?: AbortSignal; headMask?: HeadMask }): Promise<Flow>;
};

/** A function from what the reader chose to the journey of one word. */
export function flowOf(model: FocusModel | InductionModel | Journeys) {
  if ("flow" in model) return Object.defineProperty(model.flow.bind(model), "broken", { get: () => model.broken });
  if ("inputs" in model)
    return (state: FlowState, { headMask = null }: { headMask?: HeadMask } = {}) => {
      const { inputs, maps, ...read } = model.inputs(state.sentence, headMask);
      const decoding = { kvHeads: model.numHeads, decodes: true };
      const at = (layer: number) => ({
        X: inputs[layer],
        layer: model.layers[layer],
        decoding,
        below: maps[layer - 1],
      });
      return layeredFlow({ ...read, headNames: model.headNames }, model.numLayers, at, state, headMask);
    };
  const layer = model.layer("attention.");
  const { headNames, rotaryBase } = model;
  return (state: FlowState, { headMask = null }: { headMask?: HeadMask } = {}): Flow => {
    const { ids, ...read } = model.tokenize(state.sentence);
    const [belowMask, ownMask] = headMask ?? [];
    const words = model.wordVectors(ids);
    const { X, weights: below } = model.states(words, belowMask);
    const answering = (chosen: Parameters<typeof flowThrough>[1]): Flow => {
      const own = flowThrough({ ...read, X, layer, headNames, headMask: ownMask, below, belowMask }, chosen);
      return { ...own, ...(read.tokens.length > 2 && model.ledger(rowOf(own.concat, 0))) }; // nothing is read where there are no words
    };
    if (!state.answer) return answering(state);
    const first = { X: words, layer: model.layer("first."), headNames: numbered(headNames), headMask: belowMask };
    return {
      ...flowThrough({ ...read, ...first, ...(rotaryBase && { decoding: { rotaryBase } }) }, { head: state.head }),
      layer: 0,
      above: answering({ head: Math.max(headNames.indexOf(state.answer), 0) }),
    };
  };
}

/** What heads are called that nobody taught anything. */
const numbered = (heads: string[]) => heads.map((_, head) => `head ${head + 1}`);

/** Maps with rows and columns of zeros for padding, up to a length. */
function withPadding({ shape: [heads, from], values }: Matrix, length: number): Matrix {
  const wider = { shape: [heads, length, length], values: new Float32Array(heads * length * length) };
  for (let row = 0; row < heads * from; row++)
    wider.values.set(
      values.subarray(row * from, (row + 1) * from),
      (Math.floor(row / from) * length + (row % from)) * length,
    );
  return wider;
}

/** A function from a sentence to what each head writes into every answer: twin of `head_ledger` in Python. */
export function headLedgerOf(model: FocusModel) {
  const { numHeads, headNames } = model;
  return ({ sentence, headMask = null }: Pick<LedgerQuestion, "sentence" | "headMask">): HeadLedger => {
    const { ids, tokens, notes } = model.tokenize(sentence);
    const [below, above] = headMask ?? [null, null];
    const { weights: ofLayers, predictions } = model.attend(sentence, headMask);
    const { X } = model.states(model.wordVectors(ids), below);
    const [, , V] = project(X, X, model.layer("attention."), numHeads);
    above?.forEach((on, head) => on || silenceHead(V, head, numHeads));
    const all = ofLayers.subarray(ofLayers.length / 2); // of layer 2, from which the answers are read
    const weights = firstRows({ shape: [numHeads, tokens.length, tokens.length], values: all });
    const concat = average({ shape: [numHeads, 1, tokens.length], values: weights.values }, V).values;
    const { labels, reading, parts } = model.ledger(concat);
    return {
      tokens,
      headNames,
      numHeads,
      firstLayer: model.numLayers - 1,
      notes,
      labels,
      answered: Object.keys(predictions).length > 0,
      others: ["biases"],
      parts,
      without: logitsWithout(model, concat),
      weights,
      says: whatWordsSay(V, reading, numHeads),
    };
  };
}

/** Zeros for the values of a head that is off, in place. */
function silenceHead({ shape: [rows, columns], values }: Matrix, head: number, numHeads: number) {
  const width = columns / numHeads;
  for (let row = 0; row < rows; row++) values.fill(0, row * columns + head * width, row * columns + (head + 1) * width);
}

/** What the first token looks at: [h, q, k] -> [h, k]. */
function firstRows({ shape: [heads, queries, keys], values }: Matrix): Matrix {
  const rows = new Float32Array(heads * keys);
  for (let head = 0; head < heads; head++)
    rows.set(values.subarray(head * queries * keys, head * queries * keys + keys), head * keys);
  return { shape: [heads, keys], values: rows };
}

/** The logits with each head off: [label, h]. */
function logitsWithout(model: FocusModel, concat: Float32Array): Matrix {
  const { numHeads } = model;
  const width = concat.length / numHeads;
  const columns = Array.from({ length: numHeads }, (_, head) => {
    const { parts } = model.ledger(concat.map((value, d) => (Math.floor(d / width) === head ? 0 : value)));
    return columnOf(parts, numHeads + 1);
  });
  return transpose({
    shape: [numHeads, columns[0].length],
    values: Float32Array.from(columns.flatMap((one) => [...one])),
  });
}

/** What each word would add to each logit with all of the weight of a head: [h, k, label]. */
function whatWordsSay(V: Matrix, reading: Matrix, numHeads: number): Matrix {
  const [length, columns] = V.shape;
  const [, count] = reading.shape;
  const width = columns / numHeads;
  const says = new Float32Array(numHeads * length * count);
  for (let head = 0, at = 0; head < numHeads; head++)
    for (let key = 0; key < length; key++)
      for (let label = 0; label < count; label++, at++)
        for (let d = head * width; d < (head + 1) * width; d++)
          says[at] += V.values[key * columns + d] * reading.values[d * count + label];
  return { shape: [numHeads, length, count], values: says };
}

/** A function from a word of a sentence to its query, made in three ways: twin of `projections` in Python. */
export function projectionsOf(model: FocusModel) {
  const { numHeads, headNames } = model;
  const layer = model.layer("attention.");
  const { "query.weight": weight, "query.bias": bias } = layer; // [h * d_k, d]
  const learnt = Array.from(
    { length: numHeads },
    (_, head) => headParameters(layer, head, numHeads) as { Wq: Matrix; bq: Matrix },
  );
  const width = weight.shape[1];
  const part = width / numHeads; // of the input, for a head that gets a slice of it
  const tints = tintsOf(transpose(weight));
  return ({ sentence, word }: ProjectionsState): Projections => {
    const { ids, tokens, notes } = model.tokenize(sentence);
    const chosen = Math.min(word, tokens.length - 1);
    const x = { shape: [1, width], values: rowOf(model.input(ids), chosen) };
    const sliceOf = (head: number) => ({ shape: [1, part], values: x.values.subarray(head * part, (head + 1) * part) });
    const ofHeads = (query: (own: { Wq: Matrix; bq: Matrix }, head: number) => Matrix) => ({
      shape: [numHeads, weight.shape[0] / numHeads],
      values: Float32Array.from(learnt.flatMap((own, head) => [...query(own, head).values])),
    });
    return {
      tokens,
      headNames,
      notes,
      word: chosen,
      x,
      tints,
      wide: { shape: [numHeads, weight.shape[0] / numHeads], values: linear(x, weight, bias).values },
      narrow: ofHeads(({ Wq, bq }) => linear(x, transpose(Wq), bq)),
      sliced: ofHeads(({ Wq, bq }, head) =>
        linear(sliceOf(head), transpose(rowsOf(Wq, head * part, (head + 1) * part)), bq),
      ),
    };
  };
}

/** A matrix as its picture has it, from −127 to 127. */
function tintsOf({ shape, values }: Matrix): Tints {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return { shape, tints: Int8Array.from(values, (value) => Math.round((127 * value) / largest)) };
}

/** Who may look at whom, a byte per pair; null where nothing is hidden. The last `padded` words are padding. */
export function stepsMask(length: number, padded: number, causal: boolean) {
  if (!padded && !causal) return null;
  const mask = causal ? causalMask(length) : new Uint8Array(length * length).fill(1);
  return mask.map((may, at) => (at % length < length - padded ? may : 0));
}

/** One head's columns of a layer's projections, and the output layer, as the formula writes them: [in, out]. */
export function headParameters(layer: Layer, head: number, numHeads: number) {
  const parameters: Record<string, Matrix | null> = {
    Wo: transpose(layer["output.weight"]),
    bo: layer["output.bias"] ?? null,
  };
  for (const name of ["query", "key", "value"]) {
    const { [`${name}.weight`]: weight, [`${name}.bias`]: bias } = layer;
    const width = weight.shape[0] / numHeads;
    const [from, to] = [head * width, (head + 1) * width];
    parameters[`W${name[0]}`] = transpose(rowsOf(weight, from, to));
    parameters[`b${name[0]}`] = bias ? { shape: [width], values: bias.values.slice(from, to) } : null;
    if (`${name}.gain` in layer) parameters[`g${name[0]}`] = layer[`${name}.gain`];
  }
  return parameters;
}

const rowsOf = ({ shape: [, columns], values }: Matrix, from: number, to: number) => ({
  shape: [to - from, columns],
  values: values.subarray(from * columns, to * columns),
});
