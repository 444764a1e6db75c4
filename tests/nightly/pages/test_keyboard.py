"""A walk through each chapter with the Tab key alone, from its top through its footer, until it leaves the page."""

from collections import Counter

import pytest
from built import CHAPTERS
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
