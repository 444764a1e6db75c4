"""The language model in the page, beside wllama (llama.cpp in WebAssembly) on the same file: bytes, time, memory.

    python bench/decoder.py
    python bench/decoder.py --file model.gguf    a file of yours, opened as a reader's
    python bench/decoder.py --shapes folder      random ones, written there: as large as Qwen2.5-0.5B and Llama-3.2-1B

Predicted before the first measurement: 98 MB as shipped, 89 gzipped; a kernel of 2.1 kB; 0.3 s to create; a first pass
in 110 ms at 12 tokens and 520 at 64; one more word at 64 tokens in 22 ms, with all 270 maps; 400 MB at the peak. wllama
2.4.0, which gives no maps: 55 ms a word and 2200 for 64 tokens, so ratios of 0.4 and 0.24. Logits with and without the
cache 3e-5 apart.

Found, on two cores with little else to do: bytes as predicted; 344 ms to create; 105 and 556 ms for a first pass at
12 and 64 tokens, 0.26 and 0.29 of the peer's; 39 ms for a further word, 0.75 of the peer's 53, over the goal of half.
Sorting all tokens for the ten likeliest, 14 ms of it, is gone; two thirds of what is left are the kernel's. Where
others keep the machine busy, all times are up to twice as long. Cached and uncached don't differ at all, since a
token's sums are made in the same order either way. Loading took 2.0 s where the peer needs 0.6, and 489 MB. Since
value norms wait until they're asked for, and files that come fast are taken in whole, it takes 0.8 to 1.2 s where the
peer needs 0.5 to 0.7 (its newest version 1.4), and 370 MB at the peak, 0.9 of the peer's; after all 360, 1.4 of the
peer's. Of these the browser has 95 before a model comes.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Error

from manyheads.models.decoder.tokens import load_tokenizer
from manyheads.models.decoder.weights import gguf_file, open_weights
from manyheads.widgets.web_files import BUILT

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from built import scripts
from ggufs import SHAPES, write_shape
from page import size_on_the_wire
from served import HTML, PATIENCE, ROOT, chromium, serve

ROUNDS = 5  # of all, in turn, each in a browser of its own
STORY = " upon a time there was a little girl who lived in a small house with her mother and her two"
STARTS = ("Once", "So", "But")  # texts that begin with other words share no cache
TEXTS = ("first", "short", "long")
LENGTHS = (12, 12, 64)  # the very first text, one that's warm, a long one
FURTHER = 8  # words, after the longest
PEERS = {"wllama-2": "2.4.0", "wllama-newest": "latest"}  # the first has a build for one thread

# What is measured, under which name, and its goal.
ROWS = {
    "load, all, ms": ("load", None),
    "create, ms": ("create", 1000),
    "very first text, 12 tokens, ms": ("first", None),
    "first pass, 12 tokens, ms": ("short", 300),
    "first pass, 64 tokens, ms": ("long", 1500),
    "one more word, ms": ("word", 40),
    "renderer, peak, MB": ("peak", 400),
    "renderer, after, MB": ("after", None),
}
RATIOS = {"first pass, 64 tokens, ms": 0.5, "one more word, ms": 0.5}  # ours over the first peer's, at most

OURS = """async ({ texts: [first, short, long], words }) => {
  const { load } = await import("./scripts/decoder.js");
  let arrived = 0; // when the last byte did
  const progress = (done, total) => done === total && (arrived ||= performance.now());
  const start = performance.now();
  const model = await load("", { progress, signal: new AbortController().signal });
  const loaded = performance.now();
  let logits;
  const time = async (text, tokens) => {
    const start = performance.now();
    const { map, ...answer } = await model.next(text);
    const took = performance.now() - start;
    if (map.weights.length !== 270 * tokens ** 2) throw new Error("not all maps are here");
    logits = answer.logits;
    return took;
  };
  const found = { load: loaded - start, create: loaded - arrived, words: [] };
  for (const [name, { text, ids }] of Object.entries({ first, short, long }))
    found[name] = await time(text, ids.length);
  let { text, ids: { length } } = long;
  for (const word of words) found.words.push(await time(text += word.text, ++length));
  const cached = logits;
  await time(first.text, first.ids.length);
  await time(text, length);
  return { ...found, apart: Math.max(...logits.map((logit, token) => Math.abs(logit - cached[token]))) };
}"""

FIRST_PEER = """async ({ texts: [first, short, long], words }) => {
  const folder = "./node_modules/wllama-2/esm";
  const { Wllama } = await import(`${folder}/index.js`);
  const wllama = new Wllama({ "single-thread/wllama.wasm": `${folder}/single-thread/wllama.wasm` });
  const start = performance.now();
  const file = await (await fetch("./model.gguf")).blob();
  const fetched = performance.now();
  await wllama.loadModel([file], { n_threads: 1, n_ctx: 512 });
  const loaded = performance.now();
  await wllama.samplingInit({ temp: 0 });
  const time = async (ids) => {
    const start = performance.now();
    await wllama.decode(ids, {});
    await wllama.samplingSample();
    return performance.now() - start;
  };
  const found = { load: loaded - start, create: loaded - fetched };
  for (const [name, { ids }] of Object.entries({ first, short, long })) {
    await wllama.kvClear();
    found[name] = await time(ids);
  }
  found.words = [];
  for (const { id } of words) found.words.push(await time([id]));
  return found;
}"""

NEWEST_PEER = """async ({ texts: [first, short, long], words }) => {
  const folder = "./node_modules/wllama-newest/esm";
  const { Wllama } = await import(`${folder}/index.js`);
  const wllama = new Wllama({ default: `${folder}/wasm/wllama.wasm` });
  const start = performance.now();
  const file = await (await fetch("./model.gguf")).blob();
  const fetched = performance.now();
  await wllama.loadModel([file], { n_threads: 1, n_gpu_layers: 0, n_ctx: 512 });
  const loaded = performance.now();
  const greedy = { temperature: 0, cache_prompt: false, ignore_eos: true, stream: true };
  const times = async ({ text }, count) => {
    const times = [performance.now()];
    const onData = () => times.push(performance.now());
    await wllama.createCompletion({ ...greedy, prompt: text, max_tokens: count, onData });
    return times.slice(1).map((time, at) => time - times[at]);
  };
  const found = { load: loaded - start, create: loaded - fetched };
  [found.first] = await times(first, 1);
  [found.short] = await times(short, 1);
  [found.long, ...found.words] = await times(long, words.length + 1);
  return { ...found, words: found.words.slice(0, words.length) };
}"""

OPENED = """async ({ lengths, further }) => {
  const { openModel } = await import("./scripts/models.js");
  const [file] = document.querySelector("input").files;
  const found = {};
  const start = performance.now();
  const opened = (line) => Object.assign(found, { line, header: performance.now() - start });
  const model = await openModel(file, { progress() {}, signal: new AbortController().signal, opened });
  found.load = performance.now() - start;
  const time = async (tail) => {
    const start = performance.now();
    const { ids, map } = await model.next({ text: "", tail });
    const took = performance.now() - start;
    const all = model.numLayers * model.numHeads * ids.length ** 2;
    if (map.weights.length !== all) throw new Error("not all maps are here");
    return took;
  };
  const tokens = (count, first) => Array.from({ length: count }, (_, place) => first + 7 * place);
  for (const [name, count, first] of lengths) found[name] = await time(tokens(count, first));
  const [, count, first] = lengths.at(-1);
  found.words = [];
  for (let more = 1; more <= further; more++) found.words.push(await time(tokens(count + more, first)));
  return found;
}"""

WRITTEN = "(el) => el.shown && el.text !== el.getAttribute('text') && el.shown.text === el.text"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", type=Path)
    parser.add_argument("--shapes", type=Path)
    chosen = parser.parse_args()
    if not (chosen.file or chosen.shapes):
        return beside_peers()
    files = [chosen.file] if chosen.file else [write_shape(chosen.shapes, name) for name in SHAPES]
    for file in files:
        opened(file)


def opened(path):
    """A reader's file: how long it takes to open and to read, and how much memory, beside its size."""
    given = {"lengths": [(name, count, 300 + 5 * at) for at, (name, count) in enumerate(zip(TEXTS, LENGTHS))]}
    with TemporaryDirectory() as name, serve(name) as address:
        (Path(name) / "scripts").symlink_to(BUILT, target_is_directory=True)
        (Path(name) / "index.html").write_text("<!doctype html><input type=file>", encoding="utf-8")
        found = [one(address, OPENED, given | {"further": FURTHER}, path) for _ in range(ROUNDS)]
    size = path.stat().st_size / 1e6
    print(f"{path.name}: {found[0]['line']}, {size:.0f} MB; medians of {ROUNDS} rounds")
    for row, key in [("header read, ms", "header"), *((row, key) for row, (key, _) in ROWS.items() if key != "create")]:
        median = np.median([each[key] for each in found])
        print(f"  {row:32}{median:8.0f}" + (f"  {median / size:.2f} of the file" if row.endswith("MB") else ""))
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def beside_peers():
    """The book's own model, beside its peers."""
    with TemporaryDirectory() as name, serve(name) as address:
        folder = Path(name)
        (folder / "site").symlink_to(HTML, target_is_directory=True)
        (folder / "scripts").symlink_to(HTML / scripts(), target_is_directory=True)
        (folder / "model.gguf").symlink_to(gguf_file())
        (folder / "index.html").write_text("<!doctype html><title>Bench</title>", encoding="utf-8")
        shipped(address)
        versions = installed(folder)
        ways = {"ours": OURS} | {key: way for key, way in zip(PEERS, (FIRST_PEER, NEWEST_PEER)) if key in versions}
        measured = rounds(address, ways, texts())
    table({versions.get(key, key): found for key, found in measured.items()})
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def shipped(address):
    """What the chapter fetches until a first word is written, the theme apart."""
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        fetched = set()
        page.context.on("request", lambda request: fetched.add(request.url.split("?")[0]))
        page.goto(f"{address}/site/book/decoder.html")
        figure = page.locator("next-word")
        figure.get_by_role("button", name="Load the").click()
        figure.get_by_text("Ready").wait_for()
        figure.get_by_role("button", name="Write a word").click()
        page.wait_for_function(WRITTEN, arg=figure.element_handle())
    paths = [HTML / url.removeprefix(f"{address}/site/") for url in fetched if "/manyheads/" in url]
    packed = sum(len(gzip.compress(path.read_bytes())) for path in paths)
    print(f"bytes to the first written word, {len(paths)} files, theme apart:")
    print(f"  {sum(map(size_on_the_wire, paths)) / 1e6:.1f} MB as a static host sends them (goal 98)")
    print(f"  {packed / 1e6:.1f} MB if all is gzipped (goal 90)")
    for path in (ROOT / "src" / "manyheads" / "web" / "models").glob("*.wasm"):
        print(f"  {path.stat().st_size} bytes of these are the kernel (goal 4000)")


