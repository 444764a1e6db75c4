// <head-ledger>: what each head adds to the logit of an answer, and from which word it came.
import assert from "node:assert/strict";
import test from "node:test";
import { Beams } from "../../src/manyheads/web/figures/head-ledger/beams.ts";
import { baked, choose, draw, drawLive, heard, named, once, rowsOf, status, texts, type, until } from "./page.mjs";
import { focusModel, HEADS, tokensOf } from "./small-models.mjs";

const live = (attributes = "", model = focusModel()) =>
  drawLive(`<head-ledger model="focus" sentence="hot tea or milk" ${attributes}></head-ledger>`, model);

const number = (text) => Number(text.replace("−", "-"));
const rows = (figure, kind) => rowsOf(figure, `.hl-${kind} tbody tr`);
const off = (figure) => texts(figure, '.hl-parts button:not([hidden])[aria-pressed="false"]');
const of = (figure, name) => rows(figure, "parts").find(([part]) => part === name);
const near = (one, other, by = 0.02) => assert.ok(Math.abs(one - other) <= by, `${one} is not ${other}`);

test("parts that are shown add up to the logit that is shown, the largest first and the biases last", async () => {
  const figure = await live();
  const parts = rows(figure, "parts");
  assert.deepEqual([parts.length, parts.at(-2)[0], parts.at(-1)[0]], [5, "biases", "logit"]);
  const values = parts.map((row) => number(row[2]));
  near(
    values.slice(0, 4).reduce((a, b) => a + b),
    values[4],
    1e-9,
  );
  assert.deepEqual(
    values.slice(0, 3).map(Math.abs),
    values
      .slice(0, 3)
      .map(Math.abs)
      .sort((a, b) => b - a),
  );
  assert.match(
    texts(figure, ".hl-sum")[0],
    /^The heads write [+−]\d.* for “(tea|coffee|none)”, the biases [+−].*: its logit is/,
  );
});

test("what a head's words add is what the head adds", async () => {
  const figure = await live();
  for (const head of HEADS) {
    choose(figure, "Head", String(HEADS.indexOf(head)));
    const words = rows(figure, "words");
    assert.deepEqual(
      words.map(([word]) => word),
      tokensOf("hot tea or milk"),
    );
    const whole = number(of(figure, head)[2]);
    near(
      words.reduce((sum, row) => sum + number(row[3]), 0),
      whole,
      1e-9,
    );
    assert.equal(texts(figure, ".hl-words caption")[0], `Where the head “${head}” looks, and what it then writes`);
  }
});

test("what its absence does to the logit stands beside what it adds", async () => {
  const figure = await live();
  assert.deepEqual(
    rows(figure, "parts").map((row) => row[4] !== ""),
    [true, true, true, false, false],
  );
});

test("a head that is switched off writes nothing, what is left adds up, and its row stays where it was", async () => {
  const figure = await live('answer="kind"');
  const before = rows(figure, "parts");
  const [[head, , , , absence]] = before;
  const answer = named(figure, "Answer").value;
  named(figure, head).click();
  assert.deepEqual(off(figure), [head]);
  const after = rows(figure, "parts");
  assert.deepEqual(
    after.map(([name]) => name),
    before.map(([name]) => name),
  );
  assert.deepEqual([after[0][2], after[0][4]], ["0.00", ""]);
  const names = figure.matrices.labels.map((pair) => pair.join(": "));
  const logit = figure.ledger(...answer.split(": ")).logit;
  near(logit, number(before.at(-1)[2]) + number(absence));
  assert.equal(
    named(figure, "Answer").value,
    names
      .slice(0, 3)
      .sort((one, other) => figure.ledger(...other.split(": ")).logit - figure.ledger(...one.split(": ")).logit)[0],
  );
  assert.equal(
    texts(figure, ".hl-words caption")[0],
    `Where the head “${head}” looks, though it’s off and writes nothing`,
  );
  assert.deepEqual(
    rows(figure, "words").map((row) => row.slice(3)),
    rows(figure, "words").map(() => ["0.00", ""]),
  );
  named(figure, head).click();
  assert.deepEqual(rows(figure, "parts"), before);
});

test("while a large model is only offered, numbers that don't answer to the switches are greyed", async () => {
  const ledger = (await live()).matrices;
  const figure = await draw(`<head-ledger model="decoder" sentence="hot tea or milk">${baked(ledger)}</head-ledger>`, {
    decoder: { load: () => focusModel(), missingBytes: async () => 97e6 },
  });
  const isGrey = () => figure.querySelector(".hl-tables").classList.contains("hm-stale");
  named(figure, "mood").click();
  await until(isGrey);
  named(figure, "mood").click();
  await until(() => !isGrey());
});

