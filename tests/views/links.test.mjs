// What leads to a figure's state and what leaves the page with it: links, however they are written, and the menus that copy them.
import assert from "node:assert/strict";
import test from "node:test";
import { draw, drawLive, follow, key, named, press, same, settled, texts, tick, type } from "./page.mjs";
import { focusModel, HOSTILE, mapModel, tokensOf } from "./small-models.mjs";

const MAP = '<head-map model="focus" sentence="hot tea now"></head-map>';

const opened = (hash, html = MAP) => drawLive(html, mapModel(), hash);

/** Lets a browser keep what is copied, or refuse. */
function withClipboard(writeText) {
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
}

async function copied(root, name, field = named) {
  withClipboard(async () => {});
  press(root, `Copy ${name}`);
  await settled();
  return field(root, name).value;
}

test("a copied link brings another reader to the map as it stands", async () => {
  const map = await opened("");
  type(map, "Sentence", `what is <b> & "quoted" #?=+% \\ here`);
  tick(map.querySelector('input[value="matrix"]'));
  press(map, "mood");
  map.query = [1, 3];
  press(map, "Compare");
  type(map, "Compare with", "tea");
  const link = await copied(map, "link");
  assert.equal(new URL(link).search, "", "no server is told what the reader typed");
  const there = await opened(new URL(link).hash);
  assert.deepEqual(
    [
      there.sentence,
      there.off,
      named(there, "Compare with").value,
      there.querySelector("input:checked").value,
      there.query,
    ],
    [`what is <b> & "quoted" #?=+% \\ here`, "0.1", "tea", "matrix", [1, 3]],
  );
});

test("a link to a map in a drawer opens it, and any drawer around it; a link to another map doesn't", async () => {
  const folded = `${MAP}<details><details>${MAP}</details></details>`;
  for (const [hash, opens] of [
    ["#map=2&sentence=tea", [true, true]],
    ["#map=1&sentence=tea", [false, false]],
  ]) {
    await opened(hash, folded);
    assert.deepEqual(
      [...document.querySelectorAll("head-map ~ details, head-map ~ details > details")].map((drawer) => drawer.open),
      opens,
    );
  }
});

const CALM = { sentence: "hot tea now", view: "paint", off: "", query: 0 };
/** Hashes that nobody should write, and what of the map is another way then. */
const HASHES = {
  "#": {},
  "##map=1": {},
  "#map": {},
  "#map=": {},
  "#map=0&sentence=x": {},
  "#map=2&sentence=x": {},
  "#map=__proto__&sentence=x": {},
  "#map=1.0&sentence=x": {},
  "#%E0%A4%A": {},
  "#map=%31&sentence=tea": { sentence: "tea" },
  "#map=1&sentence=a&sentence=b": { sentence: "a" },
  "#map=1&sentence=tea&view=spiral&scale=ln&special=%FF": { sentence: "tea" },
  "#map=1&sentence=tea&view=constructor&heads=__proto__": { sentence: "tea" },
  "#map=1&sentence=tea&layer=-1&head=x&query=99999&top=0&first=1e3&last=NaN": { sentence: "tea" },
  "#map=1&sentence=tea&off=9.9+0.9+7+0.1.2": { sentence: "tea", off: "0.1" },
  "#map=1&sentence=tea&off=0.0+0.1+0.2+1.0+1.1+1.2": { sentence: "tea", off: "0.0 0.1 0.2 1.0 1.1 1.2" },
  "#map=1&sentence=tea&model=nobody": { sentence: "tea" },
  "#map=1&sentence=tea&headMask=[[false]]&constructor=1&innerHTML=x": { sentence: "tea" },
  [`#map=1&sentence=${encodeURIComponent(HOSTILE)}&find=${encodeURIComponent(HOSTILE)}`]: { sentence: HOSTILE },
  [`#map=1&sentence=${"tea+".repeat(40)}`]: { sentence: "tea ".repeat(40) },
  "#map=1&sentence=%00%01%F0%9F%8D%B5": { sentence: "\u0000\u0001🍵" },
  "#map=1&sentence=": { sentence: "" },
  "#map=1&first=9&last=2&sentence=tea": { sentence: "tea" },
};
for (const [hash, other] of Object.entries(HASHES))
  test(`a map opens calmly at ${hash.slice(0, 70)}`, async () => {
    const map = await opened(hash);
    const { sentence, view, off, query } = {
      ...CALM,
      ...(Object.keys(other).length ? { sentence: "" } : {}),
      ...other,
    };
    assert.deepEqual(
      [map.sentence, map.querySelector("input:checked").value, map.off, map.query],
      [sentence, view, off, query],
    );
    assert.deepEqual(map.attention.keyTokens, tokensOf(sentence));
    assert.ok(map.querySelector("td[data-weight]"));
    assert.equal(map.querySelectorAll("img, script").length, 0);
  });

