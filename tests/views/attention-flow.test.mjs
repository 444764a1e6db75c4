// <attention-flow>: one word's journey, station by station, by buttons, keys and Play; and each of its numbers open to its arithmetic.
import assert from "node:assert/strict";
import test from "node:test";
import {
  choose,
  draw,
  heard,
  isHere,
  key,
  named,
  once,
  page,
  point,
  pointerAt,
  press,
  replace,
  same,
  says,
  settled,
  status,
  texts,
  tick,
  type,
  until,
} from "./page.mjs";
import { focusModel, HEADS, HOSTILE, mapModel, tokensOf } from "./small-models.mjs";
import { flowOf } from "../../src/manyheads/web/models/formula-model.ts";
import { STATIONS, wholePercents } from "../../src/manyheads/web/figures/attention-flow/stations.ts";
import { MOMENTS } from "../../src/manyheads/web/figures/attention-flow/moments.ts";
import { FlowInk } from "../../src/manyheads/web/figures/attention-flow/ink.ts";
import { Host } from "../../src/manyheads/web/views/host.ts";
import { bitmapOf } from "../../src/manyheads/web/views/pixels.ts";

async function live(attributes = "", model = focusModel()) {
  const flow = await draw(`<attention-flow model="focus" sentence="hot tea or milk" ${attributes}></attention-flow>`, {
    focus: isHere(model),
  });
  await flow.ready;
  return flow;
}

const caption = (flow) => texts(flow, ".af-caption span")[0];
const track = (flow) => named(flow, "Stations");
const current = (flow) => [track(flow).ariaValueText.replace(/, of \d$/, "")];
const drawn = (flow, keys) => [...flow.querySelectorAll(`.af-wide [data-key^="${keys}"]`)];
const box = (node) =>
  Object.fromEntries(["x", "y", "width", "height"].map((name) => [name, Number(node.getAttribute(name))]));

test("its stations have names, in their order; each has a sentence", async () => {
  const flow = await live('head="1" query="2"');
  assert.deepEqual(flow.stations, [
    "words",
    "project",
    "keys",
    "scores",
    "softmax",
    "values",
    "heads",
    "mix",
    "answer",
  ]);
  const told = flow.stations.map((name) => {
    flow.station = name;
    assert.equal(flow.station, name);
    return caption(flow);
  });
  assert.equal(new Set(told).size, 9);
  assert.match(
    told[2],
    /^“tea” asks with its query, and every word has a key, 2 numbers each, made by the head “mood”\.$/,
  );
  assert.match(told[8], /^The model reads its answers from “\[CLS\]” alone, not from “tea”\. Mood: (good|bad), \d/);
});

test("arrow keys walk the journey along its track; the page is told of each station", async () => {
  const flow = await live();
  assert.deepEqual(current(flow), ["1 Words"]);
  const seen = [];
  document.addEventListener("station", ({ detail }) => seen.push(detail));
  for (let step = 0; step < 10; step++) key(track(flow), "ArrowRight");
  assert.deepEqual(seen, flow.stations.slice(1));
  for (const [pressed, at] of [
    ["ArrowLeft", "8 Mix"],
    ["Home", "1 Words"],
    ["ArrowLeft", "1 Words"],
    ["ArrowUp", "2 Project"],
    ["End", "9 Answer"],
  ]) {
    assert.ok(key(track(flow), pressed));
    assert.deepEqual(current(flow), [at]);
  }
  key(named(flow, "Numbers"), "ArrowLeft");
  assert.equal(flow.station, "mix", "the rest of the figure knows the keys as well");
  flow.querySelectorAll(".af-names span")[3].click();
  assert.equal(flow.station, "scores");
});

/** What a finger, or what listens for a reader, does to the track. */
function slide(flow, events) {
  const range = track(flow);
  for (const [name, clientX, value] of events) {
    if (value !== undefined) range.value = String(value);
    range.dispatchEvent(new PointerEvent(name, { clientX }));
  }
}

test("a finger on the track moves the film with it, and lets go at the nearest station; a press travels there", async () => {
  const flow = await live('query="2"');
  slide(flow, [
    ["pointerdown", 100],
    ["input", 100, 2.4],
  ]);
  assert.deepEqual(current(flow), ["1 Words"], "it may be a press");
  slide(flow, [
    ["pointermove", 180],
    ["input", 180, 3.3],
  ]);
  assert.deepEqual(current(flow), ["5 Softmax"], "on its way there");
  assert.ok(drawn(flow, "score-").length > 0 && drawn(flow, "part-").length > 0, "between two stations");
  slide(flow, [["pointerup", 180]]);
  assert.equal(flow.station, "scores");
  slide(flow, [
    ["pointerdown", 300],
    ["input", 300, 6.2],
    ["pointerup", 301],
  ]);
  assert.equal(flow.station, "heads");
});

