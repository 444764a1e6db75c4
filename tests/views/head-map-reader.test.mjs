// A reader's work on a map: what was done is undone, sentences to press, words that are offered or refused, a
// translation that asks, and what is said to those who listen.
import assert from "node:assert/strict";
import test from "node:test";
import {
  draw,
  drawLive,
  isHere,
  heard,
  isIdle,
  key,
  named,
  once,
  point,
  press,
  replace,
  same,
  settled,
  status,
  texts,
  tick,
  type,
} from "./page.mjs";
import { Fault } from "../../src/manyheads/web/math/faults.ts";
import { withWord } from "../../src/manyheads/web/math/text.ts";
import { makeMap, mapModel, tokensOf } from "./small-models.mjs";

const RESTED = 300; // milliseconds, after which a word that is pointed at asks

const live = (attributes = "", model = mapModel()) =>
  drawLive(`<head-map model="focus" sentence="hot tea now" ${attributes}></head-map>`, model);

const VIEW = 'input[type="radio"]:checked';
const redo = (map) =>
  map
    .querySelector(".hm-body")
    .dispatchEvent(new KeyboardEvent("keydown", { key: "y", ctrlKey: true, bubbles: true, cancelable: true }));
const asker = (map) => map.querySelector(".hm-asker").textContent;
const choice = (map, view) => tick(map.querySelector(`input[value="${view}"]`));

test("beside the icons stands the name of the view that's pointed at, or else of the chosen one", async () => {
  const map = await live();
  const icon = map.querySelector('input[value="grid"]').parentElement;
  const name = () => map.querySelector(".hm-view-name").textContent;
  choice(map, "matrix");
  const names = [name()];
  for (const event of ["pointerenter", "pointerleave"]) {
    point(icon, event);
    names.push(name());
  }
  assert.deepEqual(names, ["Matrix", "Grid", "Matrix"]);
});

// --- undo

test("each thing that was done is undone, in turn, and done again", async () => {
  const map = await live();
  assert.equal(isIdle(map, "Undo"), true);
  choice(map, "matrix");
  press(map, "mood");
  press(map, "Compare");
  type(map, "Sentence", "cold tea");
  const state = () => [
    map.querySelector(VIEW).value,
    map.off,
    named(map, "Compare with").closest("[hidden]") === null,
    map.sentence,
  ];
  const done = [state()];
  for (let step = 0; step < 4; step++) {
    press(map, "Undo");
    done.push(state());
  }
  assert.deepEqual(done.slice(1), [
    ["matrix", "0.1", true, "hot tea now"],
    ["matrix", "0.1", false, "hot tea now"],
    ["matrix", "", false, "hot tea now"],
    ["paint", "", false, "hot tea now"],
  ]);
  assert.deepEqual([isIdle(map, "Undo"), map.attention.keyTokens], [true, tokensOf("hot tea now")]);
  for (let step = 3; step >= 0; step--) {
    redo(map);
    assert.deepEqual(state(), done[step]);
  }
  assert.deepEqual(map.attention.keyTokens, tokensOf("cold tea"));
});

test("keystrokes without a pause are one step", async (t) => {
  const map = await live();
  t.mock.method(performance, "now", () => 0); // however slow the machine
  for (const text of ["hot tea now?", "hot tea now??"]) type(map, "Sentence", text);
  press(map, "Undo");
  assert.deepEqual([map.sentence, isIdle(map, "Undo")], ["hot tea now", true]);
});

test("the keys that undo in a box, and the browser's own commands, undo what was done anywhere", async () => {
  const map = await live();
  const box = named(map, "Sentence");
  const keys = (name, held = {}) =>
    !box.dispatchEvent(new KeyboardEvent("keydown", { key: name, ctrlKey: true, cancelable: true, ...held }));
  const browsers = (inputType) =>
    !box.dispatchEvent(Object.assign(new Event("beforeinput", { cancelable: true }), { inputType }));
  press(map, "mood");
  type(map, "Sentence", "hot tea, now");
  box.focus();
  assert.ok(keys("z"), "the browser's own would take a letter");
  assert.deepEqual([map.sentence, map.off, box.selectionStart], ["hot tea now", "0.1", 7]);
  assert.ok(keys("z") && isIdle(map, "Undo"));
  assert.equal(map.off, "");
  keys("Z", { shiftKey: true });
  redo(map);
  assert.deepEqual([map.sentence, map.off], ["hot tea, now", "0.1"]);
  assert.ok(browsers("historyUndo") && browsers("historyUndo") && browsers("historyRedo") && keys("y"));
  assert.equal(map.sentence, "hot tea, now");
  assert.ok(!keys("a") && !keys("z", { ctrlKey: false }));
});

