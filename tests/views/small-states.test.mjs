// The states of figures that ask no model: what holds after any actions. No DOM.
import assert from "node:assert/strict";
import test from "node:test";
import * as blend from "../../src/manyheads/web/figures/blend-triangle/state.ts";
import * as list from "../../src/manyheads/web/figures/exercise-list/state.ts";
import * as exercise from "../../src/manyheads/web/figures/field-exercise/state.ts";
import * as guess from "../../src/manyheads/web/figures/figure-guess/state.ts";
import * as cache from "../../src/manyheads/web/figures/growing-cache/state.ts";
import * as oneStep from "../../src/manyheads/web/figures/one-step/state.ts";
import * as slider from "../../src/manyheads/web/figures/result-slider/state.ts";
import * as cards from "../../src/manyheads/web/figures/head-cards/state.ts";
import * as opener from "../../src/manyheads/web/figures/open-model/state.ts";
import * as rotary from "../../src/manyheads/web/figures/rotary-positions/state.ts";
import * as softmax from "../../src/manyheads/web/figures/softmax-scale/state.ts";
import { pick, walk } from "./dice.mjs";
import { makeMap } from "./small-models.mjs";

/** An element with such attributes, as far as a state reads it. */
const element = (attributes) => ({ getAttribute: (name) => attributes[name] ?? null });
const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
const walkOf = ({ reduce }, start, anyAction, check) =>
  walk(start, anyAction, (state, action) => ({ state: reduce(state, action) }), check);

test("a key and a query stay among the positions; moved together, they stay as far apart", () => {
  const move = (roll) => ({ type: "move", arrow: pick(roll, rotary.ARROWS), to: roll(rotary.LAST + 1) });
  const join = (roll) => ({ type: "join", together: roll(2) === 1 });
  walkOf(
    rotary,
    rotary.start,
    (roll) => pick(roll, [move, move, join])(roll),
    ({ before, after }) => {
      for (const arrow of rotary.ARROWS) assert.ok(after[arrow] >= 0 && after[arrow] <= rotary.LAST);
      if (before.together) assert.equal(after.key - after.query, before.key - before.query);
    },
  );
});

test("a cache computes each word once, and without one each is computed for every word after it", () => {
  const start = (roll) =>
    cache.start(element({ words: "a b c d e f".slice(0, 2 * roll(6) + 1), layers: "2", width: "4", heads: "3" }));
  const anyAction = (roll) =>
    pick(roll, [
      { type: "write" },
      { type: "write" },
      { type: "restart" },
      { type: "guess", pressed: pick(roll, [null, 0, 2]) },
      { type: "share", heads: 1 + roll(9) },
    ]);
  walkOf(cache, start, anyAction, ({ before, after }) => {
    const { count, words, guess } = after;
    assert.ok(count >= 1 && count <= words.length);
    const laid = (bricks) => sum(bricks.map(([number]) => number));
    assert.deepEqual([laid(cache.withCache(after)), laid(cache.without(after))], [count, (count * (count + 1)) / 2]);
    assert.equal(cache.bytesOf(after, 1), 2 * 2 * after.heads * 4 * 2);
    if (before.guess.stage !== "open") assert.equal(guess.pressed, before.guess.pressed, "the first guess counts");
    if (guess.stage === "plays") assert.ok(count < words.length || words.length === 1, "the last word answers");
  });
});

test("a result is shown of one of its steps, whatever is named", () => {
  const results = { name: "", steps: ["1", "2", "8"], series: [], unit: "", digits: 0, start: 1 };
  const anyAction = (roll) =>
    pick(roll, [
      { type: "go", at: roll(3) },
      { type: "take", parts: { at: pick(roll, ["1", "8", "3", ""]) } },
    ]);
  walkOf(
    slider,
    () => slider.start(null, results),
    anyAction,
    ({ before, action, after }) => {
      const wanted = action.type === "go" ? results.steps[action.at] : action.parts.at;
      const known = results.steps.includes(wanted);
      assert.equal(results.steps[after.at], known ? wanted : results.steps[before.at]);
    },
  );
});

