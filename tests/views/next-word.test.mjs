// <next-word>: the likeliest next words as bars that a reader presses, reshapes, and cuts heads from.
import assert from "node:assert/strict";
import test from "node:test";
import nextWord, { TRAITS } from "../../src/manyheads/web/figures/next-word/next-word.ts";
import { Host } from "../../src/manyheads/web/views/host.ts";
import {
  baked,
  choose,
  draw,
  follow,
  heard,
  hideTab,
  isIdle,
  key,
  named,
  once,
  press,
  same,
  says,
  settled,
  status,
  texts,
  tick,
  type,
  until,
} from "./page.mjs";
import { weightsOf } from "./small-models.mjs";

/** What its tokens stand for: words, the bytes of a cup of tea, one that nobody sees, and the end. */
const WORDS = [
  " tea",
  " milk",
  " <b>cup</b>",
  ".",
  "<F0 9F>",
  "<8D B5>",
  "\uFE0F",
  "<|end|>",
  " a",
  " the",
  " or",
  " and",
];
const END = 7;

/** A decoder of two layers and three heads that likes the word after the last one, counted around; without head 1.2, the first. */
function decoder() {
  const model = {
    name: "decoder",
    numLayers: 2,
    numHeads: 3,
    headNames: ["a", "b", "c"],
    maxTokens: 99,
    endTokens: [END],
    calls: [],
    wordOf: (id) => WORDS[id],
    async next(text, headMask = null, { masked = [] } = {}) {
      const { text: whole, tail } = typeof text === "string" ? { text, tail: [] } : text;
      model.calls.push({ text: whole, tail, headMask, masked });
      const tokens = [...(whole.match(/\s?\S+|\s+/g) ?? [""]), ...tail.map((id) => WORDS[id])];
      const last = tail.at(-1) ?? WORDS.findIndex((word) => whole.endsWith(word));
      const best = headMask?.[1][2] === false || masked.length ? 0 : (last + 1) % WORDS.length;
      const logits = Float32Array.from(WORDS, (_, id) =>
        id === best ? 4 : 2 - ((id - best + WORDS.length) % WORDS.length) / 10,
      );
      return {
        ids: [],
        logits,
        map: {
          queryTokens: tokens,
          keyTokens: tokens,
          shape: [2, 3, tokens.length, tokens.length],
          weights: weightsOf([2, 3, tokens.length, tokens.length]),
          headNames: ["a", "b", "c"],
          predictions: {},
          causal: true,
          notes: whole.includes("🍵") ? ["Bytes of a character."] : [],
        },
      };
    },
  };
  return model;
}

const START = "A cup of";
const STORED = {
  text: START,
  off: "",
  masked: false,
  temperature: 1,
  words: [
    [" tea", 0.77],
    [" milk", 0.1],
  ],
  seed: 1,
  drawn: 0,
};
const DATA = {
  stored: [STORED, { ...STORED, off: "1.2", words: [[" milk", 0.5, 0.1]] }],
  lists: { "the two": "1.2 0.0" },
  numLayers: 2,
  numHeads: 3,
};

async function opened(model = decoder(), hash) {
  return draw(
    `<next-word text="${START}">${baked(DATA)}</next-word>`,
    { decoder: { load: () => model, missingBytes: async () => 97e6 } },
    hash,
  );
}

async function live(model) {
  const figure = await opened(model);
  await figure.ready;
  return figure;
}

/** Does something, and waits until its text is answered. */
async function answered(figure, act) {
  const told = once(figure, "attention");
  act();
  await told;
}
const bars = (figure) => texts(figure, ".nw-bars button");
const shares = (figure) => texts(figure, ".nw-share");
const tokens = (figure) => texts(figure, ".nw-words span span");
/** Looks where the chosen head does, or another one, and no longer. */
const look = (figure, name = figure.querySelector(".nw-chosen").title) => press(figure, `Where ${name} looks`);
const box = (figure) => named(figure, "Text so far");
const bar = (figure, place = 0) => figure.querySelectorAll(".nw-bars button")[place];

const ghost = (figure) => figure.querySelector(".nw-words").textContent.slice(figure.text.length);

