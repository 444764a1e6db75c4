// <drawing-board>: what is drawn on the paper reaches the map inside, and what comes back is shown and judged.
import assert from "node:assert/strict";
import test from "node:test";
import { ready as READY } from "../../src/manyheads/shared/drawing.json" with { type: "json" };
import { GOALS, progressOf } from "../../src/manyheads/web/figures/drawing-board/goals.ts";
import { fareOf } from "../../src/manyheads/web/figures/drawing-board/guess.ts";
import { FILLED, lookAt, MISSED, sentenceOf } from "../../src/manyheads/web/figures/drawing-board/look.ts";
import { dotsPath, pathOf } from "../../src/manyheads/web/figures/drawing-board/paper.ts";
import * as board from "../../src/manyheads/web/figures/drawing-board/state.ts";
import { setFigure } from "../../src/manyheads/web/doors/phrases.ts";
import { readProgress } from "../../src/manyheads/web/doors/progress.ts";
import { maskOf } from "../../src/manyheads/web/math/heads-off.ts";
import { inked, readDrawing, readStrokes, shutIn } from "../../src/manyheads/web/math/strokes.ts";
import { pick, walk } from "./dice.mjs";
import { draw, isHere, isIdle, named, press, settled, until } from "./page.mjs";
import { weightsOf } from "./small-models.mjs";

await import("../../src/manyheads/web/figures/head-map/head-map.ts"); // a board makes its own map

const HEADS = ["head 1", "head 2"];
const PATCHES = Array.from({ length: 64 }, (_, at) => `patch ${Math.floor(at / 8) + 1},${(at % 8) + 1}`);
const TOKENS = ["[CLS]", ...PATCHES];
const [FILLER, CARRIER] = [
  [1, 1],
  [0, 0],
];

/** A model that is right; without one of its heads it fills the middle, without another nothing. */
function rightModel() {
  const model = {
    name: "drawing",
    numLayers: 2,
    numHeads: 2,
    headNames: HEADS,
    calls: [],
    attend(text, headMask = null) {
      model.calls.push(text);
      const ink = readDrawing(text);
      const truth = shutIn(ink);
      const isOff = ([layer, head]) => headMask?.[layer][head] === false;
      const middle = (dot) => dot % 32 > 10 && dot % 32 < 20 && dot > 320 && dot < 640;
      const filled = Float32Array.from(truth, (place, dot) =>
        isOff(CARRIER) ? 0 : Number(place > 0 || (isOff(FILLER) && middle(dot))),
      );
      const places = Math.min(Math.max(...truth), 3);
      const labels = ["0", "1", "2", "3 or more"].map((label, count) => [label, Number(count === places)]);
      const shape = [2, 2, 65, 65];
      return {
        ...{ queryTokens: TOKENS, keyTokens: TOKENS, shape, weights: weightsOf(shape), headNames: HEADS, notes: [] },
        predictions: { "places shut in": Object.fromEntries(labels) },
        picture: { ink, rows: 8, columns: 8, width: 32, height: 32, keyStart: 1, queryStart: 1 },
        filled,
      };
    },
  };
  return model;
}

/** A live board, and its model. */
async function opened(attributes = 'sentence=""') {
  const model = rightModel();
  const board = await draw(`<drawing-board ${attributes}></drawing-board>`, { drawing: isHere(model) });
  board.querySelector(".db-paper").setPointerCapture = () => {};
  board.querySelector(".db-paper").getBoundingClientRect = () => ({ left: 0, top: 0, width: 320, height: 320 });
  await board.ready;
  return { board, model, paper: board.querySelector(".db-paper") };
}

const says = (board) => board.querySelector(".db-says").textContent;
const task = (board) => board.querySelector(".db-task").textContent.trim();
const pathIn = (board, name) => board.querySelector(`.db-paper .db-${name}`).getAttribute("d");

