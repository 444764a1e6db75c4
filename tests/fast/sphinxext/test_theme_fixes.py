"""What the theme gets wrong is fixed in the built book, and a theme that changed stops the build."""

import pytest
from sphinx.errors import ExtensionError

from manyheads.sphinxext.theme_fixes import fixed


def test_a_page_whose_theme_changed_stops_the_build():
    with pytest.raises(ExtensionError, match=r"a.html .*class=\"citation\".* matches ' role=\"doc-biblioentry\"'"):
        fixed('<div class="citation" role="doc-source">', "a.html")
