// <head-map> on a page: what other scripts set and ask, what its reader types, and how its models come and go.
import assert from "node:assert/strict";
import test from "node:test";
import { Controls } from "../../src/manyheads/web/figures/head-map/controls.ts";
import { Host } from "../../src/manyheads/web/views/host.ts";
import { maskOf } from "../../src/manyheads/web/math/heads-off.ts";
import {
  baked,
  choose,
  draw,
  drawLive,
  isHere,
  named,
  once,
  point,
  press,
  says,
  settled,
  status,
  texts,
  type,
  until,
} from "./page.mjs";
import { HEADS, KEYS, makeMap, mapModel, slowModel } from "./small-models.mjs";

const SENTENCE = "hot tea now";
const READY = "Ready: computed in your browser as you type.";

async function live(attributes = 'model="focus"', model = mapModel()) {
  return { map: await drawLive(`<head-map sentence="${SENTENCE}" ${attributes}></head-map>`, model), model };
}

const shown = (map) => [...map.querySelectorAll("td[data-weight]")].map(({ dataset }) => Number(dataset.weight));
const pressed = (map) =>
  [...map.querySelectorAll("button.hm-head")].map((button) => button.getAttribute("aria-pressed"));

test("a keystroke is answered before its event returns, and the page is told", async () => {
  const { map } = await live();
  const painted = once(document, "attention");
  type(map, "Sentence", "cold tea");
  assert.deepEqual(map.attention.keyTokens, ["[CLS]", "cold", "tea", "[SEP]"]);
  assert.deepEqual(texts(map, "tbody:first-of-type td"), ["[CLS]", "cold", "tea", "[SEP]"]);
  assert.equal(await painted, map.attention);
  assert.deepEqual([map.sentence, status(map)], ["cold tea", READY]);
});

test("a sentence that a script sets is answered, and stands in the box", async () => {
  const { map } = await live();
  map.sentence = "cold tea";
  assert.equal(named(map, "Sentence").value, "cold tea");
  assert.equal(map.attention.keyTokens[1], "cold");
});

test("the cells of a map carry its weights, head by head, and their names say from where to where", async () => {
  const { map } = await live();
  const {
    shape: [, heads, queries, keys],
    weights,
  } = map.attention;
  const first = [0, 1, 2].flatMap((head) => [...weights.subarray(head * queries * keys, head * queries * keys + keys)]);
  assert.deepEqual(
    shown(map),
    first.map((weight) => Number(weight.toFixed(4))),
  );
  assert.equal(map.querySelectorAll("tbody").length, heads);
  assert.match(map.querySelector("td").getAttribute("aria-label"), /^\[CLS\] to \[CLS\]: [\d.]+\u00a0%$/);
  assert.equal(map.querySelector("table").getAttribute("aria-label"), "What each head looks at when [CLS] asks");
});

test("a head's toggle, headMask and off are one thing", async () => {
  const { map, model } = await live();
  const mood = () => map.querySelector('[data-prediction="mood"]').textContent;
  press(map, "mood");
  assert.deepEqual([pressed(map), map.off, map.headMask], [["true", "false", "true"], "0.1", maskOf([[0, 1]], 2, 3)]);
  assert.deepEqual(model.calls.at(-1).headMask, map.headMask);
  assert.match(mood(), /bad75\u00a0%all heads on: good 75\u00a0%/);
  map.headMask = null;
  assert.deepEqual([pressed(map), map.off], [["true", "true", "true"], ""]);
  map.off = "0.0 1.2";
  assert.deepEqual(map.headMask, [
    [false, true, true],
    [true, true, false],
  ]);
  assert.match(mood(), /good75\u00a0%/);
});

test("another token asks by a press, by a script, and again in a longer sentence", async () => {
  const { map } = await live();
  [...map.querySelectorAll("td")].find(({ textContent }) => textContent === "tea").click();
  assert.equal(map.query, 2);
  assert.equal(map.querySelector("table").getAttribute("aria-label"), "What each head looks at when tea asks");
  map.sentence = "tea";
  assert.equal(map.query, 2, "the place stays while there is a token at it");
  map.query = 5;
  map.sentence = "much tea or much more coffee";
  assert.equal(
    map.querySelector("table").getAttribute("aria-label"),
    "What each head looks at when more asks",
    "set for the map to come",
  );
});