/** What a pointer does, in dots of the paper. */
function touch(paper, name, [x, y] = [0, 0], more = {}) {
  const event = new PointerEvent(`pointer${name}`, {
    ...{ bubbles: true, cancelable: true, clientX: 10 * x, clientY: 10 * y },
    ...{ pointerId: 1, isPrimary: true, button: 0, ...more },
  });
  paper.dispatchEvent(event);
  return event;
}

function stroke(paper, ...points) {
  touch(paper, "down", points[0]);
  for (const point of points.slice(1)) touch(paper, "move", point);
  touch(paper, "up", points.at(-1));
}

/** Presses keys; those with "+" with Shift. */
function keys(paper, ...names) {
  for (const name of names) {
    const init = { key: name.replace(/^(Shift|Control)\+/, ""), bubbles: true, cancelable: true };
    const modifiers = { shiftKey: name.startsWith("Shift+"), ctrlKey: name.startsWith("Control+") };
    paper.dispatchEvent(new KeyboardEvent("keydown", { ...init, ...modifiers }));
  }
}

const SQUARE = [
  [8, 8],
  [24, 8],
  [24, 24],
  [8, 24],
  [8, 8],
];

// --- what is told, as pure functions

const INK = readDrawing(READY.ring);
const TRUTH = shutIn(INK).map((place) => Number(place > 0));
const told = (ink, places, filled) => sentenceOf(lookAt(ink, { places, filled }), { places, filled });

test("a right answer is told as what is so, a wrong one with each of its mistakes", () => {
  const [nothing, all] = [new Uint8Array(1024), new Uint8Array(1024).fill(1)];
  assert.equal(told(INK, 1, TRUTH), "One place is shut in.");
  assert.equal(told(INK, 0, nothing), "One place is shut in, but the model leaves it empty and counts none.");
  const open = readDrawing(READY.cup);
  assert.equal(told(open, 0, nothing), "Nothing is shut in.");
  assert.match(told(open, 1, TRUTH), /^Nothing is shut in, but the model fills \d+ dots and counts one\.$/);
  const eight = readDrawing(READY["figure eight"]);
  assert.equal(told(eight, 0, nothing), "Two places are shut in, but the model leaves both empty and counts none.");
  assert.match(told(eight, 2, all), /^Two places are shut in, but the model fills \d+ dots that are open\.$/);
});

test("more than three places are counted rightly by a model that counts to three", () => {
  const boxes = [2, 10, 18, 26].map((x) =>
    [
      [x, 4],
      [x + 5, 4],
      [x + 5, 12],
      [x, 12],
      [x, 4],
    ].map((point) => point.map((dots) => dots / 32)),
  );
  const ink = inked(boxes);
  assert.equal(
    told(
      ink,
      3,
      shutIn(ink).map((place) => Number(place > 0)),
    ),
    "Four places are shut in.",
  );
});

test("dots are marked as wrong where a whole place is, and not at the edge of a stroke", () => {
  const few = TRUTH.slice();
  few[TRUTH.indexOf(1)] = 0;
  few[0] = 1;
  assert.ok(lookAt(INK, { places: 1, filled: few }).wrong.every((dot) => dot === 0));
  const other = TRUTH.map((shut) => 1 - shut);
  const { wrong } = lookAt(INK, { places: 1, filled: other });
  assert.equal(wrong[0], FILLED);
  assert.equal(wrong[TRUTH.indexOf(1)], MISSED);
  assert.equal(wrong[INK.indexOf(1)], 0); // nobody sees what's below ink
});

test("what is filled is painted up to the middle of the ink beside it, and no dot larger", () => {
  const one = new Uint8Array(1024);
  one[40] = 1;
  assert.deepEqual([...lookAt(new Float32Array(1024), { places: 0, filled: one }).painted], [...one]);
  const ink = new Float32Array(1024);
  for (const dot of [8, 39, 38, 42]) ink[dot] = 1; // two beside it
  const { painted } = lookAt(ink, { places: 0, filled: one });
  assert.deepEqual(
    [...painted.keys()].filter((dot) => painted[dot]),
    [8, 39, 40],
  );
});

