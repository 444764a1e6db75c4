// <word-sense>: its pure parts, and what its reader sees.
import assert from "node:assert/strict";
import test from "node:test";
import { choose, draw, heard, named, once, press, says, status, texts, type, until } from "./page.mjs";
import { HOSTILE, tokensOf } from "./small-models.mjs";
import { layerName, leaning, looksAt, movedTo, unknownWord } from "../../src/manyheads/web/figures/word-sense/text.ts";
import { rankedHeads, SenseAxes, shareOf, wordPlaces } from "../../src/manyheads/web/math/senses.ts";

// Two words, two layers, vectors of three numbers.
const words = [
  { word: "bank", senses: ["money", "river"], forms: ["bank", "banks"], tokens: [["banks"], ["bank"]] },
  { word: "bark", senses: ["dog", "tree"], forms: ["bark", "barks"], tokens: [["bark", "##s"], ["bark"]] },
];
const axes = new SenseAxes({
  tensors: {
    directions: { shape: [4, 3], values: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1) },
    offsets: { shape: [2, 2], values: Float32Array.of(10, 20, 30, 40) },
  },
  metadata: { words: JSON.stringify(words), layer: "1" },
});

test("a word is known by its forms, whatever its case", () => {
  assert.equal(axes.known(" Banks ").word, "bank");
  assert.equal(axes.known("banker"), undefined);
  assert.equal(axes.layer, 1);
});

test("a word stands where a form of it is a whole word", () => {
  assert.deepEqual(wordPlaces(["[CLS]", "a", "bark", "##s", "bark"], words[1].tokens), [2, 3]);
  assert.deepEqual(wordPlaces(["bank", "##er", "bank"], words[0].tokens), [2]);
  assert.deepEqual(wordPlaces(["bank", "##er"], words[0].tokens), []);
  assert.deepEqual(axes.among(["bark", "bank"]).map(({ word }) => word), ["bank", "bark"]);
});

test("a score is the vector laid on the axis of its own word and layer, pieces averaged", () => {
  const values = Float32Array.of(1, 2, 3, 4, 5, 6, /* layer 1 */ 10, 20, 30, 40, 50, 60);
  const map = (...queryTokens) => ({ queryTokens, states: { shape: [2, 2, 3], values } });
  assert.deepEqual(axes.scores(map("the", "bank"), axes.words[0]), [14, 70]);
  assert.deepEqual(axes.scores(map("bark", "##s"), axes.words[1]), [34.5, 145]);
  assert.equal(axes.scores(map("the", "river"), axes.words[0]), null);
});

test("shares and what is said of them", () => {
  assert.equal(shareOf(0), 0.5);
  assert.equal(leaning(["money", "river"], 0.97), "97 % river");
  assert.equal(leaning(["money", "river"], 0.2), "80 % money");
  assert.deepEqual([1.23, -0.5].map((moved) => movedTo(["money", "river"], moved)), ["river 1.2", "money 0.5"]);
  assert.deepEqual([0, 3].map(layerName), ["embeddings", "layer 3"]);
  assert.match(unknownWord(["bank", "bat"]), /Try one of these: bank, bat\. .*For teachers and authors/);
});

test("heads come in the order of what their absence does, either way", () => {
  assert.deepEqual(rankedHeads(1, [[1, 3], [-4, 1.5]]), [
    { place: [1, 0], moved: -5 }, { place: [0, 1], moved: 2 }, { place: [1, 1], moved: 0.5 }, { place: [0, 0], moved: 0 },
  ]);
});

test("a head looks at words: special tokens and the word itself apart", () => {
  const map = { keyTokens: ["[CLS]", "bank", "river"], shape: [1, 1, 3, 3], weights: Float32Array.of(0, 0, 0, 0.5, 0.25, 0.25, 0, 0, 0) };
  assert.deepEqual(looksAt(map, [0, 0], [1]), { word: "river", share: 0.25 });
  assert.equal(looksAt({ ...map, keyTokens: ["[CLS]", "bank", "[SEP]"] }, [0, 0], [1]), null);
});

