// <attention-flow>: one word's journey, station by station, by buttons, keys, the scrubber and Play.
import assert from "node:assert/strict";
import test from "node:test";
import { choose, draw, heard, isHere, isIdle, key, named, once, page, point, press, status, texts, type } from "./page.mjs";
import { focusModel, HOSTILE, tokensOf } from "./small-models.mjs";

async function live(attributes = "", model = focusModel()) {
  const flow = await draw(`<attention-flow model="focus" sentence="hot tea or milk" ${attributes}></attention-flow>`, { focus: isHere(model) });
  await flow.ready;
  return flow;
}

const caption = (flow) => texts(flow, ".af-caption span")[0];
const current = (flow) => texts(flow, '[aria-current="step"]');
const scrubber = (flow) => named(flow, "Journey");

test("its stations have names, in their order; each has a sentence", async () => {
  const flow = await live('head="1" query="2"');
  assert.deepEqual(flow.stations, ["words", "keys", "scores", "softmax", "values", "heads", "mix", "answer"]);
  const told = flow.stations.map((name) => {
    flow.station = name;
    assert.equal(flow.station, name);
    return caption(flow);
  });
  assert.equal(new Set(told).size, 8);
  assert.match(told[1], /^“tea” asks with its query, and every word has a key: 2 numbers each, made by the head “mood”\.$/);
  assert.match(told[7], /^The model reads its answers from “\[CLS\]” alone, not from “tea”\. Mood: (good|bad), \d/);
});

test("Next, Back and arrow keys walk the stations; the page is told of each", async () => {
  const flow = await live();
  assert.deepEqual([current(flow), isIdle(flow, "← Back"), isIdle(flow, "Next →")], [["Words"], true, false]);
  const seen = [];
  document.addEventListener("station", ({ detail }) => seen.push(detail));
  for (let step = 0; step < 9; step++) press(flow, "Next →");
  assert.deepEqual(seen, flow.stations.slice(1));
  assert.deepEqual([current(flow), isIdle(flow, "Next →")], [["Answer"], true]);
  for (const [pressed, at] of [["ArrowLeft", "Mix"], ["Home", "Words"], ["ArrowLeft", "Words"], ["ArrowRight", "Keys"], ["End", "Answer"]]) {
    assert.ok(key(scrubber(flow), pressed));
    assert.deepEqual(current(flow), [at]);
  }
  press(flow, "Scores");
  assert.equal(flow.station, "scores");
});

test("keys undo what was typed as one, where no button does", async () => {
  const flow = await live();
  const box = named(flow, "Sentence");
  const undo = (shiftKey) => box.dispatchEvent(new KeyboardEvent("keydown", { key: "z", metaKey: true, shiftKey, cancelable: true }));
  for (const text of ["hot tea or milk?", "hot tea or milk??"]) {
    box.dispatchEvent(new Event("beforeinput"));
    type(flow, "Sentence", text);
  }
  undo(false);
  assert.deepEqual([flow.sentence, box.value], ["hot tea or milk", "hot tea or milk"]);
  undo(false);
  undo(true);
  assert.deepEqual([flow.sentence, box.value], ["hot tea or milk??", "hot tea or milk??"]);
});

test("arrow keys in the sentence's box write, and don't travel", async () => {
  const flow = await live();
  assert.equal(key(named(flow, "Sentence"), "ArrowRight"), false);
  assert.equal(flow.station, "words");
});

test("the scrubber stops anywhere, and says at which station", async () => {
  const flow = await live();
  type(flow, "Journey", 2.5);
  assert.deepEqual([flow.station, scrubber(flow).getAttribute("aria-valuetext")], ["softmax", "4 of 8: Softmax"]);
  press(flow, "← Back");
  assert.equal(flow.station, "scores");
});

test("from the end it plays from the start", async () => {
  const flow = await live();
  flow.station = "answer";
  press(flow, "▶ Play");
  press(flow, "❚❚ Pause");
  assert.equal(flow.station, "words");
});

for (const still of [false, true]) test(`Play goes to the answer, names each station once, and stops; Pause holds it; less motion: ${still}`, async (t) => {
  const flow = await live();
  page.still = still;
  let now = 0;
  const frames = [];
  t.mock.method(globalThis, "requestAnimationFrame", (call) => frames.push(call));
  t.mock.method(globalThis, "cancelAnimationFrame", () => frames.splice(0));
  const run = (time) => {
    for (const end = now + time; now < end && frames.length; now += 100) frames.shift()(now);
  };
  const seen = [];
  flow.addEventListener("station", ({ detail }) => seen.push(detail));
  press(flow, "▶ Play");
  run(4000);
  press(flow, "❚❚ Pause");
  const at = scrubber(flow).value;
  run(9000);
  assert.equal(scrubber(flow).value, at);
  press(flow, "▶ Play");
  run(60_000);
  assert.deepEqual([seen, flow.station, Boolean(named(flow, "▶ Play"))], [flow.stations.slice(1), "answer", true]);
});

test("another word asks and another head looks, by list or by a press into the picture", async () => {
  const flow = await live('station="heads"');
  choose(flow, "Asked by", 3);
  choose(flow, "Head", 2);
  assert.deepEqual([flow.steps.head, flow.station], [2, "heads"], "the journey stays where it is");
  const place = (what) => flow.querySelector(`[data-press="${what}"]`);
  flow.station = "keys";
  point(place("query 1"), "click");
  assert.equal(named(flow, "Asked by").value, "1");
});

test("what is pointed at says what it is, with its number, until the pointer leaves", async () => {
  const flow = await live('station="softmax"');
  const said = () => texts(flow, ".af-pointed")[0];
  const hint = said();
  assert.match(hint, /^Point at anything/);
  point(flow.querySelector(".af-stage [data-press]"), "pointermove");
  assert.notEqual(said(), hint);
  point(flow.querySelector(".af-stage"), "pointerleave");
  assert.equal(said(), hint);
});

test("the numbers of a station open at the same step, word and head", async () => {
  const flow = await live('station="values" head="1" query="2"');
  const { href } = flow.querySelector("a.af-numbers");
  const parts = Object.fromEntries(new URLSearchParams(new URL(href).hash.slice(1)));
  assert.deepEqual(parts, { figure: "formula-steps", sentence: "hot tea or milk", head: "1", word: "2", step: "context" });
});

test("a sentence that is typed is computed and told; one word or none is answered calmly", async () => {
  const flow = await live();
  const told = once(document, "steps");
  type(flow, "Sentence", "tea");
  assert.deepEqual([(await told).tokens, flow.sentence], [tokensOf("tea"), "tea"]);
  type(flow, "Sentence", "");
  for (const name of flow.stations) flow.station = name;
  assert.equal(caption(flow), "Nothing is read from this output.");
  assert.equal(status(flow), "Ready: computed in this page as you type.");
});

test("what a step came to is said once", async (t) => {
  const flow = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (let step = 0; step < 3; step++) press(flow, "Next →");
  assert.equal(heard(flow, t.mock.timers), `Softmax. ${caption(flow)}`);
});

test("words that look like HTML are text at every station", async () => {
  const flow = await live('query="1"');
  type(flow, "Sentence", `${HOSTILE} tea`);
  for (const name of flow.stations) {
    flow.station = name;
    assert.equal(flow.querySelectorAll("img, script").length, 0, name);
  }
  assert.ok(texts(flow, "option").includes(HOSTILE));
});
