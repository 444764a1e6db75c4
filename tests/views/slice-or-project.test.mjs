// <slice-or-project>: one wide matrix, narrow ones, and an input that is cut: the same queries twice, and a bug.
import assert from "node:assert/strict";
import test from "node:test";
import { choose, drawLive, heard, named, once, rowsOf, texts, tick, type } from "./page.mjs";
import { focusModel, HEADS } from "./small-models.mjs";

const live = (attributes = "", model = focusModel()) =>
  drawLive(`<slice-or-project model="focus" sentence="hot tea or milk" ${attributes}></slice-or-project>`, model);
const differences = (figure) => texts(figure, "tfoot td");
const turn = (figure, way) => tick(figure.querySelector(`input[value="${way}"]`));
const row = (figure, head) => rowsOf(figure, "tbody tr")[head];

test("wide and narrow give the same queries, and a cut input does not", async () => {
  const figure = await live('word="2"');
  const { wide, narrow, sliced } = figure.projections;
  assert.deepEqual(
    [wide.shape, narrow.shape, sliced.shape],
    [
      [3, 2],
      [3, 2],
      [3, 2],
    ],
  );
  wide.values.forEach((value, at) => assert.ok(Math.abs(value - narrow.values[at]) < 1e-5));
  assert.equal(differences(figure)[0], "under 0.000001");
  assert.match(differences(figure)[1], /^\d+\.\d\d$/);
  HEADS.forEach((name, head) => {
    const [shown, first, second, third] = row(figure, head);
    assert.deepEqual([shown, second], [name, first]);
    assert.notEqual(third, first);
  });
});

test("a turn of the switch says what each head reads, and leaves the numbers", async () => {
  const figure = await live();
  const before = row(figure, 1);
  const says = ["wide", "narrow", "sliced"].map((way) => {
    turn(figure, way);
    const stage = figure.querySelector(".sp-stage");
    assert.deepEqual([stage.dataset.way, stage.getAttribute("aria-label")], [way, texts(figure, ".sp-says")[0]]);
    assert.deepEqual(row(figure, 1), before);
    return texts(figure, ".sp-says")[0];
  });
  assert.deepEqual(
    says.map((text) => text.split(".")[0]),
    [
      "One matrix of 6 × 6 makes 6 numbers of the word’s 6",
      "Each head has its own matrix of 6 × 2, and reads all 6 numbers of the word",
      "Each head gets only 2 of the word’s 6 numbers",
    ],
  );
});

test("another word and another sentence make other queries, and the page is told", async () => {
  const figure = await live();
  const told = once(document, "projections");
  choose(figure, "Asked by", 2);
  assert.equal(await told, figure.projections);
  assert.match(texts(figure, "table caption")[0], /^The query of “tea”/);
  type(figure, "Sentence", "milk");
  assert.equal(named(figure, "Asked by").value, "2", "the last of three");
  assert.match(texts(figure, "table caption")[0], /^The query of “\[SEP\]”/);
  type(figure, "Sentence", "");
  assert.equal(figure.projections.tokens.length, 2);
});

test("what a turn came to is said once", async (t) => {
  const figure = await live();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  turn(figure, "sliced");
  assert.match(
    heard(figure, t.mock.timers),
    /^Each head gets only 2 .*Narrow ones: under 0\.000001 from one wide matrix\. Cut the input: a bug: \d+\.\d\d from one wide matrix\.$/,
  );
});