test("a guess fares by how far it's from where the head looks most", () => {
  const weights = new Float32Array(64).fill(0.01);
  weights[27] = 0.37;
  const faredAt = (guess) => fareOf(weights, guess, 8);
  assert.deepEqual([faredAt(27).apart, faredAt(36).apart, faredAt(0).apart], [0, 1, 3]);
  assert.equal(faredAt(0).most, 27);
});

test("dots side by side are one piece of a path, and a stroke of one point is a dot", () => {
  const dots = new Uint8Array(1024);
  for (const dot of [3, 4, 5, 31, 33]) dots[dot] = 1;
  assert.equal(dotsPath(dots, Boolean), "M3 0h3v1h-3zM31 0h1v1h-1zM1 1h1v1h-1z");
  assert.equal(pathOf(readStrokes("4_4~1_2-3_4.5")), "M4 4h0M1 2L3 4.5");
});

// --- goals

test("each goal is reached by what it asks for, and says what is missing", () => {
  const look = lookAt(INK, { places: 1, filled: TRUTH });
  const tried = (changes, parts = {}) => ({ strokes: 1, off: 0, whole: 0, ...changes, look: { ...look, ...parts } });
  const open = { places: 0, largest: 0, missed: 0, largestMissed: 0 };
  const cases = {
    "two-at-once": [
      [tried({}, { places: 2 }), true],
      [tried({ strokes: 2 }, { places: 2 }), "these are two strokes."],
      [tried({}), "your stroke shuts in one place."],
      [tried({}, open), "your stroke shuts in nothing."],
    ],
    "fooled-open": [
      [tried({}, { ...open, filled: 60 }), true],
      [tried({}, { ...open, filled: 19 }), "the model isn’t fooled: it fills hardly anything."],
      [tried({ off: 1 }, { ...open, filled: 60 }), "a head is off, and the whole model is to be fooled."],
      [tried({}), "one place is shut in, and it should be open."],
    ],
    "fooled-shut": [
      [tried({}, { filled: 0, missed: 1, largestMissed: 224 }), true],
      [tried({}), "the model isn’t fooled: it fills what is shut in."],
      [tried({}, { ...open, filled: 0 }), "nothing is shut in."],
      [tried({}, { largest: 12, largestMissed: 12 }), "that place is too small to count."],
    ],
    "fills-open": [
      [tried({ off: 1 }, { ...open, filled: 60 }), true],
      [tried({ off: 1, whole: 30 }, { ...open, filled: 60 }), "the whole model fills this drawing as well."],
      [tried({ off: 1 }, { ...open, filled: 3 }), "without this head, hardly anything is filled."],
      [tried({}, { ...open, filled: 0 }), "all heads are on."],
      [tried({ off: 2 }, { ...open, filled: 60 }), "two heads are off, and it should be one."],
      [tried({ off: 1 }), "one place is shut in, and it should be open."],
    ],
    "never-fills": [
      [tried({ off: 1, whole: 224 }, { filled: 3 }), true],
      [tried({ off: 1, whole: 224 }, { filled: 4 }), "without this head, something is still filled."],
      [tried({ off: 1, whole: 3 }, { filled: 3 }), "the whole model fills nothing here either."],
      [tried({}), "all heads are on."],
      [tried({ off: 1 }, open), "nothing is shut in."],
    ],
  };
  assert.deepEqual(Object.keys(cases), Object.keys(GOALS));
  for (const [name, tries] of Object.entries(cases))
    for (const [each, wanted] of tries) {
      const { done, says: line } = progressOf(GOALS[name], each);
      assert.deepEqual(
        [done, line],
        wanted === true ? [true, `Done. ${GOALS[name].done}`] : [false, `Not yet: ${wanted}`],
        name,
      );
    }
});

