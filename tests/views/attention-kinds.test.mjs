// <attention-kinds>: the reader changes the kind of attention, and sees the maps and what a cache keeps.
import assert from "node:assert/strict";
import test from "node:test";
import { baked, draw, follow, heard, says, settled, texts, tick, type, until } from "./page.mjs";
import { setFigure } from "../../src/manyheads/web/doors/phrases.ts";
import { changesOf } from "../../src/manyheads/web/figures/attention-kinds/state.ts";
import { attentionOf } from "../../src/manyheads/web/math/kinds.ts";
import { focusModel, HOSTILE, makeMap, randomOf, tokensOf } from "./small-models.mjs";

const CACHES = {
  "multi-head": { each: 12, most: null, always: 0 },
  "multi-query": { each: 4, most: null, always: 0 },
  "sliding-window": { each: 12, most: 4, always: 0 },
  "attention-sink": { each: 12, most: 4, always: 0 },
  linear: { each: 0, most: 0, always: 18 },
};
const MODELS = Object.keys(CACHES).map((kind) => `focus/${kind}`);
const PLAINLY = "This is plain attention, with which the others are compared.";
const SENTENCE = "hot tea or cold milk";

/** A focus model with the kinds that it has, but for those that fail, once each. */
function focus(fails = []) {
  const taught = focusModel();
  const load = async (kind) => {
    if (!fails.includes(kind)) return taught.withKind(kind);
    fails.splice(fails.indexOf(kind), 1);
    throw new TypeError("fetch failed");
  };
  return { load };
}

/** The figure and the map in it, with what stands in both until they're drawn. */
const html = (attributes, inside) => {
  const map = `<head-map ${attributes} models="${MODELS.join(" ")}" sentence="${SENTENCE}" view="matrix" layer="0">${inside}</head-map>`;
  return `<attention-kinds ${attributes}>${map}${baked(CACHES)}<p>without scripts</p></attention-kinds>`;
};

async function opened({ fails, hash } = {}) {
  const figure = await draw(html("", ""), { focus: focus(fails) }, hash);
  await figure.ready;
  return figure;
}

const radio = (figure, kind) => figure.querySelector(`input[value="${kind}"]`);
const checked = (figure) => [...figure.querySelectorAll(".ak-kind input")].filter((each) => each.checked);
const changes = (figure) => texts(figure, ".ak-changes")[0];
const bytes = (figure) => texts(figure, ".ak-bytes");
const bricks = (figure) =>
  [...figure.querySelectorAll(".ak-bar i")].map((bar) => Number(bar.style.getPropertyValue("--bricks")));
const row = (figure, query) => {
  const { weights, keyTokens } = figure.map.attention; // of the first head of layer 1
  return [...weights.subarray(query * keyTokens.length, (query + 1) * keyTokens.length)];
};

async function choose(figure, kind) {
  tick(radio(figure, kind));
  await until(() => figure.map.computedBy === `focus/${kind}` && (kind === "multi-head" || changes(figure)));
}

test("a kind that is chosen has its map, its answers and what differs from multi-head", async () => {
  const figure = await opened();
  assert.deepEqual([figure.kind, changes(figure)], ["multi-head", PLAINLY]);
  const plain = figure.map.attention;
  for (const kind of Object.keys(CACHES).slice(1)) {
    await choose(figure, kind);
    assert.deepEqual(
      checked(figure).map(({ value }) => value),
      [kind],
    );
    assert.match(changes(figure), /^Compared with multi-head, [\d.]+\u00a0% of the attention lies elsewhere, and /);
    assert.equal(changes(figure), changesOf(plain, figure.map.attention));
    assert.notDeepEqual([...figure.map.attention.weights], [...plain.weights]);
  }
  await choose(figure, "multi-head");
  assert.deepEqual([changes(figure), [...figure.map.attention.weights]], [PLAINLY, [...plain.weights]]);
});

test("all look back only; a window ends, and a sink keeps the first token", async () => {
  const figure = await opened();
  const empty = async (kind, query) => {
    await choose(figure, kind);
    return row(figure, query).flatMap((weight, key) => (weight === 0 ? [key] : []));
  };
  assert.deepEqual(await empty("multi-head", 5), [6]);
  assert.deepEqual(await empty("linear", 5), [6]);
  assert.deepEqual(await empty("sliding-window", 5), [0, 1, 6]);
  assert.deepEqual(await empty("attention-sink", 5), [1, 2, 6]);
});

test("caches grow with the sentence, but for those of a window, a sink and a sum", async () => {
  const figure = await opened();
  assert.deepEqual(bytes(figure), ["168 bytes", "56 bytes", "96 bytes", "96 bytes", "36 bytes"]);
  assert.deepEqual(bricks(figure), [7, 7, 4, 4, 1]);
  type(figure.map, "Sentence", "tea");
  assert.deepEqual(bytes(figure), ["72 bytes", "24 bytes", "72 bytes", "72 bytes", "36 bytes"]);
  assert.deepEqual(bricks(figure), [3, 3, 3, 3, 1]);
  const longest = () => Number(figure.querySelector(".ak-bar i").style.getPropertyValue("--long"));
  assert.equal(longest(), 72 / (16 * 24), "a bar has room for sixteen tokens");
  type(figure.map, "Sentence", "tea ".repeat(10));
  assert.equal(longest(), 12 / 16);
});

