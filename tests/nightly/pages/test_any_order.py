"""Whatever a clumsy reader types and presses, in whatever order: nothing fails, nothing typed is lost, the focus stays.

MANYHEADS_WALK=2000 walks longer, MANYHEADS_SEED=7 elsewhere.
"""

import os
import random
import re

import pytest
from figures import CHAPTER_OF
from playwright.sync_api import expect

STEPS = int(os.environ.get("MANYHEADS_WALK", 60))
SEED = int(os.environ.get("MANYHEADS_SEED", 0))
STILL = ("field-exercise", "exercise-list", "next-word")  # exercises, links, 97 MB
FIGURES = [
    *((chapter, name) for name, chapter in CHAPTER_OF.items() if name not in STILL),
    ("intuition", "head-map"),
    ("intuition", "#scale"),
    ("real-heads", 'head-map[model="encoder"]'),
    ("decoder", "#translator"),
]
TEXTS = [
    "",
    "   ",
    "tea",
    "My boss hates the rain, um to Berlin, but she likes it more.",
    "<img src=x onerror='globalThis.fired = 1'><script>globalThis.fired = 1</script>",
    "👩‍🚀🏳️‍🌈 \u202eالعربية\u200b\u0000\ud800",
    "[CLS] [SEP] [MASK] ##ing &amp; %s ${x} ../..",
    "so " * 200,
    "x" * 10_000,
]

NO_VALUE = re.compile(r"undefined|NaN")  # as a script writes them: a card may be about tenants

# One page, many steps: each takes a control that is to be seen, gives it the focus and uses it as its kind is used.
WALK = """async ([selector, texts, chances]) => {
  const figure = document.querySelector(selector);
  await figure.ready;
  figure.dispatchEvent(new Event("focusin")); // one that stands as it was built is drawn
  figure.querySelectorAll("details").forEach((fold) => (fold.open = true));
  const KINDS = "button, select, textarea, input, summary, td[tabindex='0']";
  const pick = (list) => list[Math.floor(chances.pop() * list.length)];
  const trail = [];
  const must = (held, what) => { if (!held) throw new Error(`${what} after:\\n${trail.slice(-12).join("\\n")}`) };
  const told = (type) => new Event(type, { bubbles: true });
  while (chances.length > 2) {
    const controls = [...figure.querySelectorAll(KINDS)].filter((one) => one.checkVisibility() && !one.disabled);
    const control = pick(controls);
    trail.push(control.outerHTML.slice(0, 90));
    control.focus();
    if (control.matches("select")) {
      control.value = pick([...control.options]).value;
      control.dispatchEvent(told("input"));
      control.dispatchEvent(told("change"));
    } else if (control.matches("input[type=range]")) {
      control.value = Number(control.min) + chances.pop() * (control.max - control.min);
      control.dispatchEvent(told("input"));
      control.dispatchEvent(told("change"));
    } else if (control.matches("input[type=number]")) {
      control.value = String(Math.ceil(20 * chances.pop()));
      control.dispatchEvent(told("input"));
      control.dispatchEvent(told("change"));
    } else if (control.matches("textarea, input[type=text], input[type=search], input:not([type])")) {
      const typed = pick(texts);
      control.value = typed;
      const kept = control.value; // a box may refuse line breaks
      control.dispatchEvent(told("input"));
      await new Promise(requestAnimationFrame);
      must(control.value === kept, `lost what was typed: ${kept.slice(0, 60)}`);
    } else control.click();
    await new Promise(requestAnimationFrame);
    must(document.activeElement !== document.body, "nothing has the focus");
    must(!globalThis.fired, "a typed script ran");
    const { weights, shape } = figure.attention ?? { weights: [], shape: [0] };
    for (let row = 0; row < weights.length; row += shape.at(-1)) {
      let sum = 0;
      for (let key = 0; key < shape.at(-1); key++) sum += weights[row + key];
      must(Math.abs(sum - 1) < 1e-3 || sum === 0, `a row sums to ${sum}`);
    }
  }
  return trail.length;
}"""


@pytest.mark.parametrize(("chapter", "figure"), FIGURES)
def test_controls_in_any_order(page, site, chapter, figure):
    page.goto(f"{site}/book/{chapter}.html")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    page.locator(figure).first.scroll_into_view_if_needed()
    print(f"MANYHEADS_SEED={SEED}")
    dice = random.Random(SEED)
    page.evaluate(WALK, [figure, TEXTS, [dice.random() for _ in range(3 * STEPS)]])
    expect(page.locator(figure).first.get_by_text(NO_VALUE)).to_have_count(0)
