// A file of the reader's becomes the model of a map, or of all the figures that <open-model> names: it is chosen or dropped, says what it
// is and how far it has come, is cancelled, refused, replaced and closed. What another model had is forgotten.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, isHere, key, named, press, says, settled, status, tick, type, until } from "./page.mjs";
import { focusModel, makeMap, smallDecoder, tokensOf, weightsOf } from "./small-models.mjs";

const { Fault } = await import("../../src/manyheads/web/math/faults.ts");
const { apartOf } = await import("../../src/manyheads/web/math/compared.ts");
const { percent } = await import("../../src/manyheads/web/math/text.ts");
const { default: texts } = await import("../../src/manyheads/shared/texts.json", { with: { type: "json" } });
const { turns } = await import("../../src/manyheads/web/doors/turns.ts");

const READY = /^Ready: computed in your browser as you type\.$/;
const MAP = '<head-map model="focus" sentence="hot tea" id="map"></head-map>';

/** A model of a file with so many layers and heads, whose logits prefer what is in `words`. */
function fileModel(name, numLayers = 3, numHeads = 5, changes = {}) {
  const words = ["hot", " tea", " milk", " now"];
  const headNames = Array.from({ length: numHeads }, (_, head) => `head ${head + 1}`);
  const model = {
    name: `file/${name}`,
    numLayers,
    numHeads,
    headNames,
    endTokens: [],
    maxTokens: 64,
    asked: [],
    wordOf: (id) => words[id],
    async next(text, headMask = null, { masked = [] } = {}) {
      const { text: draft = text, tail = [] } = text;
      model.asked.push({ text: draft, tail, headMask, masked });
      const tokens = tokensOf(draft);
      const shape = [numLayers, numHeads, tokens.length, tokens.length];
      const map = {
        ...makeMap({ queryTokens: tokens, keyTokens: tokens, shape }),
        headNames,
        weights: weightsOf(shape),
      };
      return { ids: [...tokens.keys()], logits: Float32Array.from([0, 3, 2, 1]), map };
    },
    attend: async (text, headMask) => (await model.next(text, headMask)).map,
    close() {
      model.broken = true;
    },
    ...changes,
  };
  return model;
}

/** A family of files, each opened as a test says: `openings` holds what is told of each, and ends it. */
function files() {
  const openings = [];
  const openModel = (files, { progress, opened, signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      openings.push({ files, progress, opened, signal, come: resolve, fail: reject });
    });
  return { openModel, openings };
}

const aFile = (name = "small.gguf") => new File(["GGUF"], name);

async function drawWith(html, models = {}, hash = "") {
  const file = files();
  const figure = await draw(
    html,
    { file, focus: isHere(fileModel("not a file", 2, 4, { name: "focus" })), ...models },
    hash,
  );
  return { figure, openings: file.openings };
}

/** Opens a file in a map, by its script. */
async function opened(map, openings, model = fileModel("small")) {
  const opening = map.open(aFile());
  await until(() => openings.length);
  openings.pop().come(model);
  await opening;
}

test("a map opens a file: it says how far it has come, then reads with its layers and heads", async () => {
  const { figure: map, openings } = await drawWith(MAP);
  const opening = map.open(aFile());
  await until(() => openings.length);
  openings[0].progress(4_000_000, 22_500_000);
  assert.equal(status(map), "Reading the file: 4.0 of 22.5 MB. Cancel");
  openings[0].come(fileModel("small"));
  await opening;
  assert.deepEqual([map.model, map.computedBy, map.attention.shape.slice(0, 2)], ["file/small", "file/small", [3, 5]]);
  assert.match(status(map), READY);
});

test("what can't be opened is told and rejected, and what was shown stays", async () => {
  const { figure: map, openings } = await drawWith(MAP);
  await map.ready;
  const before = map.attention;
  const opening = map.open(aFile());
  await until(() => openings.length);
  openings[0].fail(new Fault("it is a text, and no GGUF."));
  await assert.rejects(opening, {
    message: "The file could not be opened: it is a text, and no GGUF. What you see stays.",
  });
  assert.equal(status(map), "The file could not be opened: it is a text, and no GGUF. What you see stays.");
  assert.equal(map.attention, before);
  type(map, "Sentence", "cold tea");
  await says(map, READY);
  assert.equal(map.computedBy, "focus");
});

