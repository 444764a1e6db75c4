"""What the theme gets wrong is fixed in the built book, and a theme that changed stops the build."""

import re

import pytest

from manyheads.sphinxext.theme_fixes import FIXES


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: fix.where)
def test_the_book_needs_every_fix_and_has_it(html, fix):
    """The build stops where one is needed and matches nothing."""
    pages = [path.read_text(encoding="utf-8") for path in html.rglob("*.html") if "_static" not in path.parts]
    assert any(re.search(fix.where, page) for page in pages)
    assert not any(re.search(fix.pattern, page) for page in pages if re.search(fix.where, page))
