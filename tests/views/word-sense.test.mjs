// <word-sense>: its pure parts, and what its reader sees.
import assert from "node:assert/strict";
import test from "node:test";
import { setFigure } from "../../src/manyheads/web/doors/phrases.ts";
import {
  choose,
  draw,
  heard,
  named,
  once,
  page,
  press,
  same,
  replace,
  says,
  status,
  texts,
  type,
  until,
} from "./page.mjs";
import { HOSTILE, tokensOf } from "./small-models.mjs";
import {
  layerName,
  leaning,
  looksAt,
  movedTo,
  pushedText,
  unknownWord,
} from "../../src/manyheads/web/figures/word-sense/text.ts";
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
  assert.deepEqual(
    axes.among(["bark", "bank"]).map(({ word }) => word),
    ["bank", "bark"],
  );
});

test("shares and what is said of them", () => {
  assert.equal(shareOf(0), 0.5);
  assert.equal(leaning(["money", "river"], 0.97), "97\u00a0% river");
  assert.equal(leaning(["money", "river"], 0.2), "80\u00a0% money");
  assert.deepEqual(
    [1.23, -0.5].map((moved) => movedTo(["money", "river"], moved)),
    ["river 1.2", "money 0.5"],
  );
  assert.deepEqual([0, 3].map(layerName), ["embeddings", "layer 3"]);
  assert.match(unknownWord(["bank", "bat"]), /Try one of these: bank, bat\. .*For teachers and authors/);
});

test("heads come in the order of what their absence does, either way", () => {
  assert.deepEqual(
    rankedHeads(1, [
      [1, 3],
      [-4, 1.5],
    ]),
    [
      { place: [1, 0], moved: -5 },
      { place: [0, 1], moved: 2 },
      { place: [1, 1], moved: 0.5 },
      { place: [0, 0], moved: 0 },
    ],
  );
});

test("a head looks at words: special tokens and the word itself apart", () => {
  const map = {
    keyTokens: ["[CLS]", "bank", "river"],
    shape: [1, 1, 3, 3],
    weights: Float32Array.of(0, 0, 0, 0.5, 0.25, 0.25, 0, 0, 0),
  };
  assert.deepEqual(looksAt(map, [0, 0], [1]), { word: "river", share: 0.25 });
  assert.equal(looksAt({ ...map, keyTokens: ["[CLS]", "bank", "[SEP]"] }, [0, 0], [1]), null);
});

// --- the figure

const [LAYERS, HEADS] = [6, 12];
const KNOWN = ["bank", "bark"].map((word, at) => ({
  word,
  senses: [
    ["money", "river"],
    [HOSTILE, "tree"],
  ][at],
  forms: [word],
  tokens: [[word]],
}));
const ONES = { shape: [2 * (LAYERS + 1), 1], values: new Float32Array(2 * (LAYERS + 1)).fill(1) };
const senses = {
  tensors: { directions: ONES, offsets: { ...ONES, values: new Float32Array(ONES.values.length) } },
  metadata: { words: JSON.stringify(KNOWN), layer: String(LAYERS) },
};