// --- the figure

const [LAYERS, HEADS] = [6, 12];
const KNOWN = ["bank", "bark"].map((word, at) => ({ word, senses: [["money", "river"], [HOSTILE, "tree"]][at], forms: [word], tokens: [[word]] }));
const ONES = { shape: [2 * (LAYERS + 1), 1], values: new Float32Array(2 * (LAYERS + 1)).fill(1) };
const senses = { tensors: { directions: ONES, offsets: { ...ONES, values: new Float32Array(ONES.values.length) } },
  metadata: { words: JSON.stringify(KNOWN), layer: String(LAYERS) } };

/** An encoder whose vectors say "river" where that stands, and the less so without head 4 of layer 3. */
const encoder = () => ({ name: "encoder", numLayers: LAYERS, numHeads: HEADS, headNames: Array.from({ length: HEADS }, (_, at) => `head ${at + 1}`),
  async attend(sentence, headMask) {
    const tokens = tokensOf(sentence.toLowerCase());
    const count = tokens.length;
    const strength = (tokens.includes("river") ? 0.5 : -0.5) * (headMask?.[2][3] === false ? 0.1 : 1);
    const values = Float32Array.from({ length: (LAYERS + 1) * count }, (_, at) => Math.floor(at / count) * strength);
    const weights = new Float32Array(LAYERS * HEADS * count * count).fill(1 / count);
    return { queryTokens: tokens, keyTokens: tokens, shape: [LAYERS, HEADS, count, count], weights, headNames: this.headNames, predictions: {},
      notes: count > 9 ? ["It reads at most 9 tokens."] : [], states: { shape: [LAYERS + 1, count, 1], values } };
  } });

async function live(model = encoder()) {
  const figure = await draw('<word-sense sentence="the bank of the river" word="bank"></word-sense>', { encoder: { load: () => model }, senses: { load: () => senses } });
  await figure.ready;
  return figure;
}

async function typed(figure, text) {
  const told = once(figure, "sense");
  type(figure, "Sentence", text);
  return told;
}
const leans = (figure) => texts(figure, ".ws-scales td:last-child");

test("the scale says after each layer in which sense the word is read", async () => {
  const figure = await live();
  assert.deepEqual(texts(figure, ".ws-scales th"), ["embeddings", ...Array.from({ length: LAYERS }, (_, at) => `layer ${at + 1}`)]);
  assert.deepEqual([leans(figure)[0], leans(figure)[LAYERS]], ["50 % river", "95 % river"]);
  const { shares, word } = await typed(figure, "the bank of the town");
  assert.deepEqual([word, leans(figure)[LAYERS]], ["bank", "95 % money"]);
  const meters = [...figure.querySelectorAll("[role=meter]")];
  meters.forEach((meter, layer) => {
    assert.equal(Number(meter.getAttribute("aria-valuenow")), Number(shares[layer].toFixed(4)));
    assert.equal(meter.getAttribute("aria-valuetext"), leans(figure)[layer]);
  });
  assert.equal(figure.querySelector(".ws-deciding th").textContent, `layer ${LAYERS}`);
});

test("of two known words one is chosen; where it's gone, the other is read", async () => {
  const figure = await live();
  await typed(figure, "the bark on the river bank");
  assert.equal(figure.sense.word, "bank", "that of the page");
  const told = once(figure, "sense");
  choose(figure, "Word", "bark");
  assert.deepEqual([(await told).word, leans(figure)[LAYERS]], ["bark", "95 % tree"]);
  await typed(figure, "the bank");
  assert.equal(figure.sense.word, "bank");
});