def installed(folder):
    """Brings the peers with npm: what each that came is called."""
    (folder / "package.json").write_text("{}", encoding="utf-8")
    versions = {}
    for key, version in PEERS.items():
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", f"{key}@npm:@wllama/wllama@{version}"]
        if subprocess.run(npm, cwd=folder, check=False).returncode:
            print(f"wllama {version} doesn't come from npm: it is left out")
            continue
        package = folder / "node_modules" / key
        versions[key] = "wllama " + json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
        files = [
            package / "esm" / "index.min.js",
            *package.glob("esm/single-thread/*.wasm"),
            *package.glob("esm/wasm/*.wasm"),
        ]
        print(f"{versions[key]}: {sum(map(size_on_the_wire, files)) / 1e6:.1f} MB of scripts and wasm, and the model")
    return versions


def texts():
    """Texts of 12, 12 and 64 tokens, and words to go on with; each word is a token."""
    tokenizer = load_tokenizer(open_weights())
    story = tokenizer.encode(STORY).ids * 4
    starts = [tokenizer.encode(start).ids + story[: length - 1] for start, length in zip(STARTS, LENGTHS)]
    read = [{"text": tokenizer.decode(ids), "ids": ids} for ids in starts]
    assert all(tokenizer.encode(each["text"]).ids == each["ids"] for each in read)
    further = story[LENGTHS[-1] - 1 :][:FURTHER]
    return {"texts": read, "words": [{"text": tokenizer.decode([number]), "id": number} for number in further]}


