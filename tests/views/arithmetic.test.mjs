// The steps of the formula, the arithmetic of each of their numbers, and random scores, in Node.
import assert from "node:assert/strict";
import test from "node:test";
import { layerNorm, linear, partOf, softmax, steps as headSteps } from "../../src/manyheads/web/math/attention.ts";
import { ledgerOf } from "../../src/manyheads/web/math/ledger.ts";
import { flowOf, flowThrough, headParameters, stepsMask } from "../../src/manyheads/web/models/formula-model.ts";
import { arithmetic, sourceOf } from "../../src/manyheads/web/figures/attention-flow/arithmetic.ts";
import { cellAt, findMatrix, matrix, MATRICES, formatNumber } from "../../src/manyheads/web/math/steps.ts";
import { decodeSteps } from "../../src/manyheads/web/math/wire.ts";
import { equationOf } from "../../src/manyheads/web/figures/attention-flow/formula-mathml.ts";
import { tint } from "../../src/manyheads/web/views/tints.ts";
import { normals, scoresOf } from "../../src/manyheads/web/figures/softmax-scale/state.ts";
import { randomOf } from "./small-models.mjs";

// Unequal axes: 5 words, width 6, 2 heads, keys 3 wide, values 2 wide.
const [WORDS, WIDTH, HEADS, KEY, VALUE] = [5, 6, 2, 3, 2];
const layer = {
  "query.weight": randomOf([HEADS * KEY, WIDTH], 1),
  "query.bias": randomOf([HEADS * KEY], 2),
  "key.weight": randomOf([HEADS * KEY, WIDTH], 6),
  "key.bias": randomOf([HEADS * KEY], 7),
  "value.weight": randomOf([HEADS * VALUE, WIDTH], 8),
  "value.bias": randomOf([HEADS * VALUE], 9),
  "output.weight": randomOf([WIDTH, HEADS * VALUE], 3),
  "output.bias": randomOf([WIDTH], 4),
};
const tokens = ["[CLS]", "un", "##able", "tea", "[SEP]"];
const FACTS = { drink: ["tea", "coffee", "none"], mood: ["good", "bad"] };
const readout = (fact) => ({
  weight: randomOf([FACTS[fact].length, WIDTH], fact.length),
  bias: randomOf([FACTS[fact].length], 12),
});
const ledger = (concat) =>
  ledgerOf(concat, {
    numHeads: HEADS,
    output: partOf(layer, "output."),
    facts: FACTS,
    readout,
    eps: 1e-5,
    norm: { weight: randomOf([WIDTH], 10), bias: randomOf([WIDTH], 11) },
  });
const X = randomOf([WORDS, WIDTH], 5);
const model = {
  ledger,
  numHeads: HEADS,
  headNames: ["a", "b"],
  layer: () => layer,
  tokenize: () => ({ ids: [1, 2, 3, 4, 5], tokens, notes: [] }),
  wordVectors: () => null,
  states: () => ({ X }),
};
const chosen = (state, on = [true, true]) =>
  flowOf(model)(
    { sentence: "", head: 1, causal: false, padding: false, unscaled: false, ...state },
    { headMask: [[true, true], on] },
  );
const near = (a, b, by = 1e-4) => assert.ok(Math.abs(a - b) <= by || a === b, `${a} is not ${b}`);

for (const [name, state, on = [true, true]] of [
  ["plain", {}],
  ["masked", { causal: true, padding: true }],
  ["unscaled", { unscaled: true }],
  ["its head off", {}, [true, false]],
  ["the other head off", {}, [false, true]],
])
  test(`every cell's arithmetic gives the cell, ${name}`, () => {
    const steps = chosen(state, on);
    for (const made of Object.keys(MATRICES).filter((name) => findMatrix(steps, name))) {
      const {
        shape: [rows, columns],
        values,
      } = matrix(steps, made);
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++) {
          const told = arithmetic(steps, made, row, column);
          assert.equal(told.value, values[row * columns + column]);
          near(told.results.at(-1)[1], told.value);
          told.rows.forEach(({ values }, line) =>
            values.forEach((value, term) => {
              const source = sourceOf(steps, told, line, term);
              if (source)
                near(
                  matrix(steps, source.name).values[source.row * matrix(steps, source.name).shape[1] + source.column],
                  value,
                );
            }),
          );
          const [first, second, third] = told.rows.map(({ values }) => [...values]);
          if (!third) continue;
          assert.equal(told.columns.length, third.length);
          const total = third.reduce((a, b) => a + b);
          near(told.results[0][1], total, 0);
          if (made === "weights") {
            near(third[column] / total, told.value);
          } else if (made === "answer") {
            near(third[row % FACTS.drink.length] / total, told.value); // a fact of three labels, then one of two
          } else {
            third.forEach((product, index) => near(product, first[index] * second[index]));
            const bias = { Q: "bq", K: "bk", V: "bv", output: "bo" }[made];
            const scale = made === "scores" && !state.unscaled ? Math.sqrt(KEY) : 1;
            near(
              made === "context" && !on[1] ? 0 : total / scale + (bias ? steps.parameters[bias].values[column] : 0),
              told.value,
            );
          }
        }
    }
  });