test("an example is there before the model, with its likeliest word behind the text; what isn't stored waits", async () => {
  const figure = await opened();
  assert.deepEqual(
    [bars(figure), shares(figure), ghost(figure)],
    [["tea", "milk"], ["77\u00a0%", "10\u00a0%"], " tea"],
  );
  bar(figure, 1).dispatchEvent(new Event("pointerenter"));
  assert.equal(ghost(figure), " milk");
  bar(figure, 1).dispatchEvent(new Event("pointerleave"));
  await says(figure, /^This is a computed example\. Load the language model \(97\.0 MB\)$/);
  const { nextElementSibling: beside } = figure.querySelector("[role=status].hm-status");
  assert.deepEqual([beside.localName, beside.textContent], ["button", "Tools"], "the offer stands beside them");
  figure.setAttribute("off", "1.2");
  assert.deepEqual([bars(figure), shares(figure)], [["milk"], ["50\u00a0%, was 10\u00a0%"]]);
  await says(figure, /^This is a computed example\./);
  figure.setAttribute("off", "");
  press(figure, "Write a word");
  assert.equal(figure.text, `${START} tea`);
  await says(figure, /^Your text will be answered once the language model has loaded\./);
  assert.equal(figure.querySelector(".nw-ghost").hidden, true);
});

test("a text that waits for the model stands above grey bars", async () => {
  const figure = await opened();
  type(figure, "Text so far", "Milk");
  await says(figure, /^Your text will be answered once the language model has loaded\./);
  assert.ok(figure.querySelector(".nw-bars").classList.contains("hm-stale"));
  look(figure);
  press(figure, "Load the language model (97.0 MB)");
  await says(figure, /^Ready/);
  assert.ok(!figure.querySelector(".nw-bars").classList.contains("hm-stale"));
  assert.deepEqual([figure.text, tokens(figure)], ["Milk", ["Milk"]]);
});

test("a pressed bar is written, and stepped back from", async () => {
  const figure = await live();
  assert.deepEqual([bars(figure)[0], bars(figure).length, isIdle(figure, "Undo")], ["tea", 10, true]);
  await answered(figure, () => bar(figure).click());
  assert.deepEqual([box(figure).value, bars(figure)[0], isIdle(figure, "Undo")], [`${START} tea`, "milk", false]);
  await answered(figure, () => press(figure, "Undo"));
  assert.deepEqual([box(figure).value, bars(figure)[0], isIdle(figure, "Undo")], [START, "tea", true]);
});

test("a character that takes several tokens is written byte by byte, and back", async () => {
  const figure = await live();
  look(figure);
  await answered(figure, () => type(figure, "Text so far", "A."));
  await answered(figure, () => named(figure, "Write “<F0 9F>”, " + shares(figure)[0]).click());
  assert.deepEqual([box(figure).value, tokens(figure)], ["A.", ["A.", "<F0 9F>"]], "the text has no half of it");
  assert.equal(bars(figure)[0], "<8D B5> 🍵", "the bar says what it would make");
  await answered(figure, () => bar(figure).click());
  assert.equal(box(figure).value, "A.🍵");
  assert.match(status(figure), /Bytes of a character\.$/);
  for (const text of ["A.", "A."]) {
    await answered(figure, () => press(figure, "Undo"));
    assert.equal(box(figure).value, text);
  }
  assert.deepEqual(tokens(figure), ["A."]);
});

test("a drawn word has whole characters", async () => {
  const figure = await live();
  type(figure, "Temperature", 0);
  await answered(figure, () => type(figure, "Text so far", "A."));
  press(figure, "Write a word");
  await until(() => figure.text === "A.🍵");
});

test("a token that nobody sees is shown by its number", async () => {
  const figure = await live();
  await answered(figure, () => type(figure, "Text so far", "A"));
  assert.ok(bars(figure).includes("U+FE0F"));
});

const conditions = (figure) => texts(figure, ".nw-conditions")[0];

test("bars are reshaped by temperature, top-k and top-p", async () => {
  const figure = await live();
  const share = () => figure.next[0].probability;
  const [plain, before] = [share(), bars(figure).length];
  type(figure, "Temperature", 2);
  assert.ok(share() < plain);
  type(figure, "Temperature", 0);
  assert.deepEqual([figure.next.length, share(), bars(figure).length], [1, 1, before], "what can't come keeps its row");
  type(figure, "Temperature", 1);
  choose(figure, "Top-k", 3);
  assert.deepEqual([figure.next.length, bars(figure).length], [3, before]);
  choose(figure, "Top-k", 0);
  type(figure, "Top-p", 0.05);
  assert.deepEqual([figure.next.length, bars(figure).length], [1, before]);
});

