"""A walk through each chapter with the Tab key alone, from its top through its footer, until it leaves the page."""

from collections import Counter

import pytest
from built import CHAPTERS
from walk import LEFT, lacking, walk

FEW = 40  # stops of a figure


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_tab_key_reaches_everything_and_every_stop_is_seen_and_named(page, site, chapter):
    end, stops = walk(page, f"{site}/{chapter}.html")
    assert end == LEFT, stops[-1]
    assert any(stop["inFooter"] for stop in stops), stops[-1]
    for what in ("seen", "marked", "name"):
        assert lacking(stops, what) == [], what
    in_figures = Counter(stop["figure"] for stop in stops if stop["figure"] >= 0)
    assert all(count <= FEW for count in in_figures.values()), in_figures


@pytest.mark.parametrize("chapter", ["index", "formula", "museum", "real-heads", "ambiguity"])
def test_at_four_times_the_size_nothing_covers_what_has_the_focus(page, site, chapter):
    page.set_viewport_size({"width": 320, "height": 256})  # 1280 x 1024 at 400 %
    end, stops = walk(page, f"{site}/book/{chapter}.html")
    assert end == LEFT, stops[-1]
    assert lacking(stops, "seen") == []
