// <whole-model>: what each part adds, the answer so far, and parts that are off.
import assert from "node:assert/strict";
import test from "node:test";
import { answerIn, partMaskOf, soFar } from "../../src/manyheads/web/math/machine.ts";
import { isOn, readOff, reduce, startWith } from "../../src/manyheads/web/figures/whole-model/state.ts";
import { beside, ordinalOf, sizeText } from "../../src/manyheads/web/figures/whole-model/view.ts";
import { pick, walk } from "./dice.mjs";
import { choose, draw, drawLive, heard, isIdle, key, named, once, press, texts, type, until } from "./page.mjs";
import { focusModel, HEADS, HOSTILE, smallDecoder, smallEncoder } from "./small-models.mjs";

const [MIXING, ALL] = [-1, -2];
const live = (attributes = "", model = focusModel()) =>
  drawLive(`<whole-model model="focus" sentence="hot tea or milk" ${attributes}></whole-model>`, model);
const box = (figure, name) => figure.querySelector(`.wm-box[aria-label^="${name}:"]`);
const isPressed = (figure, name) => box(figure, name).getAttribute("aria-pressed") === "true";
const answer = (figure) => texts(figure, ".wm-answer > b")[0];
const closeTo = (found, wanted) => found.forEach((value, at) => assert.ok(Math.abs(value - wanted[at]) < 1e-6));

test("a row for each part, the answer on top, tokens below; the last row is the model's answer", async () => {
  const model = focusModel();
  const figure = await live("", model);
  assert.deepEqual(
    [...figure.querySelectorAll(".wm-box")].map((each) => each.querySelector("span").textContent),
    ["attention", "feed-forward", "attention", "embedding"],
  );
  const { kind } = model.attend("hot tea or milk").predictions;
  const [best, share] = Object.entries(kind).sort(([, one], [, other]) => other - one)[0];
  assert.equal(answer(figure), best);
  assert.equal(texts(figure, ".wm-answer > span")[0], `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}\u00a0%`);
  assert.equal(texts(figure, ".wm-floor .wm-stands > b")[0], "1st");
  assert.deepEqual(texts(figure, ".wm-tokens > span"), ["[CLS]", "hot", "tea", "or", "milk", "[SEP]"]);
  assert.equal(figure.querySelectorAll(".wm-tokens > .wm-read").length, 1);
});

test("a press turns a part off, the answer is the model's without it, and another press turns it on", async () => {
  const model = focusModel();
  const figure = await live('answer="mood"', model);
  const before = figure.machine;
  press(figure, box(figure, "layer 1, feed-forward").getAttribute("aria-label"));
  assert.deepEqual([isPressed(figure, "layer 1, feed-forward"), figure.off], [false, "0.feed-forward"]);
  figure.off = "1.attention 0.2 0.feed-forward";
  assert.deepEqual([isPressed(figure, "layer 2, attention"), figure.off], [false, "1.attention 0.2 0.feed-forward"]);
  figure.off = "0.feed-forward";
  assert.ok(figure.machine.adds.values.subarray(12, 18).every((norm) => norm === 0));
  closeTo(
    figure.machine.scores.values,
    model.machine("hot tea or milk", [
      [true, true, true, false],
      [true, true, true, true],
    ]).scores.values,
  );
  box(figure, "layer 1, feed-forward").click();
  closeTo(figure.machine.scores.values, before.scores.values);
  box(figure, "layer 2, attention").click();
  const heads = [Array(3).fill(true), Array(3).fill(false)];
  const { mood } = model.attend("hot tea or milk", heads).predictions;
  const row = figure.machine.scores.values.slice(-2);
  closeTo(row, Object.values(mood));
  press(figure, "Turn all on");
  assert.ok(isPressed(figure, "layer 2, attention"));
  assert.ok(isIdle(figure, "Turn all on"));
});

test("a layer's name opens it: its heads can be pressed, one by one", async () => {
  const model = focusModel();
  const figure = await live("", model);
  press(figure, "layer 2");
  assert.deepEqual(texts(figure, ".wm-inside .hm-head"), HEADS);
  assert.equal(figure.querySelectorAll(".wm-inside canvas").length, 3);
  for (const name of HEADS) press(figure, name);
  assert.equal(isPressed(figure, "layer 2, attention"), false);
  box(figure, "layer 2, attention").click();
  assert.ok(HEADS.every((name) => named(figure, name).getAttribute("aria-pressed") === "true"));
  box(figure, "layer 2, attention").click();
  press(figure, "mood"); // on again, alone
  assert.deepEqual(
    HEADS.map((name) => named(figure, name).getAttribute("aria-pressed")),
    ["false", "true", "false"],
  );
  const { kind } = model.attend("hot tea or milk", [Array(3).fill(true), [false, true, false]]).predictions;
  closeTo(figure.machine.scores.values.slice(-5, -2), Object.values(kind));
  press(figure, "layer 2");
  assert.equal(figure.querySelector(".wm-inside"), null);
});