test("beside the bars stands what shapes them, also of those that come with the page", async () => {
  const figure = await draw(`<next-word text="${START}" temperature="0.7" masked="first"></next-word>`);
  assert.equal(conditions(figure), "Next word, at temperature 0.7, with the first token masked");
  const own = await live();
  assert.equal(conditions(own), "Next word");
  type(own, "Temperature", 0);
  choose(own, "Top-k", 1);
  type(own, "Top-p", 0.9);
  assert.equal(conditions(own), "Next word, at temperature 0, top-k 1, top-p 0.9");
});

test("heads that are off change the bars, which say what they were with all heads on", async () => {
  const model = decoder();
  const figure = await live(model);
  await answered(figure, () => type(figure, "Text so far", `${START} tea`));
  await answered(figure, () => press(figure, "the two"));
  assert.deepEqual(
    [figure.shown.off, bars(figure)[0], model.calls.at(-1).headMask],
    [
      "0.0 1.2",
      "tea",
      [
        [false, true, true],
        [true, true, false],
      ],
    ],
  );
  assert.match(shares(figure)[0], /^\d+\u00a0%, was [\d.]+\u00a0%$/);
  assert.equal(conditions(figure), "Next word, with 2 heads off");
  assert.equal(figure.querySelector(".nw-off span").textContent, "Off: head 3 of layer 2, head 1 of layer 1.");
  await answered(figure, () => press(figure, "Put back"));
  assert.deepEqual([figure.headMask, figure.shown.off], [null, ""]);
  assert.match(shares(figure)[0], /^\d+\u00a0%$/);
});

test("heads are counted from 1: a square each, which is turned off alone or with its layer", async () => {
  const figure = await live();
  assert.equal(figure.querySelectorAll(".nw-heads button").length, 6);
  look(figure, "layer 2, head 3");
  await answered(figure, () => press(figure, "layer 2, head 3"));
  const off = () => [...figure.querySelectorAll(".nw-is-off")].map(({ title }) => title);
  assert.deepEqual([figure.shown.off, off()], ["1.2", ["layer 2, head 3"]]);
  await answered(figure, () => press(figure, "all of layer 2"));
  assert.equal(figure.shown.off, "1.0 1.1 1.2");
  await answered(figure, () => press(figure, "all of layer 2"));
  assert.equal(figure.shown.off, "");
});

test("arrow keys walk the heads, which are one stop of Tab, and stay among them", async () => {
  const figure = await live();
  const at = () => figure.querySelector(".nw-heads [tabindex='0']");
  look(figure, "layer 1, head 1");
  const walked = ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp"].map((name) => {
    key(at(), name);
    same(document.activeElement, at());
    return at().title;
  });
  assert.deepEqual(walked, [
    "layer 1, head 2",
    "layer 2, head 2",
    "layer 2, head 2",
    "layer 2, head 1",
    "layer 2, head 1",
  ]);
  assert.equal(at().ariaPressed, "true");
});

test("a head that's pressed colours the text, and pressed again no longer", async () => {
  const figure = await live();
  assert.deepEqual(tokens(figure), []);
  look(figure);
  assert.deepEqual(tokens(figure), ["A", " cup", " of"]);
  look(figure);
  assert.deepEqual(tokens(figure), []);
});

test("the first token is masked in the model, or its colour is only hidden", async () => {
  const model = decoder();
  const figure = await live(model);
  look(figure);
  const calls = model.calls.length;
  tick(named(figure, "Hide the first token’s colour"));
  assert.equal(model.calls.length, calls);
  await answered(figure, () => tick(named(figure, "Mask the first token")));
  assert.deepEqual(
    [model.calls.at(-1).masked, shares(figure)[0].includes("was"), figure.querySelector(".nw-off span").textContent],
    [[0], true, "The first token is masked."],
  );
  await answered(figure, () => press(figure, "Put back"));
  assert.deepEqual(model.calls.at(-1).masked, []);
});