test("a text is found in the sentence, and asks as one; one that isn't there once says why, and the first word asks", async () => {
  const { map } = await live('model="focus" query="HOT tea"');
  const asks = () =>
    map
      .querySelector("table")
      .getAttribute("aria-label")
      .match(/when (.*) asks/)[1];
  assert.deepEqual([map.query, asks()], [[1, 2], "hot tea"]);
  map.sentence = "hot";
  assert.deepEqual([map.query, asks()], [[1, 2], "hot [SEP]"], "as much of it as there is");
  map.setAttribute("query", "tea");
  assert.match(status(map), /“tea” can’t ask: it isn’t in this text, as whole words or tokens\.$/);
  assert.deepEqual([map.query, asks()], [0, "[CLS]"]);
  map.lend({ sentence: "tea or tea", query: "tea" });
  assert.match(
    status(map),
    /“tea” stands there 2 times, at 1, 3: choose one of these places, counted from 0, to ask\.$/,
  );
  type(map, "Sentence", "one more tea");
  assert.deepEqual([status(map), map.query], [READY, 0]);
  map.lend({ query: "3-2" });
  assert.deepEqual([map.query, asks()], [[2, 3], "more tea"]);
  type(map, "Sentence", "hot tea for me");
  assert.deepEqual([map.query, asks()], [0, "[CLS]"], "what was lent goes with the next sentence");
});

test("a second sentence is compared; its row shows how far each head moved", async () => {
  const { map, model } = await live();
  press(map, "Compare");
  type(map, "Compare with", "hot coffee now");
  assert.deepEqual(
    model.calls.slice(-2).map(({ sentence }) => sentence),
    [SENTENCE, "hot coffee now"],
  );
  assert.equal(map.querySelectorAll("tbody:first-of-type tr").length, 2);
  assert.match(map.querySelector("tbody tr:nth-child(2) th").textContent, /^moved [\d.]+\u00a0%$/);
  assert.deepEqual(texts(map, "tbody:first-of-type .hm-only"), ["tea", "coffee"]);
  press(map, "Stop comparing");
  assert.ok(named(map, "Compare with").closest("[hidden]"));
});

test("how much is written is asked for once it's to be shown, of a model that tells only then", async () => {
  const model = slowModel();
  const { attend } = model;
  const asked = [];
  model.attend = async (sentence, headMask, { norms }) => {
    const map = await attend(sentence, headMask);
    asked.push(norms);
    return { ...map, valueNorms: norms ? new Float32Array(6 * map.keyTokens.length).fill(2) : null };
  };
  const { map } = await live('model="focus"', model);
  await settled();
  const attention = shown(map);
  choose(map, "Show", "amount written");
  assert.deepEqual([shown(map), asked], [attention, [false]], "what was shown stays until then");
  choose(map, "Layer", 1);
  choose(map, "Layer", 0);
  await settled();
  const written = attention.map((weight) => 2 * weight);
  shown(map).forEach((weight, cell) => assert.ok(Math.abs(weight - written[cell]) < 2e-4));
  choose(map, "Show", "attention");
  assert.deepEqual(shown(map), attention);
  press(map, "Undo");
  await settled();
  assert.deepEqual(asked, [false, true], "what is known isn't asked for again");
  choose(map, "Show", "attention");
  type(map, "Sentence", "cold tea");
  await settled();
  map.setAttribute("weigh", "written");
  await settled();
  assert.deepEqual(asked, [false, true, false, true]);
  type(map, "Sentence", "tea");
  await settled();
  assert.deepEqual([asked.at(-1), map.attention.keyTokens[1]], [true, "tea"]);
});

test("a slider runs over models, and the page can choose one by name", async () => {
  const { map } = await live('models="focus focus/untaught focus/step-30"');
  assert.deepEqual(
    [map.models, map.model, map.computedBy],
    [["focus", "focus/untaught", "focus/step-30"], "focus", "focus"],
  );
  const answered = once(map, "attention");
  type(map, "Model", 2);
  await answered;
  assert.deepEqual(
    [map.model, map.computedBy, texts(map, ".hm-model-name")[0]],
    ["focus/step-30", "focus/step-30", "step 30"],
  );
  map.model = "focus";
  assert.equal(map.computedBy, "focus", "it is here already");
});

test("models that are played follow one another to the last", async (t) => {
  const { map } = await live('models="focus focus/untaught focus/step-30"');
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(map, "▶ Play");
  await once(map, "attention");
  assert.equal(map.model, "focus/untaught");
  await settled();
  t.mock.timers.tick(1400);
  assert.equal(map.model, "focus/step-30");
  assert.ok(named(map, "▶ Play"), "it has come to the end");
  await once(map, "attention"); // so that no model is still on its way to the next test's page
});

test("a model that the page lacks is named", async () => {
  const map = await draw(`<head-map model="focus/nobody" sentence="${SENTENCE}"></head-map>`);
  point(map, "pointerenter");
  await says(
    map,
    /^The model could not be loaded: There is no model called “focus\/nobody” here\. What you see stays\./,
  );
});