test("a head's map leads into its journey and back, which has the sentence, the question and the parts that are off", async () => {
  const model = focusModel();
  const figure = await live('answer="mood" off="0.feed-forward"', model);
  press(figure, "layer 2");
  press(figure, "follow mood");
  const flow = figure.querySelector("attention-flow");
  await until(() => flow.steps);
  const journey = () => [flow.sentence, flow.head, flow.query, flow.steps.headNames[flow.steps.head]];
  assert.deepEqual(journey(), ["hot tea or milk", 1, 0, "mood"]);
  const machine = model.machine("hot tea or milk", partMaskOf([[0, MIXING]], 2, 3), { layer: 1 });
  closeTo(flow.steps.maps.values, machine.inside.weights.values);
  flow.seek(4);
  press(figure, HEADS[2]); // off
  type(figure, "Sentence", "milk");
  await until(() => flow.steps.tokens.length === 3);
  assert.deepEqual([flow.steps.headMask.map(Number), flow.station], [[1, 1, 0], "softmax"]);
  press(figure, "Back to layer 2");
  assert.equal(figure.querySelector("attention-flow"), null);
  press(figure, "layer 1");
  press(figure, "follow head 3");
  await until(() => flow.steps.above);
  assert.deepEqual([flow.head, flow.answer ?? flow.getAttribute("answer"), flow.station], [2, "mood", "softmax"]);
  flow.setAttribute("head", "0"); // as its reader presses one
  await until(() => named(figure, "follow head 1").getAttribute("aria-expanded") === "true");
  press(figure, "layer 1");
  assert.deepEqual([figure.off, figure.querySelector("attention-flow")], ["0.feed-forward 1.2", null]);
});

test("an open layer names the neurons that add most, and what each raises; a layer may have none", async () => {
  const figure = await live('answer="mood"');
  press(figure, "layer 1");
  const { strongest, count } = figure.machine.inside.neurons;
  const lines = [...figure.querySelectorAll(".wm-neurons > li")].map((line) => line.textContent);
  assert.ok(lines.length > 0 && lines.length <= Math.min(5, count));
  assert.equal(lines.length, strongest.length);
  strongest.forEach(({ neuron, raises }, at) => {
    assert.ok(lines[at].startsWith(`neuron ${neuron + 1}+`));
    const raised = raises.filter(([question]) => question === "mood").map(([, label]) => label);
    assert.ok(raised.length ? raised.every((label) => lines[at].includes(label)) : /hardly/.test(lines[at]));
  });
  box(figure, "layer 1, feed-forward").click();
  assert.equal(figure.querySelectorAll(".wm-neurons > li").length, 0);
  assert.match(texts(figure, ".wm-inside > div > p")[0], /is off/);
  press(figure, "layer 2");
  assert.match(texts(figure, ".wm-inside > div > p")[0], /no feed-forward part/);
});

test("without words there's no answer", async () => {
  const figure = await live();
  type(figure, "Sentence", "");
  assert.deepEqual(figure.machine.labels, []);
  assert.equal(answer(figure), "");
  assert.match(texts(figure, ".wm-answer")[0], /Without words/);
  assert.ok([...figure.querySelectorAll(".wm-floor .wm-stands")].every(({ hidden }) => hidden));
  type(figure, "Sentence", "tea");
  assert.ok(answer(figure));
});

test("another question has another answer, without another computation", async () => {
  const model = focusModel();
  const figure = await live("", model);
  const { machine } = figure;
  choose(figure, "Answer", "mood");
  assert.equal(figure.machine, machine);
  assert.ok(["good", "bad"].includes(answer(figure)) || machine.labels.some(([, label]) => label === answer(figure)));
  assert.match(texts(figure, ".wm-top > .wm-stands")[0], /among 2$/);
});