test("it writes on and stops, or ends where the model would", async (t) => {
  const figure = await live();
  type(figure, "Temperature", 0);
  await answered(figure, () => type(figure, "Text so far", "B and"));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const next = async () => {
    await settled();
    t.mock.timers.tick(140);
    await settled();
  };
  press(figure, "▶ Play");
  await next();
  assert.ok(named(figure, "❚❚ Pause"));
  assert.ok(figure.text.startsWith("B and tea milk"));
  hideTab();
  await next();
  const unseen = figure.text;
  await next();
  assert.equal(figure.text, unseen, "a hidden tab writes nothing");
  hideTab(false);
  await next();
  assert.ok(figure.text.length > unseen.length && figure.text.startsWith(unseen));
  press(figure, "❚❚ Pause");
  await next();
  const stopped = figure.text;
  await next();
  assert.deepEqual([figure.text, Boolean(named(figure, "▶ Play"))], [stopped, true]);
  type(figure, "Text so far", "C\uFE0F");
  await next();
  press(figure, "Write a word");
  assert.equal(status(figure), "Here the model would end the text.");
  assert.equal(figure.text, "C\uFE0F");
});

test("what is typed while it writes ends that", async () => {
  const figure = await live();
  press(figure, "▶ Play");
  await answered(figure, () => type(figure, "Text so far", "Mine"));
  assert.deepEqual([figure.text, Boolean(named(figure, "▶ Play"))], ["Mine", true]);
});

test("a seed draws the same words again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] }); // a byte that is drawn isn't followed by others in their time
  const written = [];
  for (const seed of [7, 7, 8]) {
    const figure = await live();
    choose(figure, "Seed", seed);
    type(figure, "Temperature", 2);
    for (let word = 0; word < 6; word++) {
      press(figure, "Write a word");
      await settled();
    }
    written.push(figure.text);
  }
  assert.equal(written[0], written[1]);
  assert.notEqual(written[0], written[2]);
});

test("stepped back, the same word is drawn again", async () => {
  const figure = await live();
  choose(figure, "Top-k", 3);
  choose(figure, "Seed", 3);
  type(figure, "Temperature", 2);
  await answered(figure, () => press(figure, "Write a word"));
  const { text } = figure;
  await answered(figure, () => press(figure, "Undo"));
  await answered(figure, () => press(figure, "Write a word"));
  assert.equal(figure.text, text);
});

test("where the chosen head looks stands in the text, with the first token hidden on request", async () => {
  const figure = await live();
  look(figure);
  const said = () => [...figure.querySelectorAll(".nw-words span span")].map((word) => word.getAttribute("aria-label"));
  const { weights, shape } = figure.attention;
  const row = [...weights.subarray(((1 * 3 + 2) * shape[2] + 2) * 3, ((1 * 3 + 2) * shape[2] + 3) * 3)];
  assert.deepEqual(
    said().map((text) => text.split(": ")[0]),
    ["A", "cup", "of"],
  );
  said().forEach((text, at) => assert.ok(Math.abs(parseFloat(text.split(": ")[1]) / 100 - row[at]) < 0.006));
  tick(named(figure, "Hide the first token’s colour"));
  assert.equal(said()[0], "A: 0\u00a0%");
});

test("words of the text that are selected ask as one, until it's another text", async () => {
  const figure = await live();
  look(figure);
  const select = (from, to) => {
    box(figure).focus();
    box(figure).setSelectionRange(from, to);
    document.dispatchEvent(new Event("selectionchange"));
  };
  const said = () => texts(figure, ".nw-looks")[0];
  const asking = () => texts(figure, ".nw-words .nw-asks").map((word) => word.trim());
  const shown = () =>
    [...figure.querySelectorAll(".nw-words span span")].map((word) => word.getAttribute("aria-label"));
  const last = shown();
  assert.match(said(), /^From the last token, head 3 of layer 2 looks most at /);
  for (const [from, to, words, told] of [
    [2, 5, ["cup"], "“cup”"],
    [3, 7, ["cup", "of"], "“cup of”, the mean of 2 tokens"],
    [1, 6, ["cup"], "“cup”"], // with the white space around it
  ]) {
    select(from, to);
    assert.deepEqual(asking(), words);
    assert.ok(
      said()
        .replace(/[\u2066-\u2069]/g, "")
        .startsWith(`From ${told}, head 3 of layer 2`),
      said(),
    );
    const { weights, shape } = figure.attention;
    const rows = words.map((word) => figure.attention.queryTokens.findIndex((token) => token.trim() === word));
    const row = (query) => weights.subarray((5 * shape[2] + query) * shape[3], (5 * shape[2] + query + 1) * shape[3]);
    shown().forEach((text, key) => {
      const mean = rows.reduce((sum, query) => sum + row(query)[key], 0) / rows.length;
      assert.ok(Math.abs(parseFloat(text.split(": ")[1]) / 100 - mean) < 0.006, text);
    });
  }
  box(figure).blur();
  assert.deepEqual(asking(), ["cup"], "what was selected goes on asking while heads are pressed");
  for (const nothing of [
    [1, 2],
    [4, 4],
  ]) {
    select(2, 5);
    select(...nothing);
    assert.deepEqual([asking(), shown()], [[], last]);
  }
  select(2, 5);
  await answered(figure, () => type(figure, "Text so far", "A cup of a"));
  assert.deepEqual(asking(), []);
  assert.match(said(), /^From the last token, /);
});