/** An encoder whose vectors say "river" where that is to be seen, and the less so without head 4 of layer 3; that head brings it in each layer. */
const encoder = () => ({
  name: "encoder",
  numLayers: LAYERS,
  numHeads: HEADS,
  headNames: Array.from({ length: HEADS }, (_, at) => `head ${at + 1}`),
  async attend(sentence, headMask, { masked = [], follow = [] } = {}) {
    const tokens = tokensOf(sentence.toLowerCase());
    const count = tokens.length;
    const river = tokens.indexOf("river");
    const strength = (river > 0 && !masked.includes(river) ? 0.5 : -0.5) * (headMask?.[2][3] === false ? 0.1 : 1);
    const values = Float32Array.from({ length: (LAYERS + 1) * count }, (_, at) => Math.floor(at / count) * strength);
    const weights = new Float32Array(LAYERS * HEADS * count * count).fill(1 / count);
    const brought = (layer) => (headMask?.[layer][3] === false || strength < 0 ? 0 : 0.9 * (layer + 1) * strength);
    const word = follow.findIndex(({ tokens: [[form]] }) => tokens.includes(form));
    const pushes =
      word < 0
        ? undefined
        : {
            word,
            rest: Array.from({ length: LAYERS }, (_, layer) => (layer + 1) * strength - brought(layer)),
            values: Array.from({ length: LAYERS }, (_, layer) =>
              Array.from({ length: HEADS }, (_, head) =>
                tokens.map((_, key) => (head === 3 && key === river ? brought(layer) : 0)),
              ),
            ),
          };
    return {
      queryTokens: tokens,
      keyTokens: tokens,
      shape: [LAYERS, HEADS, count, count],
      weights,
      headNames: this.headNames,
      predictions: {},
      pushes,
      notes: count > 9 ? ["It reads at most 9 tokens."] : [],
      states: { shape: [LAYERS + 1, count, 1], values },
    };
  },
});

async function live(model = encoder()) {
  const figure = await draw('<word-sense sentence="the bank of the river" word="bank"></word-sense>', {
    encoder: { load: () => model },
    senses: { load: () => senses },
  });
  await figure.ready;
  return figure;
}

/** Does something, and gives what it came to. */
async function read(figure, act) {
  const told = once(figure, "sense");
  act();
  return told;
}
const typed = (figure, text) => read(figure, () => type(figure, "Sentence", text));
const leans = (figure) => texts(figure, ".ws-layer td:last-child");
const note = (figure) => figure.querySelector(".ws-note").textContent;
const at = (node, name) => Number(node.style.getPropertyValue(`--${name}`));
const choosing = (figure, layer) => figure.querySelectorAll(".ws-pick")[layer - 1].click();
const steps = (figure) => [...figure.querySelectorAll(".ws-step")];

test("the scale says after each layer in which sense the word is read", async () => {
  const figure = await live();
  assert.deepEqual(texts(figure, ".ws-layer th"), [
    "embeddings",
    ...Array.from({ length: LAYERS }, (_, at) => `layer ${at + 1}`),
  ]);
  assert.deepEqual([leans(figure)[0], leans(figure)[LAYERS]], ["50\u00a0% river", "95\u00a0% river"]);
  const { shares, word } = await typed(figure, "the bank of the town");
  assert.deepEqual([word, leans(figure)[LAYERS]], ["bank", "95\u00a0% money"]);
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
  const { word } = await read(figure, () => choose(figure, "Word", "bark"));
  assert.deepEqual([word, leans(figure)[LAYERS]], ["bark", "95\u00a0% tree"]);
  await typed(figure, "the bank");
  assert.equal(figure.sense.word, "bank");
});