test("who changes the track without a pointer or a key goes one station on", async () => {
  const flow = await live('station="scores"');
  slide(flow, [["input", 0, 3.35]]);
  assert.equal(flow.station, "softmax");
  slide(flow, [["input", 0, 3.65]]);
  assert.equal(flow.station, "scores");
});

test("its picture is an image, whose name says what is drawn at each station", async () => {
  const flow = await live('head="1" query="2"');
  const told = flow.stations.map((name) => {
    flow.station = name;
    const [picture, other] = flow.querySelectorAll('[role="img"]');
    assert.equal(picture.ariaLabel, other.ariaLabel);
    return picture.ariaLabel;
  });
  assert.equal(new Set(told).size, 9);
  assert.match(told[4], /^Softmax\. Weights: “\S+” \d+\u00a0%, /);
  assert.match(told[8], /logit: kind −?\d\.\d\d, mood /);
});

test("keys undo what was typed as one, where no button does", async () => {
  const flow = await live();
  const box = named(flow, "Sentence");
  const undo = (shiftKey) =>
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "z", metaKey: true, shiftKey, cancelable: true }));
  for (const text of ["hot tea or milk?", "hot tea or milk??"]) {
    box.dispatchEvent(new Event("beforeinput"));
    type(flow, "Sentence", text);
  }
  undo(false);
  assert.deepEqual([flow.sentence, box.value], ["hot tea or milk", "hot tea or milk"]);
  undo(false);
  undo(true);
  assert.deepEqual([flow.sentence, box.value], ["hot tea or milk??", "hot tea or milk??"]);
});

test("arrow keys in the sentence's box write, and don't travel", async () => {
  const flow = await live();
  assert.equal(key(named(flow, "Sentence"), "ArrowRight"), false);
  assert.equal(flow.station, "words");
});

test("what stands in the bar of 100 % sums to it, and lies above it, at each moment from where it's full until it goes", async () => {
  const flow = await live('head="1" query="2"');
  for (const from of [0, 3.9, 4, 4.9]) {
    // who comes by Play, and who comes by a station
    flow.seek(0);
    let full = 0;
    for (let at = from; at < 5; at += 0.05) {
      flow.seek(at);
      const [[bar], parts] = [drawn(flow, "bar").filter(({ localName }) => localName === "rect"), drawn(flow, "part-")];
      if (!bar) continue;
      assert.match(
        caption(flow),
        /which fill one bar of 100\u00a0%|Each word sends its value/,
        "it says what fills it",
      );
      for (const part of parts)
        assert.ok(
          bar.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING,
          `a part is painted over at ${at}`,
        );
      const inside = parts.map(box).filter(({ x, width }) => x === box(bar).x && width === box(bar).width);
      if (at < 3.96) continue;
      const sum = inside.reduce((total, { height }) => total + height, 0);
      assert.ok(
        inside.length === flow.steps.tokens.length && Math.abs(sum / box(bar).height - 1) < 0.002,
        `${(100 * sum) / box(bar).height} % at ${at}`,
      );
      full++;
    }
    assert.ok(full > 0);
  }
});

test("the film's moments stand in their order, and all are done when it ends", () => {
  const moments = Object.entries(MOMENTS);
  moments.forEach(([name, [from, to, lastFrom = from, lastTo = to]], place) => {
    assert.ok(from < to && lastFrom < lastTo && to <= lastTo && lastTo <= STATIONS.length - 1, name);
    assert.ok(place === 0 || moments[place - 1][1][0] <= from, `${name} begins before what stands above it`);
  });
});

test("a ribbon is as wide where it begins as where it ends: its weight, of the bar", async () => {
  const flow = await live('head="1" query="2" station="values"');
  for (const ribbon of drawn(flow, "band-")) {
    const points = ribbon
      .getAttribute("d")
      .match(/[\d.-]+ [\d.-]+/g)
      .map((point) => point.split(" ").map(Number));
    const wide = points.slice(0, points.length / 2).map(([, y], place) => points.at(-1 - place)[1] - y);
    const token = Number(ribbon.dataset.key.split("-")[1]);
    for (const width of wide) assert.ok(Math.abs(width - 72 * flow.steps.weights.values[2 * 6 + token]) < 0.05);
  }
  assert.ok(drawn(flow, "band-").length > 1);
});

/** Presses a place of a node, from 0 to 1. */
function pressAt(node, across, down) {
  node.getBoundingClientRect = () => ({ left: 0, top: 0, width: 100, height: 100 });
  document.elementsFromPoint = () => [node];
  node.dispatchEvent(pointerAt("click", 100 * across, 100 * down));
}

