// A question before a figure answers it, and <figure-guess>, which asks one above another figure.
import assert from "node:assert/strict";
import test from "node:test";
import { setFigure } from "../../src/manyheads/web/doors/phrases.ts";
import { OPEN, markOf, press as guess, tell, verdictOn } from "../../src/manyheads/web/views/guess.ts";
import { baked, draw, drawLive, isIdle, press, same, texts, type, until } from "./page.mjs";
import { HOSTILE, mapModel, slowModel } from "./small-models.mjs";

const ASKED = { question: "Which *word*?", answers: ["*tea*", "no"], right: 1, says: "It’s `0`." };

test("the first press counts, and is answered only after it", () => {
  assert.equal(tell(OPEN), OPEN, "who hasn’t guessed may still guess");
  const pressed = guess(OPEN, 0);
  assert.equal(guess(pressed, 1), pressed);
  assert.deepEqual(guess(tell(pressed), 1), { stage: "shown", pressed: 0 });
});

test("a guess is marked, and said in words", () => {
  const marks = (at) => [0, 1].map((answer) => markOf(at, 1, answer));
  const shown = (pressed) => tell(guess(OPEN, pressed));
  for (const [at, marked, words] of [
    [OPEN, ["", ""], ""],
    [guess(OPEN, 0), ["yours", ""], "Your guess: *tea*."],
    [shown(0), ["wrong", "right"], "Not so: no. It’s `0`."],
    [shown(1), ["", "right"], "Right: no. It’s `0`."],
    [shown(null), ["", "right"], "No. It’s `0`."],
  ])
    assert.deepEqual([marks(at), verdictOn(ASKED, at)], [marked, words]);
});

test("who was wrong reads why, and nobody else", () => {
  const question = { ...ASKED, why: ["Tea has no zero.", ""] };
  const verdicts = [0, 1, null].map((pressed) => verdictOn(question, tell(guess(OPEN, pressed))));
  assert.deepEqual(verdicts, ["Not so: no. Tea has no zero. It’s `0`.", "Right: no. It’s `0`.", "No. It’s `0`."]);
});

const html = (sets, question = ASKED, more = "") =>
  `<figure-guess for="map">${baked({ ...question, sets })}</figure-guess><head-map id="map" model="focus" sentence="hot tea" ${more}></head-map>`;
const labels = (figure) =>
  [...figure.querySelectorAll(".gs-answers button")].map((button) => button.getAttribute("aria-label"));
const verdict = (figure) => texts(figure, ".gs-verdict")[0];

for (const [how, make] of [
  ["at once", mapModel],
  ["later", slowModel],
])
  test(`a press sets the figure, and what it shows then answers, where its model answers ${how}`, async () => {
    const figure = await drawLive(html({ sentence: "cold milk" }), make());
    const map = document.querySelector("head-map");
    await map.ready;
    const shown = [];
    map.addEventListener("attention", () => shown.push(verdict(figure)));
    press(figure, "tea");
    assert.equal(map.sentence, "cold milk");
    await until(() => shown.length);
    assert.equal(shown[0], "Your guess: tea.", "not before the figure");
    assert.deepEqual(labels(figure), ["tea, your guess, wrong", "no, right"]);
    assert.equal(verdict(figure), "Not so: no. It’s 0.");
    map.type("other words");
    press(figure, "no, right");
    assert.deepEqual(
      [verdict(figure), map.sentence, isIdle(figure, "no, right")],
      ["Not so: no. It’s 0.", "other words", true],
    );
  });

test("looking and typing before a guess takes nothing away", async () => {
  const figure = await drawLive(html({ sentence: "cold milk" }), mapModel());
  document.querySelector("head-map").type("other words");
  assert.deepEqual([verdict(figure), labels(figure)], ["", ["tea", "no"]]);
  press(figure, "no");
  await until(() => verdict(figure) === "Right: no. It’s 0.");
});

for (const [how, use] of [
  ["types", () => type(document.querySelector("head-map"), "Sentence", "other words")],
  ["presses", () => press(document.querySelector("head-map"), "Matrix")],
  ["sets it from the text", () => setFigure(document.querySelector("head-map"), { sentence: "other words" })],
])
  test(`who ${how} before a guess sees what was covered, and may still guess`, async () => {
    const figure = await drawLive(
      html({ sentence: "cold milk" }).replace("<figure-guess", "<figure-guess covers"),
      mapModel(),
    );
    use();
    await until(() => figure.classList.contains("gs-told"));
    assert.deepEqual([verdict(figure), labels(figure)], ["", ["tea", "no"]]);
    press(figure, "no");
    await until(() => verdict(figure) === "Right: no. It’s 0.");
  });

test("who wants to be shown is shown; the focus goes where the answer stands", async () => {
  const figure = await drawLive(html({ off: "0.1" }), mapModel());
  press(figure, "just show me");
  same(document.activeElement, figure.querySelector(".gs-verdict"));
  await until(() => verdict(figure) === "No. It’s 0.");
  assert.ok(figure.querySelector(".gs-way").hidden);
});

test("a figure that never answers leaves no guess without its answer", async (t) => {
  const figure = await draw(html({ sentence: "cold milk" }).replace("<head-map", "<p").replace("</head-map>", "</p>"));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  press(figure, "tea");
  assert.equal(verdict(figure), "Your guess: tea.");
  t.mock.timers.tick(8000);
  assert.equal(verdict(figure), "Not so: no. It’s 0.");
});

test("where nothing is set the answer comes at once, and what was covered is so no more", async () => {
  const figure = await draw(`<figure-guess covers>${baked({ ...ASKED, sets: {} })}</figure-guess>`);
  assert.ok(!figure.classList.contains("gs-told"));
  press(figure, "no");
  assert.deepEqual([verdict(figure), figure.classList.contains("gs-told")], ["Right: no. It’s 0.", true]);
});

test("before it’s guessed the answer stands in its place, unseen; texts that look like HTML are text", async () => {
  const figure = await draw(html({}, { question: HOSTILE, answers: [HOSTILE, "b"], right: 0, says: HOSTILE }));
  assert.match(texts(figure, ".gs-room.gs-known")[0], /^Answer: /);
  assert.equal(figure.querySelectorAll("img").length, 0);
  press(figure, HOSTILE);
  assert.ok(verdict(figure).includes(HOSTILE));
});
