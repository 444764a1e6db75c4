"""axe on every page, in both themes, on a phone, a tablet and a desk."""

import functools

import pytest
from axe import THEMES, WIDTHS, violations
from built import CHAPTERS
from live_maps import eventually


@pytest.mark.parametrize("path", [*CHAPTERS, "embed", "genindex", "search"])
def test_axe_finds_nothing(page, site, path):
    page.goto(f"{site}/{path}.html")
    for theme in THEMES:
        for width in WIDTHS:
            look = functools.partial(violations, page, theme, width)
            eventually(look, lambda found: found == [], seconds=5)
