// <first-look>: a sentence that types itself once, and the switch of the head below.
import assert from "node:assert/strict";
import test from "node:test";
import { maskOf } from "../../src/manyheads/web/math/heads-off.ts";
import { drawLive, hideTab, key, named, page, press, settled, texts, type } from "./page.mjs";
import { finding, foundBelow, lean, rangesOf } from "../../src/manyheads/web/figures/first-look/found.ts";
import { keystrokes } from "../../src/manyheads/web/figures/first-look/typing.ts";
import { makeMap, mapModel } from "./small-models.mjs";

const HTML =
  '<first-look first="we like tea" head="1" answer="mood"><head-map model="focus" sentence="we never like tea"></head-map></first-look>';

/** A map whose head "mood" of layer 2 looks from [CLS] at `word`, and whose head 2 of layer 1 looks from there at `other`. */
function mapOf(word, other, weight = 2) {
  const queryTokens = ["[CLS]", "we", "never", "like", "tea", "[SEP]"];
  const map = makeMap({
    queryTokens,
    keyTokens: queryTokens,
    namedLayer: 1,
    predictions: { mood: { good: 0.2, bad: 0.8 } },
  });
  const [, heads, count] = map.shape;
  const place = (layer, head, query, key) => ((layer * heads + head) * count + query) * count + key;
  map.weights[place(1, 1, 0, word)] = 2;
  map.weights[place(0, 1, word, other)] = weight;
  return map;
}

/** A model of a layer whose heads have names, above one whose heads have none. */
const twoLayers = () => {
  const model = mapModel();
  const { attend } = model;
  return Object.assign(model, { attend: (...asked) => ({ ...attend(...asked), namedLayer: 1 }) });
};

const opened = () => drawLive(HTML, twoLayers());

const verdict = (look) => texts(look, ".fl-verdict > *, .fl-scale small").join(" ").trim();

test("the stage says which word is found for which, and that nothing is found", () => {
  const says = (word, other, on = true, weight = 2) =>
    finding(
      mapOf(word, other, weight),
      foundBelow(mapOf(word, other, weight), 1, "mood"),
      "mood",
      on,
      "We never like tea",
    );
  assert.equal(says(3, 2), "A head finds “never” for “like”.");
  assert.equal(says(3, 1), "A head finds “We” for “like”.");
  assert.equal(says(3, 2, false), "The head that finds “never” for “like” is off.");
  for (const [other, weight] of [
    [2, 0.4],
    [3, 2],
    [5, 2],
  ])
    assert.equal(says(3, other, true, weight), "The head finds no one word for “like”.");
  assert.equal(says(3, 2, false, 0.4), "The head is off.");
  assert.equal(says(0, 2), "The mood head finds no word here.");
});

test("the stage says the whole of a word that is read in parts", () => {
  const keyTokens = ["[CLS]", "they", "don", "'", "t", "dis", "##like", "'", "tea", "'", "[SEP]"];
  const says = (found, sentence) => finding({ keyTokens }, { asker: 6, found }, "mood", true, sentence);
  assert.equal(says(4, "They don't dislike 'tea'"), "A head finds “don't” for “dislike”.");
  assert.equal(says(8, "They don't dislike 'tea'"), "A head finds “tea” for “dislike”.");
  assert.equal(says(8, "They don't dislike this"), "A head finds “tea” for “dislike”."); // the sentence has moved on
});

test("tokens are found where they stand in the sentence as it was typed", () => {
  const words = (sentence, ...tokens) =>
    rangesOf(sentence, ["[CLS]", ...tokens, "[SEP]"])
      .slice(1, -1)
      .map((range) => range && sentence.slice(...range));
  assert.deepEqual(words("None like  tea.", "none", "like", "tea", "."), ["None", "like", "tea", "."]);
  assert.deepEqual(words("A CAFÉ, o\u0308l", "a", "cafe", ",", "ol"), ["A", "CAFÉ", ",", "o\u0308l"]);
  assert.deepEqual(words("tea teapot", "tea", "tea", "##pot"), ["tea", "tea", "pot"]);
  assert.deepEqual(words("👍 ok", "[UNK]", "ok"), [null, "ok"]);
  assert.deepEqual(words("cut", "cut", "off"), ["cut", null]);
});

test("an answer leans from one end of its scale to the other", () => {
  assert.equal(lean({ bad: 1, so: 0, good: 0 }), -1);
  assert.equal(lean({ bad: 0.25, so: 0.5, good: 0.25 }), 0);
  assert.equal(lean({ bad: 0, good: 1 }), 1);
});