test("where no word is known, it says which are, and what was shown stays, marked as old", async () => {
  const figure = await live();
  for (const text of ["the pitch", "", HOSTILE]) {
    type(figure, "Sentence", text);
    await says(figure, /^No word here has two senses that this book knows\. Try one of these: bank, bark\./);
    assert.deepEqual([figure.sense.word, figure.classList.contains("ws-old"), named(figure, "Rank the heads").disabled], ["bank", true, true]);
    await typed(figure, "the bank");
    assert.ok(!figure.classList.contains("ws-old"));
  }
  assert.equal(figure.querySelectorAll("img").length, 0);
});

test("what the encoder notes of a text is said", async () => {
  const figure = await live();
  await typed(figure, "bank ".repeat(8));
  assert.match(status(figure), /^Ready: .* It reads at most 9 tokens\.$/);
});

async function ranked() {
  const figure = await live();
  press(figure, "Rank the heads");
  await until(() => !figure.querySelector(".ws-heads").hidden);
  return figure;
}
const off = (figure) => figure.querySelectorAll('.ws-heads button[aria-pressed="false"]').length;

test("heads are ranked by what their absence does, and turned off and on", async () => {
  const figure = await ranked();
  const [first] = figure.querySelectorAll(".ws-heads tbody tr");
  assert.deepEqual([...first.cells].map(({ textContent }) => textContent).slice(0, 3), ["layer 3, head 4", "57 % river", "money 2.7"]);
  const whole = figure.sense.shares[LAYERS];
  for (const [wanted, pressed] of [[0.574, "false"], [whole, "true"]]) {
    const told = once(figure, "sense");
    first.querySelector("button").click();
    assert.ok(Math.abs((await told).shares[LAYERS] - wanted) < 0.001);
    assert.equal(first.querySelector("button").getAttribute("aria-pressed"), pressed);
  }
});

test("the heads that matter most are turned off together, or all of a layer", async () => {
  const figure = await ranked();
  for (const [choice, marked, leaning] of [
    ["the 4 that matter most here", 4, "57 % river"], ["all of layer 1", null, "95 % river"], ["all of layer 3", null, "57 % river"],
    ["the 16 that matter most here", 16, "57 % river"], ["none", 0, "95 % river"],
  ]) {
    const told = once(figure, "sense");
    choose(figure, "Heads off", choice);
    await told;
    assert.equal(leans(figure)[LAYERS], leaning, choice);
    if (marked !== null) assert.equal(off(figure), marked);
  }
});

test("the list says what is off, by whichever switch", async () => {
  const figure = await ranked();
  const press = async (at) => {
    const told = once(figure, "sense");
    figure.querySelectorAll(".ws-heads button")[at].click();
    await told;
    return named(figure, "Heads off").value;
  };
  assert.deepEqual([await press(0), await press(2), await press(2), await press(0)],
    ["the one that matters most here", "those switched off", "the one that matters most here", "none"]);
});

test("another sentence lets all heads on, and the ranking go", async () => {
  const figure = await ranked();
  choose(figure, "Heads off", "the one that matters most here");
  await typed(figure, "the bank of the town");
  assert.deepEqual([figure.querySelector(".ws-heads").hidden, named(figure, "Heads off").value, leans(figure)[LAYERS]], [true, "none", "95 % money"]);
});

test("an encoder that stops says so; what was typed and shown stays", async () => {
  const model = encoder();
  const figure = await live(model);
  const { attend } = model;
  model.attend = () => Promise.reject(Object.assign(new Error("the model stopped."), { name: "Fault" }));
  type(figure, "Sentence", "the bank still flows");
  await says(figure, /^The sense could not be computed: the model stopped\. What you see stays\./);
  assert.deepEqual([figure.sense.word, figure.sentence], ["bank", "the bank still flows"]);
  Object.assign(model, { attend });
  press(figure, "Try again");
  await says(figure, /^Ready/);
});

test("what typing came to is said once", async (t) => {
  const figure = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await typed(figure, "the bank of the town");
  assert.equal(heard(figure, t.mock.timers), "bank: 95 % money after layer 6.");
});