test("why the head looks there is told of what it looks at most; not where a token is masked, nor without the model", async () => {
  const [model, asked] = [decoder(), []];
  const { next } = model;
  model.next = async (text, headMask, options) => {
    const answer = await next(text, headMask, options);
    const scoreParts = async (cell) => (asked.push(cell), { parts: ["embedding"], pairs: Float64Array.of(2) });
    return options.masked.length ? answer : { ...answer, map: { ...answer.map, scoreParts } };
  };
  const figure = await opened(model);
  const why = figure.querySelector(".why-there");
  assert.equal(why.hidden, true);
  await figure.ready;
  look(figure);
  assert.equal(why.hidden, false);
  why.open = true;
  const {
    weights,
    queryTokens: { length },
  } = figure.attention;
  const row = [...weights].slice(-length); // of the last head, from the last token
  assert.deepEqual(asked, [{ layer: 1, head: 2, query: length - 1, key: row.indexOf(Math.max(...row)) }]);
  await until(() => /^In layer 2, c, the score of “␣of” with “/.test(texts(why, ".wt-lead")[0]));
  bar(figure, 1).dispatchEvent(new Event("pointerenter"));
  assert.equal(asked.length, 1, "nothing else was asked");
  await answered(figure, () => tick(named(figure, "Mask the first token")));
  assert.equal(why.hidden, true);
});

test("another script sets and reads it", async () => {
  const figure = await live();
  for (const [act, text, off] of [
    [() => (figure.text = "Milk or"), "Milk or", null],
    [
      () =>
        (figure.headMask = [
          [true, true, true],
          [true, true, false],
        ]),
      "Milk or",
      [
        [true, true, true],
        [true, true, false],
      ],
    ],
    [() => (figure.headMask = null), "Milk or", null],
    [() => figure.setAttribute("off", "9.9"), "Milk or", null],
  ]) {
    const told = Promise.all([once(document, "next"), once(document, "attention")]);
    act();
    const [next, map] = await told;
    assert.deepEqual([next === figure.next, map === figure.attention], [true, true]);
    assert.deepEqual([figure.text, figure.headMask, figure.shown.text], [text, off, text]);
  }
  assert.deepEqual(Object.keys(figure.next[0]), ["word", "probability", "logit"]);
});

test("a link sets text and heads; the same one pressed again does so again", async () => {
  const figure = await opened(undefined, "#figure=next-word&text=Milk+%3Cb%3E&off=1.2&onclick=x");
  await figure.ready;
  assert.deepEqual([figure.text, figure.shown.off, figure.getAttribute("onclick")], ["Milk <b>", "1.2", null]);
  await answered(figure, () => type(figure, "Text so far", "Tea"));
  await answered(figure, () => follow("#figure=next-word&text=Milk+%3Cb%3E&off=1.2"));
  assert.equal(figure.text, "Milk <b>");
});

test("any text stays as it was typed, lines included, and is text", async () => {
  const figure = await live();
  for (const text of [
    "",
    " ",
    "مرحبا",
    "😀👍🏽",
    "<img src=x onerror=alert(1)>",
    "for n in x:\n\n    print(",
    "word ".repeat(40),
  ]) {
    await answered(figure, () => type(figure, "Text so far", text));
    assert.deepEqual([box(figure).value, figure.text, bars(figure).length], [text, text, 10]);
  }
  assert.equal(figure.querySelectorAll("img, .nw-bars b").length, 0);
});

