"""The language model in the page, beside wllama (llama.cpp in WebAssembly) on the same file: bytes, time, memory.

    python bench/decoder.py

Predicted before the first measurement: 98 MB as shipped, 89 gzipped; a kernel of 2.1 kB; 0.3 s to create; a first pass
in 110 ms at 12 tokens and 520 at 64; one more word at 64 tokens in 22 ms, with all 270 maps; 400 MB at the peak. wllama
2.4.0, which gives no maps: 55 ms a word and 2200 for 64 tokens, so ratios of 0.4 and 0.24. Logits with and without the
cache 3e-5 apart.
"""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Error

from manyheads.models.decoder.tokens import load_tokenizer
from manyheads.models.decoder.weights import gguf_file, open_weights

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from conftest import HTML, PATIENCE, ROOT, chromium, serve

ROUNDS = 5  # of all, in turn, each in a browser of its own
STORY = "upon a time there was a little girl who lived in a small house with her mother and her two".split()
FIRST = ("Once", "So", "But")  # texts that begin with other words share no cache
LENGTHS = (12, 12, 64)  # the very first text, one that's warm, a long one
FURTHER = 8  # words, after the longest
PEERS = {"wllama-2": "2.4.0", "wllama-newest": "latest"}  # the first has a build for one thread
UNPACKED = (".js", ".mjs", ".css", ".html", ".json")  # what a static host gzips for us

# What is measured, where it is found in `measured`, and its goal.
ROWS = {
    "load: all, ms": ("load", None),
    "create, ms": ("create", 1000),
    "first text, 12 tokens, ms": (0, None),
    "12 tokens, ms": (1, 300),
    "64 tokens, ms": (2, 1500),
    "one more word, ms": ("word", 40),
    "renderer, peak, MB": ("peak", 400),
    "renderer, after, MB": ("after", None),
}
RATIOS = {"64 tokens, ms": 0.5, "one more word, ms": 0.5}  # ours over the first peer's: at most

OURS = """async ({ texts, words }) => {
  const timed = async (work) => {
    const start = performance.now();
    const result = await work();
    return [performance.now() - start, result];
  };
  const { load } = await import("./site/SCRIPTS/decoder.js");
  let arrived = 0; // when the last byte did
  const progress = (done, total) => { if (done === total) arrived ||= performance.now(); };
  const [all, model] = await timed(() => load("", { progress, signal: new AbortController().signal }));
  const create = performance.now() - arrived;
  const times = [];
  const read = async (text, count) => {
    const [time, answer] = await timed(() => model.next(text));
    const { shape: [layers, heads, queries, keys], weights } = answer.map;
    if (answer.ids.length !== count || weights.length !== layers * heads * queries * keys) throw new Error("not all is here");
    times.push(time);
    return answer.logits;
  };
  for (const { text, ids } of texts) await read(text, ids.length);
  let { text, ids } = texts.at(-1);
  let cached;
  for (const [at, word] of words.entries()) cached = await read(text += word.text, ids.length + at + 1);
  await model.next(texts[0].text);
  const { logits } = await model.next(text);
  const apart = Math.max(...logits.map((logit, token) => Math.abs(logit - cached[token])));
  return { load: all, create, passes: times.slice(0, texts.length), words: times.slice(texts.length), apart };
}"""

OLDER = """async ({ texts, words }) => {
  const timed = async (work) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const { Wllama } = await import("./peers/wllama-2/esm/index.js");
  const wllama = new Wllama({ "single-thread/wllama.wasm": "./peers/wllama-2/esm/single-thread/wllama.wasm" }, { suppressNativeLog: true });
  let file;
  const fetched = await timed(async () => (file = await (await fetch("./model.gguf")).blob()));
  const create = await timed(() => wllama.loadModel([file], { n_threads: 1, n_ctx: 512 }));
  const next = async (ids) => {
    await wllama.decode(ids, {});
    await wllama.samplingSample();
  };
  await wllama.samplingInit({ temp: 0 });
  const passes = [];
  for (const { ids } of texts) {
    await wllama.kvClear();
    passes.push(await timed(() => next(ids)));
  }
  const times = [];
  for (const { id } of words) times.push(await timed(() => next([id])));
  return { load: fetched + create, create, passes, words: times };
}"""

