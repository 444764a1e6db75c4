// The arithmetic of a map in the page: what <head-map> shows of {queryTokens, keyTokens, shape: [layer, head, query, key],
// weights: Float32Array, headNames}. Twin of the methods of AttentionMap in maps.py. No DOM, so that Node can test it.

/** The heads' colours; the first four are the notes' own. Equal to `HEAD_COLOURS` in maps.py. */
export const HEAD_COLOURS = [
  "#8DB600", "#FF8C00", "#8D4E85", "#007FFF", "#D7263D", "#009688",
  "#B8860B", "#5B5BD6", "#8B5A2B", "#E0529C", "#4F7C8A", "#6B8E23",
];
const MIXED_COLOUR = "#6E7F91"; // of an average: no head's
export const OFF_COLOUR = "#808890"; // of a head that is turned off

// What baked.py writes one weight in: one character below `FEW`, two from there on. No quote, backslash or "<".
const DIGITS = "!#$%&'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}";
const FEW = 0.1;
const SINGLE = 79; // digits up to this one stand alone
const DOUBLE = 899;

/** Reads a map that Python wrote: weights as numbers, as bytes of float32, or as the digits of baked.py. */
export function decodeMap(written) {
  let { weights } = written;
  if (typeof weights === "string") weights = readDigits(weights, written.shape.reduce((a, b) => a * b));
  else if (weights instanceof DataView)
    weights = new Float32Array(weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.byteLength));
  return { ...written, weights: Float32Array.from(weights) };
}

function readDigits(text, count) {
  const value = new Uint8Array(128);
  for (let digit = 0; digit < DIGITS.length; digit++) value[DIGITS.charCodeAt(digit)] = digit;
  const weights = new Float32Array(count);
  for (let at = 0, place = 0; place < count; place++) {
    const digit = value[text.charCodeAt(at++)];
    if (digit <= SINGLE) weights[place] = (FEW * digit) / SINGLE;
    else weights[place] = FEW + ((1 - FEW) * ((digit - SINGLE - 1) * DIGITS.length + value[text.charCodeAt(at++)])) / DOUBLE;
  }
  return weights;
}

/** The weights that one query gives to all keys in one head: float32 [key]. */
export function queryWeights({ shape, weights }, layer, head, query) {
  const [, heads, queries, keys] = shape;
  const start = ((layer * heads + head) * queries + query) * keys;
  return weights.subarray(start, start + keys);
}

/**
 * The mean over the heads (for each query those that look at anything), as a map of one head: [layer, head, query, key]
 * -> [layer, 1, query, key].
 */
export function averageHeads(map) {
  const [layers, heads, queries, keys] = map.shape;
  const size = queries * keys;
  const sums = new Float64Array(layers * size);
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0, from = layer * heads * size; head < heads; head++, from += size)
      for (let at = 0; at < size; at++) sums[layer * size + at] += map.weights[from + at];
  for (let row = 0; row < sums.length; row += keys) {
    let sum = 0;
    for (let at = row; at < row + keys; at++) sum += sums[at];
    if (sum > 0) for (let at = row; at < row + keys; at++) sums[at] /= sum;
  }
  return { ...map, shape: [layers, 1, queries, keys], weights: Float32Array.from(sums), headNames: [`mean of ${heads} heads`] };
}

/**
 * Attention rollout (Abnar & Zuidema 2020): how much of each input token reaches each position by a layer, if every
 * layer passes on half of what it had and half of what its heads, on average, look at: R_l = (A_l + I) / 2 · R_(l-1), rows
 * scaled to sum to 1. A map of one head; layer l holds R_l. For self-attention only: as many queries as keys.
 */
export function rollout(map) {
  const { weights: mean, shape } = averageHeads(map);
  const [layers, , queries, keys] = shape;
  if (queries !== keys) throw new Error(`rollout needs as many queries as keys, got ${queries} and ${keys}`);
  const weights = new Float32Array(mean.length);
  let before = Float64Array.from({ length: keys * keys }, (_, at) => Number(at % (keys + 1) === 0)); // R_0 = I
  for (let layer = 0; layer < layers; layer++) {
    const now = new Float64Array(keys * keys);
    for (let query = 0; query < keys; query++) {
      const row = mean.subarray((layer * keys + query) * keys, (layer * keys + query + 1) * keys);
      const sum = row.reduce((a, b) => a + b, 1);
      for (let through = 0; through < keys; through++) {
        const share = (row[through] + Number(through === query)) / sum;
        if (share > 0) for (let key = 0; key < keys; key++) now[query * keys + key] += share * before[through * keys + key];
      }
    }
    weights.set(now, layer * keys * keys);
    before = now;
  }
  return { ...map, shape, weights, headNames: ["rollout"] };
}

/**
 * The map without special tokens, rows scaled to sum to 1 again (a row that gave all to special tokens stays 0). `queries`
 * and `keys` say which tokens were kept. Where nothing else is there, they are kept, and a note says so.
 */
