"""The journey's figure: how long a frame of `<attention-flow>` takes while it plays, at 12 and at 33 tokens.

A frame's work is everything the page does for it: the script, and the layout that is asked for right after. Goals: p95
of at most 16 ms at 12 tokens, 33 ms at 33; the first frame within 100 ms of the model.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from served import HTML, chromium, serve

SENTENCES = {
    12: "Which do you like better, coffee or tea?",
    33: "The tired nurse drove her old car home through heavy rain because our friend was ill, and then she made us "
    "all a pot of hot tea with milk in it.",
}
FRAMES = 700  # a hundred from a station to the next

TIMES = """async ([sentence, frames]) => {
  const el = document.querySelector("attention-flow");
  await el.ready;
  el.sentence = sentence;
  const slider = el.querySelector("input[type=range]");
  const times = [];
  for (let frame = 0; frame <= frames; frame++) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    slider.value = (7 * frame) / frames;
    slider.dispatchEvent(new Event("input"));
    el.offsetHeight;
    times.push(performance.now() - start);
  }
  const intervals = [];
  el.station = "words";
  [...el.querySelectorAll("button")].find((one) => one.textContent.includes("Play")).click();
  let last = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < frames; frame++) {
    const now = await new Promise(requestAnimationFrame);
    intervals.push(now - last);
    last = now;
  }
  return { tokens: el.steps.tokens.length, times, intervals };
}"""


def main():
    with serve(HTML) as site, chromium() as browser:
        print("a frame of <attention-flow>: median and p95 in ms (goals: p95 16 at 12 tokens, 33 at 33)")
        for width, sentence in ((width, sentence) for width in (1400, 360) for sentence in SENTENCES.values()):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(f"{site}/book/formula.html")
            found = page.evaluate(TIMES, [sentence, FRAMES])
            times, intervals = (np.percentile(found[name], (50, 95)) for name in ("times", "intervals"))
            work = "{:.1f} {:.1f}".format(*times)
            apart = "{:.1f} {:.1f}".format(*intervals)
            print(f"  {width:4} px, {found['tokens']} tokens: work {work}; between frames as it plays {apart}")
            page.close()


if __name__ == "__main__":
    main()