test("cancelled, it says so, and keeps what it shows", async () => {
  const { figure: map, openings } = await drawWith(MAP);
  await map.ready; // it says so as well
  const opening = map.open(aFile());
  await until(() => openings.length);
  press(map, "Cancel");
  await assert.rejects(opening, { message: "Cancelled. What you see stays." });
  assert.equal(status(map), "Cancelled. What you see stays.");
  assert.equal(map.model, "focus");
});

test("what cannot be computed with it is rejected", async () => {
  const { figure: map, openings } = await drawWith(MAP);
  const failing = fileModel("small", 3, 5, { attend: () => Promise.reject(new Fault("it stopped.")) });
  await assert.rejects(opened(map, openings, failing), /^Fault: The map could not be computed: it stopped\./);
});

test("heads that were off, and a layer that it hasn't, are another model's", async () => {
  const { figure: map, openings } = await drawWith(
    '<head-map model="focus" sentence="hot tea" layer="1" head="3" off="1.2" id="map"></head-map>',
  );
  await map.ready;
  await opened(map, openings, fileModel("small", 1, 2));
  assert.equal(map.headMask, null);
  assert.deepEqual(map.enlarged, { layer: 0, head: 1 });
  assert.match(status(map), /The heads that were off are another model’s: here all are on\.$/);
});

test("what heads of the page's own model do is not said of a file's", async () => {
  const behaviours = Array(8).fill("first").join(" ");
  const { figure: map, openings } = await drawWith(
    `<head-map model="focus" sentence="hot tea" view="grid" behaviours="${behaviours}"></head-map>`,
  );
  await map.ready;
  const kinds = () => map.querySelector(".hm-sorting");
  assert.equal(kinds().hidden, false);
  await opened(map, openings, fileModel("small", 2, 4));
  assert.equal(kinds().hidden, true);
});

test("a link names the file; who hasn't opened it reads so, and sees the sentence; once it's open, the heads are as linked", async () => {
  const { figure: map, openings } = await drawWith(
    MAP,
    {},
    "#map=map&model=file%2Fsmall&sentence=cold+tea&layer=2&head=4&off=2.1",
  );
  await says(map, /This link was made with small: open that file to see it\.$/);
  assert.deepEqual([map.sentence, map.computedBy, map.off], ["cold tea", "focus", ""]);
  await opened(map, openings);
  assert.deepEqual([map.sentence, map.enlarged, map.off], ["cold tea", { layer: 2, head: 4 }, "2.1"]);
  assert.match(status(map), READY);
  press(map, "Copy link");
  assert.match(map.querySelector("textarea[aria-label=link]").value, /model=file%2Fsmall/);
  assert.throws(() => named(map, "Copy tag"));
});

test("what is saved of a file's map names the file", async (t) => {
  const { figure: map, openings } = await drawWith(MAP);
  await opened(map, openings);
  const saved = [];
  t.mock.method(HTMLAnchorElement.prototype, "click", function () {
    saved.push(this.download);
  });
  press(map, "Save as CSV");
  await until(() => saved.length);
  assert.deepEqual(saved, ["small-hot-tea-paint.csv"]);
});

// --- <open-model>

const PAGE = `<open-model for="map next-word"></open-model>${MAP}<next-word text="hot" off="7.3"></next-word>`;

/** What a page's figures are, by their kinds. */
const figures = () =>
  Object.fromEntries([...document.querySelector("main").children].map((each) => [each.localName, each]));

/** Chooses a file, as a reader does. */
function choose(opener, files = aFile(), at = 0) {
  const input = opener.querySelectorAll("input[type=file]")[at];
  Object.defineProperty(input, "files", { value: [files].flat(), configurable: true });
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** A file over something, or dropped on it; gives the event. */
function drag(target, name, file = aFile(), items = []) {
  const event = new Event(name, { bubbles: true, cancelable: true });
  const dataTransfer = { types: ["Files"], items, files: name === "drop" ? [file] : [], dropEffect: "copy" };
  target.dispatchEvent(Object.assign(event, { dataTransfer }));
  return event;
}

/** What the file of a model says of it. */
const header = ({ numLayers, numHeads }, bytes = 3e6) => ({
  line: `small: llama, ${numLayers} layers of ${numHeads} heads`,
  ...{ numLayers, numHeads, bytes },
});

async function come(openings, model = fileModel("small")) {
  await until(() => openings.length);
  const { come: comes, progress, opened: tell } = openings.pop();
  tell(header(model));
  progress(1_000_000, 2_000_000);
  comes(model);
  await settled();
}

test("any file may be chosen: it says what it is, and all figures that are named read with it", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  assert.equal(opener.querySelector("input[type=file]").accept, "");
  choose(opener, aFile("sha256-1234"));
  await come(openings);
  assert.equal(opener.querySelector(".om-what").textContent, "small: llama, 3 layers of 5 heads");
  assert.equal(opener.querySelector("progress").hidden, true);
  await says(opener, /^small reads here now\. Close it$/);
  const { "head-map": map, "next-word": writer } = figures();
  await until(() => map.computedBy === "file/small" && writer.attention);
  assert.deepEqual(
    [map, writer].map(({ attention }) => attention.shape.slice(0, 2)),
    [
      [3, 5],
      [3, 5],
    ],
  );
  assert.equal(writer.next[0].word, " tea");
});