test("three matrices make a query, a key and a value of a word's numbers, and each number opens to its products", async () => {
  const flow = await live('head="1" query="2" station="project"');
  const { X, Q, K, V, parameters, tokens, maps } = flow.steps;
  const looks = [...maps.values.subarray(36 + 12, 36 + 18)];
  const best = looks.indexOf(Math.max(...looks));
  assert.ok(caption(flow).includes(`the query of “tea”, the key of “${tokens[best]}” and its value`));
  for (const [what, made, learned, token] of [
    ["query", Q, "Wq", 2],
    ["key", K, "Wk", best],
    ["value", V, "Wv", best],
  ]) {
    const [numbers, picture, row] = ["numbers", "picture", "made"].map(
      (part) => drawn(flow, `project-${what}-${part}`)[0],
    );
    const sizes = [numbers, picture, row].map((node) => [bitmapOf(node).height, bitmapOf(node).width]);
    assert.deepEqual(sizes, [[X.shape[1], 1], parameters[learned].shape, [1, made.shape[1]]]);
    assert.equal(drawn(flow, `project-${what}-shape`)[0].textContent, parameters[learned].shape.join(" × "));
    pressAt(row, 0.99, 0.5);
    assert.ok(asked(flow).includes(`${what} of “${tokens[token]}”, feature ${made.shape[1]}`.slice(1)));
    assert.equal(flow.querySelectorAll(".af-terms tbody tr").length, X.shape[1]);
    press(flow, "← Journey");
    pressAt(picture, 0, 0.99);
    assert.match(asked(flow), new RegExp(`Row ${X.shape[1]}, column 1$`));
    press(flow, "← Journey");
  }
});

test("before its model is here, the matrices are those that came with the page, or empty frames", async () => {
  const { parameters, ...steps } = flowOf(focusModel())({ sentence: "hot tea", head: 0, query: 0 });
  const pictures = async (given) => {
    const flow = await draw(
      `<attention-flow station="project"><script type="application/json">${JSON.stringify({ ...steps, parameters: given })}</script></attention-flow>`,
    );
    return [drawn(flow, "project-key-frame").length, drawn(flow, "project-key-picture").length];
  };
  assert.deepEqual(await pictures(null), [1, 0]);
  assert.deepEqual(await pictures({ Wq: parameters.Wq, Wk: parameters.Wk, Wv: parameters.Wv }), [1, 1]);
});

test("written weights sum to 100", async () => {
  assert.deepEqual(wholePercents([0.336, 0.428, 0.236]), [34, 43, 23]);
  assert.deepEqual(wholePercents([1 / 3, 1 / 3, 1 / 3]), [34, 33, 33]);
  const flow = await live('head="1" query="2" station="softmax"');
  assert.equal(
    drawn(flow, "weight-")
      .map(({ textContent }) => parseInt(textContent))
      .filter(Number.isFinite)
      .reduce((a, b) => a + b),
    100,
  );
});

test("at the first station is what layer 1 let the asking word take in", async () => {
  const flow = await live('query="2"');
  assert.match(caption(flow), /^Every word is a list of 6 numbers, as layer 1 left it/);
  const [heads, tokens] = flow.steps.below.shape;
  const took = drawn(flow, "took-").length;
  assert.ok(took > 0 && took <= heads * tokens);
  flow.station = "keys";
  assert.equal(drawn(flow, "took-").length, 0);
});

test("What if: masks and no scaling change what is computed, for all heads; attributes do as well", async () => {
  const flow = await live('query="1" station="softmax"');
  const scaled = [...flow.steps.scores.values];
  tick(named(flow, "Causal mask"));
  const {
    maps: {
      shape: [heads, , keys],
      values,
    },
  } = flow.steps;
  for (let head = 0; head < heads; head++)
    assert.equal(values[head * keys * keys + keys + 2], 0, "the second token sees no later one");
  assert.match(caption(flow), /What the mask hides, 4 tokens, has the score −∞ and gets nothing\.$/);
  tick(named(flow, "Padding"));
  assert.deepEqual([flow.steps.tokens.length, flow.steps.tokens.at(-1)], [9, "[PAD]"]);
  flow.setAttribute("causal", "off");
  flow.setAttribute("padding", "off");
  assert.deepEqual([named(flow, "Causal mask").checked, flow.steps.tokens.length], [false, 6]);
  flow.setAttribute("unscaled", "");
  flow.steps.scores.values.forEach((score, at) => assert.ok(Math.abs(score - scaled[at] * Math.SQRT2) < 1e-4));
});

const sheet = (flow) => flow.querySelector(".af-sheet");
const asked = (flow) => texts(flow, ".af-question")[0];