/** What a map has of a drawing with so many heads off. */
function followed(sentence, off) {
  const headMask = off ? maskOf([FILLER], 2, 2) : null;
  const map = {
    attention: rightModel().attend(sentence, headMask),
    computedBy: "drawing",
    headMask,
    query: 1,
    sentence,
  };
  return { type: "follow", map };
}

test("after any actions what was put on the paper can be undone, and nothing is judged while the pen is down", () => {
  const texts = ["", READY.ring, READY["open ring"], "1_1-2_2~4_4-9_9"];
  const answers = texts.flatMap((text) => [followed(text, 0), followed(text, 1)]);
  const anyAction = (roll) =>
    pick(roll, [
      () => ({ type: "begin" }),
      () => ({ type: "move", points: [[0.5, 0.5]] }),
      () => ({ type: "draw", text: pick(roll, texts) }),
      () => ({ type: "step", pen: { at: [roll(33), 16], down: roll(2) === 1 } }),
      () => ({ type: "change", text: pick(roll, texts), when: roll(5000) }),
      () => ({ type: "undo" }),
      () => ({ type: "pick", patch: roll(64) }),
      () => ({ type: "consider", patch: roll(64) }),
      () => ({ type: "point", query: roll(2) ? roll(65) : null }),
      () => pick(roll, answers),
    ])();
  const start = (roll) => board.startWith(pick(roll, [{ guess: "1.1" }, { goal: "fills-open" }, {}]), false);
  const reduce = (state, action) => ({ state: board.reduce(state, action) });
  walk(start, anyAction, reduce, ({ before, action, after }) => {
    if (after.history !== before.history && action.type === "change") {
      const back = board.reduce(after, { type: "undo" });
      assert.deepEqual([back.text, back.history.past], [before.before ?? before.text, before.history.past]);
    }
    const isDown = after.before !== null;
    if (action.type === "change") assert.deepEqual([after.text, after.points, isDown], [action.text, [], false]);
    if (["move", "step"].includes(action.type)) assert.equal(board.currentOf(after), board.currentOf(before));
    if (isDown) assert.deepEqual([after.progress, after.done], [before.progress, before.done], "the pen is down");
    if (before.done) assert.deepEqual([after.done, after.progress], [true, before.progress], "it stays reached");
    if (after.done && !before.done) assert.deepEqual([board.currentOf(after).look.places, after.off], [0, 1]);
    if (before.guess?.verdict && action.type !== "pick") assert.equal(after.guess, before.guess);
    if (after.whole) assert.ok(after.whole.isWhole);
    assert.equal(board.isPicking(after), after.head !== null && after.guess === null);
  });
});

// --- the board

test("a stroke from down to up reaches the map as text, and its answer is painted and told", async () => {
  const { board, model, paper } = await opened();
  assert.equal(says(board), "Draw a ring, and leave a gap at first.");
  stroke(paper, ...SQUARE.slice(0, -1));
  assert.equal(board.map.sentence, "8_8-24_8-24_24-8_24");
  assert.deepEqual(board.strokes, [SQUARE.slice(0, -1).map((point) => point.map((dots) => dots / 32))]);
  assert.equal(says(board), "Nothing is shut in.");
  assert.equal(pathIn(board, "filled"), "");
  stroke(paper, [8, 24], [8, 8]);
  assert.equal(board.map.sentence, "8_8-24_8-24_24-8_24~8_24-8_8");
  assert.equal(says(board), "One place is shut in.");
  assert.match(pathIn(board, "filled"), /^M9 8h14v1h-14zM8 9h16v1h-16z/);
  assert.deepEqual([board.answer.places, board.answer.filled.reduce((a, b) => a + b)], [1, 196]);
  assert.equal(model.calls.length < 6, true); // not at each move
  assert.equal(board.attention, board.map.attention);
});