test("what is done after an undo leaves nothing to redo", async () => {
  const map = await live();
  press(map, "mood");
  press(map, "Undo");
  press(map, "kind");
  redo(map);
  assert.equal(map.off, "0.0");
});

test("a pinned word stays pinned through undo and redo", async (t) => {
  const map = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const word = (text) =>
    [...map.querySelectorAll("tbody:first-of-type td")].find(({ textContent }) => textContent === text);
  word("tea").click();
  choice(map, "matrix");
  press(map, "Undo");
  point(word("now"));
  t.mock.timers.tick(RESTED);
  assert.equal(asker(map), "tea");
  press(map, "Undo");
  point(word("hot"));
  t.mock.timers.tick(RESTED);
  assert.equal(asker(map), "hot", "nothing is pinned any more");
});

test("a button that does nothing keeps the focus that it has", async () => {
  const map = await live();
  press(map, "mood");
  const undo = named(map, "Undo");
  undo.focus();
  undo.click();
  same(document.activeElement, undo);
  assert.equal(undo.disabled, false);
});

test("a control with the focus keeps it over a repaint; where it's gone, the view's name gets it", async () => {
  const map = await live();
  named(map, "mood").focus();
  press(map, "mood");
  same(document.activeElement, named(map, "mood"));
  [...map.querySelectorAll("td")][2].focus();
  map.setAttribute("view", "grid");
  same(document.activeElement, map.querySelector(VIEW));
});

// --- sentences to press

test("sentences above the box are pressed, and undone", async () => {
  const map = await live('examples="Hot tea? | | <b>Cold</b> tea. (misread)"');
  const group = named(map, "Sentences to try");
  assert.deepEqual(texts(group, "button"), ["Hot tea?", "<b>Cold</b> tea. (misread)"]);
  group.querySelectorAll("button")[1].click();
  assert.deepEqual(map.attention.keyTokens, ["[CLS]", "<b>Cold</b>", "tea.", "[SEP]"]);
  press(map, "Undo");
  assert.equal(map.sentence, "hot tea now");
});

// --- a translator

const WORDS = ["a", "and", "apple", "apples", "cat", "eat", "eats", "the"];
const FRENCH = { the: "la", cat: "chatte", eats: "mange", apple: "pomme" };

/** A translator word for word, which throws as the page's does. */
const translator = () =>
  mapModel({
    vocabulary: WORDS,
    attend(sentence) {
      const words = sentence.toLowerCase().replace(".", "").split(" ").filter(Boolean);
      const refuse = (message, word = null, near = []) => {
        throw Object.assign(new Error(message), { name: "Fault", word, near });
      };
      if (!words.length) refuse("Type an English sentence.");
      for (const word of words)
        if (!WORDS.includes(word)) refuse(`It does not know “${word}”.`, word, word === "appel" ? ["apple"] : []);
      const french = words.map((word) => FRENCH[word] ?? word);
      const written = `${french.join(" ")}.`;
      return makeMap({
        queryTokens: [...french, "</s>"],
        keyTokens: [...words, "</s>"],
        written: written[0].toUpperCase() + written.slice(1),
      });
    },
  });
const spoken = (map) => texts(map, '[aria-label="Translation"] button');

test("a translation stands word by word, and a word asks", async () => {
  const map = await live("", translator()).then((map) => (type(map, "Sentence", "The cat eats."), map));
  assert.deepEqual(spoken(map), ["la", "chatte", "mange"]);
  named(map, "Translation").querySelectorAll("button")[1].click();
  assert.equal(map.querySelector("table").getAttribute("aria-label"), "What each head looks at when chatte asks");
  assert.deepEqual(
    [...named(map, "Translation").children].map((button) => button.getAttribute("aria-pressed")),
    ["false", "true", "false"],
  );
});

