// A model that comes on request: it is offered with its size, loads, is paused and goes on, fails and is tried again. What was
// typed meanwhile is answered.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, named, page, point, press, same, says, settled, status, type, until } from "./page.mjs";
import { mapModel, slowModel, tokensOf } from "./small-models.mjs";

const { Fault, WHY } = await import("../../src/manyheads/web/math/faults.ts");

const OFFER = /^This is a computed example\. Load the encoder \(22\.5 MB\)$/;
const READY = /^Ready: computed in your browser as you type\.$/;
const MAP = '<head-map model="encoder" sentence="hot tea"></head-map>';

/** A large family of models whose loading a test ends; `loads` holds each, in their order. */
function large(model = slowModel()) {
  const loads = [];
  const load = (variant, { progress, signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Fault(WHY.paused)));
      loads.push({ progress, come: () => resolve(model), fail: reject });
    });
  return { load, loads, missingBytes: async () => 22_500_000 };
}

async function offered(html = MAP) {
  const encoder = large();
  const map = await draw(html, { encoder });
  await says(map, OFFER);
  return { map, encoder, loads: encoder.loads };
}

async function loading(html) {
  const made = await offered(html);
  press(made.map, "Load the encoder (22.5 MB)");
  await says(made.map, /^Loading the model/);
  await until(() => made.loads.length);
  return made;
}

test("nothing large comes before the reader asks, whatever is pointed at or typed", async () => {
  const { map, loads } = await offered();
  point(map, "pointerenter");
  type(map, "Sentence", "cold tea");
  await says(map, /^Your text will be answered once the encoder has loaded\. Load the encoder/);
  assert.equal(loads.length, 0);
});

test("it stands below all sentences, also where two are compared", async () => {
  const { map } = await offered(MAP.replace("hot tea", 'hot tea" compare="cold tea'));
  const boxes = [...map.querySelectorAll(".hm-sentence")];
  assert.equal(boxes.length, 2);
  const follows = (box) =>
    box.compareDocumentPosition(map.querySelector(".hm-status")) & Node.DOCUMENT_POSITION_FOLLOWING;
  assert.ok(boxes.every(follows));
});

for (const [name, attributes] of Object.entries({
  "head-map": 'model="encoder" sentence="hot tea"',
  "attention-flow": 'model="encoder" layer="0" sentence="hot tea"',
  "word-sense": 'sentence="I went to the bank." word="bank"',
  "next-word": 'text="hot"',
}))
  test(`${name} offers its model right below the sentence`, async () => {
    const figure = await draw(`<${name} ${attributes}></${name}>`, { encoder: large(), decoder: large() });
    const parts = [...figure.children].filter(({ hidden }) => !hidden);
    const place = (selector) => parts.findIndex((part) => part.matches(selector) || part.querySelector(selector));
    assert.equal(place(".hm-offer"), place(".hm-sentence") + 1);
  });

test("it says how far it has come, and answers what was typed meanwhile", async () => {
  const {
    map,
    loads: [load],
  } = await loading();
  load.progress(4_000_000, 22_500_000);
  assert.equal(status(map), "Loading the model: 4.0 of 22.5 MB. Pause");
  assert.equal(map.querySelector("progress").value, 4 / 22.5);
  for (const text of ["cold", "cold tea"]) type(map, "Sentence", text);
  assert.equal(named(map, "Sentence").value, "cold tea");
  load.come();
  await says(map, READY);
  assert.equal(map.querySelector("progress"), null);
  assert.deepEqual(map.attention.keyTokens, tokensOf("cold tea"));
});

test("paused, it says so; resumed, it goes on", async () => {
  const { map, loads } = await loading();
  loads[0].progress(4_000_000, 22_500_000);
  press(map, "Pause");
  await says(map, /^Paused\. What has arrived whole is kept\. Resume$/);
  assert.equal(map.attention, null);
  press(map, "Resume");
  await says(map, /^Loading the model/);
  await until(() => loads.length === 2);
  loads[1].progress(9_000_000, 22_500_000);
  assert.equal(status(map), "Loading the model: 9.0 of 22.5 MB. Pause");
  loads[1].come();
  await says(map, READY);
});

test("paused, it fetches nothing for what is typed, until it's asked for again", async () => {
  const { map, loads } = await loading();
  loads[0].progress(4_000_000, 22_500_000);
  press(map, "Pause");
  await says(map, /^Paused\./);
  type(map, "Sentence", "cold tea");
  await says(map, /^Your text will be answered once the encoder has loaded\. Load the encoder/);
  assert.equal(loads.length, 1);
  press(map, "Load the encoder (22.5 MB)");
  await until(() => loads.length === 2);
  loads[1].come();
  await says(map, READY);
  assert.deepEqual(map.attention.keyTokens, tokensOf("cold tea"));
});

