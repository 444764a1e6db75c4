// Who is looked at goes first: how often the pretrained models' workers read a text, with figures that follow a map in view and out of it.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, hideTab, isHere, replace, scrollTo, settled, type, until } from "./page.mjs";
import { smallDecoder, smallEncoder } from "./small-models.mjs";
import { Turns } from "../../src/manyheads/web/doors/turns.ts";
import { DecoderEngine } from "../../src/manyheads/web/models/decoder-engine.ts";
import { EncoderEngine } from "../../src/manyheads/web/models/encoder-engine.ts";

const WORDS = "the old cat likes tea and never drinks cold coffee".split(" ");
const SENTENCES = WORDS.map((_, at) => WORDS.slice(0, at + 1).join(" "));

/** Counts the tokens of each pass that an engine makes. */
function counting(t, { prototype }) {
  const passes = [];
  const { pass } = prototype;
  replace(t, prototype, {
    pass(ids, ...rest) {
      passes.push(ids.length);
      return pass.call(this, ids, ...rest);
    },
  });
  return passes;
}

/** A page with a map and a journey that follows it, both of one model, whose `passes` are counted. */
async function following(t, name, { model, worker }, engine) {
  const html = `<head-map model="${name}" sentence="hot"></head-map><attention-flow model="${name}" for="" layer="1" sentence="hot"></attention-flow>`;
  const map = await draw(html, { [name]: { ...isHere(model), missingBytes: () => 0 } });
  const flow = document.querySelector("attention-flow");
  await Promise.all([map.ready, flow.ready]);
  const passes = counting(t, engine);
  const log = [];
  map.addEventListener("attention", () => log.push("map drawn"));
  const { postMessage } = worker;
  worker.postMessage = (question) => {
    log.push(question.flow ? "journey asked" : "map asked");
    postMessage(question);
  };
  const shows = (figure, tokens) => until(() => tokens(figure)?.length === wanted(map).length);
  return {
    map,
    flow,
    passes,
    log,
    mapOf: () => shows(map, (one) => one.attention.queryTokens),
    flowOf: () => shows(flow, (one) => one.steps.tokens),
  };
}

const wanted = ({ sentence, model }) => [...sentence.split(" "), ...(model === "encoder" ? ["[CLS]", "[SEP]"] : [])];

for (const [name, small, engine] of [
  ["encoder", smallEncoder, EncoderEngine],
  ["decoder", smallDecoder, DecoderEngine],
]) {
  test(`ten keys are ten passes of the ${name}, whether what follows is out of sight or in view`, async (t) => {
    const { map, flow, passes, log, mapOf, flowOf } = await following(t, name, await small(), engine);
    scrollTo(false);
    for (const sentence of SENTENCES) {
      type(map, "Sentence", sentence);
      await mapOf();
      await settled();
    }
    assert.deepEqual([passes.length, flow.sentence, log.includes("journey asked")], [10, "hot", false]);
    scrollTo(true);
    await flowOf();
    assert.deepEqual(
      [passes.length, flow.sentence],
      [10, SENTENCES.at(-1)],
      "what comes into view catches up, of the pass that was made",
    );
    log.length = 0;
    for (const sentence of SENTENCES) {
      type(map, "Sentence", `no ${sentence}`);
      await flowOf();
    }
    assert.equal(passes.length, 20);
    assert.deepEqual(
      log,
      SENTENCES.flatMap(() => ["map asked", "map drawn", "journey asked"]),
    );
  });
}

test("the next key withdraws what follows the one before", async (t) => {
  const { map, flow, passes, log, flowOf } = await following(t, "encoder", await smallEncoder(), EncoderEngine);
  for (const sentence of SENTENCES) type(map, "Sentence", sentence);
  await flowOf();
  assert.deepEqual([log.filter((what) => what === "journey asked").length, flow.sentence], [1, SENTENCES.at(-1)]);
  assert.ok(passes.length < 3, "nor is what was typed before the last key computed, but for what had begun");
});