test("beams lead from each French word to the English words that its heads look at; those of a head that is off are gone", async () => {
  const map = await live("", translator()).then((map) => (type(map, "Sentence", "The cat eats."), map));
  const {
    weights,
    shape: [, heads, queries, keys],
    keyTokens,
  } = map.attention;
  assert.deepEqual(texts(map, ".hm-translated span"), keyTokens);
  const wanted = (off = -1) =>
    [...weights]
      .filter((weight, at) => {
        const [query, head] = [Math.floor(at / keys) % queries, Math.floor(at / keys / queries)];
        return head < heads && head !== off && query < queries - 1 && weight >= 0.05;
      })
      .map((weight) => (9 * weight).toFixed(1))
      .sort();
  const thick = (selector = "path") =>
    [...map.querySelectorAll(`.hm-loom ${selector}`)].map((path) => path.getAttribute("stroke-width")).sort();
  assert.deepEqual(thick(), wanted());
  named(map, "Translation").querySelectorAll("button")[1].click();
  assert.equal(
    thick("path.hm-lit").length,
    [...weights.subarray(0, heads * queries * keys)].filter(
      (weight, at) => Math.floor(at / keys) % queries === 1 && weight >= 0.05,
    ).length,
  );
  press(map, map.attention.headNames[0]);
  assert.deepEqual(thick(), wanted(0));
});

test("a word that is being typed is no error; one that is unknown is, and the last translation stays, greyed", async () => {
  const map = await live("", translator());
  type(map, "Sentence", "the cat eats");
  const isGrey = () => named(map, "Translation").closest(".hm-stale") !== null;
  type(map, "Sentence", "the cat eats the appl");
  assert.deepEqual(
    [status(map), spoken(map), isGrey()],
    ["What you see is the last sentence that could be read.", ["la", "chatte", "mange"], false],
  );
  type(map, "Sentence", "the cat eats the appl now");
  assert.match(status(map), /^It does not know “appl”\. What you see is the last sentence that could be read\.$/);
  assert.deepEqual([spoken(map), isGrey()], [["la", "chatte", "mange"], true]);
  const [line, french] = [map.querySelector("[role=status]"), named(map, "Translation")];
  assert.ok(line.compareDocumentPosition(french) & Node.DOCUMENT_POSITION_FOLLOWING, "why it stays stands before it");
});

test("a word like it is offered in place of an unknown one, by a button", async () => {
  const map = await live("", translator());
  type(map, "Sentence", "the cat eats the appel.");
  press(map, "Use “apple”");
  assert.deepEqual([named(map, "Sentence").value, spoken(map).at(-1)], ["the cat eats the apple.", "pomme"]);
  assert.ok(!map.querySelector(".hm-stale"));
  assert.equal(status(map), "Ready: computed in your browser as you type.");
});

test("it takes the place of that word, not of a part of another, whatever stands before it", () => {
  assert.equal(withWord("The apple and the Appl are red.", "appl", "apple"), "The apple and the apple are red.");
  assert.equal(withWord("“İİ, the appl”", "appl", "apple"), "“İİ, the apple”");
  assert.equal(withWord("The apple.", "appl", "apple"), null);
});

test("a sentence that is refused for no word offers none", async () => {
  const map = await live("", translator());
  type(map, "Sentence", "");
  assert.equal(status(map), "Type an English sentence. What you see is the last sentence that could be read.");
  assert.equal(map.querySelector("[role=status] button"), null);
});

test("words that the model knows are offered while one is typed, taken by press or keys, and left by Escape", async () => {
  const map = await live("", translator());
  const box = named(map, "Sentence");
  const offered = named(map, "Words it knows");
  const write = (text) => (box.focus(), type(map, "Sentence", text));
  write("the cat ea");
  assert.deepEqual([texts(offered, "button"), offered.hidden], [["eat", "eats"], false]);
  offered.querySelectorAll("button")[1].click();
  assert.deepEqual([box.value, map.sentence, offered.hidden], ["the cat eats", "the cat eats", true]);
  same(document.activeElement, box);
  write("the cat eats appl");
  key(box, "ArrowDown");
  key(document.activeElement, "ArrowRight");
  assert.equal(document.activeElement.textContent, "apples");
  key(document.activeElement, "Escape");
  assert.ok(offered.hidden);
  same(document.activeElement, box);
  write("the cat eats a ");
  assert.ok(offered.hidden, "no word is begun");
});