test("the weights of a blend are never below 0 and sum to 1; one head reaches nothing outside of the triangle", () => {
  const start = () => blend.start(element({ words: "I love coffee", values: "0.2 0.1, 0 1, 1 0" }));
  const anyAction = (roll) =>
    pick(roll, [
      { type: "choose", both: roll(2) === 1 },
      { type: "move", head: roll(2), to: [roll(20) / 10 - 0.5, roll(20) / 10 - 0.5] },
    ]);
  walkOf(blend, start, anyAction, ({ after }) => {
    for (const weights of after.heads) {
      assert.ok(Math.min(...weights) >= 0);
      assert.ok(Math.abs(sum(weights) - 1) < 1e-9);
    }
    assert.ok(after.both || !blend.isReached(after));
  });
});

test("the numbers of a key stay as its width changes, and the weights of each row sum to 1", () => {
  const anyAction = (roll) => (roll(20) ? { type: "widen", at: roll(softmax.WIDTHS.length) } : { type: "roll" });
  const first = softmax.start();
  walkOf(
    softmax,
    () => first,
    anyAction,
    ({ before, action, after }) => {
      assert.equal(before.numbers === after.numbers, action.type === "widen");
      const { scores, unscaled, scaled, width } = softmax.weighed(after);
      for (const weights of [unscaled, scaled]) assert.ok(Math.abs(sum(weights) - 1) < 1e-5);
      assert.ok(Math.max(...scores.map(Math.abs)) <= (width === 512 ? after.reach : Infinity));
    },
  );
});

test("the first press of a guess counts; its figure is covered until it's used or has answered, and stays so while it plays", () => {
  const question = { question: "?", answers: ["tea", "no"], right: 1, says: "", sets: {} };
  const anyAction = (roll) =>
    pick(roll, [
      { type: "press", pressed: pick(roll, [null, 0, 1]), plays: roll(2) === 1 },
      { type: "use" },
      { type: "use" },
      { type: "answer" },
    ]);
  const start = () => guess.start(null, question);
  walkOf(guess, start, anyAction, ({ before, action, after }) => {
    const order = ["open", "plays", "shown"];
    assert.ok(order.indexOf(after.guess.stage) >= order.indexOf(before.guess.stage));
    if (before.guess.stage !== "open") assert.equal(after.guess.pressed, before.guess.pressed);
    if (after.guess.stage === "shown") assert.ok(!after.covered);
    if (before.guess.stage === "plays" && action.type === "use") assert.equal(after, before);
    if (after.covered) assert.ok(before.covered, "what was uncovered stays so");
    assert.ok(!guess.awaitsUse(after) || after.guess.stage === "open");
  });
});

test("an exercise is right where each of its fields is, which is judged by itself; cleared, nothing is told of it", () => {
  const fields = [
    { kind: "word", label: "Who?", answer: "tea", hints: {} },
    { kind: "choice", label: "Which?", answer: "[CLS]", hints: {}, options: ["[CLS]", "tea"] },
    { kind: "number", label: "How much?", answer: "0.5", hints: { 2: "Divide." } },
  ];
  const answers = [
    ["tea", "Tea.", "milk", ""],
    ["[CLS]", "tea", ""],
    ["1/2", "2", "50", "x", ""],
  ];
  const isRightAt = [2, 1, 1]; // as many of the answers, from the first, are right
  const anyAction = (roll) =>
    roll(5) ? { type: "check", typed: answers.map((texts) => pick(roll, texts)) } : { type: "clear" };
  const start = () => exercise.start(element({ exercise: "drinks" }), fields);
  walkOf(exercise, start, anyAction, ({ action, after }) => {
    const verdicts = exercise.verdictsOf(after);
    assert.equal(verdicts.length, action.type === "check" ? fields.length : 0);
    const wanted = (action.typed ?? []).map((text, at) => answers[at].indexOf(text) < isRightAt[at]);
    assert.deepEqual(
      verdicts.map(({ right }) => right),
      wanted,
    );
    for (const { right, reply } of verdicts) assert.match(reply, right ? /^Right\./ : /^Not yet\./);
    assert.equal(exercise.isRight(after), wanted.length > 0 && wanted.every(Boolean));
  });
});

test("exactly those exercises are right that were last read so, and each of them was tried", () => {
  const labels = ["one", "two", "three", "constructor"];
  const kept = (roll) => pick(roll, [null, undefined, { typed: [], right: true }, { typed: [], right: false }]);
  const anyAction = (roll) => {
    const found = [...labels, "gone"].map((label) => [label, kept(roll)]);
    return { type: "take", parts: { progress: Object.fromEntries(found.filter(([, each]) => each !== undefined)) } };
  };
  const start = () => ({ chapters: [["one", "two"], [], ["three", "constructor"]], progress: {} });
  walkOf(list, start, anyAction, ({ before, action, after }) => {
    assert.equal(after.chapters, before.chapters);
    for (const label of labels) {
      const found = action.parts.progress;
      const read = Object.hasOwn(found, label) ? found[label] : null;
      assert.deepEqual([list.isTried(after, label), list.isRight(after, label)], [read !== null, read?.right ?? false]);
    }
  });
});