test("where no word is known, it says which are, and what was shown stays, marked as old", async () => {
  const figure = await live();
  for (const text of ["the pitch", "", HOSTILE]) {
    type(figure, "Sentence", text);
    await says(figure, /^No word here has two senses that this book knows\. Try one of these: bank, bark\./);
    assert.deepEqual(
      [figure.sense.word, figure.classList.contains("ws-old"), named(figure, "Rank the heads").disabled],
      ["bank", true, true],
    );
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
  assert.deepEqual([...first.cells].map(({ textContent }) => textContent).slice(0, 3), [
    "layer 3, head 4",
    "57\u00a0% river",
    "money 2.7",
  ]);
  const whole = figure.sense.shares[LAYERS];
  for (const [wanted, pressed] of [
    [0.574, "false"],
    [whole, "true"],
  ]) {
    const { shares } = await read(figure, () => first.querySelector("button").click());
    assert.ok(Math.abs(shares[LAYERS] - wanted) < 0.001);
    assert.equal(first.querySelector("button").getAttribute("aria-pressed"), pressed);
  }
});

test("the heads that matter most are turned off together, or all of a layer", async () => {
  const figure = await ranked();
  for (const [choice, marked, leaning] of [
    ["the 4 that matter most here", 4, "57\u00a0% river"],
    ["all of layer 1", null, "95\u00a0% river"],
    ["all of layer 3", null, "57\u00a0% river"],
    ["the 16 that matter most here", 16, "57\u00a0% river"],
    ["none", 0, "95\u00a0% river"],
  ]) {
    await read(figure, () => choose(figure, "Heads off", choice));
    assert.equal(leans(figure)[LAYERS], leaning, choice);
    if (marked !== null) assert.equal(off(figure), marked);
  }
});

test("the list says what is off, by whichever switch", async () => {
  const figure = await ranked();
  const press = async (at) => {
    await read(figure, () => figure.querySelectorAll(".ws-heads button")[at].click());
    return named(figure, "Heads off").value;
  };
  assert.deepEqual(
    [await press(0), await press(2), await press(2), await press(0)],
    ["the one that matters most here", "those switched off", "the one that matters most here", "none"],
  );
});

test("another sentence lets the ranking go, and the reader's heads stay off; an example begins with all on", async () => {
  const figure = await ranked();
  choose(figure, "Heads off", "the one that matters most here");
  const seen = () => [
    figure.querySelector(".ws-heads").hidden,
    named(figure, "Heads off").value,
    leans(figure)[LAYERS],
  ];
  await typed(figure, "the bank of the town");
  assert.deepEqual(seen(), [true, "those switched off", "57\u00a0% money"]);
  await read(figure, () => figure.begin("the bank of the town"));
  assert.deepEqual(seen(), [true, "none", "95\u00a0% money"]);
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
  assert.equal(heard(figure, t.mock.timers), "bank: 95\u00a0% money after layer 6.");
});

test("a press masks a word for the model, and another press shows it again; neither the word that is read nor a full stop can be masked", async () => {
  const figure = await live();
  await typed(figure, "the bank of the river .");
  assert.deepEqual(texts(figure, ".ws-row > button"), ["the", "of", "the", "river"]);
  for (const [pressed, leaning, text] of [
    ["true", "95\u00a0% money", /^With “river” masked, the model reads .* after layer 6\.$/],
    ["false", "95\u00a0% river", /^In layer 6, “river” pushes “bank” far towards river\.$/],
  ]) {
    await read(figure, () => press(figure, "river"));
    assert.deepEqual([named(figure, "river").getAttribute("aria-pressed"), leans(figure)[LAYERS]], [pressed, leaning]);
    assert.match(note(figure), text);
  }
  press(figure, "river");
  await typed(figure, "the river bank");
  assert.equal(named(figure, "river").getAttribute("aria-pressed"), "false", "another sentence has all its words");
});

test("the arrows of each layer lead, tip to tail, from the middle to its dot", async () => {
  const figure = await live();
  for (let layer = 1; layer <= LAYERS; layer++) {
    choosing(figure, layer);
    const ends = steps(figure).map((step) => [at(step, "from"), at(step, "to")]);
    assert.equal(ends.length, HEADS + 1);
    ends.reduce((before, [from, to]) => (assert.equal(from, before), to), 0);
    const row = figure.querySelector(".ws-open");
    assert.equal(row.querySelector("th").textContent, `layer ${layer}`);
    assert.ok(Math.abs(ends.at(-1)[1] - at(row.querySelector(".ws-scale"), "score")) < 1e-3);
    assert.equal(row.previousElementSibling.className, "ws-chain");
  }
  const picks = figure.querySelectorAll(".ws-pick");
  for (const pick of [...picks, ...[...picks].reverse()]) {
    pick.focus();
    pick.click();
    same(document.activeElement, pick);
  }
});

test("an arrow that is pulled out turns its head off: first by arithmetic, then as the model reads", async () => {
  const figure = await live();
  choosing(figure, 3);
  const step = steps(figure)[4];
  const plot = step.parentElement;
  plot.setPointerCapture = () => {};
  const move = (type, x) =>
    (type === "pointerdown" ? step : plot).dispatchEvent(
      new PointerEvent(type, { clientX: x, clientY: 0, button: 0, bubbles: true }),
    );
  move("pointerdown", 0);
  move("pointermove", 60);
  assert.match(
    note(figure),
    /^Without that arrow, the others lead to 54\u00a0% river\. The model itself may read otherwise without head 4\.$/,
  );
  const told = read(figure, () => move("pointerup", 60));
  assert.equal(named(figure, "head 4").getAttribute("aria-pressed"), "false");
  await told;
  assert.match(
    note(figure),
    /^Without head 4, the model reads 54\u00a0% river after layer 3\. Taking away the arrow alone would leave 54\u00a0% river\.$/,
  );
  await read(figure, () => press(figure, "head 4"));
  assert.equal(at(steps(figure)[4], "size"), 1.35);
  for (const x of [60, 0]) move(x ? "pointerdown" : "pointermove", x);
  move("pointermove", 55);
  move("pointercancel", 55);
  assert.equal(named(figure, "head 4").getAttribute("aria-pressed"), "true", "let go by the browser, it stays");
});

const layersOf = (push) => [{ weights: [[0.2, 0.5, 0.3]], pushes: [[0, 0, push]], rest: 0 }, null];
const BAKED = {
  word: "bank",
  senses: ["money", "river"],
  shares: [0.5, 0.9, 0.8],
  layer: 2,
  pushes: { tokens: ["the", "bank", "river"], places: [1], layers: layersOf(2.197) },
  masked: {
    0: { shares: [0.5, 0.88, 0.8], layers: layersOf(1.992) },
    2: { shares: [0.5, 0.5, 0.1], layers: layersOf(0) },
  },
};

/** A figure of one layer whose reader hasn't loaded the encoder. */
const stored = (data) =>
  draw(
    `<word-sense sentence="the bank river" word="bank" layer="1"><script type="application/json">${JSON.stringify(data)}</script></word-sense>`,
    {
      encoder: { missingBytes: async () => 25e6, load: () => Promise.reject(new Error("nobody asked")) },
      senses: { load: () => senses },
    },
  );

test("before the encoder is here, a phrase that takes an arrow away is heard as the arithmetic that it is", async (t) => {
  const figure = await stored(BAKED);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  setFigure(figure, { off: "0.0" });
  assert.match(
    heard(figure, t.mock.timers),
    /^Without that arrow, the others lead to .* may read otherwise without head 1\.$/,
  );
});

test("what one masked word comes to is shown without a model; more than that is said to wait for it", async () => {
  const figure = await stored(BAKED);
  assert.deepEqual(
    [leans(figure), figure.querySelectorAll(".hm-tools:not([hidden])").length],
    [["50\u00a0% river", "90\u00a0% river"], 0],
    "one layer, no tools",
  );
  await says(figure, /^This is a computed example\. Load the encoder/);
  press(figure, "river");
  assert.deepEqual(
    [leans(figure)[1], note(figure)],
    ["50\u00a0% river", "With “river” masked, the model reads 50\u00a0% river."],
  );
  press(figure, "the");
  assert.match(note(figure), /^The model hasn't read the sentence with “the” and “river” masked\.$/);
  await says(figure, /^This will be answered once the encoder has loaded\. Load the encoder/);
  press(figure, "the");
  press(figure, "river");
  assert.equal(leans(figure)[1], "90\u00a0% river");
  await says(figure, /^This is a computed example\./);
  figure.setAttribute("masked", "river");
  assert.equal(leans(figure)[1], "50\u00a0% river");
});

test("a sentence that a phrase sets is stored as well, with its masks, and the first one comes back", async () => {
  const pushes = { tokens: ["robbed", "bank", "river"], places: [1], layers: layersOf(1.386) };
  const robbed = { ...BAKED, shares: [0.5, 0.8, 0.7], pushes };
  const figure = await stored({ ...BAKED, others: { "robbed bank river": robbed } });
  const set = (sentence) => (figure.setAttribute("sentence", sentence), leans(figure)[1]);
  assert.deepEqual([set("robbed bank river"), named(figure, "robbed").textContent], ["80\u00a0% river", "robbed"]);
  await says(figure, /^This is a computed example\./);
  press(figure, "river");
  assert.equal(leans(figure)[1], "50\u00a0% river");
  set("a bank of mine");
  await says(figure, /^Your text will be answered once the encoder has loaded\./);
  assert.equal(set("the bank river"), "90\u00a0% river");
  await says(figure, /^This is a computed example\./);
});

test("attributes mask words and turn heads off, also of a sentence that is set with them", async () => {
  const figure = await live();
  const set = async (attributes, answers) => {
    for (const [name, value] of Object.entries(attributes)) figure.setAttribute(name, value);
    while (answers--) await once(figure, "sense");
    return [figure.querySelectorAll('.ws-row [aria-pressed="true"]').length, leans(figure)[LAYERS]];
  };
  assert.deepEqual(await set({ sentence: "a bank by the river" }, 1), [0, "95\u00a0% river"]);
  assert.deepEqual(await set({ sentence: "the bank of the river", masked: "River of" }, 2), [2, "95\u00a0% money"]);
  assert.deepEqual(await set({ masked: "" }, 1), [0, "95\u00a0% river"]);
  assert.deepEqual(await set({ masked: "the", off: "2.3" }, 2), [2, "57\u00a0% river"]);
});

test("at first there are two words, a dot and plain words; each head's part and its numbers come with a press, or with the attribute", async () => {
  const figure = await stored(BAKED);
  const parts = () => [".ws-chain", ".ws-layer", ".ws-switches"].map((name) => figure.querySelector(name).hidden);
  const seen = () => [...parts(), texts(figure, ".ws-open th")[0], note(figure)];
  const closed = [true, true, true, "bank", "“river” pushes “bank” far towards river."];
  assert.deepEqual(seen(), closed);
  press(figure, "See each head’s part");
  const [said, ...open] = seen().reverse();
  assert.deepEqual(open.reverse(), [false, false, false, "layer 1"]);
  assert.match(said, /^In layer 1, “bank” gives “river” 30.% of its attention\..* far towards river, by 2\.2\.$/);
  assert.equal(named(figure, "Hide the heads").getAttribute("aria-expanded"), "true");
  press(figure, "Hide the heads");
  assert.deepEqual(seen(), closed);
  figure.setAttribute("arrows", "");
  assert.deepEqual(parts(), [false, false, false]);
  figure.removeAttribute("arrows");
  assert.deepEqual(seen(), closed);
  setFigure(figure, { head: "1" });
  assert.deepEqual([...parts(), steps(figure)[1].classList.contains("ws-lit")], [false, false, false, true]);
  assert.match(note(figure), /^Head 1 pushes it far towards river, by 2\.2\. In head 1 of layer 1/);
});

test("how far a word pushes is said in words", () => {
  const pushes = (push) =>
    pushedText({ word: "bank", senses: ["money", "river"] }, "", layersOf(push)[0], { text: "so", places: [2] });
  assert.deepEqual([-2, -0.7, 0.3, 0.1].map(pushes), [
    "“so” pushes “bank” far towards money.",
    "“so” pushes “bank” towards money.",
    "“so” pushes “bank” a little towards river.",
    "“so” hardly pushes “bank”.",
  ]);
});

test("a dot that moves leaves a trail, but not for readers who ask for less motion", async (t) => {
  let trails = 0;
  replace(t, Element.prototype, { animate: () => trails++ });
  const figure = await live();
  await typed(figure, "the bank of the town");
  assert.equal(trails, 0);
  page.still = false;
  await typed(figure, "the bank of the river");
  assert.equal(trails, LAYERS, "all but the embeddings move");
});