test("a number opens to its arithmetic, each number in there opens in turn, and the way back is the way that was taken", async () => {
  const flow = await live('query="2" station="scores"');
  assert.ok(sheet(flow).hidden);
  flow.setAttribute("cell", "weights 2 3"); // where its text stood, there are buttons now
  flow.setAttribute("cell", "scores 2 3");
  assert.match(asked(flow), /How well the key of “or” answers the query of “tea”$/);
  const rows = [...flow.querySelectorAll(".af-terms tbody tr")].map(({ cells }) =>
    [...cells].slice(1).map(({ textContent }) => Number(textContent.replace("−", "-"))),
  );
  for (const [query, key, product] of rows) assert.ok(Math.abs(query * key - product) < 2e-4);
  const sum = Number(texts(flow, ".af-sums b")[0].replace("−", "-"));
  assert.ok(Math.abs(rows.reduce((total, [, , product]) => total + product, 0) - sum) < 3e-4);
  flow.querySelectorAll(".af-terms button")[2].click(); // number 2 of the query
  assert.match(asked(flow), /Query of “tea”, feature 2$/);
  assert.deepEqual(texts(flow, ".af-crumbs button").length, 2);
  key(sheet(flow), "Escape");
  assert.match(asked(flow), /answers the query of “tea”$/);
  press(flow, "Next number");
  assert.match(asked(flow), /the key of “milk” answers/);
  key(sheet(flow), "ArrowUp");
  assert.match(asked(flow), /the key of “milk” answers the query of “hot”$/);
  press(flow, "← Journey");
  assert.ok(sheet(flow).hidden);
  same(document.activeElement, named(flow, "Numbers"));
});

test("the sentence above an open number speaks of that one, or of none", async () => {
  const flow = await live('query="2" station="scores"');
  const gets = () => /“([^”]*)” gets (−?\d+\.?\d*)/.exec(caption(flow))?.slice(1) ?? [];
  const { scores, weights } = flow.steps;
  const rowOf = ({ shape, values }) => [...values.subarray(2 * shape[1], 3 * shape[1])];
  const least = rowOf(scores).indexOf(Math.min(...rowOf(scores)));
  const largest = gets();
  flow.setAttribute("cell", `scores 2 ${least}`);
  assert.ok(asked(flow).includes(`the key of “${gets()[0]}”`));
  const sum = texts(flow, ".af-sums b").at(-1).replace("−", "-");
  assert.equal(Number(gets()[1].replace("−", "-")), Number(Number(sum).toFixed(2)));
  key(sheet(flow), "ArrowUp");
  assert.match(asked(flow), /the query of “hot”$/);
  assert.deepEqual(gets(), [], "another word asks there");
  press(flow, "← Journey");
  assert.deepEqual(gets(), largest);
  flow.station = "softmax";
  const smallest = rowOf(weights).indexOf(Math.min(...rowOf(weights)));
  flow.setAttribute("cell", `weights 2 ${smallest}`);
  assert.ok(asked(flow).endsWith(`gives to “${gets()[0]}”`));
});

test("a press into the picture opens what lies there; the keyboard opens each station's numbers", async () => {
  const flow = await live('query="2" station="softmax"');
  const part = drawn(flow, "weight-3")[0];
  point(part, "click");
  assert.match(asked(flow), /The weight that “tea” gives to “or”$/);
  same(document.activeElement, sheet(flow));
  type(flow, "Sentence", "cold tea or milk");
  assert.match(asked(flow), /The weight that “tea” gives to “or”$/, "typing leaves it open");
  for (const [name, title] of Object.entries({
    words: /feature/,
    project: /Key of “\S+”, feature/,
    keys: /Query/,
    scores: /How well/,
    softmax: /weight/,
    values: /output/,
    heads: /column/,
    mix: /after all heads/,
    answer: /probability/,
  })) {
    flow.station = name;
    assert.ok(sheet(flow).hidden, "the journey goes on");
    press(flow, "Numbers");
    assert.match(asked(flow), title);
  }
  type(flow, "Sentence", "");
  assert.ok(sheet(flow).hidden, "what isn't there any more closes");
});

test("it follows the map above: its sentence, and the word that was asked last", async (t) => {
  const html =
    '<head-map model="focus" sentence="hot tea or milk"></head-map><attention-flow model="focus" sentence="hot tea or milk" for=""></attention-flow>';
  const map = await draw(html, { focus: isHere(focusModel()) });
  const flow = document.querySelector("attention-flow");
  await Promise.all([map.ready, flow.ready]);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const word = (place) => map.querySelectorAll(".hm-paint tbody tr:first-child td")[place];
  point(word(2));
  t.mock.timers.tick(350); // it asks in the map
  point(word(3));
  t.mock.timers.tick(399);
  assert.equal(flow.query, 0, "a word that is crossed isn't asked");
  t.mock.timers.tick(1);
  await until(() => flow.query === 3);
  type(map, "Sentence", "no tea or milk");
  await until(() => flow.steps.tokens[1] === "no");
  assert.deepEqual([flow.sentence, flow.query], ["no tea or milk", 3]);
  map.query = 1;
  await until(() => flow.query === 1);
});

