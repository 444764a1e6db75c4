// Twin of attention.py: the same numbers, in plain JavaScript. No DOM, no imports.
//
// A matrix is {shape: [rows, columns], values: Float32Array}, row by row. A `layer` holds the tensors of the torch
// module's state_dict by their own names: "projection.weight" [widths of Q, K and V, d] (the rows of W^Q, then W^K, then
// W^V, each head by head), "output.weight" [d, width of V]; and where the module has biases "projection.bias",
// "output.bias". A mask is a flat array, q * k long or h * q * k; not 0 = this query may attend to this key. A query that
// may attend to no key gets zero weights.
//
// Axes: h head   q query position   k key position   d width

/** Equation 1, softmax(Q K^T / sqrt(d_k)) V: X [q, d], Wq and Wk [d, d_k], Wv [d, d_v] -> output [q, d_v], weights [q, k]. */
export function selfAttention(X, Wq, Wk, Wv, mask = null) {
  const [Q, K, V] = [Wq, Wk, Wv].map((W) => linear(X, transpose(W)));
  const { weights, context } = attend(Q, K, V, { mask });
  return { output: context, weights: { shape: weights.shape.slice(1), values: weights.values } };
}

/**
 * Section 3.2.2, `MultiHeadAttention.forward`: X [q, d] -> output [q, d], weights [h, q, k].
 *
 * `keys` [k, d] is the text that is looked at, X itself unless given. `headMask` holds false for each head that is off:
 * its part of the concatenation is zero, its weights are there all the same. `scaled: false` leaves out sqrt(d_k).
 * `bug` holds wrong steps to take instead of the right ones, for the museum (bugs.js says which).
 */
export function multiHeadAttention(X, layer, { numHeads, keys = X, mask = null, headMask = null, scaled = true, bug = {} }) {
  const parts = project(X, keys, layer, numHeads);
  const { weights, context } = attend(...(bug.split?.(parts) ?? parts), { numHeads, mask, headMask, scaled, bug });
  return { output: linear(bug.join?.(context) ?? context, layer["output.weight"], layer["output.bias"]), weights };
}

/** Everything on the way through one head, by name, as `steps` of attention.py; `masked` has -Infinity where hidden. */
export function steps(X, layer, { numHeads, head = 0, mask = null, scaled = true }) {
  if (!(Number.isInteger(head) && head >= 0 && head < numHeads))
    throw new RangeError(`head must be a whole number from 0 to ${numHeads - 1}, got ${head}`);
  const [Q, K, V] = project(X, X, layer, numHeads);
  const { scores, masked, weights, context } = attend(Q, K, V, { numHeads, mask, scaled });
  const columns = ({ shape: [rows, width], values }) => {
    const part = width / numHeads;
    const own = new Float32Array(rows * part);
    for (let row = 0, from = head * part; row < rows; row++, from += width)
      own.set(values.subarray(from, from + part), row * part);
    return { shape: [rows, part], values: own };
  };
  const map = ({ shape: [, rows, width], values }) => {
    const size = rows * width;
    return { shape: [rows, width], values: values.slice(head * size, (head + 1) * size) };
  };
  const output = linear(context, layer["output.weight"], layer["output.bias"]);
  return {
    ...{ X, Q: columns(Q), K: columns(K), V: columns(V) },
    ...{ scores: map(scores), masked: map(masked), weights: map(weights) },
    ...{ context: columns(context), concat: context, output },
  };
}

/** x W^T + b, as nn.Linear: x [t, in], W [out, in], b [out] -> [t, out]. */
export function linear({ shape, values }, weight, bias = null) {
  const [outputs, inputs] = weight.shape;
  if (shape.length !== 2 || shape[1] !== inputs)
    throw new RangeError(`x must be [t, ${inputs}] for weights [${weight.shape}], got [${shape}]`);
  if (bias && bias.values.length !== outputs)
    throw new RangeError(`there must be ${outputs} biases for weights [${weight.shape}], got ${bias.values.length}`);
  const rows = shape[0];
  const out = new Float32Array(rows * outputs);
  products(values, 0, inputs, weight.values, 0, inputs, out, 0, outputs, rows, outputs, inputs);
  if (bias) for (let i = 0, column = 0; i < out.length; i++, column = (column + 1) % outputs) out[i] += bias.values[column];
  return { shape: [rows, outputs], values: out };
}

/** Turns each row of scores into shares that sum to 1; a row of nothing but -Infinity becomes zeros. */
export function softmax({ shape, values }) {
  const width = shape.at(-1);
  const shares = new Float32Array(values.length);
  for (let start = 0; start < values.length; start += width) {
    const end = start + width;
    let largest = -Infinity;
    for (let i = start; i < end; i++) if (values[i] > largest) largest = values[i];
    if (largest === -Infinity) continue;
    let sum = 0;
    for (let i = start; i < end; i++) sum += shares[i] = Math.exp(values[i] - largest);
    for (let i = start; i < end; i++) shares[i] /= sum;
  }
  return { shape, values: shares };
}