test("several files are chosen at once, and of a folder those at its top; they make one model", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  const inFolder = (path) =>
    Object.defineProperty(aFile(path.split("/").at(-1)), "webkitRelativePath", { value: path });
  const [parts, folder] = [
    [aFile("a-00001-of-00002.gguf"), aFile("a-00002-of-00002.gguf")],
    ["mine/config.json", "mine/old/config.json"],
  ];
  for (const [files, by] of [
    [parts, 0],
    [folder.map(inFolder), 1],
  ]) {
    choose(opener, files, by);
    await until(() => openings.length);
    assert.deepEqual(openings.pop().files, by ? files.slice(0, 1) : files);
  }
  const entry = (name) => ({ isFile: true, file: (told) => told(aFile(name)) });
  const rest = [[entry("config.json")], [entry("model.safetensors"), { isDirectory: true }], []]; // some at a time
  const reader = { readEntries: (told) => told(rest.shift()) };
  const dropped = { isDirectory: true, name: "my model", createReader: () => reader };
  drag(opener, "drop", aFile("my model"), [{ webkitGetAsEntry: () => dropped }]);
  await until(() => openings.length);
  assert.deepEqual(
    openings[0].files.map(({ webkitRelativePath }) => webkitRelativePath),
    ["my model/config.json", "my model/model.safetensors"],
  );
});

test("progress is a bar, and Cancel ends it", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  choose(opener);
  await until(() => openings.length);
  openings[0].progress(5, 20);
  const bar = opener.querySelector("progress");
  assert.deepEqual([bar.hidden, bar.value, bar.max].map(Number), [0, 5, 20]);
  press(opener, "Cancel");
  await says(opener, /^Cancelled\. What you see stays\.$/);
  assert.equal(bar.hidden, true);
  assert.equal(openings[0].signal.aborted, true);
});

test("a file may be dropped here and on the figures; elsewhere it does nothing", async () => {
  const { figure: opener, openings } = await drawWith(`${PAGE}<p>words</p>`);
  const { "head-map": map, p: words } = figures();
  for (const [target, effect] of [
    [opener, "copy"],
    [map, "copy"],
    [words, "none"],
  ]) {
    const event = drag(target, "dragover");
    assert.deepEqual([event.defaultPrevented, event.dataTransfer.dropEffect], [true, effect]);
    assert.equal(opener.classList.contains("om-over"), effect === "copy");
  }
  assert.equal(drag(words, "drop").defaultPrevented, true);
  await settled();
  assert.equal(openings.length, 0);
  drag(map, "drop", aFile("dropped.gguf"));
  await until(() => openings.length);
  assert.equal(openings[0].files[0].name, "dropped.gguf");
  const text = new Event("dragover", { bubbles: true, cancelable: true });
  words.dispatchEvent(Object.assign(text, { dataTransfer: { types: ["text/plain"], files: [] } }));
  assert.equal(text.defaultPrevented, false);
});

test("of two openers on a page, each takes what is dropped on its own figures", async () => {
  const { openings } = await drawWith(
    `<open-model for="one"></open-model>${MAP.replace('"map"', '"one"')}<open-model for="two"></open-model>${MAP.replace('"map"', '"two"')}`,
  );
  for (const map of document.querySelectorAll("head-map"))
    assert.equal(drag(map, "dragover").dataTransfer.dropEffect, "copy");
  drag(document.querySelectorAll("head-map")[1], "drop");
  await come(openings);
  await until(() => document.querySelectorAll("head-map")[1].computedBy === "file/small");
  assert.equal(document.querySelector("head-map").model, "focus");
});

