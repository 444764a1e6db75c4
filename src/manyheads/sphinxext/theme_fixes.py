"""Corrects what axe, screen readers and the pages' policy find in the HTML of the theme, MyST-NB and docutils."""

import re
from typing import NamedTuple

from sphinx.errors import ExtensionError


class Fix(NamedTuple):
    where: str  # a page that matches this gets the fix: `pattern` has to match there
    pattern: str
    replacement: str


FIXES = [
    # The label hides the words of a folded cell, "Show the code".
    Fix(r'<details class="admonition hide ', r'<summary aria-label="[^"]*">', "<summary>"),
    # The label hides the keys that the search button names.
    Fix("btn search-button-field", r'(<button class="btn search-button-field[^>]*) aria-label="[^"]*"', r"\1"),
    # The sources of a list are its items; the role they had is deprecated.
    Fix('<div class="citation"', ' role="doc-biblioentry"', ' role="listitem"'),
    # The logo and the search field stand in no landmark.
    Fix(
        'class="bd-sidebar-primary',
        '<div id="pst-primary-sidebar" class=',
        '<div id="pst-primary-sidebar" role="complementary" aria-label="The book" class=',
    ),
    # A page with a first look opens wide: the sidebar waits behind its button. The class is for theme.css: a selector
    # with :has() would match only once the figure has come, and the page would move.
    Fix(
        "<first-look",
        'class="bd-sidebar-primary bd-sidebar',
        'class="opens-wide pst-sidebar-hidden bd-sidebar-primary bd-sidebar',
    ),
    # The corner of a table whose rows have names is not the heading of anything.
    Fix(
        r'<th class="[^>]*head[^>]*>\s*<p>\s*</p>',
        r'<th class="([^"]*head[^"]*)"><p></p></th>',
        r'<th class="\1" role="cell"><p></p></th>',
    ),
    # The theme is known before the page is drawn. The theme's own script sets "auto" or the last visit's, so that a
    # dark page would be light first, and drawn twice.
    Fix(
        r'dataset\.mode = .* "auto"',
        r'localStorage\.getItem\("theme"\) \|\| "auto"',
        '["light", "dark"].find((mode) => mode === localStorage.getItem("mode"))'
        ' || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")',
    ),
]


def fix(html, name="page"):
    """The HTML of a page, corrected.

    >>> fix('<div class="citation" role="doc-biblioentry">')
    '<div class="citation" role="listitem">'

    Raises `ExtensionError` where a page needs a fix whose pattern matches nothing: the theme has changed.
    """
    for where, pattern, replacement in FIXES:
        needed = re.search(where, html)
        if not needed:
            continue
        html, count = re.subn(pattern, replacement, html)
        if not count:
            raise ExtensionError(f"{name} has {needed[0]!r}, but nothing in it matches {pattern!r}: see {__file__}")
    return html