test("heads that are off in the map above hand on nothing here either, and the journey ends at the same answer", async () => {
  const html =
    '<head-map model="focus" sentence="hot tea"></head-map><attention-flow model="focus" sentence="hot tea" head="1" for=""></attention-flow>';
  const map = await draw(html, { focus: isHere(focusModel()) });
  const flow = document.querySelector("attention-flow");
  await Promise.all([map.ready, flow.ready]);
  const answers = () =>
    flow.steps.labels.map(([fact, label], place) =>
      Math.abs(flow.steps.answer.values[place] - map.attention.predictions[fact][label]),
    );
  const before = [...flow.steps.answer.values];
  map.off = "0.2 1.1";
  await until(() => flow.steps.headMask);
  assert.ok(Math.max(...answers()) < 1e-5);
  assert.ok(Math.abs(flow.steps.answer.values[0] - before[0]) > 1e-3);
  assert.match(caption(flow), /as layer 1 left it, with head 3 off\./);
  const offs = (station) => {
    flow.station = station;
    return [caption(flow), drawn(flow, "off").map(({ dataset, textContent }) => [dataset.key, textContent])];
  };
  assert.match(offs("values")[0], /this head is off: “\[CLS\]” gets nothing from it\.$/);
  const [told, marks] = offs("heads");
  assert.match(told, /Switched off, these hand on nothing: “mood”\.$/);
  assert.deepEqual(marks, [["off-1", "off"]]);
  flow.station = "answer";
  map.off = "1.0 1.1 1.2";
  await until(() => flow.steps.headMask?.every((on) => !on));
  assert.match(caption(flow), /All heads are off, and its logit, [−\d.]+, is that of the biases\.$/);
  map.off = "";
  await until(() => !flow.steps.headMask);
  assert.deepEqual([...flow.steps.answer.values], before);
});

/** A model of three layers that answers later. */
function layered() {
  const flowed = flowOf(focusModel());
  return {
    broken: false,
    masks: [],
    headNames: HEADS,
    numLayers: 3,
    numHeads: 3,
    attend: mapModel({ numLayers: 3 }).attend,
    flow: async function (state, { headMask }) {
      this.masks.push(headMask);
      return { ...flowed({ ...state, sentence: state.sentence }), labels: undefined, layer: state.layer, layers: 3 };
    },
  };
}

test("of a model of many layers one is chosen, no answer is read, and the head that is enlarged above is followed, as are those that are off", async () => {
  const html =
    '<head-map model="encoder" view="grid" sentence="hot tea"></head-map><attention-flow model="encoder" sentence="hot tea" for="" layer="1"></attention-flow>';
  const model = layered();
  const map = await draw(html, { encoder: { ...isHere(model), missingBytes: () => 0 } });
  const flow = document.querySelector("attention-flow");
  await Promise.all([map.ready, flow.ready]);
  assert.deepEqual([flow.steps.layer, named(flow, "Layer").value], [1, "1"]);
  assert.match(caption(flow), /as layer 1 left it/);
  assert.deepEqual([track(flow).max, flow.querySelectorAll(".af-names span:not([hidden])").length], ["7", 8]);
  flow.seek(8);
  assert.equal(flow.station, "mix");
  choose(flow, "Layer", 2);
  await until(() => flow.steps.layer === 2);
  map.setAttribute("layer", "1");
  map.setAttribute("head", "2");
  await until(() => flow.steps.layer === 1 && flow.steps.head === 2);
  assert.equal(model.masks.at(-1), null);
  map.off = "0.1";
  await until(() => model.masks.at(-1)?.[0][1] === false);
});

test("a decoder's journey tells of its norm, its turns and its groups, and offers no causal mask", async () => {
  const model = layered();
  const { flow: flowed } = model;
  let norms;
  model.flow = async (...asked) => ({
    ...(await flowed.apply(model, asked)),
    decodes: true,
    rotaryBase: 10,
    kvHeads: 1,
    norms,
  });
  const flow = await draw('<attention-flow model="decoder" sentence="hot tea" layer="1"></attention-flow>', {
    decoder: { ...isHere(model), missingBytes: () => 0 },
  });
  await flow.ready;
  assert.match(caption(flow), /as layer 1 left it.* Layer 2 reads it normed\./);
  flow.station = "keys";
  assert.match(caption(flow), /turned by the word’s position\. Heads 1 to 3 share their keys and values\.$/);
  flow.station = "mix";
  assert.match(caption(flow), /numbers, added to “\[CLS\]” as it was before the norm\.$/);
  const others = {
    both: /numbers, normed and then added to “\[CLS\]” as it was before the norm\.$/,
    after: /numbers, normed and then added to “\[CLS\]”\.$/,
  };
  for (const [where, told] of Object.entries(others)) {
    norms = where;
    choose(flow, "Layer", where === "both" ? 2 : 1);
    await until(() => told.test(caption(flow)));
  }
  flow.station = "words";
  assert.match(caption(flow), /as .* left it\. “/);
  assert.deepEqual(
    [...flow.querySelectorAll(".af-changes label")].map(({ hidden }) => hidden),
    [true, false, false],
  );
});