test("a second file ends the first, also one of the same name; closed, the figures have their own models", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  const { "head-map": map } = figures();
  choose(opener);
  await until(() => openings.length);
  choose(opener);
  await until(() => openings.length === 2);
  assert.deepEqual(
    openings.map(({ signal }) => signal.aborted),
    [true, false],
  );
  const first = fileModel("small");
  await come(openings, first);
  await until(() => map.computedBy === "file/small");
  choose(opener);
  await until(() => openings.length === 2);
  first.close();
  await come(openings, fileModel("small", 1, 2));
  await until(() => map.attention.shape[1] === 2);
  press(opener, "Close it");
  await until(() => map.computedBy === "focus");
  assert.equal(opener.querySelector(".om-lines").hidden, true);
  assert.equal(status(opener), "Closed.");
});

test("a refusal is told, and the figures go on", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  choose(opener);
  await until(() => openings.length);
  openings[0].fail(new Fault("its architecture, mamba, has no attention."));
  await says(
    opener,
    /^The file could not be opened: its architecture, mamba, has no attention\. What you see stays\.$/,
  );
  assert.equal(figures()["head-map"].model, "focus");
});

test("a model that is open stays where another file is refused, and can be closed", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  choose(opener);
  await come(openings);
  choose(opener);
  await until(() => openings.length);
  openings[0].opened({ ...header(fileModel("other")), line: "other: mamba" });
  assert.equal(opener.querySelector(".om-what").textContent, "other: mamba");
  openings[0].fail(new Fault("no."));
  await says(opener, /^The file could not be opened: no\. What you see stays\. Close it$/);
  assert.equal(opener.querySelector(".om-what").textContent, "small: llama, 3 layers of 5 heads");
  assert.equal(figures()["head-map"].model, "file/small");
});

// --- two of them

const second = (opener) => named(opener, "Open a second file beside it");

/** Opens a file beside the one that is open, and agrees to what it takes. */
async function comeBeside(opener, openings, model) {
  choose(opener, aFile(`${model.name}.gguf`), 2);
  await until(() => openings.length);
  const { come: comes, opened: tell } = openings.pop();
  const agreed = tell(header(model, 1e6));
  await says(opener, /^It takes 1\.0 MB of memory, both together 4\.0 MB\. Cancel$/);
  press(opener, "Load it");
  await agreed;
  comes(model);
  await settled();
}

/** A model like that of `fileModel`, whose heads look elsewhere, and which prefers another word. */
function otherModel(name, changes = {}) {
  const model = fileModel(name, 3, 5, changes);
  const { attend } = model;
  model.attend = async (...asked) => {
    const map = await attend(...asked);
    return { ...map, weights: weightsOf(map.shape, 2), predictions: { "next word": { milk: 0.75, tea: 0.25 } } };
  };
  return model;
}

const movedRows = (opener) => [...opener.querySelectorAll(".om-heads tbody tr")].map((row) => row.textContent);

test("a second file stands beside the first: its heads are compared one by one, on the sentence and on our texts", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  const { "head-map": map } = figures();
  assert.equal(second(opener).closest("label").hidden, true);
  choose(opener);
  const first = fileModel("small");
  await come(openings, first);
  await until(() => map.computedBy === "file/small");
  await comeBeside(opener, openings, otherModel("other"));
  await until(() => map.compared);
  assert.equal(map.getAttribute("beside"), "file/other");
  const moved = apartOf(map.attention, map.compared).heads;
  const most = moved.indexOf(Math.max(...moved));
  await until(() => movedRows(opener).length === 8);
  const name = `layer ${Math.floor(most / 5) + 1}, head ${(most % 5) + 1}`;
  assert.equal(movedRows(opener)[0], `${name}${percent(moved[most])}`);
  assert.deepEqual(
    [...opener.querySelectorAll(".om-words tr")]
      .map((row) => [...row.cells].map(({ textContent }) => textContent))
      .slice(0, 2),
    [
      ["", "small", "other"],
      ["milk", "", percent(0.75)],
    ],
  );
  press(opener, name);
  assert.deepEqual(map.enlarged, { layer: Math.floor(most / 5), head: most % 5 });
  type(map, "Sentence", "cold tea now");
  await until(() => map.compared.keyTokens.includes("cold"));
  press(opener, "Measure on 20 texts of ours");
  await says(
    opener.querySelector(".om-beside"),
    /^On 20 of our texts, the likeliest next word was the same 0 times\.$/,
  );
  assert.deepEqual(
    first.asked.slice(-20).map(({ text }) => text),
    Object.values(texts).flat(),
  );
  assert.match(movedRows(opener)[0], /^layer \d, head \d[\d.]+\u00a0%[\d.]+\u00a0%$/);
});

