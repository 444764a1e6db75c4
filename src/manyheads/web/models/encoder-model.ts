// What is computed of a sentence, as a figure shows it: twin of models/encoder/head_model.py. A page runs it in a worker.

import type { HeadMask } from "../math/attention-map.ts";
import type { Matrix } from "../math/attention.ts";
import {
  columnLengths,
  neuronsOf,
  normsOf,
  partNames,
  raisedBy,
  stackedRows,
  withoutNeuron,
  type Machine,
} from "../math/machine.ts";
import { TOPICS } from "../math/names.ts";
import { wordPlaces } from "../math/senses.ts";
import type { Flow, FlowState } from "../math/steps.ts";
import type { EncoderEngine, Whole } from "./encoder-engine.ts";
import type { PretrainedFacts } from "./files.ts";
import { layeredFlow } from "./formula-model.ts";
import type { AttendOptions, FollowedWord } from "./head-model.ts";
import { encoderTokens } from "./tokens.ts";
import type { Tokenizer } from "./tokenizers.min.mjs";

/** What a page asks of the encoder: a map, or a journey. */
interface EncoderQuestion extends Omit<AttendOptions, "signal"> {
  sentence: string;
  headMask: HeadMask;
  flow?: FlowState;
  whole?: { layer: number | null }; // then the mask is one of parts
}

/** The answer, and of what it hands over to the page. */
export function encoderAnswer(
  engine: EncoderEngine,
  tokenizer: Tokenizer,
  { headNames, maxTokens }: PretrainedFacts,
  question: EncoderQuestion,
) {
  const { sentence, headMask, states: wantsStates, masked, follow = [], flow, whole } = question;
  const { ids, tokens, notes } = encoderTokens(tokenizer, sentence, maxTokens);
  if (flow) return { result: encoderFlow(engine, ids, { tokens, notes, headNames }, flow, headMask) };
  if (whole)
    return { result: encoderMachine(engine, tokenizer, { ids, tokens, notes, maxTokens }, headMask, whole.layer) };
  const found = followedIn(tokens, follow);
  const {
    weights: { shape, values: weights },
    states,
    pushes,
  } = engine.pass(ids, headMask, masked, found);
  const map = {
    queryTokens: tokens,
    keyTokens: tokens,
    shape,
    weights,
    headNames,
    predictions: {},
    notes,
    ...(found && { pushes: { ...pushes, word: found.word } }),
  };
  return { result: wantsStates ? { ...map, states } : map, transfer: [weights.buffer] }; // the engine keeps the states
}

/** The journey through one head of one layer: what it reads there is what the layers below have made of the words. */
export function encoderFlow(
  engine: EncoderEngine,
  ids: number[],
  named: { tokens: string[]; notes: string[]; headNames: string[] },
  state: FlowState,
  headMask: HeadMask = null,
): Flow {
  return layeredFlow(
    named,
    engine.numLayers,
    (layer) => ({ ...engine.layerInput(ids, layer, headMask), layer: engine.layerOf(layer) }),
    state,
    headMask,
  );
}

/** What each part adds to a sentence, and the topic so far: twin of `Encoder.machine`. */
export function encoderMachine(
  engine: EncoderEngine,
  tokenizer: Tokenizer,
  { ids, tokens, notes, maxTokens }: { ids: number[]; tokens: string[]; notes: string[]; maxTokens: number },
  partMask: HeadMask,
  layer: number | null,
): Machine {
  const whole: Whole = { layer, changes: [], streams: [] };
  const { weights } = engine.pass(ids, partMask, [], null, whole);
  const labels = ids.length > 2 ? TOPICS.map((topic) => ["topic", topic]) : []; // nothing is near to no words
  const topics = topicsOf(engine, (topic) => encoderTokens(tokenizer, topic, maxTokens).ids).slice(0, labels.length);
  const score = (stream: Matrix) => {
    const vector = directionOf(stream);
    return topics.map((topic) => topic.reduce((sum, value, d) => sum + value * vector[d], 0));
  };
  return {
    tokens,
    notes,
    numHeads: weights.shape[1],
    parts: partNames(Array(engine.numLayers).fill(true)),
    adds: normsOf(whole.changes),
    scores: stackedRows(whole.streams.map(score)),
    labels,
    places: [...ids.keys()],
    parameters: engine.sizes,
    unit: "similarity",
    replaces: [],
    ...(layer !== null && whole.inside && { inside: { ...whole.inside, neurons: neuronsIn(whole, layer) } }),
  };

  function neuronsIn({ mixing, changes, streams }: Whole, at: number) {
    const { active, weight, read } = mixing!;
    const [all, mixed] = [score(streams[2 + 2 * at]), changes[2 + 2 * at]];
    return neuronsOf(active, columnLengths(weight), (neuron) => {
      const without = score(read(withoutNeuron(mixed, active, weight, neuron)));
      const gains = all.map((one, topic) => one - without[topic]);
      const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
      return raisedBy(
        labels,
        gains.map((gain) => gain - mean),
      );
    });
  }
}

const known = new WeakMap<EncoderEngine, Float64Array[]>();

/** The topics' vectors, computed when they're needed first. */
function topicsOf(engine: EncoderEngine, idsOf: (topic: string) => number[]) {
  const found = known.get(engine);
  if (found) return found;
  const made = TOPICS.map((topic) => {
    const whole: Whole = { layer: null, changes: [], streams: [] };
    engine.pass(idsOf(topic), null, [], null, whole);
    return directionOf(whole.streams.at(-1)!);
  });
  known.set(engine, made);
  return made;
}

/** The mean of some vectors, at length 1. */
function directionOf({ shape: [length, width], values }: Matrix) {
  const mean = new Float64Array(width);
  for (let at = 0; at < values.length; at++) mean[at % width] += values[at] / length;
  const size = Math.hypot(...mean);
  return mean.map((value) => value / size);
}

/** The first of some words that stands among the tokens, and where. */
function followedIn(tokens: string[], words: FollowedWord[]) {
  const places = words.map(({ tokens: forms }) => wordPlaces(tokens, forms));
  const word = places.findIndex((found) => found.length > 0);
  return word < 0 ? null : { word, places: places[word], directions: words[word].directions };
}
