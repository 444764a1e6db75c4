// What a guess, a phrase or a link has set lasts until the reader begins something new; what they turned off by hand stays for the sentences
// that they type, and examples begin with all heads on. First the rule as it is, then each figure by it.
import assert from "node:assert/strict";
import test from "node:test";
import { setFigure } from "../../src/manyheads/web/doors/phrases.ts";
import { turnedAlike } from "../../src/manyheads/web/math/heads-off.ts";
import { choose, lend } from "../../src/manyheads/web/math/lent.ts";
import { reduce as mapReduce, startWith as mapStart } from "../../src/manyheads/web/figures/head-map/state.ts";
import { reduce as wordReduce, startWith as wordStart } from "../../src/manyheads/web/figures/next-word/state.ts";
import { reduce as wholeReduce, startWith as wholeStart } from "../../src/manyheads/web/figures/whole-model/state.ts";
import { reduce as ledgerReduce, startWith as ledgerStart } from "../../src/manyheads/web/figures/head-ledger/state.ts";
import { reduce as senseReduce, startWith as senseStart } from "../../src/manyheads/web/figures/word-sense/state.ts";
import { reduce as birthReduce, startWith as birthStart } from "../../src/manyheads/web/figures/head-birth/state.ts";
import { baked, drawLive, follow, press, settled, tick, type } from "./page.mjs";
import { focusModel, makeMap, mapModel, slowModel } from "./small-models.mjs";

test("what is lent keeps what stood there first; a sentence among it begins with what went back", () => {
  const own = { sentence: "tea", view: "paint", off: [[0, 1]] };
  const once = lend(own, {}, { view: "grid", off: [[1, 1]] }, null);
  assert.deepEqual(once.lent, { view: "paint", off: [[0, 1]] });
  const now = { ...own, ...once.parts };
  assert.deepEqual(lend(now, once.lent, { view: "lines" }, null).lent, once.lent);
  const { parts, lent } = lend(now, once.lent, { sentence: "milk", view: "lines" }, { off: [] });
  assert.deepEqual(
    [parts, lent],
    [
      { sentence: "milk", view: "lines", off: [] },
      { sentence: "tea", view: "paint" },
    ],
  );
});

test("what the reader sets by hand is theirs; of heads, each for itself", () => {
  const [guessed, hand, both] = [[[0, 0]], [[1, 1]], [[0, 0], [1, 1]]]; // prettier-ignore
  const lent = { off: [], view: "paint" };
  assert.deepEqual(choose({ off: guessed }, lent, { off: both }, false).lent, { view: "paint", off: hand });
  assert.deepEqual(choose({ off: guessed }, lent, { view: "lines" }, false).lent, { off: [] });
  assert.deepEqual(choose({ off: both }, { off: hand }, { sentence: "milk" }, true), {
    parts: { off: hand, sentence: "milk" },
    lent: {},
  });
  assert.deepEqual(turnedAlike([[0, 0], [2, 2]], [[1, 1], [2, 2]], [[1, 1], [3, 3]]), [[0, 0], [3, 3]]); // prettier-ignore
});

// --- each state

const HAND = [[1, 2]];
const GUESS = [[0, 1]];