test("a link leads to one of many maps, by its place or its name; the others stay", async () => {
  const html = `${MAP}<head-map id="second" model="focus" sentence="cold tea"></head-map>`;
  for (const place of ["2", "second"]) {
    const first = await opened(`#map=${place}&sentence=no+tea`, html);
    assert.deepEqual([first.sentence, document.querySelector("#second").sentence], ["hot tea now", "no tea"]);
  }
});

test("an open page follows a new link, and lets what it does not name go", async () => {
  const map = await opened("");
  press(map, "rest");
  follow("#map=1&sentence=no+tea&off=1.0");
  assert.deepEqual([map.sentence, map.off, map.attention.keyTokens], ["no tea", "1.0", tokensOf("no tea")]);
});

test("a link chooses among the models of a map", async () => {
  const map = await opened(
    "#map=1&model=focus/untaught",
    '<head-map models="focus focus/untaught" sentence="tea"></head-map>',
  );
  assert.deepEqual([map.model, map.computedBy], ["focus/untaught", "focus/untaught"]);
});

test("a page that was left takes no more links", async () => {
  const map = await opened("");
  map.remove();
  follow("#map=1&sentence=no+tea");
  assert.equal(map.sentence, "hot tea now");
});

for (const [name, model] of Object.entries({ "head-map": mapModel, "attention-flow": focusModel }))
  test(`a tag and a frame of <${name}> hold what was typed as text, in ASCII; a script makes the frame as high as the figure`, async () => {
    const figure = await drawLive(`<${name} model="focus" sentence="hot tea"></${name}>`, model());
    const typed = '"><script>alert(1)</script> Grüße';
    type(figure, "Sentence", typed);
    for (const what of ["tag", "frame"]) {
      const text = await copied(figure, what);
      assert.match(text, /^[\0-\x7f]+$/);
      const made = document.createElement("template");
      made.innerHTML = text;
      const [element] = made.content.querySelectorAll(`${name}, iframe`);
      const { searchParams } = new URL(element.getAttribute("src") ?? "https://a.b/");
      const state = (part) => element.getAttribute(part) ?? searchParams.get(part);
      assert.deepEqual([state("sentence"), state("model")], [typed, "focus"]);
      const scripts = [...made.content.querySelectorAll("script")];
      assert.ok(scripts.length === 1 && !scripts[0].textContent.includes("alert"));
      if (what === "frame") assert.match(scripts[0].textContent, /frame\.style\.height/);
    }
  });

test("where the clipboard is closed, the text is marked to be copied", async () => {
  const map = await opened("");
  withClipboard(() => Promise.reject(new Error("not allowed")));
  press(map, "Copy link");
  await settled();
  same(document.activeElement, named(map, "link"));
  assert.equal(texts(map, ".hm-menu .hm-hint")[0], "Copy the marked text. It leads to this figure as it stands.");
});

test("what is copied is what stands there at that moment, and the hint says what it's good for", async () => {
  const map = await opened("");
  const before = await copied(map, "link");
  type(map, "Sentence", "no tea");
  assert.notEqual(await copied(map, "link"), before);
  assert.equal(texts(map, ".hm-menu .hm-hint")[0], "Copied. It leads to this figure as it stands.");
});

test("a map that no model computes has a link, but no tag and no frame", async () => {
  const map = await draw("<head-map></head-map>");
  assert.ok(named(map, "Copy link"));
  for (const name of ["tag", "frame"]) assert.throws(() => named(map, `Copy ${name}`));
});

test("the menu closes by Escape, and its name gets the focus", async () => {
  const map = await opened("");
  const menu = map.querySelector(".hm-menu");
  menu.open = true;
  key(named(map, "Copy link"), "Escape");
  assert.equal(menu.open, false);
  same(document.activeElement, menu.querySelector("summary"));
});

const FLOW = '<attention-flow model="focus" sentence="hot tea"></attention-flow>';

test("a link opens the first journey that computes; one for another figure does not", async () => {
  const link = "#figure=attention-flow&sentence=no+tea&head=2&causal=on&station=softmax";
  const first = await drawLive(`${FLOW}${FLOW}`, focusModel(), `${link}&onclick=alert(1)&model=nobody`);
  const second = document.querySelectorAll("attention-flow")[1];
  await second.ready;
  const seen = ({ sentence, steps }) => [sentence, steps.head, steps.tokens[1]].join();
  assert.deepEqual([seen(first), seen(second)], ["no tea,2,no", "hot tea,0,hot"]);
  assert.deepEqual([first.getAttribute("onclick"), first.getAttribute("model")], [null, "focus"]);
  follow("#figure=head-ledger&sentence=cold");
  assert.equal(first.sentence, "no tea");
});

test("a journey's copied link brings another reader to the same station", async () => {
  const flow = await drawLive(FLOW, focusModel());
  flow.station = "values";
  type(flow, "Sentence", "no <b> tea");
  const link = await copied(flow, "link");
  const there = await drawLive(FLOW, focusModel(), new URL(link).hash);
  assert.deepEqual([there.sentence, there.station], ["no <b> tea", "values"]);
});
