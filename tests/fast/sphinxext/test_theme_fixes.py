"""What the theme gets wrong is fixed in the built book, and a theme that changed stops the build."""

import pytest
from sphinx.errors import ExtensionError

from manyheads.sphinxext.theme_fixes import fix


def test_a_page_whose_theme_changed_stops_the_build():
    with pytest.raises(ExtensionError, match=r"a.html .*class=\"citation\".* matches ' role=\"doc-biblioentry\"'"):
        fix('<div class="citation" role="doc-source">', "a.html")


@pytest.mark.parametrize(("body", "hidden"), [("<first-look></first-look>", True), ("<head-map></head-map>", False)])
def test_the_sidebar_waits_behind_its_button_on_a_page_that_opens_wide_alone(body, hidden):
    page = fix(f'<div id="pst-primary-sidebar" class="bd-sidebar-primary bd-sidebar"></div>{body}')
    assert ("pst-sidebar-hidden" in page) == hidden