test("a head that is chosen before its model is here waits for it, and the offer says so", async () => {
  const baked = JSON.stringify({ ...flowOf(focusModel())({ sentence: "hot tea", head: 0 }), layer: 1, layers: 3 });
  const html = `<attention-flow model="decoder" sentence="hot tea" layer="1" small><script type="application/json">${baked}</script></attention-flow>`;
  const flow = await draw(html, { decoder: { ...isHere(layered()), missingBytes: async () => 97e6 } });
  await says(flow, /^This is a computed example\. Load the language model/);
  choose(flow, "Layer", 2);
  await says(flow, /^To see this head, the language model has to load\. Load the language model \(97\.0 MB\)$/);
  press(flow, "Load the language model (97.0 MB)");
  await until(() => flow.steps.layer === 2);
});

test("from the end it plays from the start", async () => {
  const flow = await live();
  flow.station = "answer";
  press(flow, "▶ Play");
  press(flow, "❚❚ Pause");
  assert.equal(flow.station, "words");
});

test("its numbers stay open where they are opened on the way to a station", async (t) => {
  const flow = await live();
  page.still = false;
  const frames = [];
  t.mock.method(globalThis, "requestAnimationFrame", (call) => frames.push(call));
  t.mock.method(globalThis, "cancelAnimationFrame", () => frames.splice(0));
  key(track(flow), "End");
  frames.shift()(0);
  press(flow, "Numbers");
  key(track(flow), "ArrowRight");
  press(flow, "Next number");
  for (let now = 100; now < 9000 && frames.length; now += 100) frames.shift()(now);
  same(document.activeElement, flow.querySelector('[aria-label="Arithmetic"]:not([hidden])'));
});

for (const still of [false, true])
  test(`Play goes to the answer, names each station once, and stops; Pause holds it; less motion: ${still}`, async (t) => {
    const flow = await live();
    page.still = still;
    let now = 0;
    const frames = [];
    t.mock.method(globalThis, "requestAnimationFrame", (call) => frames.push(call));
    t.mock.method(globalThis, "cancelAnimationFrame", () => frames.splice(0));
    const run = (time) => {
      for (const end = now + time; now < end && frames.length; now += 100) frames.shift()(now);
    };
    const seen = [];
    flow.addEventListener("station", ({ detail }) => seen.push(detail));
    press(flow, "▶ Play");
    run(4000);
    press(flow, "❚❚ Pause");
    const at = flow.station;
    run(9000);
    assert.equal(flow.station, at);
    press(flow, "▶ Play");
    run(60_000);
    assert.deepEqual([seen, flow.station, Boolean(named(flow, "▶ Play"))], [flow.stations.slice(1), "answer", true]);
  });

test("Play rests at a station until its caption can be read, and no longer", async (t) => {
  const flow = await live('head="1" query="2"');
  page.still = false;
  let now = 0;
  const [frames, came] = [[], [0]];
  t.mock.method(globalThis, "requestAnimationFrame", (call) => frames.push(call));
  flow.addEventListener("station", () => came.push(now)); // as the film sets out for it: that's when its caption comes
  const words = [];
  press(flow, "▶ Play");
  for (; frames.length; now += 100) {
    frames.shift()(now);
    words[came.length - 1] = caption(flow).split(" ").length;
  }
  assert.equal(came.length, 9);
  came.slice(2).forEach((time, at) => {
    const stood = time - came[at + 1];
    const reads = Math.max(250 * words[at + 1], 2600 + 500);
    assert.ok(Math.abs(stood - reads) <= 300, `${stood} ms for ${words[at + 1]} words`);
  });
});

test("another word asks and another head looks, by list or by a press into the picture", async () => {
  const flow = await live('station="heads"');
  choose(flow, "Asked by", 3);
  choose(flow, "Head", 2);
  assert.deepEqual([flow.steps.head, flow.station], [2, "heads"], "the journey stays where it is");
  const place = (what) => flow.querySelector(`[data-press="${what}"]`);
  flow.station = "keys";
  point(place("query 1"), "click");
  assert.equal(named(flow, "Asked by").value, "1");
});

test("what is pointed at says what it is, with its number, until the pointer leaves", async () => {
  const flow = await live('station="softmax"');
  const said = () => texts(flow, ".af-pointed")[0];
  const hint = said();
  assert.match(hint, /^Point at anything/);
  point(flow.querySelector(".af-stage [data-press]"), "pointermove");
  assert.notEqual(said(), hint);
  point(flow.querySelector(".af-stage"), "pointerleave");
  assert.equal(said(), hint);
});