test("closing one of two leaves the other, and gives its memory back", async () => {
  for (const [closed, left] of [
    ["small", "other"],
    ["other", "small"],
  ]) {
    const { figure: opener, openings } = await drawWith(PAGE);
    const { "head-map": map, "next-word": writer } = figures();
    const models = { small: fileModel("small"), other: otherModel("other") };
    choose(opener);
    await come(openings, models.small);
    await comeBeside(opener, openings, models.other);
    await until(() => map.compared);
    press(opener, `Close ${closed}`);
    await until(() => !map.compared && [map, writer].every(({ model }) => model === `file/${left}`));
    assert.deepEqual([models[closed].broken, models[left].broken], [true, undefined]);
    await says(opener, new RegExp(`^${left} reads here now\\. Close it$`));
    assert.equal(opener.querySelector(".om-beside").hidden, true);
    press(opener, "Close it");
    await until(() => map.computedBy === "focus");
  }
});

test("what can't be compared is refused before it's loaded; closed while it loads, the first stays", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  const { "head-map": map } = figures();
  choose(opener);
  await come(openings);
  choose(opener, aFile(), 2);
  await until(() => openings.length);
  const { opened: tell, fail } = openings.pop();
  await tell(header(fileModel("other", 2, 4))).catch(fail);
  await says(
    opener,
    /^The file could not be opened: it has 2 layers of 4 heads, and small 3 of 5\. Heads are compared one by one, so choose a file with as many\. What you see stays\. Close it$/,
  );
  choose(opener, aFile(), 2);
  await until(() => openings.length);
  type(map, "Sentence", "cold tea");
  await until(() => map.attention.keyTokens.includes("cold"));
  press(opener, "Cancel");
  await says(opener, /^Cancelled\. What you see stays\. Close it$/);
  assert.deepEqual([map.model, map.hasAttribute("beside")], ["file/small", false]);
});

test("of texts that are cut otherwise no row is compared, and that is said", async () => {
  const { figure: opener, openings } = await drawWith(PAGE);
  choose(opener);
  await come(openings);
  const other = otherModel("other");
  const { attend } = other;
  other.attend = async (text, ...asked) => attend(`${text} more`, ...asked);
  await comeBeside(opener, openings, other);
  await until(() => !opener.querySelector(".om-note").hidden);
  assert.match(opener.querySelector(".om-note").textContent, /^The two cut your text into other tokens/);
  assert.equal(opener.querySelector(".om-heads").hidden, true);
});

// --- the other figures

const STORED = `<script type="application/json">${JSON.stringify({
  stored: [
    {
      text: "hot",
      off: "",
      masked: false,
      temperature: 1,
      words: [
        [" water", 0.9],
        [" tea", 0.1],
      ],
    },
  ],
  lists: { "two heads": "7.3 6.0" },
  numLayers: 8,
  numHeads: 4,
})}</script>`;

test("<next-word> forgets what is stored, lists of heads and heads that were off: they are another model's", async () => {
  const { openings } = await drawWith(
    `<open-model for="next-word"></open-model><next-word text="hot" layer="7" head="3" off="7.3">${STORED}</next-word>`,
  );
  const { "open-model": opener, "next-word": writer } = figures();
  assert.equal(named(writer, "two heads").hidden, false);
  choose(opener);
  const model = fileModel("small");
  await come(openings, model);
  await says(writer, /^Ready: .* The heads that were off are another model’s: here all are on\.$/);
  assert.equal(named(writer, "two heads").hidden, true);
  assert.deepEqual(model.asked.at(-1), { text: "hot", tail: [], headMask: null, masked: [] });
  writer.setAttribute("off", "2.4 7.3");
  await until(() => model.asked.at(-1).headMask);
  assert.deepEqual(
    model.asked
      .at(-1)
      .headMask.flat()
      .filter((on) => !on).length,
    1,
  );
  writer.setAttribute("off", "two heads");
  await until(() => model.asked.at(-1).headMask === null);
  assert.equal(writer.querySelectorAll(".nw-heads button").length, 15);
  press(writer, "Write a word");
  await until(() => writer.text === "hot tea" || writer.text === "hot milk");
});