test("a very long text is written once, in its box, and answered all the same", async () => {
  const figure = await live();
  look(figure);
  const long = `${"x".repeat(1_000_000)} tea`;
  await answered(figure, () => type(figure, "Text so far", long));
  assert.deepEqual([box(figure).value === long, figure.text === long, bars(figure)[0]], [true, true, "milk"]);
  assert.ok(figure.querySelector(".nw-words").textContent.length < 20);
  assert.match(figure.textContent, /takes on no colour/);
  await answered(figure, () => type(figure, "Text so far", "A tea"));
  assert.match(figure.querySelector(".nw-words").textContent, /^A tea/);
});

test("what a press came to is said once", async (t) => {
  const figure = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await answered(figure, () => bar(figure).click());
  assert.match(
    heard(figure, t.mock.timers),
    /^Likeliest next: milk, [\d.]+\u00a0%; <b>cup<\/b>, [\d.]+\u00a0%; \., [\d.]+\u00a0%\.$/,
  );
});

test("a key is one dispatch and one drawing, and so is its answer", async (t) => {
  const figure = await live();
  const dispatched = t.mock.method(Host.prototype, "dispatch");
  const drawn = t.mock.method(figure.querySelector(".nw-page").classList, "toggle");
  const counts = () => [dispatched.mock.calls.map(({ arguments: [action] }) => action.type), drawn.mock.callCount()];
  await answered(figure, () => {
    type(figure, "Text so far", "Milk");
    assert.deepEqual(counts(), [["type"], 1]);
  });
  assert.deepEqual(counts(), [["type", "answer"], 2]);
});

test("what is said of a text is said once its answer is here", async (t) => {
  const figure = await opened();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  type(figure, "Text so far", "Milk");
  assert.equal(heard(figure, t.mock.timers), "");
  await answered(figure, () => figure.ready);
  assert.match(heard(figure, t.mock.timers), /^Likeliest next: /);
});

/** What Python's `NextWord` has in its traits, as anywidget gives it. */
function widget() {
  const values = {
    ...{ text: START, off: [], masks_first: false, _tail: [], _words: WORDS, _css: "", _status: "" },
    ...{
      _example: { ...DATA, stored: undefined, endTokens: [END] },
      _asks: Object.values(TRAITS),
      _asked: 0,
      _answered: 0,
    },
  };
  const listeners = [];
  return {
    get: (name) => values[name],
    set(name, value) {
      values[name] = value;
      for (const [event, listener] of listeners) if (event === `change:${name}`) listener();
    },
    save_changes() {},
    on: (...listener) => listeners.push(listener),
    off() {},
    /** Python answers to what it was sent. */
    async answer() {
      const { logits, map } = await decoder().next({ text: values.text, tail: values._tail });
      const { weights, ...rest } = map;
      const now = { shape: [WORDS.length], values: [...logits] };
      this.set("_answered", values._asked);
      this.set("_answer", { tail: values._tail, logits: { now }, map: { ...rest, weights: [...weights] } });
    },
  };
}

test("in a notebook Python is sent what is written and switched, each time once, and nothing that it set itself", async (t) => {
  const [model, el] = [widget(), document.body.appendChild(document.createElement("div"))];
  await model.answer();
  const leave = nextWord.render({ model, el });
  const [root] = el.children;
  const asked = model.get("_asked");
  const sent = () => [model.get("text"), model.get("off"), model.get("_asked") - asked];
  await model.answer();
  bar(root).click();
  assert.deepEqual([box(root).value, sent()], [`${START} tea`, [`${START} tea`, [], 1]]);
  await model.answer();
  press(root, "the two");
  assert.deepEqual(sent().slice(1).flat(2), [1, 2, 0, 0, 2]);
  await model.answer();
  model.set("text", "Milk");
  assert.deepEqual([box(root).value, sent()[2]], ["Milk", 2]);
  await model.answer();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(root, "▶ Play");
  const [first] = sent();
  t.mock.timers.tick(140);
  assert.deepEqual([first.startsWith("Milk "), sent()[0] === first, sent()[2]], [true, true, 3], "it waits for Python");
  await model.answer();
  t.mock.timers.tick(140);
  assert.deepEqual([sent()[0].startsWith(first), sent()[0] !== first, sent()[2]], [true, true, 4]);
  leave();
  await model.answer();
  t.mock.timers.tick(140);
  assert.equal(sent()[2], 4);
});
