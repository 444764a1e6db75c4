"""Live figures: from keystroke to repaint, a frame of the film; bytes to the first live edit."""

import gzip
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from served import HTML, VIEWPORT, chromium, serve

SENTENCE = (
    "Would the old librarian rather read a long novel by the fire, or walk her two happy dogs through the rain "
    "and the mud before it gets dark tonight?"
)
KEYSTROKES = 300
UNPACKED = (".js", ".mjs", ".css", ".html", ".json")  # what a static host gzips for us

TIMES = """async ([sentence, keystrokes]) => {
  const el = document.querySelector("head-map");
  await el.ready;
  const box = el.querySelector("[aria-label=Sentence]");
  box.value = sentence;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  el.querySelector(".hm-paint td:nth-of-type(4)").click(); // it goes on asking: with arcs
  if (!el.querySelector(".hm-arcs path")) throw new Error("no arcs");
  const times = [];
  for (let i = 0; i < keystrokes; i++) {
    await new Promise(requestAnimationFrame);
    box.value = sentence.slice(0, -1) + "abcdefgh"[i % 8];
    let done;
    el.addEventListener("attention", () => { el.offsetHeight; done = performance.now() }, { once: true });
    const start = performance.now();
    box.dispatchEvent(new Event("input", { bubbles: true }));
    times.push(done - start);
  }
  return [el.attention.queryTokens.length, times];
}"""

# What a megabyte adds to a key until it's drawn, on the page's thread: in a plain text field, and in a figure.
MEGABYTE = ("the old cat likes tea and never drinks coffee because it is bitter, so " * 15_000)[:1_000_000]
TYPED = {"index": "head-map", "formula": "attention-flow", "induction": "head-birth", "decoder": "#translator"}
INTO_A_MEGABYTE = """async ([name, long]) => {
  const figure = document.querySelector(name);
  await figure.ready;
  const own = figure.querySelector("textarea");
  const { font, letterSpacing } = getComputedStyle(own);
  const plain = Object.assign(document.createElement("textarea"), { rows: 3 });
  Object.assign(plain.style, { font, letterSpacing });
  figure.before(plain);
  const added = [];
  for (const box of [plain, own]) {
    const medians = [];
    for (const text of [long.slice(0, 500), long]) { // a figure reads as many words of both
      box.focus();
      box.value = text;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => setTimeout(done, 1000));
      const times = [];
      for (const letter of "abcdefghi") {
        await new Promise(requestAnimationFrame);
        const start = performance.now();
        document.execCommand("insertText", false, letter);
        document.body.offsetHeight;
        times.push(performance.now() - start);
      }
      if (box.value !== `${text}abcdefghi`) throw new Error("what was typed isn't all there");
      medians.push(times.sort((one, other) => one - other)[4]);
    }
    added.push(medians[1] - medians[0]);
  }
  return added;
}"""

FRAMES = """async (frames) => {
  const el = document.querySelector("attention-flow");
  await el.ready;
  const times = [];
  for (let frame = 0; frame <= frames; frame++) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    el.seek((7 * frame) / frames);
    el.offsetHeight;
    times.push(performance.now() - start);
  }
  return times;
}"""


def main():
    with serve(HTML) as site, chromium() as browser:
        page = browser.new_page()
        fetched = []
        page.on("request", lambda request: fetched.append(request.url))
        page.goto(f"{site}/book/index.html")
        tokens, times = page.evaluate(TIMES, [SENTENCE, KEYSTROKES])
        tell(f"keystroke to repaint, focus model, {tokens} tokens, with arcs", times)
        page = browser.new_page(viewport=VIEWPORT)  # whose files are not counted
        page.goto(f"{site}/book/index.html")
        tell("a frame of <attention-flow>, 12 tokens", page.evaluate(FRAMES, KEYSTROKES))
        for chapter, figure in TYPED.items():
            page.goto(f"{site}/book/{chapter}.html")
            plain, own = page.evaluate(INTO_A_MEGABYTE, [figure, MEGABYTE])
            what = f"{own:.0f} ms more than into 500 characters, {own / plain:.1f} of a plain text field (goal 1.5)"
            print(f"a key into a megabyte, {figure} of {chapter}: {what}")
    paths = [HTML / url.removeprefix(site).lstrip("/").split("?")[0] for url in fetched if "/manyheads/" in url]
    sizes = {path.name: size_on_the_wire(path) for path in paths}
    for name, size in sizes.items():
        print(f"  {size / 1e3:8.1f} kB  {name}")
    print(f"bytes to the first live edit, theme apart: {sum(sizes.values()) / 1e6:.2f} MB (goal 2.5)")


def tell(what, times):
    p50, p95 = np.percentile(times, [50, 95])
    print(f"{what}: median {p50:.1f} ms, p95 {p95:.1f} ms (goal 16)")


def size_on_the_wire(path):
    content = path.read_bytes()
    return len(gzip.compress(content)) if path.suffix in UNPACKED else len(content)


if __name__ == "__main__":
    main()
