// What is computed of a text, as a figure shows it: twin of models/decoder/head_model.py. A page runs it in a worker.

import { answerPlace, mostOf } from "../math/answer-parts.ts";
import type { HeadMask } from "../math/attention-map.ts";
import type { HeadLedger, LedgerQuestion } from "../math/ledger.ts";
import { neuronsOf, partNames, RAISED, readAfter, stackedRows, type Machine } from "../math/machine.ts";
import { matrix } from "../math/read-back.ts";
import type { AttentionEdge } from "../math/score-parts.ts";
import type { Flow, FlowState } from "../math/steps.ts";
import { DecoderEngine, summed, type SoFar } from "./decoder-engine.ts";
import type { DecoderTokens } from "./decoder-tokens.ts";
import type { DecoderWeights } from "./decoder-weights.ts";
import type { DecoderFacts } from "./files.ts";
import { layeredFlow } from "./formula-model.ts";
import type { Draft, MachineOptions, NextWord } from "./head-model.ts";

const NEXT = "next word";
const TOP = 10; // of the next words that a map predicts
const LABELS = 5; // of these, taken apart in a ledger

/** What a page asks of the decoder: how a text goes on, a journey, why a head looks there, or a ledger and what is left without a head. */
interface DecoderQuestion {
  text?: string | Draft;
  headMask?: HeadMask;
  masked?: number[]; // places of tokens at which no others may look
  answer?: number; // the token whose probability alone is wanted
  norms?: boolean;
  edge?: AttentionEdge;
  flow?: FlowState;
  ledger?: LedgerQuestion;
  without?: { chosen: number[]; off: number };
  whole?: WholeQuestion; // then the mask is one of parts
}

/** What is wanted of a whole model; or after which parts its answer is read for the next question. */
type WholeQuestion = Pick<MachineOptions, "layer" | "soFar"> & { ahead?: number[] };

/** A ledger, and what is still to be asked for it. */
export interface PartOfLedger {
  ledger: HeadLedger;
  chosen: number[]; // tokens, each a label
  shown: number[]; // heads, counted through all layers
}

/** Answers a page; one text is kept as the whole model reads it, and one with heads off, or another that none looks at. */
export class DecoderReader {
  #weights: DecoderWeights;
  #tokens: DecoderTokens;
  #whole: DecoderEngine;
  #other: DecoderEngine | null = null;

  constructor(weights: DecoderWeights, tokens: DecoderTokens) {
    this.#weights = weights;
    this.#tokens = tokens;
    this.#whole = new DecoderEngine(weights);
  }

