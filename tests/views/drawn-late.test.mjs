// Figures that the build has drawn: far out of sight they stay as it drew them, until somebody needs them.
import assert from "node:assert/strict";
import test from "node:test";
import { baked, draw, follow, isHere, media, scrollTo, settled, texts, until } from "./page.mjs";
import { makeMap, mapModel } from "./small-models.mjs";

const SENTENCE = "hot tea";

/** A map that the build has drawn, out of sight or in view. */
const built = (seen = false, hash = "") =>
  draw(
    `<head-map id="map" model="focus" sentence="${SENTENCE}" class="head-map"><p><button aria-label="Undo">as it was built</button></p>${baked(makeMap())}</head-map>`,
    { focus: isHere(mapModel()) },
    hash,
    seen,
  );
const isDrawn = (map) => texts(map, "td[data-weight]").length > 0 && !/as it was built/.test(map.textContent);

test("in view it's drawn, out of sight it stays as it was built until it comes", async () => {
  const near = await built(true);
  await until(() => isDrawn(near));
  const far = await built();
  for (let turn = 0; turn < 5; turn++) await settled();
  assert.ok(!isDrawn(far));
  scrollTo(true);
  await until(() => isDrawn(far));
});

for (const [what, does] of Object.entries({
  "sets an attribute": (map) => map.setAttribute("view", "matrix"),
  "sets a property": (map) => (map.query = 1),
  "reads what it shows": (map) => map.attention,
  "asks whether it's ready": (map) => map.ready,
  "types into it": (map) => map.type("cold tea"),
  "follows a link": () => follow("#map=1&sentence=cold+tea"),
  prints: () => media.print.dispatchEvent(new Event("change")),
  "puts the focus into it": (map) => map.querySelector("button").dispatchEvent(new Event("focusin", { bubbles: true })),
}))
  test(`whoever ${what} has it drawn`, async () => {
    const map = await built();
    assert.ok(!isDrawn(map));
    does(map);
    assert.ok(isDrawn(map));
  });

test("a control that was reached by Tab keeps the focus, by its label or by its text", async () => {
  for (const control of ['<button aria-label="Undo">as it was built</button>', "<button>Compare</button>"]) {
    const map = await draw(
      `<head-map model="focus" sentence="${SENTENCE}" class="head-map"><p>as it was built ${control}</p>${baked(makeMap())}</head-map>`,
      { focus: isHere(mapModel()) },
      "",
      false,
    );
    const before = map.querySelector("button");
    before.focus();
    before.dispatchEvent(new Event("focusin", { bubbles: true }));
    assert.ok(isDrawn(map));
    assert.notEqual(document.activeElement, before);
    const after = document.activeElement;
    assert.equal(
      after.getAttribute("aria-label") ?? after.textContent,
      before.getAttribute("aria-label") ?? before.textContent,
    );
  }
});

test("a sentence that is set while it stands as it was built is computed", async () => {
  const map = await built();
  map.sentence = "cold tea";
  await until(() => map.attention.keyTokens[1] === "cold");
});

test("a page that is opened by a link draws all its maps, and so does one whose map nobody built", async () => {
  assert.ok(isDrawn(await built(false, "#map=1&sentence=hot+tea")));
  const map = await draw(
    `<head-map model="focus" sentence="${SENTENCE}"><p>as it was built</p>${baked(makeMap())}</head-map>`,
    { focus: isHere(mapModel()) },
    "",
    false,
  );
  assert.ok(isDrawn(map));
});

test("removed while it stands as it was built, and put back, it is drawn when it comes", async () => {
  const map = await built();
  const parent = map.parentElement;
  map.remove();
  await settled();
  parent.append(map);
  assert.ok(!isDrawn(map));
  scrollTo(true);
  await until(() => isDrawn(map));
});
