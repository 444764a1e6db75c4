"""What a key costs on a page with all of its figures, beside the same page with the map alone: in units of the machine.

    python bench/keys.py [chapter ...]

A unit is a product of two matrices of 140 rows and columns in plain JavaScript, in the same page. Keys come at a typist's
pace, and each is timed from when it was due until its map is drawn: what keeps the thread or the worker busy counts.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from served import HTML, PATIENCE, VIEWPORT, chromium, serve

KEYS, WARM = 60, 10
PACE = 130  # milliseconds from key to key
FOLLOWERS = "attention-flow, head-pruning, museum-piece, word-shuffle, head-ledger, next-word, first-look > .fl-look"
# The chapter, its map, a sentence, how many tokens that is, and the goal in units.
PAGES = {
    "index": ("head-map", "They never like tea " + "and they like coffee " * 6 + "too", 33, 0.8),
    "coffee-or-tea": ("head-map", "They never like tea " + "and they like coffee " * 6 + "too", 33, 0.8),
    "real-heads": ("#map", "The bank by the river gave the fisherman a loan today", 14, 2),
    "decoder": ("head-map[model=decoder]", "The capital of Italy is a large city, and the capital of France", 14, 3),
}

UNIT = """() => {
  const size = 140;
  const a = Float64Array.from({ length: size * size }, (_, at) => at % 5 + 1);
  const times = [];
  for (let time = 0; time < 60; time++) {
    const c = new Float64Array(size * size);
    const start = performance.now();
    for (let i = 0; i < size; i++)
      for (let k = 0; k < size; k++)
        for (let j = 0; j < size; j++) c[i * size + j] += a[i * size + k] * a[k * size + j];
    times.push(performance.now() - start);
    if (!c[0]) throw new Error("nothing was computed");
  }
  return times.slice(30).sort((one, other) => one - other)[15];
}"""

# The map computes; what follows it stands right below it in view, or far below.
PLACED = """async ([selector, followers, inView]) => {
  const map = document.querySelector(selector);
  await map.ready;
  const all = [...document.querySelectorAll(followers)].filter((one) => !one.contains(map));
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
    map.addEventListener("attention", () => (map.offsetHeight, done(performance.now())), { once: true });
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
  return [map.attention.queryTokens.length, times];
}"""


def main(chapters):
    with serve(HTML) as site, chromium() as browser:
        context = browser.new_context(viewport=VIEWPORT)
        context.set_default_timeout(PATIENCE)
        for chapter in chapters or PAGES:
            selector, sentence, tokens, goal = PAGES[chapter]
            found = {}
            for figures in ("alone", "out of sight", "in view"):
                page = context.new_page()
                page.goto(f"{site}/book/{chapter}.html")
                if figures == "alone":
                    page.evaluate(f"document.querySelectorAll('{FOLLOWERS}').forEach((one) => one.remove())")
                page.evaluate(PLACED, [selector, FOLLOWERS, figures == "in view"])
                unit = page.evaluate(UNIT)
                count, times = page.evaluate(TYPE, [selector, sentence, KEYS, PACE])
                p50, p95 = np.percentile(times[WARM:], [50, 95])
                found[figures] = p95
                print(
                    f"{chapter}, {count} tokens, what follows {figures}: median {p50:.0f} ms, p95 {p95:.0f} ms, "
                    f"{p95 / unit:.2f} units of {unit:.1f} ms (goal {goal})"
                )
                page.close()
            for figures in ("out of sight", "in view"):
                print(f"{chapter}, {figures} beside alone: {found[figures] / found['alone']:.2f} (goal 1.1)")


if __name__ == "__main__":
    main(sys.argv[1:])