  /** The answer, and of what it hands over to the page. */
  answer({
    text = "",
    headMask = null,
    masked = [],
    answer,
    norms = false,
    edge,
    flow,
    ledger,
    without,
    whole,
  }: DecoderQuestion) {
    const [weights, tokens] = [this.#weights, this.#tokens];
    const { facts } = weights;
    const isWhole = !masked.length && !without && !(ledger ? ledger.headMask : headMask);
    const engine = isWhole ? this.#whole : (this.#other ??= new DecoderEngine(weights));
    if (whole?.ahead) {
      engine.lens(tokens.read(text).ids, headMask, whole.ahead);
      return { result: {} };
    }
    if (whole) return { result: decoderMachine(engine, weights, tokens, text, headMask, whole) };
    if (answer !== undefined) {
      const { logits, first, sum } = summed(engine.logits(tokens.read(text).ids, headMask, masked));
      return { result: Math.exp(logits[answer] - logits[first]) / sum };
    }
    if (ledger && without) return { result: logitsWithout(engine, tokens, facts, ledger, without) };
    if (ledger) return { result: ledgerOf(engine, tokens, facts, ledger) };
    if (flow) return { result: decoderFlow(engine, weights, tokens, flow, headMask) };
    if (edge) {
      const found = whyThere(engine, tokens, text, edge, headMask);
      return { result: found, transfer: [found.pairs.buffer] };
    }
    const began = performance.now();
    const result = nextWord(engine, tokens, facts, text, headMask, masked, norms);
    if (engine.fresh) result.secondsPerWord = (performance.now() - began) / 1000 / engine.fresh;
    return { result, transfer: [result.logits.buffer, result.map.weights.buffer] };
  }
}

/** The map of a text, with `norms` also how much its heads write, and how well each token would come next. */
export function nextWord(
  engine: DecoderEngine,
  tokens: DecoderTokens,
  facts: DecoderFacts,
  text: string | Draft,
  headMask: HeadMask,
  masked: number[] = [],
  norms = false,
): NextWord {
  const { ids, notes } = tokens.read(text);
  const { logits, weights } = engine.read(ids, headMask, masked);
  const texts = ids.map((id) => tokens.words[id]);
  const map = {
    queryTokens: texts,
    keyTokens: texts,
    shape: [facts.numLayers, facts.numHeads, ids.length, ids.length],
    weights,
    headNames: facts.headNames,
    predictions: { [NEXT]: likeliest(logits, tokens.words) },
    notes,
    causal: true,
    ...(facts.norms === "before" && { valueNorms: norms ? engine.valueNorms() : null }), // a norm after isn't of one key
  };
  return { ids, logits, map };
}

/**
 * What every part adds to the logits of the likeliest next words, and of the one that was chosen: twin of `Decoder.head_ledger`, but for
 * what is left without a head: `shown` are the heads for which `logitsWithout` is to be asked, and `chosen` the words.
 */
export function ledgerOf(
  engine: DecoderEngine,
  tokens: DecoderTokens,
  facts: DecoderFacts,
  { sentence, answer, head, headMask = null }: LedgerQuestion,
): PartOfLedger {
  const { numLayers, numHeads, headNames } = facts;
  const { ids, notes } = tokens.read(sentence);
  const logits = engine.logits(ids, headMask);
  const chosen = largest(logits, LABELS);
  const word = answer.includes(": ") ? tokens.words.indexOf(answer.slice(answer.indexOf(": ") + 2)) : -1;
  if (word >= 0 && !chosen.includes(word)) chosen.push(word);
  const named = {
    tokens: ids.map((id) => tokens.words[id]),
    notes,
    answered: true,
    numHeads,
    labels: chosen.map((id) => [NEXT, tokens.words[id]]),
    headNames: Array.from({ length: numLayers }, (_, layer) =>
      headNames.map((name) => `layer ${layer + 1}, ${name}`),
    ).flat(),
  };
  const without = matrix([chosen.length, numLayers * numHeads], Array(chosen.length * numLayers * numHeads).fill(NaN));
  const ledger = { ...named, without, ...engine.readBack(chosen) };
  const shown = mostOf(ledger, answerPlace(ledger, answer)).filter((part) => part < numLayers * numHeads);
  const shownHead = head ?? shown[0] ?? 0;
  const words = engine.writes(Math.floor(shownHead / numHeads), shownHead % numHeads).map(extremesOf);
  return {
    ledger: { ...ledger, extremes: { [shownHead]: words.map((pair) => pair.map((id) => tokens.words[id])) } },
    chosen,
    shown,
  };
}

/** The logits of some tokens where one more head is off, counted through all layers. */
export function logitsWithout(
  engine: DecoderEngine,
  tokens: DecoderTokens,
  { numLayers, numHeads }: DecoderFacts,
  { sentence, headMask = null }: LedgerQuestion,
  { chosen, off }: { chosen: number[]; off: number },
) {
  const mask = Array.from({ length: numLayers }, (_, layer) =>
    Array.from(
      { length: numHeads },
      (__, place) => layer * numHeads + place !== off && (headMask?.[layer][place] ?? true),
    ),
  );
  const logits = engine.logits(tokens.read(sentence).ids, mask);
  return chosen.map((id) => logits[id]);
}

/**
 * What each part adds to a text, and the next words so far: twin of `Decoder.machine`, of whose labels the few that `machine_data` keeps, and of
 * its answers so far those that a page shows: each is a product with the whole vocabulary.
 */
export function decoderMachine(
  engine: DecoderEngine,
  weights: DecoderWeights,
  tokens: DecoderTokens,
  text: string | Draft,
  partMask: HeadMask,
  { layer = null, soFar = true }: WholeQuestion,
): Machine {
  const { facts, sizes } = weights;
  const { ids, notes } = tokens.read(text);
  const parts = partNames(Array(facts.numLayers).fill(true));
  const shown = soFar ? readAfter(parts, layer) : [parts.length - 1];
  const { adds, answers } = engine.lens(ids, partMask, shown);
  const kept = [...new Set([...largest(answers.at(-1)!.logits, TOP), ...answers.map(({ first }) => first)])];
  const shares = answers.map((each) => sharesOf(each, kept));
  const unread = { scores: kept.map(() => NaN), ranks: kept.map(() => NaN) };
  const rows = parts.map((_, part) => shares[shown.indexOf(part)] ?? unread);
  return {
    tokens: ids.map((id) => tokens.words[id]),
    notes,
    numHeads: facts.numHeads,
    parts,
    adds,
    scores: stackedRows(rows.map(({ scores }) => scores)),
    labels: kept.map((id) => [NEXT, tokens.words[id]]),
    ranks: stackedRows(rows.map(({ ranks }) => ranks)),
    among: facts.vocabularySize,
    places: [ids.length - 1],
    parameters: sizes,
    unit: "probability",
    replaces: [],
    ...(layer !== null && {
      inside: {
        ...engine.inside(layer),
        ...(soFar && { neurons: neuronsIn(layer, answers[shown.indexOf(2 + 2 * layer)]) }),
      },
    }),
  };

  function neuronsIn(at: number, { logits }: SoFar) {
    const { active, lengths, without } = engine.neurons(at);
    return neuronsOf(active, lengths, (neuron) => {
      const other = without(neuron);
      const gains = logits.map((logit, id) => logit - other[id]);
      return largest(gains, RAISED).map((id) => [NEXT, tokens.words[id]]);
    });
  }
}

/** The probabilities of some tokens by the logits of all, and where they stand among these. */
function sharesOf({ logits, first, sum }: SoFar, some: number[]) {
  const own = Float32Array.from(some, (id) => logits[id]).sort();
  const above = new Uint32Array(own.length + 1); // tokens above so many of these
  for (const logit of logits) {
    if (!(logit > own[0])) continue; // nearly all, of late layers
    let [below, end] = [1, own.length];
    while (below < end) {
      const middle = (below + end) >> 1;
      if (own[middle] < logit) below = middle + 1;
      else end = middle;
    }
    above[below]++;
  }
  for (let at = own.length - 1; at > 0; at--) above[at] += above[at + 1];
  return {
    scores: some.map((id) => Math.exp(logits[id] - logits[first]) / sum),
    ranks: some.map((id) => 1 + above[own.lastIndexOf(logits[id]) + 1]),
  };
}

/** The journey through one head of one layer. */
export function decoderFlow(
  engine: DecoderEngine,
  weights: DecoderWeights,
  tokens: DecoderTokens,
  state: FlowState,
  headMask: HeadMask = null,
): Flow {
  const { numLayers, numKvHeads: kvHeads, headNames, normEpsilon, norms, scoreCap: cap, rotaries } = weights.facts;
  const { ids, notes } = tokens.read(state.sentence);
  return layeredFlow(
    { tokens: ids.map((id) => tokens.words[id]), notes, headNames },
    numLayers,
    (layer) => ({
      ...engine.layerInput(ids, layer, headMask),
      layer: weights.layerOf(layer),
      decoding: { rotaryBase: rotaries[layer] ?? undefined, kvHeads, normEpsilon, norms, cap, decodes: true },
    }),
    state,
    headMask,
  );
}

/** Why a head looks from one token of a text at another. */
export function whyThere(
  engine: DecoderEngine,
  tokens: DecoderTokens,
  text: string | Draft,
  edge: AttentionEdge,
  headMask: HeadMask,
) {
  return engine.scoreParts(tokens.read(text).ids, edge, headMask);
}

/** The tokens with the largest and the smallest score. */
function extremesOf(scores: Float32Array) {
  let [most, least] = [0, 0];
  scores.forEach((score, token) => {
    if (score > scores[most]) most = token;
    if (score < scores[least]) least = token;
  });
  return [most, least];
}

/** The tokens with the largest logits, the largest first; of equal ones the first. */
function largest(logits: Float32Array, count: number) {
  const found: number[] = [];
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token];
    if (found.length === count && logit <= logits[found[count - 1]]) continue; // nearly all
    const place = found.findIndex((other) => logits[other] < logit);
    found.splice(place < 0 ? found.length : place, 0, token);
    found.length = Math.min(found.length, count);
  }
  return found;
}

/** The likeliest next tokens and their probabilities. */
function likeliest(logits: Float32Array, words: string[]) {
  const { first, sum } = summed(logits);
  const share = (token: number) => Math.exp(logits[token] - logits[first]) / sum;
  return Object.fromEntries(largest(logits, TOP).map((token) => [words[token], share(token)]));
}
