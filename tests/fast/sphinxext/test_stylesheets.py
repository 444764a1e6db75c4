"""What stays of the theme's rules: all that a page has or a script may make, and what no selector decides."""

import re

import pytest
from sphinx.errors import ExtensionError

from manyheads.sphinxext.stylesheets import FOLDER, NAME, Names, cut, finish_styles, with_link

PAGE = '<html><body class="wide"><main id="top"><p class="lead">Text</p></main></body></html>'
SCRIPT = 'tip.classList.add("shown", "bs-" + kind); menu.className = `tab-${place}`;'


@pytest.fixture(scope="module")
def names():
    names = Names()
    names.add_page(PAGE)
    names.add_script(SCRIPT)
    return names


@pytest.mark.parametrize(
    "rule",
    [
        "p{color: red}",
        "body.wide > main#top .lead::before{color: red}",
        ".shown{color: red}",
        ".bs-tooltip .lead{color: red}",
        ".tab-3{color: red}",
        ".lead:not(.nowhere){color: red}",
        ".lead:is(.nowhere,.shown):hover{color: red}",
        ':root{--ink: "{}"}',
        'html[data-theme="dark"] p{color: red}',
        "*,::before{color: red}",
        "@keyframes turn{from{left: 0}to{left: 1px}}",
        "@media (min-width: 40rem) and (scripting){p{color: calc(1px + 2px)}}",
        "@supports not (top: 1px){@media print{p{color: red}}}",
        "@font-face{font-family: X;}",
        '.lead{background: url("data:image/svg+xml;utf8,<svg/>")}',
    ],
)
def test_what_may_be_needed_stays_as_it_was(names, rule):
    assert cut(rule, names) == rule


@pytest.mark.parametrize(
    "rule",
    [
        ".nowhere{color: red}",
        "main .nowhere p{color: red}",
        "#nowhere{color: red}",
        "table{color: red}",
        ".lead:is(.nowhere, table){color: red}",
        "main:has(> .nowhere){color: red}",
        "@media print{.nowhere{color: red}}",
        "/* only a comment */",
    ],
)
def test_what_matches_nothing_goes(names, rule):
    assert cut(rule, names) == ""


def test_of_several_selectors_some_stay(names):
    assert cut(".nowhere, p , table\n{ color : red /* warm */ }", names) == "p{color : red}"


def test_an_address_leads_where_it_led(names):
    css = "p{background: url(a.png) no-repeat; mask: url( 'b.svg' )}"
    moved = cut(css, names, "../{}".format)
    assert moved == 'p{background: url("../a.png") no-repeat; mask: url("../b.svg")}'


def test_a_stylesheet_that_imports_another_stops_the_build(names):
    with pytest.raises(ExtensionError, match=r"basic\.css"):
        cut('@import "basic.css"; p { color: red }', names)


@pytest.fixture
def site(tmp_path):
    """A built site of two pages and a theme; gives its folder."""
    for place, text in {
        "_static/theme/theme.css": "p{background: url(p.png)} .later{top: 0} .nowhere{top: 0}",
        "_static/manyheads/1/theme.css": "main{top: 0}",
        "_static/manyheads/1/head-map.css": ".nowhere{top: 0}",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    write_page(tmp_path / "first.html", "")
    write_page(tmp_path / "deep" / "second.html", "../")
    return tmp_path


def write_page(path, root, more=""):
    names = ("theme/theme.css", "manyheads/1/head-map.css", "manyheads/1/theme.css")
    links = "".join(f'<link rel="stylesheet" href="{root}_static/{name}?v=1">' for name in names)
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"<head>{links}</head>{PAGE}{more}")


def test_pages_wait_for_one_stylesheet_and_those_of_their_figures(site):
    finish_styles(site, "manyheads/1")
    assert (site / FOLDER / NAME).read_text() == 'p{background: url("../theme/p.png")}main{top: 0}'
    for path, root in {"first.html": "", "deep/second.html": "../"}.items():
        html = (site / path).read_text()
        assert html.count("stylesheet") == 2, path
        assert html.index(f'href="{root}{FOLDER}/{NAME}?v=') < html.index("manyheads/1/head-map.css")


def test_a_page_that_is_written_again_brings_its_rules_and_all_pages_the_new_file(site):
    finish_styles(site, "manyheads/1")
    before = (site / "first.html").read_text()
    write_page(site / "deep" / "second.html", "../", '<p class="later">')
    finish_styles(site, "manyheads/1")
    assert ".later{top: 0}" in (site / FOLDER / NAME).read_text()
    after = (site / "first.html").read_text()
    assert after != before
    assert re.sub(r"\?v=\w+", "", after) == re.sub(r"\?v=\w+", "", before)


def test_a_page_without_the_theme_keeps_its_own(site):
    page = '<link rel="stylesheet" href="_static/manyheads/1/head-map.css">'
    assert with_link(page, "(all)") == page
