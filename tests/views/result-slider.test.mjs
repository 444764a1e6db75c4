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

test("it opens at its start, with a dot a seed and the mean of each series", async () => {
  const figure = await draw(HTML);
  assert.equal(named(figure, "Heads").getAttribute("aria-valuetext"), "2");
  assert.deepEqual(
    [...figure.querySelectorAll(".rs-dots")].map(({ children }) => children.length),
    [3, 2],
  );
  assert.deepEqual(texts(figure, ".rs-row > b"), ["3.00 nats", "−1.50 nats"]);
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
    [named(figure, "Heads").getAttribute("aria-valuetext"), ...texts(figure, ".rs-row > b")],
    ["1", "4.00 nats", "0.00 nats"],
  );
  assert.equal(heard(figure, t.mock.timers), "Heads 1: loss 4.00 nats, change 0.00 nats");
});

test("all dots stand within their strip, the least and the largest at its ends", async () => {
  const figure = await draw(HTML);
  const places = [0, 1, 2].flatMap((step) => {
    type(figure, "Heads", step);
    return [...figure.querySelectorAll(".rs-dots i")].map((dot) => Number(dot.style.getPropertyValue("--x")));
  });
  assert.deepEqual([Math.min(...places), Math.max(...places)], [0, 1]);
});

test("where each step has a single value, it is a bar", async () => {
  const figure = await draw(
    `<result-slider>${baked({ ...RESULTS, series: [{ name: "cost", values: [[1], [2], [4]] }, RESULTS.series[0]] })}</result-slider>`,
  );
  const strips = [...figure.querySelectorAll(".rs-strip")];
  assert.deepEqual(
    strips.map(({ classList }) => classList.contains("rs-bar")),
    [true, false],
  );
  assert.equal(
    strips[0].querySelector(".rs-mean").style.getPropertyValue("--x"),
    "0.4000",
    "of the largest, 5, on the scale of all",
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
