"""Every word and every bar of every figure can be seen, in both themes: letters on tinted squares and in drawings as well.

axe says nothing of these.
"""

from functools import partial

import pytest
from axe import THEMES
from figures import CHAPTER_OF, open_figure
from live_maps import eventually, settled
from seen import faint

BARS = {  # what shows a size, in the figures that have such
    "attention-flow": "rect[fill^='var(--head'][opacity='1'], rect[fill^='var(--hm-'][opacity='1']",
    "attention-kinds": ".ak-bar i",
    "growing-cache": ".gc-bricks i",
    "head-ledger": ".hl-bar i",
    "next-word": ".nw-bar i:first-child",
    "result-slider": ".rs-dot, .rs-strip i",
    "softmax-scale": ".sc-scores i",
    "whole-model": ".wm-track i",
    "word-sense": ".ws-step i",
}
WITH_BARS = {"scores", "softmax", "values", "heads", "answer"}  # stations of the journey


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", CHAPTER_OF)
def test_words_and_bars_can_be_seen(page, site, name, theme):
    page.set_viewport_size({"width": 1400, "height": 3000})  # all of it in view at once
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    figure = open_figure(page, site, name)
    for shows in page.locator("figure-guess[covers]").get_by_role("button", name="just show me").all():
        shows.dispatch_event("click")
    for opens in figure.get_by_role("button", name="See each head’s part").all():
        opens.click()
    settled(page)
    if name != "attention-flow":
        eventually(lambda: faint(figure, BARS.get(name)), lambda found: found == [])
        return
    for station in figure.evaluate("(el) => el.stations"):
        figure.evaluate("(el, station) => { el.station = station }", station)
        look = partial(faint, figure, BARS[name] if station in WITH_BARS else None)
        eventually(look, lambda found: found == [], seconds=2)  # it goes there
