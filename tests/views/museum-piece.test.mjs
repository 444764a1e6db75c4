// <museum-piece>: a switch puts a bug into a live map, and a table says what that changes.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, follow, once, press, rowsOf, says, status, texts, tick, type, until } from "./page.mjs";
import { setFigure } from "../../src/manyheads/web/doors/phrases.ts";
import { differences } from "../../src/manyheads/web/figures/museum-piece/state.ts";
import { focusModel, HOSTILE, tokensOf } from "./small-models.mjs";

const HTML = (bug, attributes = "") =>
  `<museum-piece label="A bug" ${attributes}><head-map models="focus focus/${bug}" sentence="hot tea or milk"></head-map><p>without scripts</p></museum-piece>`;

/** A focus model and, by the page's own bugs.ts, its bugs. */
function focus(fails = []) {
  const taught = focusModel();
  return {
    load: async (variant, { siteScript }) => {
      if (fails.includes(variant)) {
        fails.splice(fails.indexOf(variant), 1);
        throw new TypeError("fetch failed");
      }
      return variant ? (await siteScript("bugs.js")).museumModel(taught, variant) : taught;
    },
  };
}

async function opened(bug = "bug-scale", { fails, hash, attributes } = {}) {
  const piece = await draw(HTML(bug, attributes), { focus: focus(fails) }, hash);
  await piece.ready;
  return piece;
}

const toggle = (piece) => piece.querySelector("[role=switch]");
const state = (piece) => texts(piece, ".mp-state")[0];
const table = (piece) => rowsOf(piece, ".mp-changes tbody tr");
const isShown = (piece) => !piece.querySelector(".mp-changes").hidden;

/** Moves the switch, and waits until it is so. */
async function move(piece, on) {
  tick(toggle(piece), on);
  await until(() => state(piece) === (on ? "on" : "off") && (!on || table(piece).length));
}

const SUMS_CHANGE = ["bug-axis", "bug-mask"];

for (const bug of ["bug-scale", "bug-axis", "bug-mask", "bug-view", "bug-concat", "causal"])
  test(`${bug}: the switch changes the map, says what changes, and gives it back`, async () => {
    const piece = await opened(bug);
    const right = [...piece.map.attention.weights];
    assert.deepEqual([state(piece), isShown(piece)], ["off", false]);
    await move(piece, true);
    assert.deepEqual([piece.map.computedBy, isShown(piece)], [`focus/${bug}`, true]);
    const rows = table(piece);
    const rowOf = (start) => rows.find(([what]) => what.startsWith(start));
    assert.deepEqual(rowOf("The weights of a row sum to")?.[1], SUMS_CHANGE.includes(bug) ? "1.00" : undefined);
    assert.equal(Boolean(rowOf("The weight that changes most")), bug !== "bug-concat");
    assert.match(rowOf("The output of [CLS] moves by")[2], /^[\d.]+\u00a0% of its length$/);
    for (const [what, before, after] of rows) assert.notEqual(before, after, `${what} is alike, and has no row`);
    await move(piece, false);
    assert.deepEqual([[...piece.map.attention.weights], isShown(piece)], [right, false]);
  });

test("the weight that changes most is named by head and words, with both numbers", async () => {
  const piece = await opened("bug-scale");
  const right = piece.map.attention;
  await move(piece, true);
  const wrong = piece.map.attention;
  const changes = right.weights.map((value, at) => Math.abs(value - wrong.weights[at]));
  const at = changes.indexOf(Math.max(...changes));
  const words = right.keyTokens.length;
  const place = Math.floor(at / words / words);
  assert.ok(place >= right.shape[1], "layer 1 computes rightly");
  const name = `The weight that changes most: layer 2, ${right.headNames[place - right.shape[1]]}, ${right.queryTokens[Math.floor(at / words) % words]} → ${right.keyTokens[at % words]}`;
  assert.equal(table(piece)[0][0], name);
});

test("the table follows the sentence and the heads of the map", async () => {
  const piece = await opened("bug-mask");
  await move(piece, true);
  const before = JSON.stringify(table(piece));
  type(piece.map, "Sentence", "cold milk");
  await until(() => JSON.stringify(table(piece)) !== before);
  const typed = JSON.stringify(table(piece));
  press(piece.map, "mood");
  await until(() => JSON.stringify(table(piece)) !== typed);
  assert.deepEqual(piece.map.attention.keyTokens, tokensOf("cold milk"));
});

test("a link to the bug turns its switch on", async () => {
  const piece = await opened("bug-axis", { hash: "#map=1&model=focus/bug-axis&sentence=hot+tea" });
  await until(() => state(piece) === "on");
  assert.ok(toggle(piece).checked);
  follow("#map=1&model=focus&sentence=hot+tea");
  await until(() => state(piece) === "off");
  assert.ok(!toggle(piece).checked);
});

test("a bug that does not come is not called on; tried again, it is", async () => {
  const piece = await opened("bug-view", { fails: ["bug-view"] });
  tick(toggle(piece));
  assert.equal(state(piece), "not yet");
  await says(piece.map, /^The model could not be loaded: something went wrong/);
  assert.deepEqual([state(piece), isShown(piece), piece.map.computedBy], ["not yet", false, "focus"]);
  press(piece.map, "Try again");
  await until(() => table(piece).length);
  assert.deepEqual([state(piece), isShown(piece)], ["on", true]);
});

test("a switch has its name, and its columns the words that its author gave", async () => {
  const piece = await opened("causal", { attributes: 'switch="The mask" off="open" on="causal"' });
  assert.equal(toggle(piece).closest("label").textContent, "The mask: A bugoff");
  assert.deepEqual(texts(piece, ".mp-changes thead th"), ["What changes here", "open", "causal"]);
  assert.ok(!piece.textContent.includes("without scripts"));
});

test("what is alike has no row, and where nothing changes, it says so in place of a table", async () => {
  const piece = await opened("bug-scale");
  assert.deepEqual(differences(piece.map.attention, piece.map.attention), []);
  await move(piece, true);
  type(piece.map, "Sentence", "");
  await until(() => !table(piece).some(([what]) => what.startsWith("Prediction")));
  assert.equal(isShown(piece), table(piece).length > 0);
  assert.equal(status(piece.map).split(".")[0], "Ready: computed in your browser as you type");
});

test("words that look like HTML are text", async () => {
  const piece = await opened("bug-scale");
  const told = once(piece, "attention");
  type(piece.map, "Sentence", `${HOSTILE} tea`);
  await told;
  await move(piece, true);
  assert.equal(piece.querySelectorAll("img").length, 0);
});

test("a bug that a guess has switched on is off with the next sentence; one that its reader switched on stays", async () => {
  const piece = await opened();
  setFigure(piece.map, { model: "focus/bug-scale" });
  await until(() => state(piece) === "on" && table(piece).length);
  assert.ok(toggle(piece).checked);
  type(piece.map, "Sentence", "cold tea");
  await until(() => state(piece) === "off");
  assert.deepEqual([toggle(piece).checked, isShown(piece), piece.map.computedBy], [false, false, "focus"]);
  await move(piece, true);
  type(piece.map, "Sentence", "cold milk");
  await until(() => piece.map.attention.keyTokens.includes("milk"));
  assert.deepEqual([state(piece), piece.map.computedBy], ["on", "focus/bug-scale"]);
});