test("words of the model before are not written into the new one", async () => {
  const { openings } = await drawWith(`<open-model for="next-word"></open-model><next-word text="hot"></next-word>`, {
    decoder: isHere(fileModel("x", 2, 3, { name: "decoder" })),
  });
  const { "open-model": opener, "next-word": writer } = figures();
  await writer.ready;
  press(writer, "Write a word");
  await until(() => writer.attention.keyTokens.length === 4);
  const { text } = writer;
  choose(opener);
  const model = fileModel("small");
  await come(openings, model);
  await until(() => writer.attention?.shape[1] === 5);
  assert.equal(writer.text, text);
  assert.equal(named(writer, "Undo").getAttribute("aria-disabled"), "true");
});

test("journey, ledger and whole model of a decoder's file take its layers and heads", async () => {
  const { model } = await smallDecoder();
  model.name = "file/small";
  const { openings } = await drawWith(
    `<open-model for="attention-flow head-ledger whole-model"></open-model><whole-model sentence="a b c" layer="23" off="23.4 1.feed-forward"></whole-model><attention-flow sentence="a b c" layer="23" head="8" query="2"></attention-flow><head-ledger sentence="a b c" head="212" off="23.4"></head-ledger>`,
  );
  const { "open-model": opener, "attention-flow": flow, "head-ledger": ledger, "whole-model": whole } = figures();
  choose(opener);
  await come(openings, model);
  await until(() => flow.steps && ledger.matrices);
  assert.deepEqual([flow.layer, flow.head, flow.steps.layers], [1, 3, 2]);
  assert.equal(ledger.ledger().heads.length, 8);
  await says(ledger, /^Ready: .* The heads that were off are another model’s: here all are on\./);
  await says(whole, /^Ready: .* The parts that were off are another model’s: here all are on\./);
  assert.deepEqual([whole.machine.parts.length, whole.querySelectorAll(".wm-box").length, whole.off], [5, 5, ""]);
  press(whole, "layer 2");
  await whole.settled;
  assert.equal(whole.querySelectorAll(".wm-inside canvas").length, 4);
  assert.doesNotMatch(status(whole), /another model/);
});

test("a link to a journey with a file says which it was made with", async () => {
  const flow = '<attention-flow model="focus" sentence="hot tea"></attention-flow>';
  const { figure } = await drawWith(
    flow,
    { focus: isHere(focusModel()) },
    "#figure=attention-flow&model=file%2Fsmall&sentence=cold+tea",
  );
  await says(figure, /This link was made with small: open that file to see it\.$/);
  assert.equal(figure.sentence, "cold tea");
});

// --- how long a word takes

test("how long a word takes is said of a file, and one that is slow may wait for Enter", async (t) => {
  t.after(() => (turns().waitsForEnter = false));
  const { openings } = await drawWith(PAGE);
  const { "open-model": opener, "head-map": map } = figures();
  choose(opener);
  const model = fileModel("small", 3, 5, { secondsPerWord: 0.31 });
  await come(openings, model);
  await says(map, /^Ready: computed in your browser as you type; a word takes 0\.3 s\.$/);
  const box = named(opener, "Read when I press Enter");
  assert.equal(box.closest("label").hidden, true);
  model.secondsPerWord = 3.4;
  type(map, "Sentence", "cold tea");
  await says(map, /a word takes 3\.4 s/);
  assert.equal(box.closest("label").hidden, false);
  tick(box);
  const sentence = named(map, "Sentence");
  sentence.focus();
  type(map, "Sentence", "cold milk");
  await settled();
  assert.match(status(map), /^Press Enter to have it read\. Read it$/);
  assert.deepEqual(map.attention.keyTokens, tokensOf("cold tea"));
  assert.equal(map.querySelector(".hm-stage").classList.contains("hm-stale"), true);
  key(sentence, "Enter");
  await until(() => String(map.attention.keyTokens) === String(tokensOf("cold milk")));
  type(map, "Sentence", "warm milk");
  press(map, "Read it");
  await until(() => String(map.attention.keyTokens) === String(tokensOf("warm milk")));
  named(map, "head 1").focus();
  press(map, "head 1"); // what isn't typed is answered at once
  await until(() => model.asked.at(-1).headMask?.[0][0] === false);
});