export function withoutSpecial(map) {
  const [queries, keys] = [map.queryTokens, map.keyTokens].map((tokens) =>
    [...tokens.keys()].filter((index) => !isSpecial(tokens[index])));
  if (!queries.length || !keys.length)
    return { ...map, notes: [...(map.notes ?? []), "There are special tokens only; they are kept."] };
  const [layers, heads] = map.shape;
  const weights = new Float32Array(layers * heads * queries.length * keys.length);
  let at = 0;
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++)
      for (const query of queries) {
        const row = queryWeights(map, layer, head, query);
        let sum = 0;
        for (const key of keys) sum += row[key];
        for (const key of keys) weights[at++] = sum > 0 ? row[key] / sum : 0;
      }
  return {
    ...map, queries, keys, weights,
    shape: [layers, heads, queries.length, keys.length],
    queryTokens: queries.map((query) => map.queryTokens[query]),
    keyTokens: keys.map((key) => map.keyTokens[key]),
  };
}

/** What is shown of a computed map: heads each or averaged, or rolled out; special tokens kept, dimmed or removed. */
export function shownMap(map, { heads, layers, special }) {
  const square = map.shape[2] === map.shape[3];
  let shown = layers === "rollout" && square ? rollout(map) : heads === "average" ? averageHeads(map) : map;
  if (special === "remove") shown = withoutSpecial(shown);
  return { queries: [...shown.queryTokens.keys()], ...shown, mixed: shown.headNames !== map.headNames };
}

/** The colour of a head of a shown map. */
export const headColour = ({ mixed }, head) => (mixed ? MIXED_COLOUR : HEAD_COLOURS[head % HEAD_COLOURS.length]);

/**
 * The strongest weights of one layer, at most `most` and none below `least`, weakest first so that they are drawn first:
 * [{head, query, key, weight}, ...]. `chosen(head, query, key)` says which count. Unless told, as many as Lines draws.
 */
export function strongest({ shape: [, heads, queries, keys], weights }, layer, { most = 800, least = 0.01, chosen = () => true } = {}) {
  const size = queries * keys;
  const start = layer * heads * size;
  const found = [];
  for (let at = 0; at < heads * size; at++) {
    const weight = weights[start + at];
    if (!(weight >= least)) continue;
    const [head, query, key] = [Math.floor(at / size), Math.floor((at % size) / keys), at % keys];
    if (chosen(head, query, key)) found.push({ head, query, key, weight });
  }
  return found.sort((a, b) => a.weight - b.weight).slice(-most);
}

/** How the line of a weight is drawn: the stronger, the thicker and the less transparent. `look` is that of its head. */
export function lineLook({ colour, off, dim }, { queryTokens, keyTokens }, { query, key, weight }) {
  const faint = dim && (isSpecial(queryTokens[query]) || isSpecial(keyTokens[key]));
  return {
    stroke: off ? OFF_COLOUR : colour,
    "stroke-width": (1 + 3.5 * weight).toFixed(2),
    "stroke-opacity": ((0.08 + 0.92 * weight) * (faint ? 0.2 : 1)).toFixed(3),
  };
}

/** The largest weight of a row, to which the others are tinted; of the words' alone where special tokens are dimmed. */
export function largestWeight(weights, tokens, dim) {
  let largest = 0;
  for (let key = 0; key < weights.length; key++)
    if (weights[key] > largest && !(dim && isSpecial(tokens[key]))) largest = weights[key];
  return largest;
}

/** Pairs up two token lists by their longest common subsequence: [[i, j], ...]. */
export function alignTokens(a, b) {
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  return pairs;
}

/**
 * The share of a head's attention that lands elsewhere in the second sentence, 0 to 1: total variation distance,
 * where a word that only one of the sentences has counts as elsewhere.
 */
export function attentionMoved(rowA, rowB, pairs) {
  let stayed = 0;
  for (const [i, j] of pairs) stayed += Math.min(rowA[i], rowB[j]);
  return Math.max(0, 1 - stayed);
}

/**
 * Two maps head by head, for one query: the heads that moved most first. {order: [head, ...], moved: [head] -> share, pairs:
 * the tokens that both have, asked: the query's place in the second}; without a second map, the heads as they are.
 */
export function compareHeads(map, compared, layer, asked) {
  const order = [...Array(map.shape[1]).keys()];
  if (!compared) return { order };
  const pairs = alignTokens(map.keyTokens, compared.keyTokens);
  const second = Math.min(asked, compared.shape[2] - 1);
  const moved = order.map((head) =>
    attentionMoved(queryWeights(map, layer, head, asked), queryWeights(compared, layer, head, second), pairs));
  return { order: order.sort((a, b) => moved[b] - moved[a]), moved, pairs, asked: second };
}

/** "##able" is the rest of a word: shown without the marks and joined to what comes before. */
export const isPiece = (token) => token.startsWith("##") && token.length > 2;
/** Equal to `is_special` in maps.py. */
export const isSpecial = (token) => /^(\[(CLS|SEP|PAD|MASK)\]|<\/?s>|<(bos|eos|pad|mask|cls|sep)>|<\|.*\|>)$/.test(token);
export const readable = (token) => (isPiece(token) ? token.slice(2) : token);
export const percent = (weight) => `${(100 * weight).toFixed(weight > 0 && weight < 0.0995 ? 1 : 0)} %`;

/** How the slider names a model: "focus" is the taught one, "focus/step-40" reads "step 40". */
export const modelLabel = (name) => (name === "focus" ? "taught" : name.replace(/^focus\//, "").replace("-", " "));

export const likeliest = (labels) => Object.entries(labels).reduce((best, next) => (next[1] > best[1] ? next : best));
