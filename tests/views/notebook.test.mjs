// What a page's figure and Python tell each other in a notebook.
import assert from "node:assert/strict";
import test from "node:test";
import { forPython } from "../../src/manyheads/web/doors/notebook.ts";
import { WHY } from "../../src/manyheads/web/math/faults.ts";
import { hostOf, setHost } from "../../src/manyheads/web/math/host.ts";
import { download } from "../../src/manyheads/web/models/files.ts";
import "./page.mjs";

test("Python gets arrays as their bytes, a map's in its shape, and nothing that it can't hold", () => {
  const weights = new Float32Array([9, 0.25, 0.75]).subarray(1); // a part of a larger buffer
  const told = forPython({
    map: { queryTokens: ["tea"], shape: [1, 1, 1, 2], weights, picture: () => 1 },
    off: undefined,
  });
  assert.deepEqual({ ...told.map, weights: null }, { queryTokens: ["tea"], shape: [1, 1, 1, 2], weights: null });
  const { bytes, ...said } = told.map.weights;
  assert.deepEqual(said, { shape: [1, 1, 1, 2], dtype: "float32" });
  assert.deepEqual([bytes.byteLength, bytes.getFloat32(0, true)], [8, 0.25]);
  assert.equal(told.off, null);
  assert.equal(forPython(new Uint8Array([1])).dtype, "uint8");
});

test("where Python brings the files, a model's come from it, and what is missing speaks of it", async (t) => {
  t.after(() => setHost(null));
  const asked = [];
  const file = async (name) => (asked.push(name), new Blob(["weights"]));
  assert.match(WHY.absent, /network/);
  setHost({ base: "https://manyheads.invalid/1/", file, script: file });
  const { host, name } = hostOf(new URL("https://manyheads.invalid/1/models/focus.gz?again=1"));
  assert.deepEqual([host.file, name], [file, "models/focus.gz"]);
  assert.equal(hostOf(new URL("https://example.org/models/focus.gz")), null);
  assert.equal(await (await download(new URL("https://manyheads.invalid/1/models/focus.gz"))).text(), "weights");
  assert.deepEqual(asked, ["models/focus.gz"]);
  assert.match(WHY.absent, /Python/);
});
