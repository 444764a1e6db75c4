// The files of a pretrained model in the browser's store: what one tab is fetching, another waits for.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";

const CONTENTS = Buffer.from("weights");
const BASE = "http://localhost/_static/manyheads/v1/models/";
const FILE = {
  name: "part.bin",
  packed: CONTENTS.length,
  bytes: CONTENTS.length,
  sha256: createHash("sha256").update(CONTENTS).digest("hex"),
};

/** Several tabs at once obtain a file; gives what each got, and how often it was fetched. No fetch ends before so many have begun. */
async function inTabs(t, count, locks, atOnce) {
  const [kept, { fetch, caches }] = [new Map(), globalThis];
  t.after(() => (Object.assign(globalThis, { fetch, caches }), delete navigator.locks));
  let fetched = 0;
  let begin;
  const begun = new Promise((done) => (begin = done));
  globalThis.caches = {
    open: async () => ({
      match: async (url) => (kept.has(String(url)) ? new Response(kept.get(String(url))) : undefined),
      put: async (url, response) => void kept.set(String(url), await response.arrayBuffer()),
      keys: async () => [],
      delete: async () => {},
    }),
  };
  globalThis.fetch = async () => {
    if (++fetched === atOnce) begin();
    await begun;
    return new Response(CONTENTS);
  };
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  const got = await Promise.all(
    Array.from({ length: count }, async (_, tab) => {
      const { obtainAll, Store } = await import(`../../src/manyheads/web/models/file-store.ts?tab=${count}${tab}`);
      let taken;
      await obtainAll({ files: { part: FILE } }, "list.json", {
        base: BASE,
        store: new Store("encoder"),
        progress: () => {},
        take: (_part, contents) => (taken = contents),
      });
      return Buffer.from(taken).toString();
    }),
  );
  return { got, fetched };
}

test("two tabs fetch a file once, and both have it", async (t) => {
  let last = Promise.resolve();
  const request = (_, work) => (last = last.catch(() => {}).then(work));
  assert.deepEqual(await inTabs(t, 2, { request }, 1), { got: ["weights", "weights"], fetched: 1 });
});

test("without locks, or where a page may have none, each fetches", async (t) => {
  assert.equal((await inTabs(t, 2, undefined, 2)).fetched, 2);
  const request = async () => {
    throw new DOMException("not in a sandbox", "SecurityError");
  };
  assert.deepEqual(await inTabs(t, 3, { request }, 3), { got: Array(3).fill("weights"), fetched: 3 });
});

test("a header is taken in before the files that it describes are fetched", async (t) => {
  const { fetch } = globalThis;
  t.after(() => Object.assign(globalThis, { fetch }));
  const { obtainAll, Store } = await import("../../src/manyheads/web/models/file-store.ts?header");
  const happened = [];
  globalThis.fetch = async (url) => {
    happened.push(`fetch ${new URL(url).pathname.split("/").at(-1)}`);
    return new Response(CONTENTS);
  };
  const files = { header: { ...FILE, name: "header" }, one: { ...FILE, name: "one" }, two: { ...FILE, name: "two" } };
  await obtainAll({ files }, "list.json", {
    base: BASE,
    store: new Store("decoder"),
    progress: () => {},
    take: async (part) => {
      await new Promise(setImmediate);
      happened.push(`take ${part}`);
    },
  });
  assert.deepEqual(happened.slice(0, 4), ["fetch header", "take header", "fetch one", "fetch two"]);
  assert.deepEqual(happened.slice(4).sort(), ["take one", "take two"]);
});

test("a file that should be here soon, and isn't, is fetched anew and counted on its way", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { fetch } = globalThis;
  t.after(() => Object.assign(globalThis, { fetch }));
  const turn = () => new Promise(setImmediate);
  const { download } = await import("../../src/manyheads/web/models/files.ts?soon");
  let fetched = 0;
  globalThis.fetch = async (_, { signal }) => {
    const stalls = ++fetched === 2;
    const start = (controller) => {
      if (stalls) return signal.addEventListener("abort", () => controller.error(signal.reason));
      for (const byte of CONTENTS) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    };
    return new Response(new ReadableStream({ start }), { headers: { "content-length": String(CONTENTS.length) } });
  };
  const counted = async () => {
    const told = [];
    const file = download(BASE, { onProgress: (done) => told.push(done) });
    await turn();
    await turn();
    t.mock.timers.tick(5000);
    return { text: await (await file).text(), told: new Set(told) };
  };
  const all = new Set([1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await counted(), { told: all, text: "weights" }, "nobody knows yet how fast they come");
  assert.deepEqual([await counted(), fetched], [{ told: all, text: "weights" }, 3]);
  assert.deepEqual([await counted(), fetched], [{ told: new Set([7]), text: "weights" }, 4]);
});