test("points lie on the paper, in tenths of a dot, half a dot apart at least; the last is where the pen was lifted", async () => {
  const { board, paper } = await opened();
  stroke(paper, [2, 2], [2.2, 2.2], [2.36, 2.44], [40, -3], [31.9, 0]);
  assert.equal(board.map.sentence, "2_2-2.4_2.4-32_0-31.9_0");
  stroke(paper, [5, 5]);
  assert.equal(board.map.sentence.split("~")[1], "5_5"); // a tap is a dot
});

test("the answer follows the pen, once a frame", async () => {
  const { board, model, paper } = await opened();
  touch(paper, "down", SQUARE[0]);
  for (const point of SQUARE.slice(1)) touch(paper, "move", point);
  assert.equal(model.calls.length, 1);
  assert.match(board.querySelector(".db-paper path.db-strokes:last-of-type").getAttribute("d"), / 8 8$/); // it doesn't wait
  await until(() => says(board) === "One place is shut in.");
  assert.equal(model.calls.length, 2);
  touch(paper, "up", [8, 8]);
});

test("a second finger, another button and a menu change nothing; a pointer that's taken away takes its stroke along", async () => {
  const { board, paper } = await opened();
  touch(paper, "down", [4, 4]);
  touch(paper, "down", [20, 20], { pointerId: 2, isPrimary: false });
  touch(paper, "move", [22, 22], { pointerId: 2, isPrimary: false });
  touch(paper, "up", [22, 22], { pointerId: 2, isPrimary: false });
  touch(paper, "move", [10, 4]);
  touch(paper, "up");
  assert.equal(board.map.sentence, "4_4-10_4");
  touch(paper, "down", [4, 20], { button: 2 });
  assert.equal(board.map.sentence, "4_4-10_4");
  const menu = new Event("contextmenu", { bubbles: true, cancelable: true });
  assert.equal(paper.dispatchEvent(menu), false);
  touch(paper, "down", [4, 20]);
  touch(paper, "move", [9, 20]);
  touch(paper, "cancel");
  assert.equal(board.map.sentence, "4_4-10_4");
  touch(paper, "move", [30, 30]);
  assert.equal(board.map.sentence, "4_4-10_4");
});

test("a pen that comes after the hand that holds it takes over", async () => {
  const { board, paper } = await opened();
  touch(paper, "down", [30, 30], { pointerType: "touch" });
  touch(paper, "move", [30, 28], { pointerType: "touch" });
  touch(paper, "down", [4, 4], { pointerId: 2, pointerType: "pen" });
  touch(paper, "move", [30, 20], { pointerType: "touch" });
  touch(paper, "move", [10, 4], { pointerId: 2, pointerType: "pen" });
  touch(paper, "up", [10, 4], { pointerId: 2, pointerType: "pen" });
  assert.equal(board.map.sentence, "4_4-10_4");
});

test("what is undone is what was done: a stroke, a ready drawing, an empty paper", async () => {
  const { board, paper } = await opened();
  assert.ok(isIdle(board, "Undo drawing") && isIdle(board, "Clear drawing"));
  stroke(paper, ...SQUARE);
  const square = board.map.sentence;
  press(board, "Cup");
  assert.equal(board.map.sentence, READY.cup);
  press(board, "Clear drawing");
  assert.equal(board.map.sentence, "");
  for (const wanted of [READY.cup, square, ""]) {
    press(board, "Undo drawing");
    assert.equal(board.map.sentence, wanted);
  }
  assert.ok(isIdle(board, "Undo drawing"));
});

test("a drawing that came from elsewhere loses its last stroke", async () => {
  const { board } = await opened('sentence="1_1-2_2~4_4-9_9"');
  press(board, "Undo drawing");
  assert.equal(board.map.sentence, "1_1-2_2");
});

