// <result-slider>: what an experiment found at each step, a dot a seed and their mean.
import assert from "node:assert/strict";
import test from "node:test";
import { baked, draw, heard, named, once, texts, type } from "./page.mjs";
import { HOSTILE } from "./small-models.mjs";

const RESULTS = {
  name: "Heads",
  steps: ["1", "2", "4"],
  unit: "nats",
  digits: 2,
  start: 1,
  series: [
    {
      name: "loss",
      values: [
        [3, 5],
        [2, 4, 3],
        [1, 1],
      ],
    },
    {
      name: "change",
      values: [
        [0, 0],
        [-2, -1],
        [-1, -1],
      ],
    },
  ],
};
const HTML = `<result-slider>${baked(RESULTS)}</result-slider>`;

const numbers = (figure) => texts(figure, "figcaption b");

test("it opens at its start, with all steps: a dot a seed and the mean", async () => {
  const figure = await draw(HTML);
  assert.equal(named(figure, "Heads").getAttribute("aria-valuetext"), "2");
  const columns = [...figure.querySelectorAll(".rs-column")];
  assert.deepEqual(
    columns.map((column) => column.querySelectorAll(".rs-dot").length),
    [2, 3, 2, 2, 2, 2],
  );
  assert.deepEqual(
    columns.map(({ classList }) => classList.contains("rs-at")),
    [false, true, false, false, true, false],
  );
  assert.deepEqual(numbers(figure), ["3.00\u00a0nats", "−1.50\u00a0nats"]);
});

test("its axis has round values, holds all others, and names its unit once", async () => {
  const figure = await draw(HTML);
  const axis = texts(figure, ".rs-axis")[0];
  assert.equal(axis, "−2024\u00a06\u00a0nats".replace("\u00a06", "6"));
  const at = ({ style }) => Number(style.getPropertyValue("--at"));
  const places = [...figure.querySelectorAll(".rs-dot, .rs-mean")].map(at);
  assert.ok(Math.min(...places) === 0 && Math.max(...places) < 1);
});

test("a move of the slider is seen, told to the page, and heard once", async (t) => {
  const figure = await draw(HTML);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told = once(document, "results");
  type(figure, "Heads", 0);
  assert.deepEqual(await told, {
    step: "1",
    values: [
      [3, 5],
      [0, 0],
    ],
  });
  assert.deepEqual(
    [named(figure, "Heads").getAttribute("aria-valuetext"), ...numbers(figure)],
    ["1", "4.00\u00a0nats", "0.00\u00a0nats"],
  );
  assert.equal(heard(figure, t.mock.timers), "Heads 1: loss 4.00\u00a0nats, change 0.00\u00a0nats");
});

test("a column is pressed, and an attribute names a step", async () => {
  const figure = await draw(HTML);
  figure.querySelectorAll(".rs-column")[2].click();
  assert.equal(numbers(figure)[0], "1.00\u00a0nats");
  figure.setAttribute("at", "1");
  assert.equal(numbers(figure)[0], "4.00\u00a0nats");
  figure.setAttribute("at", "3");
  assert.equal(numbers(figure)[0], "4.00\u00a0nats", "there is no such step");
});

test("where each step has a single value, it is a bar", async () => {
  const series = [{ name: "cost", values: [[1], [2], [5]] }];
  const figure = await draw(`<result-slider>${baked({ ...RESULTS, series })}</result-slider>`);
  const bar = figure.querySelector(".rs-strip i");
  assert.deepEqual(
    [bar.style.getPropertyValue("--share"), figure.querySelectorAll(".rs-column").length],
    ["0.3333", 0],
  );
});

test("names that look like HTML are text", async () => {
  const figure = await draw(
    `<result-slider>${baked({ ...RESULTS, name: HOSTILE, steps: [HOSTILE, "2", "4"], series: [{ name: HOSTILE, values: [[1], [2], [3]] }], unit: HOSTILE })}</result-slider>`,
  );
  type(figure, HOSTILE, 0);
  assert.equal(figure.querySelectorAll("img").length, 0);
  assert.ok(figure.textContent.includes(HOSTILE));
});