test("what follows gives way while it computes, to whatever the reader does next, and begins again", async () => {
  const turns = new Turns(0);
  const began = [];
  const work = (signal) =>
    new Promise((done, fail) => {
      began.push(done);
      signal.addEventListener("abort", () => fail(signal.reason));
    });
  await draw("<p></p>");
  const result = turns.after(document.querySelector("p"), new AbortController().signal, work);
  await until(() => began.length === 1);
  turns.act();
  await until(() => began.length === 2);
  began[1]("computed");
  assert.equal(await result, "computed");
});

test("a sentence that is typed into the journey itself doesn't wait", async (t) => {
  const { flow, map } = await following(t, "encoder", await smallEncoder(), EncoderEngine);
  scrollTo(false);
  type(flow, "Sentence", SENTENCES[3]);
  await until(() => flow.steps.tokens.length === 6);
  assert.equal(map.sentence, "hot");
});

test("what follows out of sight is there for who asks for it, and where it is put back", async (t) => {
  const { map, flow, mapOf, flowOf } = await following(t, "encoder", await smallEncoder(), EncoderEngine);
  scrollTo(false);
  map.sentence = SENTENCES[2];
  await mapOf();
  flow.remove();
  await settled();
  document.querySelector("main").append(flow);
  flow.ready;
  await flowOf();
  map.sentence = SENTENCES[6];
  await mapOf();
  flow.ready;
  await flowOf();
});

test("a page that nobody sees computes nothing, and catches up", async (t) => {
  t.after(() => hideTab(false));
  const { map, passes, mapOf, flowOf } = await following(t, "encoder", await smallEncoder(), EncoderEngine);
  hideTab();
  for (const sentence of SENTENCES) map.sentence = sentence;
  for (let turn = 0; turn < 9; turn++) await settled();
  assert.deepEqual(passes, []);
  hideTab(false);
  await mapOf();
  await flowOf();
  assert.equal(passes.length, 1);
});

test("the ledger of a sentence that was read takes it from there, and turning heads off for it doesn't make the next key dearer", async (t) => {
  const small = await smallDecoder();
  const html =
    '<head-map model="decoder" sentence="hot"></head-map><head-ledger model="decoder" sentence="hot"></head-ledger>';
  const map = await draw(html, { decoder: { ...isHere(small.model), missingBytes: () => 0 } });
  const ledger = document.querySelector("head-ledger");
  await Promise.all([map.ready, ledger.ready]);
  const passes = counting(t, DecoderEngine);
  type(map, "Sentence", SENTENCES[4]);
  await until(() => map.attention.queryTokens.length === 5);
  assert.deepEqual(passes, [5]);
  type(ledger, "Sentence", SENTENCES[4]);
  await until(() => ledger.matrices.tokens.length === 5);
  const off = ledger.matrices.without.values
    .slice(0, ledger.matrices.headNames.length)
    .filter((value) => !Number.isNaN(value)).length;
  assert.deepEqual(passes, [5, ...Array(off).fill(5)], "a pass for each head that is off, and none for the sentence");
  assert.ok(off > 0);
  type(map, "Sentence", SENTENCES[5]);
  await until(() => map.attention.queryTokens.length === 6);
  assert.equal(passes.at(-1), 1, "its new word only");
});

test("why a head looks there is told of the pass that was made", async (t) => {
  const { map, passes, mapOf } = await following(t, "decoder", await smallDecoder(), DecoderEngine);
  scrollTo(false);
  type(map, "Sentence", SENTENCES[4]);
  await mapOf();
  map.query = 4;
  map.querySelectorAll("td[data-weight]")[1].click();
  const why = map.querySelector("details.why-there");
  why.open = true;
  why.dispatchEvent(new Event("toggle"));
  await until(() => /the score of/.test(why.textContent));
  assert.deepEqual(passes, [5]);
});