/** The queries of X, the keys and values of Y, all heads side by side: [q, h * d_k], [k, h * d_k], [k, h * d_v]. */
function project(X, Y, layer, numHeads) {
  const { "projection.weight": weight, "projection.bias": bias, "output.weight": output } = layer;
  const [rows, width] = weight.shape;
  const valueWidth = output.shape[1];
  const keyWidth = (rows - valueWidth) / 2;
  for (const part of [keyWidth, valueWidth])
    if (!Number.isInteger(part / numHeads)) throw new RangeError(`numHeads must divide the width ${part}, got ${numHeads}`);
  const part = (input, from, to) => {
    const W = { shape: [to - from, width], values: weight.values.subarray(from * width, to * width) };
    return linear(input, W, bias && { shape: [to - from], values: bias.values.subarray(from, to) });
  };
  return [part(X, 0, keyWidth), part(Y, keyWidth, 2 * keyWidth), part(Y, 2 * keyWidth, rows)];
}

/** Every head's attention: scores, masked scores and weights [h, q, k]; context [q, h * d_v], the heads side by side. */
function attend(Q, K, V, { numHeads = 1, mask = null, headMask = null, scaled = true, bug = {} }) {
  const [queries, keyWidth] = Q.shape;
  const [keys, valueWidth] = V.shape;
  const keyDim = keyWidth / numHeads;
  const valueDim = valueWidth / numHeads;
  const size = queries * keys;
  if (mask && mask.length !== size && mask.length !== numHeads * size)
    throw new RangeError(`the mask must hold ${queries} × ${keys} numbers, or ${numHeads} times that, got ${mask.length}`);
  if (headMask && headMask.length !== numHeads)
    throw new RangeError(`headMask must have ${numHeads} entries, one for each head, got ${headMask.length}`);

  const scores = { shape: [numHeads, queries, keys], values: new Float32Array(numHeads * size) };
  const s = scores.values;
  for (let head = 0, at = 0; head < numHeads; head++, at += keyDim)
    products(Q.values, at, keyWidth, K.values, at, keyWidth, s, head * size, keys, queries, keys, keyDim);
  const scale = scaled ? 1 / Math.sqrt(bug.width ?? keyDim) : 1;
  for (let i = 0; i < s.length; i++) s[i] *= scale;

  const masked = mask ? { shape: scores.shape, values: s.slice() } : scores;
  if (mask)
    for (let i = 0, at = 0; i < s.length; i++, at = (at + 1) % mask.length) if (!mask[at]) masked.values[i] = -Infinity;
  const weights = bug.weigh?.(scores, mask) ?? softmax(masked);

  const context = { shape: [queries, valueWidth], values: new Float32Array(queries * valueWidth) };
  const c = context.values;
  const columns = transpose(V).values;
  for (let head = 0, at = 0; head < numHeads; head++, at += valueDim)
    if (!headMask || headMask[head])
      products(weights.values, head * size, keys, columns, at * keys, keys, c, at, valueWidth, queries, valueDim, keys);
  return { scores, masked, weights, context };
}

/**
 * out = a b^T for parts of larger matrices: each is given by its numbers, where its part starts, and how far it is from
 * row to row. Two rows and four columns at a time, which reads every number less often: twice as fast as one by one.
 */
function products(a, aStart, aStep, b, bStart, bStep, out, outStart, outStep, rows, columns, depth) {
  for (let row = 0; row < rows; row += 2) {
    const a0 = aStart + row * aStep;
    const a1 = row + 1 < rows ? a0 + aStep : a0;
    for (let column = 0; column < columns; column += 4) {
      const left = columns - column;
      const b0 = bStart + column * bStep;
      const b1 = left > 1 ? b0 + bStep : b0;
      const b2 = left > 2 ? b1 + bStep : b0;
      const b3 = left > 3 ? b2 + bStep : b0;
      let s00 = 0, s01 = 0, s02 = 0, s03 = 0; // the sums of this row
      let s10 = 0, s11 = 0, s12 = 0, s13 = 0; // and of the next
      for (let i = 0; i < depth; i++) {
        const x0 = a[a0 + i], x1 = a[a1 + i];
        const y0 = b[b0 + i], y1 = b[b1 + i], y2 = b[b2 + i], y3 = b[b3 + i];
        s00 += x0 * y0;
        s01 += x0 * y1;
        s02 += x0 * y2;
        s03 += x0 * y3;
        s10 += x1 * y0;
        s11 += x1 * y1;
        s12 += x1 * y2;
        s13 += x1 * y3;
      }
      // The second row first: where there is none, it is the first once more.
      let to = outStart + (a1 === a0 ? row : row + 1) * outStep + column;
      out[to] = s10;
      if (left > 1) out[to + 1] = s11;
      if (left > 2) out[to + 2] = s12;
      if (left > 3) out[to + 3] = s13;
      to = outStart + row * outStep + column;
      out[to] = s00;
      if (left > 1) out[to + 1] = s01;
      if (left > 2) out[to + 2] = s02;
      if (left > 3) out[to + 3] = s03;
    }
  }
}

function transpose({ shape: [rows, columns], values }) {
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) turned[column * rows + row] = values[row * columns + column];
  return { shape: [columns, rows], values: turned };
}