const scored = (values) => values.map((scores, at) => ({ layer: at >> 2, head: at % 4, behaviour: null, scores }));

test("the card shows the score in which its head ranks best until another is pressed, and rows are all heads or the first of them", () => {
  const scores = ["a", "b", "c"].map((name) => ({ name, says: name, decimals: 1 }));
  const start = (roll) => {
    const values = Array.from({ length: pick(roll, [8, 104]) }, () => scores.map(() => roll(7) / 7));
    const heads = scored(values).map((head) => ({ ...head, behaviour: pick(roll, [null, "previous", "broad"]) }));
    return cards.start(element({ for: "it" }), { scores, sentences: [], heads, causal: false });
  };
  const anyAction = (roll, { data: { heads }, whole }) =>
    pick(roll, [
      { type: "open", head: roll(heads.length) },
      { type: "press", score: 1 + roll(3) },
      { type: "sort", column: roll(4) },
      { type: "take", parts: pick(roll, [{ whole: !whole }, { across: roll(4) }]) },
      {
        type: "take",
        parts: { map: pick(roll, [null, { shape: [heads.length / 4, 4, 2, 2] }, { shape: [4, 4, 2, 2] }]) },
      },
    ]);
  const steps = [
    [0, 1],
    [0, -1],
    [1, 0],
    [-1, 0],
  ];
  walkOf(cards, start, anyAction, ({ before, action, after }) => {
    const { data, opened, score, sorted, map } = after;
    const all = data.heads.length;
    const ranks = scores.map((_, at) => cards.rankOf(data, opened, at + 1));
    if (action.type === "open") assert.equal(ranks[score - 1], Math.min(...ranks));
    if (action.type !== "open" && action.type !== "press") assert.equal(after.score, before.score);
    assert.equal(/^Layer/.test(cards.summary(after)), after.named);
    const rows = cards.rowsOf(after);
    assert.equal(new Set(rows).size, after.whole ? all : Math.min(all, cards.FIRST));
    const values = cards.valuesOf(data, sorted?.column ?? 0);
    const sign = sorted?.descending ? -1 : 1;
    for (const [at, head] of rows.slice(1).entries()) assert.ok(sign * (values[head] - values[rows[at]]) >= 0);
    if (action.type === "sort" && before.sorted?.column === action.column)
      assert.notEqual(sorted.descending, before.sorted.descending);
    assert.equal(cards.mapOfOpened(after) !== null, map !== null && map.shape[0] * map.shape[1] === all);
    const kinds = cards.kindsOf(data).map(({ heads }) => heads);
    assert.equal(new Set(kinds.flat()).size, all);
    const rowWith = (head) => kinds.findIndex((heads) => heads.includes(head));
    for (const [down, right] of steps) {
      const next = cards.headBeside(after, opened, [down, right]);
      if (next === undefined) continue;
      assert.equal(rowWith(next), rowWith(opened) + down);
      if (right) assert.equal(cards.headBeside(after, next, [0, -right]), opened, "and back again");
    }
  });
});