test("the switch turns a head of layer 1 off, the answer follows, and it turns it on again", async () => {
  const look = await opened();
  assert.equal(verdict(look), "mood good 75\u00a0%");
  press(look, "Turn this head off");
  assert.deepEqual(look.map.headMask, maskOf([[0, 1]], 2, 3));
  assert.equal(verdict(look), "mood bad 75\u00a0% with one head off");
  assert.equal(texts(look, ".fl-likeliest").join(), "bad");
  type(look, "Sentence", "Others are read as well");
  assert.deepEqual(texts(look, ".fl-marks > :is(.fl-word, .fl-asker, .fl-found)").slice(0, 2), ["Others", "are"]);
  press(look, "Turn it on again");
  assert.deepEqual([look.map.headMask, verdict(look)], [null, "mood good 75\u00a0%"]);
});

test("doors lead from the stage to the numbers and to all heads, and back", async () => {
  const look = await opened();
  const faces = ["Show me the numbers", "All four heads", "Back to the picture"].map((door) => {
    press(look, door);
    return look.dataset.face;
  });
  assert.deepEqual(faces, ["numbers", "heads", "stage"]);
});

test("a sentence is typed as another one, which changes into it", () => {
  const after = (sentence, first) =>
    keystrokes(sentence, first)
      .map(([text]) => text)
      .slice(first.length - 1);
  assert.equal(keystrokes("We never like tea.", "We like tea.")[0][0], "W");
  assert.deepEqual(after("We never like tea.", "We like tea."), [
    "We like tea.",
    "We nlike tea.",
    "We nelike tea.",
    "We nevlike tea.",
    "We nevelike tea.",
    "We neverlike tea.",
    "We never like tea.",
  ]);
  assert.deepEqual(after("None like tea.", "All like tea."), [
    "All like tea.",
    "Al like tea.",
    "A like tea.",
    " like tea.",
    "N like tea.",
    "No like tea.",
    "Non like tea.",
    "None like tea.",
  ]);
  assert.deepEqual(after("Tea, tea.", "Tea."), ["Tea.", "Tea,.", "Tea, .", "Tea, t.", "Tea, te.", "Tea, tea."]);
  assert.deepEqual(keystrokes("We like tea.", ""), []);
});

/** A look that types itself, as one comes to a page: the clock is held once the model is here. */
async function typing(t) {
  const look = await opened();
  look.remove();
  await settled();
  page.still = false;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  document.body.append(look);
  for (let turns = 0; turns < 5; turns++) await settled();
  return look;
}

/** Lets so many milliseconds pass, key by key. */
async function pass(t, milliseconds) {
  for (let gone = 0; gone < milliseconds; gone += 20) {
    t.mock.timers.tick(20);
    await settled();
  }
}

test("the sentence types itself, live, and not a second time", async (t) => {
  const look = await typing(t);
  const seen = [];
  look.map.addEventListener("attention", () => seen.push(look.map.sentence));
  await pass(t, 4000);
  assert.deepEqual(
    [...new Set(seen)],
    keystrokes("we never like tea", "we like tea").map(([text]) => text),
  );
  assert.equal(look.map.sentence, "we never like tea");
  look.remove();
  await settled();
  document.body.append(look);
  await pass(t, 1000);
  assert.equal(seen.at(-1), "we never like tea");
});

test("in a hidden tab nothing is typed; once it's seen, the typing goes on", async (t) => {
  const look = await typing(t);
  await pass(t, 300);
  hideTab();
  const unseen = look.map.sentence;
  await pass(t, 4000);
  assert.equal(look.map.sentence, unseen);
  hideTab(false);
  await pass(t, 4000);
  assert.equal(look.map.sentence, "we never like tea");
});

test("any key ends the typing: the sentence is whole at once, or is the reader's who types in it", async (t) => {
  const look = await typing(t);
  await pass(t, 300);
  assert.match(look.map.sentence, /^we l?/);
  key(document.body, "Tab");
  assert.equal(look.map.sentence, "we never like tea");
  localStorage.clear();
  t.mock.timers.reset();
  const other = await typing(t);
  await pass(t, 300);
  named(other, "Sentence").focus();
  type(other, "Sentence", "mine");
  await pass(t, 4000);
  assert.equal(other.map.sentence, "mine");
});

test("an example is shown with all heads on; for a sentence of the reader's, the head that they turned off stays so", async () => {
  const html = HTML.replace("<head-map", '<head-map examples="we hate tea"');
  const look = await drawLive(html, twoLayers());
  press(look, "Turn this head off");
  type(look.map, "Sentence", "we never like milk");
  assert.deepEqual([look.map.off, verdict(look)], ["0.1", "mood bad 75\u00a0% with one head off"]);
  press(look, "we hate tea");
  assert.deepEqual([look.map.off, verdict(look)], ["", "mood good 75\u00a0%"]);
  assert.ok(named(look, "Turn this head off"));
});
