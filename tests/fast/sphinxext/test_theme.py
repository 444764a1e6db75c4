"""What the book tells the theme, what it takes away from it and what it fixes."""

import re
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from manyheads.sphinxext import theme
from manyheads.sphinxext.theme_fixes import fix
from manyheads.widgets.web_files import BUILT


@pytest.mark.parametrize(
    ("repository", "shown"),
    [("https://github.com/somebody/many-heads", True), ("https://git.example.org/many-heads", False), ("", False)],
)
def test_the_theme_has_buttons_for_a_repository_whose_host_it_knows(tmp_path, repository, shown):
    options = {"html_theme": "sphinx_book_theme", "templates_path": [], "html_theme_options": {}}
    config = SimpleNamespace(**options, manyheads_repository=repository)
    theme.set_options(SimpleNamespace(confdir=str(tmp_path)), config)
    assert config.html_theme_options.get("use_edit_page_button", False) is shown
    assert config.html_theme_options.get("repository_url", "") == (repository if shown else "")


def test_no_button_runs_a_script_that_the_policy_forbids():
    link, script = {"type": "link"}, {"type": "javascript"}
    context = {"header_buttons": [{"type": "group", "buttons": [link, script]}, link]}
    theme.drop_print_button(None, "index", "page.html", context, None)
    assert context["header_buttons"] == [{"type": "group", "buttons": [link]}, link]


def test_only_the_sheet_that_goes_asks_for_any_sibling():
    """`:has(+ *)` makes a browser look at the whole page anew at every change."""
    sheets = {sheet.name: sheet.read_text() for sheet in BUILT.glob("*.css")}
    assert [name for name, text in sheets.items() if re.search(r":has\([^)]*[>+~]\s*\*", text)] == ["arriving.css"]


def test_a_page_whose_theme_changed_stops_the_build():
    with pytest.raises(ExtensionError, match=r"a.html .*class=\"citation\".* matches ' role=\"doc-biblioentry\"'"):
        fix('<div class="citation" role="doc-source">', "a.html")


@pytest.mark.parametrize(("body", "hidden"), [("<first-look></first-look>", True), ("<head-map></head-map>", False)])
def test_the_sidebar_waits_behind_its_button_on_a_page_that_opens_wide_alone(body, hidden):
    page = fix(f'<div id="pst-primary-sidebar" class="bd-sidebar-primary bd-sidebar"></div>{body}')
    assert ("pst-sidebar-hidden" in page) == hidden