test("what differs follows the sentence and the heads of the map", async () => {
  const figure = await opened();
  await choose(figure, "sliding-window");
  const before = changes(figure);
  type(figure.map, "Sentence", "tea");
  await until(() => changes(figure) !== before);
  assert.equal(
    changes(figure),
    "Compared with multi-head, 0\u00a0% of the attention lies elsewhere, and no answer changes.",
  );
});

test("a phrase of the text sets the kind and the sentence; a link does", async () => {
  const figure = await opened();
  figure.setAttribute("sentence", "cold milk");
  figure.setAttribute("kind", "linear");
  await until(() => figure.map.computedBy === "focus/linear");
  assert.deepEqual([figure.map.attention.keyTokens, radio(figure, "linear").checked], [tokensOf("cold milk"), true]);
  follow("#map=1&model=focus/multi-query&sentence=hot+tea");
  await until(() => radio(figure, "multi-query").checked);
});

test("out of sight it stays as it was built, until a phrase sets it", async () => {
  const map = await focusModel().withKind("multi-head").attend(SENTENCE);
  const figure = await draw(html('class="head-map"', baked(map)), { focus: focus() }, "", false);
  assert.ok(figure.textContent.includes("without scripts") && !radio(figure, "linear"));
  figure.setAttribute("kind", "linear");
  await until(() => figure.map.computedBy === "focus/linear");
  assert.ok(radio(figure, "linear").checked);
});

test("a kind that does not come says so, and tried again, it's there", async () => {
  const figure = await opened({ fails: ["linear"] });
  tick(radio(figure, "linear"));
  await says(figure.map, /^The model could not be loaded/);
  assert.deepEqual([figure.map.computedBy, changes(figure)], ["focus/multi-head", ""]);
  [...figure.map.querySelectorAll("button")].find(({ textContent }) => textContent === "Try again").click();
  await until(() => changes(figure));
});

test("what a choice came to is said once, the kind and its bytes first", async (t) => {
  const figure = await opened();
  await choose(figure, "multi-query");
  t.mock.timers.enable({ apis: ["setTimeout"] });
  tick(radio(figure, "sliding-window"));
  while (!changes(figure)) {
    t.mock.timers.tick(1); // its turn comes
    await settled();
  }
  assert.match(heard(figure, t.mock.timers), /^sliding window: 96 bytes\. /);
});

test("an answer that changes is named, with what it was", () => {
  const plain = makeMap({
    keyTokens: ["a", "b"],
    queryTokens: ["a", "b"],
    predictions: { mood: { good: 0.8, bad: 0.2 } },
  });
  const weights = plain.weights.slice();
  weights.set([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]); // all of layer 1 at the second token
  const other = { ...plain, weights, predictions: { mood: { good: 0.4, bad: 0.6 } } };
  const moved = [0, 2, 4, 6, 8, 10].reduce((sum, at) => sum + plain.weights[at] / 6, 0);
  assert.equal(
    changesOf(plain, other),
    `Compared with multi-head, ${Math.round(100 * moved)}\u00a0% of the attention lies elsewhere, and mood turns from good to bad.`,
  );
});

test("no word after a token changes what it hears, in any kind", () => {
  const layer = Object.fromEntries(
    ["query", "key", "value"].map((name, at) => [`${name}.weight`, randomOf([12, 8], at + 1)]),
  );
  layer["output.weight"] = randomOf([8, 12], 4);
  const X = randomOf([6, 8], 5);
  const other = { ...X, values: X.values.map((value, at) => (at < 40 ? value : -value)) }; // another last word
  for (const kind of [...Object.keys(CACHES), "grouped-query", "latent"]) {
    const [before, after] = [X, other].map((words) => attentionOf(kind)(words, layer, { numHeads: 4 }).output.values);
    assert.deepEqual([...before.subarray(0, 40)], [...after.subarray(0, 40)], kind);
    assert.notDeepEqual([...before.subarray(40)], [...after.subarray(40)], kind);
  }
});

test("words that look like HTML are text", async () => {
  const figure = await opened();
  type(figure.map, "Sentence", `${HOSTILE} tea`);
  await choose(figure, "linear");
  assert.equal(figure.querySelectorAll("img").length, 0);
});

test("a kind that a phrase has set goes with the next sentence, one that its reader chose stays", async () => {
  const figure = await opened();
  setFigure(figure, { sentence: "cold tea", query: "1", kind: "linear" });
  await until(() => figure.map.computedBy === "focus/linear" && changes(figure));
  assert.deepEqual([figure.map.sentence, figure.map.query, figure.kind], ["cold tea", 1, "linear"]);
  type(figure.map, "Sentence", "hot milk");
  await until(() => figure.map.computedBy === "focus/multi-head");
  assert.deepEqual([figure.map.query, changes(figure), checked(figure)[0].value], [0, PLAINLY, "multi-head"]);
  await choose(figure, "multi-query");
  type(figure.map, "Sentence", "hot tea");
  await until(() => figure.map.attention.keyTokens.includes("tea"));
  assert.equal(figure.map.computedBy, "focus/multi-query");
});