test("a box that a finger enters goes to the top, and again when a keyboard comes; one that a mouse enters stays", async (t) => {
  let moves = 0;
  let last;
  replace(t, HTMLElement.prototype, { scrollIntoView: ({ block }) => (moves++, (last = block)) });
  globalThis.visualViewport = Object.assign(document.createElement("i"), { height: 740, scale: 1 });
  t.after(() => delete globalThis.visualViewport);
  const box = named(await live(), "Sentence");
  const tap = (pointerType) => {
    moves = 0;
    box.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerType }));
    box.focus();
    assert.equal(moves, 0, "not before the caret is placed");
    box.click();
    return moves;
  };
  const resize = (height, scale = 1) => {
    moves = 0;
    Object.assign(visualViewport, { height, scale }).dispatchEvent(new Event("resize"));
    return moves;
  };
  assert.equal(tap("mouse"), 0);
  box.blur();
  assert.deepEqual([tap("touch"), tap("touch")], [1, 0], "a second touch only sets the caret");
  assert.deepEqual(
    [resize(370, 2), resize(400), resize(370), resize(400)],
    [0, 1, 0, 0],
    "a pinch and the browser's own bars aren't a keyboard",
  );
  assert.deepEqual([resize(740), resize(400)], [0, 1], "it was put away, and comes back");
  box.blur();
  assert.deepEqual(
    [resize(740), last, resize(400)],
    [1, "nearest", 0],
    "once it's gone, the box moves no farther than out from under a header",
  );
});

// --- what is heard

test("what typing came to is said once, when nothing more is typed for a second", async (t) => {
  const map = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const text of ["c", "co", "cold tea"]) {
    type(map, "Sentence", text);
    t.mock.timers.tick(999);
  }
  const said = map.querySelector("p.hm-unseen[aria-live]");
  assert.equal(said.textContent, "");
  assert.match(heard(map, t.mock.timers), /^Mood: good, 75\u00a0%\. Mood head: most on \S+, \d+\u00a0%\.$/);
});

test("what a page or a pointer changes is not said", async (t) => {
  const map = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  map.setAttribute("view", "matrix");
  point(map.querySelector("td"));
  assert.equal(heard(map, t.mock.timers), "");
});

test("a switch of a head says what is concluded now, and what of it the head knows", async (t) => {
  const map = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(map, "mood");
  assert.match(heard(map, t.mock.timers), /^Mood: bad, was good\. Mood head: most on /);
});

test("a sentence stays one line: Enter does nothing, and pasted lines become spaces", async () => {
  const map = await live();
  const box = named(map, "Sentence");
  assert.ok(key(box, "Enter"));
  type(map, "Sentence", "hot\n  tea\r\nnow");
  assert.deepEqual([box.value, map.sentence], ["hot tea now", "hot tea now"]);
});

// --- why there

test("a cell that's pressed has its reason below the map, where the model can tell; another text has none yet", async () => {
  const asked = [];
  const model = mapModel();
  const { attend } = model;
  model.attend = (...text) => ({
    ...attend(...text),
    scoreParts: (cell) => (asked.push(cell), Promise.resolve({ parts: ["embedding"], pairs: Float64Array.of(2) })),
  });
  const map = await live('view="matrix"', model);
  const why = map.querySelector(".why-there");
  assert.ok(why.hidden);
  map.querySelectorAll("tbody tr")[1].querySelectorAll("td[data-weight]")[3].click();
  assert.deepEqual([why.hidden, why.open, asked], [false, false, []], "nothing is computed before it's opened");
  why.open = true;
  await new Promise((done) => setTimeout(done));
  assert.deepEqual([asked.at(-1).query, asked.at(-1).key], [1, 3]);
  assert.match(
    texts(map, ".wt-lead")[0],
    /the score of “hot” with “now” is \+2\.00\. In the key, its embedding counts most: \+2\.00\.$/,
  );
  press(map, "mood");
  await new Promise((done) => setTimeout(done));
  assert.equal(asked.length, 2, "a head is off: asked again");
  type(map, "Sentence", "cold tea");
  assert.ok(why.hidden);
});

test("how many heads are off is said beside what is concluded, of a sentence that wasn't read with all on", async () => {
  const map = await live();
  const small = () => texts(map, ".hm-predictions small");
  press(map, "mood");
  press(map, "rest");
  assert.deepEqual(small(), ["all heads on: good 75\u00a0%"]);
  type(map, "Sentence", "my tea");
  assert.deepEqual(small(), ["with 2 heads off"]);
  press(map, "rest");
  assert.deepEqual(small(), ["with one head off"]);
  press(map, "mood");
  assert.deepEqual(small(), [""]);
  const translated = await live("", translator());
  type(translated, "Sentence", "The cat eats.");
  assert.deepEqual(texts(translated, ".hm-french small"), [""]);
  press(translated, "mood");
  assert.deepEqual(texts(translated, ".hm-french small"), ["with one head off"]);
});

// --- what each paragraph is for

const PARAGRAPHS = "Tea is hot.\n\nIce is cold\nand white.\n\nWhat is";
const WITHOUT = "What if each weren’t there?";

