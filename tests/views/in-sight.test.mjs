// What goes on by itself, in a tab that is hidden and seen again.
import assert from "node:assert/strict";
import test from "node:test";
import { inSight } from "../../src/manyheads/web/views/in-sight.ts";
import { moveFilm, still } from "../../src/manyheads/web/views/timeline.ts";
import { hideTab, page } from "./page.mjs";

test("what is due in a hidden tab is done once, when it's seen; unless it was called off", (t) => {
  const done = [];
  t.after(() => hideTab(false));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  inSight(100, () => done.push("seen"));
  t.mock.timers.tick(100);
  inSight(100, () => done.push("hidden"));
  const callOffs = ["due", "to come"].map((name, at) => inSight(100 + 800 * at, () => done.push(name)));
  hideTab();
  t.mock.timers.tick(500);
  assert.deepEqual(done, ["seen"]);
  for (const callOff of callOffs) callOff();
  hideTab(false);
  hideTab();
  hideTab(false);
  t.mock.timers.tick(9000);
  assert.deepEqual(done, ["seen", "hidden"]);
});

test("a film waits while no frame comes, and goes on from where it was", (t) => {
  const frames = [];
  t.mock.method(globalThis, "requestAnimationFrame", (call) => frames.push(call));
  page.still = false;
  let film = { ...still(0), plays: true };
  const follow = moveFilm(
    () => film,
    (at) => {
      film = { ...film, at };
      follow();
    },
    () => 1600, // milliseconds to read a caption
  );
  follow();
  let now = 5000;
  const run = (time) => {
    for (const end = now + time; now < end; now += 100) frames.shift()(now);
  };
  run(1400);
  const { at } = film;
  assert.ok(at > 0.4 && at < 0.6, `half way: ${at}`);
  now += 60_000; // hidden
  run(100);
  assert.ok(film.at > at && film.at < at + 0.15, `from ${at} to ${film.at}`);
  run(1500);
  assert.equal(film.at, 1);
});