test("a query or key that is turned opens to a pair of numbers and their turn, and these to the words", () => {
  const [key, half] = [4, 2];
  const made = (seed) => randomOf([HEADS * key, WIDTH], seed);
  const decoder = {
    "query.weight": made(1),
    "key.weight": made(6),
    "value.weight": made(8),
    "output.weight": randomOf([WIDTH, HEADS * key], 3),
  };
  const state = { head: 1, causal: false, padding: false, unscaled: false };
  const flow = flowThrough(
    {
      X: randomOf([WORDS, WIDTH], 5),
      layer: decoder,
      tokens,
      notes: [],
      headNames: ["a", "b"],
      decoding: { rotaryBase: 10, kvHeads: 2, decodes: true },
    },
    state,
  );
  for (const [turned, straight, learned] of [
    ["Q", "XWq", "Wq"],
    ["K", "XWk", "Wk"],
  ])
    for (let row = 0; row < WORDS; row++)
      for (let column = 0; column < key; column++) {
        const told = arithmetic(flow, turned, row, column);
        near(told.results.at(-1)[1], flow[turned].values[row * key + column], 1e-6);
        assert.deepEqual(
          [0, 1].map((term) => sourceOf(flow, told, 0, term)),
          [0, half].map((more) => ({ name: straight, row, column: (column % half) + more })),
        );
        assert.equal(sourceOf(flow, told, 1, 0), null, "the turn is no number of a matrix");
        const before = arithmetic(flow, straight, row, column);
        near(before.results.at(-1)[1], flow[straight].values[row * key + column], 1e-5);
        assert.deepEqual(before.lit, [
          { name: "X", row },
          { name: learned, column },
        ]);
      }
  near(flow.Q.values[2], flow.XWq.values[2], 0); // at position 0 nothing turns
  assert.ok(Math.abs(flow.Q.values[3 * key + 1] - flow.XWq.values[3 * key + 1]) > 0.01);
  assert.deepEqual([...flow.weights.values.slice(1, WORDS)], [0, 0, 0, 0], "a decoder never looks ahead");
});

test("what is lit is what the cell was made of", () => {
  const steps = chosen({});
  const lit = (name) => arithmetic(steps, name, 3, 1).lit;
  assert.deepEqual(lit("Q"), [
    { name: "X", row: 3 },
    { name: "Wq", column: 1 },
  ]);
  assert.deepEqual(lit("scores"), [
    { name: "Q", row: 3 },
    { name: "K", row: 1 },
  ]);
  assert.deepEqual(lit("masked"), [{ name: "scores", row: 3, column: 1 }]);
  assert.deepEqual(lit("weights"), [{ name: "scores", row: 3 }], "nothing is masked");
  assert.deepEqual(arithmetic(chosen({ causal: true }), "weights", 3, 1).lit, [{ name: "masked", row: 3 }]);
  assert.deepEqual(lit("context"), [
    { name: "weights", row: 3 },
    { name: "V", column: 1 },
  ]);
  assert.deepEqual(lit("output"), [
    { name: "concat", row: 3 },
    { name: "Wo", column: 1 },
  ]);
  assert.deepEqual(lit("concat"), [], "column 1 is of head 1, and head 2 is chosen");
  assert.deepEqual(arithmetic(steps, "concat", 3, 2).lit, [{ name: "context", row: 3, column: 0 }]);
});

test("the parts of an answer sum to the logit that the layers behind the attention give", () => {
  const steps = chosen({});
  const output = { shape: [1, WIDTH], values: steps.output.values.slice(0, WIDTH) };
  const home = layerNorm(output, { weight: randomOf([WIDTH], 10), bias: randomOf([WIDTH], 11) }, 1e-5);
  const facts = Object.keys(FACTS).map((fact) => linear(home, readout(fact).weight, readout(fact).bias));
  const logits = facts.flatMap(({ values }) => [...values]);
  const shares = facts.flatMap((scores) => [...softmax(scores).values]);
  logits.forEach((logit, label) => {
    const row = [...steps.parts.values.slice(label * (HEADS + 2), (label + 1) * (HEADS + 2))];
    near(row.at(-1), logit, 1e-5);
    near(
      row.slice(0, -1).reduce((sum, part) => sum + part),
      logit,
      1e-5,
    );
    near(steps.answer.values[label], shares[label], 1e-6);
  });
});