test("a sentence that is typed is computed and told; one word or none is answered calmly", async () => {
  const flow = await live();
  const told = once(document, "steps");
  type(flow, "Sentence", "tea");
  assert.deepEqual([(await told).tokens, flow.sentence], [tokensOf("tea"), "tea"]);
  type(flow, "Sentence", "");
  for (const name of flow.stations) flow.station = name;
  assert.equal(caption(flow), "Nothing is read from this output.");
  assert.equal(status(flow), "Ready: computed in your browser as you type.");
});

test("a key draws each layout once, both with the same pictures", async (t) => {
  const flow = await live('station="mix"');
  const layouts = [];
  const { begin } = FlowInk.prototype;
  replace(t, FlowInk.prototype, {
    begin(...size) {
      layouts.push(this.node.className);
      return begin.apply(this, size);
    },
  });
  type(flow, "Sentence", "cold tea");
  assert.deepEqual(layouts, ["af-scene af-wide", "af-scene af-narrow"]);
  const [wide, narrow] = layouts.map((name) => [...flow.querySelectorAll(`[class="${name}"] canvas`)].map(bitmapOf));
  assert.ok(wide.length > 3);
  wide.forEach((picture, place) => assert.equal(picture, narrow[place]));
});

test("a key whose journey comes at once is one choice and one drawing; what doesn't change the picture draws none", async (t) => {
  const flow = await live('station="mix"');
  const [drawn, dispatched] = [t.mock.method(FlowInk.prototype, "begin"), t.mock.method(Host.prototype, "dispatch")];
  let steps = 0;
  flow.addEventListener("steps", () => steps++);
  type(flow, "Sentence", "cold tea");
  assert.deepEqual([drawn.mock.callCount(), steps], [2, 1], "once in each layout");
  assert.deepEqual(dispatched.mock.calls.map(({ arguments: [action] }) => action.type).sort(), ["choose", "show"]);
  press(flow, "Numbers");
  key(sheet(flow), "Escape");
  assert.equal(drawn.mock.callCount(), 2);
});

test("a frame of the film is one drawing, of the layout that is seen", async (t) => {
  const flow = await live();
  page.still = false;
  const frames = [];
  t.mock.method(globalThis, "requestAnimationFrame", (call) => frames.push(call));
  flow.querySelector(".af-narrow").getClientRects = () => [];
  press(flow, "▶ Play");
  const begun = t.mock.method(FlowInk.prototype, "begin");
  for (let now = 100; now <= 1000; now += 100) frames.shift()(now);
  const layouts = begun.mock.calls.map(({ this: ink }) => ink.node.className);
  assert.deepEqual(layouts, Array(9).fill("af-scene af-wide"), "the first frame sets out");
  assert.equal(frames.length, 1);
});

test("what a step came to is said once", async (t) => {
  const flow = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (let step = 0; step < 4; step++) key(track(flow), "ArrowRight");
  assert.equal(heard(flow, t.mock.timers), `Softmax. ${caption(flow)}`);
});

test("what a finger passes on the track isn't said, only where it lets go", async (t) => {
  const flow = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  slide(flow, [
    ["pointerdown", 0],
    ["pointermove", 50],
  ]);
  for (const at of [0.4, 1.3, 2.2, 4.1]) {
    slide(flow, [["input", 50, at]]);
    t.mock.timers.tick(600);
  }
  assert.equal(flow.querySelector("p.hm-unseen").textContent, "");
  slide(flow, [["pointerup", 50]]);
  assert.match(heard(flow, t.mock.timers), /^Softmax\. /);
});

// --- a journey that begins in the layer below, and goes on to an answer

const ARC = 'head="1" answer="mood"';

test("the word that the answer rests on asks in the layer below, and the journey goes on to that answer", async () => {
  const flow = await live(ARC);
  const { above, layer, maps } = flow.steps;
  assert.equal(layer, 0);
  const looks = [...above.maps.values.subarray(36, 42)]; // of the head “mood”, when [CLS] asks
  assert.equal(flow.query, looks.indexOf(Math.max(...looks)));
  const weights = [...maps.values.subarray(36 + 6 * flow.query, 42 + 6 * flow.query)];
  const best = flow.steps.tokens[weights.indexOf(Math.max(...weights))];
  assert.ok(drawn(flow, "arc-").length > 1);
  assert.ok(caption(flow).startsWith(`In head 2 of layer 1, “${flow.steps.tokens[flow.query]}” looks at “${best}”.`));
  flow.station = "answer";
  assert.match(caption(flow), /^In layer 2, the head “mood” looks at “\S+”, \d+\u00a0%\. Mood: (good|bad), \d/);
  assert.deepEqual(
    drawn(flow, "label-").flatMap(({ localName, textContent }) =>
      localName === "text" ? [textContent.replace(/^\d.*/, "%")] : [],
    ),
    ["good", "%", "bad", "%"],
  );
  press(flow, "Numbers");
  assert.match(asked(flow), /probability that the mood is/);
  flow.querySelectorAll(".af-terms button")[0].click();
  flow.querySelectorAll(".af-terms button")[1].click();
  assert.match(asked(flow), /what the head mood brings to the logit/i, "the numbers are those of layer 2");
  assert.ok(flow.querySelector(".af-changes").hidden);
});

