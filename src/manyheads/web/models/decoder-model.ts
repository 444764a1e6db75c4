// What is computed of a text, as a figure shows it: twin of models/decoder/decoder.py. A page runs it in a worker.

import type { DecoderEngine } from "./decoder-engine.ts";
import type { DecoderTokens } from "./decoder-tokens.ts";

const TOP = 10; // of the next words that a map predicts

/** The map of a text, and how well each token would come next. */
export function nextWord(engine: DecoderEngine, tokens: DecoderTokens, facts: DecoderFacts, text: string, headMask: HeadMask): NextWord {
  const { ids, notes } = tokens.read(text);
  const { logits, weights } = engine.read(ids, headMask);
  const texts = ids.map((id) => tokens.words[id]);
  const map = {
    queryTokens: texts,
    keyTokens: texts,
    shape: [facts.numLayers, facts.numHeads, ids.length, ids.length],
    weights,
    headNames: facts.headNames,
    predictions: { "next word": likeliest(logits, tokens.words) },
    notes,
    causal: true,
  };
  return { ids, logits, map };
}

/** The likeliest next tokens and their probabilities. */
function likeliest(logits: Float32Array, words: string[]) {
  const order = Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
  const powers = Float64Array.from(logits, (logit) => Math.exp(logit - logits[order[0]]));
  const sum = powers.reduce((a, b) => a + b, 0);
  return Object.fromEntries(order.slice(0, TOP).map((id) => [words[id], powers[id] / sum]));
}