test("keys move the pen, put it down and lift it, undo and clear", async () => {
  const { board, paper } = await opened();
  keys(paper, "ArrowLeft", "Shift+ArrowUp", " ", "ArrowRight", "Shift+ArrowDown", "Enter", "ArrowRight");
  assert.equal(board.map.sentence, "15_12-16_12-16_16");
  keys(paper, " ", "ArrowUp", "Escape");
  assert.equal(board.strokes.length, 2);
  keys(paper, "Backspace");
  assert.equal(board.strokes.length, 1);
  keys(paper, " ", "ArrowUp", "Control+z"); // the one under the pen
  assert.equal(board.map.sentence, "15_12-16_12-16_16");
  keys(paper, "Delete");
  assert.equal(board.map.sentence, "");
  keys(paper, ...Array(9).fill("Shift+ArrowRight"), " ", "Escape");
  assert.equal(board.map.sentence, "32_14"); // no further than the edge
});

test("the pen of the keyboard is told, and not at each step", async (t) => {
  const { board, paper } = await opened();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const live = board.querySelector(".db-board > .hm-unseen");
  keys(paper, "ArrowLeft", " ", "ArrowLeft");
  assert.equal(live.textContent, "");
  t.mock.timers.tick(1000);
  assert.equal(live.textContent, "Pen down, 14 across and 16 down.");
});

test("so is the patch that would be picked", async (t) => {
  const { board, paper } = await opened('guess="0.1"');
  t.mock.timers.enable({ apis: ["setTimeout"] });
  keys(paper, "ArrowRight");
  t.mock.timers.tick(1000);
  assert.equal(board.querySelector(".db-board > .hm-unseen").textContent, "Row 5, column 6.");
});

test("where the model errs, the dots are marked and the sentence says so", async () => {
  const { board } = await opened(`sentence="${READY["open ring"]}"`);
  assert.equal(says(board), "Nothing is shut in.");
  board.headMask = maskOf([FILLER], 2, 2);
  assert.match(says(board), /^Nothing is shut in, but with one head off, the model fills \d+ dots\.$/);
  assert.notEqual(pathIn(board, "open"), "");
  press(board, "Ring");
  board.headMask = maskOf([CARRIER], 2, 2);
  assert.equal(says(board), "One place is shut in, but with one head off, the model leaves it empty.");
  assert.equal(pathIn(board, "open"), "");
  assert.notEqual(pathIn(board, "missed"), "");
});

test("the paper shows what the map reads, whoever changed it", async () => {
  const { board } = await opened();
  board.map.sentence = "1_2-3_4";
  assert.equal(pathIn(board, "strokes"), "M1 2L3 4");
  board.setAttribute("sentence", READY.cup); // as a phrase of the page does
  assert.equal(says(board), "Nothing is shut in.");
  board.strokes = [[[0.5, 0.5]]];
  assert.equal(board.map.sentence, "16_16");
});

test("the patch that asks in the map is framed on the paper", async () => {
  const { board } = await opened('sentence="" query="12"');
  const frame = board.querySelector(".db-paper g:has(.db-asks)");
  assert.equal(frame.getAttribute("transform"), "translate(12 4)");
  board.map.query = 0; // [CLS]
  board.map.dispatchEvent(new CustomEvent("ask", { detail: null, bubbles: true }));
  assert.ok(frame.hasAttribute("hidden"));
});

test("what one presses beside the paper is two stops of the Tab key, and arrow keys move within each", async () => {
  const { board } = await opened();
  const buttons = [...board.querySelectorAll('.db-board [role="toolbar"] button')];
  const stops = () => buttons.filter(({ tabIndex }) => tabIndex === 0).map((button) => button.ariaLabel);
  assert.deepEqual(stops(), ["Open ring", "Undo drawing"]);
  buttons[0].focus();
  for (const name of ["Right", "Down", "Left", "Left", "Left", "Right"]) keys(document.activeElement, `Arrow${name}`);
  assert.equal(document.activeElement.ariaLabel, "Ring");
  assert.deepEqual(stops(), ["Ring", "Undo drawing"]);
});