test("a key gives other numbers, parts stay off, and the page is told", async (t) => {
  const figure = await live();
  box(figure, "layer 1, attention").click();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told = once(document, "attention");
  type(figure, "Sentence", "milk");
  assert.equal(await told, figure.machine);
  assert.deepEqual(figure.machine.tokens, ["[CLS]", "milk", "[SEP]"]);
  assert.equal(isPressed(figure, "layer 1, attention"), false);
  assert.match(heard(figure, t.mock.timers), /^kind: .*, with 1 part off\./);
  type(figure, "Sentence", HOSTILE);
  assert.deepEqual([texts(figure, ".wm-tokens > span")[1], figure.querySelectorAll("img").length], [HOSTILE, 0]);
});

test("what the build has computed answers until the model does", async () => {
  const model = focusModel();
  const data = (off) => {
    const { labels, ...rest } = model.machine("hot tea", partMaskOf(readOff(off), 2, 3));
    const plain = ({ shape, values }) => ({ shape, values: [...values] });
    return { sentence: "hot tea", off, ...rest, labels, adds: plain(rest.adds), scores: plain(rest.scores) };
  };
  const stored = JSON.stringify({ stored: [data(""), data("0.feed-forward")] });
  const figure = await draw(
    `<whole-model sentence="hot tea"><script type="application/json">${stored}</script></whole-model>`,
  );
  assert.equal(figure.querySelector("textarea"), null, "no model, nothing to type");
  figure.lend({ off: "0.feed-forward" });
  assert.equal(isPressed(figure, "layer 1, feed-forward"), false);
  closeTo(figure.machine.scores.values, model.machine("hot tea", partMaskOf([[0, MIXING]], 2, 3)).scores.values);
});

test("the encoder's answer is the topic that is nearest", async () => {
  const figure = await live("", (await smallEncoder()).model);
  const { machine } = figure;
  assert.equal(machine.unit, "similarity");
  assert.equal(answer(figure), machine.labels[answerIn(machine, "")][1]);
  assert.equal(figure.querySelectorAll(".wm-tokens > .wm-read").length, machine.tokens.length);
});

test("a decoder answers at once, and then reads the words so far: a key in between waits for one piece of them at most", async () => {
  const { model, worker } = await smallDecoder();
  const figure = await live("", model);
  await figure.settled;
  const standings = () => texts(figure, ".wm-floor .wm-stands > b");
  const stale = () => figure.querySelectorAll(".wm-floor .wm-stands.hm-stale").length;
  const before = standings();
  assert.deepEqual([stale(), before.every(Boolean)], [0, true]);
  worker.asked.length = 0;
  type(figure, "Sentence", "milk");
  await until(() => figure.machine.tokens.length === 1);
  assert.equal(stale(), 4, "all but the last");
  assert.deepEqual(standings().slice(1), before.slice(1));
  type(figure, "Sentence", "milk or tea");
  await figure.settled;
  const { whole } = worker.asked.at(-1);
  assert.deepEqual([stale(), whole], [0, { layer: null }]);
  const asked = worker.asked.map(({ text, whole: { ahead, soFar } }) => [text, ahead ? "ahead" : soFar]);
  assert.deepEqual(asked, [
    ["milk", false],
    ["milk", "ahead"],
    ["milk or tea", false],
    ["milk or tea", "ahead"],
    ["milk or tea", "ahead"],
    ["milk or tea", undefined],
  ]);
  box(figure, "layer 1, attention").click();
  await figure.settled;
  assert.equal(stale(), 0);
  assert.equal(answer(figure), figure.machine.labels[0][1]);
});

test("of another model what is stored is shown until it answers, and without that the picture is out of date", () => {
  const one = { sentence: "tea", off: [], numHeads: 3, parts: ["embedding", "layer 1, attention"] };
  const other = { ...one, parts: ["embedding"] };
  for (const sentence of ["tea", "milk"]) {
    const start = startWith({ sentence, off: [[0, 1]], layer: 0 }, [one]);
    const lost = reduce(reduce(start, { type: "show", machine: other, whole: other }), { type: "lose" });
    assert.deepEqual([lost.chosen.off, lost.chosen.layer, lost.forgot], [[], null, true]);
    assert.deepEqual([lost.machine, lost.stale], sentence === "tea" ? [one, false] : [other, true]);
    const shown = reduce(lost, { type: "show", machine: other, whole: other });
    assert.deepEqual([shown.stale, shown.forgot], [false, true]);
    assert.equal(reduce(shown, { type: "open", layer: 0 }).forgot, false);
  }
});

