"""Texts that mean harm, in every place of a map that a text can come from: none of them is ever more than a text."""

import random
from itertools import islice

import numpy as np
from live_maps import eventually
from playwright.sync_api import expect

from manyheads.maps import AttentionMap
from manyheads.widgets import HeadMap

CASES, MAPS = 1_980, 20
FIRE = "globalThis.fired=1"
SEEDS = [
    f"<img src=x onerror={FIRE}>",
    f"<script>{FIRE}</script>",
    f"</script><script>{FIRE}</script>",
    f"<svg/onload={FIRE}>",
    "<iframe srcdoc='<script>parent.fired=1</script>'></iframe>",
    f'" autofocus onfocus={FIRE} x="',
    f"' onmouseover='{FIRE}' x='",
    f"<a href=javascript:{FIRE}>x</a>",
    f"<!--<script>{FIRE}//--></script>",
    f"]]><script>{FIRE}</script>",
    f"&lt;img src=x onerror={FIRE}&gt;",
    f"{{{{constructor.constructor('{FIRE}')()}}}}",
    f"<style>@import 'javascript:{FIRE}';</style>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={FIRE}>",
    f"<object data='data:text/html,<script>{FIRE}</script>'></object>",
    f"\\u003cimg src=x onerror={FIRE}\\u003e",
]
WRAPS = [
    "{}",
    '"{}',
    "'{}",
    "-->{}",
    "</style>{}",
    "</textarea>{}",
    "</title>{}",
    "</option></select>{}",
    "\n{}",
    "##{}",
    "\u202e{}",
]
# What has run, and what waits to.
HARM = """() => [globalThis.fired ?? null, [...document.querySelectorAll("head-map *")].filter((node) =>
  [...node.attributes].some(({ name }) => name.startsWith("on"))).map((node) => node.outerHTML)]"""


def texts(choose, count):
    """Seeds in random wrappings, letters of tags in random case."""

    def shuffled(text):
        return (
            "".join(choose.choice((letter.lower(), letter.upper())) for letter in text)
            if choose.random() < 0.3
            else text
        )

    picked = [choose.choice(WRAPS).format(shuffled(choose.choice(SEEDS))) for _ in range(count)]
    return [f"{text}{number}" for number, text in enumerate(picked)]


def maps():
    choose, each = random.Random(20261125), CASES // MAPS
    for _ in range(MAPS):
        evil = iter(texts(choose, each))
        tokens, heads, layers = list(islice(evil, 60)), list(islice(evil, 8)), list(islice(evil, 2))
        names, labels, notes, written = list(islice(evil, 6)), list(islice(evil, 12)), list(islice(evil, 9)), next(evil)
        predictions = {name: {labels[2 * at]: 0.75, labels[2 * at + 1]: 0.25} for at, name in enumerate(names)}
        weights = np.full((2, 8, 60, 60), 1 / 60)
        yield (
            AttentionMap(
                tokens, tokens, weights, heads, predictions, tuple(notes), written=written, layer_names=layers
            ),
            next(evil),
        )


def test_no_saved_page_runs_what_a_text_says(opened):
    for number, (map, sentence) in enumerate(maps()):
        if number % 2:
            continue
        shown = HeadMap(sentence, model=lambda *_, map=map, **__: map, find="script", head=1)
        page = opened(shown)
        for view in ("Paint", "Matrix", "Grid", "Lines"):
            page.get_by_role("radio", name=view).check(force=True)
        page.wait_for_function("document.readyState === 'complete'")
        expect(
            page.locator("head-map :is(script:not([type='application/json']), iframe, object, embed, a)")
        ).to_have_count(0)
        eventually(lambda page=page: page.evaluate(HARM), lambda found: found == [None, []])
