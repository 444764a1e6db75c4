"""A walk through each chapter with the Tab key alone, from its top through its footer, until it leaves the page."""

from collections import Counter

import pytest
from built import CHAPTERS
from playwright.sync_api import expect
from walk import LEFT, lacking, reaches_everything, walk

FEW = 40  # stops of a figure


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_tab_key_reaches_everything_and_every_stop_is_seen_and_named(page, site, chapter):
    stops = reaches_everything(page, f"{site}/{chapter}.html")
    in_figures = Counter(stop["figure"] for stop in stops if stop["figure"] >= 0)
    assert all(count <= FEW for count in in_figures.values()), in_figures


@pytest.mark.parametrize("chapter", ["index", "formula", "museum", "real-heads", "intuition"])
def test_at_four_times_the_size_nothing_covers_what_has_the_focus(page, site, chapter):
    page.set_viewport_size({"width": 320, "height": 256})  # 1280 x 1024 at 400 %
    end, stops = walk(page, f"{site}/book/{chapter}.html")
    assert end == LEFT, stops[-1]
    assert lacking(stops, "seen") == []


def test_the_tab_key_scrolls_to_a_figure_that_is_only_drawn_by_then(page, site):
    page.goto(f"{site}/book/open-your-model.html")
    page.emulate_media(reduced_motion="reduce")
    play = page.locator("attention-flow").get_by_role("button", name="Play")
    expect(play).not_to_be_in_viewport()
    play.evaluate("button => button.focus()")  # as the key does it that comes before the figure, far below, is drawn
    expect(play).to_be_focused()
    expect(play).to_be_in_viewport()