NEWER = """async ({ texts, words }) => {
  const { Wllama } = await import("./peers/wllama-newest/esm/index.js");
  const wllama = new Wllama({ default: "./peers/wllama-newest/esm/wasm/wllama.wasm" }, { suppressNativeLog: true });
  const start = performance.now();
  const file = await (await fetch("./model.gguf")).blob();
  const fetched = performance.now();
  await wllama.loadModel([file], { n_threads: 1, n_gpu_layers: 0, n_ctx: 512 });
  const loaded = performance.now();
  const write = async (prompt, count) => {
    const times = [performance.now()];
    const onData = () => times.push(performance.now());
    await wllama.createCompletion({ prompt, max_tokens: count, temperature: 0, cache_prompt: false, ignore_eos: true, stream: true, onData });
    return times.slice(1).map((time, at) => time - times[at]);
  };
  const passes = [];
  for (const { text } of texts.slice(0, -1)) passes.push((await write(text, 1))[0]);
  const [first, ...times] = await write(texts.at(-1).text, words.length + 1);
  return { load: loaded - start, create: loaded - fetched, passes: [...passes, first], words: times.slice(0, words.length) };
}"""


def main():
    print("wllama, from npm:")
    with TemporaryDirectory() as folder:
        folder = Path(folder)
        versions = installed(folder)
        (folder / "site").symlink_to(HTML, target_is_directory=True)
        (folder / "model.gguf").symlink_to(gguf_file())
        (folder / "index.html").write_text("<!doctype html><title>Bench</title>", encoding="utf-8")
        with serve(folder) as address:
            shipped(address)
            measured = rounds(address, texts(), versions)
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    table(measured)


def installed(folder):
    """Brings the peers with npm: the version of each that came."""
    (folder / "package.json").write_text("{}", encoding="utf-8")
    versions = {}
    for name, version in PEERS.items():
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", f"{name}@npm:@wllama/wllama@{version}"]
        if subprocess.run(npm, cwd=folder, check=False).returncode:
            print(f"  {version} doesn't come; it is left out")
            continue
        package = folder / "node_modules" / name
        versions[name] = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
        scripts = [package / "esm" / "index.min.js", *package.glob("esm/single-thread/*.wasm"), *package.glob("esm/wasm/*.wasm")]
        print(f"  {versions[name]}: scripts and wasm {sum(map(size_on_the_wire, scripts)) / 1e6:.1f} MB")
    (folder / "peers").symlink_to(folder / "node_modules", target_is_directory=True)
    return versions


def texts():
    """Texts of 12, 12 and 64 tokens and words to go on with, as text and as ids."""
    tokenizer = load_tokenizer(open_weights())
    story = [f" {STORY[place % len(STORY)]}" for place in range(max(LENGTHS) + FURTHER)]
    found = [first + "".join(story[: length - 1]) for first, length in zip(FIRST, LENGTHS)]
    read = [{"text": text, "ids": tokenizer.encode(text).ids} for text in found]
    assert [len(each["ids"]) for each in read] == [*LENGTHS], "each word is a token"
    further = story[LENGTHS[-1] - 1 :][:FURTHER]
    return {"texts": read, "words": [{"text": word, "id": tokenizer.encode(word).ids[0]} for word in further]}