test("a goal isn't judged before the pen is lifted", async () => {
  const { board, paper } = await opened('sentence="" goal="fooled-shut" exercise="shut"');
  assert.equal(says(board), "The paper is empty.");
  assert.equal(task(board), "Shut in a place that the model leaves empty. Not yet: the paper is empty.");
  touch(paper, "down", SQUARE[0]);
  for (const point of SQUARE.slice(1)) touch(paper, "move", point);
  await until(() => says(board) === "One place is shut in.");
  assert.match(task(board), /the paper is empty\.$/);
  touch(paper, "up", [8, 8]);
  assert.match(task(board), /Not yet: the model isn’t fooled/);
  assert.equal(readProgress().shut, undefined);
});

test("a goal that's reached stays so, and is kept as an exercise", async () => {
  const { board } = await opened(`sentence="${READY["open ring"]}" goal="fills-open" exercise="cup"`);
  assert.match(task(board), /Not yet: all heads are on\.$/);
  board.headMask = maskOf([CARRIER], 2, 2);
  assert.match(task(board), /Not yet: without this head, hardly anything is filled\.$/);
  board.headMask = maskOf([FILLER], 2, 2);
  assert.match(task(board), /Done\. Without this head, the model fills what is open\.$/);
  assert.deepEqual(readProgress().cup, { typed: [READY["open ring"]], right: true });
  board.headMask = null;
  assert.match(task(board), /Done\./);
});

test("a guess comes before the heads: a patch that's tapped, or picked by keys, and what became of it", async () => {
  const { board, paper } = await opened(`sentence="${READY["open ring"]}" guess="1.1"`);
  assert.equal(task(board), "The framed patch asks. Tap the patch that head 2 of layer 2 will look at most.");
  assert.ok(board.classList.contains("db-guessing"));
  stroke(paper, [25, 10], [30, 20]);
  assert.equal(board.map.sentence, READY["open ring"]);
  assert.ok(!board.classList.contains("db-guessing"));
  assert.match(task(board), /head 2 of layer 2 looks .*most/);
  assert.equal(board.querySelector(".db-guess").getAttribute("transform"), "translate(24 8)");
  stroke(paper, [4, 4], [9, 4]); // from now on one draws
  assert.equal(board.strokes.length, 2);
  const { board: other, paper: sheet } = await opened('guess="0.1"');
  keys(sheet, "ArrowRight", "Enter");
  assert.equal(other.querySelector(".db-guess").getAttribute("transform"), "translate(20 16)");
});

test("before the model is here, what is drawn stays on the paper", async () => {
  let arrive;
  const here = new Promise((done) => (arrive = () => done(rightModel())));
  const board = await draw('<drawing-board sentence=""></drawing-board>', { drawing: { load: () => here } });
  const paper = board.querySelector(".db-paper");
  paper.setPointerCapture = () => {};
  paper.getBoundingClientRect = () => ({ left: 0, top: 0, width: 320, height: 320 });
  stroke(paper, ...SQUARE);
  assert.equal(pathIn(board, "strokes"), "M8 8L24 8 24 24 8 24 8 8");
  assert.equal(says(board), "Your drawing will be answered once the model has loaded.");
  arrive();
  await board.ready;
  await settled();
  assert.equal(says(board), "One place is shut in.");
});

test("heads that a guess has turned off are on again for the next drawing; a drawing that stands ready begins with all on", async () => {
  const { board, paper } = await opened();
  setFigure(board, { sentence: "ring", off: "1.1" });
  assert.deepEqual([board.map.sentence, board.map.off], [READY.ring, "1.1"]);
  stroke(paper, [1, 1], [5, 5]);
  assert.deepEqual([board.strokes.length, board.map.off], [2, ""]);
  board.headMask = maskOf([FILLER], 2, 2);
  stroke(paper, [6, 1], [9, 5]);
  assert.equal(board.map.off, "1.1", "turned off by hand, it stays for what is drawn");
  press(board, "Open ring");
  assert.deepEqual([board.map.sentence, board.map.off], [READY["open ring"], ""]);
});
