"""Live figures: from keystroke or pointing to repaint, a frame of what moves; bytes to the first live edit."""

import gzip
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from served import HTML, VIEWPORT, chromium, serve

from manyheads.widgets import HeadMap

SENTENCE = (
    "Would the old librarian rather read a long novel by the fire, or walk her two happy dogs through the rain "
    "and the mud before it gets dark tonight?"
)
KEYSTROKES = 300
TIMES_TRAVELLED = 5
MANY_HEADS, MANY_TOKENS = 72, 64
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
TYPED = {"index": "head-map", "formula": "attention-flow", "induction": "head-birth", "translation": "#translator"}
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

POINTING = """async () => {
  const el = document.querySelector("head-map");
  const times = [];
  const [first, ...words] = el.querySelectorAll(".hm-live tbody:first-of-type td");
  first.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse" }));
  await new Promise((done) => setTimeout(done, 500)); // the pointer rests; then others ask at once
  for (const word of words) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    word.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse" }));
    el.offsetHeight;
    times.push(performance.now() - start);
    if (!el.querySelector(".hm-arcs path")) throw new Error("no arcs");
  }
  return times;
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

# From a sentence to its journey, on the page's thread: in all if the page computes it, else from a worker's answer on.
LONG = (3 * re.findall(r"\w+", SENTENCE))[:62]  # and one more, between [CLS] and [SEP]
JOURNEYS = 40
ANSWERED = """
const { get, set } = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
Object.defineProperty(Worker.prototype, "onmessage", { get, set(answer) {
  set.call(this, (event) => {
    globalThis.answered = performance.now();
    answer(event);
  });
} });
"""
JOURNEY = """async (sentences) => {
  const el = document.querySelector("attention-flow");
  el.scrollIntoView();
  for (const figure of document.querySelectorAll("head-map, attention-flow")) await figure.ready;
  await new Promise(requestIdleCallback); // now it has the sentence of its map
  const times = [];
  for (const sentence of sentences) {
    await new Promise(requestAnimationFrame);
    globalThis.answered = 0;
    const shown = new Promise((done) => el.addEventListener("steps", done, { once: true })).then(() => {
      el.offsetHeight;
      return performance.now();
    });
    const start = performance.now();
    el.sentence = sentence;
    const set = performance.now();
    const drawn = await shown;
    times.push(globalThis.answered ? set - start + drawn - globalThis.answered : drawn - start);
  }
  return [el.steps.tokens.length, times];
}"""

# What travels: the chapter, the figure, and what a reader does there.
PRESS = "[...figure.querySelectorAll('button')].find(({ textContent }) => textContent.includes('%s')).click()"
SET = "Object.assign(figure.querySelector('%s'), { value: %s }).dispatchEvent(new Event('%s'))"
TRAVELS = {
    "shuffled words": ("order-and-cost", "word-shuffle", PRESS % "Shuffle"),
    "72 sorted heads": ("real-heads", "head-map#map", PRESS % "Sort by"),
    "the ledger's beams": ("what-a-head-writes", "head-ledger", SET % ("label + label select", "time % 3", "change")),
    "a wall of bricks": ("decoder", "growing-cache", PRESS % "Write a word"),
    "water that drains": ("formula", "softmax-scale", SET % ("input", "9 * (time % 2)", "input")),
}
TRAVELLING = """async ([name, times]) => {
  const figure = document.querySelector(name);
  figure.scrollIntoView();
  await figure.ready;
  const frames = [];
  for (let time = 0; time < times; time++) {
    await new Promise((done) => setTimeout(done, 300));
    ACT;
    if (!document.getAnimations().length) continue; // it is so already
    let last = await new Promise(requestAnimationFrame); // the change itself comes before it
    for (const end = last + 600; last < end; ) {
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - last);
      last = now;
    }
  }
  if (!frames.length) throw new Error("nothing moves");
  return frames;
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
        page.add_init_script(ANSWERED)
        for chapter in ("index", "real-heads"):
            page.goto(f"{site}/book/{chapter}.html")
            page.locator("attention-flow").scroll_into_view_if_needed()
            sentences = [" ".join([*LONG, LONG[time]]) for time in range(JOURNEYS)]
            tokens, times = page.evaluate(JOURNEY, sentences)
            tell(f"a journey of {tokens} tokens on the page's thread, {chapter}", times, 100)
        tell(f"pointing at a word to repaint, {MANY_HEADS} heads of {MANY_TOKENS} tokens", pointing(browser))
        for chapter, figure in TYPED.items():
            page.goto(f"{site}/book/{chapter}.html")
            plain, own = page.evaluate(INTO_A_MEGABYTE, [figure, MEGABYTE])
            what = f"{own:.0f} ms more than into 500 characters, {own / plain:.1f} of a plain text field (goal 1.5)"
            print(f"a key into a megabyte, {figure} of {chapter}: {what}")
        for what, (chapter, figure, act) in TRAVELS.items():
            page.goto(f"{site}/book/{chapter}.html")
            tell(
                f"from frame to frame, {what}",
                page.evaluate(TRAVELLING.replace("ACT", act), [figure, TIMES_TRAVELLED]),
                17,
            )
    paths = [HTML / url.removeprefix(site).lstrip("/").split("?")[0] for url in fetched if "/manyheads/" in url]
    sizes = {path.name: size_on_the_wire(path) for path in paths}
    for name, size in sizes.items():
        print(f"  {size / 1e3:8.1f} kB  {name}")
    print(f"bytes to the first live edit, theme apart: {sum(sizes.values()) / 1e6:.2f} MB (goal 2.5)")


def pointing(browser):
    """How long each word of a map of many heads takes to ask, once it is pointed at."""
    weights = np.random.default_rng(0).dirichlet(np.full(MANY_TOKENS, 0.2), (1, MANY_HEADS, MANY_TOKENS))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "map.html"
        HeadMap.of(weights, [f"w{place}" for place in range(MANY_TOKENS)]).save(path)
        page = browser.new_page(viewport=VIEWPORT)
        page.goto(path.as_uri())
        page.locator("head-map .hm-live td").first.wait_for()
        return page.evaluate(POINTING)


def tell(what, times, goal=16):
    p50, p95 = np.percentile(times, [50, 95])
    print(f"{what}: median {p50:.1f} ms, p95 {p95:.1f} ms (goal {goal})")


def size_on_the_wire(path):
    content = path.read_bytes()
    return len(gzip.compress(content)) if path.suffix in UNPACKED else len(content)


if __name__ == "__main__":
    main()