test("models can be given later, and taken away: the map stays", async () => {
  const map = await draw(`<head-map>${baked(makeMap())}</head-map>`, { focus: isHere(mapModel()) });
  assert.throws(() => named(map, "Sentence"));
  map.setAttribute("model", "focus");
  await once(map, "attention");
  type(map, "Sentence", "tea");
  assert.deepEqual(map.attention.keyTokens, ["[CLS]", "tea", "[SEP]"]);
  map.removeAttribute("model");
  assert.deepEqual(map.attention.keyTokens, ["[CLS]", "tea", "[SEP]"]);
  assert.throws(() => named(map, "Sentence"));
});

test("what was set before the element's script came holds", async () => {
  const map = await draw('<head-map model="focus" sentence="tea"></head-map>', { focus: isHere(mapModel()) });
  const late = Object.assign(document.createElement("head-map"), {});
  for (const [name, value] of Object.entries({ sentence: "cold tea", query: 1, headMask: maskOf([[0, 0]], 2, 3) }))
    Object.defineProperty(late, name, { value, configurable: true, writable: true, enumerable: true });
  late.setAttribute("model", "focus");
  map.replaceWith(late);
  await late.ready;
  assert.ok(late instanceof customElements.get("head-map"));
  assert.deepEqual([late.sentence, late.query, late.off], ["cold tea", 1, "0.0"]);
});

test("a map of somebody's own stands still: it is looked at, not typed into", async () => {
  const map = await draw(
    `<head-map off="1.2" view="matrix" layer="1">${baked({ ...makeMap(), status: "Made elsewhere." })}</head-map>`,
  );
  await map.ready;
  assert.deepEqual([map.attention.keyTokens, map.computedBy, status(map)], [KEYS, "", "Made elsewhere."]);
  assert.deepEqual(pressed(map), ["true", "true", "false"]);
  assert.equal(map.querySelectorAll("figure table").length, HEADS.length);
  press(map, "rest");
  assert.equal(map.headMask, null);
  press(map, "Undo");
  assert.equal(map.off, "1.2");
});

test("many maps on a page know nothing of each other, and a model is fetched once", async () => {
  let loads = 0;
  const model = mapModel();
  const first = await draw(
    '<head-map model="focus" sentence="a"></head-map><head-map model="focus" sentence="b"></head-map>',
    { focus: { load: () => (loads++, model) } },
  );
  const [, second] = document.querySelectorAll("head-map");
  await Promise.all([first.ready, second.ready]);
  type(second, "Sentence", "c");
  assert.deepEqual([first.attention.keyTokens[1], second.attention.keyTokens[1], loads], ["a", "c", 1]);
});

test("of answers that come later, the last keystroke's is shown", async () => {
  const { map } = await live('model="focus"', slowModel());
  const answered = once(map, "attention");
  for (const text of ["t", "te", "tea"]) type(map, "Sentence", text);
  assert.deepEqual((await answered).keyTokens, ["[CLS]", "tea", "[SEP]"]);
});

test("a model that fails says so in words of ours, and can be tried again", async () => {
  const model = mapModel();
  const { map } = await live('model="focus"', model);
  const { attend } = model;
  model.attend = () => {
    throw new Error("tensor of rank 3 expected");
  };
  type(map, "Sentence", "cold tea");
  assert.match(status(map), /^The map could not be computed: something went wrong\. .*What you see stays\. Try again$/);
  assert.equal(map.attention.keyTokens[1], "hot");
  Object.assign(model, { attend });
  press(map, "Try again");
  assert.equal(map.attention.keyTokens[1], "cold");
});

test("notes of a map stand after the status, and go with it", async () => {
  const { map } = await live(
    'model="focus"',
    mapModel({ attend: (sentence) => makeMap({ notes: sentence === "odd" ? ["Many of these words are new."] : [] }) }),
  );
  type(map, "Sentence", "odd");
  assert.equal(status(map), `${READY} Many of these words are new.`);
  type(map, "Sentence", "even");
  assert.equal(status(map), READY);
});

test("of several models, an attribute chooses one; one that isn’t among them changes nothing", async () => {
  const map = await draw('<head-map models="focus focus/untaught" sentence="tea"></head-map>', {
    focus: { load: () => mapModel() },
  });
  await map.ready;
  map.setAttribute("model", "focus/untaught");
  await until(() => map.computedBy === "focus/untaught");
  map.setAttribute("model", "focus/step-0");
  assert.equal(map.model, "focus/untaught");
});

test("a key whose map comes at once is one drawing, of its controls as of its map", async (t) => {
  const { map } = await live();
  await map.ready;
  const [drawn, dispatched] = [t.mock.method(Controls.prototype, "draw"), t.mock.method(Host.prototype, "dispatch")];
  let painted = 0;
  map.addEventListener("attention", () => painted++);
  type(map, "Sentence", "cold tea now");
  assert.ok(map.attention.keyTokens.includes("cold"));
  assert.deepEqual([drawn.mock.callCount(), painted], [1, 1]);
  assert.deepEqual(dispatched.mock.calls.map(({ arguments: [action] }) => action.type).sort(), ["choose", "show"]);
});
