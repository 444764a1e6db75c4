// <word-points>: what its reader sees and does.
import assert from "node:assert/strict";
import test from "node:test";
import { setFigure } from "../../src/manyheads/web/doors/phrases.ts";
import { baked, choose, draw, heard, named, once, pointerAt, press, says, texts, type, until } from "./page.mjs";
import { HOSTILE, tokensOf } from "./small-models.mjs";

const LAYERS = 2; // and the embeddings
const LANDMARKS = { river: 1, money: -1, tea: 0.5 };

/** An encoder whose vectors have two numbers: how far right a word lies, in a sentence the more so the later the layer, and one that never changes. Without a head, words go half as far, and where one is masked, nowhere. */
const encoder = () => ({
  name: "encoder",
  numLayers: LAYERS,
  numHeads: 2,
  async attend(sentence, headMask, { masked = [] }) {
    const far = sentence in LANDMARKS || masked.length ? 0 : headMask ? 0.5 : 1;
    const tokens = tokensOf(sentence.toLowerCase());
    const right = LANDMARKS[sentence] ?? (tokens.includes("boats") ? 1 : -1);
    const values = Float32Array.from({ length: (LAYERS + 1) * tokens.length * 2 }, (_, at) => {
      const layer = Math.floor(at / (2 * tokens.length));
      return at % 2 ? 1 : (right * (1 + far * layer)) / 10;
    });
    return { queryTokens: tokens, states: { shape: [LAYERS + 1, tokens.length, 2], values }, notes: [] };
  },
});

const written = (places) => ({
  words: Object.keys(places),
  places: Object.values(places).map((across) => [0, 0, across, 0, 2 * across, 0]),
  near: Object.keys(places).map((_, at) => [0, 1, at % 2, 2, 1, 0]),
});
const DATA = {
  landmarks: written({ river: 1000, money: -1000, tea: 500 }),
  directions: [
    [1, 0],
    [0, 1],
  ],
  poles: ["left", "right"],
  heads: 2,
  readings: [
    { sentence: "the bank of boats", off: [], masked: [], ...written({ the: 10, bank: 900 }) },
    { sentence: "my bank", off: [], masked: [], ...written({ my: 0, bank: -900 }) },
    { sentence: "my bank", off: [[0, 1]], masked: [], ...written({ my: 0, bank: -300 }), lost: [[0, 0], [0.25, 0]] }, // prettier-ignore
  ],
};
const opened = (attributes = 'sentence="the bank of boats" other="my bank" word="bank"') =>
  draw(`<word-points ${attributes}>${baked(DATA)}</word-points>`, {
    encoder: { load: encoder, missingBytes: async () => 22_500_000 },
  });
const lists = (figure) => texts(figure, ".wp-near li");
const dot = (figure, kind, text) =>
  [...figure.querySelectorAll(`i.${kind}`)].find(({ textContent }) => textContent === text);
const across = (node) => Number(node.style.getPropertyValue("--x"));

test("both sentences begin at one point, and a slider parts them; what they're nearest to is said", async (t) => {
  const figure = await opened();
  assert.deepEqual(lists(figure), ["bank river, money", "bank river, money"]);
  const [first, second] = ["wp-first", "wp-second"].map((kind) => dot(figure, kind, "bank"));
  assert.deepEqual([across(first), across(second)], [0, 0]);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  type(figure, "Layer", "2");
  assert.ok(across(first) > 0 && across(second) < 0);
  assert.equal(named(figure, "Layer").getAttribute("aria-valuetext"), "layer 2");
  assert.match(
    heard(figure, t.mock.timers),
    /after layer 2: “bank” in the first sentence to money, river; “bank” in the /,
  );
  const ahead = () => figure.querySelectorAll(".wp-ahead").length;
  assert.equal(ahead(), 0);
  type(figure, "Layer", "1");
  assert.equal(ahead(), 4, "a way and its end, in each sentence");
});

test("it plays to the last layer, and from the first again; a hand at the slider ends that", async (t) => {
  const figure = await opened();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(figure, "▶ Play");
  t.mock.timers.tick(900);
  t.mock.timers.tick(900);
  assert.deepEqual([figure.layer, texts(figure, ".hm-play")], [2, ["▶ Play"]]);
  press(figure, "▶ Play");
  assert.deepEqual([figure.layer, texts(figure, ".hm-play")], [0, ["❚❚ Pause"]]);
  type(figure, "Layer", "1");
  t.mock.timers.tick(5000);
  assert.deepEqual([figure.layer, texts(figure, ".hm-play")], [1, ["▶ Play"]]);
});

