"""What a key costs on a page with all of its figures, beside the same page with the map alone.

    python bench/keys.py [chapter ...]

Keys come at a typist's pace, and each is timed from when it was due until its map is drawn: what keeps the thread or
the worker busy counts. The ratios are what to go by: a paced key takes longer than one of many in a row, which finds
the caches warm.

Found, one key 20 ms after the other, before what follows waited for its turn and after, in the same run (p95, ms, of a
machine half as fast as on a quiet day): the encoder with its journey in view 281 and 62, alone 58; the language model
266 and 105, alone 107.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from served import HTML, PATIENCE, VIEWPORT, chromium, serve

KEYS, WARM = 60, 10
PACE = 130  # milliseconds from key to key
FIGURES = (
    "attention-flow, museum-piece, word-shuffle, head-ledger, next-word, first-look > .fl-look, head-map, "
    "word-sense, word-points, whole-model, blend-triangle"
)
LONG = "They never like tea " + "and they like coffee " * 6 + "too"
GOAL = 1.1  # of the map alone
# The chapter, its map or the figure that is typed in, and a sentence of 32, 14 or 15 tokens.
PAGES = {
    "index": ("head-map", LONG),
    "coffee-or-tea": ("head-map", LONG),
    "real-heads": ("#map", "The bank by the river gave the fisherman a loan today"),
    "intuition": ("#points", "We sat on the bank of the river and watched the boats"),
    "whole-machine": ("whole-model[model=encoder]", "My tired boss hates the noisy train to Berlin today"),
    "decoder": ("head-map[model=decoder]", "The capital of Italy is a large city, and the capital of France"),
}

# What of the page beside the map is a figure by itself.
OTHERS = """globalThis.others = (selector, figures) => {
  const map = document.querySelector(selector);
  const alone = (one) => !one.contains(map) && !map.contains(one) && !one.parentElement.closest(figures);
  return [...document.querySelectorAll(figures)].filter(alone);
}"""

# The map computes; what follows it stands right below it in view, or far below.
PLACED = """async ([selector, figures, inView]) => {
  const map = document.querySelector(selector);
  await map.ready;
  const all = others(selector, figures);
  if (!inView) map.before(Object.assign(document.createElement("div"), { style: "height: 3000px" }));
  for (const one of all) inView ? map.after(one) : document.querySelector("article").append(one);
  if (!inView) all[0]?.before(Object.assign(document.createElement("div"), { style: "height: 3000px" }));
  map.scrollIntoView();
}"""

TYPE = """async ([selector, sentence, keys, pace]) => {
  const map = document.querySelector(selector);
  await map.ready;
  const box = map.querySelector("[aria-label=Sentence]");
  const type = (text) => {
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const drawn = () => new Promise((done) => {
    for (const name of ["attention", "step"])
      map.addEventListener(name, () => (map.offsetHeight, done(performance.now())), { once: true });
  });
  const times = [];
  let due = performance.now() + 500;
  for (let key = 0; key < keys; key++, due += pace) {
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    const text = sentence + ".!?;:,"[key % 6];
    const done = drawn();
    type(text);
    times.push((await done) - due);
    if (performance.now() > due + pace) due = performance.now();
  }
  return [(map.attention?.queryTokens ?? map.machine?.tokens ?? map.words[0]).length, times];
}"""


def main(chapters):
    with serve(HTML) as site, chromium() as browser:
        context = browser.new_context(viewport=VIEWPORT)
        context.set_default_timeout(PATIENCE)
        for chapter in chapters or PAGES:
            selector, sentence = PAGES[chapter]
            found = {}
            for figures in ("alone", "out of sight", "in view"):
                page = context.new_page()
                page.goto(f"{site}/book/{chapter}.html")
                page.evaluate(OTHERS)
                if figures == "alone":
                    page.evaluate("(given) => others(...given).forEach((one) => one.remove())", [selector, FIGURES])
                page.evaluate(PLACED, [selector, FIGURES, figures == "in view"])
                count, times = page.evaluate(TYPE, [selector, sentence, KEYS, PACE])
                p50, p95 = np.percentile(times[WARM:], [50, 95])
                found[figures] = p95
                print(f"{chapter}, {count} tokens, what follows {figures}: median {p50:.0f} ms, p95 {p95:.0f} ms")
                page.close()
            for figures in ("out of sight", "in view"):
                print(f"{chapter}, {figures} beside alone: {found[figures] / found['alone']:.2f} (goal {GOAL})")


if __name__ == "__main__":
    main(sys.argv[1:])