/** How each figure with heads to turn off begins, what turns one off by hand, and what of its state is shown. */
const STATES = {
  "head-map": {
    start: () => mapReduce(mapStart({ sentence: "a" }), { type: "show", map: makeMap() }),
    reduce: (state, action) => mapReduce(mapReduce(state, action), { type: "model", numLayers: 2, numHeads: 3 }), // it answers
    hand: {
      type: "choose",
      parts: {
        headMask: [
          [true, true, true],
          [true, true, false],
        ],
      },
    },
    types: (sentence) => ({ type: "choose", parts: { sentence } }),
    begins: (sentence) => ({ type: "begin", sentence }),
    more: { view: "matrix", query: 2 },
    read: ({ chosen: { sentence, headMask, view, query } }) => [
      sentence,
      (headMask ?? []).flatMap((row, layer) => row.flatMap((on, head) => (on ? [] : [[layer, head]]))),
      { view, query },
    ],
  },
  "next-word": {
    text: "text",
    start: () => wordStart({ text: "a" }, [2, 3]),
    reduce: wordReduce,
    hand: { type: "set", parts: { off: HAND } },
    types: (text) => ({ type: "type", text }),
    more: { layer: 1, head: 2, looks: true, temperature: 0.5, masked: true },
    read: ({ text, off, layer, head, looks, masked, choice: { temperature } }) => [
      text,
      off,
      { layer, head, looks, temperature, masked },
    ],
  },
  "head-ledger": {
    start: () => ({ ...ledgerStart({ sentence: "a" }) }),
    reduce: ledgerReduce,
    hand: { type: "choose", parts: { off: HAND } },
    types: (sentence) => ({ type: "choose", parts: { sentence } }),
    more: { answer: "object: drink", head: 1 },
    read: ({ chosen: { sentence, off, answer, head } }) => [sentence, off, { answer, head }],
  },
  "whole-model": {
    start: () => wholeStart({ sentence: "a" }),
    reduce: wholeReduce,
    hand: { type: "choose", parts: { off: HAND } },
    types: (sentence) => ({ type: "choose", parts: { sentence } }),
    more: { answer: "sentiment", layer: 1 },
    read: ({ chosen: { sentence, off, answer, layer } }) => [sentence, off, { answer, layer }],
  },
  "word-sense": {
    start: () => senseStart({ sentence: "a" }),
    reduce: senseReduce,
    hand: { type: "off", off: HAND },
    types: (sentence) => ({ type: "type", sentence }),
    begins: (sentence) => ({ type: "begin", sentence }),
    more: { word: "bark", layer: 2, arrows: true },
    read: ({ sentence, off, word, layer, arrows }) => [sentence, off, { word, layer, arrows }],
  },
  "head-birth": {
    start: () => birthStart({ sentence: "a" }, [0, 50, 100]),
    reduce: birthReduce,
    hand: { type: "toggle", head: HAND[0] },
    types: (sentence) => ({ type: "type", sentence }),
    begins: (sentence) => ({ type: "begin", sentence }),
    more: { step: 70 },
    read: ({ sentence, off, at, steps }) => [sentence, off, { step: steps[at] }],
    shown: { step: 50 },
  },
};

for (const [
  name,
  { text = "sentence", start, reduce, hand, types, begins, more, read, shown = more },
] of Object.entries(STATES)) {
  const run = (...actions) => read(actions.reduce(reduce, start()));
  const [, , before] = read(start());
  const lends = (parts) => ({ type: "lend", parts });

  test(`${name}: a guess goes with the next sentence, a head turned off by hand stays`, () => {
    const guess = lends({ off: GUESS, ...more });
    assert.deepEqual(run(guess), ["a", GUESS, shown]);
    assert.deepEqual(run(guess, types("b")), ["b", [], before]);
    assert.deepEqual(run(hand, types("b")), ["b", HAND, before]);
    assert.deepEqual(run(hand, guess), ["a", GUESS, shown]);
    assert.deepEqual(run(hand, guess, types("b")), ["b", HAND, before]);
    assert.deepEqual(run(guess, types("b"), types("bc")), ["bc", [], before]);
  });

  test(`${name}: one phrase after another builds on it, unless it brings a sentence, which begins with all heads on`, () => {
    assert.deepEqual(run(lends({ off: GUESS }), lends(more), types("b")), ["b", [], before]);
    assert.deepEqual(run(lends({ off: GUESS }), lends(more)), ["a", GUESS, shown]);
    assert.deepEqual(run(hand, lends({ off: GUESS, ...more }), lends({ [text]: "c" })), ["c", [], before]);
    assert.deepEqual(run(hand, lends({ [text]: "c", off: GUESS }), types("b")), ["b", [], before]);
  });

  if (begins)
    test(`${name}: an example begins with all heads on`, () => {
      assert.deepEqual(run(hand, begins("b")), ["b", [], before]);
      assert.deepEqual(run(lends({ off: GUESS, ...more }), begins("b"), types("c")), ["c", [], before]);
    });
}

test("what a guess has turned off comes back where the reader undoes the sentence after it, and goes with the next", () => {
  const { start, reduce, types, read } = STATES["head-map"];
  const run = (...actions) => read(actions.reduce(reduce, start()));
  const [guess, undo] = [{ type: "lend", parts: { off: GUESS } }, { type: "undo" }];
  assert.deepEqual(run(guess, types("b"), undo).slice(0, 2), ["a", GUESS]);
  assert.deepEqual(run(guess, types("b"), undo, types("c")).slice(0, 2), ["c", []]);
});