test("a part that does not arrive is told; tried again, it works, and nothing typed is lost", async () => {
  const { map, loads } = await loading();
  type(map, "Sentence", "is this lost");
  loads[0].fail(new Fault(WHY.absent));
  await says(
    map,
    /^The model could not be loaded: a part of it did not arrive\. Check the network, then try again or reload the page\. What you see stays\. Try again$/,
  );
  press(map, "Try again");
  await until(() => loads.length === 2);
  loads[1].come();
  await says(map, READY);
  assert.deepEqual(map.attention.keyTokens, tokensOf("is this lost"));
});

test("no words of an engine reach a reader", async () => {
  const { map, loads } = await loading();
  loads[0].fail(new TypeError("WebAssembly.instantiate(): expected magic word"));
  await says(map, /^The model could not be loaded: something went wrong\./);
});

test("a model that one figure loads is at once all the others'", async () => {
  const { map, loads } = await offered(`${MAP}${MAP}`);
  const other = document.querySelectorAll("head-map")[1];
  await says(other, OFFER); // each asks for the size by itself
  press(other, "Load the encoder (22.5 MB)");
  await until(() => loads.length);
  loads[0].come();
  await Promise.all([says(map, READY), says(other, READY)]);
  assert.equal(loads.length, 1);
});

test("a script that asks for ready need not press", async () => {
  const encoder = large();
  page.seen = false;
  const map = await draw(MAP, { encoder });
  const { ready } = map;
  await until(() => encoder.loads.length);
  encoder.loads[0].come();
  await ready;
  assert.deepEqual(map.attention.keyTokens, tokensOf("hot tea"));
});

test("a button of the status that had the focus leaves it to the line, not to the page", async () => {
  const { map, loads } = await offered();
  const button = named(map, "Load the encoder (22.5 MB)");
  button.focus();
  button.click();
  same(document.activeElement, map.querySelector("[role=status]"));
  await until(() => loads.length); // else it would be the next page that is asked
});

test("a model that stops is loaded anew", async () => {
  const stopped = mapModel({ broken: false });
  const encoder = large(stopped);
  const map = await draw(MAP, { encoder });
  await says(map, OFFER);
  map.ready;
  await until(() => encoder.loads.length);
  encoder.loads[0].come();
  await says(map, READY);
  Object.assign(stopped, { broken: true, attend: () => Promise.reject(new Fault(WHY.stopped)) });
  type(map, "Sentence", "cold tea");
  await says(map, /^The map could not be computed: the model stopped, perhaps for want of memory/);
  press(map, "Try again");
  await until(() => encoder.loads.length === 2);
  Object.assign(stopped, slowModel(), { broken: false });
  encoder.loads[1].come();
  await says(map, READY);
  assert.deepEqual(map.attention.keyTokens, tokensOf("cold tea"));
});

test("removed while its model loads, a map goes on where it is put back", async () => {
  const { map, loads } = await loading();
  map.remove();
  await settled();
  loads[0].come();
  await settled();
  assert.equal(map.attention, null);
  document.body.append(map);
  await says(map, READY);
  assert.deepEqual(map.attention.keyTokens, tokensOf("hot tea"));
});

test("an answer that takes long says that it is computed", async (t) => {
  const answers = [];
  const slow = {
    ...mapModel(),
    attend: (sentence) => new Promise((done) => answers.push(() => done(mapModel().attend(sentence)))),
  };
  const map = await draw('<head-map model="focus" sentence="hot tea"></head-map>', { focus: { load: () => slow } });
  map.ready;
  await until(() => answers.length);
  answers.pop()();
  await says(map, READY);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  type(map, "Sentence", "cold tea");
  t.mock.timers.tick(399);
  assert.match(status(map), READY);
  t.mock.timers.tick(1);
  assert.equal(status(map), "Computing.");
  t.mock.timers.reset();
  answers.pop()();
  await says(map, READY);
});

for (const [figure, attributes, failure] of [
  ["next-word", 'text="hot tea"', "language model"],
  ["word-sense", 'sentence="hot tea"', "encoder"],
])
  test(`<${figure}> offers its model, and what is typed waits for it`, async () => {
    const family = large();
    const element = await draw(`<${figure} ${attributes}></${figure}>`, { decoder: family, encoder: family });
    await says(element, new RegExp(`^This is a computed example\\. Load the ${failure} \\(22\\.5 MB\\)$`));
    type(element, figure === "next-word" ? "Text so far" : "Sentence", "cold tea");
    await says(element, new RegExp(`^Your text will be answered once the ${failure} has loaded\\.`));
    assert.equal(family.loads.length, 0);
  });