test("where an answer stands, and the mask of parts", () => {
  const machine = {
    labels: [
      ["a", "x"],
      ["b", "one"],
      ["b", "two"],
      ["b", "three"],
    ],
    scores: { shape: [2, 4], values: Float32Array.from([9, 0.1, 0.5, 0.4, 9, 0.2, 0.1, 0.7]) },
  };
  assert.deepEqual([answerIn(machine, ""), answerIn(machine, "b"), answerIn(machine, "b: one")], [0, 3, 1]);
  assert.deepEqual(
    soFar(machine, 3).map(({ standing, best }) => [standing, best]),
    [
      [2, 2],
      [1, 3],
    ],
  );
  assert.equal(partMaskOf([[7, 0]], 2, 2), null, "a layer that isn't there");
  assert.deepEqual(partMaskOf(readOff("0.attention 1.0 1.feed-forward"), 2, 2), [
    [false, false, true],
    [false, true, false],
  ]);
});

test("numbers are written shortly", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 112, 1012].map(ordinalOf), [
    ...["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "1,012th"],
  ]);
  assert.deepEqual([0, 999, 41_632, 999_499, 999_500, 4_883_680, 11_918_592].map(sizeText), [
    ...["0", "999", "42 k", "999 k", "1.0 M", "4.9 M", "12 M"],
  ]);
});

test("after any actions a part is on unless it or all heads around it are off, and a press turns it", () => {
  const machine = {
    numHeads: 3,
    parts: ["embedding", "layer 1, attention", "layer 1, feed-forward", "layer 2, attention"],
  };
  const start = () => reduce(startWith({ sentence: "tea" }), { type: "show", machine, whole: machine });
  const parts = [0, 1, 2, MIXING, ALL];
  const anyAction = (roll) =>
    pick(roll, [
      { type: "press", layer: roll(2), part: pick(roll, parts) },
      { type: "press", layer: roll(2), part: pick(roll, parts) },
      { type: "open", layer: roll(2) },
      {
        type: pick(roll, ["choose", "take", "lend"]),
        parts: pick(roll, [
          { sentence: "milk" },
          {
            off: [
              [0, 1],
              [1, ALL],
            ],
          },
          { off: [] },
        ]),
      },
    ]);
  walk(
    start,
    anyAction,
    (state, action) => ({ state: reduce(state, action) }),
    ({ before, action, after }) => {
      const on = (state, layer, part) => isOn(state, layer, part);
      for (const layer of [0, 1]) {
        assert.equal(
          on(after, layer, ALL),
          [0, 1, 2].some((head) => on(after, layer, head)),
        );
        const row = partMaskOf(after.chosen.off, 2, 3)?.[layer] ?? [true, true, true, true];
        assert.deepEqual(
          row,
          [0, 1, 2, MIXING].map((part) => on(after, layer, part)),
          "as the model is asked",
        );
      }
      if (action.type !== "press") return;
      assert.equal(on(after, action.layer, action.part), !on(before, action.layer, action.part));
      const other = 1 - action.layer;
      assert.deepEqual(
        parts.map((part) => on(after, other, part)),
        parts.map((part) => on(before, other, part)),
      );
    },
  );
});

test("its parts are one stop of the Tab key, and arrow keys lead from one to the one beside it", async () => {
  const stop = (figure) => {
    const stops = [...figure.querySelectorAll(".wm-stack button")].filter(({ tabIndex }) => tabIndex === 0);
    assert.equal(stops.length, 1);
    return stops[0].getAttribute("aria-label").split(":")[0];
  };
  const walks = (figure, ...keys) =>
    keys.map((name) => (key(figure.querySelector('.wm-stack [tabindex="0"]'), `Arrow${name}`), stop(figure)));

  const figure = await live();
  assert.equal(stop(figure), "layer 2");
  assert.deepEqual(walks(figure, "Right", "Down", "Down", "Left", "Up", "Up", "Left"), [
    "layer 2, attention",
    "layer 1, feed-forward",
    "layer 1, attention",
    "layer 1",
    "layer 2",
    "layer 2",
    "layer 2",
  ]);
});

test("where layers are folded, up and down stay in their column, and at an end there is no more", () => {
  const lines = [
    ["2", "attention 2", "feed-forward 2"],
    ["1", "attention 1", "feed-forward 1"],
  ];
  const [up, down, left, right] = [
    [-1, 0],
    [1, 0],
    [0, -1],
    [0, 1],
  ];
  assert.equal(beside(lines, "feed-forward 2", down), "feed-forward 1");
  assert.equal(beside(lines, "1", up), "2");
  assert.equal(beside(lines, "1", right), "attention 1");
  assert.deepEqual(
    [
      ["2", up],
      ["1", down],
      ["1", left],
      ["feed-forward 1", right],
      ["another", down],
    ].map(([from, step]) => beside(lines, from, step)),
    Array(5).fill(undefined),
  );
});
