// <field-exercise>: answers are checked, kept in this browser, shown on a map, and forgotten.
import assert from "node:assert/strict";
import test from "node:test";
import { baked, draw, isHere, named, once, press, same, texts, tick } from "./page.mjs";
import { HOSTILE, mapModel } from "./small-models.mjs";

const FIELDS = [
  { kind: "shape", label: "The shape of `Q`?", answer: "5 × 8", hints: { "8 × 5": "A row a word, *not* a column." } },
  { kind: "number", label: "The share?", answer: "0.25", hints: {}, right: "A quarter." },
  { kind: "word", label: "Who?", answer: "tea", hints: {}, hint: "It is a drink." },
  { kind: "choice", label: "Which?", answer: "`[CLS]`", hints: { tea: "That's a word." }, options: ["`[CLS]`", "tea"] },
  {
    kind: "query",
    label: "A query?",
    answer: "2, 0",
    hints: {},
    keys: [
      [2, 0],
      [0, 2],
    ],
    words: ["tea", "milk"],
    target: "tea",
    share: 0.9,
  },
];
const RIGHT = ["5 x 8", "1/4", "“Tea”.", 0, "3, 0"];
const HTML = `<field-exercise exercise="drinks" map="it" sentence="hot tea now">${baked(FIELDS)}</field-exercise>`;

const rows = (exercise) => [...exercise.querySelectorAll(".fe-field")];
const replies = (exercise) => texts(exercise, ".fe-reply");
const verdicts = (exercise) => rows(exercise).map(({ dataset }) => dataset.verdict);

function answer(exercise, answers) {
  rows(exercise).forEach((row, at) => {
    if (typeof answers[at] === "number") tick(row.querySelectorAll("input")[answers[at]]);
    else if (answers[at] !== undefined) row.querySelector("input").value = answers[at];
  });
  const told = once(exercise, "answer");
  exercise.querySelector("form").requestSubmit();
  return told;
}

test("right answers are told so, however they are written", async () => {
  const exercise = await draw(HTML);
  assert.deepEqual(await answer(exercise, RIGHT), { exercise: "drinks", right: true });
  assert.deepEqual(replies(exercise), ["Right.", "Right. A quarter.", "Right.", "Right.", "Right."]);
  assert.deepEqual(new Set(verdicts(exercise)), new Set(["right"]));
});

test("a wrong answer gets its own hint, and its box says that it is wrong to those who listen", async () => {
  const exercise = await draw(HTML);
  assert.deepEqual(await answer(exercise, ["8 × 5", "25", "coffee", 1, "0, 3"]), { exercise: "drinks", right: false });
  const [shape, number, word, choice, query] = replies(exercise);
  assert.equal(shape, "Not yet. A row a word, not a column.");
  assert.match(number, /^Not yet\. That looks like percent\./);
  assert.deepEqual([word, choice], ["Not yet. It is a drink.", "Not yet. That's a word."]);
  assert.match(query, /^Not yet\. .*tea \d+%, milk \d+%/);
  assert.deepEqual(
    verdicts(exercise),
    FIELDS.map(() => "wrong"),
  );
  assert.ok([...exercise.querySelectorAll("input")].every((input) => input.getAttribute("aria-invalid") === "true"));
});

test("an empty field is asked for, and no verdict of others waits for it", async () => {
  const exercise = await draw(HTML);
  await answer(exercise, [RIGHT[0]]);
  assert.deepEqual(replies(exercise), [
    "Right.",
    ...Array(2).fill("Not yet. Nothing is typed yet."),
    "Not yet. Choose one.",
    "Not yet. Nothing is typed yet.",
  ]);
});

test("every field has its question for a name, and its reply beside it", async () => {
  const exercise = await draw(HTML);
  for (const [at, row] of rows(exercise).entries()) {
    const [input] = row.querySelectorAll("input");
    const name =
      row.localName === "fieldset" ? row.querySelector("legend") : row.querySelector(`label[for="${input.id}"]`);
    assert.equal(name.textContent, FIELDS[at].label.replaceAll("`", ""));
    assert.equal(document.getElementById(input.getAttribute("aria-describedby")).getAttribute("role"), "status");
  }
  assert.equal(
    new Set([...exercise.querySelectorAll("[id]")].map(({ id }) => id)).size,
    exercise.querySelectorAll("[id]").length,
  );
});

test("answers are there on the next visit, and gone once started over", async () => {
  const exercise = await draw(HTML);
  await answer(exercise, RIGHT);
  const again = () => {
    document.querySelector("field-exercise").remove();
    const parsed = document.createElement("template");
    parsed.innerHTML = HTML;
    return document.body.appendChild(document.importNode(parsed.content.firstElementChild, true));
  };
  const later = again();
  assert.equal(rows(later)[2].querySelector("input").value, "“Tea”.");
  assert.ok(rows(later)[3].querySelector("input").checked);
  assert.deepEqual(new Set(verdicts(later)), new Set(["right"]));
  press(later, "Start over");
  assert.deepEqual([rows(later)[0].querySelector("input").value, replies(later)[0], verdicts(later)[0]], ["", "", ""]);
  assert.equal(replies(again()).join(""), "");
});

test("answers to other fields than it has now are forgotten", async () => {
  const exercise = await draw(HTML);
  await answer(exercise, RIGHT);
  const parsed = document.createElement("template");
  parsed.innerHTML = `<field-exercise exercise="drinks">${baked(FIELDS.slice(1))}</field-exercise>`;
  exercise.replaceWith(document.importNode(parsed.content.firstElementChild, true));
  assert.equal(replies(document).join(""), "");
});

test("a browser that keeps nothing, or something else, checks all the same", async () => {
  const exercise = await draw(HTML);
  const { localStorage: kept } = globalThis;
  globalThis.localStorage = {
    getItem: () => "no JSON",
    setItem() {
      throw new Error("full");
    },
  };
  try {
    assert.equal((await answer(exercise, RIGHT)).right, true);
    press(exercise, "Start over");
  } finally {
    globalThis.localStorage = kept;
  }
});

test("what was answered is shown on its map once it's checked", async () => {
  const exercise = await draw(`${HTML}<head-map id="it" model="focus" sentence="cold"></head-map>`, {
    focus: isHere(mapModel()),
  });
  const show = named(exercise, "Show it on the map");
  assert.ok(show.hidden);
  await answer(exercise, ["?"]);
  assert.ok(!show.hidden);
  show.click();
  const map = document.querySelector("head-map");
  assert.equal(map.sentence, "hot tea now");
  same(document.activeElement, named(map, "Sentence"));
});

test("questions, hints and answers that look like HTML are text", async () => {
  const fields = [
    { kind: "word", label: `${HOSTILE} \`${HOSTILE}\``, answer: "tea", hints: {}, hint: `*${HOSTILE}*` },
    { kind: "choice", label: "Which?", answer: HOSTILE, hints: {}, options: [HOSTILE, "tea"] },
  ];
  const exercise = await draw(`<field-exercise exercise="x">${baked(fields)}</field-exercise>`);
  await answer(exercise, [HOSTILE, 0]);
  assert.equal(exercise.querySelectorAll("img").length, 0);
  assert.deepEqual(replies(exercise), [`Not yet. ${HOSTILE}`, "Right."]);
  assert.deepEqual(texts(exercise, "em, legend + label code"), [HOSTILE]);
});
