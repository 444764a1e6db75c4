// What a reader does in Firefox, told by JSON: `node firefox.mjs puppeteer-core.js /usr/bin/firefox http://127.0.0.1:1234`.

import { readFileSync } from "node:fs";
import { Learner } from "../../../src/manyheads/web/models/learner.ts";

const [library, executablePath, site] = process.argv.slice(2);
const { default: puppeteer } = await import(library);
const SENTENCE = "The soup was not good.";
const LONGEST = 200_000; // milliseconds; then Firefox is ended, and what waits for it fails
const STEPS = 20; // of a training, at least
const told = { faults: [] };

const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
setTimeout(() => browser.process()?.kill(), LONGEST).unref();
try {
  told.version = await browser.version();
  const page = await browser.newPage();
  await page.setViewport({ width: 1400, height: 900 });
  page.on("console", (message) => message.type() === "error" && told.faults.push(message.text()));
  page.on("pageerror", (error) => told.faults.push(String(error)));

  const within = (figure, selector) => page.locator(`${figure} ::-p-aria(${selector})`);
  // Types, and waits for what is drawn of the last word.
  const type = async (figure, event, text) => {
    const drawn = page.evaluate(
      ([selector, name]) =>
        new Promise((seen) => {
          document
            .querySelector(selector)
            .addEventListener(name, ({ detail }) => (detail.queryTokens ?? detail.tokens).at(-3) === "good" && seen());
        }),
      [figure, event],
    );
    await within(figure, '[name="Sentence"][role="textbox"]').fill(text);
    await drawn;
  };
  const live = (figure) => page.evaluate((selector) => document.querySelector(selector).ready.then(() => {}), figure);

  await page.goto(`${site}/book/coffee-or-tea.html`);
  await live("head-map");
  await type("head-map", "attention", SENTENCE);
  told.typed = await page.evaluate(() => {
    const { queryTokens, weights, predictions } = document.querySelector("head-map").attention;
    return { queryTokens, weights: [...weights], predictions };
  });
  await within("head-map", '[name="Matrix"][role="radio"]').click();
  told.matrices = await page.$$eval("head-map figure table", (tables) => tables.length);
  await within("head-map", '[name="Paint"][role="radio"]').click();
  await within("head-map", '[name="Tools"][role="button"]').click();
  await within("head-map", '[name="Compare"][role="button"]').click();
  await within("head-map", '[name="Compare with"][role="textbox"]').fill("The soup was awful.");
  const awful = () =>
    page.$$eval("head-map td.hm-only", (cells) => cells.filter((cell) => cell.textContent === "awful").length);
  for (const end = Date.now() + 30_000; !told.compared && Date.now() < end;) told.compared = await awful();

  await page.goto(`${site}/book/formula.html`);
  await live("attention-flow");
  await type("attention-flow", "steps", SENTENCE);
  const stations = await within("attention-flow", '[name="Stations"][role="slider"]').waitHandle();
  for (const key of ["End", ...Array(4).fill("ArrowLeft")]) await stations.press(key);
  await page.waitForFunction(() => document.querySelector("attention-flow").station === "softmax");
  await within("attention-flow", '[name="Numbers"][role="button"]').click();
  told.step = await page.$eval("attention-flow .af-question", (title) => title.textContent);
  told.tokens = await page.$eval("attention-flow", (figure) => figure.steps.tokens);

  await page.goto(`${site}/book/real-heads.html`);
  await live('head-map[model="encoder"]');
  await type('head-map[model="encoder"]', "attention", SENTENCE);
  told.encoder = await page.$eval('head-map[model="encoder"]', ({ attention: { queryTokens, shape, weights } }) => ({
    queryTokens,
    shape,
    weights: [...weights],
  }));

  await page.goto(`${site}/book/decoder.html`);
  const answered = (text) =>
    page.waitForFunction((wanted) => document.querySelector("next-word").shown?.text === wanted, {}, text);
  await page.locator("next-word .hm-status button").click();
  await answered("Once upon a time, a little robot lived in a");
  await page.$eval("next-word", (figure) => figure.setAttribute("temperature", 1));
  await within("next-word", '[name="Text so far"][role="textbox"]').fill("🍵🍵🍵🍵");
  await answered("🍵🍵🍵🍵");
  told.next = await page.$eval("next-word", ({ next }) =>
    Object.fromEntries(next.map(({ word, probability }) => [word, probability])),
  );
  await page.$eval('next-word [aria-label="Temperature"]', (slider) => {
    slider.value = 0;
    slider.dispatchEvent(new Event("input"));
  });
  await within("next-word", '[name="Write a word"][role="button"]').click();
  await answered("🍵🍵🍵🍵🍵");
  told.written = await page.$eval("next-word textarea", (box) => box.value);

  await page.goto(`${site}/book/induction.html`);
  await page.waitForFunction(() => Boolean(customElements.get("head-birth")));
  told.losses = await page.evaluate(
    (steps) =>
      new Promise((trained) => {
        const figure = document.querySelector("head-birth");
        const losses = {}; // of the steps that are told: a fast machine leaves some out
        figure.addEventListener("step", () => {
          const { step, loss } = figure.training;
          if (step) losses[step] = loss.second;
          if (step >= steps) trained(losses);
        });
        figure.train();
      }),
    STEPS,
  );
} finally {
  await browser.close();
}
const learner = new Learner(
  JSON.parse(readFileSync(new URL("../../../src/manyheads/shared/training.json", import.meta.url))),
  0,
  {},
);
told.wanted = {};
while (learner.step < Math.max(...Object.keys(told.losses))) {
  learner.learn();
  if (learner.step in told.losses) told.wanted[learner.step] = learner.losses.second;
}
process.stdout.write(JSON.stringify(told));
