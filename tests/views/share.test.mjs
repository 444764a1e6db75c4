// What is written of a map, in links and files, in Node: no DOM.
import assert from "node:assert/strict";
import test from "node:test";
import { csvOf, exactly, fileName } from "../../src/manyheads/web/figures/head-map/save.ts";
import { maskOf } from "../../src/manyheads/web/math/heads-off.ts";
import { START } from "../../src/manyheads/web/math/options.ts";
import { ALONE, frameFor, linkTo, tagFor } from "../../src/manyheads/web/doors/sharing.ts";
import { linkedState, writeState } from "../../src/manyheads/web/doors/state.ts";

const FULL = {
  ...START,
  sentence: 'a & "b" <c>?#=+%',
  compare: "",
  view: "lines",
  layer: 2,
  head: 0,
  query: 3,
  weigh: "written",
  special: "dim",
  heads: "average",
  layers: "rollout",
  pieces: "merge",
  scale: "relative",
  first: 1,
  last: 0,
  headMask: [
    [true, false],
    [true, true],
    [false, true],
  ],
  model: 1,
};

test("a state comes back from its link", () => {
  const link = linkTo("https://example.org/a/page.html?x=1#old", [
    ["map", "two"],
    ...writeState(FULL, "focus/step-30"),
  ]);
  assert.ok(link.startsWith("https://example.org/a/page.html?x=1#map=two&"));
  const {
    model,
    state: { off, ...state },
  } = linkedState(new URL(link).hash, ["two", "4"]);
  assert.equal(model, "focus/step-30");
  assert.deepEqual({ ...state, headMask: maskOf(off, 3, 2), model: 1 }, FULL);
  assert.equal(linkedState(new URL(link).hash, ["1"]), null);
});

test("a state as at the start needs no words, and no words give it", () => {
  assert.deepEqual(writeState(START, ""), []);
  assert.deepEqual(linkedState("#map=1", ["1"]).state, { ...START, off: [] });
  for (const hash of ["", "#", "#what-you-are-looking-at", "#%E0%A4%A"])
    assert.equal(linkedState(hash, ["1", ""]), null);
});

for (const figure of Object.keys(ALONE))
  test(`tags and frames of <${figure}> can be pasted into a page of any encoding; a frame is as high as what it shows, which may be copied`, () => {
    const folder = "https://example.org/book/_static/manyheads/";
    const tag = tagFor(folder, figure, [["sentence", 'Café 🍵 "&<']]);
    assert.equal(tag.match(/sentence="(.*?)"/)[1], "Caf&#233; &#127861; &#34;&#38;&#60;");
    assert.ok(tag.includes(`src="${folder}${figure}.js"`) && tag.endsWith(`></${figure}>`));
    const frame = frameFor(folder, figure, [["sentence", 'a&b "c" é']]);
    const address = frame.match(/src="([^"]*)"/)[1].replaceAll("&#38;", "&");
    const named = figure === "head-map" ? "" : `figure=${figure}&`;
    assert.equal(address, `https://example.org/book/embed.html?${named}sentence=a%26b+%22c%22+%C3%A9`);
    assert.match(frame, /allow="clipboard-write"/);
    assert.match(frame, /<script>.*frame\.style\.height = data\.manyHeadsHeight/s);
    assert.match(frame + tag, /^[\0-\x7f]*$/);
  });

test("a weight is written as short as reads back to the same float32", () => {
  assert.deepEqual(
    [0, 1, 0.2, 1 / 3].map((weight) => exactly(Math.fround(weight))),
    ["0", "1", "0.2", "0.33333334"],
  );
  for (let at = 0; at < 2000; at++) {
    const weight = Math.fround(Math.abs(Math.sin(at)) ** (at % 9));
    assert.equal(Math.fround(Number(exactly(weight))), weight);
  }
});

/** Two layers, three heads, five queries, seven keys; what a view tells of them. */
function view(state) {
  const shape = [2, 3, 5, 7];
  const weights = Float32Array.from({ length: 210 }, (_, at) => ((at * 37) % 101) / 101);
  const tokens = (letter, count) => Array.from({ length: count }, (_, at) => `${letter}${at}`);
  const map = {
    shape,
    weights,
    queryTokens: tokens("q", 5),
    keyTokens: ['"', "a,b", "\0", "<", "&", "##f", "[SEP]"],
    headNames: tokens("h", 3),
  };
  return {
    state: { ...START, layer: 1, ...state },
    shown: { map, compared: null },
    query: 4,
    dim: false,
    look: () => ({ colour: "#8DB600", off: false, dim: false }),
  };
}

const rows = (shown) => csvOf(shown).join("").trimEnd().split("\n").slice(1);

test("a file holds what its view shows, on unequal axes", () => {
  assert.equal(rows(view({ view: "paint" })).length, 21);
  assert.equal(rows(view({ view: "matrix" })).length, 105);
  assert.equal(rows(view({ view: "grid" })).length, 210);
  assert.equal(rows(view({ view: "grid", head: 1 })).length, 210);
  assert.equal(rows(view({ view: "lines", head: 2 })).length, 7);
  assert.equal(
    rows(view({ view: "paint" }))[8],
    `1,1,4,1,q4,"a,b",${exactly(Math.fround((((((1 * 3 + 1) * 5 + 4) * 7 + 1) * 37) % 101) / 101))}`,
  );
  assert.ok(rows(view({ view: "paint" }))[0].startsWith('1,0,4,0,q4,"""",'));
});

test("files are named after the sentence", () => {
  assert.equal(fileName(view({ sentence: "Tee oder Käse?", view: "grid" }), "svg"), "tee-oder-käse-grid.svg");
  assert.equal(fileName(view({ sentence: "../!?" }), "csv"), "map-paint.csv");
  assert.equal(
    fileName({ ...view({ sentence: "Hot tea" }), file: "Qwen2.5-0.5B" }, "csv"),
    "qwen2-5-0-5b-hot-tea-paint.csv",
  );
});