test("an attribute turns heads off, those that the model has", async () => {
  const figure = await live('off="1.1 1.2 7.7"');
  assert.deepEqual(off(figure).sort(), HEADS.slice(1).sort());
  assert.deepEqual(
    figure.ledger().heads.map(({ value }) => value !== 0),
    [true, false, false],
  );
  figure.setAttribute("off", "");
  assert.deepEqual(off(figure), []);
});

test("an answer that was chosen stays; a fact follows the sentence to its likeliest label", async () => {
  const ledger = focusModel();
  const { ledger: parts } = ledger;
  ledger.ledger = (concat) => {
    const made = parts.call(ledger, concat);
    made.parts.values[4 * 5 + 4] = ledger.bad; // the logit of the last label
    return made;
  };
  const figure = await live('answer="mood"', ledger);
  for (const [bad, likeliest] of [
    [99, "mood: bad"],
    [-99, "mood: good"],
  ]) {
    ledger.bad = bad;
    type(figure, "Sentence", `hot tea ${bad}`);
    assert.equal(named(figure, "Answer").value, likeliest);
  }
  choose(figure, "Answer", "kind: none");
  type(figure, "Sentence", "hot tea");
  assert.equal(named(figure, "Answer").value, "kind: none");
});

test("another script reads what adds up to a logit", async () => {
  const figure = await live();
  const told = once(document, "ledger");
  figure.sentence = "cold milk";
  assert.equal(await told, figure.matrices);
  for (const wanted of [["kind", "coffee"], ["mood", ""], []]) {
    const { heads, rest, logit } = figure.ledger(...wanted);
    assert.deepEqual(
      heads.map(({ layer, head }) => [layer, head]),
      [
        [1, 0],
        [1, 1],
        [1, 2],
      ],
    );
    near(
      heads.reduce((sum, { value }) => sum + value, rest),
      logit,
      1e-4,
    );
  }
  assert.equal(figure.ledger("kind", "teapot"), null);
});

test("without a word there is nothing to take apart, and it says so", async () => {
  const figure = await live();
  type(figure, "Sentence", "");
  assert.match(status(figure), /Type a sentence: without a word there is nothing to conclude from\.$/);
  assert.ok(figure.querySelector(".hl-tables").hidden && figure.querySelector(".hl-sum").hidden);
  type(figure, "Sentence", "tea");
  assert.ok(!figure.querySelector(".hl-tables").hidden);
  assert.equal(status(figure), "Ready: computed in your browser as you type.");
});

test("of many parts ten have a row, and the rest are summed", async () => {
  const names = Array.from({ length: 12 }, (_, at) => `head ${at}`);
  const values = names.map((_, at) => at + 1);
  const ledger = {
    tokens: ["tea"],
    headNames: names,
    numHeads: 6,
    labels: [["next word", " tea"]],
    answered: true,
    others: ["embeddings", "biases"],
    parts: { shape: [1, 15], values: [...values, 0.5, 0.25, 78.75] },
    without: { shape: [1, 12], values: Array(12).fill(1) },
    weights: { shape: [12, 1], values: Array(12).fill(1) },
    says: { shape: [12, 1, 1], values: values },
  };
  const figure = await draw(`<head-ledger>${baked(ledger)}</head-ledger>`);
  const parts = rows(figure, "parts");
  assert.deepEqual(parts.map(([name]) => name).slice(9), ["head 2", "4 other parts", "logit"]);
  near(
    parts.slice(0, -1).reduce((sum, row) => sum + number(row[2]), 0),
    78.75,
    1e-9,
  );
  assert.match(texts(figure, ".hl-sum")[0], /for “tea”, all else \+0\.75/);
  figure.setAttribute("off", "0.0");
  assert.deepEqual(
    rows(figure, "parts")
      .slice(9)
      .map(([name]) => name),
    ["head 2", "4 other parts", "logit"],
    "the rows stay",
  );
  choose(figure, "Head", "5");
  assert.deepEqual(
    rows(figure, "parts")
      .slice(9)
      .map(([name]) => name),
    ["head 2", "head 0", "3 other parts", "logit"],
    "one that is off has a row",
  );
});

test("what a choice came to is said once", async (t) => {
  const figure = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  choose(figure, "Answer", "mood: bad");
  assert.match(
    heard(figure, t.mock.timers),
    /^mood: bad\. (kind|mood|rest) adds [+−]?\d.*biases adds [+−]?\d+\.\d\d\.$/,
  );
});

