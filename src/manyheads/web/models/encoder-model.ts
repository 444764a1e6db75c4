// What is computed of a sentence, as a figure shows it: twin of models/encoder/head_model.py. A page runs it in a worker.

import type { HeadMask } from "../math/attention-map.ts";
import { wordPlaces } from "../math/senses.ts";
import type { Flow, FlowState } from "../math/steps.ts";
import type { EncoderEngine } from "./encoder-engine.ts";
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
}

/** The answer, and of what it hands over to the page. */
export function encoderAnswer(
  engine: EncoderEngine,
  tokenizer: Tokenizer,
  { headNames, maxTokens }: PretrainedFacts,
  question: EncoderQuestion,
) {
  const { sentence, headMask, states: wantsStates, masked, follow = [], flow } = question;
  const { ids, tokens, notes } = encoderTokens(tokenizer, sentence, maxTokens);
  if (flow) return { result: encoderFlow(engine, ids, { tokens, notes, headNames }, flow, headMask) };
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

/** The first of some words that stands among the tokens, and where. */
function followedIn(tokens: string[], words: FollowedWord[]) {
  const places = words.map(({ tokens: forms }) => wordPlaces(tokens, forms));
  const word = places.findIndex((found) => found.length > 0);
  return word < 0 ? null : { word, places: places[word], directions: words[word].directions };
}