/** A map of three paragraphs by a model that writes on, and what that was asked for: each is to be answered. */
async function paragraphs(changes = {}) {
  const asked = [];
  const model = mapModel({ name: "decoder" });
  model.attend = async (text, headMask) => {
    const tokens = text.match(/\s*\S+/g);
    const withoutEach = (sources) =>
      sources.map(
        ({ places }) => new Promise((answer, refuse) => asked.push({ text, headMask, places, answer, refuse })),
      );
    return { ...makeMap({ queryTokens: tokens, keyTokens: tokens, causal: true, withoutEach, ...changes }) };
  };
  const map = await draw('<head-map model="decoder" sentence="hot tea"></head-map>', { decoder: isHere(model) });
  await map.ready;
  type(map, "Sentence", PARAGRAPHS);
  await map.settled;
  const cells = () => texts(map, ".hm-mattered").map((text) => text.replaceAll("\u00a0", ""));
  const told = () => map.querySelector(".hm-sources > p:last-child span").textContent;
  const answer = async (at, without) => {
    asked[at].answer({ answer: " tea", probability: 0.75, without });
    await settled();
  };
  return { map, asked, cells, told, answer };
}

test("what each paragraph is for is asked on request, one after the other, and the figure stays alive meanwhile", async () => {
  const { map, asked, cells, told, answer } = await paragraphs();
  assert.deepEqual([asked, cells(), told()], [[], ["", ""], ""]);
  press(map, WITHOUT);
  assert.deepEqual(
    asked.map(({ places }) => places),
    [
      [0, 1, 2],
      [3, 4, 5, 6, 7],
    ],
  );
  assert.deepEqual([cells(), told()], [["…", "…"], "Asking the model without each: 0 of 2."]);
  await answer(0, 0.125);
  assert.deepEqual([cells(), told()], [["75% → 13%", "…"], "Asking the model without each: 1 of 2."]);
  const looked = texts(map, ".hm-sources summary > span:first-of-type");
  map.query = 6;
  assert.notDeepEqual(texts(map, ".hm-sources summary > span:first-of-type"), looked, "another word asks");
  choice(map, "matrix");
  await answer(1, 0.8);
  assert.deepEqual([cells(), asked.length], [["75% → 13%", "75% → 80%"], 2]);
  assert.match(told(), /^Mattered: how likely “tea” is to come next, .* “Tea is hot\.” begins with the first token/);
  press(map, WITHOUT);
  assert.deepEqual([cells(), told()], [["", ""], ""]);
  press(map, WITHOUT);
  assert.deepEqual([cells(), asked.length], [["75% → 13%", "75% → 80%"], 2], "what is known isn't asked again");
});

test("what each paragraph is for is asked anew without a head; another text begins without it, and undo brings it back", async () => {
  const { map, asked, cells, told, answer } = await paragraphs();
  press(map, WITHOUT);
  await answer(0, 0.125);
  press(map, "mood");
  await map.settled;
  assert.deepEqual([cells(), asked.length, asked[3].headMask[0]], [["…", "…"], 4, [true, false, true]]);
  await answer(1, 0.5);
  assert.deepEqual(cells(), ["…", "…"], "what was asked of another map is no longer wanted");
  await answer(2, 0.25);
  assert.deepEqual(cells(), ["75% → 25%", "…"]);
  type(map, "Sentence", `${PARAGRAPHS} hot`);
  assert.deepEqual([cells(), told(), named(map, WITHOUT).ariaPressed], [["", ""], "", "false"]);
  await map.settled;
  await answer(3, 0.5);
  assert.deepEqual([cells(), asked.length], [["", ""], 4]);
  press(map, "Undo");
  await map.settled;
  assert.deepEqual([cells(), asked.length, asked[5].text], [["…", "…"], 6, PARAGRAPHS]);
});

test("a model that can't tell what a paragraph is for says why, and one that isn't asked has no button", async () => {
  const { map, asked } = await paragraphs();
  press(map, WITHOUT);
  for (const { refuse } of asked) refuse(new Fault("the model was closed."));
  await settled();
  assert.match(status(map), /^It can’t be told: the model was closed\. What you see stays\.$/);
  assert.equal(named(map, WITHOUT).ariaPressed, "false");
  press(map, WITHOUT);
  assert.equal(asked.length, 4, "it's asked again");
  for (const changes of [
    { withoutEach: undefined },
    { causal: false, sources: [{ name: "tea", places: [1], sizes: [1] }] },
  ]) {
    const other = await paragraphs(changes);
    assert.equal(other.map.querySelector(".hm-sources").hidden, false);
    assert.ok(named(other.map, WITHOUT).closest("[hidden]"));
  }
});
