// Models of one build, in Node: what a cache answers with a file of another build is fetched anew, or refused.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";

const DIST = new URL("../../src/manyheads/web/dist/", import.meta.url);
const DAMAGED = /^a part of it arrived damaged\./;

/** A file of safetensors, with a header and one small matrix. */
function safetensors(header, value) {
  const entries = { __metadata__: header, codes: { dtype: "F32", shape: [1], data_offsets: [0, 4] } };
  const text = Buffer.from(JSON.stringify(entries));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, Buffer.from(new Float32Array([value]).buffer)]);
}

const weights = (name) =>
  safetensors({ name: `"${name}"`, num_heads: "4", head_names: "[]", facts: "{}", config: "{}" }, 0);
const PARTS = { added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null };
const vocabulary = (word) =>
  Buffer.from(
    JSON.stringify({ ...PARTS, model: { type: "WordPiece", vocab: { "[UNK]": 0, [word]: 1 }, unk_token: "[UNK]" } }),
  );
const build = (word, value) => ({
  "focus-taught.safetensors.gz": weights("focus"),
  "focus-step-0.safetensors.gz": weights("other"), // as long as the first
  "focus-words.safetensors.gz": safetensors({}, value),
  "tokenizer.json.gz": vocabulary(word),
});
const OURS = build("tea", 1);
const OTHERS = build("pie", 2);

const listed = (contents) => ({ bytes: contents.length, sha256: createHash("sha256").update(contents).digest("hex") });
const listOf = (files) =>
  JSON.stringify(Object.fromEntries(Object.entries(files).map(([name, contents]) => [name, listed(contents)])));

let asked; // by whom: [file, how the cache is treated]
let answers; // by file: what the network has, and what the browser's cache has instead
let pages = 0;

const answering = async (url, { cache = "default" } = {}) => {
  const name = new URL(url).pathname.split("/").at(-1);
  asked.push([name, cache]);
  const { network, cached = network } = answers[name];
  return new Response(cache === "reload" ? network : cached);
};

/** The module that loads models, of a page that was just opened; other files' tests have a network of their own. */
const models = () => {
  globalThis.fetch = answering;
  return import(new URL(`models.js?page=${++pages}`, DIST));
};

const packed = (contents) => gzipSync(contents);

beforeEach(() => {
  asked = [];
  answers = Object.fromEntries(Object.entries(OURS).map(([name, contents]) => [name, { network: packed(contents) }]));
  answers["files.json"] = { network: listOf(OURS) };
});

test("the files of one build are a model, and each is fetched once", async () => {
  const { loadModel } = await models();
  assert.equal((await loadModel("focus")).name, "focus");
  assert.deepEqual(
    asked.sort(),
    ["files.json", "focus-taught.safetensors.gz", "focus-words.safetensors.gz", "tokenizer.json.gz"].map((name) => [
      name,
      "default",
    ]),
  );
});

test("another model's weights in the cache are passed by", async () => {
  answers["focus-taught.safetensors.gz"].cached = packed(OURS["focus-step-0.safetensors.gz"]);
  const { loadModel } = await models();
  assert.equal((await loadModel("focus")).name, "focus");
  assert.deepEqual(
    asked.filter(([name]) => name === "focus-taught.safetensors.gz").map(([, cache]) => cache),
    ["default", "reload"],
  );
});

for (const name of Object.keys(OURS).filter((each) => !each.includes("step")))
  test(`${name} of another model or build is refused, and taken once it is right`, async () => {
    const { loadModel } = await models();
    const [{ network: right }, wrong] = [
      answers[name],
      name.includes("taught") ? OURS["focus-step-0.safetensors.gz"] : OTHERS[name],
    ];
    assert.equal(wrong.length, OURS[name].length, "the length tells nothing");
    answers[name] = { network: packed(wrong) };
    await assert.rejects(loadModel("focus"), { message: DAMAGED });
    answers[name] = { network: right };
    assert.equal((await loadModel("focus")).name, "focus");
  });

test("where the host unpacks on the way, the same is checked", async () => {
  for (const [name, contents] of Object.entries(OURS)) answers[name] = { network: contents };
  const { loadModel } = await models();
  assert.equal((await loadModel("focus")).name, "focus");
});

test("a list of another build in the cache is asked for again", async () => {
  answers["files.json"].cached = listOf(OTHERS);
  const { loadModel } = await models();
  assert.equal((await loadModel("focus")).name, "focus");
});