test("what comes of a file counts until another is chosen; a model stays until it's closed or another comes, and a second beside it", () => {
  const signals = Array.from({ length: 3 }, () => new AbortController());
  const models = ["file/one", "file/two", "file/three"].map((name) => ({ name, numHeads: 3 }));
  const makeMaps = (roll) =>
    [1, 2].map((seed) => makeMap({ keyTokens: pick(roll, [["hot"], ["hot", "tea"]]), seed: seed + roll(3) }));
  const anyAction = (roll, { held }) => {
    const of = pick(roll, signals);
    const own = [[{}, [pick(roll, ["focus", "decoder"]), null]]];
    const given = models.filter((model) => !held.some((each) => each.model === model)); // each file makes a model of its own
    return pick(roll, [
      { type: "open", cancels: of, beside: roll(2) === 1 },
      {
        type: "hear",
        of,
        parts: pick(roll, [{ header: { line: "what it is" } }, { status: "Reading." }, { done: 1, total: 2 }]),
      },
      { type: "give", of, model: pick(roll, given), own },
      { type: "give", of, model: pick(roll, given), own },
      { type: "fail", of },
      { type: "close", model: pick(roll, models) },
      { type: "read", maps: makeMaps(roll) },
      { type: "begin", cancels: of, total: 2 },
      { type: "found", of, maps: makeMaps(roll) },
      { type: "stop" },
      { type: "measure", seconds: roll(5) },
      { type: "wait", waits: roll(2) === 1 },
    ]);
  };
  walkOf(opener, opener.start, anyAction, ({ before, action, after }) => {
    if (["hear", "give", "fail"].includes(action.type) && action.of !== before.reading?.cancels)
      assert.equal(after, before);
    const [was, now] = [before, after].map(({ held }) => held.map(({ model }) => model));
    if (String(now) !== String(was)) assert.ok(["give", "close"].includes(action.type));
    if (action.type === "close")
      assert.deepEqual(
        now,
        was.filter((model) => model !== action.model),
      );
    assert.ok(now.length < 3 && new Set(now).size === now.length);
    if (now.length) assert.equal(after.own.length, 1);
    else assert.deepEqual([after.own, after.slow], [[], false]);
    if (now.length < 2) assert.deepEqual([after.here, after.measuring, opener.movers(after)], [null, null, []]);
    if (was.length && now.length) assert.equal(after.own, before.own, "the figures' own, not the file's");
    const rows = opener.movers(after);
    const by = rows[0]?.ours === undefined ? "here" : "ours";
    for (const [at, row] of rows.slice(1).entries()) assert.ok(row[by] <= rows[at][by]);
    assert.equal(opener.movedCsv(after).trim().split("\n").length, rows.length + 1);
    if (["give", "fail"].includes(action.type) && after !== before) {
      assert.equal(after.reading, null);
      if (action.type === "fail") assert.equal(after.status, before.reading.status);
      else if (before.reading.beside && was.length) assert.deepEqual(now, [was[0], action.model]);
      else assert.match(after.status, /^(one|two|three) reads here now\.$/);
    }
  });
});

test("steps that wait follow those that are seen; turning the weight calls them off, and after a step that is lost there is none", () => {
  const stops = [-1, 0, 1].map((weight) => ({ weight, loss: 3 + weight ** 2, slope: 2 * weight, nudged: 2 * weight }));
  const begins = { seed: 0, at: 0, count: 9, here: { weight: 0.5, loss: 3.25, slope: 1, nudged: 1 }, stops };
  const start = () => oneStep.start(element({ dials: "weight step rate" }), begins);
  const found = (roll, { seen }, waiting) => {
    const lost = roll(6) === 0;
    const losses = waiting.slice(0, lost ? 1 + roll(waiting.length) : waiting.length).map(() => roll(9));
    return { ...seen, tensors: {}, losses, lost, here: { ...seen.here, weight: roll(9) - 4 } };
  };
  const anyAction = (roll, state) => {
    const waiting = oneStep.stepsToSee(state);
    if (waiting.length && roll(2)) return { type: "show", found: found(roll, state, waiting) };
    return pick(roll, [
      { type: "turn", stop: roll(stops.length) },
      { type: "step", count: pick(roll, [1, 10]) },
      { type: "step", count: 1 },
      { type: "rate", at: roll(oneStep.RATES.length) },
      ...(roll(5) ? [] : [{ type: "restart" }]),
    ]);
  };
  walkOf(oneStep, start, anyAction, ({ before, action, after }) => {
    const { seen, steps, turned } = after;
    const waiting = oneStep.stepsToSee(after);
    assert.equal(waiting.length, steps.length - (seen.losses.length - 1));
    assert.ok(steps.length <= oneStep.MOST);
    assert.ok(!seen.lost || !waiting.length);
    if (before.seen.lost && action.type === "step") assert.equal(after, before);
    if (action.type === "turn") assert.deepEqual([turned, waiting], [action.stop, []]);
    if (action.type === "step" && after !== before) {
      assert.deepEqual(oneStep.standing(after), oneStep.standing(before), "until it's computed");
      assert.equal(seen.losses.at(-1), waiting[0].from === null ? before.seen.losses.at(-1) : seen.here.loss);
    }
    assert.ok(waiting.every(({ from }, at) => from === null || (at === 0 && from === seen.here.weight)));
    if (action.type === "restart") assert.ok(oneStep.isFirst(after) && seen.here === begins.here);
    const [lowest, highest] = oneStep.rangeOf(after);
    assert.ok(lowest < highest);
  });
});