def rounds(address, scripts, given):
    """What each needs, round by round: {name: [numbers]}. Who doesn't start is left out."""
    measured = {name: [] for name in scripts}
    for number in range(ROUNDS):
        for name in [*measured]:
            try:
                found = one(address, scripts[name], given)
            except Error as error:
                print(f"{name} doesn't start here: {error.message.splitlines()[0]}")
                del measured[name]
                continue
            measured[name].append(found)
            print(
                f"round {number + 1} of {ROUNDS}, {name}: "
                + ", ".join(f"{key} {found[key]:.0f}" for key, _ in ROWS.values())
            )
    return measured


def one(address, script, given, file=None):
    """A fresh browser, in which one of them loads and reads the texts."""
    with chromium() as browser:
        page = browser.new_page()
        page.goto(address)
        if file:
            page.locator("input").set_input_files(file)
        found = page.evaluate(script, given)
        return found | {"word": np.median(found["words"])} | memory(browser)


def memory(browser):
    """How many MB the page's process took at the peak, and takes after all; only Linux says."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    paths = [Path(f"/proc/{process['id']}/status") for process in processes if process["type"] == "renderer"]
    sizes = [dict(re.findall(r"(\w+):\s*(\d+) kB", path.read_text())) for path in paths if path.is_file()]
    largest = max(sizes, key=lambda each: int(each["VmHWM"]), default={"VmHWM": "nan", "VmRSS": "nan"})
    return {"peak": float(largest["VmHWM"]) / 1e3, "after": float(largest["VmRSS"]) / 1e3}


def table(measured):
    """The medians of all rounds, side by side."""
    columns = "{:32}" + "{:>14}" * len(measured) + "{:>8}  {}"
    print(columns.format("medians", *measured, "ratio", "goal"))
    for row, (key, goal) in ROWS.items():
        ours, *peers = medians = [np.median([each[key] for each in found]) for found in measured.values()]
        ratio = f"{ours / peers[0]:.2f}" if peers else ""
        goals = [f"{goal}" if goal else "", f"ratio {RATIOS[row]}" if row in RATIOS else ""]
        print(columns.format(row, *(f"{median:.0f}" for median in medians), ratio, "; ".join(filter(None, goals))))
    apart = max(each["apart"] for each in measured["ours"])
    print(f"cached against uncached, largest difference of a logit: {apart:.1e} (goal 1e-4)")


if __name__ == "__main__":
    main()
