// Named sources of a map: documents of a prompt that Python named, or paragraphs. Twin of maps/sources.py.

import type { AttentionMap, Source } from "./attention-map.ts";
import { isOfParts, layersOf, queryWeights } from "./maps.ts";
import { isAlike } from "./shown.ts";
import type { Query } from "./query.ts";
import { joined } from "./text.ts";

const NAME = 32; // letters of a paragraph by which it's called
const BLANK = /\n[^\S\n]*\n/g;

/** The sources of a map whose weights are parts of attention: those that have names, else all paragraphs before the last of a text that is read in one direction, as a language model does. */
export function sourcesOf(map: AttentionMap): Source[] {
  if (!isOfParts(map)) return [];
  if (map.sources) return map.sources;
  return map.causal && isAlike(map) ? paragraphsOf(map.keyTokens).slice(0, -1) : [];
}

/** The paragraphs of tokens, with blank lines between: a token is in that in which its first sign stands that isn't white space. White space inside is its own: it has read what stands before it. */
export function paragraphsOf(tokens: string[]): Source[] {
  const blank = [...tokens.join("").matchAll(BLANK)].map(({ index }) => index);
  const runs: number[][] = Array.from({ length: blank.length + 1 }, () => []);
  let at = 0;
  tokens.forEach((token, place) => {
    if (token.trim()) runs[blank.filter((index) => index < at + token.search(/\S/)).length].push(place);
    at += token.length;
  });
  const found = runs.filter((places) => places.length).map(([first, ...more]) => placesTo(first, more.at(-1) ?? first));
  return found.map((places) => ({ name: nameOf(tokens, places), places, sizes: places.map(() => 1) }));
}

const placesTo = (first: number, last: number) => Array.from({ length: last + 1 - first }, (_, at) => first + at);

function nameOf(tokens: string[], places: number[]) {
  const text = joined(places.map((place) => tokens[place]))
    .trim()
    .replace(/\s+/g, " ");
  return text.length > NAME ? `${text.slice(0, NAME).replace(/\s+\S*$/, "")}…` : text;
}

/** How many tokens a source has. */
export const tokensIn = ({ sizes }: Source) => sizes.reduce((sum, size) => sum + size, 0);

/** What some heads of a layer give to a source on average, when a token asks. */
export function lookedAt(map: AttentionMap, { places }: Source, layer: number, heads: number[], query: Query) {
  let sum = 0;
  for (const head of heads) {
    const row = queryWeights(map, layer, head, query);
    for (const place of places) sum += row[place];
  }
  return heads.length ? sum / heads.length : 0;
}

/** The head that looks most at a source, of the layers that are there. */
export function mostAt(map: AttentionMap, source: Source, query: Query) {
  let most = { layer: 0, head: 0, share: -1 };
  for (const layer of layersOf(map))
    for (const head of map.headNames.keys()) {
      const share = lookedAt(map, source, layer, [head], query);
      if (share > most.share) most = { layer, head, share };
    }
  return most;
}