test("a head's parameters make its queries, keys and values", () => {
  const steps = headSteps(X, layer, { numHeads: HEADS, head: 1 });
  const parameters = headParameters(layer, 1, HEADS);
  assert.deepEqual(parameters.Wv.shape, [WIDTH, VALUE]);
  assert.deepEqual(parameters.Wo.shape, [HEADS * VALUE, WIDTH]);
  let value = parameters.bk.values[2];
  for (let i = 0; i < WIDTH; i++) value += X.values[4 * WIDTH + i] * parameters.Wk.values[i * KEY + 2];
  near(value, steps.K.values[4 * KEY + 2]);
});

test("of many products, the largest stand first; of few, each stands in its place", () => {
  const wide = headSteps(
    randomOf([2, 64], 5),
    {
      ...layer,
      ...Object.fromEntries(
        ["query", "key", "value"].map((name) => [
          `${name}.weight`,
          randomOf([layer[`${name}.weight`].shape[0], 64], 1),
        ]),
      ),
    },
    { numHeads: HEADS },
  );
  const parameters = { Wk: randomOf([64, KEY], 3) };
  const { rows, order, results } = arithmetic({ ...wide, tokens, parameters }, "K", 1, 2);
  const sizes = order.map((term) => Math.abs(rows[2].values[term]));
  assert.deepEqual(
    sizes,
    [...sizes].sort((a, b) => b - a),
  );
  assert.deepEqual([new Set(order).size, results[0][0]], [64, "sum of the 64 products, the largest first"]);
  assert.deepEqual(arithmetic(chosen({}), "K", 1, 2).order, [0, 1, 2, 3, 4, 5]);
});

test("padding changes no number of a real word", () => {
  const [plain, padded] = [chosen({}), chosen({ padding: true })];
  assert.deepEqual(padded.tokens.slice(WORDS), ["[PAD]", "[PAD]", "[PAD]"]);
  plain.output.values.forEach((value, index) => near(value, padded.output.values[index], 1e-6));
});

test("masks say who may look at whom", () => {
  assert.equal(stepsMask(3, 0, false), null);
  assert.deepEqual([...stepsMask(3, 0, true)], [1, 0, 0, 1, 1, 0, 1, 1, 1]);
  assert.deepEqual([...stepsMask(3, 1, false)], [1, 1, 0, 1, 1, 0, 1, 1, 0]);
});

test("numbers are for people", () => {
  assert.deepEqual([formatNumber(-0.00004), formatNumber(1 / 3), formatNumber(-Infinity)], ["0.0000", "0.3333", "−∞"]);
  assert.deepEqual([tint(-2, 2), tint(1, 2), tint(-Infinity, 2), tint(0, 0)], [-1, 0.5, 0, 0]);
});

test("a cell that isn't there is none", () => {
  const steps = chosen({});
  assert.deepEqual(cellAt(steps, "scores 3 1"), { name: "scores", row: 3, column: 1 });
  const none = ["", "scores", "scores 3", "scores x 0", "tokens 0 0", "soup 0 0", "constructor 0 0"];
  const outside = ["scores 5 0", "scores 0 5", "scores -1 0", "scores 0.5 0"];
  for (const written of [...none, ...outside]) assert.equal(cellAt(steps, written), null, written);
});

test("steps arrive as numbers, as base64, or as base64 of half the bits, minus infinity included", () => {
  const halves = btoa(String.fromCharCode(...new Uint8Array(Uint16Array.of(0x3e00, 0xfc00).buffer)));
  assert.deepEqual([...decodeSteps({ X: { shape: [1, 2], values: halves } }).X.values], [1.5, -Infinity]);
  const values = Float32Array.of(1.5, -Infinity);
  const text = btoa(String.fromCharCode(...new Uint8Array(values.buffer)));
  const { X, tokens } = decodeSteps({ tokens: ["a"], X: { shape: [1, 2], values: text } });
  assert.deepEqual([...X.values, ...tokens], [1.5, -Infinity, "a"]);
});

test("each matrix has an equation, and what is learned has none", () => {
  for (const name of Object.keys(MATRICES).filter((name) => !["Wq", "Wk", "Wv", "Wo", "reading"].includes(name)))
    assert.match(equationOf(name, { head: 1, heads: 4 }), /^(<math display="block"><mrow>.+<\/mrow><\/math>)+$/, name);
  assert.equal(equationOf("Wq", { head: 1, heads: 4 }), "");
  assert.doesNotMatch(equationOf("scores", { head: 0, heads: 4, scaled: false }), /msqrt/);
});

test("random scores spread as the root of the width", () => {
  const spread = (width) => {
    const scores = Array.from({ length: 400 }, (_, seed) => scoresOf(normals(9 * 512, seed), width)[0]);
    return Math.sqrt(scores.reduce((sum, score) => sum + score * score, 0) / scores.length);
  };
  for (const width of [16, 256]) near(spread(width) / Math.sqrt(width), 1, 0.12);
});
