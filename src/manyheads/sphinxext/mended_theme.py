"""The theme's pages as axe and screen readers want them. What is mended here is pydata-sphinx-theme's or docutils'."""

import re

MENDS = [
    # A name that hides the words on it: a folded cell says "Show the code", the search button names its keys.
    (r'<summary aria-label="Toggle hidden content">', "<summary>"),
    (r'(<button class="btn search-button-field[^>]*) aria-label="Search"', r"\1"),
    # The sources of a list are its items; the role they had is deprecated.
    (r' role="doc-biblioentry"', ' role="listitem"'),
    # The logo and the search field stand in no landmark.
    (
        r'<div id="pst-primary-sidebar" class=',
        '<div id="pst-primary-sidebar" role="complementary" aria-label="The book" class=',
    ),
    # The corner of a table whose rows have names heads nothing.
    (r'<th class="head"><p></p></th>', '<th class="head" role="cell"><p></p></th>'),
    # What no policy of the pages' kind allows: doors/theme.js does it.
    (r'onclick="(window\.print|toggleFullScreen)\(\)"', r'data-call="\1"'),
    # The theme is told before the first stroke: "auto" is none, and the last visit's may be another than today's, so
    # that a dark page was light first, and drawn twice.
    (
        r'localStorage\.getItem\("theme"\) \|\| "auto"',
        '["light", "dark"].find((mode) => mode === localStorage.getItem("mode"))'
        ' || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")',
    ),
]


def mended(html):
    """A page of the theme with what it lacks.

    >>> mended('<button class="btn" onclick="window.print()">Print</button>')
    '<button class="btn" data-call="window.print">Print</button>'
    >>> mended('<div class="citation" role="doc-biblioentry">')
    '<div class="citation" role="listitem">'
    """
    for pattern, better in MENDS:
        html = re.sub(pattern, better, html)
    return html