def shipped(address):
    """What the chapter fetches until a first word is written."""
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        fetched = set()
        browser.contexts[0].on("request", lambda request: fetched.add(request.url.split("?")[0]))
        page.goto(f"{address}/site/book/decoder.html")
        figure = page.locator("next-word")
        figure.get_by_role("button", name="Load the").click()
        page.wait_for_function("(el) => el.shown", arg=figure.element_handle())
        figure.get_by_role("button", name="Write a word").click()
        page.wait_for_function("(el) => el.shown.text === el.text && el.text !== el.getAttribute('text')", arg=figure.element_handle())
    paths = [HTML / url.removeprefix(f"{address}/site/") for url in fetched if "/manyheads/" in url]
    plain, packed = sum(path.stat().st_size for path in paths), sum(len(gzip.compress(path.read_bytes())) for path in paths)
    wire = sum(map(size_on_the_wire, paths))
    print(f"to the first written word, theme apart, {len(paths)} files: {wire / 1e6:.1f} MB as a static host sends them (goal 98); "
          f"{plain / 1e6:.1f} as they are, {packed / 1e6:.1f} all gzipped (goal 90)")
    kernels = sorted((ROOT / "src" / "manyheads" / "web").glob("models/*.wasm"))
    for path in kernels:
        print(f"{path.name}: {path.stat().st_size} bytes (goal 4000)")


def rounds(address, given, versions):
    """What each contestant needs, round by round: {name: [numbers]}."""
    ways = {"ours": OURS} | {name: way for name, way in zip(PEERS, (OLDER, NEWER)) if name in versions}
    measured = {name: [] for name in ways}
    for number in range(ROUNDS):
        for name, way in [*ways.items()]:
            try:
                found = one(address, way, given)
            except Error as error:
                print(f"{name} doesn't start here: {error.message.splitlines()[0]}")
                del ways[name], measured[name]
                continue
            measured[name].append(found)
            words = " ".join(f"{time:.0f}" for time in found["words"])
            print(f"round {number + 1}, {name}: load {found['load']:.0f} ms; {found[1]:.0f} and {found[2]:.0f} ms; words {words}")
    names = {"ours": "ours"} | {name: f"wllama {version}" for name, version in versions.items()}
    return {names[name]: found for name, found in measured.items()}


def one(address, way, given):
    """A fresh browser, in which a contestant loads and reads the texts."""
    with chromium() as browser:
        page = browser.new_page()
        page.goto(address)
        found = page.evaluate(way, given)
        found |= dict(enumerate(found["passes"])) | {"word": np.median(found["words"])} | memory(browser)
        return found


def memory(browser):
    """How many MB the page's process took at most, and takes: {"peak", "after"}; nothing where Linux doesn't say."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    status = [Path(f"/proc/{process['id']}/status") for process in processes if process["type"] == "renderer"]
    found = [dict(line.split(":") for line in path.read_text().splitlines()) for path in status if path.is_file()]
    names = {"peak": "VmHWM", "after": "VmRSS"}
    return {name: max((int(each[key].split()[0]) / 1e3 for each in found), default=np.nan) for name, key in names.items()}


def table(measured):
    """The medians of all rounds, side by side."""
    ours, *peers = medians = [{row: np.median([each[key] for each in found]) for row, (key, _) in ROWS.items()} for found in measured.values()]
    print("".join(f"{name:>{width}}" for name, width in zip(["", *measured, "ratio", "goal"], [26, *[15] * len(measured), 8, 14])))
    for row, (_, goal) in ROWS.items():
        ratio = f"{ours[row] / peers[0][row]:.2f}" if peers else ""
        goals = [f"{goal}" if goal else "", f"ratio {RATIOS[row]}" if row in RATIOS else ""]
        print(f"{row:>26}" + "".join(f"{each[row]:15.0f}" for each in medians) + f"{ratio:>8}{'; '.join(filter(None, goals)):>14}")
    apart = max(found["apart"] for found in measured["ours"])
    print(f"cached against uncached, largest difference of a logit: {apart:.1e} (goal 1e-4)")


def size_on_the_wire(path):
    content = path.read_bytes()
    return len(gzip.compress(content)) if path.suffix in UNPACKED else len(content)


if __name__ == "__main__":
    main()