test("another word may ask; a sentence that is typed has its own", async () => {
  const flow = await live(ARC);
  const first = flow.query;
  flow.query = first + 1;
  flow.head = 2;
  assert.equal(flow.query, first + 1);
  flow.query = first;
  for (const sentence of ["no hot tea", "milk", "cold or hot tea or milk", ""]) {
    flow.sentence = sentence;
    const { tokens, above } = flow.steps;
    const looks = [...above.maps.values.subarray(tokens.length ** 2, tokens.length ** 2 + tokens.length)];
    assert.equal(flow.query, looks.indexOf(Math.max(...looks)), sentence);
  }
});

test("a head that is off is seen at every station: nothing comes from it, and it has no colour", async () => {
  const flow = await live(ARC);
  const colour = () => flow.querySelector(".af-wide").style.getPropertyValue("--head-1");
  const [before, on] = [flow.steps.above.answer.values[3], colour()];
  flow.headMask = [
    [true, false, true],
    [true, true, true],
  ];
  assert.notEqual(flow.steps.above.answer.values[3], before);
  assert.notEqual(colour(), on);
  for (const name of flow.stations.slice(0, 8)) {
    flow.station = name;
    assert.match(caption(flow), /\boff\b|mixes the heads’ outputs/, name);
    assert.ok(
      texts(flow, ".af-wide text").some((text) => /\boff\b/.test(text)),
      name,
    );
    assert.match(flow.querySelector('[role="img"]').ariaLabel, /The head is off\.$/);
    assert.equal(drawn(flow, "band-").length, 0);
  }
  assert.equal(drawn(flow, "off").length, 1, "its output is empty in the mix");
  flow.headMask = null;
  assert.equal(flow.steps.above.answer.values[3], before);
});

test("heads that a script turns off before the figure is in a page are off once it is", async () => {
  const { headMask } = await live();
  assert.equal(headMask, null);
  const flow = document.createElement("attention-flow");
  for (const [name, value] of Object.entries({ model: "focus", sentence: "hot tea" })) flow.setAttribute(name, value);
  flow.headMask = null;
  flow.headMask = [
    [true, true, true],
    [false, true, true],
  ];
  document.querySelector("main").append(flow);
  await flow.ready;
  assert.deepEqual([flow.steps.headMask, flow.headMask[1][0]], [[false, true, true], false]);
});

test("its own switch and that of the map above are one", async (t) => {
  const html = `<head-map model="focus" sentence="hot tea"></head-map><attention-flow model="focus" sentence="hot tea" ${ARC} for=""></attention-flow>`;
  const map = await draw(html, { focus: isHere(focusModel()) });
  const flow = document.querySelector("attention-flow");
  await Promise.all([map.ready, flow.ready]);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(flow, "Turn head 2 off");
  assert.deepEqual(map.headMask, [
    [true, false, true],
    [true, true, true],
  ]);
  await until(() => flow.steps.headMask?.[1] === false);
  assert.equal(heard(flow, t.mock.timers), "", "the map says it");
  map.headMask = null;
  await until(() => !flow.steps.headMask);
  assert.ok(named(flow, "Turn head 2 off"));
  const { query } = flow;
  map.query = query + 1;
  await settled();
  assert.equal(flow.query, query, "the word that asks is its own");
});

test("an answer that changed is said first", async (t) => {
  const model = focusModel();
  const flow = await live(ARC, model);
  const { ledger } = model;
  replace(t, model, {
    ledger(...asked) {
      const made = ledger.apply(this, asked);
      made.answer.values.set([...made.answer.values.slice(3)].reverse(), 3); // the other mood comes out
      return made;
    },
  });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(flow, "Turn head 2 off");
  assert.match(heard(flow, t.mock.timers), /^Mood: (good, was bad|bad, was good)\. Words\. Head 2 of layer 1 is off: /);
  key(track(flow), "ArrowRight");
  assert.match(heard(flow, t.mock.timers), /^Project\. /);
});

test("words that look like HTML are text at every station", async () => {
  const flow = await live('query="1"');
  type(flow, "Sentence", `${HOSTILE} tea`);
  for (const name of flow.stations) {
    flow.station = name;
    assert.equal(flow.querySelectorAll("img, script").length, 0, name);
  }
  assert.ok(texts(flow, "option").includes(HOSTILE));
});