test("with another answer, it jumps to the head that writes most for it", async () => {
  const figure = await live('head="0"');
  for (const [label, answer] of figure.matrices.labels.entries()) {
    choose(figure, "Head", "2");
    choose(figure, "Answer", answer.join(": "));
    const {
      shape: [, width],
      values,
    } = figure.matrices.parts;
    const parts = [...values.subarray(label * width, label * width + HEADS.length)].map(Math.abs);
    assert.equal(Number(named(figure, "Head").value), parts.indexOf(Math.max(...parts)));
  }
});

/** What a beam is thick where it begins and where it ends, in percent of the height of all. */
function thickness(beam, name = "--beam") {
  const corners = beam.style
    .getPropertyValue(name)
    .match(/polygon\((.*)\)/)[1]
    .split(", ")
    .map((corner) => corner.split(" ").map(parseFloat));
  return [
    [0, -1],
    [corners.length / 2 - 1, corners.length / 2],
  ].map((pair) => corners.at(pair[1])[1] - corners.at(pair[0])[1]);
}

test("each beam comes in as thick as its weight and leaves as thick as what it adds, on one scale for all answers and heads", async () => {
  const figure = await live();
  const scales = new Set();
  for (const answer of figure.matrices.labels)
    for (const head of [0, 1, 2]) {
      choose(figure, "Answer", answer.join(": "));
      choose(figure, "Head", String(head));
      const [comes, goes] = [...figure.querySelectorAll(".hl-beams > div")].map(({ children }) => [...children]);
      rows(figure, "words").forEach(([word, weight, , adds], key) => {
        const [begins, ends] = thickness(comes[key]);
        near(begins, ends, 0.05);
        near(
          begins,
          ((parseFloat(weight) / 100) * thickness(comes[0])[0]) / (parseFloat(rows(figure, "words")[0][1]) / 100),
          0.7,
        );
        const [, thick] = thickness(goes[key]);
        if (Math.abs(number(adds)) > 0.1) scales.add(Math.round((10 * thick) / Math.abs(number(adds))));
        assert.equal(goes[key].classList.contains("hl-minus"), number(adds) < 0, word);
        near(thickness(goes[key], "--start")[1], thick, 0.05);
      });
    }
  assert.ok(Math.max(...scales) - Math.min(...scales) <= 2, `several scales: ${[...scales]}`);
});

test("where it asks first, what words write is covered until one is pressed; then it says what came of it", async () => {
  const figure = await live('answer="mood: good" guess');
  const isCovered = () => figure.querySelector(".hl-covered") !== null;
  const asks = () => texts(figure, ".hl-sum > .gs-question")[0];
  const says = (it = figure) => texts(it, ".hl-sum > .gs-question + span")[0];
  assert.match(asks(), /^Which of these words makes the head “.*” write for “good”\?$/);
  assert.ok(isCovered());
  const written = rows(figure, "words").map((row) => row[3]);
  const best = written.map(number).indexOf(Math.max(...written.map(number)));
  const [word] = rows(figure, "words")[best];
  figure.querySelectorAll(".hl-words tbody button")[best].click();
  assert.deepEqual([isCovered(), says()], [false, `Right: “${word}” writes ${written[best]}.`]);
  choose(figure, "Answer", "mood: bad");
  assert.deepEqual([asks(), says().startsWith("The heads write")], ["", true]);
  choose(figure, "Answer", "mood: good");
  assert.match(says(), /^Right: /, "what was guessed stands where it was asked");
  const other = await live('answer="mood: good" guess');
  choose(other, "Answer", "mood: bad");
  assert.ok(!other.querySelector(".hl-covered"), "what isn’t asked isn’t covered");
  choose(other, "Answer", "mood: good");
  assert.ok(other.querySelector(".hl-covered"), "looking elsewhere takes no guess away");
  named(other, "just show me").click();
  assert.equal(says(other), `“${word}” writes ${written[best]}.`);
  assert.ok(!(await live()).querySelector(".hl-covered"), "elsewhere nothing is covered");
});

test("a key whose ledger comes at once is drawn once", async (t) => {
  const figure = await live();
  let told = 0;
  figure.addEventListener("ledger", () => told++);
  const drawn = t.mock.method(Beams.prototype, "draw");
  type(figure, "Sentence", "milk");
  assert.deepEqual([drawn.mock.callCount(), told], [1, 1]);
});