test("another model that is lent takes its reader's heads off along, and brings them back", () => {
  const own = STATES["head-map"];
  let state = [own.hand, { type: "lend", parts: { model: 1 } }].reduce(own.reduce, own.start());
  state = mapReduce(state, { type: "model", numLayers: 1, numHeads: 2 });
  assert.deepEqual([state.chosen.headMask, state.forgot], [null, true]);
  state = own.reduce(state, own.types("b"));
  assert.deepEqual([state.chosen.model, ...own.read(state).slice(0, 2)], [0, "b", HAND]);
});

test("a reader's own training rests while a phrase shows a step of the stored one, and is shown again with their next text", () => {
  const own = STATES["head-birth"];
  const training = birthReduce(own.start(), { type: "train" });
  const lent = birthReduce(training, { type: "lend", parts: { step: 100 } });
  assert.deepEqual([lent.live, lent.training.runs], [false, false]);
  assert.equal(own.reduce(lent, own.types("b")).live, true);
});

// --- in the page

const MAP = '<head-map id="it" model="focus" sentence="hot tea" examples="cold tea | no tea"></head-map>';
const calls = (model) => model.calls.map(({ sentence, headMask }) => [sentence, String(headMask ?? "")]);

for (const [how, make] of [
  ["at once", mapModel],
  ["later", slowModel],
])
  test(`after a guess, a sentence, an example and an exercise are computed with all heads on, once; the model answers ${how}`, async () => {
    const model = make();
    const html = `${MAP}<field-exercise exercise="x" map="it" sentence="hot milk">${baked([])}</field-exercise>`;
    const map = await drawLive(html, model);
    const act = async (does) => {
      setFigure(map, { off: "0.1", view: "matrix" });
      await settled();
      assert.deepEqual([map.off, map.querySelector("input:checked").value], ["0.1", "matrix"]);
      model.calls.length = 0;
      does();
      await settled();
      assert.deepEqual([map.off, map.querySelector("input:checked").value], ["", "paint"]);
      return calls(model);
    };
    assert.deepEqual(await act(() => type(map, "Sentence", "my tea")), [["my tea", ""]]);
    assert.deepEqual(await act(() => press(map, "cold tea")), [["cold tea", ""]]);
    document.querySelector("field-exercise form").requestSubmit();
    const show = () => press(document.querySelector("field-exercise"), "Show it on the map");
    assert.deepEqual(await act(show), [["hot milk", ""]]);
    press(map, "rest");
    type(map, "Sentence", "tea");
    await settled();
    assert.equal(map.off, "0.2", "turned off by hand, it stays");
    press(map, "no tea");
    await settled();
    assert.equal(map.off, "", "but not for an example");
  });

test("a row of a table that is worth trying begins with all heads on", async () => {
  const map = await drawLive(`${MAP}<table><tr><th>type this</th></tr><tbody><tr><td><em>so much tea</em></td></tr></tbody></table>`, mapModel()); // prettier-ignore
  press(map, "rest");
  press(document, "so much tea");
  assert.deepEqual([map.sentence, map.off], ["so much tea", ""]);
});

test("what a link sets goes with the next sentence, also where it has opened the page", async () => {
  const link = "#map=it&sentence=no+tea&view=matrix&off=0.1";
  const map = await drawLive(MAP, mapModel(), link);
  const seen = () => [map.sentence, map.off, map.querySelector("input:checked").value];
  assert.deepEqual(seen(), ["no tea", "0.1", "matrix"]);
  type(map, "Sentence", "my tea");
  assert.deepEqual(seen(), ["my tea", "", "paint"]);
  follow(link);
  assert.deepEqual(seen(), ["no tea", "0.1", "matrix"]);
  tick(map.querySelector('input[value="grid"]'));
  type(map, "Sentence", "my tea");
  assert.deepEqual(seen(), ["my tea", "", "grid"], "the view is the reader's own");
});

test("what a link or a guess sets of a journey goes with the next sentence; a station that its reader goes to stays", async () => {
  const flow = await drawLive('<attention-flow model="focus" sentence="hot tea"></attention-flow>', focusModel());
  const seen = () => [flow.sentence, flow.station, flow.head, flow.querySelector('[name="causal"]').checked];
  const link = "#figure=attention-flow&sentence=no+tea&head=2&causal=on&station=softmax";
  follow(link);
  assert.deepEqual(seen(), ["no tea", "softmax", 2, true]);
  type(flow, "Sentence", "my tea");
  assert.deepEqual([...seen(), flow.steps.head], ["my tea", "words", 0, false, 0]);
  follow("");
  follow(link);
  flow.seek(6);
  type(flow, "Sentence", "my tea");
  assert.deepEqual(seen(), ["my tea", "heads", 0, false]);
});
