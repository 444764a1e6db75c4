// embed.html: what its address sets is shown, and what of it is wrong is said above the map.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, isHere, settled, texts } from "./page.mjs";
import { mapModel } from "./small-models.mjs";

globalThis.parent = undefined; // as `self` is here: the page stands in no frame

/** Opens the page with some settings; gives what it says is wrong. */
async function complaints(settings) {
  await draw('<head-map model="focus"></head-map>', { focus: isHere(mapModel()) });
  window.happyDOM.setURL(`http://localhost/embed.html?${settings}`);
  await import(`../../src/manyheads/web/doors/embed.ts?${settings}`);
  await document.querySelector("main.alone head-map").ready;
  await settled();
  return texts(document, "[role=alert]");
}

for (const name of ["constructor", "toString", "__proto__", "nonsense"])
  test(`a figure called ${name} is none, and the map is shown`, async () => {
    assert.deepEqual(await complaints(`figure=${name}`), [
      `“figure” can be attention-flow, drawing-board; “${name}” is none of them.`,
    ]);
  });

test("an unknown setting is told, and which there are", async () => {
  assert.match(
    (await complaints("constructor=1"))[0],
    /There is no setting called “constructor”; there are figure, model, /,
  );
});

test("what the map lacks is told once it is there: layers, heads, tokens", async () => {
  for (const [settings, sentence] of Object.entries({
    "model=focus&layer=999999": "“layer” can be 0 to 1 in this map; “999999” cannot.",
    "head=3": "“head” can be 0 to 2 in this map; “3” cannot.",
    "sentence=tea&query=3": "“query” can be 0 to 2 in this map; “3” cannot.",
    "off=999.999 0.1": "“off” names heads that this map lacks: 999.999.",
    "off=0.1 all": "“off” names heads as layer.head, like 0.3; “0.1 all” names none.",
    "sentence=tea&first=500000&last=3": "“first” can be 0 to 2 in this map; “500000” cannot.",
    "first=2&last=1": "“first” must not come after “last”; 2 comes after 1.",
  }))
    assert.deepEqual(await complaints(settings), [sentence]);
  assert.deepEqual(await complaints("model=focus&layer=1&head=2&off=0.1 1.2&first=1&last=9&sentence=tea"), []);
});

test("a model that reads drawings starts with empty paper, alone or on a board", async () => {
  const drawn = () => document.querySelector("main.alone > :is(head-map, drawing-board)");
  for (const [settings, name] of Object.entries({
    "model=drawing": "head-map",
    "figure=drawing-board": "drawing-board",
  })) {
    window.happyDOM.setURL(`http://localhost/embed.html?${settings}`);
    await import(`../../src/manyheads/web/doors/embed.ts?${settings}`);
    assert.deepEqual(
      [drawn().localName, drawn().getAttribute("model"), drawn().getAttribute("sentence")],
      [name, "drawing", ""],
    );
  }
  assert.match(document.head.lastElementChild.src, /drawing-board\.js$/);
});