test("any word can be followed, by a press on its dot or by the list, and its nearest stand out", async () => {
  const figure = await opened('sentence="the bank of boats" other="my bank" word="bank" layer="1"');
  choose(figure, "Follow", "tea");
  assert.deepEqual(lists(figure), ["tea river, tea"]);
  assert.deepEqual(texts(figure, ".wp-close"), ["river"]);
  assert.deepEqual(texts(figure, ".wp-followed"), ["tea"]);
  assert.equal(figure.querySelectorAll("path").length, 0, "a word alone goes no way");
  const plane = figure.querySelector(".wp-plane");
  plane.getBoundingClientRect = () => ({ left: 10, top: 10, width: 400, height: 300 });
  plane.dispatchEvent(pointerAt("click", 10 + 200 * (1 + across(dot(figure, "wp-second", "bank"))), 160));
  assert.deepEqual(texts(figure, ".wp-followed").sort(), ["bank", "bank"]);
});

test("what is typed waits for the encoder, which then reads it and the landmarks, and any text stays a text", async () => {
  const figure = await opened();
  type(figure, "Sentence", `a ${HOSTILE} bank`);
  await says(figure, /^Your text will be answered once the encoder has loaded\. Load the encoder/);
  assert.ok(figure.classList.contains("wp-old"));
  const step = once(figure, "step");
  figure.querySelector("[role=status] button").click();
  const [first, second] = await step;
  await says(figure, /^Ready: /);
  assert.deepEqual(
    first.map(({ text }) => text),
    ["a", "bank"],
    "an image tag is no word",
  );
  assert.equal(second[1].text, "bank");
  assert.ok(!figure.classList.contains("wp-old") && !figure.querySelector("img"));
  type(figure, "Beside it", "");
  await until(() => figure.words[1].length === 0);
  assert.equal(lists(figure).length, 1);
});

test("a landmark beside its namesake of a sentence is called alone, and isn't marked as near itself", async () => {
  const figure = await opened();
  await figure.ready;
  type(figure, "Sentence", "hot tea");
  await until(() => figure.words[0].at(-1)?.text === "tea");
  choose(figure, "Follow", "tea");
  assert.deepEqual(lists(figure).map((text) => text.split(" ").slice(0, 2)), [["tea", "money,"], ["tea", "alone"]]); // prettier-ignore
  assert.deepEqual(texts(figure, ".wp-followed"), ["tea", "tea"]);
  assert.ok(![...figure.querySelectorAll(".wp-close")].some(({ textContent }) => textContent === "tea"));
});

test("a phrase sets sentences, a word and a layer, and stored ones need no encoder", async () => {
  const figure = await opened();
  setFigure(figure, { sentence: "my bank", other: "", word: "my", layer: "2" });
  assert.deepEqual(lists(figure), ["my money, river"]);
  assert.equal(figure.layer, 2);
  type(figure, "Sentence", "the bank of boats");
  assert.deepEqual([figure.layer, lists(figure)[0]], [0, "bank river, money"]);
});

test("a head can be taken away once a phrase shows how: what's lost is said, in all dimensions and on the plane", async (t) => {
  const figure = await opened('sentence="my bank" word="bank"');
  const switches = figure.querySelector(".wp-switches");
  assert.ok(switches.hidden);
  setFigure(figure, { sentence: "my bank", other: "", word: "bank", layer: "1", switches: "" });
  assert.ok(!switches.hidden);
  assert.equal(figure.querySelector(".wp-gone"), null);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(figure, "head 2");
  assert.equal(
    texts(figure, ".wp-lost")[0],
    "Without head 2 of layer 1, the step of “bank” to layer 1 is 25\u00a0% shorter (on this plane 67\u00a0% shorter).",
  );
  assert.match(heard(figure, t.mock.timers), /^Without head 2 .* Nearest landmarks/);
  assert.equal(figure.querySelectorAll(".wp-gone, .wp-before").length, 2);
  type(figure, "Layer", "0");
  assert.ok(named(figure, "Heads of layer 0").hidden);
  assert.match(texts(figure, ".wp-lost")[0], /the embeddings stay as they are/);
});

test("heads and words are taken away together, the encoder answers without them, and they stay away in the next sentence", async () => {
  const figure = await opened('sentence="my bank" word="bank" layer="2" switches');
  press(figure, "my");
  await says(figure, /^This will be answered once the encoder has loaded\./);
  assert.deepEqual(texts(figure, ".wp-lost"), [""]);
  await figure.ready;
  await until(() => figure.words[0][1].lost);
  assert.match(texts(figure, ".wp-lost")[0], /^Without “my”, .* is 100\u00a0% shorter/);
  press(figure, "my");
  press(figure, "head 1");
  await until(() => figure.words[0][1].lost?.[0] < 0.6);
  assert.match(texts(figure, ".wp-lost")[0], /^Without head 1 of layer 2, .* is 50\u00a0% shorter/);
  type(figure, "Sentence", "the bank of boats");
  await until(() => figure.words[0].length === 4);
  assert.match(texts(figure, ".wp-lost")[0], /^Without head 1 of layer 2, /);
  press(figure, "head 1");
  await until(() => !figure.words[0][1].lost);
  assert.deepEqual(texts(figure, ".wp-lost"), [""]);
});
