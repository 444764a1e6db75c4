"""The formula's figure: time from keystroke to repaint at 16 words, for every step."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from served import HTML, chromium, serve

SENTENCE = "The tired nurse drove her old car home through heavy rain because our friend was ill."
KEYSTROKES = 200

TIMES = """async ([words, keystrokes]) => {
  const el = document.querySelector("formula-steps");
  await el.ready;
  const box = el.querySelector("[aria-label=Sentence]");
  const found = {};
  for (const tab of el.querySelectorAll("[role=tab]")) {
    tab.click();
    const times = { "in view": [], "every cell": [] };
    for (let i = 0; i < keystrokes; i++) {
      const text = words.map((word, place) => (place === i % 16 ? ["tea", "cup", "fox"][i % 3] : word)).join(" ");
      await new Promise(requestAnimationFrame);
      box.value = text;
      let seen;
      el.addEventListener("steps", () => { el.offsetHeight; seen = performance.now() }, { once: true });
      const start = performance.now();
      box.dispatchEvent(new Event("input", { bubbles: true }));
      el.flush();
      el.offsetHeight;
      times["in view"].push(seen - start);
      times["every cell"].push(performance.now() - start);
    }
    found[tab.textContent] = [el.steps.tokens.length, times];
  }
  return found;
}"""


def main():
    with serve(HTML) as site, chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{site}/book/formula.html")
        found = page.evaluate(TIMES, [SENTENCE.split(), KEYSTROKES])
    print("keystroke to repaint of <formula-steps>, 16 words; median and p95 in ms (goal: p95 33)")
    for step, (tokens, times) in found.items():
        shown = "   ".join(
            f"{name} {np.percentile(t, 50):5.1f} {np.percentile(t, 95):5.1f}" for name, t in times.items()
        )
        print(f"  {step:10} {tokens} tokens   {shown}")
    for name in ("in view", "every cell"):
        worst = max(np.percentile(times[name], 95) for _, times in found.values())
        print(f"  worst step, {name}: p95 {worst:.1f} ms")


if __name__ == "__main__":
    main()
